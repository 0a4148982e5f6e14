"""What a game may bring to the search: what is known of playing it well, and a faster way to play.

A game without either is searched all the same: cards are drawn from those that its view leaves
open, every choice looks equally good at first, and hands are played out at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from p2p304.bots.advice import Advice, Level, More
from p2p304.cards import Faces
from p2p304.randomness import SeededRandomness
from p2p304.view import View


class Payoff(NamedTuple):
    """The result of an imagined hand; both tuples have an item for each seat, in seat order."""

    worth: tuple[float, ...]  #: What the search makes as large as it can, in any unit.
    scores: tuple[float, ...]  #: What it brought, in the game's units, as advice tells it.
    made: bool | None = None  #: Whether the bid was made; None where there is none.


class Prior(Protocol):
    """A game's rules of thumb, which guide the search before anything is imagined.

    In an imagined world `view.faces` may hold more than the seat knows; an implementation must use
    only what the seat was shown.
    """

    # Any, here and below: each game has states, actions and outcomes of its own types.
    @property
    def ahead(self) -> bool:
        """Whether the search also explores what follows a choice, rather than playing each hand
        out at once.
        """
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
        """Return a choice that needs no search, with its reason; None where the search must decide.

        Args:
            legal: the seat's legal actions, at least two.
            level: the bounds of thought.
            chance: for whatever is drawn.
            more: asked now and then; once it returns False, decide. None sets no limit.
        """
        ...

    def candidates(self, view: View[Any], legal: Sequence[Any], /) -> Sequence[tuple[Any, float]]:
        """Return the legal actions that are worth a search, each with the share of times that a
        good player would choose it: above 0, together 1.
        """
        ...

    def act(self, view: View[Any], legal: Sequence[Any], chance: SeededRandomness, /) -> Any:
        """Return the action that the rules of thumb choose, without a search; one of `legal`."""
        ...

    def why(self, view: View[Any], action: Any, /) -> str:
        """Return a sentence on why rules of thumb choose an action; "" where they have no
        reason.
        """
        ...

    def judge(self, view: View[Any], state: Any, outcome: Any, /) -> Payoff:
        """Return the payoff of an imagined hand that the rules ended with `outcome`; `view` is
        the one that the search began from.
        """
        ...


class Playout(Protocol):
    """Plays an imagined hand to its end by the rules of thumb of the game's prior, faster than its
    rules do.

    The same state and cards always end alike: it draws nothing.
    """

    # Positional, so that a game may give the arguments its own types and names.
    def __call__(self, view: View[Any], state: Any, faces: Faces, /) -> Payoff | None:
        """Return the payoff of the hand played out from `state`, with the card of every slot in
        `faces`; None where a playout cannot begin at this state, so that the rules must play on
        first.

        `view` is the one that the search began from; `state` follows from it and may be the hand's
        end.
        """
        ...
