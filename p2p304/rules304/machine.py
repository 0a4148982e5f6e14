"""The hand of 304 as one table, to be read beside RULES 3: what may be done, and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import action_text, called, calls, count, dealing, play, tricks
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action
from p2p304.rules304.bids import Contract
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat, seat_names
from p2p304.statements import IsCard, Statement

# Any: each handler takes the one class of actions in whose rows it stands.
#: What an action leads to from a state whose log does not have it yet. Every handler raises
#: RulesError, naming the rule, for what can be seen to be forbidden.
Handler = Callable[[State, Seat, Any], Step[State]]


class Transition(NamedTuple):
    """What one kind of action does in one phase: its handler and the phases it can lead to."""

    handler: Handler
    leads_to: frozenset[Phase]
    out_of_turn: bool  #: Whether a seat may do it although another one is awaited.


def _row(handler: Handler, leads_to: Set[Phase], *, out_of_turn: bool = False) -> Transition:
    """Return a row of the table of transitions: an action that `handler` carries out, the phases
    that it leads to, and whether a seat may do it out of turn.
    """
    return Transition(handler, frozenset(leads_to), out_of_turn)


# Phases to which several of the actions below lead.
_ENDED: Final = frozenset({Phase.COUNT, Phase.OVER})
_ADJUDICATION: Final = frozenset({Phase.SPOILT_INDICATOR, Phase.SPOILT_ANSWER, Phase.OVER})
_WINDOW_CLOSES: Final = _ADJUDICATION | {Phase.TRICK, Phase.CAPS_RESPONSE}

#: Every action that a phase knows. Anything else is refused.
TRANSITIONS: Final[Mapping[tuple[Phase, type[Action]], Transition]] = MappingProxyType(
    {
        (Phase.CUT, act.Cut): _row(dealing.cut, {Phase.AUCTION4}),
        (Phase.AUCTION4, act.PlaceBid): _row(
            dealing.four_card_bid, {Phase.AUCTION4, Phase.INDICATOR4}
        ),
        # To AUCTION8 where a card is called: nobody took Half Court, so numbers are bid with all
        # cards.
        (Phase.AUCTION4, act.Pass): _row(
            dealing.four_card_pass,
            {Phase.AUCTION4, Phase.INDICATOR4, Phase.AUCTION8, Phase.OVER},
        ),
        (Phase.AUCTION4, act.AskPartner): _row(
            dealing.ask_partner, {Phase.AUCTION4, Phase.INDICATOR4, Phase.OVER}
        ),
        (Phase.AUCTION4, act.DemandRedeal): _row(dealing.demand_redeal, {Phase.OVER}),
        (Phase.INDICATOR4, act.LayIndicator): _row(
            dealing.lay_first_indicator, {Phase.AUCTION8, Phase.SORTING, Phase.NAMING}
        ),
        (Phase.AUCTION8, act.PlaceBid): _row(
            dealing.eight_card_bid, {Phase.AUCTION8, Phase.SORTING}
        ),
        (Phase.AUCTION8, act.Pass): _row(
            dealing.eight_card_pass, {Phase.AUCTION8, Phase.SORTING, Phase.OVER}
        ),
        # To TRICK, here and below, where a card is called and nobody could claim anything in a
        # window (PROFILES 3.2).
        (Phase.SORTING, act.SortHand): _row(
            dealing.sort_hand,
            {Phase.SORTING, Phase.INDICATOR8, Phase.DECLARE, Phase.WINDOW, Phase.TRICK},
        ),
        (Phase.INDICATOR8, act.LayIndicator): _row(
            dealing.lay_second_indicator, {Phase.NAMING, Phase.DECLARE, Phase.WINDOW}
        ),
        (Phase.NAMING, act.NameCard): _row(
            called.name_card, {Phase.SORTING, Phase.DECLARE, Phase.WINDOW, Phase.TRICK}
        ),
        (Phase.DECLARE, act.OpenTrump): _row(dealing.open_trump, {Phase.WINDOW, Phase.TRICK}),
        (Phase.DECLARE, act.KeepClosed): _row(dealing.keep_closed, {Phase.WINDOW, Phase.TRICK}),
        # To the count, here and below, where a card shown in the window tells that a court is lost.
        (Phase.WINDOW, act.Ready): _row(calls.ready, {Phase.WINDOW, *_WINDOW_CLOSES, *_ENDED}),
        (Phase.WINDOW, act.ShowCard): _row(
            calls.show_card, {Phase.WINDOW, *_WINDOW_CLOSES, *_ENDED}
        ),
        (Phase.WINDOW, act.CallCaps): _row(calls.window_caps, {Phase.WINDOW, *_WINDOW_CLOSES}),
        (Phase.WINDOW, act.CallDouble): _row(
            calls.window_double, {Phase.WINDOW, Phase.TRICK, *_ADJUDICATION}
        ),
        (Phase.WINDOW, act.DeclareMarriages): _row(
            calls.declare_marriages, {Phase.WINDOW, Phase.TRICK, *_ADJUDICATION}
        ),
        (Phase.WINDOW, act.CallSpoilt): _row(
            calls.window_spoilt, {Phase.WINDOW, *_ADJUDICATION, *_ENDED}
        ),
        (Phase.TRICK, act.PlayCard): _row(
            play.play_card,
            {Phase.TRICK, Phase.WINDOW, Phase.INSPECT, Phase.SHOW_INDICATOR, *_ENDED},
        ),
        (Phase.TRICK, act.PlayDown): _row(
            play.play_down, {Phase.TRICK, Phase.WINDOW, Phase.INSPECT}
        ),
        (Phase.TRICK, act.ShowCard): _row(calls.show_in_turn, {Phase.WINDOW}),
        # Out of turn: the maker may still open until the first card is led, whoever leads (ruling
        # 35).
        (Phase.TRICK, act.OpenTrump): _row(
            dealing.open_trump, {Phase.WINDOW, Phase.TRICK}, out_of_turn=True
        ),
        # Out of turn, too, as spoilt trumps: a claim waits for nobody's card (specs/rules.md 3).
        (Phase.TRICK, act.CallCaps): _row(
            calls.caps_in_trick, {Phase.TRICK, Phase.CAPS_RESPONSE}, out_of_turn=True
        ),
        (Phase.TRICK, act.CallSpoilt): _row(calls.spoilt_in_trick, _ADJUDICATION, out_of_turn=True),
        (Phase.INSPECT, act.AnnounceNone): _row(
            tricks.announce_none, {Phase.WINDOW, Phase.TRICK, Phase.SHOW_INDICATOR, *_ENDED}
        ),
        (Phase.INSPECT, act.AnnounceCut): _row(
            tricks.announce_cut, {Phase.WINDOW, Phase.TRICK, *_ENDED}
        ),
        (Phase.SHOW_INDICATOR, act.ShowIndicator): _row(
            tricks.show_indicator, {Phase.WINDOW, Phase.TRICK}
        ),
        (Phase.CAPS_RESPONSE, act.AcceptCaps): _row(
            calls.answer_caps, {Phase.CAPS_RESPONSE, Phase.TRICK, *_ENDED}
        ),
        (Phase.CAPS_RESPONSE, act.ContestCaps): _row(
            calls.answer_caps, {Phase.CAPS_RESPONSE, Phase.TRICK}
        ),
        (Phase.SPOILT_INDICATOR, act.ShowIndicator): _row(
            calls.spoilt_indicator, {Phase.SPOILT_ANSWER, Phase.OVER}
        ),
        (Phase.SPOILT_ANSWER, act.DenyTrump): _row(
            calls.deny_trump, {Phase.SPOILT_ANSWER, Phase.OVER}
        ),
        (Phase.SPOILT_ANSWER, act.ShowTrump): _row(
            calls.show_trump, {Phase.SPOILT_ANSWER, Phase.OVER}
        ),
        (Phase.COUNT, act.OpenCards): _row(count.open_cards, _ENDED),
        # Out of turn: it answers for owners that stay silent, so the maker is not awaited.
        (Phase.COUNT, act.OpenHandedOver): _row(count.open_handed_over, _ENDED, out_of_turn=True),
    }
)

DOING: Final[Mapping[Phase, str]] = {
    Phase.CUT: "the cut",
    Phase.AUCTION4: "the four-card auction",
    Phase.INDICATOR4: "choosing the indicator",
    Phase.AUCTION8: "the eight-card auction",
    Phase.SORTING: "sorting the hands",
    Phase.INDICATOR8: "choosing the indicator",
    Phase.NAMING: "naming the partner's card",
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


def _awaited_words(state: State) -> str:
    """Return the awaited seats as the end of a sentence, such as "; it is for East and West"; ""
    for none.
    """
    every = seat_names(state.seats)
    names = [every[seat] for seat in state.awaiting]
    return f"; it is for {' and '.join(names)}" if names else ""


def apply(state: State, seat: Seat, action: Action) -> Step[State]:
    """Return the step that `action` by `seat` leads to from `state`, which never changes. The
    step's state has the action in its log.

    Raises RulesError, naming the rule, for an action that the phase does not have, for a seat that
    may not act now, and for whatever else the public record shows to be forbidden.
    """
    phase, kind = state.phase, type(action)
    transition = TRANSITIONS.get((phase, kind))
    if transition is None:
        verb = action_text.format_action(action).split(" ", 1)[0]
        raise RulesError("3", f'"{verb}" is not possible during {DOING[phase]}')
    awaiting = state.awaiting
    # The range too, since a caller may name any number: out of turn no list of seats bounds it.
    if seat not in awaiting and not (transition.out_of_turn and 0 <= seat < state.seats):
        name = seat_names(state.seats)[seat] if 0 <= seat < state.seats else f"seat {seat}"
        raise RulesError("3", f"{name} is not to act in {DOING[phase]}{_awaited_words(state)}")
    log, start = state.log, state.round_start
    # The usual case: a new round, or a seat after all that have acted in it, in seat order.
    if len(log) == start or log[-1][0] < seat:
        log = (*log, (seat, action))
    else:  # the log does not tell in which order the contributions to a round arrived
        tail = sorted((*log[start:], (seat, action)), key=lambda entry: entry[0])
        log = (*log[:start], *tail)
    if kind is act.Ready and len(awaiting) > 1:  # a third of all actions; they do nothing else
        others = tuple(each for each in awaiting if each != seat)
        return Step(state._replace(log=log, awaiting=others))
    after, statements, disclosures = transition.handler(state, seat, action)
    return Step(_record(state, after, log, statements), statements, disclosures)


def _record(
    before: State,
    after: State,
    log: tuple[tuple[Seat, Action], ...],
    statements: tuple[Statement, ...],
) -> State:
    """Return `after`, the state that an action led to from `before`, with the new log, and with a
    new round begun where the old one is complete.

    In a trick or its inspection `statements` join the state's facts, but for faces of single slots.
    Where caps are due before the next card, a window opens after each card, unless a contract is
    played; where a card is called, its consequences follow.
    """
    phase, facts = before.phase, before.facts
    if phase is Phase.TRICK or phase is Phase.INSPECT:
        # Facts of play alone count as information (RULES 13.1 no. 5); a shown card is among the
        # faces.
        facts += tuple(each for each in statements if not isinstance(each, IsCard))
        played = after.phase is Phase.TRICK and len(after.plays) > len(before.plays)
        # Under a contract caps are not called, so that no window is due.
        if (
            played
            and tricks.calls_at_once(after.profile)
            and not isinstance(after.contract, Contract)
        ):
            after = tricks.to_window(after)
    if after.called is not None:
        after = called.consequences(before, after)
    # A round of one seat ends with its action; a round of several when the phase goes on. The last
    # of several is awaited alone, too, so the log tells whether others have acted in the round.
    alone = len(before.awaiting) == 1 and len(before.log) == before.round_start
    start = len(log) if alone or after.phase is not phase else before.round_start
    return after._replace(log=log, round_start=start, facts=facts)
