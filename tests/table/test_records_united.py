"""Records united in any order, by any number of people: one file, one standing, one complaint."""

from __future__ import annotations

import random
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from cli.tournament.auditing import audit_tournament
from p2p304.tournament.tournament import RoundRobin, System
from protocol.errors import MalformedMessage
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import DrawRestart, RulingKind, TournamentRuling, sign_piece
from protocol.tournament.record import TournamentRecord, contribution
from tests.long import examples
from tests.table.championship import (
    OTHER_REFEREE,
    REFEREE,
    SMALL,
    Championship,
    latest_draw,
    new_charter,
    other_list,
    player_key,
    share_of,
)

SYSTEMS: tuple[System, ...] = (
    SMALL,
    RoundRobin(race=1),
)
TEAMS = 4


@cache
def drawn(system: System) -> Championship:
    return Championship(TEAMS, new_charter(system)).drawn()


@cache
def about_matches(system: System) -> tuple[bytes, ...]:
    """All that may be signed about matches: results that exclude each other, and rulings."""
    cup = drawn(system)
    found: dict[bytes, None] = {}
    for seed in range(4):
        other = Championship(TEAMS, cup.charter)
        other.record = cup.record
        for match in cup.judged.tournament.matches:  # type: ignore[union-attr]  # drawn
            match = other.match(match.number)
            for scores in ((match.race, 0), (0, match.race), (match.race, match.race)):
                found |= dict.fromkeys(other.result(match, scores))
            other.play(match.number, random.Random(seed * 100 + match.number).choice(match.teams))
    head = cup.judged.head
    assert head is not None
    for number in (1, 3, 4):
        for kind in RulingKind:
            for teams in ((1,), (2,), (3, 4)):
                sides = () if kind is not RulingKind.WALK_OVER else teams if teams[1:] else (1, 2)
                terms = (cup.charter.digest, head, number, kind, teams, sides)
                for key in (REFEREE, OTHER_REFEREE):
                    ruling = TournamentRuling(*terms)
                    found[sign_piece(ruling, key, charter=cup.charter)] = None
    return tuple(found)


@cache
def contradicted() -> tuple[bytes, ...]:
    """All pieces of a tournament in which everybody who can has signed two things."""
    cup = drawn(SMALL)
    start = Championship(TEAMS, cup.charter)
    start.entered()
    start.listed()
    state = start.judged.draw
    assert state is not None
    whole = Championship(TEAMS, cup.charter)
    whole.record = cup.record
    for seed in (200, 201):
        whole.add(share_of(state, player_key(1, 0), bytes((seed,)) * 32))
    whole.add(other_list(whole, lambda ids: ids[::-1]))
    for absent in ((0,), (3,)):
        restart = DrawRestart(cup.charter.digest, state.draw.follows, absent)
        whole.add(sign_piece(restart, REFEREE, charter=cup.charter))
    said = contribution(latest_draw(whole.record), player_key(2, 0))
    assert said is not None
    whole.add(said)
    return (*whole.record.raws[1:], *about_matches(SMALL)[::7])


def carried(pieces: tuple[bytes, ...], people: int, chance: random.Random) -> TournamentRecord:
    """The record of all pieces that came to several people in any order, some of them to several;
    what rests on a piece that is not here is refused, and comes again to anybody."""
    records = [TournamentRecord.start(drawn(SMALL).record.raws[0])] * people
    waiting = [
        (raw, place)
        for raw in pieces
        for place in chance.sample(range(people), chance.randint(1, people))
    ]
    while waiting:
        chance.shuffle(waiting)
        later = []
        for raw, place in waiting:
            if chance.random() < 0.05:
                records[place] = records[place].with_pieces(*records[chance.randrange(people)].raws)
            try:
                records[place] = records[place].with_pieces(raw)
            except MalformedMessage:
                later.append((raw, chance.randrange(people)))
        waiting = later
    chance.shuffle(records)
    united = records[0]
    for each in records[1:]:
        united = (
            each.with_pieces(*united.raws)
            if chance.random() < 0.5
            else united.with_pieces(*each.raws)
        )
    return united


@settings(max_examples=examples(8))
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_pieces_that_come_in_any_order_and_twice_are_one_file_one_standing_and_one_complaint(
    chance: random.Random, people: int
) -> None:
    pieces = contradicted()
    whole = TournamentRecord.start(drawn(SMALL).record.raws[0]).with_pieces(*pieces)

    united = carried(pieces, people, chance)

    assert united.to_bytes() == whole.to_bytes()
    one, other = judge(united), judge(whole)
    assert one.tournament == other.tournament
    assert one.convictions == other.convictions
    assert one.ignored == other.ignored
    assert audit_tournament(one, ()).wrong == audit_tournament(other, ()).wrong


@settings(max_examples=examples(60))
@given(st.sampled_from(SYSTEMS), st.lists(st.integers(0, 10_000), max_size=40))
def test_whatever_people_sign_about_matches_makes_a_tournament_that_can_be(
    system: System, chosen: list[int]
) -> None:
    possible = about_matches(system)
    record = drawn(system).record.with_pieces(*(possible[each % len(possible)] for each in chosen))

    judged = judge(record)

    assert judged.tournament is not None
    assert judge(prune(record)).tournament == judged.tournament
    counted = {name for names in judged.counted.values() for name in names}
    about = {name for name, each in record.pieces.items() if each.raw in possible}
    assert counted | set(judged.ignored) == about
    assert not counted & set(judged.ignored)
