"""The screen at rest and in motion: ends of hands, captures, cards that move, what comes first."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.commands.display import Screen, screen_options
from cli.commands.screen import result_lines
from cli.screen.canvas import Frame, Ground
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Flight, Mode, PlainDeed
from cli.screen.export import picture
from cli.screen.input import press
from cli.screen.model import (
    Table,
    after_notice,
    after_view,
    ends_with_a_trick,
)
from cli.screen.moving import FRAME, LEAST, SECONDS, STUTTERS, Movement
from cli.screen.overlays import at_the_end
from cli.screen.preferences import Colouring, Colours, PlaySettings
from cli.screen.prompts import keys_line
from cli.screen.render import render
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import FILE, SettingsFile
from p2p304.cards import Slot
from p2p304.games import create_game
from p2p304.seats import Seat
from p2p304.view import View
from protocol.seat.session import Session
from protocol.table.events import EndProposed, HandEnded, HandUnfinished, MatchEnded, Waiting
from tests.client.moments import (
    MOMENTS,
    MOMENTS_41,
    MOMENTS_OF_SEATS,
    Clock,
    OpenHand,
    Script,
    empty_table,
    hand_of_bots,
    hands,
    quiet,
)
from tests.client.test_ui_render import TABLES, tables
from tests.table.bus import Table as Bus
from tests.table.bus import Table as BusTable

# --- ui endings -----------------------------------------------------------------------------------

# How a hand's end is shown: the trick that ended it, the summary, an end by agreement.

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
PRESENT = (SOUTH, EAST, NORTH)


def ended_hand() -> OpenHand:
    """A hand that ended with its last trick."""
    for hand in hands(8, empty_table()):
        while hand.state.awaiting:
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))
        if ends_with_a_trick(hand.table):
            return hand
    raise AssertionError("no hand ended with a trick")


def played_to_its_end(name: str) -> Table:
    """South's table after a hand of bots."""
    return hand_of_bots(name, "", 4, seat=SOUTH, dealer=WEST, scores=(11, 11, 11, 11))[-1]


def screen(table: Table, desk: Desk, columns: int = 80, rows: int = 24) -> str:
    return "\n".join(render(table, desk, columns, rows).text())


def next_hand(table: Table) -> Table:
    """The same table when the next hand has begun."""
    view = OpenHand(replace(table, summary=None, state=None), seed=9).open.view(SOUTH)
    return after_view(table, table.number + 1, view)


@pytest.mark.parametrize("name", ["304", "41", "400"])
def test_the_last_trick_of_every_game_lies_there_until_enter_then_comes_the_summary(
    name: str,
) -> None:
    table = ended_hand().table if name == "304" else played_to_its_end(name)
    assert ends_with_a_trick(table)
    desk = at_the_end(Desk(), table)
    assert desk.mode is Mode.FINISH
    for shown in (table, replace(table, number=1, state=None, faces={})):
        text = screen(shown, desk)
        for each in table.telling.last_trick(View(SOUTH, table.state, table.faces)):
            assert table.writer.card(each.card) in text
        assert "wins" in text
    assert "This trick ended the hand." in screen(table, desk)
    for key in ("l", "x", "9"):
        assert press(desk, table, key)[0].mode is Mode.FINISH
    desk, deed = press(desk, table, "enter")
    assert (desk.mode, deed) == (Mode.SUMMARY, None)
    desk, deed = press(desk, table, "enter")
    assert (desk.mode, deed) == (Mode.TABLE, PlainDeed.CLOSE)


def test_a_hand_that_was_ended_shows_by_whom_and_what_comes_next() -> None:
    table = next_hand(ended_hand().table)
    table = after_notice(table, Waiting((WEST,), 0.0), clock="23:07")
    table = after_notice(table, EndProposed(EAST, 1, PRESENT))
    table = after_notice(table, HandUnfinished(1, PRESENT), transcript="000001.p304")
    desk = at_the_end(Desk(), table)
    assert desk.mode is Mode.SUMMARY
    shown = screen(table, desk)
    assert "Hand 2 was ended unfinished" in shown
    assert "South, East and North agreed to end the hand where it stood, without West." in shown
    assert "Nothing more is played at this table." in shown
    assert "p2p304 audit 000001.p304" in shown
    assert "Hand 1 is over" not in shown
    assert "Waiting for" not in shown
    for mode in (Mode.SUMMARY, Mode.TABLE):
        assert ("[e] end", "key e") not in keys_line(table, Desk(mode=mode))


async def test_the_shell_tells_how_the_last_hand_and_the_match_ended() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    session = bus.chairs[0].session
    seat = ClientSeat(PlaySettings(agree=True))
    await seat.begin(lambda: session)
    assert [*result_lines(seat, session)] == []
    seat.table = MOMENTS["10-result"]().table
    outcome = seat.table.summary
    assert outcome is not None
    for number in (0, 1):
        await seat.tell(HandEnded(number, outcome.outcome, (12, 10)), session)
    await seat.tell(MatchEnded(1, (0, 22)), session)
    assert [*result_lines(seat, session)] == [
        "Hand 2:",
        outcome.outcome.summary,
        "The score now: North-South 12, East-West 10.",
        "East-West win the match: North-South 0, East-West 22.",
    ]
    await seat.tell(HandUnfinished(2, PRESENT), session)
    hand, ended = result_lines(seat, session)
    assert hand == "Hand 3:"
    assert "agreed to end the hand here, unfinished" in ended


async def test_the_trick_that_ends_a_hand_goes_by_itself_after_the_set_time_and_no_result() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    session = bus.chairs[0].session
    hours = map(float, range(0, 1 << 20, 3_600))
    seat = ClientSeat(PlaySettings(agree=True, go_on=True), clock=lambda: next(hours))
    await seat.begin(lambda: session)
    seat.table = ended_hand().table
    assert seat.table.summary is not None
    outcome = seat.table.summary.outcome
    await seat.tell(HandEnded(0, outcome, (22, 0)), session)
    await seat.tell(MatchEnded(0, (22, 0)), session)
    assert seat.desk.mode is Mode.FINISH
    while seat.desk.mode is Mode.FINISH:
        await asyncio.sleep(0)
    seat.ended()
    for _ in range(100):
        await asyncio.sleep(0)
    assert seat.desk.mode is Mode.SUMMARY
    assert not seat.state.closed
    assert "win the match" in "\n".join(seat.frame(80, 24).text())
    seat.press("enter")
    assert seat.desk.mode is Mode.MATCH
    seat.press("enter")
    assert seat.state.closed


# --- ui screens -----------------------------------------------------------------------------------

# Screens of decisive moments, compared with the captures that were accepted.
#
# When a screen changes on purpose, look at it and accept it:
#
#     P2P304_ACCEPT_SCREENS=1 pytest tests/client/test_ui_endings.py

SCREENS = Path(__file__).resolve().parents[2] / "specs" / "screens"
EVERY = {**MOMENTS, **MOMENTS_41, **MOMENTS_OF_SEATS}
SHOWN = "06-inspection"
"""What the first page shows."""

ACCEPTING = os.environ.get("P2P304_ACCEPT_SCREENS") == "1"


@pytest.mark.parametrize("name", EVERY)
def test_a_decisive_moment_looks_as_it_was_accepted(name: str) -> None:
    text = "\n".join(line.rstrip() for line in EVERY[name]().frame().text()) + "\n"
    path = SCREENS / f"{name}.txt"
    if ACCEPTING:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    accepted = path.read_text("utf-8") if path.exists() else ""
    assert text == accepted, f"look at it:\n{text}\nthen accept it as the head of this file says"


def test_the_picture_of_the_first_page_is_the_screen() -> None:
    moment = EVERY[SHOWN]()
    shown = moment._replace(desk=replace(moment.desk, filled=True))
    colouring = Colouring(colours=Colours.TRUE)
    title = "A hand of 304 in a terminal"
    drawn = picture(shown.frame(), 80, title=title, colouring=colouring)
    path = SCREENS / f"{SHOWN}.svg"
    if ACCEPTING:
        path.write_text(drawn, "utf-8")
    assert path.read_text("utf-8") == drawn, "look at the screen, and accept it"
    page = (SCREENS.parents[1] / "README.md").read_text("utf-8")
    assert f'<img src="specs/screens/{SHOWN}.svg"' in page


def test_no_capture_is_left_over() -> None:
    assert {path.stem for path in SCREENS.glob("*.txt")} == set(EVERY)


# --- ui movement ----------------------------------------------------------------------------------

# A card moves into the trick: once, to its place, and only where that costs nobody anything.

ONE, TWO, THREE = map(Slot, range(3))
ENVIRONMENT = ("NO_MOTION", "REDUCE_MOTION", "ACCESSIBLE", "NO_COLOR", "SSH_CONNECTION", "SSH_TTY")


def flown(
    clock: Clock, movement: Movement, lying: tuple[Slot, ...], *, frame: float = FRAME
) -> list[Flight]:
    """The frames of a flight, one after the other, until none is left."""
    frames = []
    while (flight := movement.look(lying)) is not None:
        frames.append(flight)
        clock.now += frame
    return frames


def test_a_card_that_was_played_moves_once_and_comes_to_an_end() -> None:
    clock = Clock()
    movement = Movement(clock, on=True)
    assert movement.look((ONE,)) is None  # it lay there when the screen came up
    frames = flown(clock, movement, (ONE, TWO))
    assert {flight.slot for flight in frames} == {TWO}
    ways = [flight.way for flight in frames]
    assert ways[0] == 0.0
    assert ways == sorted({*ways})
    assert ways[-1] < 1.0
    assert clock.now - 100.0 <= SECONDS + FRAME
    assert flown(clock, movement, (ONE, TWO)) == []
    assert {flight.slot for flight in flown(clock, movement, (THREE,))} == {THREE}
    assert movement.on


def test_a_line_too_slow_for_it_sees_few_cards_stutter_and_no_more() -> None:
    clock = Clock()
    movement = Movement(clock, on=True)
    assert movement.look(()) is None
    tricks = [(Slot(number),) for number in range(20)]
    for trick, frame in zip(tricks, (2 * SECONDS, FRAME) * 3, strict=False):
        flown(clock, movement, trick, frame=frame)
        assert movement.on, "one that stutters among others that do not is an accident"
    for trick in tricks[-STUTTERS:]:
        assert movement.on
        assert len(flown(clock, movement, trick, frame=2 * SECONDS)) < LEAST
    assert not movement.on


async def test_frames_are_asked_for_until_the_card_has_come_and_never_without_a_movement() -> None:
    before, after = cards_played()
    for on in (True, False):
        clock, arrived, drawn = Clock(), asyncio.Event(), 0
        movement = Movement(clock, on=on)

        def redraw() -> None:
            nonlocal drawn
            drawn += 1
            clock.now += FRAME  # noqa: B023 - called within this turn of the loop alone
            if movement.over(Desk(), after, redraw).flight is None:  # noqa: B023 - the same
                arrived.set()  # noqa: B023 - the same

        assert movement.over(Desk(), before, redraw).flight is None
        moves = movement.over(Desk(), after, redraw).flight is not None
        assert moves is on
        if on:
            async with asyncio.timeout(60):
                await arrived.wait()
            assert LEAST <= drawn <= SECONDS / FRAME + 2
        assert movement.over(Desk(mode=Mode.RULES), before, redraw).flight is None
    assert drawn == 0


def cards_played() -> tuple[Table, Table]:
    """A table before and after a card was played."""
    script = Script(SOUTH).to_play().ready()
    before = script.hand.table
    return before, script.play("KS").hand.table


def ground(frame: Frame) -> list[tuple[int, int]]:
    """Rows and columns of all cells of faces and backs."""
    cells = []
    for row, line in enumerate(frame.lines):
        column = 0
        for span in line:
            if span.ground in (Ground.CARD, Ground.CHOSEN, Ground.COVERED):
                cells += [(row, column + each) for each in range(len(span.text))]
            column += len(span.text)
    return cells


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 45), (200, 60)])
@pytest.mark.parametrize(("game", "profile"), TABLES, ids=["-".join(each) for each in TABLES])
def test_on_its_way_a_card_stays_on_the_screen_and_ends_where_it_lies_without(
    game: str, profile: str, size: tuple[int, int]
) -> None:
    columns, rows = size
    seen = 0
    for table in tables(game, profile, 1):
        scene = table.scene()
        if scene is None or not scene.lying or seen >= 8:
            continue
        slot, seen = scene.lying[-1].slot, seen + 1
        still = render(table, Desk(filled=True), columns, rows)
        for way in (0.0, 0.3, 0.8):
            frame = render(table, Desk(filled=True, flight=Flight(slot, way)), columns, rows)
            assert len(frame.lines) == rows
            assert {len(line) for line in frame.text()} == {columns}
            assert ground(frame)
        there = render(table, Desk(filled=True, flight=Flight(slot, 1.0)), columns, rows)
        assert {*ground(there)} >= {*ground(still)}
    assert seen


@pytest.mark.parametrize(
    ("changed", "settings", "moves"),
    [
        ({}, {}, True),
        *(({variable: "1"}, {}, False) for variable in ENVIRONMENT),
        *(({variable: "1"}, {"colours": "true"}, False) for variable in ENVIRONMENT),
        ({"COLORTERM": ""}, {}, False),
        ({}, {"movement": "no"}, False),
        ({}, {"plain": "yes"}, False),
        ({}, {"plain": "yes", "movement": "yes"}, False),
        ({}, {"colours": "16"}, False),
        ({}, {"ascii": "yes"}, False),
        ({"SSH_TTY": "/dev/pts/1"}, {"movement": "yes"}, True),
    ],
)
def test_settings_and_environment_decide_together(
    changed: dict[str, str],
    settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    moves: bool,
) -> None:
    for variable in ENVIRONMENT:
        monkeypatch.delenv(variable, raising=False)
    for name, value in {"COLORTERM": "truecolor", HOME_VARIABLE: str(tmp_path), **changed}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / FILE).unlink(missing_ok=True)
    SettingsFile(tmp_path).keep(settings)
    seen: list[Screen] = []
    command = click.command(screen_options(lambda screen: seen.append(screen)))
    CliRunner(charset="utf-8").invoke(command, [], catch_exceptions=False)
    assert seen[0].play_settings.moves is moves


# --- ui shown -------------------------------------------------------------------------------------

# Whoever sits at the screen sees what happened before proofs are made that others wait for.


def beginning() -> Session:
    table = BusTable(create_game("304", "pagat"), 1)
    table.confirm()
    return table.chairs[0].session


async def test_what_was_told_is_drawn_before_work_goes_on() -> None:
    session, seat = beginning(), ClientSeat(PlaySettings(agree=True))
    await seat.begin(lambda: session)
    await asyncio.wait_for(seat.shown(), timeout=0.001)  # nothing is to be drawn
    frames: list[str] = []

    def draw() -> None:
        frames.append("\n".join(seat.frame(80, 24).text()))

    seat.changed = lambda: asyncio.get_running_loop().call_soon(draw)  # type: ignore[assignment]
    await seat.tell(Waiting((Seat(1),), 0.0), session)
    assert not frames
    await seat.shown()
    assert "East" in frames[-1]
    assert "waiting" in frames[-1].lower()


async def test_what_was_said_before_there_was_a_screen_is_among_its_first_news() -> None:
    session, seat = beginning(), ClientSeat(PlaySettings(agree=True))
    seat.announce("In the auction Amara is bold.")
    await seat.begin(lambda: session)
    assert "In the auction Amara is bold." in "\n".join(seat.frame(80, 24).text())
    await seat.begin(lambda: session)
    assert "Amara is bold" not in "\n".join(seat.frame(80, 24).text())
