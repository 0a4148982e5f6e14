"""What a player has set, and what the program has around the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from cli.screen.calling import Calls
from cli.screen.canvas import Theme
from cli.screen.desk import Asking, Desk
from cli.screen.palette import Palette, filled_palette, sober_palette
from protocol.seat.view import SeatView
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey


class Colours(Enum):
    """How many colours are used; `AUTOMATIC` asks the terminal and NO_COLOR."""

    AUTOMATIC = "auto"
    NONE = "none"
    SIXTEEN = "16"
    MANY = "256"
    TRUE = "true"


@dataclass(frozen=True, slots=True, kw_only=True)
class Colouring:
    """Which colours a screen has; what the player did not choose, the environment tells."""

    colours: Colours = Colours.AUTOMATIC
    theme: Theme | None = None
    four_colours: bool = False
    """Whether each suit has a colour of its own."""
    letters: bool = False
    """Whether cards are drawn of letters alone, which have no felt below them."""

    def depth(self, environment: Mapping[str, str]) -> Colours:
        """Return how many colours there are; `AUTOMATIC` where nothing is told of it."""
        if self.colours is not Colours.AUTOMATIC:
            return self.colours
        if environment.get("NO_COLOR"):
            return Colours.NONE
        many = environment.get("COLORTERM", "").lower() in ("truecolor", "24bit")
        return Colours.TRUE if many else Colours.AUTOMATIC

    def filled(self, environment: Mapping[str, str]) -> bool:
        """Tell whether there is a felt with filled cards on it, which takes true colour."""
        return self.depth(environment) is Colours.TRUE and not self.letters

    def theme_in(self, environment: Mapping[str, str]) -> Theme:
        """Return the theme of a felt."""
        return self.theme or _theme_of(environment)

    def palette(self, environment: Mapping[str, str]) -> Palette:
        """Return the colours of each style on each ground."""
        if self.filled(environment):
            return filled_palette(self.theme_in(environment), four_colours=self.four_colours)
        return sober_palette(four_colours=self.four_colours)


def _theme_of(environment: Mapping[str, str]) -> Theme:
    """Return the theme that goes with the terminal's own background, dark if it does not tell.

    COLORFGBG, where it is set, ends with the number of that colour among the sixteen.
    """
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return Theme.LIGHT if ground in ("7", "15") else Theme.DARK


_STILL: Final = (
    "NO_MOTION",
    "REDUCE_MOTION",
    "ACCESSIBLE",
    "NO_COLOR",
    "SSH_CONNECTION",
    "SSH_TTY",
)
"""Variables of the environment of those who want no movement, and of lines that may be slow."""


def may_move(environment: Mapping[str, str]) -> bool:
    """Tell whether nothing in the environment speaks against a movement."""
    return not any(environment.get(name) for name in _STILL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """What the player has set."""

    ascii_only: bool = False
    filled: bool = False
    """Draw a felt and filled cards."""
    moves: bool = False
    """Let a card that is played move into the trick."""
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
    theme: Theme | None = None
    four_colours: bool = False
    """Whether each suit has a colour of its own."""

    def desk(self) -> Desk:
        """Return the desk of who has set this."""
        return Desk(
            filled=self.filled,
            asking=self.asking,
            hints=self.hints,
            pace=self.pace,
            go_on=self.go_on,
            theme=self.theme,
            four_colours=self.four_colours,
        )

    def after(self, desk: Desk) -> PlaySettings:
        """Return it with what keys have changed at the desk."""
        return replace(
            self,
            asking=desk.asking,
            pace=desk.pace,
            go_on=desk.go_on,
            theme=desk.theme,
            four_colours=bool(desk.four_colours),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenTexts:
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
    keep: Callable[[PlaySettings, PlaySettings], str] = lambda _before, _after: ""
    """Keeps what the player has set otherwise than before, in a thread; gives why it cannot."""
    invites: Callable[[], tuple[str, ...]] = tuple
    """The lines that tell the table's invites."""
