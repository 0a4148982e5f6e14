"""One complete deal in memory: keys, shuffles, cut, two batches of cards, sorted hands.

Every message goes through its bytes: the seat that makes it encodes, and the table decodes and
judges it once, as every seat and auditor would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from p2p304.cards import Card
from p2p304.seats import Seat
from p2p304.slots import Slot
from protocol.cards.deck import (
    Deck,
    ShuffleStep,
    remix_hand,
    share_cards,
    shuffle_deck,
)
from protocol.cards.keys import (
    HandKeys,
    HandSecret,
    KeyStep,
    draw_hand_secret,
    prove_keys,
    verify_keys,
)
from protocol.cards.reading import read_card
from protocol.cards.shares import ShareBatch
from protocol.entropy import Entropy
from protocol.proofs.context import ProofContext

Clock = Callable[[], float]
"""Seconds of CPU time, from any start."""


@dataclass(frozen=True, slots=True)
class StepCost:
    """What one kind of step took, all seats together."""

    name: str
    messages: int
    size: int
    """Bytes of all its messages, before any envelope."""
    make_ms: float
    judge_ms: float


@dataclass(frozen=True, slots=True)
class DealReport:
    """How the deal ended and what it cost."""

    deck: Deck
    secrets: tuple[HandSecret, ...]
    hands: tuple[tuple[Card, ...], ...]
    """What each seat read in its own hand, in slot order."""
    read_ms: float
    steps: tuple[StepCost, ...]

    @property
    def size(self) -> int:
        """Bytes of all messages together, before any envelope."""
        return sum(step.size for step in self.steps)

    @property
    def make_ms(self) -> float:
        """CPU time of making every message once, and of reading every hand."""
        return sum(step.make_ms for step in self.steps) + self.read_ms

    @property
    def judge_ms(self) -> float:
        """CPU time of decoding and judging every message once."""
        return sum(step.judge_ms for step in self.steps)

    @property
    def seat_ms(self) -> float:
        """CPU time of one seat: its own messages and its judgement of all the others'."""
        seats = len(self.secrets)
        return self.make_ms / seats + self.judge_ms * (seats - 1) / seats


@dataclass(slots=True)
class _Meter:
    """Adds up the cost of one kind of step."""

    name: str
    clock: Clock
    messages: int = 0
    size: int = 0
    make_seconds: float = 0.0
    judge_seconds: float = 0.0

    def made(self, make: Callable[[], bytes]) -> bytes:
        """Make and encode a message with `make`, and measure it."""
        start = self.clock()
        data = make()
        self.make_seconds += self.clock() - start
        self.messages += 1
        self.size += len(data)
        return data

    def judged(self, judge: Callable[[], Deck]) -> Deck:
        """Judge a message with `judge`, measure it, and return the deck."""
        start = self.clock()
        deck = judge()
        self.judge_seconds += self.clock() - start
        return deck

    def cost(self) -> StepCost:
        return StepCost(
            self.name,
            self.messages,
            self.size,
            1000 * self.make_seconds,
            1000 * self.judge_seconds,
        )


def _context(kind: str, seat: int, round_number: int) -> ProofContext:
    return ProofContext(1, b"bench", b"deal", 0, round_number, seat, kind, bytes(32))


def run_deal(
    pack: Sequence[Card],
    *,
    seats: int,
    batches: Sequence[int],
    cut: int,
    entropy: Entropy,
    clock: Clock,
) -> DealReport:
    """Deal `batches` of cards to each seat in turn, from a deck that every seat has shuffled.

    `cut` is the position in the shuffled deck that is dealt first. Raises what the protocol
    raises, which would be a bug.
    """
    meters = [_Meter(name, clock) for name in ("keys", "shuffles", "shares", "sorting")]
    keys_meter, shuffle_meter, share_meter, sort_meter = meters
    secrets = tuple(draw_hand_secret(entropy) for _ in range(seats))
    deck = _with_keys(pack, secrets, keys_meter, entropy)
    for seat in range(seats):
        deck = _with_shuffle(deck, seat, shuffle_meter, entropy)
    dealt = 0
    for number, size in enumerate(batches):
        for seat in range(seats):
            places = [(cut + dealt + place) % len(pack) for place in range(size)]
            deck = deck.dealt(Seat(seat), [Slot(place) for place in places])
            dealt += size
        for seat in range(seats):
            deck = _with_shares(deck, seat, number, secrets[seat], share_meter, entropy)
    next_slot = len(pack)
    for seat in range(seats):
        deck = _with_remix(deck, seat, next_slot, sort_meter, entropy)
        next_slot += sum(batches)
    start = clock()
    hands = tuple(
        tuple(
            read_card(deck, slot, Seat(seat), secrets[seat], entropy=entropy)
            for slot in hand_of(deck, seat)
        )
        for seat in range(seats)
    )
    read_ms = 1000 * (clock() - start)
    return DealReport(deck, secrets, hands, read_ms, tuple(meter.cost() for meter in meters))


def hand_of(deck: Deck, seat: int) -> tuple[Slot, ...]:
    """Return the slots that belong to a seat, in ascending order."""
    return tuple(sorted(slot for slot, hidden in deck.slots.items() if hidden.owner == seat))


def _with_keys(
    pack: Sequence[Card], secrets: Sequence[HandSecret], meter: _Meter, entropy: Entropy
) -> Deck:
    keys: list[HandKeys] = []
    used: set[bytes] = set()
    for seat, secret in enumerate(secrets):
        where = _context("keys", seat, 0)
        data = meter.made(
            lambda s=secret, w=where: prove_keys(s, context=w, entropy=entropy).to_bytes()  # type: ignore[misc]  # mypy cannot type a default
        )
        start = meter.clock()
        step = KeyStep.from_bytes(data)
        verify_keys(step, context=where, used=used)
        meter.judge_seconds += meter.clock() - start
        used |= {key.to_bytes() for key in step.keys}
        keys.append(step.keys)
    return meter.judged(lambda: Deck.start(pack, keys))


def _with_shuffle(deck: Deck, seat: int, meter: _Meter, entropy: Entropy) -> Deck:
    where = _context("shuffle", seat, 1 + seat)
    data = meter.made(lambda: shuffle_deck(deck, context=where, entropy=entropy).to_bytes())
    cards = len(deck.pack)
    return meter.judged(
        lambda: deck.after_shuffle(ShuffleStep.from_bytes(data, cards=cards), context=where)
    )


def _with_shares(
    deck: Deck, seat: int, number: int, secret: HandSecret, meter: _Meter, entropy: Entropy
) -> Deck:
    where = _context("shares", seat, 10 + number)
    owed = len(deck.owed_shares(Seat(seat)))
    if not owed:  # a seat alone owes nobody anything
        return deck
    data = meter.made(
        lambda: share_cards(deck, Seat(seat), secret, context=where, entropy=entropy).to_bytes()
    )
    return meter.judged(
        lambda: deck.after_shares(
            Seat(seat), ShareBatch.from_bytes(data, cards=owed), context=where
        )
    )


def _with_remix(deck: Deck, seat: int, next_slot: int, meter: _Meter, entropy: Entropy) -> Deck:
    where = _context("sorting", seat, 20)
    before = hand_of(deck, seat)
    after = [Slot(next_slot + place) for place in range(len(before))]
    data = meter.made(
        lambda: remix_hand(deck, Seat(seat), before, context=where, entropy=entropy).to_bytes()
    )
    return meter.judged(
        lambda: deck.after_remix(
            Seat(seat),
            before,
            after,
            ShuffleStep.from_bytes(data, cards=len(before)),
            context=where,
        )
    )
