"""The table's model shows what the view grants and nothing else, and no trick before the last."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cli.front.writing import card_text
from cli.screen.desk import Desk, Mode
from cli.screen.model import Table, heard, new_table
from cli.screen.render import render
from p2p304.rules304.actions import Cut
from p2p304.seats import Seat
from p2p304.telling import Scene
from protocol.table.events import (
    ChatReceived,
    SeatBlamed,
    SeatSuspected,
    SessionStopped,
)
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import SigningKey
from tests.client.moments import MOMENTS, Script
from tests.client.open_hands import OpenHand, empty_table, hands, quiet

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
CARD = re.compile(r"(?<![\w])(10|[7-9JQKA])([♠♥♦♣])")


def scene_of(table: Table) -> Scene:
    """What lies where; there is a hand."""
    scene = table.scene()
    assert scene is not None
    return scene


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


def test_others_hands_are_backs_until_they_are_known() -> None:
    hand = Script(EAST).to_play().hand
    assert scene_of(hand.table).places[SOUTH].cards == (None,) * 7
    hand = Script(EAST).to_play().ready().play("JC", "9C", "QC", "8C").ready().hand
    assert scene_of(hand.table).places[NORTH].cards == (None,) * 7


def test_news_tell_a_card_face_down_and_the_void_that_it_shows() -> None:
    script = Script(SOUTH).to_play().ready().play("JC", "9C", "QC", "8C").ready()
    script.play("KS", "QS", "~TD")
    assert script.hand.table.news[-1] == "North plays a card face down. North has no spades."
    script = Script(NORTH).to_play().ready().play("JC", "9C", "QC", "8C").ready()
    assert script.play("KS", "QS", "~TD").hand.table.news[-1].startswith("North plays 10♦ face")


# --- events -----------------------------------------------------------------------------------


def test_blame_and_stops_stay_on_the_screen() -> None:
    blamed = heard(empty_table(), SeatBlamed(EAST, "action.rule", b""))
    assert "East broke the protocol (action.rule)" in blamed.stopped
    suspected = heard(empty_table(), SeatSuspected(WEST, "x"))
    assert "Something of West does not fit" in suspected.news[-1]
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


def test_names_of_a_charter_are_made_safe_and_impostors_marked() -> None:
    names = ("West", "\u2066evil", "ok", "Z" + "\u0301" * 20)
    harmless = [name.replace("\u2066", "") for name in names]
    entries = tuple(
        SeatEntry(SigningKey(bytes([number + 1] * 32)).public, name, bytes([number] * 32))
        for number, name in enumerate(harmless)
    )
    charter = Charter(table=bytes(16), game="304", profile="pagat", seats=entries)
    table = new_table(empty_table().game, charter, SOUTH)
    assert table.doubtful == {0}
    assert all(name.isprintable() for name in table.names)
    assert table.names[3].count("\u0301") <= 2
    assert table.fingerprint == charter.fingerprint


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
