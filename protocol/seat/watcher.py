"""A watcher of a table: verifies every public message, without a seat or a key.

A watcher signs nothing. It asks the seats for messages that it missed, by the lobby. Each accepted
message is a `Persist`, and can be saved and audited.
"""

from __future__ import annotations

from typing import Any

from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import View
from protocol.errors import MalformedMessage, PeerFault
from protocol.seat.view import TableView
from protocol.table.events import Event, MessagesMissed, Persist, SeatBlamed, SeatSuspected
from protocol.table.judge_again import confirmed_evidence
from protocol.table.ledger import Early, OtherHistory, TooFarAhead
from protocol.table.sync import lacks_any
from protocol.table.table import Received, TableState, receive
from protocol.topics.listed import TOPIC_OF, WatchedTopics, spoken_topics
from protocol.topics.step import Watched
from protocol.wire.charter import Charter
from protocol.wire.contents import Heads
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedMessage, open_table_message


class Watcher(TableView, WatchedTopics):
    """The state of a table for a spectator or a referee. Use it from one thread at a time."""

    def __init__(
        self, *, charter: Charter, game: AnyGame, referee: SigningKey | None = None
    ) -> None:
        """Set up a watcher, before the first message.

        Raises LocalError if the game has another number of seats than the charter, or if no match
        can go on as the charter says.

        Args:
            charter: of the table; messages that were signed for another one are dropped.
            game: the charter's, as `p2p304.games.agreed_game` makes it.
            referee: the key of a referee of the charter, which opens challenges before their hand
                has ended; None for a spectator.
        """
        self.charter = charter
        self.game = game
        self._state = Watched(TableState.begin(charter, game), 0.0, referee=referee)

    @property
    def halted(self) -> bool:
        """Whether a seat or a referee was blamed or suspected, after which nothing is processed."""
        return self._state.stopped

    def view(self) -> View[Any] | None:
        """Return the public view of the newest hand; None before the first."""
        hand = self.table_state.hand()
        # A watcher has no key: it knows the cards that lie open, and no others.
        return None if hand is None else View(None, hand.machine.state, hand.machine.faces)

    def receive(self, raw: bytes, *, now: float = 0.0) -> list[Event]:
        """Process an envelope from the table, and return the events; none once a seat or a referee
        was blamed.

        Never raises for the content of an envelope. A message that came too early or is of another
        history gives MessagesMissed, and so do heads that name messages that are not here.

        Args:
            raw: the payload of a frame: any bytes at all.
            now: monotonic seconds, which limit floods of chat.
        """
        # Of one message: what an earlier one brought was returned then.
        seen = self._state._replace(now=now, events=(), fault=None)
        # Before the signature is checked: a flood of words must stay cheap (attacks MQ26).
        if seen.stopped or any(topic.drops(seen, raw, now) for topic in spoken_topics(seen)):
            return []
        try:
            message = open_table_message(raw, self.charter)
            if isinstance(message, SignedMessage):
                seen = self._take(seen, receive(seen.table_state, message))
            elif isinstance(message.content, Heads):
                # It cannot ask the seat by notice: the driver asks in the lobby.
                missed = lacks_any(seen.table_state, message.content.heads)
                # `seen` need not be kept: heads change nothing at a watcher.
                return [MessagesMissed()] if missed else []
            elif (topic := TOPIC_OF.get(type(message.content))) is not None:
                seen = topic.watch(seen, message)
        except MalformedMessage:
            return []  # anybody could have sent it
        # A message that convicts its seat: the watcher stops as a seat does (specs 7.7).
        except PeerFault as fault:
            return self._blame(fault)
        # A ruling is told before an end by agreement, which may lie behind its point.
        for topic in () if seen.stopped else reversed(spoken_topics(seen)):
            seen = topic.watch_on(seen)
        self._state = seen
        blamed = [] if seen.fault is None else self._blame(seen.fault)
        return [*seen.events, *blamed]

    def _blame(self, fault: PeerFault) -> list[Event]:
        """Stop for good; return SeatBlamed for the seat of this fault, or SeatSuspected if it has
        no evidence.

        Raises InternalFault if plain arithmetic does not find the fault.
        """
        found = confirmed_evidence(fault, self.game)
        self._state = self._state._replace(stopped=True)
        # Keys that cancel: nobody alone can be shown to be at fault (attacks G8).
        if found is None:
            return [SeatSuspected(Seat(fault.seat), fault.check)]
        return [SeatBlamed(Seat(fault.seat), fault.check, fault.evidence[0])]

    def _take(self, seen: Watched, received: Received) -> Watched:
        """Return `seen` with what a ledger message brought: the table, a fault, `Persist` for
        each accepted message, the events, and MessagesMissed if it came too early or is of
        another history.
        """
        missed = isinstance(received.offered, Early | OtherHistory | TooFarAhead)
        seen = seen._replace(table_state=received.table_state, fault=received.fault)
        return seen.with_events(
            *(Persist(each.raw) for each in received.accepted),
            *received.events,
            *([MessagesMissed()] if missed else []),
        )
