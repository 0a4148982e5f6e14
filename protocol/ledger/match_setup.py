"""The setup of a match: every seat confirms the charter, and all draw the luck together.

A share of luck is fixed by a hash commitment before any is opened, so that the last to speak cannot
choose the first dealer; it can only stay silent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from p2p304.seats import Seat
from protocol import labels
from protocol.cards.secrets import Secrets
from protocol.errors import ProofError
from protocol.hashing import digest
from protocol.ledger.events import Event
from protocol.ledger.machine import check_kind
from protocol.ledger.phases import Phase, follow
from protocol.proofs.context import MessageContext
from protocol.wire.contents import Confirmation, Content, LuckOpening


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The machine of a ledger of the TABLE lane. `luck` is there when it is settled."""

    seats: int
    phase: Phase = Phase.CONFIRMING
    commitments: Mapping[Seat, bytes] = field(default_factory=dict)
    shares: Mapping[Seat, bytes] = field(default_factory=dict)
    luck: bytes | None = None

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """Everybody, until it is settled."""
        if self.phase is Phase.SETTLED:
            return ()
        return tuple(Seat(seat) for seat in range(self.seats))

    @property
    def needs_decision(self) -> bool:
        """A person confirms the charter; the luck opens by itself."""
        return self.phase is Phase.CONFIRMING

    def take(self, content: Content, context: MessageContext) -> MatchSetup:
        """Judge a contribution and return the machine with it.

        Raises ProofError `turn.kind` or `luck.opening`.
        """
        check_kind(self.phase, content)
        seat = context.place.seat
        if isinstance(content, Confirmation):
            made = {**self.commitments, seat: content.luck_commitment}
            return replace(self, commitments=made)
        assert isinstance(content, LuckOpening)  # no other kind fits here
        if _committed(context, content.luck) != self.commitments[seat]:
            raise ProofError("luck.opening")
        return replace(self, shares={**self.shares, seat: content.luck})

    def close(self) -> tuple[MatchSetup, tuple[Event, ...]]:
        """Go from confirming to drawing, and from drawing to settled."""
        if self.phase is Phase.CONFIRMING:
            return replace(self, phase=follow(self.phase, Phase.DRAWING)), ()
        shares = [self.shares[Seat(seat)] for seat in range(self.seats)]
        luck = digest(labels.LUCK, *shares)
        return replace(self, phase=follow(self.phase, Phase.SETTLED), luck=luck), ()

    def room(self, context: MessageContext) -> int:
        """Return 0: every message has the size of its kind."""
        return 0

    def contribute(self, context: MessageContext, secrets: Secrets) -> Content:
        """Return the confirmation with the commitment, then its opening."""
        luck = secrets.luck(context.place.ledger.number)
        if self.phase is Phase.CONFIRMING:
            return Confirmation(_committed(context, luck))
        return LuckOpening(luck)


def luck_commitment(charter: bytes, number: int, seat: Seat, luck: bytes) -> bytes:
    """Return what fixes a seat's share of luck in the setup of that number, 32 bytes."""
    return digest(labels.LUCK_COMMITMENT, charter, number.to_bytes(4, "big"), bytes((seat,)), luck)


def _committed(context: MessageContext, luck: bytes) -> bytes:
    return luck_commitment(context.charter, context.place.ledger.number, context.place.seat, luck)
