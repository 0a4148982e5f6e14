"""Where a proof belongs: what binds it to one table, deal, round, seat and purpose.

Every proof's session identifier is a hash over all of this, so that a proof made for one place
fails in every other one (specs: fair cards, section 4). The caller fills it from its own state;
nothing here comes from the message that carries the proof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from protocol import labels
from protocol.errors import LocalError
from protocol.hashing import digest

_NUMBER_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class ProofContext:
    """One place in one game at which one message of one seat is made.

    `version` is the protocol's, `table` and `ledger` are their identifiers, `attempt` counts the
    deals of a hand (a redeal is a new one), `kind` names the message, `history` is the digest of
    the last closed round. Raises `LocalError` for a number outside 0 to 2^32-1, and for
    identifiers that are not bytes.
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
        for number in (self.version, self.attempt, self.round, self.seat):
            if type(number) is not int or not 0 <= number < 1 << 8 * _NUMBER_BYTES:
                raise LocalError(f"a number of a proof's context must fit {_NUMBER_BYTES} bytes")
        for data in (self.table, self.ledger, self.history):
            if type(data) is not bytes:
                raise LocalError("the identifiers of a proof's context are bytes")

    def part(self, number: int) -> ProofContext:
        """The context of the n-th proof of a message that carries several of one kind."""
        return replace(self, kind=f"{self.kind}/{number}")

    def session_identifier(self, purpose: bytes, *details: bytes) -> bytes:
        """32 bytes that no other context, purpose or detail gives.

        One message may carry several proofs: `purpose` (one of `labels`) tells them apart, and
        `details` holds public facts of the statement that its points do not show.
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
