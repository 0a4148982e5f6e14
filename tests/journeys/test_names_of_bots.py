"""Bots have names of their own, however many they are and whatever people are called."""

from __future__ import annotations

from pathlib import Path

from cli.commands.bot import other_names
from cli.local.bot_processes import name_of
from protocol.wire.charter import MAX_NAME, MAX_SEATS, check_nickname
from tests.journeys.text_processes import Room


def test_a_table_of_any_size_has_as_many_names_as_seats() -> None:
    names = [name_of(seat) for seat in range(MAX_SEATS)]
    assert len(set(names)) == MAX_SEATS
    assert names[:5] == ["Amara", "Banu", "Chandra", "Dilini", "Eshan"]
    assert names[8] == "Amara 2"


def test_another_name_is_a_nickname_and_there_are_more_of_them_than_seats() -> None:
    names = list(other_names("x" * MAX_NAME))
    assert len(set(names)) == MAX_SEATS + 1
    for name in names:
        check_nickname(name)


async def test_a_bot_takes_another_name_where_a_person_has_its_own(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        person = await room.run("person", "play", "--name", "Amara", "--hands", "1")
        await person.said(r"Amara 2")
