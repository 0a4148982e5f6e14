"""Bots have names of their own, however many they are and whatever people are called."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.text_processes import Room


async def test_a_bot_takes_another_name_where_a_person_has_its_own(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        person = await room.run("person", "play", "--name", "Amara", "--hands", "1")
        await person.said(r"Amara 2")
