"""A person at the full-screen client: the seat's player for the driver, and the screen's content.

Everything that is drawn or understood is done by pure functions; this room only keeps what they
return, and waits. It imports no terminal, so that tests press keys and read frames directly.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from cli.clock import on_the_wall
from cli.front.assistant import duty, hint, must_not_be_missed
from cli.front.choosing import in_due_order
from cli.front.doors import Doors, Substitute, nothing_before
from cli.front.presence import Seen
from cli.front.story import Stops, Story, endings_after
from cli.net.transport import Status
from cli.sanitize import safe_name, safe_text
from cli.screen import deeds, ledgers
from cli.screen.announced import Announced
from cli.screen.canvas import Frame
from cli.screen.deeds import A_FRAME, Outward, answered
from cli.screen.desk import (
    WRITING,
    Act,
    Again,
    Answer,
    Challenge,
    Deed,
    Desk,
    EndHand,
    Mode,
    Say,
    Stage,
    Wish,
)
from cli.screen.footer import chat_is_shown
from cli.screen.input import asked_anew, click, press, settled
from cli.screen.model import Table, told, turned_to_newest
from cli.screen.overlays import at_the_end, bounded
from cli.screen.pauses import tidy
from cli.screen.preferences import Around, Habits
from cli.screen.prompts import title_of
from cli.screen.refereed import ruled
from cli.screen.render import render
from cli.tasks import Errands, Question, first, never
from cli.thinker import Thinker
from p2p304.seats import Seat, place_name
from protocol.ledger import events
from protocol.ledger.events import Event
from protocol.seat.view import SeatView
from protocol.wire.charter import Charter

NOTHING_AROUND: Final = Around()


class ClientSeat:
    """The player's seat and its screen. `changed` is called whenever the frame may differ."""

    feels_delay = True

    def __init__(
        self,
        habits: Habits,
        around: Around = NOTHING_AROUND,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` tells when our turn came, in seconds from any beginning."""
        self.changed: Callable[[], None] = lambda: None
        self.stage = Stage.COMING
        self.began = asyncio.Event()
        """Set from `PLAYING` on: the screen can come up."""
        self.closed = asyncio.Event()
        """Set from `LEFT` and `CLOSED` on."""
        self.table: Table | None = None
        self.before: Callable[[str], bool] = nothing_before
        """Answers a key while a friend is waited for, and says whether that was it."""
        self.endings: tuple[Event, ...] = ()
        self._stops = Stops()
        """How the last hand ended, and the match with it."""
        self.paced: Callable[[float], None] = lambda _: None
        """Told by the player how fast our bots shall play."""
        self.desk = Desk(asking=habits.asking, hints=habits.hints, pace=habits.pace)
        self._habits = habits
        self._around = around
        self._session: SeatView | None = None
        self._number = -1
        self._announced = Announced(clock)
        self._drawn = asyncio.Event()
        self._drawn.set()
        self._asked, self._agreed = Question[Any](), Question[bool]()
        self._refusal = ""
        """Why the choice before was refused."""
        self._errands = Errands()
        self._doors: Doors | None = None
        self._thinker = Thinker()
        self._names: dict[int, str] = {}
        self._said_before: tuple[str, ...] = ()

    def bind(self, doors: Doors) -> None:
        """See Player.bind."""
        self._doors = doors

    def _enter(self, stage: Stage) -> None:
        """Go on to another stage; whoever has closed the screen comes to none."""
        if not self.closed.is_set():
            self.stage = stage
            if stage in (Stage.LEFT, Stage.CLOSED):
                self.closed.set()

    # --- the screen -------------------------------------------------------------------------------

    def frame(self, columns: int, rows: int) -> Frame:
        """Return what the screen shows now."""
        self._stand()
        assert self.table is not None
        self._drawn.set()
        self._announced.drawn()
        self.desk = bounded(self.desk, self.table, columns, rows)
        return render(self.table, self.desk, columns, rows)

    def _stand(self) -> None:
        """Bring the table to where the ledgers stand now."""
        if self.table is not None and self._session is not None:
            awaited = self._session.others_awaited()
            self.table = ledgers.as_it_stands(self.table, self._session, awaited)

    def title(self) -> str:
        """Return whose turn it is, for the window's title."""
        return "" if self.table is None else title_of(self.table)

    def calls(self) -> str:
        """Return once that our turn has come, if no key was pressed for a while."""
        return self._announced.calls()

    def press(self, key: str) -> None:
        """Take a key that the player pressed."""
        writes = self.desk.mode in WRITING
        if self.table is not None and not writes and self.before(key):
            return
        if self.table is not None and (key == "c-c" or self._announced.reads):
            self._answered(press(self.desk, self.table, key))

    def click(self, target: str) -> None:
        """Take a click on something that the frame offered."""
        if self.table is not None and self._announced.reads:
            self._answered(click(self.desk, self.table, target))

    def _answered(self, answer: Answer) -> None:
        self.desk, deed = answer
        assert self.table is not None
        if chat_is_shown(self.table, self.desk):
            self.table = replace(self.table, unread=0)
        self._announced.look(self.desk, self.table, by_key=True)
        if deed is not None:
            self._do(deed)
        self._turn_to_newest()
        self._redraw()

    def _redraw(self) -> None:
        """Draw what may have changed; keys that were meant for what went are not read."""
        self._announced.look(self.desk, self.table)
        self.changed()

    def _turn_to_newest(self) -> None:
        """Look no more at what ended before the hand in play."""
        ends = {Mode.SUMMARY, Mode.FINISH, Mode.MATCH} & {self.desk.mode, self.desk.under}
        if self.table is not None and not ends:
            self.table = turned_to_newest(self.table)

    def _do(self, deed: Deed) -> None:
        match deed:
            case Act(action):
                if self._asked.is_open:
                    self._announced.answered()
                    self._asked.answer(action)
            case Say() | Challenge() | Again() | EndHand() | Substitute():
                self._bring(deed)
            case Wish.AGREE | Wish.REFUSE:
                self._agreed.answer(deed is Wish.AGREE)
            case Wish.HINT:
                self._errands.start(self._find_hint())
            case Wish.PACE:
                self.paced(self.desk.pace)
            case Wish.LEAVE:
                self._enter(Stage.LEFT)
            case Wish.CLOSE:
                ended = None if self.table is None else self.table.summary
                if ended is not None and self.table is not None:
                    self.table = told(self.table, ended.outcome.summary)
                self._enter(Stage.CLOSED if self.stage is Stage.OVER else Stage.READ)

    def _bring(self, deed: Outward) -> None:
        """Bring to the others what the player decided."""
        if self._doors is not None and self.table is not None:
            self.table, words = deeds.shown_at_once(deed, self.table)
            if words:
                self.announce(words)
            self._errands.start(self._brought(deed, self._doors))

    async def _brought(self, deed: Outward, doors: Doors) -> None:
        await deeds.brought(deed, doors)
        if self._session is not None and self.table is not None:
            words = deeds.lacking(deed, self.table, self._session)
            if words:
                self.announce(words)

    async def _find_hint(self) -> None:
        assert self.table is not None
        view = self.table.view()
        if view is not None and self.table.my_turn:
            advice = await asyncio.to_thread(
                hint, self.table.game, view, self.table.writer, self._thinker.ask
            )
            self.desk = replace(self.desk, notice=advice)
            self._redraw()

    def ended(self, error: Exception | None = None) -> None:
        """Note that the driver has finished; the player may look at the end, then closes the
        screen."""
        read = self.stage is Stage.READ and error is None
        self._enter(Stage.CLOSED if self.table is None or read else Stage.OVER)
        if self.table is None or self.closed.is_set():
            return
        if error is not None and not self.table.stopped:
            self.table = replace(self.table, stopped=str(error), choices=())
        if self.desk.mode not in (Mode.SUMMARY, Mode.FINISH, Mode.MATCH, Mode.RULING):
            self.desk = replace(self.desk, mode=Mode.SUMMARY)
        self._redraw()

    def considers(self) -> bool:
        """Tell whether the end of a match is on the screen, or what led to it."""
        looks = self.stage is Stage.PLAYING and self.desk.again
        return looks and self.table is not None and bool(self.table.match)

    def leave(self) -> None:
        """Leave the table, so that the game can be gone on with."""
        self._do(Wish.LEAVE)

    def show(self, lines: tuple[str, ...]) -> None:
        """Show lines over the table until a key is pressed, or print them before there is a
        screen."""
        if self.table is None:
            for line in lines:
                self._around.say(line)
            return
        self.desk = replace(self.desk, mode=Mode.HELP, help=lines, page=0)
        self._redraw()

    def announce(self, sentence: str) -> None:
        """Say a sentence of the program itself: among the news; before there is a screen as a line,
        and again once it is there."""
        if self.table is None:
            self._around.say(sentence)
            self._said_before += (sentence,)
            return
        self.table = told(self.table, safe_text(sentence, ascii_only=self._habits.ascii_only))
        self._redraw()

    # --- the driver's player ----------------------------------------------------------------------

    async def lobby(self, names: dict[int, str], seats: int) -> None:
        """Print who has come, line by line, before there is a screen."""
        for seat, name in sorted(names.items()):
            where = place_name(seat, seats)
            if self._names.get(seat) != name:
                self._around.say(f"{where[:1].upper()}{where[1:]}: {safe_name(name)} has sat down.")
        self._names = dict(names)

    async def begin(self, session: SeatView) -> None:
        """Show the table as it stands, with the screen."""
        self._look_at(session)
        for sentence in self._said_before:
            self.announce(sentence)
        self._said_before = ()
        self.desk = replace(self.desk, mode=Mode.TABLE, notice="")
        self._enter(Stage.PLAYING)
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
        self.table = replace(table, agreed=session.yet_to_agree())
        self._number = table.number
        self._story = Story(session.game, table.writer, table.state)

    async def confirm(self, charter: Charter) -> bool:
        """Show the player the charter, and tell whether it agrees."""
        if self._habits.agree:
            return True
        lines = self._around.charter_text(charter)
        self.desk = replace(self.desk, mode=Mode.CHARTER, charter=lines)
        self._redraw()
        with self._agreed as question:
            agreed = await question.answered()
        if agreed:
            await asyncio.to_thread(self._around.agreed, charter)
        return agreed

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
            case events.RematchAgreed(seating) if seating:
                self._enter(Stage.READ)  # the next table has a screen of its own
            case _:
                self.endings = endings_after(self.endings, event)
        if isinstance(event, ledgers.MAY_SHOW_MORE):
            self._look()
        self.table = ledgers.with_news(self.table, event, self._stops, welcome=self._habits.hints)
        path = ""
        if isinstance(event, events.HandEnded | events.HandUnfinished):
            path = self._around.transcript(session, event.number)
        self.table = ledgers.happened(self.table, event, self._story, session, transcript=path)
        self.desk = ruled(self.desk, self.table, event)
        if isinstance(event, events.HandEnded | events.HandUnfinished):
            tidy()
            self._enter(Stage.PLAYING)
            self.desk = at_the_end(self.desk, self.table)
            if self.desk.mode is Mode.FINISH and self._habits.go_on:
                self._errands.start(self._finish(event.number, self.desk.pace))
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
        try:
            async with asyncio.timeout(A_FRAME):
                await self._drawn.wait()
        except TimeoutError:
            self._drawn.set()  # what comes next is not held up by the same frame

    def _look(self) -> None:
        if self._session is not None and self.table is not None:
            asked = self._asked.is_open
            self.table = ledgers.looked_at(self.table, self._session, self._number, asked=asked)

    async def link(self, status: Status) -> None:
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
                if not any(each.idle for each in choices):
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

    async def refused(self, reason: str) -> None:
        """Show the refusal in the place of the prompt."""
        self._refusal = reason
        self.desk = replace(self.desk, notice=reason)
        self._redraw()

    async def leaving(self) -> None:
        """Return when the player leaves."""
        await first(self._quit(), self._errands.run())

    async def _quit(self) -> None:
        await self.closed.wait()
        if self.stage is not Stage.LEFT:
            await never()  # the driver has ended already
