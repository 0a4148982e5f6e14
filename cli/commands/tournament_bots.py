"""`p2p304 tournament bots`: entries, draw, every match over a broker, the standing."""

from __future__ import annotations

import asyncio
import json
import secrets
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click

from cli.bounds import EMBEDDED_TABLES, TABLES_AT_ONCE, TABLES_LINGER
from cli.commands.options import json_option
from cli.commands.seating import brokers_option, credentials_option, run_command
from cli.commands.shell import echo
from cli.commands.tournament_record import Terms, TermsCommand, a_file, terms_options
from cli.errors import ExitCode, UserError
from cli.local.continuing import play_on
from cli.local.sitting import SeatOptions, open_seat
from cli.net.address import BrokerAddress, format_nodes
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS, credentials_from_file
from cli.output_files import new_private_folder
from cli.seat.bots import BotSeat
from cli.store.identity import IdentityStore
from cli.store.paths import make_private_directory, table_directory
from cli.tasks import Errands, first, together
from cli.tournament import match_seat
from cli.tournament.folder import TournamentFolder, audit_tournament, exchange, over
from cli.workers import Workers
from p2p304.tournament.tournament import FEWEST, MOST, Match
from protocol.tournament.acts import draw_on, enter, list_entries, new_record
from protocol.tournament.judge import judge
from protocol.tournament.pieces import TeamEntry, TeamPlayer, TournamentCharter
from protocol.wire.charter import NONCE_BYTES
from protocol.wire.identity import KEY_BYTES, SigningKey

# A choice: enough to hear different things in another order.
PLACES: Final = 4  #: Folders that follow a tournament of bots.
# A choice: soon at first, for what passes at once; two minutes in all for a broker's restart.
#: Seconds after which a table that failed is tried again, and goes on where it was.
PAUSES: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
LEVEL: Final = "beginner"  # a quick one: this shows the tournament, not the play


@dataclass(frozen=True, slots=True)
class BotsCup:
    """What the processes of the tables know: the folder of all, and with what they connect."""

    out: Path
    credentials_file: Path | None

    @property
    def folders(self) -> list[TournamentFolder]:
        """The folders of the PLACES: the organiser's, where tables sign results, and its copies."""
        names = ("tournament", *(f"place-{number}" for number in range(2, PLACES + 1)))
        return [TournamentFolder(self.out / name) for name in names]

    def seat_options(self) -> SeatOptions:
        """Return the options of a seat, with the credentials for this tournament's brokers."""
        file, nodes = self.credentials_file, self.folders[0].nodes
        given = NO_CREDENTIALS if file is None else credentials_from_file(file).with_hosts(nodes)
        # The file as well: a table that goes on after a failure reads it again.
        return SeatOptions(
            linger=TABLES_LINGER, credentials=given, credentials_file=file, brokers=nodes
        )


@click.command("bots", cls=TermsCommand)
@click.option(
    "--teams", type=click.IntRange(FEWEST, MOST), default=8, show_default=True, help="How many."
)
@click.option(
    "--out",
    type=a_file(file_okay=False),
    help="A new folder for all.  [default: a temporary one]",
)
@credentials_option
@terms_options
@brokers_option("Meet there instead of at a broker of our own.")
@json_option
def command(
    teams: int,
    out: Path | None,
    credentials_file: Path | None,
    terms: Terms,
    brokers: tuple[BrokerAddress, ...],
    *,
    as_json: bool,
) -> int:
    """Play a tournament of bots: entries, the captains' draw, every match, the standing.

    Each table is a process of its own, and all else goes over the broker. Four folders follow, as
    four people would; their standings are compared, and every transcript is audited.

    \b
    Examples:
      p2p304 tournament bots --teams 3 --races 2 --third none
      p2p304 tournament bots --teams 32 --broker mqtt://127.0.0.1:1883 --json"""
    began, place = time.monotonic(), out or Path(tempfile.mkdtemp(prefix="p2p304-cup-"))
    cup = BotsCup(new_private_folder(place), credentials_file)

    async def play() -> None:
        """Make the tournament at the brokers, or at one of our own, and play it."""
        async with AsyncExitStack() as stack:
            nodes, at_once = brokers, TABLES_AT_ONCE
            if not nodes:
                # Port 0: any that is free.
                own = await stack.enter_async_context(EmbeddedBroker())
                nodes, at_once = (own.address,), EMBEDDED_TABLES
            key = SigningKey(secrets.token_bytes(KEY_BYTES))
            ours, where = key.public, (format_nodes(nodes),)
            charter = terms.charter("Tournament of bots", ours, (ours,), where)
            enter_teams(teams, cup.out, charter, key)
            # With --json standard output holds that object alone.
            await _play(cup, at_once, partial(echo, err=as_json))

    if code := run_command(play(), left=""):
        return code
    folder, *_ = folders = cup.folders
    audit = audit_tournament(folder.judged_record, folder.transcripts)
    # Four people who heard different things in another order must come to one text.
    equal = len({each.judged_record.text for each in folders}) == 1
    champion = audit.judged.tournament and audit.judged.tournament.standing[0].team
    if as_json:
        told = {
            "teams": teams,
            "matches": len(audit.matches),
            "champion": champion,
            "audits_valid": not audit.wrong,
            "standings_equal": equal,
            "hands": audit.hands,
            "seconds": round(time.monotonic() - began, 1),
        }
        click.echo(json.dumps(told))
    else:
        judged = f"INVALID ({'; '.join(audit.wrong)})" if audit.wrong else "valid"
        echo(f"{champion} is the champion.")
        echo(
            f"Matches played: {len(audit.matches)}, hands: {audit.hands}; audits {judged}; the"
            f" standings in {PLACES} places are {'equal' if equal else 'NOT equal'}."
        )
        click.echo(f"Check it yourself: {folder.command('audit')}")  # whole, to be copied
    return ExitCode.DONE if equal and not audit.wrong else ExitCode.CHECK_FAILED


def home_of(out: Path, team: int, player: int) -> Path:
    """Return the home of a bot, a player of a team, both counted from 1."""
    return out / "players" / f"Bot {team}-{player}"  # its nickname


def enter_teams(
    teams: int, out: Path, charter: TournamentCharter, organiser: SigningKey
) -> TournamentFolder:
    """Make a tournament that so many teams entered and drew; return the organiser's folder."""
    make_private_directory(out / "players")
    record = new_record(charter, organiser)
    drawing: list[SigningKey] = []
    for team in range(1, teams + 1):
        places = range(1, charter.team_size + 1)
        keys = {f"Bot {team}-{each}": _key_in(home_of(out, team, each)) for each in places}
        players = tuple(
            TeamPlayer(each.public, name, secrets.token_bytes(NONCE_BYTES))
            for name, each in keys.items()
        )
        entry = TeamEntry(charter.digest, f"Team {team}", players)
        record = record.with_pieces(*(enter(record, entry, each) for each in keys.values()))
        drawing.append(next(iter(keys.values())))  # the captain is the first player of an entry
    record = record.with_pieces(list_entries(record, organiser, tuple(record.entries)))
    # Until the draw is settled: everybody speaks once in each of its two rounds.
    while (judged := judge(record)).head is None:
        said = [draw_on(judged, each) for each in (*drawing, organiser)]
        record = record.with_pieces(*(raw for raw in said if raw is not None))
    return TournamentFolder.make(out / "tournament", record, secrets.token_bytes(KEY_BYTES))


def _key_in(home: Path) -> SigningKey:
    """Return the signing key in a home, made where there is none."""
    return IdentityStore(home).key(secrets.token_bytes)


async def _play(cup: BotsCup, at_once: int, told: Callable[[str], None]) -> None:
    """Play a tournament, `at_once` matches at a time, while its folders follow it."""
    organiser, *copies = cup.folders
    for each in copies:
        # Of the beginning alone: all else they must hear over the broker.
        TournamentFolder.make(each.path, organiser.record, organiser.invitation.key)
    changed, given = asyncio.Event(), cup.seat_options().credentials
    following = [
        # Whichever place hears something: to look once too often costs little.
        exchange(each, done=over, credentials=given, told=lambda _: changed.set())
        for each in (organiser, *copies)
    ]
    tables = Errands()
    with closing(Workers(at_once)) as pool:

        async def begin() -> None:
            """Begin every match as it becomes ready; return when all have ended."""
            begun: dict[int, asyncio.Task[None]] = {}
            while not over(judged := organiser.judged_record):
                changed.clear()  # before looking: what comes while we look must wake us again
                for match in judged.matches:
                    if match.ready and match.number not in begun:
                        begun[match.number] = tables.start(_play_match(cup, match, pool, told))
                await changed.wait()
            await asyncio.gather(*begun.values())  # their processes linger after the result counts

        # `run` ends only by the error of a table, which ends all.
        await first(together(begin(), *following), tables.run())


async def _play_match(
    cup: BotsCup, match: Match, pool: Workers, told: Callable[[str], None]
) -> None:
    """Play a match in a process of its own, which is tried again after each of PAUSES."""
    told(f"Match {match.number}: {' - '.join(match.teams)}")
    for pause in (*PAUSES, None):  # None: the last attempt, after which there is no pause
        # A process for each table: proofs take a core, and a crash ends one table. `lost`: the
        # reason where the process died, as for want of memory.
        playing = pool.submit(
            _play_apart, (cup, match.number), lost=lambda _, code: f"exit code {code}"
        )
        # An empty reason: the match was played to its end.
        if not (why := await asyncio.wrap_future(playing)):
            break
        if pause is None:
            raise UserError(f"The table of match {match.number} failed: {why}")
        told(f"The table of match {match.number} is tried again in {pause:g} s: {why}")
        await asyncio.sleep(pause)


def _play_apart(table: tuple[BotsCup, int]) -> str:
    """Play a match, in a process of its own; return why that failed, "" if it did not."""
    try:
        asyncio.run(_play_seats(*table))
    except Exception as error:  # noqa: BLE001 - whoever runs the tournament tells it and tries again
        # The end of a long message tells more than its beginning.
        return f"{type(error).__name__}: {error}"[-300:]
    return ""


async def _play_seats(cup: BotsCup, number: int) -> None:
    """Play all seats of a match, and sign its result until it is decided."""
    folder, options = cup.folders[0], cup.seat_options()
    match = match_seat.match_of_number(folder.judged_record, number)
    table = match_seat.table_of(folder.judged_record, match)
    homes = [cup.out / "players" / each.nickname for each in table.seats]

    async def play(home: Path) -> None:
        key, judged = _key_in(home), folder.judged_record
        journal, setup, ours = match_seat.sit_down(folder, judged, match, home, key, options)
        # 63 bits are a choice: chance for decisions alone, no key depends on it.
        bot = BotSeat(secrets.randbelow(1 << 63), level=LEVEL)
        async with open_seat(journal, setup, bot, root=home, options=ours) as driver:
            await play_on(driver, bot, root=home, options=ours)

    await together(*map(play, homes))
    # Of one seat alone: the transcripts of any player prove the hands to everybody.
    match_seat.keep_transcripts(folder, match, table_directory(homes[0], table.table))
    keys = [_key_in(each) for each in homes]
    await exchange(
        folder,
        due=lambda judged: match_seat.signed_results(folder, judged, *keys),
        done=lambda judged: match_seat.match_of_number(judged, number).outcome is not None,
        credentials=options.credentials,
    )
