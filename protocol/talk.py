"""Chat that was heard: each word once, however often a broker repeats it, and no flood of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from p2p304.seats import Seat

REMEMBERED: Final = 256
"""Notices whose repetition is known as such."""

BURST: Final = 8
"""Words of one seat that are heard within PERIOD."""

PERIOD: Final = 10.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said lately, and when. Immutable and bounded."""

    heard: tuple[bytes, ...] = ()
    times: Mapping[Seat, tuple[float, ...]] = field(default_factory=dict)

    def after(self, seat: Seat, notice: bytes, now: float) -> Talk | None:
        """After `seat` said the notice with this id; None if it is not to be heard (again)."""
        if notice in self.heard:
            return None
        recent = tuple(each for each in self.times.get(seat, ()) if now - each < PERIOD)
        if len(recent) >= BURST:
            return None
        heard = (*self.heard, notice)[-REMEMBERED:]
        return replace(self, heard=heard, times={**self.times, seat: (*recent, now)})


NO_TALK: Final = Talk()
