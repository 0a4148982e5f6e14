"""How much a seat plays, and what follows a match or an ended hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.seats import Seat
from protocol.seat.session import Session
from protocol.seat.view import TableView
from protocol.table.events import ContinuationAgreed, ContinuationReady, Event, RematchAgreed
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey


class Goal(NamedTuple):
    """How much is played at a table: hands or matches, whichever comes first; None is no limit.

    A hand counts if cards were played: a deal that was refused or passed out is none.
    """

    hands: int | None = None
    matches: int | None = None
    #: Tells whether a race over hands or matches is won, which ends the match of a tournament.
    race: Callable[[TableView], bool] | None = None

    def reached(self, table: TableView) -> bool:
        """Return whether the wanted hands, or all wanted matches, are over, counted from the
        table's beginning, or the race is won.
        """
        if self.hands is not None and table.table_state.played >= self.hands:
            return True
        return self.matches_over(table)

    def matches_over(self, table: TableView) -> bool:
        """Return whether all wanted matches are over, or the race is won, so that nothing is
        left to resume.
        """
        # A race may be over before its number of matches.
        if self.race is not None and self.race(table):
            return True
        return self.matches is not None and table.matches_over >= self.matches


ONE_MATCH: Final = Goal(matches=1)
ENDLESS: Final = Goal()  #: No limit: as many hands and matches as the seats agree to.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """How much a seat plays at a table, and how long it stays.

    `hands` or `matches`, whichever comes first, end it; None is no limit. Afterwards the seat
    answers others for `linger` seconds.
    """

    hands: int | None = None
    matches: int | None = 1
    # A choice: long enough for others to fetch what they lack of the end, short enough to wait.
    linger: float = 5.0
    vouched: frozenset[Seat] = frozenset()  #: See `Session.resume`.
    race: Callable[[TableView], bool] | None = None  #: See `Goal`.
    #: The keys of referees whose rulings the player accepts, without a question of its own.
    trusted: frozenset[PublicKey] = frozenset()

    @property
    def goal(self) -> Goal:
        """The goal: the hands and matches to play, and the race."""
        return Goal(self.hands, self.matches, self.race)


class AfterMatch:
    """What all seats agreed to do after a match or an ended hand of one table."""

    def __init__(self, goal: Goal) -> None:
        """Begin with what was asked for; nothing is agreed yet."""
        #: How much is played here: what was asked for, and what was agreed to since.
        self.goal = goal
        #: Whether all agree to go on without somebody; whether the charter of it is there.
        self.agreed, self.moved = asyncio.Event(), asyncio.Event()
        #: The charter of the table at which the match goes on, once it is there.
        self.next_charter: Charter | None = None

    def begin(self, session: Session) -> None:
        """Take over from the session what all had agreed to before a restart."""
        # What was agreed to before a restart is in the journal.
        self._agree_to(session.matches_agreed)
        if session.going_on() is not None:
            self.agreed.set()

    def _agree_to(self, matches: int) -> None:
        """Raise the wanted number of matches to `matches`; it is never lowered, and no limit
        stays none.
        """
        if self.goal.matches is not None:
            # Never less: the player asked for so many matches.
            self.goal = self.goal._replace(matches=max(self.goal.matches, matches))

    def hear(self, event: Event, session: Session) -> None:
        """Note that all agreed to another match at the same seating, that all agreed to go on at
        another table, or that the charter of that table is there; ignore other events.
        """
        match event:
            # Seating 0 is the table as it sits; another seating is another table.
            case RematchAgreed(0):
                self._agree_to(session.matches_over + 1)
            case ContinuationAgreed():
                self.agreed.set()
            case ContinuationReady(charter):
                self.next_charter = charter
                self.moved.set()
            case _:
                pass

    def no_more_here(self, session: Session) -> bool:
        """Return whether nothing more is played at this table: the goal is reached, the table is
        closed, or its hand was ended unfinished and the match does not go on elsewhere.
        """
        # By what the session remembers, so that a restart finds the same.
        ended = session.status is SessionStatus.UNFINISHED
        # An agreed end that leads on to another table still needs this one.
        ended = session.table_state.closed or (ended and session.going_on() is None)
        return self.goal.reached(session) or ended

    def may_go_on(self, session: Session | None) -> bool:
        """Return whether a match is over at this table and another may follow; False without a
        session, or once the table is closed.
        """
        if session is None or session.table_state.closed:
            return False
        return session.table_state.match_over is not None
