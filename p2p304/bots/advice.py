"""What a bot would do and why, who gives such advice, and how much each level imagines before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

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


More = Callable[[], bool]  #: Asked from time to time whether there is time for more thought.


class Level(NamedTuple):
    """The bounds of a player's thought, counted in what it imagines and not in time."""

    #: Hands that are played out for one decision; a limit of time may stop it earlier. With 0 rules
    #: of thumb decide.
    hands: int
    plain: int  #: The same where a game brings no faster playout, and the rules play every action.
    deals: int  #: Deals that are imagined for a call, where rules of thumb ask for any.
    nodes: int  #: Nodes that may be searched for what is certain (304: a sure order of cards).


# Choices: a club player imagines 25 times the hands of a beginner, a master four times as many
# again, and each takes as much longer. Rules of thumb imagine no hands, and for calls and caps as
# much as a club player.
THUMB: Final = Level(hands=0, plain=0, deals=48, nodes=2_000)
BEGINNER: Final = Level(hands=48, plain=24, deals=12, nodes=500)
CLUB: Final = Level(hands=1_200, plain=120, deals=48, nodes=2_000)
MASTER: Final = Level(hands=4_800, plain=480, deals=200, nodes=20_000)
LEVELS: Final = {"beginner": BEGINNER, "club": CLUB, "master": MASTER}
