"""Decisive moments of a deal of 41, each as the screen that a player then reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Table
from cli.screen.overlays import at_the_end
from p2p304.seats import Seat
from tests.client.moments import Moment
from tests.client.moments_of_bots import first, hand_of_bots

SOUTH, WEST = Seat(0), Seat(3)


def _deal() -> tuple[Table, ...]:
    """South's table whenever something was done in a deal of bots, and at the end."""
    return hand_of_bots("41", "", 8, seat=SOUTH, dealer=WEST, scores=(12, 7, -3, 20))


def _first(wanted: Callable[[Table], bool]) -> Table:
    return first(_deal(), wanted)


def _auction() -> Moment:
    table = _first(lambda each: any(choice.typed == ("bid 3",) for choice in each.choices))
    return Moment(table, Desk(hints=True, typed="3"))


def _trick() -> Moment:
    table = _first(lambda each: len(each.state.tricks) >= 4 and len(each.state.trick) == 3)
    desk, _ = press(Desk(hints=True), table, "right")
    return Moment(table, desk)


def _finish() -> Moment:
    *_, table = _deal()
    return Moment(table, at_the_end(Desk(), table))


def _result() -> Moment:
    return _finish()._replace(desk=Desk(mode=Mode.SUMMARY))


MOMENTS_41: Final[Mapping[str, Callable[[], Moment]]] = {
    "17-auction-of-41": _auction,
    "18-trick-of-41": _trick,
    "19-last-trick-of-41": _finish,
    "20-result-of-41": _result,
}
"""Every moment by the name of its capture in specs/screens."""
