"""A tournament's record: what its people signed, what follows from it, and what contradicts it."""
