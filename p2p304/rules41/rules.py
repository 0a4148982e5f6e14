"""What a table of 41 or 400 has agreed on: the price list, the floor and the house rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from p2p304.errors import ProfileError

# All tricks of a deal.
HIGHEST_BID: Final = 13
TOGGLES: Final = {
    "floor_12": "the bids must sum to 12 instead of 11 when any seat starts the deal with 30",
    "target_44": "a team needs a partner with 44 instead of 41",
    "table_chat": "the players may write to each other between deals",
}


class Variant(Enum):
    """Which price list is in force; the value is the registry's name."""

    SYRIAN = "41"
    LEBANESE = "400"


@dataclass(frozen=True, slots=True)
class Rules41:
    """The parameters of 41 or 400 (PROFILES 4.3-4.5 and 4.10)."""

    variant: Variant
    floor_12: bool = False
    target_44: bool = False
    table_chat: bool = False

    @property
    def lowest_bid(self) -> int:
        """The lowest number a seat may bid: 1 in 41, 2 in 400, whose price list starts there."""
        return 1 if self.variant is Variant.SYRIAN else 2

    @property
    def target(self) -> int:
        """The score that one partner of the winning team must have."""
        # PROFILES 4.10.
        return 44 if self.target_44 else 41

    def value(self, bid: int) -> int:
        """Return the points that a bid is worth: they count for the floor, and are won or lost.

        41: 1-6 face value, 7-13 double. 400: 2-4 face value, 5-8 double, 9-12 triple; 13, which
        wins the match when it is made, counts four times its face when it is not.
        """
        # The steps of specs/rules-41.md, 4, no. 2.
        if self.variant is Variant.SYRIAN:
            return bid if bid < 7 else 2 * bid
        if bid < 5:
            return bid
        if bid < 9:
            return 2 * bid
        return 3 * bid if bid < HIGHEST_BID else 4 * bid

    def floor(self, scores: Sequence[int]) -> int:
        """Return the least sum of the four bids' values with which a deal is played: 11; 12
        under the house rule `floor_12` where a seat begins the deal with a score of 30 or more.
        """
        # The numbers of specs/rules-41.md, 4, no. 3.
        return 12 if self.floor_12 and any(score >= 30 for score in scores) else 11

    @property
    def parameters(self) -> str:
        """The agreed house rules as canonical text, such as "floor_12,target_44"; "" for none."""
        return ",".join(self.toggles)

    @property
    def toggles(self) -> tuple[str, ...]:
        """The names of the agreed house rules, in the order of TOGGLES."""
        return tuple(name for name in TOGGLES if getattr(self, name))


def parse_rules(variant: Variant, parameters: str) -> Rules41:
    """Return the rules of `variant` with the house rules that `parameters` names, with commas
    between them, in any order; "" names none.

    Raises ProfileError for an unknown house rule, and for one named twice.
    """
    names = parameters.split(",") if parameters else []
    for place, name in enumerate(names):
        if name not in TOGGLES:
            raise ProfileError(
                # Cut short and escaped: the text is a stranger's, and a terminal shows it.
                f"{name[:40]!a} is no house rule of {variant.value}; there are {', '.join(TOGGLES)}"
            )
        if name in names[:place]:
            raise ProfileError(f"the house rule {name} is named twice")
    # The fields are called like the house rules.
    return Rules41(variant, **{name: name in names for name in TOGGLES})
