"""Coalitions of organiser, referee, loser, winner and stranger: what both teams signed stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest

from p2p304.tournament.tournament import How, Match, RoundRobin, System
from protocol.errors import LocalError
from protocol.tournament import pieces
from protocol.tournament.acts import draw_on, end, list_entries, lost_before, rule, withdraw
from protocol.tournament.judge import JudgedRecord, judge, prune
from protocol.tournament.pieces import DrawEnd, MatchResult, RulingKind, TeamWithdrawal
from protocol.wire.identity import PublicKey
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    SMALL,
    Championship,
    invented,
    latest_draw,
    new_charter,
    player_key,
    share_of,
    shuffled,
    signed_by_another,
)

WALK_OVER, DISQUALIFIED = RulingKind.WALK_OVER, RulingKind.DISQUALIFIED


def convicted(judged: JudgedRecord) -> set[tuple[str, bytes]]:
    return {(each.check, each.key.to_bytes()) for each in judged.convictions}


def strangers(cup: Championship, number: int) -> list[int]:
    """The numbers of the teams that do not play a match."""
    return [team for team in range(cup.teams) if f"team {team}" not in cup.match(number).teams]


# 1. What a player of each of the two teams signed decides a match


@pytest.mark.parametrize("system", [SMALL, RoundRobin(race=2)], ids=["elimination", "round robin"])
def test_players_of_third_teams_annul_no_result_by_signing_it_too(system: System) -> None:
    cup = Championship(4, new_charter(system)).drawn()
    signed = cup.result(cup.match(1), (cup.match(1).race, 0))
    cup.add(*signed)
    before = cup.outcome(1)

    for team in strangers(cup, 1):
        cup.add(*(signed_by_another(cup, signed[0], player_key(team, place)) for place in (0, 1)))

    assert cup.outcome(1) == before
    assert not cup.judged.convictions
    assert len(cup.judged.ignored) == 4


def test_a_player_of_a_third_team_does_not_stand_in_for_one_of_the_two(cup: Championship) -> None:
    (alone,) = cup.result(cup.match(1), (1, 0), by=(0,))
    cup.add(alone, signed_by_another(cup, alone, player_key(strangers(cup, 1)[0], 0)))
    assert cup.match(1).outcome is None


@pytest.mark.parametrize("ended", [False, True], ids=["before it", "signed"])
def test_a_referee_the_loser_and_a_third_team_overturn_nothing_after_the_end(
    ended: bool,
) -> None:
    cup = Championship(4).drawn()
    cup.play_all(1)
    if ended:
        cup.add(end(cup.judged, ORGANISER))
    before = cup.judged.tournament
    match = cup.match(1)
    loser = cup.outcome(1).losers[0]
    for team in strangers(cup, 1):
        other = f"team {team}"
        for sides in ((loser, other), (other, loser)):
            final = replace(cup.match(4), sides=sides, outcome=None)
            cup.add(*cup.result(final, (2, 0)), *cup.result(final, (0, 2)))
    for by in (REFEREE, OTHER_REFEREE):
        for kind in RulingKind:
            cup.ruled_against_the_rules(1, kind, cup.outcome(1).winner or "", by=by)

    tournament = cup.tournament
    assert tournament.champion == before.champion
    assert [each.outcome for each in tournament.matches if each.number != 3] == [
        each.outcome for each in before.matches if each.number != 3
    ]
    assert match.teams == cup.match(1).teams
    assert cup.judged.ended == ended


# 2. A ruling fills a gap


def test_who_rules_once_more_undoes_nothing_that_rests_on_a_ruling(cup: Championship) -> None:
    """One referee alone, by any ruling, or the one that is named before who ruled."""
    through, absent = cup.match(1).teams
    cup.ruled(1, WALK_OVER, absent, by=OTHER_REFEREE)
    cup.play(2)
    cup.play(4, through)
    cup.play(3)
    before = cup.judged.tournament

    for by in (REFEREE, OTHER_REFEREE):
        for kind in RulingKind:
            cup.ruled_against_the_rules(1, kind, through, by=by)
    cup.ruled_against_the_rules(1, WALK_OVER, through, absent, by=REFEREE)

    assert cup.judged.tournament == before


def test_a_referee_with_two_losers_undoes_no_result_behind_its_ruling() -> None:
    """They can sign a match behind it, but not that its other side lost the match that it won."""
    cup = Championship(8).drawn()
    through, absent = cup.match(1).teams
    cup.ruled(1, WALK_OVER, absent, by=OTHER_REFEREE)
    cup.play(2)
    beaten = cup.outcome(2).losers[0]
    cup.play(5, through)
    before = cup.outcome(5)
    cup.add(*cup.result(replace(cup.match(5), sides=(absent, beaten), outcome=None), (1, 0)))
    cup.add(*cup.result(replace(cup.match(8), sides=(absent, cup.match(3).teams[0])), (2, 0)))

    cup.ruled_against_the_rules(1, WALK_OVER, through, by=REFEREE)

    assert cup.outcome(5) == before


def test_walk_overs_behind_which_nothing_is_signed_hold_no_ruling(cup: Championship) -> None:
    out, through = cup.match(1).teams
    cup.ruled_against_the_rules(1, WALK_OVER, out, through, by=OTHER_REFEREE)
    cup.play(2)
    cup.ruled_against_the_rules(1, DISQUALIFIED, out, by=REFEREE)
    cup.ruled_against_the_rules(4, WALK_OVER, cup.outcome(2).winner or "", by=REFEREE)
    assert cup.outcome(1).winner == through  # by the referee who is named first


def test_a_late_result_costs_who_beat_the_team_that_was_let_through_a_match_and_no_more() -> None:
    cup = Championship(4).drawn()
    through, absent = cup.match(1).teams
    late = cup.result(cup.match(1), (0, 1))
    cup.ruled(1, WALK_OVER, absent)
    cup.play(2)
    opponent = cup.outcome(2).winner
    cup.play(4, opponent)

    cup.add(*late)

    assert cup.outcome(1).winner == absent
    assert {*cup.match(4).teams} == {absent, opponent}
    assert cup.match(4).ready
    key = late_signer(cup, late[0])
    assert convicted(cup.judged) == {("result.behind", key.to_bytes())}
    assert cup.outcome(3).losers == (through,)  # and out, so it does not play for third place


def test_a_referee_rules_on_each_meeting_of_a_match_once(cup: Championship) -> None:
    """A late result brings another team to a match that was ruled."""
    through, absent = cup.match(1).teams
    late = cup.result(cup.match(1), (0, 1))
    cup.ruled(1, WALK_OVER, absent)
    cup.play(2)
    opponent = cup.outcome(2).winner or ""
    cup.ruled(4, WALK_OVER, through)
    cup.add(*late)
    assert cup.match(4).ready
    assert {*cup.match(4).teams} == {absent, opponent}

    cup.ruled(4, WALK_OVER, absent)

    assert cup.outcome(4).winner == opponent
    assert not cup.judged.convictions
    with pytest.raises(LocalError, match=r"ruling\.twice"):
        cup.ruled(4, WALK_OVER, opponent)


def late_signer(cup: Championship, raw: bytes):  # type: ignore[no-untyped-def]  # a public key
    return next(each.key for each in cup.record.pieces.values() if each.raw == raw)


def test_who_has_lost_and_is_let_through_signs_no_match_behind(cup: Championship) -> None:
    lost, _ = cup.result(cup.match(1), (0, 1))
    cup.add(lost)
    cup.ruled(1, WALK_OVER, cup.match(1).teams[1])
    cup.play(2)
    player = cup.keys[late_signer(cup, lost)]
    assert lost_before(cup.judged, cup.match(4), player)
    assert not lost_before(cup.judged, cup.match(3), player)


def test_what_one_team_alone_signed_is_not_ignored_where_it_convicts_and_decides() -> None:
    cup = Championship(4).drawn()
    through, absent = cup.match(1).teams
    cup.add(cup.result(cup.match(1), (0, 1))[0])
    cup.ruled(1, WALK_OVER, absent)
    cup.play(2)
    final = cup.match(4)
    cup.add(cup.result(final, (2, 0))[final.teams.index(through)])

    assert {check for check, _ in convicted(cup.judged)} == {"result.behind"}
    assert cup.outcome(1).losers == (through,)
    assert len(cup.judged.counted[1]) == 2
    assert cup.judged.ignored.isdisjoint(cup.judged.counted[1])


def test_nobody_is_convicted_who_lost_to_another_than_it_had_beaten_before() -> None:
    """A late result gives the winner of a second match another opponent, to whom it may lose."""
    cup = Championship(8).drawn()
    through, absent = cup.match(1).teams
    late = cup.result(cup.match(1), (0, 1))
    cup.ruled(1, WALK_OVER, absent)
    cup.play(2)
    honest = cup.outcome(2).winner
    for number in (5, 3, 4, 6):
        cup.play(number, honest if number == 5 else None)
    cup.play(8, honest)
    cup.add(*late)
    cup.play(5, absent)

    assert {check for check, _ in convicted(cup.judged)} == {"result.behind"}
    assert {key for _, key in convicted(cup.judged)} == {
        player_key(int(through.split()[1]), 0).public.to_bytes()
    }
    assert {*cup.match(8).teams} == {absent, cup.outcome(6).winner}


def test_a_captain_withdraws_its_team_and_nobody_else_does(cup: Championship) -> None:
    home, away = (int(team.split()[1]) for team in cup.match(1).teams)
    with pytest.raises(LocalError, match="by its captain"):
        withdraw(cup.judged, player_key(home, 1))
    cup.add(withdraw(cup.judged, player_key(home, 0)))
    assert (cup.outcome(1).how, cup.outcome(1).winner) == (How.WITHDRAWN, f"team {away}")
    cup.add(*cup.result(cup.match(1), (1, 0)))  # but it had played, and both have signed it
    assert cup.outcome(1).how is How.PLAYED


def test_a_captain_withdraws_its_entries_before_the_list_and_nobody_else_does() -> None:
    cup = Championship(3).entered()
    before = cup.record.standing_entries
    with pytest.raises(LocalError, match="by its captain"):
        withdraw(cup.judged, player_key(1, 1))
    content = TeamWithdrawal(cup.charter.digest, cup.charter.digest, 1, player_key(1, 1).public)
    cup.sign(content, player_key(1, 1))
    assert cup.record.standing_entries == before

    cup.add(withdraw(cup.judged, player_key(1, 0)))

    assert [each.team for each in cup.record.standing_entries.values()] == [
        each.team for each in before.values() if each.team != "team 1"
    ]
    with pytest.raises(LocalError, match="withdrawn"):
        cup.listed()
    cup.add(list_entries(cup.record, ORGANISER, tuple(cup.record.standing_entries)))
    cup.draw(absent={1})
    assert not cup.tournament.departures
    assert len(cup.judged.ignored) == 2


# 3. Contrary results


def test_contrary_results_of_both_teams_are_disputed_until_a_transcript_is_shown() -> None:
    cup = Championship(4).drawn()
    one, other = cup.result(cup.match(1), (1, 0)), cup.result(cup.match(1), (0, 1), hand=4)
    cup.add(*one, *other)
    cup.ruled(1, WALK_OVER, cup.match(1).teams[0])

    judged = cup.judged
    assert cup.match(1).outcome is None
    assert {each.scores for each in judged.disputed_results[1]} == {(1, 0), (0, 1)}
    assert len(judged.ignored) == 1
    assert {check for check, _ in convicted(judged)} == {"result.twice"}
    assert len(convicted(judged)) == 2
    for raws, scores in ((one, (1, 0)), (other, (0, 1))):
        shown = {name for name, piece in cup.record.pieces.items() if piece.raw in raws}
        decided = judge(cup.record, shown=frozenset(shown)).tournament
        assert decided.matches[0].outcome.scores == scores
    both = frozenset(cup.record.pieces)
    assert judge(cup.record, shown=both).disputed_results.keys() == {1}


def test_one_team_alone_disputes_nothing(cup: Championship) -> None:
    cup.play(1)
    before = cup.outcome(1)
    cup.add(*cup.result(cup.match(1), (0, 1), by=(0, 2), hand=4))
    assert cup.outcome(1) == before
    assert not cup.judged.disputed_results


# 4. A fork is shown


def test_an_organiser_alone_puts_no_invented_teams_in_the_place_of_those_that_played() -> None:
    cup = Championship(4).drawn()
    cup.play_all(1)
    before = cup.judged.tournament
    fork = invented(cup)
    fork.play_all()
    cup.unite(fork.record)

    for player in (player_key(0, 0), player_key(1, 1)):
        judged = judge(cup.record, player.public)
        assert judged.certain
        assert judged.tournament == before
        assert [each.tournament for each in judged.forks] == [fork.judged.tournament]
    neutral = cup.judged
    assert not neutral.certain
    assert convicted(neutral) == {("list.twice", ORGANISER.public.to_bytes())}
    both = [neutral.tournament, *(each.tournament for each in neutral.forks)]
    assert len(both) == 2
    assert before in both
    kept = judge(prune(cup.record), player_key(0, 0).public)
    assert kept.tournament == before


def restarted_behind(cup: Championship, absent: tuple[int, ...], *, ended: bool) -> None:
    """Let a referee, the organiser and the captains that are left draw again behind a draw."""
    cup.restarted_against_the_rules(*absent)
    keys = [player_key(team, 0) for team in range(cup.teams) if team not in absent]
    cup.draw_behind(*[*keys, ORGANISER] * 2)
    state = latest_draw(cup.record)
    if ended:
        content = DrawEnd(cup.charter.digest, state.draw.follows, state.messages)
        cup.sign(content, ORGANISER)


def test_a_draw_that_has_ended_is_made_again_by_nobody_without_being_told() -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    before = cup.judged.tournament
    restarted_behind(cup, (2, 3), ended=False)
    assert cup.judged.tournament == before
    assert not cup.judged.forks
    assert convicted(cup.judged) == {("draw.abandoned", ORGANISER.public.to_bytes())}

    again = Championship(4).drawn()
    again.play(1)
    restarted_behind(again, (2, 3), ended=True)
    player = next(each for each in player_keys(again, 1))
    judged = judge(again.record, player)
    assert judged.certain
    assert judged.tournament == before
    assert len(judged.forks) == 1
    assert convicted(judged) == {("draw.abandoned", ORGANISER.public.to_bytes())}


def player_keys(cup: Championship, match: int) -> Iterator[PublicKey]:
    """The keys of those who have signed a result of a match."""
    for each in cup.record.pieces.values():
        if isinstance(each.content, MatchResult) and each.content.match == match:
            yield each.key


def test_a_restart_counts_for_nothing_once_all_captains_have_opened() -> None:
    """Honest teams are not told that they did not draw."""
    cup = Championship(3).listed()
    captains = [player_key(team, 0) for team in range(3)]
    cup.draw_each(*captains, ORGANISER, *captains)
    cup.restarted_against_the_rules(1)

    assert cup.judged.waits == "the draw waits for the organiser to open a share of the luck"
    cup.draw()
    assert len(cup.tournament.entries) == 3
    assert not cup.judged.convictions


@pytest.mark.parametrize("referees", [(), (REFEREE.public,)], ids=["alone", "with a referee"])
def test_an_organiser_draws_no_other_luck_by_confirming_behind_a_restart(
    referees: tuple[PublicKey, ...],
) -> None:
    """It knows the luck of a draw in which all captains have opened."""
    cup = Championship(4, new_charter(referees=referees)).listed()
    captains = [player_key(team, 0) for team in range(4)]
    cup.draw_each(*captains, ORGANISER, *captains)
    first = cup.state
    cup.restarted_against_the_rules(0, by=REFEREE if referees else ORGANISER)
    cup.add(share_of(latest_draw(cup.record), ORGANISER, b"s" * 32))

    judged = cup.judged
    assert judged.draw.draw == first.draw
    assert all(draw_on(judged, key) is None for key in captains)
    cup.draw()
    assert len(cup.tournament.entries) == 4
    assert not cup.judged.convictions


def test_an_organiser_that_confirmed_behind_a_restart_finishes_either_draw_unconvicted() -> None:
    """A share that comes late is finished, or is too late once all others have opened again."""
    for behind in (0, 1, 2, 3, 4):
        cup = Championship(3).listed()
        cup.draw(absent={2})
        cup.draw_each(player_key(2, 0))
        cup.draw(absent={2})
        late = draw_on(cup.judged, player_key(2, 0))
        assert late is not None
        cup.restarted("team 2")
        people = (player_key(0, 0), player_key(1, 0), ORGANISER, player_key(0, 0), player_key(1, 0))
        cup.draw_each(*people[: behind + 1])
        cup.add(late)
        cup.draw()

        judged = cup.judged
        assert judged.head is not None
        assert len(judged.tournament.entries) == (2 if behind == 4 else 3)
        assert not judged.convictions


# 6. The end


def test_what_is_shown_after_the_end_is_told_and_changes_nothing(cup: Championship) -> None:
    through, absent = cup.match(1).teams
    with pytest.raises(LocalError):
        end(cup.judged, ORGANISER)
    cup.ruled(1, WALK_OVER, absent)
    cup.play_all(5)
    before = cup.tournament
    cup.add(end(cup.judged, ORGANISER))
    assert cup.judged.ended
    assert cup.judged.tournament == before

    cup.ruled_against_the_rules(4, DISQUALIFIED, through, by=REFEREE)
    cup.ruled_against_the_rules(1, WALK_OVER, through, by=REFEREE)
    final = before.matches[3]
    scores = (0, 2) if final.outcome.winner == final.sides[0] else (2, 0)
    cup.add(*cup.result(replace(final, outcome=None), scores, hand=9))  # which two teams invent

    assert cup.judged.ended
    assert cup.judged.tournament == before
    assert len(cup.judged.ignored) == 4
    assert judge(prune(cup.record)).tournament == before


def test_nobody_ends_a_tournament_past_a_result_that_both_teams_signed(cup: Championship) -> None:
    through, absent = cup.match(1).teams
    hidden = cup.result(cup.match(1), (0, 1))
    past = Championship(4).drawn()
    past.ruled(1, WALK_OVER, absent)
    past.play_all(5)
    past.add(end(past.judged, ORGANISER))
    assert past.judged.ended

    cup.record = past.record.with_pieces(*hidden)

    assert not cup.judged.ended
    (ended,) = cup.record.of(pieces.TournamentEnd)
    assert ended.name in cup.judged.ignored
    assert cup.outcome(1).winner == absent
    assert cup.outcome(3).losers == (through,)
    assert cup.match(4).ready
    cup.play(4, absent)
    cup.add(end(cup.judged, ORGANISER))  # again, and this one names it
    assert cup.judged.ended
    assert cup.tournament.champion == absent
    assert {check for check, _ in convicted(cup.judged)} == {"result.behind"}


def test_an_end_names_one_of_contrary_results_which_a_transcript_alone_overrules() -> None:
    cup = Championship(2).drawn()
    one, other = cup.result(cup.match(1), (2, 0)), cup.result(cup.match(1), (0, 2), hand=4)
    cup.add(*one)
    cup.add(end(cup.judged, ORGANISER))
    before = cup.judged.tournament
    cup.add(*other)
    assert cup.judged.ended
    assert cup.judged.tournament == before
    assert not cup.judged.disputed_results
    assert cup.judged.contrary.keys() == {1}  # so transcripts are asked

    names = {piece.raw: name for name, piece in cup.record.pieces.items()}
    truly, falsely = ({names[raw] for raw in raws} for raws in (one, other))
    assert judge(cup.record, shown=frozenset(truly)).tournament == before
    assert judge(cup.record, shown=frozenset(truly | falsely)).tournament == before
    overruled = judge(cup.record, shown=frozenset(falsely))
    assert not overruled.ended
    assert overruled.tournament.champion == cup.match(1).teams[1]


def test_an_end_that_decides_not_every_match_is_none_and_two_ends_convict_and_are_none() -> None:
    cup = Championship(4).drawn()
    cup.ruled(1, WALK_OVER, cup.match(1).teams[0])
    cup.play_all(5)
    content = end(cup.judged, ORGANISER)
    other = Championship(4).drawn()
    other.ruled(1, WALK_OVER, cup.match(1).teams[1])
    other.play_all(5)
    cup.add(content)
    cup.unite(other.record)
    cup.add(end(other.judged, ORGANISER))

    assert not cup.judged.ended
    assert ("end.twice", ORGANISER.public.to_bytes()) in convicted(cup.judged)


def test_nobody_signs_with_our_program_what_convicts_itself(cup: Championship) -> None:
    home, away = cup.match(1).teams
    cup.ruled(1, WALK_OVER, home)
    cup.ruled(1, WALK_OVER, home)  # the same again
    with pytest.raises(LocalError, match=r"ruling\.twice"):
        cup.ruled(1, WALK_OVER, away)
    cup.play_all(5)
    ended = cup.copy()
    ended.add(end(cup.judged, ORGANISER))
    ended.ruled_against_the_rules(1, WALK_OVER, away, by=OTHER_REFEREE)
    assert end(ended.judged, ORGANISER) == end(cup.judged, ORGANISER)
    assert not ended.judged.convictions


# Floods


@pytest.mark.parametrize("seed", range(6))
def test_who_floods_its_own_slot_takes_no_result_from_united_copies(seed: int) -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    signed, empty = cup.record, Championship(4).drawn().record
    copies = [empty, empty, signed]
    mine = 2 * (seed % 2)
    for at in range(140):
        raw = cup.result(cup.match(1), (1, 0), by=(mine,), hand=100 + at)[0]
        copies[at % 2] = prune(copies[at % 2].with_pieces(raw), copies[at % 2])
    before = cup.judged.tournament

    for one, other in combinations(copies, 2):
        united = prune(prune(one.with_pieces(*other.raws), one).with_pieces(*signed.raws), one)
        assert judge(united).tournament == before
        assert len(united.pieces) < len(signed.pieces) + 64 + 2


# --- referees who play too: what they rule counts in no match of their own ------------------------


OWN = "team 0"
PLAYER = player_key(0, 1)  #: A player of that team, the first referee of the charter.


def refereed_by_a_player(system: System = SMALL) -> Championship:
    charter = new_charter(system, referees=(PLAYER.public, REFEREE.public))
    return Championship(4, charter).drawn()


def semifinals(cup: Championship) -> tuple[Match, Match]:
    """Return that of the referee's team, and the other one."""
    one, other = cup.match(1), cup.match(2)
    return (one, other) if OWN in one.teams else (other, one)


def opponent_in(match: Match) -> str:
    return next(team for team in match.teams if team != OWN)


@pytest.mark.parametrize("kind", [*RulingKind])
@pytest.mark.parametrize("own", [True, False])
def test_a_ruling_in_a_match_that_its_referee_plays_counts_for_nothing(
    kind: RulingKind, own: bool
) -> None:
    cup = refereed_by_a_player()
    match, _ = semifinals(cup)
    against = OWN if own else opponent_in(match)

    cup.ruled_against_the_rules(match.number, kind, against, by=PLAYER)

    assert cup.match(match.number).outcome is None
    assert len(cup.judged.ignored) == 1
    with pytest.raises(LocalError, match="you play in this match"):
        rule(cup.judged, PLAYER, match.number, kind, (against,))


def test_the_ruling_of_a_referee_who_stays_out_decides_where_one_who_plays_ruled_before_it() -> (
    None
):
    cup = refereed_by_a_player()
    match, _ = semifinals(cup)
    cup.ruled_against_the_rules(match.number, WALK_OVER, opponent_in(match), by=PLAYER)

    cup.ruled(match.number, WALK_OVER, OWN, by=REFEREE)

    outcome = cup.match(match.number).outcome
    assert (outcome.how, outcome.losers) == (How.WALK_OVER, (OWN,))
    for seed in range(4):
        assert judge(shuffled(cup.record, seed)).ignored == cup.judged.ignored


def test_a_referee_who_plays_rules_on_matches_of_others() -> None:
    cup = refereed_by_a_player()
    _, match = semifinals(cup)

    cup.ruled(match.number, WALK_OVER, match.teams[0], by=PLAYER)

    outcome = cup.match(match.number).outcome
    assert outcome.winner == match.teams[1]


def test_a_team_that_leaves_by_who_plays_leaves_no_match_that_is_the_referees_own() -> None:
    """Naming an earlier match, or ruling before it is known who meets, is no way round."""
    cup = refereed_by_a_player()
    mine, other = semifinals(cup)
    through = other.teams[0]
    cup.play(other.number, through)
    cup.ruled(other.number, DISQUALIFIED, through, by=PLAYER)
    final = 4
    assert cup.match(final).outcome is None
    assert len(cup.judged.ignored) == 1

    lost, won = Championship(4, cup.charter), Championship(4, cup.charter)
    for each, winner in ((lost, opponent_in(mine)), (won, OWN)):
        each.record = cup.record
        each.play(mine.number, winner)

    assert won.match(final).outcome is None
    assert len(won.judged.ignored) == 1
    outcome = lost.match(final).outcome
    assert (outcome.how, outcome.losers) == (How.DISQUALIFIED, (through,))


def test_a_referee_who_lost_rules_itself_through_to_nothing() -> None:
    """Nor does playing on with others take the winner's result back; it convicts who signed."""
    cup = refereed_by_a_player()
    mine, other = semifinals(cup)
    finals = cup.copy()
    finals.play(mine.number, OWN)
    finals.play(other.number)
    played_on = finals.result(finals.match(4), (2, 0))
    cup.play(mine.number, opponent_in(mine))
    cup.play(other.number)
    before = [cup.match(number).outcome for number in (1, 2, 4)]

    cup.ruled_against_the_rules(mine.number, WALK_OVER, opponent_in(mine), by=PLAYER)
    cup.add(*played_on)

    assert [cup.match(number).outcome for number in (1, 2, 4)] == before
    (conviction,) = cup.judged.convictions
    assert (conviction.check, conviction.key) == ("result.behind", player_key(0, 0).public)
    third = cup.match(3).outcome
    assert (third.how, third.losers) == (How.DISQUALIFIED, (OWN,))


def test_who_plays_in_a_round_robin_rules_on_matches_of_others_and_on_no_departure() -> None:
    cup = refereed_by_a_player(RoundRobin(race=2))
    tournament = cup.judged.tournament
    match = next(each for each in tournament.matches if OWN not in each.teams)
    for team in (match.teams[0], OWN):
        cup.ruled_against_the_rules(match.number, DISQUALIFIED, team, by=PLAYER)
    assert cup.judged.tournament == tournament
    assert len(cup.judged.ignored) == 2
    with pytest.raises(LocalError, match="another referee rules on who leaves it"):
        rule(cup.judged, PLAYER, match.number, DISQUALIFIED, (match.teams[0],))

    cup.ruled(match.number, WALK_OVER, match.teams[1], by=PLAYER)

    outcome = cup.match(match.number).outcome
    assert outcome.winner == match.teams[0]
