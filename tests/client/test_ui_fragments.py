"""Lines with letters of uncertain width stay in place, on both kinds of terminals."""

from __future__ import annotations

import asyncio
import random
import re
import sys
from collections.abc import Callable

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from cli.sanitize import cells_of, is_beside
from cli.screen.app import ClientApp
from cli.screen.canvas import Canvas, Frame, Line, Style
from cli.screen.fragments import RAW, fragments_of
from tests.client.mini_terminal import MiniTerminal

COLUMNS, ROWS = 40, 6
WORDS = ("අමාරා", "කො", "ශ්‍රීමා", "மாலா", "Nimal", "9♠", "日本", "│", "é", "දා│")


class Frames:
    """Shows what it is given, one after the other."""

    def __init__(self) -> None:
        self.changed: Callable[[], None] = lambda: None
        self.now = Canvas(ROWS, COLUMNS).frame()

    def frame(self, columns: int, rows: int) -> Frame:
        assert (columns, rows) == (COLUMNS, ROWS)
        return self.now

    def press(self, key: str) -> None:
        raise AssertionError(key)

    def click(self, target: str) -> None:
        raise AssertionError(target)


class _Screen:
    """A text file that is a terminal's screen."""

    encoding = "utf-8"

    def __init__(self, terminal: MiniTerminal) -> None:
        self.write = terminal.write

    def flush(self) -> None:
        """There is no buffer."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return sys.__stdout__.fileno() if sys.__stdout__ else 1


def random_frame(chance: random.Random) -> Frame:
    canvas = Canvas(ROWS, COLUMNS)
    for row in range(ROWS):
        for _ in range(chance.randrange(4)):  # prompt_toolkit drops marks in the last column
            words = " ".join(chance.choices(WORDS, k=chance.randrange(1, 4)))
            style = chance.choice((Style.PLAIN, Style.HEARTS))
            column = chance.randrange(COLUMNS)
            canvas.put(row, column, words, style, room=COLUMNS - 1 - column)
    return canvas.frame()


def cells_as_seen(line: Line, *, cell_of_its_own: bool) -> list[str]:
    """What each cell of a row must show: a word's signs may leave blanks behind it alone."""
    cells: list[str] = []
    for word in (word for span in line for word in re.findall(" +|[^ ]+", span.text)):
        mine: list[str] = []
        for char in word.rstrip("\u200c\u200d"):  # what was cut off joins nothing
            joined = is_beside(char) or (mine and mine[-1].endswith("\u200d"))
            if cells_of(char) == 0 or (joined and not cell_of_its_own):
                mine[-1] += char
            else:
                mine += [char] if cells_of(char) == 1 else [char, ""]
        cells += mine + [" "] * (cells_of(word) - len(mine))
    return cells


async def screens(
    frames: list[Frame], terminal: MiniTerminal
) -> list[tuple[Frame, list[list[str]]]]:
    """Each frame, and the terminal after it."""
    shown = Frames()
    drawn = asyncio.Event()
    seen: list[tuple[Frame, list[list[str]]]] = []
    sink = Vt100_Output(
        _Screen(terminal), lambda: Size(rows=ROWS, columns=COLUMNS), term="xterm"  # type: ignore[arg-type]
    )  # fmt: skip
    with create_pipe_input() as source:
        app = ClientApp(shown, source=source, sink=sink, drawn=drawn.set)
        task = asyncio.create_task(app.run())
        for frame in [shown.now, *frames]:
            shown.now = frame
            drawn.clear()
            if task.done() or seen:
                shown.changed()
            async with asyncio.timeout(300):
                await drawn.wait()
            seen.append((frame, [list(line) for line in terminal.lines]))
        app.close()
        await task
    return seen


@pytest.mark.parametrize("cell_of_its_own", [True, False])
async def test_every_letter_is_where_the_canvas_has_it(*, cell_of_its_own: bool) -> None:
    chance = random.Random(304)
    frames = [random_frame(chance) for _ in range(150)]
    terminal = MiniTerminal(COLUMNS, ROWS, cell_of_its_own=cell_of_its_own)
    for frame, lines in await screens(frames, terminal):
        for drawn, line in zip(frame.lines, lines, strict=True):
            assert line == cells_as_seen(drawn, cell_of_its_own=cell_of_its_own)


def test_a_sign_has_a_cell_and_the_cursor_is_set_behind_it() -> None:
    canvas = Canvas(1, 8)
    assert canvas.put(0, 1, "මා│") == 4
    assert [text for style, text in fragments_of(canvas.frame().lines[0]) if style == RAW] == [
        "\x1b[2G\x1b[3X",
        *(f"\x1b[{column}G" for column in (5, 6, 7, 8)),
    ]
