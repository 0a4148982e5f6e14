"""What is known of playing 41 and 400 well: counted tricks, and what bids and cards tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import Final

from p2p304.bots.advice import Advice
from p2p304.bots.levels import Level, More
from p2p304.bots.play41.counting import (
    ALL,
    BIT,
    CARD,
    SUITS,
    bid_of,
    reason,
    rule_of_thumb,
    seat_cards,
    seen_cards,
    tricks_in,
)
from p2p304.bots.play41.playout import ending_of
from p2p304.bots.search.interface import Payoff
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import Action, PlaceBid, PlayCard
from p2p304.rules41.hand import DealPhase, DealState, Game41, Outcome41
from p2p304.view import View

# These numbers are choices. The more a share favours rules of thumb, the seldomer the search looks
# at anything else; a wider range of bids spends hands on bids that seldom do best.
_TOLD: Final = 0.5  #: The share of the card that the rules of thumb name; the others have the rest.
_BELOW, _ABOVE = 2, 3  #: How far from the counted tricks a bid is thought about.
# How fast a bid's share falls with its squared distance from the count.
_NEAR: Final = 0.5


class Prior41:
    """The rules of thumb of 41 and 400 for the search: bids and cards are searched."""

    # With a tree below each choice; 304 alone goes without (specs/decisions/060-one-search.md).
    ahead = True

    def __init__(self, game: Game41) -> None:
        """Prepare rules of thumb for `game` under its rules."""
        self._game = game

    def decide(
        self,
        view: View[DealState],
        legal: Sequence[Action],
        level: Level,  # noqa: ARG002 - a cut needs no thought at any level
        chance: SeededRandomness,
        more: More | None,  # noqa: ARG002 - as `level`
    ) -> Advice | None:
        """Return a random cut, drawn from `chance`; None for bids and cards, which are searched.
        `level` and `more` are not used.
        """
        if view.state.phase is not DealPhase.CUTTING:
            return None
        cut = legal[chance.randbelow(len(legal))]
        return Advice(cut, "One choice is as good as another here.")

    def candidates(
        self, view: View[DealState], legal: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the legal actions that are worth a search, each with the share of times that a
        good player would choose it, together 1: bids near the tricks that the hand should take, or
        one card of each run that wins the same tricks.

        Cuts and sorting all have equal shares.
        """
        # The first tells the kind of all: each phase has one kind of action.
        if isinstance(legal[0], PlaceBid):
            return self._bids(view, legal)
        if not isinstance(legal[0], PlayCard) or len(legal) == 1:
            return [(each, 1 / len(legal)) for each in legal]
        # The search asks for a seat that is to act, never for a spectator.
        assert view.seat is not None
        hand = seat_cards(view.state, view.faces, view.seat)
        best = rule_of_thumb(view.state, hand, view.seat)
        unseen = ALL & ~(seen_cards(view.state) | hand)
        plays = {BIT[each.card]: each for each in legal if isinstance(each, PlayCard)}
        # Each card is one bit: the sum of different ones is their union.
        different = [*_different(sum(plays), unseen, best)]
        if len(different) == 1:
            return [(plays[different[0]], 1.0)]
        rest = (1 - _TOLD) / (len(different) - 1)
        return [(plays[each], _TOLD if each == best else rest) for each in different]

    def _bids(
        self, view: View[DealState], legal: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the bids from 2 below to 3 above the tricks that the hand should take, each
        with its share, together 1; the nearer, the larger. The lowest bid alone where none is so
        near.
        """
        # As in `candidates`: never a spectator.
        assert view.seat is not None
        count = tricks_in([view.faces[slot] for slot in view.state.hands[view.seat]])
        near: list[tuple[Action, float]] = [
            (each, exp(-_NEAR * (each.tricks - count) ** 2))
            for each in legal
            if isinstance(each, PlaceBid) and -_BELOW <= each.tricks - count <= _ABOVE
        ] or [(legal[0], 1.0)]
        total = sum(share for _, share in near)
        return [(each, share / total) for each, share in near]

    def act(
        self, view: View[DealState], legal: Sequence[Action], chance: SeededRandomness
    ) -> Action:
        """Return the bid or card that rules of thumb choose; a cut or a sorting is drawn by
        chance.
        """
        # As in `candidates`: never a spectator.
        assert view.seat is not None
        state, seat = view.state, view.seat
        # As in `candidates`: one kind of action in each phase.
        if isinstance(legal[0], PlaceBid):
            # Legal: no bid needs to go over another, so that any number from the lowest to 13 is.
            return PlaceBid(bid_of(self._game, [view.faces[slot] for slot in state.hands[seat]]))
        if not isinstance(legal[0], PlayCard):
            return legal[chance.randbelow(len(legal))]
        hand = seat_cards(state, view.faces, seat)
        card = CARD[rule_of_thumb(state, hand, seat)]
        return next(each for each in legal if isinstance(each, PlayCard) and each.card == card)

    def why(self, view: View[DealState], action: Action) -> str:
        """Return a sentence on a bid, with the tricks that the hand should take, or on what
        speaks for a card; "" for other actions.
        """
        if isinstance(action, PlayCard):
            return reason(view, action)
        if not isinstance(action, PlaceBid) or view.seat is None:
            return ""
        cards = [view.faces[slot] for slot in view.state.hands[view.seat]]
        return f"These cards are worth about {tricks_in(cards):.1f} tricks."

    def judge(
        self,
        view: View[DealState],
        state: DealState,  # noqa: ARG002 - the outcome tells it all
        outcome: Outcome41,
    ) -> Payoff:
        """Return the payoff of a deal that ended with `outcome`: its worth to each seat is its
        pair's chance to win the match from the new scores; with each seat's change of score, and
        whether the view's seat made its bid.
        """
        return ending_of(self._game.rules, view, outcome)


def _alike(card: int, other: int, unseen: int) -> bool:
    """Tell whether two cards of a hand win the same tricks: they are of one suit, and no unseen
    card ranks between them.
    """
    if card == other:
        return True
    high, low = max(card, other), min(card, other)
    # high - low has the bits from the lower card up to below the higher one.
    return any(card & suit and other & suit for suit in SUITS) and not unseen & high - low


def _different(cards: int, unseen: int, told: int) -> Iterator[int]:
    """Yield one card, as a bit, of each run of `cards` that win the same tricks, with no card of
    `unseen` between them: `told` if it is in the run, else the lowest.
    """
    rest = cards
    while rest:
        low = rest & -rest
        row = low
        rest ^= low
        # rest & -rest is the lowest card left; the next one up belongs to the row while nothing is
        # between.
        while rest and _alike(low, rest & -rest, unseen):
            row |= rest & -rest
            # Without its lowest bit.
            rest &= rest - 1
        yield told if told & row else low
