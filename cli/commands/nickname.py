"""The player's nickname, which is asked once at a terminal and then stored."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Final

from cli.commands.seating import ask_line
from cli.errors import UserError
from cli.lines.console import Console
from cli.store.identity import IdentityError, IdentityStore
from protocol.bounds import MAX_NAME
from protocol.errors import MalformedMessage
from protocol.wire.charter import check_nickname

NOBODY: Final = "Player"  #: The nickname that is offered if no charter takes the login name.


async def nickname_for(root: Path, name: str | None, console: Console) -> str:
    """Return the nickname: the given one, the stored one, or one that the user chooses now. It is
    stored if none was.

    Raises UserError if no charter may hold the given name, or the input ends.
    """
    store = IdentityStore(root)
    if name is not None:
        checked_nickname(name)
        # For this time only, if another one is kept: --nickname does not change who one is.
        if store.nickname is None:
            store.set_nickname(name)
        return name
    kept, offered = store.nickname, login_name()
    # Asked again after a name that no charter may hold: the store refuses it.
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
    """Return the given nickname, or the stored one, or the login name, without asking.

    Raises UserError for a name that no charter may hold.
    """
    # An empty name counts as none: nobody can be asked here for a better one.
    return checked_nickname(name) if name else IdentityStore(root).nickname or login_name()


def checked_nickname(name: str) -> str:
    """Return the name; raises UserError if no charter may hold it (specs 3.2)."""
    try:
        check_nickname(name)
    # The check names a field of the charter; the user typed a name.
    except MalformedMessage as error:
        raise UserError(
            f"A nickname has 1 to {MAX_NAME} visible characters and no space at its ends."
        ) from error
    return name


def login_name() -> str:
    """Return the user's login name; "Player" if there is none, or it cannot be a nickname."""
    try:
        name = getpass.getuser()
        check_nickname(name)
    # Without a login name: OSError since Python 3.13, KeyError and ImportError before it.
    except (OSError, KeyError, ImportError, MalformedMessage):
        return NOBODY
    return name
