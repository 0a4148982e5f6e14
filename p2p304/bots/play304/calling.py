"""304 with a called partner by rules of thumb: bids, the card to call, trump open or hidden."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from p2p304.bots.advice import Advice
from p2p304.bots.play304.position import Position, any_choice
from p2p304.cards import Card, Rank, Suit
from p2p304.rules304 import actions as act
from p2p304.rules304.bids import Contract
from p2p304.rules304.pack import STRENGTH
from p2p304.rules304.state import Phase

_TOP: Final = (Rank.JACK, Rank.NINE, Rank.ACE, Rank.TEN)
_BASE: Final = 96
"""Points that a hand without any strength may hope for together with a good partner."""
_TRUMP_WORTH: Final = {Rank.JACK: 34, Rank.NINE: 24, Rank.ACE: 14, Rank.TEN: 12}
_SIDE_WORTH: Final = {Rank.JACK: 18, Rank.NINE: 8}
_LENGTH_WORTH: Final = 9
"""Of each trump beyond the third."""
_OPEN_FROM: Final = 5
"""Trumps in hand from which trump is opened."""


def worth(cards: Sequence[Card], trump: Suit) -> int:
    """Return how many points a hand may hope for with this trump and a good partner."""
    trumps = [card for card in cards if card.suit is trump]
    sides = [card for card in cards if card.suit is not trump]
    total = _BASE + _LENGTH_WORTH * (len(trumps) - 3)
    total += sum(_TRUMP_WORTH.get(card.rank, 0) for card in trumps)
    return total + sum(_SIDE_WORTH.get(card.rank, 0) for card in sides)


def best_trump(cards: Sequence[Card]) -> Suit:
    """Return the suit that makes a hand worth most."""
    return max({card.suit for card in cards}, key=lambda suit: (worth(cards, suit), -suit))


def _half_court(at: Position) -> Advice:
    cards = at.own_cards
    suit = best_trump(cards)
    ranks = [card.rank for card in cards if card.suit is suit]
    if {Rank.JACK, Rank.NINE, Rank.ACE} <= {*ranks}:
        why = f"The three highest {suit.name.lower()} and a partner may win all four tricks."
        return Advice(act.PlaceBid(Contract.HALF_COURT), why)
    return Advice(act.Pass(), "These four cards do not win every trick.")


def _number(at: Position) -> Advice:
    cards = at.own_cards
    suit = best_trump(cards)
    hoped = worth(cards, suit)
    numbers = [
        each.bid
        for each in at.legal
        if isinstance(each, act.PlaceBid) and isinstance(each.bid, int)
    ]
    if numbers and numbers[0] <= hoped:
        why = f"With {suit.name.lower()} as trump this hand hopes for {hoped} points."
        return Advice(act.PlaceBid(numbers[0]), why)
    return Advice(act.Pass(), f"This hand hopes for {hoped} points at best.")


def _indicator(at: Position) -> Advice:
    cards = at.own_cards
    suit = best_trump(cards)
    lays = [each for each in at.legal if isinstance(each, act.LayIndicator)]
    mine = [each for each in lays if at.view.faces[each.slot].suit is suit]
    low = min(mine, key=lambda each: STRENGTH[at.view.faces[each.slot].rank])
    why = f"{suit.name.capitalize()} are the best trump, and a low one is missed least."
    return Advice(low, why)


def _name(at: Position) -> Advice:
    cards = at.own_cards
    assert at.view.state.indicator is not None
    trump = at.view.faces[at.view.state.indicator].suit
    sides = sorted(Suit, key=lambda suit: (suit is not trump, -sum(c.suit is suit for c in cards)))
    wanted = (Card(suit, rank) for suit in sides for rank in _TOP)
    found = next(card for card in wanted if card not in cards)
    return Advice(act.NameCard(found), f"{found} is the card that this hand lacks most.")


def _declare(at: Position) -> Advice:
    cards = at.own_cards
    slot = at.view.state.indicator
    assert slot is not None
    trump = at.view.faces[slot]
    if sum(card.suit is trump.suit for card in cards) >= _OPEN_FROM:
        return Advice(act.OpenTrump(trump), "With so many trumps there is nothing to hide.")
    return Advice(act.KeepClosed(), "Hidden trump leaves the others in doubt.")


def _window(at: Position) -> Advice:
    shown = next((each for each in at.legal if isinstance(each, act.DeclareMarriages)), None)
    if shown is not None:
        return Advice(shown, "A marriage helps the side of whoever shows it.")
    return Advice(act.Ready(), "Nothing is certain enough to be claimed.")


DECISIONS: Final[Mapping[Phase, Callable[[Position], Advice]]] = {
    Phase.CUT: any_choice,
    Phase.AUCTION4: _half_court,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _number,
    Phase.INDICATOR8: _indicator,
    Phase.NAMING: _name,
    Phase.DECLARE: _declare,
    Phase.WINDOW: _window,
}
"""How each decision but that of a card is made."""
