"""What host and joiner of a code derive from their exchange, bound to all that was said in it.

Specified in specs/07-wire.md, 7.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from protocol import labels
from protocol.hashing import frame
from protocol.version import PROTOCOL_VERSION
from protocol.wire.code import Code
from protocol.wire.code_messages import ID_BYTES, Guess, Offer
from protocol.wire.identity import Seal, derive_key

HOST_SEAT: Final = 0
"""Whose sealing key the host takes; who joins has no seat yet."""

ROOM: Final = 1_996
"""Every sealed message of a code is as large as one of so many bytes: its size tells nothing."""


@dataclass(frozen=True, slots=True)
class ExchangeId:
    """Which exchange it is: the code's number, and what host and joiner drew for it."""

    number: int
    host: bytes
    joiner: bytes
    exchange: bytes

    @classmethod
    def of(cls, message: Offer | Guess) -> Self:
        """Return the exchange to which a message says that it belongs."""
        return cls(message.number, message.host, message.joiner, message.exchange)

    @property
    def fields(self) -> tuple[bytes, ...]:
        """The exchange as fields of a hash."""
        return (_number(self.number), self.host, self.joiner, self.exchange)

    @property
    def sides(self) -> tuple[bytes, bytes]:
        """How joiner and host are called in the exchange of keys."""
        return (
            frame(labels.CODE_JOINER_SIDE, *self.fields),
            frame(labels.CODE_HOST_SIDE, *self.fields),
        )

    def transcript(self, host_element: bytes, joiner_element: bytes) -> bytes:
        """Return the digest of all that both sides must have seen alike."""
        fields = (*self.fields, host_element, joiner_element)
        return sha256(frame(labels.CODE_EXCHANGE, *fields)).digest()


def host_id(table: bytes, number: int, salt: bytes) -> bytes:
    """Return the id of a table's host at a code: nobody learns the table from it, and whoever is
    told the `salt` sees that it is this table's."""
    return sha256(frame(labels.CODE_HOST, table, _number(number), salt)).digest()[:ID_BYTES]


def password(code: Code) -> bytes:
    """Return the password that the code is."""
    return frame(labels.CODE_PASSWORD, code.format().encode("ascii"))


def confirmation(key: bytes, transcript: bytes) -> bytes:
    """Return what shows that somebody has the key of an exchange."""
    return derive_key(key, labels.CODE_CONFIRMATION, transcript)


def seal_of(key: bytes, transcript: bytes, exchange: bytes) -> Seal:
    """Return what seals all that follows; the exchange's id takes the place of the table's."""
    return Seal(derive_key(key, labels.CODE_SEAL, transcript), exchange)


def _number(number: int) -> bytes:
    return bytes((PROTOCOL_VERSION,)) + number.to_bytes(2, "big")
