"""What a player in lines is told of others and of the table, and what it may type between turns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.front.player_commands import PLAY_ON, AnswerGoingOn, GoOn, Substitute
from cli.front.presence import Seen, Where
from cli.front.writing import Writer
from p2p304.games import create_game, registered
from p2p304.seats import Seat
from protocol.seat.commands import EndUnfinished, PlayOn, VoteContinuation
from protocol.table.events import (
    ChallengeMade,
    ContinuationProposed,
    ContinuationRefused,
    EndUndone,
    RematchWanted,
    SecondOpinionDiffered,
    Waiting,
)
from protocol.wire.contents import Challenge, Continuation
from tests.client.highest_card import ENTRY, NAME
from tests.client.recorded_commands import RecordedCommands
from tests.client.test_ui_awaited import at_the_window
from tests.client.text_person import Person, sitting
from tests.table.bus import Table

EAST, NORTH, WEST = map(Seat, range(1, 4))
WORD = Continuation(1, bytes(16), 1, 0b011, ((2, 1),), 1, bytes(32))


@pytest.fixture(autouse=True, scope="module")
def game() -> Iterator[None]:
    with registered(NAME, ENTRY):
        yield


@pytest.fixture(scope="module")
def fresh(game: None) -> Table:
    """A table of three before its first hand."""
    return Table(create_game(NAME), 3)


@pytest.fixture(scope="module")
def left(game: None) -> Table:
    """The table in a hand that South agreed to end."""
    table = Table(create_game(NAME), 3)
    table.confirm()
    table.run(lambda: all(session.hand() is not None for session in table.sessions))
    table.act(0, EndUnfinished((Seat(0), EAST, NORTH)))
    return table


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    made = sitting(tmp_path)
    yield made
    made.end()


async def test_whoever_waits_alone_before_the_table_is_told_that_the_host_may_be_away(
    person: Person,
) -> None:
    await person.seat.lobby({}, 3)
    await person.seat.presence(EAST, Seen(Where.AWAY, 0.0))
    assert person.said() == "Nobody answers yet: the host may be away. Waiting; Ctrl-C leaves.\n"


async def test_what_happens_beside_the_game_is_told(fresh: Table, person: Person) -> None:
    session = fresh.chairs[0].session
    await person.seat.begin(session)
    challenge = Challenge(0, 0, 3, 9, bytes(32), bytes(32), ())
    for event in (
        Waiting((EAST,), 0.0),
        SecondOpinionDiffered(EAST, 3, "no heart"),
        EndUndone(0),
        ChallengeMade(EAST, challenge, "they\x1b talk"),
        ContinuationProposed(EAST, WORD),
        ContinuationRefused(NORTH, WORD),
        RematchWanted(EAST, 0),
    ):
        await person.seat.tell(event, session)
    await person.seat.refused("that is\x1b not yours")
    said = " ".join(person.said().split())
    assert "To go on without:" not in said  # no hand has begun that could be gone on with
    assert "no heart is false: a defect of p2p304, report it." in said
    assert "seat 2 (Bimal) challenges before the referee" in said
    assert "Type substitute yes to agree, or substitute no." in said
    assert "That cannot be: that is" in said
    assert "\x1b" not in said
    assert "another match" not in said  # nobody is there who could answer


async def test_whoever_agreed_to_end_a_hand_may_play_on(left: Table, person: Person) -> None:
    session, commands = left.chairs[0].session, RecordedCommands()
    person.seat.bind(commands.do)
    await person.seat.begin(session)
    assert await person.seat._request("play  ON")
    await asyncio.sleep(0)
    assert commands == [PlayOn()]
    assert " ".join(PLAY_ON.split()) in " ".join(person.said().split())


@pytest.fixture
def waiting(game: None) -> Table:
    """A table in a hand in which North, who is to play, and East say nothing."""
    table = Table(create_game(NAME), 3)
    table.confirm()
    table.run(lambda: all(session.hand() is not None for session in table.sessions))
    table.run(lambda: not table.flying)
    return table


async def asked(person: Person, *lines: str) -> list[object]:
    """What comes of these lines."""
    commands = RecordedCommands()
    person.seat.bind(commands.do)
    for line in lines:
        assert await person.seat._request(line)
        await asyncio.sleep(0)
    return [*commands]


@pytest.mark.parametrize(("word", "by"), [("bot", Substitute.BOT), ("friend", Substitute.FRIEND)])
async def test_a_substitute_is_for_those_of_whom_it_was_told_that_they_are_waited_for(
    waiting: Table, person: Person, word: str, by: Substitute
) -> None:
    session = waiting.chairs[0].session
    (first, *_) = there = tuple(sorted(session.others_awaited()))
    await person.seat.begin(session)
    await person.seat.tell(Waiting((first,), 0.0), session)
    assert await asked(person, f"substitute {word}") == [GoOn((first,), by)]
    gone = next(Seat(seat) for seat in range(1, 3) if seat not in there)
    await person.seat.tell(Waiting((gone,), 0.0), session)
    assert await asked(person, f"substitute {word}") == []
    assert f"Waiting for {Writer(3).seats_named(there)}." in person.said()
    assert await asked(person, f"substitute {word}") == [GoOn(there, by)]


async def test_yes_and_no_are_for_the_proposal_that_was_told_and_for_no_other(
    person: Person,
) -> None:
    playing = at_the_window()
    playing.weather.cut = lambda step, sender, reader: WEST in (sender, reader)
    session = playing.chairs[0].session
    await person.seat.begin(session)
    assert await asked(person, "substitute yes", "substitute no") == []
    for table, said in ((bytes(16), [True]), (b"\1" * 16, [])):
        begun = Continuation(1, table, 1, 0b0111, ((WEST, EAST),), 1, bytes(32))
        playing.act(EAST, VoteContinuation(begun))
        playing.run(lambda: not playing.flying)
        await person.seat.tell(ContinuationProposed(EAST, begun), session)
        answers = await asked(person, "substitute yes")
        assert [each.agrees for each in answers if isinstance(each, AnswerGoingOn)] == said
    told = " ".join(person.said().split())
    assert told.count("East wants to go on without West: a bot of East's sits down") == 3
    (no,) = await asked(person, "substitute no")
    assert no == AnswerGoingOn(begun, agrees=False)


async def test_before_the_table_help_is_all_there_is_and_a_hint_needs_a_turn(
    fresh: Table, tmp_path: Path
) -> None:
    alone = sitting(tmp_path, alone=True)
    assert await alone.seat._request("?")
    assert "help" in alone.said()
    assert not await alone.seat._request("who")
    await alone.seat.begin(fresh.chairs[0].session)
    assert await alone.seat._request("hint")
    assert alone.said().endswith("It is not your turn.\n")
    alone.end()


async def test_who_waits_for_friends_asks_for_them_first(person: Person) -> None:
    heard: list[str] = []
    person.seat.before = lambda said: bool(heard.append(said)) or said == "c"
    assert await person.seat._request("c")
    assert person.said() == ""
    assert not await person.seat._request("p")
    assert heard == ["c", "p"]
