"""The exchange of keys under a code's words, and what host and joiner derive from it.

SPAKE2 over Ed25519: whoever listens learns nothing of the words; whoever takes part learns whether
one guess was right. All that follows is bound to everything that was said in the exchange. The only
module that imports `spake2`; specs/07-wire.md, 7.9, says for others what that computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from spake2 import SPAKE2_A, SPAKE2_B
from spake2.spake2 import SPAKEError

from protocol import labels
from protocol.encoding import digest, frame
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION
from protocol.wire.code import Code
from protocol.wire.code_messages import ID_BYTES, Guess, Offer
from protocol.wire.edwards import check_public_key
from protocol.wire.identity import Seal, derive_key

HOST_SEAT: Final = 0
"""Whose sealing key the host takes; who joins has no seat yet."""

ROOM: Final = 1_996
"""Every sealed message of a code is as large as one of so many bytes: its size tells nothing."""

_JOINER: Final = b"A"
_HOST: Final = b"B"


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
        return digest(labels.CODE_EXCHANGE, *fields)


class KeySide:
    """Our side of one exchange: it has one element to send, and takes one."""

    __slots__ = ("_exchange", "_other", "element")
    element: bytes

    def __init__(
        self, password: bytes, joiner: bytes, host: bytes, *, at_host: bool, entropy: Entropy
    ) -> None:
        """Begin an exchange between `joiner` and `host`, as each names the other."""
        made = SPAKE2_B if at_host else SPAKE2_A
        self._exchange = made(password, idA=joiner, idB=host, entropy_f=entropy)
        self._other = _JOINER if at_host else _HOST
        self.element = bytes(self._exchange.start()[1:])

    def key(self, element: bytes) -> bytes:
        """Return the 32 bytes that both have if they gave one password.

        Raises MalformedMessage `code` for an element that is none, or our own sent back. It is
        asked once.
        """
        try:
            check_public_key(element)  # canonical, on the curve, of prime order
            return bytes(self._exchange.finish(self._other + element))
        except (MalformedMessage, SPAKEError) as error:
            raise MalformedMessage("code", "the element is none") from error


def host_id(table: bytes, number: int, salt: bytes) -> bytes:
    """Return the id of a table's host at a code: nobody learns the table from it, and whoever is
    told the `salt` sees that it is this table's."""
    return digest(labels.CODE_HOST, table, _number(number), salt)[:ID_BYTES]


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
