"""Faults of our own: a library that raises, a check that is broken. They accuse nobody."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cli.errors import verdict_on
from cli.seat.bots import BotSeat
from cli.seat.charter_text import game_of
from p2p304.errors import RulesError
from p2p304.games import create_game
from protocol.cards import deck
from protocol.cards.deck import ProvenShuffle
from protocol.errors import IdentityPoint, InternalFault, LocalError, ProofError
from protocol.group import point as group
from protocol.group.constants import shuffle_generators
from protocol.group.point import GENERATOR, Point, base_multiply, negate, sum_points
from protocol.group.scalar import Scalar
from protocol.table import setups as preparing
from protocol.table.events import SeatBlamed, SeatSuspected, SessionStopped
from protocol.table.evidence import Fault, evidence_from_bytes
from protocol.table.judge_again import check_evidence, confirm
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire.contents import HandKeys, ShuffleStep
from protocol.wire.messages import SignedMessage, open_message
from tests.campaigns.faults import libraries
from tests.table.bus import Table, refused
from tests.table.tiny_game import TinyGame
from tests.table.walks import WalkingTable, walked

EVIDENCE = Path(__file__).parents[2] / "specs" / "vectors" / "evidence"

# --- libraries that raise ------------------------------------------------------------------------


@pytest.mark.xdist_group(" ".join(map(str, libraries.HAND)))
def test_a_library_that_raises_accuses_nobody_and_accepts_nothing() -> None:
    """Of every kind of message, a call from each place in the code; `make faults` has them all."""
    heard = libraries.one_of_each_kind()
    assert len(heard) == libraries.KINDS
    tried = 0
    for each in heard:
        count, wrong = libraries.blames(each)
        tried += count
        assert not wrong
    assert tried > 200


def test_a_point_that_the_library_refuses_without_reason_is_nobodys_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good, off_curve = GENERATOR.to_bytes(), b"\2" + (5).to_bytes(32, "big")
    too_large = b"\2" + bytes([255]) * 32

    def refusing(*args: object) -> None:
        raise ValueError("planted")

    monkeypatch.setattr(group.PublicKey, "__init__", refusing)
    with pytest.raises(InternalFault):
        Point.from_bytes(good)
    for wrong in (off_curve, too_large):
        assert refused(Point.from_bytes, wrong) == "point.curve"


def test_a_sum_is_the_identity_only_if_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [base_multiply(Scalar(value)) for value in (1, 1, 5, 7)]
    nothing = [*points, negate(base_multiply(Scalar(14)))]

    def refusing(*args: object) -> None:
        raise ValueError("planted")

    for terms in (nothing, nothing[::-1], [points[0], negate(points[0])]):
        with pytest.raises(IdentityPoint):
            sum_points(terms)
    monkeypatch.setattr(group.PublicKey, "combine_keys", refusing)
    for terms in (nothing, nothing[::-1], [points[0], negate(points[0])]):
        with pytest.raises(IdentityPoint):
            sum_points(terms)
    for terms in (points, points[:2], nothing[1:], [*nothing, points[0]]):
        with pytest.raises(InternalFault):
            sum_points(terms)


# --- a library that lies now and then -----------------------------------------------------------


def drop_signs(patch: pytest.MonkeyPatch, number: int) -> None:
    """Drop the sign of one point in 256 where it is written, of others for each number."""
    write, salt = group.PublicKey.format, number.to_bytes(4, "big")

    def written(key: Any, compressed: bool = True) -> bytes:
        data = write(key, compressed)
        wrong = compressed and sha256(salt + data).digest()[0] == 0
        return b"\2" + data[1:] if wrong else data

    patch.setattr(group.PublicKey, "format", written)


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    write = group.PublicKey.format

    def lie(number: int) -> None:
        monkeypatch.setattr(group.PublicKey, "format", write)
        drop_signs(monkeypatch, number)

    return lie


def test_an_audit_by_a_library_that_lies_rarely_convicts_nobody(
    lying: Callable[[int], None],
) -> None:
    data, doubted = hand_transcript(walked(*libraries.HAND).sessions[0].table_state, 0), 0
    for number in range(4):
        lying(number)
        try:
            report = audit_bytes(data, lambda _: create_game("304", libraries.HAND[0]))
        except InternalFault:
            doubted += 1
        else:
            assert report.broken is None or report.broken.seat is None
    assert doubted


def test_what_convicts_is_not_in_doubt_and_a_reader_who_is_says_so(
    lying: Callable[[int], None],
) -> None:
    data = (EVIDENCE / "a-shuffle-of-another-deck.p304e").read_bytes()
    evidence = evidence_from_bytes(data)
    game = game_of(evidence.charter)
    conviction = check_evidence(evidence, game)
    confirm(evidence, game)
    with pytest.raises(InternalFault, match="curve library"):
        confirm(replace(evidence, check="key.proof"), game)
    lying(0)
    with suppress(InternalFault, ProofError):
        assert check_evidence(evidence, game) == conviction


def test_a_library_that_is_wrong_about_a_constant_convicts_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The constants of a shuffle are kept from before the doubt, and must be made anew in it."""
    found = evidence_from_bytes((EVIDENCE / "a-shuffle-out-of-turn.p304e").read_bytes())
    assert isinstance(found, Fault)
    (before,) = found.prefix
    *earlier, shuffle = before.messages
    accused = Fault(
        found.charter, "shuffle.equation", (replace(before, messages=tuple(earlier)),), shuffle
    )
    game = game_of(found.charter)
    assert refused(check_evidence, accused, game) == "evidence.fault"
    constant, multiply = shuffle_generators(1)[0].to_bytes(), group.PublicKey.multiply

    def wrong(key: Any, scalar: bytes) -> Any:
        return multiply(key, bytes(31) + b"\2" if key.format() == constant else scalar)

    monkeypatch.setattr(group.PublicKey, "multiply", wrong)
    with pytest.raises(InternalFault, match="curve library"):
        check_evidence(accused, game)


# --- a check of ours that is broken --------------------------------------------------------------


class Doubling:
    """A shuffler that puts one card in the place of another, and a check that lets it pass."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.done = False
        self.shuffle = preparing.shuffle_deck
        patch.setattr(preparing, "shuffle_deck", self.shuffled)
        patch.setattr(deck, "verify_shuffle", lambda *args, **more: None)

    def shuffled(self, *args: Any, **more: Any) -> ProvenShuffle:
        step = self.shuffle(*args, **more)
        if self.done:
            return step
        self.done = True
        return replace(step, cards=(*step.cards[:-1], step.cards[0]))


@pytest.mark.parametrize("seed", range(4))
def test_a_doubled_card_is_an_internal_fault_for_whoever_sees_it(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no move that the rules refuse, and the seat that plays it is not accused."""
    table: Table = WalkingTable(create_game("304", "pagat"), seed, "closed")
    Doubling(monkeypatch)
    table.confirm()
    with pytest.raises(InternalFault) as caught:
        table.run(table.all_played(1))
    assert caught.value.check == "deck.twice"
    told = [each for chair in table.chairs for each in chair.events]
    assert not [each for each in told if isinstance(each, SeatBlamed | SeatSuspected)]
    assert {each.session.status for each in table.chairs} == {SessionStatus.PLAYING}


def test_an_internal_fault_is_no_move_refused_and_no_verdict() -> None:
    """The driver takes these two for a choice to be made again; `main` tells of a defect."""
    assert not issubclass(InternalFault, RulesError | LocalError)
    assert verdict_on(InternalFault("deck.twice")) is None


async def test_a_bot_whose_choice_is_refused_is_a_defect() -> None:
    with pytest.raises(InternalFault):
        await BotSeat(1).refused("wrong")


def without_proof(prove: Any, *args: Any, **more: Any) -> Any:
    step = prove(*args, **more)
    return replace(step, proof=bytes(len(step.proof)))


def for_another_purpose(prove: Any, *args: Any, **more: Any) -> Any:
    return prove(*args, **{**more, "purpose": b"another purpose"})


@pytest.mark.parametrize(
    ("place", "name", "wrong", "check"),
    [
        (preparing.masking, "prove_keys", without_proof, "key.proof"),
        (deck, "prove_shuffle", for_another_purpose, "shuffle.equation"),
    ],
    ids=["keys", "a shuffle"],
)
def test_a_wrong_proof_of_our_own_is_told_as_that_and_not_sent(
    place: Any, name: str, wrong: Any, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prover looks at nothing: the ledger does, before anything leaves."""
    monkeypatch.setattr(place, name, partial(wrong, getattr(place, name)))
    table = Table(TinyGame(3), 3).begun()
    with pytest.raises(InternalFault, match="our own message fails it") as caught:
        table.run(lambda: False)
    assert caught.value.check == check
    told = [each for chair in table.chairs for each in chair.events]
    assert not [each for each in told if isinstance(each, SeatBlamed | SessionStopped)]
    kind = HandKeys if check == "key.proof" else ShuffleStep
    sent = [open_message(raw, table.charter) for _, raw in table.sent]
    assert not any(
        isinstance(each, SignedMessage) and isinstance(each.content, kind) for each in sent
    )
