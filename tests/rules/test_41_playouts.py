"""Random deals of 41 and 400: what must be true of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from p2p304.bots.players import RandomPlayer
from p2p304.cards import Card, Slot
from p2p304.errors import RulesError
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import Action, Cut, PlaceBid, PlayCard, SortHand
from p2p304.rules41.hand import ALL_SEATS, PACK, Game41, Phase, State
from p2p304.rules41.rules import TOGGLES, Variant, parse_rules
from p2p304.seats import Seat
from p2p304.simulator import FalseStatement, OpenTable, PlayedHand, play_hand
from p2p304.view import View
from tests.long import examples

SEEDS = st.integers(0, 2**64 - 1)
GAMES = st.builds(
    lambda variant, toggles: Game41(parse_rules(variant, ",".join(toggles))),
    st.sampled_from(Variant),
    st.lists(st.sampled_from(sorted(TOGGLES)), unique=True),
)


def shuffled(seed: int) -> tuple[Card, ...]:
    deck = list(PACK)
    SeededRandomness(seed).shuffle(deck)
    return tuple(deck)


class ModestPlayer(RandomPlayer):
    """Chooses among so few of the lowest bids that some deals are thrown in and matches end."""

    def __init__(self, game: Game41, seed: int, bids: int) -> None:
        super().__init__(game, seed)
        self.bids = bids

    def choose(self, view: View[State]) -> Action:
        action: Action = super().choose(view)
        if isinstance(action, PlaceBid):
            return PlaceBid(2 + action.tricks % self.bids)
        return action


def played(game: Game41, seed: int, **options: Any) -> PlayedHand:
    players = [ModestPlayer(game, seed + seat, 1 + seed % 12) for seat in ALL_SEATS]
    dealer = Seat(seed % 4)
    return play_hand(game, dealer, players, shuffled(seed), SeededRandomness(seed), **options)


def table_before(game: Game41, hand: PlayedHand, seed: int, moment: int) -> OpenTable:
    """The table of a hand that `played` played with `seed`, before its action `moment`."""
    table = OpenTable(game, hand.deck, SeededRandomness(seed), dealer=hand.dealer)
    for seat, action in hand.actions[:moment]:
        table.act(seat, action)
    return table


@settings(max_examples=examples(60))
@given(game=GAMES, seed=SEEDS)
def test_an_honest_deal_satisfies_all_statements_and_ends(game: Game41, seed: int) -> None:
    seen: list[State] = []

    def watch(table: OpenTable, seat: Seat, action: Action) -> None:
        text = game.format_action(action)
        assert text.isascii()
        assert len(text) <= 400
        assert game.parse_action(text) == action
        seen.append(table.state)

    hand = played(game, seed, watch=watch)
    assert game.is_over(hand.state)
    assert game.contributors(hand.state) == ()
    assert seen[-1] == hand.state
    outcome = hand.outcome
    if hand.state.phase is Phase.THROWN_IN:
        event("thrown in")
        assert sum(map(game.rules.value, hand.state.bids)) < hand.state.floor
        assert outcome.scores == (0, 0, 0, 0)
    else:
        event("played")
        assert sum(map(game.rules.value, hand.state.bids)) >= hand.state.floor
        cards = [play.card for trick in hand.state.tricks for play in trick.plays]
        assert sorted(cards) == sorted(PACK)
        assert sum(hand.state.taken) == 13
        for seat in ALL_SEATS:
            sign = 1 if hand.state.taken[seat] >= hand.state.bid_of[seat] else -1
            assert outcome.scores[seat] == sign * game.rules.value(hand.state.bid_of[seat])


def candidates(table: OpenTable, seat: Seat) -> list[Action]:
    """Actions of every kind, lies about faces and other seats' cards among them."""
    own = table.state.hands[seat]
    everywhere = [PlayCard(Slot(slot), table.face(Slot(slot))) for slot in range(52)]
    sorted_hands = [
        PlayCard(slot, table.face(slot))
        for slot in map(Slot, range(52, 104))
        if table.state.phase not in (Phase.CUTTING, Phase.SORTING)
    ]
    return [
        *map(Cut, range(-1, 54)),
        SortHand(),
        *map(PlaceBid, range(-1, 16)),
        *everywhere,
        *sorted_hands,
        *(PlayCard(slot, card) for slot in own for card in PACK),
        PlayCard(Slot(104), PACK[0]),
    ]


@settings(max_examples=examples(30))
@given(game=GAMES, seed=SEEDS, when=st.integers(0, 10**6))
def test_what_is_not_legal_is_refused_and_changes_nothing(
    game: Game41, seed: int, when: int
) -> None:
    hand = played(game, seed)
    table = table_before(game, hand, seed, when % (len(hand.actions) + 1))
    event(table.state.phase.value)
    state = table.state
    views = [dict(table.view(seat).faces) for seat in (*ALL_SEATS, None)]
    for seat in ALL_SEATS:
        legal = set(game.legal_actions(table.view(seat)))
        assert bool(legal) == (seat in game.contributors(state))
        for action in candidates(table, seat):
            if action not in legal:
                with pytest.raises((RulesError, FalseStatement)):
                    table.act(seat, action)
    assert table.state == state
    assert [dict(table.view(seat).faces) for seat in (*ALL_SEATS, None)] == views


def views_of(
    game: Game41,
    hand: PlayedHand,
    seed: int,
    moment: int,
    deck: tuple[Card, ...],
    seat: Seat | None,
) -> list[tuple[View[State], Any]]:
    """What `seat` sees before each of the first actions, were `deck` the one dealt."""
    table = OpenTable(game, deck, SeededRandomness(seed), dealer=hand.dealer)
    views = []
    for actor, action in hand.actions[:moment]:
        view = table.view(seat)
        views.append((view, game.legal_actions(view)))
        table.act(actor, action)
    view = table.view(seat)
    return [*views, (view, game.legal_actions(view))]


@settings(max_examples=examples(40))
@given(
    game=GAMES,
    seed=SEEDS,
    when=st.integers(0, 10**6),
    reader=st.sampled_from([*ALL_SEATS, None]),
    swaps=st.integers(1, 12),
)
def test_views_do_not_depend_on_hidden_cards(
    game: Game41, seed: int, when: int, reader: Seat | None, swaps: int
) -> None:
    hand = played(game, seed)
    moment = when % (len(hand.actions) + 1)
    table = table_before(game, hand, seed, moment)
    known = set(table.view(reader).faces.values())
    hidden = [card for card in PACK if card not in known]
    assume(len(hidden) > 1)
    real = views_of(game, hand, seed, moment, hand.deck, reader)
    chance = SeededRandomness(seed + when)
    changed = 0
    for _ in range(10):
        other = list(hidden)
        for _ in range(swaps):
            one, two = chance.randbelow(len(other)), chance.randbelow(len(other))
            other[one], other[two] = other[two], other[one]
        instead = dict(zip(hidden, other, strict=True))
        deck = tuple(instead.get(card, card) for card in hand.deck)
        try:
            imagined = views_of(game, hand, seed, moment, deck, reader)
        except FalseStatement:
            continue  # this permutation contradicts what the table was told
        changed += deck != hand.deck
        assert imagined == real
    event("permuted" if changed else "only one deal is possible, or none was found")
