"""How much is to be played at a table before a seat, or a spectator, has enough."""

from __future__ import annotations

from typing import Final, NamedTuple

from protocol.contents import Lane
from protocol.proceedings import Proceedings


class Goal(NamedTuple):
    """So many hands or so many matches of the table, whichever comes first; None is no limit.

    Hands count when cards were played: a deal that was refused or passed out is none.
    """

    hands: int | None = None
    matches: int | None = None

    def reached(self, proceedings: Proceedings) -> bool:
        """Whether that is played, counted from the table's beginning."""
        if self.hands is not None and proceedings.played >= self.hands:
            return True
        # The opening of the next match, number 1, stands as soon as the first is won.
        return self.matches is not None and proceedings.newest.get(Lane.TABLE, 0) >= self.matches


ENDLESS: Final = Goal()
"""Nobody has ever enough."""
