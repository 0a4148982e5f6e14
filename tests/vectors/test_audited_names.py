"""What an audit lists is what an audit can find: each name with a file that fails it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from cli.conformance.tables import sign_body
from cli.seat.charter_text import game_of
from p2p304.cards import Slot, Suit
from p2p304.game import AnyGame, Step
from p2p304.rules304.actions import Pass
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK as PACK_304
from p2p304.seats import Seat
from p2p304.statements import AllOfSuit, AnyOf, NoneOfSuit, NotCard, Statement
from protocol.cards.keys import CARD_BYTES, HandSecret
from protocol.cards.secrets import Secrets
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError
from protocol.group.point import GENERATOR, POINT_BYTES
from protocol.group.scalar import SCALAR_BYTES
from protocol.proofs.batch_dleq import equality_bytes
from protocol.proofs.shuffle import ShuffleProof
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.transcript import auditor
from protocol.transcript.auditor import Broken, Report, audit_bytes, results
from protocol.transcript.checks import AUDITED, BY_NAME, VERIFICATIONS
from protocol.transcript.file import MAGIC
from protocol.wire.charter import Charter
from protocol.wire.identity import Purpose
from tests.table.bus import Colluders
from tests.table.test_attacks import Opposite
from tests.vectors.rehearsal import SAVED_HANDS, SavedFile
from tests.vectors.specification import SPECS

# --- audited faults -------------------------------------------------------------------------------

# Faulty transcripts: for each check that an audit can fail and no vector of files does.
#
# Most are a saved hand with one record changed and, if it is a message, signed again by its seat.

ONE = GENERATOR.to_bytes()
NO_SCALAR, NO_POINT = b"\xff" * 32, b"\x02" + b"\xff" * 32
PACK, HELD = 32, 8


class Faulty(NamedTuple):
    """A file, the check that an audit of it fails, and the game if the charter does not name it."""

    check: str
    data: bytes
    game: AnyGame | None = None

    def audited(self) -> Report:
        """The audit; raises as that does for what is no transcript."""
        return audit_bytes(self.data, self.game_of)

    def game_of(self, charter: Charter) -> AnyGame:
        """The game that the file is judged by."""
        return self.game or game_of(charter)


def faults() -> Iterator[Faulty]:
    """All of them."""
    yield from _charters()
    yield from _envelopes()
    yield from _bodies()
    yield from _cards()
    yield from _scores()
    yield from _conspiracies()
    yield from _statements()


def _charters() -> Iterator[Faulty]:
    hand = SavedFile.kept("passed-out")
    value: Any = decode(hand.draft.records[0].payload)
    seats = value[4]
    (key, name, nonce), second = seats[0], seats[1]

    def file(value: Value) -> bytes:
        return hand.draft.with_record(0, encode(value)).to_bytes()

    def first(*entry: Value) -> bytes:
        return file((*value[:4], (entry, *seats[1:]), *value[5:]))

    yield Faulty("charter.version", file((1, *value[1:])))
    yield Faulty("charter.table", file((value[0], bytes(15), *value[2:])))
    yield Faulty("charter.shape", file(value[:4]))
    yield Faulty("charter.game", file((*value[:2], "", *value[3:])))
    yield Faulty("charter.profile", file((*value[:3], "x" * 8_001, *value[4:])))
    yield Faulty("charter.term", file((*value[:5], (("bots", 1),))))
    yield Faulty("charter.term_order", file((*value[:5], (("b", 1), ("a", 1)))))
    going_on = SavedFile.kept("continued")
    term: Any = decode(going_on.draft.records[0].payload)
    name_of, fields = term[5][0]

    won = (*fields[:4], (0, 22), fields[5])
    partners = (*fields[:2], 0b0101, *fields[3:5], ())
    for check, changed in (("continuation.match", won), ("continuation.sides", partners)):
        agreed = encode((*term[:5], ((name_of, changed),)))
        yield Faulty(check, going_on.draft.with_record(0, agreed).to_bytes())
    yield Faulty("charter.nickname", first(key, " ", nonce))
    yield Faulty("charter.nonce", first(key, name, bytes(31)))
    yield Faulty("charter.duplicate_key", first(second[0], name, nonce))
    yield Faulty("charter.duplicate_nickname", first(key, second[1], nonce))
    yield Faulty("charter.duplicate_nonce", first(key, name, second[2]))
    yield Faulty("key.size", first(bytes(31), name, nonce))
    yield Faulty("key.canonical", first(b"\xff" * 32, name, nonce))
    yield Faulty("key.curve", first(b"\x02" + bytes(31), name, nonce))
    yield Faulty("key.order", first(b"\x01" + bytes(31), name, nonce))
    yield Faulty("encoding.size", hand.draft.with_record(0, bytes(16_001)).to_bytes())


def _envelopes() -> Iterator[Faulty]:
    hand = SavedFile.kept("passed-out")
    raw = hand.raw(0)
    yield Faulty("envelope.size", hand.put(0, raw[:67]))
    yield Faulty("envelope.seat", hand.put(0, raw[:2] + b"\x04" + raw[3:]))
    yield Faulty("envelope.other_seat", hand.changed(0, 4, (raw[2] + 1) % 4))


def _bodies() -> Iterator[Faulty]:
    hand = SavedFile.kept("passed-out")
    yield Faulty("encoding.truncated", hand.signed(0, hand.raw(0)[67:-1]))
    yield Faulty("encoding.canonical", hand.signed(0, b"\xcc\x01"))
    yield Faulty("encoding.depth", hand.signed(0, b"\x91" * 7 + b"\x00"))
    yield Faulty("encoding.text", hand.signed(0, b"\xa1\x00"))
    yield Faulty("schema.type", hand.changed(0, 7, 0))
    yield Faulty("schema.fields", hand.signed(0, hand.body(0)[:7]))
    yield Faulty("schema.kind", hand.changed(0, 5, 99))
    yield Faulty("schema.range", hand.changed(0, 3, -1))
    yield Faulty("schema.ascii", hand.acted(hand.number_of("cut"), text="cut\t7"))


def _cards() -> Iterator[Faulty]:
    hand = SavedFile.kept("passed-out")
    keys = hand.number_of(code=3)
    public, proof = hand.content(keys)
    card = public[:POINT_BYTES]
    yield Faulty("key.generator", hand.said(keys, ONE + public[POINT_BYTES:], proof))
    yield Faulty("key.halves", hand.said(keys, card + card, proof))
    yield Faulty("point.curve", hand.said(keys, NO_POINT + card, proof))
    yield Faulty("scalar.range", hand.said(keys, public, NO_SCALAR + proof[32:]))
    shuffle = hand.number_of(code=4)
    (step,) = hand.content(shuffle)
    split = PACK * CARD_BYTES
    argument = ShuffleProof.from_bytes(step[split:], cards=PACK)
    other = bytes((argument.commitments[0].to_bytes()[0] ^ 1,))
    opposite = other + argument.commitments[0].to_bytes()[1:]
    pair = argument.commitments[0].to_bytes() + opposite  # they add up to the identity
    rest = step[split + PACK * POINT_BYTES :]
    forged = hand.said(shuffle, step[:split] + pair * (PACK // 2) + rest)
    yield Faulty("shuffle.equation", forged)
    hand = SavedFile.kept("closed")
    down = hand.number_of(text="down", proofs=1)
    longer = hand.content(down)[1][0] + b"\0"
    yield Faulty("distinction.length", hand.acted(down, proofs=(longer,)))
    given = [number for number in range(len(hand.messages)) if hand.body(number)[5] == 6]
    handovers, salts = hand.content(given[0])
    short = (handovers[0][:-1], *handovers[1:])
    yield Faulty("hand-over.length", hand.said(given[0], short, salts))
    cover = handovers[0][:POINT_BYTES]
    handovers, salts = hand.content(given[-1])
    assert len(given) > 1
    again = (cover + handovers[0][POINT_BYTES:], *handovers[1:])
    yield Faulty("hand-over.reused", hand.said(given[-1], again, salts))


def _scores() -> Iterator[Faulty]:
    hand = SavedFile.kept("redeal")
    redeal = hand.number_of(text="redeal", proofs=1)
    (proof,) = hand.content(redeal)[1]
    places = PACK * CARD_BYTES + ShuffleProof.size(PACK)
    after = len(proof) - SCALAR_BYTES
    rows = places + 2 * HELD

    def changed(start: int, item: bytes) -> bytes:
        other = proof[:start] + item + proof[start + len(item) :]
        return hand.acted(redeal, proofs=(other,))

    yield Faulty("score.length", hand.acted(redeal, proofs=(proof + b"\0",)))
    yield Faulty("score.place", changed(places, b"\xff\xff"))
    yield Faulty("score.places", changed(places, proof[places + 2 : places + 4]))
    yield Faulty("score.rows", changed(rows, bytes(SCALAR_BYTES)))
    yield Faulty("score.sum", changed(after, bytes(SCALAR_BYTES)))


class SameKeys(Secrets):
    """Secrets that have one pair of keys for all deals."""

    __slots__ = ()

    def hand_secret(self, deal: int) -> HandSecret:
        return super().hand_secret(0)


def _conspiracies() -> Iterator[Faulty]:
    game = Game304(named_profile("pagat", ()))
    table = Colluders(game)
    table.secrets[2:] = [Opposite(each) for each in table.secrets[:2]]
    opening = table.opening()
    assert opening.machine.luck is not None
    dealer = game.new_match(opening.machine.luck).dealer
    table.deck(0, dealer, opening.ledger.head)
    yield Faulty("key.sum", table.file(), game)
    table = Colluders(game)
    table.secrets = [SameKeys(bytes((seat,)) * 32) for seat in range(4)]
    deck = table.deck(0, dealer, table.opening().ledger.head)
    following = (dealer + 1) % 4
    table.deck(1, following, deck.ledger.head)
    yield Faulty("keys.reused", table.file(), game)


class Demanding(Game304):
    """304 in which a pass must prove something of the seat's first card: rare in the real game."""

    def __init__(self, game: Game304, statement: Any) -> None:
        super().__init__(game.profile)
        self._statement = statement

    def apply(self, state: Any, seat: Seat, action: Any) -> Step[Any]:
        step: Step[Any] = super().apply(state, seat, action)
        if not isinstance(action, Pass):
            return step
        stated: Statement = self._statement(state.hands[seat][0])
        return step._replace(statements=(*step.statements, stated))


def _statements() -> Iterator[Faulty]:
    hand = SavedFile.kept("passed-out")
    passed = hand.number_of(text="pass")
    plain = hand.table.game

    def lists(slot: Slot) -> Statement:
        return AnyOf((NoneOfSuit((slot,), Suit.CLUBS), NoneOfSuit((slot,), Suit.HEARTS)))

    for check, statement, proof in (
        ("suit-opening.proof", lambda slot: AllOfSuit((slot,), Suit.CLUBS),
         bytes(equality_bytes(1))),
        ("card-distinction.proof", lambda slot: NotCard((slot,), PACK_304[0]),
         ONE * 2 + bytes(3 * SCALAR_BYTES)),
        ("alternatives.proof", lists, ONE * 4 + bytes(6 * SCALAR_BYTES)),
    ):  # fmt: skip
        assert isinstance(plain, Game304)
        data = hand.acted(passed, proofs=(proof,))
        yield Faulty(check, data, Demanding(plain, statement))


# --- audited names --------------------------------------------------------------------------------

LISTED = {each.name for each in AUDITED}
#: Signatures are there or not known; the second look is for proofs that should not have passed.
NEVER_FAIL = {"result.signatures", "second-opinion"}


pytestmark = pytest.mark.xdist_group("audited")  # the files are made once


@cache
def made() -> tuple[Faulty, ...]:
    return tuple(faults())


@cache
def judged() -> tuple[tuple[Faulty, Broken], ...]:
    """Each file, and what its audit finds, which takes most of the time here."""
    return tuple((each, each.audited().broken) for each in made())


def expected_of_files() -> set[str]:
    """The checks that vectors of files fail; `test_vectors` asks an audit for each."""
    found: set[str] = set()
    for name in ("transcript", "referee"):
        vectors = json.loads((SPECS / "vectors" / f"{name}.json").read_text("utf-8"))["vectors"]
        found |= {each["expect"] for each in vectors if "expect" in each}
    return found & set(BY_NAME)


def test_each_file_fails_the_check_it_was_made_for() -> None:
    for each, broken in judged():
        assert broken.check == each.check


def test_an_audit_lists_just_the_checks_that_some_file_fails() -> None:
    assert len(LISTED) >= 60
    assert expected_of_files() | {each.check for each in made()} == LISTED - NEVER_FAIL


def test_what_no_audit_can_find_is_in_no_report() -> None:
    for each in made()[:3]:
        report = each.audited()
        assert set(results(report)) == LISTED
        assert set(report.passed) <= LISTED
    for each in VERIFICATIONS:
        assert bool(each.subjects) is not bool(each.elsewhere), each.name


def test_every_conviction_comes_with_evidence_that_convicts() -> None:
    convicted = set()
    for each, broken in judged():
        assert (broken.seat is None) == (broken.evidence is None), broken.check
        if broken.evidence is not None:
            evidence = evidence_from_bytes(broken.evidence)
            found = check_evidence(evidence, each.game_of(evidence.charter))
            assert found == (broken.seat, broken.check)
            convicted.add(broken.check)
    malformed = {name for name in convicted if name.startswith(("encoding.", "schema."))}
    assert len(malformed) >= 8, "a malformed body convicts by itself"
    assert {"keys.reused", "hand-over.reused", "score.sum"} <= convicted


def test_a_malformed_agreement_convicts_with_evidence_too() -> None:
    hand = SavedFile.kept("unfinished")
    place = hand.draft.places(b"U")[0]
    raw = hand.draft.records[place].payload
    wrong = sign_body(hand.table, b"\xc0", raw[2], purpose=Purpose.NOTICE)
    each = Faulty("encoding.type", hand.draft.with_record(place, wrong).to_bytes())
    broken = each.audited().broken
    assert broken.evidence is not None
    evidence = evidence_from_bytes(broken.evidence)
    assert check_evidence(evidence, each.game_of(evidence.charter)) == (raw[2], "encoding.type")


def test_what_was_read_before_a_failure_is_not_called_unreached() -> None:
    hand = SavedFile.kept("passed-out")
    (wrong,) = (each for each in made() if each.check == "schema.kind")
    found = results(wrong.audited())
    for name in ("transcript.format", "transcript.record", "transcript.size", "transcript.order",
                 "transcript.origin", "charter.shape", "key.order", "signature"):  # fmt: skip
        assert found[name] == "passed", name
    assert found["schema.kind"] == "failed"
    assert found["transcript.digest"] == found["turn.kind"] == "not reached"
    cut = audit_bytes(hand.draft.to_bytes()[:20_000], game_of)
    assert cut.passed["transcript.record"] > 2
    alone = audit_bytes(MAGIC, game_of)
    assert {name for name, told in results(alone).items() if told == "passed"} == {
        "transcript.format"
    }


def test_an_audit_keeps_little_of_a_hand_and_says_when_that_is_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = SAVED_HANDS["two-hands"].kept()
    report = audit_bytes(data, game_of)
    results_kept = [hand.outcome for hand in report.hands]
    assert results_kept[0] is results_kept[1], "equal results are one value"
    monkeypatch.setattr(auditor, "MOST_KEYS", 15)
    with pytest.raises(LocalError, match="audit its hands in several files"):
        audit_bytes(data, game_of)


def test_a_detail_never_repeats_the_name_of_its_check() -> None:
    for _, broken in judged():
        assert not broken.detail.startswith(broken.check)
