"""What a bot would do and why, and who gives such advice."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from p2p304.view import View


class Considered(NamedTuple):
    """A choice that a player has compared with others in imagined hands, and its results there."""

    # Any, here and below: each game has actions of its own types.
    action: Any
    visits: int  #: Hands that were played out with it.
    expected: float  #: What it brought the seat on average, in the game's units (304: tokens).
    chance: float | None  #: How often the bid that stands was made; None where there is none.
    #: What the player compared, of which more is better: not always in the unit of `expected`, such
    #: as the chance to win the match in 41.
    worth: float


class Advice(NamedTuple):
    """The choice of a player and its reason, one sentence that tells nothing the seat may not
    know.
    """

    action: Any
    reason: str
    #: What it is expected to bring the seat, in the game's units; None where nothing was
    #: imagined.
    expected: float | None = None
    #: How likely the bid that stands is made, whoever made it; None where that is not known.
    chance: float | None = None
    choices: tuple[Considered, ...] = ()  #: Every choice that was thought about, the best first.


class Adviser(Protocol):
    """A player of any game that can give its reasons."""

    def choose(self, view: View[Any], /) -> Any:
        """Return a legal action of the view's seat; raises ValueError when it has none."""
        ...

    def advice(self, view: View[Any], /) -> Advice:
        """Return the action that the player would take, and why; raises ValueError when there is
        none.
        """
        ...
