"""The invite as text: one string that brings a player, or one who watches, to a table.

It holds the broker's addresses, the table's id and key, and for a player a seat and the token that
claims it. The form: `P2P304-` and Crockford's base32 of

    version (1) | seat, or 255 to watch (1) | length of the addresses (1) |
    table id (16) | table key (32) | claim token (16, players only) | addresses | checksum (5)

The checksum is the beginning of a labelled SHA-256, so that a mistyped invite is noticed here
and burns nothing. Case, spaces, line breaks and hyphens do not matter; O reads as 0, I and L as 1.
Specified in specs/07-wire.md, 7.3; what an address is, the network's floor knows.
"""

from __future__ import annotations

import hashlib
from base64 import b32decode, b32encode
from dataclasses import dataclass, field
from typing import Final

from p2p304.seats import Seat
from protocol.bounds import LONGEST_INVITE, MAX_SEATS
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION, other_version
from protocol.wire.charter import TABLE_BYTES
from protocol.wire.identity import KEY_BYTES

TOKEN_BYTES: Final = 16  # 128 bits, which nobody guesses
PREFIX: Final = "P2P304"

# In the place of a seat, of which there are 64.
_WATCH: Final = 255
# 40 bits against typing errors; nobody gains by forging them.
_CHECKSUM_BYTES: Final = 5
# Not in `labels`: a checksum against slips, which nothing secret or signed rests on (specs 7.3).
_LABEL: Final = b"p2p304 invite 1"
# Crockford's base32 leaves out I, L, O and U, which are misread.
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans("OIL", "011")
# The standard library has the digits of RFC 4648; the bits are the same.
_RFC_DIGITS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_FROM_RFC: Final = str.maketrans(_RFC_DIGITS, _DIGITS)
_TO_RFC: Final = str.maketrans(_DIGITS, _RFC_DIGITS)
# Version, seat, length of the addresses.
_HEAD_BYTES: Final = 3
_MISTYPED: Final = (
    "the invite is mistyped: a character is wrong, missing or too many;"
    " compare it with the original"
)


@dataclass(frozen=True, slots=True)
class InviteFields:
    """The fields of an invite: table id (16 bytes), table key (32), claim token (16), seat and
    broker addresses. `repr` shows neither key nor token.

    `seat` and `token` are None together: such an invite is for watching. `addresses` is ASCII, at
    most 255 characters, and is not checked here. The constructor raises MalformedMessage `invite`,
    whose detail says what is wrong and what to do, for parts of a wrong size or with too little
    randomness in them.
    """

    table: bytes
    table_key: bytes = field(repr=False)
    seat: Seat | None
    token: bytes | None = field(repr=False)
    addresses: str

    def __post_init__(self) -> None:
        """Check sizes and randomness; raises MalformedMessage `invite`."""
        if len(self.table) != TABLE_BYTES or len(self.table_key) != KEY_BYTES:
            raise _invite_error("the invite's table or key has a wrong size: ask for a new invite")
        if (self.seat is None) != (self.token is None):
            raise _invite_error("the invite has a seat without its token: ask for a new invite")
        if self.seat is not None and not 0 <= self.seat < MAX_SEATS:
            raise _invite_error("the invite names a seat that no table has: ask for a new invite")
        if self.token is not None and len(self.token) != TOKEN_BYTES:
            raise _invite_error("the invite's token has a wrong size: ask for a new invite")
        # An invite made by hand is a table key that strangers can guess (attacks.md, MQ13).
        if not _looks_random(self.table_key) or not _looks_random(self.token):
            raise _invite_error(
                "the invite's key was not drawn at random, so strangers could guess it:"
                " ask for a new invite"
            )

    def format(self) -> str:
        """Return the invite as one string: `P2P304-`, then capital letters and digits."""
        addresses = self.addresses.encode("ascii")
        seat = _WATCH if self.seat is None else self.seat
        head = bytes((PROTOCOL_VERSION, seat, len(addresses)))
        # No token in an invite to watch.
        body = head + self.table + self.table_key + (self.token or b"") + addresses
        return f"{PREFIX}-{_to_text(body + _checksum(body))}"

    @classmethod
    def parse(cls, text: str) -> InviteFields:
        """Return the fields of the invite that a person typed or pasted; the addresses are not
        checked.

        Raises MalformedMessage `invite.version` for an invite of another version of the program,
        and `invite`, whose detail tells the person what is wrong, for any other text.
        """
        data = _from_text(text)
        # Before the shape, which another version may have changed.
        if data[:1] != bytes((PROTOCOL_VERSION,)):
            raise _of_another_version(data)
        watching = len(data) > 1 and data[1] == _WATCH
        parts = (_HEAD_BYTES, TABLE_BYTES, KEY_BYTES, 0 if watching else TOKEN_BYTES)
        # Without a third byte the text is cut off, whatever its length would be.
        whole = sum(parts) + _CHECKSUM_BYTES + (data[2] if len(data) > 2 else 0)
        if len(data) < whole:
            raise _invite_error(
                "the invite is cut off or a character is missing: copy all of it, to the last one"
            )
        body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        # Only now: a text that is too short got a better word already.
        if len(data) > whole or checksum != _checksum(body):
            raise _invite_error(_MISTYPED)
        fields: list[bytes] = []
        start = 0
        for size in parts:
            fields.append(body[start : start + size])
            start += size
        _, table, table_key, token = fields
        try:
            addresses = body[start:].decode("ascii")
        # The checksum was right, so nobody mistyped it: a host wrote it so.
        except UnicodeDecodeError:
            raise _invite_error("the invite names no broker: ask for a new invite") from None
        seat = None if watching else Seat(body[1])
        # Of an invite to watch the token is b"", and then None as the seat is.
        return cls(table, table_key, seat, token or None, addresses)


def new_token(entropy: Entropy) -> bytes:
    """Return a new claim token, 16 bytes of `entropy`."""
    return entropy(TOKEN_BYTES)


def _invite_error(detail: str) -> MalformedMessage:
    """Return the error for a text that is no invite, with `detail` for the person who pasted it."""
    return MalformedMessage("invite", detail)


def _checksum(body: bytes) -> bytes:
    """Return the five bytes that end an invite with this body."""
    return hashlib.sha256(_LABEL + body).digest()[:_CHECKSUM_BYTES]


def _of_another_version(data: bytes) -> MalformedMessage:
    """Return the error for an invite that does not begin with our version: `invite.version` if
    its checksum is right, else `invite`, as it is mistyped.
    """
    body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if body and checksum == _checksum(body):
        return other_version(body[0], check="invite.version")
    return _invite_error("the invite is mistyped at its beginning: compare it with the original")


def _looks_random(secret: bytes | None) -> bool:
    """Tell whether a secret may be random: at least half as many different bytes as bytes, and no
    32 bytes of printable ASCII. True for None.

    A random secret fails with a probability below 2⁻⁴⁰.
    """
    if secret is None:
        return True
    # Of the key alone: 16 random bytes are printable ASCII too often (specs 7.3, no. 4).
    typed = all(0x20 <= byte < 0x7F for byte in secret) and len(secret) == KEY_BYTES
    return len(set(secret)) >= len(secret) // 2 and not typed


def _to_text(data: bytes) -> str:
    """Return bytes in Crockford's base32, five bits a character, the last one filled up with
    zero bits.
    """
    return b32encode(data).decode("ascii").rstrip("=").translate(_FROM_RFC)


def _from_text(text: str) -> bytes:
    """Return the bytes that the text of an invite stands for, its checksum unchecked.

    Raises MalformedMessage `invite` for a text that is too long or empty, another prefix, a
    character that no invite has, and bits left over.
    """
    if len(text) > LONGEST_INVITE:
        raise _invite_error("this is too long for an invite: paste the invite alone")
    letters = "".join(text.split()).replace("-", "").upper()
    if not letters:
        raise _invite_error("there is no invite: paste the line that the host sent you")
    if not letters.startswith(PREFIX) or len(letters) == len(PREFIX):
        raise _invite_error(f"this is no invite: one begins with {PREFIX}-")
    digits = letters[len(PREFIX) :].translate(_READ_AS)
    for position, digit in enumerate(digits, start=1):
        if digit not in _DIGITS:
            raise _invite_error(
                f"character {position} after {PREFIX}- is none that an invite has:"
                " compare it with the original"
            )
    try:
        data = b32decode(digits.translate(_TO_RFC) + "=" * (-len(digits) % 8))
    # binascii.Error: so many characters are no whole bytes.
    except ValueError:
        raise _invite_error(_MISTYPED) from None
    # The spare bits of the last character are zero: one invite has one text.
    if _to_text(data) != digits:
        raise _invite_error(_MISTYPED)
    return data
