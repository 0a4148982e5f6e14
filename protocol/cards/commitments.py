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
    """A hash commitment to a face-down card: the seat that made it, its 32 bytes, and the
    context, 32 bytes, that it is bound to.
    """

    seat: Seat
    value: bytes
    context: bytes


@dataclass(frozen=True, slots=True)
class Commitments:
    """The commitments of a hand to face-down cards whose salts have not been published yet.
    Immutable.
    """

    by_slot: Mapping[Slot, Commitment] = field(default_factory=dict)
    #: Opened slots, with their cards, whose salts each seat's next message has to hold.
    owed: Mapping[Seat, tuple[tuple[Slot, Card], ...]] = field(default_factory=dict)

    def with_commitment(self, context: MessageContext, slot: Slot, value: bytes) -> Commitments:
        """Return the commitments with one more: that of the context's seat to the card in `slot`.

        `value` is the commitment of the message, 32 bytes.
        """
        # Of a slot that is laid down twice the later commitment stands (specs 4.8).
        made = Commitment(context.place.seat, value, context.commitment_context(slot))
        return replace(self, by_slot={**self.by_slot, slot: made})

    def without_slots(self, slots: Iterable[Slot]) -> Commitments:
        """Return the commitments without those to `slots`, which were mixed away and will not be
        opened.
        """
        gone = set(slots)
        return replace(
            self, by_slot={slot: each for slot, each in self.by_slot.items() if slot not in gone}
        )

    def with_salt_owed(self, slot: Slot, card: Card) -> Commitments:
        """Return the commitments after `slot` was opened as `card`: the seat that committed to the
        slot owes its salt.

        Unchanged for a slot without a commitment, and for one whose salt is owed already.
        """
        made = self.by_slot.get(slot)
        # A card that was never laid face down has no commitment.
        if made is None:
            return self
        queue = self.owed.get(made.seat, ())
        # Opened twice (a face shown again): the salt is owed once.
        if any(slot == each for each, _ in queue):
            return self
        return replace(self, owed={**self.owed, made.seat: (*queue, (slot, card))})

    def due_salts(
        self, seat: Seat, opening: Iterable[tuple[Slot, Card]] = ()
    ) -> tuple[tuple[Slot, Card], ...]:
        """Return the slots and cards whose salts the next message of `seat` must hold, in order of
        opening; empty if none are owed.

        `opening` are the slots and cards that this very message opens: those with a commitment of
        `seat` come last.
        """
        # What the message itself opens counts, too: its author has the salt at hand.
        queue = self
        for slot, card in opening:
            made = self.by_slot.get(slot)
            if made is not None and made.seat == seat:
                queue = queue.with_salt_owed(slot, card)
        return queue.owed.get(seat, ())

    def salts(
        self,
        seat: Seat,
        deal: int,
        secrets: Secrets,
        opening: Iterable[tuple[Slot, Card]] = (),
    ) -> tuple[bytes, ...]:
        """Return the salts, 32 bytes each, that our own seat's next message must hold, in the order
        of `due_salts`.

        Args:
            seat: ours.
            deal: the number of the deal.
            secrets: ours, from which the salts come.
            opening: the slots and cards that this message itself opens.
        """
        return tuple(
            secrets.salt(deal, self.by_slot[slot].context)
            for slot, _ in self.due_salts(seat, opening)
        )

    def verify(
        self, seat: Seat, salts: tuple[bytes, ...], opening: Iterable[tuple[Slot, Card]] = ()
    ) -> None:
        """Verify that `salts` are exactly those that a message of `seat` owes (`due_salts`), and
        that each opens its commitment to the card in its slot.

        Raises ProofError `commitment.count` for another number of salts, `commitment.opening` for a
        wrong one, `commitment.salt-length` or `commitment.length` for a salt or commitment not of
        32 bytes.
        """
        due = self.due_salts(seat, opening)
        if len(salts) != len(due):
            raise ProofError("commitment.count", f"{len(salts)} salts, {len(due)} are due")
        for (slot, card), salt in zip(due, salts, strict=True):
            made = self.by_slot[slot]
            verify_opening(made.value, context=made.context, salt=salt, value=card_value(card))

    def without_salts(self, seat: Seat, done: tuple[tuple[Slot, Card], ...]) -> Commitments:
        """Return the commitments without those to the slots in `done`, whose salts a message of
        `seat` held: these are no longer owed.
        """
        # What others opened in the same round stays owed: this message could not hold those salts.
        queue = tuple(each for each in self.owed.get(seat, ()) if each not in done)
        return replace(self, owed={**self.owed, seat: queue}).without_slots(
            slot for slot, _ in done
        )


def card_value(card: Card) -> bytes:
    """Return the bytes that a commitment to a card hashes: its two letters, such as b"9C"."""
    # Letters and no point of the curve: so a person can check a commitment by hand.
    return str(card).encode("ascii")


def commit_to(card: Card, slot: Slot, context: MessageContext, secrets: Secrets) -> bytes:
    """Return our commitment, 32 bytes, to our own card in `slot`, for the message of `context`."""
    commitment_context = context.commitment_context(slot)
    salt = secrets.salt(context.place.ledger.number, commitment_context)
    return commit(context=commitment_context, salt=salt, value=card_value(card))
