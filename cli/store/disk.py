"""Durable file operations in single steps; tests replace this class to fail or die in one step.

A file is on the disk when its bytes, and the directory entry that names it, have been synchronised.
After a failed synchronisation nothing is known about the file's bytes, so it is never tried again
(see "Can applications recover from fsync failures?", USENIX ATC 2020).
"""

from __future__ import annotations

import glob
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_UNFINISHED: Final = ".new"
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)
_CLOSED_TO_CHILDREN: Final = getattr(os, "O_CLOEXEC", 0)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)


class Disk:
    """The operations on the real disk; each raises OSError if the system refuses it."""

    def create(self, path: Path) -> int:
        """Create a file (mode 0600) and return its descriptor, for reading and writing.

        Raises FileExistsError if the name is taken.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        return os.open(path, flags | _NO_FOLLOW | _BINARY | _CLOSED_TO_CHILDREN, 0o600)

    def open(self, path: Path, *, writable: bool = False, secret: bool = True) -> int:
        """Return a descriptor of an existing regular file of this user.

        Raises OSError for links, devices and files of others, and, if `secret`, for a file that
        others may read.
        """
        flags = os.O_RDWR if writable else os.O_RDONLY
        descriptor = os.open(path, flags | _NO_FOLLOW | _BINARY | _CLOSED_TO_CHILDREN | _NO_WAIT)
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            os.close(descriptor)
            raise OSError(0, "it is no regular file", str(path))
        theirs = 0o077 if secret else 0o022
        if os.name == "posix" and (about.st_uid != os.geteuid() or about.st_mode & theirs):
            os.close(descriptor)
            raise OSError(0, "it is not yours alone, so 'chmod 600' it if you trust it", str(path))
        return descriptor

    def lock(self, descriptor: int) -> bool:
        """Lock the file for this process until it is closed; return False if another process
        holds it.
        """
        try:
            if sys.platform == "win32":
                os.lseek(descriptor, 0, os.SEEK_SET)
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def read(self, descriptor: int, size: int, *, at: int) -> bytes:
        """Return `size` bytes from the offset `at`; fewer only at the end of the file."""
        os.lseek(descriptor, at, os.SEEK_SET)
        parts: list[bytes] = []
        while size > 0 and (part := os.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        """Write all of `data` at the offset `at`."""
        os.lseek(descriptor, at, os.SEEK_SET)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    def sync(self, descriptor: int) -> None:
        """Wait until the file's bytes are on the disk itself."""
        if sys.platform == "darwin":
            # fsync of macOS leaves the bytes in the drive's own memory.
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fsync(descriptor)

    def truncate(self, descriptor: int, size: int) -> None:
        """Cut the file to `size` bytes."""
        os.ftruncate(descriptor, size)

    def publish(self, temporary: Path, path: Path, *, replace: bool) -> None:
        """Rename `temporary` to `path`; raises FileExistsError if `path` exists, unless
        `replace`.
        """
        if replace:
            temporary.replace(path)
        else:
            os.link(temporary, path)
            temporary.unlink()

    def remove(self, path: Path) -> None:
        """Remove the directory entry `path`, if it exists."""
        path.unlink(missing_ok=True)

    def sync_directory(self, path: Path) -> None:
        """Wait until the entries of a directory are on the disk itself."""
        if sys.platform != "win32":
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


REAL_DISK: Final = Disk()


def read_whole(disk: Disk, path: Path, *, limit: int, secret: bool = True) -> bytes:
    """Return the bytes of a file that is ours alone.

    Raises OSError if it is missing, longer than `limit` bytes, or, if `secret`, readable by others.
    """
    descriptor = disk.open(path, secret=secret)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(0, f"it is larger than {limit} bytes", str(path))
    return data


def write_whole(disk: Disk, path: Path, data: bytes, *, replace: bool) -> None:
    """Write `data` as the file `path` (mode 0600), wholly or not at all, durably.

    Raises FileExistsError if it exists and `replace` is false, and OSError if the disk fails; the
    old file is unchanged then.
    """
    sweep(disk, path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{_UNFINISHED}")
    disk.remove(temporary)
    descriptor = disk.create(temporary)
    try:
        try:
            disk.write(descriptor, data, at=0)
            disk.sync(descriptor)
        finally:
            os.close(descriptor)
        disk.publish(temporary, path, replace=replace)
    except BaseException:
        with suppress(OSError):  # what failed is told, not that its rest could not be removed
            disk.remove(temporary)
        raise
    disk.sync_directory(path.parent)


def sweep(disk: Disk, path: Path) -> None:
    """Remove the temporary files of processes that died while they wrote `path`; they may hold
    secrets.

    Files of running processes stay, except those under our own process id: a dead process may have
    had it, as in a container. A file that cannot be removed stays until the next time.
    """
    for left in path.parent.glob(f"{glob.escape(path.name)}.*{_UNFINISHED}"):
        process = left.name[len(path.name) + 1 : -len(_UNFINISHED)]
        if not process.isdecimal():
            continue
        if int(process) == os.getpid() or not _runs(int(process)):
            with suppress(OSError):
                disk.remove(left)


def _runs(process: int) -> bool:
    """Return whether a process with this id may be running."""
    if sys.platform == "win32":
        return True  # there, asking is killing
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
