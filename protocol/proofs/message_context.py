"""Where a message is made: the place and the history that everything in it is bound to."""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.slots import Slot
from protocol import labels
from protocol.hashing import digest
from protocol.places import Digest, Place
from protocol.proofs.context import ProofContext
from protocol.version import PROTOCOL_VERSION


@dataclass(frozen=True, slots=True)
class MessageContext:
    """The charter, the place of a message and the digest of the last closed round before it.

    Prover and verifier each take it from their own state; a proof or commitment made for another
    occasion fails.
    """

    charter: bytes
    place: Place
    previous: Digest

    @property
    def ledger_bytes(self) -> bytes:
        """The ledger's name in five bytes: lane, number."""
        (lane, number), _, _ = self.place
        return bytes((lane,)) + number.to_bytes(4, "big")

    def proof_context(self, kind: str) -> ProofContext:
        """What the proofs of a message of this kind are bound to.

        Every deal, a redeal too, is a ledger of its own, so its number counts the attempts.
        """
        return ProofContext(
            version=PROTOCOL_VERSION,
            table=self.charter,
            ledger=self.ledger_bytes,
            attempt=self.place.ledger.number,
            round=self.place.round,
            seat=int(self.place.seat),
            kind=kind,
            history=bytes(self.previous),
        )

    def commitment_context(self, slot: Slot) -> bytes:
        """What the hash commitment to the card of `slot` is bound to: 32 bytes."""
        return digest(
            labels.COMMITMENT_CONTEXT,
            self.charter,
            self.ledger_bytes,
            self.place.round.to_bytes(4, "big"),
            bytes((self.place.seat,)),
            int(slot).to_bytes(4, "big"),
        )
