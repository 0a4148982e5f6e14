"""One complete deal in memory: keys, shuffles, cut, two batches of cards, sorted hands.

Every message goes through its bytes: the seat that makes it encodes, and the table decodes and
judges it once, as every seat and auditor would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from protocol.cards.deck import (
    Deck,
    ProvenShuffle,
    remix_hand,
    share_cards,
    shuffle_deck,
)
from protocol.cards.keys import (
    HandSecret,
    KeyStep,
    SeatKeys,
    draw_hand_secret,
    prove_keys,
    verify_keys,
)
from protocol.cards.reading import read_card
from protocol.cards.shares import ShareBatch
from protocol.entropy import Entropy
from protocol.proofs.context import ProofContext


@dataclass(slots=True)
class Steps:
    """The messages of one kind, all seats together."""

    name: str
    messages: int = 0
    size: int = 0
    """Bytes of all its messages, before any envelope."""

    def made(self, data: bytes) -> bytes:
        """The same message, counted."""
        self.messages += 1
        self.size += len(data)
        return data


@dataclass(frozen=True, slots=True)
class DealReport:
    """How the deal ended and what it cost."""

    deck: Deck
    secrets: tuple[HandSecret, ...]
    hands: tuple[tuple[Card, ...], ...]
    """What each seat read in its own hand, in slot order."""
    steps: tuple[Steps, ...]

    @property
    def size(self) -> int:
        """Bytes of all messages together, before any envelope."""
        return sum(step.size for step in self.steps)


def _context(kind: str, seat: int, round_number: int) -> ProofContext:
    return ProofContext(1, b"bench", b"deal", 0, round_number, seat, kind, bytes(32))


def run_deal(
    pack: Sequence[Card],
    *,
    seats: int,
    batches: Sequence[int],
    cut: int,
    entropy: Entropy,
) -> DealReport:
    """Deals `batches` of cards to each seat in turn, from a deck that every seat has shuffled.

    `cut` is the position in the shuffled deck that is dealt first. Raises what the protocol
    raises, which would be a bug.
    """
    kinds = [Steps(name) for name in ("keys", "shuffles", "shares", "sorting")]
    keys_steps, shuffle_steps, share_steps, sort_steps = kinds
    secrets = tuple(draw_hand_secret(entropy) for _ in range(seats))
    deck = _with_keys(pack, secrets, keys_steps, entropy)
    for seat in range(seats):
        deck = _with_shuffle(deck, seat, shuffle_steps, entropy)
    dealt = 0
    for number, size in enumerate(batches):
        for seat in range(seats):
            places = [(cut + dealt + place) % len(pack) for place in range(size)]
            deck = deck.dealt(Seat(seat), [Slot(place) for place in places])
            dealt += size
        for seat in range(seats):
            deck = _with_shares(deck, seat, number, secrets[seat], share_steps, entropy)
    next_slot = len(pack)
    for seat in range(seats):
        deck = _with_remix(deck, seat, next_slot, sort_steps, entropy)
        next_slot += sum(batches)
    hands = tuple(
        tuple(
            read_card(deck, slot, Seat(seat), secrets[seat], entropy=entropy)
            for slot in hand_of(deck, seat)
        )
        for seat in range(seats)
    )
    return DealReport(deck, secrets, hands, tuple(kinds))


def hand_of(deck: Deck, seat: int) -> tuple[Slot, ...]:
    """The slots that belong to a seat, in ascending order."""
    return tuple(sorted(slot for slot, hidden in deck.slots.items() if hidden.owner == seat))


def _with_keys(
    pack: Sequence[Card], secrets: Sequence[HandSecret], steps: Steps, entropy: Entropy
) -> Deck:
    keys: list[SeatKeys] = []
    used: set[bytes] = set()
    for seat, secret in enumerate(secrets):
        where = _context("keys", seat, 0)
        data = steps.made(prove_keys(secret, context=where, entropy=entropy).to_bytes())
        step = KeyStep.from_bytes(data)
        verify_keys(step, context=where, used=used)
        used |= {key.to_bytes() for key in step.keys}
        keys.append(step.keys)
    return Deck.start(pack, keys)


def _with_shuffle(deck: Deck, seat: int, steps: Steps, entropy: Entropy) -> Deck:
    where = _context("shuffle", seat, 1 + seat)
    data = steps.made(shuffle_deck(deck, context=where, entropy=entropy).to_bytes())
    step = ProvenShuffle.from_bytes(data, cards=len(deck.pack))
    return deck.after_shuffle(step, context=where)


def _with_shares(
    deck: Deck, seat: int, number: int, secret: HandSecret, steps: Steps, entropy: Entropy
) -> Deck:
    where = _context("shares", seat, 10 + number)
    owed = len(deck.owed_shares(Seat(seat)))
    if not owed:  # a seat alone owes nobody anything
        return deck
    batch = share_cards(deck, Seat(seat), secret, context=where, entropy=entropy)
    data = steps.made(batch.to_bytes())
    batch = ShareBatch.from_bytes(data, cards=owed)
    return deck.after_shares(Seat(seat), batch, context=where)


def _with_remix(deck: Deck, seat: int, next_slot: int, steps: Steps, entropy: Entropy) -> Deck:
    where = _context("sorting", seat, 20)
    before = hand_of(deck, seat)
    after = [Slot(next_slot + place) for place in range(len(before))]
    step = remix_hand(deck, Seat(seat), before, context=where, entropy=entropy)
    data = steps.made(step.to_bytes())
    step = ProvenShuffle.from_bytes(data, cards=len(before))
    return deck.after_remix(Seat(seat), before, after, step, context=where)
