"""Evidence and files that stand on their own: a stranger comes to the same verdict, and files of
seats that all conspire convict nobody else."""

from __future__ import annotations

import random
from typing import Any

import pytest

from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage, ProofError
from protocol.group.scalar import SecretScalar
from protocol.places import Lane, LedgerName
from protocol.seat.watcher import Watcher
from protocol.table.events import SeatSuspected
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
from protocol.table.replica import LedgerReplica
from protocol.transcript.auditor import Report, audit_bytes, results
from protocol.wire.contents import Action, Chat, HandKeys
from protocol.wire.envelope import Purpose, sign
from protocol.wire.evidence_file import FAULT_KIND, MAX_EVIDENCE_BYTES, evidence_file
from tests.table.bus import Colluders, charter, flipped, notice, refused, signed, signing_key

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


GAME = Game304(named_profile("pagat", ()))


def test_a_body_that_does_not_decode_makes_no_conflict() -> None:
    agreed = charter(game="304")
    name = LedgerName(Lane.HAND, 0)
    good = signed(agreed, name, 0, 2, Action("pass"), previous=bytes(32)).raw
    digest = agreed.digest
    bad = sign(signing_key(2), b"\xc1", purpose=Purpose.LEDGER, seat=Seat(2), charter=digest)
    for pair in ((good, bad.to_bytes()), (bad.to_bytes(), good)):
        assert refused(check_evidence, Conflict(agreed, *pair), GAME) == "evidence.conflict"


# --- files of colluders ---------------------------------------------------------------------------


START = GAME.new_match(bytes(32)).scores
ELSEWHERE = b"e" * 32


def audited(table: Colluders) -> Report:
    return audit_bytes(table.file(), lambda _: GAME)


def broken(table: Colluders) -> str:
    report = audited(table)
    assert not report.valid
    assert report.broken is not None
    return report.broken.check


def whole_hand(**choices: Any) -> tuple[Colluders, LedgerReplica[Any], LedgerReplica[Any], Any]:
    """The first hand of a match: the seats, its deck, itself, and the match after it."""
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(0, match.dealer, opening.ledger.head)
    hand = table.hand(deck, match.dealer, match.scores, opening.ledger.head, **choices)
    outcome: Any = hand.machine.outcome
    return table, deck, hand, GAME.after_hand(match, outcome)


def in_mid_match(
    scores: tuple[int, ...] = START,
) -> tuple[Colluders, LedgerReplica[Any], LedgerReplica[Any]]:
    """A hand in the middle of a match: the seats, the opening, and the hand."""
    table = Colluders(GAME)
    opening = table.opening()
    return table, opening, table.hand(table.deck(4, 1, ELSEWHERE), 2, scores, ELSEWHERE)


def test_a_first_deck_after_a_hand_in_mid_match_is_refused_by_name() -> None:
    table, opening, _ = in_mid_match()
    table.deck(0, 1, opening.ledger.head)
    assert broken(table) == "transcript.order"


def test_the_first_hand_of_a_first_match_is_hand_0() -> None:
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(3, 1, ELSEWHERE)
    table.hand(deck, match.dealer, match.scores, opening.ledger.head)
    assert broken(table) == "ledger.after"


def test_scores_of_another_shape_are_refused_in_mid_match_too() -> None:
    for scores in ((), (1,), (*START, 5)):
        table, *_ = in_mid_match(scores)
        assert broken(table) == "match.scores"


def test_another_match_follows_no_hand_in_mid_match_that_ended_none() -> None:
    table, _, hand = in_mid_match()
    table.opening(1, (hand.ledger.head,))
    assert broken(table) == "transcript.order"


def test_what_a_lone_hand_does_not_tell_is_not_reported_as_checked() -> None:
    table, *_ = in_mid_match()
    report = audited(table)
    assert report.valid
    found = results(report)
    assert (found["match.dealer"], found["match.scores"]) == ("not known", "not known")
    assert found["result.signatures"] == "passed"
    whole, *_ = whole_hand()
    found = results(audited(whole))
    assert (found["match.dealer"], found["match.scores"]) == ("passed", "passed")


def test_missing_signatures_are_never_reported_as_checked() -> None:
    table, *_ = whole_hand(unsigned=(1, 3))
    report = audited(table)
    assert report.valid
    assert [hand.unconfirmed for hand in report.hands] == [(1, 3)]
    assert results(report)["result.signatures"] == "not known"


def test_nothing_follows_a_hand_without_all_its_signatures() -> None:
    table, deck, hand, match = whole_hand(unsigned=(2,))
    dealt = hand.origin.leading
    after = table.deck(1, (dealt + 1) % 4, deck.ledger.head)
    table.hand(after, match.dealer, match.scores, hand.ledger.head)
    assert broken(table) == "ledger.settled"


class Opposite(Secrets):
    """Secrets whose keys are the negatives of another seat's."""

    __slots__ = ("_other",)

    def __init__(self, other: Secrets) -> None:
        super().__init__(bytes(32))
        self._other = other

    def hand_secret(self, deal: int) -> HandSecret:
        card, suit = (-each for each in _halves(self._other.hand_secret(deal)))
        return HandSecret(SecretScalar(card.value), SecretScalar(suit.value))


def _halves(secret: HandSecret) -> tuple[SecretScalar, SecretScalar]:
    return secret.card, secret.suit


def test_keys_that_cancel_are_nobodys_crash() -> None:
    table = Colluders(GAME)
    table.secrets[2:] = [Opposite(each) for each in table.secrets[:2]]
    opening = table.opening()
    assert opening.machine.luck is not None
    dealer = GAME.new_match(opening.machine.luck).dealer
    deck = table.deck(0, dealer, opening.ledger.head)
    assert broken(table) == "key.sum"
    watcher = Watcher(charter=table.charter, game=GAME)
    messages = [each for closed in opening.ledger.rounds for each in closed.messages]
    events = [
        event for each in (*messages, *deck.ledger.accepted) for event in watcher.receive(each.raw)
    ]
    assert [event for event in events if isinstance(event, SeatSuspected)] == [
        SeatSuspected(Seat(3), "key.sum")
    ]


def test_no_order_of_ledgers_escapes_the_auditor() -> None:
    chance = random.Random(3)
    table, *_ = whole_hand()
    first = list(table.written)
    later = Colluders(GAME)
    opening = later.opening(1, (ELSEWHERE,))
    deck = later.deck(1, 2, ELSEWHERE)
    later.hand(deck, 1, START, opening.ledger.head)
    pool = [*first, *later.written]
    found = set()
    for _ in range(40):
        table.written = [chance.choice(pool) for _ in range(chance.randrange(1, 8))]
        report = audited(table)
        found.add(report.broken and report.broken.check)
    assert {"transcript.missing", "transcript.order", "ledger.after"} <= found


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
