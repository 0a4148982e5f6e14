"""How much is to be played at a table before a seat, or a spectator, has enough."""

from __future__ import annotations

from typing import Final, NamedTuple

from protocol.ledger.table import TableState
from protocol.places import Lane


class Goal(NamedTuple):
    """So many hands or so many matches of the table, whichever comes first; None is no limit.

    Hands count when cards were played: a deal that was refused or passed out is none.
    """

    hands: int | None = None
    matches: int | None = None

    def reached(self, table_state: TableState) -> bool:
        """Whether that is played, counted from the table's beginning."""
        if self.hands is not None and table_state.played >= self.hands:
            return True
        # The opening of the next match, number 1, stands as soon as the first is won.
        return self.matches is not None and table_state.newest.get(Lane.TABLE, 0) >= self.matches


ENDLESS: Final = Goal()
"""Nobody has ever enough."""
