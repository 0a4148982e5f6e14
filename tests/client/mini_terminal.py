"""A terminal in memory, of either kind: marks beside letters and joined letters have cells of their
own, or have none."""

from __future__ import annotations

import re

from wcwidth import wcwidth

from cli.sanitize import is_beside

_PARTS = re.compile(
    r"\x1b\[\??([\d;]*)([A-Za-z])|\x1b[=>]|\x1b\][^\x07]*\x07|[\r\n\b]|[^\x1b\r\n\b]"
)


class MiniTerminal:
    """Obeys what prompt_toolkit writes, and knows in which column each letter is."""

    def __init__(self, columns: int, rows: int, *, cell_of_its_own: bool) -> None:
        self._own = cell_of_its_own
        self._columns, self._rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self._x = self._y = 0
        self._joined = False

    @property
    def lines(self) -> list[list[str]]:
        """What each cell of each row shows, a letter with the signs that share its cell."""
        return self._cells

    def write(self, data: str) -> None:
        """Take output."""
        position = 0
        while position < len(data):
            found = _PARTS.match(data, position)
            assert found is not None, f"not understood: {data[position : position + 12]!r}"
            position = found.end()
            if found[2]:
                self._joined = False
                self._obey(found[2], found[1])
            elif found[0] == "\r":
                self._x = 0
            elif found[0] == "\b":
                self._obey("D", "1")
            elif found[0] == "\n":
                self._y = min(self._y + 1, self._rows - 1)
            elif not found[0].startswith("\x1b"):
                self._put(found[0])

    def _obey(self, letter: str, argument: str) -> None:
        count = int(argument) if argument.isdecimal() else 1
        match letter:
            case "A":
                self._y = max(self._y - count, 0)
            case "B":
                self._y = min(self._y + count, self._rows - 1)
            case "C":
                self._x = min(self._x + count, self._columns - 1)
            case "D":
                self._x = max(min(self._x, self._columns - 1) - count, 0)
            case "G":
                self._x = count - 1
            case "H":
                self._x = self._y = 0
            case "X":
                self._wipe(self._x, self._x + count)
            case "K":
                self._wipe(self._x, self._columns)
            case "J":
                self._cells = [[" "] * self._columns for _ in range(self._rows)]
            case "m" | "h" | "l" | "q" | "t" | "n":
                return
            case _:
                raise AssertionError(f"not understood: {argument}{letter}")

    def _wipe(self, begin: int, end: int) -> None:
        for column in range(begin, min(end, self._columns)):
            self._cells[self._y][column] = " "

    def _put(self, char: str) -> None:
        width = 1 if is_beside(char) and self._own else max(wcwidth(char), 0)
        if self._joined and not self._own:
            width = 0
        self._joined = char == "\u200d"
        if width == 0:
            self._cells[self._y][max(self._x - 1, 0)] += char
            return
        if self._x < self._columns:
            self._cells[self._y][self._x] = char
            self._x += 1
        if width == 2 and self._x < self._columns:
            self._cells[self._y][self._x] = ""
            self._x += 1
