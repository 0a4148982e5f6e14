"""A card moves into the trick: once, to its place, and only where that costs nobody anything."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.commands.display import Screen, screen_options
from cli.screen.canvas import Frame, Ground
from cli.screen.desk import Desk, Flight, Mode
from cli.screen.model import Table
from cli.screen.moving import FRAME, LEAST, SECONDS, STUTTERS, Movement
from cli.screen.render import render
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import FILE, SettingsFile
from p2p304.cards import Slot
from tests.client.moments import Script
from tests.client.open_hands import SOUTH, Clock
from tests.client.test_ui_render import TABLES, tables

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
