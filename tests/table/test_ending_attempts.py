"""What a seat may attempt with agreements to end a hand: kept back, said by hundreds, of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.table.events import EndProposed, EndUndone, HandEnded, JournalBehind
from protocol.table.machine import Phase
from protocol.table.replica import LedgerReplica
from protocol.table.sync import QUESTION_BYTES
from protocol.topics.chat import BURST
from protocol.topics.commands import Ask, EndUnfinished
from protocol.topics.ending import MOST_KEPT, agreement_to_end
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire.contents import UnfinishedAgreement
from protocol.wire.messages import Agreement
from tests.table.bus import Table
from tests.table.seating import notice
from tests.table.tiny_game import TinyGame

TWO = (Seat(0), Seat(1))
THREE = (Seat(0), Seat(1), Seat(2))
HONEST = 2


def begun(rounds: int = 3, hand: int = 0) -> Table:
    """A table in a hand of which so many rounds are closed."""
    table = Table(TinyGame(4, target=100), 3).begun()
    table.run(lambda: all(_at(table, seat, hand, rounds) for seat in range(4)))
    return table


def _at(table: Table, seat: int, number: int, rounds: int) -> bool:
    hand = table.sessions[seat].table_state.hand
    if hand is None or hand.origin.ledger.number != number:
        return False
    return len(hand.ledger.rounds) >= rounds


def hand_of(table: Table, seat: int = HONEST) -> LedgerReplica[Any]:
    return table.hand(seat)


def said(table: Table, seat: int, content: UnfinishedAgreement) -> bytes:
    """What a seat may sign whenever it likes."""
    return notice(table.charter, seat, content)


def hear(table: Table, reader: int, raw: bytes) -> None:
    table.handle(reader, table.sessions[reader].receive(raw, now=table.now))


def settle(table: Table, rounds: int = 6) -> None:
    for _ in range(rounds):
        table.deliver_all()
        table.tick()


def test_two_cannot_take_back_a_result_by_an_agreement_that_they_kept_back() -> None:
    table = begun()
    early = agreement_to_end(hand_of(table), TWO)
    # All but seat 0 sign the result, which it does not like.
    table.weather.cut = lambda _, sender, __: sender == 0 and signing(table)
    table.run(lambda: signing(table) and len(hand_of(table).ledger.accepted) == 3)
    for seat in TWO:
        hear(table, HONEST, said(table, seat, early))
    session = table.sessions[HONEST]
    assert session.status is SessionStatus.PLAYING
    assert session.agreed_end() == ()
    assert hand_of(table).machine.outcome is not None
    table.heal()
    table.run(table.all_played(1))


def signing(table: Table) -> bool:
    return hand_of(table).machine.phase is Phase.SIGNING


def test_a_file_that_two_cut_early_names_them_and_no_result_beside_the_whole_one() -> None:
    table = begun()
    session = table.sessions[0]
    content = agreement_to_end(hand_of(table, 0), TWO)
    agreed = tuple(Agreement(seat, content, said(table, seat, content)) for seat in TWO)
    cut = hand_transcript(session.table_state, 0, agreed)
    table.run(table.all_played(1))
    whole = hand_transcript(session.table_state, 0)
    ended, played = (audit_bytes(each, lambda _: table.game) for each in (cut, whole))
    assert ended.valid
    assert (ended.hands[0].ended_by, ended.hands[0].outcome) == (TWO, None)
    assert played.valid
    assert (played.hands[0].ended_by, played.hands[0].unconfirmed) == ((), ())


def test_a_seat_with_an_older_journal_that_agrees_at_once_ends_the_hand_where_it_is() -> None:
    table = begun()
    older = len(table.chairs[0].journal)
    table.run(lambda: _at(table, HONEST, 0, 9))
    table.run(lambda: not table.flying)
    table.weather.cut = lambda *_: True
    table.restart(0, older)
    table.act(0, EndUnfinished(THREE))
    table.heal()
    for seat in THREE[1:]:
        table.act(seat, EndUnfinished(THREE))
    settle(table)
    assert table.heard(0, EndUndone)
    table.act(0, EndUnfinished(THREE))  # the others had gone on when it agreed
    settle(table)
    assert table.statuses()[:3] == ["UNFINISHED"] * 3
    ends = {table.sessions[seat].agreed_end()[0].content for seat in THREE}
    assert len(ends) == 1
    assert ends.pop().closed >= 9
    assert not table.blamed()


def test_who_was_away_when_all_had_agreed_learns_it_by_telling_its_heads() -> None:
    table = begun()
    table.act(0, EndUnfinished(THREE))
    table.deliver_all()
    table.weather.cut = lambda _, sender, reader: 0 in (sender, reader)
    for seat in THREE[1:]:
        table.act(seat, EndUnfinished(THREE))
    table.deliver_all()
    assert table.statuses()[:3] == ["AGREEING", "UNFINISHED", "UNFINISHED"]
    table.heal()
    table.now += 1.0
    question = b"?" * QUESTION_BYTES
    table.handle(0, table.sessions[0].act(Ask(question), now=table.now))
    table.deliver_all()
    assert table.statuses()[:3] == ["UNFINISHED"] * 3


def test_a_flood_of_proposals_is_not_told() -> None:
    table = begun()
    before = len(table.heard(HONEST, EndProposed))
    for number in range(100):
        content = UnfinishedAgreement(number, 0, bytes(32), 0b1111)
        hear(table, HONEST, said(table, 0, content))
    assert 0 < len(table.heard(HONEST, EndProposed)) - before <= BURST


def test_who_has_ended_a_hand_does_not_undo_it_by_saying_more_of_other_hands() -> None:
    table = begun()
    content = agreement_to_end(hand_of(table), TWO)
    for seat in TWO:
        hear(table, HONEST, said(table, seat, content))
    for number in range(2 * MOST_KEPT):
        hear(table, HONEST, said(table, 0, replace(content, hand=50 + number)))
    session = table.sessions[HONEST]
    assert session.status is SessionStatus.UNFINISHED
    assert [each.content for each in session.agreed_end()] == [content] * 2
    assert not table.heard(HONEST, EndUndone)


def test_what_this_seat_agreed_to_first_still_counts_after_it_agreed_to_more() -> None:
    table = begun()
    first = agreement_to_end(hand_of(table), (Seat(1), Seat(HONEST)))
    for present in (0b0110, 0b0111, 0b1100, 0b1110, 0b1101, 0b1111):
        seats = tuple(Seat(seat) for seat in range(4) if present >> seat & 1)
        table.act(HONEST, EndUnfinished(seats))
    hear(table, HONEST, said(table, 1, first))
    session = table.sessions[HONEST]
    assert session.status is SessionStatus.UNFINISHED
    assert [each.content for each in session.agreed_end()] == [first] * 2


def test_a_seat_with_an_older_journal_learns_that_it_has_agreed_and_that_the_hand_has_ended() -> (
    None
):
    table = begun()
    older = len(table.chairs[0].journal)
    for seat in TWO:
        table.act(seat, EndUnfinished(TWO))
    settle(table)
    assert table.statuses() == ["UNFINISHED"] * 4
    table.restart(0, older)
    settle(table)
    assert table.statuses() == ["UNFINISHED"] * 4
    assert table.heard(0, JournalBehind)
    table.restart(0)
    assert table.statuses() == ["UNFINISHED"] * 4


def test_what_this_seat_agreed_to_and_does_not_know_of_is_noted_after_an_end_by_others() -> None:
    table = begun()
    others = agreement_to_end(hand_of(table), TWO)
    for seat in TWO:
        hear(table, HONEST, said(table, seat, others))
    ours = agreement_to_end(hand_of(table), THREE)
    hear(table, HONEST, said(table, HONEST, ours))
    assert table.sessions[HONEST].status is SessionStatus.UNFINISHED
    table.restart(HONEST)
    assert table.sessions[HONEST].status is SessionStatus.UNFINISHED
    assert [each.content for each in table.sessions[HONEST].agreed_end()] == [others] * 2


@pytest.mark.parametrize("present", [0b0110, 0b0001], ids=["others", "alone"])
def test_a_proposal_is_told_that_its_author_shares_with_others(present: int) -> None:
    table = begun()
    content = UnfinishedAgreement(0, 3, bytes(32), present)
    hear(table, HONEST, said(table, 0, content))
    assert table.heard(HONEST, EndProposed) == []


def test_what_was_said_of_a_hand_that_is_over_is_not_told_again() -> None:
    table = begun()
    content = agreement_to_end(hand_of(table), THREE)
    table.run(table.all_played(1))
    hear(table, HONEST, said(table, 0, content))
    assert table.heard(HONEST, EndProposed) == []
    assert table.heard(HONEST, HandEnded)


def test_nobody_agrees_with_itself_twice() -> None:
    table = begun()
    with pytest.raises(LocalError, match="too few"):
        table.act(0, EndUnfinished((Seat(0), Seat(0))))
