"""A hand that those present end without the one who is gone: what is signed, saved and audited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from cli.conformance.transcript_edits import Draft, DraftRecord
from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.table.events import HandUnfinished, Send
from protocol.table.sync import QUESTION_BYTES
from protocol.topics.commands import Ask, EndUnfinished, PlayOn
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.transcript.report import Report, results
from protocol.wire.contents import Chat, NoticeContent
from protocol.wire.envelope import Envelope
from protocol.wire.messages import Notice, decode_body
from tests.table.bus import Table
from tests.table.seating import notice, signing_key
from tests.table.tiny_game import TinyGame

GONE = 3
PRESENT = (Seat(0), Seat(1), Seat(2))


def abandoned(seed: int = 3, after: int = 3) -> Table:
    """Four seats, one of which is silent from some rounds of the hand on."""
    table = Table(TinyGame(4, target=100), seed).begun()
    table.run(lambda: closed_rounds(table) >= after)
    table.part(GONE)
    table.wait(60)
    return table


def closed_rounds(table: Table) -> int:
    hand = table.sessions[0].table_state.hand
    return -1 if hand is None else len(hand.ledger.rounds)


def ended(table: Table) -> Table:
    for seat in PRESENT:
        table.act(seat, EndUnfinished(PRESENT))
        table.deliver_all()
    return table


def file_of(table: Table, seat: int = 0) -> bytes:
    session = table.sessions[seat]
    agreed = session.agreed_end()
    assert agreed
    return hand_transcript(session.table_state, 0, agreed)


def audited(table: Table, data: bytes) -> Report:
    return audit_bytes(data, lambda _: table.game)


def test_all_who_are_present_write_one_file_and_it_is_valid() -> None:
    table = ended(abandoned())
    files = {file_of(table, seat) for seat in PRESENT}
    assert len(files) == 1
    report = audited(table, files.pop())
    assert report.valid, report.broken
    (hand,) = report.hands
    assert (hand.outcome, hand.ended_by, hand.unconfirmed) == (None, PRESENT, ())
    found = results(report)
    assert found["agreement.hand"] == found["agreement.seats"] == "passed"
    assert found["result.signatures"] == "not known"
    assert report.passed["agreement.hand"] == len(PRESENT)
    assert report.passed["ledger.settled"] == report.passed["ledger.head"] - 1


def notice_in(raw: bytes) -> Notice:
    body = decode_body(Envelope.from_bytes(raw))
    assert isinstance(body, Notice)
    return body


def test_who_was_gone_learns_when_coming_back_that_the_others_have_ended_it() -> None:
    table = ended(abandoned())
    table.heal()
    table.restart(GONE)
    for _ in range(4):
        table.tick()
        table.deliver_all()
    assert table.statuses() == ["UNFINISHED"] * 4
    assert HandUnfinished(0, PRESENT) in table.chairs[GONE].events
    report = audited(table, file_of(table, GONE))  # perhaps without words of the open round
    assert report.valid
    assert report.hands[0].ended_by == PRESENT


# --- files that are none -------------------------------------------------------------------------


def said(table: Table, seat: int, content: NoticeContent, *, key: int | None = None) -> DraftRecord:
    """A record with what a seat might have signed, or what another signed in its name."""
    signer = signing_key(seat if key is None else key)
    return DraftRecord(b"U", notice(table.charter, seat, content, key=signer))


class Ended(NamedTuple):
    """The file of a hand that was ended, and what makes others of it."""

    table: Table
    draft: Draft

    @property
    def agreed(self) -> list[int]:
        """Where the agreements stand."""
        return self.draft.places(b"U")

    @property
    def content(self) -> Any:
        """What was agreed."""
        return notice_in(self.draft.records[self.agreed[0]].payload).content

    def first(self, letter: bytes, place: int = 0) -> DraftRecord:
        """A record of a kind."""
        return self.draft.records[self.draft.places(letter)[place]]

    def saying(self, seat: int, content: NoticeContent, *, key: int | None = None) -> Draft:
        """The file with something else where a seat agrees."""
        record = said(self.table, seat, content, key=key)
        return self.draft.with_record(self.agreed[seat], record.payload)

    def all_saying(self, *seats: int, **changed: int | bytes) -> Draft:
        """The file in which these seats alone, or all three, agree to something else."""
        seats, content = seats or PRESENT, replace(self.content, **changed)
        records = [said(self.table, seat, content) for seat in seats]
        return self.without_any.inserted(self.agreed[0], *records)

    @property
    def without_any(self) -> Draft:
        """The file without agreements."""
        return self.draft.without(self.agreed[0], self.agreed[-1] + 1)

    def in_an_open_round(self, *seats: int) -> Draft:
        """The hand ended where a message of its first round stands before the agreements."""
        last, messages = self.draft.places(b"L")[-1], self.draft.places(b"M")
        first = next(place for place in messages if place > last)
        digest = self.table.hand().ledger.digest_after(0)
        amid = self.all_saying(*seats, closed=0, digest=digest)
        return amid.without(first + 1, messages[-1] + 1)


REFUSED: dict[str, tuple[Callable[[Ended], Draft], str]] = {
    "no agreement": (lambda it: it.without_any, "ledger.settled"),
    "one missing": (lambda it: it.draft.without(it.agreed[1]), "agreement.seats"),
    "another order": (lambda it: it.draft.swapped(*it.agreed[:2]), "agreement.seats"),
    "one twice": (lambda it: it.draft.inserted(it.agreed[0], it.first(b"U")), "agreement.seats"),
    "a fourth": (lambda it: it.draft.inserted(
        it.agreed[-1] + 1, said(it.table, GONE, it.content)), "agreement.seats"),
    "others present": (lambda it: it.all_saying(present=0b1111), "agreement.seats"),
    "alone": (lambda it: it.all_saying(0, present=0b1), "agreement.seats"),
    "a round less": (lambda it: it.all_saying(closed=it.content.closed - 1), "agreement.hand"),
    "another digest": (lambda it: it.all_saying(digest=bytes(32)), "agreement.hand"),
    "another hand": (lambda it: it.all_saying(hand=1), "agreement.hand"),
    "a seat beyond": (lambda it: it.all_saying(present=0b10111), "agreement.hand"),
    "not the same": (lambda it: it.saying(1, replace(it.content, present=0b1011)),
                     "agreement.hand"),
    "chat": (lambda it: it.saying(0, Chat("I agree.")), "agreement.hand"),
    "in the deck": (lambda it: it.draft.inserted(it.draft.places(b"E")[1], it.first(b"U")),
                    "agreement.hand"),
    "forged": (lambda it: it.saying(2, it.content, key=0), "signature"),
    "a ledger message": (lambda it: it.draft.with_record(
        it.agreed[0], it.first(b"M", -1).payload), "envelope.purpose"),
    "before the last message": (lambda it: it.draft.swapped(
        it.draft.places(b"M")[-1], it.agreed[0]), "agreement.hand"),
    "in an open round": (lambda it: it.in_an_open_round(), "agreement.hand"),
    "in an open round and one missing": (lambda it: it.in_an_open_round(0, 1), "agreement.hand"),
    "a message after": (lambda it: it.draft.inserted(it.agreed[0] + 1, it.first(b"M", -1)),
                        "transcript.order"),
    "one side": (lambda it: it.all_saying(0, 2, present=0b101), "agreement.sides"),
    "after the end": (lambda it: it.draft.swapped(it.agreed[-1], it.draft.places(b"E")[-1]),
                      "agreement.seats"),
    "another ledger after": (lambda it: it.draft.inserted(
        len(it.draft.records), it.first(b"L", 1)), "transcript.order"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_was_changed_is_refused_and_convicts_nobody(over: Table, name: str) -> None:
    change, check = REFUSED[name]
    draft = Draft.of(file_of(over))
    assert audited(over, draft.to_bytes()).valid
    broken = audited(over, change(Ended(over, draft)).to_bytes()).broken
    assert broken is not None
    assert (broken.check, broken.seat, broken.evidence) == (check, None, None)


@pytest.fixture(scope="session")
def over() -> Table:
    return ended(abandoned())


def test_who_agreed_plays_on_and_agrees_again_and_signs_it_once() -> None:
    table = abandoned()
    session = table.sessions[0]
    assert session.yet_to_agree() == ()
    table.act(0, EndUnfinished(PRESENT))
    assert session.yet_to_agree() == (Seat(1), Seat(2))
    signed = len(table.chairs[0].journal)
    table.act(0, EndUnfinished(PRESENT))
    table.act(0, PlayOn())
    assert session.status is SessionStatus.PLAYING
    assert session.yet_to_agree() == ()
    table.act(0, EndUnfinished(PRESENT))
    assert session.status is SessionStatus.AGREEING
    assert len(table.chairs[0].journal) == signed
    for seat in (1, 2):
        table.act(seat, EndUnfinished(PRESENT))
    table.deliver_all()
    assert {table.sessions[seat].status for seat in PRESENT} == {SessionStatus.UNFINISHED}
    assert session.lacking_end() == ()
    assert session.open_claims() == ()


def test_before_the_first_hand_there_is_nothing_to_end() -> None:
    table = Table(TinyGame(4, target=100), 3)
    with pytest.raises(LocalError, match="no hand to end"):
        table.act(0, EndUnfinished(PRESENT))
    with pytest.raises(LocalError, match="not our turn"):
        table.act(0, "anything")


# --- leaving --------------------------------------------------------------------------------------


QUESTION = b"?" * QUESTION_BYTES
OTHERS = (Seat(0), Seat(1), Seat(2))
FIRST = 3
"""The seat that has the whole hand first, with this seed."""


def first_to_end() -> Table:
    """A table at the moment when one seat has the whole hand and no other."""
    table = Table(TinyGame(4, target=100), 5).begun()
    table.run(lambda: any(chair.session.table_state.counted for chair in table.chairs))
    assert [chair.session.table_state.counted for chair in table.chairs] == [0, 0, 0, 1]
    return table


def ask(table: Table) -> None:
    """The first seat asks, a second later, and everything that is sent arrives."""
    table.now += 1.0
    table.handle(FIRST, table.sessions[FIRST].act(Ask(QUESTION), now=table.now))
    table.deliver_all()


def test_who_missed_the_end_is_sent_it_by_the_one_that_asks() -> None:
    table = first_to_end()
    table.flying.clear()
    ask(table)
    assert table.sessions[FIRST].lacking_end() == OTHERS
    for _ in range(3):
        ask(table)
    assert table.all_played(1)()
    assert table.sessions[FIRST].lacking_end() == ()


def test_old_heads_do_not_undo_what_a_seat_has_told() -> None:
    table = first_to_end()
    behind = table.sessions[0].act(Ask(QUESTION), now=table.now)
    (old,) = [event.envelope for event in behind if isinstance(event, Send)]
    for _ in range(3):
        ask(table)
    session = table.sessions[FIRST]
    session.receive(old, now=table.now)
    assert session.lacking_end() == ()
