"""Two people talk over a broker before the first hand, and nobody talks while one is played."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cli.front.player_commands import NOT_NOW
from tests.journeys.text_processes import CHOICE, LASTING, Room

LINES = ("--plain", "--hands", "1", "--linger", "1")


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as there:
        yield there


async def test_words_reach_the_other_person_between_hands_alone(room: Room) -> None:
    host = await room.run(
        "south", "host", "--name", "Amara", "--bots", "2", "--chat", *LASTING, *LINES, answers=False
    )
    invite = (await host.said(r"P2P304-[0-9A-Z]+")).group()
    guest = await room.run(
        "north", "join", "--name", "Banu", *LINES, typed=(invite,), answers=False
    )
    await host.said(r"Play under this charter")
    await guest.said(r"Play under this charter")
    host.type("say good\x1b[2J evening")
    await guest.said(r"Amara.* says: good.* evening$")
    guest.type("say and to you")
    await host.said(r"Banu.* says: and to you$")
    guest.answers = True
    for person in (host, guest):
        person.type("y")
    asked = await host.said(CHOICE.pattern, within=100)
    if asked[1] == "Enter":  # before the cards are dealt, where to cut: that is between hands, too
        host.type("")
        asked = await host.said(CHOICE.pattern, within=100)
    host.type("say I hold the jack")
    await host.said(NOT_NOW[:20])
    host.type(asked[1])
    await guest.said(r"^South (asks|bids|passes)")  # which would have come behind those words
    assert "jack" not in guest.text
    assert "\x1b" not in guest.text
