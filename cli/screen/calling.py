"""Calling the player: a bell, the window's title, a notification; and which keys to ignore after a
change.

Pure: text for the terminal is returned. The kind of notification follows from the terminal's names
in the environment, because a terminal cannot be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from cli.screen.desk import Desk, Mode
from cli.screen.footer import default_choice
from cli.screen.model import Table

#: Seconds without a key after which the player is called: who has just pressed one looks on.
IDLE: Final = 5.0
# CSI 22 ; 0 t pushes the titles of icon and window, CSI 23 ; 0 t pops them.
SAVE_TITLE: Final = "\x1b[22;0t"
#: XTerm's stack of titles, which most terminals have and the others ignore.
RESTORE_TITLE: Final = "\x1b[23;0t"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The ways in which the player wants to be called."""

    bell: bool = True
    title: bool = True
    notify: bool = True


class Notification(Enum):
    """The escape sequences by which terminals show a notification."""

    OSC_9 = "a text alone: iTerm2, kitty, Warp"
    OSC_777 = "a title and a text: WezTerm, Ghostty, foot, rxvt-unicode, VTE with Fedora's patch"


#: By TERM_PROGRAM.
_BY_PROGRAM: Final = {
    "iTerm.app": Notification.OSC_9,
    "WarpTerminal": Notification.OSC_9,
    "WezTerm": Notification.OSC_777,
    "ghostty": Notification.OSC_777,
}
# Checked in this order: the first beginning that fits counts.
#: By how TERM begins.
_BY_TERM: Final = (
    ("xterm-kitty", Notification.OSC_9),
    ("xterm-ghostty", Notification.OSC_777),
    ("foot", Notification.OSC_777),
    ("rxvt-unicode", Notification.OSC_777),
)
# VTE 0.46: older ones print an unknown OSC as text.
#: From this version on VTE ignores the sequence that it does not know without printing it.
_QUIET_VTE: Final = 4600


def notification_of(environment: Mapping[str, str]) -> Notification | None:
    """Return the kind of notification of this terminal, by its names in the environment; None if
    it has none, is unknown, or is inside tmux or GNU screen.
    """
    # tmux and GNU screen set TERM and TERM_PROGRAM to their own, or leave those of a terminal that
    # may not be there any more.
    if environment.get("TMUX") or environment.get("STY"):
        return None
    program = environment.get("TERM_PROGRAM", "")
    if program in _BY_PROGRAM:
        return _BY_PROGRAM[program]
    if environment.get("LC_TERMINAL") == "iTerm2":  # the one name that ssh carries over
        return Notification.OSC_9
    term = environment.get("TERM", "")
    for begins, found in _BY_TERM:
        if term.startswith(begins):
            return found
    version = environment.get("VTE_VERSION", "")
    # The environment is any text: int() takes other digits, and long ones are slow.
    if version.isascii() and version.isdecimal() and int(version[:9]) >= _QUIET_VTE:
        return Notification.OSC_777
    return None


def notification_code(kind: Notification, title: str, text: str) -> str:
    """Return the escape sequence that shows a notification; `OSC_9`, which has no title of its
    own, shows "TITLE: TEXT".
    """
    title, text = _clean(title), _clean(text)
    if kind is Notification.OSC_9:
        # OSC 9 ; text BEL.
        return f"\x1b]9;{title}: {text}\x07"
    return f"\x1b]777;notify;{title};{text}\x07"


def _clean(text: str) -> str:
    """Return the text without unprintable characters and with "," for ";": they would end or
    split the sequence.
    """
    # BEL and ESC would end the sequence, `;` separates its fields; names come from others.
    return "".join(char for char in text if char.isprintable()).replace(";", ",")


# --- keys that were meant for what the screen has put away by itself: they decide nothing else ----

#: Seconds, after a change was drawn, in which a key may still be meant for what was there before:
#: longer than people take to notice, shorter than they take to read.
MOMENT: Final = 0.4


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
        #: What is asked now, as `_question` returns it; None for nothing that a key could harm.
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

    def answered(self) -> None:
        """Note that a key answered the question: when it vanishes, no key is ignored."""
        self._done, self._question = self._question, None

    def look(self, desk: Desk, table: Table | None, *, by_key: bool = False) -> None:
        """Note the question that is on the screen now, none without a table. If it replaces or ends
        another one, keys are ignored from now until `MOMENT` seconds after the next frame.

        `by_key` says that the player's key made the change: then no key is ignored, and the wait
        for `IDLE` begins anew.
        """
        if by_key:
            self._pressed = self._clock()
        question = None if table is None else _question(desk, table)
        # The state lags behind the answer by a turn of the loop; it is not a new question.
        if question == self._done:
            question = None  # it stands there until the answer is made
        else:
            self._done = None
        if question == self._question:
            return
        went = self._question is not None
        # A second change within the moment prolongs it; the player's own key never surprises.
        surprised = (went or self._clock() < self._until) and not by_key
        # A question that only appears leaves `_meant` alone: a late key is for the one that went.
        if surprised and went:
            self._meant = self._keys
        # The moment begins only when the frame is drawn, see `drawn`.
        self._question, self._undrawn = question, self._undrawn or surprised
        self._keys = None if table is None or question is None else _keys_for(desk, table)

    def turn(self, words: str) -> None:
        """Note that the player's turn has come; `calls` returns `words` once if no key came for
        `IDLE` seconds before.
        """
        if self._clock() - self._pressed >= IDLE:
            self._calling = words

    def calls(self) -> str:
        """Return the words to call the player with, once; "" for none."""
        called, self._calling = self._calling, ""
        return called

    def drawn(self) -> None:
        """Note that a frame was drawn; if a change of the question waited to be drawn, keys are
        ignored for `MOMENT` seconds from now on.
        """
        if self._undrawn:
            self._undrawn = False
            self._until = self._clock() + MOMENT

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


def _question(desk: Desk, table: Table) -> Hashable:
    """Return a value that identifies the present question, or the part that is open over the
    table; None at the table if there is no default choice or an idle one: a late key does no
    harm then.
    """
    if desk.mode is not Mode.TABLE:
        asks = desk.asks if desk.mode is Mode.CHARTER else ""
        return desk.mode, desk.notice if desk.mode in _ASKED else asks
    chosen = default_choice(table)
    if chosen is None or chosen.idle:  # an idle choice goes by itself, and no key is for it
        return None
    return table.number, chosen.label
