"""Tournaments: the draw, brackets, round robins, who leaves, the standing, their text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from math import factorial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2p304.errors import TournamentError
from p2p304.randomness import SeededRandomness
from p2p304.tournament.tournament import (
    TEAM_SIZES,
    Elimination,
    Entry,
    Fact,
    How,
    RoundRobin,
    System,
    Tournament,
    Unit,
    drawn_order,
    parse_system,
)
from tests.long import examples
from tests.rules.test_simulator import mutable

CHAMPIONSHIP = Elimination()


def entries(count: int, seats: int = 4) -> tuple[Entry, ...]:
    size = TEAM_SIZES[seats]
    return tuple(
        Entry(f"team {number}", tuple(f"player {number}.{each}" for each in range(1, size + 1)))
        for number in range(1, count + 1)
    )


def luck(seed: int = 0) -> bytes:
    chance = SeededRandomness(seed)
    return bytes(chance.randbelow(256) for _ in range(32))


def entered(given: tuple[Entry, ...], system: System = CHAMPIONSHIP) -> Tournament:
    return Tournament("304", 4, system, given)


def drawn(count: int, system: System = CHAMPIONSHIP, seed: int = 0) -> Tournament:
    return replace(entered(entries(count), system), luck=luck(seed))


def in_order_of_entry(count: int, system: System = CHAMPIONSHIP) -> Tournament:
    """Drawn so that the order is that of the entries: seed i is team i."""
    return replace(entered(entries(count), system), luck=bytes(32))


def scores(race: int, home_wins: bool, other: int = 0) -> tuple[int, int]:
    return (race, other) if home_wins else (other, race)


def result(match: int, scores: tuple[int, int]) -> Fact:
    return Fact(match, How.PLAYED, scores=scores)


def walk_over(match: int, absent: tuple[str, ...]) -> Fact:
    return Fact(match, How.WALK_OVER, absent)


def departure(match: int, team: str, reason: How) -> Fact:
    return Fact(match, reason, (team,))


def told(tournament: Tournament, *facts: Fact) -> Tournament:
    """The tournament when these facts are known, too."""
    return replace(tournament, facts=(*tournament.facts, *facts))


def leaving(tournament: Tournament, team: str, reason: How = How.WITHDRAWN) -> Tournament:
    """The tournament when a team has left it in its first match that is not decided; in a round
    robin, of which nothing is told but that others left."""
    known = {each.match for each in tournament.facts if not each.departs}
    whole = isinstance(tournament.system, RoundRobin)
    number = next(
        each.number
        for each in tournament.matches
        if team in each.teams and (each.number not in known if whole else each.outcome is None)
    )
    return told(tournament, departure(number, team, reason))


def stepped(tournament: Tournament, chance: SeededRandomness) -> Tournament:
    """One step that the rules allow: mostly a result, now and then somebody absent or leaving."""
    ready = [match for match in tournament.pending_matches if match.ready]
    kind = chance.randbelow(12)
    if kind == 0:
        open_teams = sorted(
            {team for each in tournament.pending_matches for team in each.teams}
            - set(tournament.departures)
        )
        if open_teams:
            team = open_teams[chance.randbelow(len(open_teams))]
            reason = How.WITHDRAWN if chance.randbelow(2) else How.DISQUALIFIED
            return leaving(tournament, team, reason)
    match = ready[chance.randbelow(len(ready))]
    if kind == 1:
        absent = [match.teams[:1], match.teams[1:], match.teams][chance.randbelow(3)]
        return told(tournament, walk_over(match.number, absent))
    loser = chance.randbelow(match.race)
    home_wins = chance.randbelow(2) == 0
    return told(tournament, result(match.number, scores(match.race, home_wins, loser)))


def history(tournament: Tournament, seed: int) -> list[Tournament]:
    """The tournament at every moment until all is decided."""
    chance = SeededRandomness(seed)
    moments = [tournament]
    while not moments[-1].finished:
        moments.append(stepped(moments[-1], chance))
    return moments


SYSTEMS = (
    Elimination(),
    Elimination(races=(1,), third=None, unit=Unit.MATCHES),
    Elimination(races=(9, 8, 7, 6, 5), third=3, unit=Unit.HANDS),
    RoundRobin(),
    RoundRobin(race=3, unit=Unit.HANDS),
)
EXAMPLES = settings(max_examples=examples(40))
tournaments = st.builds(drawn, st.integers(2, 11), st.sampled_from(SYSTEMS), st.integers(0, 2**32))


def refused(rule: str) -> Any:
    return pytest.raises(TournamentError, match=rf"\(tournament {rule}\)$")


# The draw


@pytest.mark.parametrize("teams", [2, 3, 4])
def test_every_order_of_the_teams_is_drawn_by_as_many_numbers_as_any_other(teams: int) -> None:
    period = factorial(teams)
    seen = Counter(drawn_order(teams, number.to_bytes(32, "big")) for number in range(3 * period))
    assert seen == dict.fromkeys(permutations(range(teams)), 3)


def test_luck_that_would_favour_some_orders_is_refused_and_the_number_before_it_is_not() -> None:
    last = (1 << 256) - (1 << 256) % factorial(5) - 1
    assert drawn_order(5, last.to_bytes(32, "big")) == (4, 3, 2, 1, 0)
    for number in (last + 1, (1 << 256) - 1):
        with refused("3.2"):
            drawn_order(5, number.to_bytes(32, "big"))
    assert drawn_order(2, bytes([255] * 32)) == (1, 0)  # two orders divide every such range


def test_where_each_team_is_drawn_does_not_depend_on_where_it_entered() -> None:
    draws, teams = 2000, 5
    seen = Counter(
        place for seed in range(draws) for place in enumerate(drawn_order(teams, luck(seed)))
    )
    expected = draws / teams
    statistic = sum((seen[at, team] - expected) ** 2 / expected
                    for at in range(teams) for team in range(teams))  # fmt: skip
    assert statistic < 60  # chi-squared of 16 degrees exceeds this less than once in a million


def test_there_is_one_draw_and_nothing_is_played_before_it() -> None:
    before = entered(entries(4))
    assert (before.matches, before.pending_matches, before.champion, before.byes(1)) == (
        (),
        (),
        None,
        (),
    )
    assert not before.finished
    assert [row.team for row in before.standing] == [each.team for each in entries(4)]
    for step in (
        lambda: told(before, result(1, (7, 0))),
        lambda: told(before, walk_over(1, ("team 1",))),
    ):
        with refused("3.3"):
            step()


# Entries and systems


@pytest.mark.parametrize(("seats", "size"), [(4, 2), (6, 3), (8, 4)])
def test_a_team_fills_its_half_of_the_table(seats: int, size: int) -> None:
    assert Tournament("304", seats, Elimination(), entries(2, seats)).seats == seats
    wrong = Entry("odd", tuple(map(str, range(size + 1))))
    with refused("1.3"):
        Tournament("304", seats, Elimination(), (*entries(2, seats), wrong))


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("1.1", entries(1)),
        ("1.1", entries(33)),
        ("1.4", (*entries(3), Entry("team 1", ("x", "y")))),
        ("1.4", (*entries(3), Entry("more", ("x", "player 2.1")))),
        ("1.4", (*entries(3), Entry("more", ("x", "x")))),
    ],
    ids=["one", "33", "team twice", "player in two teams", "player twice"],
)
def test_2_to_32_teams_of_different_names_and_players_enter(
    rule: str, given: tuple[Entry, ...]
) -> None:
    with refused(rule):
        entered(given)


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "a\nb", 'a"b', "a\u202eb", "a\x1b[2J", "a\ud800", "\u3000a", "n" * 65]
)
def test_a_name_has_no_character_that_acts_on_a_screen_and_no_outer_space(name: str) -> None:
    for team, players in ((name, ("x", "y")), ("x", (name, "y"))):
        with refused("1.2"):
            Entry(team, players)


def test_a_name_is_of_any_script() -> None:
    assert Entry("සිංහයෝ", ("அன்பு", "Zoë")).team == "සිංහයෝ"


def test_settings_that_nobody_could_play_by_are_refused() -> None:
    for settings_that_fail in (
        {"races": (0,)}, {"races": (100,)}, {"third": 0}, {"races": ()},
        {"races": (7, 7)}, {"races": (1, 2, 3, 4, 5, 6)},
    ):  # fmt: skip
        with pytest.raises(TournamentError):
            Elimination(**settings_that_fail)  # type: ignore[arg-type]  # each is wrong in its way
    with refused("1.5"):
        Tournament("no game\n", 4, Elimination(), entries(2))
    with refused("1.3"):
        Tournament("304", 5, Elimination(), entries(2))


# The bracket


@pytest.mark.parametrize("teams", range(2, 33))
def test_every_team_plays_or_has_a_bye_and_no_two_byes_meet(teams: int) -> None:
    tournament = drawn(teams, seed=teams)
    size = 1 << (teams - 1).bit_length()
    first = [team for each in tournament.matches if each.round == 1 for team in each.teams]
    assert sorted([*first, *tournament.byes(1)]) == sorted(tournament.order)
    assert len(tournament.byes(1)) == size - teams
    assert len(first) == 2 * (teams - size // 2)  # a match in which two byes met would be missing
    assert tournament.byes(1) == tournament.order[: size - teams]
    assert tournament.byes(2) == ()
    assert len(tournament.matches) == teams - 1 + (teams >= 4)
    for match in tournament.matches:
        assert all(other < match.number for other in match.waits_for)


# Results


@pytest.mark.parametrize("said", [(7, 7), (6, 5), (8, 0), (0, 0), (7, -1), (-1, 7), (70, 7)])
def test_the_winner_of_a_race_has_all_of_it_and_the_loser_less(said: tuple[int, int]) -> None:
    before = drawn(4)
    with refused("6.3"):
        told(before, result(1, said))
    assert before.matches == drawn(4).matches


def test_a_result_is_refused_where_there_is_no_match_to_be_played() -> None:
    tournament = drawn(4)
    for number in (-1, 0, 5):
        with refused("6.1"):
            told(tournament, result(number, (7, 0)))
    for facts in ((result(3, (7, 0)),), (result(1, (7, 0)), result(1, (7, 0)))):
        with refused("6.2"):
            told(tournament, *facts)


# Those who do not come, and those who leave


@pytest.mark.parametrize("absent", [(), ("team 2",), ("team 1", "team 2"), ("nobody",)])
def test_a_walk_over_names_teams_of_the_match(absent: tuple[str, ...]) -> None:
    with refused("7.1"):
        told(in_order_of_entry(4), walk_over(1, absent))


def test_a_team_leaves_once_and_only_while_it_has_a_match() -> None:
    tournament = told(in_order_of_entry(4), result(1, (7, 0)), result(2, (7, 0)))
    leaves = departure(3, "team 4", How.WITHDRAWN)
    for facts in (
        (leaves, replace(leaves, how=How.DISQUALIFIED)),
        (result(3, (7, 0)), leaves),
        (replace(leaves, teams=("team 9",)),),
        (replace(leaves, teams=()),),
        (replace(leaves, teams=("team 4", "team 3")),),
    ):
        with refused("7.5"):
            told(tournament, *facts)
    with refused("7.5"):  # before its semi-final is decided nobody can leave in the match for third
        told(in_order_of_entry(4), leaves)
    assert told(tournament, leaves).departures == {"team 4": How.WITHDRAWN}


# Round robins


@pytest.mark.parametrize("teams", range(2, 33))
def test_each_pair_meets_once_and_nobody_plays_twice_in_a_round(teams: int) -> None:
    tournament = drawn(teams, RoundRobin(), seed=teams)
    pairs = Counter(frozenset(each.teams) for each in tournament.matches)
    assert pairs == Counter(map(frozenset, combinations(tournament.order, 2)))
    assert [each.number for each in tournament.matches] == list(range(1, len(pairs) + 1))
    for number in range(1, tournament.rounds + 1):
        playing = [
            team for each in tournament.matches if each.round == number for team in each.teams
        ]
        assert sorted([*playing, *tournament.byes(number)]) == sorted(tournament.order)
        assert len(tournament.byes(number)) == teams % 2


def test_of_two_that_leave_before_they_have_met_nobody_has_won() -> None:
    tournament = in_order_of_entry(4, RoundRobin())
    (meeting,) = [
        each.number for each in tournament.matches if set(each.teams) == {"team 1", "team 2"}
    ]
    found = [
        leaving(leaving(tournament, first), second)
        for first, second in (("team 1", "team 2"), ("team 2", "team 1"))
    ]
    assert found[0] == found[1]
    outcome = found[0].matches[meeting - 1].outcome
    assert (outcome.winner, {*outcome.losers}) == (None, {"team 1", "team 2"})


def test_what_was_played_stands_also_of_who_has_left() -> None:
    also = told(leaving(in_order_of_entry(4), "team 4"), result(2, (7, 0)))
    third = also.matches[2]
    assert third.outcome.how is How.WITHDRAWN
    played = told(also, result(3, (7, 2)))
    assert played.matches[2].outcome.how is How.PLAYED


# What holds of every tournament


@EXAMPLES
@given(tournaments, st.integers(0, 2**32))
def test_results_in_any_order_that_the_rules_allow_lead_to_one_tournament(
    tournament: Tournament, seed: int
) -> None:
    done = history(tournament, seed)[-1]
    chance = SeededRandomness(seed + 1)
    left = list(done.facts)
    chance.shuffle(left)
    again = replace(tournament, facts=tuple(left))
    assert (again.matches, again.standing) == (done.matches, done.standing)
    assert again == done


@EXAMPLES
@given(tournaments, st.integers(0, 2**32))
def test_at_every_moment_all_teams_stand_somewhere(tournament: Tournament, seed: int) -> None:
    moments = history(tournament, seed)
    for moment in moments:
        assert sorted(row.team for row in moment.standing) == sorted(moment.order)
        assert moment.finished == (moment.pending_matches == ())
        if not moment.finished:
            assert moment.champion is None
            assert any(match.ready for match in moment.pending_matches)
        assert [*mutable((moment, moment.standing), "tournament")] == []
    for before, after in pairwise(moments):
        for old, new in zip(before.matches, after.matches, strict=True):
            assert old.outcome in (None, new.outcome) or isinstance(tournament.system, RoundRobin)
    last = moments[-1]
    first = [row.team for row in last.standing if row.place == 1]
    assert first == ([last.champion] if last.champion else [])
    assert last.champion not in last.departures
    if not last.departures and all(each.outcome.how is How.PLAYED for each in last.matches):  # type: ignore[union-attr]  # all is decided
        assert last.champion is not None


def test_who_beat_whom_parts_those_who_are_level_before_the_difference_does() -> None:
    said = ((0, 7), (7, 6), (6, 7), (7, 6), (7, 0), (0, 7))
    results = (result(number, each) for number, each in enumerate(said, 1))
    rows = told(in_order_of_entry(4, RoundRobin()), *results).standing
    found = [(row.team, row.won, row.gained - row.lost_to_others) for row in rows]
    assert found == [("team 1", 2, 1), ("team 2", 2, 7), ("team 3", 1, -7), ("team 4", 1, -1)]


def test_in_a_round_robin_a_team_leaves_in_its_first_match_without_a_result() -> None:
    tournament = in_order_of_entry(4, RoundRobin())
    first = departure(1, "team 1", How.WITHDRAWN)
    for facts in (
        (replace(first, match=4),),
        (first, replace(first, match=4)),
        (result(1, (7, 0)), first),
    ):
        with refused("7.5"):
            told(tournament, *facts)
    assert told(tournament, first).departures == {"team 1": How.WITHDRAWN}


# The text


def test_a_tournament_is_told_in_lines() -> None:
    tournament = replace(in_order_of_entry(4), entries=entries(4)[:1] + entries(5)[2:])
    facts = (
        result(1, (7, 3)),
        walk_over(2, ("team 4", "team 3")),
        departure(3, "team 5", How.DISQUALIFIED),
    )
    assert (
        told(tournament, *reversed(facts)).text
        == f"""tournament 304 4
elimination tokens races 10 7 third 7
entry "team 1" "player 1.1" "player 1.2"
entry "team 3" "player 3.1" "player 3.2"
entry "team 4" "player 4.1" "player 4.2"
entry "team 5" "player 5.1" "player 5.2"
draw {"00" * 32}
1 7-3
2 absent 3 2
3 disqualified 4
"""
    )
    assert entered(entries(2)).text.splitlines()[-1] == 'entry "team 2" "player 2.1" "player 2.2"'


def test_a_system_is_read_from_its_own_line_and_no_other() -> None:
    for system in SYSTEMS:
        assert parse_system(system.line) == system
    assert parse_system("round-robin hands race 3") == RoundRobin(3, Unit.HANDS)
    for rule, line in (
        ("9.2", "swiss"),
        ("2.2", "elimination tokens races 7 7 third 7"),
        ("9.2", "elimination tokens races 6 5 4 3 2 1 third 7"),
        ("9.2", "elimination tokens races 0 third 7"),
        ("9.2", "elimination tokens races 10 07 third 7"),
        ("9.2", "elimination tokens races 10  7 third 7"),
        ("9.2", "elimination tokens races 10 7 third 7\n"),
        ("2.1", "elimination tokens races 100 third 7"),
        ("2.1", "round-robin tokens race 100"),
        ("9.2", "round-robin tokens race 7 ties draw"),
        ("9.2", "round-robin points race 7"),
    ):
        with refused(rule):
            parse_system(line)
