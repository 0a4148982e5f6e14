"""Why those who are there cannot end a hand, and what a table waits for, in words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from cli.ui.words import place, places
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat

PLAY_ON: Final = (
    "You play on. What you signed is not taken back: if all the others agree before you move, the"
    " hand has ended."
)


def why_no_end(game: Game304, state: State | None, present: Collection[Seat]) -> str:
    """Why those present cannot end the hand where it stands; nothing if they can."""
    if state is None:
        return "There is no hand to end."
    if game.is_over(state):
        return "The hand has its result and waits for a signature: there is nothing to end."
    for sides in game.sides(state):
        for side in sides:
            if not set(side) & set(present):
                one = " or ".join(place(seat) for seat in side)
                return f"A hand ends only if every side agrees, {one} too: the table waits."
    return ""


def owed(game: Game304, state: State | None) -> str:
    """What a table waits for, where that is more than a move."""
    if state is None:
        return ""
    if game.is_over(state):
        return "a signature of the result"
    return "the cards face down" if state.phase is Phase.COUNT else ""


def agreed_words(present: tuple[Seat, ...], own: Seat | None) -> str:
    """Who must agree, too, once we have agreed to end a hand."""
    others = places(tuple(seat for seat in present if seat != own))
    return f"You agree to end the hand; {others} must, too. The key e plays on all the same."
