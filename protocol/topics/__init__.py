"""What may be talked of beside the game: each with its state and what it does when it is said."""
