"""The journal: what was appended is there after any crash, and nothing else is believed."""

from __future__ import annotations

import errno
import os
import signal
import stat
from pathlib import Path

import pytest

from cli.bounds import MAX_RECORD
from cli.store.disk import Disk
from cli.store.journal import FILE_NAME, Journal, JournalError, JournalRecord
from cli.store.paths import make_table_directory
from tests.forked import run_program
from tests.journeys.failing_disk import TABLE, FailingDisk

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_table_directory(tmp_path / "home", TABLE)


def _written(place: Path, *payloads: bytes) -> bytes:
    with Journal.create(place, TABLE) as journal:
        for kind, payload in enumerate(payloads):
            journal.append(kind, payload)
    return (place / FILE_NAME).read_bytes()


def _read(place: Path) -> tuple[list[JournalRecord], int]:
    """The records, and how many bytes of an unfinished one were cut off."""
    before = (place / FILE_NAME).stat().st_size
    with Journal.open(place, TABLE) as journal:
        return list(journal.records()), before - (place / FILE_NAME).stat().st_size


def test_records_come_back_in_order(place: Path) -> None:
    with Journal.create(place, TABLE) as journal:
        for index in range(20):
            journal.append(index, bytes([index]) * index * 7)
        assert [record.kind for record in journal.records()] == list(range(20))
    with Journal.open(place, TABLE) as journal:
        journal.append(255, b"later")
        found = list(journal.records())
    assert found[:20] == [JournalRecord(index, bytes([index]) * index * 7) for index in range(20)]
    assert found[20] == JournalRecord(255, b"later")


def test_a_journal_is_made_once_and_one_that_is_not_there_is_said(place: Path) -> None:
    with pytest.raises(JournalError, match="join it with an invite"):
        Journal.open(place, TABLE)
    before = _written(place, b"first")
    with pytest.raises(JournalError, match="resume"):
        Journal.create(place, TABLE)
    assert (place / FILE_NAME).read_bytes() == before


@posix
def test_modes_are_ours_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        place = make_table_directory(tmp_path / "home", TABLE)
        _written(place, b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((place / FILE_NAME).stat().st_mode) == 0o600
    for directory in (place, place.parent, tmp_path / "home"):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@posix
def test_links_are_not_followed(tmp_path: Path, place: Path) -> None:
    _written(place, b"precious")
    elsewhere = tmp_path / "elsewhere"
    (place / FILE_NAME).rename(elsewhere)
    before = elsewhere.read_bytes()
    (place / FILE_NAME).symlink_to(elsewhere)
    with pytest.raises(JournalError):
        Journal.open(place, TABLE)
    with pytest.raises(JournalError):
        Journal.create(place, TABLE)
    assert elsewhere.read_bytes() == before
    (place / FILE_NAME).unlink()
    dangling = tmp_path / "nowhere"
    (place / FILE_NAME).symlink_to(dangling)
    with pytest.raises(JournalError):
        Journal.create(place, TABLE)
    assert not dangling.exists()


@posix
def test_a_file_that_others_can_read_or_that_is_none_is_refused(place: Path) -> None:
    _written(place, b"x")
    (place / FILE_NAME).chmod(0o644)
    with pytest.raises(JournalError, match="chmod 600"):
        Journal.open(place, TABLE)
    (place / FILE_NAME).unlink()
    os.mkfifo(place / FILE_NAME, 0o600)
    with pytest.raises(JournalError, match="no regular file"):
        Journal.open(place, TABLE)


def test_every_cut_of_the_file_loses_the_unfinished_record_alone(place: Path) -> None:
    payloads = (b"", b"one" * 30, bytes(229))  # whose head ends with a zero
    whole = _written(place, *payloads)
    path = place / FILE_NAME
    heading = len(whole) - sum(29 + len(payload) for payload in payloads)
    ends = [heading]
    for payload in payloads:
        ends.append(ends[-1] + 29 + len(payload))
    for size in range(heading, len(whole) + 1):
        path.write_bytes(whole[:size])
        found, repaired = _read(place)
        complete = max(index for index, end in enumerate(ends) if end <= size)
        assert found == [
            JournalRecord(kind, payload) for kind, payload in enumerate(payloads[:complete])
        ]
        assert repaired == size - ends[complete]
        assert path.read_bytes() == whole[: ends[complete]]
    for size in range(heading):
        path.write_bytes(whole[:size])
        with pytest.raises(JournalError, match="no journal of this table"):
            _read(place)


def test_a_tail_of_zeros_from_a_block_on_is_an_unfinished_record(place: Path) -> None:
    """Of several that were written together the whole ones stay."""
    payloads = (b"\xaa" * 3_000, b"\xbb" * 1_200, b"\xcc" * 900)
    whole, _ = _written_together(place, *payloads)
    start = len(whole) - sum(29 + len(payload) for payload in payloads)
    ends = [start + sum(29 + len(each) for each in payloads[:count]) for count in range(4)]
    for block in range(512, len(whole), 512):
        (place / FILE_NAME).write_bytes(whole[:block] + bytes(len(whole) - block))
        complete = sum(end <= block for end in ends) - 1
        kept = [JournalRecord(3, each) for each in payloads[:complete]]
        assert _read(place) == (kept, len(whole) - ends[complete])


def _written_together(place: Path, *payloads: bytes) -> tuple[bytes, int]:
    """The file, and how often the disk was waited for."""
    disk = CountingDisk()
    with Journal.create(place, TABLE, disk=disk) as journal:
        before = disk.syncs
        journal.append(3, *payloads)
        return (place / FILE_NAME).read_bytes(), disk.syncs - before


class CountingDisk(Disk):
    """Counts how often somebody waits for it."""

    def __init__(self) -> None:
        self.syncs = 0

    def sync(self, descriptor: int) -> None:
        self.syncs += 1
        super().sync(descriptor)


def test_records_written_together_are_as_if_written_one_by_one(place: Path, tmp_path: Path) -> None:
    payloads = [bytes([index]) * 999 for index in range(20)]
    together, syncs = _written_together(place, *payloads)
    assert syncs == 1
    with Journal.create(make_table_directory(tmp_path / "other", TABLE), TABLE) as journal:
        for payload in payloads:
            journal.append(3, payload)
        assert journal.path.read_bytes() == together
    with Journal.open(place, TABLE) as journal:
        journal.append(4)
        journal.append(4, b"next")
        assert list(journal.records()) == [
            *[JournalRecord(3, each) for each in payloads],
            JournalRecord(4, b"next"),
        ]


def test_more_than_fits_together_waits_for_the_disk_again(place: Path) -> None:
    payloads = [bytes(30_000), b"\xaa" * MAX_RECORD, b"small", bytes(30_000)]
    _, syncs = _written_together(place, *payloads)
    assert syncs == 3
    assert _read(place) == ([JournalRecord(3, each) for each in payloads], 0)


def test_every_flipped_bit_is_refused_with_a_sentence(place: Path) -> None:
    whole = _written(place, b"first", b"second")
    path = place / FILE_NAME
    for place_of_bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[place_of_bit // 8] ^= 1 << place_of_bit % 8
        path.write_bytes(damaged)
        with pytest.raises(JournalError, match=r"damaged|no journal of this table"):
            _read(place)
        assert path.read_bytes() == damaged


def test_records_that_are_lost_doubled_or_moved_are_refused(place: Path) -> None:
    whole = _written(place, b"aaaa", b"bbbb", b"cccc")
    path = place / FILE_NAME
    size = 29 + 4
    start = len(whole) - 3 * size
    head, one, two, three = (
        whole[:start],
        whole[start : start + size],
        whole[start + size : start + 2 * size],
        whole[start + 2 * size :],
    )
    for order in ((two, three), (one, three), (one, one, two, three), (two, one, three)):
        path.write_bytes(head + b"".join(order))
        with pytest.raises(JournalError, match="damaged"):
            _read(place)
    path.write_bytes(whole + b"something else that is longer than a record's head")
    with pytest.raises(JournalError, match="damaged"):
        _read(place)


def test_the_journal_of_another_table_is_refused(place: Path) -> None:
    _written(place, b"x")
    with pytest.raises(JournalError, match="no journal of this table"):
        Journal.open(place, bytes(16))


class Overtaken(Disk):
    """Another process opens a journal, plays and ends, as soon as the journal has its name."""

    def publish(self, temporary: Path, path: Path, *, replace: bool) -> None:
        super().publish(temporary, path, replace=replace)
        with Journal.open(path.parent, TABLE) as journal:
            journal.append(1, b"theirs")


def test_a_fresh_journal_that_another_process_used_first_is_not_taken(place: Path) -> None:
    with pytest.raises(JournalError, match="Another p2p304"):
        Journal.create(place, TABLE, disk=Overtaken())
    assert _read(place) == ([JournalRecord(1, b"theirs")], 0)


def test_misuse_is_refused_before_the_disk_is_touched(place: Path) -> None:
    with Journal.create(place, TABLE) as journal:
        for kind, payload in ((-1, b""), (256, b""), (0, bytes(MAX_RECORD + 1))):
            with pytest.raises(ValueError, match="a record has"):
                journal.append(kind, payload)
    with pytest.raises(JournalError, match="closed"):
        journal.append(0, b"")


def _full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _fill(place: Path, disk: Disk, appended: list[bytes]) -> None:
    with Journal.create(place, TABLE, disk=disk) as journal:
        for payload in (b"one", b"two", b"three"):
            journal.append(0, payload)
            appended.append(payload)


def test_a_full_disk_is_reported_and_what_was_written_stays(tmp_path: Path) -> None:
    """create, write, sync, directory, then write and sync of each record: 4 + 2 × 3 steps."""
    for step in range(1, 11):
        place = make_table_directory(tmp_path / f"home{step}", TABLE)
        appended: list[bytes] = []
        with pytest.raises(JournalError, match="The disk is full"):
            _fill(place, FailingDisk(step, _full), appended)
        if step < 4:
            assert list(place.iterdir()) == [], "made whole or not at all"
        else:
            found = [record.payload for record in _read(place)[0]]
            assert found[: len(appended)] == appended
            assert len(found) <= len(appended) + 1


def test_after_a_full_disk_the_journal_goes_on_where_it_was(place: Path) -> None:
    with Journal.create(place, TABLE, disk=FailingDisk(7, _full)) as journal:
        journal.append(0, b"one")
        with pytest.raises(JournalError, match="make room"):
            journal.append(1, b"two" * 1_000)
        assert list(journal.records()) == [JournalRecord(0, b"one")]
        journal.append(1, b"2")
    assert _read(place) == ([JournalRecord(0, b"one"), JournalRecord(1, b"2")], 0)


def test_after_a_failed_synchronisation_nothing_more_is_written(place: Path) -> None:
    def fail() -> None:
        raise OSError(errno.EIO, "Input/output error")

    with Journal.create(place, TABLE, disk=FailingDisk(6, fail)) as journal:
        with pytest.raises(JournalError, match="Input/output error"):
            journal.append(0, b"one")
        with pytest.raises(JournalError, match="check the disk, then 'resume'"):
            journal.append(0, b"two")


@posix
@pytest.mark.parametrize("step", range(1, 11))
def test_a_kill_at_any_step_loses_nothing_that_was_appended(tmp_path: Path, step: int) -> None:
    place = make_table_directory(tmp_path / "home", TABLE)
    child = run_program(f"{place}", f"{step}", module="tests.journeys.failing_disk")
    assert child.returncode == -signal.SIGKILL, child.stderr
    appended = len(child.stdout.split())
    if step < 4:
        assert not (place / FILE_NAME).exists()
        Journal.create(place, TABLE).close()
        assert [each.name for each in place.iterdir()] == [FILE_NAME]
        return
    with Journal.open(place, TABLE) as journal:
        found = list(journal.records())
        assert found[:appended] == [
            JournalRecord(index, bytes([65 + index]) * 700) for index in range(appended)
        ]
        assert len(found) <= appended + 1
        journal.append(9, b"resumed")
        assert list(journal.records()) == [*found, JournalRecord(9, b"resumed")]
