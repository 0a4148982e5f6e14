"""What a seat hears, from peers, from a broker that repeats our own, and from its journal.

Ledger messages and notices each come in by a function of their own; what our journal remembers is
heard again without an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from p2p304.view import Knowledge
from protocol.cards.reading import check_each_card_once, read_card
from protocol.errors import PeerFault
from protocol.ledger.events import ChatReceived, FellBehind, JournalBehind, Persist, Send
from protocol.ledger.frame_bound import room_of
from protocol.ledger.hand import HandPlay
from protocol.ledger.ledger import Beyond, Fits, Held, Known, Strange
from protocol.ledger.receiving import Received, receive
from protocol.places import Lane, LedgerName
from protocol.seat.agreeing import (
    back_to_play,
    learnt_own,
    look_at_agreements,
    note_agreement,
)
from protocol.seat.continuing import hear_vote, remember_vote
from protocol.seat.rematch import note_wish, repeat_wish
from protocol.seat.ruling import (
    hear_challenge,
    look_at_rulings,
    match_number,
    remember_challenge,
)
from protocol.seat.status import OwnSeat, RematchWish, SessionStatus
from protocol.seat.step import SessionStep, send_notice
from protocol.seat.sync import (
    far_behind,
    heads_of,
    kept_of,
    lacked_by,
    lacks_any,
    our_heads,
    rulings_lacked,
    sent_again,
)
from protocol.seat.votes import Vote
from protocol.seat.waiting import SOON, tell_heads
from protocol.wire.contents import (
    MAX_HEADS,
    Challenge,
    ChallengeOpening,
    Chat,
    Continuation,
    Heads,
    Rematch,
    UnfinishedAgreement,
)
from protocol.wire.messages import Agreement, Notice, SignedMessage

ELSEWHERE: Final = "identity.elsewhere"
"""A message under our own key that we did not sign."""


def hear_message(
    step: SessionStep, signed: SignedMessage, *, replaying: bool = False
) -> SessionStep:
    """Hear a ledger message of a peer, or one of our own that comes back or out of the journal.

    Raises PeerFault for this message; that of one which was held until it came is in the step.
    """
    ours = signed.place.seat == step.own.seat
    returning = replaying or step.state.gossip.question is not None
    received = receive(step.state.table_state, signed)
    if ours and not returning and not isinstance(received.offered, Known):
        raise PeerFault(step.own.seat, ELSEWHERE)
    if replaying and not isinstance(received.offered, Fits):
        if received.table_state.rulings.behind(signed.place):
            return step  # one call took what lies behind a ruling's point with what came before it
        raise PeerFault(signed.place.seat, "journal.order")
    step = take_received(step, received, received.accepted)
    if step.fault is not None:
        return step
    if ours and not replaying and isinstance(received.offered, Fits | Held):
        step = _tell_behind(step)
    if ours and step.state.status is SessionStatus.AGREEING and received.accepted:
        # We agreed, and signed on later: a journal tells it in this order.
        step = back_to_play(step, undone=signed.place.ledger.number)
    step = look_at_agreements(step)
    if isinstance(received.offered, Strange | Beyond):
        step = tell_heads(step, interval=SOON)
    return step


def take_received(
    step: SessionStep, received: Received, accepted: Iterable[SignedMessage]
) -> SessionStep:
    """Go on with what came of a message, and from where a ruling stopped what it led to; learn what
    was disclosed to us."""
    kept = received.table_state.replicas
    knowledge = {
        deal: known
        for deal, known in step.state.knowledge.items()
        if LedgerName(Lane.HAND, deal) in kept
    }
    for disclosure, hand in received.shown:
        known = knowledge.get(hand.deal, Knowledge(step.own.seat))
        known = known.after((disclosure,), partial(_look, step.own, hand))
        check_each_card_once(hand.deck, known.faces)
        knowledge[hand.deal] = known
    moved = step.now if received.accepted else step.state.moved_at
    state = step.state._replace(
        table_state=received.table_state, moved_at=moved, knowledge=knowledge
    )
    persisted = (Persist(each.raw) for each in accepted)
    events = (*step.events, *persisted, *received.events)
    return look_at_rulings(step._replace(state=state, events=events, fault=received.fault))


def _look(own: OwnSeat, hand: HandPlay, slot: Slot) -> Card | None:
    """Return the face of a slot that was disclosed to us, in the hand as it was then."""
    return read_card(
        hand.deck,
        slot,
        own.seat,
        own.secrets.hand_secret(hand.deal),
        entropy=own.secrets.entropy_for_reading(hand.deal),
    )


def hear_notice(step: SessionStep, notice: Notice, raw: bytes) -> SessionStep:
    """Hear a notice of a peer, in this envelope. Our own are ignored, for a broker may echo them,
    but for what we agreed to and do not know of."""
    if notice.seat == step.own.seat:
        ours = notice.content
        learnt = learnt_own(step, ours, raw) if isinstance(ours, UnfinishedAgreement) else None
        return step if learnt is None else _tell_behind(learnt)
    match notice.content:
        case Chat(text):
            hand = step.state.table_state.counted
            words = step.state.words.after(notice.seat, notice.serial, hand, step.now)
            if words is None:
                return step
            step = step.with_state(step.state._replace(words=words))
            return step.with_events(Persist(raw), ChatReceived(notice.seat, text))
        case Heads():
            return hear_heads(step, notice.seat, notice.content)
        case UnfinishedAgreement() as content:
            return note_agreement(step, Agreement(notice.seat, content, raw))
        case Rematch() as content:
            return note_wish(step, notice.seat, RematchWish(notice.serial, content, raw))
        case Continuation() as content:
            return hear_vote(step, notice.seat, Vote(notice.serial, content, raw))
        case Challenge() | ChallengeOpening():
            return hear_challenge(step, notice, raw)


def remember_notice(step: SessionStep, notice: Notice, raw: bytes) -> SessionStep:
    """Take a notice out of our own journal: what was agreed to, and which words were heard."""
    if notice.seat == step.own.seat:
        serial = max(step.state.serial, notice.serial + 1)
        step = step.with_state(step.state._replace(serial=serial))
    state = step.state
    match notice.content:
        case Chat():
            words = state.words.noted(notice.seat, notice.serial, state.table_state.counted)
            return step.with_state(state._replace(words=words))
        case UnfinishedAgreement() as content:
            return note_agreement(step, Agreement(notice.seat, content, raw))
        case Rematch() as content:
            wish = RematchWish(notice.serial, content, raw)
            return step.with_state(state._replace(wishes={**state.wishes, notice.seat: wish}))
        case Continuation() as content:
            return remember_vote(step, notice.seat, Vote(notice.serial, content, raw))
        case Challenge() | ChallengeOpening():
            return remember_challenge(step, notice, raw)
        case Heads():
            return step


def hear_heads(step: SessionStep, seat: Seat, notice: Heads) -> SessionStep:
    """Hear how far a peer has come: send what it lacks, ask for what we lack."""
    gossip = step.state.gossip.heard(seat, notice)
    step = step.with_state(step.state._replace(gossip=gossip))
    if gossip.may_answer(seat, step.now):
        step = _answer(step, seat, notice)
    if lacks_any(step.state.table_state, notice.heads):
        step = tell_heads(step, interval=SOON)
    return step


def _answer(step: SessionStep, seat: Seat, notice: Heads) -> SessionStep:
    state = step.state
    lacked = lacked_by(state.table_state, notice.heads)
    behind = far_behind(state.table_state, notice.heads)
    rulings = rulings_lacked(state.table_state, notice.heads)
    if lacked or behind or notice.question or state.repeating or rulings:
        step = step.with_state(state._replace(gossip=state.gossip.answered(seat, step.now)))
        step = step.with_events(
            *(Send(raw) for raw in rulings),
            *sent_again(state.table_state, lacked),
            *(Send(raw, room_of(raw)) for raw in state.repeating),
        )
    if behind:
        step = step.with_events(FellBehind(seat, notice.heads))
    if notice.question:
        kept = kept_of(state.table_state, seat)
        said = state.referee_talk.envelopes(match_number(state.table_state))
        step = step.with_events(*sent_again(state.table_state, kept), *(Send(raw) for raw in said))
        heads = our_heads(state.table_state) + heads_of(kept, seat)
        step, _ = send_notice(step, Heads(b"", notice.question, heads[:MAX_HEADS]))
        step = repeat_wish(step)
    return step


def _tell_behind(step: SessionStep) -> SessionStep:
    """Tell once that there is a message of ours that is not in our journal."""
    if step.state.behind_told:
        return step
    step = step.with_state(step.state._replace(behind_told=True))
    return step.with_events(JournalBehind(step.own.seat))
