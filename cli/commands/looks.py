"""How a player wants to see the table: the options of every command that shows one.

They are read before the screen is imported.
"""

from __future__ import annotations

import locale
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, TypeVar, cast

import click

from cli.screen.choices import Asking
from cli.screen.preferences import Colours, Habits

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_ASKING: Final = {None: Asking.COSTLY, True: Asking.ALL, False: Asking.NOTHING}
_COLOURS: Final = {each.value: each for each in Colours}


@dataclass(frozen=True, slots=True)
class Screen:
    """How the player wants to see the table."""

    plain: bool
    colours: Colours
    habits: Habits


_LOOKS: Final = (
    click.option(
        "--colours",
        type=click.Choice(list(_COLOURS)),
        default=Colours.AUTOMATIC.value,
        show_default=True,
        help="How many colours; NO_COLOR in the environment means none.",
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
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="Close the window after a trick by itself, with nothing to claim.",
    ),
    click.option(
        "--ask/--no-ask",
        default=None,
        help="Ask once more before all that cannot be undone, or before nothing."
        "  [default: before what is worth more than the least]",
    ),
)


def screen_options(command: CommandT) -> CommandT:
    """Give the command the options of a seat's client, as its one argument `screen`."""
    return _collecting(command, (*_HABITS, *_LOOKS))


def look_options(command: CommandT) -> CommandT:
    """Give the command the options of a screen without a seat, as its one argument `screen`."""
    return _collecting(command, _LOOKS)


def _collecting(command: CommandT, options: tuple[Callable[[Any], Any], ...]) -> CommandT:
    @wraps(command)
    def collected(**given: Any) -> Any:
        habits = Habits(
            ascii_only=given.pop("ascii_only") or not _speaks_unicode(),
            asking=_ASKING[given.pop("ask", None)],
            pace=given.pop("pace", None),
            forced=given.pop("forced", False),
            mute=given.pop("mute", False),
        )
        screen = Screen(given.pop("plain"), _COLOURS[given.pop("colours")], habits)
        return command(screen=screen, **given)

    wrapped: Any = collected
    for option in options:
        wrapped = option(wrapped)
    return cast(CommandT, wrapped)


def _speaks_unicode() -> bool:
    return locale.getpreferredencoding(False).lower().replace("-", "") == "utf8"
