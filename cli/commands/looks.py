"""How a player wants to see the table: the options of every command that shows one.

They are read before the screen is imported.
"""

from __future__ import annotations

import locale
import os
import sys
from dataclasses import dataclass
from typing import Final

import click

from cli.commands.options import gathered
from cli.front.paces import PACE, SLOWEST, WINDOW
from cli.screen.calling import Calls
from cli.screen.choices import Asking
from cli.screen.palette import Theme
from cli.screen.preferences import Colouring, Colours, Habits

_ASKING: Final = {None: Asking.COSTLY, True: Asking.ALL, False: Asking.NOTHING}
_COLOURS: Final = {each.value: each for each in Colours}
_THEMES: Final = {"auto": None, **{each.value: each for each in Theme}}


@dataclass(frozen=True, slots=True)
class Screen:
    """How the player wants to see the table."""

    plain: bool
    colouring: Colouring
    habits: Habits


_LOOKS: Final = (
    click.option(
        "--colours",
        type=click.Choice(list(_COLOURS)),
        default=Colours.AUTOMATIC.value,
        show_default=True,
        help="How many colours; NO_COLOR in the environment means none. With true colour there is"
        " a felt with filled cards on it.",
    ),
    click.option(
        "--theme",
        type=click.Choice(list(_THEMES)),
        default="auto",
        show_default=True,
        help="A dark or a light table, where there is true colour.",
    ),
    click.option(
        "--four-colours/--two-colours",
        default=False,
        help="A colour for each suit: diamonds blue, clubs green.  [default: two]",
    ),
    click.option("--ascii", "ascii_only", is_flag=True, help="Letters instead of suit signs."),
    click.option("--plain", is_flag=True, help="Lines of text, for screen readers and pipes."),
)
_HABITS: Final = (
    click.option("--mute", is_flag=True, help="Do not show or write chat where it was agreed."),
    click.option(
        "--forced", is_flag=True, help="Play forced cards by itself, after a random moment."
    ),
    click.option(
        "--pace",
        type=click.FloatRange(0, SLOWEST),
        metavar="SECONDS",
        help="How long a card lies there before a bot of yours plays the next, and a window before"
        f" it closes by itself.  [default: {PACE:g}, and 0 without a terminal]",
    ),
    click.option(
        "--go-on/--no-go-on",
        default=None,
        help="Close by itself every window between cards, whatever the cards are, and the last"
        " trick; or only a window in which nothing can be claimed.  [default: on a full screen all"
        f" after {WINDOW:g} s, unless a call of caps that is missed costs]",
    ),
    click.option("--bell/--no-bell", default=True, help="Ring when your turn comes."),
    click.option("--title/--no-title", default=True, help="Say so in the window's title."),
    click.option(
        "--notify/--no-notify",
        default=True,
        help="Show a notification too, where the terminal is known to have one.",
    ),
    click.option(
        "--ask/--no-ask",
        default=None,
        help="Ask once more before all that cannot be undone, or before nothing."
        "  [default: before what is worth more than the least]",
    ),
)


def _screen(
    *,
    plain: bool,
    colours: str,
    theme: str,
    four_colours: bool,
    ascii_only: bool,
    ask: bool | None = None,
    pace: float | None = None,
    bell: bool = False,
    title: bool = False,
    notify: bool = False,
    go_on: bool | None = None,
    **habits: bool,
) -> Screen:
    letters = ascii_only or not speaks_unicode()
    colouring = Colouring(
        colours=_COLOURS[colours],
        theme=_THEMES[theme],
        four_colours=four_colours,
        letters=letters,
    )
    seen = Habits(
        ascii_only=letters,
        filled=colouring.filled(os.environ),
        asking=_ASKING[ask],
        pace=_pace(pace),
        go_on=go_on,
        calls=Calls(bell=bell, title=title, notify=notify),
        **habits,
    )
    return Screen(plain, colouring, seen)


_HOW_IT_LOOKS: Final = ("plain", "colours", "theme", "four_colours", "ascii_only")
_WHAT_IT_DOES: Final = ("ask", "pace", "bell", "title", "notify", "go_on", "forced", "mute")

screen_options = gathered(
    "screen", _screen, *_HOW_IT_LOOKS, *_WHAT_IT_DOES, options=(*_HABITS, *_LOOKS)
)
"""The options of a seat's client, as the one argument `screen` of the command."""

look_options = gathered("screen", _screen, *_HOW_IT_LOOKS, options=_LOOKS)
"""The options of a screen without a seat, as the one argument `screen` of the command."""


def _pace(given: float | None) -> float:
    """Return the pace that was asked for, else what suits eyes where somebody looks on."""
    if given is not None:
        return given
    return PACE if sys.stdin.isatty() and sys.stdout.isatty() else 0.0


def speaks_unicode() -> bool:
    """Tell whether the terminal is said to show every sign."""
    return locale.getpreferredencoding(False).lower().replace("-", "") == "utf8"
