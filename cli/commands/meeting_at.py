"""Where a host's table meets: a broker of its own, one that it named, or a public one."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from cli.commands.lan import lan_address
from cli.errors import UserError
from cli.lines.console import Console
from cli.net import public
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.interfaces import own_addresses
from cli.net.mqtt import MqttVersion
from cli.seat.codes import MeetingPlace
from cli.seat.options import SeatOptions
from cli.store.paths import make_home
from protocol.wire.identity import FRAME_SIZES

LOOPBACK: Final = "127.0.0.1"
WHICH: Final = (
    "For friends in the same house make the table with --lan; elsewhere with --public, or with"
    " --broker where one of you has a broker."
)
_HONEST: Final = (
    "That is other people's free service: nobody promises that it lasts. It sees from where you"
    " come, when and how much is said, and no card, name or word."
)


async def own_broker(
    stack: AsyncExitStack, console: Console, lan: str | None, port: int
) -> BrokerAddress:
    """Start a broker of ours for as long as the `stack` lasts, and return its address."""
    host = LOOPBACK if lan is None else await lan_address(lan, own_addresses(), console)
    own = await stack.enter_async_context(EmbeddedBroker(host, port))
    shown = f"[{host}]" if ":" in host else host
    return BrokerAddress.parse(f"mqtt://{shown}:{own.port}")


async def public_broker(
    root: Path, console: Console, credentials: Credentials, version: MqttVersion
) -> BrokerAddress:
    """Return the public broker of the user's list that answers best, and say what that means.

    Raises UserError where none will do.
    """
    if credentials.named:
        raise UserError("With --public nobody is told who you are: leave --login and the user out.")
    path = public.written(make_home(root))
    brokers = public.listed(root)
    console.say(f"Trying the public brokers that are listed in {path} ...")
    found = await public.measured(
        brokers, largest=max(FRAME_SIZES), credentials=credentials, version=version
    )
    for each in found:
        if each.seconds is None:
            console.say(f"  {each.broker.format()}: no. {each.why}")
        else:
            console.say(f"  {each.broker.format()}: {1_000 * each.seconds:.0f} ms")
    best = found[0]
    if best.seconds is None:
        raise UserError(
            f"No public broker will do now: try again, name others in {path}, or use --broker."
        )
    console.say(f"The table meets at {best.broker.format()}. {_HONEST}")
    return best.broker


def code_place(
    nodes: tuple[BrokerAddress, ...],
    credentials: Credentials | None,
    options: SeatOptions,
    *,
    broker_here: bool,
    public: bool,
) -> MeetingPlace:
    """Return where the code of a table is kept, and what friends add to `join`."""
    added = "".join(f" --broker {node.format()}" for node in nodes)
    return MeetingPlace(
        nodes,
        credentials or NO_CREDENTIALS,
        options.version,
        "" if broker_here or public else added,
        nodes[0] if broker_here else None,
    )
