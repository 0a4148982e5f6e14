"""What was said beside the game: each word once, however often a broker repeats it, and no flood.

Chat is told apart by the serial of its notice, which its author raises with every word, also after
a restart. Whoever keeps the notices that were shown can therefore show each once, for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from p2p304.seats import Seat
from protocol.wire.charter import Charter
from protocol.wire.messages import chat_said

REMEMBERED: Final = 256
"""Notices whose repetition is known as such."""

BURST: Final = 8
"""Words of one seat that are heard within PERIOD."""

PERIOD: Final = 10.0
"""Seconds."""

WINDOW: Final = 64
"""Latest serials of one seat that are known one by one; all below them count as heard."""

MOST_IN_A_HAND: Final = 256
"""Words of one seat that are heard before the next hand begins: they are kept in the journal."""


@dataclass(frozen=True, slots=True)
class NoticesHeard:
    """Notices heard lately that ask something of our player. Immutable and bounded."""

    heard: tuple[bytes, ...] = ()
    times: Mapping[Seat, tuple[float, ...]] = field(default_factory=dict)

    def after(self, seat: Seat, notice: bytes, now: float) -> NoticesHeard | None:
        """Return what was heard with this notice of `seat`; None if it is not to be heard, or not
        again."""
        if notice in self.heard:
            return None
        recent = tuple(each for each in self.times.get(seat, ()) if now - each < PERIOD)
        if len(recent) >= BURST:
            return None
        heard = (*self.heard, notice)[-REMEMBERED:]
        return replace(self, heard=heard, times={**self.times, seat: (*recent, now)})


NO_NOTICES: Final = NoticesHeard()


@dataclass(frozen=True, slots=True)
class ChatHeard:
    """The serials of the chat that was heard of each seat. Immutable and bounded."""

    serials: Mapping[Seat, tuple[int, ...]] = field(default_factory=dict)
    times: Mapping[Seat, tuple[float, ...]] = field(default_factory=dict)
    counts: Mapping[Seat, tuple[int, int]] = field(default_factory=dict)
    """How many words a seat said in the latest hand in which it said any: hand, words."""

    def is_new(self, seat: Seat, serial: int) -> bool:
        """Tell whether no word of `seat` with this serial can have been heard."""
        known = self.serials.get(seat, ())
        return serial not in known and (len(known) < WINDOW or serial > known[0])

    def drops(self, raw: bytes, charter: Charter, hand: int, now: float) -> bool:
        """Tell whether an envelope says to be chat that is not to be heard, which costs nobody a
        signature: its seat has used up its allowance, or the word was heard.

        A forged one is dropped at most: allowances are used up by words that a seat has signed.
        """
        said = chat_said(raw, charter)
        return said is not None and self.after(*said, hand, now) is None

    def noted(self, seat: Seat, serial: int, hand: int) -> ChatHeard:
        """Note a word that was heard in a hand, now or before a restart."""
        known = tuple(sorted((*self.serials.get(seat, ()), serial))[-WINDOW:])
        count = (hand, self._count(seat, hand) + 1)
        return replace(
            self,
            serials={**self.serials, seat: known},
            counts={**self.counts, seat: count},
        )

    def after(self, seat: Seat, serial: int, hand: int, now: float) -> ChatHeard | None:
        """Return what was heard with a word of `seat`, in the newest hand; None if it is not to be
        heard."""
        recent = tuple(each for each in self.times.get(seat, ()) if now - each < PERIOD)
        full = len(recent) >= BURST or self._count(seat, hand) >= MOST_IN_A_HAND
        if full or not self.is_new(seat, serial):
            return None
        words = self.noted(seat, serial, hand)
        return replace(words, times={**self.times, seat: (*recent, now)})

    def _count(self, seat: Seat, hand: int) -> int:
        latest, words = self.counts.get(seat, (hand, 0))
        return words if latest == hand else 0


NO_CHAT: Final = ChatHeard()
