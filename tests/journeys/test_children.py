"""Processes that the program starts import nothing strange, and end with it."""

from __future__ import annotations

import os
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cli.children import own_program
from tests.long import long, sample
from tests.vectors.own_program import OURS
from tests.vectors.saved_hands import HANDS

#: What a folder may hold that somebody unpacked.
HOSTILE = (
    "random.py",
    "selectors.py",
    "sitecustomize.py",
    "usercustomize.py",
    "cli/__init__.py",
    "cli/main.py",
    "p2p304/__init__.py",
    "protocol/__init__.py",
    "multiprocessing/__init__.py",
)

INTERPRETER = """#!/bin/sh
# Stands for Python: says which files a module of the program is made of, and ends.
flags=
while [ "$1" != -m ]; do flags="$flags $1"; shift; done
exec {python} $flags -c '
import importlib, os, sys
found = [importlib.import_module(name) for name in ("random", "cli.main", "p2p304", sys.argv[1])]
with open(sys.argv[2] + ".new", "w") as told:
    told.writelines(each.__file__ + "\\n" for each in found)
os.replace(told.name, sys.argv[2])' "$2" {told}
"""
PROGRAM = "import sys; {before}; from cli.main import main; sys.exit(main({arguments!r}))"
STARTERS = {
    "play": ("play", "--plain", "--hands", "1"),
    "host": ("host", "--plain", "--bots", "1", "--name", "Amara"),
    "demo": ("demo", "--hands", "1"),
    "audit": ("audit", "--jobs", "2", f"{HANDS / 'redeal.p304'}", f"{HANDS / 'passed-out.p304'}"),
}


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place for what programs leave that are ended; its path is short, for sockets lie there."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        monkeypatch.setenv("TMPDIR", place)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A current directory in which every module that is imported says so."""
    place = tmp_path / "downloads"
    for name in HOSTILE:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({f'{tmp_path}/imported'!r}, 'a').write({name!r} + ' ')\n", "utf-8")
    return place


def start_in(folder: Path, arguments: tuple[str, ...], before: str) -> subprocess.Popen[str]:
    """The program there, under an environment that names the folder, too.

    Our own Python is spared it: what the user's environment makes that import is the user's.
    """
    hostile = {"PYTHONPATH": str(folder), "PYTHONSTARTUP": str(folder / "random.py")}
    code = f"import os; os.environ.update({hostile!r}); {before}"
    return subprocess.Popen(
        (sys.executable, "-P", "-c", PROGRAM.format(before=code, arguments=list(arguments))),
        cwd=folder,
        env={**os.environ, "P2P304_HOME": str(folder.parent / "home")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("starter", sample(STARTERS, ("host", "audit")))
def test_a_folder_of_strange_modules_lends_none_to_a_process(folder: Path, starter: str) -> None:
    told, stub = folder.parent / "told", folder.parent / "python"
    stub.write_text(
        INTERPRETER.format(python=shlex.quote(sys.executable), told=shlex.quote(str(told))), "utf-8"
    )
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    with start_in(folder, STARTERS[starter], f"sys.executable = {str(stub)!r}") as process:
        while process.poll() is None and not told.exists():
            time.sleep(0.02)  # until it has started a process, or ended without
        process.terminate()
        said, _ = process.communicate()
    assert told.exists(), said
    assert str(folder) not in told.read_text("utf-8")
    assert not (folder.parent / "imported").exists()


@pytest.mark.skipif(os.name != "posix", reason="a system without these signals")
@pytest.mark.parametrize("number", [signal.SIGKILL, *long(signal.SIGHUP)])
def test_the_bots_of_a_demo_that_was_killed_or_hung_up_end_by_themselves(
    tmp_path: Path, number: signal.Signals
) -> None:
    words = (*own_program("demo", "--plain"), "--out", str(tmp_path / "out"))
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, text=True
    ) as demo:
        for line in demo.stdout:
            if line.startswith("Hand 1"):
                break  # all four are at the table
        bots = psutil.Process(demo.pid).children()
        demo.send_signal(number)
        demo.wait()
        _, there = psutil.wait_procs(bots, timeout=60)
    for bot in there:
        bot.kill()
    assert len(bots) == 4
    assert there == []


@pytest.mark.parametrize(
    "words", ["auditor --first 4 --mutations 2 --jobs 2", "vectors --every 400"]
)
def test_a_folder_of_strange_modules_lends_none_to_workers_and_a_program_under_test(
    folder: Path, words: str
) -> None:
    what, *options = words.split()
    with start_in(folder, ("conformance", what, shlex.join(OURS), *options), "pass") as process:
        said, _ = process.communicate()
    assert process.returncode == 0, said
    assert not (folder.parent / "imported").exists()
