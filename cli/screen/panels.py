"""Texts over or beside the table: rules, keys, summaries, the list of seats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from cli.front.narrator import left_out_words
from cli.front.player_commands import offers, wanted_lines
from cli.front.story import NO_SCORE, MatchHistory, hand_rows, match_rows, score_rows, summary_rows
from cli.screen.canvas import Canvas, Ground, Style, wrap
from cli.screen.cardface import FINE, ROUGH, card_style
from cli.screen.desk import KEYS, Desk, Mode
from cli.screen.layout import PANEL, TOP, Layout
from cli.screen.model import Summary, Table, Unfinished, absent, round_table, won_words
from cli.wording import capital, hand_label
from p2p304.seats import Seat
from p2p304.sentences import Line
from p2p304.telling import Ended, Lying, Scene


class Panel(NamedTuple):
    """A heading and lines, which are broken to the screen's width when drawn."""

    title: str
    lines: tuple[str, ...]


def overlay(table: Table, desk: Desk) -> Panel | None:
    """Return the panel that lies over the table now; None while the table itself is shown, with
    a question or its last trick too.
    """
    match desk.visible_mode:
        case Mode.CHARTER:
            return Panel("The referee" if desk.asks else "The charter of this table", desk.charter)
        case Mode.HELP:
            # `ClientSeat.show` lays other lines over the table in this mode, such as the invites.
            keys = desk.help in ((), desk.keys)
            title = "Keys" if keys else "The invites of this table"
            return Panel(title, desk.help or help_lines(table))
        # Of these two texts the first line is the title.
        case Mode.RULING:
            return Panel(desk.ruling[0], desk.ruling[1:])
        case Mode.LESSON:
            return Panel(desk.lesson[0], desk.lesson[1:])
        case Mode.RULES:
            return Panel("The rules of this moment", lesson(table))
        case Mode.SCORES:
            return Panel("The score, hand by hand", score_lines(table))
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
    if table.agreeing:
        return ("The cards are shuffled by all seats once everybody has agreed to the charter.",)
    due = () if table.urgent is None else table.urgent.lines
    return _written_lines(table, (*due, *table.telling.moment(table.view())))


def lesson(table: Table) -> tuple[str, ...]:
    """Return the rules of the moment, then the whole game in short, for beginners."""
    now = rules_now(table)
    short = _written_lines(table, table.telling.in_short())
    # Rules of the moment are part of the whole game: none is told twice.
    return (*now, "", *(line for line in short if line not in now))


def score_lines(table: Table) -> tuple[str, ...]:
    """Return the score sheet of the match in play, or a sentence that no hand of it has ended."""
    if not table.match_hands:
        return (NO_SCORE,)
    return tuple(hand_rows(table.game, table.match_hands, table.writer))


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
    # Seven cells for a key's name: the longest, Ctrl-C, and a blank.
    return (
        "Cards: left and right, then Enter; or type them, such as 9c or 10h; or click.",
        "Numbers: type a bid, or where to cut, and Enter.",
        "Enter   go on, with nothing to claim; Escape takes back what is typed, or leaves.",
        *(f"{_key_name(key):<7} {words}: {when}" for key, words, when in keys),
        "silent?, link lost?, left?, done? beside a name: what that player's program or the broker"
        " says. It is not proved, and decides nothing.",
    )


def _key_name(key: str) -> str:
    """Return a key's name as people read it, such as "Ctrl-C"."""
    # Keys have the names of prompt_toolkit; only these two look odd.
    return {"c-c": "Ctrl-C", "f1": "F1"}.get(key, key)


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
    if summary.transcript:
        lines += [
            "",
            "Everything that was signed in this hand is kept, and anyone can check it:",
            f"p2p304 audit {summary.transcript}",
        ]
    return tuple(lines)


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
    lines = [
        said if who else "The referee ended the hand where it stood.",
        "It has no result: the scores stay as they were before it.",
        "",
        went if table.gone_on is None else left_out_words(table.writer, table.gone_on),
        "Enter leaves, as soon as the others have heard of the end: that takes some seconds.",
    ]
    if ended.transcript:
        lines += [
            "",
            "What was signed in this hand is kept, and anyone can check it:",
            f"p2p304 audit {ended.transcript}",
        ]
    return tuple(lines)


def _written_lines(table: Table, lines: tuple[Line, ...]) -> tuple[str, ...]:
    """Return a game's lines as sentences."""
    return tuple(map(table.writer.sentence, lines))


# --- what stands beside a table, and the seats as a list where there is no room for a table -------

# These three are choices, against the room for names and for the story.
LAID: Final = 16  #: Cells at the end of a line for what lies before a seat, or what it has said.
_LAID_IN_HALVES: Final = 11  #: The same where two lines stand beside each other.
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
    row = _draw_titled(canvas, 0, column, "The rules of the moment", _rules(table), rules_end)
    for title, lines in below:
        # The latest lines of each part: the end of a story counts. Three rows are none of theirs: a
        # blank one, the title, and a blank one at the end. `if room`, because `[-0:]` would be all
        # lines.
        room = max(0, last - row - 3)
        row = _draw_titled(canvas, row + 1, column, title, lines[-room:] if room else [], last)


def _rules(table: Table) -> list[str]:
    """Return the rules of the moment as lines for the column beside the table, an empty one
    before and after each paragraph.
    """
    lines = [""]
    for paragraph in rules_now(table):
        lines += [*wrap(paragraph, PANEL), ""]
    return lines


def _draw_titled(
    canvas: Canvas, row: int, column: int, title: str, lines: list[str], last: int
) -> int:
    """Draw a title and lines above row `last`, and return the row after them; draw nothing
    without lines or room.
    """
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
    """Draw the other seats, for a spectator all, as lines from our right in the order of play; each
    ends with its last call or card. `name_of` returns the text for a seat in so many cells; with
    `filled`, cards and the seats on turn get a ground.

    If the lines do not fit, two stand beside each other. Our own last call or card ends the line
    with our name, above our cards.
    """
    first, *others = round_table(table)
    # A spectator sees all seats in the list, a player's own cards lie below it.
    order = others if table.seat is not None else [*others, first]
    # `bool`: a line in the middle takes one row.
    lines = layout.hand - TOP - bool(scene.middle)
    columns = 1 if len(order) <= lines else 2
    # Rounded up: Python's floor division of a negative.
    per = -(-len(order) // columns)
    width = layout.width // columns
    laid = LAID if columns == 1 else _LAID_IN_HALVES
    glyphs = ROUGH if table.writer.ascii_only else FINE
    for number, seat in enumerate(order):
        row, left = TOP + number % per, layout.left + number // per * width
        turn = seat in table.awaited_seats
        # Two cells for the mark, and a blank before what lies there.
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
    # One line: there is no middle to write more in.
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
    """Write the last call of a seat while calls are made, else the cards that lie before it, at
    most `laid` columns wide; cards get a ground if they are `filled`.
    """
    place = scene.places[seat]
    if scene.middle and place.calls:
        style = Style.STRONG if place.leading else Style.PLAIN
        # One cell less: a blank before the line beside it.
        canvas.put(row, column, place.calls[-1], style, room=laid - 1)
    # While something is said in the middle nothing lies there.
    for card in () if scene.middle else scene.lying:
        if card.seat == seat:
            _put_card(canvas, table, row, column, card, laid, filled=filled)


def _put_card(
    canvas: Canvas, table: Table, row: int, column: int, card: Lying, laid: int, *, filled: bool
) -> None:
    """Write a card that lies before a seat as text with its note, in `laid` cells; with a ground
    if cards are `filled`.
    """
    face = table.writer.card(card.card)
    # Brackets show a card laid face down where there is no drawing.
    text = f"[{face}]" if card.down else face
    style = Style.BACK if card.card is None else card_style(card.card)
    end = canvas.put(row, column, text, style, room=laid - 1)
    if filled:
        ground = Ground.COVERED if card.card is None else Ground.CARD
        canvas.paint(row, column, ground, columns=end - column)
    # A blank before the note, and one behind it.
    canvas.put(row, end + 1, card.note, Style.FAINT, room=column + laid - end - 2)
