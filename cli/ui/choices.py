"""The choices of the moment: each legal action with its key and its words, and nothing else.

The one table of keys, which also prints the help, is here. Whether something may be done is never
decided here: a choice exists because the game listed its action as legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from cli.ui.model import Table, my_cards
from cli.ui.phrases import phrase
from cli.ui.words import Voice
from p2p304.rules41 import actions as actions41
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceCut,
    AnnounceNone,
    AskPartner,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    Cut,
    DemandRedeal,
    DenyTrump,
    KeepClosed,
    LayIndicator,
    OpenCards,
    OpenHandedOver,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    ShowCard,
    ShowIndicator,
    ShowTrump,
    SortHand,
)
from p2p304.rules304.bids import Contract
from p2p304.slots import Slot


class Intent(Enum):
    """What a key is for that makes no move."""

    RULES = "rules"
    HELP = "help"
    HINT = "hint"
    LAST_TRICK = "last trick"
    TALK = "talk"
    ASK_ONCE = "ask once"
    ALL_CARDS = "all cards"
    END = "end"
    LEAVE = "leave"


class Key(NamedTuple):
    """A key, what it means, and how the help tells it."""

    key: str
    means: type[Action] | type[Contract] | Intent
    words: str
    """What it does, as after "you can"."""
    when: str
    rule: str = ""
    """The rule about it, if it makes a move."""


KEYS: Final = (
    Key("p", Pass, "pass", "in an auction", "5.4"),
    Key("a", AskPartner, "ask your partner to speak", "in the four-card auction", "5.3"),
    Key("g", Contract, "go alone (Partner Close Caps or Half Court)", "in an auction", "14.2"),
    Key("n", DemandRedeal, "ask for new cards", "as the first to call, with weak cards", "5.5"),
    Key("o", OpenTrump, "open trump", "as the maker, before the first lead", "8"),
    Key("k", KeepClosed, "keep trump closed", "as the maker, before the first lead", "8"),
    Key("c", CallCaps, "call caps", "between cards", "13"),
    Key("s", CallSpoilt, "call spoilt trumps", "between cards", "12"),
    Key("y", AcceptCaps, "concede the rest", "when your opponents have called caps", "13.4"),
    Key("v", ContestCaps, "have the caps played", "when your opponents have called caps", "13.4"),
    Key("l", Intent.LAST_TRICK, "look at the last trick", "any time"),
    Key("?", Intent.RULES, "read the rules for this moment, and 304 in short", "any time"),
    Key("h", Intent.HINT, "get a hint, with its reason", "at your turn, where hints are allowed"),
    Key("/", Intent.TALK, "talk", "between hands, where talk is agreed"),
    Key("!", Intent.ASK_ONCE, "be asked before more, or less, that cannot be undone", "any time"),
    Key("e", Intent.END, "end the hand unfinished", "when a player is gone for good"),
    Key("f1", Intent.HELP, "see all keys", "any time"),
    Key("c-c", Intent.LEAVE, "leave; 'p2p304 resume' brings you back", "any time"),
)
"""One key for one meaning. Cards are typed (9c), bids are typed as numbers, or chosen by arrows."""

KEY_OF: Final = {each.means: each.key for each in KEYS}


class Asking(Enum):
    """Before which choices, none of which can be undone, a player is asked once more."""

    COSTLY = "what is worth more than the least"
    ALL = "everything that cannot be undone"
    NOTHING = "nothing"


_COSTLY: Final = (CallCaps, CallSpoilt, DemandRedeal, AcceptCaps)
"""What ends or bends a hand."""
_FINAL: Final = (
    AskPartner,
    KeepClosed,
    LayIndicator,
    OpenTrump,
    PlayCard,
    PlayDown,
    actions41.PlayCard,
)
"""What may be asked about as well; bids are judged by their worth."""


def is_asked(action: Any, legal: Sequence[Any], asking: Asking) -> bool:
    """Whether a choice among the legal ones is asked once more: an answer cannot be taken back."""
    if asking is Asking.NOTHING:
        return False
    match action:
        case PlaceBid(Contract()):
            return True
        case PlaceBid(int() as bid) | actions41.PlaceBid(bid):
            return asking is Asking.ALL or bid > min(_bids(legal), default=bid)
        case _:
            return isinstance(action, _COSTLY) or (
                asking is Asking.ALL and isinstance(action, _FINAL)
            )


def _bids(legal: Sequence[Any]) -> list[int]:
    return [
        bid
        for action in legal
        if isinstance(action, PlaceBid | actions41.PlaceBid)
        and isinstance(bid := action.bid if isinstance(action, PlaceBid) else action.tricks, int)
    ]


class Choice(NamedTuple):
    """One legal action: what the player presses or picks for it, and what it says."""

    action: Action
    words: str
    key: str = ""
    slot: Slot | None = None

    @property
    def place(self) -> Slot | str:
        """Where the cursor stands on it: its card, or else its words."""
        return self.words if self.slot is None else self.slot


def choices(table: Table) -> tuple[Choice, ...]:
    """Every legal action as a choice: cards in the order of the hand, then the rest."""
    voice = table.voice
    found = [_choice(action, voice) for action in table.legal]
    order = {each.slot: place for place, each in enumerate(my_cards(table))}
    found.sort(key=lambda each: order.get(each.slot, len(order)) if each.slot is not None else 99)
    return tuple(found)


def default_choice(options: tuple[Choice, ...]) -> Choice | None:
    """What Enter alone does where nothing was chosen: only what claims and reveals nothing more
    than the rules demand."""
    for each in options:
        if isinstance(each.action, Ready) or each.action == Cut(0):
            return each
    if len(options) == 1 and isinstance(options[0].action, _DEMANDED):
        return options[0]
    return None


_DEMANDED: Final = (
    AnnounceNone,
    AnnounceCut,
    ShowIndicator,
    DenyTrump,
    ShowTrump,
    SortHand,
    OpenCards,
)

BOOKKEEPING: Final = (SortHand, OpenCards, OpenHandedOver)
"""What is no play at all: done without asking wherever it is the only thing to do."""


_WITH_A_CARD: Final = (LayIndicator, PlayCard, PlayDown, ShowCard, ShowTrump)


def _choice(action: Action, voice: Voice) -> Choice:
    alone = isinstance(action, PlaceBid) and isinstance(action.bid, Contract)
    key = KEY_OF.get(Contract if alone else type(action), "")
    slot = action.slot if isinstance(action, _WITH_A_CARD) else None
    return Choice(action, phrase(action, voice), key, slot)
