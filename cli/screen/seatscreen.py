"""The screen of somebody at a table: what it shows, what a key does, and who is told.

Everything that is drawn or understood is done by pure functions; this room only keeps what they
return. It imports no terminal, so that tests press keys and read frames directly.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from cli.front.assistant import hint
from cli.front.player_commands import CarryOut, PlayerCommand, nothing_before
from cli.sanitize import safe_text
from cli.screen import deeds, ledgers
from cli.screen.announced import Announced
from cli.screen.canvas import Frame
from cli.screen.desk import (
    WRITING,
    Act,
    Answer,
    Deed,
    Desk,
    Mode,
    PlainDeed,
    TableStage,
)
from cli.screen.footer import chat_is_shown
from cli.screen.input import click, press, said_now, subject
from cli.screen.model import Table, told, turned_to_newest
from cli.screen.moving import Movement
from cli.screen.overlays import bounded
from cli.screen.preferences import Habits, ScreenTexts
from cli.screen.prompts import title_of
from cli.screen.render import render
from cli.tasks import Errands, Question
from cli.thinker import Thinker
from p2p304.seats import Seat
from protocol.seat.view import SeatView

NOTHING_AROUND: Final = ScreenTexts()
READING: Final = 2.0
"""Seconds in which somebody has read what others said."""


class SeatScreen:
    """The screen of a player's seat. `changed` is called whenever the frame may differ."""

    def __init__(
        self,
        habits: Habits,
        around: ScreenTexts = NOTHING_AROUND,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` tells when our turn came, in seconds from any beginning."""
        self.changed: Callable[[], None] = lambda: None
        self.stage = TableStage.COMING
        self.closed = asyncio.Event()
        """Set from `LEFT` and `CLOSED` on."""
        self.table: Table | None = None
        self.before: Callable[[str], bool] = nothing_before
        """Answers a key while a friend is waited for, and says whether that was it."""
        self.paced: Callable[[float], None] = lambda _: None
        """Told by the player how fast our bots shall play."""
        self.desk = Desk(
            filled=habits.filled,
            asking=habits.asking,
            hints=habits.hints,
            pace=habits.pace,
            go_on=habits.go_on,
        )
        self._habits = habits
        self._around = around
        self._session: SeatView | None = None
        self._clock = clock
        self._announced = Announced(clock)
        self._movement = Movement(clock, on=habits.moves)
        self._read: tuple[tuple[Seat, str], ...] = ()
        """What was said and lies before the player, and since when."""
        self._read_since = 0.0
        self._drawn = asyncio.Event()
        self._drawn.set()
        self._asked, self._agreed = Question[Any](), Question[bool]()
        self._errands = Errands()
        self._carry_out: CarryOut | None = None
        self._thinker = Thinker()
        self._said_before: tuple[str, ...] = ()
        """What the program said before there was a table to say it at."""

    def bind(self, carry_out: CarryOut) -> None:
        """See Player.bind."""
        self._carry_out = carry_out

    def _enter(self, stage: TableStage) -> None:
        """Go on to another stage; whoever has closed the screen comes to none."""
        if not self.closed.is_set():
            self.stage = stage
            if stage in (TableStage.LEFT, TableStage.CLOSED):
                self.closed.set()

    def frame(self, columns: int, rows: int) -> Frame:
        """Return what the screen shows now."""
        self._stand()
        assert self.table is not None
        self._drawn.set()
        self._announced.drawn()
        shown = self.table.chat if chat_is_shown(self.table, self.desk) else ()
        if shown != self._read:
            self._read, self._read_since = shown, self._clock()
        self.desk = bounded(self.desk, self.table, columns, rows)
        desk = self._movement.over(self.desk, self.table, self.changed)
        return render(self.table, desk, columns, rows)

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
        reads = key == "c-c" or bool(self.desk.typed) or self._announced.reads(key)
        if self.table is not None and reads:
            self._stand()
            self._answered(press(self.desk, self.table, key, now=self._clock()))

    def click(self, target: str) -> None:
        """Take a click on something that the frame offered."""
        if self.table is not None and self._announced.reads(target.removeprefix("key ")):
            self._answered(click(self.desk, self.table, target))

    @property
    def habits(self) -> Habits:
        """What the player has set, with what keys have changed since."""
        desk = self.desk
        return replace(self._habits, asking=desk.asking, pace=desk.pace, go_on=desk.go_on)

    def _answered(self, answer: Answer) -> None:
        assert self.table is not None
        before = self.habits
        self.desk, deed = answer
        if before != self.habits:
            self._errands.start(self._keep(before, self.habits))
            self.paced(self.desk.pace)
        if chat_is_shown(self.table, self.desk):
            self.table = replace(self.table, unread=0)
        self._announced.look(self.desk, self.table, by_key=True)
        if deed is not None:
            self._do(deed)
        self._turn_to_newest()
        self._redraw()

    def _has_read(self) -> bool:
        """Tell whether what was said has lain there for long enough to be read."""
        said = () if self.table is None else self.table.chat
        return self._read == said and self._clock() - self._read_since >= READING

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
            case PlainDeed.AGREE | PlainDeed.REFUSE:
                self._agreed.answer(deed is PlainDeed.AGREE)
            case PlainDeed.HINT:
                self._errands.start(self._find_hint())
            case PlainDeed.LEAVE:
                self._enter(TableStage.LEFT)
            case PlainDeed.CLOSE:
                ended = None if self.table is None else self.table.summary
                if ended is not None and self.table is not None:
                    newest = ended.number == self.table.number  # else the next hand has news
                    self.table = told(self.table, ended.outcome.summary) if newest else self.table
                self._enter(TableStage.CLOSED if self.stage is TableStage.OVER else TableStage.READ)
            case command:
                self._bring(command)

    def _bring(self, deed: PlayerCommand) -> None:
        """Bring to the others what the player decided."""
        if self._carry_out is not None and self.table is not None:
            self.table, words = deeds.shown_at_once(deed, self.table)
            if words:
                self.announce(words)
            self._errands.start(self._brought(deed, self._carry_out))

    async def _brought(self, deed: PlayerCommand, carry_out: CarryOut) -> None:
        await carry_out(deed)
        if self._session is not None and self.table is not None:
            words = deeds.lacking(deed, self.table, self._session)
            if words:
                self.announce(words)

    async def _keep(self, before: Habits, after: Habits) -> None:
        """Keep what the player has set, for the next table."""
        if why := await asyncio.to_thread(self._around.keep, before, after):
            self.announce(why)

    async def _find_hint(self) -> None:
        assert self.table is not None
        view, asked = self.table.view(), subject(Mode.TABLE, self.table)
        if view is not None and self.table.my_turn:
            advice = await asyncio.to_thread(
                hint, self.table.game, view, self.table.writer, self._thinker.ask
            )
            if subject(Mode.TABLE, self.table) == asked:
                self._say(advice)

    def ended(self, error: Exception | None = None) -> None:
        """Note that the driver has finished; the player may look at the end, then closes the
        screen."""
        read = self.stage is TableStage.READ and error is None
        self._enter(TableStage.CLOSED if self.table is None or read else TableStage.OVER)
        if self.table is None or self.closed.is_set():
            return
        if error is not None and not self.table.stopped:
            self.table = replace(self.table, stopped=str(error), choices=())
        if self.desk.mode not in (Mode.SUMMARY, Mode.FINISH, Mode.MATCH, Mode.RULING):
            self.desk = replace(self.desk, mode=Mode.SUMMARY, notice="", about=None)
        self._redraw()

    def considers(self) -> bool:
        """Tell whether the end of a match is on the screen, or what led to it."""
        looks = self.stage is TableStage.PLAYING and self.desk.again
        return looks and self.table is not None and bool(self.table.match)

    def leave(self) -> None:
        """Leave the table, so that the game can be gone on with."""
        self._do(PlainDeed.LEAVE)

    def show(self, lines: tuple[str, ...]) -> None:
        """Show lines over the table until a key is pressed, or print them before there is a
        screen."""
        if self.table is None:
            for line in lines:
                self._around.say(line)
            return
        self.desk = replace(self.desk, mode=Mode.HELP, help=lines, page=0)
        self._redraw()

    def _say(self, words: str) -> None:
        """Say something of the turn in the place of the prompt; among the news where a question
        stands there, whose answer must not be given to anything else."""
        assert self.table is not None
        if self.desk.mode is Mode.TABLE:
            self.desk = said_now(self.desk, self.table, words)
        else:
            self.table = told(self.table, words)
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
