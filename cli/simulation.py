"""Many hands with open cards: competent bots against random ones, and every statement checked."""

from __future__ import annotations

import signal
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from multiprocessing.pool import AsyncResult
from typing import Final, NamedTuple, cast

from cli.errors import CheckFailed
from p2p304.bots.competent import CompetentPlayer
from p2p304.bots.random304 import RandomPlayer304
from p2p304.bots.thinking import LEVELS
from p2p304.errors import GameError
from p2p304.randomness import SeededRandomness
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.rules304.scoring import CapsVerdict, HandOutcome
from p2p304.rules304.state import SEATS
from p2p304.rules304.teams import Team, opponents_of, team_of
from p2p304.seats import Seat
from p2p304.simulator import GameDefect, play_match

MOST_HANDS: Final = 1000
"""A match that has no winner after so many hands is given up, and counted as unfinished."""


class MatchOrder(NamedTuple):
    """A match to be played: everything that decides how it goes."""

    profile: str
    house: tuple[str, ...]
    seed: int
    number: int
    """The place of the match in its series; decides with the seed, and which team is competent."""
    level: str
    """How long a competent bot thinks: one of LEVELS."""

    @property
    def competent(self) -> Team:
        """The team of the two competent bots: each in turn."""
        return Team(self.number % 2)


class MatchReport(NamedTuple):
    """What happened in a match, seen from the competent team."""

    won: bool | None
    """None for a match that was given up."""
    hands: int
    made: int
    """Bids of the competent team that were made, caps and violations left aside."""
    failed: int
    random_made: int
    random_failed: int
    ends: Counter[str]
    """How often each result of a hand occurred."""
    caps: Counter[str]
    """The verdicts on the competent team's caps."""
    violations: int
    """Hands that ended because the competent team had broken a rule; a sound bot has none."""


def play(order: MatchOrder) -> MatchReport:
    """One match, every statement and disclosure of which was checked against the real cards.

    Raises CheckFailed, and says how to see it again, for a move that does not stand.
    """
    game = Game304(profile_named(order.profile, order.house))
    chance = SeededRandomness(order.seed + order.number * 0x9E3779B9)
    competent = order.competent
    players = [
        CompetentPlayer(chance.randbelow(1 << 63), LEVELS[order.level])
        if team_of(Seat(seat)) == competent
        else RandomPlayer304(chance.randbelow(1 << 63))
        for seat in range(SEATS)
    ]
    try:
        played = play_match(game, players, chance, most_hands=MOST_HANDS)
    except (GameError, GameDefect) as error:
        # They hold more than their message and would not survive the way from another process.
        raise CheckFailed(f"match {order.number + 1} of seed {order.seed}: {error}") from None
    outcomes = [cast(HandOutcome, hand.outcome) for hand in played.hands]
    contracts = Counter(
        (each.facts.maker_team, each.facts.made)
        for each in outcomes
        if each.result in ("bid_made", "bid_failed")
    )
    other = opponents_of(competent)
    winner = played.match.winner
    return MatchReport(
        won=None if winner is None else winner == competent,
        hands=len(outcomes),
        made=contracts[competent, True],
        failed=contracts[competent, False],
        random_made=contracts[other, True],
        random_failed=contracts[other, False],
        ends=Counter(each.result for each in outcomes),
        caps=Counter(
            each.facts.caps[competent].value
            for each in outcomes
            if each.facts.caps[competent] is not CapsVerdict.NONE
        ),
        violations=sum(
            each.facts.violation is not None and each.facts.violation.team == competent
            for each in outcomes
        ),
    )


class Summary(NamedTuple):
    """A series of matches; the names are the keys of the JSON object."""

    matches: int
    matches_won: int
    matches_unfinished: int
    match_win_rate: float | None
    """The share of the finished matches that the competent team won; None without any."""
    hands: int
    bids_made: int
    """Bids of competent makers that were made."""
    bids_failed: int
    random_bids_made: int
    random_bids_failed: int
    results: dict[str, int]
    caps: dict[str, int]
    violations: int


def series(first: MatchOrder, *, least_hands: int, processes: int) -> Iterator[MatchReport]:
    """Matches that follow each other from `first` on, until `least_hands` hands are over.

    The last match is played to its end. The reports do not depend on the number of processes.
    """
    with Pool(processes, initializer=_leave_interrupts_to_the_parent) as pool:
        pending: deque[AsyncResult[MatchReport]] = deque()
        number, hands = first.number, 0
        while hands < least_hands:
            while len(pending) < 2 * processes:
                pending.append(pool.apply_async(play, (first._replace(number=number),)))
                number += 1
            report = pending.popleft().get()
            hands += report.hands
            yield report


def summary(reports: Sequence[MatchReport]) -> Summary:
    """All reports of a series together."""
    finished = [each for each in reports if each.won is not None]
    won = sum(each.won is True for each in finished)
    return Summary(
        matches=len(reports),
        matches_won=won,
        matches_unfinished=len(reports) - len(finished),
        match_win_rate=won / len(finished) if finished else None,
        hands=sum(each.hands for each in reports),
        bids_made=sum(each.made for each in reports),
        bids_failed=sum(each.failed for each in reports),
        random_bids_made=sum(each.random_made for each in reports),
        random_bids_failed=sum(each.random_failed for each in reports),
        results=dict(sum((each.ends for each in reports), Counter[str]()).most_common()),
        caps=dict(sum((each.caps for each in reports), Counter[str]()).most_common()),
        violations=sum(each.violations for each in reports),
    )


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
