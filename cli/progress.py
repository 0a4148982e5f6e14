"""Progress of what takes longer than a second, on the error stream if that is a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Moves the bar on."""

    def __call__(self, steps: int = 1, /) -> None:
        """Move the bar by so many steps, of those that were announced."""
        ...


@contextmanager
def progress(what: str, steps: int, *, quiet: bool = False) -> Iterator[Advance]:
    """Show a bar that runs through `steps` while the block runs, and is gone afterwards."""
    if quiet:
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

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=steps)

        def advance(steps: int = 1) -> None:
            bar.advance(task, steps)

        yield advance
