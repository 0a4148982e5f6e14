"""The part of a table's history that counts: hands of a match, and rulings that stopped hands.

A ruling names a point of a hand. Everything behind that point is void, and what follows has numbers
of its own: before the first such ruling numbers are below EPOCH, between the first and the second
below twice EPOCH, and so on. So no seat ever signs two messages for one place. Source: specs 5.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from protocol.places import EPOCH, Lane, LedgerName, Place
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.messages import SignedRuling


class MatchHand(NamedTuple):
    """A hand that counts in a match: its number, its result, and the match's scores before and
    after it.
    """

    number: int
    outcome: Any  #: The game's own.
    before: tuple[int, ...]  #: The match's scores before it.
    scores: tuple[int, ...]  #: Those after it.


@dataclass(frozen=True, slots=True)
class Rulings:
    """The rulings that stopped a hand, in order; `tops` has for each ruling the last numbers of
    the lanes that it left.
    """

    signed: tuple[SignedRuling, ...] = ()
    #: The newest ledger of each lane that each ruling left; what was newer is void.
    tops: tuple[Mapping[Lane, int], ...] = ()

    @property
    def ended(self) -> bool:
        """Whether the last ruling ended play at the table."""
        return bool(self.signed) and self.signed[-1].content.verdict == RulingVerdict.END

    def top(self, lane: Lane, newest: Mapping[Lane, int]) -> int:
        """Return the highest number that is used or skipped in a lane; its next ledger has the one
        after.

        That is the lane's number in `newest`, -1 if it has none, or the last one of the million of
        the last ruling, if that is greater.
        """
        # Numbers of their own after each ruling: no seat signs twice for one place (specs 5.8, no.
        # 3).
        return max(newest.get(lane, -1), len(self.signed) * EPOCH - 1)

    def voids(self, name: LedgerName) -> bool:
        """Return whether a ruling made the whole ledger `name` void: the ledger has a number
        from before that ruling and began behind the ruling's point.
        """
        epoch = name.number // EPOCH
        # An epoch without a ruling yet has no top: nothing in it is void. The number -1, of a peer
        # without ledgers (`far_behind`), is in none.
        # -1: of a lane of which the ruling left no ledger, all is void.
        return 0 <= epoch < len(self.tops) and name.number > self.tops[epoch].get(name.lane, -1)

    def stop_of(self, name: LedgerName) -> SignedRuling | None:
        """Return the ruling that stopped the hand `name`; None if none did, for a hand that an
        earlier ruling made void, and for other lanes.
        """
        if name.lane is not Lane.HAND:
            return None
        found = (each for each in self.signed if each.content.hand == name.number)
        # A hand that an earlier ruling made void was not stopped: it does not exist.
        return next(found, None) if not self.voids(name) else None

    def behind(self, place: Place) -> bool:
        """Return whether a message at this place is void: of a void ledger, or at or behind the
        point where its hand was stopped.
        """
        if not self.signed:
            return False
        stop = self.stop_of(place.ledger)
        # `>=`: the round that was open at the point is void too (specs 5.8, no. 2).
        stopped = stop is not None and place.round >= stop.content.closed
        return stopped or self.voids(place.ledger)


def contradict(one: SignedRuling, other: SignedRuling) -> bool:
    """Return whether two different rulings contradict each other: they name the same hand and count
    of closed rounds, whatever they decide, or both stop a hand and the two hands have numbers in
    one million (specs 5.8, no. 5).

    If one referee signed both, they convict that referee.
    """
    first, second = one.content, other.content
    # One ruling, perhaps with two signatures: the id is of the body alone (CH9).
    if one.id == other.id:
        return False
    # One point, whatever the heads: a referee rules once about a point (specs 5.8, no. 6).
    if (first.hand, first.closed) == (second.hand, second.closed):
        return True
    # Two that stop in one million: after the first the hands have other numbers.
    both = stops(first) and stops(second)
    return both and first.hand // EPOCH == second.hand // EPOCH


def stops(ruling: Ruling) -> bool:
    """Return whether a ruling stops the hand that it names: every verdict but "no action"."""
    return ruling.verdict != RulingVerdict.NO_ACTION
