"""Who cheats in a tournament: what is refused, and what convicts (specs/attacks.md, T)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from p2p304.tournament.tournament import Elimination
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.acts import draw_on, enter
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import (
    EntryList,
    RulingKind,
    TeamEntry,
    TeamPlayer,
    TournamentRuling,
    sign_piece,
)
from protocol.tournament.record import DrawMessage, convictions_in
from protocol.wire.identity import Purpose, SigningKey, sign
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    Championship,
    new_charter,
    other_list,
    player_key,
)


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda ids: ids[1:], id="an entry is dropped"),
        pytest.param(lambda ids: ids[::-1], id="entries are reordered"),
    ],
)
def test_an_organiser_who_lists_other_entries_after_the_draw_is_convicted_and_changes_nothing(
    order: Callable[[list[bytes]], list[bytes]],
) -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    before = cup.judged.tournament

    cup.add(other_list(cup, order))

    (conviction,) = cup.judged.convictions
    assert (conviction.check, conviction.key) == ("list.twice", ORGANISER.public)
    assert cup.judged.tournament == before


def test_two_files_of_an_organiser_that_contradict_each_other_convict_when_they_are_united() -> (
    None
):
    one, other = Championship(4).drawn(), Championship(4).entered()
    other.add(other_list(one, lambda ids: ids[:2]))
    other.draw()
    assert judge(other.record).head is not None
    assert not convictions_in(other.record)

    both = one.record.with_pieces(*other.record.raws)
    again = other.record.with_pieces(*one.record.raws)

    assert {each.check for each in judge(both).convictions} == {"list.twice"}
    assert judge(both).tournament == judge(again).tournament


def test_an_organiser_who_gives_up_a_draw_whose_luck_it_knows_is_convicted() -> None:
    cup = Championship(3).listed()
    cup.draw()
    first = cup.state
    cup.restarted_against_the_rules(1)
    keys = player_key(0, 0), player_key(2, 0), ORGANISER
    assert [draw_on(cup.judged, key) for key in keys[:2]] == [None, None]
    cup.draw_behind(*keys)
    assert not cup.checks  # it has given up nothing yet
    cup.draw_behind(*keys)

    assert cup.checks == {"draw.abandoned"}
    assert cup.judged.head == first.head  # settled once, settled for good


def test_a_captain_who_fixes_two_shares_is_convicted_and_undoes_no_draw() -> None:
    cup = Championship(3).drawn()
    before = cup.tournament
    for seed in range(200, 220):  # among so many some have lower ids than the true one
        cup.fix(1, [seed])
        cup.record = prune(cup.record)

    assert cup.checks == {"draw.equivocation"}
    assert cup.tournament == before
    assert len(cup.record.of(DrawMessage)) < 4 * 2 + 20


def test_pieces_of_an_older_tournament_are_refused() -> None:
    old = Championship(2).drawn()
    new = Championship(2, new_charter(id=b"the next one 304")).entered()
    for raw in old.record.raws:
        with pytest.raises(MalformedMessage):
            new.record.with_pieces(raw)


def test_a_charter_with_another_race_is_another_tournament() -> None:
    cup = Championship(2).drawn()
    altered = Championship(2, new_charter(Elimination(races=(3, 1), third=1)))
    with pytest.raises(MalformedMessage, match="tournament"):
        altered.record.with_pieces(*cup.record.raws)
    with pytest.raises(MalformedMessage, match="tournament"):
        cup.record.with_pieces(altered.record.raws[0])


def test_a_key_that_plays_in_two_places_makes_a_list_that_nobody_draws_for() -> None:
    cup = Championship(3).entered()
    shared = cup.entry(2)
    twice = replace(shared, players=(shared.players[0], cup.entry(0).players[1]))
    for place, key in enumerate((player_key(2, 0), player_key(0, 1))):
        cup.add(enter(cup.record, twice, key))
        assert twice.players[place].key == key.public
    by_team = {content.team: name for name, content in cup.record.entries.items()}
    by_twice = [name for name, each in cup.record.entries.items() if each == twice]
    bad = EntryList(cup.charter.digest, (by_team["team 0"], by_team["team 1"], *by_twice))
    cup.sign(bad, ORGANISER)

    assert cup.judged.draw is None
    assert cup.judged.waits.endswith("one key plays in two places")


def test_an_entry_counts_with_the_signatures_of_all_its_players_only() -> None:
    cup = Championship(2)
    stolen = TeamEntry(
        cup.charter.digest,
        "thieves",
        (
            TeamPlayer(player_key(9, 0).public, "thief", bytes(32)),
            TeamPlayer(player_key(0, 0).public, "victim", bytes(32)),
        ),
    )
    cup.add(enter(cup.record, stolen, player_key(9, 0)))

    assert not cup.record.entries


def test_the_organisers_key_does_not_play() -> None:
    cup = Championship(2).entered()
    entry = TeamEntry(
        cup.charter.digest,
        "organisers",
        (
            TeamPlayer(ORGANISER.public, "organiser", bytes(32)),
            TeamPlayer(player_key(9, 1).public, "friend", bytes(32)),
        ),
    )
    for key in (ORGANISER, player_key(9, 1)):
        cup.add(enter(cup.record, entry, key))
    names = tuple(cup.record.entries)
    cup.add(sign_piece(EntryList(cup.charter.digest, names), ORGANISER, charter=cup.charter))

    assert cup.judged.waits.endswith("the organiser's key plays")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_ruling_under_a_key_that_the_charter_does_not_name_is_refused(seat: int) -> None:
    cup = Championship(2).drawn()
    ruling = TournamentRuling(cup.charter.digest, cup.judged.head, 1, RulingKind.DISQUALIFIED, (1,))
    stranger = SigningKey(b"?" * 32)
    with pytest.raises(LocalError):
        sign_piece(ruling, stranger, charter=cup.charter)
    body_piece = sign_piece(ruling, REFEREE, charter=cup.charter)
    forged = sign(
        stranger,
        body_piece[67:],
        purpose=Purpose.TOURNAMENT,
        seat=seat,  # type: ignore[arg-type]  # a number, as a stranger writes it
        charter=cup.charter.digest,
    ).to_bytes()
    with pytest.raises(MalformedMessage, match=r"signature|piece\.signer"):
        cup.record.with_pieces(forged)


def test_a_ruling_about_another_draw_or_a_match_that_is_not_there_counts_for_nothing() -> None:
    cup = Championship(4).drawn()
    before = cup.judged.tournament
    for draw, match, kind, teams, sides in (
        (bytes(32), 1, RulingKind.WALK_OVER, (1,), (1, 2)),
        (cup.judged.head, 9, RulingKind.WALK_OVER, (1,), (1, 2)),
        (cup.judged.head, 1, RulingKind.WALK_OVER, (7,), (1, 2)),
        (cup.judged.head, 1, RulingKind.WALK_OVER, (1,), (1,)),
        (cup.judged.head, 1, RulingKind.WITHDRAWN, (2,), (2, 1)),
    ):
        ruling = TournamentRuling(cup.charter.digest, draw, match, kind, teams, sides)
        cup.sign(ruling, REFEREE)

    assert cup.judged.tournament == before
    assert sorted(cup.judged.ignored.values()) == [
        "it is about another draw",
        "it names no team",
        "it names not who meets, or who leaves not alone",
        "it names not who meets, or who leaves not alone",
        "there is no match 9",
    ]


def test_a_ruling_for_a_match_that_the_team_does_not_play_counts_for_nothing() -> None:
    cup = Championship(4).drawn()
    elsewhere = cup.match(2).teams[0]
    with pytest.raises(LocalError, match="do not meet"):
        cup.ruled(1, RulingKind.WALK_OVER, elsewhere)
    cup.ruled_against_the_rules(1, RulingKind.WALK_OVER, elsewhere, by=REFEREE)

    assert cup.match(1).outcome is None
    assert set(cup.judged.ignored.values()) == {"match 1: who is named does not play it"}


def test_two_rulings_of_a_referee_about_one_point_convict_it() -> None:
    cup = Championship(4).drawn()
    one, other = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, one)
    assert cup.outcome(1)
    cup.ruled_against_the_rules(1, RulingKind.WALK_OVER, other, by=REFEREE)

    (conviction,) = cup.judged.convictions
    assert (conviction.check, conviction.key) == ("ruling.twice", REFEREE.public)


def test_two_referees_who_disagree_are_both_heard_and_the_first_named_decides() -> None:
    cup = Championship(4).drawn()
    one, other = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, one, by=OTHER_REFEREE)
    cup.ruled(1, RulingKind.WALK_OVER, other)

    assert cup.outcome(1).winner == one
    assert not cup.judged.convictions


def test_a_result_of_other_teams_or_another_table_counts_for_nothing() -> None:
    cup = Championship(4).drawn()
    first, second = cup.match(1), cup.match(2)
    cup.add(*cup.result(replace(second, number=1, race=first.race), (1, 0)))

    assert cup.match(1).outcome is None
    assert set(cup.judged.ignored.values()) == {"match 1: these teams cannot meet in it"}


def test_a_result_that_wins_no_race_counts_for_nothing() -> None:
    cup = Championship(2).drawn()
    cup.add(*cup.result(cup.match(1), (3, 0)))

    assert cup.match(1).outcome is None
    assert set(cup.judged.ignored.values()) == {"match 1: nobody wins a race to 2 by 3-0"}


def test_a_result_of_nobody_who_entered_is_refused() -> None:
    cup = Championship(2).drawn()
    cup.keys |= {key.public: key for key in [SigningKey(b"?" * 32)]}
    (raw,) = cup.result(cup.match(1), (2, 0), by=(0,))
    other = Championship(2)
    with pytest.raises(MalformedMessage, match=r"piece\.stranger"):
        other.record.with_pieces(raw)


def test_a_restart_that_names_nobody_or_leaves_too_few_is_no_draw() -> None:
    cup = Championship(2).listed()
    for absent in ((), (0,), (5,), (0, 0)):
        cup.restarted_against_the_rules(*absent)

    assert len(cup.record.draws) == 1
    assert "restart.twice" in cup.checks


def test_a_team_that_signs_without_end_makes_no_record_grow_and_loses_nothing_of_others() -> None:
    cup = Championship(2).drawn()
    cup.play(1)
    outcome = cup.match(1).outcome
    match, before = cup.match(1), len(cup.record.pieces)
    for hand in range(90):
        cup.add(*cup.result(match, (0, 2), by=(0,), hand=100 + hand))
    cup.record = prune(cup.record)

    assert cup.match(1).outcome == outcome
    assert len(cup.record.pieces) < before + 64 + 2
    assert "result.twice" in cup.checks
