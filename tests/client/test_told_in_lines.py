"""What a player in lines is told of others and of the table, and what it may type between turns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.front.player_commands import PLAY_ON, Substitute
from cli.front.presence import Seen, Where
from p2p304.games import create_game, registered
from p2p304.seats import Seat
from protocol.ledger.events import (
    ChallengeMade,
    ContinuationProposed,
    ContinuationRefused,
    EndUndone,
    RematchWanted,
    SecondOpinionDiffered,
    Waiting,
)
from protocol.seat.commands import EndUnfinished, PlayOn
from protocol.wire.contents import Challenge, Continuation
from tests.client.highest_card import ENTRY, NAME
from tests.client.recorded_commands import RecordedCommands
from tests.client.text_person import Person, sitting
from tests.table.bus import Table

EAST, NORTH = Seat(1), Seat(2)
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


@pytest.mark.parametrize(
    ("typed", "how"),
    [
        ("substitute bot", Substitute.BOT),
        ("substitute friend", Substitute.FRIEND),
        ("substitute back", Substitute.BACK),
        ("substitute yes", Substitute.AGREE),
        ("substitute no", Substitute.REFUSE),
    ],
)
async def test_a_substitute_is_asked_for_in_a_word(
    left: Table, person: Person, typed: str, how: Substitute
) -> None:
    commands = RecordedCommands()
    person.seat.bind(commands.do)
    await person.seat.begin(left.chairs[0].session)
    assert await person.seat._request(typed)
    await asyncio.sleep(0)
    assert commands == [how]


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
