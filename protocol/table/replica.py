"""A ledger with its machine: messages are offered, judged, accepted, and rounds closed.

This is the one path to a verdict: for play, spectators, evidence and audits. The origin of a ledger
chooses its machine; each closed round emits events.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar, cast

from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import digest
from protocol.errors import InternalFault, LocalError, MalformedMessage, PeerFault, ProofError
from protocol.places import Digest, Place
from protocol.proofs.context import MessageContext
from protocol.table.events import Event
from protocol.table.evidence import Fault, Prefix
from protocol.table.hand import HandPlay
from protocol.table.ledger import (
    AWAITED,
    BY_SEAT,
    NEXT,
    Ledger,
    LedgerMachine,
    Origin,
    round_digest,
)
from protocol.table.setups import DeckSetup, MatchSetup
from protocol.wire.charter import Charter
from protocol.wire.messages import SignedMessage, SignedRuling

MachineT = TypeVar("MachineT", bound=LedgerMachine)

# The check's name in the specification (specs 6.3).
OUT_OF_TURN = "turn.seat"

#: What can fail although every message of a round was right: keys that cancel, of all seats.
CANCELLING = frozenset({"key.sum", "deck.start"})


# A named tuple, since every message replaces it: a dataclass takes several times as long.
class LedgerReplica(NamedTuple, Generic[MachineT]):
    """A started ledger: its origin, its messages, and its machine. Immutable."""

    charter: Charter
    origin: Origin
    ledger: Ledger
    machine: MachineT
    #: The deck of a hand: evidence about the hand has to show it, too, as a stranger has neither.
    deck: LedgerReplica[DeckSetup] | None = None
    #: The machine after no round, after the first, and so on, at a table with a referee: a ruling
    #: goes back to one of them. Else empty.
    past: tuple[MachineT, ...] = ()
    #: What ended the ledger where it stands, a hand whose course a referee stopped.
    ruling: SignedRuling | None = None

    @classmethod
    def open(
        cls,
        charter: Charter,
        origin: Origin,
        machine: MachineT,
        waiting: Ledger | None = None,
        deck: DeckReplica | None = None,
    ) -> LedgerReplica[MachineT]:
        """Return the replica of a ledger that starts now, a hand with its deck.

        `waiting` is the ledger with the messages that were held before it started, if any.
        """
        # `or`: None if no message came before it started.
        ledger = (waiting or Ledger(origin.ledger))._replace(
            digests=(origin.root(charter.digest),), contributors=machine.contributors
        )
        # Only a referee can go back to an earlier round; other tables need not keep the machines.
        past = (machine,) if charter.referees else ()
        return cls(charter, origin, ledger, machine, deck, past)

    @property
    def settled(self) -> bool:
        """Whether the ledger has ended."""
        return not self.ledger.contributors

    @property
    def head(self) -> Digest:
        """The digest, 32 bytes, that the next ledger continues: the ledger's head; if a ruling
        ended the ledger, a hash of its head and the ruling.
        """
        if self.ruling is None:
            return self.ledger.head
        return Digest(digest(labels.LEDGER_RULED, self.ledger.head, self.ruling.id))

    @property
    def complete(self) -> bool:
        """Whether every contributor of the open round has contributed; False once the ledger has
        ended.
        """
        return not self.settled and not self.ledger.missing

    def context(self, seat: Seat) -> MessageContext:
        """Return the context of the message that `seat` contributes to the open round."""
        place = Place(self.origin.ledger, len(self.ledger.rounds), seat)
        return MessageContext(self.charter.digest, place, self.ledger.head)

    def accept(self, signed: SignedMessage) -> LedgerReplica[MachineT]:
        """Judge the content of a message that `offer` found to fit, and return the replica with it.

        Raises PeerFault, with portable evidence, for a wrong content: `turn.kind` for a kind that
        the phase does not await, else what the machine's `take` finds.
        """
        content, phase = signed.content, self.machine.phase
        try:
            # `type`, not `isinstance`: a kind is exactly one class. The first check in every lane
            # (specs 5.4).
            if type(content) not in AWAITED[phase]:
                raise ProofError("turn.kind", f"{type(content).__name__} while {phase.value}")
            # The machine judges first: a ledger that accepted a wrong message would have to forget
            # it. By our own view of place and history, to which the message's proofs must be bound.
            machine = self.machine.take(content, self.context(signed.place.seat))
        except (MalformedMessage, ProofError) as error:
            # Any other error passes through: it is a defect of ours and accuses nobody (specs 5.4).
            raise self.fault(signed, error.check) from None
        accepted = (*self.ledger.accepted, signed)
        return self._replace(ledger=self.ledger._replace(accepted=accepted), machine=machine)

    def close(self) -> tuple[LedgerReplica[MachineT], tuple[Event, ...]]:
        """Close the complete round; return the replica with the next one open, and the events.

        Raises LocalError while a contribution is missing, and if no round is open; ProofError if
        keys cancel. Raises InternalFault if anything else fails although every
        message was judged right: then a check of ours is broken.
        """
        ledger = self.ledger
        if not ledger.contributors or ledger.missing:
            raise LocalError(f"the open round of ledger {ledger.name} is not complete")
        try:
            machine, events = self.machine.close()
        except ProofError as error:
            # Keys that cancel take all seats together: nobody alone is to blame, and no check is
            # broken.
            if error.check in CANCELLING:
                raise
            raise InternalFault(error.check, "every message of the round had passed") from error
        before, after = self.machine.phase, machine.phase
        # A step that the table of phases does not list is a defect of ours.
        if after not in NEXT[before]:
            raise LocalError(f"{after.name} does not follow {before.name}")
        # Seat order, not order of arrival: every seat must come to the same digest.
        ordered = tuple(sorted(ledger.accepted, key=BY_SEAT))
        head = round_digest(ledger.head, len(ledger.rounds), ordered)
        # No strays: all were of this round.
        ledger = ledger._replace(
            digests=(*ledger.digests, head),
            rounds=(*ledger.rounds, ordered),
            contributors=machine.contributors,
            accepted=(),
            strays={},
        )
        # One machine for each count of closed rounds, so that `past[n]` is the point n.
        past = (*self.past, machine) if self.past else ()
        return self._replace(ledger=ledger, machine=machine, past=past), events

    def fault(self, signed: SignedMessage, check: str) -> PeerFault:
        """Return the PeerFault, with evidence, of a message that fits our history and whose
        content fails `check`.
        """
        before = () if self.deck is None else (self.deck.prefix(),)
        evidence = Fault(self.charter, check, (*before, self.prefix()), signed.raw)
        return PeerFault(signed.place.seat, check, (evidence.to_bytes(),))

    def prefix(self) -> Prefix:
        """Return the closed rounds of this ledger as a prefix of evidence."""
        # Closed rounds alone: the open one may be another elsewhere, and no verdict rests on it.
        raws = tuple(each.raw for closed in self.ledger.rounds for each in closed)
        return Prefix(self.origin, raws)


MatchReplica = LedgerReplica[MatchSetup]
DeckReplica = LedgerReplica[DeckSetup]
HandReplica = LedgerReplica[HandPlay]
AnyReplica = MatchReplica | DeckReplica | HandReplica


def as_hand(replica: AnyReplica | None) -> HandReplica | None:
    """Return the replica if it is a hand, else None."""
    # By its machine: at run time a generic class has no parameter to look at.
    found = replica is not None and isinstance(replica.machine, HandPlay)
    return cast(HandReplica, replica) if found else None
