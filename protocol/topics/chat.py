"""Chat: each line is shown once, however often a broker repeats it, and floods are cut (specs 7.8).

A line is identified by the serial of its notice, which its author raises with every notice, also
after a restart. A seat that keeps the notices it has shown can therefore show each once, for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from p2p304.seats import Seat
from protocol.bounds import BURST, CHAT_WINDOW, MOST_IN_A_HAND, PERIOD, TOLD_AGAIN
from protocol.table.events import ChatReceived, Event, Persist, WordsLeftOut
from protocol.topics.commands import Say
from protocol.topics.step import (
    SessionState,
    SessionStatus,
    SessionStep,
    Topic,
    Watched,
    send_notice,
)
from protocol.wire.contents import Chat
from protocol.wire.messages import SignedNotice, chat_names


@dataclass(frozen=True, slots=True)
class ChatHeard:
    """The lines of chat that were shown, by seat and serial, with times, counts and warnings.
    Immutable and bounded.
    """

    #: Of each seat the highest that were shown, ascending, at most CHAT_WINDOW.
    serials: Mapping[Seat, tuple[int, ...]] = field(default_factory=dict)
    #: When lines of each seat were shown in the last PERIOD seconds.
    times: Mapping[Seat, tuple[float, ...]] = field(default_factory=dict)
    #: How many words a seat said in the latest hand in which it said any: hand, words.
    counts: Mapping[Seat, tuple[int, int]] = field(default_factory=dict)
    #: When it was told last that words of a seat are left out.
    told: Mapping[Seat, float] = field(default_factory=dict)

    def is_new(self, seat: Seat, serial: int) -> bool:
        """Return whether a line of `seat` with this serial counts as not shown yet.

        A serial below the newest CHAT_WINDOW known ones counts as shown.
        """
        known = self.serials.get(seat, ())
        # Full: every serial below the lowest known one counts as heard, so that memory is bounded
        # (specs 7.8).
        return serial not in known and (len(known) < CHAT_WINDOW or serial > known[0])

    def note(self, seat: Seat, serial: int, hand: int) -> ChatHeard:
        """Return the state with a line of `seat` marked as shown and counted for `hand`, the number
        of hands counted so far.

        Its time is not noted: the line may come from a journal.
        """
        # Sorted: a broker may deliver lines in any order.
        known = tuple(sorted((*self.serials.get(seat, ()), serial))[-CHAT_WINDOW:])
        count = (hand, self._count(seat, hand) + 1)
        return replace(
            self,
            serials={**self.serials, seat: known},
            counts={**self.counts, seat: count},
        )

    def after(self, seat: Seat, serial: int, hand: int, now: float) -> ChatHeard | None:
        """Return the state with a line of `seat` shown at the time `now` (seconds) and counted
        for `hand`, the number of hands counted so far; None if the line was shown before or
        exceeds the seat's limits.
        """
        # Not noted: a line over the limit can still be shown if it comes again later.
        if self._is_full(seat, hand, now) or not self.is_new(seat, serial):
            return None
        words = self.note(seat, serial, hand)
        return replace(words, times={**self.times, seat: (*self._recent(seat, now), now)})

    def warned_of_gap(self, seat: Seat, serial: int, hand: int, now: float) -> ChatHeard | None:
        """Return the state that records a warning to our player, at the time `now` (seconds), that
        lines of `seat` are left out.

        None if no warning is due: the line was shown before or is within the limits, or the last
        warning about the seat is less than TOLD_AGAIN seconds old.
        """
        # The warning is limited too, or a flood would fill the screen with warnings. The default is
        # long enough ago also for a clock that begins at 0.
        told = now - self.told.get(seat, -TOLD_AGAIN) < TOLD_AGAIN
        if told or not self._is_full(seat, hand, now) or not self.is_new(seat, serial):
            return None
        return replace(self, told={**self.told, seat: now})

    def _recent(self, seat: Seat, now: float) -> tuple[float, ...]:
        """Return the times of the lines of `seat` in the last PERIOD seconds."""
        return tuple(each for each in self.times.get(seat, ()) if now - each < PERIOD)

    def _is_full(self, seat: Seat, hand: int, now: float) -> bool:
        """Tell whether `seat` has used up its limits: BURST lines in PERIOD seconds, or
        MOST_IN_A_HAND in this hand.
        """
        # The second limit bounds the journal, in which every shown line is kept.
        return len(self._recent(seat, now)) >= BURST or self._count(seat, hand) >= MOST_IN_A_HAND

    def _count(self, seat: Seat, hand: int) -> int:
        """Return how many lines of `seat` were counted for this hand."""
        latest, words = self.counts.get(seat, (hand, 0))
        # Of an earlier hand: the limit begins anew.
        return words if latest == hand else 0


class ChatTopic(Topic[ChatHeard, SignedNotice[Chat]]):
    """The chat of the players."""

    name = "chat"
    messages = (Chat,)
    # A chat line signs nothing in a ledger: a seat that returns, or has agreed to end the hand, may
    # chat (specs 7.6).
    commands: ClassVar = {Say: (SessionStatus.RETURNING, SessionStatus.AGREEING)}

    def drops(self, state: SessionState | Watched, raw: bytes, now: float) -> bool:
        """Return whether to drop an envelope before its signature is checked: it claims to be a
        line of chat that was shown, or one beyond its seat's limits of which no warning is due.

        A forged envelope can only be dropped: signed lines alone use up a limit.
        """
        said = chat_names(raw, state.table_state.charter)
        if said is None:
            return False
        seat, serial = said
        return self._hear(state, seat, serial, now)[0] is None

    def _hear(
        self, state: SessionState | Watched, seat: Seat, serial: int, now: float, text: str = ""
    ) -> tuple[ChatHeard | None, tuple[Event, ...]]:
        """Return the state after a line of `seat`, and the event for our player: ChatReceived or
        WordsLeftOut.

        The state is None if nothing changes; ignore the event then.
        """
        # By counted hands, which all seats count alike.
        hand, heard = state.table_state.counted, self.of(state)
        # Without a text `drops` asks: it looks at the state alone, and tells no event.
        words = heard.after(seat, serial, hand, now)
        if words is not None:
            return words, (ChatReceived(seat, text),)
        return heard.warned_of_gap(seat, serial, hand, now), (WordsLeftOut(seat),)

    def hear(self, step: SessionStep, message: SignedNotice[Chat]) -> SessionStep:
        """Show a peer's line: persist it and emit ChatReceived.

        For a line beyond its seat's limits emit WordsLeftOut, at most once in TOLD_AGAIN seconds
        for a seat, and persist nothing. A line shown before changes nothing.
        """
        seat, text = message.seat, message.content.text
        words, told = self._hear(step.state, seat, message.serial, step.now, text)
        if words is None:
            return step
        # Only a shown line is kept, so that it is not shown again after a restart (specs 7.8).
        kept = (Persist(message.raw),) if isinstance(told[0], ChatReceived) else ()
        return self.with_state(step, words).with_events(*kept, *told)

    def remember(self, step: SessionStep, message: SignedNotice[Chat]) -> SessionStep:
        """Mark a line from the journal as shown, without an event."""
        hand = step.state.table_state.counted
        return self.with_state(step, self.of(step.state).note(message.seat, message.serial, hand))

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Sign, persist and send our player's line of chat, without an event that shows it;
        raises LocalError for more than 500 characters.
        """
        # Not noted as heard: a notice of our own that comes back is not passed to `hear`.
        return send_notice(step, Chat(command.text))[0]

    def watch(self, seen: Watched, message: SignedNotice[Chat]) -> Watched:
        """Emit ChatReceived for a line; for one beyond its seat's limits WordsLeftOut, at most
        once in TOLD_AGAIN seconds for a seat; nothing for a line shown before.
        """
        seat, text = message.seat, message.content.text
        words, told = self._hear(seen, seat, message.serial, seen.now, text)
        return seen if words is None else self.watched_with_state(seen, words).with_events(*told)


CHAT: Final = ChatTopic(ChatHeard())
