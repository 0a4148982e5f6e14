"""Four people at line terminals, in four processes over a real broker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.journeys.running_brokers import Mosquitto, mosquitto, needs_mosquitto
from tests.journeys.text_processes import Room, TextProcess, played, transcripts

SHORT = ("--linger", "2")


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as there:
        yield there


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with mosquitto(tmp_path) as running:
        yield running


async def gather(room: Room, *options: str, ends: tuple[str, ...]) -> list[TextProcess]:
    """A host and three who join."""
    host = await room.run("south", "host", "--name", "Amara", *options, *ends, *SHORT)
    invites = await host.invites(3)
    joined = [
        await room.run(place, "join", "--name", name, *ends, *SHORT, typed=(invite,))
        for place, name, invite in zip(
            ("east", "north", "west"), ("Banu", "Chandra", "Dilini"), invites, strict=True
        )
    ]
    return [host, *joined]


async def check_all_the_same(room: Room, people: list[TextProcess]) -> int:
    """All ended well with the same valid transcripts; how many hands were played."""
    for person in people:
        assert await person.ended() == 0, person.errors
        assert person.errors == ""
    kept = [transcripts(person.home) for person in people]
    assert kept[0]
    assert all(each == kept[0] for each in kept)
    return played(people[0].home)


@pytest.mark.long  # a host and a guest do, in `test_table_resume`
async def test_four_people_play_a_hand_over_the_embedded_broker(room: Room) -> None:
    people = await gather(room, ends=("--hands", "1"))
    assert await check_all_the_same(room, people) == 1


@needs_mosquitto
async def test_four_people_play_a_match_of_304_over_mosquitto(
    room: Room, broker: Mosquitto
) -> None:
    options = ("--broker", f"mqtt://127.0.0.1:{broker.port}", "--set", "tokens_start = 1")
    people = await gather(room, *options, ends=("--matches", "1"))
    await check_all_the_same(room, people)
    for person in people:
        await person.said("differs from pagat: tokens_start is 1, not 11")
    prints = {(await person.said(r"fingerprint.*: (\S+)"))[1] for person in people}
    assert len(prints) == 1
    for person in people:
        await person.said("win the match")
        assert person.asked


@pytest.mark.long  # people at terminals do, in `test_client_other_games`
@pytest.mark.parametrize("game", ["400"])
async def test_the_other_games_are_played_in_lines_too(room: Room, game: str) -> None:
    people = await gather(room, "--game", game, ends=("--hands", "1"))
    assert await check_all_the_same(room, people) == 1
    await people[2].said(r"Your choice")
