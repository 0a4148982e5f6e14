"""Rich's console on the standard output, which raises OutputClosed once the reader is gone."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console

from cli.errors import OutputClosed


class Printer(Console):
    """A rich console that raises OutputClosed when the reader of the output is gone."""

    # rich calls it where printing meets a closed pipe.
    def on_broken_pipe(self) -> NoReturn:
        """Raise OutputClosed; rich would exit with 1, a verdict's code."""
        # rich prints once more while it unwinds.
        self.quiet = True
        raise OutputClosed
