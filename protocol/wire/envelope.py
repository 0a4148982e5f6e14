"""The fixed binary envelope: version, purpose, seat, signature, body.

The signature covers version, purpose, seat, the charter's digest and the raw body, and is checked
before the decoder sees a byte. A message's id is a hash of its body alone: Ed25519 signatures are
not unique, so two good signatures on one body are one message.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import MAX_BYTES, digest
from protocol.errors import LocalError, MalformedMessage
from protocol.wire.identity import SIGNATURE_BYTES, PublicKey, SigningKey

# Of the envelope's layout; the protocol's own is in the charter, whose digest is signed.
VERSION: Final = 1
# Version, purpose and seat, a byte each.
_HEADER_BYTES: Final = 3
OVERHEAD_BYTES: Final = _HEADER_BYTES + SIGNATURE_BYTES
MAX_ENVELOPE_BYTES: Final = OVERHEAD_BYTES + MAX_BYTES


class Purpose(IntEnum):
    """What a signature is for. A body signed for one purpose is nothing under another."""

    # The numbers are those of the wire (specs 3.3).
    LEDGER = 1  #: A seat's contribution to a round of a ledger: at most one for each place.

    #: Talk beside the ledgers: heads, chat, an agreement to stop. Never evidence of a fork.
    NOTICE = 2

    TOURNAMENT = 3  #: A piece of a tournament's record, which no table takes.

    #: What a referee of the charter rules: the seat of its envelope is the referee's number.
    RULING = 4


#: What is signed at a table.
AT_TABLES: Final = frozenset({Purpose.LEDGER, Purpose.NOTICE, Purpose.RULING})


@dataclass(frozen=True, slots=True)
class Envelope:
    """A body with its signature, which is not checked yet; the body is not decoded."""

    purpose: Purpose
    seat: Seat
    signature: bytes
    body: bytes

    def to_bytes(self) -> bytes:
        """Return the envelope's bytes: version, purpose, seat, signature, body."""
        return bytes((VERSION, self.purpose, self.seat)) + self.signature + self.body

    @staticmethod
    def from_bytes(raw: bytes, purposes: Collection[Purpose] = AT_TABLES) -> Envelope:
        """Return the envelope that `raw` encodes; its purpose must be one of `purposes`.

        Raises MalformedMessage `envelope.size`, `envelope.version` or `envelope.purpose`, which
        blames nobody; LocalError for an object that is not `bytes`.
        """
        # Exact types: a bytearray could change after its signature was checked.
        if type(raw) is not bytes:
            raise LocalError(f"an envelope is bytes, not {type(raw).__name__}")
        # Strictly more: an envelope has a body.
        if not OVERHEAD_BYTES < len(raw) <= MAX_ENVELOPE_BYTES:
            raise MalformedMessage("envelope.size", f"{len(raw)} bytes")
        if raw[0] != VERSION:
            raise MalformedMessage("envelope.version", f"{raw[0]}, ours is {VERSION}")
        if raw[1] not in purposes:
            raise MalformedMessage("envelope.purpose", str(raw[1]))
        return Envelope(
            purpose=Purpose(raw[1]),
            seat=Seat(raw[2]),
            signature=raw[_HEADER_BYTES:OVERHEAD_BYTES],
            body=raw[OVERHEAD_BYTES:],
        )

    def verify(self, key: PublicKey, *, charter: bytes) -> None:
        """Raise BadSignature unless `key` signed this envelope for the charter of this digest, 32
        bytes.

        The charter is under the signature, so that not even a malformed body can be carried to
        another table and cost its signer there.
        """
        header = bytes((VERSION, self.purpose, self.seat))
        key.verify(self.signature, labels.SIGNATURE, header, charter, self.body)

    @property
    def message_id(self) -> bytes:
        """The message's id, 32 bytes: a digest of purpose and body, whatever the signature."""
        # Without the signature: two good ones on one body must not be two messages (attacks.md,
        # CH9).
        return digest(labels.MESSAGE_ID, bytes((self.purpose,)), self.body)


def sign(key: SigningKey, body: bytes, *, purpose: Purpose, seat: Seat, charter: bytes) -> Envelope:
    """Return `body`, signed by `key`, in an envelope.

    Raises LocalError for an empty body or one of more than MAX_BYTES.

    Args:
        body: an encoded message, notice, ruling or piece of a tournament's record.
        purpose: which of these it is, so that none can be taken for another.
        seat: the signer's seat, or a referee's number.
        charter: the digest of the charter, 32 bytes; of a tournament's, for a piece of its record.
    """
    if not 0 < len(body) <= MAX_BYTES:
        raise LocalError(f"a body has 1 to {MAX_BYTES} bytes, not {len(body)}")
    header = bytes((VERSION, purpose, seat))
    signature = key.sign(labels.SIGNATURE, header, charter, body)
    return Envelope(purpose=purpose, seat=seat, signature=signature, body=body)
