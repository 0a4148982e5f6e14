"""Slots: face-down cards without names."""

from __future__ import annotations

from typing import NewType

Slot = NewType("Slot", int)
"""A number that stands for one masked card.

The game hands the numbers out and never reuses one within a hand. The slots 0 to N-1, N cards being
in the pack, are the places of the deck as the last seat shuffled it; where a game cuts, it says
which of them is dealt first. `disclosures.Remixed` retires a seat's slots and brings as many new
ones into being, from N on.
"""
