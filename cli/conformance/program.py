"""A program under test: started once, asked line by line, started again when it dies."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final, Self

from cli.bounds import LONGEST_ANSWER, MOST_DEATHS, PROGRAM_ANSWERS_WITHIN, PROGRAM_ENDS_WITHIN
from cli.errors import UserError

Json = dict[str, Any]

# The tag of the specification that programs are tried against (specs/conformance.md).
SPEC: Final = "wire/v0.1.0"
# The one operation that names whom it convicts (specs/conformance.md, 3).
AUDIT: Final = "transcript.audit"

FIRST: Final = 0  #: The number of the first question to a program that was started: `hello`.


class NoAnswer(Exception):
    """The program gave no answer that counts; the sentence says why."""


def command_words(command: str) -> list[str]:
    """Return the words of a command, split as a shell would split them; raises UserError if
    there are none, or a quote is not closed.
    """
    try:
        # Run without a shell: its words are what is started.
        words = shlex.split(command)
    # Unbalanced quotes.
    except ValueError as error:
        raise UserError(f"The command {command!a} cannot be split into words: {error}.") from None
    if not words:
        raise UserError("Name the command that starts the program under test.")
    return words


def start_program(
    command: Sequence[str],
    *,
    stdout: int,
    stderr: IO[bytes] | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program, and return its process; its standard input is a pipe that we write to.

    `stdout`, `stderr` and `env` are as `subprocess.Popen` takes them. Raises UserError if the
    program cannot be started.
    """
    pipe = subprocess.PIPE
    try:
        # bufsize 0: what is written or read must not wait in a buffer of ours.
        return subprocess.Popen(
            command, stdin=pipe, stdout=stdout, stderr=stderr, env=env, bufsize=0
        )
    except OSError as error:
        raise UserError(f"{command[0]} cannot be started: {error.strerror or error}") from error


class ProgramUnderTest:
    """A program that speaks the line protocol on its standard input and output."""

    def __init__(
        self, command: str | Sequence[str], *, patience: float = PROGRAM_ANSWERS_WITHIN
    ) -> None:
        """Keep a `command`, as words or as a text that is split into words, without starting it.

        The program has `patience` seconds for each answer, reading the question included. Raises
        UserError for a text without words.
        """
        self.command = command_words(command) if isinstance(command, str) else list(command)
        self.deaths = 0  #: How often it gave no answer that counts, and was ended.
        #: Why it is asked no more, once it has died too often or cannot be started again.
        self.given_up = ""
        self.patience = patience
        self.name = ""  #: The name that it gives itself; "" before its greeting.
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        # The number of the newest question, which its answer must name.
        self._asked = FIRST
        self._ends = 0.0  #: When the time for the present question is over, by the monotonic clock.

    def __enter__(self) -> Self:
        """Start the program and greet it; raises UserError if it cannot be started, or does not
        answer the greeting for our version of the specification.
        """
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the program; kill it if it does not end by itself."""
        self._stop()

    def ask(self, op: str, given: Json) -> Json:
        """Return the program's whole answer to operation `op` with the input `given`; an answer
        that rejects the input is returned, too.

        Starts the program first if it ended at an earlier question. Raises NoAnswer if it cannot be
        started again, or gives no proper answer in time; then it is ended.
        """
        # It died at the question before.
        if self._process is None:
            try:
                self._start()
            except UserError as error:  # it could be started before
                self.given_up = str(error)
                raise NoAnswer(str(error)) from None
        # Counted by us: the answer must name it.
        self._asked += 1
        return self._answer(op, given)

    def _answer(self, op: str, given: Json) -> Json:
        """Write the question to the running program, and return its answer.

        Raises NoAnswer, and ends the program, if it does not read or answer in time, if the answer
        is no JSON object, or if it is to another question.
        """
        # One deadline for writing the question and reading the answer.
        self._ends = time.monotonic() + self.patience
        self._write(json.dumps({"id": self._asked, "op": op, "input": given}) + "\n")
        try:
            answer = json.loads(self._line())
        # Nonsense once is nonsense always: the program is started anew. RecursionError: of arrays
        # within arrays, deeper than Python reads.
        except (ValueError, RecursionError):
            raise self._death("its answer is no JSON") from None
        # An answer to another question is worse than none: everything after it would be shifted.
        if not isinstance(answer, dict) or answer.get("id") != self._asked:
            raise self._death(f"its answer is not to question {self._asked}")
        return answer

    def _ready(self, pipe: IO[bytes] | None, event: int, silence: str) -> int:
        """Wait until a pipe of the program can be read or written, as `event` says, and return the
        pipe's descriptor.

        At the question's deadline it ends the program and raises NoAnswer, whose sentence begins
        with `silence`: what the program does not do.
        """
        # Both were asked for as pipes.
        assert pipe is not None
        # A selector: a program that neither reads nor writes would block us.
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, event)
            # What lies there already came in time, however late we come to read it.
            if not ready.select(max(0.0, self._ends - time.monotonic())):
                raise self._death(f"{silence} within {self.patience:g} seconds")
        return pipe.fileno()

    def _write(self, line: str) -> None:
        """Write a line, the question, to the program; if it does not read it in time, or has
        closed its input, end it and raise NoAnswer.
        """
        # Asked only while it runs.
        assert self._process is not None
        # ASCII: json escapes everything else, so no encoding has to be agreed on.
        left = memoryview(line.encode("ascii"))
        while left:
            silence = "it does not read a question"
            pipe = self._ready(self._process.stdin, selectors.EVENT_WRITE, silence)
            try:
                left = left[os.write(pipe, left) :]
            # The pipe was full after all: it is waited for again.
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._death(f"it does not read: {error.strerror or error}") from None

    def _line(self) -> bytes:
        """Return the next line of the program's output, without its end.

        Ends the program and raises NoAnswer if its output ends, no line is complete in time, or
        more than `LONGEST_ANSWER` bytes come without one.
        """
        # Asked only while it runs.
        assert self._process is not None
        while b"\n" not in self._buffer:
            pipe = self._ready(self._process.stdout, selectors.EVENT_READ, "no answer")
            # 64 KiB, as much as a pipe holds.
            piece = os.read(pipe, 1 << 16)
            if not piece:
                # It has died, or has closed its output alone and runs on: then no status comes.
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(PROGRAM_ENDS_WITHIN)
                code = self._process.returncode
                raise self._death(
                    "it closed its output" if code is None else f"it ended with code {code}"
                )
            self._buffer += piece
            # Counted while it is read: a program that prints without end is stopped.
            if len(self._buffer) > LONGEST_ANSWER:
                raise self._death("its answer does not end")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _start(self) -> None:
        """Start the program, ask it `hello`, and keep the name that it gives.

        Raises UserError if it cannot be started, or its answer is none or is for another version of
        the specification.
        """
        self._process = start_program(self.command, stdout=subprocess.PIPE)
        # A pipe was asked for.
        assert self._process.stdin is not None
        # Else a full pipe would block the write, and no deadline would hold.
        os.set_blocking(self._process.stdin.fileno(), False)
        self._buffer, self._asked = b"", FIRST
        # A greeting is asked before anything else, so that a wrong version is told at once.
        try:
            self._greeted(self._answer("hello", {"spec": SPEC}))
        except NoAnswer as error:
            raise UserError(
                f"{self.command[0]} does not speak the line protocol: {error}"
            ) from None

    def _greeted(self, hello: Json) -> None:
        """Keep the program's name from its answer to `hello`; if that has no name, or names
        another version of the specification, end the program and raise NoAnswer.
        """
        match hello.get("output"):
            case {"name": str(name), "spec": str(spec)}:
                if spec != SPEC:
                    # Quoted and cut: the program's own text.
                    raise self._death(f"it is made for {ascii(spec)[:40]}, and this tries {SPEC}")
                self.name = name
            case _:
                raise self._death('its answer to hello has no output with "name" and "spec"')

    def _death(self, reason: str) -> NoAnswer:
        """End the program, count one more death, and return, without raising it, the NoAnswer with
        this reason.

        At more than `MOST_DEATHS` it also sets `given_up`, for callers to ask no more.
        """
        self._stop()
        self.deaths += 1
        if self.deaths > MOST_DEATHS:
            self.given_up = f"it gave no answer {self.deaths} times; the last time {reason}"
        return NoAnswer(reason)

    def _stop(self) -> None:
        """Close the program's pipes, and wait until it has ended; kill it if it has not after
        some seconds. Do nothing if none runs.
        """
        # Set to None first, so that an error while it ends does not try again.
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            # Both were asked for as pipes.
            assert pipe is not None
            with suppress(OSError):  # what it did not read is of no more use
                pipe.close()
        # By closing its input we have asked it to end.
        try:
            process.wait(PROGRAM_ENDS_WITHIN)
        # It was asked, and may hang: it is not waited for again.
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
