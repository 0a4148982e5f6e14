"""One process that has imported the program, of which the bots of a table are forks.

Importing five hundred modules takes a bot longer than a deal does; here it is paid for once, while
the host itself still starts. A bot is a process of its own all the same: it is forked before it
reads its invite or draws a secret, and both come to it by a pipe that ends at the host and nowhere
else. The fork server itself gets directories and options, and nothing secret.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from cli.children import environment, own_program

MOST_BOTS: Final = 7
"""Places in a fork server: beside a player, at a table of eight."""
ENDING: Final = 5.0
"""Seconds that a bot has to end after it was told to."""
LOOK_INTERVAL: Final = 0.02
OPTION: Final = "--fork-server"
_HEARD: Final = (signal.SIGCHLD, signal.SIGTERM) if hasattr(os, "fork") else ()
POSSIBLE: Final = bool(_HEARD)
"""Whether this system has forks; on others every bot imports the program by itself."""


class ForkServer:
    """The host's end: starts the process at once, so that it imports while the host does.

    As a context it ends the process, and every bot in it, when the block does.
    """

    def __init__(self, bots: int) -> None:
        """Make room for at most so many bots; raises OSError."""
        pipes = [os.pipe() for _ in range(bots)]
        self._inputs = [writing for _, writing in pipes]
        self._free = [reading for reading, _ in pipes]
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                own_program("bot", OPTION),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env=environment(),
                pass_fds=self._free,
                start_new_session=True,  # Ctrl-C is the host's alone
            )
        finally:
            for reading, _ in pipes:
                os.close(reading)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def full(self) -> bool:
        """Whether there is no place for another bot."""
        return not self._free

    def fork(
        self, output: Path, arguments: tuple[str, ...], text: str, *, variables: dict[str, str]
    ) -> int:
        """Have a bot begin, with `text` on its input; return its number, from 0.

        What it complains of goes to the end of `output`, which is there already. Its input stays
        open until the fork server ends: its end tells the bot that we are gone.
        """
        number = len(self._inputs) - len(self._free)
        order = {
            "input": self._free.pop(0),
            "others": tuple(self._free),
            "variables": variables,
            "output": str(output),
            "arguments": arguments,
        }
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, which `ended` tells
            os.write(self._inputs[number], text.encode())
            os.write(self._process.stdin.fileno(), json.dumps(order).encode("ascii") + b"\n")
        return number

    def say(self, line: str) -> None:
        """Tell every bot a line; one that reads none any more misses it."""
        for number in range(len(self._inputs) - len(self._free)):
            say_without_waiting(self._inputs[number], line)

    def ended(self) -> tuple[int, int] | None:
        """Wait until a bot has ended; return the number that `fork` gave it and its exit code, or
        None when no more will end.

        Blocks: to be called in a thread.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return None
        number, code = line.split()
        return int(number), int(code)

    def complaint(self) -> str:
        """Return what the process itself had to say, if it failed."""
        self._complaints.seek(0)
        return self._complaints.read().decode("utf-8", "replace")

    def end(self) -> None:
        """End every bot that is still there, and the process; once is enough.

        Blocks: to be called in a thread, or last.
        """
        if self._complaints.closed:
            return
        self._process.terminate()
        try:
            self._process.wait(2 * ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        while self._inputs:
            os.close(self._inputs.pop())
        for file in (self._process.stdin, self._process.stdout, self._complaints):
            assert file is not None
            file.close()


def say_without_waiting(descriptor: int, line: str) -> None:
    """Write a line to a bot's input, unless that has ended or is full."""
    os.set_blocking(descriptor, False)
    with suppress(BrokenPipeError, BlockingIOError):
        os.write(descriptor, f"{line}\n".encode())


def serve_forks(prepare: Callable[[], object]) -> list[str] | None:
    """Be the fork server until the host has gone and every bot has ended; return None then.

    In the process of each bot it returns that bot's arguments. `prepare` is what all of them would
    do at their beginning.
    """
    prepare()
    gc.freeze()  # a collection in a bot would copy what all of them share
    return _Forks().run()


class _Forks:
    """The bots that were forked, by their process ids."""

    def __init__(self) -> None:
        self._bots: dict[int, int] = {}
        self._begun = 0

    def run(self) -> list[str] | None:
        woken, wake = os.pipe()
        for end in (woken, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake)
        for number in _HEARD:
            signal.signal(number, lambda *_: None)
        orders, listening = b"", True
        while listening or self._bots:
            ready, _, _ = select.select([woken, *([0] if listening else [])], [], [])
            if woken in ready:
                if signal.SIGTERM in os.read(woken, 4_096):
                    self._end_all()
                    return None
                self._reap()
            if 0 in ready:
                heard = os.read(0, 65_536)
                listening = bool(heard)
                *lines, orders = (orders + heard).split(b"\n")
                for line in lines:
                    arguments = self._fork(json.loads(line), woken, wake)
                    if arguments is not None:
                        return arguments
        return None

    def _fork(self, order: dict[str, Any], *ours: int) -> list[str] | None:
        """Fork a bot: return None in the fork server, and the arguments in the bot."""
        process = os.fork()
        if process:
            os.close(order["input"])
            self._bots[process] = self._begun
            self._begun += 1
            return None
        signal.set_wakeup_fd(-1)
        for number in _HEARD:
            signal.signal(number, signal.SIG_DFL)
        for descriptor in (*order["others"], *ours):
            os.close(descriptor)
        output = os.open(order["output"], os.O_WRONLY | os.O_APPEND)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for place, descriptor in enumerate((order["input"], nowhere, output)):
            os.dup2(descriptor, place)
        for descriptor in (order["input"], nowhere, output):
            os.close(descriptor)
        os.environ.update(order["variables"])
        return [*order["arguments"]]

    def _reap(self) -> None:
        """Tell of every bot that has ended."""
        while self._bots:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            number = self._bots.pop(process)
            with suppress(BrokenPipeError):  # whoever would hear it has gone
                os.write(1, f"{number} {os.waitstatus_to_exitcode(status)}\n".encode())

    def _end_all(self) -> None:
        for order in (signal.SIGTERM, signal.SIGKILL):
            for process in self._bots:
                os.kill(process, order)  # nobody else reaps it, so that the number is still its own
            until = time.monotonic() + ENDING
            while self._bots and time.monotonic() < until:
                time.sleep(LOOK_INTERVAL)  # nothing else is done any more, and no loop runs
                self._reap()
