"""The judge of caps in real hands: what it calls sure is played out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from p2p304.cards import Card, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Cut, Pass, PlaceBid, PlayCard, PlayDown, Ready
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.judge import CapsMoment, duties, moments
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK, STRENGTH
from p2p304.rules304.state import Phase, State
from p2p304.rules304.teams import team_of
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.long import examples, sample

SEATS = 4

PLAYS = (PlayCard, PlayDown)


def deal(chance: SeededRandomness, *, strong: bool) -> OpenTable:
    """A shuffled hand; if `strong`, South or North has most of the high cards."""
    deck = list(PACK)
    dealer = Seat(chance.randbelow(SEATS))
    chance.shuffle(deck)
    if strong:
        deck.sort(
            key=lambda card: (
                2 * STRENGTH[card.rank]
                + chance.randbelow(5)
                + 5 * (card.suit in (Suit.HEARTS, Suit.CLUBS))
            )
        )
        best, rest = deck[-8:], deck[:-8]
        chance.shuffle(best)
        chance.shuffle(rest)
        place = (dealer + 1) % 2 + 2 * chance.randbelow(2)
        for batch in range(2):
            at = 16 * batch + 4 * place
            rest[at:at] = best[4 * batch : 4 * batch + 4]
        deck = rest
    game = Game304(named_profile("pagat"))
    return OpenTable(game, deck, chance, dealer=dealer, checks=False)


def choice(table: OpenTable, seat: Seat, chance: SeededRandomness, *, eager: bool) -> Any:
    """A legal action: low bids, no calls, and if `eager` South and North play high."""
    legal = list(table.game.legal_actions(table.view(seat)))
    plays = [action for action in legal if isinstance(action, PLAYS)]
    if plays:
        if not eager or chance.randbelow(3) == 0:
            return plays[chance.randbelow(len(plays))]
        sign = 1 if team_of(seat) == 0 else -1
        return max(plays, key=lambda play: sign * STRENGTH[table.face(play.slot).rank])
    auction = table.state.auction
    opening = table.state.phase is Phase.AUCTION4 and auction.top is None
    for kind in (Ready, Cut, PlaceBid if opening else Pass):
        fitting = [action for action in legal if isinstance(action, kind)]
        if fitting:
            return fitting[0]
    return legal[chance.randbelow(len(legal))]


def hands(seed: int, count: int, *, strong: bool) -> Iterator[tuple[OpenTable, State]]:
    """Positions of play, each as the table and its state, window by window and card by card."""
    chance = SeededRandomness(seed)
    for _ in range(count):
        table = deal(chance, strong=strong)
        while table.game.contributors(table.state):
            seat = table.game.contributors(table.state)[0]
            table.act(seat, choice(table, seat, chance, eager=True))
            yield table, table.state


def play_out(
    table: OpenTable, seat: Seat, order: tuple[Card, ...], chance: SeededRandomness
) -> None:
    """`seat` plays `order`, the others anything legal; its team must win every trick."""
    due = list(order)
    before = len(table.state.tricks)
    while table.game.contributors(table.state):
        turn = table.game.contributors(table.state)[0]
        action = choice(table, turn, chance, eager=False)
        if turn == seat and isinstance(action, PLAYS):
            legal = table.game.legal_actions(table.view(seat))
            fitting = [
                play
                for play in legal
                if isinstance(play, PLAYS) and table.face(play.slot) == due[0]
            ]
            assert fitting, f"{due[0]} is not legal"
            action = fitting[0]
            due.pop(0)
        table.act(turn, action)
    assert all(team_of(trick.winner) == team_of(seat) for trick in table.state.tricks[before:])


@pytest.mark.parametrize("seed", sample(range(4), [0]))
def test_a_sure_order_wins_whatever_the_others_play(seed: int) -> None:
    chance = SeededRandomness(1000 + seed)
    tried = 0
    for table, state in hands(seed, examples(14), strong=True):
        if state.phase is not Phase.TRICK or (len(state.tricks) == 7 and state.plays):
            continue
        for seat in map(Seat, range(SEATS)):
            if any(team_of(trick.winner) != team_of(seat) for trick in state.tricks):
                continue
            found = find_order(information_of(state, seat, table.view(seat).faces))
            if found.sure:
                tried += 1
                for _ in range(10):
                    play_out(table.fork(chance), seat, found.order, chance)
    assert tried >= 10


def test_the_duty_to_call_begins_where_an_order_is_first_sure() -> None:
    due = 0
    for table, state in hands(14, 8, strong=True):
        if table.game.contributors(state) or not state.tricks:
            continue
        first: dict[Seat, CapsMoment] = {}
        for moment, then in moments(state):
            for seat in map(Seat, range(SEATS)):
                if find_order(information_of(then, seat, state.faces)).sure:
                    first.setdefault(seat, moment)
        assert duties(state, (state.faces,) * SEATS) == first
        due += len(first)
    assert due >= 3
