"""The highest card wins the trick: four cards each, everybody plays one in turn, no suit binds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.disclosures import Dealt, Opened
from p2p304.errors import NotationError, RulesError
from p2p304.game import Step
from p2p304.seats import Seat, Sides, seat_after
from p2p304.statements import IsCard
from p2p304.view import View

SEATS = 3
CARDS = 4
TARGET = 6
"""Tricks that win a match."""
EVERYBODY = tuple(map(Seat, range(SEATS)))
PACK = tuple(Card(suit, rank) for suit in Suit for rank in (Rank.QUEEN, Rank.KING, Rank.ACE))


class Play(NamedTuple):
    """A card of the hand."""

    slot: Slot
    card: Card


class Laid(NamedTuple):
    """A card of a trick, and whose."""

    seat: Seat
    slot: Slot
    card: Card


class State(NamedTuple):
    """Everything public of a hand."""

    dealer: Seat
    turn: Seat
    hands: tuple[tuple[Slot, ...], ...]
    trick: tuple[Laid, ...] = ()
    last: tuple[Laid, ...] = ()
    taken: tuple[int, ...] = (0,) * SEATS


class Outcome(NamedTuple):
    """The tricks of each seat."""

    scores: tuple[int, ...]
    summary: str
    played: bool = True


class Match(NamedTuple):
    """A match to so many tricks."""

    dealer: Seat
    scores: tuple[int, ...]
    winner: int | None = None


def strength(laid: Laid) -> tuple[int, int]:
    """Return how high a card is: by its rank, then by its suit."""
    return list(Rank).index(laid.card.rank), list(Suit).index(laid.card.suit)


class Highest:
    """The rules."""

    name = "highest"
    seats = SEATS
    pack = PACK

    def points_of(self, card: Card) -> int:
        return 0

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[State]:
        slots = tuple(map(Slot, range(len(PACK))))
        hands = tuple(slots[CARDS * seat : CARDS * (seat + 1)] for seat in EVERYBODY)
        dealt = tuple(Dealt(seat, hands[seat]) for seat in EVERYBODY)
        return Step(State(dealer, seat_after(dealer, seats=SEATS), hands), (), dealt)

    def contributors(self, state: State) -> tuple[Seat, ...]:
        return () if self.is_over(state) else (state.turn,)

    def apply(self, state: State, seat: Seat, action: Play) -> Step[State]:
        slot, card = action
        if seat != state.turn or slot not in state.hands[seat]:
            raise RulesError("1", "not the seat's turn, or not its card")
        hands = tuple(tuple(each for each in hand if each != slot) for hand in state.hands)
        trick = (*state.trick, Laid(seat, slot, card))
        after = state._replace(hands=hands, trick=trick, turn=seat_after(seat, seats=SEATS))
        if len(trick) == SEATS:
            won = max(trick, key=strength).seat
            taken = tuple(count + (each == won) for each, count in enumerate(state.taken))
            after = after._replace(trick=(), last=trick, taken=taken, turn=won)
        return Step(after, (IsCard(slot, card),), (Opened(slot, card),))

    def legal_actions(self, view: View[State]) -> Sequence[Play]:
        if view.seat is None or view.seat not in self.contributors(view.state):
            return ()
        return tuple(Play(slot, view.faces[slot]) for slot in view.state.hands[view.seat])

    def sides(self, state: State) -> tuple[Sides, ...]:
        return (tuple((seat,) for seat in EVERYBODY),)

    def largest_actions(self, state: State, seat: Seat) -> Iterable[Play]:
        yield from (Play(slot, PACK[0]) for slot in state.hands[seat][-1:])

    def is_over(self, state: State) -> bool:
        return not any(state.hands)

    def settle(self, state: State) -> Outcome:
        if not self.is_over(state):
            raise RulesError("2", "cards are left")
        return Outcome(state.taken, f"Tricks: {', '.join(map(str, state.taken))}.")

    def format_action(self, action: Play) -> str:
        return f"play {action.slot} {action.card}"

    def parse_action(self, text: str) -> Play:
        word, slot, card = (*text.split(" "), "", "")[:3]
        if not slot.isdecimal() or len(slot) > 2:
            raise NotationError(f"no action: {text!a}")
        action = Play(Slot(int(slot)), parse_card(card))
        if word != "play" or self.format_action(action) != text:
            raise NotationError(f"not canonical: {text!a}")
        return action

    def new_match(self, luck: bytes) -> Match:
        return Match(Seat(luck[0] % SEATS), (0,) * SEATS)

    def after_hand(self, match: Match, outcome: Outcome) -> Match:
        pairs = zip(match.scores, outcome.scores, strict=True)
        scores = tuple(old + new for old, new in pairs)
        return Match(seat_after(match.dealer, seats=SEATS), scores, _winner(scores))

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> Match:
        if len(scores) != SEATS or _winner(scores) is not None:
            raise ValueError("no match goes on so")
        return Match(dealer, scores)


def _winner(scores: tuple[int, ...]) -> int | None:
    """The seat that has won; while the best are several, the match goes on."""
    best = max(scores)
    alone = best >= TARGET and scores.count(best) == 1
    return scores.index(best) if alone else None
