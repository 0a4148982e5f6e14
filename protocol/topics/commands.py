"""The commands of a player to its session, besides the actions of the game."""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.seats import Seat
from protocol.wire.contents import Continuation


@dataclass(frozen=True, slots=True)
class Confirm:
    """The command to confirm the charter, or another match at this table."""


@dataclass(frozen=True, slots=True)
class Say:
    """The command to send a line of chat, at most 500 characters."""

    text: str


@dataclass(frozen=True, slots=True)
class CallReferee:
    """The command to challenge at this point of the newest hand (specs 5.8).

    At most 254 bytes of text, which others can read once the hand has ended.
    """

    text: str


@dataclass(frozen=True, slots=True)
class EndUnfinished:
    """The command to agree to end the hand at this point, with the seats `present`, ours among
    them.

    We sign nothing more in the hand, unless it goes on.
    """

    present: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class PlayOn:
    """The command to play on after agreeing to end the hand, while not all others have agreed.

    No signature is taken back: if all agree before we act, the hand has ended.
    """


@dataclass(frozen=True, slots=True)
class WantRematch:
    """The command to want another match of the same people, in this seating (specs 5.7)."""

    seating: int


@dataclass(frozen=True, slots=True)
class VoteContinuation:
    """The command to agree, or not, to going on with the match at another table (specs 7.11).

    A hand in play ends once all who go on agree. The founder sends the same again with the charter.
    """

    content: Continuation


@dataclass(frozen=True, slots=True)
class Ask:
    """The command to send our heads with a question of `sync.QUESTION_BYTES`, which others answer
    with theirs.

    It is possible in any state of the session.
    """

    question: bytes


Command = (
    Confirm | Say | CallReferee | EndUnfinished | PlayOn | VoteContinuation | WantRematch | Ask
)
