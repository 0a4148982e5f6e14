"""People at line terminals, for tests: `p2p304` in processes of their own, answered by a script."""

from __future__ import annotations

import asyncio
import os
import random
import re
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Self

from cli.auditing import audit_file
from tests.forked import ROOT, close_pipes, start_program

CHOICE = re.compile(r"Your choice, such as (.+):")
INVITE = re.compile(r"P2P304-[0-9A-Z]+")

#: Options of a host for a first deal that its first seat cannot refuse, so that it is played.
LASTING = ("--set", "redeal_below = 0")


#: Seconds after which a process hangs: a hand takes twenty, and on a busy machine some minutes.
HANGS_AFTER = 600.0


def typed_for(shown: str) -> str:
    """What is typed for what is shown as a choice."""
    return "" if shown == "Enter" else shown


def _one_of(item: str) -> str:
    """A number amid those that are listed as their first and last, which stands in every step."""
    found = re.fullmatch(r"(?:bid|cut at) (\d+) \.\.\. (\d+)", item)
    if found is None:
        return item
    middle = (int(found[1]) + int(found[2])) // 2
    return f"{middle if middle < 100 else middle // 10 * 10}"


class TextProcess:
    """One `p2p304` command with pipes. It answers its questions by itself unless told not to.

    It chooses at random among what is listed, agrees to the charter and to its own bids, and takes
    back what else is asked once more.
    """

    def __init__(self, home: Path, *, seed: int = 1, answers: bool = True) -> None:
        self.home = home
        self.lines: list[str] = []
        self.errors = ""
        self.asked: list[str] = []
        self.answers = answers
        self.answers_until: str | None = None  #: What it says when it begins to keep silent.
        self._chance = random.Random(seed)
        self._changed = asyncio.Event()
        self.process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._seen = 0

    async def start(
        self,
        *arguments: str,
        typed: tuple[str, ...] = (),
        directory: Path = ROOT,
        stdin: int = asyncio.subprocess.PIPE,
    ) -> TextProcess:
        """Start it in a directory; `typed` are the first lines of its input."""
        self.process = await start_program(
            *arguments,
            variables={
                **os.environ,
                "P2P304_HOME": str(self.home),
                "PYTHONUNBUFFERED": "1",
                "PYTHONIOENCODING": "utf-8",
            },
            directory=directory,
            stdin=stdin,
        )
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._hear_errors())]
        for line in typed:
            self.type(line)
        return self

    @property
    def text(self) -> str:
        """All that it said."""
        return "\n".join(self.lines)

    def type(self, line: str) -> None:
        """Type a line."""
        with suppress(ConnectionError, RuntimeError):
            self.process.stdin.write(f"{line}\n".encode())

    def close_input(self) -> None:
        """The input ends, as with Ctrl-D."""
        self.process.stdin.close()

    async def said(self, pattern: str) -> re.Match[str]:
        """The first line from where we last looked that has `pattern`."""
        try:
            async with asyncio.timeout(HANGS_AFTER):
                while True:
                    while self._seen < len(self.lines):
                        line = self.lines[self._seen]
                        self._seen += 1
                        found = re.search(pattern, line)
                        if found:
                            return found
                    assert self.process.returncode is None or self._tasks, self._report(pattern)
                    if self.process.stdout is not None and self.process.stdout.at_eof():
                        raise AssertionError(self._report(pattern))
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(self._report(pattern)) from None

    async def invites(self, count: int) -> list[str]:
        """The next invites that it prints."""
        return [(await self.said(INVITE.pattern)).group() for _ in range(count)]

    async def ended(self) -> int:
        """Its exit code."""
        try:
            async with asyncio.timeout(HANGS_AFTER):
                code = await self.process.wait()
                await asyncio.gather(*self._tasks)
                return code
        except TimeoutError:
            raise AssertionError(self._report("(the end)")) from None

    async def kill(self) -> None:
        """kill -9, if it is still there."""
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
        close_pipes(self.process)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _read(self) -> None:
        while line := await self.process.stdout.readline():
            said = line.decode("utf-8").rstrip("\n")
            self._heard(said)
        self._changed.set()

    def _heard(self, line: str) -> None:
        self.lines.append(line)
        if self.answers_until is not None and re.search(self.answers_until, line):
            self.answers = False
        if self.answers:
            self._answer(line)
        self._changed.set()

    def _answer(self, line: str) -> None:
        choice = CHOICE.search(line)
        if choice is not None:
            self.asked.append(line)
            first = choice[1]
            self.type(
                typed_for(self._chance.choice((first, self._chance.choice(self._listed(first)))))
            )
        elif line.rstrip() == "Order:":
            self.type("")
        elif "[y/n]" in line:
            agreed = re.search(r"charter|Really (bid \d|concede)|without calling caps", line)
            self.type("y" if agreed else "n")

    def _listed(self, first: str) -> list[str]:
        """What is listed right above the question, as it may be typed."""
        above = takewhile(lambda line: line.startswith("  "), reversed(self.lines[:-1]))
        items = [item for line in above for item in line.strip().split("   ")]
        return [_one_of(item.split(": ")[0]) for item in items] or [first]

    async def _hear_errors(self) -> None:
        while piece := await self.process.stderr.read(4_096):
            self.errors += piece.decode("utf-8", "replace")

    def _report(self, pattern: str) -> str:
        said = "\n".join(self.lines[-30:])
        return f"{pattern!r} was not said, but:\n{said}\nerrors: {self.errors}"


class Room:
    """The processes of one test, each with a home of its own; all are killed at the end."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.processes: list[TextProcess] = []

    def home(self, name: str) -> Path:
        return self._place / name

    async def run(
        self,
        name: str,
        *arguments: str,
        typed: tuple[str, ...] = (),
        answers: bool = True,
        directory: Path = ROOT,
    ) -> TextProcess:
        """Start a command in the home called `name`."""
        process = TextProcess(self.home(name), seed=len(self.processes), answers=answers)
        self.processes.append(process)
        return await process.start(*arguments, typed=typed, directory=directory)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in self.processes:
            await process.kill()


def played(home: Path) -> int:
    """How many of the hands in a home, all of them valid, were played: no refused deals."""
    found = 0
    for path in home.glob("tables/*/*.p304"):
        audit = audit_file(str(path))
        assert audit.valid, path
        found += sum(bool(hand.outcome and hand.outcome.played) for hand in audit.report.hands)
    return found


def transcripts(home: Path) -> dict[str, bytes]:
    """The transcripts in a home, by name."""
    return {path.name: path.read_bytes() for path in sorted(home.glob("tables/*/*.p304"))}
