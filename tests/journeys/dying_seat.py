"""A `p2p304` that is killed by -9 at one record of its journal: in the middle of the disk's work.

    python -m tests.journeys.dying_seat half 37 bot --tell ...

The moments are those of `MOMENTS`. Records are counted from 1 in this process; the first two of a
seat's first process are its setup and its charter.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Final

from cli.main import main
from cli.store.disk import REAL_DISK, Disk
from cli.store.journal import FILE_NAME

MOMENTS: Final = ("before", "half", "written", "synced")
"""Nothing of the record is written; half of it; all, but perhaps not on the disk itself; all, and
on the disk, but nothing was sent."""


class DyingDisk(Disk):
    """The real disk, until the chosen moment."""

    moment = "before"
    record = 0
    journals: frozenset[int] = frozenset()
    written = 0

    def create(self, path: Path) -> int:
        return self._noted(path, super().create(path))

    def open(self, path: Path, *, writable: bool = False) -> int:
        return self._noted(path, super().open(path, writable=writable))

    def _noted(self, path: Path, descriptor: int) -> int:
        others = self.journals - {descriptor}
        self.journals = others | {descriptor} if path.name == FILE_NAME else others
        return descriptor

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        record = descriptor in self.journals and at > 0
        self.written += record
        last = record and self.written == self.record
        if last and self.moment == "before":
            die()
        if last and self.moment == "half":
            super().write(descriptor, data[: len(data) // 2], at=at)
            die()
        super().write(descriptor, data, at=at)
        if last and self.moment == "written":
            die()

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        if descriptor in self.journals and self.written == self.record:
            die()


def die() -> None:
    """As if by kill -9: no Python, no handler, no flushed buffer."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    moment, record, *rest = sys.argv[1:]
    if moment not in MOMENTS:
        sys.exit(f"moments: {', '.join(MOMENTS)}")
    REAL_DISK.__class__ = DyingDisk  # what every journal of this process writes through
    DyingDisk.moment, DyingDisk.record = moment, int(record)
    sys.argv = ["p2p304", *rest]
    sys.exit(main())
