"""The topics beside the game: each with its messages, its state, and what follows from them."""
