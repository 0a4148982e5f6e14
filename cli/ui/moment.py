"""What an explanation of the rules depends on: the hand, its profile, and who reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cli.ui.words import place
from p2p304.cards import Card, Suit
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import State, partner
from p2p304.seats import Seat
from p2p304.slots import Slot


class Moment(NamedTuple):
    """What an explanation depends on."""

    state: State
    profile: Profile
    seat: Seat | None
    faces: Mapping[Slot, Card]

    @property
    def mine(self) -> bool:
        """Whether the reader is to act."""
        return self.seat in self.state.awaiting

    @property
    def made_by_me(self) -> bool:
        """Whether the reader is the maker."""
        return self.seat is not None and self.seat == self.state.maker

    @property
    def maker(self) -> str:
        """The maker, as the reader thinks of that seat."""
        return self._named(self.state.maker, "the maker")

    @property
    def caller(self) -> str:
        """Who called caps, as the reader thinks of that seat."""
        caps = self.state.caps
        return self._named(None if caps is None else caps.seat, "somebody")

    @property
    def trump(self) -> Suit | None:
        """Trump, or the suit of the hidden indicator where the reader knows that card."""
        slot = self.state.trump_slot
        face = None if slot is None else self.faces.get(slot)
        return self.state.trump if face is None else face.suit

    def _named(self, who: Seat | None, unknown: str) -> str:
        if who is None:
            return unknown
        mate = self.seat is not None and partner(self.seat) == who
        return f"{place(who)}, your partner," if mate else place(who)
