"""What a screen shows: what the view grants, whole at every size, whatever texts and colours."""

from __future__ import annotations

import re
import string
from dataclasses import replace

import pytest

from cli.front.writing import Writer, card_text
from cli.net.transport import LinkState, LinkStatus, Trouble
from cli.sanitize import cells_of, safe_name, safe_text
from cli.screen.canvas import Frame, Ground
from cli.screen.desk import Desk, Mode
from cli.screen.footer import chat_lines, trust_line
from cli.screen.layout import Layout
from cli.screen.ledgers import after_status
from cli.screen.model import Table, heard, told
from cli.screen.render import render
from p2p304.rules304.actions import Cut
from p2p304.seats import Seat
from protocol.table.events import (
    ChatReceived,
    SeatBlamed,
    SeatSuspected,
    SessionStopped,
    WordsLeftOut,
)
from tests.client.moments import MOMENTS, Script
from tests.client.open_hands import OpenHand, empty_table, hands, quiet
from tests.client.test_ui_overlaps import TABLES, tables

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


@pytest.mark.parametrize(("columns", "rows"), [(59, 20), (60, 19), (20, 5), (1, 1)])
def test_a_terminal_that_is_too_small_is_told_what_it_needs(columns: int, rows: int) -> None:
    frame = render(empty_table(), Desk(), columns, rows)
    assert len(frame.lines) == rows
    if columns > 40:
        assert "60 columns and 20 rows" in " ".join(frame.text())


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


# --- what the model grants ------------------------------------------------------------------------


CARD = re.compile(r"(?<![\w])(10|[7-9JQKA])([♠♥♦♣])")


def shown_cards(table: Table, desk: Desk) -> set[str]:
    lines = render(table, desk, 80, 24).text()
    return {"".join(found) for line in lines for found in CARD.findall(line)}


@pytest.mark.parametrize("seat", [SOUTH, EAST, None])
def test_no_screen_shows_a_face_that_the_view_does_not_grant(seat: Seat | None) -> None:
    for hand in hands(2, empty_table(seat=seat)):
        while hand.state.awaiting:
            known = {card_text(card) for card in hand.open.view(seat).faces.values()}
            known |= {card_text(card) for card in hand.state.faces.values()}
            for mode in (Mode.TABLE, Mode.RULES, Mode.LAST_TRICK):
                assert shown_cards(hand.table, Desk(mode=mode)) <= known
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))


def test_nothing_of_a_trick_before_the_last_is_shown_again() -> None:
    seen = 0
    for hand in hands(3, empty_table(seat=None)):
        while hand.state.awaiting:
            state = hand.state
            if len(state.tricks) >= 2 and state.caps is None and not state.end:
                old = {
                    card_text(state.faces[play.slot])
                    for trick in state.tricks[:-1]
                    for play in trick.plays
                    if play.slot in state.faces
                }
                for mode in (Mode.TABLE, Mode.LAST_TRICK, Mode.RULES):
                    assert not old & shown_cards(hand.table, Desk(mode=mode))
                seen += 1
            hand.act(quiet(hand.table, hand.legal(state.awaiting[0]), hand.chance))
    assert seen > 25


# --- events -----------------------------------------------------------------------------------


def test_blame_and_stops_stay_on_the_screen() -> None:
    blamed = heard(empty_table(), SeatBlamed(EAST, "action.rule", b""))
    assert "East broke the protocol (action.rule)" in blamed.stopped
    suspected = heard(empty_table(), SeatSuspected(WEST, "x"))
    assert "Something of West does not fit" in suspected.news[-1]
    flooded = heard(empty_table(), WordsLeftOut(WEST))
    assert flooded.news[-1] == "West says more than is shown: the rest is left out."
    assert "signs nothing more" in heard(empty_table(), SessionStopped("x")).stopped


def test_chat_is_made_safe_and_is_gone_when_the_hand_begins_unless_it_is_unread() -> None:
    table = heard(empty_table(), ChatReceived(EAST, "\x1b[2Jhi\u202e there"))
    assert table.chat[-1][1].isprintable()
    assert "\x1b" not in table.chat[-1][1]
    assert table.may_talk
    hand = OpenHand(table)
    assert hand.table.chat
    hand.act(Cut(0))
    assert hand.table.chat
    assert not hand.table.may_talk
    read = OpenHand(replace(table, unread=0))
    read.act(Cut(0))
    assert not read.table.chat


def test_every_moment_holds_only_what_its_seat_may_know() -> None:
    for make in MOMENTS.values():
        moment = make()
        table = moment.table
        if table.state is None or table.state.end is not None:
            continue
        strange = set(table.faces) - set(table.state.faces)
        own = set(table.state.hands[table.seat or 0]) | {table.state.trump_slot}
        played = {play.slot for trick in table.state.tricks for play in trick.plays}
        played |= {play.slot for play in table.state.plays}
        live = {slot for hand in table.state.hands for slot in hand} | played
        assert (strange & live) <= own | played


# --- the lowest lines -----------------------------------------------------------------------------


def test_a_lost_link_is_tried_again_and_the_news_tell_why_once() -> None:
    why = "Nothing listens at mqtt://127.0.0.1:38879: check the port, and whether it runs."
    table = after_status(empty_table(), LinkStatus(LinkState.DISCONNECTED, "gone"), "23:07")
    for clock in ("23:07", "23:09"):
        waiting = LinkStatus(LinkState.WAITING, why, 1.0, Trouble.UNREACHABLE)
        table = after_status(table, waiting, clock)
        line = trust_line(table, 80)[1]
        assert line == "Connection lost since 23:07; trying again (the broker does not answer)."
        assert cells_of(line) <= 80
    assert table.news.count(why) == 1
    again = after_status(table, LinkStatus(LinkState.CONNECTED, "Connected."), "23:10")
    assert (again.link, again.lost_since, again.news[-1]) == ("", "", "Connected again.")
    refused = LinkStatus(LinkState.WAITING, "No.", 1.0, Trouble.CREDENTIALS)
    assert "the broker refuses" in after_status(empty_table(), refused, "23:07").link
    unheard = after_status(empty_table(), LinkStatus(LinkState.UNHEARD, "?"), "12 Mar 23:07").link
    assert cells_of(unheard) <= 80


def test_the_last_three_messages_are_shown_and_what_is_cut_says_so() -> None:
    table = empty_table()
    for seat, text in ((EAST, "one"), (NORTH, "two"), (WEST, "three"), (SOUTH, "four")):
        table = heard(table, ChatReceived(seat, text))
    lines = chat_lines(table, Desk(), Layout(80, 24))
    assert lines == (
        f"North ({table.names[2]}) says: two",
        f"West ({table.names[3]}) says: three",
        "You say: four",
    )
    for seat in (EAST, NORTH, WEST):
        table = heard(table, ChatReceived(seat, "word " * 40))
    lines = chat_lines(table, Desk(), Layout(80, 24))
    assert len(lines) <= 4
    assert all(cells_of(each) <= 80 for each in lines)
    assert [each.endswith("...") for each in lines] == [True, True, False, True]
    assert len(chat_lines(table, Desk(mode=Mode.SUMMARY), Layout(80, 40))) == 9
    assert chat_lines(table, Desk(mode=Mode.CHARTER), Layout(80, 24)) == ()


# --- cards that grow with the terminal ------------------------------------------------------------


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
