"""Ending a hand without a result, by agreement, or going on after all (specs 5.6)."""

from __future__ import annotations

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.seat.ruling import ended_by_ruling
from protocol.seat.step import SessionStatus, SessionStep, StatusEvent, send_notice
from protocol.table.agreement import (
    agreement_of_all,
    agreement_to_end,
    can_end,
    ends_here,
    goes_on,
    hand_is_over,
    is_about,
    present_in,
    proposes,
    with_agreement,
)
from protocol.table.events import EndProposed, EndUndone, HandUnfinished, Persist, Send
from protocol.wire.contents import UnfinishedAgreement
from protocol.wire.messages import Agreement


def agree(step: SessionStep, present: tuple[Seat, ...]) -> SessionStep:
    """Agree to end the hand where it stands, and sign nothing more in it. Raises LocalError."""
    hand = step.state.table_state.hand
    if hand is None or hand.settled or step.own.seat not in present:
        raise LocalError("there is no hand to end, or others would end it")
    content = agreement_to_end(hand, present)
    if not can_end(hand, content):
        raise LocalError("too few agree: a seat of every side does, and not to a result")
    before = {each.content for each in step.state.agreements if each.seat == step.own.seat}
    if content not in before:  # signed once, so that all write the same file
        step, raw = send_notice(step, content)
        return note_agreement(step, Agreement(step.own.seat, content, raw))
    if step.state.status is not SessionStatus.AGREEING:  # once more, after we went on
        return _wait_for_others(step)
    return step


def back_to_play(step: SessionStep, *, undone: int | None = None) -> SessionStep:
    """Go on with a hand that we agreed to end, or that had ended; which is told, if it is not our
    player's choice."""
    behind = step.state.gossip.question is not None
    step = step.after(StatusEvent.WENT_ON_BEHIND if behind else StatusEvent.WENT_ON)
    step = step.with_state(step.state._replace(repeating=()))
    return step if undone is None else step.with_events(EndUndone(undone))


def agree_again(step: SessionStep) -> SessionStep:
    """Agree once more where the hand has moved since: what was under way has come. If that was its
    result, there is nothing to end; if those who were to agree went on, we do, too."""
    hand = step.state.table_state.hand
    if step.state.status is not SessionStatus.AGREEING:
        return step
    ours = [each.content for each in step.state.agreements if each.seat == step.own.seat][-1]
    present = present_in(ours, step.own.charter)
    if hand is None or _ruled_on(step, ours.hand) or hand_is_over(hand, ours):
        return back_to_play(step)
    if not is_about(hand, ours) or ends_here(hand, ours):
        return step
    if goes_on(hand, ours) or not can_end(hand, agreement_to_end(hand, present)):
        return back_to_play(step, undone=ours.hand)
    return agree(step, present)


def note_agreement(step: SessionStep, agreement: Agreement) -> SessionStep:
    """Note that a seat agrees to end a hand unfinished, ours or another."""
    state = step.state
    kept = with_agreement(state.agreements, agreement, lasting=_lasting(step))
    if kept == state.agreements:
        return step
    step = step.with_state(state._replace(agreements=kept))
    if agreement.seat != step.own.seat:
        step = _with_proposal(step, agreement)
    elif state.status is not SessionStatus.UNFINISHED:
        step = _wait_for_others(step)
    return look_at_agreements(step)


def _with_proposal(step: SessionStep, agreement: Agreement) -> SessionStep:
    present = present_in(agreement.content, step.own.charter)
    proposals = step.state.proposals.after(agreement.seat, agreement.raw, step.now)
    if proposals is None or not proposes(step.state.table_state.hand, agreement, present):
        return step
    step = step.with_state(step.state._replace(proposals=proposals))
    return step.with_events(EndProposed(agreement.seat, agreement.content.hand, present))


def learnt_own(step: SessionStep, content: UnfinishedAgreement, raw: bytes) -> SessionStep | None:
    """Note what we agreed to of this hand as others tell it again: our journal may be an older
    copy. None if it was not new to us."""
    hand, known = step.state.table_state.hand, step.state.agreements
    before = {each.content for each in known if each.seat == step.own.seat}
    if hand is None or content in before or not can_end(hand, content):
        return None
    return note_agreement(step.with_events(Persist(raw)), Agreement(step.own.seat, content, raw))


def _lasting(step: SessionStep) -> tuple[Agreement, ...]:
    """Return what ends the hand, and what we said about it, which nobody tells us again."""
    hand, known = step.state.table_state.hand, step.state.agreements
    if hand is None:
        return ()
    ours = (each for each in known if each.seat == step.own.seat and is_about(hand, each.content))
    return (*agreement_of_all(hand, known), *ours)


def _wait_for_others(step: SessionStep) -> SessionStep:
    known, seat = step.state.agreements, step.own.seat
    repeating = tuple(each.raw for each in known if each.seat == seat)
    step = step.after(StatusEvent.AGREED)
    return step.with_state(step.state._replace(repeating=repeating))


def look_at_agreements(step: SessionStep) -> SessionStep:
    """Stop if all who are named have ended the hand; go on if they went on with it."""
    hand, status = step.state.table_state.hand, step.state.status
    if not step.state.agreements and status is not SessionStatus.UNFINISHED:
        return step
    if ended_by_ruling(step.state.table_state):
        return step
    agreed = () if hand is None else agreement_of_all(hand, step.state.agreements)
    raws = tuple(each.raw for each in agreed)
    stopped = status is SessionStatus.UNFINISHED
    if not agreed:
        return _end_undone(step) if stopped else step
    if status is SessionStatus.HALTED or (stopped and raws == step.state.repeating):
        return step
    if not stopped:
        step = step.after(StatusEvent.ALL_AGREED)
    step = step.with_state(step.state._replace(repeating=raws))
    return step.with_events(
        *(Persist(each.raw) for each in agreed if each.seat != step.own.seat),
        *(Send(raw) for raw in raws),
        HandUnfinished(agreed[0].content.hand, tuple(each.seat for each in agreed)),
    )


def _end_undone(step: SessionStep) -> SessionStep:
    """Go on where what all had agreed to ends no hand any more; a ruling was told by itself."""
    said, repeating = step.state.agreements, step.state.repeating
    ended = next((each.content.hand for each in said if each.raw in repeating), None)
    ruled = ended is None or _ruled_on(step, ended)
    return back_to_play(step, undone=None if ruled else ended)


def _ruled_on(step: SessionStep, number: int) -> bool:
    """Tell whether a referee has ended that hand, or a hand before it, so that it is void."""
    rulings, name = step.state.table_state.rulings, LedgerName(Lane.HAND, number)
    return rulings.voids(name) or rulings.stop_of(name) is not None
