"""What a hand of 304 adds to the statistics of its players: bids by their price, and caps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from p2p304.rules304.bids import Bid, Contract, bid_name
from p2p304.rules304.profile import Profile
from p2p304.rules304.running import RunningOutcome
from p2p304.rules304.scoring import CapsVerdict, HandOutcome
from p2p304.rules304.teams import team_of, two_teams
from p2p304.telling import Undertaking

_CAPS: Final = {
    CapsVerdict.CORRECT_BONUS: ("called in time", True, 0),
    CapsVerdict.CORRECT_NO_BONUS: ("called late", True, 1),
    CapsVerdict.WRONG: ("wrong or not called", False, 2),
    CapsVerdict.LOST: ("called, and a trick lost", False, 3),
}
_CONTRACTS: Final = tuple(Contract)


def deeds(profile: Profile, outcome: HandOutcome | RunningOutcome) -> Iterator[Undertaking]:
    """Yield the bid that was played, and what was judged of caps; nothing of a void hand."""
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
    """Return what a bid of this price is called, and where it stands among the others."""
    if isinstance(bid, Contract):
        return bid_name(bid), 3 + _CONTRACTS.index(bid)
    middle, top = profile.bracket_middle, profile.bracket_top
    if bid >= top:
        return f"{top} and up", 2
    if bid >= middle:
        return f"{middle} to {top - 1}", 1
    return f"below {middle}", 0
