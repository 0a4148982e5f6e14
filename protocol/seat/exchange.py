"""The steps of a session: hearing messages and notices, publishing, and actions of the clock.

Ledger messages and notices each have a function of their own; records of our journal are heard
again without being answered. Making a message that needs no decision takes longer than a frame of
the screen, because of its proofs: it is made in `tick`, and the call before emits PublishingDue.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from p2p304.view import Knowledge
from protocol.cards.deck import check_each_card_once, read_card
from protocol.errors import InternalFault, LocalError, PeerFault
from protocol.places import Lane, LedgerName
from protocol.proofs.context import MessageContext
from protocol.table.events import (
    ClaimsOpen,
    ConfirmationDue,
    FellBehind,
    JournalBehind,
    Persist,
    PublishingDue,
    Send,
    TurnOpened,
    Waiting,
)
from protocol.table.evidence import CONFLICTS
from protocol.table.hand import HandPlay
from protocol.table.ledger import (
    DECIDED,
    Early,
    Fits,
    Known,
    LedgerPhase,
    OtherHistory,
    TooFarAhead,
)
from protocol.table.replica import AnyReplica
from protocol.table.sync import (
    HEADS_INTERVAL,
    far_behind,
    heads_of,
    lacked_rulings,
    lacks_any,
    messages_for,
    our_heads,
    unplaced_messages,
)
from protocol.table.table import Received, receive
from protocol.topics.listed import spoken_topics, topic_of, why_left
from protocol.topics.step import (
    OwnSeat,
    SessionStatus,
    SessionStep,
    StatusEvent,
    awaited_others,
    awaited_replica,
    send_notice,
    untold_claims,
)
from protocol.wire.contents import (
    MAX_HEADS,
    Action,
    Content,
    Heads,
    Reseating,
)
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Message, Notice, SignedMessage, table_tag

# "At most once a second" (specs 7.6).
SOON: Final = 1.0  #: Seconds between two tellings of our heads when there is a reason.


def tell_heads(step: SessionStep, *, interval: float) -> SessionStep:
    """Send our heads, with our open question if there is one, and note the time; change nothing
    if we sent them less than `interval` seconds ago.
    """
    gossip = step.state.gossip
    if not gossip.may_tell(step.now, interval):
        return step
    step = step.with_state(step.state._replace(gossip=gossip.with_heads_sent(step.now)))
    return _send_heads(step)


def _send_heads(step: SessionStep) -> SessionStep:
    """Send our heads, whatever the time, with our open question if there is one (after a
    restart).
    """
    # Empty: no answer is asked for. The second field is empty as this answers no question.
    question = step.state.gossip.question or b""
    return send_notice(step, Heads(question, b"", our_heads(step.state.table_state)))[0]


def wait(step: SessionStep) -> SessionStep:
    """Ask and tell about the messages that others owe: called in each tick.

    After HEADS_INTERVAL seconds without an accepted message: send heads, and what the topics
    repeat, at most once in that interval, if another seat's message is missing in any ledger; and
    emit Waiting with the seats that we wait for, again only if these change or a message was
    accepted since. After a restart heads are sent every SOON seconds instead, and ClaimsOpen may be
    emitted.
    """
    moved = step.state.moved_at
    # Nothing has moved by this run's clock: the wait is measured from its first tick.
    if moved is None:
        moved = step.now
        step = step.with_state(step.state._replace(moved_at=moved))
    missing = {
        seat for each in step.state.table_state.unsettled_replicas for seat in each.ledger.missing
    }
    long = step.now - moved >= HEADS_INTERVAL
    if step.state.status is SessionStatus.RETURNING:
        step = _tell_claims(tell_heads(step, interval=SOON), since=moved)
    # Only others can end this wait; if our own message is missing, heads bring nothing.
    elif long and missing - {step.own.seat}:
        told = tell_heads(step, interval=HEADS_INTERVAL)
        # By identity: `tell_heads` gives the very step back if it sent nothing.
        for topic in spoken_topics(told.state) if told is not step else ():
            # With our heads, at the same interval: what others may lack besides ledger messages.
            told = topic.repeat(told, asked=False)
        step = told
    awaited = awaited_others(step.own, step.state)
    waiting = Waiting(tuple(sorted(awaited)), moved)
    # The same seats were named already: tell the player again only when they change.
    if not awaited or not long or waiting == step.state.wait_told:
        return step
    return step.with_state(step.state._replace(wait_told=waiting)).with_events(waiting)


def _tell_claims(step: SessionStep, *, since: float) -> SessionStep:
    """Emit ClaimsOpen with the open claims that keep us from signing, each seat's once; none of a
    seat that our player has vouched against.

    Change nothing before every seat has answered, nor before two HEADS_INTERVALs after the time
    `since` (seconds).
    """
    claims = untold_claims(step.own, step.state)
    # Two intervals: the seat was asked twice for what it claims, and had time to send it.
    if not claims or step.now - since < 2 * HEADS_INTERVAL:
        return step
    told = step.state.claims_told.union(each.seat for each in claims)
    return step.with_state(step.state._replace(claims_told=told)).with_events(ClaimsOpen(claims))


def withdraw(step: SessionStep) -> SessionStep:
    """Emit a `Waiting` without seats once none of the seats in the last Waiting is awaited any
    more; change nothing while one is, or if no Waiting stands.
    """
    told = step.state.wait_told
    # Only when none of the named seats is awaited: fewer names are told by `wait`.
    if told is None or awaited_others(step.own, step.state).intersection(told.seats):
        return step
    return step.with_state(step.state._replace(wait_told=None)).with_events(Waiting((), step.now))


def repeat(step: SessionStep) -> SessionStep:
    """Send again, every HEADS_INTERVAL seconds, the envelopes in `step.state.repeating`:
    evidence, agreements or a ruling; while AGREEING our heads, too. Change nothing without such
    envelopes.
    """
    gossip, repeating = step.state.gossip, step.state.repeating
    # Every 5 seconds (specs 7.7, 5.6 no. 4).
    if not repeating or not gossip.may_tell(step.now, HEADS_INTERVAL):
        return step
    # Noted as heads, whose interval this is, also where none are sent.
    step = step.with_state(step.state._replace(gossip=gossip.with_heads_sent(step.now)))
    step = step.with_events(*(Send(raw) for raw in repeating))
    # The hand that our seat agreed to end may have gone on: heads ask for what we lack of it.
    if step.state.status is not SessionStatus.AGREEING:
        return step
    return _send_heads(step)


ELSEWHERE: Final = "identity.elsewhere"  #: A message under our own key that we did not sign.


def hear_message(
    step: SessionStep, signed: SignedMessage, *, replaying: bool = False
) -> SessionStep:
    """Process a ledger message of a peer or, with our seat, one that a broker or a peer sent back;
    with `replaying` a record of our journal.

    Whatever it made acceptable is persisted. A message of another history, or too far ahead, makes
    us send heads; one that we signed and our journal lacks gives JournalBehind. Raises PeerFault if
    this message is wrong, `identity.elsewhere` for an unknown message of our key outside a return,
    and `journal.order` if a record does not fit, unless a ruling made it void: then it is skipped.
    The fault of a held message is in the step instead.
    """
    ours = signed.place.seat == step.own.seat
    # While a question is open, messages of our own may come that an older journal lacks.
    returning = replaying or step.state.gossip.question is not None
    received = receive(step.state.table_state, signed)
    # A message under our key that we do not have, outside a return: another machine has the key.
    if ours and not returning and not isinstance(received.offered, Known):
        raise PeerFault(step.own.seat, ELSEWHERE)
    if replaying and not isinstance(received.offered, Fits):
        # A ruling in the journal made it void.
        if received.table_state.rulings.behind(signed.place):
            return step  # one call took what lies behind a ruling's point with what came before it
        # A journal holds only what fitted when it was written, so this one is damaged or was
        # edited.
        raise PeerFault(signed.place.seat, "journal.order")
    step = take_received(step, received, received.accepted)
    # What follows would act on a table that has stopped.
    if step.fault is not None:
        return step
    # A peer sent us a message of ours that our journal lacks: the journal is an older copy.
    if ours and not replaying and isinstance(received.offered, Fits | Early):
        step = _tell_behind(step)
    for topic in spoken_topics(step.state):
        step = topic.act_after_message(step, signed, ours=ours and bool(received.accepted))
    # Either we lack rounds, or somebody signed twice: heads find out which, and blame nobody.
    if isinstance(received.offered, OtherHistory | TooFarAhead):
        step = tell_heads(step, interval=SOON)
    return step


def take_received(
    step: SessionStep, received: Received, accepted: Iterable[SignedMessage]
) -> SessionStep:
    """Return the step with all that a ledger message brought: the new table, a fault if there is
    one, `Persist` for each message of `accepted`, then the events, and the cards disclosed to us,
    read; then let each topic act (`Topic.act_before_blame`).

    What we read in hands that the table no longer keeps is forgotten. Raises InternalFault if we
    read one card in two slots.
    """
    kept = received.table_state.replicas
    knowledge = {
        deal: known
        for deal, known in step.state.knowledge.items()
        # Faces of forgotten hands go with their ledgers, or memory would grow with the match.
        if LedgerName(Lane.HAND, deal) in kept
    }
    for disclosure, hand in received.shown:
        # With the hand as it was at that moment: sorting may have retired the slot since.
        known = knowledge.get(hand.deal, Knowledge(step.own.seat))
        known = known.after((disclosure,), partial(_look, step.own, hand))
        # One card in two of our slots would show that a proof is broken (attacks DL6).
        check_each_card_once(hand.deck, known.faces)
        knowledge[hand.deal] = known
    moved = step.now if received.accepted else step.state.moved_at
    state = step.state._replace(
        table_state=received.table_state, moved_at=moved, knowledge=knowledge
    )
    # Before the events: what is shown to the player must be on the disk.
    persisted = (Persist(each.raw) for each in accepted)
    events = (*step.events, *persisted, *received.events)
    step = step._replace(state=state, events=events, fault=received.fault)
    for topic in spoken_topics(state):
        step = topic.act_before_blame(step)
    return step


def _look(own: OwnSeat, hand: HandPlay, slot: Slot) -> Card | None:
    """Return the face of a slot that was disclosed to us, read with our secret from the deck of
    `hand`.

    Raises ProofError `deck.locks` if the card is not under our keys alone, InternalFault for no
    card.
    """
    return read_card(
        hand.deck,
        slot,
        own.seat,
        own.secrets.hand_secret(hand.deal),
        entropy=own.secrets.entropy_for_reading(hand.deal),
    )


def hear_notice(step: SessionStep, notice: Notice, raw: bytes) -> SessionStep:
    """Process a notice from a broker, in the envelope `raw`: answer heads, and pass any other
    notice to its topic.

    Our own heads change nothing, nor does any other notice of our own unless a topic finds that our
    journal lacks it: then JournalBehind is emitted.
    """
    content = notice.content
    if isinstance(content, Heads):
        # Our own heads, echoed by a broker, tell nothing.
        return step if notice.seat == step.own.seat else hear_heads(step, notice.seat, content)
    topic = topic_of(content)
    if topic is None:
        return step
    if notice.seat != step.own.seat:
        return topic.hear(step, notice, raw)
    learnt = topic.hear_own(step, notice, raw)
    return step if learnt is None else _tell_behind(learnt)


def remember_notice(step: SessionStep, notice: Notice, raw: bytes) -> SessionStep:
    """Process a notice from our journal, in the envelope `raw`, and raise our next serial above
    that of one of ours.
    """
    if notice.seat == step.own.seat:
        # Our next serial is above every one that we used before the restart.
        serial = max(step.state.serial, notice.serial + 1)
        step = step.with_state(step.state._replace(serial=serial))
    topic = topic_of(notice.content)
    return step if topic is None else topic.remember(step, notice, raw)


def hear_heads(step: SessionStep, seat: Seat, notice: Heads) -> SessionStep:
    """Store a peer's heads; answer them with what it lacks (`_answer`), at most once a second
    for a seat; and send our heads, at most once a second, if the peer's show that we lack
    something (specs 7.6).
    """
    gossip = step.state.gossip.with_heads_received(seat, notice)
    step = step.with_state(step.state._replace(gossip=gossip))
    # At most once a second to a seat: heads are a way to ask for much with little.
    if gossip.may_answer(seat, step.now):
        step = _answer(step, seat, notice)
    # Ask back at once: the peer has a message for us, and answers heads with what they lack.
    if lacks_any(step.state.table_state, notice.heads):
        step = tell_heads(step, interval=SOON)
    return step


def _answer(step: SessionStep, seat: Seat, notice: Heads) -> SessionStep:
    """Send a peer what its heads lack: rulings, messages, what we repeat; emit FellBehind if we
    have forgotten some of it.

    If the heads ask a question, send also the peer's own messages that nobody could accept, what
    the topics resend, and our heads as the answer.
    """
    state = step.state
    lacked = messages_for(state.table_state, notice.heads)
    behind = far_behind(state.table_state, notice.heads)
    rulings = lacked_rulings(state.table_state, notice.heads)
    # Counted as an answer only if something is sent: else its next heads would wait.
    if lacked or behind or notice.question or state.repeating or rulings:
        step = step.with_state(state._replace(gossip=state.gossip.with_answer_sent(seat, step.now)))
        step = step.with_events(
            # Rulings first: without them the messages behind them belong to no history of the peer.
            *(Send(raw) for raw in rulings),
            *(Send(each.raw) for each in lacked),
            *(Send(raw) for raw in state.repeating),
        )
    if behind:
        # We forgot these messages; the program has them in its transcripts.
        step = step.with_events(FellBehind(seat, notice.heads))
    if notice.question:
        # Its own messages that nobody could accept: an older journal may lack them (specs 7.6).
        kept = unplaced_messages(state.table_state, seat)
        said = [raw for each in spoken_topics(state) for raw in each.envelopes_to_resend(state)]
        step = step.with_events(*(Send(raw) for raw in (*(each.raw for each in kept), *said)))
        heads = our_heads(state.table_state) + heads_of(kept, seat)
        # After the messages: the asker counts us as answered, and must have them by then.
        # Cut, since more would not encode; ours, six at most, come first.
        step, _ = send_notice(step, Heads(b"", notice.question, heads[:MAX_HEADS]))
        for topic in spoken_topics(state):
            step = topic.repeat(step, asked=True)
    return step


def _tell_behind(step: SessionStep) -> SessionStep:
    """Emit JournalBehind, once in a session: somebody has a message of ours that is not in our
    journal.
    """
    if step.state.behind_told:
        return step
    step = step.with_state(step.state._replace(behind_told=True))
    return step.with_events(JournalBehind(step.own.seat))


#: How the names of the checks end that a claim about our own cards fails if it is false.
_CLAIMED: Final = ".proof"


def confirm(step: SessionStep) -> SessionStep:
    """Note that our player confirms the charter, or another match at this table; the next `tick`
    signs it.

    Raises LocalError if play does not wait for a confirmation of our seat.
    """
    replica = awaited_replica(step.state.table_state)
    phase, missing = replica.machine.phase, replica.ledger.missing
    if phase is not LedgerPhase.CONFIRMING or step.own.seat not in missing:
        raise LocalError("there is nothing to confirm now")
    # Only noted: signing draws proofs, which `tick` makes.
    # A count of setups, which are numbered from 0.
    return step.with_state(step.state._replace(confirmed=replica.origin.ledger.number + 1))


def play(step: SessionStep, action: Any) -> SessionStep:
    """Sign, persist and send our player's action in the newest hand.

    Raises RulesError if the rules forbid it, LocalError if it is not our turn or the action claims
    what our cards contradict.
    """
    hand = step.state.table_state.hand
    acting = hand is not None and hand.machine.phase is LedgerPhase.ACTING
    # `missing`, not `contributors`: in a window we act once. `hand is None` for the type checker.
    if hand is None or not acting or step.own.seat not in hand.ledger.missing:
        raise LocalError("it is not our turn to act")
    context = hand.context(step.own.seat)
    # Raises before anything has changed.
    decided, content = hand.machine.decide(action, context, step.own.secrets)
    # It keeps the result of the action, so that judging our own message need not find it again.
    table_state = step.state.table_state.with_replica(hand._replace(machine=decided))
    step = step.with_state(step.state._replace(table_state=table_state))
    return _publish(step, context, content)


def follow_up(step: SessionStep) -> SessionStep:
    """Let every topic follow the new state (`Topic.follow`), then send what the open round asks of
    it (`Topic.play_on`), if our seat signs here.

    After a restart the second is left out; instead, once every seat has answered and no claim holds
    us, the status becomes PLAYING.
    """
    for topic in spoken_topics(step.state):
        step = topic.follow(step)
    gossip = step.state.gossip
    # The topics come first: an agreement or a ruling may change the status.
    if step.state.status is not SessionStatus.RETURNING:
        return _play_on(step)
    # Nothing new is signed before (specs 7.5).
    if not gossip.returned(step.state.table_state, step.own.seat):
        return step
    step = step.after(StatusEvent.CAUGHT_UP)
    # The question is closed: an unknown message of our own key is another machine's from now on.
    return step.with_state(step.state._replace(gossip=replace(gossip, question=None)))


def _play_on(step: SessionStep) -> SessionStep:
    """Let every topic send what the open round asks of it, if our seat signs at this table."""
    for topic in spoken_topics(step.state) if _plays(step) else ():
        step = topic.play_on(step)
    return step


def publish_owed(step: SessionStep) -> SessionStep:
    """Sign, persist and send every message of ours that is due and needs no decision, one after
    the other; then let the topics send what the open round asks of them. Stop at a fault, which
    is in the step.
    """
    # Anew after each: our message may close a round and open one that awaits us again.
    while step.fault is None and (due := _owed_ledger(step)) is not None:
        context = due.context(step.own.seat)
        content = due.machine.contribute(context, step.own.secrets)
        if due.machine.phase is LedgerPhase.CONFIRMING:
            seating = _to_confirm(step, due)
            # 0, the present seats: `contribute` made the Confirmation of these.
            content = Reseating(seating) if seating else content
        step = _publish(step, context, content)
    return _play_on(step) if step.fault is None else step


def settle(step: SessionStep) -> SessionStep:
    """Tell what is due, then let every topic act on the new state (`Topic.settle`).

    PublishingDue is emitted at every call while a message without a decision is due; else
    ConfirmationDue or TurnOpened if our player has to decide, once for each decision. If our seat
    did not sign here for a while, the decision is told anew.
    """
    if not _plays(step):
        step = step.with_state(step.state._replace(turn_told=None))  # told anew if we go on
    # First our own message, since it may change what the player has to decide.
    elif _owed_ledger(step) is not None:
        step = step.with_events(PublishingDue())
    else:
        waiting = awaited_replica(step.state.table_state)
        name, phase = waiting.origin.ledger, waiting.machine.phase
        place, missing = (name, len(waiting.ledger.rounds)), waiting.ledger.missing
        # `turn_told`: once for each turn.
        if phase in DECIDED and step.own.seat in missing and place != step.state.turn_told:
            confirms = phase is LedgerPhase.CONFIRMING
            due = ConfirmationDue(name.number) if confirms else TurnOpened(step.own.seat)
            step = step.with_state(step.state._replace(turn_told=place)).with_events(due)
    for topic in spoken_topics(step.state):
        step = topic.settle(step)
    return step


def _plays(step: SessionStep) -> bool:
    """Return whether our seat signs at this table: the status is PLAYING, the table is not
    closed to further matches, and no topic says that we went on elsewhere.
    """
    state = step.state
    playing = state.status is SessionStatus.PLAYING and not state.table_state.closed
    return playing and not why_left(state)


def _owed_ledger(step: SessionStep) -> AnyReplica | None:
    """Return the first ledger, match setups before decks before hands, in which a message of ours
    is due that needs no decision; None if there is none.

    Our confirmation of a setup is due once our player or a topic has settled on it. Nothing is due
    that can wait (`_can_wait`), nor while our seat does not sign here.
    """
    for each in step.state.table_state.unsettled_replicas if _plays(step) else ():
        phase = each.machine.phase
        owes = phase not in DECIDED
        if phase is LedgerPhase.CONFIRMING:
            owes = _to_confirm(step, each) is not None
        # In the order of lanes, a match setup before a deck before a hand.
        if owes and step.own.seat in each.ledger.missing and not _can_wait(step, each):
            return each
    return None


def _to_confirm(step: SessionStep, setup: AnyReplica) -> int | None:
    """Return the seating that our seat confirms now in the setup of a match, 0 for the present
    seats; None while it has nothing to confirm: our player has not confirmed, and no topic
    decides otherwise.
    """
    # 0, as all sit now: a Confirm names no other seating.
    seating = 0 if setup.origin.ledger.number < step.state.confirmed else None
    for topic in spoken_topics(step.state):
        seating = topic.confirms(step, setup, seating)
    return seating


def _can_wait(step: SessionStep, replica: AnyReplica) -> bool:
    """Return whether our message can wait: it is for a deck that play does not need yet, and the
    last move was less than `patience` seconds ago.

    The deck's shuffles take the time that the moves of this hand need. Once play stands still, a
    later tick goes on.
    """
    # None: nothing has moved by our clock yet, so that there is nothing to measure from.
    if replica.origin.ledger.lane is not Lane.DECK or step.state.moved_at is None:
        return False
    # By public messages and the clock alone, so that waiting tells nothing (specs 5.3).
    waited_for = awaited_replica(step.state.table_state).origin.ledger == replica.origin.ledger
    return not waited_for and step.now - step.state.moved_at < step.own.patience


def _publish(step: SessionStep, context: MessageContext, content: Content) -> SessionStep:
    """Sign a message of ours, judge it as every seat will, persist and send it, and take its
    result.

    Raises LocalError for an action that claims what our cards contradict, InternalFault if any
    other check fails, and PeerFault if our key signed another message for its place; nothing is
    sent then. A wrong message that was held until ours came gives a fault in the step, and ours is
    sent.
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
    signed = SignedMessage(message, envelope.to_bytes(), envelope.message_id)
    try:
        received = receive(step.state.table_state, signed)
    except PeerFault as fault:
        # Not swallowed: two messages of our key are out, and we must stop (attacks CH14).
        if fault.check in CONFLICTS:  # of our own key, with what this seat did not sign
            raise
        # The player claimed something false about its cards; nothing was sent.
        if isinstance(content, Action) and fault.check.endswith(_CLAIMED):
            raise LocalError(f"our cards contradict this ({fault.check})") from None
        raise InternalFault(fault.check, "our own message fails it, and was not sent") from None
    if not isinstance(received.offered, Fits):
        raise InternalFault("own message", f"it does not fit at {context.place}")
    # On the disk before it leaves: after a crash the same bytes go out again (attacks FS11).
    step = step.with_events(Persist(signed.raw), Send(signed.raw))
    return take_received(
        # Ours was put down above.
        step,
        received,
        [each for each in received.accepted if each.id != signed.id],
    )
