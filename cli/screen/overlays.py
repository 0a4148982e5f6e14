"""Texts over or beside the table, such as rules, keys, summaries and the list of seats: how they
open, scroll, and are drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple

from cli.front.narrator import challenge_sentence, left_out_words, ruled_sentence, ruling_sentence
from cli.front.player_commands import offers, wanted_lines
from cli.front.story import NO_SCORE, MatchHistory, hand_rows, match_rows, score_rows, summary_rows
from cli.sanitize import cells_of
from cli.screen.canvas import Canvas, Ground, Style, wrap
from cli.screen.desk import KEYS, WRITING, Desk, Mode
from cli.screen.footer import chat_lines
from cli.screen.layout import LEAST_COLUMNS, LEAST_ROWS, PANEL, TOP, Layout
from cli.screen.model import (
    Summary,
    Table,
    Unfinished,
    absent,
    ends_with_a_trick,
    won_words,
)
from cli.wording import capital, hand_label
from p2p304.sentences import Line
from p2p304.telling import Ended, Scene
from protocol.table.events import ChallengeMade, HandRuled, RulingHeard
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


def show_ruling(desk: Desk, table: Table, event: HandRuled | RulingHeard) -> Desk:
    """Return the desk with a ruling over it. One that leaves the hand as it is opens only where
    nothing else is open.
    """
    ruling = event.ruling.content
    words = ruling_sentence(table.game, ruling, table.writer)
    if isinstance(event, HandRuled):
        return _lay(desk, (words, "", ruled_sentence(ruling, event.void)))
    # Only "no action": any other verdict stops a hand, and `HandRuled` follows with it. Over
    # another overlay it does not open, for it is among the news.
    return desk if stops(ruling) or desk.mode is not Mode.TABLE else _lay(desk, (words,))


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
    told = (title, *lines)
    if desk.mode in WRITING:
        # Below what is written: it shows when the words are sent.
        return replace(desk, under=Mode.RULING, told=told, page=0)
    plain = replace(desk, cursor=None, picked=(), typed="", pending=None, notice="", about=None)
    return replace(plain, mode=Mode.RULING, under=Mode.TABLE, told=told, page=0)


# Two blanks and more part columns; one blank is a word's end.
_GAP: Final = re.compile(r"\S {2,}(?=\S)")  #: What parts two columns.
#: Over which our own cards are seen, and what stands beside the table.
PARTIAL: Final = (Mode.ORDER, Mode.RULES, Mode.LESSON, Mode.SCORES, Mode.STORY)


_WIDEST: Final = 104  #: Cells of a line that can be read with ease, and its margins.


class _Cover(NamedTuple):
    """An open overlay, broken for one size of the screen."""

    title: str
    lines: tuple[str, ...]  #: As they are broken for this width.
    height: int  #: How many of them are seen at once.
    whole: bool  #: Whether our own cards are covered, too.
    left: int
    width: int

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
    wide = layout.width if desk.mode in PARTIAL else layout.wide
    width = min(wide, _WIDEST)
    # Two blank cells at each side, as in `draw_cover`.
    lines = tuple(each for line in panel.lines for each in _break_line(line, width - 4))
    bottom = layout.foot if whole else layout.hand
    # Chat lies above the foot, and stays readable.
    if whole:
        bottom -= len(chat_lines(table, desk, layout))
    # The title takes one row.
    height = bottom - TOP - 1
    # A result loses its empty lines before it has to be scrolled, to be seen whole where it can.
    if len(lines) > height and desk.mode is Mode.SUMMARY:
        lines = tuple(each for each in lines if each)
    left = layout.left + (wide - width) // 2
    return _Cover(panel.title, lines, height, whole, left, width)


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
    # The beginning of a text is never past its end.
    if not desk.page and desk.visible_mode is not Mode.STORY:
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
    column, room = cover.left + 2, cover.width - 4  # two blank cells at each side
    if cover.whole:
        canvas.blank(TOP, layout.left, layout.foot - TOP, layout.wide)
    # A short text stands a little below the title: a quarter of the free rows lies above it.
    top = TOP + (max(0, cover.height - len(cover.lines)) // 4 if layout.large else 0)
    if canvas.filled:
        _lay_sheet(canvas, layout, cover, top)
    first = min(desk.page, cover.last)
    # A list times False is empty.
    more = ["arrow up"] * (first > 0) + ["arrow down"] * (first < cover.last)
    title = cover.title + (f"  ({', '.join(more)} for more)" if more else "")
    canvas.put(top, column, title, Style.TITLE, room=room)
    for number, line in enumerate(cover.lines[first : first + cover.height]):
        canvas.put(top + 1 + number, column, line, room=room)


def _lay_sheet(canvas: Canvas, layout: Layout, cover: _Cover, top: int) -> None:
    """Give the cells below an overlay the ground `SHEET`; on a large screen no more of them than
    its text needs.
    """
    # From the row above TOP to the foot's first: both have rules on screens without a ground.
    bottom = layout.foot + 1 if cover.whole else layout.hand
    if not layout.large:
        # To the screen's edge; if the rules stand beside the sheet, it ends one cell before them.
        full = cover.width == layout.wide
        end = layout.columns if full else layout.left + cover.width + 1
        canvas.paint(TOP - 1, 0, Ground.SHEET, rows=bottom - TOP + 1, columns=end)
        return
    if cover.whole:
        canvas.paint(TOP - 1, 0, Ground.FELT, rows=bottom - TOP + 1, columns=layout.columns)
    # Three rows more than the lines: a blank one, the title, and a blank one at the end.
    rows = min(cover.height, len(cover.lines)) + 3
    rows = min(rows, bottom - top + 1)
    canvas.paint(top - 1, cover.left, Ground.SHEET, rows=rows, columns=cover.width)


# --- texts over or beside the table ---------------------------------------------------------------


class Panel(NamedTuple):
    """A heading and lines, which are broken to the screen's width when drawn."""

    title: str
    lines: tuple[str, ...]


def overlay(table: Table, desk: Desk) -> Panel | None:
    """Return the panel that lies over the table now; None while the table itself is shown, with
    a question or its last trick too.
    """
    match desk.visible_mode:
        case Mode.CHARTER | Mode.RULING | Mode.LESSON:
            return Panel(desk.told[0], desk.told[1:])
        case Mode.HELP:
            # `ClientSeat.show` lays other lines over the table in this mode, such as the invites.
            keys = desk.help in ((), desk.keys)
            title = "Keys" if keys else "The invites of this table"
            return Panel(title, desk.help or help_lines(table))
        case Mode.RULES:
            return Panel("The rules of this moment", lesson(table))
        case Mode.SCORES:
            rows = tuple(hand_rows(table.game, table.match_hands, table.writer))
            return Panel("The score, hand by hand", rows or (NO_SCORE,))
        case Mode.STORY:
            return Panel("The story so far", story_lines(table))
        case Mode.ORDER:
            # The mode is entered with a pending choice.
            assert desk.pending is not None
            return Panel(table.writer.sentence(desk.pending.label), order_lines(table, desk))
        case Mode.MATCH if table.match is not None:
            return Panel("The match is over", match_lines(table, desk, table.match))
        case Mode.INVITES:
            return Panel("The invites of this table", desk.invites)
        case Mode.SUMMARY if table.unfinished is not None:
            title = f"Hand {hand_label(table.unfinished.number)} was ended unfinished"
            return Panel(title, unfinished_lines(table, table.unfinished))
        case Mode.SUMMARY if table.summary is not None:
            title = f"Hand {hand_label(table.summary.number)} is over"
            return Panel(title, summary_lines(table, table.summary))
        case _:
            return None


def rules_now(table: Table) -> tuple[str, ...]:
    """Return what must not be missed and the rules of the moment, in short paragraphs; before
    all have agreed to the charter, one that says so.
    """
    # The first round of a table is closed by the last confirmation of its charter.
    if table.state is None and not table.rounds:
        return ("The cards are shuffled by all seats once everybody has agreed to the charter.",)
    due = () if table.urgent is None else table.urgent.lines
    return _written_lines(table, (*due, *table.telling.moment(table.view())))


def lesson(table: Table) -> tuple[str, ...]:
    """Return the rules of the moment, then the whole game in short, for beginners."""
    now = rules_now(table)
    short = _written_lines(table, table.telling.in_short())
    # Rules of the moment are part of the whole game: none is told twice.
    return (*now, "", *(line for line in short if line not in now))


def told_parts(table: Table, scene: Scene) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the public story of the hand as titles with their lines: the auction, the hand so
    far; a part without lines is left out.
    """
    parts = (("The auction", scene.history), ("The hand so far", scene.log))
    return tuple((title, _written_lines(table, told)) for title, told in parts if told)


def story_lines(table: Table) -> tuple[str, ...]:
    """Return the public story of the hand so far, then the latest news."""
    scene = table.scene()
    parts = () if scene is None else told_parts(table, scene)
    lines = [line for title, told in parts for line in (title, *(f"  {one}" for one in told), "")]
    return (*lines, "Now", *(f"  {each}" for each in table.news))


def help_lines(table: Table) -> tuple[str, ...]:
    """Return how cards and numbers are chosen, the keys of the game and of every table, and what
    the words beside names mean.
    """
    keys = [(each.key, each.words, each.when) for each in table.telling.keys]
    keys += [(each.key, each.words, each.when) for each in KEYS]
    names = {"c-c": "Ctrl-C", "f1": "F1"}  # the others are called as prompt_toolkit calls them
    # Seven cells for a key's name: the longest, Ctrl-C, and a blank.
    return (
        "Cards: left and right, then Enter; or type them, such as 9c or 10h; or click.",
        "Numbers: type a bid, or where to cut, and Enter.",
        "Enter   go on, with nothing to claim; Escape takes back what is typed, or leaves.",
        *(f"{names.get(key, key):<7} {words}: {when}" for key, words, when in keys),
        "silent?, link lost?, left?, done? beside a name: what that player's program or the broker"
        " says. It is not proved, and decides nothing.",
    )


def order_lines(table: Table, desk: Desk) -> tuple[str, ...]:
    """Return the lines below a pending choice with an order: the picked cards, the keys, its
    claim.
    """
    pending = desk.pending
    # Cards are put in order for a pending choice alone.
    assert pending is not None
    left = len(pending.order) - len(desk.picked)
    order = table.writer.cards(table.faces[slot] for slot in desk.picked)
    due: tuple[str, ...] = ()
    if table.urgent is not None and pending.key == table.urgent.key:
        certain = table.writer.cards(table.faces[slot] for slot in table.urgent.order)
        due = (f"Certain is {certain}: Enter takes card after card in this order.",)
    return (
        # The order that is certain is told, or a beginner would guess it.
        f"Order so far: {order or 'none yet'}" + (f"; {left} to go" if left else ""),
        *due,
        "Choose the order: arrows and Enter, typed cards, or clicks. Backspace takes one back,"
        " Escape leaves.",
        *_written_lines(table, pending.claim),
    )


def summary_lines(table: Table, summary: Summary) -> tuple[str, ...]:
    """Return the lines on a hand that ended: result, the game's rows, the winner, and how to
    check it.
    """
    ended = Ended(summary.state, summary.outcome, summary.scores, summary.faces)
    lines = [summary.outcome.summary, ""]
    lines += summary_rows(table.telling, ended, table.writer)
    if summary.winner is not None:
        lines.append(won_words(table, summary.winner, summary.scores))
    return (*lines, *_check_lines("Everything that", summary.transcript))


def _check_lines(what: str, transcript: str) -> tuple[str, ...]:
    """Return the lines on how a hand can be checked; none without a transcript."""
    kept = f"{what} was signed in this hand is kept, and anyone can check it:"
    return ("", kept, f"p2p304 audit {transcript}") if transcript else ()


def match_lines(table: Table, desk: Desk, history: MatchHistory) -> tuple[str, ...]:
    """Return the lines on a match that ended: the winner and the history; for a player who may play
    another, also what each seat wants and the keys to choose with.
    """
    won, *how = match_rows(table.game, history, table.writer)
    if table.seat is None or not desk.again:
        # Where no other match follows nothing is offered.
        return won, *how
    wanted = wanted_lines(table.game, table.names, table.wanted, table.seat, table.writer)
    choices = (f"{key}   {words}" for key, _, words in offers(table.game, table.names))
    return won, *wanted, "", *choices, "", *how


def unfinished_lines(table: Table, ended: Unfinished) -> tuple[str, ...]:
    """Return the lines on a hand that ended unfinished: the seats that agreed to that, or the
    referee if `present` is empty; what counts, what follows, and how to audit it if there is a
    transcript.
    """
    gone = absent(table, ended.present)
    without = f", without {table.writer.join_seats(gone)}" if gone else ""
    who = table.writer.join_seats(ended.present) if ended.present else ""
    said = f"{capital(who)} agreed to end the hand where it stood{without}."
    went = "Nothing more is played at this table. 'p2p304 host' makes a new one."
    return (
        said if who else "The referee ended the hand where it stood.",
        "It has no result: the scores stay as they were before it.",
        "",
        went if table.gone_on is None else left_out_words(table.writer, table.gone_on),
        "Enter leaves, as soon as the others have heard of the end: that takes some seconds.",
        *_check_lines("What", ended.transcript),
    )


def _written_lines(table: Table, lines: tuple[Line, ...]) -> tuple[str, ...]:
    """Return a game's lines as sentences."""
    return tuple(map(table.writer.sentence, lines))


# --- what stands beside a table -------------------------------------------------------------------

# A choice, against the room for the story.
_SCORES: Final = 12  #: Hands of the match whose scores stand beside the table, the latest.


def draw_beside_table(canvas: Canvas, layout: Layout, table: Table, scene: Scene | None) -> None:
    """Draw the rules of the moment beside the table; on a large screen also the auction, the
    hand so far and the latest scores, only the latest lines of each where room is short.
    """
    column = layout.left + layout.width + 2
    last = layout.rows - 1
    below: list[tuple[str, list[str]]] = []
    if layout.large and scene is not None:
        for title, told in told_parts(table, scene):
            below.append((title, [part for line in told for part in wrap(line, PANEL)]))
    if layout.large and table.match_hands:
        rows = [*score_rows(table.game, table.match_hands, table.writer)]
        # The heading, and the newest rows.
        below.append(("The score", [rows[0], *rows[1:][-_SCORES:]]))
    # A title, and a blank row above it.
    needed = sum(len(lines) + 2 for _, lines in below)
    # At most half for the rules if the rest needs the other half; its end is what goes.
    rules_end = max(last - needed, last // 2)
    # An empty line before and after each paragraph.
    rules = ["", *(each for text in rules_now(table) for each in (*wrap(text, PANEL), ""))]
    row = _draw_titled(canvas, 0, column, "The rules of the moment", rules, rules_end)
    for title, lines in below:
        # The latest lines of each part: the end of a story counts. Three rows are none of theirs: a
        # blank one, the title, and a blank one at the end. `if room`, because `[-0:]` would be all
        # lines.
        room = max(0, last - row - 3)
        row = _draw_titled(canvas, row + 1, column, title, lines[-room:] if room else [], last)


def _draw_titled(
    canvas: Canvas, row: int, column: int, title: str, lines: list[str], last: int
) -> int:
    """Draw a title and lines above row `last`, and return the row after them; draw nothing
    without lines or room.
    """
    if not lines or row >= last:
        return row
    canvas.put(row, column, title, Style.TITLE, room=PANEL)
    shown = lines[: last - row - 1]
    for number, line in enumerate(shown, row + 1):
        canvas.put(number, column, line, room=PANEL)
    return row + len(shown) + 1
