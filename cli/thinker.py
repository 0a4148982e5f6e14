"""The worker process in which bots and hints search, so that the seat's own loop never waits."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import Final

from cli.decision import Decision, think
from cli.workers import Worker, WorkerEnded
from p2p304.bots.advice import Advice

# Imported by the process at its start, so that the first question does not wait for it.
_KNOWN: Final = "p2p304.bots.players"  #: The module of all that bots know.
# Pickling fails with the last three, by what cannot be found on the other side.
#: The errors of a call where there is no process, or where it cannot import the game, as one that a
#: test made.
_NOT_THERE: Final = (
    OSError,
    WorkerEnded,
    pickle.PicklingError,
    ImportError,
    AttributeError,
    TypeError,
)


class Thinker(Worker):
    """A worker that answers Decisions; if there can be no process, it searches in this one."""

    def __init__(self) -> None:
        super().__init__(_KNOWN)
        self._over = False

    def begin(self) -> None:
        """Start the process now, so that the first answer takes no longer than others; do
        nothing if no process can be started.
        """
        with suppress(OSError):  # else it thinks here
            super().begin()

    def ask(self, question: Decision) -> Advice:
        """Return the advice for a question, from the process, or from a search in this one if there
        is none. Blocks: call it in a thread.

        Raises ValueError if the seat of the view has nothing to decide, and WorkerEnded once `end`
        was called.
        """
        try:
            if self._over:  # nobody wants the answer any more
                # 0: no process has failed.
                raise WorkerEnded(0)
            return self.call(think, question)
        # No process, or one that cannot be asked this: the same search runs here.
        except _NOT_THERE:
            # Ended while it thought: that is no missing process.
            if self._over:
                raise
            # Here, slower for everything else, rather than not at all.
            return think(question)

    def end(self) -> None:
        """End the process, and think no more: `ask` raises WorkerEnded from now on."""
        # First, as `ask` in its thread must know why the pipe broke.
        self._over = True
        super().end()
