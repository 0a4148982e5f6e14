"""The commands of a player to its session, besides the actions of the game."""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.seats import Seat
from protocol.wire.contents import Continuation


@dataclass(frozen=True, slots=True)
class Confirm:
    """The command to confirm the charter, or another match at this table in the present seats."""


@dataclass(frozen=True, slots=True)
class Say:
    """The command to send a line of chat, at most 500 characters: a line in ASCII then fits the
    smallest frame.
    """

    text: str


@dataclass(frozen=True, slots=True)
class CallReferee:
    """The command to challenge at this point of the newest hand (specs 5.8).

    At most 254 bytes of text, which others can read once the hand has ended: until then it
    travels sealed, in a field of fixed length.
    """

    text: str


@dataclass(frozen=True, slots=True)
class EndUnfinished:
    """The command to agree that the seats `present`, ours among them, end the hand at this point.

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
    """The command to want another match of the same people in the seating `seating` (specs 5.7):
    0 as now, ANY_SEATING as the others want.
    """

    seating: int


@dataclass(frozen=True, slots=True)
class VoteContinuation:
    """The command to send our vote, for or against going on with the match at another table (specs
    7.11).

    A hand in play ends once all who go on agree. The founder then sends its vote again with the
    charter.
    """

    content: Continuation


@dataclass(frozen=True, slots=True)
class Ask:
    """The command to send our heads with this question, `sync.QUESTION_BYTES` random bytes; other
    seats answer with their heads.

    It is possible in any state of the session: a seat that leaves, or has stopped, may still ask
    (specs 5.6, leaving).
    """

    question: bytes


Command = (
    Confirm | Say | CallReferee | EndUnfinished | PlayOn | VoteContinuation | WantRematch | Ask
)
