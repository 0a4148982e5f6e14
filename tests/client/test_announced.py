"""Keys that were meant for what the screen put away by itself decide nothing that came instead."""

from __future__ import annotations

from dataclasses import replace

from cli.screen.announced import MOMENT, Announced
from cli.screen.clientseat import ClientSeat
from cli.screen.deeds import answered
from cli.screen.desk import Desk, Mode
from cli.screen.model import Table
from cli.screen.preferences import Habits
from cli.tasks import Question
from p2p304.rules304.actions import Ready
from p2p304.seats import Seat
from tests.client.moments import MOMENTS, Script
from tests.client.open_hands import empty_table


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


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


def test_what_a_key_has_answered_or_opened_holds_up_no_key() -> None:
    announced = Announced(Clock())
    announced.look(Desk(), window())
    announced.answered()
    announced.look(Desk(), window())  # drawn once more before it is made
    assert announced.reads("enter")
    announced.look(Desk(), replace(window(), choices=()))
    announced.look(Desk(mode=Mode.RULES), window(), by_key=True)
    announced.look(Desk(), window(), by_key=True)
    assert announced.reads("enter")


def test_an_enter_of_ones_own_shows_the_result_and_the_next_closes_it() -> None:
    seat = ClientSeat(Habits(go_on=True), clock=Clock())
    result = MOMENTS["10-result"]()
    seat.table, seat.desk = result.table, replace(result.desk, mode=Mode.FINISH)
    seat.press("x")  # the screen has shown it
    seat.frame(80, 24)
    seat.press("enter")
    assert seat.desk.mode is Mode.SUMMARY
    seat.press("enter")
    assert seat.desk.mode is Mode.TABLE


async def test_a_window_that_is_held_waits_for_the_player() -> None:
    table = window()
    idle = tuple(each._replace(idle=each.window) for each in table.choices)
    desks = [Desk(held=True), Desk(typed="9"), Desk(mode=Mode.RULES), Desk()]
    looks: list[Desk] = []

    def look() -> tuple[Desk, bool]:
        looks.append(desks[min(len(looks) // 2, len(desks) - 1)])
        return looks[-1], False

    with Question[object]() as question:
        assert await answered(question, idle, Habits(), look) == Ready()
    assert looks[::2] == looks[1::2] == desks  # before and after each wait


def test_a_window_that_closes_by_itself_is_no_question() -> None:
    table = window()
    assert table is not None
    idle = replace(table, choices=tuple(each._replace(idle=each.window) for each in table.choices))
    announced = Announced(Clock())
    announced.look(Desk(), idle)
    announced.look(Desk(), empty_table())
    assert announced.reads("enter")
    announced.look(Desk(), table)
    announced.look(Desk(), empty_table())
    assert not any(map(announced.reads, ("enter", " ", "c", "s")))
    assert all(map(announced.reads, ("9", "right", "?")))  # which were not meant for the window


async def test_a_card_is_typed_while_a_window_goes_by_itself() -> None:
    clock = Clock()
    seat = ClientSeat(Habits(), clock=clock)
    seat.table = window()
    seat.press("=")
    seat.frame(80, 24)
    seat.table = Script(Seat(2)).to_play().ready().play("JC", "9C").hand.table
    seat.frame(80, 24)
    for key in ("enter", "q"):
        seat.press(key)
    assert (seat.desk.typed, seat.desk.notice) == ("q", "")
