"""Four people at line terminals, in four processes over a real broker, to the end of a match."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.running_brokers import mosquitto, needs_mosquitto
from tests.journeys.text_processes import Room, transcripts

NAMES = {"east": "Banu", "north": "Chandra", "west": "Dilini"}


@needs_mosquitto
async def test_four_people_play_a_match_of_304_over_mosquitto(tmp_path: Path) -> None:
    ends = ("--matches", "1", "--linger", "2")
    async with mosquitto(tmp_path) as broker, Room(tmp_path) as room:
        options = ("--broker", f"mqtt://127.0.0.1:{broker.port}", "--set", "tokens_start = 1")
        host = await room.run("south", "host", "--name", "Amara", *options, *ends)
        invites = await host.invites(3)
        people = [host]
        for (place, name), invite in zip(NAMES.items(), invites, strict=True):
            people.append(await room.run(place, "join", "--name", name, *ends, typed=(invite,)))
        for person in people:
            assert await person.ended() == 0, person.errors
            assert person.errors == ""
            await person.said("differs from pagat: tokens_start is 1, not 11")
        prints = {(await person.said(r"fingerprint.*: (\S+)"))[1] for person in people}
        for person in people:
            await person.said("win the match")
            assert person.asked
    assert len(prints) == 1
    kept = [transcripts(person.home) for person in people]
    assert kept[0]
    assert all(each == kept[0] for each in kept)
