"""The addresses of this machine at which a broker of ours can listen for the local network."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from ifaddr import get_adapters

#: Nothing is sent to it: asking the kernel for the way to it tells which address we would use. It
#: is reserved for documentation, so that the way to it is the one to everywhere.
_ELSEWHERE: Final = "192.0.2.1"


class OwnAddress(NamedTuple):
    """An IPv4 address of this machine, and the name of its interface, "" if unknown."""

    address: str
    interface: str


def own_addresses() -> tuple[OwnAddress, ...]:
    """Return this machine's IPv4 addresses that other machines may reach, each once, that of the
    default route first.
    """
    found: dict[str, str] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        # Connecting a datagram socket sends nothing, whatever the port; 9 is "discard" (RFC 863).
        probe.connect((_ELSEWHERE, 9))
        found[probe.getsockname()[0]] = ""
    # One that is known keeps its place, so that the default route's stays first. A link-local one
    # counts: two machines on one cable have nothing else.
    found |= {str(own.ip): name for own, name in _of_interfaces() if not own.is_loopback}
    return tuple(OwnAddress(*each) for each in found.items())


def in_own_network(address: str) -> bool:
    """Return whether an IPv4 address is this machine's, or in a network of one of its
    interfaces.
    """
    known = ipaddress.IPv4Address(address)
    return known.is_loopback or any(known in own.network for own, _ in _of_interfaces())


def _of_interfaces() -> Iterator[tuple[ipaddress.IPv4Interface, str]]:
    """Yield the IPv4 addresses of all interfaces, with their networks, and the interfaces' names;
    nothing if the system does not tell them.
    """
    with suppress(OSError):
        for adapter in get_adapters():
            for each in adapter.ips:
                if each.is_IPv4:
                    own = ipaddress.IPv4Interface(f"{each.ip}/{each.network_prefix}")
                    # An interface that is being set up has no address yet.
                    if not own.is_unspecified:
                        yield own, adapter.nice_name
