"""What stands beside a table, and the seats as a list where there is no room for a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cli.front.course import score_rows
from cli.screen.canvas import Canvas, Ground, Style, wrapped
from cli.screen.cardface import FINE, ROUGH, card_style
from cli.screen.layout import PANEL, TOP, Layout
from cli.screen.model import Table, round_table
from cli.screen.panels import rules_now, told_parts
from p2p304.seats import Seat
from p2p304.telling import Lying, Scene

LAID: Final = 16
"""Cells at the end of a line for what lies before a seat, or what it has said."""
_LAID_IN_HALVES: Final = 11
"""The same where two lines stand beside each other."""
_SCORES: Final = 12
"""Hands of the match whose scores stand beside the table, the latest."""


def draw_beside(canvas: Canvas, layout: Layout, table: Table, scene: Scene | None) -> None:
    """Draw the rules of the moment; on a large screen also the auction and the tricks so far."""
    column = layout.left + layout.width + 2
    last = layout.rows - 1
    below: list[tuple[str, list[str]]] = []
    if layout.large and scene is not None:
        for title, told in told_parts(table, scene):
            below.append((title, [part for line in told for part in wrapped(line, PANEL)]))
    if layout.large and table.course:
        rows = [*score_rows(table.game, table.course, table.writer)]
        below.append(("The score", [rows[0], *rows[1:][-_SCORES:]]))
    needed = sum(len(lines) + 2 for _, lines in below)
    rules_end = max(last - needed, last // 2)
    row = _titled(canvas, 0, column, "The rules of the moment", _rules(table), rules_end)
    for title, lines in below:
        room = max(0, last - row - 3)
        row = _titled(canvas, row + 1, column, title, lines[-room:] if room else [], last)


def _rules(table: Table) -> list[str]:
    lines = [""]
    for paragraph in rules_now(table):
        lines += [*wrapped(paragraph, PANEL), ""]
    return lines


def _titled(canvas: Canvas, row: int, column: int, title: str, lines: list[str], last: int) -> int:
    """Draw a title and lines down to a row; return the row after them."""
    if not lines or row >= last:
        return row
    canvas.put(row, column, title, Style.TITLE, room=PANEL)
    for line in lines:
        row += 1
        if row >= last:
            break
        canvas.put(row, column, line, room=PANEL)
    return row + 1


def draw_list(
    canvas: Canvas,
    layout: Layout,
    table: Table,
    scene: Scene,
    name_of: Callable[[Scene, Seat, int], str],
    *,
    filled: bool,
) -> None:
    """Draw the seats as lines, in the order of play from our right; what each has said or played
    stands at the end of its line. Two lines stand beside each other where needed. Our own name
    stands above our cards, and here at the end of that line what we said or played."""
    first, *others = round_table(table)
    order = others if table.seat is not None else [*others, first]
    lines = layout.hand - TOP - bool(scene.middle)
    columns = 1 if len(order) <= lines else 2
    per = -(-len(order) // columns)
    width = layout.width // columns
    laid = LAID if columns == 1 else _LAID_IN_HALVES
    glyphs = ROUGH if table.writer.ascii_only else FINE
    for number, seat in enumerate(order):
        row, left = TOP + number % per, layout.left + number // per * width
        turn = seat in table.awaited
        room = width - laid - 3
        mark = f"{glyphs.turn} " if turn else "  "
        style = Style.TURN if turn else Style.PLAIN
        end = canvas.put(row, left, mark + name_of(scene, seat, room), style, room=room + 2)
        if turn and filled:
            canvas.paint(row, left, Ground.AWAITED, columns=end - left)
        _put_said(canvas, table, scene, seat, row, left + width - laid, laid, filled=filled)
    if table.seat is not None:
        column = layout.left + layout.width - LAID
        _put_said(canvas, table, scene, first, layout.hand, column, LAID, filled=filled)
    for line in scene.middle[:1]:
        canvas.centred(TOP + per, layout.middle, table.writer.line(line), Style.STRONG)


def _put_said(
    canvas: Canvas,
    table: Table,
    scene: Scene,
    seat: Seat,
    row: int,
    column: int,
    laid: int,
    *,
    filled: bool,
) -> None:
    """Draw what a seat has said last, or what lies before it."""
    place = scene.places[seat]
    if scene.middle and place.calls:
        style = Style.STRONG if place.leading else Style.PLAIN
        canvas.put(row, column, place.calls[-1], style, room=laid - 1)
    for card in () if scene.middle else scene.lying:
        if card.seat == seat:
            _put_card(canvas, table, row, column, card, laid, filled=filled)


def _put_card(
    canvas: Canvas, table: Table, row: int, column: int, card: Lying, laid: int, *, filled: bool
) -> None:
    face = table.writer.card(card.card)
    text = f"[{face}]" if card.down else face
    style = Style.BACK if card.card is None else card_style(card.card)
    end = canvas.put(row, column, text, style, room=laid - 1)
    if filled:
        ground = Ground.COVERED if card.card is None else Ground.CARD
        canvas.paint(row, column, ground, columns=end - column)
    canvas.put(row, end + 1, card.note, Style.FAINT, room=column + laid - end - 2)
