"""What a player may tell its session besides the actions of the game."""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.seats import Seat
from protocol.wire.contents import Continuation


@dataclass(frozen=True, slots=True)
class Confirm:
    """I have looked at the charter and confirm it; or: another match at this table."""


@dataclass(frozen=True, slots=True)
class Say:
    """Chat, at most 500 characters."""

    text: str


@dataclass(frozen=True, slots=True)
class CallReferee:
    """I challenge before the referee, at this point of the newest hand: at most 254 bytes of text,
    which others can read once the hand has ended."""

    text: str


@dataclass(frozen=True, slots=True)
class EndUnfinished:
    """I agree to end the hand where it stands, together with the seats `present` (ours among them).

    We sign nothing more in it, unless it goes on.
    """

    present: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class PlayOn:
    """I play on, although I agreed to end the hand, while not all others have.

    What was signed is not taken back: if they all agree before we move, the hand has ended.
    """


@dataclass(frozen=True, slots=True)
class WantRematch:
    """I want another match of those who sit here, in that seating (5.7)."""

    seating: int


@dataclass(frozen=True, slots=True)
class VoteContinuation:
    """I agree, or do not, that the match goes on at another table without those who have left.

    If a hand is in play it ends once all who go on agree. Its founder says the same again with the
    charter.
    """

    content: Continuation


@dataclass(frozen=True, slots=True)
class Ask:
    """Tell how far we have come, with a question of `sync.QUESTION_BYTES`: whoever hears it tells
    how far it has come. May be asked whatever the status."""

    question: bytes


Command = (
    Confirm | Say | CallReferee | EndUnfinished | PlayOn | VoteContinuation | WantRematch | Ask
)
