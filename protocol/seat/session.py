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
from typing import Any

from p2p304.game import AnyGame
from p2p304.seats import Seat, place_name
from protocol.cards.secrets import Secrets
from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.seat import exchange
from protocol.seat.view import SeatView
from protocol.table.events import Event, SeatBlamed, SeatSuspected, Send, SessionStopped
from protocol.table.evidence import (
    CONFLICTS,
    Conflict,
    Fault,
    evidence_from_bytes,
)
from protocol.table.judge_again import confirm
from protocol.table.sync import QUESTION_BYTES, Gossip, our_heads
from protocol.table.table import TableState
from protocol.topics.commands import (
    Ask,
    Command,
    Confirm,
)
from protocol.topics.listed import commanded_topic, spoken_topics, topic_of, why_left
from protocol.topics.step import (
    WAITS,
    OwnSeat,
    SessionState,
    SessionStatus,
    SessionStep,
    StatusEvent,
    next_status,
    send_notice,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import Heads
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Notice, SignedRuling, open_table_message


def _own_key(check: str) -> str:
    """Return the sentence for a failed check of a message that our own key signed and this seat
    did not.
    """
    if check in {exchange.ELSEWHERE, *CONFLICTS}:
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
        self._own = OwnSeat(charter, seat, key, secrets, patience)
        self._state = SessionState(
            TableState.begin(charter, game), SessionStatus.PLAYING, Gossip(), {}
        )

    @classmethod
    def resume(
        cls,
        records: Iterable[bytes],
        *,
        charter: Charter,
        game: AnyGame,
        seat: Seat,
        key: SigningKey,
        secrets: Secrets,
        entropy: Entropy,
        patience: float = 0.0,
        vouched: frozenset[Seat] = frozenset(),
    ) -> Session:
        """Return the session that wrote these records. It signs no ledger message before every
        other seat has answered its heads and no claim holds it.

        Args:
            records: the content of every `Persist`, in order; the rest as for a new session.
            entropy: draws the question, 16 bytes, by which we ask the others for our messages.
            vouched: seats whose open claims do not hold us, because our player says that no
                message of ours is missing (specs 7.5).

        Raises:
            LocalError: as for a new session, or a record does not fit, although a journal holds
                accepted messages only.
        """
        session = cls(
            charter=charter, game=game, seat=seat, key=key, secrets=secrets, patience=patience
        )
        for record in records:
            # Through the same functions as in play: a journal cannot bring a state that messages
            # could not.
            session._replay(record)
        state = session._state._replace(moved_at=None)  # by the clock, nothing moved yet
        # Halted, we sign nothing more, so we need not learn what we have signed.
        if state.status is not SessionStatus.HALTED:
            # A fresh question: an answer of before the restart, sent again by a broker, must not
            # count.
            gossip = Gossip(question=entropy(QUESTION_BYTES), vouched=vouched)
            state = state._replace(gossip=gossip)
        # Not HALTED, UNFINISHED or AGREEING: these sign no move anyway.
        if state.status is SessionStatus.PLAYING:
            state = state._replace(status=next_status(state.status, StatusEvent.RESTARTED))
        session._state = state
        return session

    @property
    def table_state(self) -> TableState:
        """The public state of the table."""
        return self._state.table_state

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
        step = SessionStep(self._own, now, self._state)
        try:
            # The signature is checked before the body is decoded (attacks MP11).
            message = open_table_message(raw, self.charter)
            if self.status is SessionStatus.HALTED:
                # We have stopped, but others may need what we have to come to the same verdict.
                if isinstance(message, Notice) and isinstance(message.content, Heads):
                    step = exchange.hear_heads(step, message.seat, message.content)
                return self._done(step)
            match message:
                case Notice():
                    step = exchange.hear_notice(step, message, raw)
                case SignedRuling():
                    topic = topic_of(message.content)
                    step = step if topic is None else topic.hear(step, message, raw)
                case signed:
                    step = exchange.hear_message(step, signed)
            return self._settle(step)
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
        topic = commanded_topic(choice)
        # Each topic says in which other states its commands are possible.
        if self.status is not SessionStatus.PLAYING and (
            topic is None or self.status not in topic.commands[type(choice)]
        ):
            raise LocalError(f"nothing can be done: {self.status.value}")
        # After going on elsewhere a signature here would convict us; only that topic's own commands
        # remain.
        left = why_left(step.state)
        if left and (topic is None or not topic.leaves(step.state)):
            raise LocalError(left)
        try:
            if topic is not None:
                step = topic.choose(step, choice)
            elif isinstance(choice, Confirm):
                step = exchange.confirm(step)
            elif isinstance(choice, Command):
                raise LocalError("nobody at this table speaks of that")
            else:
                step = exchange.play(step, choice)
            return self._settle(step)
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
                step = exchange.repeat(step)
            if self.status is not SessionStatus.HALTED:
                if not why_left(step.state):
                    step = exchange.publish_owed(exchange.follow_up(step))
                # A held message was wrong: our own message is out, and then we stop (attacks CH22).
                if step.fault is not None:
                    return self._done(step)
                step = exchange.settle(step)
                for topic in spoken_topics(step.state):
                    step = topic.tick(step)
            # In these nobody is waited for.
            if self.status not in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
                step = exchange.wait(step)
        except PeerFault as fault:  # of our own key
            return self._blame(fault)
        return self._done(step)

    # --- inside -----------------------------------------------------------------------------------

    def _settle(self, step: SessionStep) -> list[Event]:
        """Return the events of a finished step, after letting follow what it leads to
        (`follow_up` and `settle` of `exchange`), and store its state; after a fault nothing
        follows.
        """
        if step.fault is None:
            step = exchange.settle(exchange.follow_up(step))
        return self._done(step)

    def _done(self, step: SessionStep) -> list[Event]:
        """Store the state of a finished call, and return its events, with an empty Waiting if
        nobody told of is awaited any more; if the step has a fault, halt, and put its events
        last.
        """
        # In every call: the last awaited message may have come in any of them.
        step = exchange.withdraw(step)
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
        # One file at the most: none if no stranger could be convinced.
        found = evidence_from_bytes(fault.evidence[0]) if fault.evidence else None
        if found is not None:
            # Once more by plain arithmetic: a broken library blames nobody (attacks G5).
            confirm(found, self.game)
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
            match message:
                case Notice():
                    step = exchange.remember_notice(step, message, record)
                case SignedRuling():
                    topic = topic_of(message.content)
                    step = step if topic is None else topic.remember(step, message, record)
                case signed:
                    step = exchange.hear_message(step, signed, replaying=True)
            # That of a held message is no exception yet: told below like any other.
            if step.fault is not None:
                raise step.fault
        # Our own journal: what does not fit is damage, and blames nobody.
        except PeerFault as fault:
            raise LocalError(f"the journal holds what does not fit: {fault}") from None
        # Without its events: they were carried out before the restart.
        self._state = step.state
