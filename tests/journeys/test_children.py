"""Processes that the program starts import nothing strange; forks are processes of their own."""

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
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from cli.children import own_program
from cli.local.fork_server import POSSIBLE, ForkServer
from cli.store.paths import HOME_VARIABLE
from tests.long import long, sample
from tests.vectors.own_program import OURS
from tests.vectors.saved_hands import HANDS

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
"""What a folder may hold that somebody unpacked."""

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
        assert demo.stdout is not None
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


# --- forks ----------------------------------------------------------------------------------------


pytestmark = pytest.mark.skipif(not POSSIBLE, reason="this system has no forks")

HOST = """
import sys
from pathlib import Path
from cli.local.fork_server import ForkServer
fork_server = ForkServer(2)
for name in sys.argv[1:]:
    fork_server.fork(Path(name), (), "", variables={})
print(fork_server.ended())
"""


def _output(folder: Path, name: str) -> Path:
    path = folder / name
    path.touch(0o600)
    return path


def _bots(host: int, outputs: list[str]) -> list[psutil.Process]:
    """The processes of the bots, by their outputs, once they have taken those over."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        there = psutil.Process(host).children(recursive=True)
        bots = {_at(each, 2): each for each in there}  # what a bot takes over last
        if bots.keys() >= {*outputs}:
            return [bots[each] for each in outputs]
        time.sleep(0.02)  # the bots are being forked
    raise AssertionError("the bots did not begin")


def _at(process: psutil.Process, descriptor: int) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/{process.pid}/fd/{descriptor}").readlink())
    return ""  # it has ended


def test_each_bot_reads_its_own_input_and_says_why_it_ended(tmp_path: Path) -> None:
    with ForkServer(2) as fork_server:
        outputs = [_output(tmp_path, f"{number}") for number in range(2)]
        for number, text in enumerate(("not an invite\n\n", "")):
            home = {HOME_VARIABLE: str(tmp_path / f"home-{number}")}
            arguments = () if text else ("--mqtt", "7")
            assert fork_server.fork(outputs[number], arguments, text, variables=home) == number
        ended = [fork_server.ended(), fork_server.ended()]
    assert sorted(filter(None, ended)) == [(0, 2), (1, 2)]
    assert "invite" in outputs[0].read_text("utf-8")
    assert "--mqtt" in outputs[1].read_text("utf-8")
    assert "--mqtt" not in outputs[0].read_text("utf-8")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc here")
def test_no_bot_holds_the_input_of_another_and_all_end_with_their_host(tmp_path: Path) -> None:
    outputs = [str(_output(tmp_path, f"{number}")) for number in range(2)]
    words = (sys.executable, "-c", HOST, *outputs)
    with subprocess.Popen(words, stdout=subprocess.PIPE) as host:
        bots = _bots(host.pid, outputs)
        held = [
            {link for each in Path(f"/proc/{bot.pid}/fd").iterdir()
             if (link := str(each.readlink())).startswith("pipe:")}
            for bot in bots
        ]  # fmt: skip
        processes = psutil.Process(host.pid).children(recursive=True)
        host.send_signal(signal.SIGKILL)
        host.wait()
        _, there = psutil.wait_procs(processes, timeout=60)
    for process in there:
        process.kill()
    assert there == []
    assert [len(each) for each in held] == [1, 1]
    assert held[0].isdisjoint(held[1])


def test_a_fork_server_that_ends_takes_its_bots_along(tmp_path: Path) -> None:
    with ForkServer(1) as fork_server:
        output = _output(tmp_path, "0")
        fork_server.fork(output, (), "", variables={})
        bots = _bots(os.getpid(), [str(output)])
        fork_server.end()
        assert not any(bot.is_running() for bot in bots)


@pytest.mark.parametrize("method", ["spawn", *long("forkserver")])
def test_a_folder_of_strange_modules_lends_none_to_a_pool(folder: Path, method: str) -> None:
    before = f"import multiprocessing; multiprocessing.set_start_method({method!r})"
    with start_in(
        folder,
        ("conformance", "auditor", shlex.join(OURS), "--mutations", "4", "--jobs", "2"),
        before,
    ) as process:
        said, _ = process.communicate()
    assert process.returncode == 0, said
    assert not (folder.parent / "imported").exists()


def test_a_folder_of_strange_modules_lends_none_to_our_own_program_under_test(folder: Path) -> None:
    words = ("conformance", "vectors", shlex.join(OURS), "--every", "400")
    with start_in(folder, words, "pass") as process:
        said, _ = process.communicate()
    assert process.returncode == 0, said
    assert not (folder.parent / "imported").exists()
