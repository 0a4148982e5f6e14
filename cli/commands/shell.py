"""Lines for the shell: broken between words where a narrow terminal would break a word."""

from __future__ import annotations

import shutil
import sys

import click

from cli.lines.console import folded


def echo(line: str = "", *, err: bool = False) -> None:
    """Print a line; on a terminal as wide as that is, elsewhere as it is."""
    terminal = (sys.stderr if err else sys.stdout).isatty()
    cells = shutil.get_terminal_size().columns if terminal else 0
    click.echo(folded(line, cells) if cells else line, err=err)
