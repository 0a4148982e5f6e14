"""One seat's session at a table: three doors, each returning events.

    session.receive(raw, now=now)   a peer's envelope arrived, unsealed
    session.act(choice, now=now)    our player chose: an action of the game, or a command
    session.tick(now=now)           time passed

The first two also publish what we then owe without a decision, such as shares with their proofs;
with `go_on=False` they leave that to `go_on`, so that a driver can first send and show what
happened. It opens no socket, reads no clock and draws no randomness: the driver seals and sends
every `Send` after it has put every `Persist` before it on the disk, and may run each call in a
worker thread, one at a time. A session is rebuilt from its journal with `resume`; it then signs
nothing before all peers have told it what they have of its own messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import View
from protocol.cards.secrets import Secrets
from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.ledger.agreement import agreement_of_all, present_in
from protocol.ledger.events import Claim, Event, SeatBlamed, SeatSuspected, Send, SessionStopped
from protocol.ledger.evidence import CONFLICTS, Conflict, Fault, evidence_from_bytes
from protocol.ledger.frame_bound import room_of
from protocol.ledger.phases import Phase
from protocol.ledger.table import TableState
from protocol.seat.commands import Confirm, EndUnfinished, GoOn, Say
from protocol.seat.status import (
    WAITS,
    OwnSeat,
    SessionStatus,
    State,
    StatusEvent,
    front,
    others_awaited,
    stand,
)
from protocol.seat.step import ELSEWHERE, SessionStep
from protocol.seat.sync import QUESTION_BYTES, Gossip, our_heads
from protocol.wire.authenticate import open_message
from protocol.wire.charter import Charter
from protocol.wire.contents import Chat, Heads
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Agreement, Notice


def _own_key(check: str) -> str:
    """What somebody did with our own key, that this seat did not."""
    if check in {ELSEWHERE, *CONFLICTS}:
        return f"our own key signed what this seat did not ({check})"
    return f"our own key signed a message that is wrong ({check}) and that this seat does not have"


class Session:
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
        """A new session. Raises LocalError if the charter's seat does not hold our key.

        It works on the next deck, which nobody waits for, when nothing has moved for `patience`
        seconds, and at the latest when the hand is over.
        """
        if charter.key_of(seat) != key.public:
            raise LocalError(f"seat {seat} of the charter does not hold our key")
        self.charter = charter
        self.game = game
        self.seat = seat
        self._own = OwnSeat(charter, seat, key, secrets, patience)
        self._state = State(TableState.begin(charter, game), SessionStatus.PLAYING, Gossip(), {})

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
        """The session that wrote these records, in their order. Claims of the seats in `vouched`
        to have more of ours than they show do not hold it: our player knows that there is nothing
        more. Raises LocalError for a record that does not fit: a journal holds only what was
        accepted."""
        session = cls(
            charter=charter, game=game, seat=seat, key=key, secrets=secrets, patience=patience
        )
        for record in records:
            session._replay(record)
        session._state = replace(session._state, moved_at=None)  # by the clock, nothing moved yet
        if not session._stopped:
            gossip = Gossip(question=entropy(QUESTION_BYTES), vouched=vouched)
            session._state = replace(session._state, gossip=gossip)
        if session.standing is SessionStatus.PLAYING:
            session._stand(StatusEvent.RESTARTED)
        return session

    # --- looking ----------------------------------------------------------------------------------

    @property
    def standing(self) -> SessionStatus:
        """Whether we play, catch up, or have stopped."""
        return self._state.standing

    @property
    def table_state(self) -> TableState:
        """All that is public."""
        return self._state.table_state

    @property
    def phase(self) -> Phase:
        """What is going on, in the ledger that play waits for."""
        return front(self.table_state).course.phase

    def view(self, number: int | None = None) -> View[Any] | None:
        """What our seat may know of a hand, the newest if none is named; None if there is none."""
        table_state = self.table_state
        hand = table_state.hand if number is None else table_state.hand_of(number)
        if hand is None:
            return None
        known = self._state.knowledge.get(hand.course.deal)
        return View(self.seat, hand.course.state, known.faces if known else {})

    def legal_actions(self) -> tuple[Any, ...]:
        """The game's actions that our seat may take now: none before it has caught up."""
        view = self.view()
        awaited = front(self.table_state)
        if self.standing is not SessionStatus.PLAYING:
            return ()
        if view is None or self.phase is not Phase.ACTING:
            return ()
        if self.seat not in awaited.ledger.missing:
            return ()
        return tuple(self.game.legal_actions(view))

    def others_awaited(self) -> frozenset[Seat]:
        """The other seats without which nothing goes on now, however long they were silent."""
        return others_awaited(self._own, self._state)

    def open_claims(self) -> tuple[Claim, ...]:
        """After a restart: what others say they have and have not shown; none once we play."""
        if self.standing is not SessionStatus.RETURNING:
            return ()
        return self._state.gossip.open_claims(self.table_state, self.seat)

    def lacking_end(self) -> tuple[Seat, ...]:
        """The seats that may still lack the end of the last hand: whoever leaves before they are
        known to have it may leave them waiting. None if the table has stopped."""
        if self._stopped or self.standing is SessionStatus.UNFINISHED:
            return ()
        return self._state.gossip.lacking_end(self.table_state, self.seat)

    def agreed_end(self) -> tuple[Agreement, ...]:
        """What all who are present signed to end the newest hand, for its transcript; else none."""
        hand = self.table_state.hand
        if hand is None or self.standing is not SessionStatus.UNFINISHED:
            return ()
        return agreement_of_all(hand, self._state.agreements)

    def yet_to_agree(self) -> tuple[Seat, ...]:
        """Who has not signed what we agreed to, while we wait for that."""
        known = self._state.agreements
        ours = [each.content for each in known if each.seat == self.seat]
        if self.standing is not SessionStatus.AGREEING or not ours:
            return ()
        there = {each.seat for each in known if each.content == ours[-1]}
        return tuple(seat for seat in present_in(ours[-1], self.charter) if seat not in there)

    # --- the doors --------------------------------------------------------------------------------

    def receive(self, raw: bytes, *, now: float, go_on: bool = True) -> list[Event]:
        """What comes of an envelope. Never raises for anything a peer sent."""
        turn = SessionStep(self._own, self._state, now)
        try:
            message = open_message(raw, self.charter)
        except MalformedMessage:
            return []  # anybody could have sent it
        except PeerFault as fault:
            return self._blame(fault)
        if self._stopped:
            # We have stopped, but others may need what we have to come to the same verdict.
            if isinstance(message, Notice) and isinstance(message.content, Heads):
                turn.hear_heads(message.seat, message.content)
            return self._done(turn)
        try:
            if isinstance(message, Notice):
                turn.hear(message, raw)
            else:
                turn.read(message)
            if go_on:
                turn.go_on()
        except PeerFault as fault:
            return self._blame(fault)
        return self._done(turn)

    def act(self, choice: Any, *, now: float, go_on: bool = True) -> list[Event]:
        """What comes of our player's choice.

        Raises RulesError for an action that the rules forbid and LocalError for one that is not
        ours to make now, or that claims what our cards contradict. Nothing has changed then.
        """
        # Who returns while a seat is gone for good gets no answer from it, and can still agree.
        waiting = self.standing in (SessionStatus.AGREEING, SessionStatus.RETURNING)
        talking = waiting and isinstance(choice, EndUnfinished | Say)
        back = self.standing is SessionStatus.AGREEING and isinstance(choice, GoOn)
        if self.standing is not SessionStatus.PLAYING and not talking and not back:
            raise LocalError(f"nothing can be done: {self.standing.value}")
        turn = SessionStep(self._own, self._state, now)
        try:
            match choice:
                case Confirm():
                    turn.confirm()
                case Say(text):
                    turn.tell(Chat(text))
                case EndUnfinished(present):
                    turn.agree(present)
                case GoOn():
                    turn.back_to_play()
                case _:
                    turn.play(choice)
            if go_on:
                turn.go_on()
        except PeerFault as fault:
            return self._blame(fault)
        return self._done(turn)

    def go_on(self, *, now: float) -> list[Event]:
        """Publish what we owe without a decision; after `receive` and `act` that left it out."""
        turn = SessionStep(self._own, self._state, now)
        try:
            if not self._stopped:
                turn.go_on()
        except PeerFault as fault:
            return self._blame(fault)
        return self._done(turn)

    def tick(self, *, now: float) -> list[Event]:
        """What is due by the clock: heads while we wait, and saying for whom we wait."""
        turn = SessionStep(self._own, self._state, now)
        try:
            if self._stopped or self.standing in WAITS:
                turn.repeat()
            if not self._stopped:
                turn.go_on()
            if self.standing not in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
                turn.wait()
        except PeerFault as fault:  # of a message that was held until ours came
            return self._blame(fault)
        return self._done(turn)

    def ask(self, question: bytes, *, now: float) -> list[Event]:
        """Tell our heads with a question of QUESTION_BYTES: whoever hears it tells its own."""
        turn = SessionStep(self._own, self._state, now)
        turn.tell(Heads(question, b"", our_heads(self.table_state)))
        return self._done(turn)

    # --- inside -----------------------------------------------------------------------------------

    @property
    def _stopped(self) -> bool:
        return self.standing is SessionStatus.HALTED

    def _stand(self, cause: StatusEvent) -> None:
        self._state = replace(self._state, standing=stand(self.standing, cause))

    def _done(self, turn: SessionStep) -> list[Event]:
        turn.withdraw()
        self._state = turn.state
        return turn.events

    def _blame(self, fault: PeerFault) -> list[Event]:
        """Stop. Once stopped we say nothing new: the first fault is the one that counts."""
        if self._stopped:
            return []
        self._stand(StatusEvent.FAULT)
        if fault.seat == self.seat:
            return [SessionStopped(_own_key(fault.check))]
        if not fault.evidence:
            return [SeatSuspected(Seat(fault.seat), fault.check)]
        (evidence,) = fault.evidence
        # What convicts must reach the others, who come to the same verdict by themselves.
        match evidence_from_bytes(evidence):
            case Conflict(_, first, second):
                convicting: tuple[bytes, ...] = (first, second)
            case Fault(message=message):
                convicting = (message,)
        self._state = replace(self._state, repeating=convicting)
        told = (Send(raw, room_of(raw)) for raw in convicting)
        return [SeatBlamed(Seat(fault.seat), fault.check, evidence), *told]

    def _replay(self, record: bytes) -> None:
        try:
            message = open_message(record, self.charter)
        except (MalformedMessage, PeerFault) as error:
            raise LocalError(f"the journal holds what does not decode: {error}") from None
        turn = SessionStep(self._own, self._state, 0.0)
        try:
            if isinstance(message, Notice):
                turn.remember(message, record)
            else:
                turn.read(message, replaying=True)
        except PeerFault as fault:
            raise LocalError(f"the journal holds what does not fit: {fault}") from None
        self._state = turn.state
