"""SETTLE: the facts of a hand that is over, and what they cost (RULES 13, 15 and 16)."""

from __future__ import annotations

from p2p304.errors import RulesError
from p2p304.rules304.caps.judge import caps_verdicts
from p2p304.rules304.count import points_of_teams, tricks_of_teams
from p2p304.rules304.running import VOIDS, RunningOutcome, settle_running
from p2p304.rules304.scoring import (
    NO_CAPS,
    CapsVerdict,
    HandFacts,
    HandOutcome,
    Violation,
    ViolationKind,
    score_hand,
)
from p2p304.rules304.state import End, Phase, State


def settle(state: State, *, judge_caps: bool = True) -> HandOutcome | RunningOutcome:
    """Return how a hand ended and what it costs.

    `judge_caps` off leaves caps out of account, for measurements. Raises RulesError while the hand
    is not over.
    """
    if state.phase is not Phase.OVER or state.end is None:
        raise RulesError("3", "the hand is not over")
    if state.profile.partner_called:
        return settle_running(state)
    verdicts = caps_verdicts(state) if judge_caps and state.end not in VOIDS else NO_CAPS
    return score_hand(state.profile, facts_of(state, verdicts))


def facts_of(state: State, caps: tuple[CapsVerdict, CapsVerdict]) -> HandFacts:
    """Return what is established about a hand that is over, with the verdicts on caps."""
    team = None if state.maker is None else state.team_of(state.maker)
    points = tricks = 0
    if team is not None and state.end in {End.PLAYED, End.CONCEDED, End.CAPS_LOST}:
        points = points_of_teams(state)[team]
    if team is not None:
        tricks = tricks_of_teams(state)[team]
    violation = None
    if state.violation is not None:
        violation = Violation(state.team_of(state.violation), ViolationKind.FALSE_SPOILT)
        caps = NO_CAPS
    return HandFacts(
        maker_team=team,
        bid=state.contract,
        points=points,
        tricks=tricks,
        void=None if state.end is None else VOIDS.get(state.end),
        violation=violation,
        caps=caps,
        double=None if state.double is None else state.team_of(state.double),
        all_points=state.profile.deck.points,
        all_tricks=state.profile.deal_batches.cards,
        maker=state.maker,
    )
