"""`p2p304 audit` on files that are not what they seem: told in one line, at once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.commands.audit import command
from cli.commands.replay import command as replay
from cli.errors import CheckFailed, UserError
from p2p304.games import full_agreement
from protocol.table.evidence import Fault
from tests.table.seating import charter

HAND = Path(__file__).parents[2] / "specs" / "examples" / "hand.p304"
MAGIC = 20
HUGE = 10 << 30


def audited(path: Path) -> tuple[int, str]:
    """The exit code and what was said; within seconds, whatever the file's size is."""
    begun = time.process_time()
    done = CliRunner().invoke(command, [str(path), "--jobs", "1"], standalone_mode=False)
    assert time.process_time() - begun < 20
    assert done.exception is None, done.exception
    return done.return_value, done.output


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.p304"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, Path("/dev/zero")):  # a folder stands for what is in it
        code, text = audited(path)
        assert (code, text.count("\n")) == (2, 1)
        assert "not a regular file" in text


@pytest.mark.parametrize(
    ("kept", "check"),
    [(MAGIC, "transcript.record"), (3_000, "transcript.record"), (None, "transcript.after-end")],
)
def test_a_file_of_ten_gigabytes_ends_at_its_first_fault(
    tmp_path: Path, kept: int | None, check: str
) -> None:
    path = tmp_path / "huge.p304"
    path.write_bytes(HAND.read_bytes()[:kept])
    os.truncate(path, HUGE)
    code, text = audited(path)
    assert code == 1
    assert f"invalid: {check} failed" in text or "invalid: signature failed" in text


def test_lengths_are_judged_before_anything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.p304"
    path.write_bytes(HAND.read_bytes()[:MAGIC] + b"C" + b"\xff" * 4)
    os.truncate(path, HUGE)
    code, text = audited(path)
    assert code == 1
    assert "transcript.size" in text


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
        code, text = audited(path)
        assert (code, text.count("\n")) == (2, 1)


def test_evidence_of_ten_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.p304e"
    path.write_bytes(b"x")
    os.truncate(path, HUGE)
    done = CliRunner().invoke(command, ["--evidence", str(path)], standalone_mode=False)
    assert isinstance(done.exception, UserError)
    assert "too large" in str(done.exception)


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


def test_evidence_of_a_table_with_too_many_seats_for_its_game_convicts_nobody(
    tmp_path: Path,
) -> None:
    table = charter(5, game="304", profile=full_agreement("304"))
    path = tmp_path / "proof.p304e"
    path.write_bytes(Fault(table, "action.rule", (), b"no envelope").to_bytes())
    with pytest.raises(CheckFailed, match=r"convicts nobody: charter\.seats"):
        CliRunner().invoke(
            command, ["--evidence", str(path)], standalone_mode=False, catch_exceptions=False
        )
