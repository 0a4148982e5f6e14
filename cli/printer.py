"""Rich's tables and styles on the standard output, which ends as everything else that writes."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console

from cli.errors import OutputClosed


class Printer(Console):
    """A console that knows the documented end of a program whose reader has gone."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise OutputClosed; rich would exit with 1, a verdict's code."""
        self.quiet = True
        raise OutputClosed
