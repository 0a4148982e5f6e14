"""What stands of a table's course: the hands of a match, and the rulings that stopped hands.

A ruling names a point of a hand. What lies behind that point is void, and what follows has numbers
of its own: those before the first such ruling are below EPOCH, those between it and the next one
below twice as many. So nobody ever signs two messages for one place, however far it had come.
Specified in specs/05-hand.md, 5.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from protocol.places import EPOCH, Lane, LedgerName, Place
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.messages import SignedRuling


class MatchHand(NamedTuple):
    """A hand of a match, as it counted."""

    number: int
    outcome: Any
    """The game's own."""
    before: tuple[int, ...]
    """The match's scores before it."""
    scores: tuple[int, ...]
    """Those after it."""


@dataclass(frozen=True, slots=True)
class Rulings:
    """The rulings that stopped a hand, in their order, and what was left of the lanes by each."""

    signed: tuple[SignedRuling, ...] = ()
    tops: tuple[Mapping[Lane, int], ...] = ()
    """The newest ledger of each lane that each ruling left; what was newer is void."""

    @property
    def next_number(self) -> int:
        """The least number that a ledger may begin with from now on."""
        return len(self.signed) * EPOCH

    @property
    def ended(self) -> bool:
        """Whether the last one has ended what is played at the table."""
        return bool(self.signed) and self.signed[-1].content.verdict == RulingVerdict.END

    def after(self, ruling: SignedRuling, top: Mapping[Lane, int]) -> Rulings:
        """Return the rulings after one more, which leaves these ledgers."""
        return Rulings((*self.signed, ruling), (*self.tops, top))

    def top(self, lane: Lane, newest: Mapping[Lane, int]) -> int:
        """Return the number before that of the next ledger of a lane."""
        return max(newest.get(lane, -1), self.next_number - 1)

    def voids(self, name: LedgerName) -> bool:
        """Tell whether there is nothing of a ledger that counts, or will ever count."""
        epoch = name.number // EPOCH
        return 0 <= epoch < len(self.tops) and name.number > self.tops[epoch].get(name.lane, -1)

    def stop_of(self, name: LedgerName) -> SignedRuling | None:
        """Return the ruling that stopped a hand, if one did."""
        if name.lane is not Lane.HAND:
            return None
        found = (each for each in self.signed if each.content.hand == name.number)
        return next(found, None) if not self.voids(name) else None

    def behind(self, place: Place) -> bool:
        """Tell whether what stands at a place is void by a ruling."""
        if not self.signed:
            return False
        stop = self.stop_of(place.ledger)
        stopped = stop is not None and place.round >= stop.content.closed
        return stopped or self.voids(place.ledger)

    def since(self, number: int) -> tuple[SignedRuling, ...]:
        """Return the rulings that somebody may lack whose newest ledger has that number."""
        return self.signed[max(number, 0) // EPOCH :]


NO_RULINGS: Final = Rulings()


def contradict(one: SignedRuling, other: SignedRuling) -> bool:
    """Tell whether no referee may have signed both: two for one point, or two that stop a hand with
    none of them among what had followed from the other."""
    first, second = one.content, other.content
    if one.id == other.id:
        return False
    if (first.hand, first.closed) == (second.hand, second.closed):
        return True
    both = stops(first) and stops(second)
    return both and first.hand // EPOCH == second.hand // EPOCH


def stops(ruling: Ruling) -> bool:
    """Tell whether a ruling stops the hand that it names."""
    return ruling.verdict != RulingVerdict.NO_ACTION
