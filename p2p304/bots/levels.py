"""The levels of players: how much each imagines before it decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

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
