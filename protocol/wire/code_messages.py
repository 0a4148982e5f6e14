"""What is said at the topic of a code: in the open until both sides have a key, then sealed.

Everything in the open has one size. Whoever reads it learns which numbers are in use, and when
somebody guesses. Specified in specs/07-wire.md, 7.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Final, get_args

from p2p304.seats import Seat
from protocol.bounds import GUESSES, LONGEST_GAME_TEXT, LONGEST_INVITE, MAX_SEATS
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION
from protocol.wire.code import LARGEST_NUMBER
from protocol.wire.fields import NICKNAME, SEAT
from protocol.wire.schema import (
    Binary,
    Integer,
    Items,
    MessageTable,
    Sequence,
    Text,
    exactly,
    one_of,
)

#: The first byte of a message in the open; a sealed frame begins with its version.
PREFIX: Final = b"C"

# The smallest size of sealed frames, too: at the broker all look alike.
OPEN_BYTES: Final = 1_024
# 128 bits: two that are drawn never meet by chance.
ID_BYTES: Final = 16
# A point of Ed25519, and a key of HKDF-SHA256.
ELEMENT_BYTES: Final = 32
CONFIRMATION_BYTES: Final = 32

# Prefix, version, and two bytes of length.
_HEAD_BYTES: Final = 4


class Why(IntEnum):
    """Why a joiner is not let in: a wrong guess, another exchange is open, or the code is dead."""

    # The numbers are those of the wire (specs 7.9).
    WRONG = 1
    BUSY = 2
    DEAD = 3


_ID: Final = exactly(ID_BYTES)
_SERIAL: Final = Integer(0, (1 << 32) - 1)
CodeNumber = Annotated[int, Integer(1, LARGEST_NUMBER), "the code's number"]
HostId = Annotated[bytes, _ID, "who has the code"]
JoinerId = Annotated[bytes, _ID, "drawn by who guesses, for this guess"]
ExchangeId = Annotated[bytes, _ID, "drawn by the host, for this guess"]


@dataclass(frozen=True, slots=True)
class Find:
    """A joiner asks who has a code of this number."""

    number: CodeNumber
    asker: Annotated[bytes, _ID, "drawn for this question"]


@dataclass(frozen=True, slots=True)
class Here:
    """A host of this number answers a Find with its id."""

    number: CodeNumber
    asker: Annotated[bytes, _ID, "that of the question"]
    host: HostId


@dataclass(frozen=True, slots=True)
class Knock:
    """A joiner asks a host for an exchange in which to guess its code."""

    number: CodeNumber
    host: HostId
    joiner: JoinerId


@dataclass(frozen=True, slots=True)
class Offer:
    """A host opens an exchange for one guess of this joiner: its side of the exchange of keys."""

    number: CodeNumber
    host: HostId
    joiner: JoinerId
    exchange: ExchangeId
    element: Annotated[bytes, exactly(ELEMENT_BYTES), "the host's Y"]


@dataclass(frozen=True, slots=True)
class Guess:
    """A joiner's side of the exchange of keys, and the proof that it has the key, which only the
    right code gives.
    """

    number: CodeNumber
    host: HostId
    joiner: JoinerId
    exchange: ExchangeId
    element: Annotated[bytes, exactly(ELEMENT_BYTES), "the joiner's X"]
    confirmation: Annotated[bytes, exactly(CONFIRMATION_BYTES), "of the key"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A host does not let a joiner in: not now, or not with this code; after `left` more wrong
    guesses the code is dead.

    Anybody can send it. `exchange` is empty if none was opened.
    """

    number: CodeNumber
    host: HostId
    joiner: JoinerId
    exchange: Annotated[bytes, Binary(0, ID_BYTES), "that of the guess, or empty"]
    why: Annotated[Why, one_of(Why), "1 wrong, 2 busy, 3 dead"]
    left: Annotated[int, Integer(0, GUESSES), "wrong guesses that are left"]


@dataclass(frozen=True, slots=True)
class Welcome:
    """A host shows a joiner who guessed right the game, who sits at the table, and the free seats.

    A later one has a higher `serial`.
    """

    serial: Annotated[int, _SERIAL, "higher each time"]
    game: Annotated[str, Text(LONGEST_GAME_TEXT), "what is played, for people"]
    seats: Annotated[int, Integer(2, MAX_SEATS), "how many the table has"]
    names: Annotated[
        tuple[tuple[Seat, str], ...],
        Sequence(Items((SEAT, NICKNAME)), MAX_SEATS),
        "seat and nickname of who sits",
    ]
    free: Annotated[tuple[Seat, ...], Sequence(SEAT, MAX_SEATS), "the seats that can be had"]


@dataclass(frozen=True, slots=True)
class Wish:
    """A joiner asks for this free seat."""

    serial: Annotated[int, _SERIAL, "higher each time"]
    seat: Annotated[Seat, SEAT, "one of those that are free"]


@dataclass(frozen=True, slots=True)
class Grant:
    """A host gives a joiner its seat by an invite. `salt` shows that the host of the exchange is
    that of the invite's table.
    """

    salt: Annotated[bytes, _ID, "of the host's id"]
    invite: Annotated[str, Text(LONGEST_INVITE, ascii_only=True), "an invite for the seat (7.3)"]


# Their order is their codes on the wire, from 1 (specs 7.9): a new one goes behind the last.
OpenMessage = Find | Here | Knock | Offer | Guess | Refusal
SealedMessage = Welcome | Wish | Grant
MESSAGES: Final = MessageTable[OpenMessage | SealedMessage](*get_args(OpenMessage | SealedMessage))


def to_frame(message: OpenMessage) -> bytes:
    """Return a message as the 1,024 bytes in which it travels unsealed."""
    body = MESSAGES.to_bytes(message)
    head = PREFIX + bytes((PROTOCOL_VERSION,)) + len(body).to_bytes(2, "big")
    # One size for all messages in the open.
    # It always fits: the longest, a Guess, takes about 130 of them.
    return (head + body).ljust(OPEN_BYTES, b"\0")


def from_frame(frame: bytes) -> OpenMessage:
    """Return the unsealed message in a frame; raises MalformedMessage `code` for any other
    bytes.
    """
    length = int.from_bytes(frame[2:_HEAD_BYTES], "big")
    body = frame[_HEAD_BYTES : _HEAD_BYTES + length]
    if (
        len(frame) != OPEN_BYTES
        or frame[:2] != PREFIX + bytes((PROTOCOL_VERSION,))
        or len(body) != length
        # Zero padding alone: one message has one frame.
        or any(frame[_HEAD_BYTES + length :])
    ):
        raise MalformedMessage("code", "no message of a code")
    message = _read(body)
    if not isinstance(message, OpenMessage):
        raise MalformedMessage("code", "it is said under a seal alone")
    return message


def to_payload(message: SealedMessage) -> bytes:
    """Return a message as the payload of a sealed frame: PREFIX, then its encoding."""
    return PREFIX + MESSAGES.to_bytes(message)


def from_payload(payload: bytes) -> SealedMessage:
    """Return the message in the payload of an opened frame; raises MalformedMessage `code` for
    any other bytes.
    """
    # A slice, since a payload may be empty.
    if payload[:1] != PREFIX:
        raise MalformedMessage("code", "no message of a code")
    message = _read(payload[1:])
    if not isinstance(message, SealedMessage):
        raise MalformedMessage("code", "it is said in the open alone")
    return message


def _read(body: bytes) -> OpenMessage | SealedMessage:
    """Return the message that `body` encodes; raises MalformedMessage `code`, with the failed
    check.
    """
    try:
        return MESSAGES.from_bytes(body)
    # One check for whatever is wrong with a code's message (specs 7.9); the inner one is told.
    except MalformedMessage as error:
        raise MalformedMessage("code", f"{error.check}: {error.detail}") from error
