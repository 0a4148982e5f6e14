"""Which card to play, and whether to open trump: what is certain, and imagined layouts played out.

For each layout that fits what the seat has seen, every choice is played out; the choice that does
best on average is made. The same layouts serve all choices, so that luck does not decide.
"""

from __future__ import annotations

from typing import Final

from p2p304.bots.advice import Advice
from p2p304.bots.play304.imagined_table import Imagined, PlayedOut
from p2p304.bots.play304.playout import STEADY, Policy, play_out
from p2p304.bots.play304.sampling import Layouts
from p2p304.bots.play304.thinking import Position
from p2p304.cards import Card
from p2p304.rules304 import dealing
from p2p304.rules304.actions import KeepClosed, OpenTrump, PlayCard, PlayDown
from p2p304.rules304.bids import Contract
from p2p304.rules304.bits import BIT
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.caps.search import OutOfNodesError
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.state import State
from p2p304.rules304.tricks import total_tricks

_SLOPE: Final = 40.0
_SLOPE_PER_TRICK: Final = 40.0
"""Points around the bid over which making it becomes likely, in the last trick, and how much wider
that is for each trick before it: the more a playout has to guess, the less its margin tells."""
_SCALE: Final = 304
"""The points of the pack for which these are the points."""
_SMALL: Final = 1 / 2_000
"""What a point is worth beside the bid."""
_OPENING_LOSES: Final = 0.08
"""What hidden trump is worth beyond what playouts see of it."""


def worth(state: State, ending: PlayedOut) -> float:
    """Return how good an ending is for the maker's team, from 0 to about 1."""
    if isinstance(state.contract, Contract):
        return 1.0 - ending.lost / 2 if ending.lost else 2.0
    assert state.contract is not None
    profile = state.profile
    slope = _SLOPE + _SLOPE_PER_TRICK * (profile.deal_batches.cards - 1 - len(state.tricks))
    scale = _SCALE / profile.deck.points
    likely = 0.5 + (ending.points - state.contract) * scale / slope
    return min(max(likely, 0.0), 1.0) + ending.points * scale * _SMALL


def made(state: State, ending: PlayedOut) -> bool:
    """Tell whether the maker's team has what it bid."""
    if isinstance(state.contract, Contract):
        return not ending.lost
    assert state.contract is not None
    return ending.points >= state.contract


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


def card_to_play(position: Position) -> Advice:
    """Advise the card that does best in imagined layouts."""
    state, seat = position.view.state, position.seat
    plays = [each for each in position.legal if isinstance(each, PlayCard | PlayDown)]
    if not plays:
        # A maker left with nothing but trumps to lead to the first trick (RULES 8).
        opening = next(each for each in position.legal if isinstance(each, OpenTrump))
        return Advice(opening, "Only trumps are left to lead, so trump must be opened.")
    cards = [_card(position, each) for each in plays]
    if len(plays) == 1:
        return Advice(plays[0], f"{cards[0]} is the only card that may be played.")
    assert state.maker is not None
    sign = 1 if state.team_of(seat) == state.team_of(state.maker) else -1
    layouts = Layouts(position.view)
    totals = [0.0] * len(plays)
    good = [0] * len(plays)
    for _ in range(position.thinking.layouts):
        scene = layouts.draw(position.chance)
        for place, card in enumerate(cards):
            ending = play_out(scene, BIT[card])
            totals[place] += sign * worth(state, ending)
            good[place] += made(state, ending) == (sign > 0)
    best = max(range(len(plays)), key=lambda place: (totals[place], -BIT[cards[place]]))
    rival = max((place for place in range(len(plays)) if place != best), key=lambda p: totals[p])
    aim = "makes" if sign > 0 else "defeats"
    why = f"{cards[best]} {aim} the bid in {good[best]} of {position.thinking.layouts} imagined"
    if good[best] > good[rival]:
        return Advice(plays[best], f"{why} layouts, {cards[rival]} in {good[rival]}.")
    if totals[best] > totals[rival]:
        return Advice(plays[best], f"{why} layouts and takes more points than {cards[rival]}.")
    return Advice(plays[best], f"{why} layouts, and nothing does better.")


def _card(position: Position, play: PlayCard | PlayDown) -> Card:
    return play.card if isinstance(play, PlayCard) else position.view.faces[play.slot]


def open_or_closed(
    position: Position,
    layouts: Layouts | None = None,
    policy: Policy = STEADY,
    loses: float = _OPENING_LOSES,
) -> Advice:
    """Advise whether the maker shows the indicator before the first lead (RULES 8).

    `loses` is what hidden trump is worth beyond what playouts by `policy` see of it.
    """
    state = position.view.state
    opening = next(each for each in position.legal if isinstance(each, OpenTrump))
    if isinstance(state.contract, Contract):
        return Advice(opening, "Playing alone, the maker wants to lead trumps from the start.")
    if sure_order(position, dealing.open_trump(state, position.seat, opening).state):
        return Advice(opening, "With open trump these cards win every trick for certain.")
    layouts = layouts or Layouts(position.view)
    closed = opened = 0.0
    imagined = 0
    while imagined < position.thinking.layouts and (not imagined or position.thinking.goes_on()):
        imagined += 1
        scene = layouts.draw(position.chance)
        closed += worth(state, play_out(scene, policy=policy))
        opened += worth(state, play_out(_opened(scene), policy=policy))
    if opened > closed + loses * imagined:
        return Advice(opening, "In imagined layouts open trump did clearly better than hidden.")
    return Advice(KeepClosed(), "Hidden trump does at least as well here, and tells less.")


def _opened(scene: Imagined) -> Imagined:
    hands = list(scene.hands)
    hands[scene.maker] |= scene.indicator
    return scene._replace(hands=tuple(hands), indicator=0, hidden=False)


def chance_to_sweep(position: Position) -> float:
    """Return how often the seat's team wins every trick that is left, in imagined layouts."""
    state, seat = position.view.state, position.seat
    assert state.maker is not None
    layouts = Layouts(position.view)
    swept = imagined = 0
    while imagined < position.thinking.layouts and (not imagined or position.thinking.goes_on()):
        imagined += 1
        ending = play_out(layouts.draw(position.chance))
        if state.team_of(seat) == state.team_of(state.maker):
            swept += not ending.lost
        else:
            swept += not ending.points and ending.lost == total_tricks(state)
    return swept / imagined
