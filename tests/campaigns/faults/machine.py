"""The machine of one seat, whose disk fails and whose process dies wherever a plan wants it.

The disk is a model of the page cache over real files: what was written is in the file at once, what
was synchronised survives also when the power fails. A death leaves what kill -9 leaves (all that
was written), or what a power failure may leave: nothing of what was not synchronised, a part of
it, or zeros where it was to be.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cli.store.journal import FILE_NAME
from tests.campaigns.faults.plans import Death, Failure, Fate, Plan, Step, nothing_happens

HEADING: Final = 49
OVERHEAD: Final = 29
"""Bytes of a journal's heading, and of a record besides its payload."""


class Killed(BaseException):
    """The process is no more: nothing that it still does has any effect."""


@dataclass
class Machine:
    """A seat's machine: its home, its plan, and what its disk has for certain."""

    home: Path
    plan: Plan = nothing_happens
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    dead: bool = False
    died: Callable[[], None] = lambda: None
    deaths: list[tuple[Step, Death]] = field(default_factory=list)
    failures: list[tuple[Step, Failure]] = field(default_factory=list)
    records: int = 0
    """The number of the record that was written last."""
    durable: bytes = b""
    """The journal's bytes as far as they are synchronised."""
    _certain: dict[Path, int] = field(default_factory=dict)
    _names: list[tuple[Path, Path, bytes | None]] = field(default_factory=list)
    _made: list[Path] = field(default_factory=list)
    _longer: dict[Path, bytes] = field(default_factory=dict)
    _failed: dict[Path, int] = field(default_factory=dict)

    def owns(self, path: Path) -> bool:
        """Whether the path is on this machine."""
        return path.is_relative_to(self.home)

    @contextmanager
    def step(self, step: Step) -> Iterator[Death | Failure | None]:
        """Do the step inside; the plan's death comes before or after it.

        What comes of `amid`, and of failures, is the caller's to do.
        """
        if self.dead:
            raise Killed
        fault = self.plan(step)
        if isinstance(fault, Failure):
            self.failures.append((step, fault))
        if isinstance(fault, Death) and fault.moment == "before":
            self.die(step, fault)
        yield fault
        if isinstance(fault, Death):
            self.die(step, fault)

    def die(self, step: Step, death: Death) -> None:
        """The process is gone, and the disk keeps what it keeps."""
        self.dead = True
        self.deaths.append((step, death))
        if death.fate is not Fate.KEPT:
            self._lose(death.fate)
        self.died()
        raise Killed

    def has(self, payload: bytes) -> bool:
        """Whether the journal would have these bytes after a power failure."""
        return payload in self.durable and all(path.name != FILE_NAME for path in self._made)

    def record_at(self, content: bytes, offset: int) -> int:
        """The number of the record that is written there; the heading is 0."""
        self.records, position = 0, HEADING
        while position <= offset:
            self.records += 1
            length = int.from_bytes(content[position + 1 : position + 5], "big")
            position += OVERHEAD + length
        return self.records

    def wrote(self, path: Path, at: int, *, anew: bool = False) -> None:
        """Bytes were written from there on, and are not certain; `anew` are those that stood there
        already."""
        failed = self._failed.get(path)
        if failed is not None and at <= failed:
            del self._failed[path]
        if not anew:
            self._certain[path] = min(self._certain.get(path, at), at)

    def synced(self, path: Path, content: bytes) -> None:
        """All bytes of the file are certain, but those whose synchronisation failed before and
        that were not written since: the kernel has forgotten that they are not on the disk."""
        self._longer.pop(path, None)
        failed = self._failed.get(path)
        if failed is None:
            self._certain.pop(path, None)
        if path.name == FILE_NAME:
            self.durable = content[:failed]

    def not_synced(self, path: Path) -> None:
        """A synchronisation failed."""
        if path in self._certain:
            self._failed[path] = self._certain[path]

    def cut(self, path: Path, before: bytes) -> None:
        """The file was cut, and may be as long as before again."""
        self._longer.setdefault(path, before)

    def made(self, path: Path) -> None:
        """A name is new, and not certain."""
        self._made.append(path)
        self._certain[path] = 0

    def renamed(self, old: Path, new: Path, before: bytes | None) -> None:
        """A file has another name, not yet for certain; `before` was there under the new one."""
        self._names.append((old, new, before))
        self._made = [each for each in self._made if each != old]
        if old in self._certain:
            self._certain[new] = self._certain.pop(old)

    def names_synced(self, directory: Path) -> None:
        """All names in the directory are certain."""
        self._names = [each for each in self._names if each[1].parent != directory]
        self._made = [each for each in self._made if each.parent != directory]

    def restart(self) -> None:
        """A new process, which finds what the last one left."""
        self.dead = False

    def _lose(self, fate: Fate) -> None:
        for path, size in self._certain.items():
            if path.exists():
                self._cut(path, size, fate)
        for path, longer in self._longer.items():
            path.write_bytes(longer)
        for old, new, before in reversed(self._names):
            new.rename(old)
            if before is not None:
                new.write_bytes(before)
        if fate is Fate.LOST:
            for path in self._made:
                path.unlink(missing_ok=True)
        self._certain.clear()
        self._names.clear()
        self._made.clear()
        self._longer.clear()
        self._failed.clear()

    def _cut(self, path: Path, size: int, fate: Fate) -> None:
        content = path.read_bytes()
        tail = len(content) - size
        if tail <= 0:
            return
        match fate:
            case Fate.TORN:
                kept = content[: size + self.chance.randrange(tail)]
            case Fate.ZEROED:
                # The size is on the disk, the last blocks are not: zeros from a sector's beginning.
                sectors = range(-(-size // 512) * 512, len(content), 512)
                whole = self.chance.choice([size, *sectors]) if sectors else size
                kept = content[:whole].ljust(len(content), b"\0")
            case _:
                kept = content[:size]
        with path.open("r+b") as file:
            file.truncate(0)
            file.write(kept)
