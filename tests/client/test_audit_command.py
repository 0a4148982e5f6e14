"""`p2p304 audit`: its verdict and exit code in any case; evidence saved, and checked again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cli.commands.audit import command
from cli.conformance.transcript_edits import Draft, signed
from cli.errors import CheckFailed, ExitCode, UserError
from cli.seat.transcripts import HandFiles
from p2p304.seats import place_name
from protocol.encoding import decode, encode
from protocol.transcript.checks import AUDITED
from protocol.transcript.file import MAGIC
from protocol.wire.evidence_file import CONFLICT_KIND, evidence_file
from tests.vectors.hands import SAVED_HANDS
from tests.vectors.rehearsal import Rehearsal


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A good file, one that convicts a seat, one that convicts nobody."""
    saved = SAVED_HANDS["passed-out"]
    whole = saved.kept()
    draft = Draft.of(whole)
    first = draft.places(b"M")[0]
    raw = draft.records[first].payload
    bad = draft.with_record(first, signed(saved.table_of(), b"\xc0", raw[2])).to_bytes()
    for name, data in {"good": whole, "bad": bad, "cut": whole[:-1]}.items():
        (tmp_path / name).write_bytes(data)
    return {name: str(tmp_path / name) for name in ("good", "bad", "cut", "proof")}


def audited(*words: str) -> tuple[int, str]:
    """The exit code and what was said, faults of use as the program tells them."""
    done = CliRunner().invoke(command, [*words, "--jobs", "1"], standalone_mode=False)
    match done.exception:
        case None:
            return done.return_value, done.output
        case UserError() as error:
            return ExitCode.UNUSABLE, str(error)
        case CheckFailed() as error:
            return ExitCode.CHECK_FAILED, str(error)
        case other:
            raise other


def evidence(*words: str) -> tuple[int, list[dict[str, Any]]]:
    code, text = audited("--evidence", *words, "--json")
    return code, json.loads(text)


def test_a_malformed_signed_body_convicts_with_evidence_that_is_confirmed(
    files: dict[str, str],
) -> None:
    code, text = audited(files["bad"])
    assert code == 1
    assert "this convicts South" in text
    assert "--save-evidence FILE saves it" in text
    code, text = audited(files["bad"], "--json")
    assert json.loads(text)[0]["broken"]["evidence"] is True
    code, text = audited(files["bad"], "--save-evidence", files["proof"])
    assert code == 1
    assert "invalid: encoding.type failed at table 1, round 0" in text
    assert f"the evidence is saved in {files['proof']}" in text
    code, text = audited("--evidence", files["proof"])
    assert code == 0
    assert "convicts South (Amara) of encoding.type" in text
    code, told = evidence(files["proof"])
    assert (code, told[0]["convicts"], told[0]["seat"], told[0]["check"]) == (
        0, True, 0, "encoding.type",
    )  # fmt: skip


@pytest.mark.parametrize(("name", "code", "verdict"), [("good", 0, "valid"), ("cut", 1, "invalid")])
def test_where_there_is_no_evidence_the_verdict_stands_all_the_same(
    files: dict[str, str], name: str, code: int, verdict: str
) -> None:
    found, text = audited(files[name], "--save-evidence", files["proof"])
    assert found == code
    assert f"{files[name]}: {verdict}" in text
    assert "no evidence was saved: no seat is convicted" in text
    assert not Path(files["proof"]).exists()


def test_a_verdict_stands_though_the_evidence_cannot_be_saved(files: dict[str, str]) -> None:
    place = f"{files['proof']}/none/proof.p304e"
    code, text = audited(files["bad"], "--save-evidence", place)
    assert code == ExitCode.CHECK_FAILED
    assert f"p2p304: the evidence was not saved: {place} cannot be written: No such file" in text
    assert "this convicts South" in text
    assert "no seat is convicted" not in text


def test_what_was_not_needed_is_no_failure(files: dict[str, str]) -> None:
    for more in ((), ("--explain",)):
        text = audited(files["good"], *more)[1]
        counts = re.search(r"^verifications: (\d+) passed, (\d+) not needed, 0 failed$", text, re.M)
        assert counts is not None, text
        assert int(counts[1]) + int(counts[2]) == len(AUDITED)
    assert ", 1 failed\n" in audited(files["bad"])[1]
    for name, failed in (("good", []), ("bad", ["encoding.type"])):
        (told,) = json.loads(audited(files[name], "--json")[1])
        assert told["failed"] == failed
        found = told["verifications"]
        for result in ("not needed", "not known", "not reached", "failed"):
            assert told[result.replace(" ", "_")] == [
                each for each in found if found[each] == result
            ]
        assert set(told["passed"]) >= {each for each in found if found[each] == "passed"}


def test_the_file_of_a_hand_in_play_accuses_nobody(tmp_path: Path) -> None:
    table = Rehearsal("a hand in play")
    while table.table_state.hand is None or not table.table_state.hand.ledger.rounds:
        table.advance()
    HandFiles(tmp_path).save_open(table.sessions[0])
    (path,) = tmp_path.glob("*-open.p304")
    code, text = audited(str(path))
    assert code == ExitCode.CHECK_FAILED
    awaited = ", ".join(place_name(seat, 4) for seat in table.table_state.hand.ledger.missing)
    assert f"no result: unfinished; it waits for {awaited} (dealing); what it holds" in text
    assert "invalid" not in text
    assert "this accuses nobody" in text


def test_the_evidence_of_each_of_many_files_is_saved(files: dict[str, str]) -> None:
    names = [files[name] for name in ("good", "bad", "cut", "bad")]
    code, text = audited(*names, "--save-evidence", files["proof"] + ".p304e")
    assert code == 1
    saved = sorted(path.name for path in Path(files["proof"]).parent.glob("*.p304e"))
    assert saved == ["proof-2.p304e", "proof-4.p304e"]
    assert text.count("the evidence is saved in") == 2
    code, text = audited(*names[:2], "--json", "--save-evidence", files["proof"] + ".more")
    told = json.loads(text)
    assert [each["saved"] for each in told] == [None, files["proof"] + "-2.more"]


def test_what_is_no_evidence_is_told_in_a_sentence(files: dict[str, str], tmp_path: Path) -> None:
    code, text = audited("--evidence", files["good"])
    assert (code, "is a transcript and no evidence" in text) == (2, True)
    other = tmp_path / "other"
    for data in (b"", b"\x90" * 64_000, b"hello"):
        other.write_bytes(data)
        code, text = audited("--evidence", str(other))
        assert (code, text) == (2, f"{other} is no evidence of p2p304.")
        code, told = evidence(str(other))
        assert (code, told[0]["convicts"], "unreadable" in told[0]) == (2, False, True)
        assert told[0]["check"].startswith(("encoding.", "evidence."))
    assert evidence(str(tmp_path / "nowhere"))[0] == 2


def test_evidence_that_was_changed_convicts_nobody(files: dict[str, str]) -> None:
    audited(files["bad"], "--save-evidence", files["proof"])
    data = bytearray(Path(files["proof"]).read_bytes())
    data[-30] ^= 1
    Path(files["proof"]).write_bytes(data)
    code, text = audited("--evidence", files["proof"])
    assert (code, text) == (1, "The evidence convicts nobody: signature.")
    code, told = evidence(files["proof"])
    assert (code, told[0]["convicts"], told[0]["reason"]) == (1, False, text)
    assert told[0]["check"] == "signature"


def test_an_empty_file_is_no_transcript_and_one_cut_short_is_invalid(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    code, text = audited(str(path))
    assert (code, text) == (
        2,
        f"{path}: not judged: an empty file is no transcript of p2p304\n",
    )
    path.write_bytes(MAGIC)
    code, text = audited(str(path))
    assert (code, "transcript.incomplete failed" in text) == (1, True)


def test_a_failed_check_reads_as_what_should_hold(files: dict[str, str]) -> None:
    text = audited(files["cut"])[1]
    assert "  what should hold: the file is not cut short\n" in text
    saved = SAVED_HANDS["passed-out"].kept()
    Path(files["cut"]).write_bytes(saved.replace(b"Amara", b"Amura", 1))
    text = audited(files["cut"])[1]
    assert "invalid: signature failed" in text
    assert "what was found" not in text, "a detail that only repeats the name"


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., list[str]]:
    """Writes saved hands, and gives their paths."""

    def write(*names: str) -> list[str]:
        for name in names:
            (tmp_path / f"{name}.p304").write_bytes(SAVED_HANDS[name].kept())
        return [str(tmp_path / f"{name}.p304") for name in names]

    return write


def test_what_a_referee_ruled_is_told_with_its_hand(saved: Callable[..., list[str]]) -> None:
    (file,) = saved("ruled")
    code, text = audited(file)
    assert code == 0
    assert "hand 1: The referee ruled on hand 1, round 4: a penalty of three tokens" in text
    stopped, anew = json.loads(audited(file, "--json")[1])[0]["hands"]
    assert (stopped["ruling"]["verdict"], stopped["ruling"]["round"]) == ("penalty", 4)
    assert "ruling" not in anew


def test_files_of_a_match_that_changed_its_table_are_told_together(
    saved: Callable[..., list[str]],
) -> None:
    files = saved("unfinished", "continued")
    code, text = audited(*files)
    assert code == 0
    line = text.splitlines()[-1]
    assert "as it stood there; South (Amara), East (Banu), North (Chandra) stayed" in line
    code, text = audited(*files, "--json")
    assert code == 0
    *_, change = json.loads(text)
    assert (change["valid"], change["convicts"]) == (True, False)
    assert change["sentence"] == line


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda value: (1, *value[1:]), "charter.version"),
        (lambda value: (*value[:2], "whist", *value[3:]), "charter.profile"),
    ],
)
def test_programs_are_told_by_which_check_a_charter_cannot_be_judged(
    tmp_path: Path, change: Callable[[Any], Any], check: str
) -> None:
    draft = Draft.of(SAVED_HANDS["passed-out"].kept())
    charter = encode(change(decode(draft.records[0].payload)))
    file, proof = tmp_path / "other.p304", tmp_path / "proof.p304e"
    file.write_bytes(draft.with_record(0, charter).to_bytes())
    code, text = audited(str(file), "--json")
    assert (code, json.loads(text)[0]["check"]) == (2, check)
    proof.write_bytes(evidence_file(CONFLICT_KIND, charter, b"", b""))
    code, (told,) = evidence(str(proof))
    assert (code, told["check"]) == (2, check)


def test_evidence_is_judged_without_the_option_that_names_it(
    files: dict[str, str], tmp_path: Path
) -> None:
    path = "specs/vectors/evidence/two-rulings-about-a-point.p304e"
    for more in ((), ("--json",)):
        assert audited(path, *more) == audited("--evidence", path, *more)
    code, text = audited(path, files["good"])
    assert code == 2
    assert f"{path}: not judged: it is evidence and no transcript: name it alone" in text
    assert json.loads(audited(path, files["good"], "--json")[1])[0]["check"] == "transcript.format"
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in audited(str(tmp_path / "pipe"))[1]
