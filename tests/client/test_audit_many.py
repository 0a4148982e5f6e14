"""`p2p304 audit` of what is given to it: folders, compressed files, a pipe, and many at a time."""

from __future__ import annotations

import gzip
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from cli.auditing import audit_file
from cli.commands.audit import command
from cli.errors import ExitCode, UserError
from cli.input_files import MAX_UNPACKED, PIECE, InputFile, unpacked
from tests.vectors.hands import SAVED_HANDS

GOOD = SAVED_HANDS["passed-out"].kept()
FIRST_ENDS = """#!/bin/sh
# Stands for Python: the first one is ended by the system, each later one is Python.
if mkdir {place}/first 2>/dev/null; then kill -KILL $$; fi
exec {python} "$@"
"""
FIRST_WAITS = """#!/bin/sh
# Stands for Python: the first one is Python as soon as it is told so, each other one at once.
if mkdir {place}/first 2>/dev/null; then until [ -e {place}/go ]; do sleep 0.05; done; fi
exec {python} "$@"
"""
FOR_EVER = """#!/bin/sh
# Stands for Python: judges nothing and ends never.
exec tail -f /dev/null
"""
WITH_STUB = "import sys; sys.executable = {stub!r}; from cli.main import main; sys.exit(main())"


def audited(*words: str, given: bytes | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(command, words, input=given, standalone_mode=False)
    if isinstance(done.exception, UserError):
        return ExitCode.UNUSABLE, str(done.exception)
    if done.exception is not None:
        raise done.exception
    return done.return_value, done.stdout


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


def test_a_folder_stands_for_all_transcripts_below_it_in_order(archive: Path) -> None:
    found = judged(str(archive), "--jobs", "2")
    names = [f"{archive}/a.p304", f"{archive}/b/folder.p304/1.p304", f"{archive}/c.p304.gz"]
    assert list(found.items()) == list(zip(names, (False, True, True), strict=True))
    code, text = audited(str(archive), "--jobs", "1")
    assert code == ExitCode.CHECK_FAILED
    assert text.endswith(
        "\n3 files: 2 valid, 1 invalid, 0 not judged; the valid ones hold 1 distinct hand\n"
    )


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


def test_an_invalid_file_wins_over_one_that_cannot_be_read(archive: Path) -> None:
    good, bad, none = (str(archive / name) for name in ("c.p304.gz", "a.p304", "none.p304"))
    for files, code in (((none, bad), 1), ((bad, none), 1), ((good, none), 2), ((good, good), 0)):
        assert audited(*files, "--jobs", "1")[0] == code
    assert audited(none, bad, good, "--jobs", "2")[0] == ExitCode.CHECK_FAILED


def test_the_standard_input_is_a_file_as_any_other(archive: Path) -> None:
    for given in (GOOD, gzip.compress(GOOD)):
        assert audited("-", given=given)[1].endswith("\nstandard input: valid\n")
    code, text = audited("-", given=GOOD[:-1])
    assert (code, "standard input: invalid: transcript.incomplete" in text) == (1, True)
    assert audited("-", given=b"")[0] == ExitCode.UNUSABLE
    assert audited("-", "-", given=GOOD) == (2, "The standard input is one file: give - once.")
    words = (str(archive / "a.p304"), "-", str(archive / "c.p304.gz"), "--jobs", "2")
    assert list(judged(*words, given=GOOD).values()) == [False, True, True]


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
    assert b"".join(unpacked(packed[each : each + 1] for each in range(len(packed)))) == GOOD


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
            sizes.extend(map(len, InputFile(str(path))))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert max(sizes) <= PIECE
    assert MAX_UNPACKED - PIECE < sum(sizes) <= MAX_UNPACKED
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
    assert os.read(ours, 4096).split() == [b"p2p304:", b"interrupted"]
    os.close(ours)
    assert len(judges) == 2
    assert not any(each.is_running() for each in judges)


def test_a_terminal_sees_how_many_were_judged_and_keeps_no_trace_of_it(archive: Path) -> None:
    ours, theirs = pty.openpty()
    counted, seen = b"2 of 3 files judged", b""
    stub = python(archive, FIRST_WAITS)
    with started(stub, str(archive), "--jobs", "2", stderr=theirs) as audit:
        os.close(theirs)
        while counted not in seen:
            seen += os.read(ours, 4096)
        (archive / "go").touch()
        assert b"2 valid, 1 invalid" in audit.communicate()[0]
    seen += os.read(ours, 4096)
    os.close(ours)
    assert seen.endswith(counted + b"\r" + b" " * len(counted) + b"\r")
