"""A program under test: started once, asked line by line, started again when it dies."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import subprocess
import time
from collections.abc import Sequence
from typing import Final, Self

from cli.conformance.answers import SPEC
from cli.errors import UserError
from p2p304.plain_json import Json

PATIENCE: Final = 60.0
"""Seconds that a program may take for one answer."""

FIRST: Final = 0
"""The number of the first question to a program that was started: `hello`."""

MOST_DEATHS: Final = 20
LONGEST_ANSWER: Final = 16_000_000
_ENDING: Final = 5.0


class NoAnswer(Exception):
    """The program gave no answer that counts; the sentence says why."""


def command_words(command: str) -> list[str]:
    """Split a command into words as a shell would; raises UserError if there is none to run."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(f"The command {command!a} cannot be split into words: {error}.") from None
    if not words:
        raise UserError("Name the command that starts the program under test.")
    return words


class ProgramUnderTest:
    """A program that speaks the line protocol on its standard input and output."""

    def __init__(self, command: str | Sequence[str], *, patience: float = PATIENCE) -> None:
        """`command` as a shell would split it. Nothing is started yet."""
        self.command = command_words(command) if isinstance(command, str) else list(command)
        self.deaths = 0
        self.given_up = ""
        """Why it is asked no more, once it has died too often or cannot be started again."""
        self.patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        self._asked = FIRST
        self._ends = 0.0
        self.name = ""

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def ask(self, op: str, given: Json) -> Json:
        """Return the program's answer.

        Raises NoAnswer, after which the program is started again.
        """
        self.send(op, given)
        return self.answer()

    def send(self, op: str, given: Json) -> None:
        """Ask without waiting; `answer` gives what comes of it."""
        if self._process is None:
            try:
                self._start()
            except UserError as error:  # it could be started before
                self.given_up = str(error)
                raise NoAnswer(str(error)) from None
        self._asked += 1
        self._put(op, given)

    def _put(self, op: str, given: Json) -> None:
        """Write a question; whoever does not read it within the patience has died."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        line = json.dumps({"id": self._asked, "op": op, "input": given}) + "\n"
        left = memoryview(line.encode("ascii"))
        self._ends = time.monotonic() + self.patience
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdin, selectors.EVENT_WRITE)
            while left:
                if not ready.select(max(0.0, self._ends - time.monotonic())):
                    raise self._died(
                        f"it does not read a question within {self.patience:g} seconds"
                    )
                try:
                    left = left[os.write(process.stdin.fileno(), left) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise self._died(f"it does not read: {error.strerror or error}") from None

    def answer(self) -> Json:
        """Return the answer to the last question. Raises NoAnswer."""
        line = self._line()
        try:
            answer = json.loads(line)
        except ValueError:
            raise self._died("its answer is no JSON") from None
        if not isinstance(answer, dict) or answer.get("id") != self._asked:
            raise self._died(f"its answer is not to question {self._asked}")
        return answer

    def _line(self) -> bytes:
        process = self._process
        if process is None:
            raise self._died("it has died")
        assert process.stdout is not None
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                # What lies there already came in time, however late we come to read it.
                if not ready.select(max(0.0, self._ends - time.monotonic())):
                    raise self._died(f"no answer within {self.patience:g} seconds")
                piece = os.read(process.stdout.fileno(), 1 << 16)
                if not piece:
                    raise self._died(f"it ended with code {process.wait()}")
                self._buffer += piece
                if len(self._buffer) > LONGEST_ANSWER:
                    raise self._died("its answer does not end")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            reason = error.strerror or error
            raise UserError(f"{self.command[0]} cannot be started: {reason}") from error
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._buffer, self._asked = b"", FIRST
        try:
            self._put("hello", {"spec": SPEC})
            self._greeted(self.answer())
        except NoAnswer as error:
            raise UserError(
                f"{self.command[0]} does not speak the line protocol: {error}"
            ) from None

    def _greeted(self, hello: Json) -> None:
        """Judge the answer to `hello`; raises NoAnswer if it is none, or of another version."""
        match hello.get("output"):
            case {"name": str(name), "spec": str(spec)}:
                if spec != SPEC:
                    raise self._died(f"it is made for {ascii(spec)[:40]}, and this tries {SPEC}")
                self.name = name
            case _:
                raise self._died('its answer to hello has no output with "name" and "spec"')

    def _died(self, reason: str) -> NoAnswer:
        self._stop()
        self.deaths += 1
        if self.deaths > MOST_DEATHS:
            self.given_up = f"it gave no answer {self.deaths} times; the last time {reason}"
        return NoAnswer(reason)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what it did not read is of no more use
        try:
            process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
