"""A player is asked while a decision is due: no longer, and not for another one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from cli.seat.driver import Turns
from cli.tasks import stop
from p2p304.seats import Seat
from protocol.table.events import TurnOpened

TURNS = [TurnOpened(Seat(0)) for _ in range(3)]


class Play:
    """Turns with a player that answers when the test says so."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.turns = Turns(self.lock)
        self.asked: list[asyncio.Future[str]] = []
        self.saw: list[TurnOpened | None] = []
        self.made: list[str] = []
        self.told: list[str] = []
        self.refuses = ""
        self.follows: TurnOpened | None = None
        self.due: TurnOpened | None = None

    def look(self) -> TurnOpened | None:
        assert self.lock.locked()
        return self.due

    async def ask(self, seen: TurnOpened | None) -> str:
        self.saw.append(seen)
        self.asked.append(asyncio.get_running_loop().create_future())
        return await self.asked[-1]

    async def make(self, choice: str) -> str:
        assert self.lock.locked()
        self.made.append(choice)
        if not self.refuses:
            self.note(self.follows)
        return self.refuses

    def note(self, due: TurnOpened | None) -> None:
        self.due = due
        self.turns.show(due)

    async def refused(self, why: str) -> None:
        self.told.append(why)
        self.refuses = ""

    async def show(self, due: TurnOpened | None) -> None:
        async with self.lock:
            self.note(due)
        await settled()

    async def answer(self, text: str) -> None:
        self.asked[-1].set_result(text)
        await settled()


async def settled() -> None:
    """Let everything happen that waits for nobody."""
    for _ in range(30):
        await asyncio.sleep(0)


@pytest.fixture
async def play() -> AsyncIterator[Play]:
    there = Play()
    going = asyncio.create_task(there.turns.play(there.look, there.ask, there.make, there.refused))
    await settled()
    yield there
    await stop(going)


async def test_nobody_is_asked_before_a_decision_is_due(play: Play) -> None:
    assert play.asked == []
    await play.show(TURNS[0])
    assert len(play.asked) == 1
    await play.answer("a card")
    assert play.made == ["a card"]
    assert len(play.asked) == 1


async def test_the_decision_that_follows_is_asked_for_once(play: Play) -> None:
    play.follows = TURNS[1]
    await play.show(TURNS[0])
    await play.answer("a card")
    assert len(play.asked) == 2
    await play.show(TURNS[1])  # told again, and the same one
    assert len(play.asked) == 2


async def test_a_question_goes_with_its_decision(play: Play) -> None:
    await play.show(TURNS[0])
    await play.show(None)
    assert play.asked[0].cancelled()
    assert play.made == []
    await play.show(TURNS[1])
    await play.show(TURNS[2])
    assert [each.cancelled() for each in play.asked] == [True, True, False]
    assert [id(each) for each in play.saw] == [id(each) for each in TURNS]


async def test_an_answer_to_what_was_withdrawn_meanwhile_is_dropped(play: Play) -> None:
    await play.show(TURNS[0])
    async with play.lock:
        await play.answer("too late")
        play.note(None)
    await settled()
    assert play.made == []


async def test_what_is_refused_is_told_and_asked_again(play: Play) -> None:
    await play.show(TURNS[0])
    play.refuses = "not that card"
    await play.answer("a card")
    assert play.told == ["not that card"]
    assert len(play.asked) == 2
    await play.answer("another")
    assert play.made == ["a card", "another"]
