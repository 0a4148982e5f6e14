"""The lowest rows of the screen: news and talk, the prompt, the keys, and what can be trusted."""

from __future__ import annotations

from cli.sanitize import cells_of
from cli.screen.canvas import Canvas, Style, wrapped
from cli.screen.cardface import FINE, ROUGH
from cli.screen.chatter import chat_lines
from cli.screen.desk import Desk
from cli.screen.layout import Layout
from cli.screen.model import Table
from cli.screen.prompts import keys_line, prompt_lines
from cli.screen.trust import trust_line


def draw_foot(canvas: Canvas, layout: Layout, table: Table, desk: Desk) -> None:
    """Draw all that is below the table."""
    left, width = layout.left, layout.width
    glyphs = ROUGH if table.writer.ascii_only else FINE
    talk = chat_lines(table, desk, layout)
    canvas.blank(layout.foot - len(talk), left, len(talk), width)
    for above, line in enumerate(reversed(talk), start=1):
        canvas.put(layout.foot - above, left, line, room=width)
    canvas.put(layout.foot, left, glyphs.across * width, Style.FAINT)
    row = layout.foot
    news = [line for each in table.news for line in wrapped(each, width)]
    for line in news[-layout.news_rows :]:
        row += 1
        canvas.put(row, left, line, room=width)
    row = layout.foot + layout.news_rows
    style, lines = prompt_lines(table, desk, width)
    for line in lines[:2]:
        row += 1
        canvas.put(row, left, line, style, room=width)
    column = left
    for text, target in keys_line(table, desk):
        end = column + cells_of(text)
        if end > left + width:
            continue  # what is too long is in the prompt, and what follows it may fit
        canvas.put(layout.rows - 2, column, text, Style.KEY)
        canvas.hit(layout.rows - 2, column, target, columns=cells_of(text))
        column = end + 2
    style, line = trust_line(table, width)
    canvas.put(layout.rows - 1, left, line, style, room=width)
