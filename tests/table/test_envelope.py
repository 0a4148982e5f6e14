"""The envelope: authority comes from the signature, checked before anything is decoded."""

from __future__ import annotations

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.places import Lane, LedgerName
from protocol.table.evidence import Fault, evidence_from_bytes
from protocol.wire.contents import LuckOpening
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.messages import Message, open_ledger_message, open_message
from tests.table.resigning import signed_again
from tests.table.seating import charter, envelope, refused, signing_key

AGREED = charter()
TABLE = LedgerName(Lane.TABLE, 0)


def honest(seat: int = 1) -> Envelope:
    return envelope(AGREED, TABLE, 1, seat, LuckOpening(bytes(32)), previous=b"p" * 32)


def dropped(raw: bytes) -> str:
    return refused(open_message, raw, AGREED)


def test_a_body_signed_by_another_seat_or_a_stranger_is_dropped() -> None:
    for stranger in (signing_key(2), signing_key(9)):
        forged = envelope(
            AGREED, TABLE, 1, 1, LuckOpening(bytes(32)), previous=b"p" * 32, key=stranger
        )
        assert dropped(forged.to_bytes()) == "signature"
    assert dropped(honest(1).to_bytes()[:2] + b"\x09" + honest(1).to_bytes()[3:]) == "envelope.seat"


def test_a_signature_for_another_purpose_or_table_is_dropped() -> None:
    body = honest().body
    chat = sign(signing_key(1), body, purpose=Purpose.NOTICE, seat=Seat(1), charter=AGREED.digest)
    as_ledger = Envelope(Purpose.LEDGER, Seat(1), chat.signature, body)
    assert dropped(as_ledger.to_bytes()) == "signature"
    elsewhere = sign(
        signing_key(1), body, purpose=Purpose.LEDGER, seat=Seat(1), charter=charter(3).digest
    )
    assert dropped(elsewhere.to_bytes()) == "signature"


def test_unsigned_junk_never_reaches_the_decoder() -> None:
    # Were the body decoded first, this would be a PeerFault or an encoding error.
    for body in (b"\xc0", b"\xdd\xff\xff\xff\xff", b"\x91" * 1_000):
        raw = Envelope(Purpose.LEDGER, Seat(1), bytes(64), body).to_bytes()
        assert dropped(raw) == "signature"


def test_an_envelope_of_another_version_is_told_with_both_versions() -> None:
    raw = Envelope(Purpose.LEDGER, Seat(1), bytes(64), b"\xc0").to_bytes()
    with pytest.raises(MalformedMessage, match="9, ours is 1"):
        Envelope.from_bytes(b"\x09" + raw[1:])


def test_a_malformed_body_under_a_good_signature_is_its_signers() -> None:
    for body, check in (
        (b"\xc0", "encoding.type"),
        (b"\x91\x01\x01", "encoding.trailing"),
        (b"\x91\x01", "schema.fields"),
        (b"\x01", "schema.type"),
    ):
        made = sign(
            signing_key(3), body, purpose=Purpose.LEDGER, seat=Seat(3), charter=AGREED.digest
        )
        with pytest.raises(PeerFault) as caught:
            open_message(made.to_bytes(), AGREED)
        assert (caught.value.seat, caught.value.check) == (3, check)
        (evidence,) = caught.value.evidence
        fault = evidence_from_bytes(evidence)
        assert isinstance(fault, Fault)
        assert (fault.check, fault.message) == (check, made.to_bytes())


def test_a_body_that_names_another_seat_or_table_is_dropped() -> None:
    other_seat = sign(
        signing_key(2), honest(1).body, purpose=Purpose.LEDGER, seat=Seat(2), charter=AGREED.digest
    )
    assert dropped(other_seat.to_bytes()) == "envelope.other_seat"
    message = open_ledger_message(honest().to_bytes(), AGREED).message
    moved = Message(b"q" * 8, message.place, message.previous, message.content)
    other_table = sign(
        signing_key(1), moved.to_bytes(), purpose=Purpose.LEDGER, seat=Seat(1),
        charter=AGREED.digest,
    )  # fmt: skip
    assert dropped(other_table.to_bytes()) == "envelope.other_table"


def test_two_good_signatures_on_one_body_are_one_message() -> None:
    made = honest()
    second = signed_again(made, AGREED)
    assert second.signature != made.signature
    one = open_ledger_message(made.to_bytes(), AGREED)
    other = open_ledger_message(second.to_bytes(), AGREED)
    assert one.id == other.id
    assert made.message_id == one.id


def test_an_empty_or_oversize_body_is_our_own_error() -> None:
    for body in (b"", bytes(16_001)):
        with pytest.raises(LocalError):
            sign(signing_key(1), body, purpose=Purpose.LEDGER, seat=Seat(1), charter=bytes(32))
