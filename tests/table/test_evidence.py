"""Evidence that stands on its own: a stranger with the file alone comes to the same verdict."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage, ProofError
from protocol.places import Lane, LedgerName
from protocol.table.evidence import (
    EQUIVOCATION,
    KEY_REUSE,
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
from tests.table.colluders import Colluders
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


def test_one_key_in_two_decks_convicts_its_owner() -> None:
    points = b"\x02" + b"a" * 32 + b"\x03" + b"b" * 32
    swapped = points[33:] + points[:33]
    fresh = b"\x02" + b"c" * 32 + b"\x03" + b"d" * 32
    for reused in (points, swapped, points[:33] + fresh[33:]):
        assert check_conflict(conflict(keys(0, 1, points), keys(1, 1, reused))) == (1, KEY_REUSE)
    for one, other in (
        (keys(0, 1, points), keys(1, 1, fresh)),
        (keys(0, 1, points), keys(1, 2, points)),
    ):
        with pytest.raises(ProofError):
            check_conflict(conflict(one, other))


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


def test_no_prefix_convicts_a_seat_of_an_honest_message() -> None:
    """Open rounds, contributions left out or of later rounds, other origins, other checks."""
    chance = random.Random(11)
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(0, match.dealer, opening.ledger.head)
    hand = table.hand(deck, match.dealer, match.scores, opening.ledger.head)
    for _ in range(30):
        replica: Any = chance.choice((opening, deck, hand))
        rounds = replica.ledger.rounds
        number = chance.randrange(len(rounds))
        accused = chance.choice(rounds[number].messages)
        before = [each.raw for closed in rounds[:number] for each in closed.messages]
        others = [each.raw for each in rounds[number].messages if each is not accused]
        before += chance.sample(others, chance.randrange(len(others) + 1))
        if chance.random() < 0.3 and before:
            del before[chance.randrange(len(before))]
        if chance.random() < 0.2:
            before += [each.raw for closed in rounds[number + 1 :] for each in closed.messages]
        origin = replica.origin
        if chance.random() < 0.3:
            origin = replace(origin, leading=Seat((origin.leading + 1) % 4))
        elif chance.random() < 0.3:
            origin = replace(origin, scores=(0, 22))
        prefix = Prefix(origin, tuple(before))
        basis = (deck.prefix(),) if replica is hand else ()
        for check in chance.sample(("turn.seat", "turn.kind", "action.rule", "shares.proof"), 1):
            fault = Fault(table.charter, check, (*basis, prefix), accused.raw)
            with pytest.raises((ProofError, MalformedMessage)) as refused:
                check_evidence(evidence_from_bytes(fault.to_bytes()), GAME)
            assert str(refused.value).startswith("evidence.")
