"""Captains who sign two things in a draw: it goes on as the others have followed it, and nobody
else says anything twice."""

from __future__ import annotations

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.tournament.acts import draw_on
from protocol.tournament.convictions import convictions_in
from protocol.tournament.draws import DrawState, contribution
from protocol.tournament.judge import judge, pruned
from protocol.tournament.record import TournamentRecord
from protocol.wire.authenticate import open_ledger_message
from protocol.wire.envelope import Purpose, sign
from protocol.wire.identity import PublicKey
from protocol.wire.messages import Message
from tests.table.championship import ORGANISER, Championship, player_key, seed_of


def listed(teams: int) -> Championship:
    cup = Championship(teams)
    cup.entered()
    cup.listed()
    return cup


def start_of(cup: Championship) -> DrawState:
    """The draw before anybody has said anything."""
    state = listed(cup.teams).judged.draw
    assert state is not None
    return state


def other_share(start: DrawState, team: int, seed: int) -> bytes:
    """Another confirmation of a captain than the one that it has signed."""
    raw = contribution(start, player_key(team, 0), bytes((100 + seed,)) * 32)
    assert raw is not None
    return raw


def say(cup: Championship, *teams: int) -> list[bool]:
    """Let captains say what is due, the organiser as team 99; tell who had something to say."""
    said = []
    for team in teams:
        key = ORGANISER if team == 99 else player_key(team, 0)
        raw = draw_on(cup.judged, key, seed_of(team))
        said.append(raw is not None)
        if raw is not None:
            cup.add(raw)
    return said


def convicted(cup: Championship) -> set[PublicKey]:
    return {each.key for each in convictions_in(cup.record)}


def test_a_captain_who_fixes_two_shares_makes_nobody_open_twice() -> None:
    cup = listed(3)
    say(cup, 0, 1, 2, 99)
    assert say(cup, 1, 2) == [True, True]
    for seed in range(20):  # among so many some have lower ids than the one that all have followed
        cup.add(other_share(start_of(cup), 0, seed))

    assert say(cup, 1, 2, 99) == [False, False, False]
    assert cup.judged.waits.startswith("the draw waits for team 0, the organiser to open")
    assert say(cup, 0, 99) == [True, True]
    assert cup.judged.head is not None
    assert convicted(cup) == {player_key(0, 0).public}


def test_who_followed_one_of_two_shares_says_nothing_about_the_other() -> None:
    cup = listed(4)
    say(cup, 0, 1, 2, 3, 99)
    here = Championship(4)
    here.record = cup.record
    say(here, 1)
    there = Championship(4)
    there.record = cup.record.only(
        name
        for name in cup.record.names
        if name not in cup.record.said or cup.record.said[name].signed.place.seat
    )
    there.add(other_share(start_of(cup), 0, 1))
    say(there, 2, 99)
    here.record = here.record.merged(there.record)

    assert say(here, 1, 2) == [False, False]
    assert say(here, 3, 0) == [True, True]
    assert here.judged.head is None
    assert convicted(here) == {player_key(0, 0).public}


def test_a_referee_leaves_out_a_captain_who_parted_the_others_by_two_shares() -> None:
    cup = listed(4)
    say(cup, 0, 1, 2, 3, 99)
    say(cup, 0, 1)
    cup.add(other_share(start_of(cup), 0, 1))
    with pytest.raises(LocalError):
        cup.restarted("team 1")  # it has opened its share

    cup.restarted("team 0")
    cup.draw(absent={0})

    assert cup.judged.head is not None
    assert [entry.team for entry in cup.judged.tournament.entries] == ["team 1", "team 2", "team 3"]  # type: ignore[union-attr]  # drawn


@pytest.mark.parametrize(("captains", "shares"), [(5, 8), (8, 1)])
def test_captains_who_fix_many_shares_undo_no_draw_that_all_have_finished(
    captains: int, shares: int
) -> None:
    cup = Championship(8).drawn()
    start, settled = start_of(cup), cup.judged.tournament
    for team in range(captains):
        cup.add(*(other_share(start, team, team * 8 + seed) for seed in range(shares)))

    assert cup.judged.tournament == settled
    assert judge(TournamentRecord.from_bytes(cup.record.to_bytes())).tournament == settled
    assert judge(pruned(cup.record)).tournament == settled
    assert convicted(cup) == {player_key(team, 0).public for team in range(captains)}


def has_opened(cup: Championship, team: int) -> bool:
    """Tell whether a captain's share counts as opened."""
    state = cup.judged.draw
    assert state is not None
    return Seat(team) not in state.missing


def test_4_096_ways_to_read_what_captains_have_signed_are_tried_and_not_twice_as_many() -> None:
    cup = listed(14)
    say(cup, *range(14), 99)
    start = start_of(cup)
    say(cup, 0)
    cup.add(*(other_share(start, team, 0) for team in range(1, 13)))
    assert has_opened(cup, 0)

    cup.add(other_share(start, 13, 0))
    assert not has_opened(cup, 0)


@pytest.mark.parametrize(("others", "looked_at"), [(3, True), (4, False)])
def test_four_of_the_heads_that_openings_name_are_looked_at(others: int, looked_at: bool) -> None:
    cup = listed(2)
    say(cup, 0, 1, 99)
    raw = draw_on(cup.judged, player_key(1, 0), seed_of(1))
    state = cup.judged.draw
    assert raw is not None
    assert state is not None
    body = open_ledger_message(raw, state.draw.charter).message
    say(cup, 0)
    for number in range(others):  # heads that there are not, each lower than the true one
        again = Message(body.table, body.place, number.to_bytes(32, "big"), body.content)
        cup.add(
            sign(
                player_key(1, 0),
                again.to_bytes(),
                purpose=Purpose.LEDGER,
                seat=body.place.seat,
                charter=state.draw.charter.digest,
            ).to_bytes()
        )
    assert has_opened(cup, 0) is looked_at


def test_what_was_finished_here_stays_so_whatever_captains_sign_of_both_rounds() -> None:
    teams = 6
    cup = Championship(teams).drawn()
    before, start = cup.record, start_of(cup)
    settled = cup.judged.draw
    assert settled is not None
    confirmed, opened = (settled.replica.ledger.rounds[at] for at in (0, 1))
    assert {each.message.previous for each in opened.messages} == {confirmed.digest}
    for team in range(5):  # each with six further shares, opened under the head that all followed
        for seed in range(6):
            share = bytes((60 + team * 8 + seed,)) * 32
            cup.add(*opened_too(start, settled, team, share))
    assert cup.judged.head is None  # more ways than anybody tries

    cup.record = pruned(cup.record, before)

    assert cup.judged.head == settled.head
    assert len(cup.record.said) <= 2 * 2 * (teams + 1)


def opened_too(start: DrawState, settled: DrawState, team: int, seed: bytes) -> tuple[bytes, bytes]:
    """Another share that a captain fixes, and opens where all have opened the first one."""
    key = player_key(team, 0)
    fixed = contribution(start, key, seed)
    first = settled.replica.ledger.rounds[0]
    replica = start.replica
    for each in first.messages:
        if each.place.seat != team:
            replica = replica.accept(each)
    assert fixed is not None
    mine = open_ledger_message(fixed, settled.draw.charter)
    other = replica.accept(mine).close()[0]
    raw = contribution(DrawState(settled.draw, other), key, seed)
    assert raw is not None
    body = open_ledger_message(raw, settled.draw.charter).message
    again = Message(body.table, body.place, first.digest, body.content)
    return fixed, sign(
        key,
        again.to_bytes(),
        purpose=Purpose.LEDGER,
        seat=body.place.seat,
        charter=settled.draw.charter.digest,
    ).to_bytes()
