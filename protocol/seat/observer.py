"""Watching a table: everything public, verified message by message, without a seat or a key.

A watcher signs nothing, so it cannot ask for what it missed; it takes what the seats send, and send
again. What it accepted is told by `Persist` and can be saved and audited.
"""

from __future__ import annotations

from typing import Any

from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import View
from protocol.errors import MalformedMessage, PeerFault
from protocol.ledger.events import ChatReceived, Event, Persist, SeatBlamed, SeatSuspected
from protocol.ledger.evidence import Fault
from protocol.ledger.table import TableState
from protocol.seat.talk import NO_WORDS
from protocol.wire.authenticate import open_message
from protocol.wire.charter import Charter
from protocol.wire.contents import Chat
from protocol.wire.messages import Notice


class Watcher:
    """What a spectator or referee knows of a table. Use it from one thread at a time."""

    def __init__(self, *, charter: Charter, game: AnyGame) -> None:
        """A watcher from the first message on. Raises LocalError for a game of other seats."""
        self.charter = charter
        self.table_state = TableState.begin(charter, game)
        self.halted = False
        self._words = NO_WORDS

    def view(self) -> View[Any] | None:
        """The newest hand as everybody may see it; None before the first."""
        hand = self.table_state.hand
        return None if hand is None else View(None, hand.course.state, hand.course.faces)

    def _noticed(self, notice: Notice) -> list[Event]:
        said, words = notice.content, self._words
        if not isinstance(said, Chat) or not words.is_new(notice.seat, notice.serial):
            return []
        self._words = words.noted(notice.seat, notice.serial, self.table_state.counted)
        return [ChatReceived(notice.seat, said.text)]

    def receive(self, raw: bytes) -> list[Event]:
        """What comes of an envelope; nothing after a seat was blamed."""
        if self.halted:
            return []
        try:
            message = open_message(raw, self.charter)
            if isinstance(message, Notice):
                return self._noticed(message)
            received = self.table_state.receive(message)
        except MalformedMessage:
            return []  # anybody could have sent it
        except PeerFault as fault:
            self.halted = True
            if not fault.evidence:
                return [SeatSuspected(Seat(fault.seat), fault.check)]
            evidence = fault.evidence[0]
            if evidence == raw:  # malformed in itself, whatever came before
                evidence = Fault(self.charter, fault.check, (), raw).to_bytes()
            return [SeatBlamed(Seat(fault.seat), fault.check, evidence)]
        self.table_state = received.table_state
        return [*(Persist(each.raw) for each in received.accepted), *received.events]
