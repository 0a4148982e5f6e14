"""The identity of this machine's user, and the peers whom the user knows.

The identity is an Ed25519 key, made at first use and never shown. A peer is a key; its nickname is
only its own word, and the petname is ours. A known name with a new key behind it may be the same
person on a new machine, or somebody else: the player is warned, and the program never decides it
(specs/attacks.md, CL7 and ID1).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Final

from cli.bounds import LARGEST_IDENTITY, LARGEST_PEERS_FILE, MOST_PEERS
from cli.errors import StoreError
from cli.peers import KnownPeers, Peer
from cli.sanitize import safe_text
from cli.store.disk import REAL_DISK, Disk, read_whole, sweep, write_whole
from cli.store.paths import make_home
from cli.store.settings import NICKNAME, SettingsFile, checked_nickname
from protocol.bounds import MAX_NAME
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
from protocol.wire.identity import KEY_BYTES, PublicKey, SigningKey

KEY_FILE: Final = "identity"
# Where it was kept before there were settings; still read.
NICKNAME_FILE: Final = "nickname"
PEERS_FILE: Final = "peers"
# With a version, so that a later format is told from damage.
_KEY_MAGIC: Final = b"p2p304 identity 1\n"
# Eight bytes against damage, not against attackers: whoever can write here has the key.
_CHECKSUM: Final = 8


class IdentityError(StoreError):
    """The identity or the known peers cannot be read or written; one sentence says what to do."""


#: What a player's key is, where a command asks for one.
THE_KEY: Final = "the 64 digits that 'p2p304 identity' prints"


def key_in(text: str) -> PublicKey:
    """Return the public key in `text`, written as `p2p304 identity` prints it; raises
    IdentityError for any other text.
    """
    try:
        return PublicKey(bytes.fromhex(text))
    # `fromhex` raises ValueError; a key that is none raises MalformedMessage (attacks CH8).
    except (ValueError, MalformedMessage):
        # Cut: a key has 64 digits, and anything may have been pasted.
        shown = safe_text(text, cells=80)
        raise IdentityError(f"'{shown}' is no key: 'p2p304 identity' shows one.") from None


class IdentityStore:
    """The key and the nickname of this machine's user, in the directory `root`."""

    def __init__(self, root: Path, *, disk: Disk = REAL_DISK) -> None:
        self._root = root
        self._disk = disk

    def key(self, entropy: Entropy) -> SigningKey:
        """Return the signing key, made from `entropy` and written to the disk if there is none yet.

        Two processes that make it at the same time get the same key. Raises IdentityError if the
        file is damaged or the disk fails, StoreError if the home cannot be used; a damaged key is
        never replaced.
        """
        make_home(self._root)
        # The name under which the key was written may be left beside it.
        sweep(self._disk, self._root / KEY_FILE)
        # The first use on this machine.
        if (seed := self._seed()) is None:
            _write_seed(self._disk, self._root / KEY_FILE, entropy(KEY_BYTES))
            # Read again: where another process made one meanwhile, both must be one player.
            seed = self._seed()
        # Written above, by us or by the other.
        assert seed is not None
        return SigningKey(seed)

    @property
    def public_key(self) -> PublicKey | None:
        """The public key, or None if no key was made yet. Raises IdentityError if the file is
        damaged or cannot be read.
        """
        seed = self._seed()
        return None if seed is None else SigningKey(seed).public

    def copy_key(self, root: Path) -> None:
        """Write our key into the home `root`; do nothing if that has a key already. Raises
        IdentityError if our key is missing or damaged, or a file cannot be read or written.
        """
        if (seed := self._seed()) is None:
            raise IdentityError(f"There is no key in {self._root}: restore it from a copy.")
        _write_seed(self._disk, root / KEY_FILE, seed)

    def _seed(self) -> bytes | None:
        """Return the seed of our key; None if there is none yet. Raises IdentityError if its file
        is damaged or cannot be read.
        """
        path = self._root / KEY_FILE
        try:
            data = read_whole(self._disk, path, limit=LARGEST_IDENTITY)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _cannot(path, "read", error) from error
        seed = data[len(_KEY_MAGIC) : len(_KEY_MAGIC) + KEY_BYTES]
        # Sealed again and compared: one test for magic, length, checksum and trailing bytes.
        if len(seed) != KEY_BYTES or data != _sealed_seed(seed):
            raise IdentityError(
                f"{path} is damaged or of another version: restore it from a copy; only if there"
                " is none, move it away and be a new player to everybody."
            )
        return seed

    @property
    def nickname(self) -> str | None:
        """The nickname in the settings; without one that in the file of an earlier version; None if
        neither has one, or the latter is empty, too long or no text.

        Raises IdentityError if the earlier version's file cannot be read; settings that cannot be
        read count as empty.
        """
        chosen = SettingsFile(self._root, disk=self._disk).read()[0].get(NICKNAME)
        if chosen is not None:
            return chosen
        path = self._root / NICKNAME_FILE  # where it was kept before there were settings
        try:
            name = (
                read_whole(self._disk, path, limit=LARGEST_IDENTITY)
                .decode("utf-8")
                .removesuffix("\n")
            )
        # Nobody chose one before there were settings; what is no text is asked for again.
        except (FileNotFoundError, UnicodeDecodeError):
            return None
        except OSError as error:
            raise _cannot(path, "read", error) from error
        # Written by an earlier version, or by hand.
        return name if 0 < len(name) <= MAX_NAME else None

    def set_nickname(self, name: str) -> None:
        """Store `name` as our nickname. Raises StoreError for one that no charter may hold, and if
        the settings cannot be written.
        """
        SettingsFile(self._root, disk=self._disk).keep({NICKNAME: checked_nickname(name)})


class PeersFile(KnownPeers):
    """The known peers, in a file in the directory `root`; every change is written at once."""

    def __init__(self, root: Path, *, disk: Disk = REAL_DISK) -> None:
        self._path = root / PEERS_FILE
        self._root = root
        self._disk = disk

    def all(self) -> tuple[Peer, ...]:
        """Return all known peers in the order in which we met them, none without a file; raises
        IdentityError for one that is damaged or cannot be read.
        """
        try:
            data = read_whole(self._disk, self._path, limit=LARGEST_PEERS_FILE)
        # Nobody was met yet.
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _cannot(self._path, "read", error) from error
        try:
            return _peers_from(data)
        # RecursionError: JSON of brackets alone, a damaged or a prepared file.
        except (ValueError, RecursionError, MalformedMessage) as error:
            raise IdentityError(
                f"{self._path} is damaged: restore it from a copy, or move it away and compare"
                " everybody's fingerprint anew."
            ) from error

    def remember(self, key: PublicKey, nickname: str, petname: str | None = None) -> Peer:
        """Store a peer with its newest nickname, and return it; an earlier petname stays unless one
        is given.

        A new peer beyond 10,000 drops the oldest without a petname, or if all have one the oldest.
        Raises IdentityError for a name that is empty or too long, for a damaged file, and if the
        disk fails.
        """
        # "-" stands for no petname, which has no length to check.
        if not 0 < len(nickname) <= MAX_NAME or not 0 < len(petname or "-") <= MAX_NAME:
            raise IdentityError(f"A name has 1 to {MAX_NAME} characters.")
        everybody = list(self.all())
        for index, peer in enumerate(everybody):
            if peer.key == key:
                known = replace(peer, nickname=nickname, petname=petname or peer.petname)
                # Not written without need: this is called at every table.
                if known != peer:
                    everybody[index] = known
                    self._write(everybody)
                return known
        known = Peer(key, nickname, petname)
        everybody.append(known)
        if len(everybody) > MOST_PEERS:
            # Never one that the player named, as long as there are others.
            forgotten = next((peer for peer in everybody if peer.petname is None), everybody[0])
            everybody.remove(forgotten)
        self._write(everybody)
        return known

    def forget(self, key: PublicKey) -> bool:
        """Remove the peer with this key, and return whether there was one. Raises IdentityError
        if the file is damaged or cannot be read or written.
        """
        everybody = self.all()
        kept = [peer for peer in everybody if peer.key != key]
        if len(kept) < len(everybody):
            self._write(kept)
        return len(kept) < len(everybody)

    # Readable for people, who may want to mend it.
    def _write(self, everybody: list[Peer]) -> None:
        """Replace the file by one with these peers, and make the home if there is none. Raises
        IdentityError if the file cannot be written, StoreError if the home cannot be used.
        """
        make_home(self._root)
        rows = [[peer.key.to_bytes().hex(), peer.nickname, peer.petname] for peer in everybody]
        data = json.dumps({"version": 1, "peers": rows}, ensure_ascii=False, indent=1)
        try:
            write_whole(self._disk, self._path, f"{data}\n".encode(), replace=True)
        except OSError as error:
            raise _cannot(self._path, "written", error) from error


def _peers_from(data: bytes) -> tuple[Peer, ...]:
    """Return the peers in a file's JSON; raises ValueError or RecursionError for anything else,
    MalformedMessage for a key that is none.
    """
    match json.loads(data):
        # Exactly these keys: a newer format must not be cut down by an older program.
        case {"version": 1, "peers": [*rows], **others} if not others and len(rows) <= MOST_PEERS:
            return tuple(_peer_from(row) for row in rows)
        case _:
            raise ValueError("no list of peers")


def _peer_from(row: object) -> Peer:
    """Return the peer in one row of the file; raises ValueError for anything else,
    MalformedMessage for a key that is none.
    """
    match row:
        case [str(key), str(nickname), str() | None as petname]:
            # "-" stands for no petname, whose length is not judged.
            if not 0 < len(nickname) <= MAX_NAME or not 0 < len(petname or "-") <= MAX_NAME:
                raise ValueError("a name's length")
            return Peer(PublicKey(bytes.fromhex(key)), nickname, petname)
        case _:
            raise ValueError("no peer")


def _write_seed(disk: Disk, path: Path, seed: bytes) -> None:
    """Write the file of a key, unless there is one. Raises IdentityError."""
    try:
        write_whole(disk, path, _sealed_seed(seed), replace=False)
    except FileExistsError:
        return
    except OSError as error:
        raise _cannot(path, "written", error) from error


def _sealed_seed(seed: bytes) -> bytes:
    """Return the content of a key's file: magic, seed, checksum and a line's end."""
    checksum = hashlib.sha256(_KEY_MAGIC + seed).digest()[:_CHECKSUM]
    # The line's end is for people who look into the file with `cat`.
    return _KEY_MAGIC + seed + checksum + b"\n"


def _cannot(path: Path, what: str, error: OSError) -> IdentityError:
    """Return the user's error for a file that cannot be read or written; `what` is "read" or
    "written".
    """
    return IdentityError(
        f"{path} cannot be {what} ({error.strerror or error}): check the disk and its permissions."
    )
