"""The player's nickname, which is asked once at a terminal and then stored."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Final

from cli.commands.seating import ask_line
from cli.errors import StoreError
from cli.lines.console import Console
from cli.store.identity import IdentityStore
from cli.store.settings import checked_nickname

NOBODY: Final = "Player"  #: The nickname that is offered if no charter takes the login name.


async def nickname_for(root: Path, name: str | None, console: Console) -> str:
    """Return the nickname: the given one, the stored one, or one that the user chooses now. It is
    stored if none was.

    Raises StoreError if no charter may hold the given name, UserError if the input ends.
    """
    store = IdentityStore(root)
    if name is not None:
        checked_nickname(name)
        # For this time only, if another one is kept: --nickname does not change who one is.
        if store.nickname is None:
            store.set_nickname(name)
        return name
    if kept := store.nickname:
        return kept
    offered = login_name()
    said = await ask_nickname(console, f"Your nickname, or Enter for {offered}:", offered)
    store.set_nickname(said)
    return said


async def ask_nickname(console: Console, question: str, offered: str = "") -> str:
    """Ask until a nickname is typed that a charter may hold, and return it; Enter alone stands for
    the `offered` one. Raises UserError if the input ends.
    """
    while True:
        said = (await ask_line(console, question)).strip() or offered
        try:
            return checked_nickname(said)
        except StoreError as error:
            console.say(str(error))


def known_nickname(root: Path, name: str | None) -> str:
    """Return the given nickname, or the stored one, or the login name, without asking.

    Raises StoreError for a name that no charter may hold.
    """
    # An empty name counts as none: nobody can be asked here for a better one.
    return checked_nickname(name) if name else IdentityStore(root).nickname or login_name()


def login_name() -> str:
    """Return the user's login name; "Player" if there is none, or it cannot be a nickname."""
    try:
        return checked_nickname(getpass.getuser())
    # Without a login name: OSError since Python 3.13, KeyError and ImportError before it.
    except (OSError, KeyError, ImportError, StoreError):
        return NOBODY
