"""Playouts of 304: the rules on bits, and seats that know what they may."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

import pytest

from p2p304.bots.play304.imagined_table import POINTS, Duties, Imagined, ImaginedTable
from p2p304.bots.play304.own_hand import choice_by_own_hand
from p2p304.bots.play304.prior import shares
from p2p304.bots.play304.scenes import stage_of
from p2p304.cards import Card, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.bids import Contract
from p2p304.rules304.bits import BIT, SUIT_BITS, SUIT_OF, bits
from p2p304.rules304.hand import Game304, settle
from p2p304.rules304.pack import PACK
from p2p304.rules304.profiles import PROFILES
from p2p304.rules304.state import End, Phase, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View
from tests.long import examples
from tests.rules.random_playouts import at_random

HANDS: Final = examples(24)
"""Hands of each profile."""


def deck_of(game: Game304, chance: SeededRandomness) -> list[Card]:
    """A shuffled pack; two in three give the seats long suits, so that rare rules come up."""
    deck = list(game.pack)
    if not chance.randbelow(3):
        chance.shuffle(deck)
        return deck
    first, second = game.profile.deal_batches.sizes
    suits = [[card for card in deck if card.suit == suit] for suit in Suit]
    ordered = [card for suit in suits for card in suit]
    hands = [ordered[place :: game.seats] for place in range(game.seats)]
    if len(ordered) == game.seats * 8:
        hands = [ordered[place * 8 : place * 8 + 8] for place in range(game.seats)]
    deck = [card for hand in hands for card in hand[:first]]
    deck += [card for hand in hands for card in hand[first : first + second]]
    for _ in range(chance.randbelow(8)):
        one, two = chance.randbelow(len(deck)), chance.randbelow(len(deck))
        deck[one], deck[two] = deck[two], deck[one]
    return deck


def is_court(action: object) -> bool:
    return isinstance(action, act.PlaceBid) and isinstance(action.bid, Contract)


def moved(table: OpenTable, chance: SeededRandomness) -> None:
    """Let the first seat awaited do something that is no claim: a kind first, then one of it."""
    seat = table.state.awaiting[0]
    every = table.game.legal_actions(table.view(seat))
    legal = [each for each in every if not isinstance(each, act.RARE_ACTIONS)] or list(every)
    if chance.randbelow(8):  # courts end early
        legal = [each for each in legal if not is_court(each)] or legal
    kinds = sorted({type(each).__name__ for each in legal})
    if len(kinds) > 1 and act.OpenTrump.__name__ in kinds and chance.randbelow(4):
        kinds.remove(act.OpenTrump.__name__)
    kind = kinds[chance.randbelow(len(kinds))]
    kept = [each for each in legal if type(each).__name__ == kind]
    table.act(seat, kept[0 if kind == act.Cut.__name__ else chance.randbelow(len(kept))])


def to_next_card(table: OpenTable, chance: SeededRandomness) -> None:
    """Go on, claiming nothing, until a card is due or the hand is over."""
    while table.state.awaiting:
        seat = table.state.awaiting[0]
        if table.state.phase is Phase.WINDOW:
            table.act(seat, act.Ready())
        elif table.state.phase is not Phase.TRICK:
            moved(table, chance)
        elif any(isinstance(each, act.PlayCard | act.PlayDown) for each in plays(table)):
            return
        else:
            table.act(seat, next(each for each in plays(table) if isinstance(each, act.OpenTrump)))


def plays(table: OpenTable) -> list[Any]:
    return list(table.game.legal_actions(table.view(table.state.awaiting[0])))


def cards_of(table: OpenTable) -> list[act.PlayCard | act.PlayDown]:
    return [each for each in plays(table) if isinstance(each, act.PlayCard | act.PlayDown)]


def hands_in_play(name: str, hands: int) -> Iterator[tuple[OpenTable, SeededRandomness]]:
    """Hands of a profile before the first card."""
    game = Game304(PROFILES[name])
    chance = SeededRandomness(sum(name.encode()))
    while hands:
        mix = SeededRandomness(chance.word())
        dealer = Seat(chance.randbelow(game.seats))
        table = OpenTable(game, deck_of(game, chance), mix, dealer=dealer, checks=False)
        while table.state.awaiting and table.state.phase not in (Phase.WINDOW, Phase.TRICK):
            moved(table, chance)
        if table.state.awaiting:
            hands -= 1
            yield table, chance


def faces(table: OpenTable) -> dict[Any, int]:
    return {slot: BIT[card] for slot, card in table.open_view().faces.items()}


def told(table: ImaginedTable) -> dict[str, Any]:
    """All that a table is, but for what has no bearing once the trick is over."""
    idle = {"leader", "winner"} if not table.led else set()
    known = [cards & table.unseen for cards in table.known]
    every = set(vars(table)) - idle
    return {name: getattr(table, name) for name in every} | {"known": known}


@pytest.mark.parametrize("name", PROFILES)
def test_a_hand_on_bits_goes_as_the_rules_have_it(name: str) -> None:
    """The same seats, the same legal cards, the same winners of tricks, the same end."""
    for real, chance in hands_in_play(name, HANDS):
        quick = ImaginedTable(stage_of(real.state).scene(faces(real)))
        must_open = quick.legal() & quick.indicator
        to_next_card(real, chance)
        assert bool(must_open) == (quick.hidden and real.state.trump is not None)
        while not quick.over:
            state: State = real.state
            assert state.awaiting == (quick.turn,)
            assert len(state.tricks) == 0 or quick.led or state.leader == quick.turn
            legal = {BIT[real.face(each.slot)]: each for each in cards_of(real)}
            assert sum(legal) == quick.legal(), state
            if quick.hidden == (state.trump is None) and not chance.randbelow(3):
                again = ImaginedTable(stage_of(state).scene(faces(real)))
                assert told(again) == told(quick)
            card = list(legal)[chance.randbelow(len(legal))]
            real.act(Seat(quick.turn), legal[card])
            quick.play(card)
            to_next_card(real, chance)
        while real.state.awaiting:  # a court whose partner nobody knows yet goes on
            assert isinstance(real.state.contract, Contract)
            moved(real, chance)
            to_next_card(real, chance)
        end = settle(real.state, judge_caps=False).facts
        if isinstance(end.bid, Contract):
            assert end.made == (not quick.lost)
        else:
            assert real.state.end is End.PLAYED
            assert end.points == quick.points
            assert end.tricks == end.all_tricks - quick.lost


def dealt(seed: int) -> Imagined:
    """A random deal of four hands with hidden trump."""
    chance = SeededRandomness(seed)
    order = [BIT[card] for card in PACK]
    chance.shuffle(order)
    hands = [sum(order[place : place + 8]) for place in range(0, 32, 8)]
    hands[0] ^= order[0]
    return Imagined(
        tuple(hands), (0, 1, 0, 1), 0, SUIT_OF[order[0]], chance.randbelow(4), order[0], True,
        first=True, duties=Duties(exhausted=True),
    )  # fmt: skip


def moments(seed: int) -> Iterator[ImaginedTable]:
    """The tables of a hand whose players draw their cards, before each choice."""
    table = ImaginedTable(dealt(seed))
    choice = at_random(SeededRandomness(seed))
    while not table.over:
        legal = table.legal()
        if legal & legal - 1:
            yield table
        table.play(choice(table, legal))


def mixed(table: ImaginedTable, chance: SeededRandomness) -> ImaginedTable:
    """The same to the seat on turn: cards that it has not seen lie elsewhere."""
    other, seat = deepcopy(table), table.turn
    places = [each for each in range(4) if each != seat]
    lies = table.indicator if seat != table.maker else 0
    cards = list(bits(sum(table.hands[each] for each in places) + lies + table.down))
    chance.shuffle(cards)
    other.down = sum(cards.pop() for _ in range(table.down.bit_count()))
    other.worth = table.shown + sum(POINTS[card] for card in bits(other.down))
    other.cover = 0
    for each in places:
        other.hands[each] = sum(cards.pop() for _ in range(table.hands[each].bit_count()))
        other.known[each] = 0
    if lies:
        other.indicator = cards.pop()
        other.trumps = SUIT_BITS[SUIT_OF[other.indicator]]
    return other


def test_a_seat_of_a_playout_decides_on_what_it_may_know() -> None:
    chance = SeededRandomness(1)
    differs = 0
    for seed in range(40):
        for table in moments(seed):
            legal, other = table.legal(), mixed(table, chance)
            assert choice_by_own_hand(other, legal) == choice_by_own_hand(table, legal), seed
            differs += other.hands != table.hands
    assert differs > 100, "cards must lie elsewhere"


# ---------------------------------------------------------------------------- first thoughts


def test_first_thoughts_look_at_nothing_that_the_seat_does_not_see() -> None:
    """The same shares whether a view holds what its seat knows or every card of the table."""
    compared = 0
    for name in ("pagat", "six36"):
        for real, chance in hands_in_play(name, 6):
            to_next_card(real, chance)
            while real.state.awaiting:
                seat = real.state.awaiting[0]
                cards = cards_of(real)
                view = real.view(seat)
                every = View(seat, real.state, real.open_view().faces)
                assert shares(every, cards) == shares(view, cards)
                assert sum(share for _, share in shares(view, cards)) == pytest.approx(1)
                compared += len(cards) > 1
                moved(real, chance)
                to_next_card(real, chance)
    assert compared > 100
