"""Rich's tables and styles on the standard output, which ends as everything else that writes."""

from __future__ import annotations

from typing import NoReturn

from rich import box
from rich.console import Console
from rich.table import Table

from cli.errors import OutputClosed


class Printer(Console):
    """A console that knows the documented end of a program whose reader has gone."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise OutputClosed; rich would exit with 1, a verdict's code."""
        self.quiet = True
        raise OutputClosed


def figures_table(what: str, *headings: str) -> Table:
    """Return an empty table of what there is, and figures of it, which are flush right."""
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column(what)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
