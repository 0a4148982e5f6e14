"""The player's settings, colours among them, and what the program gives to the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from typing import Final

from cli.screen.canvas import Ground, Style, Theme
from protocol.seat.view import SeatView
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey

# Which colours the styles and grounds of a screen have: sixteen, or a felt and filled cards.

#: The looks of each style on each ground, in prompt_toolkit's words.
Palette = Mapping[tuple[Style, Ground], str]


# The standard names: a terminal shows them in its user's own scheme.
#: The looks of the sixteen colours that every terminal has.
SOBER: Final = {
    Style.PLAIN: "",
    Style.FAINT: "fg:ansibrightblack",
    Style.STRONG: "bold",
    Style.TITLE: "bold fg:ansicyan",
    # The two reds and the two blacks of a pack; four colours take blue and green instead.
    Style.SPADES: "bold",
    Style.HEARTS: "bold fg:ansired",
    Style.DIAMONDS: "bold fg:ansired",
    Style.CLUBS: "bold",
    Style.BACK: "fg:ansiblue",
    Style.EDGE: "",
    Style.TURN: "bold fg:ansigreen",
    Style.KEY: "underline",
    Style.WARNING: "bold fg:ansiyellow",
    Style.TRUST: "fg:ansibrightblack",
}
_SOBER_FOUR: Final = {Style.DIAMONDS: "bold fg:ansibrightblue", Style.CLUBS: "bold fg:ansigreen"}
# Bold as well, so that letters stay legible on a coloured ground; but not quiet or drawn parts, nor
# keys, which have a chip.
_BOLD: Final = frozenset(Style) - {
    Style.PLAIN,
    Style.FAINT,
    Style.BACK,
    Style.EDGE,
    Style.TRUST,
    Style.KEY,
}


#: The inks of styles; the others are plain.
_INK_OF: Final = {
    Style.HEARTS: "red",
    Style.DIAMONDS: "red",
    Style.FAINT: "faint",
    Style.TRUST: "faint",
    Style.TITLE: "title",
    Style.TURN: "turn",
    Style.WARNING: "warning",
    Style.BACK: "back",
    Style.EDGE: "edge",
}
#: The same where each suit has a colour of its own.
_INK_OF_FOUR: Final = {**_INK_OF, Style.DIAMONDS: "blue", Style.CLUBS: "green"}

# One set of inks for each kind of ground: what stands out on felt is lost on a card. Colours are
# choices: text contrasts by 4.5 to 1 or more with its ground, which a test measures.
_ON_DARK: Final = {
    "plain": "#eef3ee", "faint": "#b9cabf", "red": "#ffb3ab", "blue": "#a9d1ff",
    "green": "#a6f0ac", "title": "#9fe3d0", "turn": "#ffd866", "warning": "#ffb86b",
    "back": "#7fa7dd", "edge": "#5d7f6e",
}  # fmt: skip
_ON_LIGHT: Final = {
    "plain": "#15211b", "faint": "#46564c", "red": "#a30f2b", "blue": "#124a9c",
    "green": "#0c5a26", "title": "#0b5147", "turn": "#5b3d00", "warning": "#86310a",
    "back": "#2f5d9e", "edge": "#8ba596",
}  # fmt: skip
_ON_CARD: Final = {
    "plain": "#14181c", "faint": "#565b52", "red": "#c01230", "blue": "#1556b0",
    "green": "#0f6b2f", "title": "#14181c", "turn": "#5b3d00", "warning": "#86310a",
    "back": "#3f6fae", "edge": "#b7b2a0",
}  # fmt: skip
_ON_BARRED: Final = {
    "plain": "#23282b", "faint": "#3f453f", "red": "#8a0a22", "blue": "#10407f",
    "green": "#0a4d21", "title": "#23282b", "turn": "#4a3200", "warning": "#6d2606",
    "back": "#3f6fae", "edge": "#8c9186",
}  # fmt: skip
_ON_BACK: Final = {
    "plain": "#f2f6ff", "faint": "#dbe6f7", "red": "#ffd9d5", "blue": "#d9eaff",
    "green": "#d3f7d6", "title": "#f2f6ff", "turn": "#ffe9a8", "warning": "#ffe0bd",
    "back": "#dbe6f7", "edge": "#6f9bd6",
}  # fmt: skip
#: What the name of a key lies on.
_CHIP: Final = {Theme.DARK: "#26343a", Theme.LIGHT: "#dfe3dc"}
_FILLED: Final[Mapping[Theme, Mapping[Ground, tuple[str, Mapping[str, str]]]]] = {
    Theme.DARK: {
        Ground.SHEET: ("#10171a", _ON_DARK),
        Ground.FELT: ("#11402c", _ON_DARK),
        Ground.LIT: ("#185238", _ON_DARK),
        Ground.CARD: ("#fbf8ee", _ON_CARD),
        Ground.BARRED: ("#bfc4b8", _ON_BARRED),
        Ground.CHOSEN: ("#ffe08a", _ON_CARD),
        Ground.COVERED: ("#274f8a", _ON_BACK),
        # The seat on turn: dark letters on yellow.
        Ground.AWAITED: ("#f4c84a", _ON_BARRED),
    },
    Theme.LIGHT: {
        Ground.SHEET: ("#f4f5f0", _ON_LIGHT),
        Ground.FELT: ("#bfdcc8", _ON_LIGHT),
        Ground.LIT: ("#d3e9d9", _ON_LIGHT),
        Ground.CARD: ("#ffffff", _ON_CARD),
        Ground.BARRED: ("#cdd3ca", _ON_BARRED),
        Ground.CHOSEN: ("#ffe08a", _ON_CARD),
        Ground.COVERED: ("#274f8a", _ON_BACK),
        # The seat on turn: light letters on dark green.
        Ground.AWAITED: ("#0b5147", _ON_BACK),
    },
}


def sober_palette(*, four_colours: bool = False) -> Palette:
    """Return a palette of the terminal's sixteen colours; a chosen card has reversed colours.
    With `four_colours` each suit has its own.
    """
    # The later entries win.
    words = {**SOBER, **(_SOBER_FOUR if four_colours else {})}
    return {
        # Sixteen colours have no ground to spare: reversed colours mark the chosen card.
        (style, ground): f"{look} reverse".strip() if ground is Ground.CHOSEN else look
        for style, look in words.items()
        for ground in Ground
    }


def filled_palette(theme: Theme = Theme.DARK, *, four_colours: bool = False) -> Palette:
    """Return a palette in true colour, with a colour for each style on each ground."""
    palette, ink_of = {}, _INK_OF_FOUR if four_colours else _INK_OF
    for (ground, (under, inks)), style in product(_FILLED[theme].items(), Style):
        # The name of a key lies on a chip of its own; keys are told on the sheet alone.
        chip = style is Style.KEY and ground is Ground.SHEET
        colour, bold = inks[ink_of.get(style, "plain")], " bold" if style in _BOLD else ""
        palette[style, ground] = f"fg:{colour} bg:{_CHIP[theme] if chip else under}{bold}"
    return palette


class Colours(Enum):
    """How many colours are used; `AUTOMATIC` follows the terminal and NO_COLOR."""

    AUTOMATIC = "auto"
    NONE = "none"
    SIXTEEN = "16"
    MANY = "256"
    TRUE = "true"


@dataclass(frozen=True, slots=True, kw_only=True)
class Colouring:
    """The choice of a screen's colours; what the player did not choose follows from the
    environment.
    """

    colours: Colours = Colours.AUTOMATIC
    theme: Theme | None = None  #: The player's; None follows the terminal's background.
    four_colours: bool = False  #: Whether each suit has a colour of its own.
    #: Whether cards are drawn of letters alone, which have no felt below them.
    letters: bool = False

    def depth(self, environment: Mapping[str, str]) -> Colours:
        """Return how many colours are used; `AUTOMATIC` if neither player nor environment says."""
        if self.colours is not Colours.AUTOMATIC:
            return self.colours
        # Set to anything but nothing: see no-color.org.
        if environment.get("NO_COLOR"):
            return Colours.NONE
        # The one sign of true colour that terminals agree on.
        many = environment.get("COLORTERM", "").lower() in ("truecolor", "24bit")
        return Colours.TRUE if many else Colours.AUTOMATIC

    def filled(self, environment: Mapping[str, str]) -> bool:
        """Return whether cards are filled and lie on a felt, which takes true colour."""
        # Sixteen colours have no felt; ASCII cards have no filling.
        return self.depth(environment) is Colours.TRUE and not self.letters

    def theme_in(self, environment: Mapping[str, str]) -> Theme:
        """Return the player's theme, or the one of the terminal's background; dark if that is
        unknown.

        COLORFGBG, if it is set, ends with the background's number among the sixteen colours.
        """
        if self.theme is not None:
            return self.theme
        # 7 and 15 are the two whites of the sixteen colours.
        ground = environment.get("COLORFGBG", "").rpartition(";")[2]
        return Theme.LIGHT if ground in ("7", "15") else Theme.DARK

    def palette(self, environment: Mapping[str, str]) -> Palette:
        """Return prompt_toolkit's words for each style on each ground: the filled palette in
        true colour, else the one of sixteen colours.
        """
        if self.filled(environment):
            return filled_palette(self.theme_in(environment), four_colours=self.four_colours)
        return sober_palette(four_colours=self.four_colours)


# Cards move only where there is true colour, which NO_COLOR declines; and a frame every 40 ms
# stutters over ssh.
#: Variables of the environment of those who want no movement, and of lines that may be slow.
_STILL: Final = (
    "NO_MOTION",
    "REDUCE_MOTION",
    "ACCESSIBLE",
    "NO_COLOR",
    "SSH_CONNECTION",
    "SSH_TTY",
)


def may_move(environment: Mapping[str, str]) -> bool:
    """Return whether cards may move on the screen: not if the environment asks for stillness
    (such as NO_MOTION or NO_COLOR) or shows a line that may be slow (such as SSH_TTY).
    """
    return not any(environment.get(name) for name in _STILL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The ways in which the player wants to be called."""

    bell: bool = True
    title: bool = True
    notify: bool = True


class Asking(Enum):
    """The choices before which a player is asked once more, because they cannot be undone."""

    COSTLY = "what is worth more than the least"
    ALL = "everything that cannot be undone"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """The player's settings at a table."""

    ascii_only: bool = False
    filled: bool = False  #: Draw a felt and filled cards.
    moves: bool = False  #: Let a card that is played move into the trick.
    asking: Asking = Asking.COSTLY  #: What is asked once more.
    hints: bool = False  #: Only where nobody else plays.
    mute: bool = False  #: Neither write to others nor see what they write, where that was agreed.
    agree: bool = False  #: Agree to the charter without a question: at a table of one's own.
    #: Seconds that each move of our own bots waits after the one before, and that a window lies
    #: there before it closes by itself.
    pace: float = 0.0
    # Three values, as the setting has: yes, auto and no.
    #: Close every window, and the last trick, by itself, whatever the cards are; None: windows in
    #: which a claim that is missed costs nothing; False: only those in which everybody can see that
    #: nothing is to be claimed.
    go_on: bool | None = False
    calls: Calls = field(default_factory=Calls)  #: What calls the player when its turn comes.
    #: Play forced cards by itself, after a random moment: their time must not tell them from chosen
    #: ones (attacks PR2).
    forced: bool = False
    theme: Theme | None = None  #: A dark or a light table; None follows the terminal's background.
    four_colours: bool = False  #: Whether each suit has a colour of its own.


NOTHING_SET: Final = PlaySettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenTexts:
    """The texts that the program gives to a front end, and functions for text outside of it."""

    #: What the player reads before agreeing.
    charter_text: Callable[[Charter], tuple[str, ...]] = lambda _: ()
    #: What it reads of referees whom it has not named.
    referees: Callable[[tuple[PublicKey, ...]], Iterable[str]] = lambda _: ()
    # True where no program says otherwise: `PlaySettings.agree` decides then.
    #: Tells whether nobody sits at a table but us and our own bots.
    only_ours: Callable[[Charter], bool] = lambda _: True
    #: Gets a charter that was agreed to, in a thread: it may write to the disk.
    agreed: Callable[[Charter], None] = lambda _: None
    #: The path of the file of a hand, by its number.
    transcript: Callable[[SeatView, int], str] = lambda _session, _number: ""
    say: Callable[[str], None] = lambda _: None  #: Prints a line while the screen is not up yet.
    #: Keeps what the player has set otherwise than before, in a thread; gives why it cannot.
    keep: Callable[[PlaySettings, PlaySettings], str] = lambda _before, _after: ""
    # `tuple()` is empty: no invites.
    invites: Callable[[], tuple[str, ...]] = tuple  #: The lines that tell the table's invites.


NOTHING_AROUND: Final = ScreenTexts()
