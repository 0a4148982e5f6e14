"""The layout stands at every size, with hostile texts, without colours and without signs."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest

from cli.front.writing import Writer
from cli.sanitize import cells_of, safe_name, safe_text
from cli.screen.canvas import Canvas, Frame, Style, wrapped
from cli.screen.desk import Desk, Mode
from cli.screen.model import heard, told
from cli.screen.render import render
from p2p304.rules304.actions import Cut
from p2p304.seats import Seat
from protocol.table.events import ChatReceived
from tests.client.moments import HANDS, MOMENTS, Script
from tests.client.open_hands import OpenHand, dealt, empty_table, quiet

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
SIZES = [(80, 24), (81, 25), (100, 30), (111, 31), (112, 24), (120, 40), (150, 50), (240, 70)]
HOSTILE = (
    "\x1b[2J\x1b[31mred\x07",
    "\u202eesrever\u2066\u2069",
    "a\u200b\u200d\ufeffb\u2060",
    "Z" + "\u0301" * 60,
    "👩‍👩‍👧‍👦🃏🂡" * 3,
    "名前" * 10,
    "\u0b95\u0bcd\u200d\u0bb7" * 4,
    "♠J ♥9",
)


def sane(frame: Frame, columns: int, rows: int) -> None:
    assert len(frame.lines) == rows
    for line in frame.text():
        assert cells_of(line) == columns
        assert all(char.isprintable() or char in "\u200c\u200d" for char in line), repr(line)


def test_every_line_fills_the_screen_exactly() -> None:
    for make in MOMENTS.values():
        moment = make()
        for columns, rows in SIZES:
            sane(render(moment.table, moment.desk, columns, rows), columns, rows)


def test_a_title_without_room_for_all_loses_whole_parts() -> None:
    moment = MOMENTS["10-result"]()
    whole, *narrower = (
        render(moment.table, moment.desk, columns, 24).text()[0].strip().split(" · ")
        for columns in (111, *range(60, 80))
    )
    assert "hand 1" in whole
    assert any(len(parts) < len(whole) for parts in narrower)
    for parts in narrower:
        assert {*parts} <= {moment.table.game.name, *whole}


def test_a_key_too_long_for_its_row_hides_no_other_key() -> None:
    table = empty_table(seat=SOUTH)
    weak = ("8S 7S 7H 8C  7C KD QD 8D", *HANDS[1:3], "JH 9H AH JC  TH 9S KS 7D")
    hand = OpenHand(table, deck=dealt(table, weak, dealer=WEST), dealer=WEST)
    hand.act(Cut(0))
    lines = render(hand.table, Desk(hints=True), 80, 24).text()
    assert "n: demand new cards" in " ".join(lines[-4:-2])
    for key in ("[p] pass", "[?] rules", "[h] hint", "[F1] keys"):
        assert key in lines[-2]


@pytest.mark.parametrize(("columns", "rows"), [(59, 20), (60, 19), (20, 5), (1, 1)])
def test_a_terminal_that_is_too_small_is_told_what_it_needs(columns: int, rows: int) -> None:
    frame = render(empty_table(), Desk(), columns, rows)
    assert len(frame.lines) == rows
    if columns > 40:
        assert "60 columns and 20 rows" in " ".join(frame.text())


def test_what_was_taken_fits_the_narrowest_screen_with_all_its_numbers() -> None:
    table = MOMENTS["07-window"]().table
    assert table.state is not None
    first, one = table.state.tricks
    tricks = (first, first, one, one._replace(winner=EAST), first._replace(winner=EAST))
    many = replace(table, state=table.state._replace(tricks=tricks), scores=(22, 10))
    wide = render(many, Desk(), 100, 24).text()[1].strip()
    assert "109 (1 card hidden)" in wide
    line = render(many, Desk(), 80, 24).text()[1].strip()
    points = "Points 109 (1 card hidden), 57 (1 card hidden)"
    assert line == f"Tokens 22, 10   Tricks 3, 2   {points}"


def test_the_makers_indicator_shows_its_face_to_the_maker_alone() -> None:
    own = "\n".join(render(Script(SOUTH).to_play().hand.table, Desk(), 80, 24).text())
    other = "\n".join(render(Script(EAST).to_play().hand.table, Desk(), 80, 24).text())
    assert "trump" in own
    assert "│ 9♥│" in own
    assert "indicator ▒▒" in other
    assert "9♥" not in other


def test_letters_alone_draw_the_whole_table() -> None:
    for make in MOMENTS.values():
        moment = make()
        desk = replace(moment.desk, charter=())
        news = tuple(line for line in moment.table.news if line.isascii())
        table = replace(moment.table, writer=Writer(4, ascii_only=True), news=news)
        desk = replace(desk, notice=desk.notice if desk.notice.isascii() else "")
        for line in render(table, desk, 80, 24).text():
            assert set(line) <= set(string.printable), line


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_words_cannot_break_the_layout(hostile: str) -> None:
    name, words = safe_name(hostile), safe_text(hostile)
    for seat in (SOUTH, EAST, None):
        table = empty_table(seat=seat, names=(name,) * 4)
        hand = OpenHand(told(heard(table, ChatReceived(EAST, hostile)), words))
        for step in range(45):
            if not hand.state.awaiting:
                break
            for columns, rows in ((80, 24), (120, 40)) if step % 5 == 0 else ():
                desk = Desk(notice=words, charter=(words,) * 40)
                for mode in (Mode.TABLE, Mode.CHARTER, Mode.TALK)[: 1 if step else 3]:
                    sane(render(hand.table, replace(desk, mode=mode), columns, rows), columns, rows)
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))


def test_clicks_hit_what_is_drawn() -> None:
    moment = MOMENTS["02-auction"]()
    frame = moment.frame()
    for row, line in enumerate(frame.text()):
        column = line.find("[p] pass")
        if column >= 0:
            assert frame.target_at(row, column) == "key p"
            assert frame.target_at(row, column - 2) != "key p"
            break
    else:
        pytest.fail("pass is not offered")
    assert sum(hit.target.startswith("card ") for hit in frame.hits) == 4


# --- the canvas -------------------------------------------------------------------------------


def test_wide_characters_take_two_cells_and_are_never_halved() -> None:
    canvas = Canvas(1, 6)
    canvas.put(0, 0, "名前名前")
    assert canvas.frame().text() == ("名前名",)
    canvas.put(0, 1, "x")
    assert canvas.frame().text() == (" x前名",)
    canvas.put(0, 5, "名")
    assert cells_of(canvas.frame().text()[0]) == 6


def test_marks_stay_with_their_letter_and_controls_are_refused() -> None:
    canvas = Canvas(1, 4)
    canvas.put(0, 0, "e\u0301x")
    assert canvas.frame().text() == ("e\u0301x  ",)
    with pytest.raises(ValueError, match=r"U\+001B"):
        canvas.put(0, 0, "\x1b")


def test_text_outside_the_sheet_is_not_drawn() -> None:
    canvas = Canvas(2, 3)
    canvas.put(5, 0, "x")
    canvas.put(0, 2, "xyz", Style.STRONG)
    canvas.put(1, -1, "abc")
    assert canvas.frame().text() == ("  x", "bc ")


@pytest.mark.parametrize("cells", [1, 5, 20])
def test_broken_lines_keep_every_word_and_their_width(cells: int) -> None:
    text = "a call of caps, 名前 and averyveryverylongword"
    lines = wrapped(text, cells)
    assert all(cells_of(line) <= max(cells, 2) for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
