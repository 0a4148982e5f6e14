"""Tournaments: who meets whom, what a result changes, who stands where (specs/tournament.md)."""
