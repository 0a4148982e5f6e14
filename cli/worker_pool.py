"""Processes that each do one piece of work at a time, and give what came of it as soon as it is
there."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Self, TypeVar

from cli.children import isolated_workers
from cli.errors import CheckFailed, UserError

WorkT = TypeVar("WorkT")
DoneT = TypeVar("DoneT")


class WorkerPool(Generic[WorkT, DoneT]):
    """So many processes that do `task`, a function of some module; as a context it ends them.

    Ctrl-C reaches this process alone. What a task raises for the user is raised by `done`.
    """

    def __init__(self, task: Callable[[WorkT], DoneT], processes: int) -> None:
        self._task = task
        self._count = processes
        self._processes: list[Process] = []
        self._idle: list[Connection] = []
        self._busy: list[Connection] = []

    def __enter__(self) -> Self:
        with isolated_workers():
            for _ in range(self._count):
                ours, theirs = Pipe()
                self._idle.append(ours)
                # A fork has our ends as well: only without them does it notice that we are gone.
                given = (self._task, theirs, tuple(self._idle))
                process = Process(target=_work, args=given, daemon=True)
                process.start()
                theirs.close()
                self._processes.append(process)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()
        for connection in (*self._idle, *self._busy):
            connection.close()

    @property
    def idle(self) -> bool:
        """Whether a process has nothing to do."""
        return bool(self._idle)

    def give(self, work: WorkT) -> None:
        """Have an idle process do a piece of work."""
        connection = self._idle.pop()
        connection.send(work)
        self._busy.append(connection)

    def done(self) -> DoneT:
        """Wait for the next piece of work that is done, whichever it is, and return its result.

        Raises CheckFailed or UserError as the task did, and CheckFailed for a process that has
        ended.
        """
        connection: Any = wait(self._busy)[0]
        self._busy.remove(connection)
        self._idle.append(connection)
        try:
            result = connection.recv()
        except EOFError:
            raise CheckFailed("A process of this simulation has ended before its time.") from None
        if isinstance(result, Exception):
            raise result
        done: DoneT = result
        return done


def _work(
    task: Callable[[Any], Any], connection: Connection, others: tuple[Connection, ...]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for each in others:
        each.close()
    with suppress(EOFError, ConnectionError):  # whoever gives work has gone
        while True:
            work = connection.recv()
            try:
                done = task(work)
            except (CheckFailed, UserError) as error:
                done = error
            connection.send(done)
