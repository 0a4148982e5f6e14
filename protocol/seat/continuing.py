"""Going on with a match at another table, because somebody has left for good (specs 6.5).

All who go on agree to the same before a hand is ended for it. A seat that hears that others would
go on without it says that it is there, and no honest seat goes on then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from p2p304.seats import Seat
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.places import Lane
from protocol.seat import agreeing
from protocol.seat.step import OwnSeat, SessionStatus, SessionStep, State, send_notice
from protocol.seat.votes import Vote, Votes
from protocol.table.agreement import agreement_of_all, agreement_to_end, can_end
from protocol.table.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    Persist,
    Send,
)
from protocol.table.standing import MatchStanding, check_change, check_continued
from protocol.table.sync import HEADS_INTERVAL
from protocol.table.table import TableState
from protocol.wire.charter import Charter
from protocol.wire.contents import Continuation

NO_NONCE: Final = bytes(32)


def hands_begun(table_state: TableState) -> int:
    """Return how many hands have begun at a table."""
    return table_state.newest.get(Lane.HAND, -1) + 1


def seats_of(content: Continuation) -> tuple[Seat, ...]:
    """Return the seats that go on."""
    return tuple(Seat(seat) for seat in range(64) if content.present >> seat & 1)


def vote(step: SessionStep, content: Continuation) -> SessionStep:
    """Say what our player wants; raises LocalError for what nobody could agree to."""
    seats, own = len(step.own.charter.seats), step.own.seat
    present = seats_of(content)
    hand = step.state.table_state.hand
    if content.hands != hands_begun(step.state.table_state):
        raise LocalError("another hand has begun")
    votes = step.state.votes
    if votes.moved and content.table != votes.agreed:
        raise LocalError("the match goes on at another table already")
    if content.table == step.own.charter.table:
        raise LocalError("the match goes on at a new table")
    if own not in present or content.founder not in present or present[-1] >= seats:
        raise LocalError("who goes on is at the table")
    if content.agreed and votes.agreed != content.table and votes.left_out(content):
        raise LocalError("a seat that would be left out is there")
    if content.agreed and _standing(step) is None:
        if hand is None or hand.settled:
            raise LocalError("there is no match to go on with")
        if not can_end(hand, agreement_to_end(hand, present)):
            raise LocalError("a seat of every side goes on, or none does")
    return look_at_votes(_say(step, content))


def _say(step: SessionStep, content: Continuation) -> SessionStep:
    before, own = step.state.votes, step.own.seat
    if before.of(own) == content:
        return step
    serial = step.state.serial
    step, raw = send_notice(step, content)
    votes = before.after(own, Vote(serial, content, raw))
    assert votes is not None  # our serials rise
    return step.with_state(step.state._replace(votes=replace(votes, told_at=step.now)))


def _refused(content: Continuation) -> Continuation:
    """Return what says that we are here, and do not agree to go on at that table."""
    return replace(content, agreed=0, nonce=NO_NONCE, charter=b"")


def hear_vote(step: SessionStep, seat: Seat, vote: Vote) -> SessionStep:
    """Hear what a peer says of it; say that we are there, if others would go on without us."""
    step = look_at_votes(step)  # what all had agreed to before a restart, this undoes no more
    content, state = vote.content, step.state
    votes = state.votes.after(seat, vote)
    proposals = state.proposals.after(seat, vote.raw, step.now)
    if votes is None or proposals is None:
        return step
    new = not _same(state.votes.of(seat), content)
    step = step.with_state(state._replace(votes=votes, proposals=proposals))
    if content.hands != hands_begun(state.table_state):
        return look_at_votes(step)
    own = step.own.seat
    if votes.left_out(content):
        step = _take_back(step, content)
    if not content.agreed:
        step = step.with_events(ContinuationRefused(seat, content)) if new else step
    elif own not in seats_of(content):
        if not _yields(step.own.charter, own, content):
            step = _say(step, _refused(content))
            step = step.with_events(ContinuationRefused(own, content))
    elif new and not _same(state.votes.of(own), content):
        step = step.with_events(ContinuationProposed(seat, content))
    return look_at_votes(step)


def _take_back(step: SessionStep, content: Continuation) -> SessionStep:
    """Take back what we and others said for a table at which a seat that is there would not be.

    Once all had agreed it came too late.
    """
    votes, ours = step.state.votes, step.state.votes.of(step.own.seat)
    if votes.agreed == content.table:
        return step
    if ours is not None and ours.agreed and ours.table == content.table:
        step = _say(step, _refused(ours))
    return step.with_state(step.state._replace(votes=step.state.votes.taken_back(content)))


def _same(one: Continuation | None, other: Continuation) -> bool:
    return one is not None and one.same_as(other) and one.agreed == other.agreed


def _yields(charter: Charter, own: Seat, content: Continuation) -> bool:
    """Tell whether we are a bot whose seat is given to somebody else by who seats it."""
    term = charter.continues
    by = {} if term is None else dict(term.bots)
    return own in by and by[own] in seats_of(content)


def remember_vote(step: SessionStep, seat: Seat, vote: Vote) -> SessionStep:
    """Take one out of our own journal."""
    votes = step.state.votes.after(seat, vote) or step.state.votes
    step = step.with_state(step.state._replace(votes=votes))
    ours = _agreed_by_all(step)
    if ours is None or _right_charter(step, ours) is None:
        return step
    return step.with_state(step.state._replace(votes=replace(votes, agreed=ours.table, moved=True)))


def _agreed_by_all(step: SessionStep) -> Continuation | None:
    """Return what our player has agreed to since the newest hand began, if all who go on have."""
    votes = step.state.votes
    ours = votes.of(step.own.seat)
    if ours is None or not ours.agreed or ours.hands != hands_begun(step.state.table_state):
        return None
    return ours if all_agree(votes, ours) else None


def look_at_votes(step: SessionStep) -> SessionStep:
    """End the hand once all who go on agree to that; tell when it has ended, and of the charter."""
    ours = _agreed_by_all(step)
    if ours is None:
        return step
    hand, present = step.state.table_state.hand, seats_of(ours)
    if _standing(step) is None:
        if hand is None or step.state.status in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
            return step
        if not can_end(hand, agreement_to_end(hand, present)):
            return step
        step = agreeing.agree(step, present)
        if _standing(step) is None:
            return step  # not all have signed that it ends
    votes = step.state.votes
    if votes.agreed != ours.table:
        step = step.with_state(step.state._replace(votes=replace(votes, agreed=ours.table)))
        kept = (votes.said[seat].raw for seat in present if seat != step.own.seat)
        step = step.with_events(*map(Persist, kept), ContinuationAgreed(ours))
    return _read_charter(step, ours)


def _read_charter(step: SessionStep, ours: Continuation) -> SessionStep:
    """Tell once of the charter of the table at which the match goes on, and keep it."""
    votes = step.state.votes
    charter = None if votes.ready else _right_charter(step, ours)
    if charter is None:
        return step
    step = step.with_state(step.state._replace(votes=replace(votes, ready=True, moved=True)))
    if ours.founder != step.own.seat:
        step = step.with_events(Persist(votes.said[Seat(ours.founder)].raw))
    return step.with_events(ContinuationReady(charter))


def _right_charter(step: SessionStep, ours: Continuation) -> Charter | None:
    """Return the founder's charter once it is there and right, of what all have agreed to."""
    standing = _standing(step)
    if standing is None:
        return None
    founder = step.state.votes.said[Seat(ours.founder)]  # who goes on, and has agreed
    return charter_told(step.own, step.state, founder.content, standing)


def charter_told(
    own: OwnSeat, state: State, told: Continuation, standing: MatchStanding
) -> Charter | None:
    """Return the charter in what the founder `told`, which all agree to but for that.

    None if it does not go on with the match just as all agreed, or is not made yet.
    """
    try:
        charter = Charter.from_bytes(told.charter)
        check_change(standing, charter)
        if len(charter.seats) != len(own.charter.seats):
            return None
        check_continued(charter, state.table_state.game)
    except (MalformedMessage, ProofError):
        return None
    term = charter.continues
    assert term is not None
    stay = [seat for seat in seats_of(told) if seat in standing.keys]
    nonces = {seat: said.nonce for seat, (_, said, _) in state.votes.said.items()}
    right = (
        charter.table == told.table
        and list(term.present) == stay
        and term.bots == told.bots
        and all(
            charter.seats[seat].key == own.charter.seats[seat].key
            and charter.seats[seat].nickname == own.charter.seats[seat].nickname
            and charter.seats[seat].nonce == nonces.get(seat)
            for seat in seats_of(told)
        )
    )
    return charter if right else None


def all_agree(votes: Votes, content: Continuation) -> bool:
    """Tell whether all who go on agree to the same, and nobody else at the table does not.

    Once they have, a seat that comes back too late does not hold them up.
    """
    free = votes.agreed == content.table or not votes.refusing(content)
    return free and votes.agreeing(content) == seats_of(content)


def repeat_vote(step: SessionStep) -> SessionStep:
    """Send our own again at intervals, as long as it is of the newest hand."""
    votes = step.state.votes
    ours = votes.said.get(step.own.seat)
    if ours is None or ours.content.hands != hands_begun(step.state.table_state):
        return step
    if votes.told_at is not None and step.now - votes.told_at < HEADS_INTERVAL:
        return step
    step = step.with_state(step.state._replace(votes=replace(votes, told_at=step.now)))
    return step.with_events(Send(ours.raw))


def _standing(step: SessionStep) -> MatchStanding | None:
    state = step.state
    hand = state.table_state.hand
    agreed = () if hand is None else agreement_of_all(hand, state.agreements)
    return state.table_state.standing(agreed)
