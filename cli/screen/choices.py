"""Keys that make no move, beside those of the game, and before which choices a player is asked."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from p2p304.cards import Slot
from p2p304.telling import Choice


class Intent(Enum):
    """What a key is for that makes no move."""

    RULES = "rules"
    HELP = "help"
    HINT = "hint"
    LAST_TRICK = "last trick"
    SCORES = "scores"
    STORY = "story"
    TALK = "talk"
    ASK_ONCE = "ask once"
    SLOWER = "slower"
    FASTER = "faster"
    GO_ON = "go on"
    END = "end"
    INVITES = "invites"
    SUBSTITUTE = "substitute"
    REFEREE = "referee"
    LEAVE = "leave"


class IntentKey(NamedTuple):
    """A key, what it means, and how the help tells it."""

    key: str
    means: Intent
    words: str
    """What it does, as after "you can"."""
    when: str


_TURN: Final = "at your turn, where hints are allowed"
_ANY: Final = "any time"
KEYS: Final = (
    IntentKey("l", Intent.LAST_TRICK, "look at the last trick", _ANY),
    IntentKey("#", Intent.SCORES, "read the score, hand by hand", _ANY),
    IntentKey('"', Intent.STORY, "read the story so far; Page Up does so, too", _ANY),
    IntentKey("?", Intent.RULES, "read the rules for this moment, and the game in short", _ANY),
    IntentKey("h", Intent.HINT, "get a hint, with its reason", _TURN),
    IntentKey("/", Intent.TALK, "talk", "between hands, where talk is agreed"),
    IntentKey("!", Intent.ASK_ONCE, "be asked before more, or less, that cannot be undone", _ANY),
    IntentKey("<", Intent.SLOWER, "let each card lie there for longer", "where your own bots play"),
    IntentKey(">", Intent.FASTER, "let it lie there for less", "where your own bots play"),
    IntentKey("=", Intent.GO_ON, "let windows close by themselves, or wait for Enter", _ANY),
    IntentKey("e", Intent.END, "end the hand unfinished", "when a player is gone for good"),
    IntentKey("i", Intent.INVITES, "read the invites of this table", _ANY),
    IntentKey("+", Intent.SUBSTITUTE, "go on with somebody else", "when a player is waited for"),
    IntentKey("@", Intent.REFEREE, "call the referee", "where a table has one"),
    IntentKey("f1", Intent.HELP, "see all keys", _ANY),
    IntentKey("c-c", Intent.LEAVE, "leave, twice unasked; 'p2p304 resume' brings you back", _ANY),
)
"""One key for one meaning; no game gives these another one."""
KEY_OF: Final = {each.means: each.key for each in KEYS}
INTENT_OF: Final = {each.key: each.means for each in KEYS}


class Asking(Enum):
    """Before which choices, none of which can be undone, a player is asked once more."""

    COSTLY = "what is worth more than the least"
    ALL = "everything that cannot be undone"
    NOTHING = "nothing"


def is_asked(choice: Choice, asking: Asking) -> bool:
    """Tell whether a choice is asked once more, because its answer cannot be taken back.

    What decides nothing never is: a duty, and going on through a window.
    """
    if asking is Asking.ALL:
        return not (choice.duty or choice.window)
    return asking is Asking.COSTLY and choice.costly


def where(choice: Choice) -> Slot | Choice:
    """Return where the cursor stands on a choice: its card, or else the choice itself.

    A choice with a key is one for itself: the card alone stands for playing it.
    """
    return choice if choice.slot is None or choice.key else choice.slot


def pointed_at(cursor: Slot | Choice | None) -> Slot | None:
    """Return the card on which the cursor stands, or None."""
    return cursor.slot if isinstance(cursor, Choice) else cursor
