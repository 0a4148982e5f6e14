"""`p2p304 tournament rule`: what a referee rules at the table of a match."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from cli.commands.options import gathered, log_option
from cli.commands.seating import login_options, with_credentials
from cli.commands.tournament_options import folder_argument
from cli.errors import UserError
from cli.front.rulings import ruling_sentence
from cli.front.writing import Writer
from cli.net.credentials import NO_CREDENTIALS
from cli.sanitize import safe_name
from cli.seat.channel import SealedLine
from cli.seat.options import SeatOptions
from cli.seat.sitting import transport_for
from cli.store.identity import IdentityStore
from cli.store.paths import home, make_private_directory
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import match_folder, table_of, watch_invite
from cli.tournament.ruling import ruling_about, seen, signed_once, tell, watcher_at
from p2p304.tournament.matches import Match
from protocol.wire.contents import RulingVerdict

VERDICTS: Final = {each.name.lower().replace("_", "-"): each for each in RulingVerdict}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is ruled, where, and against whom."""

    path: Path
    match: int
    verdict: str
    against: tuple[str, ...]
    hand: int | None
    closed: int | None
    why: str


@click.command("rule")
@folder_argument
@click.argument("match", type=click.IntRange(1, 65_535))
@click.argument("verdict", type=click.Choice([*VERDICTS]))
@click.option("--against", multiple=True, metavar="TEAM", help="The team that it is against.")
@click.option("--hand", type=click.IntRange(1), help="The hand.  [default: the newest]")
@click.option(
    "--round", "closed", type=click.IntRange(0), help="After so many rounds.  [default: all]"
)
@click.option("--why", default="", metavar="TEXT", help="What you say to the table.")
@login_options
@log_option
@gathered("wanted", Wanted)
def command(wanted: Wanted, options: SeatOptions) -> int:
    """Rule at the table of a match, as its referee.

    A ruling is about a point of a hand, and there is one for each point: no-action (the hand goes
    on), redeal (it is void, the same dealer deals), penalty (void, and the team pays three tokens),
    end (nothing more is played there), disqualified or walk-over (the match is lost). What was
    played behind the point is void at every seat, also at one that hears of it late. What you have
    signed stays in the folder: a second ruling for a point would convict you.

    \b
    Examples:
      p2p304 tournament rule cup 3 no-action
      p2p304 tournament rule cup 3 penalty --against Lions --hand 4 --round 31
      p2p304 tournament rule cup 5 walk-over --against Tigers --why 'Absent.'
    """
    asyncio.run(_rule(wanted, with_credentials(options)))
    return 0


async def _rule(wanted: Wanted, options: SeatOptions) -> None:
    folder = TournamentFolder(wanted.path)
    judged = folder.judged
    tournament = judged.tournament
    matches = () if tournament is None else tournament.matches
    match = next((each for each in matches if each.number == wanted.match), None)
    if match is None or len(match.teams) != len(match.sides):
        raise UserError("That match has no table yet: 'p2p304 tournament status' shows which have.")
    table = table_of(judged, match)
    key = IdentityStore(home()).key(secrets.token_bytes)
    if key.public not in table.referees:
        raise UserError("Your key is none of this table's referees.")
    invite = watch_invite(folder, table)
    watcher = watcher_at(table, key)
    transport = transport_for(invite, options.credentials or NO_CREDENTIALS, options.version)
    async with transport:
        line = SealedLine(invite, transport)
        click.echo("Looking where the table stands.")
        await seen(line, watcher)
        content = ruling_about(
            watcher.table_state,
            VERDICTS[wanted.verdict],
            _sides(match, wanted.against),
            wanted.why[:200],
            hand=None if wanted.hand is None else wanted.hand - 1,
            closed=wanted.closed,
        )
        place = make_private_directory(match_folder(folder, match))
        ruling = signed_once(watcher.table_state, content, key, place)
        click.echo(ruling_sentence(watcher.game, content, Writer(watcher.game.seats)))
        await tell(line, ruling)
    click.echo("Told to the table; who comes later hears it from whoever is there.")


def _sides(match: Match, teams: tuple[str, ...]) -> int:
    """Return the bits of the sides of these teams; raises UserError for another team's name."""
    for team in teams:
        if team not in match.teams:
            named = " and ".join(safe_name(each, cells=64) for each in match.teams)
            raise UserError(f"The teams of this match are {named}.")
    return sum(1 << match.teams.index(team) for team in set(teams))
