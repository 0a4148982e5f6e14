"""What players of 304 believe of hidden cards: all that facts allow, weighed by what was done."""

from __future__ import annotations

from collections import Counter
from math import log

from p2p304.bots.play304.belief import Belief, Ways
from p2p304.bots.play304.competent import CompetentPlayer
from p2p304.bots.play304.sampling import Layouts, Room
from p2p304.bots.play304.thinking import Thinking
from p2p304.cards import Slot, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bids import Contract
from p2p304.rules304.bits import BIT, SUIT_BITS
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.profiles import PAGAT
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import holds
from tests.long import examples

FAINT = 1e-3


def test_every_way_to_lay_cards_into_rooms_is_as_likely_as_any_other() -> None:
    spades = [BIT[card] for card in PACK if card.suit is Suit.SPADES][:3]
    hearts = [BIT[card] for card in PACK if card.suit is Suit.HEARTS][:2]
    unseen = sum(spades) + sum(hearts)
    rooms = (
        Room(0, (Slot(0), Slot(1)), unseen & SUIT_BITS[Suit.SPADES]),
        Room(1, (Slot(2), Slot(3)), unseen),
        Room(2, (Slot(4),), unseen),
    )
    ways, chance = Ways(rooms, unseen), SeededRandomness(3)
    found = Counter(tuple(sorted(ways.draw(chance).items())) for _ in range(3_600))
    # Two of three spades in order, then the other three cards in any order.
    assert len(found) == 6 * 6
    assert max(found.values()) < 2 * min(found.values())


def test_what_was_done_tells_more_of_trumps_than_what_may_be() -> None:
    """The mean of the logarithm of what was believed of the true suit, over some hands."""
    before = after = 0.0
    asked = 0
    for seed in range(4):
        table = _table(seed)
        players = [CompetentPlayer(seed + seat, Thinking(layouts=12, nodes=0)) for seat in range(4)]
        while table.state.awaiting:
            state, seat = table.state, table.state.awaiting[0]
            hidden = state.phase is Phase.TRICK and state.trump is None
            if hidden and seat != state.maker and not isinstance(state.contract, Contract):
                view, trump = table.view(seat), table.face(state.trump_slot).suit
                flat = Layouts(view)
                total = sum(each.weight for each in flat._suppositions)
                share = sum(each.weight for each in flat._suppositions if each.trump == trump)
                before += log(share / total + FAINT)
                pool = Belief(view)._pool(SeededRandomness(seed))
                true = sum(each.weight for each in pool if each.supposition.trump == trump)
                after += log(true / sum(each.weight for each in pool) + FAINT)
                asked += 1
            table.act(seat, players[seat].choose(table.view(seat)))
    assert asked > 20
    assert after / asked > before / asked + 0.1, (before / asked, after / asked)


def test_every_layout_that_is_believed_fits_what_has_been_stated() -> None:
    drawn = 0
    for seed in range(examples(2)):
        table = _table(seed)
        players = [CompetentPlayer(seed + seat, Thinking(layouts=2, nodes=0)) for seat in range(4)]
        while table.state.awaiting:
            state, seat = table.state, table.state.awaiting[0]
            if state.phase is Phase.TRICK:
                view = table.view(seat)
                layout = Belief(view).layout(SeededRandomness(seed))
                faces = {**view.faces, **layout}
                assert not layout.keys() & view.faces.keys()
                assert all(holds(fact, faces) for fact in state.facts)
                assert len({*layout.values()}) == len(layout)
                drawn += 1
            table.act(seat, players[seat].choose(table.view(seat)))
    assert drawn > 15


def _table(seed: int) -> OpenTable:
    deck = list(PACK)
    chance = SeededRandomness(seed)
    chance.shuffle(deck)
    return OpenTable(Game304(PAGAT), deck, chance, dealer=Seat(seed % 4))
