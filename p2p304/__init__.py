"""The games as a library: what a move must prove, who learns what from it; bots; tournaments.

`library` holds what its users begin with, and `specs/guide/implementer.md` plays a hand with it.
"""
