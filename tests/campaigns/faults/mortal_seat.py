"""A `p2p304` that is killed by -9, or whose disk or clock is wrong, as its environment says.

    FAULTS_DIES_AT=250 python -m tests.campaigns.faults.mortal_seat bot --ordered ...

It dies at that step: every act of the disk and every frame that is published has one step before
it and one after it, and what is written to the journal one in the middle. `FAULTS_DISK=ENOSPC:30`
lets the disk refuse the journal's write of that number and all later ones; `FAULTS_CLOCK` is the
name of a wall clock in `networks.CLOCKS`. The program itself knows nothing of all this.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from cli.main import main
from cli.net.mqtt import MqttTransport
from cli.store.disk import REAL_DISK, Disk
from cli.store.journal import FILE_NAME
from tests.campaigns.faults.networks import CLOCKS

DIES_AT: Final = "FAULTS_DIES_AT"
DISK: Final = "FAULTS_DISK"
CLOCK: Final = "FAULTS_CLOCK"

T = TypeVar("T")


class Steps:
    """Counts steps, and dies at one of them."""

    def __init__(self, last: int) -> None:
        self._left = last

    def one(self) -> None:
        """One step; as if by kill -9: no Python, no handler, no flushed buffer."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, act: Callable[[], T]) -> T:
        """An act with a step before and one after it."""
        self.one()
        result = act()
        self.one()
        return result


class SteppingDisk(Disk):
    """The real disk, in steps. `refused` and `from_write` are of a disk that fails."""

    steps = Steps(0)
    refused = 0
    from_write = 0
    writes = 0
    journals: frozenset[int] = frozenset()

    def create(self, path: Path) -> int:
        create = super().create
        return self._noted(path, self.steps.around(lambda: create(path)))

    def open(self, path: Path, *, writable: bool = False, secret: bool = True) -> int:
        return self._noted(path, super().open(path, writable=writable, secret=secret))

    def _noted(self, path: Path, descriptor: int) -> int:
        others = self.journals - {descriptor}
        self.journals = others | {descriptor} if path.name == FILE_NAME else others
        return descriptor

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        write = super().write
        if descriptor in self.journals:
            self.writes += 1
            if self.refused and self.writes >= self.from_write:
                raise OSError(self.refused, os.strerror(self.refused))
            self.steps.one()
            write(descriptor, data[: len(data) // 2], at=at)
        self.steps.around(lambda: write(descriptor, data, at=at))

    def sync(self, descriptor: int) -> None:
        sync = super().sync
        self.steps.around(lambda: sync(descriptor))

    def truncate(self, descriptor: int, size: int) -> None:
        truncate = super().truncate
        self.steps.around(lambda: truncate(descriptor, size))

    def publish(self, temporary: Path, path: Path, *, replace: bool) -> None:
        publish = super().publish
        self.steps.around(lambda: publish(temporary, path, replace=replace))


def stepping_transport(steps: Steps) -> None:
    """Let every frame that is published be an act."""
    send = MqttTransport.send

    async def stepping(transport: MqttTransport, frame: bytes) -> None:
        steps.one()
        await send(transport, frame)
        steps.one()

    MqttTransport.send = stepping  # type: ignore[method-assign,assignment]


def wrong_clock(name: str) -> None:
    """Let the wall clock be wrong for all of this process that asks Python for it."""
    clock, real = CLOCKS[name], time.monotonic
    began = real()

    def now(*_: Any) -> float:
        return clock(1_000.0 + real() - began)

    time.time = now
    time.time_ns = lambda: int(now() * 1e9)


if __name__ == "__main__":
    SteppingDisk.steps = Steps(int(os.environ.get(DIES_AT, "0")))
    if DISK in os.environ:
        which, _, number = os.environ[DISK].partition(":")
        SteppingDisk.refused, SteppingDisk.from_write = getattr(errno, which), int(number)
    if CLOCK in os.environ:
        wrong_clock(os.environ[CLOCK])
    REAL_DISK.__class__ = SteppingDisk  # what every journal of this process writes through
    stepping_transport(SteppingDisk.steps)
    sys.argv[0] = "p2p304"
    sys.exit(main())
