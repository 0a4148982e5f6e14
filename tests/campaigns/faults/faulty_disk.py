"""The real disk, in whose steps the plans of machines let something go wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.store.disk import REAL_DISK, Disk
from cli.store.journal import FILE_NAME
from tests.campaigns.faults.machine import Killed, Machine
from tests.campaigns.faults.plans import Act, Death, Failure, Step


class FaultyDisk(Disk):
    """The real disk, for all machines of this process, each under its own plan."""

    machines: tuple[Machine, ...] = ()
    opened: dict[int, Path] = {}  # noqa: RUF012 - of the one disk that there is

    def _machine(self, path: Path) -> Machine | None:
        return next((each for each in self.machines if each.owns(path)), None)

    def _of(self, descriptor: int) -> tuple[Machine | None, Path]:
        path = self.opened.get(descriptor, Path("/"))
        return self._machine(path), path

    def create(self, path: Path) -> int:
        machine = self._machine(path)
        if machine is None:
            descriptor = super().create(path)
        else:
            with machine.step(Step(Act.CREATE, named(path), 1)) as fault:
                fail_by(fault, path)
                descriptor = super().create(path)
                machine.made(path)
                self.opened[descriptor] = path
        self.opened[descriptor] = path
        return descriptor

    def open(self, path: Path, *, writable: bool = False, secret: bool = True) -> int:
        machine = self._machine(path)
        if machine is not None and writable:
            with machine.step(Step(Act.OPEN, named(path), machine.records)) as fault:
                fail_by(fault, path)
        descriptor = super().open(path, writable=writable, secret=secret)
        self.opened[descriptor] = path
        return descriptor

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        machine, path = self._of(descriptor)
        if machine is None:
            super().write(descriptor, data, at=at)
            return
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
        machine, path = self._of(descriptor)
        if machine is None:
            return
        number = machine.records if path.name == FILE_NAME else 1
        with machine.step(Step(Act.SYNC, named(path), number)) as fault:
            if isinstance(fault, Failure):
                machine.not_synced(path)
            fail_by(fault, path)
            machine.synced(path, path.read_bytes() if path.name == FILE_NAME else b"")

    def truncate(self, descriptor: int, size: int) -> None:
        machine, path = self._of(descriptor)
        if machine is None:
            super().truncate(descriptor, size)
            return
        with machine.step(Step(Act.TRUNCATE, named(path), machine.records)) as fault:
            fail_by(fault, path)
            before = path.read_bytes()
            super().truncate(descriptor, size)
            machine.cut(path, before)

    def publish(self, temporary: Path, path: Path, *, replace: bool) -> None:
        machine = self._machine(path)
        if machine is None:
            super().publish(temporary, path, replace=replace)
            return
        with machine.step(Step(Act.RENAME, named(path), 1)) as fault:
            fail_by(fault, path)
            before = path.read_bytes() if path.exists() else None
            super().publish(temporary, path, replace=replace)
            machine.renamed(temporary, path, before)

    def remove(self, path: Path) -> None:
        machine = self._machine(path)
        if machine is not None and path.exists():
            with machine.step(Step(Act.REMOVE, named(path), 1)):
                super().remove(path)
        elif machine is None:
            super().remove(path)

    def sync_directory(self, path: Path) -> None:
        machine = self._machine(path)
        if machine is None:
            return
        with machine.step(Step(Act.SYNC_DIRECTORY, "", 1)) as fault:
            fail_by(fault, path)
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
