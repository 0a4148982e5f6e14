"""One seat driven over a transport: lobby, driver, bots, spectator."""
