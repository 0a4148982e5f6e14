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

HOST_SEAT: Final = 0  #: Whose sealing key the host takes; who joins has no seat yet.

# A frame of 2,048 bytes (specs 7.9) less the overhead of sealing, 52.
#: Every sealed message of a code is as large as one of so many bytes: its size tells nothing.
ROOM: Final = 1_996

# The letters by which the library names the sides of an element.
_JOINER: Final = b"A"
_HOST: Final = b"B"


@dataclass(frozen=True, slots=True)
class ExchangeId:
    """An exchange: the code's number, and three ids of 16 bytes: the host's, the joiner's, and
    the one that the host drew for this guess.
    """

    number: int
    host: bytes
    joiner: bytes
    exchange: bytes

    @classmethod
    def of(cls, message: Offer | Guess) -> Self:
        """Return the exchange that a message names."""
        return cls(message.number, message.host, message.joiner, message.exchange)

    @property
    def fields(self) -> tuple[bytes, ...]:
        """The exchange as fields of a hash: number, host, joiner and exchange, each as bytes."""
        return (_number(self.number), self.host, self.joiner, self.exchange)

    @property
    def sides(self) -> tuple[bytes, bytes]:
        """The names of joiner and host, in this order, in the exchange of keys."""
        # The joiner is the library's side A, the host its side B.
        return (
            frame(labels.CODE_JOINER_SIDE, *self.fields),
            frame(labels.CODE_HOST_SIDE, *self.fields),
        )

    def transcript(self, host_element: bytes, joiner_element: bytes) -> bytes:
        """Return a digest of the exchange and both elements, 32 bytes, equal on both sides if
        nobody interfered.
        """
        fields = (*self.fields, host_element, joiner_element)
        return digest(labels.CODE_EXCHANGE, *fields)


class KeySide:
    """One side of an exchange of keys under a password: `element` is to be sent, and `key` takes
    the other side's.
    """

    __slots__ = ("_exchange", "_other", "element")
    element: bytes

    def __init__(
        self, password: bytes, joiner: bytes, host: bytes, *, at_host: bool, entropy: Entropy
    ) -> None:
        """Begin an exchange of keys under `password`; `at_host` says whether ours is the host's
        side.

        `joiner` and `host` are the names of the sides (`ExchangeId.sides`). `element` is what to
        send.
        """
        made = SPAKE2_B if at_host else SPAKE2_A
        self._exchange = made(password, idA=joiner, idB=host, entropy_f=entropy)
        self._other = _JOINER if at_host else _HOST
        # The library puts the side's letter in front; both sides know it.
        self.element = bytes(self._exchange.start()[1:])

    def key(self, element: bytes) -> bytes:
        """Return the shared key, 32 bytes, from the other side's element; equal on both sides if
        their passwords are.

        Call it once: the library takes no second element. Raises MalformedMessage `code` for bytes
        that are no element, and for our own element.
        """
        try:
            # A point of small order would make the key guessable without the password.
            check_public_key(element)  # canonical, on the curve, of prime order
            return bytes(self._exchange.finish(self._other + element))
        except (MalformedMessage, SPAKEError) as error:
            raise MalformedMessage("code", "the element is none") from error


def host_id(table: bytes, number: int, salt: bytes) -> bytes:
    """Return the 16-byte id under which a table's host meets those who type a code: a hash of the
    table's id, the code's number and `salt`.

    Who is given `salt` and the table's id later can check the id.
    """
    # Salted: the table's id must not be recognised by who has it from an invite.
    return digest(labels.CODE_HOST, table, _number(number), salt)[:ID_BYTES]


def password(code: Code) -> bytes:
    """Return the password of the exchange of keys, as bytes: the code's text under a label."""
    return frame(labels.CODE_PASSWORD, code.format().encode("ascii"))


def confirmation(key: bytes, transcript: bytes) -> bytes:
    """Return 32 bytes that prove possession of the exchange's `key` without showing it, bound to
    its `transcript`.
    """
    return derive_key(key, labels.CODE_CONFIRMATION, transcript)


def seal_of(key: bytes, transcript: bytes, exchange: bytes) -> Seal:
    """Return the seal of all later messages of an exchange: its key comes from the shared key,
    its table id is `exchange`.
    """
    return Seal(derive_key(key, labels.CODE_SEAL, transcript), exchange)


def _number(number: int) -> bytes:
    """Return the protocol's version in one byte, then the code's number in two, big-endian."""
    # With the version: programs of two versions derive no key and no id in common.
    return bytes((PROTOCOL_VERSION,)) + number.to_bytes(2, "big")
