"""What a player in lines is told of others and of the table, and what it may type between turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.front.player_commands import AnswerGoingOn, GoOn, Substitute
from cli.front.presence import Seen, Where
from cli.front.writing import Writer
from p2p304.games import create_game, registered
from p2p304.seats import Seat
from protocol.table.events import (
    ChallengeMade,
    ContinuationProposed,
    ContinuationRefused,
    EndUndone,
    RematchWanted,
    SecondOpinionDiffered,
    Waiting,
    WordsLeftOut,
)
from protocol.topics.commands import VoteContinuation
from protocol.wire.contents import Challenge, Continuation
from tests.client.highest_card import ENTRY, NAME
from tests.client.test_pace import at_the_window
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


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    made = sitting(tmp_path)
    yield made
    made.end()


def begun() -> Table:
    """A table of three in a hand."""
    table = Table(create_game(NAME), 3).begun()
    table.run(lambda: all(session.hand() is not None for session in table.sessions))
    return table


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
        WordsLeftOut(NORTH),
    ):
        await person.seat.tell(event, session)
    await person.seat.refused("that is\x1b not yours")
    said = person.words()
    assert "To go on without:" not in said  # no hand has begun that could be gone on with
    assert "no heart is false: a defect of p2p304, report it." in said
    assert "Seat 3 (Chitra) says more than is shown: the rest is left out." in said
    assert "Seat 2 (Bimal) challenges before the referee" in said
    assert "Type substitute yes to agree, or substitute no." in said
    assert "That cannot be: that is" in said
    assert "\x1b" not in said
    assert "another match" not in said  # nobody is there who could answer


@pytest.mark.parametrize(("word", "by"), [("bot", Substitute.BOT), ("friend", Substitute.FRIEND)])
async def test_a_substitute_is_for_those_of_whom_it_was_told_that_they_are_waited_for(
    game: None, person: Person, word: str, by: Substitute
) -> None:
    """North, who is to play, and East say nothing."""
    table = begun()
    table.run(lambda: not table.flying)
    session = table.chairs[0].session
    (first, *_) = there = tuple(sorted(session.others_awaited()))
    await person.seat.begin(session)
    await person.seat.tell(Waiting((first,), 0.0), session)
    assert await person.asks(f"substitute {word}") == [GoOn((first,), by)]
    gone = next(Seat(seat) for seat in range(1, 3) if seat not in there)
    await person.seat.tell(Waiting((gone,), 0.0), session)
    assert await person.asks(f"substitute {word}") == []
    assert f"Waiting for {Writer(3).seats_named(there)}." in person.said()
    assert await person.asks(f"substitute {word}") == [GoOn(there, by)]


async def test_yes_and_no_are_for_the_proposal_that_was_told_and_for_no_other(
    person: Person,
) -> None:
    playing = at_the_window()
    playing.part(WEST)
    session = playing.chairs[0].session
    await person.seat.begin(session)
    assert await person.asks("substitute yes", "substitute no") == []
    for table, said in ((bytes(16), [True]), (b"\1" * 16, [])):
        begun = Continuation(1, table, 1, 0b0111, ((WEST, EAST),), 1, bytes(32))
        playing.act(EAST, VoteContinuation(begun))
        playing.run(lambda: not playing.flying)
        await person.seat.tell(ContinuationProposed(EAST, begun), session)
        answers = await person.asks("substitute yes")
        assert [each.agrees for each in answers if isinstance(each, AnswerGoingOn)] == said
    assert person.words().count("East wants to go on without West: a bot of East's sits down") == 3
    assert await person.asks("substitute no") == [AnswerGoingOn(begun, agrees=False)]


async def test_before_the_table_help_is_all_there_is_and_a_hint_needs_a_turn(
    fresh: Table, person: Person
) -> None:
    await person.asks("?", "who")
    assert "help" in person.said()
    assert person.said().count("Type y or n.") == 1  # who plays is not known yet


async def test_who_waits_for_friends_asks_for_them_first(person: Person) -> None:
    heard: list[str] = []
    person.seat.before = lambda said: bool(heard.append(said)) or said == "c"
    await person.asks("c", "p")
    assert heard[:2] == ["c", "p"]
    assert person.said().count("Type y or n.") == 1
