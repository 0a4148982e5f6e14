"""A seat at a table, from the invite to the last hand: lobby, session, journal and transport."""
