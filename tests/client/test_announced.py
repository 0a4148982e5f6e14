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


def test_what_follows_soon_after_is_not_answered_either() -> None:
    clock = Clock()
    announced = Announced(clock)
    announced.look(Desk(), window())
    announced.look(Desk(), replace(window(), choices=()))
    announced.drawn()
    clock.now += MOMENT / 2
    announced.look(Desk(), window())
    announced.drawn()
    clock.now += MOMENT * 0.75
    assert not announced.reads("enter")


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


def test_a_question_that_comes_after_none_is_answered_at_once() -> None:
    announced = Announced(Clock())
    announced.look(Desk(), empty_table())
    announced.look(Desk(), window())
    assert announced.reads("enter")


def paced() -> tuple[ClientSeat, Clock]:
    """A seat whose last trick lies there, about to be closed by itself."""
    clock = Clock()
    seat = ClientSeat(Habits(go_on=True), clock=clock)
    result = MOMENTS["10-result"]()
    seat.table, seat.desk = result.table, replace(result.desk, mode=Mode.FINISH)
    seat.press("x")  # the screen has shown it
    seat.frame(80, 24)
    return seat, clock


async def finished(seat: ClientSeat) -> None:
    """The last trick has lain there for long enough."""
    assert seat.table is not None
    assert seat.table.summary is not None
    await seat._finish(seat.table.summary.number, 0.0)


async def test_an_enter_for_the_last_trick_does_not_close_the_result_unread() -> None:
    seat, clock = paced()
    await finished(seat)
    assert seat.desk.mode is Mode.SUMMARY
    seat.press("enter")
    seat.frame(80, 24)
    seat.press("enter")
    seat.click("key enter")
    assert seat.desk.mode is Mode.SUMMARY
    clock.now += MOMENT
    seat.press("enter")
    assert seat.desk.mode is Mode.TABLE


async def test_ctrl_c_leaves_at_any_moment() -> None:
    seat, _ = paced()
    await finished(seat)
    seat.press("c-c")
    assert seat.closed.is_set()


async def test_an_enter_of_ones_own_shows_the_result_and_the_next_closes_it() -> None:
    seat, _ = paced()
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
    seat._redraw()
    for key in ("enter", "q"):
        seat.press(key)
    assert (seat.desk.typed, seat.desk.notice) == ("q", "")
