"""Tournaments: the draw, brackets, round robins, who leaves, the standing, the text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from math import factorial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2p304.errors import NotationError, TournamentError
from p2p304.randomness import SeededRandomness
from p2p304.tournament.bracket import drawn_order, fold
from p2p304.tournament.entries import Entry
from p2p304.tournament.matches import Departure, Fact, How, LoserOf, Stage, WinnerOf
from p2p304.tournament.notation import format_tournament, parse_tournament
from p2p304.tournament.standing import Status
from p2p304.tournament.systems import (
    Elimination,
    Leavers,
    RoundRobin,
    TieBreak,
    Unit,
    WalkOverScore,
)
from p2p304.tournament.tournament import Tournament
from tests.long import examples
from tests.rules.test_immutable import mutable
from tests.rules.tournaments import drawn, entries, history, in_order_of_entry, luck, scores

SYSTEMS = (
    Elimination(),
    Elimination(races=(1,), third=None, unit=Unit.MATCHES),
    Elimination(races=(9, 8, 7, 6, 5), third=3, unit=Unit.HANDS),
    RoundRobin(),
    RoundRobin(race=3, walk_over=WalkOverScore.FULL, leavers=Leavers.VANISH),
)
EXAMPLES = settings(max_examples=examples(40))
tournaments = st.builds(drawn, st.integers(2, 11), st.sampled_from(SYSTEMS), st.integers(0, 2**32))


def refused(rule: str) -> Any:
    return pytest.raises(TournamentError, match=rf"\(tournament {rule}\)$")


def homes_win(tournament: Tournament) -> Tournament:
    while not tournament.finished:
        match = next(each for each in tournament.pending if each.ready)
        tournament = tournament.with_result(match.number, (match.race, 0))
    return tournament


def places(tournament: Tournament) -> dict[str, int | None]:
    return {row.team: row.place for row in tournament.standing}


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


@pytest.mark.parametrize("length", [0, 31, 1025])
def test_luck_has_32_to_1024_bytes(length: int) -> None:
    with refused("3.1"):
        drawn_order(4, bytes(length))


def test_there_is_one_draw_and_nothing_is_played_before_it() -> None:
    before = Tournament.new(entries(4), Elimination())
    assert (before.matches, before.pending, before.champion, before.byes(1)) == ((), (), None, ())
    assert not before.finished
    assert [row.team for row in before.standing] == [each.team for each in entries(4)]
    for step in (
        lambda: before.with_result(1, (7, 0)),
        lambda: before.walk_over(1, "team 1"),
        lambda: before.drawn(luck()).drawn(luck()),
        lambda: replace(before, facts=drawn(4).walk_over(1, drawn(4).order[0]).facts),
    ):
        with refused("3.3"):
            step()
    with refused("7.3"):
        before.disqualified("team 1")


def test_before_the_draw_a_team_that_withdraws_has_not_entered() -> None:
    three = Tournament.new(entries(3), Elimination())
    two = three.withdrawn("team 2")
    assert two == Tournament.new((entries(3)[0], entries(3)[2]), Elimination())
    with refused("7.3"):
        two.withdrawn("team 1")
    with refused("7.3"):
        two.withdrawn("team 2")


# Entries and systems


@pytest.mark.parametrize(("seats", "size"), [(4, 2), (6, 3), (8, 4)])
def test_a_team_fills_its_half_of_the_table(seats: int, size: int) -> None:
    assert Tournament.new(entries(2, seats), Elimination(), seats=seats).seats == seats
    wrong = Entry("odd", tuple(map(str, range(size + 1))))
    with refused("1.3"):
        Tournament.new((*entries(2, seats), wrong), Elimination(), seats=seats)


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
        Tournament.new(given, Elimination())


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
    for ties in ((), (TieBreak.WINS,), (TieBreak.DRAW, TieBreak.WINS), (TieBreak.DRAW,) * 2):
        with refused("2.3"):
            RoundRobin(ties=ties)
    with refused("1.5"):
        Tournament.new(entries(2), Elimination(), game="no game\n")
    with refused("1.3"):
        Tournament.new(entries(2), Elimination(), seats=5)


# The bracket


def test_the_bracket_is_folded_as_ruling_116_says() -> None:
    assert (fold(2), fold(4)) == ((1, 2), (1, 4, 3, 2))
    assert fold(8) == (1, 8, 5, 4, 3, 6, 7, 2)
    assert sorted(fold(32)) == list(range(1, 33))


def test_of_20_teams_12_have_byes_and_4_matches_are_played_whose_winners_meet_seeds_4_to_1() -> (
    None
):
    tournament = in_order_of_entry(20)
    first = [each for each in tournament.matches if each.round == 1]
    assert {frozenset(each.teams) for each in first} == {
        frozenset({f"team {a}", f"team {b}"}) for a, b in ((13, 20), (14, 19), (15, 18), (16, 17))
    }
    assert tournament.byes(1) == tuple(f"team {seed}" for seed in range(1, 13))
    assert [sum(each.round == number for each in tournament.matches) for number in range(1, 6)] == [
        4, 8, 4, 2, 2,
    ]  # fmt: skip
    met = {
        frozenset(tournament.matches[number - 1].teams): team
        for each in tournament.matches
        if each.round == 2
        for team in each.teams
        for number in each.waits_for
    }
    assert {frozenset(team.split()[1] for team in pair): met[pair] for pair in met} == {
        frozenset({"13", "20"}): "team 4",
        frozenset({"14", "19"}): "team 3",
        frozenset({"15", "18"}): "team 2",
        frozenset({"16", "17"}): "team 1",
    }


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


def test_races_are_to_10_in_the_final_and_to_7_before_it_and_for_third_place() -> None:
    races = [(each.stage, each.race) for each in drawn(8).matches]
    assert races == [(Stage.ROUND, 7)] * 6 + [(Stage.THIRD, 7), (Stage.FINAL, 10)]
    assert [each.race for each in drawn(2).matches] == [10]
    by_round = drawn(32, Elimination(races=(9, 8, 7), third=2)).matches
    assert {(each.round, each.stage): each.race for each in by_round} == {
        (1, Stage.ROUND): 7,
        (2, Stage.ROUND): 7,
        (3, Stage.ROUND): 7,
        (4, Stage.ROUND): 8,
        (5, Stage.THIRD): 2,
        (5, Stage.FINAL): 9,
    }


def test_pending_matches_say_who_meets_whom_and_who_waits_for_whom() -> None:
    tournament = in_order_of_entry(5)
    pending = [(each.number, each.sides, each.ready, each.waits_for) for each in tournament.pending]
    assert pending == [
        (1, ("team 5", "team 4"), True, ()),
        (2, ("team 1", WinnerOf(1)), False, (1,)),
        (3, ("team 3", "team 2"), True, ()),
        (4, (LoserOf(2), LoserOf(3)), False, (2, 3)),
        (5, (WinnerOf(2), WinnerOf(3)), False, (2, 3)),
    ]
    after = tournament.with_result(1, (3, 7))
    assert after.pending[0].sides == ("team 1", "team 4")
    assert [each.number for each in after.pending] == [2, 3, 4, 5]


# Results


@pytest.mark.parametrize("said", [(7, 7), (6, 5), (8, 0), (0, 0), (7, -1), (-1, 7), (70, 7)])
def test_the_winner_of_a_race_has_all_of_it_and_the_loser_less(said: tuple[int, int]) -> None:
    before = drawn(4)
    with refused("6.3") as raised:
        before.with_result(1, said)
    assert raised.value.match == 1
    assert before.matches == drawn(4).matches


def test_a_result_is_refused_where_there_is_no_match_to_be_played() -> None:
    tournament = drawn(4)
    for number in (-1, 0, 5):
        with refused("6.1"):
            tournament.with_result(number, (7, 0))
    with pytest.raises(TournamentError, match="match 3 waits for match 1 and 2"):
        tournament.with_result(3, (7, 0))
    with pytest.raises(TournamentError, match="match 1 is decided already"):
        tournament.with_result(1, (7, 0)).with_result(1, (7, 0))


def test_places_of_the_championship_are_known_one_after_the_other() -> None:
    tournament = in_order_of_entry(8)
    for number in range(1, 5):
        tournament = tournament.with_result(number, (7, 6))
    assert places(tournament) == {
        "team 1": None, "team 5": None, "team 3": None, "team 7": None,
        "team 2": 5, "team 4": 5, "team 6": 5, "team 8": 5,
    }  # fmt: skip
    one_finalist = tournament.with_result(5, (0, 7))
    assert [row.team for row in one_finalist.standing[:4]] == [
        "team 5", "team 3", "team 7", "team 1",
    ]  # fmt: skip
    tournament = tournament.with_result(5, (7, 0)).with_result(6, (0, 7))
    assert [row.team for row in tournament.standing[:4]] == ["team 1", "team 7", "team 3", "team 5"]
    final = tournament.with_result(8, (10, 9))
    assert final.standing[0].place == 1
    assert final.standing[0].difference == 1 + 7 + 1
    assert not final.finished
    assert final.champion is None
    done = final.with_result(7, (7, 3))
    assert done.champion == "team 1"
    assert [row.place for row in done.standing] == [1, 2, 3, 4, 5, 5, 5, 5]
    assert {row.status for row in done.standing} == {Status.DONE}


def test_three_teams_have_a_third_without_a_match_and_two_have_none() -> None:
    three = homes_win(drawn(3))
    assert [each.stage for each in three.matches] == [Stage.ROUND, Stage.FINAL]
    assert [row.place for row in three.standing] == [1, 2, 3]
    assert [row.place for row in homes_win(drawn(2)).standing] == [1, 2]


# Those who do not come, and those who leave


def test_a_team_that_did_not_come_to_its_semi_final_may_play_for_third_place() -> None:
    tournament = in_order_of_entry(4).walk_over(1, "team 4").with_result(2, (7, 0))
    third = tournament.matches[2]
    assert (third.ready, third.teams) == (True, ("team 4", "team 2"))
    assert tournament.matches[0].outcome is not None
    assert tournament.matches[0].outcome.how is How.WALK_OVER


def test_where_neither_team_came_the_next_opponent_goes_on_without_a_match() -> None:
    tournament = in_order_of_entry(4).walk_over(1, "team 4", "team 1").with_result(2, (7, 0))
    assert tournament.champion == "team 3"
    assert places(tournament) == {"team 3": 1, "team 2": 3, "team 1": 4, "team 4": 4}
    for number in (3, 4):
        outcome = tournament.matches[number - 1].outcome
        assert outcome is not None
        assert (outcome.how, outcome.losers) == (How.UNCONTESTED, ())
    assert tournament == in_order_of_entry(4).with_result(2, (7, 0)).walk_over(
        1, "team 1", "team 4"
    )


def test_a_final_to_which_nobody_came_has_no_champion() -> None:
    tournament = in_order_of_entry(2).walk_over(1, "team 1", "team 2")
    assert tournament.finished
    assert tournament.champion is None
    assert [row.place for row in tournament.standing] == [2, 2]


@pytest.mark.parametrize("absent", [(), ("team 2",), ("team 1", "team 2"), ("nobody",)])
def test_a_walk_over_names_teams_of_the_match(absent: tuple[str, ...]) -> None:
    with refused("7.1"):
        in_order_of_entry(4).walk_over(1, *absent)


def test_who_withdraws_loses_what_it_has_not_played_and_keeps_its_place() -> None:
    tournament = in_order_of_entry(4).with_result(1, (7, 0)).withdrawn("team 1")
    assert tournament.matches[3].outcome is None  # nobody knows yet who wins without playing
    tournament = tournament.with_result(2, (7, 0))
    final = tournament.matches[3].outcome
    assert final is not None
    assert (final.how, final.winner, final.losers) == (How.WITHDRAWN, "team 3", ("team 1",))
    second = tournament.standing[1]
    assert (second.team, second.place, second.status) == ("team 1", 2, Status.WITHDRAWN)


def test_a_disqualified_team_has_no_place_and_the_other_semi_final_loser_is_third() -> None:
    tournament = in_order_of_entry(4).disqualified("team 4").with_result(2, (7, 0))
    third = tournament.matches[2].outcome
    assert third is not None
    assert (third.how, third.winner) == (How.DISQUALIFIED, "team 2")
    done = tournament.with_result(4, (10, 0))
    assert places(done) == {"team 1": 1, "team 3": 2, "team 2": 3, "team 4": None}
    assert done.standing[-1].status is Status.DISQUALIFIED
    in_final = in_order_of_entry(2).disqualified("team 1")
    assert places(in_final) == {"team 2": 1, "team 1": None}


def test_a_team_leaves_once_and_only_while_it_has_a_match() -> None:
    tournament = in_order_of_entry(4).with_result(1, (7, 0)).with_result(2, (7, 0))
    for step in (
        lambda: tournament.withdrawn("team 1").disqualified("team 1"),
        lambda: tournament.with_result(3, (7, 0)).withdrawn("team 4"),
    ):
        with refused("7.4"):
            step()
    with refused("7.3"):
        tournament.withdrawn("team 9")
    leaving = tournament.withdrawn("team 4").facts[-1]
    with refused("7.5"):  # before its semi-final is decided nobody can leave in the match for third
        in_order_of_entry(4).with_fact(leaving)
    with refused("6.2"):
        tournament.withdrawn("team 4").with_result(3, (7, 0))


# Round robins


def test_six_teams_meet_by_bergers_table() -> None:
    table = {
        number: [tuple(int(team.split()[1]) for team in each.teams)
                 for each in in_order_of_entry(6, RoundRobin()).matches if each.round == number]
        for number in range(1, 6)
    }  # fmt: skip
    assert table == {
        1: [(1, 6), (2, 5), (3, 4)],
        2: [(6, 4), (5, 3), (1, 2)],
        3: [(2, 6), (3, 1), (4, 5)],
        4: [(6, 5), (1, 4), (2, 3)],
        5: [(3, 6), (4, 2), (5, 1)],
    }


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


def decided(system: RoundRobin, teams: int, results: dict[tuple[int, int], int]) -> Tournament:
    """A round robin in which the first of each pair beats the second, who gains so many."""
    tournament = in_order_of_entry(teams, system)
    for match in tournament.matches:
        home, away = (int(team.split()[1]) for team in match.teams)
        home_wins = (home, away) in results
        other = results[(home, away) if home_wins else (away, home)]
        tournament = tournament.with_result(match.number, scores(system.race, home_wins, other))
    return tournament


def ranking(tournament: Tournament) -> list[int]:
    return [int(row.team.split()[1]) for row in tournament.standing]


def test_ties_are_broken_by_wins_then_head_to_head_then_difference_then_the_draw() -> None:
    everything = {(4, 1): 0, (1, 2): 6, (1, 3): 0, (2, 3): 6, (2, 4): 0, (3, 4): 6}
    # Wins: 1 and 2 have two, 3 and 4 one; 1 beat 2 and 3 beat 4.
    done = decided(RoundRobin(), 4, everything)
    assert ranking(done) == [1, 2, 3, 4]
    by_difference = RoundRobin(ties=(TieBreak.WINS, TieBreak.DIFFERENCE, TieBreak.DRAW))
    assert ranking(decided(by_difference, 4, everything)) == [2, 1, 4, 3]
    circle = {(1, 2): 0, (2, 3): 0, (3, 1): 0}
    assert ranking(decided(RoundRobin(), 3, circle)) == [1, 2, 3]
    assert ranking(decided(RoundRobin(), 3, {**circle, (2, 3): 6})) == [3, 1, 2]
    assert ranking(decided(RoundRobin(ties=(TieBreak.DRAW,)), 4, everything)) == [1, 2, 3, 4]


def test_a_walk_over_counts_nothing_or_the_whole_race_for_the_difference() -> None:
    for score, difference in ((WalkOverScore.EMPTY, 0), (WalkOverScore.FULL, 7)):
        rows = in_order_of_entry(2, RoundRobin(walk_over=score)).walk_over(1, "team 2").standing
        assert [(row.won, row.difference) for row in rows] == [(1, difference), (0, -difference)]
        both = in_order_of_entry(2, RoundRobin(walk_over=score)).walk_over(1, "team 1", "team 2")
        assert [(row.won, row.lost, row.difference) for row in both.standing] == [(0, 1, 0)] * 2


def test_who_leaves_a_round_robin_loses_the_rest_or_has_never_been_there() -> None:
    for leavers, won in ((Leavers.LOSE, [2, 1]), (Leavers.VANISH, [1, 0])):
        tournament = in_order_of_entry(3, RoundRobin(leavers=leavers))
        # Team 3 loses to team 2 and leaves before it meets team 1, who beats team 2.
        for match in tournament.matches:
            if set(match.teams) == {"team 2", "team 3"}:
                tournament = tournament.with_result(
                    match.number, scores(7, match.teams[0] == "team 2")
                )
        tournament = tournament.withdrawn("team 3")
        (last,) = [each for each in tournament.pending if each.ready]
        done = tournament.with_result(last.number, scores(7, last.teams[0] == "team 1"))
        assert [row.won for row in done.standing[:2]] == won
        assert sum(row.decided for row in done.standing) == 2 * sum(won)
        assert [row.place for row in done.standing] == [1, 2, None]
        assert done.champion == "team 1"


def test_what_a_team_that_left_has_not_played_can_be_played_no_more() -> None:
    for system in (Elimination(), RoundRobin()):
        tournament = in_order_of_entry(4, system).withdrawn("team 1")
        last = [each for each in tournament.matches if each.outcome is not None][-1]
        for step in (
            lambda played=last, at=tournament: at.with_result(played.number, (7, 0)),
            lambda played=last, at=tournament: at.walk_over(played.number, "team 1"),
        ):
            with pytest.raises(TournamentError, match="is decided already"):
                step()


def test_of_two_that_leave_before_they_have_met_the_first_to_leave_has_lost() -> None:
    tournament = in_order_of_entry(4, RoundRobin())
    (meeting,) = [
        each.number for each in tournament.matches if set(each.teams) == {"team 1", "team 2"}
    ]
    for first, second in (("team 1", "team 2"), ("team 2", "team 1")):
        after = tournament.withdrawn(first).disqualified(second)
        outcome = after.matches[meeting - 1].outcome
        assert outcome is not None
        assert outcome.losers == (first,)
        assert parse_tournament(format_tournament(after)) == after


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
    if isinstance(
        tournament.system, RoundRobin
    ):  # who left first, and when, is told by their order
        leaving = [fact for fact in done.facts if isinstance(fact, Departure)]
        left = [fact for fact in left if not isinstance(fact, Departure)] + leaving
    again, waiting = tournament, left
    while waiting:
        again, waiting = with_those_allowed(again, waiting)
    assert again == done
    assert (again.matches, again.standing) == (done.matches, done.standing)
    assert replace(tournament, facts=tuple(left)) == done


def with_those_allowed(tournament: Tournament, facts: list[Fact]) -> tuple[Tournament, list[Fact]]:
    """The tournament with the facts that can be recorded now, and those that have to wait."""
    waiting = []
    for fact in facts:
        try:
            tournament = tournament.with_fact(fact)
        except TournamentError:
            waiting.append(fact)
    assert waiting != facts
    return tournament, waiting


@EXAMPLES
@given(tournaments, st.integers(0, 2**32))
def test_at_every_moment_all_teams_stand_somewhere_and_the_text_reads_back(
    tournament: Tournament, seed: int
) -> None:
    moments = history(tournament, seed)
    for moment in moments:
        assert sorted(row.team for row in moment.standing) == sorted(moment.order)
        assert parse_tournament(format_tournament(moment)) == moment
        assert moment.finished == (moment.pending == ())
        if not moment.finished:
            assert moment.champion is None
            assert any(match.ready for match in moment.pending)
        assert [*mutable((moment, moment.standing), "tournament")] == []
    for before, after in pairwise(moments):
        for old, new in zip(before.matches, after.matches, strict=True):
            assert old.outcome in (None, new.outcome) or isinstance(tournament.system, RoundRobin)
    last = moments[-1]
    first = [row.team for row in last.standing if row.place == 1]
    assert first == ([last.champion] if last.champion else [])
    assert last.champion not in last.left
    if not last.left and all(each.outcome.how is How.PLAYED for each in last.matches):  # type: ignore[union-attr]  # all is decided
        assert last.champion is not None


# The text


def text_of(*lines: str, system: str = "elimination tokens races 10 7 third 7") -> str:
    entered = [f'entry "T{number}" "a{number}" "b{number}"' for number in range(1, 5)]
    draw = "draw " + "00" * 32
    return "\n".join(["tournament 304 4", system, *entered, draw, *lines, ""])


def test_a_tournament_is_told_in_lines() -> None:
    tournament = parse_tournament(text_of("1 7-3", "2 absent 3 2", "3 disqualified 4"))
    assert tournament.champion == "T1"
    assert tournament.facts[1].match == 2
    clubs = "round-robin hands race 3 ties wins draw walk-over full leavers vanish"
    tournament = parse_tournament(text_of("1 1-3", "5 3-2", "2 withdrawn 2", system=clubs))
    assert tournament.system == RoundRobin(
        3, Unit.HANDS, (TieBreak.WINS, TieBreak.DRAW), WalkOverScore.FULL, Leavers.VANISH
    )


ROUND_ROBIN = "round-robin tokens race 7 ties wins draw walk-over empty leavers lose"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "begins with"),
        (text_of().replace("tournament", "Tournament"), 1, "begins with"),
        (text_of().replace("304 4", "304 5"), 1, "no table has 5 seats"),
        (text_of().replace("304 4", "304 04"), 1, "begins with"),
        (text_of().replace("304 4", "304 6"), 3, "at 6 seats a team has 3"),
        (text_of(system="swiss"), 2, "this line tells the system"),
        (text_of(system="elimination tokens races 7 7 third 7"), 2, "not named twice"),
        (text_of(system="elimination tokens races 0 third 7"), 2, "this line tells the system"),
        (text_of(system="elimination tokens races 100 third 7"), 2, "a race is to 1 to 99"),
        (text_of(system=ROUND_ROBIN.replace(" draw", "")), 2, "the last tie-break is the draw"),
        (text_of(system=ROUND_ROBIN.replace("wins", "wins wins")), 2, "named twice"),
        (text_of().replace('"a2"', '"a1"'), 4, "two places are taken by a1"),
        (text_of().replace('"T3"', '" T3"'), 5, "the name of a team has outer spaces"),
        (text_of().replace('"T3" ', '"T3"  '), 5, "an entry is such as"),
        (text_of().replace('"T3" "a3" "b3"', '"T3" "a3"'), 5, "T3 has 1 players"),
        (text_of().split("entry", 1)[0], 3, "at least 2 entries"),
        (text_of().replace("draw", "drawn"), 7, "luck in small hexadecimal digits"),
        (text_of().replace("draw 00", "draw 0"), 7, "luck in small hexadecimal digits"),
        (text_of().replace("draw 00", "draw "), 7, "not 31"),
        (text_of().replace("draw 00", "draw AA"), 7, "luck in small hexadecimal digits"),
        (text_of("1 7-7"), 8, "race to 7"),
        (text_of("1 7-07"), 8, "a fact is such as"),
        (text_of("1 7-0 "), 8, "a fact is such as"),
        (text_of("", "1 7-0"), 8, "a fact is such as"),
        (text_of("1 7-0", ""), 9, "a fact is such as"),
        (text_of("1 7-0", "1 7-0"), 9, "told twice"),
        (text_of("2 7-0", "1 7-0"), 8, "the canonical line here is '1 7-0'"),
        (text_of("1 7-0", "3 7-0"), 9, "cannot be played"),
        (text_of("9 7-0"), 8, "there is no match 9"),
        (text_of("1 absent 5"), 8, "there is no entry 5"),
        (text_of("1 absent 2"), 8, "who did not come to match 1"),
        (text_of("1 absent 4 1"), 8, "both in this order"),
        (text_of("1 withdrawn 2"), 8, "T2 cannot leave in match 1"),
        (text_of("1 7-0", "2 7-0", "3 withdrawn 1"), 10, "T1 cannot leave in match 3"),
        (text_of("1 7-0", "2 withdrawn 2", "3 withdrawn 2"), 10, "T2 cannot leave in match 3"),
        (text_of("4 withdrawn 1", system=ROUND_ROBIN), 8, "T1 cannot leave in match 4"),
        (text_of("1 withdrawn 1", "4 withdrawn 1", system=ROUND_ROBIN), 9, "T1 cannot leave"),
        (text_of("2 withdrawn 1", system=ROUND_ROBIN), 8, "T1 cannot leave in match 2"),
        (text_of("1 7-0", "1 7-0", system=ROUND_ROBIN), 9, "told twice"),
        (text_of("1 7-0")[:-1], 8, "ends with a line break"),
        (text_of().split("draw")[0] + "\n", 7, "luck in small"),
        (text_of("1 7-0") + "\n", 9, "a fact is such as"),
        (text_of("1 7-0").replace("\n", "\r\n"), 1, "begins with"),
        (" " * 100_001, 1, "at most 100000 characters"),
    ],
)  # fmt: skip
def test_a_text_that_is_not_the_one_of_a_tournament_is_refused_with_its_line(
    text: str, line: int, said: str
) -> None:
    with pytest.raises(NotationError) as raised:
        parse_tournament(text)
    problem = str(raised.value)
    assert said in problem
    assert problem.startswith(f"line {line}: ") or len(text) > 100_000
    assert text[: raised.value.position].count("\n") == line - 1
