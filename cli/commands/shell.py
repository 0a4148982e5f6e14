"""Lines for the shell: as wide as the terminal is, and commands that work as they stand."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import click

from cli.lines.console import folded
from cli.screen.canvas import wrapped


def echo(line: str = "", *, err: bool = False) -> None:
    """Print a line; on a terminal as wide as that is, elsewhere as it is."""
    terminal = (sys.stderr if err else sys.stdout).isatty()
    cells = shutil.get_terminal_size().columns if terminal else 0
    click.echo(folded(line, cells) if cells else line, err=err)


OF_THEIR_OWN = ("Hand ", "Trick ")
"""How a line begins that shares its line with no other."""


class Paragraphs:
    """Writes sentences beside each other as they come, and tricks on lines of their own."""

    def __init__(self, columns: int) -> None:
        """Begin at the left edge of `columns`."""
        self._columns = columns
        self._used = 0

    def sentence(self, text: str) -> None:
        """Write a sentence behind the one before it, if the line has room for both."""
        if text.startswith(OF_THEIR_OWN) or not text:
            for each in wrapped(text, self._columns):
                self.line(each, bold=text.startswith("Hand "))
            return
        if self._used and self._used + 1 + len(text) <= self._columns:
            click.echo(f" {text}", nl=False)
            self._used += 1 + len(text)
            return
        self._end()
        *full, last = wrapped(text, self._columns)
        for each in full:
            click.echo(each)
        click.echo(last, nl=False)
        self._used = len(last)

    def line(self, text: str, *, bold: bool = False) -> None:
        """End the paragraph, then write `text` as a line of its own."""
        self._end()
        click.echo(click.style(text, bold=bold))

    def _end(self) -> None:
        if self._used:
            click.echo()
        self._used = 0


def started_as() -> str:
    """Tell what a person types here to start this program: its name where the shell finds it."""
    began = sys.argv[0]
    path = Path(began)
    if path.name in ("main.py", "-c", "-m", ""):  # Python was started, and not the program
        return "p2p304"
    found = shutil.which(path.name)
    if found is not None and Path(found).resolve() == path.resolve():
        return shlex.quote(path.name)
    return shlex.quote(began)


def next_steps(file: str) -> list[str]:
    """Tell how to check a hand and how to play one; each line works as it stands."""
    name = started_as()
    return [f"  {name} audit --explain {shlex.quote(file)}", f"  {name} play"]
