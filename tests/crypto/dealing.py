"""Small tables of masked cards for the tests: contexts, packs, dealt hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.seats import Seat
from protocol.cards.deck import Deck, ProvenShuffle, read_card, share_cards, shuffle_deck
from protocol.cards.keys import HandSecret, draw_hand_secret
from protocol.entropy import Entropy
from protocol.errors import InternalFault, MalformedMessage, ProofError
from protocol.proofs.context import ProofContext
from tests.crypto.seeded_entropy import seeded

POINTS = {
    Rank.JACK: 30,
    Rank.NINE: 20,
    Rank.ACE: 11,
    Rank.TEN: 10,
    Rank.KING: 3,
    Rank.QUEEN: 2,
    Rank.EIGHT: 0,
    Rank.SEVEN: 0,
}


def pack_of(ranks: Sequence[Rank], suits: Sequence[Suit] = tuple(Suit)) -> tuple[Card, ...]:
    return tuple(Card(suit, rank) for suit in suits for rank in ranks)


PACK_8 = pack_of((Rank.JACK, Rank.NINE))
PACK_16 = pack_of((Rank.JACK, Rank.ACE, Rank.QUEEN, Rank.SEVEN))
PACK_32 = pack_of(tuple(POINTS))


def points_of(pack: Sequence[Card]) -> dict[Card, int]:
    return {card: POINTS[card.rank] for card in pack}


def context(seat: int = 0, kind: str = "test", round_number: int = 1) -> ProofContext:
    return ProofContext(
        version=1,
        table=b"table" * 4,
        ledger=b"hand 1",
        attempt=0,
        round=round_number,
        seat=seat,
        kind=kind,
        history=b"\x11" * 32,
    )


def other_contexts(right: ProofContext) -> list[ProofContext]:
    """The right context with exactly one field changed, for every field."""
    return [
        replace(right, version=right.version + 1),
        replace(right, table=right.table + b"\0"),
        replace(right, ledger=b"hand 2"),
        replace(right, attempt=right.attempt + 1),
        replace(right, round=right.round + 1),
        replace(right, seat=right.seat + 1),
        replace(right, kind=right.kind + "s"),
        replace(right, history=b"\x12" + right.history[1:]),
    ]


def refused(check: str, action: Callable[..., object], /, *given: Any, **named: Any) -> str:
    """What is said beside the check by which a peer's message is refused."""
    with pytest.raises((MalformedMessage, ProofError)) as caught:
        action(*given, **named)
    assert caught.value.check == check
    return str(caught.value)


def broken(check: str, action: Callable[..., object], *given: Any) -> None:
    """Something of our own must be broken for this."""
    with pytest.raises(InternalFault) as caught:
        action(*given)
    assert caught.value.check == check


@dataclass(frozen=True)
class Dealt:
    """A deck of which every seat holds some cards under its own keys alone."""

    deck: Deck
    secrets: tuple[HandSecret, ...]
    entropy: Entropy

    def shuffled(self, where: ProofContext) -> ProvenShuffle:
        return shuffle_deck(self.deck, context=where, entropy=self.entropy)

    def hand(self, seat: int) -> tuple[Slot, ...]:
        return tuple(s for s, hidden in self.deck.slots.items() if hidden.owner == seat)

    def faces(self, seat: int) -> dict[Slot, Card]:
        return {
            slot: read_card(self.deck, slot, Seat(seat), self.secrets[seat], entropy=self.entropy)
            for slot in self.hand(seat)
        }


def undealt(seed: str, *, pack: Sequence[Card] = PACK_8, seats: int = 2) -> Dealt:
    """A start deck: nothing shuffled, nothing dealt."""
    entropy = seeded(seed)
    secrets = tuple(draw_hand_secret(entropy) for _ in range(seats))
    deck = Deck.start(pack, [secret.keys() for secret in secrets])
    return Dealt(deck, secrets, entropy)


def dealt(seed: str, *, pack: Sequence[Card] = PACK_8, seats: int = 2, each: int = 4) -> Dealt:
    """One honest shuffle, then `each` cards to every seat and everybody's shares."""
    start = undealt(seed, pack=pack, seats=seats)
    deck, entropy = start.deck, start.entropy
    step = start.shuffled(context(0, "shuffle"))
    deck = deck.after_shuffle(step, context=context(0, "shuffle"))
    for seat in range(seats):
        deck = deck.with_owner(Seat(seat), [Slot(seat * each + place) for place in range(each)])
    for seat in range(seats if seats > 1 else 0):  # a seat alone owes nobody a share
        where = context(seat, "shares")
        batch = share_cards(deck, Seat(seat), start.secrets[seat], context=where, entropy=entropy)
        deck = deck.after_shares(Seat(seat), batch, context=where)
    return Dealt(deck, start.secrets, entropy)
