"""A hand that has ended, in a few lines: what it was worth, and why."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cli.story import bid_name
from cli.ui.model import Summary, taken
from cli.ui.words import place
from p2p304.rules304.caps import called_early
from p2p304.rules304.choices import CapsModel, Settlement
from p2p304.rules304.count import points_of_teams
from p2p304.rules304.scoring import CapsVerdict, price_of
from p2p304.rules304.state import End, State, partner
from p2p304.rules304.teams import TEAM_NAMES, team_of

_COUNTED: Final = (End.PLAYED, End.CONCEDED, End.CAPS_LOST)
"""How a hand ends in which every card of every trick is open."""

_CAPS_JUDGED: Final = {
    CapsVerdict.CORRECT_BONUS: "called Caps correctly and in time: a bonus",
    CapsVerdict.CORRECT_NO_BONUS: "called Caps correctly, too late for the bonus",
    CapsVerdict.LOST: "called Caps and lost a trick",
}


def summary_lines(summary: Summary) -> tuple[str, ...]:
    """The hand in a few lines: bid, tricks, points, tokens, verdicts, and how to check it all."""
    outcome, state = summary.outcome, summary.state
    facts = outcome.facts
    lines = [outcome.summary, ""]
    if facts.bid is not None and state.maker is not None:
        mate = partner(state.maker)
        team = f"{place(state.maker)} with {place(mate)}"
        price = price_of(state.profile, facts.bid)
        worth = f"worth {price.made} if made, {price.failed} if not"
        lines.append(f"Bid       {bid_name(facts.bid)} by {team}; {worth}")
        if facts.void is None:
            lines.append(f"Tricks    {_sides(_tricks(state, facts.maker_team, facts.tricks))}")
            if state.end in _COUNTED:
                lines.append(f"Points    {_sides(points_of_teams(state))}")
    for side, verdict in enumerate(facts.caps):
        if verdict is not CapsVerdict.NONE:
            lines.append(f"Caps      {TEAM_NAMES[side]}: {_judged(state, side, verdict)}")
    if facts.violation is not None:
        broken = facts.violation
        lines.append(f"Violation {TEAM_NAMES[broken.team]}: {broken.kind.value}")
    counted = "Gained" if state.profile.settlement is Settlement.OWN_STOCK else "Tokens"
    lines.append(f"{counted:<9} {_sides(summary.scores)}")
    if summary.winner is not None:
        lines.append(f"{TEAM_NAMES[summary.winner]} win the match.")
    if summary.transcript:
        lines += [
            "",
            "Everything that was signed in this hand is kept, and anyone can check it:",
            f"p2p304 audit {summary.transcript}",
        ]
    return tuple(lines)


def _judged(state: State, team: int, verdict: CapsVerdict) -> str:
    """What was judged about a team's caps, and why."""
    caps = state.caps
    called = caps is not None and team_of(caps.seat) == team
    if caps is not None and verdict is CapsVerdict.LOST:
        lost = next(
            (n for n, trick in enumerate(state.tricks, 1) if team_of(trick.winner) != team), 8
        )
        return f"{place(caps.seat)} called, and trick {lost} was lost"
    if verdict is not CapsVerdict.WRONG:
        return _CAPS_JUDGED[verdict]
    if caps is not None and called:
        if _early(_Counted(state)):
            return f"{place(caps.seat)} called before that order was certain"
        return f"{place(caps.seat)} called after the time for it had run out"
    if state.profile.caps_model is CapsModel.OUTCOME:
        return "all eight tricks were won without a call"
    return "an order was certain to win every trick, and nobody called"


class _Counted:
    """A hand that is over, told apart by its log, which holds every card that was shown."""

    def __init__(self, state: State) -> None:
        self.state = state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and self.state.log == other.state.log

    def __hash__(self) -> int:
        return hash(self.state.log)


@lru_cache(maxsize=4)
def _early(hand: _Counted) -> bool:
    # Every frame of the summary asks; a search answers.
    return called_early(hand.state)


def _tricks(state: State, maker_team: int | None, tricks: int) -> tuple[int, int]:
    if state.end is not None and state.caps is not None and state.caps.contested is False:
        other = 8 - tricks
        return (tricks, other) if maker_team == 0 else (other, tricks)
    both = taken(state)
    return both[0].tricks, both[1].tricks


def _sides(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"{name} {count}" for name, count in zip(TEAM_NAMES, numbers, strict=True))
