"""The record of a tournament: united in any order, drawn by all, decided by what both signed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from p2p304.tournament.tournament import How
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.acts import draw_on, end, enter, list_entries
from protocol.tournament.carrying import Carrier
from protocol.tournament.judge import judge
from protocol.tournament.pieces import RulingKind, sign_piece
from protocol.tournament.record import DrawMessage, TournamentRecord
from protocol.wire.terms import Term
from tests.table.championship import (
    ORGANISER,
    Championship,
    new_charter,
    player_key,
    shuffled,
)


@pytest.mark.parametrize("teams", [2, 5, 32])
def test_captains_draw_and_their_results_name_a_champion(teams: int) -> None:
    cup = Championship(teams).drawn()
    cup.play_all(teams)

    judged = cup.judged
    assert judged.tournament.champion is not None
    assert judged.tournament.finished
    assert not judged.ignored
    assert not judged.convictions


def test_a_record_gathered_in_any_order_is_the_same_file_and_the_same_standing() -> None:
    cup = Championship(5).drawn()
    cup.play(1)
    cup.ruled(2, RulingKind.WALK_OVER, cup.match(2).teams[0])

    for seed in range(4):
        other = shuffled(cup.record, seed)
        assert other.to_bytes() == cup.record.to_bytes()
    again = TournamentRecord.from_bytes(cup.record.to_bytes())
    assert cup.record.size == len(cup.record.to_bytes())
    assert judge(again).tournament == cup.judged.tournament


def test_two_carriers_come_to_one_record() -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    one, other = Carrier(TournamentRecord.start(cup.record.raws[0])), Carrier(cup.record)

    for _ in range(10):
        for payload in other.receive(one.hello()):
            one.receive(payload)

    assert one.record == cup.record


def test_who_has_just_come_is_answered_by_who_has_the_same() -> None:
    cup = Championship(4).drawn()
    here, newcomer = Carrier(cup.record), Carrier(cup.record)

    (answer,) = here.receive(newcomer.hello(asks=True))

    assert answer == here.hello()
    assert newcomer.receive(answer) == ()  # and that goes on nowhere


def test_pieces_that_come_before_what_they_rest_on_wait_for_it() -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    holder, newcomer = Carrier(cup.record), Carrier(TournamentRecord.start(cup.record.raws[0]))
    for payload in reversed(holder.receive(newcomer.hello())):
        newcomer.receive(payload)

    assert newcomer.record == cup.record


def test_a_piece_that_is_here_already_changes_nothing_and_wakes_nobody() -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    carrier, whole = Carrier(cup.record), Carrier(TournamentRecord.start(cup.record.raws[0]))
    payloads = [each for _ in range(3) for each in carrier.receive(whole.hello())]
    assert len(payloads) > len(cup.record.pieces) // 2

    for payload in payloads:
        carrier.receive(payload)
    assert carrier.record is cup.record  # what waits for a change compares records so
    assert cup.record.with_pieces(*carrier.record.raws) is cup.record


def test_a_draw_goes_on_without_a_captain_who_never_came() -> None:
    cup = Championship(4).listed()
    cup.draw(absent={2})
    assert (
        cup.judged.waits
        == "the draw waits for team 2, the organiser to confirm the list of entries"
    )

    cup.restarted("team 2")
    cup.draw(absent={2})

    assert {entry.team for entry in cup.tournament.entries} == {"team 0", "team 1", "team 3"}
    assert cup.tournament.luck is not None


def test_who_quits_a_draw_does_not_know_its_luck_because_the_organiser_opens_last() -> None:
    cup = Championship(3).listed()
    cup.draw(absent={1})
    cup.draw_each(player_key(1, 0), ORGANISER)
    cup.draw(absent={1})  # captains 0 and 2 have opened, captain 1 keeps its share back

    assert draw_on(cup.judged, ORGANISER) is None
    assert cup.state.rounds
    cup.restarted("team 1")
    cup.draw(absent={1})

    assert cup.state.luck is not None
    opened = {
        (len(said.draw.before), bytes(said.signed.content.luck))  # type: ignore[union-attr]  # of the second round
        for said in (each.content for each in cup.record.of(DrawMessage))
        if said.signed.place.round
    }
    assert len({luck for _, luck in opened}) == len(opened) == 2 + 3  # no share serves twice


def test_a_share_that_comes_late_finishes_the_draw_that_it_belongs_to() -> None:
    """Nobody can be thrown out by a restart once all captains have opened."""
    cup = Championship(3).listed()
    cup.draw(absent={1})
    cup.draw_each(player_key(1, 0), ORGANISER)
    cup.draw(absent={1})
    late = draw_on(cup.judged, player_key(1, 0))
    assert late is not None
    cup.restarted("team 1")

    cup.add(late)
    assert draw_on(cup.judged, player_key(0, 0)) is None
    cup.draw()

    assert len(cup.tournament.entries) == 3
    assert cup.tournament.luck is not None
    assert not cup.judged.convictions


def test_results_count_before_they_can_be_placed_and_without_the_organiser() -> None:
    cup = Championship(4).drawn()
    later = Championship(4).drawn()
    later.play(1)
    later.play(2)
    final = later.result(later.match(4), (2, 1))

    cup.add(*final)
    assert cup.judged.ignored
    cup.play(1)
    cup.play(2)

    assert cup.match(4).outcome is not None
    assert not cup.judged.ignored


def test_a_result_needs_a_player_of_each_team() -> None:
    cup = Championship(2).drawn()
    match = cup.match(1)
    cup.add(*cup.result(match, (2, 0), by=(0, 2)))  # two players of one team

    assert cup.match(1).outcome is None
    assert set(cup.judged.ignored.values()) == {
        f"match 1: only players of {match.teams[0]} have signed this result"
    }


def test_a_ruling_lets_a_team_through_whose_opponents_never_come() -> None:
    cup = Championship(4).drawn()
    present, absent = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, absent)

    assert (cup.outcome(1).how, cup.outcome(1).winner) == (How.WALK_OVER, present)


def test_who_withdraws_or_is_disqualified_loses_all_that_it_has_not_played() -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    cup.ruled(4, RulingKind.DISQUALIFIED, cup.outcome(1).winner)
    cup.play(2)

    assert cup.outcome(4).how is How.DISQUALIFIED
    assert cup.outcome(4).winner == cup.outcome(2).winner


def test_a_ruling_changes_nothing_that_both_teams_have_signed() -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    before = cup.match(1).outcome
    cup.ruled(1, RulingKind.WALK_OVER, cup.match(1).teams[0])

    assert cup.match(1).outcome == before
    assert "match 1 is decided otherwise" in cup.judged.ignored.values()


@pytest.mark.parametrize(
    "bend",
    [
        pytest.param(lambda data: data[:-1], id="cut"),
        pytest.param(lambda data: data + b"\0", id="more"),
        pytest.param(lambda data: b"p2p304 transcript 1\n" + data, id="another-file"),
        pytest.param(lambda data: data[:300] + bytes((data[300] ^ 1,)) + data[301:], id="a-bit"),
        pytest.param(lambda _: b"", id="empty"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(bend) -> None:  # type: ignore[no-untyped-def]  # bytes to bytes
    data = Championship(2).drawn().record.to_bytes()
    with pytest.raises(MalformedMessage) as refused:
        TournamentRecord.from_bytes(bend(data))
    assert "\n" not in str(refused.value)


def test_no_bit_of_a_file_can_be_another_and_no_end_of_it_be_missing() -> None:
    cup = Championship(2, reserves=True).drawn()
    cup.play_all(1)
    cup.add(end(cup.judged, ORGANISER))
    data, chance = cup.record.to_bytes(), random.Random(304)
    bits = (chance.randrange(8 * len(data)) for _ in range(400))
    flipped = (
        data[: bit // 8] + bytes((data[bit // 8] ^ 1 << bit % 8,)) + data[bit // 8 + 1 :]
        for bit in bits
    )
    cut = (data[:size] for size in range(0, len(data), 37))
    for broken in (*flipped, *cut):
        with pytest.raises(MalformedMessage):
            TournamentRecord.from_bytes(broken)


def test_pieces_of_a_file_stand_in_one_order() -> None:
    from protocol.encoding import encode
    from protocol.tournament.record import FORMAT, MAGIC

    raws = Championship(2).drawn().record.raws
    turned = encode((MAGIC, FORMAT, (raws[0], raws[2], raws[1], *raws[3:])), max_bytes=100_000)
    with pytest.raises(MalformedMessage, match=r"record\.order"):
        TournamentRecord.from_bytes(turned)


def test_nobody_signs_for_somebody_else() -> None:
    cup = Championship(2).entered()
    with pytest.raises(LocalError):
        cup.ruled(1, RulingKind.WALK_OVER, "team 0")
    of_another = Championship(2, new_charter(id=b"the next one 304"))
    with pytest.raises(LocalError, match="of another tournament"):
        sign_piece(of_another.entry(0), player_key(0, 0), charter=cup.charter)
    alone = replace(cup.entry(0), players=cup.entry(0).players[:1])
    with pytest.raises(LocalError, match="2 players"):
        enter(cup.record, alone, player_key(0, 0))
    with pytest.raises(LocalError, match="signs no such TeamEntry"):
        enter(cup.record, cup.entry(0), player_key(1, 0))


def test_the_table_of_a_match_is_under_the_referees_of_the_charter() -> None:
    cup = Championship(4).drawn()
    for number in (1, 2):
        assert cup.table(number).terms == (
            Term("referee", tuple(key.to_bytes() for key in cup.charter.referees)),
            Term("tournament", (cup.charter.digest, number)),
        )


def test_an_organiser_lists_once_and_only_entries_that_are_there() -> None:
    cup = Championship(3)
    assert draw_on(cup.judged, ORGANISER) is None
    cup.entered()
    ids = tuple(cup.record.entries)
    with pytest.raises(LocalError, match="not here"):
        list_entries(cup.record, ORGANISER, (*ids, bytes(32)))
    raw = list_entries(cup.record, ORGANISER, ids)
    cup.add(raw)
    assert list_entries(cup.record, ORGANISER, ids) == raw
    with pytest.raises(LocalError, match="listed already"):
        list_entries(cup.record, ORGANISER, ids[1:])


def test_a_draw_is_restarted_while_it_waits_and_with_two_teams_at_least() -> None:
    cup = Championship(2).entered()
    with pytest.raises(LocalError, match="no draw to restart"):
        cup.restarted("team 0")
    cup.listed()
    with pytest.raises(LocalError, match="too few"):
        cup.restarted("team 0")
    cup.draw()
    with pytest.raises(LocalError, match="no draw to restart"):
        cup.restarted("team 0")
