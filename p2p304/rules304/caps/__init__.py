"""Caps: who had to call them and when, and whether an order of cards is sure (RULES 13)."""
