"""What an explanation of the rules of 304 depends on: the hand, its profile, and who reads it."""

from __future__ import annotations

from typing import NamedTuple

from p2p304.cards import Suit
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import State
from p2p304.rules304.telling.counts import partner
from p2p304.seats import Seat
from p2p304.sentences import Line, Who, say
from p2p304.view import View


class Moment(NamedTuple):
    """A hand as its reader sees it; a spectator has no seat."""

    view: View[State]

    @property
    def state(self) -> State:
        """The public state."""
        return self.view.state

    @property
    def profile(self) -> Profile:
        """The table's profile."""
        return self.view.state.profile

    @property
    def seat(self) -> Seat | None:
        """The reader's seat."""
        return self.view.seat

    @property
    def mine(self) -> bool:
        """Whether the reader is to act."""
        return self.seat in self.state.awaiting

    @property
    def made_by_me(self) -> bool:
        """Whether the reader is the maker."""
        return self.seat is not None and self.seat == self.state.maker

    @property
    def maker(self) -> Line:
        """The maker, as the reader thinks of that seat."""
        return self._named(self.state.maker, "the maker")

    @property
    def caller(self) -> Line:
        """Who called caps, as the reader thinks of that seat."""
        caps = self.state.caps
        return self._named(None if caps is None else caps.seat, "somebody")

    @property
    def trump(self) -> Suit | None:
        """Trump, or the suit of the hidden indicator where the reader knows that card."""
        return self.state.trump_by(self.view.faces)

    def _named(self, who: Seat | None, unknown: str) -> Line:
        if who is None:
            return say(unknown)
        mate = self.seat is not None and who in self.state.mates(self.seat)
        return say(Who(who), f", {partner(self.profile)}," if mate else "")
