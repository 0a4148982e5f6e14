"""Evidence that stands on its own: a stranger with the file alone comes to the same verdict."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.table.evidence import (
    EQUIVOCATION,
    Conflict,
    Fault,
    Prefix,
    check_conflict,
    evidence_from_bytes,
)
from protocol.table.judge_again import check_evidence
from protocol.table.ledger import Origin
from protocol.wire.contents import Action, Chat, HandKeys
from protocol.wire.envelope import Purpose, sign
from protocol.wire.evidence_file import FAULT_KIND, MAX_EVIDENCE_BYTES, evidence_file
from tests.table.seating import charter, flipped, notice, refused, signed, signing_key

AGREED = charter()
HAND = LedgerName(Lane.HAND, 0)
PREVIOUS = b"p" * 32


def said(seat: int, text: str, *, number: int = 0, previous: bytes = PREVIOUS) -> bytes:
    return signed(AGREED, HAND, number, seat, Action(text), previous=previous).raw


def keys(deck: int, seat: int, points: bytes) -> bytes:
    name = LedgerName(Lane.DECK, deck)
    return signed(AGREED, name, 0, seat, HandKeys(points, b"p" * 96), previous=PREVIOUS).raw


def conflict(first: bytes, second: bytes) -> Conflict:
    return Conflict(AGREED, first, second)


EQUIVOCATED = conflict(said(2, "bid 160"), said(2, "bid 170"))
FAULT = Fault(
    AGREED,
    "share.proof",
    (Prefix(Origin(HAND, (b"a" * 32,), Seat(1)), (said(0, "pass"), said(1, "pass"))),),
    said(2, "bid 5"),
)


def test_two_bodies_for_one_place_convict_their_signer() -> None:
    assert check_conflict(EQUIVOCATED) == (2, EQUIVOCATION)
    other_history = conflict(said(2, "bid 160"), said(2, "bid 160", previous=b"q" * 32))
    assert check_conflict(other_history) == (2, EQUIVOCATION)


def test_what_an_honest_seat_may_have_signed_convicts_nobody() -> None:
    pairs = [
        (said(2, "bid 160"), said(2, "bid 160")),
        (said(2, "bid 160"), said(3, "bid 170")),
        (said(2, "bid 160"), said(2, "bid 170", number=1)),
    ]
    for first, second in pairs:
        assert refused(check_conflict, conflict(first, second)) == "evidence.conflict"


def test_forged_foreign_or_spoken_messages_convict_nobody() -> None:
    honest = said(2, "bid 160")
    forged = flipped(said(2, "bid 170"), -1)
    elsewhere = signed(charter(3), HAND, 0, 2, Action("bid 170"), previous=PREVIOUS).raw
    chat = notice(AGREED, 2, Chat("bid 170"))
    for other in (forged, elsewhere, chat, b""):
        for pair in ((honest, other), (other, honest)):
            with pytest.raises(MalformedMessage):
                check_conflict(conflict(*pair))


@pytest.mark.parametrize("evidence", [EQUIVOCATED, FAULT], ids=["conflict", "fault"])
def test_evidence_round_trips(evidence: Conflict | Fault) -> None:
    assert evidence_from_bytes(evidence.to_bytes()) == evidence


def test_shapes_are_checked() -> None:
    row: Any = decode(FAULT.to_bytes(), max_bytes=MAX_EVIDENCE_BYTES)
    ledger = row[5][0]
    bad_ledgers = [
        (3, *ledger[1:]),
        (ledger[0], -1, *ledger[2:]),
        (*ledger[:2], (1,), *ledger[3:]),
        (*ledger[:3], 64, *ledger[4:]),
        (*ledger[:4], (b"",), ledger[5]),
        (*ledger[:5], (1,)),
        ledger[:5],
    ]
    bad = [(*row[:5], (each,), row[6]) for each in bad_ledgers]
    bad += [row[:-1], (*row, 1), (row[0], row[1], 3, *row[3:]), ("x", *row[1:])]
    for each in bad:
        data = encode(each, max_bytes=MAX_EVIDENCE_BYTES)
        assert refused(evidence_from_bytes, data).startswith("evidence.")


@pytest.mark.parametrize(
    ("lane", "after", "messages", "check"),
    [
        (3, (bytes(32),) * 3, (1,), "evidence.ledger"),
        (0, (bytes(32),) * 3, (1,), "evidence.shape"),
        (0, (bytes(32),) * 3, (b"",), "evidence.ledger"),
        (0, (bytes(31), 1), (b"",), "evidence.shape"),
    ],
    ids=["a lane first", "then types", "then digests", "types before sizes"],
)
def test_of_several_things_wrong_with_a_prefix_the_first_is_named(
    lane: int, after: tuple[bytes | int, ...], messages: tuple[bytes | int, ...], check: str
) -> None:
    prefix = (lane, 0, after, 0, (), messages)
    data = evidence_file(FAULT_KIND, charter().to_bytes(), "turn.seat", (prefix,), b"")
    assert refused(evidence_from_bytes, data) == check


# --- signed junk ----------------------------------------------------------------------------------


GAME = Game304(profile_named("pagat", ()))


def test_a_body_that_does_not_decode_makes_no_conflict() -> None:
    agreed = charter(game="304")
    name = LedgerName(Lane.HAND, 0)
    good = signed(agreed, name, 0, 2, Action("pass"), previous=bytes(32)).raw
    digest = agreed.digest
    bad = sign(signing_key(2), b"\xc1", purpose=Purpose.LEDGER, seat=Seat(2), charter=digest)
    for pair in ((good, bad.to_bytes()), (bad.to_bytes(), good)):
        assert refused(check_evidence, Conflict(agreed, *pair), GAME) == "evidence.conflict"
