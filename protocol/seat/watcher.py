"""Watching a table: everything public, verified message by message, without a seat or a key.

A watcher signs nothing; what it missed it asks of the seats by the lobby, and takes what they send
again. What it accepted is told by `Persist` and can be saved and audited.
"""

from __future__ import annotations

from typing import Any

from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import Knowledge, View
from protocol.errors import MalformedMessage, PeerFault
from protocol.seat.heard import NO_CHAT
from protocol.seat.referee_talk import NO_REFEREE_TALK, blamed
from protocol.seat.view import TableView
from protocol.table.agreement import agreement_of_all, with_agreement
from protocol.table.events import (
    ChallengeMade,
    ChatReceived,
    Event,
    HandUnfinished,
    MessagesMissed,
    Persist,
    RulingHeard,
    SeatBlamed,
    SeatSuspected,
)
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import confirm
from protocol.table.ledger import Beyond, Held, Strange
from protocol.table.ruling_effects import gone_on
from protocol.table.sync import lacks_any
from protocol.table.table import Received, TableState, receive
from protocol.wire import contents
from protocol.wire.authenticate import open_said
from protocol.wire.challenges import read_sentence
from protocol.wire.charter import Charter
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Agreement, Notice, SignedRuling


class Watcher(TableView):
    """What a spectator or referee knows of a table. Use it from one thread at a time."""

    def __init__(
        self, *, charter: Charter, game: AnyGame, referee: SigningKey | None = None
    ) -> None:
        """Watch from the first message on.

        Raises LocalError for a game of another number of seats than the charter has.

        Args:
            charter: of the table; what others signed for another one counts for nothing.
            game: the charter's, as `p2p304.games.agreed_game` makes it.
            referee: the key of a referee of the charter, with which challenges are read before
                their hand has ended; None for everybody else.
        """
        self.charter = charter
        self.game = game
        self.table_state = TableState.begin(charter, game)
        self.halted = False
        self._words = NO_CHAT
        self._talk = NO_REFEREE_TALK
        self._referee = referee
        self._agreements: tuple[Agreement, ...] = ()
        self._ended: tuple[Agreement, ...] = ()
        self._deal = -1
        self._knowledge = Knowledge(None)

    @property
    def _public(self) -> TableState:
        return self.table_state

    def view(self) -> View[Any] | None:
        """Return the newest hand as everybody may see it; None before the first."""
        hand = self.table_state.hand
        if hand is None:
            return None
        faces = self._knowledge.faces if self._deal == hand.machine.deal else {}
        return View(None, hand.machine.state, faces)

    def agreed_end(self) -> tuple[Agreement, ...]:
        """Return what all who are present signed to end the newest hand, for its transcript."""
        hand = self.table_state.hand
        return () if hand is None else agreement_of_all(hand, self._agreements)

    def receive(self, raw: bytes, *, now: float = 0.0) -> list[Event]:
        """Take an envelope that came, and return what comes of it; nothing after a seat was blamed.

        Never raises for what somebody sent.

        Args:
            raw: what a frame held, once the seal is opened: any bytes at all.
            now: seconds of a clock that never falls, by which floods of chat are told.
        """
        if self.halted or self._words.drops(raw, self.charter, self.table_state.counted, now):
            return []
        try:
            message = open_said(raw, self.charter)
            if isinstance(message, Notice):
                return self._heard(message, raw, now)
            if isinstance(message, SignedRuling):
                return self._ruled(message)
            received = receive(self.table_state, message)
        except MalformedMessage:
            return []  # anybody could have sent it
        except PeerFault as fault:
            return self._blame(fault)
        taken, stopped = self._taken(received), self._stopped_hands()
        told = [*taken, *stopped, *self._told_end()]
        if received.fault is None or stopped:  # what was wrong lies behind a ruling's point
            return told
        return [*told, *self._blame(received.fault)]

    def _blame(self, fault: PeerFault) -> list[Event]:
        if fault.evidence:
            confirm(evidence_from_bytes(fault.evidence[0]), self.game)
        self.halted = True
        if not fault.evidence:
            return [SeatSuspected(Seat(fault.seat), fault.check)]
        return [SeatBlamed(Seat(fault.seat), fault.check, fault.evidence[0])]

    def _taken(self, received: Received) -> list[Event]:
        self.table_state = received.table_state
        for disclosure, hand in received.shown:
            if hand.deal != self._deal:
                self._deal, self._knowledge = hand.deal, Knowledge(None)
            self._knowledge = self._knowledge.after((disclosure,), lambda _: None)
        missed = isinstance(received.offered, Held | Strange | Beyond)
        return [
            *(Persist(each.raw) for each in received.accepted),
            *received.events,
            *([MessagesMissed()] if missed else []),
        ]

    def _heard(self, notice: Notice, raw: bytes, now: float) -> list[Event]:
        match notice.content:
            case contents.Chat(text):
                hand = self.table_state.counted
                words = self._words.after(notice.seat, notice.serial, hand, now)
                self._words = words or self._words
                return [] if words is None else [ChatReceived(notice.seat, text)]
            case contents.Heads(_, _, heads):
                return [MessagesMissed()] if lacks_any(self.table_state, heads) else []
            case contents.UnfinishedAgreement() as content:
                said = Agreement(notice.seat, content, raw)
                self._agreements = with_agreement(self._agreements, said, lasting=self.agreed_end())
                return self._told_end()
            case contents.Rematch():
                return []  # what they agree on shows in the ledger, or at another table
            case contents.Continuation():
                return []
            case contents.Challenge() as content:
                told = self._talk.challenged(self.table_state, notice.seat, content, raw)
                if told is None:
                    return []
                self._talk = told
                return [ChallengeMade(notice.seat, content, self._read(notice.seat, content))]
            case opening:
                told = self._talk.opened(self.charter, notice.seat, opening, raw)
                if told is None:
                    return []
                self._talk = told
                known = told.challenges[opening.match, notice.seat, opening.count]
                return [ChallengeMade(notice.seat, known.content, known.text)]

    def _read(self, seat: Seat, content: contents.Challenge) -> str | None:
        """Return what a challenge says, if we are the referee."""
        if self._referee is None:
            return None
        try:
            return read_sentence(self.charter, seat, content, self._referee)
        except MalformedMessage:
            return ""

    def _ruled(self, ruling: SignedRuling) -> list[Event]:
        told = self._talk.ruled(self.table_state, ruling)
        if told is None:
            return []
        self._talk = told
        contradiction = blamed(self.charter, told)
        if contradiction is not None:
            self.halted = True
            return [contradiction]
        return [RulingHeard(ruling), *self._stopped_hands()]

    def _stopped_hands(self) -> list[Event]:
        """Go on from where referees stopped hands, as far as we have come."""
        events: list[Event] = []
        for _, table_state, told in gone_on(self.table_state, self._talk.rulings):
            self.table_state = table_state
            events += told
        return events

    def _told_end(self) -> list[Event]:
        """Tell once that those present have ended the hand, where we have it as far as they."""
        agreed = self.agreed_end()
        if not agreed or agreed == self._ended:
            return []
        self._ended = agreed
        return [HandUnfinished(agreed[0].content.hand, tuple(each.seat for each in agreed))]
