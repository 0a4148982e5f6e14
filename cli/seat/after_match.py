"""Where a seat goes on when a match or a hand has ended: here, at another table, or nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from cli.seat.options import Goal
from protocol.ledger.events import ContinuationAgreed, ContinuationReady, Event
from protocol.seat.rematch import match_over
from protocol.seat.session import Session
from protocol.seat.status import SessionStatus
from protocol.wire.charter import Charter


class AfterMatch:
    """What was agreed at one table about what follows there."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        """How much is played here: what was asked for, and what was agreed to since."""
        self.next_table: tuple[Charter, bytes, int] | None = None
        """Whence all go on at another table: this charter, the head of the last hand, the
        seating."""
        self.agreed, self.moved = asyncio.Event(), asyncio.Event()
        """Whether all agree to go on without somebody; whether the charter of it is there."""
        self.next_charter: Charter | None = None

    def begin(self, session: Session) -> None:
        """Take what was agreed before a restart."""
        if self.goal.matches is not None:
            agreed = max(self.goal.matches, session.matches_agreed)
            self.goal = self.goal._replace(matches=agreed)
        if session.going_on() is not None:
            self.agreed.set()

    def hear(self, event: Event) -> None:
        """Take what all agree to of going on without somebody."""
        match event:
            case ContinuationAgreed():
                self.agreed.set()
            case ContinuationReady(charter):
                self.next_charter = charter
                self.moved.set()
            case _:
                pass

    async def again(
        self, seating: int, session: Session, agree: Callable[[], Awaitable[None]]
    ) -> bool:
        """Go on with another match here, once it is noted that we `agree`, or let the next table be
        known; tell whether more is played here by that."""
        after = match_over(session.table_state)
        if seating and after is not None:
            self.next_table = (session.charter, after, seating)
        elif self.goal.matches is not None:
            await agree()
            self.goal = self.goal._replace(matches=session.matches_over + 1)
            return True
        return False

    def no_more_here(self, session: Session) -> bool:
        """Tell whether nothing more is played at this table, as far as is agreed."""
        ended = session.status is SessionStatus.UNFINISHED
        return self.goal.reached(session) or (ended and session.going_on() is None)

    def may_go_on(self, session: Session | None) -> bool:
        """Tell whether a match is over here that another one may follow.

        After a hand that was ended, or as many as were wanted, there is nothing to consider.
        """
        over = session is not None and match_over(session.table_state) is not None
        return over and self.next_table is None
