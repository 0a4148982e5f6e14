"""Codes in the local network, announced and found by multicast DNS (RFC 6762, 6763; specs 7.9).

Anybody near can announce anything, so an answer is only an address to try, of this machine or of a
local network. Imports `zeroconf` alone.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final

from zeroconf import DNSQuestionType, Error, InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from cli.bounds import LOOKED_FOR, MOST_TABLES, NAMES_NEARBY, NEARBY_OTHERS_WITHIN
from cli.errors import UserError
from cli.net.address import LOOPBACK, BrokerAddress, Scheme, near
from cli.net.interfaces import in_own_network
from cli.tasks import happens

#: Names the addresses of this machine, with commas, at which codes are told and looked for; without
#: it all are.
NEARBY_VARIABLE: Final = "P2P304_NEARBY"

# The service's name in multicast DNS (RFC 6763, 7).
_TYPE: Final = "_p2p304._tcp.local."


class NearbyError(UserError):
    """The setting of interfaces for multicast DNS cannot be used; one sentence says why."""


_log = logging.getLogger(__name__)


def can_be_told(host: str) -> bool:
    """Return whether a broker at `host` can be announced: only if that is an IPv4 address, and
    loopback, private or link-local; False for a name.
    """
    # IPv6 addresses of a link need a zone, which an announcement cannot tell.
    try:
        return ipaddress.ip_address(host).version == 4 and near(host)
    except ValueError:
        return False


@asynccontextmanager
async def announce(number: int, host: str, port: int) -> AsyncIterator[bool]:
    """Announce the broker of the code with this number, while the block runs.

    Yield whether it could be announced. A broker at a loopback address is announced on this machine
    alone. Raises NearbyError if the setting of interfaces cannot be used.
    """
    # The joiner on the same machine hears no answers of other interfaces. Each once: the host may
    # be the loopback address itself.
    own = _allowed_interfaces(dict.fromkeys((host, LOOPBACK)))
    if not own:
        yield False
        return
    name = secrets.token_hex(8)  # another table may have the same number
    info = ServiceInfo(
        _TYPE,
        f"{number}-{name}.{_TYPE}",
        addresses=[socket.inet_aton(host)],
        port=port,
        # The record needs a host's name (RFC 6763, 5): a drawn one is nobody else's, and tells
        # nothing of this machine.
        server=f"p2p304-{name}.local.",
    )
    async with AsyncExitStack() as closing:
        told = True
        try:
            zeroconf = _open(own)
            closing.push_async_callback(zeroconf.async_close)
            # Nobody has this name, which was drawn a moment ago: the library need not look for it.
            # `cooperating_responders` skips its probe, which takes most of a second.
            await zeroconf.async_register_service(info, cooperating_responders=True)
            # Told to all, so that a dead code is not found in their caches.
            closing.push_async_callback(zeroconf.async_unregister_service, info)
        except (OSError, Error) as error:
            _log.info("the code cannot be told to the local network: %s", type(error).__name__)
            told = False
        yield told


async def find_brokers(number: int, *, within: float = LOOKED_FOR) -> tuple[BrokerAddress, ...]:
    """Return the brokers announced in the local network for the code with this number, at addresses
    of our own networks alone, at most `MOST_TABLES`.

    Waits up to `within` seconds for the first, and then a little for others; empty if none is
    heard. Raises NearbyError if the setting of interfaces cannot be used.
    """
    found: dict[BrokerAddress, None] = {}
    async with _listen(lambda each: each == number) as (zeroconf, names, came):
        # An empty network costs the whole time; the first answer ends the wait.
        if zeroconf is None or not await happens(came, within=within):
            return ()
        # A stranger's may be the first to answer: others are waited for.
        await asyncio.sleep(NEARBY_OTHERS_WITHIN)
        told = [info for name in names if (info := _info_of(name)) is not None][:MOST_TABLES]
        asking = (
            # QM: others of this machine listen at the same port. The time is in milliseconds.
            # Asked all at once: one that does not answer costs no more than the others.
            each.async_request(
                zeroconf.zeroconf, int(1_000 * within), question_type=DNSQuestionType.QM
            )
            for each in told
        )
        await asyncio.gather(*asking)
        for info in told:
            # Of each announcement, too, only so many: it may name any number of addresses.
            # IPv4 alone, as `can_be_told` lets no other be announced.
            for each in info.parsed_addresses(IPVersion.V4Only)[:MOST_TABLES]:
                # An announcement may name any address: only those of our own networks are called
                # (specs 7.9).
                if info.port and near(each) and in_own_network(each):
                    found[BrokerAddress(Scheme.MQTT, each, info.port)] = None
    # Each announcement may have told several: they are as many tables to look at.
    return tuple(found)[:MOST_TABLES]


async def numbers(*, within: float = NEARBY_OTHERS_WITHIN) -> frozenset[int]:
    """Listen for `within` seconds, and return the numbers of all codes that are announced in the
    local network; one announced without a number counts as 0. Raises NearbyError if the setting
    of interfaces cannot be used.
    """
    async with _listen(lambda _: True) as (_, names, _came):
        # All the time, since more may answer: there is no last one.
        await asyncio.sleep(within)
        return frozenset(map(_number_in, names))


@asynccontextmanager
async def _listen(
    wanted: Callable[[int], bool],
) -> AsyncIterator[tuple[AsyncZeroconf | None, dict[str, None], asyncio.Event]]:
    """Listen while the block runs: yield the multicast client (None if there can be none), the
    names heard so far whose number is `wanted`, and an event that the first such name sets.
    """
    names: dict[str, None] = {}
    came = asyncio.Event()

    def heard(name: str, **_: object) -> None:
        """Keep a name whose number is wanted, unless `NAMES_NEARBY` are kept already."""
        # zeroconf also tells the client, the type and the change, each by its name.
        # Bounded, since anybody near announces.
        if len(names) < NAMES_NEARBY and wanted(_number_in(name)):
            names[name] = None
            came.set()

    zeroconf: AsyncZeroconf | None = None
    async with AsyncExitStack() as closing:
        # No multicast here: nothing is found, and other ways are tried.
        with suppress(OSError, Error):
            zeroconf = _open(_allowed_interfaces(None))
            # Sockets of multicast stay open otherwise, also after a cancellation.
            closing.push_async_callback(zeroconf.async_close)
            AsyncServiceBrowser(
                # Not kept: the client holds it as a listener, and is closed behind. QM: the answers
                # go to all, so that a port shared with other programs works.
                zeroconf.zeroconf,
                _TYPE,
                handlers=[heard],
                question_type=DNSQuestionType.QM,
            )
        yield zeroconf, names, came


def _info_of(name: str) -> AsyncServiceInfo | None:
    """Return the query for a service of that name; None for a name that no table has."""
    with suppress(Error):  # anybody in the network announces any text
        return AsyncServiceInfo(_TYPE, name)
    return None


def _number_in(name: str) -> int:
    """Return the number of one to three digits in a service's name, such as 7 in "7-0a1b..."; 0
    for any other name.
    """
    number = name.partition("-")[0]
    # isdigit takes digits of other scripts, int as well: only ASCII is a number here.
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 3 else 0


def _open(interfaces: list[str] | InterfaceChoice) -> AsyncZeroconf:
    """Return a multicast DNS client on these interfaces, with its log silenced."""
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL + 1)  # it tells of strangers' packets
    # IPv4 alone, as an announcement cannot tell the zone of a link's IPv6 address.
    return AsyncZeroconf(interfaces=interfaces, ip_version=IPVersion.V4Only)


def _allowed_interfaces(own: Iterable[str] | None) -> list[str] | InterfaceChoice:
    """Return the interfaces to use: the addresses in `own`, or all for None, as far as the
    environment's variable allows them.

    Raises NearbyError if the variable holds anything but IPv4 addresses.
    """
    named = [each.strip() for each in os.environ.get(NEARBY_VARIABLE, "").split(",")]
    # Empty: the variable is not set, or has a comma too many.
    named = [each for each in named if each]
    try:
        for each in named:
            ipaddress.IPv4Address(each)
    except ValueError:
        raise NearbyError(
            f"{NEARBY_VARIABLE} names IPv4 addresses of this machine, with commas between them."
        ) from None
    # All: several networks at once, as a cable and wireless.
    if own is None:
        return named or InterfaceChoice.All
    # Only addresses that the user allowed.
    return [each for each in own if not named or each in named]
