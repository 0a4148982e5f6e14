"""Records united in any order, by any number of people: one file, one standing, one complaint."""

from __future__ import annotations

import random
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from cli.tournament.auditing import audit_tournament
from p2p304.tournament.tournament import RoundRobin, System
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import RulingKind, TournamentRuling, sign_piece
from protocol.tournament.record import TournamentRecord
from tests.long import examples
from tests.table.championship import (
    OTHER_REFEREE,
    REFEREE,
    SMALL,
    Championship,
    gathered,
    new_charter,
    other_list,
    player_key,
)

SYSTEMS: tuple[System, ...] = (SMALL, RoundRobin(race=1))
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
        other = cup.copy()
        for match in cup.tournament.matches:
            match = other.match(match.number)
            for scores in ((match.race, 0), (0, match.race), (match.race, match.race)):
                found |= dict.fromkeys(other.result(match, scores))
            other.play(match.number, random.Random(seed * 100 + match.number).choice(match.teams))
    head = cup.judged.head
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
    whole = drawn(SMALL).copy()
    whole.fix(1, (200, 201))
    for absent in (0, 3):
        whole.restarted_against_the_rules(absent)
    whole.add(other_list(whole, lambda ids: ids[::-1]))
    whole.draw_behind(player_key(2, 0))
    return (*whole.record.raws[1:], *about_matches(SMALL)[::7])


@settings(max_examples=examples(8))
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_pieces_that_come_in_any_order_and_twice_are_one_file_one_standing_and_one_complaint(
    chance: random.Random, people: int
) -> None:
    charter, pieces = drawn(SMALL).record.raws[0], contradicted()
    whole = TournamentRecord.start(charter).with_pieces(*pieces)

    united = gathered((charter, *pieces), people, chance)

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
