"""What is known of playing 304 well: the auction, what is certain, and how likely layouts are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from p2p304.bots.advice import Advice
from p2p304.bots.levels import Level, More
from p2p304.bots.play304 import auction, playing, whole_hand
from p2p304.bots.play304.belief import Belief
from p2p304.bots.play304.calling import CalledPartnerPlayer, half_court
from p2p304.bots.play304.competent import Decisions, decision
from p2p304.bots.play304.first_thoughts import shares, told_card
from p2p304.bots.play304.playout import OWN_HANDS
from p2p304.bots.play304.reasons import reason
from p2p304.bots.play304.thinking import Position, Thinking
from p2p304.bots.play304.worth import tokens_of
from p2p304.bots.search.interface import Ending, World
from p2p304.bots.styles import EVEN, Style
from p2p304.cards import Card, Slot
from p2p304.game import Outcome
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, PlayCard, PlayDown
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase, State
from p2p304.view import View

_CARDS: Final = (PlayCard, PlayDown)
_OPENING_LOSES: Final = 0.04
"""What hidden trump is worth beyond what playouts see of it; a bid that is made is worth 1."""


class _Tokens304(ABC):
    """What both ways of finding partners share: hands are worth tokens, and no world is likelier
    than it is drawn."""

    def __init__(self, game: Game304) -> None:
        self._game = game

    def likelihood(
        self,
        view: View[State],  # noqa: ARG002 - worlds are drawn as likely as they are
        faces: Mapping[Slot, Card],  # noqa: ARG002 - as `view`
    ) -> float:
        """Return 1."""
        return 1.0

    def judge(self, view: View[State], state: State, outcome: Outcome) -> Ending:
        """Return what a hand brought that the rules ended."""
        return tokens_of(view, state, outcome)

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
        thinking = Thinking(layouts=level.worlds, nodes=level.nodes, more=more)
        return self._decided(Position(view, view.seat, tuple(legal), thinking, chance))

    @abstractmethod
    def _decided(self, position: Position) -> Advice | None:
        """Advise what is not searched."""


class Prior304(_Tokens304):
    """What the search of 304 with known partners begins with: cards are searched, all else is
    decided by what is certain and by what the auction's own deals tell."""

    lean = 0.02
    """Of a worth of which 1 is a bid that is made: enough to break ties, and more loses tokens."""
    ahead = False

    def __init__(self, game: Game304, style: Style = EVEN) -> None:
        super().__init__(game)
        self._instead: Decisions = {
            Phase.CUT: _cut,
            Phase.AUCTION4: lambda position: auction.call(position, style),
            Phase.INDICATOR4: auction.indicator,
            Phase.AUCTION8: lambda position: whole_hand.eight_card_call(position, style),
            Phase.INDICATOR8: whole_hand.indicator,
            Phase.DECLARE: _open_or_closed,
        }

    def styled(self, style: Style) -> Prior304:
        """Return the same in a manner of calling."""
        return Prior304(self._game, style)

    def _decided(self, position: Position) -> Advice | None:
        return decision(position, self._instead)

    def candidates(
        self,
        view: View[State],
        legal: Sequence[Action],
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

    def worlds(self, view: View[State]) -> _Layouts304:
        """Return layouts that the facts allow, under every trump suit that may be."""
        return _Layouts304(view)


class _Layouts304:
    def __init__(self, view: View[State]) -> None:
        self._view = view
        self._belief = Belief(view)

    def draw(self, chance: SeededRandomness) -> World:
        return World({**self._view.faces, **self._belief.layout(chance)})


def _cut(position: Position) -> Advice:
    """Cut anywhere: at another place in another hand, as far as the seat can tell hands apart."""
    number = position.chance.word()
    for each in (position.view.state.dealer, *position.view.scores):
        number = SeededRandomness(number + each).word()
    cut = position.legal[number % len(position.legal)]
    return Advice(cut, "One place is as good as another.")


def _open_or_closed(position: Position) -> Advice:
    return playing.open_or_closed(position, Belief(position.view), OWN_HANDS, _OPENING_LOSES)


class PriorCalled(_Tokens304):
    """What the search begins with where the maker calls its partner by a card."""

    lean = 0.0
    ahead = True

    def __init__(self, game: Game304) -> None:
        super().__init__(game)
        self._player = CalledPartnerPlayer(0)

    def _decided(self, position: Position) -> Advice | None:
        phase = position.view.state.phase
        if phase is Phase.CUT:
            return _cut(position)
        if phase is Phase.AUCTION4:
            return half_court(position)
        return None if phase is Phase.TRICK else self._player.advice(position.view)

    def candidates(
        self, view: View[State], legal: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the cards, the one of the rules of thumb first among them."""
        cards = [each for each in legal if isinstance(each, _CARDS)]
        if not cards:
            return [(self._told(view, legal), 1.0)]
        if len(cards) == 1:
            return [(cards[0], 1.0)]
        told, rest = self._told(view, cards), 0.5 / (len(cards) - 1)
        return [(each, 0.5 if each == told else rest) for each in cards]

    def act(
        self,
        view: View[State],
        legal: Sequence[Action],
        chance: SeededRandomness,  # noqa: ARG002 - as `decide`
    ) -> Action:
        """Return what the rules of thumb name."""
        return self._told(view, legal)

    def _told(self, view: View[State], legal: Sequence[Action]) -> Action:
        """Return what the rules of thumb name with the seat's own cards and the open ones."""
        if len(legal) == 1:
            return legal[0]
        state, seat = view.state, view.seat
        assert seat is not None
        known = {*state.faces, *state.hands[seat]}
        known |= {*state.dealt[seat]} if state.dealt else set()
        if seat == state.maker and state.trump_slot is not None:
            known.add(state.trump_slot)
        faces = {slot: view.faces[slot] for slot in known if slot in view.faces}
        told: Action = self._player.choose(View(seat, state, faces, view.proved, view.scores))
        return told

    def why(self, view: View[State], action: Action) -> str:
        """Return what the rules of thumb say of what they name, and nothing of anything else."""
        told = self._player.advice(view)
        return told.reason if told.action == action else ""

    def worlds(self, view: View[State]) -> None:  # noqa: ARG002 - the general way serves
        """Return None."""
        return


def prior_of(game: Game304) -> Prior304 | PriorCalled:
    """Return what is known of a game, by how its partners are found."""
    return PriorCalled(game) if game.profile.partner_called else Prior304(game)
