"""What time asks for: telling how far we have come, and telling our player for whom we wait."""

from __future__ import annotations

from typing import Final

from protocol.ledger.events import ClaimsOpen, Send, Waiting
from protocol.ledger.frame_bound import room_of
from protocol.seat.rematch import repeat_wish
from protocol.seat.status import SessionStatus, others_awaited, untold_claims
from protocol.seat.step import SessionStep, send_notice
from protocol.seat.sync import HEADS_INTERVAL, our_heads
from protocol.wire.contents import Heads

SOON: Final = 1.0
"""Seconds between two tellings of our heads when there is a reason."""


def tell_heads(step: SessionStep, *, interval: float) -> SessionStep:
    """Tell our heads, unless we did less than `interval` seconds ago."""
    gossip = step.state.gossip
    if not gossip.may_tell(step.now, interval):
        return step
    step = step.with_state(step.state._replace(gossip=gossip.told(step.now)))
    return _send_heads(step)


def _send_heads(step: SessionStep) -> SessionStep:
    question = step.state.gossip.question or b""
    return send_notice(step, Heads(question, b"", our_heads(step.state.table_state)))[0]


def wait(step: SessionStep) -> SessionStep:
    """Tell our heads at intervals, and our player once for whom we wait, while others are
    awaited."""
    moved = step.state.moved_at
    if moved is None:
        moved = step.now
        step = step.with_state(step.state._replace(moved_at=moved))
    missing = {seat for each in step.state.table_state.unsettled for seat in each.ledger.missing}
    long = step.now - moved >= HEADS_INTERVAL
    if step.state.status is SessionStatus.RETURNING:
        step = _tell_claims(tell_heads(step, interval=SOON), since=moved)
    elif long and missing - {step.own.seat}:
        step = _tell_all(step)
    awaited = others_awaited(step.own, step.state)
    waiting = Waiting(tuple(sorted(awaited)), moved)
    if not awaited or not long or waiting == step.state.wait_told:
        return step
    return step.with_state(step.state._replace(wait_told=waiting)).with_events(waiting)


def _tell_all(step: SessionStep) -> SessionStep:
    """Tell our heads at intervals, and what we want once a match is over."""
    told = tell_heads(step, interval=HEADS_INTERVAL)
    return told if told is step else repeat_wish(told)


def _tell_claims(step: SessionStep, *, since: float) -> SessionStep:
    """Name whose claims hold us, once nothing has come of asking them for a while."""
    claims = untold_claims(step.own, step.state)
    if not claims or step.now - since < 2 * HEADS_INTERVAL:
        return step
    told = step.state.claims_told.union(each.seat for each in claims)
    return step.with_state(step.state._replace(claims_told=told)).with_events(ClaimsOpen(claims))


def withdraw(step: SessionStep) -> SessionStep:
    """Tell that nobody is waited for any more, once all who were named have spoken."""
    told = step.state.wait_told
    if told is None or others_awaited(step.own, step.state).intersection(told.seats):
        return step
    return step.with_state(step.state._replace(wait_told=None)).with_events(Waiting((), step.now))


def repeat(step: SessionStep) -> SessionStep:
    """Send again, at intervals, what the others must see although we have stopped; and how far we
    have come, while not all have agreed: they may have to come as far first."""
    gossip, repeating = step.state.gossip, step.state.repeating
    if not repeating or not gossip.may_tell(step.now, HEADS_INTERVAL):
        return step
    step = step.with_state(step.state._replace(gossip=gossip.told(step.now)))
    step = step.with_events(*(Send(raw, room_of(raw)) for raw in repeating))
    if step.state.status is not SessionStatus.AGREEING:
        return step
    return _send_heads(step)
