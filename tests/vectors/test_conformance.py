"""`p2p304 conformance` on our own program, on broken ones and on what is no program at all."""

from __future__ import annotations

import json
import shlex
import sys
from base64 import b64decode, b64encode
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from cli.commands.groups import conformance as command
from cli.conformance.mutations import base_of, mutation
from cli.conformance.program import NoAnswer, ProgramUnderTest
from cli.conformance.tables import AROUND, Draft, saved_hand
from cli.conformance.trials import (
    DEFAULT,
    Mark,
    Results,
    Trial,
    Vector,
    expected_verdicts,
    try_mutations,
    try_vectors,
    vectors_in,
    verdict_in,
    wrong_with,
)
from cli.errors import UserError
from cli.output_files import prepare_file
from protocol.table.evidence import evidence_from_bytes
from tests.long import sample
from tests.vectors.answers import SPEC, ask
from tests.vectors.breakages import BREAKAGES, EVERYWHERE, VALID
from tests.vectors.own_program import own_program
from tests.vectors.rehearsal import SAVED_HANDS
from tests.vectors.run_breakages import (
    SEED,
    noticed_by_auditor,
    noticed_by_vectors,
    reaching,
    verdict,
)

SAMPLE = 400


def conformance(*words: str) -> Result:
    """What `p2p304 conformance` does with these words; what it raises is raised here."""
    runner = CliRunner()
    return runner.invoke(command, words, standalone_mode=False, catch_exceptions=False)


def program(text: str) -> str:
    """The command of a program of one line."""
    return shlex.join([sys.executable, "-c", text])


HELLO = 'input(); print(\'{"id": 0, "output": {"name": "%s", "spec": "%s"}}\', flush=True); '
GREETS = (
    "import json,sys\n"
    "for line in sys.stdin:\n"
    " q=json.loads(line)\n"
    " a={'output':{'name':'stub','spec':'wire/v0.1.0'}} if q['op']=='hello' else %s\n"
    " print(json.dumps({'id':q['id'],**a}),flush=True)\n"
)


@cache
def verdicts() -> dict[str, list[int]]:
    """Return the numbers of the sampled mutations by the check that fails, or VALID."""
    found: dict[str, list[int]] = defaultdict(list)
    for number in range(SAMPLE):
        check = verdict(number)
        if check is not None:
            found[check].append(number)
    return found


def test_our_own_program_passes_a_sample_of_the_vectors(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    run = conformance(
        "vectors", own_program(), "--every", "13", "--strict", "--json", "--junit", str(report)
    )
    found = json.loads(run.output)
    assert run.return_value == 0
    assert found["counts"]["failed"] == found["counts"]["unsupported"] == 0
    assert found["counts"]["passed"] >= 140
    root = ElementTree.parse(report).getroot()
    assert int(root.attrib["tests"]) == found["counts"]["passed"]
    assert {each.attrib["name"] for each in root} == set(found["suites"])


@pytest.mark.parametrize(("most", "every"), [(1, 6), pytest.param(3, 1, marks=pytest.mark.long)])
def test_our_own_program_judges_mutated_transcripts_as_we_do(most: int, every: int) -> None:
    numbers = [number for each in [*verdicts().values()][::every] for number in each[:most]]
    with ProgramUnderTest(own_program()) as tried:
        trials = list(try_mutations(tried, SEED, numbers))
    assert {each.mark for each in trials} == {Mark.PASSED}
    assert len(trials) >= 30 // every


def test_a_later_part_of_a_run_judges_no_sound_file_again() -> None:
    run = conformance("auditor", own_program(), "--first", "8", "--mutations", "1", "--json")
    assert run.return_value == 0
    assert sum(json.loads(run.output)["counts"].values()) == 1


def test_what_is_foreseen_of_a_mutation_is_what_an_audit_of_the_whole_file_says() -> None:
    for check, numbers in verdicts().items():
        for number in numbers[:1]:
            data = b64encode(mutation(SEED, number).data).decode()
            whole = verdict_in(ask("transcript.audit", {"transcript": data}))[0]
            assert (whole or VALID) == check, number
    file = SAVED_HANDS["redeal"].kept()
    assert (
        expected_verdicts("passed-out").verdict(file)
        == expected_verdicts("redeal").verdict(file)
        == (None, None)
    )
    assert expected_verdicts("redeal").verdict(b"nothing of ours")[0] == "transcript.format"


def test_hands_are_played_on_with_honest_proofs_or_with_lies_and_end_in_every_way() -> None:
    found: dict[str, set[str | None]] = defaultdict(set)
    for number in range(1, 2_000, 2):
        if base_of(SEED, number) == "at card304-alpha":
            changed = mutation(SEED, number)
            verdict, seat = expected_verdicts(changed.base).verdict(changed.data)
            found[changed.about].add(verdict)
            if changed.about == "played on, another action":
                assert seat is not None, number
    agreed = found["played on, ended by agreement"]
    agreed |= found["played on, ended by agreement, a ledger behind"]
    assert {None, "agreement.hand", "agreement.seats"} <= agreed
    assert {None, "ruling.verdict"} <= found["played on, ruled"]
    assert "ledger.settled" in found["played on"] <= {None, "ledger.settled"}
    assert None in found["played on, another action, proved, ended by agreement"]
    assert {"transcript.origin", "transcript.order"} <= found["a whole hand, a ledger behind"]


@pytest.mark.parametrize("name", sample([*AROUND], ["at six24", "at doso_viso", "at 41"]))
def test_a_hand_around_the_registry_is_played_to_a_valid_end(name: str) -> None:
    assert expected_verdicts(name).verdict(saved_hand(name)) == (None, None)
    draft = Draft.of(saved_hand(name))
    assert draft.records[-1].letter == b"E"
    assert len(draft.places(b"L")) == 3, "match, deck and hand"


def test_a_draft_that_is_linked_anew_is_judged_by_its_content_and_by_no_digest() -> None:
    saved = SAVED_HANDS["passed-out"]
    draft, table = Draft.of(saved.kept()), saved.table_of()
    judge = expected_verdicts(saved.name)
    assert judge.relink(draft, table) == draft
    renamed = draft.records[0].payload.replace(b"Amara", b"Amura")
    spoken = next(each for each in draft.places(b"M") if b"pass" in draft.records[each].payload)
    for changed, before, linked in (
        (draft.with_record(0, renamed), ("signature", None), ("luck.opening", 0)),
        (draft.without(spoken), ("ledger.place", None), ("turn.seat", 1)),
    ):
        assert judge.verdict(changed.to_bytes()) == before
        assert judge.verdict(judge.relink(changed, table).to_bytes()) == linked


def test_mutations_reach_many_checks_and_leave_some_files_valid() -> None:
    found = verdicts()
    assert len(found) >= 30
    assert 0 < len(found[VALID]) < SAMPLE // 4
    assert mutation(SEED, 7) == mutation(SEED, 7)
    assert mutation(SEED, 7).data != mutation(SEED, 8).data


@pytest.mark.parametrize("name", [name for name, each in BREAKAGES.items() if each.category])
def test_a_broken_program_is_noticed_by_the_vectors(name: str) -> None:
    assert noticed_by_vectors(name)


@pytest.mark.parametrize("name", [name for name, each in BREAKAGES.items() if each.check])
def test_a_broken_auditor_is_noticed_by_mutations(name: str) -> None:
    assert reaching(BREAKAGES[name]), "no mutation reaches this check"
    assert noticed_by_auditor(name)


def test_ten_breakages_are_looked_for_by_every_command() -> None:
    assert len(EVERYWHERE) >= 10
    assert all(each.category and each.check and each.sitting for each in EVERYWHERE.values())


def test_what_is_unsupported_fails_only_when_that_is_asked() -> None:
    arguments = ["vectors", program(GREETS % "{'unsupported':True}"), "--category", "sponge"]
    lenient = conformance(*arguments)
    assert lenient.return_value == 1, "nothing passed"
    assert lenient.output.splitlines()[-1].startswith("not passed: the program supports none of")
    results = Results("x", "y", [Trial("a", "1", Mark.PASSED), Trial("a", "2", Mark.UNSUPPORTED)])
    assert results.passed(strict=False)
    assert not results.passed(strict=True)


@pytest.mark.parametrize(
    ("text", "reason", "patience"),
    [
        ("import sys; input(); sys.exit(3)", "ended with code 3", 60.0),
        ("print('hello', flush=True); input(); input()", "no JSON", 60.0),
        ("input(); print('{\"id\": 99}', flush=True); input()", "not to question", 60.0),
        ("import time; time.sleep(60)", "no answer within", 2.0),
        ("import sys; [print(each, end='', flush=True) for each in sys.stdin]", "no output", 60.0),
        (HELLO % ("stub", "wire/v9") + "input()", "made for 'wire/v9'", 60.0),
    ],
)
def test_what_does_not_speak_the_protocol_cannot_be_tried(
    text: str, reason: str, patience: float
) -> None:
    with pytest.raises(UserError, match=reason), ProgramUnderTest(program(text), patience=patience):
        pass


def test_a_program_that_stops_reading_is_not_waited_for() -> None:
    deaf = program(HELLO % ("deaf", SPEC) + "import time; time.sleep(60)")
    with ProgramUnderTest(deaf) as tried:
        tried.patience = 1.0  # now that it has been started, however long that took
        with pytest.raises(NoAnswer, match="does not read"):
            tried.ask("transcript.audit", {"transcript": "A" * 1_000_000})


def test_an_auditor_is_not_tried_where_no_saved_hands_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.commands.conformance_trials.HANDS", tmp_path / "none")
    with pytest.raises(UserError, match="saved hands are not here"):
        conformance("auditor", own_program(), "--mutations", "1")


@pytest.mark.parametrize("which", ["vectors", "auditor", "seat"])
@pytest.mark.parametrize("text", ["'x", ""])
def test_a_command_that_is_none_is_refused_in_one_sentence(which: str, text: str) -> None:
    with pytest.raises(UserError, match=r"cannot be split|Name the command"):
        conformance(which, text)


@pytest.mark.parametrize("option", ["--report", "--junit"])
def test_a_report_that_cannot_be_written_is_known_before_anything_is_tried(
    option: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    began = tmp_path / "began"
    tried = program(f"open({str(began)!r}, 'w'); {HELLO % ('stub', SPEC)} input()")
    with pytest.raises(UserError, match="cannot be written"):
        conformance("vectors", tried, option, str(tmp_path / "file" / "report"))
    assert not began.exists()
    prepare_file(tmp_path / "new" / "folder" / "report")
    assert [each.name for each in (tmp_path / "new").rglob("*")] == ["folder"]


def test_a_program_that_dies_too_often_is_told_with_what_it_did_until_then(tmp_path: Path) -> None:
    report, junit = tmp_path / "report.json", tmp_path / "report.xml"
    dies = program(GREETS % "sys.exit(4)")
    run = conformance(
        "vectors", dies, "--category", "group", "--report", str(report), "--junit", str(junit)
    )
    assert run.return_value == 1
    assert "FAILED group/1: it ended with code 4" in run.output
    assert "STOPPED: it gave no answer 21 times" in run.output
    counts = json.loads(report.read_text("utf-8"))["counts"]
    assert counts["failed"] == 21
    assert counts["not_run"] == len(list(vectors_in(DEFAULT, ("group",)))) - 21
    assert int(ElementTree.parse(junit).getroot().attrib["tests"]) == sum(counts.values())


def test_a_program_that_closes_its_output_and_runs_on_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.conformance.program.PROGRAM_ENDS_WITHIN", 0.2)
    mute = program("import os,time; " + HELLO % ("mute", SPEC) + "os.close(1); time.sleep(60)")
    with ProgramUnderTest(mute) as tried, pytest.raises(NoAnswer, match="closed its output"):
        tried.ask("sponge.run", {})


def test_an_answer_too_deep_to_read_is_no_answer() -> None:
    deep = program(HELLO % ("deep", SPEC) + "print('[' * 100_000, flush=True); input(); input()")
    with ProgramUnderTest(deep) as tried, pytest.raises(NoAnswer, match="no JSON"):
        tried.ask("sponge.run", {})


def test_a_category_that_is_none_is_told_with_those_there_are() -> None:
    with pytest.raises(UserError, match=r"no such vectors in .*; there are any-of, caps, .*, tra"):
        next(vectors_in(DEFAULT, ("shufle",)))
    with pytest.raises(UserError, match="no such vectors"):
        list(vectors_in(DEFAULT, ("group", "shufle")))


@pytest.mark.parametrize("row", ["{}", '{"id": "a", "op": "x"}', "3", '{"id": 1, "input": []}'])
def test_a_file_with_a_row_that_is_no_vector_is_named(tmp_path: Path, row: str) -> None:
    (tmp_path / "list.json").write_text("[1]")  # JSON of another kind
    (tmp_path / "own.json").write_text(f'{{"category": "own", "vectors": [{row}]}}')
    with pytest.raises(UserError, match=r"own\.json has a row that is no vector"):
        list(vectors_in(tmp_path))


def test_a_program_that_dies_fails_that_vector_and_is_started_again() -> None:
    dies = GREETS % "(sys.exit(4) if q['op']=='sponge.session' else {'unsupported':True})"
    with ProgramUnderTest(program(dies)) as tried:
        with pytest.raises(NoAnswer, match="code 4"):
            tried.ask("sponge.session", {})
        assert tried.ask("sponge.run", {}) == {"id": 1, "unsupported": True}


@pytest.mark.parametrize("change", [{"game": "whist"}, {"profile": "pagat"}, {"profile": ""}])
def test_evidence_of_a_game_that_is_not_known_is_refused(change: dict[str, str]) -> None:
    sound = next(each for each in vectors_in(DEFAULT, ("evidence",)) if each.expect is None)
    evidence = evidence_from_bytes(b64decode(sound.input["evidence"]))
    other = replace(evidence, charter=replace(evidence.charter, **change))
    given = {"evidence": b64encode(other.to_bytes()).decode("ascii")}
    assert ask(sound.op, given) == {"reject": "charter.profile"}


def test_reports_hold_nothing_that_acts_on_a_screen_or_breaks_xml() -> None:
    results = Results("a", "b\x1b[2J", [Trial("s", "<&\"'\x00>", Mark.FAILED, "\x1b[31m<x>")])
    text = "\n".join(results.table())
    assert "\x1b" not in text
    case = ElementTree.fromstring(results.junit())[0][0]
    assert case.find("failure") is not None


# --- what trials say: the first difference, refusals, and why none passed -------------------------


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
