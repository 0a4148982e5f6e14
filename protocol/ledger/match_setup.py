"""The setup of a match: every seat confirms the charter, and all draw the luck together.

A share of luck is fixed by a hash commitment before any is opened, so that the last to speak cannot
choose the first dealer; it can only stay silent. Of another match each confirmation names a
seating; names that differ settle nothing, and all confirm anew (specs 5.7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from p2p304.seats import Seat
from protocol import labels
from protocol.cards.secrets import Secrets
from protocol.errors import ProofError
from protocol.hashing import digest
from protocol.ledger.events import Event, RematchAgreed
from protocol.ledger.machine import check_kind
from protocol.ledger.phases import Phase, follow
from protocol.proofs.context import MessageContext
from protocol.wire.contents import Confirmation, Content, LuckOpening, Reseating

MOST_ROUNDS: Final = 16
"""Rounds in which different seatings were named, after which no match follows."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The machine of a ledger of the TABLE lane.

    When it is settled there is `luck`, if the match is played here, or the `seating` in which all
    play it elsewhere, or neither.
    """

    seats: int
    another: bool = False
    """Whether a match was played before, so that other seatings may be named."""
    phase: Phase = Phase.CONFIRMING
    named: Mapping[Seat, int] = field(default_factory=dict)
    """The seatings that were confirmed in the open round."""
    differed: int = 0
    """Rounds in which they were not the same."""
    seating: int | None = None
    """What all have confirmed."""
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

        Raises ProofError `turn.kind`, `rematch.seating` or `luck.opening`.
        """
        check_kind(self.phase, content)
        seat = context.place.seat
        if isinstance(content, Confirmation):
            made = {**self.commitments, seat: content.luck_commitment}
            return replace(self, commitments=made, named={**self.named, seat: 0})
        if isinstance(content, Reseating):
            if not self.another:
                raise ProofError("turn.kind", "no match was played here before")
            if content.seating > self.seats - 2:
                raise ProofError("rematch.seating")
            return replace(self, named={**self.named, seat: content.seating})
        assert isinstance(content, LuckOpening)  # no other kind fits here
        if _committed(context, content.luck) != self.commitments[seat]:
            raise ProofError("luck.opening")
        return replace(self, shares={**self.shares, seat: content.luck})

    def close(self) -> tuple[MatchSetup, tuple[Event, ...]]:
        """Go from confirming to drawing or to another table, and from drawing to settled; confirm
        anew where different seatings were named, a bounded number of times."""
        if self.phase is Phase.CONFIRMING:
            return self._confirmed()
        shares = [self.shares[Seat(seat)] for seat in range(self.seats)]
        luck = digest(labels.LUCK, *shares)
        return replace(self, phase=follow(self.phase, Phase.SETTLED), luck=luck), ()

    def _confirmed(self) -> tuple[MatchSetup, tuple[Event, ...]]:
        seating, *others = {*self.named.values()}
        if others:
            failed = self.differed + 1 == MOST_ROUNDS
            after = Phase.SETTLED if failed else Phase.CONFIRMING
            phase, differed = follow(self.phase, after), self.differed + 1
            told = (RematchAgreed(None),) if failed else ()
            return replace(self, phase=phase, differed=differed, named={}), told
        phase = follow(self.phase, Phase.SETTLED if seating else Phase.DRAWING)
        agreed = (RematchAgreed(seating),) if self.another else ()
        return replace(self, phase=phase, seating=seating), agreed

    def room(self, context: MessageContext) -> int:
        """Return 0: every message has the size of its kind."""
        return 0

    def contribute(self, context: MessageContext, secrets: Secrets) -> Content:
        """Return the confirmation as all sit, with the commitment, then its opening."""
        luck = secrets.luck(context.place.ledger.number)
        if self.phase is Phase.CONFIRMING:
            return Confirmation(_committed(context, luck))
        return LuckOpening(luck)


def luck_commitment(charter: bytes, number: int, seat: Seat, luck: bytes) -> bytes:
    """Return what fixes a seat's share of luck in the setup of that number, 32 bytes."""
    return digest(labels.LUCK_COMMITMENT, charter, number.to_bytes(4, "big"), bytes((seat,)), luck)


def _committed(context: MessageContext, luck: bytes) -> bytes:
    return luck_commitment(context.charter, context.place.ledger.number, context.place.seat, luck)
