"""The session of one seat: three methods, each returning events to be carried out in order.

    session.receive(raw, now=now)   a peer's envelope arrived, unsealed
    session.act(choice, now=now)    our player chose: an action of the game, or a command
    session.tick(now=now)           time passed

Messages that need no decision, such as shares with their proofs, are made by `tick`. The first two
emit `PublishingDue` when it is to be called, as soon as their events are shown. A session opens no
socket, reads no clock and draws no randomness. The driver puts every `Persist` on the disk before
it seals and sends the `Send` after it, and may run each call in a worker thread, one at a time.
`resume` rebuilds a session from its journal; it then signs nothing before all peers have said which
of its messages they have. `protocol.memory_table.MemoryTable` is the smallest driver,
`cli.seat.driver` the one that plays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from p2p304.cards import Card, Slot
from p2p304.game import AnyGame
from p2p304.seats import Seat, place_name
from p2p304.view import Knowledge
from protocol.bounds import ANSWER_INTERVAL, HEADS_INTERVAL, HEADS_SOON, MAX_HEADS
from protocol.cards.deck import check_each_card_once, read_card
from protocol.cards.secrets import Secrets
from protocol.entropy import Entropy
from protocol.errors import InternalFault, LocalError, MalformedMessage, PeerFault
from protocol.places import Lane, LedgerName
from protocol.proofs.context import MessageContext
from protocol.seat.view import SeatView
from protocol.table.events import (
    ClaimsOpen,
    ConfirmationDue,
    Event,
    FellBehind,
    JournalBehind,
    Persist,
    PublishingDue,
    SeatBlamed,
    SeatSuspected,
    Send,
    SessionStopped,
    TurnOpened,
    Waiting,
)
from protocol.table.evidence import CONFLICTS, Conflict, Fault
from protocol.table.hand import HandPlay
from protocol.table.judge_again import confirmed_evidence
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
    QUESTION_BYTES,
    Gossip,
    far_behind,
    heads_of,
    lacked_rulings,
    lacks_any,
    messages_for,
    our_heads,
    unplaced_messages,
)
from protocol.table.table import Received, TableState, receive
from protocol.topics.commands import Ask, Command, Confirm
from protocol.topics.listed import COMMANDED, TOPIC_OF, spoken_topics, why_left
from protocol.topics.step import (
    WAITS,
    OwnSeat,
    SessionState,
    SessionStatus,
    SessionStep,
    StatusEvent,
    awaited_others,
    awaited_replica,
    next_status,
    send_notice,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import Action, Content, Heads, Reseating
from protocol.wire.identity import SigningKey
from protocol.wire.messages import (
    Message,
    SignedMessage,
    SignedNotice,
    SignedRuling,
    open_table_message,
)


def tell_heads(
    step: SessionStep, *, interval: float, before: tuple[bytes, ...] = (), heads: bool = True
) -> SessionStep:
    """Send the envelopes `before`, then our heads, with our open question if there is one, and note
    the time; without `heads` the envelopes alone. Change nothing if we sent heads less than
    `interval` seconds ago.
    """
    gossip, now = step.state.gossip, step.now
    if gossip.told_at is not None and now - gossip.told_at < interval:
        return step
    step = step._replace(state=step.state._replace(gossip=replace(gossip, told_at=now)))
    step = step.with_events(*map(Send, before))
    if not heads:
        return step
    # Empty: no answer is asked for. The second field is empty as this answers no question.
    question = gossip.question or b""
    return send_notice(step, Heads(question, b"", our_heads(step.state.table_state)))[0]


def wait(step: SessionStep) -> SessionStep:
    """Ask and tell about the messages that others owe: called in each tick.

    After HEADS_INTERVAL seconds without an accepted message: send heads, and what the topics
    repeat, at most once in that interval, if another seat's message is missing in any ledger; and
    emit Waiting with the seats that we wait for, again only if these change or a message was
    accepted since. After a restart heads are sent every HEADS_SOON seconds instead, and ClaimsOpen
    may be emitted.
    """
    moved = step.state.moved_at
    # Nothing has moved by this run's clock: the wait is measured from its first tick.
    if moved is None:
        moved = step.now
        step = step._replace(state=step.state._replace(moved_at=moved))
    missing = {
        seat for each in step.state.table_state.unsettled_replicas for seat in each.ledger.missing
    }
    long = step.now - moved >= HEADS_INTERVAL
    if step.state.status is SessionStatus.RETURNING:
        step = _tell_claims(tell_heads(step, interval=HEADS_SOON), since=moved)
    # Only others can end this wait; if our own message is missing, heads bring nothing.
    elif long and missing - {step.own.seat}:
        told = tell_heads(step, interval=HEADS_INTERVAL)
        # By identity: `tell_heads` gives the very step back if it sent nothing.
        for topic in spoken_topics(told.state) if told is not step else ():
            # With our heads, at the same interval: what others may lack besides ledger messages.
            told = topic.repeat(told)
        step = told
    awaited = awaited_others(step.own, step.state)
    waiting = Waiting(tuple(sorted(awaited)), moved)
    # The same seats were named already: tell the player again only when they change.
    if not awaited or not long or waiting == step.state.wait_told:
        return step
    return step._replace(state=step.state._replace(wait_told=waiting)).with_events(waiting)


def _tell_claims(step: SessionStep, *, since: float) -> SessionStep:
    """Emit ClaimsOpen with the open claims that keep us from signing, each seat's once; none of a
    seat that our player has vouched against.

    Change nothing before every seat has answered, nor before two HEADS_INTERVALs after the time
    `since` (seconds).
    """
    state, seat = step.state, step.own.seat
    # A silent seat is reported first, as one that is waited for. Two intervals: the seat was asked
    # twice for what it claims, and had time to send it.
    silent = len(state.gossip.answers) < len(step.own.charter.seats) - 1
    if silent or step.now - since < 2 * HEADS_INTERVAL:
        return step
    known = state.gossip.vouched | state.claims_told
    claims = tuple(
        each for each in state.gossip.open_claims(state.table_state, seat) if each.seat not in known
    )
    if not claims:
        return step
    told = step.state.claims_told.union(each.seat for each in claims)
    return step._replace(state=step.state._replace(claims_told=told)).with_events(
        ClaimsOpen(claims)
    )


def repeat(step: SessionStep) -> SessionStep:
    """Send again, every HEADS_INTERVAL seconds, the envelopes in `step.state.repeating`:
    evidence, agreements or a ruling; while AGREEING our heads, too. Change nothing without such
    envelopes.
    """
    repeating = step.state.repeating
    # The hand that our seat agreed to end may have gone on: heads ask for what we lack of it.
    agreeing = step.state.status is SessionStatus.AGREEING
    # Every 5 seconds (specs 7.7, 5.6 no. 4): noted as heads, also where none are sent.
    if not repeating:
        return step
    return tell_heads(step, interval=HEADS_INTERVAL, before=repeating, heads=agreeing)


ELSEWHERE: Final = "identity.elsewhere"  #: A message under our own key that we did not sign.


def hear(
    step: SessionStep,
    message: SignedMessage | SignedNotice[Any] | SignedRuling,
    *,
    replaying: bool = False,
) -> SessionStep:
    """Process a message of a peer, of a referee or, with our seat, one that a broker or a peer sent
    back; with `replaying` a record of our journal.

    Whatever a ledger message made acceptable is persisted. One of another history, or too far
    ahead, makes us send heads; one that we signed and our journal lacks gives JournalBehind. Raises
    PeerFault if it is wrong, `identity.elsewhere` for an unknown message of our key outside a
    return, and `journal.order` if a record does not fit, unless a ruling made it void: then it is
    skipped. The fault of a held message is in the step instead. Any other message goes to
    `_hear_word`.
    """
    if not isinstance(message, SignedMessage):
        return _hear_word(step, message, replaying=replaying)
    ours = message.place.seat == step.own.seat
    # While a question is open, messages of our own may come that an older journal lacks.
    returning = replaying or step.state.gossip.question is not None
    received = receive(step.state.table_state, message)
    # A message under our key that we do not have, outside a return: another machine has the key.
    if ours and not returning and not isinstance(received.offered, Known):
        raise PeerFault(step.own.seat, ELSEWHERE)
    if replaying and not isinstance(received.offered, Fits):
        # A ruling in the journal made it void.
        if received.table_state.rulings.behind(message.place):
            return step  # one call took what lies behind a ruling's point with what came before it
        # A journal holds only what fitted when it was written, so this one is damaged or was
        # edited.
        raise PeerFault(message.place.seat, "journal.order")
    step = take_received(step, received, received.accepted)
    # What follows would act on a table that has stopped.
    if step.fault is not None:
        return step
    # A peer sent us a message of ours that our journal lacks: the journal is an older copy.
    if ours and not replaying and isinstance(received.offered, Fits | Early):
        step = _tell_behind(step)
    for topic in spoken_topics(step.state):
        step = topic.act_after_message(step, message, ours=ours and bool(received.accepted))
    # Either we lack rounds, or somebody signed twice: heads find out which, and blame nobody.
    if isinstance(received.offered, OtherHistory | TooFarAhead):
        step = tell_heads(step, interval=HEADS_SOON)
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


def _hear_word(
    step: SessionStep, message: SignedNotice[Any] | SignedRuling, *, replaying: bool
) -> SessionStep:
    """Process a notice or a ruling: heads are answered, any other goes to its
    topic; a record of our journal, with `replaying`, is not answered.

    Our own heads change nothing, nor does any other notice of our own unless a topic finds that our
    journal lacks it: then JournalBehind is emitted. From the journal it raises our next serial
    above its own.
    """
    topic, content = TOPIC_OF.get(type(message.content)), message.content
    own = message if isinstance(message, SignedNotice) and message.seat == step.own.seat else None
    if replaying:
        if own is not None:
            # Our next serial is above every one that we used before the restart.
            serial = max(step.state.serial, own.serial + 1)
            step = step._replace(state=step.state._replace(serial=serial))
        return step if topic is None else topic.remember(step, message)
    if isinstance(message, SignedNotice) and isinstance(content, Heads):
        # Our own heads, echoed by a broker, tell nothing.
        return step if own is not None else hear_heads(step, message.seat, content)
    if topic is None:
        return step
    if own is None:
        return topic.hear(step, message)
    learnt = topic.hear_own(step, own)
    return step if learnt is None else _tell_behind(learnt)


def hear_heads(step: SessionStep, seat: Seat, notice: Heads) -> SessionStep:
    """Store a peer's heads; answer them with what it lacks (`_answer`), at most once a second
    for a seat; and send our heads, at most once a second, if the peer's show that we lack
    something (specs 7.6).
    """
    gossip = step.state.gossip.with_heads_received(seat, notice)
    step = step._replace(state=step.state._replace(gossip=gossip))
    # At most once a second to a seat: heads are a way to ask for much with little.
    before = gossip.answered_at.get(seat)
    if before is None or step.now - before >= ANSWER_INTERVAL:
        step = _answer(step, seat, notice)
    # Ask back at once: the peer has a message for us, and answers heads with what they lack.
    if lacks_any(step.state.table_state, notice.heads):
        step = tell_heads(step, interval=HEADS_SOON)
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
        answered = {**state.gossip.answered_at, seat: step.now}
        gossip = replace(state.gossip, answered_at=answered)
        step = step._replace(state=state._replace(gossip=gossip))
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
            step = topic.repeat(step)
    return step


def _tell_behind(step: SessionStep) -> SessionStep:
    """Emit JournalBehind, once in a session: somebody has a message of ours that is not in our
    journal.
    """
    if step.state.behind_told:
        return step
    step = step._replace(state=step.state._replace(behind_told=True))
    return step.with_events(JournalBehind(step.own.seat))


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
    return step._replace(state=step.state._replace(confirmed=replica.origin.ledger.number + 1))


def play(step: SessionStep, action: Any) -> SessionStep:
    """Sign, persist and send our player's action in the newest hand.

    Raises RulesError if the rules forbid it, LocalError if it is not our turn or the action claims
    what our cards contradict.
    """
    hand = step.state.table_state.hand()
    acting = hand is not None and hand.machine.phase is LedgerPhase.ACTING
    # `missing`, not `contributors`: in a window we act once. `hand is None` for the type checker.
    if hand is None or not acting or step.own.seat not in hand.ledger.missing:
        raise LocalError("it is not our turn to act")
    context = hand.context(step.own.seat)
    # Raises before anything has changed.
    return _publish(step, context, hand.machine.decide(action, context, step.own.secrets))


def follow_up(step: SessionStep) -> SessionStep:
    """Let every topic follow the new state (`Topic.follow`), then send what the open round asks of
    it (`Topic.play_on`), if our seat signs here.

    After a restart the second is left out; instead, once every seat has answered and no claim holds
    us, the status becomes PLAYING. After a fault nothing follows, here and in `settle`.
    """
    if step.fault is not None:
        return step
    for topic in spoken_topics(step.state):
        step = topic.follow(step)
    gossip = step.state.gossip
    # The topics come first: an agreement or a ruling may change the status.
    if step.state.status is not SessionStatus.RETURNING:
        for topic in spoken_topics(step.state) if _plays(step) else ():
            step = topic.play_on(step)
        return step
    # Nothing new is signed before (specs 7.5).
    if not gossip.returned(step.state.table_state, step.own.seat):
        return step
    step = step.after(StatusEvent.CAUGHT_UP)
    # The question is closed: an unknown message of our own key is another machine's from now on.
    return step._replace(state=step.state._replace(gossip=replace(gossip, question=None)))


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
    for topic in spoken_topics(step.state) if step.fault is None and _plays(step) else ():
        step = topic.play_on(step)
    return step


def settle(step: SessionStep) -> SessionStep:
    """Tell what is due, then let every topic act on the new state (`Topic.settle`).

    PublishingDue is emitted at every call while a message without a decision is due; else
    ConfirmationDue or TurnOpened if our player has to decide, once for each decision. If our seat
    did not sign here for a while, the decision is told anew.
    """
    if step.fault is not None:
        return step
    if not _plays(step):
        step = step._replace(state=step.state._replace(turn_told=None))  # told anew if we go on
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
            step = step._replace(state=step.state._replace(turn_told=place)).with_events(due)
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
    message = Message(own.charter.tag, context.place, context.previous, content)
    signed = message.signed(own.key, charter=context.charter)
    try:
        received = receive(step.state.table_state, signed)
    except PeerFault as fault:
        # Not swallowed: two messages of our key are out, and we must stop (attacks CH14).
        if fault.check in CONFLICTS:  # of our own key, with what this seat did not sign
            raise
        # The player claimed something false about its cards, whose checks all end so; nothing was
        # sent.
        if isinstance(content, Action) and fault.check.endswith(".proof"):
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


# --- the session ----------------------------------------------------------------------------------


def _own_key(check: str) -> str:
    """Return the sentence for a failed check of a message that our own key signed and this seat
    did not.
    """
    if check in {ELSEWHERE, *CONFLICTS}:
        return f"our own key signed what this seat did not ({check})"
    return f"our own key signed a message that is wrong ({check}) and that this seat does not have"


class Session(SeatView):
    """The session of one seat. Use it from one thread at a time."""

    def __init__(
        self,
        *,
        charter: Charter,
        game: AnyGame,
        seat: Seat,
        key: SigningKey,
        secrets: Secrets,
        patience: float = 0.0,
    ) -> None:
        """Start a session of a table where nothing has been said.

        Args:
            charter: the same for every seat; its digest is under every signature.
            game: the charter's game, as `p2p304.games.agreed_game` makes it.
            seat: ours.
            key: signs all our messages; its public key is our seat's in the charter.
            secrets: the source of the secrets of all hands; the same seed after a restart.
            patience: seconds without an accepted message before we work on the next deck while a
                hand is played; 0 works on it at once. Once play waits for the deck, we work on it.

        Raises:
            LocalError: the charter's seat does not hold our key, the game has another number of
                seats, or no match can go on as the charter says.
        """
        # Ours to raise, and not a peer's fault: every message of this seat would be refused.
        if charter.key_of(seat) != key.public:
            place = place_name(seat, len(charter.seats))
            raise LocalError(f"{place} of the charter does not hold our key")
        # Whatever changes is in `_state`, one immutable value: a call that raises leaves it as it
        # was.
        self.charter = charter
        self.game = game
        self.seat = seat
        self._own = OwnSeat(charter, seat, key, secrets, patience)
        self._state = SessionState(
            TableState.begin(charter, game), SessionStatus.PLAYING, Gossip(), {}
        )

    def resume(
        self,
        records: Iterable[bytes],
        *,
        entropy: Entropy,
        vouched: frozenset[Seat] = frozenset(),
    ) -> Session:
        """Rebuild this session, which has heard nothing yet, as the one that wrote these records,
        and return it. It signs no ledger message before every other seat has answered its heads and
        no claim holds it.

        Args:
            records: the content of every `Persist`, in order.
            entropy: draws the question, 16 bytes, by which we ask the others for our messages.
            vouched: seats whose open claims do not hold us, because our player says that no
                message of ours is missing (specs 7.5).

        Raises:
            LocalError: a record does not fit, although a journal holds accepted messages only.
        """
        for record in records:
            # Through the same functions as in play: a journal cannot bring a state that messages
            # could not.
            self._replay(record)
        state = self._state._replace(moved_at=None)  # by the clock, nothing moved yet
        # Halted, we sign nothing more, so we need not learn what we have signed.
        if state.status is not SessionStatus.HALTED:
            # A fresh question: an answer of before the restart, sent again by a broker, must not
            # count.
            gossip = Gossip(question=entropy(QUESTION_BYTES), vouched=vouched)
            state = state._replace(gossip=gossip)
        # Not HALTED, UNFINISHED or AGREEING: these sign no move anyway.
        if state.status is SessionStatus.PLAYING:
            state = state._replace(status=next_status(state.status, StatusEvent.RESTARTED))
        self._state = state
        return self

    # --- the doors --------------------------------------------------------------------------------

    def receive(self, raw: bytes, *, now: float) -> list[Event]:
        """Process an envelope from the table, and return the events.

        Never raises for the content of an envelope: one that anybody could have sent gives no
        event, one that convicts a seat gives SeatBlamed. Once we have halted, heads are answered
        and the rest is ignored.

        Args:
            raw: the payload of a frame: any bytes at all.
            now: seconds of the monotonic clock, which never falls from call to call.
        """
        state = self._state
        # Before the signature is checked: a flood of words must cost less than a signature each.
        if any(topic.drops(state, raw, now) for topic in spoken_topics(state)):
            return []
        step = SessionStep(self._own, now, state)
        try:
            # The signature is checked before the body is decoded (attacks MP11).
            message = open_table_message(raw, self.charter)
            if state.status is SessionStatus.HALTED:
                # We have stopped, but others may need what we have to come to the same verdict.
                if isinstance(message, SignedNotice) and isinstance(message.content, Heads):
                    step = hear_heads(step, message.seat, message.content)
                return self._done(step)
            return self._done(settle(follow_up(hear(step, message))))
        except MalformedMessage:
            return []  # anybody could have sent it
        # The state before the call stays: a step that raised has changed nothing.
        except PeerFault as fault:
            return self._blame(fault)

    def act(self, choice: Any, *, now: float) -> list[Event]:
        """Carry out our player's choice, and return the events.

        An `Ask` is carried out in any status; while the session does not play, of the other choices
        only commands that their topic allows in that status.

        Args:
            choice: one of `legal_actions()`, or a command of `protocol.topics.commands`.
            now: as for `receive`.

        Raises:
            RulesError: the rules forbid the action.
            LocalError: the choice is not possible now, or claims what our cards contradict.

        After an error nothing has changed.
        """
        step = SessionStep(self._own, now, self._state)
        # In any state: who leaves, or has stopped, may still ask (specs 5.6, leaving).
        if isinstance(choice, Ask):
            heads = our_heads(self.table_state)
            step, _ = send_notice(step, Heads(choice.question, b"", heads))
            return self._done(step)
        topic = COMMANDED.get(type(choice))
        # Each topic says in which other states its commands are possible.
        status = step.state.status
        if status is not SessionStatus.PLAYING and (
            topic is None or status not in topic.commands[type(choice)]
        ):
            raise LocalError(f"nothing can be done: {status.value}")
        # After going on elsewhere a signature here would convict us; only that topic's own commands
        # remain.
        left = why_left(step.state)
        if left and (topic is None or not topic.leaves(step.state)):
            raise LocalError(left)
        try:
            if topic is not None:
                step = topic.choose(step, choice)
            elif isinstance(choice, Confirm):
                step = confirm(step)
            elif isinstance(choice, Command):
                raise LocalError("nobody at this table speaks of that")
            else:
                step = play(step, choice)
            return self._done(settle(follow_up(step)))
        # Raised for our own message: our key has signed another one for its place.
        except PeerFault as fault:
            return self._blame(fault)

    def tick(self, *, now: float) -> list[Event]:
        """Make the messages that are due and need no decision, send heads and repeat others at
        intervals, and return the events, Waiting among them. Once we have halted, only what is
        repeated is sent.

        It may be called at any time: call it once a second, and at once after a PublishingDue.
        Raises InternalFault if a message of our own fails a check that every seat makes; the
        message is not sent.

        Args:
            now: as for `receive`.
        """
        step = SessionStep(self._own, now, self._state)
        try:
            # Others must still get what convicts, or what ended the hand.
            # Here and below `self.status` is that before this call: the state is stored by `_done`.
            if self.status is SessionStatus.HALTED or self.status in WAITS:
                step = repeat(step)
            if self.status is not SessionStatus.HALTED:
                if not why_left(step.state):
                    step = publish_owed(follow_up(step))
                # A held message was wrong: our own message is out, and then we stop (attacks CH22).
                if step.fault is not None:
                    return self._done(step)
                step = settle(step)
                for topic in spoken_topics(step.state):
                    step = topic.tick(step)
            # In these nobody is waited for.
            if self.status not in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
                step = wait(step)
        except PeerFault as fault:  # of our own key
            return self._blame(fault)
        return self._done(step)

    # --- inside -----------------------------------------------------------------------------------

    def _done(self, step: SessionStep) -> list[Event]:
        """Store the state of a finished call, and return its events, with an empty Waiting if
        nobody told of is awaited any more; if the step has a fault, halt, and put its events
        last.
        """
        told = step.state.wait_told
        # In every call: the last awaited message may have come in any of them. Only when none of
        # the seats is awaited that were named: fewer names are told by `wait`.
        if told is not None and not awaited_others(step.own, step.state) & {*told.seats}:
            step = step._replace(state=step.state._replace(wait_told=None))
            step = step.with_events(Waiting((), step.now))
        self._state = step.state
        # After the state: what was right before the wrong message stands, and its events come
        # first.
        blamed = [] if step.fault is None else self._blame(step.fault)
        return [*step.events, *blamed]

    def _blame(self, fault: PeerFault) -> list[Event]:
        """Halt for a fault and return the event about it; return nothing if we have halted before.

        The event is SessionStopped for our own key, SeatSuspected for a fault without evidence,
        else SeatBlamed, followed by a Send of each message that convicts; these are repeated from
        now on. Raises InternalFault if plain arithmetic does not find the fault.
        """
        state = self._state
        if state.status is SessionStatus.HALTED:
            return []
        found = confirmed_evidence(fault, self.game)
        # Whoever is at fault: we sign nothing more (specs 7.7).
        state = state._replace(status=next_status(state.status, StatusEvent.FAULT))
        self._state = state
        # Our own key: we accuse nobody, and stop.
        if fault.seat == self.seat:
            return [SessionStopped(_own_key(fault.check))]
        # Keys that cancel: no single seat can be shown to be at fault (attacks G8).
        if found is None:
            return [SeatSuspected(Seat(fault.seat), fault.check)]
        # What convicts must reach the others, who come to the same verdict by themselves.
        if isinstance(found, Conflict):
            convicting: tuple[bytes, ...] = (found.first, found.second)
        else:
            assert isinstance(found, Fault)  # no message of one table shows anything else
            convicting = (found.message,)
        self._state = state._replace(repeating=convicting)
        told = (Send(raw) for raw in convicting)
        return [SeatBlamed(Seat(fault.seat), fault.check, fault.evidence[0]), *told]

    def _replay(self, record: bytes) -> None:
        """Process one record of our journal. Raises LocalError if the record does not decode or
        fit.
        """
        try:
            message = open_table_message(record, self.charter)
        # A journal is ours: an error in it is damage, and no peer's fault.
        except (MalformedMessage, PeerFault) as error:
            raise LocalError(f"the journal holds what does not decode: {error}") from None
        # The clock of the run that wrote the record means nothing now.
        step = SessionStep(self._own, 0.0, self._state)
        try:
            step = hear(step, message, replaying=True)
            # That of a held message is no exception yet: told below like any other.
            if step.fault is not None:
                raise step.fault
        # Our own journal: what does not fit is damage, and blames nobody.
        except PeerFault as fault:
            raise LocalError(f"the journal holds what does not fit: {fault}") from None
        # Without its events: they were carried out before the restart.
        self._state = step.state
