"""What may be talked of beside the game: each with its messages, its state, its events."""
