"""Referees who play too: what they rule counts in no match of their own."""

from __future__ import annotations

import pytest

from p2p304.tournament.tournament import How, Match, RoundRobin, System
from protocol.errors import LocalError
from protocol.tournament.acts import rule
from protocol.tournament.judge import judge
from protocol.tournament.pieces import RulingKind
from tests.table.championship import REFEREE, SMALL, Championship, new_charter, player_key, shuffled

OWN = "team 0"
PLAYER = player_key(0, 1)  #: A player of that team, the first referee of the charter.
PLAYS = "its referee plays: it counts in no match that is, or may become, its own"
WALK_OVER, DISQUALIFIED = RulingKind.WALK_OVER, RulingKind.DISQUALIFIED


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
    assert [*cup.judged.ignored.values()] == [PLAYS]
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
    assert [*cup.judged.ignored.values()] == [PLAYS]

    lost, won = Championship(4, cup.charter), Championship(4, cup.charter)
    for each, winner in ((lost, opponent_in(mine)), (won, OWN)):
        each.record = cup.record
        each.play(mine.number, winner)

    assert won.match(final).outcome is None
    assert [*won.judged.ignored.values()] == [PLAYS]
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
    assert {*cup.judged.ignored.values()} == {PLAYS}
    with pytest.raises(LocalError, match="another referee rules on who leaves it"):
        rule(cup.judged, PLAYER, match.number, DISQUALIFIED, (match.teams[0],))

    cup.ruled(match.number, WALK_OVER, match.teams[1], by=PLAYER)

    outcome = cup.match(match.number).outcome
    assert outcome.winner == match.teams[0]
