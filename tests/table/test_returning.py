"""A seat that returns from its journal: whose claims hold it, for how long, and who is told."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Lane
from protocol.seat.session import Session
from protocol.table.events import ClaimsOpen, JournalBehind, Waiting
from protocol.topics.step import SessionStatus
from protocol.wire.authenticate import open_message
from protocol.wire.messages import Notice
from tests.table.boasting import LIAR, US, in_a_hand
from tests.table.bus import Table
from tests.table.seating import seeded, signing_key
from tests.table.tiny_game import TinyGame


def told(table: Table, seat: int, kind: type[Any]) -> list[Any]:
    return table.heard(seat, kind)


def test_a_claim_that_no_message_backs_is_told_by_name_and_nothing_is_signed() -> None:
    table = in_a_hand()
    table.boasts = True
    table.restart(US)
    said = len(table.sent)
    table.run(lambda: table.now > 120)
    session = table.sessions[US]
    assert session.status is SessionStatus.RETURNING
    assert [claim.seat for claim in session.open_claims()] == [LIAR]
    (event,) = told(table, US, ClaimsOpen)
    assert [(each.seat, each.head.lane) for each in event.claims] == [(LIAR, Lane.HAND)]
    assert (LIAR,) in {each.seats for each in told(table, US, Waiting)}
    assert session.others_awaited() == {LIAR}
    ours = [open_message(raw, table.charter) for seat, raw in table.sent[said:] if seat == US]
    assert ours
    assert all(isinstance(each, Notice) for each in ours)
    assert not table.blamed()


def test_with_the_players_word_a_claim_holds_nobody() -> None:
    table = in_a_hand()
    table.boasts = True
    table.restart_vouching(US, frozenset({Seat(LIAR)}))
    table.run(table.all_played(1))
    assert not table.blamed()
    assert not told(table, US, ClaimsOpen)


def test_the_word_counts_for_the_seats_that_it_names() -> None:
    table = in_a_hand()
    table.boasts = True
    table.restart_vouching(US, frozenset({Seat(0)}))
    table.run(lambda: table.now > 60)
    assert table.sessions[US].status is SessionStatus.RETURNING
    assert len(told(table, US, ClaimsOpen)) == 1


def test_a_claim_that_is_taken_back_holds_no_longer() -> None:
    table = in_a_hand()
    table.boasts = True
    table.restart(US)
    table.run(lambda: table.now > 60)
    table.boasts = False
    table.run(table.all_played(1))
    assert not table.blamed()


@pytest.mark.parametrize("records", [0, 4, 9])
def test_claims_that_messages_back_end_by_themselves_and_an_older_journal_is_told(
    records: int,
) -> None:
    table = in_a_hand(Table)
    table.restart(US, records)
    table.run(table.all_played(1))
    assert not table.blamed()
    assert not told(table, US, ClaimsOpen)
    assert told(table, US, JournalBehind) == [JournalBehind(Seat(US))]


def test_a_whole_journal_is_not_called_an_older_one() -> None:
    table = in_a_hand(Table)
    table.restart(US)
    table.run(table.all_played(1))
    assert not told(table, US, JournalBehind)


def test_a_journal_with_its_records_in_another_order_is_refused() -> None:
    table = in_a_hand()
    journal = table.chairs[US].journal
    later = next(place for place, raw in enumerate(journal) if raw != journal[0] and place > 8)
    for records in ([journal[later]], [*journal, journal[0]], [b"junk", *journal]):
        with pytest.raises(LocalError, match="the journal holds what does not"):
            Session.resume(records, entropy=seeded("again"), **table.arguments(US))


def test_a_session_begins_with_the_key_and_the_seats_of_its_charter() -> None:
    given = in_a_hand().arguments(US)
    with pytest.raises(LocalError, match="does not hold our key"):
        Session(**{**given, "key": signing_key(9)})
    with pytest.raises(LocalError, match="seats, not"):
        Session(**{**given, "game": TinyGame(2, target=100)})
