"""The invite: one string that brings a player, or a spectator, to a table.

It holds the broker's address, the table's id and key, and for a player a seat and the token that
claims it. A clustered broker has up to four addresses. The form: `P2P304-` and Crockford's base32
of

    version (1) | seat, or 255 to watch (1) | length of the addresses (1) |
    table id (16) | table key (32) | claim token (16, players only) | addresses | checksum (5)

The checksum is the beginning of a labelled SHA-256, so that a mistyped invite is noticed here
and burns nothing. Case, spaces, line breaks and hyphens do not matter; O reads as 0, I and L as 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self

import segno

from cli.errors import UserError
from cli.net.address import (
    AddressError,
    BrokerAddress,
    checked_nodes,
    format_nodes,
    parse_nodes,
)
from p2p304.seats import Seat
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION, check_version
from protocol.wire.charter import MAX_SEATS, TABLE_BYTES
from protocol.wire.identity import KEY_BYTES

TOKEN_BYTES: Final = 16
PREFIX: Final = "P2P304"
LONGEST: Final = 2_048
_WATCH: Final = 255
_CHECKSUM_BYTES: Final = 5
_LABEL: Final = b"p2p304 invite 1"
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans("OIL", "011")
_HEAD_BYTES: Final = 3


class InviteError(UserError):
    """The text is no invite that can be used; one sentence says why and what to do."""


class InviteVersionError(InviteError):
    """The invite is of a table of another version; `detail` says of which."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"The invite is {detail}.")
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Invite:
    """What an invite holds. `repr` shows neither key nor token.

    `seat` and `token` are None together: then it lets a spectator watch. The constructor raises
    InviteError for parts of a wrong size or with too little randomness in them. `other_nodes` are
    further addresses of the same clustered broker.
    """

    broker: BrokerAddress
    table: bytes
    table_key: bytes = field(repr=False)
    seat: Seat | None = None
    token: bytes | None = field(default=None, repr=False)
    other_nodes: tuple[BrokerAddress, ...] = ()

    def __post_init__(self) -> None:
        if len(self.table) != TABLE_BYTES or len(self.table_key) != KEY_BYTES:
            raise InviteError("The invite's table or key has a wrong size: ask for a new invite.")
        if (self.seat is None) != (self.token is None):
            raise InviteError("The invite has a seat without its token: ask for a new invite.")
        if self.seat is not None and not 0 <= self.seat < MAX_SEATS:
            raise InviteError("The invite names a seat that no table has: ask for a new invite.")
        if self.token is not None and len(self.token) != TOKEN_BYTES:
            raise InviteError("The invite's token has a wrong size: ask for a new invite.")
        if not _looks_random(self.table_key) or not _looks_random(self.token):
            raise InviteError(
                "The invite's key was not drawn at random, so strangers could guess it:"
                " ask for a new invite."
            )
        checked_nodes(self.nodes)

    @property
    def nodes(self) -> tuple[BrokerAddress, ...]:
        """Every address of the broker."""
        return (self.broker, *self.other_nodes)

    @property
    def where(self) -> str:
        """The addresses, as people read them."""
        *most, last = (each.format() for each in self.nodes)
        return f"{', '.join(most)} or {last}" if most else last

    def at(self, nodes: Sequence[BrokerAddress]) -> Self:
        """Return the same invite for a table that meets there. Raises AddressError for too many."""
        broker, *others = checked_nodes(nodes)
        return replace(self, broker=broker, other_nodes=tuple(others))

    @property
    def watches(self) -> bool:
        """Whether it lets one watch, without a seat."""
        return self.seat is None

    def to_watch(self) -> Self:
        """Return the invite to watch the same table, without a seat."""
        return replace(self, seat=None, token=None)

    def format(self) -> str:
        """Return the one string, capital letters and digits after `P2P304-`."""
        address = format_nodes(self.nodes).encode("ascii")
        head = bytes((PROTOCOL_VERSION, _WATCH if self.seat is None else self.seat, len(address)))
        body = head + self.table + self.table_key + (self.token or b"") + address
        return f"{PREFIX}-{_to_text(body + _checksum(body))}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the invite in `text`.

        Raises InviteError with one sentence. Nothing is sent anywhere.
        """
        data = _from_text(text)
        if data[:1] != bytes((PROTOCOL_VERSION,)):
            raise _of_another_version(data)
        watching = len(data) > 1 and data[1] == _WATCH
        parts = (_HEAD_BYTES, TABLE_BYTES, KEY_BYTES, 0 if watching else TOKEN_BYTES)
        whole = sum(parts) + _CHECKSUM_BYTES + (data[2] if len(data) > 2 else 0)
        if len(data) < whole:
            raise InviteError(
                "The invite is cut off or a character is missing: copy all of it, to the last one."
            )
        body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        if len(data) > whole or checksum != _checksum(body):
            raise InviteError(
                "The invite is mistyped: a character is wrong, missing or too many;"
                " compare it with the original."
            )
        fields: list[bytes] = []
        start = 0
        for size in parts:
            fields.append(body[start : start + size])
            start += size
        _, table, table_key, token = fields
        try:
            broker, *others = parse_nodes(body[start:].decode("ascii"))
        except (AddressError, UnicodeDecodeError) as error:
            raise InviteError("The invite names no broker: ask for a new invite.") from error
        seat = None if watching else Seat(body[1])
        return cls(broker, table, table_key, seat, token or None, tuple(others))


def new_token(entropy: Entropy) -> bytes:
    """Draw a claim token."""
    return entropy(TOKEN_BYTES)


def qr_code(text: str, *, border: int = 2) -> str:
    """Return `text` as a QR code of half blocks, two rows of modules a line, light ones drawn.

    An invite with an ordinary address takes at most 23 lines, so it fits a screen of 80×24.
    """
    modules = [
        [bool(module) for module in row]
        for row in segno.make(text, error="l", micro=False).matrix_iter(border=border)
    ]
    if len(modules) % 2:
        modules.append([False] * len(modules[0]))
    # Light modules are drawn because most terminals are dark; readers take both.
    signs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return "\n".join(
        "".join(signs[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(modules[::2], modules[1::2], strict=True)
    )


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(_LABEL + body).digest()[:_CHECKSUM_BYTES]


def _of_another_version(data: bytes) -> InviteError:
    """Return why an invite does not begin with our version: a right checksum tells it from
    mistyping."""
    body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if body and checksum == _checksum(body):
        try:
            check_version(body[0], check="invite")
        except MalformedMessage as error:
            return InviteVersionError(error.detail)
    return InviteError("The invite is mistyped at its beginning: compare it with the original.")


def _looks_random(secret: bytes | None) -> bool:
    """Tell whether a secret may be random: not few different bytes, nor typed characters alone.

    A right one fails this with a probability below 2⁻⁴⁰.
    """
    if secret is None:
        return True
    typed = all(0x20 <= byte < 0x7F for byte in secret) and len(secret) == KEY_BYTES
    return len(set(secret)) >= len(secret) // 2 and not typed


def _to_text(data: bytes) -> str:
    bits = 8 * len(data)
    places = -(-bits // 5)
    number = int.from_bytes(data, "big") << (5 * places - bits)
    return "".join(_DIGITS[number >> (5 * place) & 31] for place in reversed(range(places)))


def _from_text(text: str) -> bytes:
    """Return the bytes of an invite's text; InviteError where it has none or characters of
    another."""
    if len(text) > LONGEST:
        raise InviteError("This is too long for an invite: paste the invite alone.")
    letters = "".join(text.split()).replace("-", "").upper()
    if not letters:
        raise InviteError("There is no invite: paste the line that the host sent you.")
    if not letters.startswith(PREFIX) or len(letters) == len(PREFIX):
        raise InviteError(f"This is no invite: one begins with {PREFIX}-.")
    digits = letters[len(PREFIX) :].translate(_READ_AS)
    number = 0
    for position, digit in enumerate(digits, start=1):
        value = _DIGITS.find(digit)
        if value < 0:
            raise InviteError(
                f"Character {position} after {PREFIX}- is none that an invite has:"
                " compare it with the original."
            )
        number = number << 5 | value
    spare = 5 * len(digits) % 8
    if spare >= 5 or number & ((1 << spare) - 1):
        raise InviteError(
            "The invite is mistyped: a character is wrong, missing or too many;"
            " compare it with the original."
        )
    return (number >> spare).to_bytes(5 * len(digits) // 8, "big")
