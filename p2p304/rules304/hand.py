"""304 for four seats: the transition table, and the game behind the interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from p2p304.cards import Card
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import action_text, calls, choosing, count, dealing, largest, play, tricks
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceCut,
    AnnounceNone,
    AskPartner,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    Cut,
    DemandRedeal,
    DenyTrump,
    KeepClosed,
    LayIndicator,
    OpenCards,
    OpenHandedOver,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    ShowCard,
    ShowIndicator,
    ShowTrump,
    SortHand,
)
from p2p304.rules304.bids import Contract
from p2p304.rules304.choices import CapsGrace, CapsModel
from p2p304.rules304.match import Match, new_match
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.settle import settle
from p2p304.rules304.state import SEATS, Phase, State
from p2p304.seats import FOUR_SEAT_NAMES, OPPOSITE, Seat, Sides
from p2p304.statements import IsCard, Statement
from p2p304.view import View

Handler = Callable[[State, Seat, Any], Step[State]]
"""What an action leads to from a state whose log does not have it yet."""

HANDLERS: Final[Mapping[tuple[Phase, type[Action]], Handler]] = MappingProxyType[
    tuple[Phase, type[Action]], Handler
](
    {
        (Phase.CUT, Cut): dealing.cut,
        (Phase.AUCTION4, PlaceBid): dealing.four_card_bid,
        (Phase.AUCTION4, Pass): dealing.four_card_pass,
        (Phase.AUCTION4, AskPartner): dealing.ask_partner,
        (Phase.AUCTION4, DemandRedeal): dealing.demand_redeal,
        (Phase.INDICATOR4, LayIndicator): dealing.lay_first_indicator,
        (Phase.AUCTION8, PlaceBid): dealing.eight_card_bid,
        (Phase.AUCTION8, Pass): dealing.eight_card_pass,
        (Phase.SORTING, SortHand): dealing.sort_hand,
        (Phase.INDICATOR8, LayIndicator): dealing.lay_second_indicator,
        (Phase.DECLARE, OpenTrump): dealing.open_trump,
        (Phase.DECLARE, KeepClosed): dealing.keep_closed,
        (Phase.WINDOW, Ready): calls.ready,
        (Phase.WINDOW, ShowCard): calls.show_card,
        (Phase.WINDOW, CallCaps): calls.window_caps,
        (Phase.WINDOW, CallSpoilt): calls.window_spoilt,
        (Phase.TRICK, PlayCard): play.play_card,
        (Phase.TRICK, PlayDown): play.play_down,
        (Phase.TRICK, OpenTrump): dealing.open_trump,
        (Phase.TRICK, CallCaps): calls.caps_in_trick,
        (Phase.TRICK, CallSpoilt): calls.spoilt_in_trick,
        (Phase.INSPECT, AnnounceNone): tricks.announce_none,
        (Phase.INSPECT, AnnounceCut): tricks.announce_cut,
        (Phase.SHOW_INDICATOR, ShowIndicator): tricks.show_indicator,
        (Phase.CAPS_RESPONSE, AcceptCaps): calls.answer_caps,
        (Phase.CAPS_RESPONSE, ContestCaps): calls.answer_caps,
        (Phase.SPOILT_INDICATOR, ShowIndicator): calls.spoilt_indicator,
        (Phase.SPOILT_ANSWER, DenyTrump): calls.deny_trump,
        (Phase.SPOILT_ANSWER, ShowTrump): calls.show_trump,
        (Phase.COUNT, OpenCards): count.open_cards,
        (Phase.COUNT, OpenHandedOver): count.open_handed_over,
    }
)
"""Every action that a phase knows, and what carries it out. Anything else is refused."""

OUT_OF_TURN: Final = frozenset(
    {
        (Phase.TRICK, CallCaps),
        (Phase.TRICK, CallSpoilt),
        (Phase.TRICK, OpenTrump),
        (Phase.COUNT, OpenHandedOver),
    }
)
"""What a seat may do although another one is awaited."""

DOING: Final[Mapping[Phase, str]] = {
    Phase.CUT: "the cut",
    Phase.AUCTION4: "the four-card auction",
    Phase.INDICATOR4: "choosing the indicator",
    Phase.AUCTION8: "the eight-card auction",
    Phase.SORTING: "sorting the hands",
    Phase.INDICATOR8: "choosing the indicator",
    Phase.DECLARE: "declaring open or closed",
    Phase.WINDOW: "the window between cards",
    Phase.TRICK: "the trick",
    Phase.INSPECT: "the inspection of face-down cards",
    Phase.SHOW_INDICATOR: "showing the indicator",
    Phase.CAPS_RESPONSE: "the answer to caps",
    Phase.SPOILT_INDICATOR: "showing the indicator after spoilt trumps",
    Phase.SPOILT_ANSWER: "the answer to spoilt trumps",
    Phase.COUNT: "the count",
    Phase.OVER: "the end of the hand",
}


def _awaited(state: State) -> str:
    """Whom the table waits for, as the end of a sentence."""
    names = [FOUR_SEAT_NAMES[seat] for seat in state.awaiting]
    return f"; it is for {' and '.join(names)}" if names else ""


class Game304:
    """304 under one profile, behind the game interface."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._strict = (
            profile.caps_grace is CapsGrace.STRICT and profile.caps_model is CapsModel.EPISTEMIC
        )

    @property
    def name(self) -> str:
        """The registry's name."""
        return "304"

    @property
    def seats(self) -> int:
        """Four."""
        return SEATS

    @property
    def pack(self) -> tuple[Card, ...]:
        """The 32 cards."""
        return PACK

    def points_of(self, card: Card) -> int:
        """What a card counts (RULES 1)."""
        return CARD_POINTS[card]

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[State]:  # noqa: ARG002 - the interface's
        """A hand with a shuffled deck in the slots 0 to 31; the scores do not bear on it."""
        return dealing.start(self.profile, dealer)

    def contributors(self, state: State) -> tuple[Seat, ...]:
        """The seats whose action is awaited."""
        return state.awaiting

    def apply(self, state: State, seat: Seat, action: Action) -> Step[State]:
        """The step that `action` by `seat` leads to; raises RulesError, naming the rule."""
        phase, kind = state.phase, type(action)
        handler = HANDLERS.get((phase, kind))
        if handler is None:
            verb = action_text.format_action(action).split(" ", 1)[0]
            raise RulesError("3", f'"{verb}" is not possible during {DOING[phase]}')
        awaiting = state.awaiting
        if seat not in awaiting and ((phase, kind) not in OUT_OF_TURN or not 0 <= seat < SEATS):
            name = FOUR_SEAT_NAMES[seat] if 0 <= seat < SEATS else f"seat {seat}"
            raise RulesError("3", f"{name} is not to act in {DOING[phase]}{_awaited(state)}")
        log, start = state.log, state.round_start
        if len(log) == start or log[-1][0] < seat:
            log = (*log, (seat, action))
        else:  # the log does not tell in which order the contributions to a round arrived
            tail = sorted((*log[start:], (seat, action)), key=lambda entry: entry[0])
            log = (*log[:start], *tail)
        if kind is Ready and len(awaiting) > 1:  # a third of all actions; they do nothing else
            others = tuple(each for each in awaiting if each != seat)
            return Step(state._replace(log=log, awaiting=others))
        after, statements, disclosures = handler(state, seat, action)
        return Step(self._recorded(state, after, log, statements), statements, disclosures)

    def _recorded(
        self,
        before: State,
        after: State,
        log: tuple[tuple[Seat, Action], ...],
        statements: tuple[Statement, ...],
    ) -> State:
        """The new state with the action in its log, statements kept, and a new round begun."""
        phase, facts = before.phase, before.facts
        if phase is Phase.TRICK or phase is Phase.INSPECT:
            facts += tuple(each for each in statements if not isinstance(each, IsCard))
            played = after.phase is Phase.TRICK and len(after.plays) > len(before.plays)
            if self._strict and played and not isinstance(after.contract, Contract):
                after = tricks.to_window(after)
        alone = len(before.awaiting) == 1 and len(before.log) == before.round_start
        start = len(log) if alone or after.phase is not phase else before.round_start
        return after._replace(log=log, round_start=start, facts=facts)

    def legal_actions(self, view: View[State]) -> Sequence[Action]:
        """All actions that stand for the seat of the view; see `choosing`."""
        return choosing.legal_actions(view)

    def sides(self, state: State) -> tuple[Sides, ...]:  # noqa: ARG002 - the same in every state
        """The two pairs of partners, who sit opposite each other."""
        return (OPPOSITE,)

    def largest_actions(self, state: State, seat: Seat) -> Iterable[Action]:
        """What takes most to say and to prove of all that may stand; see `largest`."""
        return largest.largest_actions(state, seat)

    def is_over(self, state: State) -> bool:
        """Whether the hand has ended."""
        return state.phase is Phase.OVER

    def settle(self, state: State) -> HandOutcome:
        """How the hand ended, caps judged (RULES 13, 15 and 16)."""
        return settle(state)

    def format_action(self, action: Action) -> str:
        """The action's canonical text."""
        return action_text.format_action(action)

    def parse_action(self, text: str) -> Action:
        """The action that canonical text stands for; raises NotationError."""
        return action_text.parse_action(text)

    def new_match(self, luck: bytes) -> Match:
        """A match before its first hand; `luck` decides the first dealer."""
        return new_match(self.profile, luck)

    def after_hand(self, match: Match, outcome: HandOutcome) -> Match:
        """The match after a hand."""
        return match.after(outcome)
