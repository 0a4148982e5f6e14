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
from cli.front.autoplay import by_itself, duty
from cli.front.doors import Doors
from cli.front.hints import hint
from cli.front.story import Story
from cli.net.transport import Status
from cli.sanitize import safe_name, safe_text
from cli.screen.announced import Announced
from cli.screen.canvas import Frame
from cli.screen.desk import Act, Answer, Deed, Desk, EndHand, Mode, Say, Wish
from cli.screen.ending import PLAY_ON, agreed_words
from cli.screen.input import asked_anew, click, press, settled
from cli.screen.ledgers import after_contribution, as_it_stands, table_of
from cli.screen.link import after_status
from cli.screen.model import Table, acted, heard, told, turned_to_newest, viewed
from cli.screen.overlays import at_the_end, bounded
from cli.screen.pauses import tidy
from cli.screen.preferences import Habits
from cli.screen.proofs import proofs_of
from cli.screen.render import render
from cli.tasks import Errands, first
from p2p304.seats import place_name
from protocol.ledger.events import (
    ActionTaken,
    ChatReceived,
    Contributed,
    Disclosed,
    EndUndone,
    Event,
    HandEnded,
    HandStarted,
    HandUnfinished,
    MatchEnded,
    RoundClosed,
    TurnOpened,
    Waiting,
)
from protocol.seat.view import SeatView
from protocol.wire.charter import Charter

WELCOME: Final = "New to {}? Press ? for the rules of this moment and the game, h for a hint."
_LOOKS: Final = (ActionTaken, Disclosed, HandStarted, TurnOpened, HandEnded)
"""Events after which the view may show more."""
A_FRAME: Final = 0.05
"""Seconds after which a frame is waited for no longer."""


def _nothing() -> None:
    """Do nothing: nobody looks."""


class ClientSeat:
    """The player's seat and its screen. `changed` is called whenever the frame may differ."""

    feels_delay = True

    def __init__(
        self,
        habits: Habits,
        *,
        charter_text: Callable[[Charter], tuple[str, ...]] = lambda _: (),
        agreed: Callable[[Charter], None] = lambda _: None,
        transcript: Callable[[SeatView, int], str] = lambda _session, _number: "",
        say: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`charter_text` is what the player reads before agreeing, `agreed` gets a charter that was
        agreed to (it may write to the disk), `transcript` names the file of a hand, `say` prints a
        line while the screen is not up yet."""
        self.changed: Callable[[], None] = _nothing
        self.began = asyncio.Event()
        """The table stands: the screen can come up."""
        self.closed = asyncio.Event()
        """The player has left, or has read the end."""
        self.table: Table | None = None
        self.endings: list[Event] = []
        """How the last hand ended, and the match with it."""
        self.desk = Desk(asking=habits.asking, hints=habits.hints)
        self._habits = habits
        self._charter_text = charter_text
        self._on_agreeing = agreed
        self._transcript = transcript
        self._say = say
        self._session: SeatView | None = None
        self._number = -1
        self._announced = Announced(clock)
        self._drawn = asyncio.Event()
        self._drawn.set()
        self._asked: asyncio.Future[Any] | None = None
        self._agreed: asyncio.Future[bool] | None = None
        self._left = asyncio.Event()
        self._over = False
        self._refused = False
        self._read = False
        """Whether the player has looked at the latest hand's end."""
        self._errands = Errands()
        self._doors: Doors | None = None
        self._names: dict[int, str] = {}

    def bind(self, doors: Doors) -> None:
        """See Player.bind."""
        self._doors = doors

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
            self.table = as_it_stands(self.table, self._session.table_state, awaited)

    def press(self, key: str) -> None:
        """Take a key that the player pressed."""
        if self.table is not None and (key == "c-c" or self._announced.reads):
            self._answered(press(self.desk, self.table, key))

    def click(self, target: str) -> None:
        """Take a click on something that the frame offered."""
        if self.table is not None and self._announced.reads:
            self._answered(click(self.desk, self.table, target))

    def _answered(self, answer: Answer) -> None:
        self.desk, deed = answer
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
        ends = {Mode.SUMMARY, Mode.FINISH} & {self.desk.mode, self.desk.under}
        if self.table is not None and not ends:
            self.table = turned_to_newest(self.table)

    def _do(self, deed: Deed) -> None:
        match deed:
            case Act(action):
                if self._asked is not None and not self._asked.done():
                    self._announced.answered()
                    self._asked.set_result(action)
            case Say(text):
                if self._doors is not None and self.table is not None and self._session is not None:
                    self.table = heard(self.table, ChatReceived(self._session.seat, text))
                    self._errands.start(self._doors.say(text))
            case EndHand(present):
                if self._doors is not None and self.table is not None:
                    self.table = replace(self.table, agreed=present)
                    self.announce(
                        agreed_words(self.table.writer, present, self.table.seat)
                        if present
                        else PLAY_ON
                    )
                    self._errands.start(self._doors.end(present))
            case Wish.AGREE | Wish.REFUSE:
                if self._agreed is not None and not self._agreed.done():
                    self._agreed.set_result(deed is Wish.AGREE)
            case Wish.HINT:
                self._errands.start(self._find_hint())
            case Wish.LEAVE:
                self._left.set()
                self.closed.set()
            case Wish.CLOSE:
                self._read = True
                if self._over:
                    self.closed.set()

    async def _find_hint(self) -> None:
        assert self.table is not None
        view = self.table.view()
        if view is None or not self.table.my_turn:
            return
        advice = await asyncio.to_thread(hint, self.table.game, view, self.table.writer)
        self.desk = replace(self.desk, notice=advice)
        self._redraw()

    def ended(self, error: Exception | None = None) -> None:
        """Note that the driver has finished; the player may look at the end, then closes the
        screen."""
        self._over = True
        if self.table is None or self.closed.is_set():
            self.closed.set()
            return
        if error is not None and not self.table.stopped:
            self.table = replace(self.table, stopped=str(error), choices=())
        if error is None and self._read:
            self.closed.set()
        elif self.desk.mode not in (Mode.SUMMARY, Mode.FINISH):
            self.desk = replace(self.desk, mode=Mode.SUMMARY)
        self._redraw()

    def leave(self) -> None:
        """Leave the table, so that the game can be gone on with."""
        self._do(Wish.LEAVE)

    def announce(self, sentence: str) -> None:
        """Say a sentence of the program itself: among the news, or before there is a screen."""
        if self.table is None:
            self._say(sentence)
            return
        self.table = told(self.table, safe_text(sentence, ascii_only=self._habits.ascii_only))
        self._redraw()

    # --- the driver's player ----------------------------------------------------------------------

    async def lobby(self, names: dict[int, str], seats: int) -> None:
        """Print who has come, line by line, before there is a screen."""
        for seat, name in sorted(names.items()):
            where = place_name(seat, seats)
            if self._names.get(seat) != name:
                self._say(f"{where[:1].upper()}{where[1:]}: {safe_name(name)} has sat down.")
        self._names = dict(names)

    async def begin(self, session: SeatView) -> None:
        """Show the table as it stands, with the screen."""
        self._look_at(session)
        self.began.set()

    def _look_at(self, session: SeatView) -> None:
        self._session = session
        table = table_of(session, ascii_only=self._habits.ascii_only)
        talks = table.telling.talk_agreed and not self._habits.mute
        self.desk = replace(self.desk, talk=talks)
        self.table = replace(table, agreed=session.yet_to_agree())
        self._number = table.number
        self._story = Story(session.game, table.writer, table.state)

    async def confirm(self, charter: Charter) -> bool:
        """Show the player the charter, and tell whether it agrees."""
        if self._habits.agree:
            return True
        self._agreed = asyncio.get_running_loop().create_future()
        lines = self._charter_text(charter)
        self.desk = replace(self.desk, mode=Mode.CHARTER, charter=lines)
        self._redraw()
        try:
            agreed = await self._agreed
        finally:
            self._agreed = None
        if agreed:
            await asyncio.to_thread(self._on_agreeing, charter)
        return agreed

    async def tell(self, event: Event, session: SeatView) -> None:
        """Put what happened into the table."""
        if self.table is None:
            self._look_at(session)
        assert self.table is not None
        if isinstance(event, ChatReceived) and not (self.desk.talk and self.table.may_talk):
            return
        if isinstance(event, Contributed):
            self._note(event)
            return
        match event:
            case HandStarted(number, _):
                self._number = number
            case HandEnded() | HandUnfinished() | EndUndone():
                self.endings = [event]
            case MatchEnded():
                self.endings.append(event)
            case RoundClosed(ledger, number, _):
                made = proofs_of(session.table_state, ledger, number, own=session.seat)
                self.table = replace(self.table, proofs=self.table.proofs + made)
            case _:
                pass
        if isinstance(event, _LOOKS):
            self._look()
        if isinstance(event, HandStarted):
            self._story.start(event.dealer, self.table.scores)
        if isinstance(event, ActionTaken) and self._story.begun:
            self.table = acted(self.table, self._story.after(event))
        if isinstance(event, HandStarted) and event.number == 0 and self._habits.hints:
            self.table = told(self.table, WELCOME.format(self.table.game.name))
        clock = on_the_wall(event.since) if isinstance(event, Waiting) else ""
        path = ""
        if isinstance(event, HandEnded | HandUnfinished):
            path = self._transcript(session, event.number)
        self.table = heard(self.table, event, clock=clock, transcript=path)
        if isinstance(event, HandEnded | HandUnfinished):
            tidy()
            self._read = False
            self.desk = at_the_end(self.desk, self.table)
            if self.desk.mode is Mode.FINISH and self._habits.pace is not None:
                self._errands.start(self._finish(self._habits.pace))
        self.desk = settled(self.desk, self.table)
        self._turn_to_newest()
        if self.began.is_set() and not self.closed.is_set():
            self._drawn.clear()
        self._redraw()

    async def _finish(self, pace: float) -> None:
        """Show the result, until a key is pressed, once the last trick has lain as long as any
        other."""
        ended = self._number_ended()
        await asyncio.sleep(pace)
        if self.desk.mode is Mode.FINISH and self._number_ended() == ended:
            self.desk = replace(self.desk, mode=Mode.SUMMARY)
            self._redraw()

    def _number_ended(self) -> int | None:
        """Return the number of the hand whose end is looked at."""
        summary = None if self.table is None else self.table.summary
        return None if summary is None else summary.number

    def _note(self, event: Contributed) -> None:
        """Note that somebody has answered, which closes no round: drawn when there is time for
        it."""
        before = self.table
        self._stand()
        assert self.table is not None
        self.table = after_contribution(self.table, event)
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
        session, table = self._session, self.table
        assert session is not None
        assert table is not None
        view = session.view(self._number) if self._number >= 0 else None
        if view is None:
            return
        asked = self._asked is not None and not self._asked.done()
        legal = tuple(session.legal_actions()) if asked else ()
        self.table = viewed(table, self._number, view, table.telling.choices(view, legal))

    async def link(self, status: Status) -> None:
        """Show trouble with the connection in the place of the trust line."""
        if self.table is not None:
            clock = on_the_wall(time.monotonic())
            self.table = after_status(self.table, status, clock)
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
        self._asked = asyncio.get_running_loop().create_future()
        if not self._refused:
            self.desk = asked_anew(self.desk)
        self._refused = False
        try:
            self._look()
            assert self.table is not None
            self.desk = settled(self.desk, self.table)
            self._redraw()
            return await self._choice()
        finally:
            self._asked = None
            if self.table is not None:
                self.table = replace(self.table, choices=())
                self.desk = settled(self.desk, self.table)
            self._redraw()

    async def _choice(self) -> Any:
        assert self._asked is not None
        assert self.table is not None
        choices = self.table.choices
        while True:
            habits = self._habits
            unasked = by_itself(choices, pace=habits.pace, forced=habits.forced)
            moment = None if unasked is None else max(unasked[0], A_FRAME)
            done, _ = await asyncio.wait({self._asked}, timeout=moment)
            if done:
                return self._asked.result()
            free = self.desk.mode is Mode.TABLE and not self.desk.typed
            if unasked is not None and free and self.desk.cursor is None:
                return unasked[1].action

    async def refused(self, reason: str) -> None:
        """Show the refusal in the place of the prompt."""
        self._refused = True
        self.desk = replace(self.desk, notice=reason)
        self._redraw()

    async def leaving(self) -> None:
        """Return when the player leaves."""
        await first(self._quit(), self._errands.run())

    async def _quit(self) -> None:
        await self._left.wait()
