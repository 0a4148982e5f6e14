"""Every history of three teams, two referees and one fork, to be walked in part or in whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from p2p304.tournament.tournament import How, MatchOutcome
from protocol.tournament.judge import JudgedRecord, judge
from protocol.tournament.pieces import RulingKind
from protocol.tournament.record import TournamentRecord
from tests.table.championship import OTHER_REFEREE, REFEREE, Championship, invented

FIRST: Final = 1
FINAL: Final = 2


class Said(NamedTuple):
    """What one person says: its pieces, and of a result the match and who met in it."""

    raws: tuple[bytes, ...]
    match: int = 0
    teams: tuple[str, ...] = ()


class Sayings(NamedTuple):
    """The record of a draw, and all that can be said about it."""

    start: TournamentRecord
    said: tuple[Said, ...]


@cache
def sayings() -> Sayings:
    """Return what can be said: two contrary results of the first match, by each side; a result of
    the final with either of its teams, by each side; walk-overs of two referees against each of the
    two, a departure; a list of invented teams with its draw."""
    cup = Championship(3).drawn()
    start, first, final = cup.record, cup.match(FIRST), cup.match(FINAL)
    found = [
        Said(cup.result(first, scores, by=(side,), hand=hand), FIRST, first.teams)
        for hand, scores in enumerate(((1, 0), (0, 1)))
        for side in (0, 1)
    ]
    for through in first.teams:
        one, other = (each if isinstance(each, str) else through for each in final.sides)
        played = replace(final, sides=(one, other))
        found += [
            Said(cup.result(played, (2, 1), by=(side,)), FINAL, (one, other)) for side in (0, 1)
        ]
    rulings = [
        (by, RulingKind.WALK_OVER, team) for by in (REFEREE, OTHER_REFEREE) for team in first.teams
    ]
    for by, kind, team in (*rulings, (REFEREE, RulingKind.DISQUALIFIED, first.teams[0])):
        ruled = Championship(3)
        ruled.record = start
        ruled.ruled_against_the_rules(FIRST, kind, team, by=by)
        found.append(Said(tuple({*ruled.record.raws} - {*start.raws})))
    found.append(Said(tuple(invented(cup).record.raws[1:])))
    return Sayings(start, tuple(found))


def record_of(history: int) -> TournamentRecord:
    """Return the record in which so much is said, a bit for each."""
    start, said = sayings()
    raws = (raw for at, each in enumerate(said) if history >> at & 1 for raw in each.raws)
    return start.with_pieces(*raws)


def judged_by_a_player(record: TournamentRecord) -> JudgedRecord:
    """Return what follows for a captain, who stays with the list that it has drawn for."""
    captain = sayings().start.draws[0].entries[0].players[0].key
    return judge(record, captain)


def standings(histories: Iterable[int]) -> dict[int, JudgedRecord]:
    """Judge histories; in each only those are convicted who have signed two things."""
    found = {}
    for history in histories:
        record = record_of(history)
        judged = judged_by_a_player(record)
        for each in judged.convictions:
            signed = [piece for piece in record.pieces.values() if piece.key == each.key]
            assert len(signed) > 1 or each.key == record.charter.organiser, history
        assert judged.certain
        found[history] = judged
    return found


def check_steps(found: Mapping[int, JudgedRecord]) -> int:
    """Compare each history with those in which one thing more is said, and return how often.

    A signed result stays whatever is ruled or forked; and whatever is signed by others than the
    players of its match, or of the match that led to it.
    """
    compared = 0
    _, said = sayings()
    for history, before in found.items():
        for at, more in enumerate(said):
            after = found.get(history | 1 << at)
            if history >> at & 1 or after is None:
                continue
            compared += 1
            for number in (FIRST, FINAL):
                if more.match and number >= more.match:
                    continue
                if of_play(before, number) is None or both_finals(history):
                    continue
                assert of_play(after, number) == of_play(before, number), (history, at, number)
    return compared


def of_play(judged: JudgedRecord, number: int) -> MatchOutcome | None:
    """Return how a match was played, None where it was not."""
    outcome = judged.tournament.matches[number - 1].outcome
    return outcome if outcome is not None and outcome.how is How.PLAYED else None


def both_finals(history: int) -> bool:
    """Tell whether players of the final have signed with either team that may come to it: then it
    is the ruling that says who did."""
    _, said = sayings()
    finals = [at for at, each in enumerate(said) if each.match == FINAL]
    return all(history >> at & 1 for at in finals)
