"""41 and 400 for people: lines of text by themselves, rules, hints, and any number of sides."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from text_person import sitting

from cli.commands.rules import command as rules
from cli.table.eitherseat import EitherSeat
from cli.table.lesson41 import in_short, lesson41
from cli.table.livestory import LiveStory, match_winner, scores_text
from cli.table.situation import last_trick
from cli.ui.choices import Asking
from cli.ui.clientseat import ClientSeat
from cli.ui.habits import Habits
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import PlaceBid
from p2p304.rules41.hand import Phase
from p2p304.rules41.rules import TOGGLES, Variant, parse_rules
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.events import MatchEnded
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame


@pytest.fixture(scope="module")
def table() -> Table:
    """A table of 400 in which our seat South is about to bid."""
    made = Table(create_game("400"), 1)
    made.confirm()
    for _ in range(4_000):
        view = made.chairs[0].session.view()
        legal = made.chairs[0].session.legal_actions()
        if view is not None and view.state.phase is Phase.BIDDING and legal:
            return made
        if not made.deliver() and not any(_go_on(made, seat) for seat in range(4)):
            made.tick()
    raise AssertionError("nobody came to bid")


def _go_on(made: Table, seat: int) -> bool:
    legal = made.chairs[seat].session.legal_actions()
    if legal:
        made.act(seat, legal[0])
    return bool(legal)


async def test_rules_hint_and_last_trick_answer_at_a_table_of_400(
    table: Table, tmp_path: Path
) -> None:
    session = table.chairs[0].session
    alone = sitting(tmp_path, alone=True)
    await alone.seat.begin(session)
    alone.type("?", "h", "last", "table", "who", "3", "y")
    assert await alone.seat.decide(session) == PlaceBid(3)
    alone.end()
    said = " ".join(alone.said().split())
    assert "You bid once" in said
    assert "400 in short" in said
    assert "A bot would: bid " in said
    assert "These cards are worth about" in said
    assert "No trick has been taken yet." in said


async def test_hints_are_refused_for_other_people_only_where_they_play(
    table: Table, tmp_path: Path
) -> None:
    session = table.chairs[0].session
    among = sitting(tmp_path)
    await among.seat.begin(session)
    among.type("h", "2")
    await among.seat.decide(session)
    among.end()
    assert "No hints here: other people play." in among.said()


def either(tmp_path: Path) -> tuple[EitherSeat, Any]:
    person = sitting(tmp_path)
    return EitherSeat(ClientSeat(Habits()), lambda: person.seat), person


async def test_lines_take_over_where_the_game_of_the_charter_has_no_screen(
    table: Table, tmp_path: Path
) -> None:
    session = table.chairs[0].session
    player, person = either(tmp_path)

    async def talk(_: str) -> None:
        """Says nothing."""

    player.screen.talker = talk
    await player.begin(session)
    assert player.player is person.seat
    assert person.seat.talker is talk
    person.type("y")
    assert await player.confirm(session.charter)
    assert "Play under this charter?" in person.said()
    leaving = asyncio.create_task(player.leaving())
    person.type("quit", "2")
    await player.decide(session)
    await leaving
    assert not player.screen.began.is_set()
    person.end()


async def test_the_screen_stays_for_304(tmp_path: Path) -> None:
    session = Table(create_game("304", "pagat"), 1).chairs[0].session
    player, person = either(tmp_path)
    await player.begin(session)
    assert player.player is player.screen
    assert player.screen.began.is_set()
    person.end()


def test_the_last_trick_of_any_game_is_told_or_refused_in_a_sentence() -> None:
    game = create_game("41")
    deck = list(game.pack)
    SeededRandomness(3).shuffle(deck)
    open_table = OpenTable(game, deck, SeededRandomness(3), dealer=Seat(0))
    while awaited := game.contributors(open_table.state):
        view = open_table.view(awaited[0])
        if open_table.state.tricks:
            assert last_trick(view).endswith(" wins.")
        open_table.act(awaited[0], game.legal_actions(view)[-1])
    tiny = Table(TinyGame(3, target=100), 1)
    tiny.confirm()
    tiny.run(lambda: bool(tiny.chairs[0].session.legal_actions()))
    tiny_view = tiny.chairs[0].session.view()
    assert tiny_view is not None
    assert last_trick(tiny_view) == "The tricks of this game cannot be shown here."


@pytest.mark.parametrize(
    ("winner", "seats", "told"),
    [(1, 4, "East-West win"), (2, 3, "Seat 2 wins"), (3, 4, "West wins"), (0, 2, "Seat 0 wins")],
)
def test_the_end_of_a_match_is_told_whatever_sides_it_has(
    winner: int, seats: int, told: str
) -> None:
    assert match_winner(winner, seats) == told
    table = Table(TinyGame(3), 1)
    story = LiveStory(table.chairs[0].session)
    (line,) = story.tell(MatchEnded(2, (1, 0, 3)), table.chairs[0].session)
    assert line == "Seat 2 wins the match."
    assert scores_text((1, 0, 3), 5) == "side 0 1, side 1 0, side 2 3"


def _moments(name: str) -> Iterator[tuple[Any, Any]]:
    game = create_game(name)
    table = OpenTable(game, game.pack, SeededRandomness(1), dealer=Seat(0))
    while awaited := game.contributors(table.state):
        yield table.state, awaited[0]
        table.act(awaited[0], game.legal_actions(table.view(awaited[0]))[-1])
    yield table.state, Seat(0)


@pytest.mark.parametrize("variant", Variant)
def test_the_rules_of_every_moment_are_told(variant: Variant) -> None:
    plain = parse_rules(variant, "")
    told = {lesson41(plain, state, seat)[0] for state, seat in _moments(variant.value)}
    assert len(told) > 6
    whole = " ".join(in_short(plain))
    assert f"{plain.lowest_bid} to 13" in whole
    assert " 41 or more" in whole
    agreed = " ".join(in_short(parse_rules(variant, ",".join(TOGGLES))))
    assert " 44 or more" in agreed
    assert all(meaning in agreed for meaning in TOGGLES.values())


@pytest.mark.parametrize("name", ["41", "400"])
def test_the_program_tells_the_rules_of_each_game(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rules.main([name], standalone_mode=False)
    said = capsys.readouterr().out
    assert f"{name} in short" in said
    assert all(toggle in said for toggle in TOGGLES)


async def test_a_bid_above_the_least_is_asked_once_unless_that_is_switched_off(
    table: Table, tmp_path: Path
) -> None:
    session = table.chairs[0].session
    person = sitting(tmp_path)
    await person.seat.begin(session)
    person.type("12", "n", "2")
    assert await person.seat.decide(session) == PlaceBid(2)
    person.end()
    assert person.said().count("Really bid 12? It cannot be taken back. [y/n]") == 1
    assert "Really bid 2?" not in person.said()
    bold = sitting(tmp_path, asking=Asking.NOTHING)
    await bold.seat.begin(session)
    bold.type("12")
    assert await bold.seat.decide(session) == PlaceBid(12)
    bold.end()
