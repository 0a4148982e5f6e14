"""Wishing for another match, and finding out that all do (specs 5.7)."""

from __future__ import annotations

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.ledger.events import RematchAgreed, RematchWanted, Send
from protocol.ledger.table import TableState
from protocol.seat.status import RematchWish, State
from protocol.seat.step import SessionStep, send_notice
from protocol.wire.contents import ANY_SEATING, Rematch


def match_over(table_state: TableState) -> bytes | None:
    """Return the head of the last hand of a match that is over while no other has begun."""
    hand = table_state.hand
    if table_state.won is None or hand is None:
        return None
    return bytes(hand.ledger.head)


def wanted_seatings(state: State) -> dict[Seat, int]:
    """Return the seating that each seat wants, of those that want another match."""
    after = match_over(state.table_state)
    return {
        seat: wish.content.seating
        for seat, wish in state.wishes.items()
        if wish.content.after == after
    }


def agreed(state: State) -> int | None:
    """Return the seating that all want; None while somebody wants nothing or something else."""
    wanted = wanted_seatings(state)
    if len(wanted) < len(state.table_state.charter.seats):
        return None
    said_by_people = {*wanted.values()} - {ANY_SEATING}
    return said_by_people.pop() if len(said_by_people) == 1 else None


def want(step: SessionStep, seating: int) -> SessionStep:
    """Say that our player wants another match. Raises LocalError where there is none to want."""
    after = match_over(step.state.table_state)
    others = len(step.own.charter.seats) - 1
    if after is None or not (0 <= seating < others or seating == ANY_SEATING):
        raise LocalError("there is no match to play again now, or not in these seats")
    content = Rematch(after, seating)
    known = step.state.wishes.get(step.own.seat)
    if known is not None and known.content == content:
        return step
    serial = step.state.serial
    step, raw = send_notice(step, content)
    return note_wish(step, step.own.seat, RematchWish(serial, content, raw))


def note_wish(step: SessionStep, seat: Seat, wish: RematchWish) -> SessionStep:
    """Note what a seat wants, unless it has said something later, or speaks of another match."""
    state, seats = step.state, len(step.own.charter.seats)
    known = state.wishes.get(seat)
    seating, after = wish.content.seating, wish.content.after
    if known is not None and known.serial >= wish.serial:
        return step
    if after != match_over(state.table_state) or seats - 1 <= seating < ANY_SEATING:
        return step
    if seat != step.own.seat:
        proposals = state.proposals.after(seat, wish.raw, step.now)
        if proposals is None:
            return step
        state = state._replace(proposals=proposals)
    step = step.with_state(state._replace(wishes={**state.wishes, seat: wish}))
    step = step.with_events(RematchWanted(seat, seating))
    common = agreed(step.state)
    if common is None:
        return step
    # Whoever goes to another table answers at this one no more: all see what was agreed.
    return step.with_events(
        *(Send(each.raw) for each in step.state.wishes.values()), RematchAgreed(common)
    )


def repeat_wish(step: SessionStep) -> SessionStep:
    """Say again what we want, for who has not heard it."""
    ours = step.state.wishes.get(step.own.seat)
    if ours is None or ours.content.after != match_over(step.state.table_state):
        return step
    return step.with_events(Send(ours.raw))
