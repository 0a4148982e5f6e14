"""The lowest rows of the screen: chat between hands, news, prompt, keys, and the trust line."""

from __future__ import annotations

from typing import Final

from cli.front.narrator import awaited_words
from cli.front.player_commands import owed_words
from cli.sanitize import cells_of
from cli.screen.canvas import Canvas, Style, wrap
from cli.screen.cardface import FINE, ROUGH
from cli.screen.desk import Desk, Mode
from cli.screen.layout import FULL_ROWS, Layout
from cli.screen.model import Table
from cli.screen.prompts import keys_line, prompt_lines
from cli.wording import capital
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import count_words

_ASKED: Final = 2  #: Rows in which the player is asked or answered, but for long answers.


def draw_foot(
    canvas: Canvas, layout: Layout, table: Table, desk: Desk, *, keys: bool = True
) -> None:
    """Draw everything below the table, and between hands the chat above it; the line of keys
    only with `keys`.
    """
    left, width = layout.left, layout.width
    glyphs = ROUGH if table.writer.ascii_only else FINE
    talk = chat_lines(table, desk, layout)
    # The chat lies over our own cards' rows, which are empty between hands.
    canvas.blank(layout.foot - len(talk), left, len(talk), width)
    for above, line in enumerate(reversed(talk), start=1):
        canvas.put(layout.foot - above, left, line, room=width)
    if not desk.filled:
        canvas.put(layout.foot, left, glyphs.across * width, Style.FAINT)
    row = layout.foot
    # Talk opened over the summary still looks back: `under` tells what lies below.
    looks_back = {Mode.SUMMARY, Mode.FINISH} & {desk.mode, desk.under}
    newer = table.summary is not None and table.summary.number < table.number
    news = () if looks_back and newer else table.news  # what is told of the next hand waits
    style, lines = prompt_lines(table, desk, width)
    # More rows for a long answer are taken from the news, never from the keys.
    taken = min(max(0, len(lines) - _ASKED), layout.news_rows)  # a long answer goes before news
    for line in _latest(news, layout.news_rows - taken, width):
        row += 1
        canvas.put(row, left, line, room=width)
    # The prompt stands at the bottom of its rows, next to the keys.
    row = layout.foot + layout.news_rows - taken
    for line in lines[: _ASKED + taken]:
        row += 1
        canvas.put(row, left, line, style, room=width)
    column = left
    for text, target in keys_line(table, desk) if keys else ():
        end = column + cells_of(text)
        if end > left + width:
            continue  # what is too long is in the prompt, and what follows it may fit
        # The last row but one: the trust line has the last.
        canvas.put(layout.rows - 2, column, text, Style.KEY)
        # A key's name is clicked like the key.
        canvas.hit(layout.rows - 2, column, target, columns=cells_of(text))
        column = end + 2
    style, line = trust_line(table, width)
    canvas.put(layout.rows - 1, left, line, style, room=width)


def _latest(news: tuple[str, ...], rows: int, width: int) -> tuple[str, ...]:
    """Return the lines of the latest news that fit into `rows`, the newest last; of a sentence
    that does not fit, its end after "...".
    """
    lines: tuple[str, ...] = ()
    # The newest has the first claim to the room.
    for each in reversed(news):
        if len(lines) == rows:
            break
        # The newest sentence is shown in full where it fits, else its end.
        words, whole = each.split(" "), wrap(each, width)
        # It ends: without words the dots alone take one row, and there is one.
        while len(whole) > rows - len(lines):
            words = words[1:]
            whole = wrap(f"... {' '.join(words)}", width)
        lines = (*whole, *lines)
    return lines


# A choice: they share four rows.
MESSAGES: Final = 3  #: The latest messages that are shown.
#: Rows above the foot, where our own cards lie in a hand: they are free between two.
_BELOW: Final = 4
#: What is read then needs the whole screen.
_READING: Final = frozenset({Mode.CHARTER, Mode.RULES, Mode.HELP, Mode.ORDER})


def chat_is_shown(table: Table, desk: Desk) -> bool:
    """Return whether there is chat and it is shown: while no hand is in play, unless the
    charter, rules or help are read or cards are put in order, which takes the whole screen.
    """
    return bool(table.chat) and table.may_talk and desk.mode not in _READING


def chat_lines(table: Table, desk: Desk, layout: Layout) -> tuple[str, ...]:
    """Return the rows of chat above the foot, none where it is not shown: the three newest
    messages, of which the older are cut to a line each before the newest is cut.
    """
    if not chat_is_shown(table, desk):
        return ()
    # Over a summary, which gives way, there is one row more (a choice), and half of the rows that a
    # tall terminal has to spare.
    spare = max(0, layout.rows - FULL_ROWS)
    room = _BELOW + (1 + spare // 2 if desk.visible_mode is Mode.SUMMARY else 0)
    said = [_said_lines(table, *each, layout.width) for each in table.chat[-MESSAGES:]]
    for number in range(len(said) - 1):  # the oldest first
        # Older messages give way first.
        if sum(map(len, said)) > room:
            said[number] = _cut_lines(said[number], 1, layout.width)
    others = sum(map(len, said[:-1]))
    # At least two lines are left: the others have one each, unless all of them fit.
    said[-1] = _cut_lines(said[-1], room - others, layout.width)
    return tuple(line for each in said for line in each)


def _said_lines(table: Table, seat: int, text: str, width: int) -> tuple[str, ...]:
    """Return a message as wrapped lines, with who says it."""
    named = f"{capital(table.writer.seat(Seat(seat)))} ({table.names[seat]})"
    who = "You say" if seat == table.seat else f"{named} says"
    return wrap(f"{who}: {text}", width)


def _cut_lines(lines: tuple[str, ...], most: int, width: int) -> tuple[str, ...]:
    """Return at most `most` lines of `width` cells, the last with an ellipsis if any were cut."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    # Four cells for the blank and the dots.
    while cells_of(last) > width - 4:
        last = last[:-1]
    return (*lines[: most - 1], f"{last.rstrip()} ...")


def trust_line(table: Table, cells: int) -> tuple[Style, str]:
    """Return the style and text of the trust line: awaited seats, charter, agreed rounds, verified
    proofs. While the connection is lost it tells that instead.

    It is shortened to `cells` only while seats are awaited, and is longer if even the shortest
    wording does not fit.
    """
    # Trouble with the connection goes before all else: what follows may be stale.
    if table.link:
        return Style.WARNING, table.link
    waits = bool(table.waiting)
    # From the fullest wording to the shortest: the first that fits is shown.
    versions = [_in_full(table)]
    if waits:
        letters = seat_letters(table.game.seats)
        initials = ", ".join(letters[seat] for seat in table.waiting)
        versions += [
            _short(table, table.writer.join_seats(table.waiting)),
            _short(table, initials),
            _short(table, initials, charter=False),
        ]
    # The last is shown even if it is cut: whom we wait for comes first in it.
    line = next((each for each in versions if cells_of(each) <= cells), versions[-1])
    return (Style.WARNING if waits else Style.TRUST), line


def _in_full(table: Table) -> str:
    """Return the trust line, which tells awaited seats, charter, agreed rounds and proofs, in
    its longest wording.
    """
    parts = []
    if table.waiting:
        due = owed_words(table.game, table.state)
        what = f" ({due})" if due else ""
        names = table.writer.join_seats(table.waiting)
        where = awaited_words(table.waiting, table.presence)
        names += f", {where}," if where else ""
        parts.append(f"Waiting for {names} since {table.since}{what}")
    if table.fingerprint:
        # The first two groups of four: the whole is shown with the charter.
        parts.append(f"Charter {table.fingerprint[:9]}")
    if table.rounds:
        parts.append(f"{count_words(table.rounds, 'round')} agreed")
        parts.append(f"{count_words(table.proofs, 'proof')} verified")
    return ", ".join(parts)


def _short(table: Table, names: str, *, charter: bool = True) -> str:
    """Return the trust line in brief, with `names` for the awaited seats; without the charter's
    fingerprint unless `charter`.
    """
    parts = [f"Waiting for {names} since {table.since}"]
    if table.fingerprint and charter:
        # Two of its groups of four, and the hyphen between.
        parts.append(f"charter {table.fingerprint[:9]}")
    if table.rounds:
        parts += [count_words(table.rounds, "round"), count_words(table.proofs, "proof")]
    return f" {(ROUGH if table.writer.ascii_only else FINE).dot} ".join(parts)
