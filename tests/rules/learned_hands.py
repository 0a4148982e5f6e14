"""Auctions and hands of bots among themselves, from which the tables of 304's bots are learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from p2p304.bots.play304.auction import call, promised
from p2p304.bots.play304.bidding import four_card_call
from p2p304.bots.play304.competent import CompetentPlayer
from p2p304.bots.play304.promise import best_trump, support
from p2p304.bots.play304.thinking import STEADY, Position, chance_for
from p2p304.bots.play304.usual_calls import ASK, heard_in
from p2p304.bots.tables.likely304 import BY_PLACE
from p2p304.cards import Card, Slot
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Cut
from p2p304.rules304.bits import BIT
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.profiles import CHAMPIONSHIP, PAGAT
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.settle import settle
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.rules.run_learning import ENDS, SUPPORTS, WIDTH

Seen = list[tuple[str, int, bool]]


def dealt(seed: int, game: Game304) -> OpenTable:
    """Return a table with cards from a seed, cut."""
    chance = SeededRandomness(seed)
    deck = list(game.pack)
    chance.shuffle(deck)
    table = OpenTable(game, deck, chance, dealer=Seat(seed % game.seats), checks=False)
    table.act(table.state.awaiting[0], Cut(0))
    return table


def calls(auctions: int, seed: int) -> tuple[Seen, Seen]:
    """Return who bid and who asked, in auctions among players that call as they have learned and
    others that call by rules of thumb, so that more than one way of calling is understood."""
    bids: Seen = []
    asks: Seen = []
    for number in range(auctions):
        profile = CHAMPIONSHIP if number % 5 == 0 else PAGAT
        table = dealt(seed * 1_000_003 + number, Game304(profile))
        firsts = [sum(BIT[table.face(slot)] for slot in hand) for hand in table.state.hands]
        chance = SeededRandomness(seed + number)
        learned = [chance.randbelow(2) for _ in table.state.everybody]
        while table.state.phase is Phase.AUCTION4:
            seat = table.state.awaiting[0]
            view = table.view(seat)
            position = Position(
                view, seat, tuple(legal_actions(view)), STEADY, chance_for(seed + seat, view, seat)
            )
            decide = call if learned[seat] else four_card_call
            table.act(seat, decide(position).action)
        state: State = table.state
        for heard in heard_in(profile, state.dealer, state.calls, state.auction):
            if not heard.floor:
                continue
            points = best_trump(firsts[heard.seat]).points
            bid = isinstance(heard.said, int)
            floor = heard.said if isinstance(heard.said, int) else heard.floor
            bids.append((heard.situation, int((points - floor) // WIDTH) + ENDS, bid))
            if not bid and heard.situation != "asked" and profile is PAGAT and learned[heard.seat]:
                place = int(support(firsts[heard.seat]) // WIDTH) + SUPPORTS // 2
                asks.append((heard.situation, place, heard.said == ASK))
    return bids, asks


class Played(NamedTuple):
    """A hand at its end, with the faces of all slots and what each seat's first cards were."""

    state: State
    faces: dict[Slot, Card]
    firsts: list[int]
    taken: int | None
    """The points of the maker's team; None where the hand was void or a contract was played."""


def played(hands: int, seed: int) -> list[Played]:
    """Return hands that players by rules of thumb have played to their end."""
    game = Game304(PAGAT)
    found = []
    for number in range(hands):
        table = dealt(seed * 1_000_003 + number, game)
        firsts = [sum(BIT[table.face(slot)] for slot in hand) for hand in table.state.hands]
        players = [CompetentPlayer(seed + number + seat) for seat in table.state.everybody]
        while table.state.awaiting:
            seat = table.state.awaiting[0]
            table.act(seat, players[seat].choose(table.view(seat)))
        outcome = settle(table.state)
        assert isinstance(outcome, HandOutcome)
        facts = outcome.facts
        counted = facts.void is None and facts.violation is None and isinstance(facts.bid, int)
        faces = dict(table.open_view().faces)
        found.append(Played(table.state, faces, firsts, facts.points if counted else None))
    return found


def promises(hands: Sequence[Played]) -> Iterator[tuple[int, bool, float]]:
    """Yield what was taken, whether the maker's partner led, and what the first cards promised."""
    for state, _, firsts, taken in hands:
        if taken is None or state.maker is None:
            continue
        leader = state.right_of(state.dealer)
        points = promised(state.profile, state.dealer, state.maker, firsts)
        by_place = BY_PLACE[(leader - state.maker) % state.seats]
        yield taken, leader in state.mates(state.maker), points - by_place
