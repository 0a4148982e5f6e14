"""A hand of 304 that has ended, in a few rows: what it was worth, and why."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from p2p304.rules304.bids import bid_name
from p2p304.rules304.caps.judge import called_early, certainties
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.count import points_of_teams
from p2p304.rules304.scoring import CapsVerdict, HandOutcome, price_of
from p2p304.rules304.state import End, State
from p2p304.rules304.teams import team_names
from p2p304.rules304.telling.certain import certain_line
from p2p304.rules304.telling.scene import scored, taken
from p2p304.rules304.telling.sentences import last_trick
from p2p304.sentences import Line, Who, listed, say
from p2p304.telling import Ended, SummaryRow

_COUNTED: Final = (End.PLAYED, End.CONCEDED, End.CAPS_LOST)
"""How a hand ends in which every card of every trick is open."""

_CAPS_JUDGED: Final = {
    CapsVerdict.CORRECT_BONUS: "called Caps correctly and in time: a bonus",
    CapsVerdict.CORRECT_NO_BONUS: "called Caps correctly, too late for the bonus",
    CapsVerdict.LOST: "called Caps and lost a trick",
}


def summary(ended: Ended) -> tuple[SummaryRow, ...]:
    """Return trump, bid, tricks, points, verdicts and tokens, and the last trick."""
    state: State = ended.state
    outcome: HandOutcome = ended.outcome
    facts = outcome.facts
    names = team_names(state.seats)
    rows = _ending(ended)
    if facts.bid is not None and state.maker is not None:
        price = price_of(state.profile, facts.bid)
        worth = f"; worth {price.made} if made, {price.failed} if not"
        mates = listed([say(Who(mate)) for mate in state.mates(state.maker)])
        team = say(Who(state.maker), " with ", mates)
        rows.append(SummaryRow("Bid", say(f"{bid_name(facts.bid)} by ", team, worth)))
        if facts.void is None:
            rows.append(
                SummaryRow("Tricks", _sides(names, _tricks(state, facts.maker_team, facts.tricks)))
            )
            if state.end in _COUNTED:
                rows.append(SummaryRow("Points", _sides(names, points_of_teams(state))))
    for side, verdict in enumerate(facts.caps):
        if verdict is not CapsVerdict.NONE:
            rows.append(SummaryRow("Caps", say(f"{names[side]}: ", _judged(state, side, verdict))))
    if facts.double is not None:
        end = "won every trick" if facts.double_won else "lost a trick"
        rows.append(SummaryRow("Double", say(f"{names[facts.double]}: {end}")))
    if facts.violation is not None:
        broken = facts.violation
        words = f"{names[broken.team]}: {broken.kind.value}"
        rows.append(SummaryRow("Violation", say(words)))
    if ended.scores:
        rows.append(SummaryRow(scored(state.profile), _sides(names, ended.scores)))
    if state.tricks:
        rows.append(SummaryRow("Last", last_trick(state, ended.faces)))
    return tuple(rows)


def _ending(ended: Ended) -> list[SummaryRow]:
    """Return which suit was trump, and by which card."""
    state: State = ended.state
    words: list[Line] = []
    if state.trump_slot is not None:
        card = ended.faces.get(state.trump_slot)
        if card is None:
            words.append(say("stayed hidden"))
        else:
            hidden = "" if state.trump is not None else ", hidden to the end"
            words.append(say(card.suit, f"{hidden}; the indicator was ", card))
    return [SummaryRow("Trump", words[0])] if words else []


def _judged(state: State, team: int, verdict: CapsVerdict) -> Line:
    """Return what was judged about a team's caps, and why: which order was certain since when."""
    caps = state.caps
    called = caps is not None and state.team_of(caps.seat) == team
    if caps is not None and verdict is CapsVerdict.LOST:
        others = (
            n for n, trick in enumerate(state.tricks, 1) if state.team_of(trick.winner) != team
        )
        lost = next(others, len(state.tricks))
        return say(Who(caps.seat), f" called, and trick {lost} was lost")
    certain = _certain(_Counted(state), team)
    why = say(": ", certain) if certain else ()
    if verdict is not CapsVerdict.WRONG:
        return say(_CAPS_JUDGED[verdict], *(("; ", certain) if certain else ()))
    if caps is not None and called:
        if _early(_Counted(state)):
            return say(Who(caps.seat), " called before that order was certain", why)
        return say(Who(caps.seat), " called after the time for it had run out", why)
    if state.profile.caps_model is CapsModel.OUTCOME:
        return say("all tricks were won without a call")
    return say("an order was certain to win every trick, and nobody called", why)


class _Counted:
    """A hand that is over, told apart by its log, which holds every card that was shown."""

    def __init__(self, state: State) -> None:
        self.state = state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and self.state.log == other.state.log

    def __hash__(self) -> int:
        return hash(self.state.log)


# Every frame of the summary asks these; a search answers.


@lru_cache(maxsize=4)
def _early(hand: _Counted) -> bool:
    return called_early(hand.state)


@lru_cache(maxsize=4)
def _certain(hand: _Counted, team: int) -> Line:
    """Return which order of a team was certain first, after what was judged; nothing if none."""
    state = hand.state
    if state.profile.caps_model is not CapsModel.EPISTEMIC or state.end is None:
        return ()
    found = certainties(state, (state.faces,) * state.seats)
    own = [(each, seat) for seat, each in found.items() if state.team_of(seat) == team]
    if not own:
        return ()
    first, seat = min(own, key=lambda pair: pair[0].moment.cards)
    return certain_line(seat, first)


def _tricks(state: State, maker_team: int | None, tricks: int) -> tuple[int, int]:
    if state.end is not None and state.caps is not None and state.caps.contested is False:
        other = state.profile.deal_batches.cards - tricks
        return (tricks, other) if maker_team == 0 else (other, tricks)
    both = taken(state)
    return both[0].tricks, both[1].tricks


def _sides(names: tuple[str, str], numbers: tuple[int, ...]) -> Line:
    pairs = zip(names, numbers, strict=True)
    return say(", ".join(f"{name} {count}" for name, count in pairs))
