"""A player of 41 and 400: bids the tricks that it counts in its hand, and plays to take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.bots.advice import Advice
from p2p304.cards import Card, Rank, Suit
from p2p304.rules41.actions import Action, PlaceBid, PlayCard
from p2p304.rules41.hand import TRUMPS, Game41, Play, State, trick_winner
from p2p304.rules41.match import SEATS
from p2p304.rules41.rules import HIGHEST_BID
from p2p304.seats import Seat
from p2p304.view import View

_HIGH: Final = (0.95, 0.65, 0.25)
"""What ace, king and queen of another suit than trumps take, as long as the suit is short."""
_LOW: Final = Rank.TEN
_LONG: Final = 5
"""With so many cards of a suit somebody else has none of it, and trumps it early."""
_TRUMP_HIGH: Final = (1.0, 0.9, 0.7, 0.4)
_TRUMP_LENGTH: Final = 0.7
"""What each trump beyond the third takes, high or not."""
_RUFF: Final = 0.45
"""What a trump takes for each card that a short suit has less than three."""


class CountingPlayer:
    """Plays 41 or 400 from its view alone; the same view gives the same choice."""

    __slots__ = ("_game",)

    def __init__(self, game: Game41) -> None:
        self._game = game

    def choose(self, view: View[State]) -> Action:
        """Return a legal action of the view's seat. Raises ValueError when it has none."""
        action: Action = self.advice(view).action
        return action

    def advice(self, view: View[State]) -> Advice:
        """Advise what the player would do, and why.

        Raises ValueError when the seat is not to act.
        """
        legal = self._game.legal_actions(view)
        if view.seat is None or not legal:
            raise ValueError(f"seat {view.seat} has no legal action")
        if len(legal) == 1:
            return Advice(legal[0], "The rules leave no other choice.")
        if isinstance(legal[0], PlaceBid):
            return self._bid(view, view.seat)
        plays = [each for each in legal if isinstance(each, PlayCard)]
        if not plays:
            return Advice(legal[0], "One choice is as good as another here.")
        return _lead(view, plays) if not view.state.trick else _follow(view, view.seat, plays)

    def _bid(self, view: View[State], seat: Seat) -> Advice:
        cards = [view.faces[slot] for slot in view.state.hands[seat]]
        why = f"These cards are worth about {tricks_in(cards):.1f} tricks."
        return Advice(PlaceBid(bid_of(self._game, cards)), why)


def bid_of(game: Game41, cards: Sequence[Card]) -> int:
    """Return the bid that counts the tricks of a hand."""
    return min(max(round(tricks_in(cards)), game.rules.lowest_bid), HIGHEST_BID)


def tricks_in(cards: Sequence[Card]) -> float:
    """Estimate the tricks that a hand takes by its high cards, its long trumps and its short
    suits."""
    trumps = [card.rank for card in cards if card.suit is TRUMPS]
    tricks = _TRUMP_LENGTH * max(0, len(trumps) - 3)
    for number, worth in enumerate(_TRUMP_HIGH):
        guarded = len(trumps) > number
        tricks += worth * (14 - number in trumps) * (1 if guarded else 0.4)
    spare = len(trumps)
    for suit in Suit:
        if suit is TRUMPS:
            continue
        ranks = [card.rank for card in cards if card.suit is suit]
        for number, worth in enumerate(_HIGH):
            guarded = number < len(ranks) <= _LONG
            tricks += worth * (14 - number in ranks) * (1 if guarded else 0.5)
        ruffs = min(max(0, 3 - len(ranks)), spare)
        spare -= ruffs
        tricks += _RUFF * ruffs
    return tricks


def _seen(state: State) -> set[Card]:
    return {play.card for trick in state.tricks for play in trick.plays} | {
        play.card for play in state.trick
    }


def _is_highest(card: Card, held: set[Card], seen: set[Card]) -> bool:
    """Tell whether no card of its suit that others may hold beats it."""
    higher = (Card(card.suit, rank) for rank in type(card.rank) if rank > card.rank)
    return all(each in held or each in seen for each in higher)


def _value(card: Card) -> tuple[bool, int, int]:
    return card.suit is TRUMPS, card.rank, card.suit


def reason(view: View[State], play: PlayCard) -> str:
    """Return in a sentence what speaks for a card; "" for nothing."""
    state, seat = view.state, view.seat
    if seat is None:
        return ""
    held = {view.faces[slot] for slot in state.hands[seat]}
    if not state.trick:
        if _is_highest(play.card, held, _seen(state)):
            return "Nobody has a higher card of that suit."
        return "It is not sure to win, and costs little." if play.card.rank < _LOW else ""
    leader = trick_winner(state.trick)
    if trick_winner((*state.trick, Play(seat, play.slot, play.card))) == seat:
        last = len(state.trick) == SEATS - 1
        return f"It wins the trick{'' if last else ' as it stands'}."
    if leader == Seat((seat + 2) % SEATS):
        return "Your partner is winning this trick."
    return "It leaves this trick to the others."


def _lead(view: View[State], plays: list[PlayCard]) -> Advice:
    held, seen = {each.card for each in plays}, _seen(view.state)
    sure = [each for each in plays if _is_highest(each.card, held, seen)]
    if sure:
        best = min(sure, key=lambda each: _value(each.card))
        return Advice(best, "Nobody has a higher card of that suit.")
    low = min(plays, key=lambda each: _value(each.card))
    return Advice(low, "None of these cards is sure to win, and this one costs least.")


def _follow(view: View[State], seat: Seat, plays: list[PlayCard]) -> Advice:
    state = view.state
    held, seen = {each.card for each in plays}, _seen(state)
    low = min(plays, key=lambda each: _value(each.card))
    last = len(state.trick) == SEATS - 1
    winning = [
        each
        for each in plays
        if trick_winner((*state.trick, Play(seat, each.slot, each.card))) == seat
    ]
    if not winning:
        return Advice(low, "The trick cannot be won, so the lowest card goes.")
    leader = trick_winner(state.trick)
    mate = Seat((seat + 2) % SEATS)
    lacks = state.taken[mate] < state.bid_of[mate]
    mine = state.taken[seat] < state.bid_of[seat]
    card = next(play.card for play in state.trick if play.seat == leader)
    if leader == mate and (lacks or not mine) and (last or _is_highest(card, held, seen)):
        return Advice(low, "Your partner is winning this trick.")
    cheapest = min(winning, key=lambda each: _value(each.card))
    if last or cheapest.card.suit is not state.trick[0].card.suit:
        return Advice(cheapest, "This is the cheapest card that wins as it stands.")
    best = max(winning, key=lambda each: _value(each.card))
    if _is_highest(best.card, held, seen):
        return Advice(best, "Nobody has a higher card of that suit.")
    return Advice(low, "Somebody behind may still take the trick, so the lowest card goes.")
