"""What a game may bring to the search: what is known of playing it well, and a faster way to play.

A game without either is searched all the same: cards are drawn from those that its view leaves
open, every choice looks equally good at first, and hands are played out at random.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from p2p304.bots.advice import Advice
from p2p304.bots.levels import Level, More
from p2p304.cards import Card, Slot
from p2p304.randomness import SeededRandomness
from p2p304.view import View


class Payoff(NamedTuple):
    """How an imagined hand ended. Both tuples have an item for each seat."""

    worth: tuple[float, ...]
    """What the search makes as large as it can, in any unit."""
    scores: tuple[float, ...]
    """What it brought, in the game's units, as advice tells it."""
    made: bool | None = None
    """Whether the bid was made; None where there is none."""


class Prior(Protocol):
    """What is known of playing a game well, before anything is imagined.

    `view.faces` may hold more than its seat knows, where a world is imagined: whoever decides
    looks at what the seat of the view was shown and at nothing else.
    """

    @property
    def ahead(self) -> bool:
        """Whether what follows a choice is searched as well: not where it tells less than as many
        more hands that are played out at once."""
        ...

    def decide(
        self,
        view: View[Any],
        legal: Sequence[Any],
        level: Level,
        chance: SeededRandomness,
        more: More | None,
        /,
    ) -> Advice | None:
        """Advise a choice that needs no search; None where a search is to decide.

        With `more` it thinks no longer than that says.
        """
        ...

    def candidates(self, view: View[Any], legal: Sequence[Any], /) -> Sequence[tuple[Any, float]]:
        """Return the legal actions that are worth a search, each with how often a good player
        would choose it: a share above 0, of 1 in all."""
        ...

    def act(self, view: View[Any], legal: Sequence[Any], chance: SeededRandomness, /) -> Any:
        """Return what a player who thinks no further would do."""
        ...

    def why(self, view: View[Any], action: Any, /) -> str:
        """Return in a sentence what speaks for an action before anything is imagined; "" for
        nothing."""
        ...

    def judge(self, view: View[Any], state: Any, outcome: Any, /) -> Payoff:
        """Return what the end of a hand is worth that the rules reached from this view."""
        ...


class Playout(Protocol):
    """Plays an imagined hand to its end by the rules of thumb of the game's prior, and fast.

    The same state and cards end alike: nothing is left to chance.
    """

    def __call__(self, view: View[Any], state: Any, faces: Mapping[Slot, Card], /) -> Payoff | None:
        """Return how the hand ends from `state`, which follows from `view`, with these cards.

        It may have ended there already. None where it cannot begin here: the rules go on until it
        can, or settle the hand.
        """
        ...
