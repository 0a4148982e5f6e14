"""Where a seat goes on when a match or a hand has ended: here, at another table, or nowhere."""

from __future__ import annotations

import asyncio

from cli.seat.options import Goal
from protocol.seat.session import Session
from protocol.table.events import ContinuationAgreed, ContinuationReady, Event, RematchAgreed
from protocol.topics.rematch import match_over
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter


class AfterMatch:
    """What was agreed at one table about what follows there."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        """How much is played here: what was asked for, and what was agreed to since."""
        self.agreed, self.moved = asyncio.Event(), asyncio.Event()
        """Whether all agree to go on without somebody; whether the charter of it is there."""
        self.next_charter: Charter | None = None

    def begin(self, session: Session) -> None:
        """Take what was agreed before a restart."""
        self._agree_to(session.matches_agreed)
        if session.going_on() is not None:
            self.agreed.set()

    def _agree_to(self, matches: int) -> None:
        if self.goal.matches is not None:
            self.goal = self.goal._replace(matches=max(self.goal.matches, matches))

    def hear(self, event: Event, session: Session) -> None:
        """Take what all agree to: another match here, to go on without somebody."""
        match event:
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
        """Tell whether nothing more is played at this table, as far as is agreed."""
        ended = session.status is SessionStatus.UNFINISHED
        ended = session.table_state.closed or (ended and session.going_on() is None)
        return self.goal.reached(session) or ended

    def may_go_on(self, session: Session | None) -> bool:
        """Tell whether a match is over here that another one may follow.

        After a hand that was ended, or as many as were wanted, there is nothing to consider.
        """
        if session is None or session.table_state.closed:
            return False
        return match_over(session.table_state) is not None
