"""Caps are taught where hints are allowed: told when due, with the order and the reason, and after
the hand."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.front.story import HandStory as Retelling
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.panels import order_lines, rules_now, summary_lines
from cli.screen.preferences import Habits
from cli.screen.prompts import prompt_lines
from cli.screen.replay import replay_of
from p2p304.cards import parse_card
from p2p304.games import create_game
from p2p304.rules304.actions import (
    Action,
    CallCaps,
    Cut,
    LayIndicator,
    OpenTrump,
    Pass,
    PlaceBid,
    Ready,
    SortHand,
)
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import judge_order
from p2p304.rules304.state import Phase
from p2p304.rules304.telling.certain import urgent
from p2p304.seats import Seat
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted
from tests.client.open_hands import OpenHand, dealt, empty_table
from tests.client.text_person import sitting
from tests.table.bus import Table as Sessions
from tests.table.seating import charter

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
HANDS = (
    "JH 9H AH TH  KH QH 8H JC",
    "JS AS TS QS  7H 9C AC TC",
    "JD 9D AD TD  8S KS KC QC",
    "9S 7S 8D 8C  7C KD QD 7D",
)
"""South holds every trump but the lowest, and the highest club."""


class Played:
    """The hand from South's screen, with its events."""

    def __init__(self, seat: Seat = SOUTH) -> None:
        table = empty_table(seat=seat)
        self.hand = OpenHand(table, deck=dealt(table, HANDS, dealer=WEST), dealer=WEST)
        self.scores = table.scores
        self.events: list[Event] = [HandStarted(0, WEST, self.scores)]

    def do(self, *actions: Action) -> Played:
        for each in actions:
            seat = self.hand.state.awaiting[0]
            self.hand.act(each)
            self.events.append(ActionTaken(seat, each))
        return self

    def to_the_window(self) -> Played:
        """South has 160 in hearts, opens trump, and the window before its lead is open."""
        self.do(Cut(0), PlaceBid(160), Pass(), Pass(), Pass())
        slots = self.hand.state.hands[SOUTH]
        jack = parse_card("JH")
        lay = next(slot for slot in slots if self.hand.open.face(slot) == jack)
        self.do(LayIndicator(lay), *[Pass()] * 4)
        while self.hand.state.phase is Phase.SORTING:
            self.do(SortHand())
        return self.do(OpenTrump(jack))

    def silently_to_the_end(self) -> Played:
        """Nobody claims anything, and everybody plays its first card."""
        while self.hand.state.awaiting:
            legal = self.hand.legal(self.hand.state.awaiting[0])
            quiet = [each for each in legal if isinstance(each, Ready)]
            self.do((quiet or list(legal))[0])
        return self


def test_the_call_that_is_due_is_told_with_a_sure_order_and_the_reason() -> None:
    played = Played().to_the_window()
    view = played.hand.open.view(SOUTH)
    due = urgent(view)
    assert due is not None
    order = [view.faces[slot] for slot in due.order]
    assert judge_order(information_of(view.state, SOUTH, view.faces), order)
    writer = played.hand.table.writer
    told = " ".join(writer.sentence(line) for line in due.lines)
    assert "certain to win every trick" in told
    assert "Wrong Caps" in told
    assert "Nothing that is still out is higher in its suit than" in told
    assert "The trumps that are out, 7♥, fall on yours first." in told
    assert writer.cards(order) in writer.sentence(due.brief)


@pytest.mark.parametrize("seat", [EAST, NORTH, WEST])
def test_who_is_not_certain_is_told_nothing(seat: Seat) -> None:
    assert urgent(Played(seat).to_the_window().hand.open.view(seat)) is None


class Watched:
    """What a seat looks at of a session: the hand of a test, at a table where none has begun."""

    def __init__(self, played: Played) -> None:
        self._hand = played.hand
        self._table = Sessions(create_game("304", "pagat"), 1).chairs[SOUTH].session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def view(self, _: int | None = None) -> Any:
        return self._hand.open.view(SOUTH)

    def legal_actions(self) -> tuple[Action, ...]:
        return self._hand.legal(SOUTH)

    def others_awaited(self) -> frozenset[Seat]:
        return frozenset()

    def hand(self, _: int | None = None) -> None:
        return None


async def asked(played: Played, *keys: str, hints: bool = True) -> tuple[Any, ClientSeat]:
    """What South chooses by these keys, pressed once it is asked, or None; and its screen, whose
    player is never too quick for what it shows."""
    hours = map(float, range(0, 1 << 30, 3_600))
    seat = ClientSeat(Habits(hints=hints, agree=hints), clock=lambda: next(hours))
    session: Any = Watched(played)
    await seat.begin(session)
    await seat.tell(played.events[0], session)
    decision = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.my_turn:
        await asyncio.sleep(0)
    seat.frame(80, 24)
    for key in keys:
        seat.press(key)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    if decision.done():
        return decision.result(), seat
    seen = seat.table, seat.desk
    decision.cancel()
    await asyncio.wait({decision})
    seat.table, seat.desk = seen
    return None, seat


async def test_the_table_warns_where_hints_are_allowed_and_going_on_is_asked_about() -> None:
    played = Played().to_the_window()
    chosen, seat = await asked(played)
    assert chosen is None
    assert seat.table is not None
    _, lines = prompt_lines(seat.table, seat.desk, 80)
    assert lines[0].startswith("Call caps now (c): ")
    assert any("Caps are due" in line for line in rules_now(seat.table))
    chosen, seat = await asked(played, "enter")
    assert (chosen, seat.desk.mode) == (None, Mode.CONFIRM)
    assert "Wrong Caps" in seat.desk.notice
    assert (await asked(played, "enter", "y"))[0] == Ready()


async def test_enter_takes_card_after_card_in_the_order_that_is_certain() -> None:
    played = Played().to_the_window()
    call, _ = await asked(played, "c", *["enter"] * 7, "y")
    assert isinstance(call, CallCaps)
    view = played.hand.open.view(SOUTH)
    information = information_of(view.state, SOUTH, view.faces)
    assert judge_order(information, [card for _, card in call.order])


async def test_where_other_people_play_nothing_warns() -> None:
    chosen, seat = await asked(Played().to_the_window(), "enter", hints=False)
    assert chosen == Ready()
    assert seat.table is not None
    assert seat.table.urgent is None


async def test_lines_warn_too_and_enter_states_the_order(tmp_path: Path) -> None:
    person = sitting(tmp_path, alone=True)
    session: Any = Watched(Played().to_the_window())
    await person.seat.begin(session)
    person.type("", "n", "caps", "", "y")
    call = await person.seat.decide(session)
    person.end()
    assert isinstance(call, CallCaps)
    assert "Caps are due: played in the order" in person.words()
    assert "that is Wrong Caps. Do so? [y/n]" in person.words()


def test_the_result_says_which_order_was_certain_since_when_and_so_do_audit_and_replay() -> None:
    played = Played().to_the_window().silently_to_the_end()
    table = played.hand.table
    assert table.summary is not None
    certain = "of South were certain before the first lead"
    said = "\n".join(summary_lines(table, table.summary))
    assert "an order was certain to win every trick, and nobody called: " in said
    assert certain in said
    ended = HandEnded(0, table.summary.outcome, table.summary.scores)
    retelling = Retelling(table.game, table.writer)
    audited = [line for event in (*played.events, ended) for line in retelling.hear(event)]
    assert any(certain in line for line in audited)
    replay = replay_of(table.game, charter(4), (*played.events, ended))
    assert any(certain in line for line in replay.lines(all_cards=False))


def test_the_order_of_a_call_names_what_is_certain() -> None:
    played = Played().to_the_window()
    due = urgent(played.hand.open.view(SOUTH))
    assert due is not None
    table = replace(played.hand.table, urgent=due)
    desk, _ = press(Desk(hints=True), table, "c")
    assert desk.mode is Mode.ORDER
    assert any(line.startswith("Certain is ") for line in order_lines(table, desk))
