"""A competent player of 304: decides from its view alone, the same from the same view and seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from p2p304.bots.advice import Advice, DecidingPlayer
from p2p304.bots.play304 import bidding, claims, playing
from p2p304.bots.play304.thinking import STEADY, Position, Thinking, any_choice, chance_for
from p2p304.rules304.actions import Action, PlayCard, PlayDown, Ready
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.view import View


class CompetentPlayer(DecidingPlayer):
    """Bids what its cards are worth, and plays what does best in imagined layouts.

    Keeps nothing between decisions: `seed` and the view determine every one of them.
    """

    __slots__ = ("_seed", "_thinking")

    def __init__(self, seed: int, thinking: Thinking = STEADY) -> None:
        self._seed = seed
        self._thinking = thinking

    def _legal(self, view: View[State]) -> Sequence[Action]:
        return legal_actions(view)

    def _decided(self, view: View[State], seat: Seat, legal: Sequence[Action]) -> Advice:
        chance = chance_for(self._seed, view, seat)
        position = Position(view, seat, tuple(legal), self._thinking, chance)
        return _DECISIONS[view.state.phase](position)


Decisions = Mapping[Phase, Callable[[Position], Advice]]


def decision(position: Position, instead: Decisions) -> Advice | None:
    """Advise what the phase asks for; None where it is a card, of which none is certain to win.

    `instead` are decisions that are made in another way than by this player.
    """
    phase = position.view.state.phase
    if phase is not Phase.TRICK:
        return instead.get(phase, _DECISIONS[phase])(position)
    if not any(isinstance(each, PlayCard | PlayDown) for each in position.legal):
        return playing.card_to_play(position)
    return _certain_card(position)


def _window(position: Position) -> Advice:
    claim = claims.spoilt_call(position) or claims.caps_call(position)
    claim = claim or claims.double_call(position)
    return claim or Advice(Ready(), "Nothing is certain enough to be claimed.")


def _trick(position: Position) -> Advice:
    return _certain_card(position) or playing.card_to_play(position)


def _certain_card(position: Position) -> Advice | None:
    plays = [each for each in position.legal if isinstance(each, PlayCard | PlayDown)]
    state = position.view.state
    # Where cards were shown, the order is known; and a lead follows a window, which has asked.
    asks = bool(state.plays) if state.caps is None else not state.caps.order
    if len(plays) > 1 and asks:
        order = playing.sure_order(position, state)
        for each in plays:
            if order and position.view.faces[each.slot] == order[0]:
                why = f"{order[0]} begins an order of cards that wins every trick for certain."
                return Advice(each, why)
    return None


_DECISIONS: Final[Decisions] = {
    Phase.CUT: any_choice,
    Phase.AUCTION4: bidding.four_card_call,
    Phase.INDICATOR4: bidding.indicator,
    Phase.AUCTION8: bidding.eight_card_call,
    Phase.INDICATOR8: bidding.indicator,
    Phase.DECLARE: playing.open_or_closed,
    Phase.WINDOW: _window,
    Phase.TRICK: _trick,
    Phase.CAPS_RESPONSE: claims.answer_to_caps,
    Phase.SPOILT_ANSWER: any_choice,
}
"""How each decision is made; where a phase leaves one action, nothing is decided."""
