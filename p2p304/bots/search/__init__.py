"""The one search of every game: information-set Monte-Carlo over the game interface."""
