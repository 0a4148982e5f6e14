"""What an audit lists is what an audit can find: each name with a file that fails it."""

from __future__ import annotations

import json
from functools import cache

import pytest

from cli.conformance.tables import sign_body
from cli.seat.charter_text import game_of
from protocol.errors import LocalError, MalformedMessage
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.transcript import auditor
from protocol.transcript.auditor import audit_bytes, results
from protocol.transcript.checks import AUDITED, BY_NAME, VERIFICATIONS
from protocol.transcript.file import MAGIC
from protocol.wire.envelope import Purpose
from tests.vectors.audited_faults import Faulty, faults
from tests.vectors.hands import SAVED_HANDS
from tests.vectors.saved_file import SavedFile
from tests.vectors.specification import SPECS

LISTED = {each.name for each in AUDITED}
NEVER_FAIL = {"result.signatures", "second-opinion"}
"""Signatures are there or not known; the second look is for proofs that should not have passed."""


pytestmark = pytest.mark.xdist_group("audited")  # the files are made once


@cache
def made() -> tuple[Faulty, ...]:
    return tuple(faults())


def found_in(faulty: Faulty) -> str | None:
    try:
        broken = faulty.audited().broken
    except MalformedMessage as error:
        return error.check
    return broken.check if broken is not None else None


def expected_of_files() -> set[str]:
    """The checks that vectors of files fail; `test_vectors` asks an audit for each."""
    found: set[str] = set()
    for name in ("transcript", "referee"):
        vectors = json.loads((SPECS / "vectors" / f"{name}.json").read_text("utf-8"))["vectors"]
        found |= {each["expect"] for each in vectors if "expect" in each}
    return found & set(BY_NAME)


def test_each_file_fails_the_check_it_was_made_for() -> None:
    assert {(each.check, found_in(each)) for each in made()} == {
        (each.check, each.check) for each in made()
    }


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
    for each in made():
        broken = each.audited().broken
        assert broken is not None
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
    assert broken is not None
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
    monkeypatch.setattr(auditor, "MOST_KEYS", 7)
    with pytest.raises(LocalError, match="audit its hands in several files"):
        audit_bytes(data, game_of)


def test_a_detail_never_repeats_the_name_of_its_check() -> None:
    for each in made():
        broken = each.audited().broken
        assert broken is not None
        assert not broken.detail.startswith(broken.check)
