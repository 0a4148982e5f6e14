"""The standard input and output of a person: lines are read without blocking the event loop.

It serves a terminal, a pipe and a file. The reading thread reads the descriptor itself, so that it
holds no lock of Python's streams when the program ends; it pauses while many lines are unread.
"""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TextIO

from cli.bounds import LINES_WAITING, LONGEST_LINE
from cli.sanitize import cells_of
from cli.wording import shows_signs


class InputEnded(Exception):
    """The input has no more lines: the end of a file or pipe, or Ctrl-D."""


class Console:
    """The standard input and output of one person, for use in one event loop."""

    def __init__(self, *, descriptor: int = 0, output: TextIO | None = None) -> None:
        """Set up a console that reads from the file `descriptor` and prints to `output`, by
        default the standard output; nothing is read before the first question.
        """
        self._descriptor = descriptor
        self._output = output if output is not None else sys.stdout
        #: Whether somebody types: then what was typed before a question does not answer it.
        self.interactive = os.isatty(descriptor)
        # An output that cannot encode signs of suits gets letters.
        self.ascii_only = not shows_signs(self._output)
        # A stream in memory names no encoding; ASCII is sure to be there.
        self._encoding: str = getattr(self._output, "encoding", None) or "ascii"
        self._lines: deque[str] = deque()
        self._arrived = asyncio.Event()
        # A semaphore of threads: the reader thread blocks on it, and not the loop.
        self._room = threading.Semaphore(LINES_WAITING)
        self._ended = False
        self._reading = False
        self._question = ""  #: What somebody who types is being asked; the cursor stands behind it.

    def say(self, *lines: str) -> None:
        """Write lines of text, which must be safe to print already; then repeat the question that
        is open, if there is one.
        """
        text = "".join(f"{line}\n" for line in lines)
        # A new line first, as the cursor stands behind the question.
        if text and self._question:
            text = f"\n{text}{self._question} "
        self._write(text)

    def prompt(self, text: str) -> None:
        """Write a question. On a terminal the answer is typed on the same line; elsewhere the
        question is a line.
        """
        if self.interactive:
            self._question = text
            self._write(f"{text} ")
        # Through a pipe the question is a line, or its reader would wait for the line's end.
        else:
            self._write(f"{text}\n")

    def withdraw(self) -> None:
        """Stop asking the question; the next text begins on a new line."""
        if self._question:
            self._question = ""
            self._write("\n")

    async def line(self) -> str:
        """Wait for the next line, and return it without its line break. Raises InputEnded if
        none is left.
        """
        await self._read_on()
        if not self._lines:
            raise InputEnded
        # Room for one more line of the reading thread.
        self._room.release()
        self._question = ""
        return self._lines.popleft()

    async def has_ended(self, *, within: float) -> bool:
        """Wait up to `within` seconds for a line or the end of the input; return True only if
        the input has ended and no line is left to read.
        """
        # Time over: the input is simply still open.
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._read_on()
        # Ended only if nothing is left to be read.
        return self._ended and not self._lines

    async def drained(self, heard: Callable[[str], None] = lambda _: None) -> None:
        """Read until the input ends, calling `heard` with each line."""
        # The end is what was waited for.
        with suppress(InputEnded):
            while True:
                heard(await self.line())

    async def _read_on(self) -> None:
        """Wait for a line, or the end of the input; the first call starts the thread that reads."""
        if not self._reading:
            self._reading = True
            arguments = (asyncio.get_running_loop(),)
            # A daemon: a thread that waits for a key must not keep the program from ending.
            threading.Thread(target=self._read, args=arguments, daemon=True).start()
        while not self._lines and not self._ended:
            # Cleared before the wait: what arrives in between sets it again.
            self._arrived.clear()
            await self._arrived.wait()

    def typed_before(self) -> list[str]:
        """On a terminal, return and forget all lines that are unread now: they were typed before
        the question that is asked next. Elsewhere return none.
        """
        typed = []
        # Only who types: lines of a pipe are answers in order, whenever they come.
        while self.interactive and self._lines:
            typed.append(self._lines.popleft())
            # As in `line`; a `Terminal` has no reading thread that would wait for it.
            self._room.release()
        return typed

    def forget_unfinished(self) -> None:
        """On a terminal, discard text typed without Enter: its question was answered another
        way.
        """
        if self.interactive:
            # The descriptor may be no terminal any more.
            with suppress(OSError, termios.error):
                # The kernel keeps a half-typed line; Enter would send it as the next answer.
                termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def _write(self, text: str) -> None:
        """Write text folded to a terminal's width, with "?" for what the output cannot encode."""
        # What the output cannot encode becomes "?", and raises nothing.
        shown = text.encode(self._encoding, "replace").decode(self._encoding)
        if cells := _cells_across(self._output):
            shown = "\n".join(fold(line, cells) for line in shown.split("\n"))
        self._output.write(shown)
        self._output.flush()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines in a thread, and hand each to the loop."""
        try:
            for line in _lines_of(self._descriptor):
                self._room.acquire()
                # The loop is in another thread: nothing of asyncio may be touched from here.
                loop.call_soon_threadsafe(self._arrive, line)
            loop.call_soon_threadsafe(self._end)
        # `call_soon_threadsafe` raises so once the loop is closed.
        except RuntimeError:
            return  # the loop is closed: nobody listens any more

    def _arrive(self, line: str) -> None:
        """Take a line from the reading thread."""
        self._lines.append(line)
        self._arrived.set()

    def _end(self) -> None:
        """Note that the input has ended."""
        self._ended = True
        self._arrived.set()


def _cells_across(output: TextIO) -> int:
    """Return the width of a terminal in cells; 0 if `output` is no terminal or does not say."""
    try:
        return os.get_terminal_size(output.fileno()).columns if output.isatty() else 0
    # ValueError: the stream is closed, or has no descriptor.
    except (OSError, ValueError):
        return 0


def fold(line: str, cells: int) -> str:
    """Return a line broken between words into lines of at most `cells` cells, each with the indent
    of the first.

    A longer word, such as an invite, stays whole, so that it can be copied.
    """
    if cells_of(line) <= cells:
        return line
    # By hand, as `textwrap` counts characters and not cells.
    # The parts keep the indent of the first, so that a list stays a list.
    indent = " " * (len(line) - len(line.lstrip(" ")))
    shown = [indent]
    for word in line[len(indent) :].split(" "):
        begun = shown[-1] != indent
        # An empty word stands between two blanks: it begins no line.
        if begun and word and cells_of(shown[-1]) + 1 + cells_of(word) > cells:
            shown.append(indent + word)
        else:
            shown[-1] += " " + word if begun else word
    return "\n".join(shown)


def _lines_of(descriptor: int) -> Iterator[str]:
    """Yield the lines of a descriptor as they come, each of bounded length, until it ends or
    fails.
    """
    buffer = b""
    while True:
        try:
            # The descriptor itself: Python's buffered reader would hold a lock at the program's
            # end.
            piece = os.read(descriptor, LONGEST_LINE)
        except OSError:
            piece = b""  # the terminal is gone
        if not piece:
            break
        buffer += piece
        *lines, buffer = buffer.split(b"\n")
        if len(buffer) > LONGEST_LINE:
            lines, buffer = [*lines, buffer], b""  # nobody types that much: bounded memory
        yield from map(_text, lines)
    # The last line of a file may have no line break.
    if buffer:
        yield _text(buffer)


def _text(line: bytes) -> str:
    """Return a line's bytes as text, cut to the longest line."""
    # Lines of Windows end in two signs.
    return line[:LONGEST_LINE].decode("utf-8", "replace").rstrip("\r")


class Terminal(Console):
    """Questions and answers on a terminal; a line is read only when one is asked for."""

    async def line(self) -> str:
        """Return the next line without its line break: one that was pasted with an earlier line,
        or the next that is typed. Raises InputEnded at the end of the input.
        """
        # A paste gave several lines at once: the rest waits here.
        if self._lines:
            self._question = ""
            return self._lines.popleft()
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        # Read only when asked: between questions prompt_toolkit reads the same terminal.
        loop.add_reader(self._descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)
        data = os.read(self._descriptor, LONGEST_LINE)  # a terminal gives a line at most
        # Ctrl-D at an empty line.
        if not data:
            raise InputEnded
        self._question = ""
        # One line at least: `data` is not empty, and a lone newline is an empty line.
        first, *more = data.decode("utf-8", "replace").splitlines()
        self._lines.extend(more)
        return first
