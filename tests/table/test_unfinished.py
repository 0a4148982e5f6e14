"""A hand that those present end without the one who is gone: what is signed, saved and audited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from cli.conformance.transcript_edits import Draft, Record
from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.seat.commands import EndUnfinished, PlayOn
from protocol.seat.step import SessionStatus
from protocol.table.agreement import agreement_to_end
from protocol.table.events import EndProposed, HandEnded, HandStarted, HandUnfinished
from protocol.transcript.auditor import Auditor, audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.transcript.report import Report, results
from protocol.wire.contents import Chat, Content, NoticeContent, UnfinishedAgreement
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.messages import Notice, decode_body, table_tag
from tests.table.bus import Table
from tests.table.seating import signing_key
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
        table.run(lambda: not table.flying)
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


def test_an_audit_tells_the_end_and_no_result() -> None:
    table = ended(abandoned())
    events = list(Auditor(lambda _: table.game).feed(file_of(table)))
    assert HandUnfinished(0, PRESENT) in events
    assert any(isinstance(each, HandStarted) for each in events)
    assert not any(isinstance(each, HandEnded) for each in events)


def test_the_others_are_told_who_wants_to_end_the_hand_and_with_whom() -> None:
    table = abandoned()
    table.act(0, EndUnfinished(PRESENT))
    table.run(lambda: not table.flying)
    for seat in (1, 2):
        proposed = table.heard(seat, EndProposed)
        assert proposed == [EndProposed(Seat(0), 0, PRESENT)]
    table.tick()  # what is repeated is told once
    table.run(lambda: not table.flying)
    assert sum(isinstance(e, EndProposed) for e in table.chairs[1].events) == 1


def test_who_agrees_twice_signs_once() -> None:
    table = abandoned()
    table.act(0, EndUnfinished(PRESENT))
    sent = len(table.sent)
    table.act(0, EndUnfinished(PRESENT))
    assert len(table.sent) == sent
    table.restart(0)
    table.act(0, EndUnfinished(PRESENT))
    assert len(agreements(table)) == 1
    table.act(0, EndUnfinished((Seat(0), Seat(1))))
    assert len(agreements(table)) == 2


def agreements(table: Table) -> set[bytes]:
    return {
        raw
        for _, raw in table.sent
        if Envelope.from_bytes(raw).purpose is Purpose.NOTICE
        and isinstance(notice_in(raw).content, UnfinishedAgreement)
    }


def notice_in(raw: bytes) -> Notice:
    body = decode_body(Envelope.from_bytes(raw))
    assert isinstance(body, Notice)
    return body


def test_an_agreement_with_others_does_not_end_it_and_the_right_one_then_does() -> None:
    table = abandoned()
    table.act(0, EndUnfinished((Seat(0), Seat(1))))
    table.act(1, EndUnfinished(PRESENT))
    table.act(2, EndUnfinished(PRESENT))
    table.run(lambda: not table.flying)
    assert table.statuses()[:3] == ["AGREEING"] * 3
    table.act(0, EndUnfinished(PRESENT))
    table.run(lambda: not table.flying)
    assert table.statuses()[:3] == ["UNFINISHED"] * 3
    assert len({file_of(table, seat) for seat in PRESENT}) == 1


def test_what_was_under_way_when_some_agreed_moves_their_agreement_on() -> None:
    table = abandoned()
    before = closed_rounds(table)
    # The last words of the one who goes reach seat 0 alone.
    table.weather.cut = lambda step, sender, reader: reader in (1, 2) and sender in (0, GONE)
    table.run(lambda: closed_rounds(table) > before)
    table.part(GONE)
    for seat in PRESENT:
        table.act(seat, EndUnfinished(PRESENT))
    for _ in range(10):
        table.run(lambda: not table.flying)
        table.tick()
    assert table.statuses()[:3] == ["UNFINISHED"] * 3
    files = {file_of(table, seat) for seat in PRESENT}
    assert len(files) == 1
    assert audited(table, files.pop()).valid


def test_after_a_restart_the_file_is_the_same_although_nobody_says_anything_more() -> None:
    table = ended(abandoned())
    whole = file_of(table, 1)
    table.weather.cut = lambda step, sender, reader: True
    table.flying.clear()
    for seat in PRESENT:
        table.restart(seat)
        assert table.sessions[seat].status is SessionStatus.UNFINISHED
        assert file_of(table, seat) == whole


def test_who_was_gone_learns_when_coming_back_that_the_others_have_ended_it() -> None:
    table = ended(abandoned())
    table.heal()
    table.restart(GONE)
    for _ in range(4):
        table.tick()
        table.run(lambda: not table.flying)
    assert table.statuses() == ["UNFINISHED"] * 4
    assert HandUnfinished(0, PRESENT) in table.chairs[GONE].events
    report = audited(table, file_of(table, GONE))  # perhaps without words of the open round
    assert report.valid
    assert report.hands[0].ended_by == PRESENT


def test_one_seat_alone_ends_nothing_and_nobody_ends_what_has_ended() -> None:
    table = abandoned()
    for present in ((Seat(0),), (Seat(1), Seat(2))):
        with pytest.raises(LocalError, match=r"too few|others would"):
            table.act(0, EndUnfinished(present))
    done = Table(TinyGame(4, target=100), 3).played()
    assert done.sessions[0].agreed_end() == ()


# --- files that are none --------------------------------------------------------------------------


def said(table: Table, seat: int, content: NoticeContent | Content, *, key: int = -1) -> Record:
    """A record with what a seat might have signed, or what another signed in its name."""
    assert isinstance(content, UnfinishedAgreement | Chat)
    charter = table.charter.digest
    notice = Notice(table_tag(charter), Seat(seat), 99, content)
    envelope = sign(
        signing_key(seat if key < 0 else key),
        notice.to_bytes(),
        purpose=Purpose.NOTICE,
        seat=Seat(seat),
        charter=charter,
    )
    return Record(b"U", envelope.to_bytes())


Change = Callable[[Table, Draft], Draft]


def _no_agreement(table: Table, draft: Draft) -> Draft:
    first, *_, last = draft.places(b"U")
    return draft.without(first, last + 1)


def _one_missing(table: Table, draft: Draft) -> Draft:
    return draft.without(draft.places(b"U")[1])


def _another_order(table: Table, draft: Draft) -> Draft:
    first, second, _ = draft.places(b"U")
    return draft.swapped(first, second)


def _one_twice(table: Table, draft: Draft) -> Draft:
    place = draft.places(b"U")[0]
    return draft.inserted(place, draft.records[place])


def _a_fourth(table: Table, draft: Draft) -> Draft:
    content = content_in(draft)
    return draft.inserted(draft.places(b"U")[-1] + 1, said(table, GONE, content))


def _others_present(table: Table, draft: Draft) -> Draft:
    return _all(table, draft, present=0b1111)


def _a_round_less(table: Table, draft: Draft) -> Draft:
    return _all(table, draft, closed=content_in(draft).closed - 1)


def _another_digest(table: Table, draft: Draft) -> Draft:
    return _all(table, draft, digest=bytes(32))


def _another_hand(table: Table, draft: Draft) -> Draft:
    return _all(table, draft, hand=1)


def _a_seat_beyond(table: Table, draft: Draft) -> Draft:
    return _all(table, draft, present=0b10111)


def _not_the_same(table: Table, draft: Draft) -> Draft:
    other = replace(content_in(draft), present=0b1011)
    place = draft.places(b"U")[1]
    return draft.with_record(place, said(table, 1, other).payload)


def _alone(table: Table, draft: Draft) -> Draft:
    draft = _no_agreement(table, draft)
    hand = table.hand()
    content = agreement_to_end(hand, (Seat(0),))
    return draft.inserted(draft.places(b"E")[-1], said(table, 0, content))


def _forged(table: Table, draft: Draft) -> Draft:
    place = draft.places(b"U")[2]
    return draft.with_record(place, said(table, 2, content_in(draft), key=0).payload)


def _chat(table: Table, draft: Draft) -> Draft:
    return draft.with_record(draft.places(b"U")[0], said(table, 0, Chat("I agree.")).payload)


def _a_ledger_message(table: Table, draft: Draft) -> Draft:
    message = draft.records[draft.places(b"M")[-1]].payload
    return draft.with_record(draft.places(b"U")[0], message)


def _in_the_deck(table: Table, draft: Draft) -> Draft:
    place = draft.places(b"U")[0]
    return draft.inserted(draft.places(b"E")[1], draft.records[place])


def _before_the_last_message(table: Table, draft: Draft) -> Draft:
    return draft.swapped(draft.places(b"M")[-1], draft.places(b"U")[0])


def _in_an_open_round(table: Table, draft: Draft, signing: tuple[Seat, ...] = PRESENT) -> Draft:
    """End the hand where a message of its first round stands before the agreements."""
    last = draft.places(b"L")[-1]
    start, messages = draft.places(b"U")[0], draft.places(b"M")
    first = next(place for place in messages if place > last)
    hand = table.hand()
    content = replace(content_in(draft), closed=0, digest=hand.ledger.digest_after(0))
    ended = [said(table, seat, content) for seat in signing]
    amid = draft.without(start, start + len(PRESENT)).inserted(start, *ended)
    return amid.without(first + 1, messages[-1] + 1)


def _in_an_open_round_and_one_missing(table: Table, draft: Draft) -> Draft:
    return _in_an_open_round(table, draft, PRESENT[:2])


def _a_message_after(table: Table, draft: Draft) -> Draft:
    return draft.inserted(draft.places(b"U")[0] + 1, draft.records[draft.places(b"M")[-1]])


def _one_side(table: Table, draft: Draft) -> Draft:
    _, second, _ = draft.places(b"U")
    draft = draft.without(second)
    content = replace(content_in(draft), present=0b101)
    for seat, place in zip((0, 2), draft.places(b"U"), strict=True):
        draft = draft.with_record(place, said(table, seat, content).payload)
    return draft


def _after_the_end(table: Table, draft: Draft) -> Draft:
    return draft.swapped(draft.places(b"U")[-1], draft.places(b"E")[-1])


def _another_ledger_after(table: Table, draft: Draft) -> Draft:
    return draft.inserted(len(draft.records), draft.records[draft.places(b"L")[1]])


def content_in(draft: Draft) -> UnfinishedAgreement:
    content = notice_in(draft.records[draft.places(b"U")[0]].payload).content
    assert isinstance(content, UnfinishedAgreement)
    return content


def _all(table: Table, draft: Draft, **changed: int | bytes) -> Draft:
    content = replace(content_in(draft), **changed)  # type: ignore[arg-type]
    for seat, place in enumerate(draft.places(b"U")):
        draft = draft.with_record(place, said(table, seat, content).payload)
    return draft


REFUSED: tuple[tuple[Change, str], ...] = (
    (_no_agreement, "ledger.settled"),
    (_one_missing, "agreement.seats"),
    (_another_order, "agreement.seats"),
    (_one_twice, "agreement.seats"),
    (_a_fourth, "agreement.seats"),
    (_others_present, "agreement.seats"),
    (_alone, "agreement.seats"),
    (_a_round_less, "agreement.hand"),
    (_another_digest, "agreement.hand"),
    (_another_hand, "agreement.hand"),
    (_a_seat_beyond, "agreement.hand"),
    (_not_the_same, "agreement.hand"),
    (_chat, "agreement.hand"),
    (_in_the_deck, "agreement.hand"),
    (_forged, "signature"),
    (_a_ledger_message, "envelope.purpose"),
    (_before_the_last_message, "agreement.hand"),
    (_in_an_open_round, "agreement.hand"),
    (_in_an_open_round_and_one_missing, "agreement.hand"),
    (_a_message_after, "transcript.order"),
    (_one_side, "agreement.sides"),
    (_after_the_end, "agreement.seats"),
    (_another_ledger_after, "transcript.order"),
)


@pytest.fixture(scope="session")
def over() -> Table:
    return ended(abandoned())


@pytest.mark.parametrize(("change", "check"), REFUSED, ids=[c.__name__ for c, _ in REFUSED])
def test_a_file_that_was_changed_is_refused_and_convicts_nobody(
    over: Table, change: Change, check: str
) -> None:
    draft = Draft.of(file_of(over))
    assert audited(over, draft.to_bytes()).valid
    report = audited(over, change(over, draft).to_bytes())
    assert report.broken is not None
    assert (report.broken.check, report.broken.seat) == (check, None)
    assert report.broken.evidence is None


def test_a_hand_that_has_ended_cannot_be_ended_in_its_file() -> None:
    table = Table(TinyGame(4, target=100), 3).played()
    table_state = table.sessions[0].table_state
    draft = Draft.of(hand_transcript(table_state, 0))
    hand = table_state.replicas[min(n for n in table_state.replicas if n.lane.name == "HAND")]
    content = agreement_to_end(hand, PRESENT)
    records = [said(table, seat, content) for seat in PRESENT]
    report = audited(table, draft.inserted(draft.places(b"E")[-1], *records).to_bytes())
    assert report.broken is not None
    assert report.broken.check == "agreement.hand"


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
    table.run(lambda: not table.flying)
    assert {table.sessions[seat].status for seat in PRESENT} == {SessionStatus.UNFINISHED}
    assert session.lacking_end() == ()
    assert session.open_claims() == ()


def test_before_the_first_hand_there_is_nothing_to_end() -> None:
    table = Table(TinyGame(4, target=100), 3)
    with pytest.raises(LocalError, match="no hand to end"):
        table.act(0, EndUnfinished(PRESENT))
    with pytest.raises(LocalError, match="not our turn"):
        table.act(0, "anything")
