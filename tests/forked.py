"""Programs for tests, forked from one process that has imported them: a start costs no imports.

Nine tenths of what a process of the program costs a test are imports. Each worker of the tests
keeps one process that has done with them, as a host does for its bots, and has it fork; what is
forked goes the way of `python -m` then, with streams, variables, arguments and a directory of its
own. `--long`, and P2P304_FORKS=0, start every program anew, as campaigns do and tests of its start.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PROGRAM: Final = "cli.main"
FORKS: Final = "P2P304_FORKS"
#: What most programs of tests import sooner or later.
IMPORTED: Final = (
    *("cli.commands.audit", "cli.commands.bot", "cli.commands.broker", "cli.commands.host"),
    *("cli.commands.join", "cli.commands.resume", "cli.commands.tables", "cli.commands.watch"),
    *("cli.commands.groups", "tests.vectors.answers", "cli.net.broker"),
    *("cli.seat.spectator", "p2p304.bots.players"),
)


def forking() -> bool:
    """Tell whether programs are forked in this run."""
    return hasattr(os, "pidfd_open") and os.environ.get(FORKS) == "1"


# --- the process that has imported the program ----------------------------------------------------


class _Forking:
    """What runs of it, and who asked for that."""

    def __init__(self, doors: socket.socket) -> None:
        self._doors = doors
        self._events = selectors.DefaultSelector()
        self._events.register(self._doors, selectors.EVENT_READ, self._begin)
        self._events.register(0, selectors.EVENT_READ)
        #: By the descriptor that tells when a process has ended.
        self._running: dict[int, tuple[int, socket.socket]] = {}

    def serve(self) -> Any:
        """Fork until the tests are over, and return None then; in a process that is forked,
        return what it is to do."""
        while True:
            for key, _ in self._events.select():
                if key.fd == 0:
                    for child, _asking in self._running.values():
                        os.kill(child, signal.SIGKILL)
                    return None
                come: Callable[[int], Any] = key.data
                asked = come(key.fd)
                if asked is not None:
                    return asked

    def _begin(self, _: int) -> Any:
        asking, _address = self._doors.accept()
        data, streams, *_more = socket.recv_fds(asking, 1, 3)
        if not data:
            asking.close()
            return None
        with asking.makefile("rb") as lines:
            asked = json.loads(lines.readline())
        child = os.fork()
        if not child:
            self._become(streams, asking)
            return asked
        for each in streams:
            os.close(each)
        ended = os.pidfd_open(child)
        self._running[ended] = child, asking
        self._events.register(ended, selectors.EVENT_READ, self._reap)
        self._events.register(asking, selectors.EVENT_READ, lambda _: self._abandon(ended, asking))
        asking.sendall(b"%d\n" % child)
        return None

    def _become(self, streams: Sequence[int], asking: socket.socket) -> None:
        """Keep nothing that is not the child's."""
        for ended, (_, other) in self._running.items():
            os.close(ended)
            other.close()
        for each in (asking, self._doors, self._events):
            each.close()
        for at, stream in enumerate(streams):
            os.dup2(stream, at)
        for stream in {*streams} - {0, 1, 2}:
            os.close(stream)

    def _reap(self, ended: int) -> None:
        child, asking = self._running.pop(ended)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self._events.unregister(ended)
        os.close(ended)
        self._hang_up(asking, b"%d\n" % code)

    def _abandon(self, ended: int, gone: socket.socket) -> None:
        """Whoever asked has gone, or asks for its end so; unless it has just ended, and another
        one has its descriptor."""
        child, asking = self._running.get(ended, (0, None))
        if asking is gone:
            self._events.unregister(asking)
            os.kill(child, signal.SIGKILL)

    def _hang_up(self, asking: socket.socket, last: bytes) -> None:
        with suppress(KeyError):  # it has gone before
            self._events.unregister(asking)
        with suppress(OSError):
            asking.sendall(last)
        asking.close()


def _streams_anew(encoding: str, errors: str) -> None:
    """Make the standard streams as a start of Python does."""
    named = os.environ.get("PYTHONIOENCODING", "").partition(":")
    encoding, errors = named[0] or encoding, named[2] or errors
    at_once = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding=encoding, errors=errors, closefd=False)
    for at, name in ((1, "stdout"), (2, "stderr")):
        stream = os.fdopen(
            at,
            "w",
            buffering=1 if at == 2 or os.isatty(at) else -1,
            encoding=encoding,
            errors="backslashreplace" if at == 2 else errors,
            closefd=False,
        )
        stream.reconfigure(write_through=at_once)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _fork(doors: socket.socket) -> None:
    for name in IMPORTED:
        import_module(name)
    gc.collect()
    gc.freeze()
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    asked = _Forking(doors).serve()
    if asked is None:
        return
    os.chdir(asked["directory"])
    os.environ.clear()
    os.environ.update(asked["variables"])
    _streams_anew(encoding, errors or "strict")
    sys.argv = [PROGRAM, *asked["arguments"]]
    runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)


# --- what tests ask for ---------------------------------------------------------------------------


@cache
def _door() -> str:
    """Start the process that forks, once in a worker of the tests, and return where it listens."""
    place = tempfile.TemporaryDirectory(prefix="p2p304-forks-")
    path = f"{place.name}/door"
    with socket.socket(socket.AF_UNIX) as doors:
        doors.bind(path)
        doors.listen(64)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.forked", str(doors.fileno())],
            stdin=subprocess.PIPE,
            pass_fds=[doors.fileno()],
            cwd=ROOT,
        )

    def end() -> None:
        process.stdin.close()
        process.wait()
        place.cleanup()

    atexit.register(end)
    return path


def _ask(
    module: str,
    arguments: Sequence[str],
    streams: Sequence[int],
    *,
    variables: Mapping[str, str] | None,
    directory: Path,
) -> socket.socket:
    """Return the socket by which a process's number comes, and its exit code at its end."""
    asked = {
        "module": module,
        "arguments": [*map(str, arguments)],
        "variables": dict(os.environ if variables is None else variables),
        "directory": str(directory),
    }
    asking = socket.socket(socket.AF_UNIX)
    asking.connect(_door())
    socket.send_fds(asking, [b"!"], list(streams))
    asking.sendall(json.dumps(asked).encode("ascii") + b"\n")
    return asking


def command_of(module: str, *arguments: str, directory: Path = ROOT) -> list[str]:
    """Return a command for whoever starts programs by themselves."""
    if not forking():
        return [sys.executable, "-P", "-m", module, *arguments]
    starter = str(Path(__file__).with_name("forked_start.py"))
    return [sys.executable, "-I", "-S", starter, _door(), str(directory), module, *arguments]


def run_program(
    *arguments: str,
    module: str = PROGRAM,
    variables: Mapping[str, str] | None = None,
    directory: Path = ROOT,
    typed: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; `typed` is its input."""
    return subprocess.run(
        command_of(module, *arguments, directory=directory),
        cwd=directory,
        env=variables,
        input=typed,
        capture_output=True,
        encoding="utf-8",
    )


class Forked:
    """A process that was forked, with the names of `asyncio.subprocess.Process`."""

    stdin: asyncio.StreamWriter | None = None
    stdout: asyncio.StreamReader | None = None
    stderr: asyncio.StreamReader | None = None
    returncode: int | None = None

    def __init__(self, pid: int, told: asyncio.StreamReader, asking: asyncio.StreamWriter) -> None:
        self.pid = pid
        self._asking = asking
        self._transports: list[asyncio.BaseTransport] = []
        self._ended = asyncio.create_task(self._end(told))

    async def _end(self, told: asyncio.StreamReader) -> None:
        self.returncode = int(await told.readline())
        self._asking.close()

    async def listen(self, reading: int) -> asyncio.StreamReader:
        """Return what comes out of this end of a pipe."""
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", 0)
        )
        self._transports.append(transport)
        return stream

    async def speak(self, writing: int) -> None:
        """Have what is written to `stdin` go into this end of a pipe."""
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(writing, "wb", 0)
        )
        self._transports.append(transport)
        self.stdin = asyncio.StreamWriter(transport, protocol, None, loop)

    def send_signal(self, number: int) -> None:
        """Send it a signal; raises ProcessLookupError where it has ended."""
        if self.returncode is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Its exit code, once it has ended."""
        await asyncio.shield(self._ended)
        return self.returncode

    async def communicate(self) -> tuple[bytes, bytes]:
        """All that it says until its end."""
        streams = [each.read() for each in (self.stdout, self.stderr) if each is not None]
        said, complained = await asyncio.gather(*streams)
        await self.wait()
        return said, complained

    def close(self) -> None:
        """Listen no more: what it said last was read, or does not matter."""
        for each in self._transports:
            each.close()


async def start_program(
    *arguments: str,
    module: str = PROGRAM,
    variables: Mapping[str, str],
    stdin: int = asyncio.subprocess.PIPE,
    stdout: Any = asyncio.subprocess.PIPE,
    stderr: Any = asyncio.subprocess.PIPE,
    directory: Path = ROOT,
) -> Any:
    """Start a program, as `asyncio.create_subprocess_exec` does."""
    if not forking():
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", module, *arguments),
            cwd=directory,
            env=variables,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
        )
    ours: dict[str, int] = {}
    theirs: dict[str, int] = {}
    for name, wanted in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
        if wanted == asyncio.subprocess.PIPE:
            reading, writing = os.pipe()
            given = (reading, writing) if name == "stdin" else (writing, reading)
            theirs[name], ours[name] = given
        elif wanted == asyncio.subprocess.DEVNULL:
            theirs[name] = os.open(os.devnull, os.O_RDWR)
        elif wanted == asyncio.subprocess.STDOUT:
            theirs[name] = os.dup(theirs["stdout"])
        else:
            theirs[name] = os.dup(wanted if isinstance(wanted, int) else wanted.fileno())
    asking = _ask(module, arguments, [*theirs.values()], variables=variables, directory=directory)
    for each in theirs.values():
        os.close(each)
    told, writer = await asyncio.open_connection(sock=asking)
    process = Forked(int(await told.readline()), told, writer)
    if "stdin" in ours:
        await process.speak(ours["stdin"])
    for name in ours.keys() - {"stdin"}:
        setattr(process, name, await process.listen(ours[name]))
    return process


def close_pipes(process: Any) -> None:
    """Have a process that has ended hold nothing here."""
    if isinstance(process, Forked):
        process.close()


if __name__ == "__main__":
    _fork(socket.socket(fileno=int(sys.argv[1])))
