"""41 (Syrian) and 400 (Lebanese): two prices for one game, after PROFILES section 4."""
