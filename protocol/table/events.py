"""The events of a table or a session: what happened, and `Send` and `Persist` to be carried out.

They stand in this folder because the ledgers emit most of them, for auditors and spectators too.

The events of one call are carried out in order: a `Persist` before a `Send` must be on the disk
before the `Send` goes out. Only the work that `PublishingDue` announces may wait for a frame of the
screen.
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


class Event:
    """The base of all events."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Persist(Event):
    """Write this record to the journal, on the disk, before carrying out anything after it."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Send(Event):
    """Seal this envelope, unchanged, into a frame padded to one of the sizes of specs 7.1, and
    publish it.
    """

    envelope: bytes


@dataclass(frozen=True, slots=True)
class PublishingDue(Event):
    """Messages of ours that need no decision are due; the next `tick` makes them.

    Other seats wait for them, and their proofs take longer than a frame of the screen: show the
    events before it, then call `tick`.
    """


@dataclass(frozen=True, slots=True)
class ConfirmationDue(Event):
    """The setup of a match, with the number `number`, waits for our player's confirmation.

    Emitted once for each round of confirmations, and again when we go on after a stop.
    """

    number: int


@dataclass(frozen=True, slots=True)
class RoundClosed(Event):
    """Every contributor has contributed to round number `round`, from 0, of a ledger.

    `digest`, 32 bytes, is the ledger's after the round; equal digests mean equal histories.
    """

    ledger: LedgerName
    round: int
    digest: Digest


@dataclass(frozen=True, slots=True)
class Contributed(Event):
    """`seat` contributed to the open round of a ledger, which awaits others; the content is not
    public yet.
    """

    ledger: LedgerName
    seat: Seat


@dataclass(frozen=True, slots=True)
class HandStarted(Event):
    """The deck of deal `number` is ready, and `dealer` deals.

    `scores` are the match's before the hand; () for a hand outside a match.
    """

    number: int
    dealer: Seat
    scores: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionTaken(Event):
    """`seat` took `action` (the game's own value), with all its proofs verified.

    `step` is the game's result of the action, if it was computed.
    """

    seat: Seat
    action: Any
    # Not compared: the result follows from the action, and a text of a hand is read without it.
    step: Step[Any] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Disclosed(Event):
    """A disclosure of the game was carried out: cards were dealt, handed over, laid down, opened
    or remixed.
    """

    disclosure: Disclosure


@dataclass(frozen=True, slots=True)
class TurnOpened(Event):
    """Our player has to act: `legal_actions` has its choices.

    Emitted once for a turn, and again when we go on after a stop.
    """

    seat: Seat


@dataclass(frozen=True, slots=True)
class HandEnded(Event):
    """The result of hand `number` counts; `scores` are the match's after the hand.

    In play every seat has signed the result, or a ruling let it count. In the audit of a file
    signatures may be missing, and `scores` are () if the file does not tell them or a ruling ended
    the hand.
    """

    number: int
    outcome: Any
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EndProposed(Event):
    """A peer, `seat`, agrees to end hand `number` at a point that it has signed, if every seat
    in `present` agrees.
    """

    seat: Seat
    number: int
    present: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class HandUnfinished(Event):
    """Hand `number` ended without a result, by agreement of the seats in `present` (specs 5.6);
    if `present` is empty, a ruling ended play at the table.
    """

    number: int
    present: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class EndUndone(Event):
    """Hand `number` goes on, although our seat had agreed to end it or agreements had ended it.

    Not emitted if our player chose to play on, or if a result or a ruling was reported instead.
    """

    number: int


@dataclass(frozen=True, slots=True)
class ChallengeMade(Event):
    """`seat`, which may be ours, challenges a point of a hand, or opens its challenge after the
    hand (specs 5.8).

    `text` is its sentence if we may read it: it is ours, we are the referee, or the seat has opened
    it; else None. "" for the referee if it was sealed wrongly.
    """

    seat: Seat
    content: Challenge
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RulingHeard(Event):
    """A referee's ruling came, with a good signature. If it stops a hand, `HandRuled` follows
    once its point is reached.
    """

    ruling: SignedRuling


@dataclass(frozen=True, slots=True)
class HandRuled(Event):
    """A ruling stopped a hand, or play before a first hand.

    `void` has the numbers of the hands that began behind its point and do not count; () in the
    audit of a file.
    """

    ruling: SignedRuling
    void: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RefereeBlamed(Event):
    """Two `rulings` contradict each other, and play stopped.

    With `evidence`, which convinces anyone who has the charter, one referee signed both. Without it
    two referees did, and neither is convicted.
    """

    #: In the order of their referees, those of one by their ids, so that every seat tells the same
    #: pair in the same order.
    rulings: tuple[SignedRuling, SignedRuling]
    evidence: bytes  #: Empty where two referees contradict each other.

    @property
    def referee(self) -> int:
        """The number of the referee that signed the first ruling, by its place in the charter."""
        return self.rulings[0].referee


@dataclass(frozen=True, slots=True)
class ContinuationProposed(Event):
    """A peer proposes to go on with the match at another table, with us, and agrees to that."""

    seat: Seat
    content: Continuation


@dataclass(frozen=True, slots=True)
class ContinuationRefused(Event):
    """A seat, `seat` (ours too), refuses to go on at the table of `content`: its program objects
    because the seat would be left out, or its player refuses.
    """

    seat: Seat
    content: Continuation


@dataclass(frozen=True, slots=True)
class ContinuationAgreed(Event):
    """All seats that go on agree, and the hand has ended: the founder makes the charter."""

    content: Continuation


@dataclass(frozen=True, slots=True)
class ContinuationReady(Event):
    """The charter of the next table has come, and is as all agreed."""

    charter: Charter


@dataclass(frozen=True, slots=True)
class MatchEnded(Event):
    """Side number `winner` has won a match with these scores.

    `scores` are () in the audit of a file if the others lost the match by a ruling.
    """

    winner: int
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RematchWanted(Event):
    """`seat` wants another match of these people in the seating `seating` (specs 5.7): 0 as now,
    ANY_SEATING as the others want. It may still change.
    """

    seat: Seat
    seating: int


@dataclass(frozen=True, slots=True)
class RematchAgreed(Event):
    """The setup of another match has ended its confirmations (specs 5.7): all confirmed the seating
    `seating`, 0 at this table, others at another table.

    None if they named different ones in the last possible round, so that no match follows.
    """

    seating: int | None


@dataclass(frozen=True, slots=True)
class ChatReceived(Event):
    """`seat` sent a line of chat."""

    seat: Seat
    text: str


@dataclass(frozen=True, slots=True)
class WordsLeftOut(Event):
    """`seat` sends more chat than is shown; lines above the limit are dropped. Emitted at most
    once a minute for a seat, so that telling of a flood is none.
    """

    seat: Seat


@dataclass(frozen=True, slots=True)
class Waiting(Event):
    """The table cannot go on without messages of these seats; no accusation. `since` is the time of
    the last accepted message, in seconds of the caller's clock.

    Without seats: the awaited seats have sent their messages, and `since` is now.
    """

    seats: tuple[Seat, ...]
    since: float


class HeadClaim(NamedTuple):
    """`seat` names a head beyond the messages that we have of a ledger.

    It may hold a message of ours that we lack, or it may lie (specs 7.5).
    """

    seat: Seat
    head: Head


@dataclass(frozen=True, slots=True)
class ClaimsOpen(Event):
    """After a restart every seat has answered, and these claims are still open (specs 7.5).

    The claimants are asked for the messages. We sign nothing before the messages are here, unless
    our player vouches that none of ours is among them.
    """

    claims: tuple[HeadClaim, ...]


@dataclass(frozen=True, slots=True)
class JournalBehind(Event):
    """After a restart a message came that `seat` (ours) signed and that our journal lacks.

    The journal is an older copy, or another copy of the seat plays: an unseen message may
    contradict what we sign from now on.
    """

    seat: Seat


@dataclass(frozen=True, slots=True)
class FellBehind(Event):
    """`seat` asks with its `heads` for messages of ledgers that we have forgotten.

    A program with transcripts sends it the messages that `protocol.transcript.file` finds there.
    """

    seat: Seat
    heads: tuple[Head, ...]


@dataclass(frozen=True, slots=True)
class MessagesMissed(Event):
    """A watcher lacks messages: one came too early or is of another history, or a seat's heads
    name more than is here.
    """


@dataclass(frozen=True, slots=True)
class SeatBlamed(Event):
    """`seat` broke the protocol, and play stopped. `check` is the failed check; `evidence` is a
    file that convinces anyone who has the charter.
    """

    seat: Seat
    check: str
    evidence: bytes


@dataclass(frozen=True, slots=True)
class SeatSuspected(Event):
    """The keys of all seats cancel, which no seat can be convicted of: play stopped. `seat` sent
    the last message, `reason` is the failed check.
    """

    seat: Seat
    reason: str


@dataclass(frozen=True, slots=True)
class SecondOpinionDiffered(Event):
    """With the cards open, a statement that `seat` proved in round `round` is false: a defect of
    ours, and nobody's fault.
    """

    seat: Seat
    round: int
    statement: str


@dataclass(frozen=True, slots=True)
class SessionStopped(Event):
    """We sign nothing more: our own key signed a message that this seat did not; `reason` says
    so in a sentence.
    """

    reason: str
