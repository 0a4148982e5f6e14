"""How a player wants to see the table, from the settings, for every command that shows one.

The settings are read before the screen is imported, which takes time.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from cli.commands.options import CommandT, gather_options
from cli.commands.shell import echo
from cli.errors import StoreError
from cli.screen.canvas import Theme
from cli.screen.preferences import Asking, Calls, Colouring, Colours, PlaySettings, may_move
from cli.store.paths import home
from cli.store.settings import SETTINGS, SettingsFile
from cli.wording import shows_signs

# What the words of the settings file stand for in the program.
_ASKING: Final = {"more": Asking.COSTLY, "all": Asking.ALL, "nothing": Asking.NOTHING}
_GO_ON: Final = {"auto": None, "yes": True, "no": False}
# Only yes and no: 'auto' is looked up with a default.
_ON: Final = {"yes": True, "no": False}
# 'auto' is None: then the terminal is asked for its background.
_THEMES: Final = {"auto": None, **{each.value: each for each in Theme}}


@dataclass(frozen=True, slots=True)
class Screen:
    """How the player wants to see the table: full screen or lines, colours, letters, sounds and
    pace.
    """

    plain: bool
    colouring: Colouring
    play_settings: PlaySettings


def _screen(*, plain: bool | None) -> Screen:
    """Return how the player wants to see the table: by the settings, and by `plain` unless that is
    None.

    A setting that is not understood is reported, and its usual value taken.
    """
    # A setting that is not understood is told, and the others hold: a table is not refused for it.
    given, strange = SettingsFile(home()).read()
    if strange:
        echo(f"p2p304: {strange}", err=True)
    # What is set comes last, so that it goes before what is usual.
    said = {**{each.name: each.usual for each in SETTINGS.values()}, **given}
    # Letters also where the terminal could not show the signs, whatever is set.
    letters = _ON[said["ascii"]] or not shows_signs(sys.stdout)
    colouring = Colouring(
        colours=Colours(said["colours"]),
        theme=_THEMES[said["theme"]],
        four_colours=said["suits"] == "four",
        letters=letters,
    )
    # --plain/--no-plain has three states: None is neither, and then the setting decides.
    lines = _ON[said["plain"]] if plain is None else plain
    filled = colouring.filled(os.environ)
    seen = PlaySettings(
        ascii_only=letters,
        filled=filled,
        # 'auto' is not in the table: then things move where the terminal has colours and allows it.
        moves=not lines and _ON.get(said["movement"], filled and may_move(os.environ)),
        asking=_ASKING[said["ask"]],
        # A pipe or a script gets everything at once: nobody looks on.
        pace=float(said["pace"]) if sys.stdin.isatty() and sys.stdout.isatty() else 0.0,
        go_on=_GO_ON[said["go-on"]],
        forced=_ON[said["forced"]],
        mute=_ON[said["mute"]],
        theme=colouring.theme_in(os.environ),
        four_colours=colouring.four_colours,
        calls=Calls(bell=_ON[said["bell"]], title=_ON[said["title"]], notify=_ON[said["notify"]]),
    )
    return Screen(lines, colouring, seen)


def keep_settings(root: Path, before: PlaySettings, after: PlaySettings) -> str:
    """Store the settings that a player changed at the table; return "", or a sentence why they
    could not be stored.
    """
    was, now = _changed_settings(before), _changed_settings(after)
    try:
        # Only what was changed here: another window may have changed the others meanwhile.
        SettingsFile(root).keep({name: now[name] for name in now if now[name] != was[name]})
    # At the table the settings hold all the same; only the next table lacks them.
    except StoreError as error:
        return f"Not kept for the next time: {error}"
    return ""


def _changed_settings(play_settings: PlaySettings) -> dict[str, str]:
    """Return the settings that keys at the table can change, by name, with values as the
    settings file writes them.
    """
    return {
        "ask": next(name for name, each in _ASKING.items() if each is play_settings.asking),
        "pace": f"{play_settings.pace:g}",
        "go-on": next(name for name, each in _GO_ON.items() if each is play_settings.go_on),
        "theme": next(name for name, each in _THEMES.items() if each is play_settings.theme),
        "suits": "four" if play_settings.four_colours else "two",
    }


def screen_options(command: CommandT) -> CommandT:
    """Add the option --plain to a command, and give the command the argument `screen`: the Screen
    that follows from --plain and the settings.
    """
    plain = click.option(
        "--plain/--no-plain",
        default=None,
        help="Lines of text, for screen readers and pipes; other looks: 'p2p304 settings'.",
    )
    return gather_options("screen", _screen, options=(plain,))(command)


def letters_alone() -> bool:
    """Return whether suits and bars are drawn with letters: by the setting, or as the terminal
    cannot show other signs.
    """
    # A line that is not understood counts as unset: `p2p304 settings` and tables tell of it.
    given, _ = SettingsFile(home()).read()
    return _ON[given.get("ascii", "no")] or not shows_signs(sys.stdout)
