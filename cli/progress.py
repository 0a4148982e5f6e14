"""A progress bar for work of more than a second, on the error stream if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress(what: str, steps: int, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar of `steps` steps, labelled `what`, while the `with` block runs; the block gets a
    function that moves the bar forward by so many steps.

    Nothing is shown if `quiet`, or if the error stream is no terminal.
    """
    if quiet or not sys.stderr.isatty():
        # A call that does nothing, so that callers need not ask whether there is a bar.
        yield lambda _: None
        return
    # The error stream: the standard output holds the answer.
    with click.progressbar(length=steps, label=what, file=sys.stderr) as bar:
        yield bar.update
