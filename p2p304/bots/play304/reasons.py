"""What speaks for a card of 304 in words, by what its seat may know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.bots.play304.asked import AskedSeat, beats, is_last, winning
from p2p304.cards import Card
from p2p304.rules304.actions import Action, PlayCard, PlayDown
from p2p304.rules304.pack import CARD_POINTS, STRENGTH
from p2p304.rules304.state import State
from p2p304.view import View

_DEAR: Final = 10
"""Points that are worth a word."""


def reason(view: View[State], legal: Sequence[Action], action: Action) -> str:
    """Return in a sentence what speaks for a card; "" for nothing, and for what is no card."""
    if view.seat is None or not isinstance(action, PlayCard | PlayDown):
        return ""
    asked = AskedSeat(view, view.seat, legal, action)
    return _follows(asked) if view.state.plays else _leads(asked)


def _leads(asked: AskedSeat) -> str:
    card, maker = asked.card(asked.action), asked.state.maker
    if card.suit is asked.trump:
        ours = maker is not None and asked.ours(maker)
        return "It draws trumps." if ours else "It leaves the maker a trump fewer to cut with."
    if not _higher(asked, card):
        return f"Nobody can have a higher card of {card.suit.name.lower()}."
    if CARD_POINTS[card] < _DEAR:
        return "It gives little away, and higher cards come out."
    return ""


def _follows(asked: AskedSeat) -> str:
    card, best = asked.card(asked.action), winning(asked)
    cheap, suit = CARD_POINTS[card] < _DEAR, card.suit.name.lower()
    if isinstance(asked.action, PlayDown) and card.suit is asked.trump:
        return "It cuts with the hidden trump."
    if best is None:
        return "It gives little away, whatever lies there." if cheap else ""
    ours = asked.ours(best[0])
    if isinstance(asked.action, PlayDown) and asked.trump is None and not ours:
        return f"It cuts if {suit} are trumps."
    if not isinstance(asked.action, PlayDown) and beats(asked, card, best[1]):
        if card.suit is not best[1].suit:
            return "It cuts, and takes what lies there."
        if is_last(asked):
            return "It wins the trick."
        return (
            "It wins as the trick stands." if _higher(asked, card) else "Nothing in suit beats it."
        )
    if ours and not cheap:
        return f"It brings {CARD_POINTS[card]} points to the partner's trick."
    if ours:
        return "The trick is the partner's, and it is not missed."
    return "The trick is the others', and it gives little." if cheap else ""


def _higher(asked: AskedSeat, card: Card) -> bool:
    """Tell whether somebody else may have a higher card of the suit."""
    return any(
        each.suit is card.suit and STRENGTH[each.rank] > STRENGTH[card.rank]
        for each in asked.unseen
    )
