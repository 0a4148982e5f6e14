"""Where messages and their proofs belong: what binds them to table, deal, round, seat and purpose.

Every proof's session identifier is a hash over all of this, so that a proof made for one place
fails in every other one (specs/04-cards.md, 4.2). The caller fills it from its own state;
nothing here comes from the message that carries the proof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from p2p304.cards import Slot
from protocol import labels
from protocol.encoding import digest
from protocol.errors import LocalError
from protocol.places import Digest, Place
from protocol.version import PROTOCOL_VERSION

# Each number of a context is hashed as u32 (specs 4.2).
_NUMBER_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class ProofContext:
    """One place in one game at which one message of one seat is made.

    `version` is the protocol's, `table` the charter's digest, `ledger` the ledger's name in bytes,
    `attempt` the ledger's number, `kind` the message's name, `history` the digest of the last
    closed round. Raises `LocalError` for a number outside 0 to 2^32-1, and for identifiers that are
    not bytes.
    """

    version: int
    table: bytes
    ledger: bytes
    attempt: int
    round: int
    seat: int
    kind: str
    history: bytes

    def __post_init__(self) -> None:
        """Check the numbers and identifiers; raises `LocalError`."""
        for number in (self.version, self.attempt, self.round, self.seat):
            # `type`: True is an int, and would be hashed as 1.
            if type(number) is not int or not 0 <= number < 1 << 8 * _NUMBER_BYTES:
                raise LocalError(f"a number of a proof's context must fit {_NUMBER_BYTES} bytes")
        for data in (self.table, self.ledger, self.history):
            # `type`: a bytearray could change after the check.
            if type(data) is not bytes:
                raise LocalError("the identifiers of a proof's context are bytes")

    def part(self, number: int) -> ProofContext:
        """Return the context of proof number `number` of a message that holds several of one
        kind.
        """
        # No kind of message has a slash, so that no two contexts meet.
        return replace(self, kind=f"{self.kind}/{number}")

    def session_identifier(self, purpose: bytes, *details: bytes) -> bytes:
        """Return 32 bytes that differ for every other context, purpose or detail: a proof bound to
        them fails anywhere else.

        `purpose`, one of `labels`, tells the kinds of proof in one message apart; `details` are
        public facts of the statement that its points do not show.
        """
        return digest(
            labels.PROOF_CONTEXT,
            self.version.to_bytes(_NUMBER_BYTES, "big"),
            self.table,
            self.ledger,
            self.attempt.to_bytes(_NUMBER_BYTES, "big"),
            self.round.to_bytes(_NUMBER_BYTES, "big"),
            self.seat.to_bytes(_NUMBER_BYTES, "big"),
            self.kind.encode("utf-8"),
            self.history,
            purpose,
            *details,
        )


@dataclass(frozen=True, slots=True)
class MessageContext:
    """Where a message is made: the digest of the charter, the place, and the digest of the ledger
    before its round, 32 bytes each.

    Prover and verifier each take it from their own state: a proof made in another context fails.
    """

    charter: bytes
    place: Place
    previous: Digest

    @property
    def ledger_bytes(self) -> bytes:
        """The ledger's name in five bytes: one for the lane, four for the number, big-endian."""
        (lane, number), _, _ = self.place
        return bytes((lane,)) + number.to_bytes(4, "big")

    def proof_context(self, kind: str) -> ProofContext:
        """Return the context to which the proofs of a message are bound; `kind` is the name of
        the message's class, such as "Action".
        """
        return ProofContext(
            version=PROTOCOL_VERSION,
            table=self.charter,
            ledger=self.ledger_bytes,
            # The number once more, which `ledger` holds already: specs 4.2 hashes both.
            attempt=self.place.ledger.number,
            round=self.place.round,
            seat=int(self.place.seat),
            kind=kind,
            history=bytes(self.previous),
        )

    def commitment_context(self, slot: Slot) -> bytes:
        """Return the 32 bytes to which a hash commitment to the card in `slot` is bound."""
        return digest(
            labels.COMMITMENT_CONTEXT,
            # In these widths, other than a proof's, by specs 4.8.
            self.charter,
            self.ledger_bytes,
            self.place.round.to_bytes(4, "big"),
            # The seat: another seat's commitment, copied, opens to nothing (attacks.md, CM3).
            bytes((self.place.seat,)),
            int(slot).to_bytes(4, "big"),
        )
