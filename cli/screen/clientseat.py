"""The player at a full screen: connects the table's events, keys and frames.

It implements the driver's player. Pure functions do all drawing and reading; this module keeps
their results. It imports no terminal, so that tests press keys and read frames directly.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from cli.bounds import A_FRAME, CLAIM_WINDOW, READ_AFTER
from cli.clock import on_the_wall
from cli.front.assistant import by_itself, duty, hint, urgent_claim
from cli.front.narrator import ACCEPTS, Seen, lost_broker, missing_words
from cli.front.player_commands import (
    NO_REMATCH,
    PLAY_ON,
    AnswerGoingOn,
    CarryOut,
    GoOn,
    PlayerCommand,
    agreed_words,
)
from cli.front.story import Story
from cli.front.writing import Writer, goes_by_itself, in_due_order
from cli.net.transport import LinkState, LinkStatus, Trouble
from cli.sanitize import LIST_CELLS, safe_name, safe_text
from cli.screen.canvas import Frame, Shown
from cli.screen.desk import (
    WRITING,
    Act,
    Announced,
    Answer,
    Desk,
    Mode,
    PlainDeed,
    TableStage,
)
from cli.screen.footer import chat_is_shown, title_of
from cli.screen.input import ask_anew, click, press, say, settle, subject
from cli.screen.model import (
    MAY_SHOW_MORE,
    Table,
    after_contribution,
    after_event,
    after_notice,
    after_presence,
    after_view,
    as_it_stands,
    sum_up,
    table_of,
    with_sentence,
)
from cli.screen.moving import Movement
from cli.screen.overlays import at_the_end, bound_scroll, show_ruling, turn_to_newest
from cli.screen.preferences import NOTHING_AROUND, PlaySettings, ScreenTexts
from cli.screen.render import render
from cli.store.hands import hand_name
from cli.tasks import Errands, first
from cli.wording import capital
from cli.workers import Thinker
from p2p304.seats import Seat, place_name
from p2p304.telling import Choice
from protocol.seat.view import SeatView
from protocol.table import events
from protocol.table.events import ChatReceived, Event
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, Say, WantRematch
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey


def show_at_once(deed: PlayerCommand, table: Table) -> tuple[Table, str]:
    """Return the table with a player's command shown on it before the others have it, and a
    sentence to announce, or "".

    Shown are a message, the agreement to end the hand or its withdrawal, and that a proposal is
    answered; for other commands the table is unchanged.
    """
    match deed:
        case Say(text) if table.seat is not None:
            # Shown before it was sent: who sees nothing for a second says it twice.
            return after_notice(table, ChatReceived(table.seat, text)), ""
        case EndUnfinished(present):
            words = agreed_words(table.writer, present, table.seat)
            return replace(table, agreed=present), words
        case PlayOn():
            # Shown as withdrawn, so that `e` asks anew; the signature itself is not taken back.
            return replace(table, agreed=()), PLAY_ON
        case AnswerGoingOn():
            return replace(table, open_proposals=None), ""
        case Say() | GoOn() | WantRematch() | CallReferee():
            return table, ""


async def wait_for_answer(
    answer: asyncio.Future[Any], choices: tuple[Choice, ...], look: Callable[[], Desk]
) -> Any:
    """Return the player's `answer`, once it is there, or the action that needs no key, after its
    pause.

    `look` returns the desk. No action is made without a key while the player types, reads, moves
    the cursor or holds a window.
    """
    window = any(each.window for each in choices)
    while True:
        kept = look().settings
        unasked = by_itself(choices, pace=kept.pace, go_on=kept.go_on, forced=kept.forced)
        # Looked again at short intervals; a question that is no window waits for its key alone.
        moment = CLAIM_WINDOW if window else None  # a key may switch whether it closes by itself
        if unasked is not None:
            # The pause, before the choice in [1]. Zero would be answered before anything was drawn.
            moment = max(unasked[0], A_FRAME)
        try:
            async with asyncio.timeout(moment):
                # Shielded: a timeout ends this wait and not the question, which is asked on.
                return await asyncio.shield(answer)
        except TimeoutError:
            # The desk may have changed while we waited: it is judged as it is now.
            desk = look()
            # Whoever types or has moved the cursor is about to answer.
            free = desk.mode is Mode.TABLE and not desk.typed and desk.cursor is None
            # What is no window has been decided by the settings; a window may be held open.
            go_on = desk.settings.go_on
            goes = not window or (goes_by_itself(choices, go_on) and not desk.held)
            if unasked is not None and goes and free and not answer.done():
                return unasked[1].action


# Of these the broker has said nothing; of all others it has given a refusal.
# None: a state that tells no trouble, as before the first attempt.
_SILENT: Final = (Trouble.UNREACHABLE, Trouble.TIMEOUT, Trouble.LOST, None)


def after_status(table: Table, status: LinkStatus, clock: str) -> Table:
    """Return the table after a change of the connection at the local time `clock`.

    While it is lost, `link` tells since when, and the news tell each reason once; "Connected
    again." follows. A closed connection takes `link` away without a word.
    """
    if status.state in (LinkState.CONNECTED, LinkState.CLOSED):
        fine = replace(table, link="", lost_since="")
        back = table.link and status.state is LinkState.CONNECTED
        return with_sentence(fine, "Connected again.") if back else fine
    # Since the first loss: attempts in between do not start it anew.
    since = table.lost_since or clock
    after = replace(table, lost_since=since, link=_line(status, since))
    # If the others are gone as well, it is the broker and not our line.
    if status.state is LinkState.DISCONNECTED:
        named = {seat: table.writer.seat(seat) for seat in table.presence}
        whose = lost_broker(named, table.presence)
        return with_sentence(after, whose) if whose else after
    why = safe_text(status.sentence, ascii_only=table.writer.ascii_only)
    # Each attempt gives the same reason: it is told once.
    return after if why in after.news else with_sentence(after, why)


def _line(status: LinkStatus, since: str) -> str:
    """Return the line that replaces the trust line while the connection is lost or unheard,
    `since` a local time.
    """
    if status.state is LinkState.UNHEARD:
        return f"Perhaps nobody hears us since {since}: what we send does not come back."
    lost = f"Connection lost since {since}; trying again"
    # Just ended: the reasons below are of attempts to come back, and none has failed yet.
    if status.state is LinkState.DISCONNECTED:
        return f"{lost}."
    silent = status.trouble in _SILENT
    return f"{lost} ({'the broker does not answer' if silent else 'the broker refuses'})."


class ClientSeat(Shown):
    """The player of a seat at a full screen. `changed` is called whenever the frame may differ."""

    # A person: proofs for the next deck wait for a pause (`SeatPlayer.feels_delay`).
    feels_delay = True
    _carry_out: CarryOut  #: Set by `bind`, before anything else.

    def __init__(
        self,
        play_settings: PlaySettings,
        around: ScreenTexts = NOTHING_AROUND,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set up a player; `clock` returns monotonic seconds."""
        self.changed: Callable[[], None] = lambda: None
        #: How far the player has come; `_enter` goes on.
        self.stage = TableStage.PLAYING
        self.up = asyncio.Event()  #: Set once the screen can be shown.
        self.closed = asyncio.Event()  #: Set once the player has left, or closed the screen.
        self._drawn = asyncio.Event()  #: Set while the player sees what was told.
        self._drawn.set()  # nothing was told yet
        #: The answer to what the player is asked now, to agree to a charter or to choose; None
        #: while nothing is asked.
        self._answer: asyncio.Future[Any] | None = None
        self.table: Table | None = None  #: What the screen shows; None before there is a session.
        #: Answers a key while a friend is waited for, and says whether that was it.
        self.before: Callable[[str], bool] | None = None
        # The bots of this process are slowed for the player's eyes, those of others are not ours.
        #: Told by the player how fast our bots shall play.
        self.paced: Callable[[float], None] = lambda _: None
        self.desk = Desk(settings=play_settings)
        #: Whether a last trick goes by itself: the key at the table is about windows alone.
        self._goes_on = play_settings.go_on
        self._around = around
        #: Returns the session as it is known now; None before `begin`.
        self._look_again: Callable[[], SeatView] | None = None
        self._clock = clock
        self._announced = Announced(clock)
        self._movement = Movement(clock) if play_settings.moves else None
        #: What was said and lies before the player, and since when.
        self._read: tuple[tuple[Seat, str], ...] = ()
        self._read_since = 0.0
        self._errands = Errands()
        self._thinker = Thinker()
        #: What the program said before there was a table to say it at.
        self._said_before: tuple[str, ...] = ()
        self._refusal = ""  #: Why the choice before was refused.
        self._names: dict[int, str] = {}  #: Who has sat down, as far as it was printed.

    def bind(self, carry_out: CarryOut) -> None:
        """Set the function that carries out the player's commands (see SeatPlayer.bind)."""
        self._carry_out = carry_out

    def _enter(self, stage: TableStage) -> None:
        """Go on to another stage, unless the player has left or closed the screen."""
        # The driver may end after the player has left.
        if not self.closed.is_set():
            self.stage = stage
            if stage in (TableStage.LEFT, TableStage.CLOSED):
                self.closed.set()

    def frame(self, columns: int, rows: int) -> Frame:
        """Return the screen of this size in cells, with the newest state of the table, and note
        that it was drawn. There must be a table.
        """
        # Drawn from the newest state: an event may still be on its way to `tell`.
        self._stand()
        # The screen is shown only once there is a table (see `up`).
        assert self.table is not None
        self._drawn.set()
        self._announced.drawn()
        shown = self.table.chat if chat_is_shown(self.table, self.desk) else ()
        if shown != self._read:
            self._read, self._read_since = shown, self._clock()
        # Only here the size is known: scrolling past the end is mended at the next frame.
        self.desk = bound_scroll(self.desk, self.table, columns, rows)
        desk = self.desk
        if self._movement is not None:
            desk = self._movement.over(desk, self.table, self.changed)
        return render(self.table, desk, columns, rows)

    def _stand(self) -> None:
        """Update the table by what the session knows now: the seats that have contributed, the
        awaited seats, wishes and proposals; do nothing before there is a table.
        """
        if self.table is not None and self._look_again is not None:
            known = self._look_again()
            self.table = as_it_stands(self.table, known, known.awaited_others())

    def title(self) -> str:
        """Return the window's title, such as "Your turn - 304"; "" before there is a table."""
        return "" if self.table is None else title_of(self.table)

    def calls(self) -> str:
        """Return the words that our turn has come, once, if no key was pressed for a while; else
        "".
        """
        return self._announced.calls()

    def press(self, key: str) -> None:
        """Handle a key, unless the function `before` uses it. A key meant for a question that
        has just vanished is ignored, but not Ctrl-C or while something is typed; so is any key
        before there is a table.
        """
        before = None if self.desk.mode in WRITING else self.before
        if self.table is None or (before is not None and before(key)):
            return
        # Ctrl-C always works, and letters go on with a word that was begun.
        if key == "c-c" or self.desk.typed or self._announced.reads(key):
            self._stand()
            self._answered(press(self.desk, self.table, key, now=self._clock()))

    def click(self, target: str) -> None:
        """Handle a click on a target of the frame, such as "card 12" or "key y". A key's target
        is offered to `before` first; clicks are ignored as keys are (see `press`).
        """
        # Clicks name the key that they stand for, as "key y".
        key = target.removeprefix("key ")
        before = None if key == target or self.desk.mode in WRITING else self.before
        if self.table is None or (before is not None and before(key)):
            return
        # No exception for typed words, as in `press`: a click does not go on with them.
        if self._announced.reads(key):
            self._stand()
            self._answered(click(self.desk, self.table, target))

    @property
    def play_settings(self) -> PlaySettings:
        """The player's settings, with the changes made by keys."""
        return self.desk.settings

    def _answered(self, answer: Answer) -> None:
        """Take over the desk after a key or click, store the settings that it changed, and carry
        out its command, if any: answer the open question with an action or about the charter, find
        a hint, leave, close the end of a hand, or bring a command to the table. An answer without
        an open question is dropped.
        """
        # Keys and clicks come from the screen, which needs a table.
        assert self.table is not None
        before, (self.desk, deed) = self.desk, answer
        if before.settings != self.desk.settings:
            # Written in a thread: a slow disk must not hold up keys.
            self._errands.start(self._keep(before.settings, self.desk.settings))
            self.paced(self.desk.settings.pace)
        if chat_is_shown(self.table, self.desk):
            # What lies on the screen counts as read.
            self.table = replace(self.table, unread=0)
        # The question may have been answered by itself between the frame and the key, and a key may
        # come twice: the first answer counts.
        asked = self._answer if self._answer is not None and not self._answer.done() else None
        acts = isinstance(deed, Act) and asked is not None
        # Before the deed: what it changes was the player's own doing.
        self._announced.look(self.desk, self.table, by_key=True, answered=acts)
        match deed:
            case None:
                pass
            case Act(action) if asked is not None:
                asked.set_result(action)
            case PlainDeed.AGREE | PlainDeed.REFUSE if asked is not None:
                asked.set_result(deed is PlainDeed.AGREE)
            case Act() | PlainDeed.AGREE | PlainDeed.REFUSE:
                pass  # nothing is asked any more
            case PlainDeed.HINT:
                self._errands.start(self._find_hint())
            case PlainDeed.LEAVE:
                self._enter(TableStage.LEFT)
            case PlainDeed.CLOSE:
                ended, over = self.table.summary, self.stage is TableStage.OVER
                # The result goes among the news, because the summary that told it is closed; of an
                # older hand it is none.
                if ended is not None and ended.number == self.table.number:
                    self.table = with_sentence(self.table, ended.outcome.summary)
                self._enter(TableStage.CLOSED if over else TableStage.READ)
            case command:
                self._bring(command)
        self.table = turn_to_newest(self.desk, self.table)
        self._redraw()

    def _redraw(self) -> None:
        """Ask for a new frame. If a question vanished or changed by itself, keys that may be
        meant for it are ignored for a moment after that frame.
        """
        self._announced.look(self.desk, self.table)
        self.changed()

    def _bring(self, deed: PlayerCommand) -> None:
        """Show a player's command to the table at once, and start to carry it out."""
        # Commands come of keys, which need a table.
        assert self.table is not None
        self.table, words = show_at_once(deed, self.table)
        if words:
            self.announce(words)
        self._errands.start(self._brought(deed, self.table.writer))

    async def _brought(self, deed: PlayerCommand, writer: Writer) -> None:
        """Carry out a player's command; after a proposal, announce the seats that have yet to
        agree.
        """
        await self._carry_out(deed)
        if isinstance(deed, GoOn | AnswerGoingOn) and self._look_again is not None:
            # Looked at anew: the others may have agreed while ours was written.
            lacking = self._look_again().yet_to_go_on()
            if lacking:
                self.announce(missing_words(writer, lacking))

    async def _keep(self, before: PlaySettings, after: PlaySettings) -> None:
        """Store the player's changed settings for the next table; announce the reason if that
        fails.
        """
        # In a thread: it writes to the disk.
        if why := await asyncio.to_thread(self._around.keep, before, after):
            self.announce(why)

    async def _find_hint(self) -> None:
        """Find a hint in a thread, and show it if the turn is still the same; without a choice
        to make do nothing.
        """
        # The key for a hint is one of the table's.
        assert self.table is not None
        view, asked = self.table.view(), subject(Mode.TABLE, self.table)
        if view is not None and self.table.choices:
            # A search of seconds, which would stop the screen.
            advice = await asyncio.to_thread(
                hint, self.table.game, view, self.table.writer, self._thinker.ask
            )
            # Compared after the thread: a hint for a position that has passed is not shown.
            if subject(Mode.TABLE, self.table) == asked:
                self._say(advice)

    def ended(self, error: Exception | None = None) -> None:
        """Note that the driver has ended, with `error` if that is why, and show the end of the
        table until the player closes the screen. The error's text is shown only if the table has
        not told already why it stopped.

        The screen closes at once if there is no table, or if there is no error and the player has
        read the end already.
        """
        read = self.stage is TableStage.READ and error is None
        self._enter(TableStage.CLOSED if self.table is None or read else TableStage.OVER)
        if self.table is None or self.closed.is_set():
            return
        # What the table says of its end is better than an error's text.
        if error is not None and not self.table.stopped:
            self.table = replace(self.table, stopped=str(error), choices=())
        # These show the end already; anything else is covered by the summary.
        if self.desk.mode not in (Mode.SUMMARY, Mode.FINISH, Mode.MATCH, Mode.RULING):
            self.desk = replace(self.desk, mode=Mode.SUMMARY, notice="", about=None)
        self._redraw()

    def considers(self) -> bool:
        """Return whether the player may still ask for another match: the end of one is shown,
        another may follow, and the player has not left.
        """
        playing = self.stage is TableStage.PLAYING and self.desk.again
        return playing and self.table is not None and self.table.match is not None

    def leave(self) -> None:
        """Leave the table, so that the game can be resumed."""
        self._enter(TableStage.LEFT)

    def show(self, lines: tuple[str, ...]) -> None:
        """Show lines over the table until a key is pressed; print them before there is a table."""
        if self.table is None:
            for line in lines:
                self._around.say(line)
            return
        self.desk = replace(self.desk, mode=Mode.HELP, help=lines, page=0)
        self._redraw()

    def _say(self, words: str) -> None:
        """Show a sentence about the turn in place of the prompt.

        While a question or an overlay is open, the sentence goes among the news: a key would answer
        a question that is not seen.
        """
        # It is about a turn, so there is a table.
        assert self.table is not None
        if self.desk.mode is Mode.TABLE:
            # A sentence in place of a question would leave keys that answer what nobody sees.
            self.desk = say(self.desk, self.table, words)
        else:
            self.table = with_sentence(self.table, words)
        self._redraw()

    def announce(self, sentence: str) -> None:
        """Show a sentence of the program among the news; before there is a table print it, and
        show it again when the screen comes up.
        """
        # Safe here, at the one door: sentences hold names and reasons of others.
        # As long as an address of a broker may make it: it is copied from the screen.
        safe = safe_text(sentence, cells=LIST_CELLS, ascii_only=self.desk.settings.ascii_only)
        if self.table is None:
            self._around.say(safe)
            self._said_before += (safe,)
            return
        self.table = with_sentence(self.table, safe)
        self._redraw()

    # --- what the driver tells and asks ---------------------------------------------------------

    async def lobby(self, names: dict[int, str], seats: int) -> None:
        """Print each player who has sat down since the last call; `names` are nicknames by seat."""
        for seat, name in sorted(names.items()):
            where = place_name(seat, seats)
            # Only changes: the lobby tells its whole list each time.
            if self._names.get(seat) != name:
                # Names are chosen by strangers: no control character reaches the terminal.
                self._around.say(f"{capital(where)}: {safe_name(name)} has sat down.")
        # A copy, as the caller's goes on changing.
        self._names = dict(names)

    async def begin(self, look: Callable[[], SeatView]) -> None:
        """Make the table from the session that `look` returns, now and at later updates,
        announce again what was announced before, and bring the screen up; it opens at a match's
        end if there is one.
        """
        self._look_again, session = look, look()
        table = table_of(session, ascii_only=self.desk.settings.ascii_only)
        self.table = replace(table, agreed=session.present_at_agreed_end())
        # Made with the table, as nothing is told before it.
        self._story = Story(session.game, table.writer, table.state)
        for sentence in self._said_before:
            self.announce(sentence)
        self._said_before = ()
        self.desk = replace(
            self.desk,
            mode=Mode.TABLE if table.match is None else Mode.MATCH,
            notice="",
            talk=table.telling.talk_agreed and not self.desk.settings.mute,
            again=session.charter.tournament is None,
            invites=self._around.invites(),
        )
        self._enter(TableStage.PLAYING)
        self.up.set()

    async def confirm(self, charter: Charter, unnamed: tuple[PublicKey, ...] = ()) -> bool:
        """Show the charter, and then the referees whom the player has not named (`unnamed`); return
        whether the player agrees to both. An agreement by key is recorded.

        At a table with our own bots alone the settings may agree without a question.
        """
        # A referee whom the player has not named as trusted is always asked about.
        if self.desk.settings.agree and not unnamed and self._around.only_ours(charter):
            return True
        text = self._around.charter_text(charter)
        agreed = await self._agrees(("The charter of this table", *text), "")
        if agreed and unnamed:
            told = ("The referee", *self._around.referees(unnamed))
            agreed = await self._agrees(told, f"{ACCEPTS} (y/n)")
        if agreed:
            # In a thread: it writes to the disk.
            await asyncio.to_thread(self._around.agreed, charter)
        return agreed

    async def _agrees(self, told: tuple[str, ...], asks: str) -> bool:
        """Show a title and lines with a question, and return whether the player agrees."""
        self.desk = replace(self.desk, mode=Mode.CHARTER, told=told, asks=asks, page=0)
        answer = self._answer = asyncio.get_running_loop().create_future()
        self._redraw()
        return bool(await answer)

    async def tell(self, event: Event, session: SeatView) -> None:
        """Update the table and the desk by an event, and ask for a new frame; chat is dropped
        where talk is off. When a hand ends its transcript is written, its end is shown, and
        garbage is collected.
        """
        # The driver calls `begin` first.
        assert self.table is not None
        # Muted or not agreed: other programs may send it all the same (specs 7.8).
        if isinstance(event, events.ChatReceived) and not self.desk.talk:
            return
        # One comes for every frame of the protocol: too many for the work below.
        if isinstance(event, events.Contributed):
            self._note(event)
            return
        match event:
            case events.HandStarted():
                lain = self._clock() - self._read_since
                # Read only if the same words have lain there for as long as reading takes.
                if self._read == self.table.chat and lain >= READ_AFTER:
                    self.table = replace(self.table, unread=0)
            case events.RematchAgreed(None):
                self.desk = replace(self.desk, again=False, notice=NO_REMATCH)
            # 0 is this table as it sits, which goes on with the screen that it has.
            case events.RematchAgreed(seating) if seating:
                self._enter(TableStage.READ)  # the next table has a screen of its own
            case events.HandRuled() | events.RulingHeard():
                self.desk = show_ruling(self.desk, self.table, event)
        # Before the news: they are told about the table as it stands after the event.
        if isinstance(event, MAY_SHOW_MORE):
            number = event.number if isinstance(event, events.HandStarted) else self.table.number
            self._look(number)
        path = ""
        # The file's name goes into the summary, so it is written first.
        if isinstance(event, events.HandEnded | events.HandUnfinished):
            file = self._around.transcript(session, event.number)
            path = hand_name(Path(file)) if file else ""
        if isinstance(event, events.HandEnded):
            await asyncio.to_thread(sum_up, self.table, event)
        self.table = after_event(
            self.table,
            event,
            self._story,
            session,
            clock=on_the_wall,
            transcript=path,
            welcome=self.desk.settings.hints,
        )
        if isinstance(event, events.HandEnded | events.HandUnfinished):
            self._enter(TableStage.PLAYING)
            self.desk = at_the_end(self.desk, self.table)
            if self.desk.mode is Mode.FINISH and self._goes_on:
                self._errands.start(self._finish(event.number, self.desk.settings.pace))
            # Between hands, so that it is not done in the middle of one: frames and tasks are
            # cyclic. It takes no longer than a frame, after a match several.
            gc.collect()
        self.desk = settle(self.desk, self.table)
        self.table = turn_to_newest(self.desk, self.table)
        # Only a screen that draws can be waited for, see `shown`.
        if self.up.is_set() and not self.closed.is_set():
            self._drawn.clear()
        self._redraw()

    async def _finish(self, hand: int, pace: float) -> None:
        """Show the result of hand `hand` `pace` seconds from now, if the player still looks at
        its last trick.
        """
        await asyncio.sleep(pace)
        summary = None if self.table is None else self.table.summary
        # The player may have gone on, or the next hand ended, while the trick lay there.
        if self.desk.mode is Mode.FINISH and summary is not None and summary.number == hand:
            self.desk = replace(self.desk, mode=Mode.SUMMARY)
            self._redraw()

    def _note(self, event: events.Contributed) -> None:
        """Update the table by a seat's contribution; ask for a new frame only if something seen
        has changed.
        """
        before = self.table
        self._stand()
        # `tell` has made it.
        assert self.table is not None
        self.table = after_contribution(self.table, event)
        # Most contributions change nothing that is seen: no new frame for them.
        if self.table != before:
            self.desk = settle(self.desk, self.table)
            self._redraw()

    async def shown(self) -> None:
        """Wait until what was told is drawn, for `A_FRAME` seconds at most."""
        # A terminal that was suspended draws nothing; the game goes on without it.
        with suppress(TimeoutError):
            async with asyncio.timeout(A_FRAME):
                await self._drawn.wait()
        self._drawn.set()  # what comes next is not held up by the same frame

    def _look(self, number: int) -> None:
        """Update the table by our seat's view of a hand, with choices if a question is open."""
        # `begin` sets both.
        assert self._look_again is not None
        assert self.table is not None
        session = self._look_again()
        view = session.view(number)
        if view is None:
            return
        # Choices only while asked: between action and echo a second one would be refused.
        asked = self._answer is not None and not self._answer.done()
        legal = tuple(session.legal_actions()) if asked else ()
        choices = self.table.telling.choices(view, legal)
        self.table = after_view(self.table, number, view, choices)

    async def link(self, status: LinkStatus) -> None:
        """Show trouble with the connection in place of the trust line, until it is connected
        again.
        """
        if self.table is not None:
            # Python's clock, not `self._clock`: only its times are on the wall.
            self.table = after_status(self.table, status, on_the_wall(time.monotonic()))
            self._redraw()

    async def presence(self, seat: Seat, seen: Seen) -> None:
        """Show whether another seat's program is there, is silent, or has left."""
        if self.table is not None:
            self.table = after_presence(self.table, seat, seen)
            self._redraw()

    async def decide(self, session: SeatView) -> Any:
        """Ask the player, and return the action of the choice. A single action that decides
        nothing is returned at once, and one that the settings make unasked after its pause.
        """
        # The driver calls `begin` first; and whoever decides has a view.
        assert self.table is not None
        view = session.view()
        assert view is not None
        # A duty (one legal action that decides nothing) is no question to a person.
        unasked = duty(self.table.telling.choices(view, session.legal_actions()))
        if unasked is not None:
            return unasked.action
        # A refused choice is asked again with the notice of its refusal left in place.
        if not self._refusal:
            self.desk = ask_anew(self.desk)
        self._refusal = ""
        # May think for a while, so before the question opens.
        urgent = await urgent_claim(self.table.telling, view, told=self.desk.settings.hints)
        answer = self._answer = asyncio.get_running_loop().create_future()
        try:
            self._look(self.table.number)
            # It was there above, and is never removed; mypy forgets that after a call.
            assert self.table is not None
            choices = in_due_order(self.table.choices, urgent)
            self.table = replace(self.table, urgent=urgent, choices=choices)
            # No bell for a window that closes without a key.
            if goes_by_itself(choices, self.desk.settings.go_on) is None:
                self._announced.turn(title_of(self.table))
            self.desk = settle(self.desk, self.table)
            self._redraw()
            # What must not be missed is never decided by a clock.
            if urgent is not None:
                return await answer
            return await wait_for_answer(answer, choices, lambda: self.desk)
        # Also when cancelled: the hand may end while we are asked.
        finally:
            # A newer question may have taken its place while this one ended.
            if self._answer is answer:
                self._answer = None
            if self.table is not None:
                self.table = replace(self.table, choices=(), urgent=None)
                self.desk = settle(self.desk, self.table)
            self._redraw()

    async def made(self) -> None:
        """Return at once: a person's action may be sent at any moment."""

    async def refused(self, reason: str) -> None:
        """Show in place of the prompt why the player's action was refused; `decide` will ask
        again.
        """
        self._refusal = reason
        self._say(safe_text(reason, ascii_only=self.desk.settings.ascii_only))

    async def leaving(self) -> None:
        """Return once the player leaves the table; raise what a task of the screen raised."""
        # An error of an errand ends the driver, too, instead of vanishing with its task.
        # Closed without leaving is a screen at the end, when the driver has ended already.
        await first(self.closed.wait(), self._errands.run())


#: Collections of the middle generation after which Python would make a whole one by itself: more
#: than a process makes.
NEVER: Final = 1_000_000


@cache
def leave_program_out() -> None:
    """Exclude everything that exists now, the program itself, from all later garbage collections.

    A full collection looks at every object and holds the interpreter's lock; most objects are
    modules, functions and constants, which never become garbage. This is done once in a process:
    garbage excluded later would stay for ever. From then on no full collection starts by itself, as
    it might between a key and its frame; those of young objects still do.
    """
    gc.collect()  # what is garbage now would be frozen with the rest
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    # The third threshold counts collections of the middle generation.
    gc.set_threshold(young, middle, NEVER)
