"""The table of messages: what is encoded decodes to itself, and nothing else decodes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2p304.seats import Seat
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.wire.charter import MAX_SEATS
from protocol.wire.contents import (
    MAX_NUMBER,
    MAX_REFEREES,
    MAX_ROUND,
    Action,
    HandKeys,
    Head,
    Heads,
    LuckOpening,
)
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.kinds import KINDS
from protocol.wire.messages import Message, Notice, RefereeWord, decode_body
from protocol.wire.schema import Binary, FieldType, Integer, Items, Record, Sequence, Text
from tests.table.seating import flipped, refused


def items_of(kind: FieldType) -> st.SearchStrategy[object]:
    match kind:
        case Integer(least, most):
            return st.integers(least, most)
        case Binary(least, most):
            return st.binary(min_size=least, max_size=min(most, least + 40))
        case Text(most, ascii_only):
            last = 0x7E if ascii_only else 0xD7FF
            letters = st.characters(min_codepoint=0x20, max_codepoint=last)
            return st.text(letters, max_size=min(most, 60))
        case Sequence(item, most):
            return st.lists(items_of(item), max_size=min(most, 4)).map(tuple)
        case Items(items):
            return st.tuples(*map(items_of, items))
        case Record(make, members):
            drawn = {member.name: items_of(member.type) for member in members}
            return st.fixed_dictionaries(drawn).map(lambda given: make(**given))
        case _:
            raise AssertionError(kind)


@st.composite
def bodies(draw: st.DrawFn) -> Message | Notice | RefereeWord:
    kind = draw(st.sampled_from(KINDS))
    content = draw(items_of(kind.record))
    table = draw(st.binary(min_size=8, max_size=8))
    seat = Seat(draw(st.integers(0, MAX_SEATS - 1)))
    if kind.purpose is Purpose.RULING:
        return RefereeWord(table, draw(st.integers(0, MAX_REFEREES - 1)), content)  # type: ignore[arg-type]
    if kind.lane is None:
        return Notice(table, seat, draw(st.integers(0, MAX_NUMBER)), content)  # type: ignore[arg-type]
    ledger = LedgerName(kind.lane, draw(st.integers(0, MAX_NUMBER)))
    place = Place(ledger, draw(st.integers(0, MAX_ROUND)), seat)
    previous = Digest(draw(st.binary(min_size=32, max_size=32)))
    return Message(table, place, previous, content)  # type: ignore[arg-type]


def decoded(body: bytes, purpose: Purpose = Purpose.LEDGER) -> Message | Notice | RefereeWord:
    return decode_body(Envelope(purpose, Seat(0), bytes(64), body))


def purpose_of(body: Message | Notice | RefereeWord) -> Purpose:
    match body:
        case Message():
            return Purpose.LEDGER
        case Notice():
            return Purpose.NOTICE
        case RefereeWord():
            return Purpose.RULING


@given(bodies())
@settings(max_examples=200)
def test_decoding_undoes_encoding(body: Message | Notice | RefereeWord) -> None:
    assert decoded(body.to_bytes(), purpose_of(body)) == body


@given(bodies(), st.data())
@settings(max_examples=200)
def test_a_changed_body_is_refused_or_is_another_message(
    body: Message | Notice | RefereeWord, data: st.DataObject
) -> None:
    whole = body.to_bytes()
    place, bits = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(1, 255))
    raw = flipped(whole, place, bits)
    try:
        other = decoded(raw, purpose_of(body))
    except MalformedMessage:
        return
    assert other != body
    assert other.to_bytes() == raw


MESSAGE = Message(
    b"c" * 8,
    Place(LedgerName(Lane.HAND, 7), 3, Seat(2)),
    Digest(b"p" * 32),
    Action("play 5", (b"proof",), (b"h" * 32,), (), ()),
)


def changed(position: int, value: Value) -> bytes:
    row = decode(MESSAGE.to_bytes())
    return encode((*row[:position], value, *row[position + 1 :]))


@pytest.mark.parametrize(
    ("position", "value", "check"),
    [
        (0, b"c" * 7, "schema.size"),
        (0, "c" * 8, "schema.type"),
        (1, 3, "schema.range"),
        (1, -1, "schema.range"),
        (1, int(Lane.DECK), "schema.lane"),
        (2, 1 << 32, "schema.range"),
        (2, -1, "schema.range"),
        (3, MAX_ROUND + 1, "schema.range"),
        (3, 1 << 63, "schema.range"),
        (4, 64, "schema.range"),
        (4, -1, "schema.range"),
        (4, (1 << 64) - 1, "schema.range"),
        (4, b"\x02", "schema.type"),
        (5, 0, "schema.kind"),
        (5, 99, "schema.kind"),
        (5, "6", "schema.kind"),
        (5, 3, "schema.lane"),
        (6, b"", "schema.size"),
        (7, 5, "schema.type"),
        (7, (), "schema.fields"),
        (7, ("play 5", (), (), ()), "schema.fields"),
        (7, ("play 5", (), (), (), (), ()), "schema.fields"),
        (7, (b"play 5", (), (), (), ()), "schema.type"),
        (7, ("play\n5", (), (), (), ()), "schema.ascii"),
        (7, ("pläy 5", (), (), (), ()), "schema.ascii"),
        (7, ("p" * 401, (), (), (), ()), "schema.size"),
        (7, ("play 5", b"", (), (), ()), "schema.type"),
        (7, ("play 5", (1,), (), (), ()), "schema.type"),
        (7, ("play 5", (b"",) * 65, (), (), ()), "schema.size"),
        (7, ("play 5", (), (b"h" * 33,), (), ()), "schema.size"),
        (7, ("play 5", (), (), ((b"a",),), ()), "schema.type"),
        (7, ("play 5", (), (), (b"",), ()), "schema.size"),
    ],
)
def test_a_field_that_does_not_fit_is_refused(position: int, value: Value, check: str) -> None:
    assert refused(decoded, changed(position, value)) == check


def test_a_missing_or_additional_field_is_refused() -> None:
    row = decode(MESSAGE.to_bytes())
    *head, fields = row
    inside = [(*head, other) for other in (fields[:-1], (*fields, 1), (*fields, b""), ())]
    for other in (row[:-1], (*row, 1), (*row, ()), (), *inside):
        assert refused(decoded, encode(other)) == "schema.fields"


def test_a_ledger_body_is_no_notice_and_the_reverse() -> None:
    with pytest.raises(MalformedMessage):
        decoded(MESSAGE.to_bytes(), Purpose.NOTICE)
    heads = Heads(b"", b"", (Head(0, 0, 0, b"d" * 32, 0),))
    with pytest.raises(MalformedMessage):
        decoded(Notice(b"c" * 8, Seat(0), 0, heads).to_bytes(), Purpose.LEDGER)


@pytest.mark.parametrize(
    "content",
    [
        LuckOpening(b"x" * 31),
        LuckOpening("x" * 32),  # type: ignore[arg-type]
        HandKeys(b"", b"p" * 96),
        Action("p" * 401),
        Action("tab\t"),
        Action("play", proofs=[b"p"]),  # type: ignore[arg-type]
        Action("play", commitments=(b"short",)),
    ],
)
def test_our_own_misfit_is_a_local_error(content: object) -> None:
    kind = next(kind for kind in KINDS if kind.record.make is type(content))
    assert kind.lane is not None
    place = Place(LedgerName(kind.lane, 0), 0, Seat(0))
    with pytest.raises(LocalError):
        Message(b"c" * 8, place, Digest(b"p" * 32), content).to_bytes()  # type: ignore[arg-type]


def test_content_in_a_wrong_lane_is_a_local_error() -> None:
    place = Place(LedgerName(Lane.DECK, 0), 0, Seat(0))
    with pytest.raises(LocalError):
        Message(b"c" * 8, place, Digest(b"p" * 32), MESSAGE.content).to_bytes()
