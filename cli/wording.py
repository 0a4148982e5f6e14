"""How hands are called by people, and names and first words as a sentence has them.

A hand is called by its place since the newest ruling that stopped one. After a ruling the numbers
of hands go on from the next million (specs/05-hand.md, 5.8), which no person reads or types: hand
1000001 is "1 after ruling", and 1.1 where there is little room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from protocol.places import EPOCH

_LEDGER: Final = re.compile(r"^([a-z]+) ([0-9]+)(?=,)")
_SHORT: Final = re.compile(r"(?:([1-9][0-9]{0,3})\.)?([1-9][0-9]{0,9})")


def hand_label(number: int) -> str:
    """Return how a hand, counted from 0, is called in a sentence."""
    rulings, place = divmod(number, EPOCH)
    if not rulings:
        return f"{place + 1}"
    which = "ruling" if rulings == 1 else f"ruling {rulings}"
    return f"{place + 1} after {which}"


def place_label(place: str) -> str:
    """Return a place of a record, whose ledgers are counted from 0, as people count."""
    return _LEDGER.sub(lambda found: f"{found[1]} {hand_label(int(found[2]))}", place)


def short_label(number: int) -> str:
    """Return the same for a table, or to be typed: after a ruling, the ruling's place and a dot
    before it."""
    rulings, place = divmod(number, EPOCH)
    return f"{rulings}.{place + 1}" if rulings else f"{place + 1}"


def hand_called(label: str) -> int:
    """Return the number, from 0, of the hand with a short label, or typed as 1000001 is.

    Raises ValueError for what calls no hand.
    """
    found = _SHORT.fullmatch(label)
    if found is None:
        raise ValueError("a hand is called by a number such as 3, after a ruling 1.3")
    return int(found[1] or 0) * EPOCH + int(found[2]) - 1


def shows_signs(output: object) -> bool:
    """Tell whether the signs of suits can be written to an output, by the encoding that it
    names."""
    return (getattr(output, "encoding", None) or "ascii").lower().startswith("utf")


def capital(text: str) -> str:
    """Return the text as it begins a sentence."""
    return text[:1].upper() + text[1:]


def listed(names: Iterable[str]) -> str:
    """Return names, of which there is one at least, as a person lists them: "A, B and C"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
