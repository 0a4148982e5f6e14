"""Durable writing, in the few steps that can fail: the one place where tests break the disk.

A file is on the disk when its bytes, and the directory that names it, have been synchronised.
After a failed synchronisation nothing is known about the file's bytes, so it is never tried
again (see "Can applications recover from fsync failures?", USENIX ATC 2020).
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
    """The real disk. A test derives from it and fails, or dies, in the step that it wants."""

    def create(self, path: Path) -> int:
        """Create a file for reading and writing, 0600; FileExistsError where anything is there."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        return os.open(path, flags | _NO_FOLLOW | _BINARY | _CLOSED_TO_CHILDREN, 0o600)

    def open(self, path: Path, *, writable: bool = False, secret: bool = True) -> int:
        """Open an existing regular file of ours; OSError for links, devices and other people's.

        Others may read one that is no `secret`.
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
        """Take the file for this process until it is closed; False where another has it."""
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
        """Read up to `size` bytes from the offset `at`; fewer only at the end of the file."""
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
        """Give `temporary` the name `path`; FileExistsError unless `replace`, where it is taken."""
        if replace:
            temporary.replace(path)
        else:
            os.link(temporary, path)
            temporary.unlink()

    def remove(self, path: Path) -> None:
        """Take a name away, if it is there."""
        path.unlink(missing_ok=True)

    def sync_directory(self, path: Path) -> None:
        """Wait until the names in a directory are on the disk itself."""
        if sys.platform != "win32":
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


REAL_DISK: Final = Disk()


def read_whole(disk: Disk, path: Path, *, limit: int, secret: bool = True) -> bytes:
    """Read a file that is ours alone; OSError where it is missing or over `limit` bytes."""
    descriptor = disk.open(path, secret=secret)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(0, f"it is larger than {limit} bytes", str(path))
    return data


def write_whole(disk: Disk, path: Path, data: bytes, *, replace: bool) -> None:
    """Make the file `path` hold `data`, wholly or not at all, durably; it is ours alone (0600).

    Raises FileExistsError where it exists and `replace` is false, OSError where the disk fails;
    the file is then as it was before.
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
    """Remove what processes left that died while they wrote `path`; it may hold secrets.

    Those that live may be writing still; but for us, whose number the dead one may have had, as in
    a container. What cannot be removed stays, until the next time.
    """
    for left in path.parent.glob(f"{glob.escape(path.name)}.*{_UNFINISHED}"):
        process = left.name[len(path.name) + 1 : -len(_UNFINISHED)]
        if not process.isdecimal():
            continue
        if int(process) == os.getpid() or not _runs(int(process)):
            with suppress(OSError):
                disk.remove(left)


def _runs(process: int) -> bool:
    """Tell whether a process with this id may be running."""
    if sys.platform == "win32":
        return True  # there, asking is killing
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
