"""A seat at a table over a transport: the way in, driver, bots, spectator."""
