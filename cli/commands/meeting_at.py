"""The broker at which a host's table meets: its own, named ones, or a public one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from cli.commands.seating import ask_line
from cli.errors import UserError
from cli.lines.console import Console
from cli.net import public
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import Credentials
from cli.net.interfaces import OwnAddress, own_addresses
from cli.store.paths import make_home
from protocol.wire.identity import FRAME_SIZES

ANY: Final = "any"  #: What --lan without an address stands for.
# Not "localhost": that may be ::1 on one machine and 127.0.0.1 on another.
LOOPBACK: Final = "127.0.0.1"
WHICH: Final = (
    "For friends in the same house make the table with --lan; elsewhere with --public, or with"
    " --broker where one of you has a broker."
)
_HONEST: Final = (
    "It is a free service of other people: nobody promises that it lasts. It sees your address, and"
    " when and how much you send, but no card, name or word."
)


async def own_broker(
    stack: AsyncExitStack, console: Console, lan: str | None, port: int
) -> EmbeddedBroker:
    """Start the embedded broker on `port` and return it; it stops with the `stack`.

    It listens on this machine alone, or for the local network at the address `lan`, about which the
    player may be asked.
    """
    host = LOOPBACK if lan is None else await lan_address(lan, own_addresses(), console)
    return await stack.enter_async_context(EmbeddedBroker(host, port))


async def public_broker(root: Path, console: Console, credentials: Credentials) -> BrokerAddress:
    """Return the public broker of the user's list that answers fastest, and print what each
    answered and what a public broker means.

    Raises UserError if the credentials name us, or none of the brokers serves.
    """
    # A user's name would tell a stranger's broker who plays.
    if credentials.named:
        raise UserError(
            "A public broker asks for no user and no password: leave --login and --credentials out."
        )
    # Written out, so that the user can change the list before the next table.
    path = public.broker_list_file(make_home(root))
    brokers = public.public_brokers(root)
    console.say(f"Trying the public brokers that are listed in {path} ...")
    # The largest frame must pass, or a table would stop at its first shuffle.
    found = await public.measure(brokers, largest=max(FRAME_SIZES), credentials=credentials)
    for each in found:
        if each.seconds is None:
            console.say(f"  {each.broker.format()}: no. {each.why}")
        else:
            console.say(f"  {each.broker.format()}: {1_000 * each.seconds:.0f} ms")
    # Sorted by the time of an answer; those that will not do come last.
    best = found[0]
    if best.seconds is None:
        raise UserError(
            f"No public broker will do now: try again, name others in {path}, or use --broker."
        )
    console.say(f"The table meets at {best.broker.format()}. {_HONEST}")
    return best.broker


async def lan_address(named: str, found: Sequence[OwnAddress], console: Console) -> str:
    """Return `named`, unless that is `ANY`; then the only address of `found`, or the one that the
    user chooses.

    Raises UserError if there is none, if nobody can choose, or if the answer is none of them.
    """
    # An address that was named is not looked for here: it may be that of a router or a tunnel.
    if named != ANY:
        return named
    if not found:
        raise UserError(
            "This machine has no address in a network: connect it, or name one with --lan ADDRESS."
        )
    if len(found) == 1:
        (only,) = found
        console.say(f"This machine's address in the network is {_told_words(only)}.")
        return only.address
    # Several networks, and nobody to ask: a guess would strand the friends.
    if not console.interactive:
        raise UserError(
            f"This machine has several addresses: {', '.join(map(_told_words, found))};"
            " name the one that the others reach with --lan ADDRESS."
        )
    console.say("This machine has several addresses:")
    for number, each in enumerate(found, start=1):
        console.say(f"  {number}  {_told_words(each)}")
    # Keys that were typed before the question are no answer to it.
    console.typed_before()
    said = (await ask_line(console, "Which of them do the others reach? [1]")).strip() or "1"
    for number, each in enumerate(found, start=1):
        if said in (f"{number}", each.address):
            return each.address
    raise UserError(f"The answer is a number from 1 to {len(found)}, or one of these addresses.")


def _told_words(each: OwnAddress) -> str:
    """Return an address with the name of its network interface, if that is known."""
    return f"{each.address} ({each.interface})" if each.interface else each.address
