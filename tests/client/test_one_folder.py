"""Games in one folder: played, watched, replayed and audited by themselves; and 41 and 400."""

from __future__ import annotations

import asyncio
import gc
import re
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.auditing import audit_file
from cli.commands.replay import command as replay
from cli.front.story import Story
from cli.front.writing import Writer
from cli.local.bot_processes import fill_order
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Mode
from cli.screen.input import press
from cli.screen.model import Table
from cli.screen.preferences import PlaySettings
from cli.screen.watching import WatchedTable
from p2p304.bots.players import RandomPlayer
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import PlaceBid
from p2p304.rules41.hand import DealPhase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_out
from p2p304.telling import Ended, SummaryRow
from protocol.table.events import ActionTaken, HandStarted
from tests.client.highest_card import NAME
from tests.client.highest_card.rules import Highest
from tests.client.highest_card.telling import TellingHighest
from tests.client.test_ui_app import SHOWN, play_a_hand
from tests.client.text_person import brought_to, sitting
from tests.table.bus import Table as Bus
from tests.table.bus import Table as BusTable

# --- one folder -----------------------------------------------------------------------------------

# A game in one folder is played, watched, replayed and audited without a line elsewhere.

SIZES = ((80, 24), (140, 45))
TRICKS = [f"Trick {number}" for number in (1, 2, 3, 4)]


pytestmark = pytest.mark.usefixtures("highest_card")


def heads(lines: list[str]) -> list[str]:
    """Which tricks are told, in order."""
    return [line.partition(":")[0] for line in lines if re.match(r"Trick \d+:", line)]


def whole(table: Table | None, text: str) -> bool:
    """Whether every seat, and every card that is known, is on the screen."""
    assert table is not None
    scene = table.scene()
    if scene is None:
        return True
    cards = [table.writer.card(each.card) for each in (*scene.lying, *scene.hand)]
    return all(each in text for each in (*table.names, *cards))


async def test_it_is_played_on_the_full_screen_and_its_file_is_replayed_and_audited(
    tmp_path: Path,
) -> None:
    seat = ClientSeat(PlaySettings(hints=True), SHOWN)
    fingers = await play_a_hand(tmp_path, seat, name=NAME)
    assert {Mode.CHARTER, Mode.TABLE, Mode.FINISH, Mode.SUMMARY} <= fingers.modes
    # The program may be left out of collections; what a hand leaves behind may not.
    assert gc.get_freeze_count() <= max(fingers.never_collected) == fingers.never_collected[0]
    (file,) = tmp_path.glob("0/**/*.p304")
    told: list[str] = []
    assert audit_file(str(file), tell=told.append).valid
    assert heads(told) == TRICKS
    done = CliRunner().invoke(replay, [str(file), "--plain"], catch_exceptions=False)
    lines = done.output.splitlines()
    assert heads(lines) == TRICKS
    assert sum(" leads " in line for line in lines) == len(TRICKS)
    everything = CliRunner().invoke(replay, [str(file), "--plain", "--all-cards"])
    assert "All cards, as the end made them public:" in everything.output


async def test_its_hint_its_rules_and_its_cards_are_on_a_seats_screen() -> None:
    session = brought_to(Bus(Highest(), 1), lambda _: True).chairs[0].session
    seat = ClientSeat(PlaySettings(agree=True, hints=True))
    await seat.begin(lambda: session)
    asked = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.choices:
        await asyncio.sleep(0)
    for columns, rows in SIZES:
        assert whole(seat.table, "\n".join(seat.frame(columns, rows).text()))
    seat.desk, _ = press(seat.desk, seat.table, "?")
    assert "Any card may be played" in "\n".join(seat.frame(80, 24).text())
    seat.press("enter")
    seat.press("h")
    while "A bot would play" not in seat.desk.notice:
        await asyncio.sleep(0.001)
    for key in ("right", "enter"):
        seat.press(key)
    assert await asked in session.legal_actions()


async def test_what_its_summary_tells_is_found_in_a_thread_before_a_frame_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []
    summary = TellingHighest.summary

    def told(telling: TellingHighest, ended: Ended) -> tuple[SummaryRow, ...]:
        asked.append(threading.current_thread() is threading.main_thread())
        return summary(telling, ended)

    monkeypatch.setattr(TellingHighest, "summary", told)
    bus = Bus(Highest(), 2).played()
    seat, watched = ClientSeat(PlaySettings(agree=True)), WatchedTable()
    await seat.begin(lambda: bus.sessions[0])
    await watched.show(bus.game, bus.charter)
    (ended,) = bus.hands(0)
    watcher, events = bus.watched()
    for tell in (
        seat.tell(ended, bus.sessions[0]),
        *(watched.tell(each, watcher) for each in events),
    ):
        await tell
    assert asked == [False, False]
    watched.press("enter")
    assert "Hand 1 is over" in "\n".join(watched.frame(80, 24).text())
    assert all(asked[2:])


# --- other games ----------------------------------------------------------------------------------

# 41 and 400 for people: lines of text by themselves, rules, hints, and any number of sides.


@pytest.fixture(scope="session")
def table() -> BusTable:
    """A table of 400 in which our seat South is about to bid."""
    return brought_to(
        BusTable(create_game("400"), 1), lambda state: state.phase is DealPhase.BIDDING
    )


async def test_rules_hint_and_last_trick_answer_at_a_table_of_400(
    table: BusTable, tmp_path: Path
) -> None:
    session = table.chairs[0].session
    alone = sitting(tmp_path, alone=True)
    await alone.seat.begin(lambda: session)
    alone.type("?", "h", "last", "table", "who", "3", "y")
    assert await alone.seat.decide(session) == PlaceBid(3)
    alone.end()
    for words in (
        *("You bid once", "400 in short", "A bot would bid ", "These cards are worth about"),
        "No trick has been taken yet.",
    ):
        assert words in alone.words()


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6, 7, 8])
def test_bots_take_the_seats_of_the_other_side_first(seats: int) -> None:
    order = fill_order(seats)
    assert sorted(order) == list(range(1, seats))
    assert [seat % 2 for seat in order] == sorted((seat % 2 for seat in order), reverse=True)


def test_a_hand_in_the_middle_of_a_match_is_told_by_the_scores_that_it_began_with() -> None:
    game, scores, chance = create_game("41", "floor_12"), (31, 12), SeededRandomness(11)
    open_table = OpenTable(game, game.pack, chance, scores=scores)
    players = [RandomPlayer(game, seat) for seat in range(4)]
    played = play_out(open_table, players)
    story = Story(game, Writer(4))
    assert [*story.tell(HandStarted(6, Seat(0), scores), {})]
    told = [story.carry_out(ActionTaken(*each))[0] for each in played]
    assert told[-1].after == open_table.state
