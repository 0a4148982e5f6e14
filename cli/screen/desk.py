"""The desk: what a player sees beside the table, the keys, the commands that keys give, and the
question for which a key is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple

from cli.bounds import CALLED_AFTER, KEY_MEANT_BEFORE
from cli.front.player_commands import PlayerCommand
from cli.screen.model import Table
from cli.screen.preferences import Asking, PlaySettings
from p2p304.cards import Slot
from p2p304.telling import Choice


class ProgramKey(NamedTuple):
    """A key of the program and its line in the help."""

    key: str
    words: str  #: What it does, as after "you can".
    when: str


_TURN: Final = "at your turn, where hints are allowed"
_ANY: Final = "any time"


class Intent(Enum):
    """What a key that is no action of the game means, with its key in the order of the help.

    One key has one meaning; no game gives these another one.
    """

    # Mostly punctuation: a letter may begin the name of a card, a bid or a suit.
    LAST_TRICK = ProgramKey("l", "look at the last trick", _ANY)
    SCORES = ProgramKey("#", "read the score, hand by hand", _ANY)
    STORY = ProgramKey('"', "read the story so far; Page Up does so, too", _ANY)
    RULES = ProgramKey("?", "read the rules for this moment, and the game in short", _ANY)
    HINT = ProgramKey("h", "get a hint, with its reason", _TURN)
    TALK = ProgramKey("/", "talk", "between hands, where talk is agreed")
    ASK_ONCE = ProgramKey("!", "be asked before more, or less, that cannot be undone", _ANY)
    SLOWER = ProgramKey("<", "let each card lie there for longer", "where your own bots play")
    FASTER = ProgramKey(">", "let it lie there for less", "where your own bots play")
    GO_ON = ProgramKey("=", "let windows close by themselves, or wait for Enter", _ANY)
    THEME = ProgramKey("%", "have a dark table or a light one", "where it has a felt")
    SUITS = ProgramKey("*", "see the suits in two colours or in four", _ANY)
    END = ProgramKey("e", "end the hand unfinished", "when a player is gone for good")
    INVITES = ProgramKey("i", "read the invites of this table", _ANY)
    SUBSTITUTE = ProgramKey("+", "go on with somebody else", "when a player is waited for")
    REFEREE = ProgramKey("@", "call the referee", "where a table has one")
    HELP = ProgramKey("f1", "see all keys", _ANY)
    LEAVE = ProgramKey("c-c", "leave, twice unasked; 'p2p304 resume' brings you back", _ANY)


KEYS: Final = tuple(each.value for each in Intent)
INTENT_OF: Final = {each.value.key: each for each in Intent}


def is_asked(choice: Choice, asking: Asking) -> bool:
    """Return whether the player is asked once more before a choice is made.

    `COSTLY` asks about costly choices, `ALL` about each but a duty or going on through a window,
    `NOTHING` about none.
    """
    if asking is Asking.ALL:
        return not (choice.duty or choice.window)
    return asking is Asking.COSTLY and choice.costly


def where(choice: Choice) -> Slot | Choice:
    """Return the place of the cursor on a choice: the slot of its card; the choice itself if it
    has no card, or has a key.
    """
    # A card may be played or shown: the choice to show it has a key, and a place of its own.
    return choice if choice.slot is None or choice.key else choice.slot


NEVER: Final = float("-inf")  # earlier than any clock's reading
# No key's name has a blank, so it can be told from one.
PASTED: Final = "paste "  #: How a text that was pasted begins, where keys are told.


class Mode(Enum):
    """The part that the desk shows, which says what keys mean."""

    CHARTER = "charter"
    TABLE = "table"
    ORDER = "order"  #: A choice was made whose cards are to be put in an order.
    CONFIRM = "confirm"
    RULES = "rules"
    HELP = "help"
    LAST_TRICK = "last trick"
    SCORES = "scores"
    STORY = "story"
    LESSON = "lesson"  #: A page of what a learner is told.
    #: The trick that ended the hand lies there, until the player goes on to the summary.
    FINISH = "finish"
    TALK = "talk"
    CHALLENGE = "challenge"  #: Words to the referee are written.
    RULING = "ruling"  #: What a referee ruled, or is asked to rule, lies there until it was read.
    # Letters of a sentence that was never sent would otherwise play cards.
    #: Talk was refused: the words that follow are no commands, up to Enter or Escape.
    UNHEARD = "unheard"
    SUMMARY = "summary"
    MATCH = "match"  #: A match is over, and another may be wanted.
    INVITES = "invites"
    END = "end"
    SUBSTITUTE = "substitute"
    LEAVE = "leave"


#: While somebody writes, or believes so.
WRITING: Final = frozenset({Mode.TALK, Mode.CHALLENGE, Mode.UNHEARD})


class Flight(NamedTuple):
    """A card that moves into the trick, and how far it has come."""

    slot: Slot
    way: float  #: How far it has come, from 0 to 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The state of a player's desk: the cursor, the typed text, the open part, the notice."""

    #: The player's settings, some of which keys change.
    settings: PlaySettings = field(default_factory=PlaySettings)
    mode: Mode = Mode.TABLE
    under: Mode = Mode.TABLE  #: What the desk goes back to after somebody has written.
    #: The card, or the choice without one, that the arrows have reached.
    cursor: Slot | Choice | None = None
    #: What was typed so far: the beginning of a card, number or word, or a line that is written.
    typed: str = ""
    #: When a card was typed in full, in seconds from any beginning: an Enter soon after belongs to
    #: it.
    named_at: float = NEVER
    kept: str = ""  #: Words that wait for the next pause, to be said then.
    picked: tuple[Slot, ...] = ()  #: The order of cards, as far as it was chosen.
    #: The choice that the player is asked about, or whose cards are put in order.
    pending: Choice | None = None
    notice: str = ""  #: The answer to the last key: a refusal, a hint, a question.
    held: bool = False  #: Whether this window waits for the player's word.
    #: Whether the player may write to the others at pauses: it was agreed, and is not muted.
    talk: bool = False
    again: bool = True  #: Whether another match may follow one here: none does in a tournament.
    #: A title and a text below it: a charter to agree to, a page of a lesson, or what was said
    #: before the referee.
    told: tuple[str, ...] = ("",)
    #: The question about the charter's referees, once the charter itself is agreed to.
    asks: str = ""
    #: What the notice is about, as the table stood when it was asked or said; None for a notice
    #: that the table's course does not touch.
    about: Any = None
    invites: tuple[str, ...] = ()  #: The invites of the table, told as lines.
    keys: tuple[str, ...] = ()  #: What the help says on a screen that has keys of its own.
    help: tuple[str, ...] = ()  #: What the help says now; nothing where it tells the table's keys.
    flight: Flight | None = None  #: The card that moves into the trick in this frame.
    page: int = 0  #: How far an overlay was scrolled.
    follows: bool = True  #: Whether the end of the story is seen, whatever is told next.

    @property
    def visible_mode(self) -> Mode:
        """The mode whose part is seen: `mode`, but while words are written the mode under them."""
        return self.under if self.mode in WRITING else self.mode


class Act(NamedTuple):
    """The command to make an action of the game."""

    action: Any


class PlainDeed(Enum):
    """The commands without further values."""

    AGREE = "agree"  #: Play under this charter.
    REFUSE = "refuse"
    HINT = "hint"
    LEAVE = "leave"
    CLOSE = "close"  #: The player has read the end, or the summary of a hand.


Deed = Act | PlayerCommand | PlainDeed
Answer = tuple[Desk, Deed | None]


class TableStage(Enum):
    """How far a player has come at a table and with the end of its latest hand."""

    PLAYING = "no hand has ended, or its end is not read"
    READ = "the end of the latest hand was read"
    OVER = "nothing more is played, and the player may look at the end"
    LEFT = "the player left"
    CLOSED = "the player closed the screen at the end"


# --- keys that were meant for what the screen has put away by itself: they decide nothing else ----


#: Where the notice is the question.
_ASKED: Final = frozenset({Mode.CONFIRM, Mode.END, Mode.SUBSTITUTE})


class Announced:
    """The question on the screen, and the time until which keys are ignored after it vanished by
    itself.

    `clock` returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin without a question; the start counts as a key that was pressed now."""
        self._clock = clock
        #: What is asked now, as `look` knows it; None for nothing that a key could harm.
        self._question: Hashable = None
        #: A question that a key has answered, as long as it still stands there.
        self._done: Hashable = None
        # None stands for both: no question, and a question for which no late key does harm.
        self._keys: frozenset[str] | None = None
        #: The keys that may be meant for what went; None for any.
        self._meant: frozenset[str] | None = None
        #: Whether the question has changed and no frame shows it yet: a frame begins the moment.
        self._undrawn = False
        # The start counts as a key press: whoever has just started the program is there.
        self._until = self._pressed = clock()
        self._calling = ""  #: The words to call the player with, until they are taken; "" for none.

    def look(
        self, desk: Desk, table: Table | None, *, by_key: bool = False, answered: bool = False
    ) -> None:
        """Note the question that is on the screen now, none without a table. If it replaces or ends
        another one, keys are ignored from now until `KEY_MEANT_BEFORE` seconds after the next
        frame.

        `by_key` says that the player's key made the change: then no key is ignored, and the wait
        for `CALLED_AFTER` begins anew. `answered` says that it answered the question: when that
        vanishes, no key is ignored either.
        """
        if by_key:
            self._pressed = self._clock()
        question: Hashable = None
        # A late key does harm where something is open, or where it would make a choice; an idle
        # choice goes by itself, and no key is for it.
        if table is not None and desk.mode is not Mode.TABLE:
            asks = desk.asks if desk.mode is Mode.CHARTER else ""
            question = desk.mode, desk.notice if desk.mode in _ASKED else asks
        elif table is not None and table.default is not None and not table.default.idle:
            question = table.number, table.default.label
        # The state lags behind the answer by a turn of the loop; it is not a new question.
        if question == self._done:
            question = None  # it stands there until the answer is made
        else:
            self._done = None
        if question != self._question:
            went = self._question is not None
            # A second change within the moment prolongs it; the player's own key never surprises.
            surprised = (went or self._clock() < self._until) and not by_key
            # A question that only appears leaves `_meant` alone: a late key is for the one that
            # went.
            if surprised and went:
                self._meant = self._keys
            # The moment begins only when the frame is drawn, see `drawn`.
            self._question, self._undrawn = question, self._undrawn or surprised
            self._keys = None if table is None or question is None else _keys_for(desk, table)
        if answered:
            self._done, self._question = self._question, None

    def turn(self, words: str) -> None:
        """Note that the player's turn has come; `calls` returns `words` once if no key came for
        `CALLED_AFTER` seconds before.
        """
        if self._clock() - self._pressed >= CALLED_AFTER:
            self._calling = words

    def calls(self) -> str:
        """Return the words to call the player with, once; "" for none."""
        called, self._calling = self._calling, ""
        return called

    def drawn(self) -> None:
        """Note that a frame was drawn; if a change of the question waited to be drawn, keys are
        ignored for `KEY_MEANT_BEFORE` seconds from now on.
        """
        if self._undrawn:
            self._undrawn = False
            self._until = self._clock() + KEY_MEANT_BEFORE

    def reads(self, key: str) -> bool:
        """Return whether a key pressed now is to be handled: not while keys are ignored after a
        question vanished, unless this key could not have answered that question.
        """
        settled = not self._undrawn and self._clock() >= self._until
        # A key that could not answer the vanished question is meant for what is there now.
        return settled or (self._meant is not None and key not in self._meant)


def _keys_for(desk: Desk, table: Table) -> frozenset[str] | None:
    """Return the keys that answer the present question; None if any key may.

    A window, which closes by itself, is answered by Enter, the space bar and the keys of its
    choices. Other keys, such as the letters of a card, are never meant for it.
    """
    # Only a window closes by itself; for any other question every key is doubtful.
    if desk.mode is not Mode.TABLE or not any(each.window for each in table.choices):
        return None
    return frozenset({"enter", " ", *(each.key for each in table.choices if each.key)})
