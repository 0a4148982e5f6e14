"""Output for the shell: lines folded to the terminal's width, and commands to copy."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import click

from cli.lines.console import fold
from cli.screen.canvas import wrap


def echo(line: str = "", *, err: bool = False) -> None:
    """Print a line; on a terminal folded to its width."""
    # A file or pipe gets whole lines: whoever reads it can fold them.
    terminal = (sys.stderr if err else sys.stdout).isatty()
    cells = shutil.get_terminal_size().columns if terminal else 0
    click.echo(fold(line, cells) if cells else line, err=err)


OF_THEIR_OWN = ("Hand ", "Trick ")  #: How a line begins that shares its line with no other.


class Paragraphs:
    """A printer that joins sentences into paragraphs, and puts tricks on lines of their own."""

    def __init__(self, columns: int) -> None:
        """Start an empty paragraph, `columns` wide."""
        self._columns = columns
        self._used = 0

    def sentence(self, text: str) -> None:
        """Print a sentence on the current line if it fits there, else on a new line. One that
        begins with "Hand " (in bold) or "Trick ", or an empty one, has lines of its own.
        """
        if text.startswith(OF_THEIR_OWN) or not text:
            for each in wrap(text, self._columns):
                # In bold: a hand's line heads the tricks below it.
                self.line(each, bold=text.startswith("Hand "))
            return
        # Characters are cells here: only a demo prints so, and its seats have no nicknames.
        if self._used and self._used + 1 + len(text) <= self._columns:
            click.echo(f" {text}", nl=False)
            # One for the space between.
            self._used += 1 + len(text)
            return
        self._end()
        *full, last = wrap(text, self._columns)
        for each in full:
            click.echo(each)
        click.echo(last, nl=False)
        self._used = len(last)

    def line(self, text: str, *, bold: bool = False) -> None:
        """End the paragraph, then print `text` as a line of its own."""
        self._end()
        click.echo(click.style(text, bold=bold))

    def _end(self) -> None:
        """End the line that is open, if there is one."""
        if self._used:
            click.echo()
        self._used = 0


def program_name() -> str:
    """Return the word that starts this program in the shell: its name if that finds it, else its
    path; "p2p304" if Python was started.
    """
    began = Path(sys.argv[0])
    found = shutil.which(began.name)
    # Another program of that name may come first in PATH; then the path is told.
    if found is not None and Path(found).resolve() == began.resolve():
        return shlex.quote(began.name)
    # Python was started, and not the program.
    return "p2p304" if began.name in ("main.py", "-c", "-m", "") else shlex.quote(sys.argv[0])


def next_steps(file: str) -> list[str]:
    """Return two lines with commands, ready to copy: one audits the hand in `file`, one begins
    to play.
    """
    name = program_name()
    return [f"  {name} audit --explain {shlex.quote(file)}", f"  {name} play"]
