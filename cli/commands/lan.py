"""Where the broker of a host listens for the local network, and which addresses there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cli.commands.seating import ask_line
from cli.errors import UserError
from cli.lines.console import Console
from cli.net.interfaces import OwnAddress

ANY: Final = "any"
"""What --lan without an address stands for."""


async def lan_address(named: str, found: Sequence[OwnAddress], console: Console) -> str:
    """Return the address that was named, the only one of those `found`, or the one that is chosen.

    Raises UserError where there is none, or where nobody is there to choose.
    """
    if named != ANY:
        return named
    if not found:
        raise UserError(
            "This machine has no address in a network: connect it, or name one with --lan ADDRESS."
        )
    if len(found) == 1:
        (only,) = found
        console.say(f"This machine's address in the network is {_told(only)}.")
        return only.address
    if not console.interactive:
        raise UserError(
            f"This machine has several addresses: {', '.join(map(_told, found))};"
            " name the one that the others reach with --lan ADDRESS."
        )
    console.say("This machine has several addresses:")
    for number, each in enumerate(found, start=1):
        console.say(f"  {number}  {_told(each)}")
    console.typed_before()
    said = (await ask_line(console, "Which of them do the others reach? [1]")).strip() or "1"
    for number, each in enumerate(found, start=1):
        if said in (f"{number}", each.address):
            return each.address
    raise UserError(f"The answer is a number from 1 to {len(found)}, or one of these addresses.")


def _told(each: OwnAddress) -> str:
    return f"{each.address} ({each.interface})" if each.interface else each.address
