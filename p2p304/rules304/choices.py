"""The kinds of answer that a parameter of 304 can have, where yes, no or a number is not enough.

Each value is the text that shows it. Names and meanings are those of PROFILES 1.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class FirstDealer(Enum):
    """Who deals the first hand of a match (RULES 2)."""

    RANDOM = "random"
    HIGHEST_CARD = "highest drawn card"


class Partners(Enum):
    """Who plays together (PROFILES 3)."""

    TEAMS = "teams"  #: Two teams, whose seats alternate.
    #: The maker with whoever holds the card that it names, each seat with a score of its own.
    CALLED = "called card"


class CutBy(Enum):
    """Who may cut the shuffled pack (RULES 4)."""

    LEFT_OF_DEALER = "left of dealer"
    NOBODY = "nobody"


class FurtherBids(Enum):
    """Which numbers a seat may bid once it has had a turn, or over a partner's standing bid.

    RULES 5.2 no. 3 and 4: the parameters `reentry_rule` and `partner_overbid4`. 200 stands for the
    profile's `bracket_middle`.
    """

    FROM_200 = "200 and up"
    FROM_200_IF_FIRST = "200 and up, while nobody has reached 200"
    NEVER = "never"


class Auction4End(Enum):
    """What ends a four-card auction with a standing bid (RULES 5.4)."""

    THREE_PASSES = "three passes in a row"  #: At four seats: all others have passed.
    # One rule in two texts, since with six seats all others are five.
    ALL_OTHERS = "all others pass in a row"  #: At more seats.
    ONE_CIRCUIT = "one circuit"


class RedealProof(Enum):
    """How a hand too weak to play is proved (RULES 5.5, statement S2)."""

    SHOW = "show the four cards"
    PRIVATE = "prove without showing"


class Auction8VsFour(Enum):
    """How an eight-card number must relate to the four-card bid (RULES 7 no. 2)."""

    ABOVE = "strictly above"
    EQUAL_ALLOWED = "equal allowed"


class RevealOnCut(Enum):
    """Which face-down cards a cut trick shows to all (RULES 10.2)."""

    NOT_MAKERS_DISCARD = "others' cards and indicator"
    MAKERS_DISCARD_TOO = "others' cards, indicator and maker's discard"


class ViolationPrice(Enum):
    """What a broken rule costs the team that broke it (RULES 15 line 2, rulings 78 and 85)."""

    HAND_PLUS_2 = "lost hand + 2"
    THREE_TOKENS = "3 tokens"


class PreShow(Enum):
    """Whether a card may be shown before it is played (PROFILES 2, `pre_show`)."""

    # "no" and "yes" are older than showing in a trick, and stand in signed charters.
    NO = "no"
    BETWEEN_TRICKS = "yes"
    #: Between tricks, and by the seat on turn, whose partners then may call caps.
    IN_TRICK_TOO = "in a trick too"


class CapsModel(Enum):
    """How Caps are judged (RULES 13)."""

    EPISTEMIC = "epistemic"  #: By what a seat could know when it was to call.
    OUTCOME = "outcome"  #: By the result of the hand.
    OFF = "off"


class CapsGrace(Enum):
    """When the window of an obligation to call Caps closes (RULES 13.3)."""

    #: When the window closes that follows the trick in which the obligation began.
    TRICK = "next lead"
    STRICT = "next card"  #: Before anybody plays another card, be it in the same trick.


class CapsConcealment(Enum):
    """What becomes of a missed call once the team has lost a trick (RULES 13.5, ruling 68)."""

    WRONG_CAPS = "Wrong Caps"
    ALLOWED = "allowed"


class ExternalCaps(Enum):
    """What correct External Caps in time costs the maker's team (RULES 15 line 5)."""

    FAILED_PLUS_BONUS = "failed bid + bonus"
    FLAT_EIGHT = "8 in all"


class Settlement(Enum):
    """Where paid tokens go and what ends a match (RULES 16)."""

    TRANSFER = "transfer"
    BANK = "bank"
    OWN_STOCK = "own stock"


class Price(NamedTuple):
    """Tokens of one bracket of bids: what defenders pay when it is made, makers when it fails.
    Where a partner is called, points of each seat.
    """

    made: int
    failed: int

    def __str__(self) -> str:
        """Return both numbers as agreements write them: "2 / 3"."""
        return f"{self.made} / {self.failed}"
