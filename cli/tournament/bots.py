"""A tournament whose teams are bots: entries, draw, every match over a broker, the standing.

The seats of a match are one process, at one table. Four folders follow the tournament over the
broker, as four people would; the standing of each follows from its own record.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cli.children import environment, own_program
from cli.errors import UserError
from cli.invite import Invite
from cli.local.continuing import play_on
from cli.local.rematch import agreed_journal
from cli.local.sitting import SeatOptions, seated, transport_for
from cli.local.transcripts import surroundings
from cli.net.credentials import NO_CREDENTIALS, Credentials, credentials_from_file
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.spectator import Spectator
from cli.store.identity import IdentityStore
from cli.store.paths import make_private_directory, table_directory
from cli.tasks import first, never, stop, together
from cli.tournament.exchange import exchange, nodes_of, over
from cli.tournament.folder import TournamentFolder, match_folder
from cli.tournament.match_seat import (
    keep_transcripts,
    race_options,
    seat_setup,
    signed_results,
    table_of,
    watch_invite,
)
from p2p304.tournament.matches import Match
from protocol.tournament.acts import draw_on, enter, found, list_entries
from protocol.tournament.judge import judge
from protocol.tournament.pieces import TeamEntry, TeamPlayer, TournamentCharter
from protocol.wire.charter import NONCE_BYTES
from protocol.wire.identity import KEY_BYTES, PublicKey, SigningKey

PLACES: Final = 4
"""Folders that follow a tournament of bots."""
AT_ONCE: Final = 16
PAUSES: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
"""Seconds after which a table that failed is tried again, and goes on where it was: brokers come
back, nodes of a cluster and busy machines as well."""
LEVEL: Final = "beginner"
LINGER: Final = 1.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tournament of bots: how many teams, by which charter, where, how many tables at once.

    `charter` makes it from the organiser's and the referee's key, who are one here.
    """

    teams: int
    charter: Callable[[PublicKey], TournamentCharter]
    out: Path
    at_once: int = AT_ONCE
    spectators: int = 0
    """How many watch each table."""
    credentials: Path | None = None
    """The file of what lets all of them in at the broker."""

    def given(self, charter: TournamentCharter) -> Credentials:
        """Return what is in that file, for the brokers of the charter, which whoever gave both has
        named."""
        if self.credentials is None:
            return NO_CREDENTIALS
        return credentials_from_file(self.credentials).meant_for(nodes_of(charter))


def entered(wanted: Wanted) -> TournamentFolder:
    """Return the folder of the organiser, in which all teams have entered and drawn."""
    path = wanted.out / "tournament"
    make_private_directory(wanted.out)
    organiser, key = SigningKey(secrets.token_bytes(KEY_BYTES)), secrets.token_bytes(KEY_BYTES)
    charter = wanted.charter(organiser.public)
    record = found(charter, organiser)
    captains: list[SigningKey] = []
    ids: list[bytes] = []
    for team in range(1, wanted.teams + 1):
        keys = [_key_of(wanted.out, team, player) for player in range(1, charter.team_size + 1)]
        players = tuple(
            TeamPlayer(each.public, f"Bot {team}-{place}", secrets.token_bytes(NONCE_BYTES))
            for place, each in enumerate(keys, 1)
        )
        entry = TeamEntry(charter.digest, f"Team {team}", players)
        raws = [enter(record, entry, each) for each in keys]
        before = {*record.entries}
        record = record.with_pieces(raws)
        ids += {*record.entries} - before
        captains.append(keys[0])
    record = record.with_piece(list_entries(record, organiser, tuple(ids)))
    while (judged := judge(record)).head is None:
        said = [draw_on(judged, each) for each in (*captains, organiser)]
        record = record.with_pieces(raw for raw in said if raw is not None)
    return TournamentFolder.make(path, record, key)


def home_of(out: Path, team: int, player: int) -> Path:
    """Return the home of a bot, a player of a team, both counted from 1."""
    return out / "players" / f"{team}-{player}"


def _key_of(out: Path, team: int, player: int) -> SigningKey:
    make_private_directory(out / "players")
    return IdentityStore(home_of(out, team, player)).key(secrets.token_bytes)


async def played(wanted: Wanted, told: Callable[[str], None]) -> tuple[TournamentFolder, ...]:
    """Play a whole tournament of bots; return the folders that followed it. Raises UserError when
    a table fails."""
    organiser, changed = entered(wanted), asyncio.Event()
    folders = (
        organiser,
        *(
            TournamentFolder.make(wanted.out / f"place-{number}", organiser.record, organiser.key)
            for number in range(2, PLACES + 1)
        ),
    )
    given = wanted.given(organiser.record.charter)
    following = [
        exchange(each, done=over, credentials=given, told=lambda _: changed.set())
        for each in folders
    ]
    async with _ended() as processes:
        tables = _Tables(wanted, organiser, told, processes)
        await together(tables.played(changed), *following)
    return folders


@asynccontextmanager
async def _ended() -> AsyncIterator[set[asyncio.subprocess.Process]]:
    """End the processes that were put into the set, by id."""
    processes: set[asyncio.subprocess.Process] = set()
    try:
        yield processes
    finally:
        for process in processes:
            if process.returncode is None:
                process.terminate()
        for process in processes:
            await process.wait()


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of a tournament, each a process."""

    wanted: Wanted
    folder: TournamentFolder
    told: Callable[[str], None]
    processes: set[asyncio.subprocess.Process]

    async def played(self, changed: asyncio.Event) -> None:
        """Start the table of every match that is ready, so many at once, until all are decided;
        look again whenever the record has `changed`."""
        begun: set[int] = set()
        tables: set[asyncio.Task[None]] = set()
        try:
            while not over(self.folder.record):
                changed.clear()
                for match in _matches(self.folder):
                    free = len(tables) < self.wanted.at_once
                    if match.ready and match.number not in begun and free:
                        begun.add(match.number)
                        tables.add(asyncio.create_task(self._table(match)))
                news = asyncio.create_task(changed.wait())
                done, _ = await asyncio.wait({*tables, news}, return_when="FIRST_COMPLETED")
                news.cancel()
                for each in done - {news}:
                    tables.discard(each)
                    each.result()
            await asyncio.gather(*tables)
        finally:
            await stop(*tables)

    async def _table(self, match: Match) -> None:
        """Play a match in a process of its own, and take its transcripts."""
        self.told(f"Match {match.number}: {' - '.join(match.teams)}")
        place = self.wanted.out / f"table-{match.number:03d}"
        folder = TournamentFolder.make(place, self.folder.record, self.folder.key)
        table = table_of(folder.judged, match)
        names = [each.nickname.removeprefix("Bot ").split("-") for each in table.seats]
        homes = [home_of(self.wanted.out, int(team), int(player)) for team, player in names]
        orders = {
            "folder": str(folder.path),
            "match": match.number,
            "spectators": self.wanted.spectators,
            "credentials": str(self.wanted.credentials or ""),
            "homes": [str(each) for each in homes],
        }
        pauses = iter(PAUSES)
        while why := await self._attempt(json.dumps(orders).encode("ascii")):
            pause = next(pauses, None)
            if pause is None:
                raise UserError(f"The table of match {match.number} failed: {why}")
            self.told(f"The table of match {match.number} is tried again in {pause:g} s: {why}")
            await asyncio.sleep(pause)
        keep_transcripts(self.folder, match, match_folder(folder, match))

    async def _attempt(self, orders: bytes) -> str:
        """Play a match, or go on with it where it was; return why that failed, if it did."""
        process = await asyncio.create_subprocess_exec(
            *own_program("tournament", "seats"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=environment(),
            start_new_session=True,  # Ctrl-C is ours alone
        )
        self.processes.add(process)
        _, complaint = await process.communicate(orders)
        said = complaint.decode("utf-8", "replace").strip()[-300:]
        return (said or f"exit code {process.returncode}") if process.returncode else ""


def _matches(folder: TournamentFolder) -> tuple[Match, ...]:
    tournament = folder.judged.tournament
    assert tournament is not None
    return tournament.matches


async def seats_of_a_match(orders: dict[str, Any]) -> None:
    """Play the seats of one match with bots, then sign its result and say it until it counts."""
    folder = TournamentFolder(Path(orders["folder"]))
    match = _matches(folder)[orders["match"] - 1]
    table = table_of(folder.judged, match)
    homes = [Path(each) for each in orders["homes"]]
    keys = [IdentityStore(each).key(secrets.token_bytes) for each in homes]
    file = Path(orders["credentials"]) if orders["credentials"] else None
    charter = folder.record.charter
    given = Wanted(0, lambda _: charter, folder.path, credentials=file).given(charter)
    options = SeatOptions(linger=LINGER, credentials=given, credentials_file=file)

    async def seats() -> None:
        await together(
            *(
                _seat(folder, match, home, key, options)
                for home, key in zip(homes, keys, strict=True)
            )
        )

    watching = [
        _watch(watch_invite(folder, table), options, folder.path / f"spectator-{number}")
        for number in range(orders["spectators"])
    ]
    await first(seats(), *watching)
    keep_transcripts(folder, match, table_directory(homes[0], table.table))
    await exchange(
        folder,
        due=lambda record: tuple(signed_results(folder, judge(record), *keys)),
        done=lambda _: _matches(folder)[match.number - 1].outcome is not None,
        credentials=given,
    )


async def _watch(invite: Invite, options: SeatOptions, place: Path) -> None:
    """Watch a table until its seats have left."""
    async with transport_for(invite, options.credentials or NO_CREDENTIALS) as transport:

        async def tell(*_: object) -> None:
            """Look on."""

        line = SealedLine(invite, transport)
        await Spectator(
            line=line, around=surroundings(make_private_directory(place)), tell=tell, show=tell
        ).run()
        await never()


async def _seat(
    folder: TournamentFolder, match: Match, home: Path, key: SigningKey, options: SeatOptions
) -> None:
    judged = folder.judged
    table = table_of(judged, match)
    options = race_options(options, judged, match, table_directory(home, table.table))
    file = options.credentials_file
    wanted = seat_setup(folder, table, key.public, secrets.token_bytes, credentials=file)
    bot = BotSeat(secrets.randbelow(1 << 63), level=LEVEL)
    async with AsyncExitStack() as stack:
        journal, setup = agreed_journal(home, wanted, table)
        sitting = seated(journal, setup, bot, root=home, options=options)
        driver = await stack.enter_async_context(sitting)
        await play_on(driver, setup, bot, root=home, options=options)
