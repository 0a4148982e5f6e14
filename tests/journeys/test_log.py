"""`p2p304 --log FILE`: what a report of a bug needs, in a file of ours alone, and nothing else."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.errors import UserError
from cli.logfile import HEADING, LARGEST, LogFile, begin, ended, failed
from cli.net.transport import TransportError, Trouble
from cli.store.paths import HOME_VARIABLE
from tests.forked import run_program
from tests.loopback import Wire


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    ended(0)


def logged(path: Path) -> str:
    return path.read_bytes().removeprefix(HEADING).decode()


def fail_with(secret: str) -> None:
    kept = secret  # a value of a variable, which no traceback may show
    raise RuntimeError(f"something is wrong with {len(kept)} letters")


def test_versions_connections_and_errors_are_in_it_and_no_values_of_variables(
    tmp_path: Path,
) -> None:
    path = tmp_path / "report.log"
    begin(path, "p2p304 join")

    async def connect() -> None:
        wire = Wire()
        async with wire.transport():
            wire.cut()
            wire.mend()

    asyncio.run(connect())
    logging.getLogger("asyncio").error("Task exception was never retrieved")
    try:
        fail_with("".join(("ge", "heim")))
    except RuntimeError as error:
        failed(error)
    ended(70)
    text = logged(path)
    assert "p2p304 join begins: p2p304 0" in text
    assert "websockets 1" in text
    assert "connected: Connected in memory." in text
    assert "disconnected: The wire was cut." in text
    assert "Task exception was never retrieved" in text
    assert "in fail_with\n" in text
    assert "RuntimeError: something is wrong with 6 letters" in text
    assert "geheim" not in text
    assert text.endswith(": ends with 70\n")


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_it_is_ours_alone_and_the_second_run_appends_to_it(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    before = os.umask(0)
    try:
        begin(path, "p2p304 host")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    ended(0)
    begin(path, "p2p304 resume")
    ended(0)
    assert path.read_bytes().count(HEADING) == 1
    assert "p2p304 host begins" in logged(path)
    assert "p2p304 resume begins" in logged(path)


def test_what_no_log_of_ours_is_stays_as_it_is(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("three years of work\n")
    thesis.chmod(0o600)
    empty = tmp_path / "empty"
    empty.touch(mode=0o600)
    link = tmp_path / "link"
    link.symlink_to(thesis)
    for path in (thesis, empty, link, tmp_path, tmp_path / "missing" / "report.log"):
        with pytest.raises(UserError, match="name another file"):
            begin(path, "p2p304 host")
    assert thesis.read_text() == "three years of work\n"
    assert empty.read_bytes() == b""
    assert not (tmp_path / "missing").exists()


def test_a_terminal_that_shows_it_obeys_nobody(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    begin(path, "p2p304 host")
    failed(TransportError(Trouble.LOST, "gone \x1b[2J\x9b31m \u202e away"))
    assert not {"\x1b", "\x9b", "\u202e"} & set(logged(path))
    assert "gone \\x1b[2J" in logged(path)


def test_what_others_do_does_not_fill_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    file = LogFile(path)
    os.truncate(path, LARGEST)  # as after a long time
    file.emit(logging.LogRecord("cli", logging.INFO, "", 0, "one more", None, None))
    file.close()
    assert path.stat().st_size == LARGEST


def test_processes_that_the_command_starts_write_into_it_too(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    demo = ("demo", "--hands", "1", "--seed", "304")
    variables = {**os.environ, HOME_VARIABLE: str(tmp_path)}
    done = run_program("--log", str(path), *demo, variables=variables, directory=tmp_path)
    assert done.returncode == 0, done.stderr
    begun = [line for line in logged(path).splitlines() if " begins: " in line]
    assert [line.partition(": p2p304 ")[2].split()[0] for line in begun].count("bot") == 4
    assert "p2p304 demo begins" in logged(path)
