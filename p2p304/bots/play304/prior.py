"""What is known of playing 304 well: rules of thumb for every decision, and what is certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from p2p304.bots.advice import Advice
from p2p304.bots.levels import Level, More
from p2p304.bots.play304 import bidding, calling, claims, playing
from p2p304.bots.play304.first_thoughts import shares, told_card
from p2p304.bots.play304.position import Position, any_choice
from p2p304.bots.play304.reasons import reason
from p2p304.bots.search.interface import Payoff
from p2p304.game import Outcome
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, OpenTrump, PlayCard, PlayDown, Ready
from p2p304.rules304.hand import Game304
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Phase, State
from p2p304.view import View

_CARDS: Final = (PlayCard, PlayDown)


class Prior304:
    """What the search of 304 begins with: cards are searched, all else is decided by rules of thumb
    and by what is certain."""

    ahead = False

    def __init__(self, game: Game304) -> None:
        self._game = game
        self._decisions = calling.DECISIONS if game.profile.partner_called else _DECISIONS

    def decide(
        self,
        view: View[State],
        legal: Sequence[Action],
        level: Level,
        chance: SeededRandomness,
        more: More | None,
    ) -> Advice | None:
        """Advise everything but the card to play, and that where it is certain to win."""
        assert view.seat is not None
        position = Position(self._game, view, view.seat, tuple(legal), level, chance, more)
        phase = view.state.phase
        if phase is not Phase.TRICK:
            return self._decisions.get(phase, any_choice)(position)
        if not any(isinstance(each, _CARDS) for each in legal):
            # A maker left with nothing but trumps to lead to the first trick (RULES 8).
            opening = next(each for each in legal if isinstance(each, OpenTrump))
            return Advice(opening, "Only trumps are left to lead, so trump must be opened.")
        return None if self._game.profile.partner_called else _certain_card(position)

    def candidates(
        self, view: View[State], legal: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the cards, where there are any, as rules of thumb think of them."""
        cards = [each for each in legal if isinstance(each, _CARDS)]
        return shares(view, cards) if cards else [(legal[0], 1.0)]

    def act(
        self,
        view: View[State],
        legal: Sequence[Action],
        chance: SeededRandomness,  # noqa: ARG002 - rules of thumb leave nothing to it
    ) -> Action:
        """Return the card that rules of thumb tell, or what every hand goes on with."""
        cards = [each for each in legal if isinstance(each, _CARDS)]
        return told_card(view, cards) if cards else legal[0]

    def why(self, view: View[State], action: Action) -> str:
        """Return in a sentence what speaks for a card."""
        return reason(view, self._game.legal_actions(view), action)

    def judge(self, view: View[State], state: State, outcome: Outcome) -> Payoff:
        """Return what a hand brought that the rules ended."""
        scores = outcome.scores
        if len(scores) != state.seats:
            scores = tuple(scores[team] for team in state.teams)
        each = tuple(map(float, scores))
        done = outcome.facts.made if isinstance(outcome, HandOutcome) else None
        return Payoff(each, each, done if view.state.contract is not None else None)


def _window(position: Position) -> Advice:
    claim = claims.spoilt_call(position) or claims.caps_call(position)
    claim = claim or claims.double_call(position)
    return claim or Advice(Ready(), "Nothing is certain enough to be claimed.")


def _certain_card(position: Position) -> Advice | None:
    plays = [each for each in position.legal if isinstance(each, _CARDS)]
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


_DECISIONS: Final[Mapping[Phase, Callable[[Position], Advice]]] = {
    Phase.CUT: any_choice,
    Phase.AUCTION4: bidding.four_card_call,
    Phase.INDICATOR4: bidding.indicator,
    Phase.AUCTION8: bidding.eight_card_call,
    Phase.INDICATOR8: bidding.indicator,
    Phase.DECLARE: playing.open_or_closed,
    Phase.WINDOW: _window,
    Phase.CAPS_RESPONSE: claims.answer_to_caps,
    Phase.SPOILT_ANSWER: any_choice,
}
"""How each decision but that of a card is made; where a phase leaves one action, nothing is
decided."""
