"""Zero-knowledge proofs over the group: the engine, and each statement that it proves."""
