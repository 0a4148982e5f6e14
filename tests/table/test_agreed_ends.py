"""When an end by agreement holds: by all sides, without a result, while nobody named goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.conformance.tables import Draft, DraftRecord
from cli.conformance.trials import DEFAULT, Vector, vectors_in
from cli.local.transcripts import HandFiles, transcript_path
from cli.store.paths import open_hand_name, strangers_in
from p2p304.seats import FOUR_SEAT_NAMES, Seat, Sides, seat_after
from protocol.bounds import AGREEMENTS_KEPT, BURST
from protocol.errors import LocalError
from protocol.places import Lane
from protocol.seat.session import Session
from protocol.table.events import (
    EndProposed,
    EndUndone,
    Event,
    HandEnded,
    HandUnfinished,
    JournalBehind,
    Persist,
    Send,
    Waiting,
)
from protocol.table.ledger import DECIDED, LedgerPhase
from protocol.table.replica import LedgerReplica
from protocol.table.sync import QUESTION_BYTES
from protocol.topics.commands import Ask, EndUnfinished, PlayOn
from protocol.topics.ending import agreement_to_end
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes, results
from protocol.transcript.file import hand_transcript
from protocol.wire.contents import Chat, NoticeContent, UnfinishedAgreement
from protocol.wire.identity import Envelope
from protocol.wire.messages import Notice, decode_body, open_agreement
from tests.table.bus import (
    GAME,
    GONE,
    PRESENT,
    Chair,
    Table,
    closed_rounds,
    file_of,
    notice,
    played,
    report_of,
    seeded,
)
from tests.table.tiny_game import TinyGame, TinyState
from tests.vectors import answers

PARTNERS = (Seat(0), Seat(2))
WATCHED = 1  #: The seat whose session is looked at.


def told(table: Table, seats: tuple[Seat, ...], content: UnfinishedAgreement) -> None:
    """All others hear what these seats signed."""
    for seat in seats:
        raw = said(table, seat, content)
        for reader in range(4):
            hear(table, reader, raw)


def test_two_partners_cannot_end_a_hand_while_their_opponents_are_there() -> None:
    table = played(3)
    told(table, PARTNERS, agreement_to_end(hand_of(table, WATCHED), PARTNERS))
    assert SessionStatus.UNFINISHED not in {chair.session.status for chair in table.chairs}
    assert not table.heard(WATCHED, EndProposed)


class Hidden(TinyGame):
    """The partner of seat 0, who plays against the others, is 2 or nobody: not known yet."""

    def sides(self, state: TinyState) -> tuple[Sides, ...]:
        one, two, three = map(Seat, (1, 2, 3))
        return (((Seat(0), two), (one, three)), ((Seat(0),), (one, two, three)))


@pytest.mark.parametrize(("present", "ends"), [((1, 2), False), ((0, 1), True), ((0, 2), False)])
def test_where_sides_are_not_known_an_end_needs_a_seat_of_each_under_all_of_them(
    present: tuple[int, ...], ends: bool
) -> None:
    table = Table(Hidden(4, target=100), 3).begun()
    table.run(lambda: closed_rounds(table, 0, 0) == 3 and not table.flying)
    seats = tuple(map(Seat, present))
    content = agreement_to_end(hand_of(table, 3), seats)
    for seat in seats:
        hear(table, 3, said(table, seat, content))
    assert (table.sessions[3].status is SessionStatus.UNFINISHED) is ends
    agreed = tuple(open_agreement(said(table, seat, content), table.charter) for seat in seats)
    file = hand_transcript(table.sessions[3].table_state, 0, agreed)
    found = audit_bytes(file, lambda _: table.game).broken
    assert (found is None) is ends
    assert found is None or found.check == "agreement.sides"


# --- going on after all, in whatever order it arrives ---------------------------------------------


class Crossing(NamedTuple):
    """A round that one seat closes, and what two others can be said to have agreed before."""

    table: Table
    chairs: list[Chair]  #: Before anybody has heard the message or any agreement.
    closing: bytes
    author: Seat

    @property
    def chair(self) -> Chair:
        """A seat that signs nothing of all this."""
        return self.chairs[seat_after(self.author, seats=4, steps=-1)]

    def agreements(self, *steps: int) -> tuple[bytes, ...]:
        """What seats so many steps from the one that closes the round sign of its beginning."""
        seats = tuple(seat_after(self.author, seats=4, steps=each) for each in steps)
        hand = self.chair.session.table_state.hand()
        assert hand is not None
        content = agreement_to_end(hand, seats)
        return tuple(said(self.table, seat, content) for seat in seats)

    def after(self, heard: Iterable[bytes]) -> tuple[Session, list[Event]]:
        """The session once it has heard all this, in this order."""
        session, events = copy(self.chair.session), list[Event]()
        for raw in heard:
            events += session.receive(raw, now=1.0)
        return session, events


@pytest.fixture(scope="session")
def crossing() -> Crossing:
    table = played(3)
    kept: dict[int, tuple[Seat, list[Chair]]] = {}

    def closed_by_one() -> bool:
        """Whether one seat alone is awaited, everybody is as far, and that seat has just played."""
        here = hand_of(table, 0)
        number = len(here.ledger.rounds)
        level = all(hand_of(table, seat).ledger.head == here.ledger.head for seat in range(4))
        alone = here.machine.phase in DECIDED and len(here.ledger.contributors or ()) == 1
        if level and alone and here.ledger.missing and not table.flying:
            chairs = [Chair(copy(c.session), list(c.journal)) for c in table.chairs]
            kept[number] = (here.ledger.missing[0], chairs)
        return number - 1 in kept

    table.run(closed_by_one)
    ((number, (author, chairs)),) = kept.items()
    (message,) = hand_of(table, 0).ledger.rounds[number]
    return Crossing(table, chairs, message.raw, author)


def test_who_signed_the_message_that_closes_the_round_has_ended_nothing_in_any_order(
    crossing: Crossing,
) -> None:
    ends = set()
    for order in permutations((*crossing.agreements(0, 1), crossing.closing)):
        session, events = crossing.after(order)
        assert (session.status, session.agreed_end()) == (SessionStatus.PLAYING, ())
        hand = session.table_state.hand()
        ends.add(hand.ledger.head)
        stopped = [each for each in events if isinstance(each, HandUnfinished | EndUndone)]
        before = order[-1] == crossing.closing  # both had agreed when the message came
        assert [type(each) for each in stopped] == ([HandUnfinished, EndUndone] if before else [])
    assert len(ends) == 1


def test_who_goes_on_after_an_end_goes_on_after_a_restart(crossing: Crossing) -> None:
    session, events = crossing.after((*crossing.agreements(0, 1), crossing.closing))
    journal = [*crossing.chair.journal, *(e.record for e in events if isinstance(e, Persist))]
    seat = session.seat
    again = Session(**crossing.table.arguments(seat)).resume(journal, entropy=seeded("again"))
    assert again.status is SessionStatus.RETURNING
    assert again.table_state.hand() == session.table_state.hand()
    stopped = [*crossing.chair.journal, *crossing.agreements(0, 1)]
    there = Session(**crossing.table.arguments(seat)).resume(stopped, entropy=seeded("again"))
    assert there.status is SessionStatus.UNFINISHED
    assert there.receive(crossing.closing, now=1.0)
    assert there.status is SessionStatus.RETURNING


def test_what_a_seat_that_is_not_named_signs_undoes_no_end_in_any_order(crossing: Crossing) -> None:
    files = set()
    for order in permutations((*crossing.agreements(1, 2), crossing.closing)):
        session, _ = crossing.after(order)
        assert session.status is SessionStatus.UNFINISHED
        files.add(hand_transcript(session.table_state, 0, session.agreed_end()))
    (file,) = files
    report = audit_bytes(file, lambda _: crossing.table.game)
    assert report.valid, report.broken
    assert report.hands[0].ended_by == tuple(sorted(report.hands[0].ended_by))


# --- going on alone, and a result -----------------------------------------------------------------


def one_has_not_signed() -> Table:
    """A hand whose result all but one have signed, who is silent."""
    table = played(3)
    table.weather.cut = lambda _, sender, __: sender == GONE and signing(table)
    table.run(lambda: signing(table) and hand_of(table).ledger.missing == (GONE,))
    table.wait(30)
    return table


def test_where_only_signatures_are_missing_nothing_can_be_ended() -> None:
    table = one_has_not_signed()
    content = agreement_to_end(hand_of(table), PRESENT)
    told(table, PRESENT, content)
    with pytest.raises(LocalError, match="result"):
        table.act(0, EndUnfinished(PRESENT))
    assert table.statuses() == ["PLAYING"] * 4
    assert not any(isinstance(e, EndProposed) for chair in table.chairs for e in chair.events)
    table_state = table.sessions[0].table_state
    (hand,) = audit_bytes(hand_transcript(table_state, 0), lambda _: table.game).hands
    assert hand.outcome is not None
    assert (hand.unconfirmed, hand.ended_by) == ((3,), ())
    agreed = tuple(open_agreement(said(table, seat, content), table.charter) for seat in PRESENT)
    cut = audit_bytes(hand_transcript(table_state, 0, agreed), lambda _: table.game)
    assert cut.broken.check == "agreement.hand"
    table.heal()
    table.run(table.all_played(1))  # who was missing is waited for, and signs


def test_who_agreed_before_the_result_was_there_signs_it() -> None:
    table = played(3)
    table.weather.cut = lambda _, sender, reader: 0 in (sender, reader) and closing_soon(table)
    table.run(lambda: signing(table))
    table.act(0, EndUnfinished(PRESENT))
    table.heal()
    table.run(table.all_played(1))
    assert table.statuses() == ["PLAYING"] * 4


def closing_soon(table: Table) -> bool:
    """Whether all that seat 0 must do for a result is done: others close the last round."""
    hand = hand_of(table)
    if hand.machine.phase is LedgerPhase.SIGNING:
        return True
    state = hand.machine.state
    last = state.phase in ("window", "count") and not any(state.hands)
    return last and 0 in {each.place.seat for each in hand.ledger.accepted}


# --- ending attempts ------------------------------------------------------------------------------


TWO = (Seat(0), Seat(1))
HONEST = 2


def hand_of(table: Table, seat: int = HONEST) -> LedgerReplica[Any]:
    return table.hand(seat)


def said(table: Table, seat: int, content: UnfinishedAgreement) -> bytes:
    """What a seat may sign whenever it likes."""
    return notice(table.charter, seat, content)


def hear(table: Table, reader: int, raw: bytes) -> None:
    table.handle(reader, table.sessions[reader].receive(raw, now=table.now))


def test_two_cannot_take_back_a_result_by_an_agreement_that_they_kept_back() -> None:
    table = played(3)
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
    return hand_of(table).machine.phase is LedgerPhase.SIGNING


def test_a_flood_of_proposals_is_not_told() -> None:
    table = played(3)
    before = len(table.heard(HONEST, EndProposed))
    for number in range(100):
        content = UnfinishedAgreement(number, 0, bytes(32), 0b1111)
        hear(table, HONEST, said(table, 0, content))
    assert 0 < len(table.heard(HONEST, EndProposed)) - before <= BURST


def test_who_has_ended_a_hand_does_not_undo_it_by_saying_more_of_other_hands() -> None:
    table = played(3)
    content = agreement_to_end(hand_of(table), TWO)
    for seat in TWO:
        hear(table, HONEST, said(table, seat, content))
    for number in range(2 * AGREEMENTS_KEPT):
        hear(table, HONEST, said(table, 0, replace(content, hand=50 + number)))
    session = table.sessions[HONEST]
    assert session.status is SessionStatus.UNFINISHED
    assert [each.content for each in session.agreed_end()] == [content] * 2
    assert not table.heard(HONEST, EndUndone)


def test_what_this_seat_agreed_to_first_still_counts_after_it_agreed_to_more() -> None:
    table = played(3)
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
    table = played(3)
    older = len(table.chairs[0].journal)
    for seat in TWO:
        table.act(seat, EndUnfinished(TWO))
    table.settle(6)
    assert table.statuses() == ["UNFINISHED"] * 4
    table.restart(0, older)
    table.settle(6)
    assert table.statuses() == ["UNFINISHED"] * 4
    assert table.heard(0, JournalBehind)
    table.restart(0)
    assert table.statuses() == ["UNFINISHED"] * 4


def test_what_this_seat_agreed_to_and_does_not_know_of_is_noted_after_an_end_by_others() -> None:
    table = played(3)
    others = agreement_to_end(hand_of(table), TWO)
    for seat in TWO:
        hear(table, HONEST, said(table, seat, others))
    ours = agreement_to_end(hand_of(table), PRESENT)
    hear(table, HONEST, said(table, HONEST, ours))
    assert table.sessions[HONEST].status is SessionStatus.UNFINISHED
    table.restart(HONEST)
    assert table.sessions[HONEST].status is SessionStatus.UNFINISHED
    assert [each.content for each in table.sessions[HONEST].agreed_end()] == [others] * 2


@pytest.mark.parametrize("present", [0b0110, 0b0001], ids=["others", "alone"])
def test_a_proposal_is_told_that_its_author_shares_with_others(present: int) -> None:
    table = played(3)
    content = UnfinishedAgreement(0, 3, bytes(32), present)
    hear(table, HONEST, said(table, 0, content))
    assert table.heard(HONEST, EndProposed) == []


# --- open hand files ------------------------------------------------------------------------------


def open_file(table: Table, place: Path) -> Path:
    return place / open_hand_name(table.charter.table, 0)


def test_a_result_that_waits_for_a_signature_has_a_file_until_it_is_signed(tmp_path: Path) -> None:
    table = one_has_not_signed()
    session, files = table.sessions[0], HandFiles(tmp_path)
    files.keep(Waiting((GONE,), 0.0), session)
    path = open_file(table, tmp_path)
    (hand,) = audit_bytes(path.read_bytes(), lambda _: table.game).hands
    assert hand.outcome is not None
    assert hand.unconfirmed == (GONE,)
    assert strangers_in(tmp_path) == ()
    table.heal()
    table.run(table.all_played(1))
    (over,) = (e for e in table.chairs[0].events if isinstance(e, HandEnded))
    files.keep(over, session)
    assert not path.exists()
    assert files.transcripts == (transcript_path(tmp_path, session.charter, 0),)


def test_a_hand_that_is_left_has_a_file_that_says_what_is_owed_and_by_whom(tmp_path: Path) -> None:
    table = played(3)
    session = table.sessions[0]
    HandFiles(tmp_path).save_open(session)
    hand = session.table_state.hand()
    report = audit_bytes(open_file(table, tmp_path).read_bytes(), lambda _: table.game)
    assert report.broken.check == "ledger.settled"
    waits = ", ".join(FOUR_SEAT_NAMES[seat] for seat in hand.ledger.missing)
    assert report.broken.detail.endswith(f"{waits} ({hand.machine.phase.value})")


def test_the_file_of_an_end_that_does_not_hold_goes(tmp_path: Path) -> None:
    table = ended(abandoned())
    session, files = table.sessions[0], HandFiles(tmp_path)
    files.keep(HandUnfinished(0, PRESENT), session)
    path = transcript_path(tmp_path, session.charter, 0)
    assert files.transcripts == (path,)
    assert path.exists()
    files.save_open(session)  # it has ended: there is nothing open
    assert not open_file(table, tmp_path).exists()
    files.keep(EndUndone(0), session)
    assert files.transcripts == ()
    assert not path.exists()


# --- a hand that those present end ----------------------------------------------------------------


def abandoned() -> Table:
    """Four seats, one of which is silent from some rounds of the hand on."""
    return _abandoned().twin()


@cache
def _abandoned() -> Table:
    table = played(3)
    table.part(GONE)
    table.wait(60)
    return table


def ended(table: Table) -> Table:
    for seat in PRESENT:
        table.act(seat, EndUnfinished(PRESENT))
        table.deliver_all()
    return table


def test_all_who_are_present_write_one_file_and_it_is_valid() -> None:
    table = ended(abandoned())
    assert len({file_of(table, 0, seat) for seat in PRESENT}) == 1
    report = report_of(table, 0)
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
    report = report_of(table, 0, GONE)  # perhaps without words of the open round
    assert report.valid
    assert report.hands[0].ended_by == PRESENT


# --- files that are none -------------------------------------------------------------------------


def agreement_record(table: Table, seat: int, content: NoticeContent) -> DraftRecord:
    """A record with what a seat might have signed."""
    return DraftRecord(b"U", notice(table.charter, seat, content))


def changed_ends() -> Iterator[Vector]:
    """The vectors that change the file of a hand which three seats have ended."""
    rows = json.loads((DEFAULT / "transcript.json").read_text("ascii"))["vectors"]
    files = {row["id"]: row["input"]["transcript"].get("file") for row in rows}
    changed = {row["id"] for row in rows if files.get(row.get("base")) == "hands/unfinished.p304"}
    yield from (each for each in vectors_in(DEFAULT, ("transcript",)) if each.id in changed)


CHANGED = {each.about: each for each in changed_ends()}


@pytest.mark.parametrize("about", CHANGED)
def test_a_file_that_was_changed_is_refused_and_convicts_nobody(about: str) -> None:
    asked = CHANGED[about]
    assert answers.ask(asked.op, asked.input) == {"reject": asked.expect, "seat": None}


def test_nobody_ends_a_hand_alone_nor_by_other_words_nor_behind_its_end(over: Table) -> None:
    draft = Draft.of(file_of(over, 0))
    first, *_, last = draft.places(b"U")
    content = notice_in(draft.records[first].payload).content
    alone = agreement_record(over, 0, replace(content, present=0b1))
    chat = agreement_record(over, 0, Chat("I agree.")).payload
    for changed, check in (
        (draft.without(first, last + 1).insert(first, alone), "agreement.seats"),
        (draft.with_record(first, chat), "agreement.hand"),
        (draft.swap(last, draft.places(b"E")[-1]), "agreement.seats"),
    ):
        broken = audit_bytes(changed.to_bytes(), lambda _: GAME).broken
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
    assert session.seats_without_end() == ()
    assert session.open_claims() == ()


def test_before_the_first_hand_there_is_nothing_to_end() -> None:
    table = Table(TinyGame(4, target=100), 3)
    with pytest.raises(LocalError, match="no hand to end"):
        table.act(0, EndUnfinished(PRESENT))
    with pytest.raises(LocalError, match="not our turn"):
        table.act(0, "anything")


# --- leaving --------------------------------------------------------------------------------------


QUESTION = b"?" * QUESTION_BYTES
FIRST = 3  #: The seat that has the whole hand first, with this seed.


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
    assert table.sessions[FIRST].seats_without_end() == PRESENT
    for _ in range(3):
        ask(table)
    assert table.all_played(1)()
    assert table.sessions[FIRST].seats_without_end() == ()


def test_old_heads_do_not_undo_what_a_seat_has_told() -> None:
    table = first_to_end()
    behind = table.sessions[0].act(Ask(QUESTION), now=table.now)
    (old,) = [event.envelope for event in behind if isinstance(event, Send)]
    for _ in range(3):
        ask(table)
    session = table.sessions[FIRST]
    session.receive(old, now=table.now)
    assert session.seats_without_end() == ()


def test_a_hand_that_has_ended_cannot_be_ended_in_its_file() -> None:
    table = Table(TinyGame(4, target=100), 3).played()
    table_state = table.sessions[0].table_state
    draft = Draft.of(hand_transcript(table_state, 0))
    content = agreement_to_end(table.replica(Lane.HAND), PRESENT)
    records = [agreement_record(table, seat, content) for seat in PRESENT]
    report = audit_bytes(draft.insert(draft.places(b"E")[-1], *records).to_bytes(), lambda _: GAME)
    assert report.broken.check == "agreement.hand"
