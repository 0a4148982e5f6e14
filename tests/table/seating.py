"""A table of any number of seats with fixed keys, and signed messages by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import frame as framed
from protocol.errors import MalformedMessage, PeerFault, ProofError
from protocol.places import Digest, LedgerName, Place
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Content, NoticeContent
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import SigningKey, derive_key
from protocol.wire.messages import Message, Notice, SignedMessage, open_ledger_message, table_tag
from tests.crypto.seeded_entropy import seeded as seeded

NAMES = ("Amal", "Bimal", "Chitra", "Devi", "Erandi", "Farah", "Gihan", "Hashini")


@lru_cache(maxsize=64)
def signing_key(seat: int, table: str = "a") -> SigningKey:
    return SigningKey(sha256(f"{table}{seat}".encode()).digest())


@lru_cache(maxsize=64)
def charter(seats: int = 4, table: str = "a", game: str = "tiny", profile: str = "") -> Charter:
    return Charter(
        table=sha256(table.encode()).digest()[:16],
        game=game,
        profile=profile,
        seats=tuple(
            SeatEntry(
                signing_key(seat, table).public,
                NAMES[seat],
                sha256(f"nonce {table} {seat}".encode()).digest(),
            )
            for seat in range(seats)
        ),
    )


def named(agreed: Charter, *names: str) -> Charter:
    """The same charter with these nicknames."""
    seats = zip(agreed.seats, names, strict=True)
    return replace(agreed, seats=tuple(replace(each, nickname=name) for each, name in seats))


def notice(
    agreed: Charter,
    seat: int,
    content: NoticeContent,
    *,
    serial: int = 99,
    key: SigningKey | None = None,
) -> bytes:
    """What a seat may sign whenever it likes, or what another key signs in its name."""
    body = Notice(table_tag(agreed.digest), Seat(seat), serial, content).to_bytes()
    return notice_of(agreed, seat, body, key=key)


def notice_of(agreed: Charter, seat: int, body: bytes, *, key: SigningKey | None = None) -> bytes:
    """A body signed as a notice of a seat, by its own key or another."""
    return sign(
        key or signing_key(seat),
        body,
        purpose=Purpose.NOTICE,
        seat=Seat(seat),
        charter=agreed.digest,
    ).to_bytes()


def envelope(
    agreed: Charter,
    name: LedgerName,
    number: int,
    seat: int,
    content: Content,
    *,
    previous: bytes,
    key: SigningKey | None = None,
) -> Envelope:
    message = Message(
        table_tag(agreed.digest), Place(name, number, Seat(seat)), Digest(previous), content
    )
    return sign(
        key or signing_key(seat),
        message.to_bytes(),
        purpose=Purpose.LEDGER,
        seat=Seat(seat),
        charter=agreed.digest,
    )


def signed(
    agreed: Charter,
    name: LedgerName,
    number: int,
    seat: int,
    content: Content,
    *,
    previous: bytes,
) -> SignedMessage:
    sealed = envelope(agreed, name, number, seat, content, previous=previous)
    return open_ledger_message(sealed.to_bytes(), agreed)


def refused(make: Callable[..., object], *given: Any, **named: Any) -> str:
    """The check by which what is given is refused."""
    with pytest.raises((MalformedMessage, ProofError, PeerFault)) as caught:
        make(*given, **named)
    return caught.value.check


def flipped(data: bytes, place: int = -1, bits: int = 1) -> bytes:
    """The bytes with some bits of one of them changed."""
    changed = bytearray(data)
    changed[place] ^= bits
    return bytes(changed)


def frame_with(key: bytes, table: bytes, inner: bytes, *, seat: int, salt: bytes) -> bytes:
    """A frame that whoever has the table key can make: sealed, with whatever it holds (3.7)."""
    version = bytes((PROTOCOL_VERSION, seat))
    seat_key = derive_key(key, labels.SEAL_SEAT_KEY, table, bytes((seat,)))
    cipher = ChaCha20Poly1305(derive_key(seat_key, labels.SEAL_FRAME_KEY, salt))
    hint = derive_key(key, labels.SEAL_SEAT_HINT, table, salt, length=1)[0]
    sealed = cipher.encrypt(bytes(12), inner, framed(labels.SEAL_ASSOCIATED, version, table))
    return bytes((PROTOCOL_VERSION, seat ^ hint)) + salt + sealed
