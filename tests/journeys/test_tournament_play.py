"""A match of a tournament over a broker: found, sat down at without an invite, signed, counted."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from cli.commands.tournament_bots import enter_teams, home_of
from cli.commands.tournament_entering import Terms
from cli.errors import ExitCode
from cli.store.identity import IdentityStore
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import match_of_number
from p2p304.tournament.tournament import How
from protocol.tournament.acts import answer_call, call_reserve, calls
from protocol.tournament.record import TournamentRecord
from tests.journeys.running_brokers import Mosquitto, mosquitto, needs_mosquitto
from tests.journeys.text_processes import Room, TextProcess, transcripts
from tests.long import long
from tests.table.championship import ORGANISER, REFEREE, RESERVE, Championship, player_key

TERMS = Terms("304", None, (), "1", "none", None, None)  #: A final to one token.


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with mosquitto(tmp_path) as running:
        yield running


@needs_mosquitto
async def test_two_teams_meet_are_killed_come_back_and_sign_while_a_referee_watches(
    tmp_path: Path, broker: Mosquitto
) -> None:
    url = f"mqtt://127.0.0.1:{broker.port}"
    referee = IdentityStore(tmp_path / "referee").key(secrets.token_bytes).public
    charter = TERMS.charter("Cup", ORGANISER.public, (referee,), (url,))
    first = enter_teams(2, tmp_path, charter, ORGANISER)
    places = [(team, player) for team in (1, 2) for player in (1, 2)]
    names = {place: f"players/{place[0]}-{place[1]}" for place in places}
    folders = {
        place: TournamentFolder.make(home_of(tmp_path, *place) / "cup", first.record, first.key)
        for place in places[:1] + places[2:]
    }
    bots: tuple[tuple[str, ...], ...] = ((), ("--bot",), ("--bot",), ("--bot",))
    mate = places[1]  # signed the entry, and was not there in the draw
    invited = TournamentRecord.start(first.record.raws[0])
    folders[mate] = TournamentFolder.make(home_of(tmp_path, *mate) / "cup", invited, first.key)
    watched = TournamentFolder.make(tmp_path / "referee" / "cup", first.record, first.key)
    async with Room(tmp_path) as room:
        watch = ("watch", "--match", "1", "--referee", str(watched.path), "--plain")
        watcher = await room.run("referee", *watch)
        await watcher.said("^Match 1. .*can be played")
        follow = ("tournament", "status", str(first.path), "--follow")
        following = await room.run("organiser", *follow)
        await following.said("^1. .*can be played")
        words = ("tournament", "play")
        running = {
            place: await room.run(names[place], *words, str(folders[place].path), "--plain", *bot)
            for place, bot in zip(places, bots, strict=True)
            if place != mate
        }
        for each in running.values():
            await each.said("^Your match: 1. ")  # all who know the draw are at the table
        running[mate] = await room.run(
            names[mate], *words, str(folders[mate].path), "--plain", "--bot"
        )
        await running[mate].said("^There are no matches yet: ")
        await running[mate].said("^Your match: 1. ")
        await running[places[0]].said("Trick 1|takes|bids|passes")
        for each in running.values():
            await each.kill()
        for place, bot in zip(places, bots, strict=True):
            running[place] = await room.run(
                names[place], *words, str(folders[place].path), "--plain", *bot
            )
        for each in running.values():
            assert await each.ended() == 0, each.errors
        await watcher.said("^Every message of this hand has been verified here")
        await watcher.kill()
        assert any("No match is left for" in line for line in running[places[0]].lines)
        assert await following.ended() == 0, following.errors
        assert "The champion: " in following.lines[-1]
    standings = {tuple(_standing(each)) for each in (*folders.values(), first)}
    assert len(standings) == 1
    kept = [transcripts(home_of(tmp_path, *place)) for place in places]
    assert kept[0]
    assert all(each == kept[0] for each in kept)


@needs_mosquitto
@pytest.mark.long
async def test_who_waits_for_a_player_moves_to_the_table_of_the_reserve_and_plays(
    tmp_path: Path, broker: Mosquitto
) -> None:
    charter = TERMS.charter(
        "Cup", ORGANISER.public, (REFEREE.public,), (f"mqtt://127.0.0.1:{broker.port}",)
    )
    cup = Championship(2, charter, reserves=True).drawn()
    away, reserve = (0, 1), (0, RESERVE)
    homes = {}
    for team, place in ((0, 0), (1, 0), (1, 1), reserve):
        home = homes[team, place] = tmp_path / f"{team}-{place}"
        IdentityStore(home).key(lambda _, seed=bytes((team, place)) * 16: seed)
    folders = {
        person: TournamentFolder.make(home / "cup", cup.record, bytes(range(32)))
        for person, home in homes.items()
    }
    cup.add(call_reserve(cup.judged, player_key(0, 0), "player {} {}".format(*away)))
    (call,) = calls(cup.judged, player_key(*reserve).public)
    cup.add(answer_call(cup.judged, call, player_key(*reserve)))
    async with Room(tmp_path) as room:

        async def plays(person: tuple[int, int]) -> TextProcess:
            words = ("tournament", "play", str(folders[person].path), "--plain", "--bot")
            process = await room.run(homes[person].name, *words)
            await process.said("^Your match: 1. ", within=300)
            return process

        running = [await plays(person) for person in folders if person != reserve]
        folders[reserve].unite(cup.record)
        for each in (*running, await plays(reserve)):
            assert await each.ended(within=300) == 0, each.errors
            assert any("No match is left for" in line for line in each.lines)
    outcome = match_of_number(folders[reserve].judged_record, 1).outcome
    assert outcome is not None
    assert outcome.how is How.PLAYED


def _standing(folder: TournamentFolder) -> list[tuple[str, int | None]]:
    tournament = folder.judged_record.tournament
    assert tournament is not None
    assert all(match.outcome is not None for match in tournament.matches)
    return [(row.team, row.place) for row in tournament.standing]


@needs_mosquitto
@pytest.mark.parametrize("teams", [2, *long(3)])
async def test_bots_play_a_tournament_that_four_places_see_alike(
    tmp_path: Path, broker: Mosquitto, teams: int
) -> None:
    out = tmp_path / "cup"
    async with Room(tmp_path) as room:
        cup = await room.run(
            "organiser", "tournament", "bots", "--teams", f"{teams}", "--races", "1",
            "--third", "none", "--out", str(out), "--json",
            "--broker", f"mqtt://127.0.0.1:{broker.port}",
        )  # fmt: skip
        await _begun(cup, "Match 1:")
        (await _tables(cup))[0].kill()  # it goes on where it was
        await _begun(cup, "The table of match 1 is tried again in 1 s: ")
        if teams > 2:
            await _begun(cup, "Match 2:")
            broker.kill()  # before the table has come to it
            await _begun(cup, "The table of match 2 is tried again in 1 s: ")
            await broker.start()
        assert await cup.ended() == 0, cup.errors
    found = json.loads(cup.text)
    assert (found["teams"], found["matches"]) == (teams, teams - 1)
    assert found["audits_valid"]
    assert found["standings_equal"]
    assert found["hands"] >= found["matches"]


@needs_mosquitto
async def test_a_tournament_of_bots_that_is_terminated_leaves_no_table_behind(
    tmp_path: Path, broker: Mosquitto
) -> None:
    async with Room(tmp_path) as room:
        cup = await room.run(
            "organiser", "tournament", "bots", "--teams", "2", "--races", "1", "--third", "none",
            "--out", str(tmp_path / "cup"), "--broker", f"mqtt://127.0.0.1:{broker.port}", "--json",
        )  # fmt: skip
        await _begun(cup, "Match 1:")
        tables = await _tables(cup)
        cup.process.terminate()
        assert await cup.ended() == ExitCode.INTERRUPTED
        assert not [each for each in tables if each.is_running()]


async def _begun(cup: TextProcess, said: str) -> None:
    async with asyncio.timeout(300):
        while said not in cup.errors:
            assert cup.process.returncode is None, cup.errors
            await asyncio.sleep(0.05)  # another process is at work


async def _tables(cup: TextProcess) -> list[psutil.Process]:
    """The processes of the tables, as soon as there are any."""
    while not (found := psutil.Process(cup.process.pid).children(recursive=True)):
        await asyncio.sleep(0.05)  # another process is at work
    return found
