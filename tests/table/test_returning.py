"""A seat that returns from its journal: whose claims hold it, for how long, and who is told."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.events import ClaimsOpen, JournalBehind, Waiting
from protocol.table.machine import Phase
from protocol.topics.step import SessionStatus
from protocol.wire.authenticate import open_message
from protocol.wire.contents import Action
from protocol.wire.messages import Notice, SignedMessage
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


# --- restored journals ----------------------------------------------------------------------------


HAND = LedgerName(Lane.HAND, 0)


class Deaf(Table):
    """The seats 1 and 2 do not hear each other while `parted` holds."""

    parted = False

    def publish(self, seat: int, envelope: bytes) -> None:
        self.weather.cut = lambda step, one, other: self.parted and 0 not in (one, other)
        super().publish(seat, envelope)


def dealing(table: Table) -> bool:
    return all(chair.session.table_state.hand is not None for chair in table.chairs)


def ahead() -> tuple[Deaf, int]:
    """Seat 0 has acted, and the others, who keep its message, have not closed the round before.

    With it, how long seat 0's journal was before that round.
    """
    for seed in range(200):
        table = Deaf(TinyGame(3, target=100), seed).begun()
        table.run(partial(dealing, table))
        kept = len(table.chairs[0].journal)
        table.parted = True
        table.flying = [each for each in table.flying if 0 in each[:2]]
        while table.flying:
            table.deliver()
        hands = [chair.session.table_state.hand for chair in table.chairs]
        if None in hands or not table.sessions[0].legal_actions():
            continue
        assert [each and each.machine.phase for each in hands][1:] == [Phase.DEALING] * 2
        table.choose(0)
        while table.flying:
            table.deliver()
        return table, kept
    raise AssertionError("seat 0 was never the first to act")


def signed_by(table: Table, seat: int) -> list[SignedMessage]:
    """The different ledger messages that a seat has sent."""
    messages = [open_message(raw, table.charter) for who, raw in table.sent if who == seat]
    return [each for each in messages if not isinstance(each, Notice) and each.place.seat == seat]


def test_an_older_journal_learns_what_the_others_keep_and_could_not_accept_yet() -> None:
    table, kept = ahead()
    (acted,) = [each for each in signed_by(table, 0) if isinstance(each.message.content, Action)]
    table.restart(0, kept)
    session = table.sessions[0]
    for _ in range(12):
        table.tick(2.0)
        while table.flying:
            table.deliver()
            if session.legal_actions():  # it may choose again, and otherwise than it did
                replica = session.table_state.replicas[HAND]
                assert len(replica.ledger.rounds) > acted.place.round
    table.parted = False
    table.run(table.all_played(1))
    places: dict[object, set[bytes]] = {}
    for each in signed_by(table, 0):
        places.setdefault(each.place, set()).add(each.id)
    assert all(len(bodies) == 1 for bodies in places.values())
    assert not table.blamed()
