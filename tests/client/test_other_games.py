"""41 and 400 for people: lines of text by themselves, rules, hints, and any number of sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.front.story import Story
from cli.front.writing import Writer
from cli.local.bot_processes import fill_order
from p2p304.bots.players import RandomPlayer
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import PlaceBid
from p2p304.rules41.hand import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_out
from protocol.table.events import ActionTaken, HandStarted
from tests.client.text_person import brought_to, sitting
from tests.table.bus import Table


@pytest.fixture(scope="session")
def table() -> Table:
    """A table of 400 in which our seat South is about to bid."""
    return brought_to(Table(create_game("400"), 1), lambda state: state.phase is Phase.BIDDING)


async def test_rules_hint_and_last_trick_answer_at_a_table_of_400(
    table: Table, tmp_path: Path
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
