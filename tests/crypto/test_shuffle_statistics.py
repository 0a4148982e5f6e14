"""Place and card are independent after a shuffle (specs/attacks.md, SH14).

Chi-squared over the table "which card lies at which place". For n cards the statistic, scaled by
(n-1)/n because every row and column adds up, has (n-1)² degrees of freedom; the threshold leaves a
fair shuffle to fail once in a million. Seeds are fixed, so a run repeats. `P2P304_CAMPAIGN=1` runs
10,000 of everything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from p2p304.seats import Seat
from p2p304.slots import Slot
from protocol.deck import read_card, remix_hand
from protocol.group import Scalar, base_multiply
from protocol.permutation import uniform_permutation
from protocol.shuffle import Ciphertext, shuffle_cards
from tests.crypto.dealing import context, dealt
from tests.crypto.seeded_entropy import seeded

CAMPAIGN = os.environ.get("P2P304_CAMPAIGN") == "1"
ONE_IN_A_MILLION = 4.753  # standard deviations, one-sided


def threshold(freedom: int) -> float:
    """The chi-squared quantile after Wilson and Hilferty (1931)."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + ONE_IN_A_MILLION * part**0.5) ** 3)


def statistic(orders: Iterable[tuple[int, ...]], cards: int) -> float:
    counts = [[0] * cards for _ in range(cards)]
    total = 0
    for order in orders:
        total += 1
        for place, card in enumerate(order):
            counts[place][card] += 1
    expected = total / cards
    spread = sum((seen - expected) ** 2 / expected for row in counts for seen in row)
    return spread * (cards - 1) / cards


def independent(orders: Iterable[tuple[int, ...]], cards: int) -> bool:
    return statistic(orders, cards) < threshold((cards - 1) ** 2)


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
    entropy = seeded("shuffled")
    cards = 8 if CAMPAIGN else 4
    runs = 10_000 if CAMPAIGN else 2_000
    keys = (base_multiply(Scalar(5)), base_multiply(Scalar(7)))
    deck: list[Ciphertext] = [
        tuple(base_multiply(Scalar(100 * card + part + 1)) for part in range(3))
        for card in range(cards)
    ]
    orders = (shuffle_cards(deck, keys, entropy)[1].permutation for _ in range(runs))
    assert independent(orders, cards)


def test_place_and_card_are_independent_after_a_hand_is_sorted() -> None:
    each = 8 if CAMPAIGN else 4
    runs = 10_000 if CAMPAIGN else 300
    table = dealt("sorted", each=each, seats=1 if CAMPAIGN else 2)
    seat = Seat(0)
    hand = table.hand(0)
    faces = list(table.faces(0).values())
    after = [Slot(100 + place) for place in range(each)]
    orders = []
    for run in range(runs):
        where = context(0, "remix", run)
        step = remix_hand(table.deck, seat, hand, context=where, entropy=table.entropy)
        deck = table.deck.after_remix(seat, hand, after, step, context=where)
        read = [
            read_card(deck, slot, seat, table.secrets[0], entropy=table.entropy) for slot in after
        ]
        orders.append(tuple(faces.index(face) for face in read))
    assert independent(orders, each)
