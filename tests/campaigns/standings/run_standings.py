"""The walk of every history, and random tournaments and records told by two programs.

    python -m tests.campaigns.standings.run_standings --seed 1 -- node verifier/node.mjs

Ends with status 1 at the first difference, or where a signed result changes (an AssertionError
names the history). 2,000 tournaments, 2,000 records and 16,384 histories take about fifteen minutes
of one core; question k of a seed is the same on every machine.

A tournament has any facts, most of which could have come about. A record is that of two
to six teams with anything that its people can sign: results with anybody, rulings of referees who
play or do not, withdrawals, other lists, restarts, shares, ends; each is told twice, in two orders.
"""

from __future__ import annotations

import random
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

import click

from cli.conformance.program import ProgramUnderTest
from p2p304.tournament.tournament import Elimination, Match, RoundRobin, System
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import (
    END_NAME_BYTES,
    DrawEnd,
    DrawRestart,
    LineupChange,
    RulingKind,
    TeamWithdrawal,
    TournamentEnd,
    TournamentRuling,
    sign_piece,
)
from protocol.tournament.record import MEANINGS, TournamentRecord
from protocol.wire.identity import SigningKey
from tests.rules.test_tournament import drawn, history
from tests.table.championship import (
    ORGANISER,
    REFEREE,
    RESERVE,
    SMALL,
    Championship,
    invented,
    latest_draw,
    new_charter,
    other_list,
    player_key,
    share_of,
)
from tests.table.histories import check_steps, sayings, standings
from tests.vectors.answers import ask
from tests.vectors.plain_json import Json

SYSTEMS: Final[tuple[System, ...]] = (
    SMALL,
    Elimination(races=(1,), third=None),
    RoundRobin(race=2),
)


class Question(NamedTuple):
    """What is asked of a program, and what it is about."""

    about: str
    op: str
    given: Json


# --- tournaments ----------------------------------------------------------------------------------


def tournament_question(seed: int) -> Question:
    """Return a tournament of this seed, some of its facts replaced by others."""
    chance = random.Random(seed)
    system = SYSTEMS[seed % len(SYSTEMS)]
    tournament = chance.choice(history(drawn(2 + seed % 9, system, seed), seed))
    numbers = {each.team: number for number, each in enumerate(tournament.entries, 1)}
    facts: list[list[int | str]] = []
    for each in tournament.facts:
        teams = [numbers[team] for team in each.teams]
        facts.append([each.match, each.how.value, *(teams or each.scores)])
    for _ in range(chance.randrange(4) if facts else 0):
        match = chance.randrange(1, len(tournament.matches) + 1)
        team = chance.randrange(1, len(numbers) + 1)
        other = chance.choice((("walk-over", team), ("withdrawn", team), ("played", 7, 2)))
        facts[chance.randrange(len(facts))] = [match, *other]
    given: Json = {
        "seats": tournament.seats,
        "system": system.line,
        "entries": [[each.team, *each.players] for each in tournament.entries],
        "luck": (tournament.luck or b"").hex(),
        "facts": facts,
    }
    return Question(f"tournament {seed}", "tournament.read", given)


# --- records --------------------------------------------------------------------------------------


@cache
def _started(teams: int, system: System, *, playing: bool, reserves: bool) -> Championship:
    """Return a tournament that is drawn, and whose second referee may play."""
    second = player_key(0, 1) if playing else SigningKey(b"r" * 32)
    referees = (REFEREE.public, second.public)
    charter = new_charter(system, referees=referees)
    return Championship(teams, charter, reserves=reserves).drawn()


def random_record(seed: int) -> Championship:
    """Return a tournament with whatever its people sign, in some order."""
    chance = random.Random(seed)
    teams, system, reserves = chance.randrange(2, 7), chance.choice(SYSTEMS), seed % 4 == 1
    start = _started(teams, system, playing=seed % 3 == 0, reserves=reserves)
    cup = Championship(start.teams, start.charter, reserves=reserves)
    cup.record, cup.mine = start.record, (player_key(0, 0).public,)
    for _ in range(chance.randrange(1, 14)):
        for raw in _said(cup, chance):
            cup.add(raw)
    return cup


def _said(cup: Championship, chance: random.Random) -> tuple[bytes, ...]:
    """Return what somebody signs next."""
    tournament, head = cup.judged.tournament, cup.judged.head
    number = chance.randrange(1, len(tournament.matches) + 1)
    match = tournament.matches[number - 1]
    what = chance.randrange(20)
    if what < 11 or head is None:
        ready = [each for each in tournament.matches if len(each.teams) == len(each.sides)]
        return _result(cup, chance.choice(ready) if what < 9 else match, chance)
    if what < 16:
        return (_ruling(cup, head, number, chance),)
    if what == 16 and RESERVE in cup.places and chance.randrange(2):
        captain, reserve = (player_key(chance.randrange(2), place) for place in (0, RESERVE))
        places = (cup.charter.digest, head, number, chance.randrange(3))
        change = LineupChange(*places, captain.public, reserve.public)
        return tuple(sign_piece(change, key, charter=cup.charter) for key in (captain, reserve))
    if what == 16:
        key = player_key(chance.randrange(cup.teams), chance.randrange(4) // 3)
        content = TeamWithdrawal(cup.charter.digest, head, number, key.public)
        return (sign_piece(content, key, charter=cup.charter),)
    if what == 17:
        return (_end(cup),) if tournament.finished else ()
    if what == 18:
        return _drawn_again(cup, chance)
    if chance.randrange(2):
        return (other_list(cup, lambda ids: ids[::-1]),) if len(cup.record.lists) == 1 else ()
    return tuple(invented(cup).record.raws[1:])


def _end(cup: Championship) -> bytes:
    """Return an end, also where another one was signed."""
    judged = cup.judged
    assert judged.head is not None
    pieces = tuple(sorted(name[:END_NAME_BYTES] for name in judged.deciding))
    content = TournamentEnd(cup.charter.digest, judged.head, pieces)
    return sign_piece(content, ORGANISER, charter=cup.charter)


def _result(cup: Championship, match: Match, chance: random.Random) -> tuple[bytes, ...]:
    sides = match.teams
    if len(sides) < len(match.sides) or not chance.randrange(6):
        one, other = chance.sample(range(cup.teams), 2)
        sides = (f"team {one}", f"team {other}")
    meeting = replace(match, sides=(sides[0], sides[1]), outcome=None)
    lost = chance.randrange(match.race)
    scores = (match.race, lost) if chance.randrange(2) else (lost, match.race)
    signers = ((0, 1), (0, 1), (0, 3), (0,), (1,), (2, 0))[chance.randrange(6)]
    lineups = chance.randrange(9) if RESERVE in cup.places else 0
    return cup.result(meeting, scores, by=signers, hand=chance.randrange(2), lineups=lineups)


def _ruling(cup: Championship, head: bytes, number: int, chance: random.Random) -> bytes:
    kind = chance.choice([*RulingKind])
    several = kind is RulingKind.WALK_OVER and not chance.randrange(4)
    match = cup.match(number)
    names = [entry.team for entry in cup.judged.tournament.entries]  # type: ignore[union-attr]  # drawn
    teams = [names.index(team) + 1 for team in match.teams] if chance.randrange(3) else []
    teams = teams or [*range(1, len(names) + 1)]
    chosen = tuple(sorted(chance.sample(teams, min(1 + several, len(teams)))))
    sides = [names.index(team) + 1 for team in match.teams]
    if len(sides) < len(match.sides) or not chance.randrange(8):
        sides = chance.sample(range(1, len(names) + 1), 2)
    sides = sides if (kind is RulingKind.WALK_OVER) == bool(chance.randrange(30)) else []
    content = TournamentRuling(cup.charter.digest, head, number, kind, chosen, tuple(sides))
    seat = chance.randrange(2)
    referees = [REFEREE, player_key(0, 1), SigningKey(b"r" * 32)]
    key = next(each for each in referees if each.public == cup.charter.referees[seat])
    return sign_piece(content, key, charter=cup.charter)


def _drawn_again(cup: Championship, chance: random.Random) -> tuple[bytes, ...]:
    """A restart, or what captains and organiser sign of the latest one, or its end."""
    state = latest_draw(cup.record)
    what = chance.randrange(4)
    if what == 0 or (state.rounds == 2 and what < 3):
        absent = (chance.randrange(cup.teams),)
        content = DrawRestart(cup.charter.digest, state.draw.follows, absent)
        return (sign_piece(content, REFEREE, charter=cup.charter),)
    if state.rounds == 2:
        ended = DrawEnd(cup.charter.digest, state.draw.follows, state.messages)
        return (sign_piece(ended, ORGANISER, charter=cup.charter),)
    keys = [*(player_key(team, 0) for team in range(cup.teams)), ORGANISER]
    seats = {each.key: at for at, each in enumerate(state.draw.charter.seats)}
    awaited = [key for key in keys if seats.get(key.public) in state.missing]
    secret = bytes((chance.randrange(2),)) * 32
    return tuple(share_of(state, key, secret) for key in (awaited if what == 1 else awaited[:1]))


def record_question(seed: int) -> Question:
    """Return the record of this seed, and now and then results that transcripts bear out.

    It is read back, and what follows is the same in another order and when it is pruned; whom it
    convicts has signed two things.
    """
    cup, chance = random_record(seed), random.Random(seed)
    record, judged = cup.record, judge(cup.record)
    raws = [*record.raws[1:]]
    assert TournamentRecord.from_bytes(record.to_bytes()) == record
    assert record.with_pieces(*chance.sample(raws, len(raws))) is record
    standings = [judged.tournament, *(each.tournament for each in judged.forks)]
    kept = judge(prune(record))
    assert [kept.tournament, *(each.tournament for each in kept.forks)] == standings, seed
    for each in judged.convictions:
        assert each.check in MEANINGS
        assert each.first != each.second
    results = sorted(name for found in judged.disputed_results.values() for name in found[0].names)
    shown = [name.hex() for name in results] if seed % 2 else []
    given: Json = {"record": record.to_bytes().hex(), "shown": shown}
    return Question(f"record {seed}", "tournament.record", given)


def questions(seed: int, tournaments: int, records: int) -> Iterator[Question]:
    """Yield so many of each kind, those of a seed alike on every machine."""
    for number in range(tournaments):
        yield tournament_question(seed * 1_000_003 + number)
    for number in range(records):
        yield record_question(seed * 1_000_003 + number)


def difference(program: ProgramUnderTest, asked: Question) -> str | None:
    """Return how another program answers a question otherwise than ours, None if it does not."""
    ours, theirs = ask(asked.op, asked.given), program.ask(asked.op, asked.given)
    if all(ours.get(name) == theirs.get(name) for name in ("output", "reject")):
        return None
    return f"{asked.about}: {theirs}; ours is {ours}"


@click.command()
@click.option("--tournaments", default=2_000, show_default=True)
@click.option("--records", default=2_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--walk/--no-walk", default=True, help="Walk every history of three teams first.")
@click.argument("command", nargs=-1, required=True)
def main(tournaments: int, records: int, seed: int, walk: bool, command: tuple[str, ...]) -> None:
    """Ask COMMAND and our own program the same."""
    if walk:
        found = standings(range(1 << len(sayings().said)))
        click.echo(f"{len(found)} histories, {check_steps(found)} steps: no signed result changes.")
    asked = Counter[str]()
    with ProgramUnderTest(shlex.split(" ".join(command))) as program:
        for each in questions(seed, tournaments, records):
            wrong = difference(program, each)
            if wrong is not None:
                click.echo(wrong)
                sys.exit(1)
            asked[each.op] += 1
    click.echo(", ".join(f"{count} {op}" for op, count in asked.items()) + ": no difference.")


if __name__ == "__main__":
    main()
