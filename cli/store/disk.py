"""Durable file operations in single steps; tests replace this class to fail or die in one step.

A file is on the disk when its bytes, and the directory entry that names it, have been synchronised.
After a failed synchronisation nothing is known about the file's bytes, so it is never tried again
(see "Can applications recover from fsync failures?", USENIX ATC 2020).
"""

from __future__ import annotations

import fcntl
import glob
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_UNFINISHED: Final = ".new"
# No link is followed. A bot's process must not inherit the journal, nor its lock.
_OURS_ALONE: Final = os.O_NOFOLLOW | os.O_CLOEXEC


class Disk:
    """The operations on the real disk; each raises OSError if the system refuses it."""

    def create(self, path: Path) -> int:
        """Create a file (mode 0600) and return its descriptor, for reading and writing.

        Raises FileExistsError if the name is taken.
        """
        # Nobody can have prepared the file, or a link in its place (attacks CL2).
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        return os.open(path, flags | _OURS_ALONE, 0o600)

    def open(self, path: Path, *, writable: bool = False, secret: bool = True) -> int:
        """Return a descriptor of an existing regular file of this user.

        Raises OSError for links, devices and files of others, and for a file that others may read
        or write if it is `secret`, else only if they may write it.
        """
        flags = os.O_RDWR if writable else os.O_RDONLY
        # O_NONBLOCK: opening a named pipe would wait for a writer.
        descriptor = os.open(path, flags | _OURS_ALONE | os.O_NONBLOCK)
        # Of the open descriptor: the name may lead elsewhere by now.
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            os.close(descriptor)
            # 0: no errno says it; the sentence is the `strerror` that callers print.
            raise OSError(0, "it is no regular file", str(path))
        # Secrets: nobody else may read. Settings: nobody else may write.
        theirs = 0o077 if secret else 0o022
        if about.st_uid != os.geteuid() or about.st_mode & theirs:
            os.close(descriptor)
            # 0: no error number of the system has this meaning.
            raise OSError(0, "it is not yours alone, so 'chmod 600' it if you trust it", str(path))
        return descriptor

    def lock(self, descriptor: int) -> bool:
        """Lock the file for this process until it is closed; return False if another process
        holds it.
        """
        try:
            # Freed by the system when the process dies, so that no stale lock is left.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def read(self, descriptor: int, size: int, *, at: int) -> bytes:
        """Return `size` bytes from the offset `at`; fewer only at the end of the file."""
        os.lseek(descriptor, at, os.SEEK_SET)
        parts: list[bytes] = []
        # The system may give fewer bytes than asked, without being at the end.
        while size > 0 and (part := os.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        """Write all of `data` at the offset `at`."""
        os.lseek(descriptor, at, os.SEEK_SET)
        rest = memoryview(data)
        while rest:
            # The system may take fewer bytes than it is given.
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
            # Unlike a rename, a link never takes the place of another file.
            os.link(temporary, path)
            temporary.unlink()

    def remove(self, path: Path) -> None:
        """Remove the directory entry `path`, if it exists."""
        path.unlink(missing_ok=True)

    def sync_directory(self, path: Path) -> None:
        """Wait until the entries of a directory are on the disk itself."""
        # Without it the name of a new file may be lost, though its bytes are there.
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


REAL_DISK: Final = Disk()


def read_whole(disk: Disk, path: Path, *, limit: int, secret: bool = True) -> bytes:
    """Return the bytes of a file of this user.

    Raises OSError if it is missing, longer than `limit` bytes, or one that `Disk.open` refuses.
    """
    descriptor = disk.open(path, secret=secret)
    with os.fdopen(descriptor, "rb") as file:
        # One more than allowed, to see that there is more.
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(0, f"it is larger than {limit} bytes", str(path))
    return data


def write_whole(disk: Disk, path: Path, data: bytes, *, replace: bool) -> None:
    """Write `data` as the file `path` (mode 0600), wholly or not at all, durably.

    Raises FileExistsError if it exists and `replace` is false, and OSError if the disk fails. The
    old file is unchanged then, unless only the directory could not be synchronised.
    """
    # What a process left that died here may hold a secret.
    sweep(disk, path)
    # With the process's number: two programs that write one file do not share it.
    temporary = path.with_name(f"{path.name}.{os.getpid()}{_UNFINISHED}")
    # Again, and with its error: `sweep` passes over what it cannot remove.
    disk.remove(temporary)
    descriptor = disk.create(temporary)
    try:
        try:
            disk.write(descriptor, data, at=0)
            # Before the name: a crash must not leave the name with empty bytes behind it.
            disk.sync(descriptor)
        finally:
            os.close(descriptor)
        disk.publish(temporary, path, replace=replace)
    # BaseException: Ctrl-C leaves no rest, either.
    except BaseException:
        with suppress(OSError):  # what failed is told, not that its rest could not be removed
            disk.remove(temporary)
        raise
    # Last: only now the file survives a loss of power.
    disk.sync_directory(path.parent)


def sweep(disk: Disk, path: Path) -> None:
    """Remove the temporary files of processes that died while they wrote `path`; they may hold
    secrets.

    Files of running processes stay, except those under our own process id: a dead process may have
    had it, as in a container. A file that cannot be removed stays until the next time.
    """
    # Escaped: a home may have brackets in its path.
    for left in path.parent.glob(f"{glob.escape(path.name)}.*{_UNFINISHED}"):
        process = left.name[len(path.name) + 1 : -len(_UNFINISHED)]
        # A file of the user's own, by chance of such a name.
        if not process.isdecimal():
            continue
        # Our own number: left by an earlier process that had it.
        if int(process) == os.getpid() or not _runs(int(process)):
            # Another process sweeps at the same time, or the file belongs to somebody else.
            with suppress(OSError):
                disk.remove(left)


def _runs(process: int) -> bool:
    """Return whether a process with this id may be running, anybody's."""
    try:
        # Signal 0 is never delivered: it asks whether there is such a process.
        os.kill(process, 0)
    # OverflowError: a number that no process can have.
    except (ProcessLookupError, OverflowError):
        return False
    # Another user's process: it runs.
    except PermissionError:
        return True
    return True
