"""What each seat said last of going on with the match at another table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from p2p304.seats import Seat
from protocol.wire.contents import Continuation


class Vote(NamedTuple):
    """What a seat said, the serial of its notice, and the envelope in which it did."""

    serial: int
    content: Continuation
    raw: bytes


@dataclass(frozen=True, slots=True)
class Votes:
    """The latest vote of each seat. Bounded."""

    said: Mapping[Seat, Vote] = field(default_factory=dict)
    told_at: float | None = None
    """When ours was last sent."""
    agreed: bytes = b""
    """The id of the table of which it was told that all agree."""
    ready: bool = False
    """Whether its charter was told."""
    moved: bool = False
    """Whether we may have sat down there, also before a restart: to play on here, or to go on at a
    third table, could convict us."""

    def after(self, seat: Seat, vote: Vote) -> Votes | None:
        """Return the votes after one more; None for one that is not newer than its seat's last."""
        before = self.said.get(seat)
        if before is not None and vote.serial <= before.serial:
            return None
        return replace(self, said={**self.said, seat: vote})

    def of(self, seat: Seat) -> Continuation | None:
        """Return what a seat said last."""
        found = self.said.get(seat)
        return None if found is None else found.content

    def left_out(self, content: Continuation) -> tuple[Seat, ...]:
        """Return the seats that would be left out at that table, and have said that they are
        there."""
        return tuple(each for each in self.refusing(content) if not content.present >> each & 1)

    def taken_back(self, content: Continuation) -> Votes:
        """Return the votes without what was said for a table at which a seat would be left out that
        is there.

        It counts no more, whatever that seat is brought to say next: its latest word may be about
        another table.
        """
        taken_back = {
            seat: vote._replace(content=replace(vote.content, agreed=0))
            for seat, vote in self.said.items()
            if vote.content.table == content.table
        }
        return replace(self, said={**self.said, **taken_back})

    def agreeing(self, content: Continuation) -> tuple[Seat, ...]:
        """Return the seats that go on and agree to the same."""
        return tuple(
            seat
            for seat, (_, said, _) in sorted(self.said.items())
            if said.agreed and said.same_as(content) and content.present >> seat & 1
        )

    def refusing(self, content: Continuation) -> tuple[Seat, ...]:
        """Return the seats that do not agree to that table."""
        return tuple(
            seat
            for seat, (_, said, _) in sorted(self.said.items())
            if not said.agreed and said.table == content.table
        )


NO_VOTES: Final = Votes()
