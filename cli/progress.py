"""Progress of what takes longer than a second, on the error stream if that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Advance = Callable[[], None]
"""Called once for each of the steps that were announced."""


@contextmanager
def progress(what: str, steps: int, *, quiet: bool = False) -> Iterator[Advance]:
    """A bar that runs through `steps` while the block runs, and is gone afterwards."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    shown = not quiet and console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not shown) as bar:
        task = bar.add_task(what, total=steps)
        yield lambda: bar.advance(task)
