"""What speaks for a card of 304 in words, by what its seat may know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.bots.asked import Asked, beats, is_last, winning
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
    asked = Asked(view, view.seat, legal, action)
    return _follows(asked) if view.state.plays else _leads(asked)


def _leads(asked: Asked) -> str:
    card, suit = asked.card(asked.action), asked.card(asked.action).suit.name.lower()
    higher = _higher(asked, card)
    maker = asked.state.maker
    if card.suit is asked.trump:
        if maker is not None and asked.ours(maker):
            return f"{card} draws trumps from the others."
        return f"{card} leaves the maker one trump fewer to cut with."
    if not higher:
        return f"Nobody can have a higher card of {suit} than {card}."
    if CARD_POINTS[card] < _DEAR:
        return f"{card} gives little away, and the higher {suit} come out."
    return ""


def _follows(asked: Asked) -> str:
    card, best = asked.card(asked.action), winning(asked)
    down = isinstance(asked.action, PlayDown)
    points, wins = CARD_POINTS[card], "the trick" if is_last(asked) else "as the trick stands"
    if best is None:
        low = points < _DEAR
        return f"{card} face down gives little away, whatever else lies there." if low else ""
    ours = best[0] == asked.seat or asked.ours(best[0])
    if down:
        return _down(asked, card, ours=ours)
    if beats(asked, card, best[1]):
        if card.suit is not best[1].suit:
            return f"{card} cuts, and takes what lies there."
        over = "over the partner's card, " if ours else ""
        sure = (
            "" if is_last(asked) or _higher(asked, card) else ", and nobody can go over it in suit"
        )
        return f"{card} wins {wins}, {over}".rstrip(", ") + f"{sure}."
    if ours:
        if points >= _DEAR:
            return f"{card} brings {points} points to a trick that the partner is winning."
        return f"The partner is winning the trick, and {card} is not missed."
    if points < _DEAR:
        return f"The others are winning the trick: {card} gives them little."
    return ""


def _down(asked: Asked, card: Card, *, ours: bool) -> str:
    """Return what speaks for a card that nobody sees yet."""
    if asked.trump is card.suit:
        return f"{card} cuts with a hidden trump."
    points = CARD_POINTS[card]
    if asked.trump is None and not ours:
        return f"{card} cuts if {card.suit.name.lower()} are trumps."
    if ours and points >= _DEAR:
        return f"{card} brings {points} points to a trick that the partner is winning."
    if points < _DEAR:
        return f"{card} face down gives little away."
    return ""


def _higher(asked: Asked, card: Card) -> bool:
    """Tell whether somebody else may have a higher card of the suit."""
    return any(
        each.suit is card.suit and STRENGTH[each.rank] > STRENGTH[card.rank]
        for each in asked.unseen
    )
