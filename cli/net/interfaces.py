"""The addresses of this machine, at which a broker of ours can listen for others in the network."""

from __future__ import annotations

import ipaddress
import socket
import struct
import sys
from contextlib import suppress
from typing import Final, NamedTuple

if sys.platform == "linux":
    import fcntl

_ELSEWHERE: Final = ("192.0.2.1", "192.168.0.1", "10.0.0.1", "172.16.0.1")
"""Nothing is sent to them: asking the kernel for the way to one tells which address we would use.
The first is reserved for documentation, so that the way to it is the one to everywhere."""
_GET_ADDRESS: Final = 0x8915
"""SIOCGIFADDR of Linux."""


class OwnAddress(NamedTuple):
    """An IPv4 address of this machine, and the name of its interface where that is known."""

    address: str
    interface: str


def own_addresses() -> tuple[OwnAddress, ...]:
    """Return the addresses of this machine in networks, the one of the default route first."""
    found = dict.fromkeys(filter(None, map(_on_the_way_to, _ELSEWHERE)), "")
    for address, name in _of_interfaces().items():
        found[address] = name
    with suppress(OSError):
        for *_, where in socket.getaddrinfo(socket.gethostname(), 0, socket.AF_INET):
            found.setdefault(str(where[0]), "")
    return tuple(OwnAddress(*each) for each in found.items() if _is_for_others(each[0]))


def _on_the_way_to(address: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect((address, 9))
        own: str = probe.getsockname()[0]
        return own
    return None


def _of_interfaces() -> dict[str, str]:
    found: dict[str, str] = {}
    if sys.platform == "linux":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            for _, name in socket.if_nameindex():
                with suppress(OSError):  # one without such an address
                    asked = struct.pack("256s", name.encode()[:15])
                    told = fcntl.ioctl(probe.fileno(), _GET_ADDRESS, asked)
                    found[socket.inet_ntoa(told[20:24])] = name
    return found


def _is_for_others(address: str) -> bool:
    known = ipaddress.IPv4Address(address)
    return not (known.is_loopback or known.is_unspecified)
