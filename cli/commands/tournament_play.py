"""`p2p304 tournament play`: my next match, at a table where only its players can sit."""

from __future__ import annotations

import asyncio
import secrets
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Final

import click

from cli.commands.looks import Screen, screen_options
from cli.commands.options import gathered, log_option
from cli.commands.screen import console_for, player_for
from cli.commands.seating import login_options, run_seat, with_credentials
from cli.commands.table_series import TableSeries
from cli.commands.tournament_options import folder_argument, meant_for_tournament
from cli.errors import UserError
from cli.lines.console import Console
from cli.local.continuing import play_on
from cli.local.rematch import agreed_journal
from cli.local.sitting import SeatOptions, seated
from cli.net.credentials import NO_CREDENTIALS
from cli.net.transport import TransportError
from cli.sanitize import safe_text
from cli.seat.bots import BotSeat
from cli.seat.charter_text import term_lines
from cli.seat.driver import SeatDriver
from cli.seat.sentences import SeatLeft
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import home, table_directory
from cli.tasks import first, never
from cli.tournament.bracket import match_text
from cli.tournament.exchange import ELSEWHERE, carrying, exchange, nodes_of
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import (
    keep_transcripts,
    next_match,
    race_options,
    seat_setup,
    signed_by,
    signed_results,
    table_of,
    team_with,
)
from cli.tournament.referee import match_ended_by
from p2p304.tournament.matches import How, Match
from protocol.tournament.acts import lost_before
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import SigningKey


@dataclass(frozen=True, slots=True)
class TournamentPlayOptions:
    """Which tournament is played in, by whom, and how much of it."""

    path: Path
    every: bool
    bot: bool


@click.command("play")
@folder_argument
@click.option("--all", "every", is_flag=True, help="Play one match after the other until the last.")
@click.option("--bot", is_flag=True, help="Let a bot play in your seat.")
@login_options
@screen_options
@log_option
@gathered("wishes", TournamentPlayOptions)
def command(wishes: TournamentPlayOptions, options: SeatOptions, screen: Screen) -> int:
    """Play your next match, and sign its result.

    Who sits where follows from the draw: nobody is invited, and no other key can take your seat. If
    your opponents are not known yet, this waits until they are; if they are not there, until they
    come. Leaving loses nothing: the same command goes on where the match was.

    \b
    Examples:
      p2p304 tournament play cup          the next match
      p2p304 tournament play cup --all    every match, as long as there is one
      p2p304 tournament play cup --bot    a bot plays for you
    """
    left = _LEFT.format(shlex.quote(str(wishes.path)))
    return run_seat(_play(wishes, with_credentials(options), screen), left)


_BEFORE_THE_DRAW: Final = (
    "Captains take part with 'p2p304 tournament draw'; this waits for it, and Ctrl-C leaves."
)
PAUSES: Final = (2.0, 5.0, 10.0, 30.0)
"""Seconds after which a broker that was away is tried again; the last one is repeated."""
_LEFT: Final = "You left; nothing is lost: 'p2p304 tournament play {}' goes on."


async def _play(wishes: TournamentPlayOptions, options: SeatOptions, screen: Screen) -> None:
    root, console = home(), console_for(screen)
    folder = TournamentFolder(wishes.path)
    key = IdentityStore(root).key(secrets.token_bytes)
    nodes_of(folder.record.charter)  # where there are none, no table meets
    options = await meant_for_tournament(options, folder, console)
    played: list[int] = []
    while True:
        judged = await _ready(folder, key, options, console, played, every=wishes.every)
        match = due_match(judged, key, played)
        if match is None or (played and not wishes.every):
            for line in _told(judged, key, wishes.path):
                console.say(line)
            return
        console.say(f"Your match: {match_text(match)}.")
        try:
            await _at_table(folder, judged, match, key, wishes, options, screen, console, root)
        except SeatLeft:
            raise SeatLeft(_LEFT.format(shlex.quote(str(wishes.path)))) from None
        played.append(match.number)


async def _ready(
    folder: TournamentFolder,
    key: SigningKey,
    options: SeatOptions,
    console: Console,
    played: list[int],
    *,
    every: bool,
) -> JudgedRecord:
    """Sign the results that we have and wait until our next match can begin, none is left, or,
    unless we play `every` one, until the latest that was `played` is decided."""
    said = ""

    def told(record: TournamentRecord) -> None:
        nonlocal said
        judged = folder.judge(record)
        now = _waiting(judged, key, played)
        if now != said and now and not done(record):
            console.say(now)
            if judged.head is None and not said:
                console.say(_BEFORE_THE_DRAW)
        said = now

    def done(record: TournamentRecord) -> bool:
        judged = folder.acting(record)
        if judged.head is None:
            return False
        undecided = _undecided(judged, key)
        return (
            undecided is None
            or due_match(judged, key, played) is not None
            or (not every and bool(played) and undecided.number not in played)
        )

    given = options.credentials or NO_CREDENTIALS
    for pause in chain(PAUSES, repeat(PAUSES[-1])):
        try:
            record = await exchange(
                folder,
                due=lambda record: tuple(signed_results(folder, folder.acting(record), key)),
                done=done,
                credentials=given,
                told=told,
                elsewhere=lambda: console.say(ELSEWHERE),
            )
        except TransportError as error:
            if not every:
                raise
            console.say(f"{safe_text(str(error), cells=300)} This waits for it; Ctrl-C leaves.")
            await asyncio.sleep(pause)
            continue
        return folder.judge(record)
    raise AssertionError("the last pause is repeated")


def _undecided(judged: JudgedRecord, key: SigningKey) -> Match | None:
    """Return our first match that is not decided, after the draw; raises UserError for whom none
    can come."""
    tournament = judged.tournament
    assert tournament is not None
    team = team_with(tournament, key.public)
    if team is None:
        raise UserError("Your key is in no team of this tournament: 'p2p304 identity' shows it.")
    return next_match(tournament, team)


def due_match(judged: JudgedRecord, key: SigningKey, played: Collection[int] = ()) -> Match | None:
    """Return our match that can be played now, None if there is none: what was `played` waits for
    signatures or for a referee, and is not played again."""
    match = _undecided(judged, key)
    if match is None or not match.ready or match.number in played or signed_by(judged, match, key):
        return None
    return None if lost_before(judged, match, key) else match


def _waiting(judged: JudgedRecord, key: SigningKey, played: Collection[int]) -> str:
    """Return what we wait for, in a sentence; nothing if for nothing."""
    if judged.head is None:
        return f"There are no matches yet: {safe_text(judged.waits, cells=600)}."
    match = _undecided(judged, key)
    if match is None or due_match(judged, key, played) is not None:
        return ""
    if signed_by(judged, match, key):
        return f"Match {match.number} is played and signed; it counts once the others sign it, too."
    if match.ready and lost_before(judged, match, key):
        return (
            f"You signed that your team lost the match before match {match.number}: to play on"
            " would convict you of result.behind. Withdraw your team, or wait for a referee."
        )
    if match.number in played:
        return (
            f"Match {match.number} has ended without a result; it counts as a referee rules. This"
            " waits for the ruling, and Ctrl-C leaves: come back any time."
        )
    assert judged.tournament is not None
    others = [judged.tournament.matches[number - 1] for number in match.waits_for]
    first = "; ".join(match_text(each) for each in others)
    return f"Your next match, {match.number}, waits for {first}. Ctrl-C leaves; come back any time."


def _told(judged: JudgedRecord, key: SigningKey, path: Path) -> list[str]:
    tournament = judged.tournament
    assert tournament is not None
    team = team_with(tournament, key.public)
    mine = [each for each in tournament.matches if team in each.teams and each.outcome is not None]
    lines = [match_text(mine[-1]) + "."] if mine else []
    match = _undecided(judged, key)
    if match is not None:
        return [
            *lines,
            f"Your next match has number {match.number}: 'p2p304 tournament play {path}'.",
        ]
    row = next(each for each in tournament.standing if each.team == team)
    place = "" if row.place is None else f" Your place: {row.place}."
    return [
        *lines,
        f"No match is left for {team}.{place} 'p2p304 tournament status {path}' shows all.",
    ]


async def _at_table(
    folder: TournamentFolder,
    judged: JudgedRecord,
    match: Match,
    key: SigningKey,
    wishes: TournamentPlayOptions,
    options: SeatOptions,
    screen: Screen,
    console: Console,
    root: Path,
) -> None:
    """Play a match to the end of its race, and put its transcripts into the tournament's folder."""
    table = table_of(judged, match)
    directory = table_directory(root, table.table)
    options = race_options(options, judged, match, directory)
    wanted = seat_setup(
        folder, table, key.public, secrets.token_bytes, credentials=options.credentials_file
    )
    for line in term_lines(table, PeersFile(root)):
        console.say(line)
    journal, setup = agreed_journal(root, wanted, table)
    ruled = asyncio.Event()

    def look(record: TournamentRecord) -> None:
        if _decided_without_play(folder.judge(record), match):
            ruled.set()

    async with carrying(folder, options.credentials or NO_CREDENTIALS, look):
        if wishes.bot:
            bot = BotSeat(secrets.randbelow(1 << 63), level="club")
            async with seated(journal, setup, bot, root=root, options=options) as driver:
                work = play_on(driver, setup, bot, root=root, options=options)
                await first(work, _overruled(driver, ruled))
        else:
            player = player_for(screen, console, setup, options, root=root)
            async with seated(journal, setup, player, root=root, options=options) as driver:
                series = TableSeries(root=root, console=console, screen=screen, options=options)
                await first(series.play(setup, driver, player), _overruled(driver, ruled))
    last = table_directory(root, driver.last.setup.invite.table)
    keep_transcripts(folder, match, *dict.fromkeys((directory, last)))


def _decided_without_play(judged: JudgedRecord, match: Match) -> bool:
    tournament = judged.tournament
    outcome = None if tournament is None else tournament.matches[match.number - 1].outcome
    return outcome is not None and outcome.how is not How.PLAYED


async def _overruled(driver: SeatDriver, ruled: asyncio.Event) -> None:
    """Wait until a referee has decided the match in the record, and not at the table, which ends
    by itself then."""
    await ruled.wait()
    session = driver.last.session
    if session is not None and match_ended_by(session) is not None:
        await never()
