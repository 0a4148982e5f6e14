"""The address of a broker: a URL without secrets, encrypted unless the broker is near.

A cluster of brokers has an address for each node; a table names at most four.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Self
from urllib.parse import urlsplit

from cli.bounds import LONGEST_ADDRESS, LONGEST_NODES, MAX_NODES
from cli.errors import UserError

# The path that mosquitto, EMQX and browsers' clients use by default.
DEFAULT_WEBSOCKET_PATH: Final = "/mqtt"
# Not "localhost": that may be ::1 on one machine and 127.0.0.1 on another.
LOOPBACK: Final = "127.0.0.1"  #: The address at which this machine alone reaches itself.
# Underscores are no letters of DNS host names, but home networks have them. A final dot ends a full
# name.
_HOST_NAME: Final = re.compile(
    r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?"
)
# Of an IPv6 zone, as in fe80::1%eth0: no comma, which parts two addresses.
_ZONE: Final = re.compile(r"[A-Za-z0-9._~-]+")
_NO_ADDRESS: Final = f"A broker's address is 1 to {LONGEST_ADDRESS} plain characters."
# No "%", which would be a second way to write one path, and no comma, which parts two addresses.
_PATH: Final = re.compile(r"/[A-Za-z0-9._~/-]*")


class AddressError(UserError):
    """The text is no address of a broker; one sentence says why."""


class Scheme(Enum):
    """The way to a broker: TCP or websocket, with or without TLS. The value is the URL's scheme."""

    MQTT = "mqtt"
    MQTTS = "mqtts"
    WS = "ws"
    WSS = "wss"

    @property
    def encrypted(self) -> bool:
        """Whether TLS is spoken, with the certificate verified."""
        return self in (Scheme.MQTTS, Scheme.WSS)

    @property
    def websocket(self) -> bool:
        """Whether MQTT travels in websocket messages."""
        return self in (Scheme.WS, Scheme.WSS)

    @property
    def port(self) -> int:
        """The default port of the scheme."""
        return {Scheme.MQTT: 1883, Scheme.MQTTS: 8883, Scheme.WS: 80, Scheme.WSS: 443}[self]


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """The address of a broker; it never holds a user name or a password."""

    scheme: Scheme
    #: Without brackets, and in small letters as DNS knows no case, but for an IPv6 zone: the names
    #: of interfaces have one.
    host: str
    port: int
    path: str = ""  #: Of a websocket; empty for other schemes.

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the address in `mqtts://host[:port]`, `mqtt://`, `wss://host[:port][/path]`,
        `ws://` or `host`.

        A bare host means `mqtts`, or `mqtt` if it is near (see `near`). Raises AddressError with
        one sentence, which never repeats a password.
        """
        text = text.strip()
        # Text of strangers: an invite brings it.
        if not text or len(text) > LONGEST_ADDRESS or not text.isascii() or not text.isprintable():
            raise AddressError(_NO_ADDRESS)
        # A bare host has no scheme to tell whether it is encrypted.
        bare = "://" not in text
        try:
            # Without a scheme urlsplit would take the host for a path.
            parts = urlsplit(f"mqtt://{text}" if bare else text)
            port = parts.port
        except ValueError as error:
            raise AddressError("The broker's address has no valid host or port.") from error
        # An address goes into invites and onto screens: a password in it would be shown to all.
        if "@" in parts.netloc:
            raise AddressError(
                "A broker's address holds no user and no password:"
                " give them in a file or when asked."
            )
        # Also an empty query or fragment, which urlsplit drops: one node must have one text.
        if parts.query or parts.fragment or "?" in text or "#" in text:
            raise AddressError("A broker's address ends with the host, the port or the path.")
        # None for no host: "" is refused in its place.
        host = _checked_host(parts.hostname or "")
        try:
            scheme = Scheme(parts.scheme)
        except ValueError as error:
            raise AddressError(
                "A broker's address begins with mqtts://, mqtt://, wss:// or ws://."
            ) from error
        # Encrypted unless near: a password or a topic would be read on the way.
        if bare and not near(host):
            scheme = Scheme.MQTTS
        # Port 0 asks a kernel for any free port: nobody can be called there.
        if port == 0:
            raise AddressError("Port 0 is no port of a broker.")
        address = cls(scheme, host, port or scheme.port, _checked_path(parts.path, scheme))
        if len(address.format()) > LONGEST_ADDRESS:  # a bare host's scheme is written as well
            raise AddressError(_NO_ADDRESS)
        return address

    def format(self) -> str:
        """Return the URL that `parse` reads back, without the scheme's default port and path."""
        port = "" if self.port == self.scheme.port else f":{self.port}"
        path = "" if self.path == DEFAULT_WEBSOCKET_PATH else self.path
        return f"{self.scheme.value}://{bracketed(self.host)}{port}{path}"

    @property
    def netloc(self) -> str:
        """The host and the port, as HTTP writes them."""
        return f"{bracketed(self.host)}:{self.port}"

    @property
    def near(self) -> bool:
        """Whether the host's text names this machine or the local network, as the function
        `near` tells.
        """
        return near(self.host)

    @property
    def loopback(self) -> bool:
        """Whether the host is a loopback address or `localhost`, which other machines cannot
        reach.
        """
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            # A final dot ends a full DNS name: it is the same host.
            return self.host.rstrip(".") == "localhost"

    @property
    def exposed(self) -> bool:
        """Whether TLS is not spoken to a host that is not near, so that a password could be read
        on the way.
        """
        return not self.scheme.encrypted and not self.near


def checked_nodes(nodes: Sequence[BrokerAddress]) -> tuple[BrokerAddress, ...]:
    """Return the addresses of one broker's nodes unchanged.

    Raises AddressError for none, for more than four, for one twice, or for too many characters.
    """
    # Twice the same node would be tried in vain twice.
    if not 1 <= len(nodes) <= MAX_NODES or len(set(nodes)) != len(nodes):
        raise AddressError(f"A table meets at 1 to {MAX_NODES} different addresses of one broker.")
    if len(format_nodes(nodes)) > LONGEST_NODES:
        raise AddressError(
            f"The broker's addresses have more than {LONGEST_NODES} characters: name fewer nodes."
        )
    return tuple(nodes)


def parse_nodes(text: str) -> tuple[BrokerAddress, ...]:
    """Return the addresses in a text such as `mqtts://a.example,mqtts://b.example`.

    All are nodes of one cluster: a message sent to one reaches the subscribers of all. Raises
    AddressError.
    """
    # Split at most so often: a long text of commas makes no long list, and one address more than
    # `MAX_NODES` is enough to be refused.
    return checked_nodes([BrokerAddress.parse(each) for each in text.split(",", MAX_NODES)])


def format_nodes(nodes: Iterable[BrokerAddress]) -> str:
    """Return the addresses joined by commas, as `parse_nodes` reads them back."""
    return ",".join(each.format() for each in nodes)


def bracketed(host: str) -> str:
    """Return a host as it stands in a URL: an address of IPv6 in brackets, which keep its colons
    apart from the port's.
    """
    return f"[{host}]" if ":" in host else host


def near(host: str) -> bool:
    """Return whether a host is near: an IP address that is loopback, private or link-local, or a
    name of this machine or a home.

    These are `localhost`, `*.localhost`, `*.local`, `*.lan` and `*.home.arpa`. No name server is
    asked.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # No IP address, so a name: names of the local network by their ends.
        name = host.rstrip(".")
        # Reserved for this machine and homes (RFC 6761, 6762, 8375), and .lan of many routers.
        return name == "localhost" or name.endswith((".localhost", ".local", ".lan", ".home.arpa"))
    # `is_private` has the other two in it; all three are named, as people look for them.
    return address.is_loopback or address.is_private or address.is_link_local


def _checked_host(host: str) -> str:
    """Return the host unchanged; raises AddressError if it is neither an IP address nor a host
    name.
    """
    try:
        # An IP address first: IPv6 has colons, which no host name has.
        ipaddress.ip_address(host)
    except ValueError:
        # DNS has no longer names (RFC 1035).
        if len(host) > 253 or not _HOST_NAME.fullmatch(host):
            raise AddressError("The broker's address names no host.") from None
    _, percent, zone = host.partition("%")
    if percent and not _ZONE.fullmatch(zone):  # it could hold the comma between two addresses
        raise AddressError("The broker's address names no host.")
    return host


def _checked_path(path: str, scheme: Scheme) -> str:
    """Return the path for a websocket scheme, `/mqtt` if there is none; "" for other schemes.

    Raises AddressError for a path under another scheme, or with a character that it may not have.
    """
    if not scheme.websocket:
        # "/" is what browsers and people put behind a host: it is no path.
        if path not in ("", "/"):
            raise AddressError("Only ws:// and wss:// addresses have a path.")
        return ""
    if path in ("", "/"):
        return DEFAULT_WEBSOCKET_PATH
    if not _PATH.fullmatch(path):
        raise AddressError("The path of a broker's address has a character that it may not have.")
    return path
