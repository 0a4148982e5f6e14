"""A person's lines, from a pipe or a file, however they arrive."""

from __future__ import annotations

import asyncio
import io
import os
import termios

import pytest

from cli.lines.console import LONGEST_LINE, Console, InputEnded


@pytest.fixture
def pipe() -> tuple[int, int]:
    return os.pipe()


def console_on(descriptor: int) -> tuple[Console, io.StringIO]:
    output = io.StringIO()
    return Console(descriptor=descriptor, output=output), output


async def test_lines_come_whole_however_they_were_written(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    console, _ = console_on(reader)
    os.write(writer, b"fir")
    waiting = asyncio.create_task(console.line())
    await asyncio.sleep(0)
    os.write(writer, "st\r\nzwei é\nlast".encode())
    os.close(writer)
    assert await waiting == "first"
    assert await console.line() == "zwei é"
    assert await console.line() == "last"
    with pytest.raises(InputEnded):
        await console.line()


def test_a_terminal_gets_lines_that_are_broken_between_words() -> None:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 20))
    with os.fdopen(theirs, "w", encoding="utf-8") as output:
        console = Console(descriptor=theirs, output=output)
        console.say("  Waiting for all of them; a wordthatislongerthanaline stays whole.")
        console.say("short  and  wide")
        console.prompt("Really all of these tricks? [y/n]")
        shown = ""
        while not shown.endswith("[y/n] "):
            shown += os.read(ours, 4_096).decode()
    os.close(ours)
    assert shown.replace("\r", "").split("\n") == [
        "  Waiting for all of",
        "  them; a",
        "  wordthatislongerthanaline",
        "  stays whole.",
        "short  and  wide",
        "Really all of these",
        "tricks? [y/n] ",
    ]


async def test_what_was_typed_before_a_question_is_taken_away_and_what_is_unfinished() -> None:
    ours, theirs = os.openpty()
    console, _ = console_on(theirs)
    first = asyncio.create_task(console.line())
    os.write(ours, b"one\ntwo\nthree\n")
    async with asyncio.timeout(300):
        assert await first == "one"
        typed = console.typed_before()
        while len(typed) < 2:
            await asyncio.sleep(0.005)
            typed += console.typed_before()
    assert typed == ["two", "three"]
    os.write(ours, b"unfinished")
    echoed = b""
    while not echoed.endswith(b"unfinished"):  # then it lies there
        echoed += os.read(ours, 4_096)
    console.forget_unfinished()
    os.write(ours, b"answer\n")
    async with asyncio.timeout(300):
        assert await console.line() == "answer"
    os.close(ours)


def test_signs_that_an_output_cannot_show_become_question_marks() -> None:
    raw = io.BytesIO()
    output = io.TextIOWrapper(raw, encoding="ascii")
    console = Console(descriptor=0, output=output)
    assert console.ascii_only
    console.say("9♣ by Zoë")
    assert raw.getvalue() == b"9? by Zo?\n"


async def test_a_line_without_end_is_cut_and_bad_bytes_are_replaced(
    pipe: tuple[int, int],
) -> None:
    reader, writer = pipe
    console, _ = console_on(reader)
    os.write(writer, b"x" * (LONGEST_LINE + 1) + b"\n\xff\xfe\n")
    os.close(writer)
    assert await console.line() == "x" * LONGEST_LINE
    assert await console.line() == "\N{REPLACEMENT CHARACTER}" * 2
