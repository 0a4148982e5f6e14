"""What a tournament's record and its races refuse: files, pieces, names, tables that go on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.acts import enter, list_entries, rule
from protocol.tournament.carrying import PREFIX, Carrier
from protocol.tournament.pieces import RulingKind, TeamEntry
from protocol.tournament.races import Hands, hands_in, hands_of, together
from protocol.tournament.record import MOST_PIECES, TournamentRecord, match_charters
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.terms import Term
from tests.table.bus import (
    GAME,
    file_of,
    left_after,
    next_charter,
)
from tests.table.championship import ORGANISER, REFEREE, Championship, player_key


def refused(data: bytes) -> str:
    with pytest.raises(MalformedMessage) as error:
        TournamentRecord.from_bytes(data)
    return error.value.check


def rows_of(record: TournamentRecord) -> tuple[Value, ...]:
    value = decode(record.to_bytes())
    assert isinstance(value, tuple)
    return value


def test_a_file_that_is_no_record_is_refused_by_what_is_wrong_with_it() -> None:
    magic, version, pieces = rows_of(Championship(2).record)
    assert isinstance(pieces, tuple)
    assert refused(encode((magic, 99, pieces))) == "record.format"
    assert refused(encode(("another file", version, pieces))) == "record.format"
    assert refused(encode((magic, version, ()))) == "record.format"
    assert refused(encode((magic, version, (*pieces, "text")))) == "record.format"
    many = encode((magic, version, (b"",) * (MOST_PIECES + 1)), max_bytes=1 << 20)
    assert refused(many) == "record.size"
    assert refused(encode((magic, version, (*pieces, b"x")))) == "envelope.size"


def test_what_is_said_in_another_form_is_not_answered() -> None:
    carrier = Carrier(Championship(2).record)
    before = carrier.record
    for payload in (
        b"",
        b"X" + encode((1, b"piece")),
        PREFIX,
        PREFIX + b"\xc1",
        PREFIX + encode((99, b"piece")),
        PREFIX + encode((1, "text")),
        PREFIX + encode((2, b"", b"")),
    ):
        assert carrier.receive(payload) == ()
    assert carrier.record is before


def test_two_players_of_one_nickname_cannot_meet() -> None:
    cup = Championship(2)
    one, other = cup.entry(0), cup.entry(1)
    twin = other.players[0]._replace(nickname=one.players[0].nickname)
    same = TeamEntry(other.tournament, other.team, (twin, *other.players[1:]))
    for team, entry in enumerate((one, same)):
        for place in range(len(entry.players)):
            cup.add(enter(cup.record, entry, player_key(team, place)))
    with pytest.raises(MalformedMessage) as error:
        list_entries(cup.record, ORGANISER, tuple(cup.record.entries))
    assert error.value.check == "list.nickname"


def test_nobody_rules_before_the_draw_about_no_team_or_without_the_charters_word() -> None:
    cup = Championship(2).listed()
    with pytest.raises(LocalError, match="no matches before the draw"):
        rule(cup.judged, REFEREE, 1, RulingKind.WALK_OVER, ("team 0",))
    state = cup.state
    cup.draw()
    with pytest.raises(LocalError, match="signs no such TournamentRuling"):
        rule(cup.judged, player_key(9, 9), 1, RulingKind.WALK_OVER, ("team 1",))
    with pytest.raises(LocalError, match="no such team"):
        rule(cup.judged, REFEREE, 1, RulingKind.WALK_OVER, ("Tigers",))
    with pytest.raises(LocalError, match="before both of its teams are known"):
        match_charters(state, cup.match(1))[0]


# --- races that go on at another table ------------------------------------------------------------


def counted(charter: Charter, hands: Hands) -> list[tuple[bytes, int]]:
    """The tables and numbers of the hands that count for a race that began at a table."""
    return [(each.hand.charter.table, each.hand.number) for each in hands_of(charter, hands)]


def test_a_race_goes_on_with_the_hands_of_the_table_at_which_its_match_went_on() -> None:
    before = left_after(2, hands=1)
    charter = next_charter(before)
    here, there = before.charter.table, charter.table
    one = hands_in([file_of(before, 0)], lambda _: GAME)
    ((later,),) = one.values()
    gone = replace(later, hand=replace(later.hand, charter=charter))
    other = {charter.digest: (gone,)}
    assert counted(before.charter, together([one, other])) == [(here, 0), (there, 0)]
    assert counted(before.charter, one) == [(here, 0)]
    assert counted(before.charter, other) == [(there, 0)]
    # A hand that was played where the others had left counts for nothing.
    stayed = replace(later, hand=replace(later.hand, number=1))
    assert counted(before.charter, {**other, before.charter.digest: (later, stayed)}) == [
        (here, 0),
        (there, 0),
    ]
    # Nor does a table of others, or under other rules or terms, which says that it goes on so.
    seats = charter.seats
    for more in (
        {"profile": "other rules"},
        {"seats": (*seats, SeatEntry(player_key(9, 9).public, "Erandi", bytes(32)))},
        {"terms": (*charter.terms, Term("tournament", (bytes(32), 1)))},
        {"seats": (replace(seats[0], key=player_key(9, 9).public), *seats[1:])},
    ):
        claims = replace(charter, **more)
        stranger = replace(gone, hand=replace(gone.hand, charter=claims))
        assert counted(before.charter, {**one, claims.digest: (stranger,)}) == [(here, 0)]
