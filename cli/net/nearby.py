"""Codes in the local network: told and found by multicast DNS (RFC 6762, 6763).

Whoever is near can tell anything, so that an answer is an address to be tried and no more: of this
machine or of a local network alone. Imports `zeroconf` alone.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Final

from zeroconf import DNSQuestionType, Error, InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from cli.errors import UserError
from cli.net.address import BrokerAddress, Scheme, near

NEARBY_VARIABLE: Final = "P2P304_NEARBY"
"""Names the addresses of this machine, with commas, at which codes are told and looked for; without
it all are."""

_TYPE: Final = "_p2p304._tcp.local."
_LOOPBACK: Final = "127.0.0.1"
LOOKED_FOR: Final = 2.0
"""Seconds. Who has answered another one within a second answers the next one after it."""


class NearbyError(UserError):
    """What says where codes are told and looked for cannot be used; one sentence says why."""


_log = logging.getLogger(__name__)


def can_be_told(host: str) -> bool:
    """Tell whether a broker at this address can be found by its code: IPv4 of a local network."""
    try:
        return ipaddress.ip_address(host).version == 4 and near(host)
    except ValueError:
        return False


@asynccontextmanager
async def told(number: int, host: str, port: int) -> AsyncIterator[bool]:
    """Tell the local network where the code of this number is, as long as the block lasts.

    Yields whether it could be told. A broker at a loopback address is told to this machine alone.
    """
    own = _allowed(dict.fromkeys((host, _LOOPBACK)))
    if not own:
        yield False
        return
    info = ServiceInfo(
        _TYPE,
        f"{number}.{_TYPE}",
        addresses=[socket.inet_aton(host)],
        port=port,
        server=f"p2p304-{number}.local.",
    )
    zeroconf: AsyncZeroconf | None = None
    try:
        zeroconf = _opened(own)
        # The number was looked for a moment ago, which is faster than the library's own probing.
        await zeroconf.async_register_service(info, cooperating_responders=True)
    except (OSError, Error) as error:
        _log.info("the code cannot be told to the local network: %s", type(error).__name__)
        if zeroconf is not None:
            await zeroconf.async_close()
        zeroconf = None
    try:
        yield zeroconf is not None
    finally:
        if zeroconf is not None:
            await zeroconf.async_unregister_service(info)
            await zeroconf.async_close()


async def found(number: int, *, within: float = LOOKED_FOR) -> BrokerAddress | None:
    """Return where the local network says that the code of this number is; None for nowhere."""
    allowed = _allowed(None)
    try:
        zeroconf = _opened(allowed)
    except (OSError, Error):
        return None
    try:
        info = await zeroconf.async_get_service_info(
            _TYPE,
            f"{number}.{_TYPE}",
            timeout=int(1_000 * within),
            question_type=DNSQuestionType.QM,  # others of this machine listen at the same port
        )
    finally:
        await zeroconf.async_close()
    if info is None or not info.port:
        return None
    near_ones = [each for each in info.parsed_addresses(IPVersion.V4Only) if near(each)]
    return BrokerAddress(Scheme.MQTT, near_ones[0], info.port) if near_ones else None


def _opened(interfaces: list[str] | InterfaceChoice) -> AsyncZeroconf:
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL + 1)  # it tells of strangers' packets
    return AsyncZeroconf(interfaces=interfaces, ip_version=IPVersion.V4Only)


def _allowed(own: Iterable[str] | None) -> list[str] | InterfaceChoice:
    """Return the addresses of this machine that are used, those of `own` at most.

    Raises NearbyError where the variable names something else.
    """
    named = [each.strip() for each in os.environ.get(NEARBY_VARIABLE, "").split(",")]
    named = [each for each in named if each]
    try:
        for each in named:
            ipaddress.IPv4Address(each)
    except ValueError:
        raise NearbyError(
            f"{NEARBY_VARIABLE} names IPv4 addresses of this machine, with commas between them."
        ) from None
    if own is None:
        return named or InterfaceChoice.All
    return [each for each in own if not named or each in named]
