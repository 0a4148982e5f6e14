"""What the trials of another program say: the first difference, refusals, and why none passed."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from typing import Any, Final
from xml.etree import ElementTree

import pytest

from cli.conformance.program import ProgramUnderTest
from cli.conformance.tables import Draft
from cli.conformance.trials import (
    Mark,
    Results,
    Trial,
    Vector,
    try_mutations,
    try_vectors,
    wrong_with,
)
from cli.errors import UserError
from tests.vectors.answers import SPEC, ask
from tests.vectors.rehearsal import SAVED_HANDS
from tests.vectors.run_breakages import SEED
from tests.vectors.test_conformance import HELLO, program

NOISE: Final = b64encode(b"noise").decode()
ENDED: Final = b64encode(SAVED_HANDS["passed-out"].kept()).decode()
CUT: Final = b64encode(SAVED_HANDS["passed-out"].kept()[:-1]).decode()
WANTED = Vector("x-1", "x", "x.y", "a value", {}, {"one": 1, "two": "b"}, [["first", "a"]])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"reject": "point.prefix"}, "refused by point.prefix, it is right"),
        ({"output": {"one": 1, "two": "c"}, "steps": [["first", "a"]]}, "two is c, not b"),
        ({"output": {"one": 1}, "steps": [["first", "z"]]}, "first at first: "),
        ({"output": {"one": 1, "two": "b", "three": 3}}, "has results that nobody asked for"),
        ({"output": [1]}, "one is null, not 1"),
    ],
)
def test_a_failure_names_the_first_value_that_differs(answer: dict[str, Any], said: str) -> None:
    assert said in wrong_with(WANTED, answer)


def test_a_refusal_must_be_that_of_the_check_and_name_the_seat_where_a_file_is_judged() -> None:
    wrong = replace(WANTED, expect="point.prefix", blamed=2, judges=True)
    assert wrong_with(wrong, {"output": {}}).endswith("accepted, point.prefix fails")
    other = {"reject": "point.length", "seat": 2}
    assert "refused by point.length, not point.prefix" in wrong_with(wrong, other)
    blames = {"reject": "point.prefix", "seat": 1}
    assert "blames 1, not 2" in wrong_with(wrong, blames)
    assert wrong_with(wrong, {**blames, "seat": 2}) == ""
    first = replace(wrong, blamed=1)
    assert wrong_with(first, {**blames, "seat": True}), "true is no seat"


def test_a_suite_says_why_it_has_not_passed_where_nothing_failed() -> None:
    one, other = Trial("a", "1", Mark.PASSED), Trial("a", "2", Mark.UNSUPPORTED)
    assert Results("x", "y").remark(strict=False) == "not passed: nothing was tried"
    assert Results("x", "y", [one]).remark(strict=True) == ""
    said = Results("x", "y", [one, other]).remark(strict=True)
    assert said == "not passed: 1 are unsupported, which --strict forbids"
    (case,) = ElementTree.fromstring(Results("x", "y", [other]).junit())[0]
    assert case.find("skipped") is not None


@pytest.mark.parametrize(
    ("op", "given", "answer"),
    [
        ("no.such", {}, {"unsupported": True}),
        ("shuffle.length", {"cards": 0}, {"reject": "shuffle.count"}),
        ("charter.continues", {"before": NOISE}, {"reject": "transcript.format"}),
        ("charter.continues", {"before": CUT}, {"reject": "transcript.missing"}),
        ("charter.continues", {"before": ENDED}, {"reject": "continuation.table"}),
        ("transcript.records", {"transcript": NOISE}, {"reject": "transcript.format"}),
    ],
)
def test_what_is_asked_in_vain_is_refused_by_name(
    op: str, given: dict[str, Any], answer: dict[str, Any]
) -> None:
    charter = Draft.of(SAVED_HANDS["continued"].kept()).records[0].payload.hex()
    assert ask(op, {"charter": charter, **given}) == answer


def test_the_messages_of_a_transcript_are_counted_without_judging_them() -> None:
    whole = Draft.of(SAVED_HANDS["passed-out"].kept())
    changed = whole.with_record(whole.places(b"M")[3], b"nothing that is signed")
    given = {"transcript": b64encode(changed.to_bytes()).decode()}
    assert ask("transcript.records", given)["output"] == {"messages": len(whole.places(b"M"))}


def test_a_program_that_dies_again_and_again_is_tried_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.conformance.program.MOST_DEATHS", 1)
    dies = HELLO % ("stub", SPEC) + "input()"
    with ProgramUnderTest(program(dies)) as tried:
        trials = [*try_vectors(tried, [WANTED] * 3), *try_mutations(tried, SEED, [0])]
    assert [each.mark for each in trials] == [Mark.FAILED] * 2 + [Mark.NOT_RUN] * 2
    assert "gave no answer 2 times" in trials[-1].detail
    with (
        pytest.raises(UserError, match="cannot be started: No such file"),
        ProgramUnderTest("/no/such"),
    ):
        pass
