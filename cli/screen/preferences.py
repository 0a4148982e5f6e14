"""What a player has set, and what the program has around the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from cli.screen.calling import Calls
from cli.screen.choices import Asking
from protocol.seat.view import SeatView
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey


class Colours(Enum):
    """How many colours are used; `AUTOMATIC` asks the terminal and NO_COLOR."""

    AUTOMATIC = "auto"
    NONE = "none"
    SIXTEEN = "16"
    MANY = "256"


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What the player has set."""

    ascii_only: bool = False
    asking: Asking = Asking.COSTLY
    """What is asked once more."""
    hints: bool = False
    """Only where nobody else plays."""
    mute: bool = False
    """Neither write to others nor see what they write, where that was agreed."""
    agree: bool = False
    """Agree to the charter without a question: at a table of one's own."""
    pace: float = 0.0
    """Seconds that each move of our own bots waits after the one before, and that a window lies
    there before it closes by itself."""
    go_on: bool | None = False
    """Close every window, and the last trick, by itself, whatever the cards are; None: windows in
    which a claim that is missed costs nothing; False: only those in which everybody can see that
    nothing is to be claimed."""
    calls: Calls = field(default_factory=Calls)
    """What calls the player when its turn comes."""
    forced: bool = False
    """Play forced cards by itself, after a random moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the screen is given to read, and where it says what is no frame."""

    charter_text: Callable[[Charter], tuple[str, ...]] = lambda _: ()
    """What the player reads before agreeing."""
    referees: Callable[[tuple[PublicKey, ...]], Iterable[str]] = lambda _: ()
    """What it reads of referees whom it has not named."""
    agreed: Callable[[Charter], None] = lambda _: None
    """Gets a charter that was agreed to, in a thread: it may write to the disk."""
    transcript: Callable[[SeatView, int], str] = lambda _session, _number: ""
    """The name of the file of a hand, by its number."""
    say: Callable[[str], None] = lambda _: None
    """Prints a line while the screen is not up yet."""
    invites: Callable[[], tuple[str, ...]] = tuple
    """The lines that tell the table's invites."""
