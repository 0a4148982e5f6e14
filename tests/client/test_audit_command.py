"""Saved files: `p2p304 audit`, verdicts, codes and evidence, and statistics of signed hands."""

from __future__ import annotations

import gzip
import json
import os
import pty
import random
import re
import shlex
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from cli.auditing import audit_file, check_evidence_file, told_changes
from cli.bounds import FILE_PIECE, MAX_UNPACKED
from cli.commands.audit import command
from cli.commands.replay import command as replay
from cli.commands.stats import command as stats
from cli.conformance.mutations import ExpectedVerdicts
from cli.conformance.tables import Draft, OwnTable, sign_body, table_of
from cli.errors import CheckFailed, ExitCode, UserError
from cli.input_files import pieces_of, unpack
from cli.local.continuing import terms_of
from cli.local.transcripts import HandFiles
from cli.seat.charter_text import game_of
from cli.statistics import Statistics
from cli.store.identity import IdentityStore
from cli.store.settings import SettingsFile
from p2p304.games import create_game
from p2p304.seats import place_name
from protocol.encoding import decode, encode
from protocol.table.evidence import evidence_from_bytes
from protocol.table.ledger import LedgerPhase
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import MAGIC, hand_transcript
from protocol.transcript.results import NotSigned, signed_results
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Action, Continuation, DealShares, HandKeys, ShuffleStep
from protocol.wire.evidence_file import EvidenceKind, evidence_file
from protocol.wire.messages import open_ledger_message
from tests.client.highest_card import NAME
from tests.table.bus import (
    GAME,
    PRESENT,
    Table,
    charter,
    gone_on,
    left_after,
    named,
    played,
    refereed_charter,
    report_of,
    signing_key,
    standing_of,
)
from tests.vectors.rehearsal import SAVED_HANDS, Rehearsal

# --- audit command --------------------------------------------------------------------------------

# `p2p304 audit`: verdicts, codes and evidence, of many files at a time, and of what is no file.


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A good file, one that convicts a seat, one that convicts nobody."""
    saved = SAVED_HANDS["passed-out"]
    whole = saved.kept()
    draft = Draft.of(whole)
    first = draft.places(b"M")[0]
    raw = draft.records[first].payload
    bad = draft.with_record(first, sign_body(saved.table_of(), b"\xc0", raw[2])).to_bytes()
    for name, data in {"good": whole, "bad": bad, "cut": whole[:-1]}.items():
        (tmp_path / name).write_bytes(data)
    return {name: str(tmp_path / name) for name in ("good", "bad", "cut", "proof")}


def audited(*words: str, given: bytes | None = None) -> tuple[int, str]:
    """The exit code and what was said, faults of use as the program tells them; judged here unless
    the words say otherwise."""
    jobs = () if "--jobs" in words else ("--jobs", "1")
    done = CliRunner().invoke(command, [*words, *jobs], input=given, standalone_mode=False)
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
    code, text = audited(*words, "--json")
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
    code, text = audited(files["proof"])
    assert code == 0
    assert "convicts South (Amara) of encoding.type" in text
    code, told = evidence(files["proof"])
    assert (code, told[0]["convicts"], told[0]["seat"], told[0]["check"]) == (
        0, True, 0, "encoding.type",
    )  # fmt: skip


def test_a_verdict_stands_though_the_evidence_cannot_be_saved(files: dict[str, str]) -> None:
    place = f"{files['proof']}/none/proof.p304e"
    code, text = audited(files["bad"], "--save-evidence", place)
    assert code == ExitCode.CHECK_FAILED
    assert f"p2p304: the evidence was not saved: {place} cannot be written: No such file" in text
    assert "this convicts South" in text
    assert "no seat is convicted" not in text


def test_the_file_of_a_hand_in_play_accuses_nobody(tmp_path: Path) -> None:
    table = Rehearsal("a hand in play")
    while table.table_state.hand() is None or not table.table_state.hand().ledger.rounds:
        table.advance()
    HandFiles(tmp_path).save_open(table.sessions[0])
    (path,) = tmp_path.glob("*-open.p304")
    code, text = audited(str(path))
    assert code == ExitCode.CHECK_FAILED
    awaited = ", ".join(place_name(seat, 4) for seat in table.table_state.hand().ledger.missing)
    assert f"no result: unfinished; it waits for {awaited} (dealing); what it holds" in text
    assert "invalid" not in text
    assert "this accuses nobody" in text
    code, text = audited(str(path), str(path))
    assert code == ExitCode.CHECK_FAILED
    assert "\n2 files: 0 valid, 0 invalid, 2 without a result, 0 not judged;" in text


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
    with pytest.raises(UserError, match="is a transcript and no evidence"):
        check_evidence_file(files["good"])
    other = tmp_path / "other"
    for data in (b"", b"\x90" * 64_000, b"hello"):
        other.write_bytes(data)
        with pytest.raises(UserError, match=f"{other} is no evidence of p2p304.") as refused:
            check_evidence_file(str(other))
        assert str(refused.value.check).startswith(("encoding.", "evidence."))
    whole = Path("specs/vectors/evidence/two-rulings-about-a-point.p304e").read_bytes()
    other.write_bytes(whole[:-1])
    code, told = evidence(str(other))
    assert (code, told[0]["convicts"], "unreadable" in told[0]) == (2, False, True)
    assert told[0]["check"].startswith("encoding.")


def test_evidence_that_was_changed_convicts_nobody(files: dict[str, str]) -> None:
    audited(files["bad"], "--save-evidence", files["proof"])
    data = bytearray(Path(files["proof"]).read_bytes())
    data[-30] ^= 1
    Path(files["proof"]).write_bytes(data)
    code, text = audited(files["proof"])
    assert (code, text) == (1, "The evidence convicts nobody: signature.")
    code, told = evidence(files["proof"])
    assert (code, told[0]["convicts"], told[0]["reason"]) == (1, False, text)
    assert told[0]["check"] == "signature"


def test_files_of_a_match_that_changed_its_table_are_told_together() -> None:
    files = [str(HANDS / f"{name}.p304") for name in ("unfinished", "continued")]
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
    proof.write_bytes(evidence_file(EvidenceKind.CONFLICT, charter, b"", b""))
    code, (told,) = evidence(str(proof))
    assert (code, told["check"]) == (2, check)


def test_evidence_is_judged_without_the_option_that_names_it(files: dict[str, str]) -> None:
    path = "specs/vectors/evidence/two-rulings-about-a-point.p304e"
    for more in ((), ("--json",)):
        assert audited(path, *more) == audited("--evidence", path, *more)
    code, text = audited(path, files["good"])
    assert code == 2
    assert f"{path}: not judged: it is evidence and no transcript: name it alone" in text
    assert json.loads(audited(path, files["good"], "--json")[1])[0]["check"] == "transcript.format"


# --- folders, compressed files, a pipe and many at a time -----------------------------------------


GOOD = SAVED_HANDS["passed-out"].kept()
FIRST_ENDS = """#!/bin/sh
# Stands for Python: the first one is ended by the system, each later one is Python.
if mkdir {place}/first 2>/dev/null; then kill -KILL $$; fi
exec {python} "$@"
"""
FOR_EVER = """#!/bin/sh
# Stands for Python: judges nothing and ends never.
exec tail -f /dev/null
"""
WITH_STUB = "import sys; sys.executable = {stub!r}; from cli.main import main; sys.exit(main())"


def judged(*words: str, given: bytes | None = None) -> dict[str, bool]:
    told: list[dict[str, Any]] = json.loads(audited(*words, "--json", given=given)[1])
    return {each["file"]: each["valid"] for each in told}


def python(place: Path, script: str) -> str:
    path = place / "python"
    path.write_text(script.format(place=shlex.quote(str(place)), python=sys.executable), "utf-8")
    path.chmod(0o700)
    return str(path)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A folder with a valid hand, a broken one and a compressed one, among other things."""
    place = tmp_path / "archive"
    (place / "b" / "folder.p304").mkdir(parents=True)
    (place / "b" / "folder.p304" / "1.p304").write_bytes(GOOD)
    (place / "a.p304").write_bytes(GOOD[:-1])
    (place / "c.p304.gz").write_bytes(gzip.compress(GOOD))
    (place / "notes.txt").write_text("none", "ascii")
    (place / "b" / "again").symlink_to(place)
    return place


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(GOOD[:1000]) + gzip.compress(b"") + gzip.compress(GOOD[1000:]),
        gzip.compress(GOOD) + bytes(100_000),
    ],
    ids=["in members", "padded"],
)
def test_what_gzip_may_write_is_unpacked(tmp_path: Path, packed: bytes) -> None:
    path = tmp_path / "hand"
    path.write_bytes(packed)
    assert audit_file(str(path)).valid
    assert b"".join(unpack(packed[each : each + 1] for each in range(len(packed)))) == GOOD


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        (gzip.compress(GOOD)[:-1], "its compressed data is cut short"),
        (gzip.compress(GOOD)[:5], "its compressed data is cut short"),
        (gzip.compress(GOOD)[:-8] + bytes(8), "its compressed data is damaged"),
        (gzip.compress(GOOD) + b"more", "its compressed data is damaged"),
        (gzip.compress(b""), "an empty file is no transcript of p2p304"),
    ],
    ids=["without its end", "a few bytes", "another checksum", "followed by more", "of nothing"],
)
def test_damaged_compressed_data_is_told_and_never_valid(
    tmp_path: Path, packed: bytes, why: str
) -> None:
    path = tmp_path / "hand.p304.gz"
    path.write_bytes(packed)
    assert audit_file(str(path)).unreadable == why


def test_a_small_file_that_unpacks_to_more_than_is_read_is_refused_in_little_memory(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bomb.p304.gz"
    path.write_bytes(gzip.compress(bytes(4 << 20)) * 100)
    assert path.stat().st_size < 1 << 20
    sizes: list[int] = []
    tracemalloc.start()
    try:
        with pytest.raises(OSError, match="unpacks to more than 256 MiB"):
            sizes.extend(map(len, pieces_of(str(path))))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert max(sizes) <= FILE_PIECE
    assert MAX_UNPACKED - FILE_PIECE < sum(sizes) <= MAX_UNPACKED
    assert audited(str(path))[0] == ExitCode.UNUSABLE


def test_a_process_ended_by_the_system_takes_one_file_with_it_and_is_no_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", python(tmp_path, FIRST_ENDS))
    files = [str(tmp_path / f"{number}.p304") for number in range(3)]
    for each in files:
        Path(each).write_bytes(GOOD)
    code, text = audited(*files, "--jobs", "2")
    assert code == ExitCode.UNUSABLE
    lost = [line for line in text.splitlines() if "not judged: the process" in line]
    assert len(lost) == 1
    assert lost[0].split(": ")[0] in files
    assert "was ended by SIGKILL (out of memory?)" in lost[0]
    assert "\n3 files: 2 valid, 0 invalid, 1 not judged;" in text


def started(stub: str, *words: str, stderr: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (sys.executable, "-P", "-c", WITH_STUB.format(stub=stub), "audit", *words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
    )


def test_ctrl_c_ends_at_once_whatever_the_processes_do(archive: Path) -> None:
    stub = python(archive, FOR_EVER)
    ours, theirs = pty.openpty()
    with started(stub, str(archive), "--jobs", "2", stderr=theirs) as audit:
        os.close(theirs)
        judges: list[psutil.Process] = []
        while len(judges) < 2 and audit.poll() is None:
            time.sleep(0.01)  # until both have been started
            judges = psutil.Process(audit.pid).children()
        os.killpg(audit.pid, signal.SIGINT)  # as a terminal does
        assert audit.communicate()[0] == b""
    assert audit.returncode == ExitCode.INTERRUPTED
    assert os.read(ours, 4096).split()[-2:] == [b"p2p304:", b"interrupted"]
    os.close(ours)
    assert len(judges) == 2
    assert not any(each.is_running() for each in judges)


# --- files that are not what they seem ------------------------------------------------------------


HAND = Path(__file__).parents[2] / "specs" / "examples" / "hand.p304"
HUGE = 10 << 30


def judged_at_once(path: Path) -> tuple[int, str]:
    """The exit code and what was said; within seconds, whatever the file's size is."""
    begun = time.process_time()
    found = audited(str(path))
    assert time.process_time() - begun < 20
    return found


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.p304"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, Path("/dev/zero")):  # a folder stands for what is in it
        code, text = judged_at_once(path)
        assert (code, text.count("\n")) == (2, 1)
        assert "not a regular file" in text


@pytest.mark.parametrize(
    ("kept", "check"),
    [
        (len(MAGIC), "transcript.record"),
        (3_000, "transcript.record"),
        (None, "transcript.after-end"),
    ],
)
def test_a_file_of_ten_gigabytes_ends_at_its_first_fault(
    tmp_path: Path, kept: int | None, check: str
) -> None:
    path = tmp_path / "huge.p304"
    path.write_bytes(HAND.read_bytes()[:kept])
    os.truncate(path, HUGE)
    code, text = judged_at_once(path)
    assert code == 1
    assert f"invalid: {check} failed" in text or "invalid: signature failed" in text


def test_a_zip_a_pickle_and_a_script_are_no_transcripts(tmp_path: Path) -> None:
    for start in (
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"\x80\x04\x95",
        b"#!/bin/sh\n",
        b"!!python/object",
    ):
        path = tmp_path / "other"
        path.write_bytes(start + bytes(100))
        code, text = judged_at_once(path)
        assert (code, text.count("\n")) == (2, 1)


def test_a_replay_opens_regular_files_alone_and_reads_no_further_than_a_fault(
    tmp_path: Path,
) -> None:
    pipe, huge = tmp_path / "pipe", tmp_path / "huge.p304"
    os.mkfifo(pipe)
    huge.write_bytes(HAND.read_bytes()[:3_000])
    os.truncate(huge, HUGE)
    runner = CliRunner()
    done = runner.invoke(replay, [str(pipe), "--plain"], standalone_mode=False)
    assert isinstance(done.exception, OSError)
    assert "not a regular file" in str(done.exception)
    done = runner.invoke(replay, [str(huge), "--plain"], standalone_mode=False)
    assert isinstance(done.exception, CheckFailed)
    assert "is not valid (" in str(done.exception)


def test_the_standard_input_is_a_file_as_any_other(archive: Path) -> None:
    for given in (GOOD, gzip.compress(GOOD)):
        assert audited("-", given=given)[1].endswith("\nstandard input: valid\n")
    code, text = audited("-", given=GOOD[:-1])
    assert (code, "standard input: invalid: transcript.incomplete" in text) == (1, True)
    assert audited("-", given=b"")[0] == ExitCode.UNUSABLE
    assert audited("-", "-", given=GOOD) == (2, "The standard input is one file: give - once.")
    words = (str(archive / "a.p304"), "-", str(archive / "c.p304.gz"), "--jobs", "2")
    assert list(judged(*words, given=GOOD).values()) == [False, True, True]


def test_evidence_of_ten_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.p304e"
    path.write_bytes(b"x")
    os.truncate(path, HUGE)
    with pytest.raises(OSError, match="larger than"):
        check_evidence_file(str(path))


def test_a_thousand_nested_folders_are_read_as_any(tmp_path: Path) -> None:
    before = Path.cwd()
    os.chdir(tmp_path)
    try:  # step by step: making such a path at once takes a deep stack in Python itself
        for _ in range(1_000):
            os.mkdir("n")  # noqa: PTH102 - relative, as the path is too long for some systems
            os.chdir("n")
        Path("a.p304").write_bytes(GOOD)
    finally:
        os.chdir(before)
    try:
        (found,) = judged(str(tmp_path)).items()
    finally:
        subprocess.run(["rm", "-r", str(tmp_path / "n")], check=True)  # Python's own recurses
    assert found == (str(tmp_path) + "/n" * 1_000 + "/a.p304", True)


# --- table changes --------------------------------------------------------------------------------

# What an audit of several files tells of a match that went on at another table.


def test_a_change_is_told_with_who_stayed_and_who_seats_a_bot() -> None:
    before = left_after(2)
    files = [report_of(before, 0), report_of(gone_on(before), 0)]
    (told,) = told_changes(files)
    assert not told.check
    assert told.sentence.endswith(
        "as it stood there; South (Amal), East (Bimal), North (Chitra) stayed; West (Devi) is a bot"
        " of South (Amal)"
    )
    (alone,) = told_changes(files[1:])
    assert "whose hand 1 is not among these files" in alone.sentence
    assert not alone.check
    assert list(told_changes(files[:1])) == []


def test_a_change_to_other_scores_is_told_by_its_check() -> None:
    before = left_after(2)
    one, *rest = standing_of(before).scores
    term = standing_of(before).going_on(PRESENT)._replace(scores=(one + 1, *rest))
    after = gone_on(before, term=term)
    (told,) = told_changes([report_of(after, 0), report_of(before, 0)])
    assert "continuation.scores fails" in told.sentence
    assert told.as_json()["check"] == "continuation.scores"


def test_a_founder_keeps_the_terms_of_the_table_before() -> None:
    standing = standing_of(left_after(2))._replace(kept=refereed_charter().terms)
    word = Continuation(1, bytes(16), 0, 0b0111, ((3, 0),), 1, bytes(32))
    first, *others = terms_of(word, standing)
    assert first.name == "continues"
    assert tuple(others) == refereed_charter().terms


def test_who_played_at_two_tables_is_told_and_the_evidence_is_kept(tmp_path: Path) -> None:
    left = left_after(2)
    files = [report_of(played(0, hands=1), 0), report_of(gone_on(left), 0)]
    place = tmp_path / "proof.p304e"
    wrong, *convicted = told_changes(files, save=str(place))
    assert "continuation.point" in wrong.sentence
    assert len(convicted) == len(PRESENT)
    for number, each in enumerate(convicted, 1):
        assert each.convicts
        kept = tmp_path / f"proof-fork-{number}.p304e"
        assert kept.name in each.sentence
        assert evidence_from_bytes(kept.read_bytes()).charter.game == GAME.name
    again = list(told_changes(files, save=str(place)))
    assert "was not saved" in again[1].sentence  # nothing is written over


def test_evidence_of_two_tables_is_judged_by_its_file() -> None:
    for name in ("played-on-where-others-went-on", "two-tables-that-go-on-with-one"):
        found = check_evidence_file(f"specs/vectors/evidence/{name}.p304e")
        assert found.check.startswith("continuation.")
        assert found.seat == 0


# --- statistics -----------------------------------------------------------------------------------

# Statistics of signed hands: counted once, in any order, by what all seats signed and no more.

HANDS = Path(__file__).parents[2] / "specs" / "vectors" / "hands"


pytestmark = pytest.mark.usefixtures("highest_card")


def transcripts_of(hands: int, *names: str) -> tuple[list[bytes], list[Any]]:
    """The transcripts of so many hands at one table, and what happened there."""
    agreed = charter(3, game=NAME)
    sessions = Table(create_game(NAME), 7, agreed=named(agreed, *names) if names else agreed)
    sessions.confirm()
    files: list[bytes] = []
    while len(files) < hands:
        sessions.run(sessions.all_played(len(files) + 1))
        files.append(hand_transcript(sessions.sessions[0].table_state, len(files)))
        while sessions.deliver():
            pass
        if sessions.sessions[0].match_winner is not None:
            sessions.confirm()
    return files, [*sessions.chairs[0].events]


def counted(files: list[bytes], bots: Mapping[bytes, str] = MappingProxyType({})) -> Statistics:
    results = (result for data in files for result in signed_results([data], game_of))
    return Statistics(results, bots)


@pytest.fixture(scope="module")
def few(highest_card: None) -> tuple[list[bytes], list[Any]]:
    return transcripts_of(5)


def agrees(files: list[bytes], events: list[Any]) -> None:
    """What is counted is what was played, in whatever order the files come, and how often."""
    found = counted(files)
    ended = [each for each in events if type(each).__name__ == "HandEnded"][: len(files)]
    assert found.hands == len(files)
    wins = [0, 0, 0]
    for each in ended:
        best = max(each.outcome.scores)
        alone = min(each.outcome.scores) != best
        for seat, score in enumerate(each.outcome.scores):
            wins[seat] += alone and score == best
    names = sorted(found.players.values(), key=lambda player: player.name)
    assert sorted(player.won for player in names) == sorted(wins)
    assert {player.hands for player in names} == {len(files)}
    matches = [each for each in events if type(each).__name__ == "MatchEnded"]
    over = [each for each in matches if events.index(each) < events.index(ended[-1]) + 3]
    assert sum(player.matches.done for player in names) == len(over)
    again = [*files, *files[::2]]
    random.Random(3).shuffle(again)
    assert counted(again).as_json() == found.as_json()


def test_what_is_counted_is_what_was_played_in_any_order_of_files(
    few: tuple[list[bytes], list[Any]],
) -> None:
    agrees(*few)


def test_a_file_that_was_changed_or_cut_counts_for_nothing(
    few: tuple[list[bytes], list[Any]],
) -> None:
    data = few[0][0]
    for wrong in (data[:-3], data[: len(data) // 2], b"", data[:400] + b"\0" + data[401:]):
        with pytest.raises(NotSigned):
            counted([wrong])
    for at in range(300, len(data) - 40, len(data) // 23):
        flipped = bytearray(data)
        flipped[at] ^= 1
        with pytest.raises(NotSigned):
            counted([bytes(flipped)])


def test_a_file_of_other_seats_than_its_game_has_is_none(
    few: tuple[list[bytes], list[Any]],
) -> None:
    whole = Draft.of(few[0][0])
    agreed = Charter.from_bytes(whole.records[0].payload)
    more = replace(agreed, seats=(*agreed.seats, SeatEntry(signing_key(9).public, "x", bytes(32))))
    (place, *_) = whole.places(b"L")
    lane, number, after, _, scores = decode(whole.records[place].payload)  # type: ignore[misc]
    leading = encode((lane, number, after, len(agreed.seats), scores))
    for draft in (whole.with_record(0, more.to_bytes()), whole.with_record(place, leading)):
        with pytest.raises(NotSigned, match="seat"):
            counted([draft.without(place + 1, len(draft.records)).to_bytes()])


def test_a_hand_without_a_signature_of_every_seat_is_not_counted() -> None:
    table = Table(create_game(NAME), 7)
    table.confirm()
    table.run(lambda: table.sessions[0].phase is LedgerPhase.SIGNING)
    open_hand = hand_transcript(table.sessions[0].table_state, 0)
    assert [*signed_results([open_hand], game_of)] == []


#: The field of each content in which its proof stands, or that ends with it.
PROOFS = {HandKeys: "proof", ShuffleStep: "step", DealShares: "batch", Action: "proofs"}


def with_another_proof(draft: Draft, table: OwnTable, kind: type[Any]) -> Draft:
    """The draft in which one proof of a kind of message ends in another scalar, signed again."""
    for place in draft.places(b"M"):
        message = open_ledger_message(draft.records[place].payload, table.charter)
        proof = getattr(message.content, PROOFS[kind]) if isinstance(message.content, kind) else ()
        if not proof:
            continue
        whole = proof if isinstance(proof, bytes) else proof[0]
        other: Any = whole[:-1] + bytes((whole[-1] ^ 1,))
        changed = other if isinstance(proof, bytes) else (other, *proof[1:])
        content = replace(message.content, **{PROOFS[kind]: changed})
        body = replace(message, content=content).to_bytes()
        again = sign_body(table, body, message.place.seat)
        judge = ExpectedVerdicts(draft.to_bytes(), trusted=True)
        return judge.relink(draft.with_record(place, again), table)
    raise AssertionError(f"no proof of {kind}")


@pytest.mark.parametrize("kind", PROOFS)
def test_a_hand_is_counted_as_its_seats_signed_it_whatever_its_proofs_are(kind: type[Any]) -> None:
    whole, table = Draft.of((HANDS / "eight-card.p304").read_bytes()), table_of("eight-card")
    changed = with_another_proof(whole, table, kind).to_bytes()
    assert audit_bytes(changed, game_of).broken is not None
    as_signed, found = ([*signed_results([each], game_of)] for each in (whole.to_bytes(), changed))
    assert [each.outcome for each, _ in found] == [each.outcome for each, _ in as_signed] != []


def bot_of_ours(root: Path, seat: int) -> None:
    """Have the key of a seat be that of a bot that this machine started."""
    place = root / "tables" / ("5" * 32) / f"bot-{seat}"
    place.mkdir(parents=True, mode=0o700)
    seed = sha256(f"a{seat}".encode()).digest()
    assert IdentityStore(place).key(lambda _: seed).public == signing_key(seat).public


def test_a_bot_of_this_machine_is_told_and_found_by_its_name_and_as_it_is_called_at_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path))
    (hand,), _ = transcripts_of(1, "Harini's friend", "Bot Harini", "Bot 3")
    (tmp_path / "hand.p304").write_bytes(hand)
    bot_of_ours(tmp_path, 1)
    bot_of_ours(tmp_path, 2)
    runner, given = CliRunner(), str(tmp_path / "hand.p304")
    rows = runner.invoke(stats, [given]).stdout.splitlines()
    assert any(row.startswith("Harini (bot)  ") for row in rows)
    assert any(row.startswith("Bot 3 (bot)  ") for row in rows)
    for name in ("Harini", "bot harini"):
        told = runner.invoke(stats, [given, "--player", name]).stdout
        assert told.startswith("Harini (bot), key ")


def test_the_command_counts_saved_hands_as_a_table_by_player_and_for_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path))
    SettingsFile(tmp_path).keep({"ascii": "yes"})
    runner = CliRunner()
    names = ("closed", "two-hands", "tamil4", "deal-of-41", "deals-of-400")
    hands = [str(HANDS / f"{name}.p304") for name in names]
    told = json.loads(runner.invoke(stats, [*hands, "--json"]).stdout)
    assert told["hands"] >= 5
    assert told["refused"] == {}
    undertaken = [each for player in told["players"] for each in player["undertaken"]]
    assert {each["what"] for each in undertaken} >= {"bid"}
    assert {each["game"] for each in undertaken} >= {"304", "41", "400"}
    whole = runner.invoke(stats, [hands[1]]).stdout
    assert whole.startswith("2 hands signed by all seats")
    first = told["players"][0]
    one = runner.invoke(stats, [*hands, "--player", first["key"][:16]])
    assert f" played: {first['won']} won, {first['lost']} lost." in one.stdout
    nobody = runner.invoke(stats, [*hands, "--player", "nobody at all"])
    assert nobody.exit_code != 0
    strange = tmp_path / "strange.p304"
    strange.write_bytes(b"p2p304 transcript 1\nnonsense")
    nothing = runner.invoke(stats, [str(strange)], standalone_mode=False)
    assert nothing.return_value == ExitCode.UNUSABLE
    assert runner.invoke(stats, hands, standalone_mode=False).return_value == ExitCode.DONE
    left_out = json.loads(runner.invoke(stats, [str(strange), "--json"]).stdout)
    assert left_out["hands"] == 0
    assert [*left_out["refused"]] == [str(strange)]


def test_what_one_player_undertook_is_told_by_its_price_and_a_name_of_several_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path))
    SettingsFile(tmp_path).keep({"ascii": "yes"})
    closed, other = (str(HANDS / f"{name}.p304") for name in ("closed", "deal-of-41"))
    told = CliRunner().invoke(stats, [closed, "--player", "chandra"]).stdout
    assert "1 hand played: 1 won, 0 lost." in told
    assert re.search(r"\nBid in 304: made of tried\n  below 200 +1/1 +100%  #{16}\n", told)
    (key,) = re.findall(r", key (\S+ \S+ \S+ \S+)\n", told)
    both = CliRunner().invoke(stats, [closed, other, "--player", "chandra"]).exception
    assert isinstance(both, UserError)
    assert str(both).startswith("Several are called chandra, so name the key: ")
    assert key in str(both)


def test_a_folder_of_strange_files_is_counted_to_its_end_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    os.mkfifo(archive / "a-pipe.p304")
    zeros = gzip.compress(bytes(4 << 20))
    (archive / "b-zeros.p304.gz").write_bytes(zeros * 100)
    data = (HANDS / "closed.p304").read_bytes()
    (archive / "c-more.p304.gz").write_bytes(gzip.compress(data) + zeros * 100)
    (archive / "d.p304").write_bytes(data)
    tracemalloc.start()
    try:
        told = json.loads(CliRunner().invoke(stats, [str(archive), "--json"]).stdout)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()
    assert told["hands"] == 1
    names = ["a-pipe.p304", "b-zeros.p304.gz", "c-more.p304.gz"]
    assert [Path(each).name for each in told["refused"]] == names
    assert told["refused"][str(archive / names[0])] == "not a regular file"
    alone = CliRunner().invoke(stats, [str(archive / names[0])]).exception
    assert isinstance(alone, OSError)
