"""Place and card are independent after a shuffle (specs/attacks.md, SH14).

A sample of `make statistics`, which runs 10,000 of everything with larger hands; run_statistics
says what is computed.
"""

from __future__ import annotations

from p2p304.cards import Slot
from p2p304.seats import Seat
from protocol.cards.deck import read_card, remix_hand
from protocol.proofs.shuffle import uniform_permutation
from tests.crypto.dealing import PACK_32, context, dealt
from tests.crypto.run_statistics import (
    PACK_4,
    PARTS,
    decks,
    hands,
    independent,
    landed,
    packs,
    statistic,
    threshold,
)
from tests.crypto.seeded_entropy import seeded


def test_the_threshold_is_what_tables_say() -> None:
    assert abs(threshold(9) - 45.1) < 1.0  # chi-squared, 9 degrees, p = 1e-6: 45.08
    assert abs(threshold(961) - 1182.5) < 10.0


def test_the_statistic_sees_a_biased_shuffle() -> None:
    entropy = seeded("biased")

    def naive(cards: int) -> tuple[int, ...]:
        """Each card exchanged with any other: the classic mistake."""
        places = list(range(cards))
        for place in range(cards):
            pick = int.from_bytes(entropy(8), "big") % cards
            places[place], places[pick] = places[pick], places[place]
        return tuple(places)

    assert not independent([naive(8) for _ in range(10_000)], 8)
    assert not independent([(*range(7), 7)] * 100, 8)


def test_permutations_are_uniform() -> None:
    for cards in (4, 8, 32):
        entropy = seeded(f"uniform {cards}")
        assert independent([uniform_permutation(cards, entropy) for _ in range(10_000)], cards)


def test_all_orders_of_four_cards_come_equally_often() -> None:
    entropy = seeded("orders")
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(24_000):
        order = uniform_permutation(4, entropy)
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < threshold(23)


def test_place_and_card_are_independent_after_a_shuffle() -> None:
    assert independent(decks(PACK_4, range(200)), 4)
    assert independent(packs(PACK_4, range(800)), 4)


def test_place_and_card_are_independent_after_a_hand_is_sorted() -> None:
    assert independent(hands(PACK_4, range(200)), 4)


def test_the_parts_of_the_long_run_open_what_they_shuffle() -> None:
    for name, (orders, pack) in PARTS.items():
        first, second = orders(pack, range(2))
        assert first != second, name
        assert statistic([first], len(pack)) > 0


def test_cards_lie_in_the_slots_where_they_landed() -> None:
    """The slots after a hand was sorted hold what the published cards hold, place by place."""
    table = dealt("slots", pack=PACK_32, each=8, seats=1)
    faces, before = list(table.faces(0).values()), table.hand(0)
    after = [Slot(100 + place) for place in range(8)]
    where = context(0, "remix")
    step = remix_hand(table.deck, Seat(0), before, context=where, entropy=table.entropy)
    deck = table.deck.after_remix(Seat(0), before, after, step, context=where)
    read = [
        read_card(deck, slot, Seat(0), table.secrets[0], entropy=table.entropy) for slot in after
    ]
    assert [faces[each] for each in landed(step.cards, table.secrets[0], faces)] == read
