"""What a seat publishes: its player's decisions, and what it owes without one.

What is owed takes proofs that take longer than a frame. It is made when a door is told the time,
and the door before says that it is due.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from protocol.errors import InternalFault, LocalError, PeerFault
from protocol.ledger.events import (
    ConfirmationDue,
    Persist,
    PublishingDue,
    Send,
    TurnOpened,
)
from protocol.ledger.evidence import CONFLICTS
from protocol.ledger.lanes import AnyReplica, as_match
from protocol.ledger.ledger import Fits
from protocol.ledger.phases import Phase
from protocol.ledger.receiving import receive
from protocol.places import Lane
from protocol.proofs.context import MessageContext
from protocol.seat.agreeing import agree_again, look_at_agreements
from protocol.seat.hearing import take_received
from protocol.seat.rematch import to_confirm, wish_anew
from protocol.seat.ruling import open_challenges
from protocol.seat.status import SessionStatus, StatusEvent, awaited_replica
from protocol.seat.step import SessionStep
from protocol.wire.contents import Action, Content, Reseating
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Message, SignedMessage, table_tag

_CLAIMED: Final = ".proof"
"""How the names of the checks end that a claim about our own cards fails if it is false."""


def confirm(step: SessionStep) -> SessionStep:
    """Confirm the charter, or another match, for our player. Raises LocalError."""
    replica = awaited_replica(step.state.table_state)
    if replica.machine.phase is not Phase.CONFIRMING or not _missing(step, replica):
        raise LocalError("there is nothing to confirm now")
    return step.with_state(step.state._replace(confirmed=replica.origin.ledger.number + 1))


def play(step: SessionStep, action: Any) -> SessionStep:
    """Publish our player's action of the game. Raises RulesError or LocalError."""
    hand = step.state.table_state.hand
    if hand is None or hand.machine.phase is not Phase.ACTING or not _missing(step, hand):
        raise LocalError("it is not our turn to act")
    context = hand.context(step.own.seat)
    decided, content = hand.machine.decide(action, context, step.own.secrets)
    table_state = step.state.table_state.holding(hand._replace(machine=decided))
    step = step.with_state(step.state._replace(table_state=table_state))
    return _publish(step, context, content)


def follow_up(step: SessionStep) -> SessionStep:
    """Carry out what agreements have become possible, open challenges whose hands have ended, and
    play on once all have answered after a restart, and wish anew for another match."""
    step = open_challenges(look_at_agreements(agree_again(step)))
    gossip = step.state.gossip
    if step.state.status is not SessionStatus.RETURNING:
        return wish_anew(step) if _plays(step) else step
    if not gossip.returned(step.state.table_state, step.own.seat):
        return step
    step = step.after(StatusEvent.CAUGHT_UP)
    return step.with_state(step.state._replace(gossip=replace(gossip, question=None)))


def publish_owed(step: SessionStep) -> SessionStep:
    """Publish all that we owe and that needs no decision."""
    while step.fault is None and (due := _owed(step)) is not None:
        context, setup = due.context(step.own.seat), as_match(due)
        content = due.machine.contribute(context, step.own.secrets)
        if setup is not None and setup.machine.phase is Phase.CONFIRMING:
            seating = to_confirm(step.own, step.state, setup)
            content = Reseating(seating) if seating else content
        step = _publish(step, context, content)
    return wish_anew(step) if step.fault is None and _plays(step) else step


def announce(step: SessionStep) -> SessionStep:
    """Say that something is to be published, or else, once, that our player has to decide."""
    if not _plays(step):
        return step.with_state(step.state._replace(turn_told=None))  # told anew if we go on
    if _owed(step) is not None:
        return step.with_events(PublishingDue())
    waiting = awaited_replica(step.state.table_state)
    place = (waiting.origin.ledger, len(waiting.ledger.rounds))
    due = waiting.machine.needs_decision and _missing(step, waiting)
    if not due or place == step.state.turn_told:
        return step
    step = step.with_state(step.state._replace(turn_told=place))
    if waiting.machine.phase is Phase.CONFIRMING:
        return step.with_events(ConfirmationDue(waiting.origin.ledger.number))
    return step.with_events(TurnOpened(step.own.seat))


def _plays(step: SessionStep) -> bool:
    """Tell whether we sign at this table: what we did after going on elsewhere would convict us,
    or help nobody."""
    state = step.state
    here = not (state.votes.moved or state.table_state.closed)
    return state.status is SessionStatus.PLAYING and here


def _owed(step: SessionStep) -> AnyReplica | None:
    """Return the ledger in which we publish next without a decision, unless that can wait."""
    if not _plays(step):
        return None
    for each in step.state.table_state.unsettled:
        if _owes(step, each) and not _can_wait(step, each):
            return each
    return None


def _owes(step: SessionStep, replica: AnyReplica) -> bool:
    if not _missing(step, replica):
        return False
    setup = as_match(replica)
    if setup is not None and setup.machine.phase is Phase.CONFIRMING:
        return to_confirm(step.own, step.state, setup) is not None
    return not replica.machine.needs_decision


def _can_wait(step: SessionStep, replica: AnyReplica) -> bool:
    """Tell whether it is the next deck, while the table moves: its shuffles take all the time that
    the moves of this hand need. What counts is what everybody sees, so that waiting tells nothing;
    once nobody moves, a later tick goes on."""
    if replica.origin.ledger.lane is not Lane.DECK or step.state.moved_at is None:
        return False
    waited_for = awaited_replica(step.state.table_state).origin.ledger == replica.origin.ledger
    return not waited_for and step.now - step.state.moved_at < step.own.patience


def _missing(step: SessionStep, replica: AnyReplica) -> bool:
    return step.own.seat in replica.ledger.missing


def _publish(step: SessionStep, context: MessageContext, content: Content) -> SessionStep:
    """Sign a message of ours, judge it as everybody will, then persist and send it.

    This is the one verification of our own proofs. Raises LocalError for an action that claims what
    our cards contradict, InternalFault for anything else that does not pass, PeerFault for another
    message of our key. Nothing leaves then. What a peer sent wrong, and was held until ours came,
    does not keep ours from leaving: the others wait for it to come to the same verdict.
    """
    own = step.own
    message = Message(table_tag(context.charter), context.place, context.previous, content)
    envelope = sign(
        own.key,
        message.to_bytes(),
        purpose=Purpose.LEDGER,
        seat=own.seat,
        charter=context.charter,
    )
    room = step.state.table_state.replicas[context.place.ledger].machine.room(context)
    signed = SignedMessage(message, envelope.to_bytes(), envelope.message_id)
    try:
        received = receive(step.state.table_state, signed)
    except PeerFault as fault:
        if fault.check in CONFLICTS:  # of our own key, with what this seat did not sign
            raise
        if isinstance(content, Action) and fault.check.endswith(_CLAIMED):
            raise LocalError(f"our cards contradict this ({fault.check})") from None
        raise InternalFault(fault.check, "our own message fails it, and was not sent") from None
    if not isinstance(received.offered, Fits):
        raise InternalFault("own message", f"it does not fit at {context.place}")
    step = step.with_events(Persist(signed.raw), Send(signed.raw, room))
    return take_received(
        step, received, [each for each in received.accepted if each.id != signed.id]
    )
