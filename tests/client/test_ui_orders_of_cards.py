"""Cards are put in an order key by key: typed, picked with arrows, taken back, or left alone."""

from __future__ import annotations

from dataclasses import replace

from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Table
from p2p304.cards import Slot
from tests.client.test_ui_learning import Played


def ordering() -> tuple[Desk, Table]:
    """South claims every trick, and is asked in which order its cards fall."""
    table = Played().to_the_window().hand.table
    desk, _ = press(Desk(), table, "c")
    assert desk.mode is Mode.ORDER
    return desk, table


def after(desk: Desk, table: Table, *keys: str) -> Desk:
    for key in keys:
        desk, deed = press(desk, table, key)
        assert deed is None, "an order is asked about before it is said"
    return desk


def picked(desk: Desk, table: Table) -> str:
    return " ".join(str(table.faces[slot]) for slot in desk.picked)


def test_a_card_is_typed_and_what_is_none_is_said() -> None:
    desk, table = ordering()
    assert after(desk, table, "j").typed == "j"
    assert picked(after(desk, table, "j", "c"), table) == "JC"
    assert after(desk, table, "j", "x").notice == 'No card begins with "jx".'
    assert after(desk, table, "j", "backspace").typed == ""
    again = after(desk, table, "j", "c", "j", "c")
    assert again.notice == "That card is not in your hand, or chosen."
    assert picked(again, table) == "JC"
    assert after(desk, table, "7", "s").notice == "That card is not in your hand, or chosen."
    assert after(desk, table, "f5") == desk


def test_arrows_go_round_the_cards_that_are_left_and_enter_takes_one() -> None:
    desk, table = ordering()
    first = table.faces[Slot(desk.cursor)] if isinstance(desk.cursor, int) else None
    assert first is not None
    assert after(desk, table, "right", "left").cursor == desk.cursor
    assert after(desk, table, "left", "right").cursor == desk.cursor
    one = after(desk, table, "enter")
    assert picked(one, table) == str(first)
    assert one.cursor != desk.cursor
    nowhere = replace(desk, cursor=None)
    assert after(nowhere, table, "enter").notice == "Choose the next card of the order."
    assert after(nowhere, table, "right").cursor == desk.cursor
