"""Cards and table grow with the terminal, down to how others' cards lie there."""

from __future__ import annotations

import pytest

from cli.screen.canvas import Frame, Ground
from cli.screen.desk import Desk
from cli.screen.model import Table
from cli.screen.render import render
from tests.client.test_ui_overlaps import TABLES, tables

GROWING = ((80, 24), (140, 45), (200, 60))


def in_play(game: str, profile: str) -> Table:
    """A step of a random hand at which cards lie there and our seat has some."""
    return next(
        table
        for table in tables(game, profile, 1)
        if table.seat is not None and (scene := table.scene()) and scene.hand and scene.lying
    )


def own_card(frame: Frame) -> tuple[int, int]:
    """Rows and columns of a card of the hand, with its note, as far as it can be clicked."""
    hit = next(hit for hit in frame.hits if hit.target.startswith("card "))
    return hit.rows, hit.columns


def cells(frame: Frame, *grounds: Ground) -> int:
    spans = (span for line in frame.lines for span in line)
    return sum(len(span.text) for span in spans if span.ground in grounds)


@pytest.mark.parametrize(("game", "profile"), TABLES, ids=["-".join(each) for each in TABLES])
def test_cards_are_larger_where_there_is_room(game: str, profile: str) -> None:
    table = in_play(game, profile)
    for filled in (False, True):
        frames = [render(table, Desk(filled=filled), *size) for size in GROWING]
        heights, widths = zip(*map(own_card, frames), strict=True)
        assert list(heights) == sorted({*heights}), heights
        assert list(widths) == sorted({*widths}), widths
    shown = [cells(frame, Ground.CARD, Ground.CHOSEN, Ground.COVERED) for frame in frames]
    assert shown == sorted({*shown})


def test_a_large_terminal_is_a_table_and_no_void() -> None:
    table = in_play("304", "pagat")
    for columns, rows in GROWING:
        frame = render(table, Desk(filled=True), columns, rows)
        assert cells(frame, *set(Ground) - {Ground.SHEET}) > columns * rows / 2


def test_a_large_terminal_draws_each_card_that_another_seat_holds() -> None:
    table = in_play("304", "pagat")
    scene = table.scene()
    assert scene is not None
    others = (place for seat, place in enumerate(scene.places) if seat != table.seat)
    held = sum(len(place.cards) for place in others)
    for size in GROWING[1:]:
        text = "\n".join(render(table, Desk(), *size).text())
        assert text.count("┌") == held + len(scene.hand) + len(scene.lying)
