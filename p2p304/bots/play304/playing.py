"""What is certain, whether to open trump, and what the end of an imagined hand is worth."""

from __future__ import annotations

from typing import Final

from p2p304.bots.advice import Advice
from p2p304.bots.play304.imagined_table import PlayedOut
from p2p304.bots.play304.playout import play_out
from p2p304.bots.play304.position import Position
from p2p304.cards import Card
from p2p304.rules304 import dealing
from p2p304.rules304.actions import KeepClosed, OpenTrump
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.caps.search import OutOfNodesError
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.state import State
from p2p304.rules304.tricks import total_tricks

# Choices: steeper, and a near miss in a playout counts as a miss; flatter, and it counts as made.
_SLOPE: Final = 40.0
#: Points around the bid over which making it becomes likely, in the last trick, and how much wider
#: that is for each trick before it: the more a playout has to guess, the less its margin tells.
_SLOPE_PER_TRICK: Final = 40.0
#: The points of the pack for which the numbers above are meant; those of other packs are scaled.
_SCALE: Final = 304
#: What a point is worth beside the bid: so little that all 304 weigh less than a sixth of it.
_SMALL: Final = 1 / 2_000


def worth(state: State, ending: PlayedOut) -> float:
    """Return how good an ending is for the maker's team: from 0 to about 1 by how many points it
    has above or below the bid; under a contract 2 if it won every trick, else 1 less a half for
    each lost one.
    """
    # One lost trick fails it, so the first costs three times as much as the next. Fewer lost ones
    # are better all the same: a playout is a guess.
    if isinstance(state.contract, Contract):
        return 1.0 - ending.lost / 2 if ending.lost else 2.0
    # Playouts begin once a bid stands.
    assert state.contract is not None
    profile = state.profile
    slope = _SLOPE + _SLOPE_PER_TRICK * (profile.deal_batches.cards - 1 - len(state.tricks))
    scale = _SCALE / profile.deck.points
    # Not a step at the bid: a playout's points are a guess, so a near miss is worth something.
    likely = 0.5 + (ending.points - state.contract) * scale / slope
    return min(max(likely, 0.0), 1.0) + ending.points * scale * _SMALL


def made(state: State, ending: PlayedOut) -> bool:
    """Tell whether the maker's team made its bid in the playout that came to `ending`: as many
    points as it bid or more; under a contract no lost trick.
    """
    if isinstance(state.contract, Contract):
        # A contract is made by taking every trick, whatever the points (RULES 14).
        return not ending.lost
    # Playouts begin once a bid stands.
    assert state.contract is not None
    return ending.points >= state.contract


def sure_order(position: Position, state: State) -> tuple[Card, ...]:
    """Return an order of the seat's cards that is sure to win every trick; () if none is found
    before the search runs out of nodes or time, under contracts, after a trick that its team lost,
    and where caps are not judged by knowledge.

    `state` is the view's, or one that follows from it without new faces for this seat.
    """
    nodes, more = position.level.nodes, position.more
    judged = state.profile.caps_model is CapsModel.EPISTEMIC
    # The search for orders takes no contracts, under which nobody may call caps (RULES 14.2).
    if not nodes or not judged or isinstance(state.contract, Contract):
        return ()
    # Caps are all tricks: after a lost one no order can be sure.
    if any(state.team_of(trick.winner) != state.team_of(position.seat) for trick in state.tricks):
        return ()
    information = information_of(state, position.seat, position.view.faces)
    try:
        return find_order(information, nodes, more).order
    # Not found within the bounds counts as none: a bot that is not sure does not call.
    except OutOfNodesError:
        return ()


def advise_showing(position: Position) -> Advice:
    """Advise whether the maker shows the indicator before the first lead (RULES 8): yes when it
    plays alone, or if open trump makes its cards sure to win every trick.
    """
    state = position.view.state
    # The maker always has both choices here, to open trump and to keep it closed.
    opening = next(each for each in position.legal if isinstance(each, OpenTrump))
    if isinstance(state.contract, Contract):
        return Advice(opening, "Playing alone, the maker wants to lead trumps from the start.")
    if sure_order(position, dealing.open_trump(state, position.seat, opening).state):
        return Advice(opening, "With open trump these cards win every trick for certain.")
    return Advice(KeepClosed(), "Hidden trump leaves the others in doubt, and tells less.")


def chance_to_sweep(position: Position) -> float:
    """Return in which share of imagined layouts, from 0 to 1, the seat's team wins every trick;
    0 where no layout could be imagined.
    """
    state, seat = position.view.state, position.seat
    # Caps are called during play, which has a maker.
    assert state.maker is not None
    swept = imagined = 0
    for scene in position.scenes():
        imagined += 1
        ending = play_out(scene)
        if state.team_of(seat) == state.team_of(state.maker):
            swept += not ending.lost
        else:
            # The defenders sweep where the maker's team lost every trick.
            swept += ending.lost == total_tricks(state)
    return swept / max(imagined, 1)
