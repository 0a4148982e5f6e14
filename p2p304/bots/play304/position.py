"""A decision of 304 as it is put to a player: what the seat sees, may do, and thinks with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from p2p304.bots.advice import Advice
from p2p304.bots.levels import Level, More
from p2p304.bots.play304.imagined_table import Imagined
from p2p304.bots.play304.scenes import ImaginedCards, stage_of
from p2p304.bots.search.worlds import NoCardLeftError, OpenWorlds
from p2p304.cards import Card
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.view import View


class Position(NamedTuple):
    """A view of a seat that is to act, with its legal actions and the bounds of its thought."""

    game: Game304
    view: View[State]
    seat: Seat
    legal: tuple[Action, ...]
    level: Level
    chance: SeededRandomness
    #: Ends a thought earlier; None for as long as the level lasts, so that a seed repeats it.
    more: More | None = None

    @property
    def own_cards(self) -> tuple[Card, ...]:
        """The seat's unplayed cards, a maker's indicator on the table last; empty once all are
        played. Raises KeyError for a card that the view has not seen.
        """
        state, faces = self.view.state, self.view.faces
        slots = state.hands[self.seat]
        if self.seat == state.maker and state.indicator is not None:
            slots = (*slots, state.indicator)
        return tuple(faces[slot] for slot in slots)

    def scenes(self) -> Iterator[Imagined]:
        """Yield positions for playouts, each with a layout of the cards that fits what the seat has
        seen.

        There are at most as many as the level has deals; fewer when time is up, and where a drawn
        layout comes to nothing.
        """
        stage, worlds = stage_of(self.view.state), OpenWorlds(self.game, self.view)
        for _ in range(self.level.deals):
            try:
                yield stage.scene(ImaginedCards(worlds.draw(self.chance)))
            # A draw that leads nowhere; the next one may fit. It took little time, so the clock is
            # not looked at.
            except NoCardLeftError:
                continue
            if self.more is not None and not self.more():
                return


def any_choice(position: Position) -> Advice:
    """Advise one of the legal actions, drawn by chance."""
    choice = position.legal[position.chance.randbelow(len(position.legal))]
    return Advice(choice, "One choice is as good as another here.")
