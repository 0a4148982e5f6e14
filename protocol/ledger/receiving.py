"""What becomes of a message at a table: judged where it fits, with all that follows from it.

It may close a round, whereby a ledger ends and the next one opens, and so free messages that were
held until then; these are taken as if they came now.
"""

from __future__ import annotations

from typing import NamedTuple

from p2p304.disclosures import Disclosure
from p2p304.seats import Seat
from protocol.errors import PeerFault, ProofError
from protocol.ledger.events import Contributed, Disclosed, Event
from protocol.ledger.evidence import EQUIVOCATION, Conflict
from protocol.ledger.hand import HandPlay
from protocol.ledger.lanes import AnyReplica, as_hand, round_events
from protocol.ledger.ledger import (
    Beyond,
    Equivocation,
    Fits,
    Held,
    Known,
    Ledger,
    Offered,
    OutOfTurn,
    Strange,
)
from protocol.ledger.replica import OUT_OF_TURN
from protocol.ledger.table import TableState
from protocol.wire.messages import SignedMessage


class Received(NamedTuple):
    """What came of a message: the new state of the table, what happened, what was accepted."""

    table_state: TableState
    offered: Offered
    events: tuple[Event, ...] = ()
    accepted: tuple[SignedMessage, ...] = ()
    shown: tuple[tuple[Disclosure, HandPlay], ...] = ()
    """Each disclosure with the hand as it was then: a slot may be no more a moment later."""
    fault: PeerFault | None = None
    """That of a message which was held until this one came. What is here stands all the same."""

    def then(self, more: Received) -> Received:
        """Return what came of the message, with what came of going on from there."""
        return Received(
            more.table_state,
            self.offered,
            self.events + more.events,
            self.accepted + more.accepted,
            self.shown + more.shown,
            more.fault,
        )


def receive(table: TableState, signed: SignedMessage) -> Received:
    """Return what comes of a validly signed message of the table's charter.

    Raises PeerFault, whose evidence is the bytes of a portable proof, for a message that no honest
    seat sends: a wrong one, one out of turn, a second one for a place. A message that was held is
    judged when its round opens: if this message is right and opens that round, the fault of the
    held one is in what is returned.
    """
    name = signed.place.ledger
    ledger = None if table.rulings.behind(signed.place) else table.ledger(name)
    if ledger is None:  # what is forgotten had all its messages
        here = name in table.replicas or table.forgotten(name)
        return Received(table, Known() if here else Beyond())
    offered = ledger.offer(signed)
    match offered:
        case Known() | Beyond():
            return Received(table, offered)
        case Held(kept) | Strange(kept):
            return Received(_keeping(table, kept), offered)
        case OutOfTurn():
            raise table.replicas[name].fault(signed, OUT_OF_TURN)
        case Equivocation(earlier):
            evidence = Conflict(table.charter, earlier.raw, signed.raw)
            raise PeerFault(signed.place.seat, EQUIVOCATION, (evidence.to_bytes(),))
        case Fits():
            return _accepted(table, signed)


def _keeping(table: TableState, ledger: Ledger) -> TableState:
    if ledger.name in table.replicas:
        return table.holding(table.replicas[ledger.name]._replace(ledger=ledger))
    return table._replace(waiting={**table.waiting, ledger.name: ledger})


def _accepted(table: TableState, signed: SignedMessage) -> Received:
    """Accept one message and all that follows from it."""
    name, seat = signed.place.ledger, signed.place.seat
    keys = table.keys.noted(signed, table.charter)
    replica = table.replicas[name].accept(signed)
    table = table._replace(replicas={**table.replicas, name: replica}, keys=keys)
    if not replica.complete:
        return Received(table, Fits(), (Contributed(name, seat),), (signed,))
    closed = _closed(table, replica, seat)
    return closed._replace(accepted=(signed,)).then(_released(closed.table_state))


def _closed(table: TableState, replica: AnyReplica, latest: Seat) -> Received:
    """Close the round of a replica, which is complete, and open what can be opened then.

    Raises PeerFault without evidence, for the seat that spoke as the `latest`, where all keys
    cancel: that takes all seats together.
    """
    try:
        closed, happened = replica.close()
    except ProofError as error:
        raise PeerFault(latest, error.check) from None
    events = round_events(closed, len(replica.ledger.rounds), happened)
    hand = as_hand(closed)
    disclosed = [each.disclosure for each in events if isinstance(each, Disclosed)]
    shown = tuple((each, hand.machine) for each in disclosed) if hand is not None else ()
    after, news = table.holding(closed).open_next()
    return Received(after, Fits(), (*events, *news), shown=shown)


def _released(table: TableState) -> Received:
    """Take the messages that were held for the rounds that are open now, up to a wrong one."""
    received, due = Received(table, Fits()), list[SignedMessage]()
    for replica in table.unsettled if table.holds_any else ():
        released, held = replica.release()
        if held:
            received = received._replace(table_state=received.table_state.holding(released))
            due += held
    for each in due:
        if received.fault is None:
            try:
                received = received.then(receive(received.table_state, each))
            except PeerFault as fault:
                received = received._replace(fault=fault)
    return received
