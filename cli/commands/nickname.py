"""The player's nickname: asked once at a terminal, and kept."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Final

from cli.commands.seating import ask_line
from cli.errors import UserError
from cli.lines.console import Console
from cli.store.identity import IdentityError, IdentityStore
from protocol.errors import MalformedMessage
from protocol.wire.charter import MAX_NAME, check_nickname

NOBODY: Final = "Player"
"""Who has no login name that a charter takes."""


async def nickname_for(root: Path, name: str | None, console: Console) -> str:
    """Return our nickname: the one given, the one kept, or the one that is now chosen and kept.

    Raises UserError for a name that no charter takes.
    """
    store = IdentityStore(root)
    if name is not None:
        checked_nickname(name)
        if store.nickname is None:
            store.set_nickname(name)
        return name
    kept, offered = store.nickname, login_name()
    while kept is None:
        said = (
            await ask_line(console, f"Your nickname, or Enter for {offered}:")
        ).strip() or offered
        try:
            store.set_nickname(said)
        except IdentityError as error:
            console.say(str(error))
        kept = store.nickname
    return kept


def known_nickname(root: Path, name: str | None) -> str:
    """Return the nickname that was given, or the one that is known without a question.

    Raises UserError for a name that no charter takes.
    """
    return checked_nickname(name) if name else IdentityStore(root).nickname or login_name()


def checked_nickname(name: str) -> str:
    """Return the name; raises UserError for one that no charter takes."""
    try:
        check_nickname(name)
    except MalformedMessage as error:
        raise UserError(
            f"A nickname has 1 to {MAX_NAME} visible characters and no space at its ends."
        ) from error
    return name


def login_name() -> str:
    """Return the user's login name, as far as it can be a nickname."""
    try:
        name = getpass.getuser()
        check_nickname(name)
    except (OSError, KeyError, ImportError, MalformedMessage):
        return NOBODY
    return name
