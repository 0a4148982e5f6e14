"""What one seat knows in the middle of a hand: the information set of RULES 13.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.cards import Card, Suit
from p2p304.seats import Seat
from p2p304.slots import Slot
from p2p304.statements import Statement


class PlayRules(NamedTuple):
    """The parameters that bend the play of one hand."""

    cards: int = 8
    """Cards dealt to each seat, which is the number of tricks."""
    first_lead_ban: bool = True
    """With trump hidden the maker may not lead a trump to trick 1 (RULES 8)."""
    all_trumps_may_lead: bool = False
    """The ban is waived for a hand of trumps alone, as trump cannot be opened (S12)."""
    opens_after_first: bool = False
    """The indicator is shown after trick 1 (RULES 11.1)."""
    exhausted: bool = True
    """Exhausted trumps bind the maker's leads (RULES 11.2)."""


ORDINARY: Final = PlayRules()


class PlayedSlot(NamedTuple):
    """One card of the trick in progress."""

    seat: Seat
    slot: Slot
    down: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationSet:
    """What `seat` knows at one index of the log, and nothing else (RULES 13.1).

    Between two tricks `plays` is empty and `leader` is the seat that leads next. Raises
    ValueError for what no hand can lead to.
    """

    seat: Seat
    maker: Seat
    rules: PlayRules = ORDINARY
    leader: Seat
    plays: tuple[PlayedSlot, ...] = ()
    """The trick in progress, in order."""
    hands: tuple[tuple[Slot, ...], ...]
    """Unplayed slots of each seat, without the indicator while it lies on the table."""
    indicator: Slot | None
    """The indicator while trump is hidden, on the table or face down in the trick in progress."""
    trump: Suit | None
    """The trump suit if the seat knows it: trump is open, or the seat is the maker."""
    hidden: tuple[Slot, ...] = ()
    """Cards of completed tricks that the seat never saw."""
    faces: Mapping[Slot, Card]
    """At least every face that the seat knows among the slots named above and in `facts`."""
    unseen: frozenset[Card]
    """The cards that the seat has not seen, wherever they are."""
    facts: tuple[Statement, ...] = ()
    unfollowed: frozenset[Suit] = frozenset()
    """Suits that the maker led in completed tricks and nobody followed (RULES 11.2)."""
    unbeaten: bool = True
    """Whether the seat's team has won every completed trick."""

    def __post_init__(self) -> None:
        unknown = len(self.unknown_slots())
        if unknown != len(self.unseen):
            raise ValueError(f"{unknown} slots without a face for {len(self.unseen)} unseen cards")
        if any(slot not in self.faces for slot in self.hands[self.seat]):
            raise ValueError("a seat knows its own cards")
        if (self.indicator is None or self.seat == self.maker) and self.trump is None:
            raise ValueError("open trump is known to all, and hidden trump to the maker")
        if (self.indicator in self.faces) != (self.seat == self.maker and self.hidden_trump):
            raise ValueError("a hidden indicator is known to the maker alone")
        tricks_left = {self._cards_left(seat) for seat in map(Seat, range(self.seats))}
        if len(tricks_left) != 1 or not 1 <= self.trick <= self.rules.cards:
            raise ValueError("the hands do not fit the trick in progress")

    @property
    def seats(self) -> int:
        """How many seats play."""
        return len(self.hands)

    def _cards_left(self, seat: Seat) -> int:
        played = any(play.seat == seat for play in self.plays)
        return len(self.hands[seat]) + (seat == self.maker and self.on_table) + played

    @property
    def hidden_trump(self) -> bool:
        """Whether the face of the indicator is not public."""
        return self.indicator is not None

    @property
    def on_table(self) -> bool:
        """Whether the indicator lies on the table, neither shown nor played."""
        return self.indicator is not None and all(
            play.slot != self.indicator for play in self.plays
        )

    @property
    def trick(self) -> int:
        """The trick in progress or about to begin, from 1."""
        return self.rules.cards + 1 - self._cards_left(self.seat)

    def unknown_slots(self) -> tuple[Slot, ...]:
        """Return every slot whose card the seat must imagine: hands, trick, indicator, hidden
        ones."""
        slots = [slot for hand in self.hands for slot in hand]
        slots += [play.slot for play in self.plays]
        if self.indicator is not None and self.on_table:
            slots.append(self.indicator)
        slots += self.hidden
        return tuple(slot for slot in slots if slot not in self.faces)

    def own_cards(self) -> tuple[Card, ...]:
        """Return the seat's unplayed cards, a maker's indicator on the table included."""
        slots = self.hands[self.seat]
        if self.indicator is not None and self.seat == self.maker and self.on_table:
            slots = (*slots, self.indicator)
        return tuple(self.faces[slot] for slot in slots)
