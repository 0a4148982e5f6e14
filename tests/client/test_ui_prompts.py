"""The sentences below the table say what may be done, to whom it is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cli.screen.desk import Act, Asking, Desk, Mode, pointed_at
from cli.screen.input import press
from cli.screen.layout import LEAST_COLUMNS
from cli.screen.model import Table
from cli.screen.prompts import keys_line, prompt_lines, waiting_words
from cli.screen.render import render
from p2p304.rules304.actions import (
    PlayCard,
    ShowCard,
)
from p2p304.rules304.state import End, Phase
from p2p304.seats import Seat
from tests.client.moments import Script
from tests.client.moments_of_bots import first, hand_of_bots
from tests.client.open_hands import empty_table

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


def turn_words(table: Table) -> str:
    """What the player is asked, in one line."""
    (text, *_) = prompt_lines(table, Desk(), 400)[1]
    return text


def second_trick(seat: Seat) -> Script:
    return Script(seat).to_play().ready().play("JC", "9C", "QC", "8C").ready()


def test_a_window_says_which_key_goes_on_and_which_claim_something() -> None:
    table = Script(SOUTH).to_play().hand.table
    words = turn_words(table)
    assert words == "Press Enter to go on (c and s only if you claim something; ? explains)."
    going = Desk(go_on=None)
    assert "goes on by itself" in prompt_lines(table, going, 200)[1][0]
    for key in "cs ":
        held, deed = press(going, table, key)
        assert (held.held, deed) == (True, None)
        back = press(held, table, "escape")[0] if held.mode is not Mode.TABLE else held
        assert back.held
    assert prompt_lines(table, press(going, table, " ")[0], 200)[1] == (words,)
    off, _ = press(going, table, "=")
    assert (off.go_on, off.notice) == (False, "Windows wait for your Enter.")
    on, _ = press(off, table, "=")
    assert on.go_on
    assert not press(going, table, "?")[0].held
    waiting = Script(SOUTH).to_play().hand
    waiting.act(waiting.legal(SOUTH)[0], SOUTH)
    assert waiting_words(replace(waiting.table, choices=())) == (
        "East, North and West have yet to go on."
    )


def test_who_waits_reads_what_for() -> None:
    table = Script(EAST).hand.table
    assert table.state is not None
    dealing = table.state._replace(awaiting=(), phase=Phase.AUCTION4)
    assert waiting_words(replace(table, state=dealing, choices=())) == "The cards are being dealt."
    counting = table.state._replace(awaiting=(EAST,), phase=Phase.COUNT)
    assert "opened and counted" in waiting_words(replace(table, state=counting, choices=()))
    passed = table.state._replace(awaiting=(), phase=Phase.OVER, end=End.PASSED_OUT)
    assert waiting_words(replace(table, state=passed, choices=())) == "The hand is over."
    assert "looking on" in press(Desk(), empty_table(seat=None), "right")[0].notice


@pytest.mark.parametrize("phase", [Phase.WINDOW, Phase.TRICK])
def test_a_key_goes_through_the_cards_that_may_be_shown_and_others_are_played(phase: Phase) -> None:
    """Where that is agreed: between tricks, and at one's turn; the card alone stands for playing
    it."""
    agreed = "pagat; +pre_show_in_trick"
    hand = hand_of_bots("304", agreed, 2, seat=Seat(0), dealer=Seat(3), scores=(11, 11))
    table = first(hand, lambda each: each.state.phase is phase and any(
        isinstance(choice.action, ShowCard) for choice in each.choices))  # fmt: skip
    shows = [each for each in table.choices if isinstance(each.action, ShowCard)]
    desk = Desk(asking=Asking.NOTHING)
    for each in shows[:3]:
        desk, done = press(desk, table, "w")
        assert done is None
        assert pointed_at(desk.cursor) == each.slot
        assert press(desk, table, "enter")[1] == Act(each.action)
        assert keys_line(table, desk)[0][0] == f"[Enter] {table.writer.line(each.label)}"
    assert ("[w] show a card", "key w") in keys_line(table, desk)
    if phase is Phase.WINDOW:
        assert "w shows a card that you play next" in " ".join(prompt_lines(table, desk, 400)[1])
        return
    played, done = press(Desk(asking=Asking.NOTHING), table, "right")
    action = press(played, table, "enter")[1]
    assert isinstance(action, Act)
    assert isinstance(action.action, PlayCard)


@pytest.mark.parametrize("mode", Mode, ids=str)
def test_what_is_asked_in_any_mode_fits_the_smallest_screen(mode: Mode) -> None:
    table = second_trick(SOUTH).hand.table
    for desk in (Desk(mode=mode), Desk(mode=mode, typed="w" * 200)):
        for each in (table, replace(table, choices=())):
            lines = prompt_lines(each, desk, LEAST_COLUMNS)[1]
            assert len(lines) <= 2
            assert max(map(len, lines)) <= LEAST_COLUMNS


def test_the_latest_news_that_lack_their_beginning_begin_with_dots() -> None:
    long = " ".join(f"word{number}" for number in range(30))
    table = replace(second_trick(SOUTH).hand.table, news=("Lost.", long, "North takes trick 1."))
    text = render(table, Desk(), 80, 24).text()
    assert "North takes trick 1." in text[19]
    assert text[18].startswith("... ")
    assert text[18].rstrip().endswith("word29")
    assert "Lost." not in text[18]
