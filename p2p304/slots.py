"""Slots: face-down cards without names."""

from __future__ import annotations

from typing import NewType

Slot = NewType("Slot", int)
"""A number that stands for one masked card.

The game hands the numbers out and never reuses one within a hand. The slots 0 to N-1 are the
positions of the shuffled deck before the cut; `Remix` (see disclosures) retires a seat's slots and
brings new ones into being.
"""
