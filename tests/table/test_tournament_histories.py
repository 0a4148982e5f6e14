"""A standing follows from the set of what was signed: nothing that is added changes a signed
result, or convicts who signed one thing. The whole walk is `make standings`."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from cli.tournament.folder import audit_tournament
from p2p304.tournament.tournament import RoundRobin, System
from protocol.tournament.acts import end
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import RulingKind, TournamentRuling, sign_piece
from protocol.tournament.record import TournamentRecord
from tests.long import examples
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    SMALL,
    Championship,
    gathered,
    new_charter,
    other_list,
    player_key,
    shuffled,
)
from tests.table.histories import (
    FINAL,
    FIRST,
    both_finals,
    check_steps,
    judged_by_a_player,
    of_play,
    record_of,
    sayings,
    standings,
)


def test_no_history_of_three_things_that_are_said_changes_what_was_signed() -> None:
    every = range(len(sayings().said))
    histories = [
        sum(1 << at for at in chosen) for size in range(4) for chosen in combinations(every, size)
    ]
    assert check_steps(standings(histories)) > 1_000


def test_long_histories_change_nothing_that_was_signed_as_they_grow() -> None:
    chance = random.Random(304)
    every = [*range(len(sayings().said))]
    histories = {0}
    for _ in range(20):
        chance.shuffle(every)
        histories |= {sum(1 << at for at in every[:size]) for size in range(len(every) + 1)}
    assert check_steps(standings(histories)) > 200


def test_a_history_is_one_record_and_one_standing_in_whatever_order_it_is_united() -> None:
    chance = random.Random(304)
    start, said = sayings()
    for _ in range(12):
        history = chance.getrandbits(len(said))
        whole = record_of(history)
        assert shuffled(whole, chance.randrange(1000)) == whole
        parts = [record_of(history & chance.getrandbits(len(said))) for _ in range(3)]
        for one, other in ((parts, whole), (parts[::-1], whole)):
            united = start
            for part in (*one, other):
                united = united.with_pieces(*part.raws)
            assert united == whole
        again = TournamentRecord.from_bytes(whole.to_bytes())
        assert judged_by_a_player(again).tournament == judged_by_a_player(whole).tournament


def test_an_end_of_any_history_changes_no_signed_result_of_one_that_goes_on() -> None:
    """Whatever the organiser has seen, or says it has, when it ends the tournament."""
    chance, ended, void = random.Random(304), 0, 0
    while not (ended > 20 and void > 20):
        history = chance.getrandbits(len(sayings().said))
        part = judged_by_a_player(record_of(history & chance.getrandbits(len(sayings().said))))
        if part.tournament is None or not part.tournament.finished:
            continue
        whole = record_of(history)
        before = judged_by_a_player(whole)
        after = judged_by_a_player(whole.with_pieces(end(part, ORGANISER)))
        assert after.convictions == before.convictions
        for number in (FIRST, FINAL):
            if of_play(before, number) is not None and not both_finals(history):
                assert of_play(after, number) == of_play(before, number), history
        assert after.tournament == (part if after.ended else before).tournament
        ended, void = ended + after.ended, void + (not after.ended)


# --- records united in any order, by any number of people -----------------------------------------


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
