"""Masked cards: keys, the deck, shares, hand-overs, commitments, and what is proved of them."""
