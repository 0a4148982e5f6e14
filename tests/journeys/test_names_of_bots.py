"""Bots have names of their own, however many they are and whatever people are called."""

from __future__ import annotations

from pathlib import Path

from cli.commands.bot import other_names
from protocol.wire.charter import MAX_NAME, MAX_SEATS, check_nickname
from tests.journeys.text_processes import Room


async def test_a_bot_takes_another_name_where_a_person_has_its_own(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        person = await room.run("person", "play", "--name", "Amara", "--hands", "1")
        await person.said(r"Amara 2")


def test_another_name_is_a_nickname_and_there_are_more_of_them_than_seats() -> None:
    names = list(other_names("x" * MAX_NAME))
    assert len(set(names)) == MAX_SEATS + 1
    for name in names:
        check_nickname(name)
