"""The score sheet of a match in play, and a story of the hand that scrolls."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Summary, Table
from cli.screen.overlays import bounded
from cli.screen.panels import overlay, story_lines
from cli.screen.render import render
from p2p304.seats import Seat
from tests.client.ended_matches import match_41, match_304
from tests.client.moments import MOMENTS, Script
from tests.client.open_hands import OpenHand, empty_table, quiet
from tests.client.test_ui_overlaps import tables

SIZES = ((60, 20), (80, 24), (140, 45))


def opened(table: Table, *keys: str, size: tuple[int, int] = (80, 24)) -> Desk:
    """The desk after keys, each pressed when the frame before it was seen."""
    desk = Desk()
    for key in keys:
        desk = bounded(press(desk, table, key)[0], table, *size)
    return desk


def shown(table: Table, desk: Desk, size: tuple[int, int] = (80, 24)) -> str:
    return "\n".join(render(table, desk, *size).text())


def test_the_score_sheet_tells_every_hand_of_the_match_in_play() -> None:
    for table, course in (
        (MOMENTS["05-face-down"]().table, match_304()),
        (next(tables("41", "", 1)), match_41()),
    ):
        playing = replace(table, course=course.hands)
        desk = opened(playing, "#")
        assert desk.mode is Mode.SCORES
        panel = overlay(playing, desk)
        assert panel is not None
        heading, *rows = panel.lines
        assert heading.split()[0] == "Hand"
        for hand, row in zip(course.hands, rows, strict=True):
            assert row.split()[1 : 1 + len(hand.scores)] == [str(each) for each in hand.scores]
            assert row.endswith(hand.outcome.summary)
        assert opened(playing, "#", "#").mode is opened(playing, "#", "enter").mode is Mode.TABLE


def test_before_the_end_of_a_hand_there_is_no_score_sheet() -> None:
    table = MOMENTS["05-face-down"]().table
    assert "No hand of this match has ended" in shown(table, opened(table, "#"))
    assert "[#]" not in shown(table, Desk(), (140, 45))


def test_the_scores_stand_beside_a_large_table() -> None:
    table = replace(MOMENTS["05-face-down"]().table, course=match_304().hands)
    lines = shown(table, Desk(), (200, 60)).splitlines()
    first = next(number for number, line in enumerate(lines) if "The score" in line)
    for hand, line in zip(match_304().hands, lines[first + 2 :], strict=False):
        assert line.split()[-2:] == [str(each) for each in hand.scores]


def test_a_hand_whose_last_trick_lies_there_is_not_in_the_scores_yet() -> None:
    *_, last = hands = match_304().hands
    table = replace(MOMENTS["05-face-down"]().table, course=hands)
    summary = Summary(
        last.number, last.outcome, last.scores, table.state, table.faces, last.before
    )  # fmt: skip
    finished = replace(table, number=last.number, summary=summary)
    lies = shown(finished, Desk(mode=Mode.FINISH), (200, 60))
    read = shown(replace(finished, summary=None), Desk(), (200, 60))
    row = f"{last.number + 1:>4}  {last.scores[0]:>11}"
    assert row in read
    assert row not in lies


def test_the_story_follows_what_is_told_while_its_end_is_seen() -> None:
    for size in SIZES:
        desk = Desk(mode=Mode.STORY)
        for table in tables("304", "pagat", 1):
            desk = bounded(desk, table, *size)
            if table.seat is not None:
                newest = story_lines(table)[-1]
                assert newest.split()[-1] in shown(table, desk, size)


@pytest.mark.parametrize("size", SIZES[:2])
def test_the_story_stays_where_the_reader_put_it(size: tuple[int, int]) -> None:
    steps = [table for table in tables("304", "pagat", 1) if table.seat is not None]
    begun = next(
        number
        for number, table in enumerate(steps)
        if opened(table, '"', size=size).page >= 3
    )  # fmt: skip
    desk = opened(steps[begun], '"', "up", "up", "up", size=size)
    first = desk.page
    for table in steps[begun:]:
        desk = bounded(desk, table, *size)
        assert desk.page == first
        assert not desk.follows
    assert opened(steps[-1], '"', size=size).page > first
    back = bounded(press(desk, steps[-1], "pagedown")[0], steps[-1], *size)
    for _ in range(20):
        back = bounded(press(back, steps[-1], "pagedown")[0], steps[-1], *size)
    assert back.follows


def test_page_up_at_the_table_opens_the_story_and_other_keys_keep_their_meaning() -> None:
    table = Script(Seat(1)).to_play().ready().hand.table
    desk = opened(table, "pageup")
    assert desk.mode is Mode.STORY
    assert opened(table, "pageup", "escape").mode is Mode.TABLE
    assert opened(table, "pageup", "?").mode is Mode.RULES


def test_the_story_tells_no_card_of_a_trick_before_the_last_one() -> None:
    hand = OpenHand(empty_table(seat=Seat(0)))
    checked = 0
    while hand.state.awaiting:
        first = hand.state.awaiting[0]
        hand.act(quiet(hand.table, hand.legal(first), hand.chance))
        table, view = hand.table, hand.table.view()
        scene = table.scene()
        if scene is None or view is None or scene.tricks < 2:
            continue
        lies = (card.card for card in (*scene.lying, *table.telling.last_trick(view)))
        seen = {*lies, *(each.card for each in scene.hand)}
        played = {table.writer.card(card) for card in table.faces.values() if card not in seen}
        words = " ".join(story_lines(table)).replace(".", " ").replace(",", " ").split()
        assert not played & {*words}
        checked += bool(played)
    assert checked
