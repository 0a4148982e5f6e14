"""When a competent player calls double: its cards win all that is left, whoever holds what."""

from __future__ import annotations

from p2p304.bots.advice import Advice
from p2p304.bots.thinking import Position
from p2p304.rules304.actions import CallDouble
from p2p304.rules304.pack import STRENGTH


def double_call(position: Position) -> Advice | None:
    """Advise to call double, where that is possible and certain to be won."""
    state, faces = position.view.state, position.view.faces
    if CallDouble() not in position.legal or state.trump is None:
        return None
    own = [faces[slot] for slot in state.hands[position.seat]]
    unseen = state.profile.deck.card_set - {*faces.values()}
    trumps = {card for card in unseen if card.suit is state.trump}
    for card in own:
        above = {
            other
            for other in unseen
            if other.suit is card.suit and STRENGTH[other.rank] > STRENGTH[card.rank]
        }
        if above or (trumps and card.suit is not state.trump):
            return None
    return Advice(CallDouble(), "No card that is left beats any of yours.")
