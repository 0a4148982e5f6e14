"""Labels of hands for people, and small helpers of sentences.

A hand is labelled by its place since the newest ruling that stopped one. After a ruling the numbers
of hands go on from the next million (specs 5.8), which no person reads or types: hand 1000001 is "1
after ruling", or 1.1 in short.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from protocol.places import EPOCH

# "hand 1000000, round 3": an audit's place, whose comma ends the number.
_LEDGER: Final = re.compile(r"^([a-z]+) ([0-9]+)(?=,)")
# No zeros in front: one label for a hand. As many digits as numbers of 32 bits have: ten, and four
# of the millions.
_SHORT: Final = re.compile(r"(?:([1-9][0-9]{0,3})\.)?([1-9][0-9]{0,9})")


def hand_label(number: int) -> str:
    """Return the label of a hand in a sentence: "3" for number 2, "1 after ruling" for 1000000."""
    rulings, place = divmod(number, EPOCH)
    if not rulings:
        # The first ruling needs no number.
        return f"{place + 1}"
    which = "ruling" if rulings == 1 else f"ruling {rulings}"
    return f"{place + 1} after {which}"


def place_label(place: str) -> str:
    """Return a place such as "hand 1, round 3", as an audit names it, with the ledger's number,
    which counts from 0, replaced by its label: "hand 2, round 3". Any other text comes back as
    it is.
    """
    return _LEDGER.sub(lambda found: f"{found[1]} {hand_label(int(found[2]))}", place)


def short_label(number: int) -> str:
    """Return the label of a hand in tables and for typing: "3" for number 2, "1.1" for 1000000."""
    rulings, place = divmod(number, EPOCH)
    return f"{rulings}.{place + 1}" if rulings else f"{place + 1}"


def hand_number(label: str) -> int:
    """Return the number, from 0, of the hand with this short label: 2 for "3", 1000000 for "1.1"
    and for "1000001".

    Raises ValueError for any other text.
    """
    found = _SHORT.fullmatch(label)
    if found is None:
        raise ValueError("a hand is called by a number such as 3, after a ruling 1.3")
    # Without a ruling the number itself may be beyond a million, as an audit prints it.
    return int(found[1] or 0) * EPOCH + int(found[2]) - 1


def shows_signs(output: object) -> bool:
    """Return whether an output, such as a stream, can write the four suit signs: its encoding is
    a UTF; False without an encoding.
    """
    # A stream without an encoding, as a test has, gets letters.
    return (getattr(output, "encoding", None) or "ascii").lower().startswith("utf")


def capital(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def join_names(names: Iterable[str]) -> str:
    """Return names as a list in a sentence: "A", "A and B", "A, B and C"; there must be at least
    one.
    """
    # At least one: an empty list has no sentence.
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
