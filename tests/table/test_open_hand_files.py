"""Files of hands that wait for somebody: what an audit of them says, and when they go."""

from __future__ import annotations

from pathlib import Path

from cli.seat.transcripts import HandFiles, transcript_path
from cli.store.paths import open_hand_name, strangers_in
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from protocol.table.events import EndUndone, HandEnded, HandUnfinished, Waiting
from protocol.topics.commands import EndUnfinished
from protocol.transcript.auditor import audit_bytes
from tests.table.bus import Table
from tests.table.test_agreed_ends import one_has_not_signed
from tests.table.test_ending_attempts import begun
from tests.table.test_unfinished import PRESENT, abandoned, ended

LATE = Seat(3)


def open_file(table: Table, place: Path) -> Path:
    return place / open_hand_name(table.charter.table, 0)


def test_a_result_that_waits_for_a_signature_has_a_file_until_it_is_signed(tmp_path: Path) -> None:
    table = one_has_not_signed(LATE)
    session, files = table.sessions[0], HandFiles(tmp_path)
    files.keep(Waiting((LATE,), 0.0), session)
    path = open_file(table, tmp_path)
    (hand,) = audit_bytes(path.read_bytes(), lambda _: table.game).hands
    assert hand.outcome is not None
    assert hand.unconfirmed == (LATE,)
    assert strangers_in(tmp_path) == ()
    table.heal()
    table.run(table.all_played(1))
    (over,) = (e for e in table.chairs[0].events if isinstance(e, HandEnded))
    files.keep(over, session)
    assert not path.exists()
    assert files.written == [transcript_path(tmp_path, session.charter, 0)]


def test_a_hand_that_is_left_has_a_file_that_says_what_is_owed_and_by_whom(tmp_path: Path) -> None:
    table = begun()
    session = table.sessions[0]
    HandFiles(tmp_path).save_open(session)
    hand = session.table_state.hand
    report = audit_bytes(open_file(table, tmp_path).read_bytes(), lambda _: table.game)
    assert report.broken is not None
    assert report.broken.check == "ledger.settled"
    waits = ", ".join(FOUR_SEAT_NAMES[seat] for seat in hand.ledger.missing)
    assert report.broken.detail.endswith(f"{waits} ({hand.machine.phase.value})")


def test_the_file_of_an_end_that_does_not_hold_goes(tmp_path: Path) -> None:
    table = ended(abandoned())
    session, files = table.sessions[0], HandFiles(tmp_path)
    files.keep(HandUnfinished(0, PRESENT), session)
    path = transcript_path(tmp_path, session.charter, 0)
    assert files.written == [path]
    assert path.exists()
    files.save_open(session)  # it has ended: there is nothing open
    assert not open_file(table, tmp_path).exists()
    files.keep(EndUndone(0), session)
    assert files.written == []
    assert not path.exists()


def test_who_agreed_alone_leaves_a_file_of_an_open_hand(tmp_path: Path) -> None:
    table = abandoned()
    table.act(0, EndUnfinished(PRESENT))
    HandFiles(tmp_path).save_open(table.sessions[0])
    assert open_file(table, tmp_path).exists()
