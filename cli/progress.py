"""A progress bar for work of more than a second, on the error stream if that is a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """A function that moves the bar forward."""

    # Positional: the functions given for it name it as they like.
    def __call__(self, steps: int = 1, /) -> None:
        """Move the bar forward by this many of its `steps`."""
        ...


@contextmanager
def progress(what: str, steps: int, *, quiet: bool = False) -> Iterator[Advance]:
    """Show a bar of `steps` steps, labelled `what`, while the `with` block runs, and remove it
    afterwards; the block gets a function that moves the bar forward.

    Nothing is shown if `quiet`, or if the error stream is no terminal.
    """
    if quiet:
        # A call that does nothing, so that callers need not ask whether there is a bar.
        yield lambda _=1: None
        return
    # Imported where a bar is drawn alone: it takes longer than some commands.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    # The error stream: the standard output holds the answer.
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        # Transient: the bar is gone when the answer is printed.
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task(what, total=steps)

        def advance(steps: int = 1) -> None:
            """Move the bar forward by so many `steps`."""
            bar.advance(task, steps)

        yield advance
