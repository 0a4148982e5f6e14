"""A tournament over a broker: drawn by captains and organiser; a match found, sat down at without
an invite, signed, counted."""

from __future__ import annotations

import asyncio
import json
import secrets
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from cli.children import environment, own_program
from cli.commands.tournament_bots import enter_teams, home_of
from cli.commands.tournament_record import Terms
from cli.errors import ExitCode
from cli.local.sitting import transport_for
from cli.main import main
from cli.net.broker import EmbeddedBroker
from cli.net.transport import Transport
from cli.store.identity import IdentityStore
from cli.store.paths import HOME_VARIABLE
from cli.tasks import stop
from cli.tournament.folder import INVITATIONS, TournamentFolder, exchange
from cli.tournament.match_seat import match_of_number
from p2p304.tournament.tournament import How
from protocol.tournament.acts import answer_calls, call_reserve, draw_on, enter
from protocol.tournament.carrying import Carrier
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import TournamentCharter, prove
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import NO_SEAT, Seal, SigningKey
from tests.journeys.running_brokers import Mosquitto, free_port, needs_mosquitto
from tests.journeys.text_processes import Room, TextProcess, transcripts
from tests.long import long
from tests.table.championship import (
    ORGANISER,
    REFEREE,
    RESERVE,
    Championship,
    new_charter,
    player_key,
)

TERMS = Terms("304", None, (), "1", "none", None, None)  #: A final to one token.


@needs_mosquitto
async def test_two_teams_meet_are_killed_come_back_and_sign_while_a_referee_watches(
    tmp_path: Path, broker: Mosquitto
) -> None:
    url = f"mqtt://127.0.0.1:{broker.port}"
    referee = IdentityStore(tmp_path / "referee").key(secrets.token_bytes).public
    charter = TERMS.charter("Cup", ORGANISER.public, (referee,), (url,))
    first = enter_teams(2, tmp_path, charter, ORGANISER)
    places = [(team, player) for team in (1, 2) for player in (1, 2)]
    names = {place: f"players/Bot {place[0]}-{place[1]}" for place in places}
    folders = {
        place: TournamentFolder.make(
            home_of(tmp_path, *place) / "cup", first.record, first.invitation.key
        )
        for place in places[:1] + places[2:]
    }
    bots: tuple[tuple[str, ...], ...] = ((), ("--bot",), ("--bot",), ("--bot",))
    mate = places[1]  # signed the entry, and was not there in the draw
    invited = TournamentRecord.start(first.record.raws[0])
    folders[mate] = TournamentFolder.make(
        home_of(tmp_path, *mate) / "cup", invited, first.invitation.key
    )
    watched = TournamentFolder.make(
        tmp_path / "referee" / "cup", first.record, first.invitation.key
    )
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
    cup.add(*answer_calls(cup.judged, player_key(*reserve)))
    async with Room(tmp_path) as room:

        async def plays(person: tuple[int, int]) -> TextProcess:
            words = ("tournament", "play", str(folders[person].path), "--plain", "--bot")
            process = await room.run(homes[person].name, *words)
            await process.said("^Your match: 1. ")
            return process

        running = [await plays(person) for person in folders if person != reserve]
        folders[reserve].unite(cup.record)
        for each in (*running, await plays(reserve)):
            assert await each.ended() == 0, each.errors
            assert any("No match is left for" in line for line in each.lines)
    outcome = match_of_number(folders[reserve].judged_record, 1).outcome
    assert outcome.how is How.PLAYED


def _standing(folder: TournamentFolder) -> list[tuple[str, int | None]]:
    tournament = folder.judged_record.tournament
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


# --- the draw -------------------------------------------------------------------------------------


KEY = bytes(range(32))


@pytest.fixture
async def charter() -> AsyncIterator[TournamentCharter]:
    """Of a tournament at a broker of this process."""
    async with EmbeddedBroker() as running:
        yield new_charter(brokers=(f"mqtt://127.0.0.1:{running.port}",))


def folder_of(place: Path, record: TournamentRecord) -> TournamentFolder:
    return TournamentFolder.make(place, record, KEY)


async def drawing(folder: TournamentFolder, key: SigningKey) -> JudgedRecord:
    """Draw as the owner of a key, until all have."""

    def due(judged: JudgedRecord) -> tuple[bytes, ...]:
        raw = draw_on(judged, key)
        return () if raw is None else (raw,)

    return await exchange(folder, due=due, done=lambda judged: judged.head is not None)


async def test_all_draw_over_a_broker_and_have_one_record(
    tmp_path: Path, charter: TournamentCharter
) -> None:
    cup = Championship(3, charter)
    cup.entered()
    listed = Championship(3, cup.charter)
    listed.record = cup.record
    listed.listed()
    people = [player_key(0, 0), player_key(1, 0), player_key(2, 0)]
    folders = [folder_of(tmp_path / f"{at}", cup.record) for at in range(len(people))]
    organiser = folder_of(tmp_path / "organiser", listed.record)
    found = await asyncio.gather(
        *(drawing(folder, key) for folder, key in zip(folders, people, strict=True)),
        drawing(organiser, ORGANISER),
    )

    assert len({judged.head for judged in found}) == 1
    tournament = found[0].tournament
    assert len(tournament.order) == 3
    for folder, judged in zip((*folders, organiser), found, strict=True):
        assert folder.record == judged.record  # all of it was kept


async def test_records_meet_whoever_has_what(tmp_path: Path, charter: TournamentCharter) -> None:
    cup = Championship(4, charter).drawn()
    before = cup.record
    cup.play(1)
    one = folder_of(tmp_path / "one", cup.record)
    cup.record = before
    cup.play(2)
    other = folder_of(tmp_path / "other", cup.record)

    def both(judged: JudgedRecord) -> bool:
        tournament = judged.tournament
        return len([each for each in tournament.matches if each.outcome]) == 2

    await asyncio.gather(*(exchange(each, done=both) for each in (one, other)))

    assert one.record == other.record


async def test_who_finds_nobody_is_told_that_what_is_shown_may_be_old(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], charter: TournamentCharter
) -> None:
    cup = Championship(2, charter).drawn()
    mine, other = (folder_of(tmp_path / name, cup.record) for name in ("mine", "other"))
    status = ["tournament", "status", str(mine.path)]
    assert await asyncio.to_thread(main, status) == 0
    assert "Nobody is there to say what was signed since" in capsys.readouterr().err
    ready = asyncio.Event()
    there = asyncio.create_task(exchange(other, told=lambda _: ready.set()))
    await ready.wait()
    assert await asyncio.to_thread(main, status) == 0
    assert capsys.readouterr().err == ""
    await stop(there)


async def test_who_ends_a_tournament_hears_first_what_both_teams_signed(
    tmp_path: Path, charter: TournamentCharter
) -> None:
    cup = Championship(2, charter).drawn()
    mine = folder_of(tmp_path / "mine", cup.record)
    mine.keep_organiser(b"O" * 32)
    cup.play(1)
    ready = asyncio.Event()
    other = exchange(folder_of(tmp_path / "other", cup.record), told=lambda _: ready.set())
    there = asyncio.create_task(other)
    await ready.wait()
    ending = ["tournament", "status", str(mine.path), "--end"]
    assert await asyncio.to_thread(main, ending) == 0
    await stop(there)
    assert mine.judged_record.ended


async def test_who_asks_for_ever_keeps_nobody(
    tmp_path: Path, charter: TournamentCharter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.tournament.folder.CARRIER_LEAVES", 3.0)
    monkeypatch.setattr("cli.tournament.folder.SENT_AGAIN_AFTER", 0.0)
    cup = Championship(2, charter).drawn()
    folder = folder_of(tmp_path / "mine", cup.record)
    seal = Seal(KEY, cup.charter.id)
    empty = Carrier(Championship(2, cup.charter).record)  # lacks everything, and keeps nothing

    async def ask() -> None:
        async with transport_for(folder.invite()) as transport:
            while True:
                hello = seal.seal(empty.hello(), seat=NO_SEAT, entropy=secrets.token_bytes)
                await transport.send(hello)
                await asyncio.sleep(0.05)

    asking = asyncio.create_task(ask())
    judged = await exchange(folder, quiet=1)
    assert not asking.done()
    await stop(asking)

    assert judged.record == cup.record


@asynccontextmanager
async def overheard(folder: TournamentFolder) -> AsyncIterator[tuple[Transport, Seal]]:
    """Another one at the tournament's topic, who has its key."""
    async with transport_for(folder.invite()) as transport:
        yield transport, Seal(KEY, folder.record.charter.id)


async def test_what_was_just_sent_is_not_sent_again_to_who_asks_again(
    tmp_path: Path, charter: TournamentCharter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.tournament.folder.SENT_AGAIN_AFTER", 600.0)
    cup = Championship(2, charter).drawn()
    holder = folder_of(tmp_path / "holder", cup.record)
    asking = Carrier(TournamentRecord.start(cup.record.raws[0]))
    more = Championship(2, cup.charter)
    more.record = cup.record
    more.play(1)
    async with overheard(holder) as (transport, seal):

        async def say(payload: bytes) -> None:
            await transport.send(seal.seal(payload, seat=NO_SEAT, entropy=secrets.token_bytes))

        heard: list[bytes] = []
        asked_again = 0
        holding = asyncio.create_task(exchange(holder, every=60.0))
        async for frame in transport.frames():
            payload = seal.open(frame).payload
            heard.append(payload)
            asking.receive(payload)
            if heard == [payload]:
                await say(asking.hello())  # the holder is there
            elif asking.record == cup.record and not asked_again:
                asked_again = len(heard)
                await say(Carrier(TournamentRecord.start(cup.record.raws[0])).hello())
                await say(Carrier(more.record).hello())  # it lacks what we have, and says so
            elif asked_again:
                break
        await stop(holding)

    assert heard[asked_again:] == [Carrier(cup.record).hello()]


async def test_who_has_heard_another_say_the_same_is_silent(
    tmp_path: Path, charter: TournamentCharter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.tournament.folder.SENT_AGAIN_AFTER", 600.0)
    many, pauses = 2, 10
    cup = Championship(2, charter).drawn()
    folders = [folder_of(tmp_path / f"{at}", cup.record) for at in range(many)]
    async with overheard(folders[0]) as (transport, seal):
        hellos = 0

        async def count() -> None:
            nonlocal hellos
            async for frame in transport.frames():
                hellos += seal.open(frame).payload == Carrier(cup.record).hello()

        counting = asyncio.create_task(count())
        quiet = [exchange(each, quiet=pauses * 0.2, every=0.2) for each in folders]
        await asyncio.gather(*quiet)
        await stop(counting)

    # An answer to each who comes, one word of its own at most, and a word in each pause without it.
    assert 0 < hellos <= 2 * many < pauses


async def test_an_identity_that_has_signed_elsewhere_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, charter: TournamentCharter
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    IdentityStore(tmp_path / "home").key(lambda _: bytes((0, 0)) * 16)
    cup = Championship(2, charter)
    cup.entered()
    cup.listed()
    here = folder_of(tmp_path / "here", cup.record)
    cup.draw()
    there = folder_of(tmp_path / "there", cup.record)
    told = asyncio.Event()
    other = asyncio.create_task(exchange(there, done=lambda _: told.is_set()))
    await exchange(here, done=lambda _: told.is_set(), elsewhere=lambda _: told.set())
    await other
    assert here.judged_record.head is not None


class SharedFolder(TournamentFolder):
    """A folder in which another command of ours keeps what it signs, just before we do."""

    def __init__(self, path: Path, judged: JudgedRecord) -> None:
        super().__init__(path)
        self._signed = draw_on(judged, player_key(0, 0)) or b""

    def unite(self, *others: TournamentRecord) -> TournamentRecord:
        TournamentFolder(self.path).add(self._signed)
        return super().unite(*others)


async def test_what_is_signed_beside_us_in_one_folder_is_not_told_to_be_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, charter: TournamentCharter
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    IdentityStore(tmp_path / "home").key(lambda _: bytes((0, 0)) * 16)
    cup = Championship(2, charter)
    cup.entered()
    cup.listed()
    beside = folder_of(tmp_path / "here", cup.record)
    here = SharedFolder(beside.path, cup.judged)
    raw = draw_on(here.judged_record, player_key(1, 0))
    assert raw is not None
    began, told = asyncio.Event(), asyncio.Event()

    def due(judged: JudgedRecord) -> tuple[bytes, ...]:
        return () if raw in judged.record.raws else (raw,)

    def done(judged: JudgedRecord) -> bool:
        return raw in judged.record.raws

    waiting = asyncio.create_task(
        exchange(here, done=done, told=lambda _: began.set(), elsewhere=lambda _: told.set())
    )
    await began.wait()
    await exchange(beside, due=due, done=done)
    assert raw in (await waiting).record.raws
    assert not told.is_set()


async def test_an_organiser_who_gave_words_takes_no_entry_without_one_from_the_broker(
    tmp_path: Path, charter: TournamentCharter
) -> None:
    cup = Championship(3, charter)
    organiser = folder_of(tmp_path / "organiser", cup.record)
    organiser.keep_organiser(b"O" * 32)
    organiser.give_words(2)
    guest = TournamentFolder.accept(tmp_path / "guest", organiser.path / INVITATIONS / "2")
    entries = {team: cup.entry(team) for team in range(2)}
    entries[1] = prove(entries[1], guest.invitation.word or "")
    raws = {
        team: tuple(enter(cup.record, entry, player_key(team, each)) for each in range(2))
        for team, entry in entries.items()
    }
    stranger = folder_of(tmp_path / "stranger", cup.record.with_pieces(*raws[0]))

    def has(judged: JudgedRecord, team: int) -> bool:
        return entries[team] in judged.record.entries.values()

    lurking = asyncio.create_task(exchange(stranger))
    taking = asyncio.create_task(exchange(organiser, done=partial(has, team=1)))
    guest.add(*raws[1])
    judged = await exchange(guest, done=partial(has, team=0))
    taken = await taking
    await stop(lurking)
    assert [*taken.record.entries.values()] == [entries[1]]
    assert len(judged.record.entries) == 2  # the others carry what they like


def test_who_plays_every_match_waits_for_a_broker_that_is_away(tmp_path: Path) -> None:
    charter = new_charter(brokers=(f"mqtt://127.0.0.1:{free_port()}",))
    folder = folder_of(tmp_path / "cup", Championship(2, charter).drawn().record)
    IdentityStore(tmp_path / "home").key(lambda _: bytes((0, 0)) * 16)
    process = subprocess.Popen(
        own_program("tournament", "play", str(folder.path), "--all", "--bot"),
        env={**environment(), HOME_VARIABLE: str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        said = [next(line for line in process.stdout if "This waits for it" in line) for _ in "ab"]
        process.terminate()
    assert len(said) == 2
