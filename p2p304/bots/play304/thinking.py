"""How long a player thinks, counted in what it imagines and not in time, and what it then says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.bots.advice import Advice
from p2p304.bots.levels import More
from p2p304.cards import Card
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action
from p2p304.rules304.bits import mask
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The bounds of a player's thought. Raises ValueError for less than one layout."""

    layouts: int
    """Layouts that are imagined for one decision; each is played out once for every choice."""
    nodes: int
    """Nodes that may be searched for a sure order of cards; 0 leaves caps uncalled."""
    more: More | None = None
    """Ends it earlier; None for as long as the bounds last, so that a seed repeats it."""

    def __post_init__(self) -> None:
        if self.layouts < 1 or self.nodes < 0:
            raise ValueError("a player imagines one layout at least, and no negative search")

    def goes_on(self) -> bool:
        """Tell whether there is time for more."""
        return self.more is None or self.more()


QUICK: Final = Thinking(layouts=8, nodes=500)
STEADY: Final = Thinking(layouts=48, nodes=2_000)
DEEP: Final = Thinking(layouts=200, nodes=20_000)
DEPTHS: Final = {"quick": QUICK, "steady": STEADY, "deep": DEEP}


class Position(NamedTuple):
    """A view of somebody who is to act, and what that seat thinks with."""

    view: View[State]
    seat: Seat
    legal: tuple[Action, ...]
    thinking: Thinking
    chance: SeededRandomness

    @property
    def own_cards(self) -> tuple[Card, ...]:
        """The seat's cards, its indicator on the table included."""
        state, faces = self.view.state, self.view.faces
        slots = state.hands[self.seat]
        if self.seat == state.maker and state.indicator is not None:
            slots = (*slots, state.indicator)
        return tuple(faces[slot] for slot in slots)


_STIR: Final = 0x2545F4914F6CDD1D


def chance_for(seed: int, view: View[State], seat: Seat) -> SeededRandomness:
    """Return randomness that is the same for one seed and view, and differs at the next
    decision."""
    own = mask(view.faces[slot] for slot in view.state.hands[seat])
    number = seed
    for part in (own, len(view.state.log), int(seat)):
        number = (number * _STIR + part + 1) & (1 << 64) - 1
    chance = SeededRandomness(number)
    chance.word()
    return chance


def any_choice(position: Position) -> Advice:
    """Advise a choice that is drawn."""
    choice = position.legal[position.chance.randbelow(len(position.legal))]
    return Advice(choice, "One choice is as good as another here.")
