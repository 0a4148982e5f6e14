"""Bots that are forks of one process are processes of their own, and end when their host does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from cli.seat.fork_server import POSSIBLE, ForkServer
from cli.store.paths import HOME_VARIABLE

pytestmark = pytest.mark.skipif(not POSSIBLE, reason="this system has no forks")

HOST = """
import sys
from pathlib import Path
from cli.seat.fork_server import ForkServer
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
