"""What a table or a session tells. Past tense for what happened; `Send` and `Persist` to be done.

They stand with the ledgers because these tell most of them, to auditors and spectators as well.

Events of one call are to be handled in their order: a `Persist` before a `Send` must be on disk
before the `Send` goes out. Only what `PublishingDue` announces may wait for a frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from p2p304.disclosures import Disclosure
from p2p304.game import Step
from p2p304.seats import Seat
from protocol.places import Digest, LedgerName
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge, Continuation, Head
from protocol.wire.messages import SignedRuling


@dataclass(frozen=True, slots=True)
class Persist:
    """Write this record to the journal, to the disk, before anything after it is done."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Send:
    """Seal and publish this envelope, byte for byte, in a frame of the size of what it says."""

    envelope: bytes


@dataclass(frozen=True, slots=True)
class PublishingDue:
    """We owe messages that need no decision; the next `tick` makes them.

    Other seats wait for them, and their proofs take longer than a frame of the screen: show what
    was told before, then call `tick`.
    """


@dataclass(frozen=True, slots=True)
class ConfirmationDue:
    """The setup of match `number` waits until our player confirms it; told once."""

    number: int


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """Everybody contributed to a round of a ledger; equal digests mean equal histories."""

    ledger: LedgerName
    round: int
    digest: Digest


@dataclass(frozen=True, slots=True)
class Contributed:
    """`seat` contributed to the open round of a ledger, which awaits others; nobody sees what."""

    ledger: LedgerName
    seat: Seat


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A deck is ready and the cards of deal `number` are about to be dealt by `dealer`.

    `scores` are the match's before the hand; some rules depend on them.
    """

    number: int
    dealer: Seat
    scores: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """`seat` did `action` (the game's own value), proved where it needed proof.

    `step` is what the game says that it leads to, where it was asked.
    """

    seat: Seat
    action: Any
    step: Step[Any] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Disclosed:
    """Faces became known or slots changed hands, as the rules ask."""

    disclosure: Disclosure


@dataclass(frozen=True, slots=True)
class TurnOpened:
    """Our player has to act: the seat's view offers its legal actions. Told once for a turn, and
    again if we go on after we had stopped."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ResultReached:
    """The hand is over with this outcome; the signatures of the seats under it are on their way.

    Until the last one arrives the result is unconfirmed by the seats that have not signed.
    """

    number: int
    outcome: Any


@dataclass(frozen=True, slots=True)
class HandEnded:
    """A hand was settled and every seat signed the result."""

    number: int
    outcome: Any
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EndProposed:
    """A peer agrees to end the hand where it stands, if all who are `present` say the same."""

    seat: Seat
    number: int
    present: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class HandUnfinished:
    """Those present agreed to end the hand where it stood."""

    number: int
    present: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class EndUndone:
    """What we had agreed to, or stopped for, does not end the hand: those who agreed went on."""

    number: int


@dataclass(frozen=True, slots=True)
class ChallengeMade:
    """`seat` calls the referee to a point of a hand. `text` is what it says, where we may read it:
    we are the referee, or the hand has ended and the seat has told it."""

    seat: Seat
    content: Challenge
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RulingHeard:
    """A referee ruled; `HandRuled` tells once it has stopped a hand."""

    ruling: SignedRuling


@dataclass(frozen=True, slots=True)
class HandRuled:
    """A hand ended where a referee stopped it. The hands in `void` were begun behind that point and
    do not count."""

    ruling: SignedRuling
    void: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RefereeBlamed:
    """Two `rulings` contradict each other, and play stopped. `evidence` convinces anyone who has
    the charter that one referee signed both.

    Without evidence two referees ruled against each other, and neither is convicted.
    """

    rulings: tuple[SignedRuling, SignedRuling]
    """In the order of their referees, those of one by their ids."""
    evidence: bytes

    @property
    def referee(self) -> int:
        """The number of the referee that signed the first of them."""
        return self.rulings[0].referee


@dataclass(frozen=True, slots=True)
class ContinuationProposed:
    """A peer wants the match to go on at another table, with us, and agrees to that."""

    seat: Seat
    content: Continuation


@dataclass(frozen=True, slots=True)
class ContinuationRefused:
    """A seat does not agree that the match goes on elsewhere: it is there, or will not."""

    seat: Seat
    content: Continuation


@dataclass(frozen=True, slots=True)
class ContinuationAgreed:
    """All who are to go on agree, and the hand has ended: the founder makes the charter."""

    content: Continuation


@dataclass(frozen=True, slots=True)
class ContinuationReady:
    """The charter of the table at which the match goes on is there, and is as all agreed."""

    charter: Charter


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match was won by a side."""

    winner: int
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RematchWanted:
    """`seat` wants another match in that seating (5.7), which it may still change."""

    seat: Seat
    seating: int


@dataclass(frozen=True, slots=True)
class RematchAgreed:
    """All have confirmed another match in that seating (5.7): 0 here, others at another table.

    None where they confirmed different ones so often that no other match follows.
    """

    seating: int | None


@dataclass(frozen=True, slots=True)
class ChatReceived:
    """`seat` said something."""

    seat: Seat
    text: str


@dataclass(frozen=True, slots=True)
class WordsLeftOut:
    """`seat` says more than is heard: what is over that is left out."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing can go on before these seats speak; silence since `since`. No accusation.

    Without seats: whoever was named before has spoken, and nobody is waited for any more.
    """

    seats: tuple[Seat, ...]
    since: float


class HeadClaim(NamedTuple):
    """`seat` claims to have come to `head`, further than any message that we were shown.

    It may hold a message of ours that we lack, or it may lie.
    """

    seat: Seat
    head: Head


@dataclass(frozen=True, slots=True)
class ClaimsOpen:
    """After a restart: all have answered, and these say that they have more than they have shown.

    They are asked for the messages, and we sign nothing before those are here, unless our player
    vouches that there are none of ours among them.
    """

    claims: tuple[HeadClaim, ...]


@dataclass(frozen=True, slots=True)
class JournalBehind:
    """After a restart: `seat` (ourselves) has signed what its journal does not hold.

    The journal is an older copy, or another copy of the seat plays: what nobody has shown us may
    contradict what we sign from now on.
    """

    seat: Seat


@dataclass(frozen=True, slots=True)
class FellBehind:
    """`seat` lacks messages of hands that we have forgotten; `heads` tell how far it has come.

    Whoever keeps transcripts sends it what `protocol.transcript.file` finds in them.
    """

    seat: Seat
    heads: tuple[Head, ...]


@dataclass(frozen=True, slots=True)
class MessagesMissed:
    """A watcher lacks something: a message came too early, or a seat told of more than is here."""


@dataclass(frozen=True, slots=True)
class SeatBlamed:
    """`seat` broke the protocol. `evidence` convinces anyone who has the charter. Play stopped."""

    seat: Seat
    check: str
    evidence: bytes


@dataclass(frozen=True, slots=True)
class SeatSuspected:
    """Something of `seat`'s does not fit, but nothing that would convince a stranger."""

    seat: Seat
    reason: str


@dataclass(frozen=True, slots=True)
class SecondOpinionDiffered:
    """With the cards open, a proved statement turned out false: a bug of ours, nobody's blame."""

    seat: Seat
    round: int
    statement: str


@dataclass(frozen=True, slots=True)
class SessionStopped:
    """We sign nothing more, for a reason on our own side (such as our key used elsewhere)."""

    reason: str


Event = (
    Persist
    | Send
    | PublishingDue
    | ConfirmationDue
    | RoundClosed
    | Contributed
    | HandStarted
    | ActionTaken
    | Disclosed
    | TurnOpened
    | ResultReached
    | HandEnded
    | EndProposed
    | HandUnfinished
    | EndUndone
    | ChallengeMade
    | RulingHeard
    | HandRuled
    | RefereeBlamed
    | ContinuationProposed
    | ContinuationRefused
    | ContinuationAgreed
    | ContinuationReady
    | MatchEnded
    | RematchWanted
    | RematchAgreed
    | ChatReceived
    | WordsLeftOut
    | Waiting
    | ClaimsOpen
    | JournalBehind
    | FellBehind
    | MessagesMissed
    | SeatBlamed
    | SeatSuspected
    | SecondOpinionDiffered
    | SessionStopped
)
