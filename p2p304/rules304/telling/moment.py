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


class LessonContext(NamedTuple):
    """A hand as its reader sees it, for explanations of the rules; a spectator has no seat."""

    view: View[State]

    @property
    def state(self) -> State:
        """The public state of the hand."""
        return self.view.state

    @property
    def profile(self) -> Profile:
        """The table's profile."""
        return self.view.state.profile

    @property
    def seat(self) -> Seat | None:
        """The reader's seat; None for a spectator."""
        return self.view.seat

    @property
    def mine(self) -> bool:
        """Whether the table waits for the reader to act; False for a spectator."""
        return self.seat in self.state.awaiting

    @property
    def made_by_me(self) -> bool:
        """Whether the reader is the trump maker; False for a spectator."""
        # Before there is a maker, both would be None for a spectator.
        return self.seat is not None and self.seat == self.state.maker

    @property
    def maker(self) -> Line:
        """The maker as a phrase: "South", "South, your partner," where the reader is its
        partner, or "the maker" before there is one.
        """
        return self._seat_words(self.state.maker, "the maker")

    @property
    def caller(self) -> Line:
        """The caller of caps as a phrase: "South", "South, your partner," where the reader is
        its partner, or "somebody" where nobody called.
        """
        caps = self.state.caps
        return self._seat_words(None if caps is None else caps.seat, "somebody")

    @property
    def trump(self) -> Suit | None:
        """The trump suit if the reader knows it, because trump is open or the reader sees the
        indicator's face; else None.
        """
        return self.state.trump_by(self.view.faces)

    def _seat_words(self, who: Seat | None, unknown: str) -> Line:
        """Return the seat `who` as a phrase: "South", or "South, your partner," where everybody
        knows it as the reader's partner; `unknown` where `who` is None.
        """
        if who is None:
            return say(unknown)
        mate = self.seat is not None and who in self.state.mates(self.seat)
        return say(Who(who), f", {partner(self.profile)}," if mate else "")
