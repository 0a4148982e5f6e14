"""`p2p304 settings`: shows and changes the player's settings for every table."""

from __future__ import annotations

import click

from cli.commands.options import completer
from cli.commands.shell import echo
from cli.errors import UserError
from cli.lazy import unknown
from cli.sanitize import safe_text
from cli.store.identity import IdentityStore
from cli.store.paths import home
from cli.store.settings import NICKNAME, SETTINGS, Setting, SettingsFile

# A value's cells in the list: nicknames may be longer.
_WIDTH = 40


@click.command("settings")
@click.argument(
    "name",
    required=False,
    shell_complete=completer(SETTINGS, lambda name: SETTINGS[name].words),
)
@click.argument("value", required=False)
@click.option(
    "--reset",
    is_flag=True,
    help="Set NAME back to its default; without NAME, all but the nickname.",
)
def command(name: str | None, value: str | None, reset: bool) -> None:
    """Show your settings, which hold for every table, or change one.

    The keys !, <, > and = at the table change some settings, too. All are kept in one file with
    lines 'name = value', which you may edit; the list says where the file is.

    \b
    Examples:
      p2p304 settings                  what is set, and what can be
      p2p304 settings bell no          no bell from now on
      p2p304 settings pace 2           each card lies there for two seconds
      p2p304 settings nickname Amara   what others call you
      p2p304 settings bell --reset     its default again
    """
    file = SettingsFile(home())
    if name is not None and name not in SETTINGS:
        said = unknown("setting", name, SETTINGS)
        # A name that was nearly right is guessed ("did you mean ...?"): then no list is needed.
        raise UserError(said if said.endswith("?") else f"{said}; 'p2p304 settings' lists them.")
    if reset:
        if value is not None:
            raise UserError("Give either a value or --reset.")
        # A nickname is who one is, and is reset only by its name.
        chosen = [name] if name is not None else [each for each in SETTINGS if each != NICKNAME]
        # With None for a value each is taken out of the file, and its default holds.
        file.keep(dict.fromkeys(chosen))
    elif name is not None and value is not None:
        file.keep({name: value})
    # Read again, so that what is shown is what the file holds.
    given, strange = file.read()
    if strange:
        echo(f"p2p304: {strange}", err=True)
    # The nickname is kept with the identity, and shown among the settings.
    given.setdefault(NICKNAME, IdentityStore(home()).nickname or "")
    for setting in SETTINGS.values() if name is None else (SETTINGS[name],):
        _show(setting, given.get(setting.name, setting.usual))
    if name is None:
        click.echo("\n'p2p304 settings NAME VALUE' changes one. They are kept in")
        click.echo(f"  {file.path}")  # whole, to be copied


def _show(setting: Setting, value: str) -> None:
    """Print a setting: its name, present value and possible values."""
    # A nickname that was never chosen is empty.
    now = safe_text(value, cells=_WIDTH) or "-"
    # In columns: names have eight letters at most, and all values but nicknames seven.
    echo(f"  {setting.name:9} {now:8} {setting.words}: {setting.possible}")
