"""A hand of 304 that has ended: what it was worth and why, who won, what it adds to statistics."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from p2p304.rules304.actions import (
    Bid,
    Contract,
    bid_name,
)
from p2p304.rules304.caps.judge import called_early, certainties
from p2p304.rules304.profile import CapsModel, Profile
from p2p304.rules304.scoring import (
    LAST_TRICK,
    CapsVerdict,
    HandOutcome,
    RunningOutcome,
    marriage_worth,
    points_text,
    price_of,
)
from p2p304.rules304.state import End, State
from p2p304.rules304.teams import team_names, team_of, two_teams
from p2p304.rules304.telling.options import certain_line
from p2p304.rules304.telling.scene import SCORED, score_unit
from p2p304.rules304.telling.sentences import last_trick
from p2p304.rules304.tricks import points_of_teams, tricks_of_teams
from p2p304.sentences import Line, Who, count_words, join_items, join_parts, say
from p2p304.telling import (
    Ended,
    SummaryRow,
    Undertaking,
)

# --- a hand of 304 that has ended, in a few rows: what it was worth, and why ----------------------


#: How a hand ends in which every card of every trick is open.
_COUNTED: Final = (End.PLAYED, End.CONCEDED, End.CAPS_LOST)

# Without WRONG, which has a reason for each case (`_verdict_words`).
_CAPS_JUDGED: Final = {
    CapsVerdict.CORRECT_BONUS: "called Caps correctly and in time: a bonus",
    CapsVerdict.CORRECT_NO_BONUS: "called Caps correctly, too late for the bonus",
    CapsVerdict.LOST: "called Caps and lost a trick",
}


def summary(ended: Ended) -> tuple[SummaryRow, ...]:
    """Return the summary rows of a hand that ended, from top to bottom; rows with nothing to say
    are left out.
    """
    rows = _with_called if isinstance(ended.outcome, RunningOutcome) else _of_teams
    return tuple(rows(ended))


def _of_teams(ended: Ended) -> Iterator[SummaryRow]:
    """Yield the summary rows of a hand that ended, from top to bottom: trump, bid, tricks,
    points, caps, double, violation, tokens, last trick; rows with nothing to say are left out.
    """
    state: State = ended.state
    outcome: HandOutcome = ended.outcome
    facts = outcome.facts
    names = team_names(state.seats)
    yield from _ending(ended)
    if facts.bid is not None and state.maker is not None:
        mates = join_items([say(Who(mate)) for mate in state.mates(state.maker)])
        team = say(Who(state.maker), " with ", mates)
        yield _bid_row(state.profile, facts.bid, team)
        if facts.void is None:
            yield SummaryRow("Tricks", _sides(names, tricks_of_teams(state)))
            if state.end in _COUNTED:
                yield SummaryRow("Points", _sides(names, points_of_teams(state)))
    for side, verdict in enumerate(facts.caps):
        if verdict is not CapsVerdict.NONE:
            yield SummaryRow("Caps", say(f"{names[side]}: ", _verdict_words(state, side, verdict)))
    if facts.double is not None:
        end = "won every trick" if facts.double_won else "lost a trick"
        yield SummaryRow("Double", say(f"{names[facts.double]}: {end}"))
    if facts.violation is not None:
        broken = facts.violation
        words = f"{names[broken.team]}: {broken.kind.value}"
        yield SummaryRow("Violation", say(words))
    if ended.scores:
        yield SummaryRow(score_unit(state.profile), _sides(names, ended.scores))
    if state.tricks:
        yield SummaryRow("Last", last_trick(state, ended.faces))


def _bid_row(profile: Profile, bid: Bid, by: Line) -> SummaryRow:
    """Return the summary row of a bid, made `by` whom, with its price."""
    price = price_of(profile, bid)
    worth = f"; worth {price.made} if made, {price.failed} if not"
    return SummaryRow("Bid", say(f"{bid_name(bid)} by ", by, worth))


def _ending(ended: Ended) -> Iterator[SummaryRow]:
    """Yield one summary row on trump and the indicator, which may have stayed hidden; no row
    where no indicator was laid.
    """
    state: State = ended.state
    if state.trump_slot is None:
        return
    card = ended.faces.get(state.trump_slot)
    if card is None:
        yield SummaryRow("Trump", say("stayed hidden"))
        return
    hidden = "" if state.trump is not None else ", hidden to the end"
    yield SummaryRow("Trump", say(card.suit, f"{hidden}; the indicator was ", card))


def _verdict_words(state: State, team: int, verdict: CapsVerdict) -> Line:
    """Return, as a phrase, the verdict on a team's caps and its reason: which order was certain
    since when, which trick was lost, or that a call came too early, too late or never. `team` is
    0 or 1.
    """
    caps = state.caps
    called = caps is not None and state.team_of(caps.seat) == team
    if caps is not None and verdict is CapsVerdict.LOST:
        # LOST says that the team lost a trick, so there is one.
        lost = next(
            n for n, trick in enumerate(state.tricks, 1) if state.team_of(trick.winner) != team
        )
        return say(Who(caps.seat), f" called, and trick {lost} was lost")
    certain = _certain(_Counted(state), team)
    # Also where nothing was called: the order that should have been.
    why = say(": ", certain) if certain else ()
    if verdict is not CapsVerdict.WRONG:
        return say(_CAPS_JUDGED[verdict], *(("; ", certain) if certain else ()))
    # `called` implies a call; the other test is for type checkers.
    if caps is not None and called:
        if _early(_Counted(state)):
            return say(Who(caps.seat), " called before that order was certain", why)
        return say(Who(caps.seat), " called after the time for it had run out", why)
    if state.profile.caps_model is CapsModel.OUTCOME:
        return say("all tricks were won without a call")
    return say("an order was certain to win every trick, and nobody called", why)


# A state itself has no hash: it holds a mapping.
class _Counted:
    """A hand that is over as a key of a cache: equal to a hand with the same log, which holds
    every card shown.
    """

    def __init__(self, state: State) -> None:
        """Keep the last state of a hand that is over."""
        self.state = state

    def __eq__(self, other: object) -> bool:
        """Tell whether `other` is a hand with the same log."""
        return isinstance(other, _Counted) and self.state.log == other.state.log

    def __hash__(self) -> int:
        """Return the hash of the hand's log."""
        return hash(self.state.log)


# Every frame of the summary asks these; a search answers. Few answers are kept: one hand is shown
# at a time, with an answer for each of two teams.


@lru_cache(maxsize=4)
def _early(hand: _Counted) -> bool:
    """Tell whether caps were called in this hand before their order was sure to win; False where
    nobody called. The answer is kept for the next frame.
    """
    return called_early(hand.state)


@lru_cache(maxsize=4)
def _certain(hand: _Counted, team: int) -> Line:
    """Return which cards of a seat of `team` were the first that were certain to win every trick,
    as a clause: "J♥ 9♥ of South were certain since the end of trick 4"; empty where none were, and
    where caps are not judged by knowledge.

    The answer is kept for the next frame.
    """
    state = hand.state
    if state.profile.caps_model is not CapsModel.EPISTEMIC or state.end is None:
        return ()
    # Alike for all seats: the cards are open, and a moment leaves out what was seen later.
    found = certainties(state, (state.faces,) * state.seats)
    own = [(each, seat) for seat, each in found.items() if state.team_of(seat) == team]
    if not own:
        return ()
    first, seat = min(own, key=lambda pair: pair[0].moment.cards)
    return certain_line(seat, first)


def _sides(names: tuple[str, str], numbers: tuple[int, ...]) -> Line:
    """Return names and numbers in one line: "North-South 200, East-West 104"."""
    pairs = zip(names, numbers, strict=True)
    return say(", ".join(f"{name} {count}" for name, count in pairs))


# --- the same where a card is called --------------------------------------------------------------


def _with_called(ended: Ended) -> Iterator[SummaryRow]:
    """Yield the summary rows of a hand that ended, from top to bottom: bid, partner, tricks,
    marriages, last trick, scores; rows with nothing to say are left out.
    """
    state: State = ended.state
    outcome: RunningOutcome = ended.outcome
    facts, profile = outcome.facts, outcome.profile
    if facts.bid is not None and facts.maker is not None:
        yield _bid_row(profile, facts.bid, say(Who(facts.maker)))
        yield SummaryRow("Partner", _partner(ended))
        if facts.void is None:
            took = f"the maker's side took {count_words(facts.tricks, 'trick')}"
            # Without a target no points counted: a contract, or a hand that ended early.
            if facts.target:
                took += f" and {points_text(profile, facts.points)} points"
                took += f", and needed {points_text(profile, facts.target)}"
            yield SummaryRow("Tricks", say(took, _why_needed(state, outcome)))
    if state.marriages and facts.target:
        shown = (
            say(Who(seat), " ", suit, f" {marriage_worth(state, suit)}")
            for seat, suit in state.marriages
        )
        yield SummaryRow("Marriages", join_parts(shown, ", "))
    if state.tricks:
        yield SummaryRow("Last", last_trick(state, ended.faces))
    if ended.scores:
        pairs = zip(state.everybody, ended.scores, strict=True)
        each = (say(Who(seat), f" {score}") for seat, score in pairs)
        yield SummaryRow(SCORED, join_parts(each, ", "))


def _why_needed(state: State, outcome: RunningOutcome) -> Line:
    """Return why the side needed more or less than its bid, as a phrase: ": 160, 40 less for
    South ♥, 10 more for the last trick"; empty where no marriage was shown and the last trick
    does not count, under a contract, and where no points counted.
    """
    facts, profile = outcome.facts, outcome.profile
    if not facts.target or not isinstance(facts.bid, int):
        return ()
    # Who has the points, how many, and for what.
    found = [
        (seat, marriage_worth(state, suit), say(Who(seat), " ", suit))
        for seat, suit in state.marriages
    ]
    if profile.last_trick:
        found.append((state.tricks[-1].winner, LAST_TRICK, say("the last trick")))
    if not found:
        return ()
    reasons = (
        say(points_text(profile, worth), " less" if seat in facts.side else " more", " for ", what)
        for seat, worth, what in found
    )
    return say(": ", points_text(profile, facts.bid), ", ", join_parts(reasons, ", "))


def _partner(ended: Ended) -> Line:
    """Return the maker's partner and the called card as a phrase, "South, with J♠"; or that
    nobody was dealt that card.
    """
    state: State = ended.state
    facts = ended.outcome.facts
    # A hand with a bid that counts was played, after a card was named.
    assert state.called is not None
    if facts.partner is None:
        return say(
            "nobody was dealt ", state.called, ": the maker was alone, and counts three times"
        )
    return say(Who(facts.partner), ", with ", state.called)


# --- what a hand of 304 adds to the statistics of its players: bids by their price, and caps ------

_CAPS: Final = {
    # The name in the statistics, whether it went well, and its place among the rows.
    CapsVerdict.CORRECT_BONUS: ("called in time", True, 0),
    CapsVerdict.CORRECT_NO_BONUS: ("called late", True, 1),
    CapsVerdict.WRONG: ("wrong or not called", False, 2),
    CapsVerdict.LOST: ("called, and a trick lost", False, 3),
}
_CONTRACTS: Final = tuple(Contract)


def undertakings(profile: Profile, outcome: HandOutcome | RunningOutcome) -> Iterator[Undertaking]:
    """Yield what a hand adds to players' statistics: the bid that was played, made or not, if its
    maker is known, and for each team that called caps, or missed a call, how that went.

    Nothing for a hand that is void or ended in a violation; with a called partner the bid alone.
    """
    if isinstance(outcome, RunningOutcome):
        ours = outcome.facts
        if ours.bid is not None and ours.void is None and ours.offender is None:
            kind, rank = _bracket(profile, ours.bid)
            yield Undertaking("bid", kind, ours.side, ours.made, rank)
        return
    facts = outcome.facts
    if facts.void is not None or facts.violation is not None:
        return
    teams = two_teams(profile.seats)
    if facts.bid is not None and facts.maker is not None:
        kind, rank = _bracket(profile, facts.bid)
        mates = (seat for seat in teams[team_of(facts.maker)] if seat != facts.maker)
        yield Undertaking("bid", kind, (facts.maker, *mates), facts.made, rank)
    for team, verdict in enumerate(facts.caps):
        if verdict in _CAPS:
            kind, well, rank = _CAPS[verdict]
            yield Undertaking("Caps", kind, teams[team], well, rank)


def _bracket(profile: Profile, bid: Bid) -> tuple[str, int]:
    """Return the name of a bid's price bracket, such as "200 to 249", or of its contract, and
    its rank among them from 0.
    """
    if isinstance(bid, Contract):
        # Behind the three brackets of numbers, 0 to 2.
        return bid_name(bid), 3 + _CONTRACTS.index(bid)
    middle, top = profile.bracket_middle, profile.bracket_top
    if bid >= top:
        return f"{top} and up", 2
    if bid >= middle:
        return f"{middle} to {top - 1}", 1
    return f"below {middle}", 0
