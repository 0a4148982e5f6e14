"""Bids: a number, or one of the contracts that stand above every number."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias


class Contract(Enum):
    """A bid that is no number: every trick must be won (RULES 14.2, PROFILES 2)."""

    # The values are words of signed actions and agreements: none changes.
    #: Four cards: ends the four-card auction; alone where the toggle `half_court` brings it in,
    #: with the called partner where there is one.
    HALF_COURT = "half_court"

    PARTNER_CLOSE_CAPS = "pcc"  #: Eight cards, the partner's laid aside; an eight-card bid only.

    FULL_COURT = "full_court"  #: Eight cards, with the called partner; only where there is one.


Bid: TypeAlias = int | Contract  #: What a maker has undertaken: a number of points, or a contract.

_CONTRACT_HEIGHTS: Final = {
    # Above 904, the greatest number that any pack allows (tamil904). No auction offers two of them,
    # so their order never decides.
    Contract.HALF_COURT: 1000,
    Contract.PARTNER_CLOSE_CAPS: 1001,
    Contract.FULL_COURT: 1002,
}


_CONTRACT_NAMES: Final = {
    Contract.HALF_COURT: "Half Court",
    Contract.PARTNER_CLOSE_CAPS: "Partner Close Caps",
    Contract.FULL_COURT: "Full Court",
}


def height(bid: Bid) -> int:
    """Return an integer that is greater for a higher bid: a number is its own height; Half
    Court, Partner Close Caps and Full Court, in this order, stand above every number.
    """
    return _CONTRACT_HEIGHTS[bid] if isinstance(bid, Contract) else bid


def bid_text(bid: Bid) -> str:
    """Return a bid as texts of actions and agreements write it: "180", "pcc" or "half_court"."""
    return bid.value if isinstance(bid, Contract) else str(bid)


def bid_name(bid: Bid) -> str:
    """Return a bid as players say it: "180" or "Partner Close Caps"."""
    return _CONTRACT_NAMES[bid] if isinstance(bid, Contract) else str(bid)
