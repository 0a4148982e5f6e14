"""Parts that lie over the table: how they open, scroll, and are drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple

from cli.front.narrator import challenge_sentence, ruled_sentence, ruling_sentence
from cli.sanitize import cells_of
from cli.screen.canvas import Canvas, Ground, Style, wrap
from cli.screen.desk import WRITING, Desk, Mode
from cli.screen.footer import chat_lines
from cli.screen.layout import LEAST_COLUMNS, LEAST_ROWS, TOP, Layout
from cli.screen.model import Table, ends_with_a_trick
from cli.screen.panels import overlay
from protocol.table.events import ChallengeMade, Event, HandRuled, RulingHeard
from protocol.table.rulings import stops


def at_the_end(desk: Desk, table: Table) -> Desk:
    """Return the desk with the end of a hand open: its last trick if it ended with one, else its
    summary.

    While the player writes or reads a ruling, the end waits below that.
    """
    mode = Mode.FINISH if ends_with_a_trick(table) else Mode.SUMMARY
    # A key that is meant for a message, such as Enter, would otherwise act on the summary.
    if desk.mode in (*WRITING, Mode.RULING):  # what is written or read is not taken away
        return replace(desk, under=mode, page=0)
    clear = replace(desk, page=0, typed="", notice="", about=None, cursor=None)
    return replace(clear, mode=mode, under=Mode.TABLE)


def turn_to_newest(desk: Desk, table: Table) -> Table:
    """Return the table without the summary of an older hand, unless the desk still shows the end
    of that hand.
    """
    reading = {Mode.SUMMARY, Mode.FINISH, Mode.MATCH} & {desk.mode, desk.under}
    # A summary of an older hand is put away only when its reader has closed it.
    old = table.summary is not None and table.summary.number != table.number
    return replace(table, summary=None) if old and not reading else table


def show_ruling(desk: Desk, table: Table, event: Event) -> Desk:
    """Return the desk after an event, with the ruling over it if the event is one.

    A ruling that leaves the hand as it is opens only where nothing else is open.
    """
    match event:
        case HandRuled(ruling, void):
            words = ruling_sentence(table.game, ruling.content, table.writer)
            return _lay(desk, (words, "", ruled_sentence(ruling.content, void)))
        # Only "no action": any other verdict stops a hand, and `HandRuled` follows with it. Over
        # another overlay it does not open, for it is among the news.
        case RulingHeard(ruling) if not stops(ruling.content) and desk.mode is Mode.TABLE:
            return _lay(desk, (ruling_sentence(table.game, ruling.content, table.writer),))
        case _:
            return desk


def show_challenge(desk: Desk, table: Table, event: ChallengeMade) -> Desk:
    """Return the desk with the sentence of a challenge over it."""
    words = challenge_sentence(table.names[event.seat], event.content, event.text)
    return _lay(desk, (words, "", "'p2p304 tournament rule' rules on it."))


def show_terms(desk: Desk, lines: tuple[str, ...]) -> Desk:
    """Return the desk with lines on the charter's powers over it; unchanged without lines."""
    return _lay(desk, lines, title="What was agreed at this table") if lines else desk


def _lay(desk: Desk, lines: tuple[str, ...], *, title: str = "The referee") -> Desk:
    """Return the desk with an overlay of a title and lines; what was typed, picked or asked is
    dropped.

    While the player writes a message it is kept, and the overlay opens after it.
    """
    # In one tuple of the desk: `overlay` takes the first line for the title.
    lines = (title, *lines)
    if desk.mode in WRITING:
        # Below what is written: it shows when the words are sent.
        return replace(desk, under=Mode.RULING, ruling=lines, page=0)
    plain = replace(desk, cursor=None, picked=(), typed="", pending=None, notice="", about=None)
    return replace(plain, mode=Mode.RULING, under=Mode.TABLE, ruling=lines, page=0)


# Two blanks and more part columns; one blank is a word's end.
_GAP: Final = re.compile(r"\S {2,}(?=\S)")  #: What parts two columns.
#: Over which our own cards are seen, and what stands beside the table.
PARTIAL: Final = (Mode.ORDER, Mode.RULES, Mode.LESSON, Mode.SCORES, Mode.STORY)


_WIDEST: Final = 104  #: Cells of a line that can be read with ease, and its margins.


def _sheet(layout: Layout, desk: Desk) -> tuple[int, int]:
    """Return the first column and the width of an overlay, in cells."""
    whole = layout.width if desk.mode in PARTIAL else layout.wide
    width = min(whole, _WIDEST)
    return layout.left + (whole - width) // 2, width


class _Cover(NamedTuple):
    """An open overlay, broken for one size of the screen."""

    title: str
    lines: tuple[str, ...]  #: As they are broken for this width.
    height: int  #: How many of them are seen at once.
    whole: bool  #: Whether our own cards are covered, too.

    @property
    def last(self) -> int:
        """The first line of the last page."""
        return max(0, len(self.lines) - self.height)


def _cover(table: Table, desk: Desk, layout: Layout) -> _Cover | None:
    """Return the open overlay broken to the screen's width; None if none is open."""
    panel = overlay(table, desk)
    if panel is None:
        return None
    own = table.seat is not None and table.state is not None
    # A spectator has no cards to leave uncovered.
    whole = not (own and desk.mode in PARTIAL)
    # Two blank cells at each side, as in `draw_cover`.
    room = _sheet(layout, desk)[1] - 4
    lines = tuple(each for line in panel.lines for each in _break_line(line, room))
    bottom = layout.foot if whole else layout.hand
    # Chat lies above the foot, and stays readable.
    if whole:
        bottom -= len(chat_lines(table, desk, layout))
    # The title takes one row.
    height = bottom - TOP - 1
    # A result loses its empty lines before it has to be scrolled, to be seen whole where it can.
    if len(lines) > height and desk.mode is Mode.SUMMARY:
        lines = tuple(each for each in lines if each)
    return _Cover(panel.title, lines, height, whole)


def _break_line(line: str, room: int) -> tuple[str, ...]:
    """Return a line broken to `room` cells; its later lines begin under its last column of text,
    or are indented as the first is.
    """
    # A column beyond half of the width leaves no room for its text.
    columns = [gap.end() for gap in _GAP.finditer(line) if gap.end() <= room // 2]
    begins = columns[-1] if columns else len(line) - len(line.lstrip(" "))
    # Indenting would make columns of a few letters.
    if cells_of(line) <= room or begins > room // 2:
        return wrap(line, room)
    first, *rest = wrap(line[begins:], room - begins)
    return (line[:begins] + first, *(" " * begins + each for each in rest))


def bound_scroll(desk: Desk, table: Table, columns: int, rows: int) -> Desk:
    """Return the desk scrolled at most to the end of the overlay; unchanged on a screen that is too
    small to draw.

    A story that is shown to its end stays at the end when it grows.
    """
    # Nothing is drawn at that size: the place in the text is kept.
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        return desk
    cover = _cover(table, desk, Layout(columns, rows))
    last = 0 if cover is None else cover.last
    # At the end it follows; scrolled past, it follows again.
    if desk.visible_mode is Mode.STORY and (desk.follows or desk.page > last):
        return replace(desk, page=last, follows=True)
    return desk if desk.page <= last else replace(desk, page=last)


def draw_cover(canvas: Canvas, layout: Layout, table: Table, desk: Desk) -> None:
    """Draw the open overlay with its title; there must be one."""
    cover = _cover(table, desk, layout)
    # The caller has looked: an overlay is open.
    assert cover is not None
    left, width = _sheet(layout, desk)
    column, room = left + 2, width - 4  # two blank cells at each side
    if cover.whole:
        canvas.blank(TOP, layout.left, layout.foot - TOP, layout.wide)
    # A short text stands a little below the title: a quarter of the free rows lies above it.
    top = TOP + (max(0, cover.height - len(cover.lines)) // 4 if layout.large else 0)
    if desk.filled:
        _lay_sheet(canvas, layout, cover, left, width, top)
    first = min(desk.page, cover.last)
    # A list times False is empty.
    more = ["arrow up"] * (first > 0) + ["arrow down"] * (first < cover.last)
    title = cover.title + (f"  ({', '.join(more)} for more)" if more else "")
    canvas.put(top, column, title, Style.TITLE, room=room)
    for number, line in enumerate(cover.lines[first : first + cover.height]):
        canvas.put(top + 1 + number, column, line, room=room)


def _lay_sheet(
    canvas: Canvas, layout: Layout, cover: _Cover, left: int, width: int, top: int
) -> None:
    """Give the cells below an overlay the ground `SHEET`; on a large screen no more of them than
    its text needs.
    """
    # From the row above TOP to the foot's first: both have rules on screens without a ground.
    bottom = layout.foot + 1 if cover.whole else layout.hand
    if not layout.large:
        # To the screen's edge; if the rules stand beside the sheet, it ends one cell before them.
        end = layout.columns if width == layout.wide else layout.left + width + 1
        canvas.paint(TOP - 1, 0, Ground.SHEET, rows=bottom - TOP + 1, columns=end)
        return
    if cover.whole:
        canvas.paint(TOP - 1, 0, Ground.FELT, rows=bottom - TOP + 1, columns=layout.columns)
    # Three rows more than the lines: a blank one, the title, and a blank one at the end.
    rows = min(cover.height, len(cover.lines)) + 3
    canvas.paint(top - 1, left, Ground.SHEET, rows=min(rows, bottom - top + 1), columns=width)
