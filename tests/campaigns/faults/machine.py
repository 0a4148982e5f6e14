"""The machine of one seat, whose disk fails and whose process dies wherever a plan wants it.

The disk is a model of the page cache over real files: what was written is in the file at once,
what was synchronised survives also when the power fails. A death leaves what kill -9 leaves (all
that was written), or what a power failure may leave: nothing of what was not synchronised, a part
of it, or zeros where it was to be.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from cli.store.disk import REAL_DISK, Disk
from cli.store.journal import FILE_NAME

# --- plans ----------------------------------------------------------------------------------------

# What a process does to the world outside, step by step, and what may go wrong at each step.


class Act(Enum):
    """What a process does to the world outside, in steps that a death can lie before or after."""

    CREATE = "create"
    WRITE = "write"
    SYNC = "sync"
    TRUNCATE = "truncate"
    RENAME = "rename"
    REMOVE = "remove"
    SYNC_DIRECTORY = "sync directory"
    OPEN = "open"
    SEND = "publish"


@dataclass(frozen=True, slots=True)
class Step:
    """One act: of what (a file's name, or a kind of message) and which one, counted from 1."""

    act: Act
    what: str
    number: int

    def __str__(self) -> str:
        return f"{self.act.value} {self.what} {self.number}"


class Fate(Enum):
    """What becomes of the bytes that were written and not synchronised."""

    KEPT = "kept"
    LOST = "lost"
    TORN = "torn"
    ZEROED = "zeroed"


@dataclass(frozen=True, slots=True)
class Death:
    """A death `before`, `amid` or `after` a step, and what the disk keeps."""

    moment: str
    fate: Fate

    def __str__(self) -> str:
        return f"{self.moment}, {self.fate.value}"


@dataclass(frozen=True, slots=True)
class Failure:
    """The step fails with this errno; `share` of a write's bytes are written before it does."""

    number: int
    share: float = 0.0

    def __str__(self) -> str:
        return errno.errorcode[self.number] + (" amid" if self.share else "")


Plan = Callable[[Step], Death | Failure | None]


def nothing_happens(_: Step) -> None:
    """A plan without faults."""


#: The one last after which the step is not repeated.
POWER: Final = (Fate.LOST, Fate.TORN, Fate.ZEROED, Fate.KEPT)


def deaths_at(step: Step) -> tuple[Death, ...]:
    """Every death that can be told from another one at this step."""
    before, after = Death("before", Fate.KEPT), Death("after", Fate.KEPT)
    match step.act:
        case Act.WRITE:
            return (before, Death("amid", Fate.KEPT), *(Death("after", fate) for fate in POWER))
        case Act.CREATE | Act.RENAME | Act.TRUNCATE:
            return (before, Death("after", Fate.LOST), after)
        case Act.SYNC | Act.SYNC_DIRECTORY:
            return (after,)
        case Act.SEND:
            return (before, after)
        case Act.OPEN | Act.REMOVE:
            return (before,)


# --- machine --------------------------------------------------------------------------------------

HEADING: Final = 49
OVERHEAD: Final = 29  #: Bytes of a journal's heading, and of a record besides its payload.


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
    records: int = 0  #: The number of the record that was written last.
    durable: bytes = b""  #: The journal's bytes as far as they are synchronised.
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


# --- faulty disk ----------------------------------------------------------------------------------

# The real disk, in whose steps the plans of machines let something go wrong.


NOBODYS: Final = Machine(Path("/nowhere"))  #: Of paths that are on no machine: nothing happens.


class FaultyDisk(Disk):
    """The real disk, for all machines of this process, each under its own plan."""

    machines: tuple[Machine, ...] = ()
    opened: dict[int, Path] = {}  # noqa: RUF012 - of the one disk that there is

    def _machine(self, path: Path) -> Machine:
        return next((each for each in self.machines if each.owns(path)), NOBODYS)

    @contextmanager
    def _doing(self, act: Act, path: Path, number: int = 1) -> Iterator[Machine]:
        machine = self._machine(path)
        what = "" if act is Act.SYNC_DIRECTORY else named(path)
        with machine.step(Step(act, what, number)) as fault:
            if isinstance(fault, Failure) and act is Act.SYNC:
                machine.not_synced(path)
            fail_by(fault, path)
            yield machine

    def create(self, path: Path) -> int:
        with self._doing(Act.CREATE, path) as machine:
            descriptor = super().create(path)
            machine.made(path)
            self.opened[descriptor] = path
        return descriptor

    def open(self, path: Path, *, writable: bool = False, secret: bool = True) -> int:
        if writable:
            with self._doing(Act.OPEN, path, self._machine(path).records):
                pass
        descriptor = super().open(path, writable=writable, secret=secret)
        self.opened[descriptor] = path
        return descriptor

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        path = self.opened[descriptor]
        machine = self._machine(path)
        if machine.dead:
            raise Killed
        content = path.read_bytes()
        anew = content[at : at + len(data)] == data
        what, number = named(path), 1
        if path.name == FILE_NAME:
            number = machine.record_at(content, len(content) if anew else at)
            what += " again" if anew else ""
        step = Step(Act.WRITE, what, number)
        with machine.step(step) as fault:
            if isinstance(fault, Death) and fault.moment == "amid":
                super().write(descriptor, data[: machine.chance.randrange(len(data))], at=at)
                machine.die(step, fault)
            if isinstance(fault, Failure):
                super().write(descriptor, data[: int(len(data) * fault.share)], at=at)
                machine.wrote(path, at)
                fail_by(fault, path)
            super().write(descriptor, data, at=at)
            machine.wrote(path, at, anew=anew)

    def sync(self, descriptor: int) -> None:
        path = self.opened[descriptor]
        journal = path.name == FILE_NAME
        number = self._machine(path).records if journal else 1
        with self._doing(Act.SYNC, path, number) as machine:
            machine.synced(path, path.read_bytes() if journal else b"")

    def truncate(self, descriptor: int, size: int) -> None:
        path = self.opened[descriptor]
        with self._doing(Act.TRUNCATE, path, self._machine(path).records) as machine:
            before = path.read_bytes()
            super().truncate(descriptor, size)
            machine.cut(path, before)

    def publish(self, temporary: Path, path: Path, *, replace: bool) -> None:
        with self._doing(Act.RENAME, path) as machine:
            before = path.read_bytes() if path.exists() else None
            super().publish(temporary, path, replace=replace)
            machine.renamed(temporary, path, before)

    def remove(self, path: Path) -> None:
        if path.exists():
            with self._doing(Act.REMOVE, path):
                super().remove(path)

    def sync_directory(self, path: Path) -> None:
        with self._doing(Act.SYNC_DIRECTORY, path) as machine:
            machine.names_synced(path)


def fail_by(fault: Death | Failure | None, path: Path) -> None:
    """Raise what the operating system would."""
    if isinstance(fault, Failure):
        raise OSError(fault.number, os.strerror(fault.number), str(path))


def named(path: Path) -> str:
    """A name that is the same in every run."""
    if path.name == FILE_NAME:
        return FILE_NAME
    parts = path.name.split(".")
    return ".".join(part for part in parts[1:] if not part.isdecimal()) or parts[0]


@contextmanager
def disks_of(*machines: Machine) -> Iterator[None]:
    """All that our program writes on these machines' disks goes through their plans."""
    FaultyDisk.machines = machines
    before = REAL_DISK.__class__
    REAL_DISK.__class__ = FaultyDisk
    try:
        yield
    finally:
        REAL_DISK.__class__ = before
        FaultyDisk.machines = ()
        FaultyDisk.opened.clear()
