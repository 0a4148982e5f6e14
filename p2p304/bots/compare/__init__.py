"""Kinds of bot against each other, and what one kind does over many hands."""
