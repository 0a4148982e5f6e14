"""The journal of a table: what a seat drew, signed and learned, in the order it happened.

Records are appended, each on the disk before `append` returns. So every message that was published
is there after a crash, and the same bytes go out again. The file, all integers big-endian:

    "p2p304 journal 1\\n" | table id (16) | checksum (16)        the heading
    kind (1) | length (4) | head checksum (8) | payload | checksum (16)        a record

A checksum is the first bytes of a labelled SHA-256 digest. A record's covers the one before it, so
that a lost, doubled or moved record is noticed. Checksums find accidents; they do not stop somebody
who can write the file, and who therefore has the seat's secrets anyway.

A crash may leave the last record, or the last of several that were written together, cut short or
with zeros at its end. That record was never published, and is cut off when the journal is opened.
The records before it are written and synchronised once more, and then trusted. Any other damage is
refused. Sources: specs/07-wire.md, 7.5; specs/attacks.md, CL2, CL4, CL5.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, Self

from cli.bounds import MAX_RECORD, MAX_TOGETHER
from cli.errors import StoreError
from cli.store.disk import REAL_DISK, Disk, write_whole

# With a version: a journal of a later one is refused by name.
MAGIC: Final = b"p2p304 journal 1\n"
FILE_NAME: Final = "journal"
# 16 bytes of SHA-256, each over the one before: a record cannot be cut out of the middle.
_CHECKSUM: Final = 16
# The head has a checksum of its own, so that a damaged length is not believed.
_HEAD_CHECKSUM: Final = 8
# Kind, length, checksum.
_HEAD: Final = 1 + 4 + _HEAD_CHECKSUM
# The least that a disk writes at once; zeros of a lost write begin at such a limit.
_SECTOR: Final = 512


class JournalError(StoreError):
    """The journal cannot be made, opened or written; one sentence says why and what to do."""


class JournalLockedError(JournalError):
    """Another process uses this table's journal."""


class JournalDamagedError(JournalError):
    """A journal does not hold what was written; nothing from `position` on can be trusted."""

    def __init__(self, path: Path, position: int, size: int) -> None:
        """Say that the journal at `path`, of `size` bytes, is damaged from byte `position` on."""
        super().__init__(
            f"{path} is damaged at byte {position} of {size}: what this seat signed behind it is"
            " lost, so that it can sign nothing more at this table. Restore the journal from a copy"
            " or ask the others to end the hand as unfinished; transcripts beside it are whole."
        )
        self.path = path


class JournalRecord(NamedTuple):
    """One record: its kind, 0 to 255, which the caller defines, and its bytes."""

    kind: int
    payload: bytes


# A crash between write and fsync leaves a beginning, which was never published.
class _Unfinished(Exception):
    """A crash left the last record unfinished."""


class Journal:
    """An open journal, locked for this process until `close`. Made by `create` or `open`."""

    def __init__(
        self, path: Path, descriptor: int, disk: Disk, table: bytes, *, fresh: bool
    ) -> None:
        self.path = path
        self._descriptor = descriptor
        self._disk = disk
        # Of this table: a journal of another one put in place is refused (attacks CL5).
        self._heading = _heading(table)
        # The heading's checksum begins the chain.
        self._end, self._last = len(self._heading), self._heading[-_CHECKSUM:]
        # Why nothing may be written any more, once the disk has failed.
        self._broken: str | None = None
        #: Whether this process made the journal, which is then no older copy of another one.
        self.fresh = fresh

    @classmethod
    def create(cls, directory: Path, table: bytes, *, disk: Disk = REAL_DISK) -> Self:
        """Create the journal of a table in its private directory, locked; raises JournalError if it
        has one or the disk fails.

        Args:
            directory: the table's directory, without a journal.
            table: the id of the table, 16 bytes, which the heading holds.
            disk: the operations on the disk; tests pass one that fails.
        """
        path = directory / FILE_NAME
        try:
            # Whole or not at all, however this process ends.
            write_whole(disk, path, _heading(table), replace=False)
        # Never written over: a second journal would sign other things for the same seat (attacks
        # CL4).
        except FileExistsError as error:
            raise JournalError(
                "This table has a journal on this machine already: go on with it by 'resume'."
            ) from error
        except OSError as error:
            raise _cannot(path, "made", error) from error
        return cls._opened(path, table, disk, fresh=True)

    @classmethod
    def open(cls, directory: Path, table: bytes, *, disk: Disk = REAL_DISK) -> Self:
        """Open a table's existing journal: lock it, check all of it, and cut off an unfinished
        record.

        Raises JournalLockedError if another process holds it, JournalError for any other failure.
        """
        return cls._opened(directory / FILE_NAME, table, disk, fresh=False)

    @classmethod
    def _opened(cls, path: Path, table: bytes, disk: Disk, *, fresh: bool) -> Self:
        """Open the file, lock it, and check it unless it is `fresh`; raises as `open` does."""
        try:
            descriptor = disk.open(path, writable=True)
        # Not damage: the table was joined elsewhere, or its folder removed.
        except FileNotFoundError as error:
            raise JournalError(
                "This table has no journal on this machine: join it with an invite."
            ) from error
        except OSError as error:
            raise _cannot(path, "opened", error) from error
        journal = cls(path, descriptor, disk, table, fresh=fresh)
        try:
            # Before it is read, as another process may append; one that found a fresh journal first
            # may have appended, and ended, already.
            locked = disk.lock(descriptor)
            if not locked or (fresh and os.fstat(descriptor).st_size > journal._end):
                raise JournalLockedError(
                    "Another p2p304 on this machine plays at this table: close that one first."
                )
            if not fresh:
                journal._check()
        # Ctrl-C, too: a lock that stays would shut the table for this process.
        except BaseException:
            journal.close()
            raise
        return journal

    def append(self, kind: int, *payloads: bytes) -> None:
        """Add records of one kind; when this returns, they are on the disk and may be published.
        Waits for the disk once per `MAX_TOGETHER` bytes.

        Raises ValueError for a kind above 255 or too large a payload. Raises JournalError if the
        disk fails. Then the record at which it failed is not in the journal, but those before may
        be; if that is uncertain, nothing more can be appended until the journal is opened anew.
        """
        # Several records, one fsync: waiting for the disk is what costs.
        together, last = bytearray(), self._last
        for payload in payloads:
            # Our own mistake, so no JournalError: a kind is one byte.
            if not 0 <= kind <= 255 or len(payload) > MAX_RECORD:
                raise ValueError("a record has a kind from 0 to 255 and at most 1 MiB")
            head = _head(kind, len(payload))
            # Not more: after a crash all of the last write may be missing, and `_damage` allows so
            # much.
            if together and len(together) + len(head + payload) + _CHECKSUM > MAX_TOGETHER:
                self._add(bytes(together), last)
                together.clear()
            # Over the last record's checksum: the records form a chain.
            last = _checksum(last, head, payload)
            together += head + payload + last
        if together:
            self._add(bytes(together), last)

    def _add(self, records: bytes, last: bytes) -> None:
        """Write whole records behind the others, and wait until they are on the disk; `last` is the
        checksum of the last one.

        Raises JournalError, always once the disk has failed or the journal is closed. If they could
        not be written, they are cut off again; if they were written and the waiting failed, nothing
        more can be added to this journal.
        """
        # A failed fsync may have dropped bytes in silence: nothing follows it (attacks CL23).
        if self._broken is not None:
            raise JournalError(self._broken)
        self._broken = (
            f"The disk failed while {self.path} was written: check the disk, then 'resume'."
        )
        try:
            try:
                self._disk.write(self._descriptor, records, at=self._end)
            except OSError:
                # Whole or not at all: the next record must follow the last good one.
                with suppress(OSError):  # not even the undoing worked
                    self._disk.truncate(self._descriptor, self._end)
                    self._broken = None
                raise
            # Never tried again: Linux forgets the lost bytes, and a second fsync would say all is
            # well.
            self._disk.sync(self._descriptor)
        except OSError as error:
            raise _cannot(self.path, "written", error) from error
        # Only now: until the disk has them, they are not part of the journal.
        self._broken = None
        self._end += len(records)
        self._last = last

    def records(self) -> Iterator[JournalRecord]:
        """Yield all records from the first, each read from the file when it is due. Raises
        JournalError if the file cannot be read.
        """
        position, last = len(self._heading), self._heading[-_CHECKSUM:]
        while position < self._end:
            record, last, position = self._record_at(position, last, self._end)
            yield record

    def close(self) -> None:
        """Close the file and release its lock. Closing twice does nothing."""
        if self._descriptor >= 0:
            # Closing also frees the lock.
            os.close(self._descriptor)
            self._descriptor = -1
        # What a later `append` raises.
        self._broken = "The journal is closed."

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, position: int, size: int) -> bytes:
        """Return the bytes from a position; fewer at the end of the file."""
        return self._disk.read(self._descriptor, size, at=position)

    def _check(self) -> None:
        """Read everything once; cut off an unfinished last record.

        Raises JournalError for a file of another table or version, damage, or a disk that fails.
        """
        try:
            size = os.fstat(self._descriptor).st_size
            start = self._read(0, len(self._heading))
        except OSError as error:
            raise _cannot(self.path, "read", error) from error
        if start != self._heading:
            raise JournalError(
                f"{self.path} is no journal of this table, or of another version of p2p304:"
                " restore it from a copy, or join again."
            )
        position, last = self._end, self._last
        # Where the records begin that one write may have put there; the heading, at 0, counts as
        # the first of them.
        newest: deque[int] = deque((0,))
        try:
            # Everything is read: a seat signs only on a history that it knows whole.
            while position < size:
                begins = position
                _, last, position = self._record_at(position, last, size)
                newest.append(begins)
                # Only what can have shared a write may be missing from the disk's own memory.
                while len(newest) > 1 and position - newest[0] > MAX_TOGETHER:
                    newest.popleft()
        # The end of a write that a crash cut off.
        except _Unfinished:
            # Cut off: it was never published, as `append` had not returned.
            self._repair(position)
        self._renew(newest[0], position)
        self._end, self._last = position, last

    def _renew(self, begin: int, end: int) -> None:
        """Write the newest records, and the journal's directory entry, to the disk once more: what
        is read here will be published. Raises JournalError.

        A process that was killed may have written them without synchronising. After a failed
        synchronisation another one proves nothing, unless the bytes are written anew.
        """
        try:
            # The bytes may be in the system's memory alone, read back after a crash of the program.
            self._disk.write(self._descriptor, self._read(begin, end - begin), at=begin)
            self._disk.sync(self._descriptor)
            self._disk.sync_directory(self.path.parent)
        # Without a sound journal on the disk nothing may be signed.
        except OSError as error:
            raise _cannot(self.path, "synchronised", error) from error

    def _repair(self, size: int) -> None:
        """Cut the file to `size` bytes, durably. Raises JournalError."""
        try:
            self._disk.truncate(self._descriptor, size)
            self._disk.sync(self._descriptor)
        except OSError as error:
            raise _cannot(self.path, "repaired", error) from error

    def _record_at(self, position: int, last: bytes, size: int) -> tuple[JournalRecord, bytes, int]:
        """Return the record at `position`, its checksum, and the position of the next; `last` is
        the checksum of the record before, `size` that of the file in bytes.

        Raises _Unfinished if only a crash during the last write explains the bytes, and
        JournalError otherwise.
        """
        try:
            head = self._read(position, _HEAD)
            # The head first: its length is used to read on.
            if len(head) < _HEAD or head != _head(head[0], int.from_bytes(head[1:5], "big")):
                raise self._damage(position, size)
            length = int.from_bytes(head[1:5], "big")
            # Whatever the length says: no more is read than the file has.
            body = self._read(position + _HEAD, length + _CHECKSUM)
        except OSError as error:
            raise _cannot(self.path, "read", error) from error
        # Beyond the file's end, or impossible.
        if length > MAX_RECORD or len(body) < length + _CHECKSUM:
            raise self._damage(position, size)
        payload, checksum = body[:length], body[length:]
        if checksum != _checksum(last, head, payload):
            raise self._damage(position, size)
        return JournalRecord(head[0], payload), checksum, position + _HEAD + len(body)

    def _damage(self, position: int, size: int) -> Exception:
        """Return the error for the bytes from `position` on: _Unfinished if a crash in the last
        write explains them, else JournalDamagedError.
        """
        # The longest record with its checksum, and some bytes more: if they are not the last of the
        # file, the damage is not at its end.
        rest = self._read(position, min(size - position, _HEAD + MAX_RECORD + 64))
        # A lost write leaves zeros on many file systems: the length was stored, the bytes were not.
        written = rest.rstrip(b"\0")
        reaches_the_end = position + len(rest) == size
        zeros_from = position + len(written)
        # A lost tail is cut off anywhere; a tail of zeros begins where a block of the disk does,
        # `-zeros_from % _SECTOR` bytes behind the last byte that is not zero.
        zeroed = len(written) < len(rest) and -zeros_from % _SECTOR < len(rest) - len(written)
        length = int.from_bytes(rest[1:5], "big")
        whole = len(rest) >= _HEAD and rest[:_HEAD] == _head(rest[0], length)  # may end with zeros
        expected = _HEAD + length + _CHECKSUM if whole else _HEAD
        # Only at the end of the file can a crash be meant; anything before it is damage.
        if reaches_the_end and (
            len(rest) < expected
            or not written
            # No more is written at once: one long record, or several together.
            or (zeroed and len(rest) <= max(expected, MAX_TOGETHER))
        ):
            return _Unfinished()
        return JournalDamagedError(self.path, position, size)


def keep_damaged(path: Path) -> Path:
    """Copy a damaged journal beside it and return the copy's path.

    So a person who tries to mend the journal still has the original. Raises OSError.
    """
    data = path.read_bytes()
    # Named for its bytes: another damage has a copy of its own.
    copy = path.with_name(f"{path.name}.damaged-{hashlib.sha256(data).hexdigest()[:8]}")
    write_whole(REAL_DISK, copy, data, replace=True)
    return copy


def _heading(table: bytes) -> bytes:
    """Return the first bytes of a table's journal: magic, table id and their checksum."""
    # The checksum also begins the chain of records.
    return MAGIC + table + hashlib.sha256(MAGIC + table).digest()[:_CHECKSUM]


def _head(kind: int, length: int) -> bytes:
    """Return the head of a record: its kind, its length and their checksum."""
    plain = bytes((kind,)) + length.to_bytes(4, "big")
    # Another label than a record's, so that no record passes for a head.
    return plain + hashlib.sha256(b"p2p304 journal head 1" + plain).digest()[:_HEAD_CHECKSUM]


def _checksum(last: bytes, head: bytes, payload: bytes) -> bytes:
    """Return the checksum of a record over its bytes and the `last` record's checksum."""
    digest = hashlib.sha256(b"p2p304 journal record 1" + last + head)
    digest.update(payload)
    return digest.digest()[:_CHECKSUM]


def _cannot(path: Path, what: str, error: OSError) -> JournalError:
    """Return the user's error for a journal that cannot be used, with advice for a full disk;
    `what` is a word such as "opened".
    """
    # A full disk has a remedy of its own: the journal is whole, only nothing can be added.
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return JournalError(
            f"The disk is full, so {path} cannot be {what}: make room, then 'resume';"
            " nothing is lost, the others wait."
        )
    return JournalError(
        f"{path} cannot be {what} ({error.strerror or error}): check the disk and its permissions."
    )
