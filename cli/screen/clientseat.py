"""A person at the full-screen client, as the driver's player: told what happens, and asked."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Final

from cli.clock import on_the_wall
from cli.front.assistant import duty, must_not_be_missed
from cli.front.choosing import in_due_order
from cli.front.pace import goes_by_itself
from cli.front.presence import Seen
from cli.front.rematch import NO_REMATCH
from cli.front.rulings import ACCEPTS
from cli.front.story import StopNotice, Story, endings_after
from cli.net.transport import LinkStatus
from cli.sanitize import safe_name
from cli.screen import ledgers
from cli.screen.deeds import A_FRAME, answered
from cli.screen.desk import (
    Desk,
    Mode,
    TableStage,
)
from cli.screen.input import asked_anew, settled
from cli.screen.overlays import at_the_end, ruled
from cli.screen.preferences import Habits, ScreenTexts
from cli.screen.prompts import title_of
from cli.screen.seatscreen import NOTHING_AROUND, SeatScreen
from cli.tasks import first, happens, never
from cli.wording import capital
from p2p304.seats import Seat, place_name
from protocol.seat.view import SeatView
from protocol.table import events
from protocol.table.events import Event
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey


class ClientSeat(SeatScreen):
    """The player of a seat with a full screen. It waits for what is pressed there."""

    feels_delay = True

    def __init__(
        self,
        habits: Habits,
        around: ScreenTexts = NOTHING_AROUND,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what the screen takes."""
        super().__init__(habits, around, clock=clock)
        self.began = asyncio.Event()
        """Set from `PLAYING` on: the screen can come up."""
        self.endings: tuple[Event, ...] = ()
        """How the last hand ended, and the match with it."""
        self._stop_notice = StopNotice()
        self._number = -1
        self._refusal = ""
        """Why the choice before was refused."""
        self._names: dict[int, str] = {}

    async def lobby(self, names: dict[int, str], seats: int) -> None:
        """Print who has come, line by line, before there is a screen."""
        for seat, name in sorted(names.items()):
            where = place_name(seat, seats)
            if self._names.get(seat) != name:
                self._around.say(f"{capital(where)}: {safe_name(name)} has sat down.")
        self._names = dict(names)

    async def begin(self, session: SeatView) -> None:
        """Show the table as it stands, with the screen."""
        self._look_at(session)
        for sentence in self._said_before:
            self.announce(sentence)
        self._said_before = ()
        self.desk = replace(self.desk, mode=Mode.TABLE, notice="")
        self._enter(TableStage.PLAYING)
        if self.table is not None and self.table.match is not None:
            self.desk = replace(self.desk, mode=Mode.MATCH)
        self.began.set()

    def _look_at(self, session: SeatView) -> None:
        self._session = session
        table = ledgers.table_of(session, ascii_only=self._habits.ascii_only)
        talks = table.telling.talk_agreed and not self._habits.mute
        again = session.charter.tournament is None
        invites = self._around.invites()
        self.desk = replace(self.desk, talk=talks, again=again, invites=invites)
        self.table = replace(table, agreed=session.agreed_to_end_with())
        self._number = table.number
        self._story = Story(session.game, table.writer, table.state)

    async def confirm(self, charter: Charter, unnamed: tuple[PublicKey, ...] = ()) -> bool:
        """Show the player the charter, and what its referees may do; tell whether it agrees."""
        if self._habits.agree and not unnamed:
            return True
        agreed = await self._agrees(self._around.charter_text(charter), "")
        if agreed and unnamed:
            agreed = await self._agrees(tuple(self._around.referees(unnamed)), f"{ACCEPTS} (y/n)")
        if agreed:
            await asyncio.to_thread(self._around.agreed, charter)
        return agreed

    async def _agrees(self, lines: tuple[str, ...], asks: str) -> bool:
        self.desk = replace(self.desk, mode=Mode.CHARTER, charter=lines, asks=asks, page=0)
        self._redraw()
        with self._agreed as question:
            return await question.answered()

    async def tell(self, event: Event, session: SeatView) -> None:
        """Put what happened into the table."""
        if self.table is None:
            self._look_at(session)
        assert self.table is not None
        if isinstance(event, events.ChatReceived) and not self.desk.talk:
            return
        if isinstance(event, events.Contributed):
            self._note(event)
            return
        match event:
            case events.HandStarted(number, _):
                self._number = number
                if self.table is not None and self._has_read():
                    self.table = replace(self.table, unread=0)
            case events.RematchAgreed(None):
                self.desk = replace(self.desk, again=False, notice=NO_REMATCH)
            case events.RematchAgreed(seating) if seating:
                self._enter(TableStage.READ)  # the next table has a screen of its own
            case _:
                self.endings = endings_after(self.endings, event)
        if isinstance(event, ledgers.MAY_SHOW_MORE):
            self._look()
        self.table = ledgers.with_news(
            self.table, event, session, self._stop_notice, welcome=self._habits.hints
        )
        path = ""
        if isinstance(event, events.HandEnded | events.HandUnfinished):
            path = self._around.transcript(session, event.number)
        self.table = ledgers.happened(self.table, event, self._story, session, transcript=path)
        self.desk = ruled(self.desk, self.table, event)
        if isinstance(event, events.HandEnded | events.HandUnfinished):
            self._enter(TableStage.PLAYING)
            self.desk = at_the_end(self.desk, self.table)
            if self.desk.mode is Mode.FINISH and self._habits.go_on:
                self._errands.start(self._finish(event.number, self.desk.pace))
            tidy(whole=False)
        if isinstance(event, events.MatchEnded):
            tidy(whole=True)
        self.desk = settled(self.desk, self.table)
        self._turn_to_newest()
        if self.began.is_set() and not self.closed.is_set():
            self._drawn.clear()
        self._redraw()

    async def _finish(self, hand: int, pace: float) -> None:
        """Show the result, until a key is pressed, once the last trick has lain as long as any
        other."""
        await asyncio.sleep(pace)
        summary = None if self.table is None else self.table.summary
        if self.desk.mode is Mode.FINISH and summary is not None and summary.number == hand:
            self.desk = replace(self.desk, mode=Mode.SUMMARY)
            self._redraw()

    def _note(self, event: events.Contributed) -> None:
        """Note that somebody has answered, which closes no round: drawn when there is time for
        it."""
        before = self.table
        self._stand()
        assert self.table is not None
        self.table = ledgers.after_contribution(self.table, event)
        if self.table != before:
            self.desk = settled(self.desk, self.table)
            self._redraw()

    async def shown(self) -> None:
        """Wait for the frame, where somebody draws any."""
        if not await happens(self._drawn, within=A_FRAME):
            self._drawn.set()  # what comes next is not held up by the same frame

    def _look(self) -> None:
        if self._session is not None and self.table is not None:
            asked = self._asked.is_open
            self.table = ledgers.looked_at(self.table, self._session, self._number, asked=asked)

    async def link(self, status: LinkStatus) -> None:
        """Show trouble with the connection in the place of the trust line."""
        if self.table is not None:
            self.table = ledgers.after_status(self.table, status, on_the_wall(time.monotonic()))
            self._redraw()

    async def presence(self, seat: Seat, seen: Seen) -> None:
        """Show what is heard of another seat."""
        if self.table is not None:
            self.table = ledgers.after_presence(self.table, seat, seen)
            self._redraw()

    async def decide(self, session: SeatView) -> Any:
        """Return the player's choice; what is no play at all is done at once."""
        if self.table is None:
            self._look_at(session)
        assert self.table is not None
        view = session.view()
        assert view is not None
        unasked = duty(self.table.telling.choices(view, session.legal_actions()))
        if unasked is not None:
            return unasked.action
        if not self._refusal:
            self.desk = asked_anew(self.desk)
        self._refusal = ""
        urgent = await must_not_be_missed(self.table.telling, view, told=self._habits.hints)
        try:
            with self._asked as question:
                self._look()
                assert self.table is not None
                choices = in_due_order(self.table.choices, urgent)
                self.table = replace(self.table, urgent=urgent, choices=choices)
                if goes_by_itself(choices, self.desk.go_on) is None:
                    self._announced.turn(title_of(self.table))
                self.desk = settled(self.desk, self.table)
                self._redraw()
                return await answered(question, choices, self._habits, self._look_on)
        finally:
            if self.table is not None:
                self.table = replace(self.table, choices=(), urgent=None)
                self.desk = settled(self.desk, self.table)
            self._redraw()

    def _look_on(self) -> tuple[Desk, bool]:
        """Return the desk, and whether something must not be missed now."""
        return self.desk, self.table is not None and self.table.urgent is not None

    async def made(self) -> None:
        """Return at once: a person's time is its own."""

    async def refused(self, reason: str) -> None:
        """Show the refusal in the place of the prompt."""
        self._refusal = reason
        self._say(reason)

    async def leaving(self) -> None:
        """Return when the player leaves."""
        await first(self._quit(), self._errands.run())

    async def _quit(self) -> None:
        await self.closed.wait()
        if self.stage is not TableStage.LEFT:
            await never()  # the driver has ended already


NEVER: Final = 1_000_000
"""Collections of young objects after which Python would make a whole one by itself."""


@cache
def leave_program_out() -> None:
    """Leave out of all collections what is here before the first hand: the program itself.

    A whole collection looks at every object, and holds the interpreter's lock meanwhile: most of
    them are modules, functions and constants, which never become garbage. It is done once in a
    process: what would be left out later, garbage among it, would stay for ever. From here on none
    is made by itself, which might be between a key and its frame.
    """
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, NEVER)


def tidy(*, whole: bool) -> None:
    """Collect now rather than in the middle of a hand: between hands what is young, between matches
    the `whole`.

    Values at a table are immutable and hardly ever cyclic, but frames and tasks are: nearly all of
    them die young.
    """
    gc.collect(2 if whole else 1)
