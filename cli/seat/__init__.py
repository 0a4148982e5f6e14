"""A seat at a table over a transport: claiming, driver, bots, spectator."""
