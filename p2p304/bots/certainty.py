"""Whether the cards of a seat win every trick for certain, within a player's bounds of thought."""

from __future__ import annotations

from p2p304.bots.thinking import Position
from p2p304.cards import Card
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.caps.search import OutOfNodesError
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.state import State


def sure_order(position: Position, state: State) -> tuple[Card, ...]:
    """Return an order of the seat's cards that is certain to win every trick, or () if none is
    found.

    `state` is the view's, or one that an action without new faces for this seat leads to.
    """
    nodes, more = position.thinking.nodes, position.thinking.more
    judged = state.profile.caps_model is CapsModel.EPISTEMIC
    if not nodes or not judged or isinstance(state.contract, Contract):
        return ()
    if any(state.team_of(trick.winner) != state.team_of(position.seat) for trick in state.tricks):
        return ()
    information = information_of(state, position.seat, position.view.faces)
    try:
        return find_order(information, nodes, more).order
    except OutOfNodesError:
        return ()
