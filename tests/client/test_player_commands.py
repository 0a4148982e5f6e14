"""What a player may do beside its turns, and the sentence where it may not."""

from __future__ import annotations

from cli.front.player_commands import (
    why_no_end,
)
from cli.front.presence import Seen, Where, awaited_words, lost_broker, presence_line
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.table.tiny_game import TinyGame

GAME = create_game("304")
ALL = tuple(map(Seat, range(4)))


def state_of(name: str = "304") -> object:
    game = create_game(name)
    return OpenTable(game, game.pack, SeededRandomness(1)).state


def ended() -> tuple[TinyGame, object]:
    """A game that is over, by the first action of each seat."""
    game = TinyGame(2, target=9)
    table = OpenTable(game, game.pack, SeededRandomness(1))
    while awaited := game.contributors(table.state):
        table.act(awaited[0], game.legal_actions(table.view(awaited[0]))[0])
    return game, table.state


def test_a_hand_ends_with_a_seat_of_every_side_and_not_without_one() -> None:
    state = state_of()
    assert why_no_end(GAME, None, ALL) == "There is no hand to end."
    assert why_no_end(GAME, state, ALL) == ""
    assert why_no_end(GAME, state, ALL[:2]) == ""
    one = why_no_end(GAME, state, (Seat(0), Seat(2)))
    assert "East or West too: the table waits" in one
    game, over = ended()
    assert why_no_end(game, over, ALL[:2]).startswith("The hand has its result")


def test_every_change_of_presence_has_its_sentence() -> None:
    here = Seen(Where.HERE, 0.0)
    told = {
        where: presence_line(Seat(1), "Banu", Seen(where, 1.0, serves=True), here)
        for where in Where
    }
    assert "here again" in told[Where.HERE]
    assert "Nothing is heard of Banu" in told[Where.SILENT]
    assert "connection of Banu was lost" in told[Where.LOST]
    for gone in (Where.AWAY, Where.DONE):
        assert "has left" in told[gone]
        assert told[gone].endswith("The broker ran there, and is gone with it.")
    assert presence_line(Seat(1), "Banu", here, None) == ""
    host = presence_line(Seat(0), "Amara", Seen(Where.DONE, 1.0), here)
    assert host.startswith("The host, Amara, has ended the table")


def test_who_ran_a_lost_broker_is_named_if_anybody_said_so() -> None:
    names = {Seat(0): "Amara", Seat(1): "Banu"}
    quiet = {Seat(0): Seen(Where.HERE, 0.0), Seat(1): Seen(Where.HERE, 0.0)}
    assert lost_broker(names, quiet) == ""
    runs = {**quiet, Seat(1): Seen(Where.SILENT, 0.0, serves=True)}
    assert "runs in Banu's program, which may be gone" in lost_broker(names, runs)
    left = {**quiet, Seat(1): Seen(Where.AWAY, 0.0, serves=True)}
    assert "ran in Banu's program, which has left" in lost_broker(names, left)
    assert awaited_words((Seat(0),), quiet) == "here and thinking"
    assert awaited_words((Seat(1),), left) == "left"
    assert awaited_words((Seat(0), Seat(1)), left) == ""
    assert awaited_words((Seat(3),), left) == ""
