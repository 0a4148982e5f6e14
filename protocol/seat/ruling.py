"""Calling the referee, and going on as a referee has ruled (specs 5.8)."""

from __future__ import annotations

from dataclasses import replace

from protocol.errors import LocalError
from protocol.places import Lane
from protocol.seat.referee_talk import RefereeTalk, blamed
from protocol.seat.step import SessionStatus, SessionStep, StatusEvent, send_notice, signed_notice
from protocol.table.events import (
    ChallengeMade,
    Persist,
    RefereeBlamed,
    RulingHeard,
    Send,
)
from protocol.table.ruling_effects import gone_on
from protocol.table.rulings import stops
from protocol.table.table import TableState
from protocol.wire.authenticate import open_message
from protocol.wire.challenges import sealed_sentence, sentence_commitment
from protocol.wire.contents import (
    HASH_BYTES,
    MOST_CHALLENGES,
    Challenge,
    ChallengeOpening,
    RulingVerdict,
)
from protocol.wire.messages import Notice, SignedRuling


def match_number(table_state: TableState) -> int:
    """Return the number of the opening of the match whose hands are played, or were last."""
    newest = table_state.hand
    number = -1 if newest is None else newest.origin.ledger.number
    setups = [each for each, first in table_state.first_hands.items() if first <= number]
    return max(setups, default=table_state.newest[Lane.TABLE])


def challenge(step: SessionStep, text: str) -> SessionStep:
    """Call the referee to where the newest hand stands. Raises LocalError."""
    own, state = step.own, step.state
    hand = state.table_state.hand
    if not own.charter.referees:
        raise LocalError("the table has no referee")
    if hand is None:
        raise LocalError("no hand has begun")
    match = match_number(state.table_state)
    count = state.referee_talk.made_in(match, own.seat)
    if count >= MOST_CHALLENGES:
        raise LocalError(f"a seat challenges {MOST_CHALLENGES} times in a match")
    entropy = own.secrets.entropy_for_challenge(match, count, text.encode(errors="replace"))
    salt = entropy(HASH_BYTES)
    sealed = sealed_sentence(own.charter, own.seat, salt, text, entropy=entropy)
    content = Challenge(
        match,
        count,
        hand.origin.ledger.number,
        len(hand.ledger.rounds),
        bytes(hand.ledger.head),
        sentence_commitment(own.charter, own.seat, salt, text),
        sealed,
    )
    step, opening = signed_notice(step, ChallengeOpening(match, count, salt, text))
    step, raw = send_notice(step.with_events(Persist(opening)), content)
    told = step.state.referee_talk.challenged(state.table_state, own.seat, content, raw)
    assert told is not None
    place = (match, own.seat, count)
    told = replace(told, kept_back={**told.kept_back, place: opening})
    step = step.with_state(step.state._replace(referee_talk=told))
    return step.with_events(ChallengeMade(own.seat, content, text))


def hear_challenge(step: SessionStep, notice: Notice, raw: bytes) -> SessionStep:
    """Hear that a peer challenges, or what its challenge said."""
    state, seat, content = step.state, notice.seat, notice.content
    told = _heard(step, notice, raw)
    if told is None or not isinstance(content, Challenge | ChallengeOpening):
        return step
    step = step.with_state(state._replace(referee_talk=told)).with_events(Persist(raw))
    known = told.challenges[content.match, seat, content.count]
    return step.with_events(ChallengeMade(seat, known.content, known.text))


def _heard(step: SessionStep, notice: Notice, raw: bytes) -> RefereeTalk | None:
    talk = step.state.referee_talk
    match notice.content:
        case Challenge() as content:
            return talk.challenged(step.state.table_state, notice.seat, content, raw)
        case ChallengeOpening() as content:
            return talk.opened(step.own.charter, notice.seat, content, raw)
        case _:
            return None


def remember_challenge(step: SessionStep, notice: Notice, raw: bytes) -> SessionStep:
    """Take a challenge, or what one said, out of our own journal."""
    state, content = step.state, notice.content
    told = _heard(step, notice, raw)
    ours = notice.seat == step.own.seat
    if told is None and ours and isinstance(content, ChallengeOpening):
        # It was put down before the challenge that it opens, to be told later.
        place = (content.match, notice.seat, content.count)
        kept = {**state.referee_talk.kept_back, place: raw}
        told = replace(state.referee_talk, kept_back=kept)
    return step if told is None else step.with_state(state._replace(referee_talk=told))


def open_challenges(step: SessionStep) -> SessionStep:
    """Tell what our challenges say whose hands have ended."""
    table_state = step.state.table_state
    for place, raw in step.state.referee_talk.kept_back.items():
        known = step.state.referee_talk.challenges.get(place)
        if known is None or known.opened:
            continue
        hand = table_state.hand_of(known.content.hand)
        ended = step.state.status is SessionStatus.UNFINISHED
        if hand is None or hand.settled or ended:
            told = _opened_own(step, raw)
            if told is not None:
                step = step.with_state(step.state._replace(referee_talk=told)).with_events(
                    Send(raw)
                )
    return step


def _opened_own(step: SessionStep, raw: bytes) -> RefereeTalk | None:
    notice = open_message(raw, step.own.charter)
    assert isinstance(notice, Notice)
    assert isinstance(notice.content, ChallengeOpening)
    return step.state.referee_talk.opened(step.own.charter, step.own.seat, notice.content, raw)


# --- rulings --------------------------------------------------------------------------------------


def hear_ruling(step: SessionStep, ruling: SignedRuling) -> SessionStep:
    """Hear a ruling, from whoever told it, or out of our journal."""
    state = step.state
    told = state.referee_talk.ruled(state.table_state, ruling)
    if told is None:
        return step
    step = step.with_state(state._replace(referee_talk=told)).with_events(Persist(ruling.raw))
    contradiction = blamed(step.own.charter, told)
    if contradiction is not None:
        return _stop(step, contradiction)
    if not stops(ruling.content):
        step = step.with_events(Send(ruling.raw))
    return look_at_rulings(step.with_events(RulingHeard(ruling)))


def _stop(step: SessionStep, blame: RefereeBlamed) -> SessionStep:
    """Stop the table: one referee ruled twice where it may rule once, or two ruled differently."""
    if step.state.status is SessionStatus.HALTED:
        return step
    raws = tuple(each.raw for each in sorted(blame.rulings, key=lambda each: each.id))
    step = step.after(StatusEvent.FAULT)
    step = step.with_state(step.state._replace(repeating=raws))
    return step.with_events(blame, *(Send(raw) for raw in raws))


def look_at_rulings(step: SessionStep) -> SessionStep:
    """Go on from where a referee stopped a hand, once we have come as far or where we are
    further.

    A message that was found wrong just now, when we came as far, lies behind that point: no fault.
    """
    if step.state.status is SessionStatus.HALTED:
        return step
    rulings = step.state.referee_talk.rulings
    for ruling, table_state, events in gone_on(step.state.table_state, rulings):
        state = step.state._replace(table_state=table_state, turn_told=None, moved_at=step.now)
        step = step._replace(state=state, fault=None).with_events(Send(ruling.raw), *events)
        if ruling.content.verdict == RulingVerdict.END:
            step = step.after(StatusEvent.RULED)
            step = step.with_state(step.state._replace(repeating=(ruling.raw,)))
    return step


def ended_by_ruling(table_state: TableState) -> bool:
    """Tell whether a referee has ended what is played at the table."""
    signed = table_state.rulings.signed
    return bool(signed) and signed[-1].content.verdict == RulingVerdict.END
