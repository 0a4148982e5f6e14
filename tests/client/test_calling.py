"""The player is called when its turn comes; a key for what went away by itself decides nothing."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator, Mapping

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from cli.screen.calling import (
    IDLE,
    MOMENT,
    RESTORE_TITLE,
    SAVE_TITLE,
    Announced,
    Calls,
    Notification,
    notification_code,
    notification_of,
)
from cli.screen.canvas import Frame
from cli.screen.clientseat import wait_for_answer
from cli.screen.desk import Desk, Mode
from cli.screen.model import Table
from cli.screen.preferences import PlaySettings
from cli.screen.prompts import title_of
from cli.tasks import Question
from p2p304.rules304.actions import Ready
from p2p304.seats import Seat
from tests.client.moments import MOMENTS, Clock, Script, empty_table
from tests.client.test_ui_app import Shown, running

NAMES = ("TERM", "TERM_PROGRAM", "LC_TERMINAL", "VTE_VERSION", "TMUX", "STY")


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, Notification.OSC_9),
        ({"LC_TERMINAL": "iTerm2", "TERM": "xterm-256color"}, Notification.OSC_9),
        ({"TERM": "xterm-kitty"}, Notification.OSC_9),
        ({"TERM_PROGRAM": "WezTerm"}, Notification.OSC_777),
        ({"TERM": "foot-extra"}, Notification.OSC_777),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, Notification.OSC_777),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4500"}, None),
        ({"TERM": "xterm-256color", "VTE_VERSION": "x"}, None),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM_PROGRAM": "vscode"}, None),
        ({"TERM_PROGRAM": "iTerm.app", "TMUX": "/tmp/tmux"}, None),
        ({}, None),
    ],
)
def test_a_notification_is_for_terminals_that_are_known_to_have_one(
    environment: Mapping[str, str], kind: Notification | None
) -> None:
    assert notification_of(environment) is kind


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
    now[0] += IDLE
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
    clock.now += MOMENT / 2
    assert not announced.reads("enter")
    clock.now += MOMENT
    assert announced.reads("enter")


async def test_a_window_that_is_held_waits_for_the_player() -> None:
    table = window()
    idle = tuple(each._replace(idle=each.window) for each in table.choices)
    desks = [Desk(held=True), Desk(typed="9"), Desk(mode=Mode.RULES), Desk()]
    looks: list[Desk] = []

    def look() -> tuple[Desk, bool]:
        looks.append(desks[min(len(looks) // 2, len(desks) - 1)])
        return looks[-1], False

    with Question[object]() as question:
        assert await wait_for_answer(question, idle, PlaySettings(), look) == Ready()
    assert looks[::2] == looks[1::2] == desks  # before and after each wait


async def test_what_is_switched_off_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM_PROGRAM", "WezTerm")
    monkeypatch.delenv("TMUX", raising=False)
    for calls in (None, Calls(bell=False, title=False, notify=False)):
        said = await written(calls)
        assert "\a" not in said
        assert "\x1b]" not in said
        assert SAVE_TITLE not in said


@pytest.mark.parametrize("kind", Notification)
def test_no_text_gets_out_of_a_notification(kind: Notification) -> None:
    said = notification_code(kind, "p2p\x07;304", "Your\x1b]0;x\x07 turn;\n")
    assert said.startswith("\x1b]")
    assert said.count("\x1b") == said.count("\x07") == 1
    assert said.endswith("\x07")
    assert said.count(";") == (1 if kind is Notification.OSC_9 else 3)
