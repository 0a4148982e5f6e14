"""Signed ledgers and the machines that interpret them: the public state of a table."""
