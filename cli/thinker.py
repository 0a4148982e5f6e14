"""A worker in which bots and hints think, so that nothing else waits meanwhile."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import Final

from cli.decision import Decision, answered
from cli.workers import Worker, WorkerEnded
from p2p304.bots.advice import Advice

_KNOWN: Final = "p2p304.bots.players"
"""What bots know, read by who needs it."""
_NOT_THERE: Final = (
    OSError,
    WorkerEnded,
    pickle.PicklingError,
    ImportError,
    AttributeError,
    TypeError,
)
"""How it fails where there is no process, or where nobody can import the game, as in a test."""


class Thinker(Worker):
    """Thinks in a process apart, and where there can be none, here."""

    def __init__(self) -> None:
        super().__init__(_KNOWN)

    def begin(self) -> None:
        """Begin the process, so that the first answer takes no longer than others."""
        with suppress(OSError):  # else it thinks here
            super().begin()

    def ask(self, question: Decision) -> Advice:
        """Return what the player would do. Blocks: to be called in a thread.

        Raises ValueError as `answered` does.
        """
        try:
            return self.call(answered, question)
        except _NOT_THERE:
            return answered(question)
