"""Our key and the people we know: made once, kept, and a new key behind an old name told."""

from __future__ import annotations

import errno
import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from cli.peers import Familiarity, Peer
from cli.store.disk import Disk
from cli.store.identity import (
    KEY_FILE,
    PEERS_FILE,
    IdentityError,
    IdentityStore,
    PeersFile,
)
from protocol.wire.identity import PublicKey, SigningKey


def _key(number: int) -> PublicKey:
    return SigningKey(bytes([number]) * 32).public


def _no_entropy(_size: int) -> bytes:
    raise AssertionError("a key was drawn again")


def test_the_key_is_made_at_first_use_and_stays(tmp_path: Path) -> None:
    root = tmp_path / "home"
    made = IdentityStore(root).key(os.urandom)
    again = IdentityStore(root).key(_no_entropy)
    assert again.public == made.public
    assert again.revealed_seed() == made.revealed_seed()
    assert [path.name for path in root.iterdir()] == [KEY_FILE]
    if os.name == "posix":
        assert stat.S_IMODE((root / KEY_FILE).stat().st_mode) == 0o600


def test_a_damaged_key_is_refused_and_never_replaced(tmp_path: Path) -> None:
    IdentityStore(tmp_path).key(os.urandom)
    path = tmp_path / KEY_FILE
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        path.write_bytes(damaged)
        with pytest.raises(IdentityError, match="damaged or of another version"):
            IdentityStore(tmp_path).key(_no_entropy)
        assert path.read_bytes() == damaged
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(IdentityError):
            IdentityStore(tmp_path).key(_no_entropy)


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_a_key_that_others_can_read_or_a_link_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "home"
    IdentityStore(root).key(os.urandom)
    (root / KEY_FILE).chmod(0o640)
    with pytest.raises(IdentityError, match="chmod 600"):
        IdentityStore(root).key(_no_entropy)
    (root / KEY_FILE).chmod(0o600)
    (root / KEY_FILE).rename(tmp_path / "moved")
    (root / KEY_FILE).symlink_to(tmp_path / "moved")
    with pytest.raises(IdentityError):
        IdentityStore(root).key(_no_entropy)


def test_processes_that_make_the_key_at_once_end_with_one(tmp_path: Path) -> None:
    root, fork = tmp_path / "home", multiprocessing.get_context("fork")
    all_have_drawn, keys = fork.Barrier(4), fork.SimpleQueue()

    def entropy(size: int) -> bytes:
        all_have_drawn.wait(timeout=300)
        return os.urandom(size)

    def make() -> None:
        keys.put(IdentityStore(root).key(entropy).public.to_bytes())

    makers = [fork.Process(target=make) for _ in range(4)]
    for each in makers:
        each.start()
    for each in makers:
        each.join()
        assert each.exitcode == 0
    assert {keys.get() for _ in makers} == {IdentityStore(root).key(_no_entropy).public.to_bytes()}


class FullDisk(Disk):
    """Has no room for another byte."""

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_reported_and_leaves_everything_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(IdentityError, match="No space left"):
        IdentityStore(tmp_path, disk=FullDisk()).key(os.urandom)
    assert list(tmp_path.iterdir()) == []
    PeersFile(tmp_path).remember(_key(1), "Amara")
    with pytest.raises(IdentityError, match="No space left"):
        PeersFile(tmp_path, disk=FullDisk()).remember(_key(2), "Kumari")
    assert PeersFile(tmp_path).all() == (Peer(_key(1), "Amara"),)


def test_peers_are_recognised_by_their_key_and_never_by_their_name(tmp_path: Path) -> None:
    peers = PeersFile(tmp_path)
    assert peers.recognise(_key(1), "Amara").familiarity is Familiarity.NEW
    peers.remember(_key(1), "Amara")
    peers.remember(_key(2), "Ruwan", "Cousin")
    peers = PeersFile(tmp_path)
    assert peers.recognise(_key(1), "Amara").familiarity is Familiarity.KNOWN
    assert peers.recognise(_key(1), "Nobody").familiarity is Familiarity.RENAMED
    assert peers.recognise(_key(2), "Cousin").familiarity is Familiarity.KNOWN
    assert peers.recognise(_key(3), "Kumari").familiarity is Familiarity.NEW


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b'{"version": 2, "peers": []}',
        b'{"version": 1, "peers": [["00", "a", null]]}',
        b'{"version": 1, "peers": [["zz", "a", null]]}',
        b'{"version": 1, "peers": [1]}',
        b'{"version": 1, "peers": [], "more": 1}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_damaged_list_of_peers_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / PEERS_FILE
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(IdentityError, match="damaged"):
        PeersFile(tmp_path).all()
    assert path.read_bytes() == content


def test_petnames_stay_when_nicknames_change(tmp_path: Path) -> None:
    peers = PeersFile(tmp_path)
    peers.remember(_key(1), "Amara", "Cousin")
    peers.remember(_key(1), "Amara II")
    assert peers.all() == (Peer(_key(1), "Amara II", "Cousin"),)
    assert peers.all()[0].name == "Cousin"
    assert peers.forget(_key(1))
    assert not peers.forget(_key(1))
    assert peers.all() == ()
