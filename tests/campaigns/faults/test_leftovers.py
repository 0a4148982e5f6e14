"""What a process leaves that was killed while it wrote: nothing secret, nothing unsynced."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cli.bounds import MAX_TOGETHER
from cli.errors import UserError
from cli.local.bot_processes import Bot, BotProcesses, bot_home
from cli.local.sitting import new_setup, new_table
from cli.local.transcripts import save_evidence
from cli.net.address import BrokerAddress
from cli.store.disk import REAL_DISK, Disk, write_whole
from cli.store.identity import KEY_FILE, IdentityStore
from cli.store.journal import FILE_NAME, Journal, JournalError
from cli.store.paths import make_private_directory, make_table_directory
from p2p304.seats import Seat

ROOT = Path(__file__).parents[3]
TABLE = bytes(range(16))

DIES_WITH_TWO_NAMES = """
import os, signal, sys
from pathlib import Path
from cli.net.address import BrokerAddress
from cli.store.disk import Disk
from cli.store.identity import IdentityStore

class Dying(Disk):
    def publish(self, temporary, path, *, replace):
        os.link(temporary, path)
        os.kill(os.getpid(), signal.SIGKILL)

IdentityStore(Path(sys.argv[1]), disk=Dying()).key(os.urandom)
"""


class Watched(Disk):
    """Counts what is written and synchronised, and fails in the latter when told to."""

    fails = False

    def __init__(self) -> None:
        self.done: list[bytes | str] = []

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        self.done.append(data)
        super().write(descriptor, data, at=at)

    def sync(self, descriptor: int) -> None:
        self.done.append("synced")
        if self.fails:
            raise OSError(errno.EIO, "Input/output error")
        super().sync(descriptor)


def ended_process() -> int:
    """The id of a process that is no more."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait(timeout=60)
    return child.pid


@pytest.mark.skipif(os.name != "posix", reason="kill -9 and links are those of POSIX")
def test_a_key_made_by_a_process_that_was_killed_keeps_one_name(tmp_path: Path) -> None:
    root = tmp_path / "home"
    dying = subprocess.run(
        [sys.executable, "-c", DIES_WITH_TWO_NAMES, str(root)], cwd=ROOT, timeout=60
    )
    assert dying.returncode == -9
    assert len(list(root.iterdir())) == 2
    made = (root / KEY_FILE).read_bytes()
    IdentityStore(root).key(os.urandom)
    assert [path.name for path in root.iterdir()] == [KEY_FILE]
    assert (root / KEY_FILE).read_bytes() == made


def test_what_the_dead_left_is_swept_and_what_the_living_write_is_not(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    dead = tmp_path / f"kept.{ended_process()}.new"
    living = tmp_path / f"kept.{os.getppid()}.new"
    other = tmp_path / f"kept.other.{dead.name.split('.')[1]}.new"
    for each in (dead, living, other):
        each.write_bytes(b"half")
    write_whole(REAL_DISK, path, b"whole", replace=True)
    assert sorted(tmp_path.iterdir()) == sorted([path, living, other])


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_what_one_left_that_had_our_own_number_is_swept(tmp_path: Path) -> None:
    (tmp_path / f"{KEY_FILE}.{os.getpid()}.new").write_bytes(bytes(32))
    IdentityStore(tmp_path).key(os.urandom)
    assert [each.name for each in tmp_path.iterdir()] == [KEY_FILE]
    (tmp_path / f"{KEY_FILE}.{os.getpid()}.new").write_bytes(bytes(32))
    IdentityStore(tmp_path).key(os.urandom)
    assert [each.name for each in tmp_path.iterdir()] == [KEY_FILE]


def test_what_is_kept_of_a_table_is_ours_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = save_evidence(tmp_path, 2, b"evidence")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == b"evidence"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
async def test_what_bots_say_is_ours_alone_whatever_the_umask(tmp_path: Path) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1"), "304", "pagat")
    place = make_table_directory(tmp_path / "home", table.watch.table)
    bots = BotProcesses(lambda _: None)
    before = os.umask(0)
    try:
        await bots.start(Bot(new_setup(table.invites[1], "Bot"), bot_home(place, Seat(1))))
    finally:
        os.umask(before)
        await bots.end()
    (said,) = place.glob("bot-1/output.txt")
    assert stat.S_IMODE(said.stat().st_mode) == 0o600


async def test_bots_that_cannot_be_started_are_told_in_a_sentence(tmp_path: Path) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1"), "304", "pagat")
    place = make_table_directory(tmp_path / "home", table.watch.table)
    bot = Bot(new_setup(table.invites[1], "Bot"), bot_home(place, Seat(1)))
    (make_private_directory(bot.home) / "output.txt").mkdir()
    with pytest.raises(UserError, match=r"^No bot can be started \(.*output.txt: .*\): mend"):
        await BotProcesses(lambda _: None).start(bot)


def test_a_journal_is_synchronised_before_what_it_holds_is_believed(tmp_path: Path) -> None:
    """Who was killed between writing a record and synchronising it left it in memory alone, and
    what could not be synchronised once is only after it was written again."""
    place = make_table_directory(tmp_path / "home", TABLE)
    with Journal.create(place, TABLE) as journal:
        journal.append(3, bytes(MAX_TOGETHER))
        older = (place / FILE_NAME).stat().st_size
        journal.append(3, b"newer", b"newest")
    whole = (place / FILE_NAME).read_bytes()
    disk = Watched()
    with Journal.open(place, TABLE, disk=disk) as journal:
        assert disk.done == [whole[older:], "synced"]
    disk.fails = True
    with pytest.raises(JournalError, match=r"cannot be synchronised .*check the disk"):
        Journal.open(place, TABLE, disk=disk)
    assert (place / FILE_NAME).read_bytes() == whole
