"""The peers whom a player knows: public keys, each with the name that we remember for it.

A known name with a new key behind it may be the same person on a new machine, or somebody else. The
player is warned; the program never decides it (specs/attacks.md, CL7 and ID1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b32encode
from dataclasses import dataclass
from enum import Enum

from cli.sanitize import skeleton
from protocol.wire.identity import PublicKey


class Familiarity(Enum):
    """How well we know a peer that says its name."""

    NEW = "new"  #: Never met, and nobody we know has such a name.
    KNOWN = "known"  #: Met before, under this name.
    RENAMED = "renamed"  #: Met before, under another name.
    #: Never met, but a name that looks like this one is another key's. To be told loudly.
    CHANGED_KEY = "changed key"


@dataclass(frozen=True, slots=True)
class Peer:
    """A player whom we met: its key, the nickname that it gave last, and our own name for it, if
    any.
    """

    key: PublicKey
    nickname: str
    petname: str | None = None

    @property
    def name(self) -> str:
        """The name to show: ours if there is one, else the peer's nickname."""
        return self.petname or self.nickname


@dataclass(frozen=True, slots=True)
class Recognition:
    """The verdict on a peer that joined: its familiarity, and the known peers that it rests on."""

    familiarity: Familiarity
    #: Empty for NEW; one for a known key; for CHANGED_KEY all whose names look alike.
    known: tuple[Peer, ...] = ()


def fingerprint(key: PublicKey) -> str:
    """Return a key in short for people to compare aloud: 16 letters and digits in fours, 80
    bits."""
    # 80 bits of the key itself: too many to search for a key with the same. Base32 has no digits
    # that can be taken for letters: no 0, 1 or 8.
    text = b32encode(key.to_bytes()[:10]).decode("ascii")
    return " ".join(text[place : place + 4] for place in range(0, len(text), 4))


class KnownPeers(ABC):
    """The peers that were met before."""

    @abstractmethod
    def all(self) -> tuple[Peer, ...]:
        """Return all known peers in the order in which we met them; raises StoreError."""

    def recognise(self, key: PublicKey, nickname: str) -> Recognition:
        """Compare a peer's key and nickname with the known peers, and return how familiar it is;
        stores nothing.

        A known key is KNOWN if the nickname looks like its nickname or our name for it, else
        RENAMED. An unknown key is CHANGED_KEY, with all peers of a name that looks alike, or NEW if
        there are none. Raises StoreError.
        """
        everybody = self.all()
        # Compared by shape, not by letters: "Paul" with a Cyrillic letter is the same name to a
        # reader.
        shape = skeleton(nickname)
        for peer in everybody:
            # The key decides first: a name is only what somebody says.
            if peer.key == key:
                # Either name: a friend may be known by ours or by its own.
                same = shape in (skeleton(peer.nickname), skeleton(peer.petname or peer.nickname))
                return Recognition(Familiarity.KNOWN if same else Familiarity.RENAMED, (peer,))
        # All of them, so that the warning names everybody who may be meant.
        alike = tuple(
            peer
            for peer in everybody
            if shape in (skeleton(peer.nickname), skeleton(peer.petname or peer.nickname))
        )
        return Recognition(Familiarity.CHANGED_KEY if alike else Familiarity.NEW, alike)
