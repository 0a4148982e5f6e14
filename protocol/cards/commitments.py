"""Hash commitments to face-down cards, and the salts that are owed when they are opened.

A seat that lays a card down commits to it. Whoever opens the card later, its layer publishes the
salt: in the same message if it is the layer that opens, else in the layer's next message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from protocol.cards.salted_commitment import commit, verify_opening
from protocol.cards.secrets import Secrets
from protocol.errors import ProofError
from protocol.proofs.context import MessageContext


@dataclass(frozen=True, slots=True)
class Commitment:
    """What one seat committed to when it laid a slot down, and where it did so."""

    seat: Seat
    value: bytes
    context: bytes


@dataclass(frozen=True, slots=True)
class Commitments:
    """All commitments of a hand whose salts have not been published yet."""

    by_slot: Mapping[Slot, Commitment] = field(default_factory=dict)
    owed: Mapping[Seat, tuple[tuple[Slot, Card], ...]] = field(default_factory=dict)
    """Opened slots, with their cards, whose salts each seat's next message has to hold."""

    def laid(self, context: MessageContext, slot: Slot, value: bytes) -> Commitments:
        """Return the commitments with the one that the seat of the context made to `slot`.

        `value` is the commitment, 32 bytes, as the message says it.
        """
        made = Commitment(context.place.seat, value, context.commitment_context(slot))
        return replace(self, by_slot={**self.by_slot, slot: made})

    def dropped(self, slots: Iterable[Slot]) -> Commitments:
        """Return the commitments without those to slots that are no more, which nobody will
        open."""
        gone = set(slots)
        return replace(
            self, by_slot={slot: each for slot, each in self.by_slot.items() if slot not in gone}
        )

    def opened(self, slot: Slot, card: Card) -> Commitments:
        """Return the commitments with the salt of an opened slot owed by the seat that laid it.

        The same commitments for a slot to which nobody is committed, or that was opened before.
        """
        made = self.by_slot.get(slot)
        if made is None:
            return self
        queue = self.owed.get(made.seat, ())
        if any(slot == each for each, _ in queue):
            return self
        return replace(self, owed={**self.owed, made.seat: (*queue, (slot, card))})

    def due(
        self, seat: Seat, opening: Iterable[tuple[Slot, Card]] = ()
    ) -> tuple[tuple[Slot, Card], ...]:
        """Return the openings whose salts the next message of `seat`, which opens `opening`,
        holds."""
        queue = self
        for slot, card in opening:
            made = self.by_slot.get(slot)
            if made is not None and made.seat == seat:
                queue = queue.opened(slot, card)
        return queue.owed.get(seat, ())

    def salts(
        self,
        seat: Seat,
        deal: int,
        secrets: Secrets,
        opening: Iterable[tuple[Slot, Card]] = (),
    ) -> tuple[bytes, ...]:
        """Return the salts that are due in the next message of our own seat, as `due` orders them.

        Args:
            seat: ours, whose `secrets` they come from.
            deal: the number of the deal, which is that of its ledger.
            opening: what that message itself opens.
        """
        return tuple(
            secrets.salt(deal, self.by_slot[slot].context) for slot, _ in self.due(seat, opening)
        )

    def verify(
        self, seat: Seat, salts: tuple[bytes, ...], opening: Iterable[tuple[Slot, Card]] = ()
    ) -> None:
        """Return if `salts` are all that are due from `seat`, and open to the opened cards.

        Raises ProofError `commitment.count` or `commitment.opening`.
        """
        due = self.due(seat, opening)
        if len(salts) != len(due):
            raise ProofError("commitment.count", f"{len(salts)} salts, {len(due)} are due")
        for (slot, card), salt in zip(due, salts, strict=True):
            made = self.by_slot[slot]
            verify_opening(made.value, context=made.context, salt=salt, value=card_value(card))

    def paid(self, seat: Seat, done: tuple[tuple[Slot, Card], ...]) -> Commitments:
        """Return the commitments after a message of `seat` whose salts for `done` were verified.

        What is done leaves the commitments as well as what is owed.
        """
        queue = tuple(each for each in self.owed.get(seat, ()) if each not in done)
        return replace(self, owed={**self.owed, seat: queue}).dropped(slot for slot, _ in done)


def card_value(card: Card) -> bytes:
    """Return the bytes that a commitment to a card commits to: its two letters."""
    return str(card).encode("ascii")


def commit_to(card: Card, slot: Slot, context: MessageContext, secrets: Secrets) -> bytes:
    """Return our commitment (32 bytes) to our own card of `slot`, in the message of `context`."""
    commitment_context = context.commitment_context(slot)
    salt = secrets.salt(context.place.ledger.number, commitment_context)
    return commit(context=commitment_context, salt=salt, value=card_value(card))
