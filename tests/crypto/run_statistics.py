"""Where cards land, ten thousand times: `python -m tests.crypto.run_statistics`, `make statistics`.

Every deck and hand is opened again with the keys, which are known here: what counts is where each
card came to lie, card and suit, not what the shuffler believes. Chi-squared over the table "which
card lies at which place": for n cards the statistic, scaled by (n-1)/n because every row and column
adds up, has (n-1)² degrees of freedom; the threshold leaves a fair shuffle to fail once in a
million. Seeds are fixed, so a run repeats. The suite runs a sample (test_shuffle_statistics.py).
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from p2p304.cards import Card, Rank, Slot
from p2p304.seats import Seat
from protocol.cards.deck import remix_hand, shuffle_deck
from protocol.cards.keys import HandSecret, MaskedCard, table_keys
from protocol.group.constants import card_point, suit_point
from protocol.group.point import multiply, subtract
from protocol.proofs.shuffle import shuffle_cards
from tests.campaigns.frame import asked, say
from tests.crypto.dealing import PACK_8, PACK_32, context, dealt, pack_of, undealt

ONE_IN_A_MILLION = 4.753  # standard deviations, one-sided
RUNS = 10_000

Order = tuple[int, ...]  #: Entry i is the card that came to lie at place i.


def threshold(freedom: int) -> float:
    """The chi-squared quantile after Wilson and Hilferty (1931)."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + ONE_IN_A_MILLION * part**0.5) ** 3)


def statistic(orders: Iterable[Order], cards: int) -> float:
    counts = [[0] * cards for _ in range(cards)]
    total = 0
    for order in orders:
        assert sorted(order) == list(range(cards)), "a card is lost"
        total += 1
        for place, card in enumerate(order):
            counts[place][card] += 1
    expected = total / cards
    spread = sum((seen - expected) ** 2 / expected for row in counts for seen in row)
    return spread * (cards - 1) / cards


def independent(orders: Iterable[Order], cards: int) -> bool:
    return statistic(orders, cards) < threshold((cards - 1) ** 2)


def landed(masked: Sequence[MaskedCard], secret: HandSecret, faces: Sequence[Card]) -> Order:
    """Which of the faces lies at each place, by its own point; its suit must lie there, too."""
    places = {card_point(card): number for number, card in enumerate(faces)}
    order = []
    for card in masked:
        face = subtract(card.card, multiply(card.mask, secret.card))
        number = places[face]
        suit = subtract(card.suit, multiply(card.mask, secret.suit))
        assert suit == suit_point(faces[number].suit), "a card has another card's suit"
        order.append(number)
    return tuple(order)


def decks(pack: tuple[Card, ...], runs: range) -> list[Order]:
    """One seat's published shuffles of the ordered pack, each with its argument."""
    orders = []
    for run in runs:
        table = undealt(f"shuffled {run}", pack=pack, seats=1)
        where = context(0, "shuffle", run)
        step = shuffle_deck(table.deck, context=where, entropy=table.entropy)
        orders.append(landed(step.cards, table.secrets[0], pack))
    return orders


def packs(pack: tuple[Card, ...], runs: range) -> list[Order]:
    """The same without the arguments, which take most of the time: for the whole pack."""
    orders = []
    for run in runs:
        table = undealt(f"whole pack {run}", pack=pack, seats=1)
        before = [table.deck.slots[Slot(place)].card for place in range(len(pack))]
        after, _ = shuffle_cards(before, table_keys(table.deck.keys), table.entropy)
        orders.append(landed([MaskedCard(*each) for each in after], table.secrets[0], pack))
    return orders


def hands(pack: tuple[Card, ...], runs: range) -> list[Order]:
    """One seat's sorted hands of as many cards as the pack has, each with its argument."""
    table = dealt("sorted", pack=pack, each=len(pack), seats=1)
    faces = list(table.faces(0).values())
    orders = []
    for run in runs:
        entropy = undealt(f"sorted {run}", pack=pack, seats=1).entropy
        where = context(0, "remix", run)
        step = remix_hand(table.deck, Seat(0), table.hand(0), context=where, entropy=entropy)
        orders.append(landed(step.cards, table.secrets[0], faces))
    return orders


class Part(NamedTuple):
    """What is done ten thousand times."""

    orders: Callable[[tuple[Card, ...], range], list[Order]]
    pack: tuple[Card, ...]


PACK_4 = pack_of((Rank.JACK,))

PARTS = {
    "decks of 8": Part(decks, PACK_8),
    "packs of 32": Part(packs, PACK_32),
    "sorted hands of 8": Part(hands, PACK_8),
}


def gathered(part: Part, runs: int, jobs: int) -> list[Order]:
    """The orders of so many runs, spread over processes; the same for any number of them."""
    steps = [*range(0, runs, 250), runs]
    with ProcessPoolExecutor(jobs) as pool:
        pieces = pool.map(
            partial(part.orders, part.pack), [range(one, two) for one, two in pairwise(steps)]
        )
        return [order for piece in pieces for order in piece]


def main() -> int:
    """Run all parts; status 1 if place and card depend on each other in one of them."""
    cores = os.cpu_count() or 1
    options = asked(__doc__, PARTS, runs=(RUNS, "of each part"), jobs=(cores, "pieces at a time"))
    good = Counter[bool]()
    for name in options.parts:
        part, begun = PARTS[name], time.monotonic()
        cards = len(part.pack)
        found = statistic(gathered(part, options.runs, options.jobs), cards)
        freedom = (cards - 1) ** 2
        good[found < threshold(freedom)] += 1
        say(
            f"{name}: {options.runs:,} runs in {time.monotonic() - begun:.0f} s, chi-squared "
            f"{found:.1f} with {freedom} degrees of freedom, threshold {threshold(freedom):.1f}"
        )
    return int(good[False] > 0)


if __name__ == "__main__":
    sys.exit(main())
