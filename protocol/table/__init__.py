"""Signed ledgers and the machines that interpret them: what is public at a table."""
