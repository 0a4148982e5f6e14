"""One call of a session's door: what is heard, what we owe and publish, what we tell.

A turn works on a copy of the session's state; if it raises, nothing has changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from p2p304.cards import Card
from p2p304.seats import Seat
from p2p304.slots import Slot
from p2p304.view import Knowledge
from protocol.cards.reading import check_each_card_once, read_card
from protocol.errors import InternalFault, LocalError, PeerFault
from protocol.ledger.events import (
    ChatReceived,
    ClaimsOpen,
    FellBehind,
    JournalBehind,
    Persist,
    Send,
    TurnOpened,
    Waiting,
)
from protocol.ledger.evidence import CONFLICTS
from protocol.ledger.frame_bound import room_of
from protocol.ledger.hand import HandPlay
from protocol.ledger.lanes import AnyReplica
from protocol.ledger.ledger import Beyond, Fits, Held, Known, Strange
from protocol.ledger.phases import Phase
from protocol.ledger.table import Received
from protocol.places import Lane, LedgerName
from protocol.proofs.context import MessageContext
from protocol.seat.agreeing import Agreeing
from protocol.seat.status import (
    WAITS,
    SessionStatus,
    StatusEvent,
    front,
    others_awaited,
    untold_claims,
)
from protocol.seat.sync import (
    HEADS_INTERVAL,
    far_behind,
    heads_of,
    kept_of,
    lacked_by,
    lacks_any,
    our_heads,
)
from protocol.wire import contents
from protocol.wire.contents import MAX_HEADS, Content, Heads, NoticeContent
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Agreement, Message, Notice, SignedMessage, table_tag

ELSEWHERE = "identity.elsewhere"
"""A message under our own key that we did not sign."""

SOON = 1.0
"""Seconds between two tellings of our heads when there is a reason."""


class SessionStep(Agreeing):
    """One call of a door: the state it works on and the events so far."""

    # what was heard

    def read(self, signed: SignedMessage, *, replaying: bool = False) -> None:
        """A ledger message of a peer, or one of our own that comes back."""
        ours = signed.place.seat == self.own.seat
        returning = replaying or self.state.gossip.question is not None
        received = self.state.table_state.receive(signed)
        if ours and not returning and not isinstance(received.offered, Known):
            raise PeerFault(self.own.seat, ELSEWHERE)
        if replaying and not isinstance(received.offered, Fits):
            raise PeerFault(signed.place.seat, "journal.order")
        self.take(received, received.accepted)
        if ours and not replaying and isinstance(received.offered, Fits | Held):
            self._tell_behind()
        if ours and self.state.standing is SessionStatus.AGREEING and received.accepted:
            # We agreed, and signed on later: a journal tells it in this order.
            self.back_to_play(undone=signed.place.ledger.number)
        self.look_at_agreements()
        if isinstance(received.offered, Strange | Beyond):
            self.tell_heads(interval=SOON)

    def take(self, received: Received, accepted: Iterable[SignedMessage]) -> None:
        """Go on with what came of a message; learn what was disclosed to us."""
        self.events += [Persist(each.raw) for each in accepted]
        self.events += received.events
        kept = received.table_state.replicas
        knowledge = {
            deal: known
            for deal, known in self.state.knowledge.items()
            if LedgerName(Lane.HAND, deal) in kept
        }
        for disclosure, course in received.shown:
            known = knowledge.get(course.deal, Knowledge(self.own.seat))
            known = known.after(disclosure, partial(self._look, course))
            check_each_card_once(course.deck, known.faces)
            knowledge[course.deal] = known
        moved = self.now if received.accepted else self.state.moved_at
        self.state = replace(
            self.state, table_state=received.table_state, moved_at=moved, knowledge=knowledge
        )

    def _look(self, course: HandPlay, slot: Slot) -> Card | None:
        """The face of a slot that was disclosed to us, in the hand as it was then."""
        secrets, seat = self.own.secrets, self.own.seat
        return read_card(
            course.deck,
            slot,
            seat,
            secrets.hand_secret(course.deal),
            entropy=secrets.entropy_for_reading(course.deal),
        )

    def hear(self, notice: Notice, raw: bytes) -> None:
        """A notice of a peer, in this envelope. Our own are ignored, for a broker may echo them,
        but for what we agreed to and do not know of."""
        if notice.seat == self.own.seat:
            said = notice.content
            if isinstance(said, contents.UnfinishedAgreement) and self.learn_own(said, raw):
                self._tell_behind()
            return
        match notice.content:
            case contents.Chat(text):
                hand = self.state.table_state.counted
                words = self.state.words.after(notice.seat, notice.serial, hand, self.now)
                if words is not None:
                    self.state = replace(self.state, words=words)
                    self.events += [Persist(raw), ChatReceived(notice.seat, text)]
            case Heads():
                self.hear_heads(notice.seat, notice.content)
            case contents.UnfinishedAgreement() as content:
                self.note_agreement(Agreement(notice.seat, content, raw))

    def remember(self, notice: Notice, raw: bytes) -> None:
        """A notice out of our own journal: what was agreed to, and which words were heard."""
        match notice.content:
            case contents.Chat():
                hand = self.state.table_state.counted
                words = self.state.words.noted(notice.seat, notice.serial, hand)
                self.state = replace(self.state, words=words)
                if notice.seat == self.own.seat:
                    serial = max(self.state.serial, notice.serial + 1)
                    self.state = replace(self.state, serial=serial)
            case contents.UnfinishedAgreement() as content:
                self.note_agreement(Agreement(notice.seat, content, raw))

    def hear_heads(self, seat: Seat, notice: Heads) -> None:
        """A peer tells how far it has come: send what it lacks, ask for what we lack."""
        gossip = self.state.gossip.heard(seat, notice)
        self.state = replace(self.state, gossip=gossip)
        if gossip.may_answer(seat, self.now):
            lacked = lacked_by(self.state.table_state, notice.heads)
            behind = far_behind(self.state.table_state, notice.heads)
            again = self.state.repeating
            if lacked or behind or notice.question or again:
                self.state = replace(self.state, gossip=gossip.answered(seat, self.now))
                self.events += [Send(each.raw, each.room) for each in lacked]
                self.events += [Send(raw, room_of(raw)) for raw in again]
            if behind:
                self.events.append(FellBehind(seat, notice.heads))
            if notice.question:
                kept = kept_of(self.state.table_state, seat)
                self.events += [Send(each.raw, each.room) for each in kept]
                heads = our_heads(self.state.table_state) + heads_of(kept, seat)
                self._tell(Heads(b"", notice.question, heads[:MAX_HEADS]))
        if lacks_any(self.state.table_state, notice.heads):
            self.tell_heads(interval=SOON)

    # what we do

    def confirm(self) -> None:
        """Our player confirms the charter, or another match."""
        replica = self.front()
        if replica.course.phase is not Phase.CONFIRMING or not self._missing(replica):
            raise LocalError("there is nothing to confirm now")
        number = replica.origin.ledger.number
        self.state = replace(self.state, confirmed=number + 1)

    def play(self, action: Any) -> None:
        """Our player's action of the game."""
        hand = self.state.table_state.hand
        if hand is None or hand.course.phase is not Phase.ACTING or not self._missing(hand):
            raise LocalError("it is not our turn to act")
        occasion = hand.occasion(self.own.seat)
        self._publish(occasion, hand.course.decide(action, occasion, self.own.secrets))

    def go_on(self) -> None:
        """Publish all that we owe and that needs no decision; say when a decision is needed."""
        self.agree_again()
        self.look_at_agreements()
        if self.state.standing is SessionStatus.RETURNING:
            if not self.state.gossip.returned(self.state.table_state, self.own.seat):
                return
            gossip = replace(self.state.gossip, question=None)
            self._stand(StatusEvent.CAUGHT_UP)
            self.state = replace(self.state, gossip=gossip)
        while self.state.standing is SessionStatus.PLAYING:
            due = next(
                (
                    each
                    for each in self.state.table_state.unsettled
                    if self._owes(each) and not self._can_wait(each)
                ),
                None,
            )
            if due is None:
                break
            occasion = due.occasion(self.own.seat)
            self._publish(occasion, due.course.contribute(occasion, self.own.secrets))
        self._announce_turn()

    def _owes(self, replica: AnyReplica) -> bool:
        if not self._missing(replica):
            return False
        if replica.course.phase is Phase.CONFIRMING:
            return replica.origin.ledger.number < self.state.confirmed
        return not replica.course.needs_decision

    def _can_wait(self, replica: AnyReplica) -> bool:
        """Whether it is the next deck, while the table moves: its shuffles take all the time that
        the moves of this hand need. What counts is what everybody sees, so that waiting tells
        nothing; once nobody moves, a later tick goes on."""
        if replica.origin.ledger.lane is not Lane.DECK or self.state.moved_at is None:
            return False
        waited_for = self.front().origin.ledger == replica.origin.ledger
        return not waited_for and self.now - self.state.moved_at < self.own.patience

    def _missing(self, replica: AnyReplica) -> bool:
        return self.own.seat in replica.ledger.missing

    def _publish(self, occasion: MessageContext, content: Content) -> None:
        """Sign, persist, send and accept a message of ours."""
        message = Message(table_tag(occasion.charter), occasion.place, occasion.previous, content)
        envelope = sign(
            self.own.key,
            message.to_bytes(),
            purpose=Purpose.LEDGER,
            seat=self.own.seat,
            charter=occasion.charter,
        )
        room = self.state.table_state.replicas[occasion.place.ledger].course.room(occasion)
        signed = SignedMessage(message, envelope.to_bytes(), envelope.message_id)
        try:
            received = self.state.table_state.receive(signed)
        except PeerFault as fault:
            # A message of a peer may have been held until ours came, or another one of our key.
            if fault.seat != self.own.seat or fault.check in CONFLICTS:
                raise
            raise InternalFault(fault.check, "our own message fails it, and was not sent") from None
        if not isinstance(received.offered, Fits):
            raise InternalFault("own message", f"it does not fit at {occasion.place}")
        self.events += [Persist(signed.raw), Send(signed.raw, room)]
        others = [each for each in received.accepted if each.id != signed.id]
        self.take(received, others)

    # what we tell

    def tell(self, content: NoticeContent) -> None:
        """Say something beside the ledgers."""
        self._tell(content)

    def tell_heads(self, *, interval: float) -> None:
        """Tell our heads, unless we did less than `interval` seconds ago."""
        gossip = self.state.gossip
        if gossip.may_tell(self.now, interval):
            self.state = replace(self.state, gossip=gossip.told(self.now))
            self._tell(Heads(gossip.question or b"", b"", our_heads(self.state.table_state)))

    def wait(self) -> None:
        """While others are awaited: heads at intervals, and the player told once whom."""
        seats = {seat for replica in self.state.table_state.unsettled
                 for seat in replica.ledger.missing} - {self.own.seat}  # fmt: skip
        moved = self.state.moved_at
        if moved is None:
            self.state = replace(self.state, moved_at=self.now)
            moved = self.now
        if self.state.standing is SessionStatus.RETURNING:
            self.tell_heads(interval=SOON)
            self._tell_claims(since=moved)
        elif seats and self.now - moved >= HEADS_INTERVAL:
            self.tell_heads(interval=HEADS_INTERVAL)
        awaited = others_awaited(self.own, self.state)
        waiting = Waiting(tuple(sorted(awaited)), moved)
        if awaited and self.now - moved >= HEADS_INTERVAL and waiting != self.state.wait_told:
            self.state = replace(self.state, wait_told=waiting)
            self.events.append(waiting)

    def _tell_claims(self, *, since: float) -> None:
        """Name whose claims hold us, once nothing has come of asking them for a while."""
        claims = untold_claims(self.own, self.state)
        if claims and self.now - since >= 2 * HEADS_INTERVAL:
            told = self.state.claims_told.union(each.seat for each in claims)
            self.state = replace(self.state, claims_told=told)
            self.events.append(ClaimsOpen(claims))

    def _tell_behind(self) -> None:
        """We learn of a message of ours that is not in our journal; told once."""
        if not self.state.behind_told:
            self.state = replace(self.state, behind_told=True)
            self.events.append(JournalBehind(self.own.seat))

    def withdraw(self) -> None:
        """Whom we waited for is not waited for any more: it was told, so that is told, too."""
        told = self.state.wait_told
        if told is None or others_awaited(self.own, self.state).intersection(told.seats):
            return
        self.state = replace(self.state, wait_told=None)
        self.events.append(Waiting((), self.now))

    def repeat(self) -> None:
        """Although we have stopped: what the others must see, at intervals; and how far we have
        come, while not all have agreed: they may have to come as far first."""
        gossip = self.state.gossip
        if self.state.repeating and gossip.may_tell(self.now, HEADS_INTERVAL):
            self.state = replace(self.state, gossip=gossip.told(self.now))
            self.events += [Send(raw, room_of(raw)) for raw in self.state.repeating]
            if self.state.standing is SessionStatus.AGREEING:
                self._tell(Heads(gossip.question or b"", b"", our_heads(self.state.table_state)))

    def _announce_turn(self) -> None:
        hand = self.state.table_state.hand
        if hand is None or hand.course.phase is not Phase.ACTING or not self._missing(hand):
            return
        if self.state.standing in WAITS:
            return
        turn = (hand.origin.ledger, len(hand.ledger.rounds))
        if turn != self.state.turn_told:
            self.state = replace(self.state, turn_told=turn)
            self.events.append(TurnOpened(self.own.seat))

    def front(self) -> AnyReplica:
        """The ledger that play waits for."""
        return front(self.state.table_state)
