"""The app between a terminal and what it shows: keys, sizes, colours, pace, calls to play."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import random
import re
import sys
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyte
import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output
from wcwidth import wcwidth

from cli.bounds import CALLED_AFTER, KEY_MEANT_BEFORE
from cli.commands.bot import until_host_gone
from cli.front.writing import PACES, next_pace, read_card
from cli.lines.console import Console
from cli.local.bot_processes import pace_in, pace_line
from cli.local.sitting import NewTable, SeatOptions, keep_setup, new_setup, new_table
from cli.net.address import BrokerAddress
from cli.net.transport import Transport
from cli.sanitize import cells_of, is_beside
from cli.screen.app import (
    ENTER,
    OSC_9,
    OSC_777,
    RAW,
    RESTORE_TITLE,
    SAVE_TITLE,
    ClientApp,
    fragments_of,
    notification_code,
    notification_of,
)
from cli.screen.canvas import Canvas, Frame, Ground, Line, Style, Theme
from cli.screen.clientseat import ClientSeat, wait_for_answer
from cli.screen.desk import Announced, Desk, Mode
from cli.screen.export import look_of
from cli.screen.footer import title_of
from cli.screen.model import Table
from cli.screen.preferences import (
    Calls,
    Colouring,
    Colours,
    PlaySettings,
    ScreenTexts,
    filled_palette,
)
from cli.screen.render import render
from cli.seat.bots import BotSeat, Pace
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.sentences import SeatLeft
from cli.store.identity import IdentityStore
from cli.store.journal import Journal
from p2p304.games import agreement, create_game
from p2p304.rules304.actions import Ready
from p2p304.seats import Seat
from protocol.table.events import ActionTaken, Event, HandUnfinished
from tests.client.moments import MOMENTS, Clock, Script, empty_table
from tests.crypto.seeded_entropy import seeded
from tests.loopback import Wire, driver_on
from tests.screen_keys import keys_for
from tests.table.bus import Table as Bus

# --- pace -----------------------------------------------------------------------------------------

# Bots take their time, at a pace that a key changes; the screen says whom the table waits for.


def test_a_pace_is_told_in_a_line_and_nothing_else_is_one() -> None:
    for seconds in (0.0, 0.3, 1.0, 2.5, 60.0):
        assert pace_in(pace_line(seconds)) == seconds
    for line in ("", "pace", "pace x", "pace -1", "pace 61", "pace nan", "pace inf", "paces 1"):
        assert pace_in(line) is None


async def test_a_move_waits_until_the_one_before_has_lain_there() -> None:
    loop = asyncio.get_running_loop()
    pace = Pace(0.05)
    pace.moved()
    began = loop.time()
    await pace.pause()
    assert loop.time() - began >= 0.05


class Counting(Pace):
    """A pace that notes what it is asked for, and never waits."""

    def __init__(self) -> None:
        super().__init__(1.0)
        self.moves = self.pauses = 0

    def moved(self) -> None:
        self.moves += 1

    async def pause(self) -> None:
        self.pauses += 1


async def test_a_bot_pauses_before_a_move_and_lets_another_one_lie() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    bus.run(lambda: any(each.session.legal_actions() for each in bus.chairs))
    pace = Counting()
    bot = BotSeat(1, pace=pace)
    seat = next(each for each in bus.chairs if each.session.legal_actions())
    await bot.decide(seat.session)
    assert pace.pauses == 1
    await bot.tell(ActionTaken(Seat(1), object()), seat.session)
    assert pace.moves == 1


async def test_a_host_changes_the_pace_of_its_bot_over_its_input() -> None:
    reader, writer = os.pipe()
    pace = Pace(1.0)
    until_gone = until_host_gone(Console(descriptor=reader, output=io.StringIO()), pace)
    os.write(writer, b"\npace 3\nnonsense\n")
    os.close(writer)
    await until_gone()
    assert pace.seconds == 3.0


# --- who is waited for ----------------------------------------------------------------------------


SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


class Person:
    """South's screen at a table of real sessions; redraws are counted."""

    def __init__(self, table: Bus) -> None:
        self.session = table.chairs[SOUTH].session
        self.events = table.chairs[SOUTH].events
        self.seat = ClientSeat(PlaySettings(agree=True))
        self.heard = 0
        self.redraws = 0
        self.seat.changed = self._redraw

    def _redraw(self) -> None:
        self.redraws += 1

    async def hear(self) -> None:
        """All that has happened since."""
        new, self.heard = self.events[self.heard :], len(self.events)
        for each in new:
            await self.seat.tell(each, self.session)

    async def tell(self, event: Event) -> None:
        await self.seat.tell(event, self.session)


def at_the_window() -> Bus:
    """Four sessions where all may look at what lies there, and nobody has."""
    return _at_the_window().twin()


@cache
def _at_the_window() -> Bus:
    table = Bus(create_game("304", "pagat"), 1)
    table.confirm()

    def window() -> bool:
        return all(Ready() in each.session.legal_actions() for each in table.chairs)

    table.run(window)
    return table


def test_the_pace_goes_step_by_step_and_never_faster_than_the_eye() -> None:
    pace = 1.0
    for _ in range(20):
        pace = next_pace(pace, -1)
    assert pace == PACES[0] > 0.2
    for _ in range(20):
        pace = next_pace(pace, 1)
    assert pace == PACES[-1]
    assert next_pace(0.0, -1) == PACES[0]


# --- ui app ---------------------------------------------------------------------------------------

# The app between a terminal and what it shows: keys, clicks, sizes, colours and the way out.

DEADLINE = 200.0
COLUMNS, ROWS = 40, 6


class Shown:
    """A screen of frames that a test gives, which is called nothing."""

    def __init__(self) -> None:
        self.changed: Callable[[], None] = lambda: None
        self.now = Canvas(ROWS, COLUMNS).frame()

    def frame(self, columns: int, rows: int) -> Frame:
        assert (columns, rows) == (COLUMNS, ROWS)
        return self.now

    def title(self) -> str:
        return ""

    def calls(self) -> str:
        return ""

    def press(self, key: str) -> None:
        raise AssertionError(key)

    def click(self, target: str) -> None:
        raise AssertionError(target)


class Recorder(Shown):
    """Shows one moment, and writes down what it is told."""

    def __init__(self, name: str = "02-auction") -> None:
        super().__init__()
        self.heard: list[str] = []
        self.news = asyncio.Event()
        self._moment = MOMENTS[name]()

    def frame(self, columns: int, rows: int) -> Frame:
        return render(self._moment.table, self._moment.desk, columns, rows)

    def press(self, key: str) -> None:
        self.heard.append(key)
        self.news.set()

    def click(self, target: str) -> None:
        self.press(f"click {target}")

    async def until(self, count: int) -> None:
        async with asyncio.timeout(DEADLINE):
            while len(self.heard) < count:
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def running(shown: Any, sink: Any = None, **options: Any) -> AsyncIterator[PipeInput]:
    with create_pipe_input() as source:
        app = ClientApp(shown, source=source, sink=sink or DummyOutput(), **options)
        task = asyncio.create_task(app.run())
        try:
            yield source
        finally:
            app.close()
            await task


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        ("9c", ["9", "c"]),
        ("\r", ["enter"]),
        ("\x1b[D\x1b[C\x1b[A\x1b[B", ["left", "right", "up", "down"]),
        ("\x1bOP", ["f1"]),
        ("\x7f", ["backspace"]),
        ("\x03", ["c-c"]),
        ("\t", ["tab"]),
        ("\x1b[5~\x1b[6~", ["pageup", "pagedown"]),
        ("\x1b[200~60\x1b[201~", ["paste 60"]),
    ],
)
async def test_keys_of_a_terminal_get_their_names(sent: str, names: list[str]) -> None:
    shown = Recorder()
    async with running(shown) as source:
        source.send_text(sent)
        await shown.until(len(names))
    assert shown.heard == names


async def test_a_click_in_the_terminals_own_language_hits_what_is_drawn_there() -> None:
    shown = Recorder()
    sink = Vt100_Output(io.StringIO(), lambda: Size(rows=24, columns=80))
    async with running(shown, sink) as source:
        frame = shown.frame(80, 24)
        row = next(row for row, line in enumerate(frame.text()) if "[p] pass" in line)
        column = frame.text()[row].index("[p]")
        async with asyncio.timeout(DEADLINE):
            while len(shown.heard) < 1:
                # Clicks count once the first frame is drawn.
                source.send_text(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")
                await asyncio.sleep(0.05)
    assert shown.heard[0] == "click key p"


@pytest.mark.parametrize(
    ("colours", "no_color", "coloured"),
    [
        (Colours.MANY, "", True),
        (Colours.SIXTEEN, "", True),
        (Colours.NONE, "", False),
        (Colours.AUTOMATIC, "1", False),
    ],
)
async def test_no_color_means_no_colour_and_the_terminal_is_left_clean(
    colours: Colours, no_color: str, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    written = io.StringIO()
    sink = Vt100_Output(written, lambda: Size(rows=24, columns=80), term="xterm-256color")
    drawn = asyncio.Event()
    shown, colouring = Recorder("05-face-down"), Colouring(colours=colours)
    async with running(shown, sink, colouring=colouring, drawn=drawn.set):
        async with asyncio.timeout(DEADLINE):
            await drawn.wait()
    text = written.getvalue()
    foregrounds = ("\x1b[0;31", "[0;1;31", "[0;38;5;", "[0;1;38;5;", "[0;34", "[0;90", "[0;1;32")
    assert any(each in text for each in foregrounds) is coloured
    assert text.index("\x1b[?1049h") < text.rindex("\x1b[?1049l")
    assert text.rindex("\x1b[?1000h") < text.rindex("\x1b[?1000l")
    assert text.rindex("\x1b[?25h") > text.index("\x1b[?1049h")


# --- a hand at a real table -----------------------------------------------------------------------


class Fingers:
    """Types what is to be typed, whenever there is something to decide."""

    def __init__(self, seat: ClientSeat, type_text: Callable[[str], None]) -> None:
        self.seat = seat
        self.type_text = type_text
        self.modes: set[Mode] = set()
        self.never_collected: list[int] = []
        self._last: object = None

    def drawn(self) -> None:
        table, mode = self.seat.table, self.seat.desk.mode
        if mode not in self.modes:  # to count what is never collected takes as long as a frame
            self.never_collected.append(gc.get_freeze_count())
        self.modes.add(mode)
        if table is None:
            return
        now = (mode, table.number, table.state, table.choices)
        if now == self._last:
            return
        self._last = now
        if mode in (Mode.CHARTER, Mode.FINISH, Mode.SUMMARY):
            self.type_text("y" if mode is Mode.CHARTER else ENTER)
        elif table.choices:
            self.type_text(self._keys(table))

    @staticmethod
    def _keys(table: Table) -> str:
        keys = keys_for(table, table.choices[0].action)
        assert keys is not None
        return keys if read_card(keys) is None else f"{keys}{ENTER}"  # as people type it


class Chair(NamedTuple):
    """A seat at a table in memory, with what must be closed in the end."""

    driver: SeatDriver
    transport: Transport
    journal: Journal


def chair_of(root: Path, wire: Wire, table: NewTable, number: int, player: SeatPlayer) -> Chair:
    founding = table.founding if number == 0 else None
    setup = new_setup(
        table.invites[number],
        f"Player {number}",
        founding=founding,
        entropy=seeded(f"setup {number}"),
    )
    journal, transport = keep_setup(root, setup), wire.transport()
    key = IdentityStore(root).key(seeded(f"key {number}"))
    options = SeatOptions(hands=1, linger=0.5)
    driver = driver_on(transport, root, journal, setup, player, options, key)
    return Chair(driver, transport, journal)


#: A charter is read by its fingerprint.
SHOWN = ScreenTexts(charter_text=lambda charter: (charter.fingerprint,))


async def play_a_hand(
    place: Path,
    seat: ClientSeat,
    *,
    name: str = "304",
    profile: str | None = None,
    leave: bool = False,
) -> Fingers:
    """One hand: our seat through keys and frames, bots in the other seats."""
    wire = Wire()
    agreed = agreement(name, profile)
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), name, agreed, seeded("table"))
    bots = range(1, create_game(name).seats)
    players: list[SeatPlayer] = [seat, *map(BotSeat, bots)]
    chairs = [
        chair_of(place / f"{number}", wire, table, number, player)
        for number, player in enumerate(players)
    ]
    tasks: list[asyncio.Task[None]] = []
    try:
        async with asyncio.timeout(DEADLINE):
            for chair in chairs:
                await chair.transport.open()
                tasks.append(asyncio.create_task(chair.driver.run()))
            await seat.up.wait()
            fingers = Fingers(seat, lambda text: source.send_text(text))
            async with running(seat, drawn=fingers.drawn) as source:
                if leave:
                    source.send_text("\x03\x03")  # it asks in a hand
                await tasks[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for chair in chairs:
            await chair.transport.close()
            chair.journal.close()
    return fingers


async def test_ctrl_c_leaves_the_table_for_now(tmp_path: Path) -> None:
    seat = ClientSeat(PlaySettings(agree=True))
    with pytest.raises(SeatLeft, match="resume"):
        await play_a_hand(tmp_path, seat, leave=True)
    assert seat.closed.is_set()


# --- letters of uncertain width -------------------------------------------------------------------


WORDS = ("අමාරා", "කො", "ශ්‍රීමා", "மாலா", "Nimal", "9♠", "日本", "│", "é", "දා│")


class MiniTerminal(pyte.Screen):
    """A terminal in memory, of either kind: marks beside letters and joined letters have cells of
    their own, or have none."""

    def __init__(self, *, cell_of_its_own: bool) -> None:
        super().__init__(COLUMNS, ROWS)
        self._own = cell_of_its_own

    @property
    def cells(self) -> list[list[str]]:
        """What each cell of each row shows, a letter with the signs that share its cell."""
        return [[self.buffer[row][column].data for column in range(COLUMNS)] for row in range(ROWS)]

    def draw(self, data: str) -> None:
        row, joined = self.buffer[self.cursor.y], False
        for char in data:
            width = 1 if is_beside(char) and self._own else max(wcwidth(char), 0)
            if joined and not self._own:
                width = 0
            joined = char == "\u200d"
            if width == 0:
                before = max(self.cursor.x - 1, 0)
                row[before] = row[before]._replace(data=row[before].data + char)
            for text in (char, "")[: min(width, COLUMNS - self.cursor.x)]:
                row[self.cursor.x] = row[self.cursor.x]._replace(data=text)
                self.cursor.x += 1


class _Screen:
    """A text file that is a terminal's screen."""

    encoding = "utf-8"

    def __init__(self, terminal: MiniTerminal) -> None:
        self.write = pyte.Stream(terminal).feed

    def flush(self) -> None:
        """There is no buffer."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return sys.__stdout__.fileno() if sys.__stdout__ else 1


def random_frame(chance: random.Random) -> Frame:
    canvas = Canvas(ROWS, COLUMNS)
    for row in range(ROWS):
        for _ in range(chance.randrange(4)):  # prompt_toolkit drops marks in the last column
            words = " ".join(chance.choices(WORDS, k=chance.randrange(1, 4)))
            style = chance.choice((Style.PLAIN, Style.HEARTS))
            column = chance.randrange(COLUMNS)
            canvas.put(row, column, words, style, room=COLUMNS - 1 - column)
    return canvas.frame()


def cells_as_seen(line: Line, *, cell_of_its_own: bool) -> list[str]:
    """What each cell of a row must show: a word's signs may leave blanks behind it alone."""
    cells: list[str] = []
    for word in (word for span in line for word in re.findall(" +|[^ ]+", span.text)):
        mine: list[str] = []
        for char in word.rstrip("\u200c\u200d"):  # what was cut off joins nothing
            joined = is_beside(char) or (mine and mine[-1].endswith("\u200d"))
            if cells_of(char) == 0 or (joined and not cell_of_its_own):
                mine[-1] += char
            else:
                mine += [char] if cells_of(char) == 1 else [char, ""]
        cells += mine + [" "] * (cells_of(word) - len(mine))
    return cells


async def screens(
    frames: list[Frame], terminal: MiniTerminal
) -> list[tuple[Frame, list[list[str]]]]:
    """Each frame, and the terminal after it."""
    shown = Shown()
    drawn = asyncio.Event()
    seen: list[tuple[Frame, list[list[str]]]] = []
    sink = Vt100_Output(
        _Screen(terminal), lambda: Size(rows=ROWS, columns=COLUMNS), term="xterm"  # type: ignore[arg-type]
    )  # fmt: skip
    async with running(shown, sink, drawn=drawn.set):
        for frame in [shown.now, *frames]:
            shown.now = frame
            drawn.clear()
            if seen:
                shown.changed()
            async with asyncio.timeout(300):
                await drawn.wait()
            seen.append((frame, terminal.cells))
    return seen


@pytest.mark.parametrize("cell_of_its_own", [True, False])
async def test_every_letter_is_where_the_canvas_has_it(*, cell_of_its_own: bool) -> None:
    chance = random.Random(304)
    frames = [random_frame(chance) for _ in range(75)]
    terminal = MiniTerminal(cell_of_its_own=cell_of_its_own)
    for frame, lines in await screens(frames, terminal):
        for drawn, line in zip(frame.lines, lines, strict=True):
            assert line == cells_as_seen(drawn, cell_of_its_own=cell_of_its_own)


def test_a_sign_has_a_cell_and_the_cursor_is_set_behind_it() -> None:
    canvas = Canvas(1, 8)
    assert canvas.put(0, 1, "මා│") == 4
    assert [text for style, text in fragments_of(canvas.frame().lines[0]) if style == RAW] == [
        "\x1b[2G\x1b[3X",
        *(f"\x1b[{column}G" for column in (5, 6, 7, 8)),
    ]


async def test_after_a_hand_all_garbage_is_collected_however_old_it_is() -> None:
    """Else it is the next match that pays for all of it at once."""

    class Knot:
        def __init__(self) -> None:
            self.itself = self

    session = Bus(create_game("304", "pagat"), 1).chairs[0].session
    seat = ClientSeat(PlaySettings())
    await seat.begin(lambda: session)
    gc.disable()  # else a collection may begin by itself
    try:
        knot = Knot()
        left = weakref.ref(knot)
        gc.collect(1)
        gc.collect(1)  # it is among the oldest now
        del knot
        gc.collect(1)
        assert left() is not None
        await seat.tell(HandUnfinished(0, ()), session)
        assert left() is None
    finally:
        gc.enable()


async def test_colours_that_are_chosen_at_the_table_are_drawn_at_once() -> None:
    shown, written, drawn = Shown(), io.StringIO(), asyncio.Event()
    canvas = Canvas(ROWS, COLUMNS)
    canvas.paint(0, 0, Ground.FELT, rows=ROWS, columns=COLUMNS)
    shown.now = canvas.frame()
    felts = {
        theme: look_of(filled_palette(theme)[Style.PLAIN, Ground.FELT]).ground for theme in Theme
    }
    codes = {
        theme: "48;2;" + ";".join(f"{int(felt[place : place + 2], 16)}" for place in (1, 3, 5))
        for theme, felt in felts.items()
    }
    sink = Vt100_Output(written, lambda: Size(rows=ROWS, columns=COLUMNS), term="xterm")
    colouring = Colouring(colours=Colours.TRUE, theme=Theme.DARK)
    async with running(shown, sink, colouring=colouring, drawn=drawn.set):
        for theme, other in ((None, Theme.LIGHT), (Theme.LIGHT, Theme.DARK)):
            written.truncate(0)
            shown.now = shown.now._replace(theme=theme)
            shown.changed()
            async with asyncio.timeout(60):
                while codes[theme or Theme.DARK] not in written.getvalue():
                    drawn.clear()
                    await drawn.wait()
            if theme is None:
                assert codes[other] not in written.getvalue()


# --- calling --------------------------------------------------------------------------------------

# The player is called when its turn comes; a key for what went away by itself decides nothing.

NAMES = ("TERM", "TERM_PROGRAM", "LC_TERMINAL", "VTE_VERSION", "TMUX", "STY")


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, OSC_9),
        ({"LC_TERMINAL": "iTerm2", "TERM": "xterm-256color"}, OSC_9),
        ({"TERM": "xterm-kitty"}, OSC_9),
        ({"TERM_PROGRAM": "WezTerm"}, OSC_777),
        ({"TERM": "foot-extra"}, OSC_777),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, OSC_777),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4500"}, None),
        ({"TERM": "xterm-256color", "VTE_VERSION": "x"}, None),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM_PROGRAM": "vscode"}, None),
        ({"TERM_PROGRAM": "iTerm.app", "TMUX": "/tmp/tmux"}, None),
        ({}, None),
    ],
)
def test_a_notification_is_for_terminals_that_are_known_to_have_one(
    environment: Mapping[str, str], kind: str | None
) -> None:
    assert notification_of(environment) == kind


class Calling(Shown):
    """A screen that calls once."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = iter(("Your turn - 304", "", ""))
        self._titles: Iterator[str] = iter(("Your turn - 304", "South is to bid - 304", "x"))

    def frame(self, columns: int, rows: int) -> Frame:
        return Frame(())

    def title(self) -> str:
        return next(self._titles, "x")

    def calls(self) -> str:
        return next(self._calls, "")


async def written(calls: Calls | None) -> str:
    """What is written to the terminal in two frames."""
    paper, frames = io.StringIO(), asyncio.Semaphore(0)
    sink = Vt100_Output(paper, lambda: Size(rows=24, columns=80), term="xterm")
    shown = Calling()
    async with running(shown, sink, drawn=frames.release, calls=calls):
        for _ in range(2):
            await frames.acquire()
            shown.changed()
    return paper.getvalue()


async def test_the_turn_rings_and_names_the_window_whose_title_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM_PROGRAM", "WezTerm")
    said = await written(Calls())
    assert "\a" in said.replace("\x1b]2;Your turn - 304\x07", "")
    assert said.index(SAVE_TITLE) < said.index("\x1b]2;Your turn - 304\x07")
    assert said.rindex(RESTORE_TITLE) > said.rindex("\x1b]2;")
    assert "\x1b]777;notify;p2p304;Your turn - 304\x07" in said


def test_who_has_just_pressed_a_key_is_not_called() -> None:
    now = [100.0]
    announced = Announced(lambda: now[0])
    announced.turn("Your turn")
    assert announced.calls() == ""
    now[0] += CALLED_AFTER
    announced.turn("Your turn")
    assert announced.calls() == "Your turn"
    assert announced.calls() == ""
    announced.look(Desk(), None, by_key=True)
    announced.turn("Your turn")
    assert announced.calls() == ""


def test_the_title_says_whose_turn_it_is() -> None:
    assert title_of(MOMENTS["02-auction"]().table) == "Your turn - 304"
    assert title_of(MOMENTS["10-result"]().table) == "The hand is over - 304"
    assert title_of(empty_table()).startswith("Waiting until everybody has agreed")


# --- what was put away by itself ------------------------------------------------------------------


def window() -> Table:
    """Our window after a trick, in which Enter goes on."""
    table = Script(Seat(3)).to_play().hand.table
    assert any(each.window for each in table.choices)
    return table


def test_a_key_is_not_read_until_what_came_by_itself_was_drawn_and_a_moment_has_passed() -> None:
    clock = Clock()
    announced = Announced(clock)
    announced.look(Desk(), window())
    announced.drawn()
    assert announced.reads("enter")
    announced.look(Desk(mode=Mode.SUMMARY), window())
    clock.now += 60.0  # nothing was drawn yet
    assert not announced.reads("enter")
    announced.drawn()
    clock.now += KEY_MEANT_BEFORE / 2
    assert not announced.reads("enter")
    clock.now += KEY_MEANT_BEFORE
    assert announced.reads("enter")


async def test_a_window_that_is_held_waits_for_the_player() -> None:
    table = window()
    idle = tuple(each._replace(idle=each.window) for each in table.choices)
    desks = [Desk(held=True), Desk(typed="9"), Desk(mode=Mode.RULES), Desk()]
    looks: list[Desk] = []

    def look() -> Desk:
        looks.append(desks[min(len(looks) // 2, len(desks) - 1)])
        return looks[-1]

    never = asyncio.get_running_loop().create_future()
    assert await wait_for_answer(never, idle, look) == Ready()
    assert looks[::2] == looks[1::2] == desks  # before and after each wait


async def test_what_is_switched_off_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM_PROGRAM", "WezTerm")
    monkeypatch.delenv("TMUX", raising=False)
    for calls in (None, Calls(bell=False, title=False, notify=False)):
        said = await written(calls)
        assert "\a" not in said
        assert "\x1b]" not in said
        assert SAVE_TITLE not in said


@pytest.mark.parametrize("kind", [OSC_9, OSC_777])
def test_no_text_gets_out_of_a_notification(kind: str) -> None:
    said = notification_code(kind, "p2p\x07;304", "Your\x1b]0;x\x07 turn;\n")
    assert said.startswith("\x1b]")
    assert said.count("\x1b") == said.count("\x07") == 1
    assert said.endswith("\x07")
    assert said.count(";") == (1 if kind == OSC_9 else 3)
