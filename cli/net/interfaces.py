"""The addresses of this machine at which a broker of ours can listen for the local network."""

from __future__ import annotations

import ipaddress
import socket
import struct
import sys
from contextlib import suppress
from typing import Final, NamedTuple

# fcntl exists on Unix alone, and the two questions on Linux.
if sys.platform == "linux":
    import fcntl

#: Nothing is sent to them: asking the kernel for the way to one tells which address we would use.
#: The first is reserved for documentation, so that the way to it is the one to everywhere; the
#: others are of private networks, to which a machine may have a way and none to everywhere.
_ELSEWHERE: Final = ("192.0.2.1", "192.168.0.1", "10.0.0.1", "172.16.0.1")
_GET_ADDRESS: Final = 0x8915  #: SIOCGIFADDR of Linux.
_GET_MASK: Final = 0x891B  #: SIOCGIFNETMASK of Linux.
#: That of most home networks, for an address whose own is not known.
_USUAL_MASK: Final = "255.255.255.0"


class OwnAddress(NamedTuple):
    """An IPv4 address of this machine, and the name of its interface, "" if unknown."""

    address: str
    interface: str


def own_addresses() -> tuple[OwnAddress, ...]:
    """Return this machine's IPv4 addresses that other machines may reach, each once, that of the
    default route first.
    """
    # Filtered by the kernel: no way to an address means no network of that kind.
    found = dict.fromkeys(filter(None, map(_on_the_way_to, _ELSEWHERE)), "")
    for address, name in _of_interfaces().items():
        # A known one keeps its place, so that the default route's stays first.
        found[address] = name
    # By the host's name: what other systems have besides. It may be known to no resolver.
    with suppress(OSError):
        for *_, where in socket.getaddrinfo(socket.gethostname(), 0, socket.AF_INET):
            found.setdefault(str(where[0]), "")
    return tuple(OwnAddress(*each) for each in found.items() if _is_for_others(each[0]))


def in_own_network(address: str) -> bool:
    """Return whether an IPv4 address is this machine's, or in a network of one of its
    interfaces.
    """
    known = ipaddress.IPv4Address(address)
    # A mask makes a network of the interface's own address: `strict` would refuse host bits.
    return known.is_loopback or any(
        known in ipaddress.IPv4Network((own.address, _mask_of(own.interface)), strict=False)
        for own in own_addresses()
    )


def _mask_of(interface: str) -> str:
    """Return the network mask of an interface; 255.255.255.0 if it is unknown."""
    if sys.platform == "linux" and interface:
        # The interface may be gone since it was listed.
        with suppress(OSError):
            return _ask_system(interface, _GET_MASK)
    return _USUAL_MASK


def _on_the_way_to(address: str) -> str | None:
    """Return our address on the route to `address`; None if there is no route. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        # Connecting a datagram socket sends nothing, whatever the port; 9 is "discard" (RFC 863).
        probe.connect((address, 9))
        own: str = probe.getsockname()[0]
        return own
    return None


def _of_interfaces() -> dict[str, str]:
    """Return the IPv4 addresses of all interfaces with their names; empty except on Linux."""
    found: dict[str, str] = {}
    if sys.platform == "linux":
        for _, name in socket.if_nameindex():
            # An interface without IPv4 answers with an error.
            with suppress(OSError):
                found[_ask_system(name, _GET_ADDRESS)] = name
    return found


if sys.platform == "linux":

    def _ask_system(interface: str, question: int) -> str:
        """Return the address that the kernel answers to an ioctl about an interface; raises
        OSError if it has none.
        """
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            # IFNAMSIZ is 16 with its zero byte; the address stands in bytes 20 to 24 of ifreq. 256
            # bytes are more than any ifreq has, which the kernel writes into.
            asked = struct.pack("256s", interface.encode()[:15])
            return socket.inet_ntoa(fcntl.ioctl(probe.fileno(), question, asked)[20:24])


def _is_for_others(address: str) -> bool:
    """Return whether other machines may reach an IPv4 address: any but loopback and 0.0.0.0, a
    link-local one too.
    """
    # 169.254 stays: two machines on one cable have nothing else.
    known = ipaddress.IPv4Address(address)
    return not (known.is_loopback or known.is_unspecified)
