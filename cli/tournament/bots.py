"""A tournament whose teams are bots: entries, draw, every match over a broker, the standing.

The seats of a match are one process, at one table. Four folders follow the tournament over the
broker, as four people would; the standing of each follows from its own record.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli.errors import UserError
from cli.invite import Invite
from cli.local.continuing import play_on
from cli.local.sitting import SeatOptions, open_seat, transport_for
from cli.local.transcripts import surroundings
from cli.net.credentials import NO_CREDENTIALS, Credentials, credentials_from_file
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.spectator import Spectator
from cli.store.identity import IdentityStore
from cli.store.paths import make_private_directory, table_directory
from cli.tasks import Errands, first, never, together
from cli.tournament.exchange import exchange, over
from cli.tournament.folder import TournamentFolder, match_folder
from cli.tournament.match_seat import keep_transcripts, signed_results, sit_down, table_of
from cli.workers import Workers
from p2p304.tournament.matches import Match
from protocol.tournament.acts import draw_on, enter, found, list_entries
from protocol.tournament.judge import judge
from protocol.tournament.pieces import TeamEntry, TeamPlayer, TournamentCharter
from protocol.wire.charter import NONCE_BYTES
from protocol.wire.identity import KEY_BYTES, PublicKey, SigningKey

PLACES: Final = 4
"""Folders that follow a tournament of bots."""
# Processes of several seats each: more would only wait for the processor.
AT_ONCE: Final = 16
PAUSES: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
"""Seconds after which a table that failed is tried again, and goes on where it was: brokers come
back, nodes of a cluster and busy machines as well."""
# A quick one: this shows the tournament, not the play.
LEVEL: Final = "beginner"
# All seats are one process: nobody is left behind for long.
LINGER: Final = 1.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tournament of bots: how many teams, where its files are, how many tables at once."""

    teams: int
    out: Path
    at_once: int = AT_ONCE
    spectators: int = 0
    """How many watch each table."""
    credentials: Path | None = None
    """The file of what lets all of them in at the broker, which whoever gave it has named."""


CharterOf = Callable[[PublicKey], TournamentCharter]
"""Makes the charter from the organiser's and the referee's key, who are one here."""


def enter_teams(wanted: Wanted, charter_of: CharterOf) -> TournamentFolder:
    """Make a tournament in which all teams of bots have entered and drawn; return the
    organiser's folder.
    """
    make_private_directory(wanted.out / "players")
    organiser, key = SigningKey(secrets.token_bytes(KEY_BYTES)), secrets.token_bytes(KEY_BYTES)
    # One key organises and rules: in a tournament of bots nobody else is there.
    charter = charter_of(organiser.public)
    record = found(charter, organiser)
    captains: list[SigningKey] = []
    for team in range(1, wanted.teams + 1):
        keys = {
            f"Bot {team}-{player}": _key_in(home_of(wanted.out, team, player))
            for player in range(1, charter.team_size + 1)
        }
        players = tuple(
            TeamPlayer(each.public, name, secrets.token_bytes(NONCE_BYTES))
            for name, each in keys.items()
        )
        entry = TeamEntry(charter.digest, f"Team {team}", players)
        record = record.with_pieces(enter(record, entry, each) for each in keys.values())
        captains.append(next(iter(keys.values())))
    record = record.with_piece(list_entries(record, organiser, tuple(record.entries)))
    # Until the draw is settled: everybody speaks once in each of its two rounds.
    while (judged := judge(record)).head is None:
        said = [draw_on(judged, each) for each in (*captains, organiser)]
        record = record.with_pieces(raw for raw in said if raw is not None)
    return TournamentFolder.make(wanted.out / "tournament", record, key)


def home_of(out: Path, team: int, player: int) -> Path:
    """Return the home of a bot, a player of a team, both counted from 1."""
    return out / "players" / f"{team}-{player}"


def _key_in(home: Path) -> SigningKey:
    """Return the key of a bot's home, which is made if there is none."""
    return IdentityStore(home).key(secrets.token_bytes)


async def play_tournament(
    wanted: Wanted, charter_of: CharterOf, told: Callable[[str], None]
) -> tuple[TournamentFolder, ...]:
    """Play a whole tournament of bots; return the folders that followed it. Raises UserError when
    a table fails."""
    organiser, changed = enter_teams(wanted, charter_of), asyncio.Event()
    folders = [organiser]
    # Copies of the beginning alone: all else they must hear over the broker.
    for number in range(2, PLACES + 1):
        place = wanted.out / f"place-{number}"
        folders.append(TournamentFolder.make(place, organiser.record, organiser.key))
    given = _credentials(wanted, organiser)
    following = [
        exchange(each, done=over, credentials=given, told=lambda _: changed.set())
        for each in folders
    ]
    tables = Errands()
    with closing(Workers(wanted.at_once)) as pool:

        async def begin() -> None:
            """Begin every match that is ready; look again whenever the record has changed."""
            begun: dict[int, asyncio.Task[None]] = {}
            while not over(organiser.judged):
                # Before looking: what comes while we look must wake us again.
                changed.clear()
                for match in _matches(organiser):
                    if match.ready and match.number not in begun:
                        begun[match.number] = tables.start(
                            _played(wanted, organiser, match, pool, told)
                        )
                await changed.wait()
            # Their processes keep transcripts after the result counts.
            await asyncio.gather(*begun.values())

        await first(together(begin(), *following), tables.run())
    return tuple(folders)


async def _played(
    wanted: Wanted,
    folder: TournamentFolder,
    match: Match,
    pool: Workers,
    told: Callable[[str], None],
) -> None:
    """Play a match in a process of its own, and copy its transcripts into the folder.

    A failed table is tried again after each of PAUSES, and goes on where it was. Raises UserError
    after the last.
    """
    told(f"Match {match.number}: {' - '.join(match.teams)}")
    place = _folder_of(wanted, match.number)
    TournamentFolder.make(place.path, folder.record, folder.key)
    # None: the last attempt, after which there is no pause.
    for pause in (*PAUSES, None):
        # A process for each table: proofs take a core, and a crash ends one table.
        playing = pool.submit(_played_apart, (wanted, match.number), lost=_lost_words)
        if not (why := await asyncio.wrap_future(playing)):
            break
        if pause is None:
            raise UserError(f"The table of match {match.number} failed: {why}")
        told(f"The table of match {match.number} is tried again in {pause:g} s: {why}")
        await asyncio.sleep(pause)
    keep_transcripts(folder, match, match_folder(place, match))


def _folder_of(wanted: Wanted, match: int) -> TournamentFolder:
    """Return the folder of those who play a match."""
    return TournamentFolder(wanted.out / f"table-{match:03d}")


def _lost_words(_: tuple[Wanted, int], code: int) -> str:
    """Return why a process that ended by itself failed."""
    return f"exit code {code}"


def _played_apart(table: tuple[Wanted, int]) -> str:
    """Play the seats of one match, in a process of its own; return why that failed, if it did."""
    try:
        asyncio.run(_seats_played(*table))
    except Exception as error:  # noqa: BLE001 - whoever runs the tournament tells it and tries again
        # The end of a long message tells more than its beginning.
        return f"{type(error).__name__}: {error}"[-300:]
    return ""


async def _seats_played(wanted: Wanted, number: int) -> None:
    """Play all seats of one match with bots; sign its result and send it until the match is
    decided.
    """
    folder = _folder_of(wanted, number)
    match = _matches(folder)[number - 1]
    table = table_of(folder.judged, match)
    names = (each.nickname.removeprefix("Bot ") for each in table.seats)
    homes = [wanted.out / "players" / each for each in names]
    given = _credentials(wanted, folder)
    options = SeatOptions(
        linger=LINGER, credentials=given, credentials_file=wanted.credentials, brokers=folder.nodes
    )
    seats = (_seat(folder, match, home, options) for home in homes)
    watching = [
        _watch(folder.invite(table.table), given, folder.path / f"spectator-{number}")
        for number in range(wanted.spectators)
    ]
    # Spectators never end: they go when the seats have left.
    await first(together(*seats), *watching)
    keep_transcripts(folder, match, table_directory(homes[0], table.table))
    keys = [_key_in(each) for each in homes]
    await exchange(
        folder,
        due=lambda judged: tuple(signed_results(folder, judged, *keys)),
        done=lambda _: _matches(folder)[match.number - 1].outcome is not None,
        credentials=given,
    )


async def _seat(folder: TournamentFolder, match: Match, home: Path, options: SeatOptions) -> None:
    """Play one seat of a match with a bot, to the end of the race."""
    journal, setup, options = sit_down(folder, folder.judged, match, home, _key_in(home), options)
    bot = BotSeat(secrets.randbelow(1 << 63), level=LEVEL)
    async with open_seat(journal, setup, bot, root=home, options=options) as driver:
        await play_on(driver, bot, root=home, options=options)


async def _watch(invite: Invite, given: Credentials, place: Path) -> None:
    """Watch a table until its seats have left."""
    async with transport_for(invite, given) as transport:

        async def tell(*_: object) -> None:
            """Look on."""

        line, around = SealedLine(invite, transport), surroundings(make_private_directory(place))
        await Spectator(line=line, around=around, tell=tell, show=tell).run()
        await never()


def _credentials(wanted: Wanted, folder: TournamentFolder) -> Credentials:
    """Return what lets all in at the brokers of the tournament."""
    file = wanted.credentials
    return NO_CREDENTIALS if file is None else credentials_from_file(file).meant_for(folder.nodes)


def _matches(folder: TournamentFolder) -> tuple[Match, ...]:
    """Return all matches of the drawn tournament in a folder."""
    tournament = folder.judged.tournament
    # The folder was made of a drawn record.
    assert tournament is not None
    return tournament.matches
