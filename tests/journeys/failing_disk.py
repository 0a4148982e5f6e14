"""Disks that fail in one step, by an error or by the death of the process.

python -m tests.journeys.failing_disk DIRECTORY STEP
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cli.store.disk import Disk
from cli.store.journal import Journal

TABLE: Final = bytes(range(16))


class FullDisk(Disk):
    """Has no room for another byte."""

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


class FailingDisk(Disk):
    """Fails in the step of that number; a failing write writes half first."""

    def __init__(self, step: int, failure: Callable[[], None]) -> None:
        self._left = step
        self._failure = failure

    def _step(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._failure()

    def create(self, path: Path) -> int:
        self._step()
        return super().create(path)

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        if self._left == 1:
            super().write(descriptor, data[: len(data) // 2], at=at)
        self._step()
        super().write(descriptor, data, at=at)

    def sync(self, descriptor: int) -> None:
        self._step()
        super().sync(descriptor)

    def truncate(self, descriptor: int, size: int) -> None:
        self._step()
        super().truncate(descriptor, size)

    def sync_directory(self, path: Path) -> None:
        self._step()
        super().sync_directory(path)


def die_in(place: Path, step: int) -> None:
    """Append to a new journal, and tell of each record that was; the process dies in that step."""
    disk = FailingDisk(step, lambda: os.kill(os.getpid(), signal.SIGKILL))
    journal = Journal.create(place, TABLE, disk=disk)
    for index in range(3):
        journal.append(index, bytes([65 + index]) * 700)
        sys.stdout.write(f"{index}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    die_in(Path(sys.argv[1]), int(sys.argv[2]))
