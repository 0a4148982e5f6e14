"""`p2p304 tournament rule`: what a referee rules on a match, at its table and in the record."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from cli.commands.options import gathered
from cli.commands.seating import login_options, with_credentials
from cli.commands.shell import echo
from cli.commands.tournament_options import folder_argument, meant_for_tournament
from cli.errors import UserError
from cli.front.rulings import ruling_sentence
from cli.front.writing import Writer
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, transport_for
from cli.net.credentials import NO_CREDENTIALS
from cli.sanitize import safe_name
from cli.seat.channel import SealedLine
from cli.seat.sentences import TableStopped
from cli.store.paths import make_private_directory
from cli.tournament.folder import TournamentFolder, match_folder
from cli.tournament.match_seat import carried, known_match, tables_of, watch_invite
from cli.tournament.referee import (
    match_ended_by,
    recorded,
    ruling_about,
    seen_first,
    signed_once,
    tell,
    watcher_at,
)
from cli.tournament.telling import match_text, team_name
from cli.wording import hand_called
from p2p304.tournament.matches import Match
from protocol.seat.watcher import Watcher
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import RulingKind
from protocol.wire.contents import RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedRuling

VERDICTS: Final = {each.name.lower().replace("_", "-"): each for each in RulingVerdict}
KINDS: Final = {each.name.lower().replace("_", "-"): each for each in RulingKind}
"""What decides a match for the tournament."""
AT_TABLES: Final = {**VERDICTS, "withdrawn": RulingVerdict.WALK_OVER}
"""What the table hears: that a team which has withdrawn does not come."""


@dataclass(frozen=True, slots=True)
class RulingWanted:
    """What is ruled, where, and against whom."""

    path: Path
    match: int
    verdict: str
    against: tuple[str, ...]
    hand: int | None
    closed: int | None
    why: str


def _hand(_: click.Context, __: click.Parameter, label: str | None) -> int | None:
    try:
        return None if label is None else hand_called(label)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


@click.command("rule")
@folder_argument
@click.argument("match", type=click.IntRange(1, 65_535))
@click.argument("verdict", type=click.Choice([*AT_TABLES]))
@click.option("--against", multiple=True, metavar="TEAM", help="The team that it is against.")
@click.option(
    "--hand",
    metavar="N",
    callback=_hand,
    help="The hand; 1.2 is the second after a ruling.  [default: the newest]",
)
@click.option(
    "--round", "closed", type=click.IntRange(0), help="After so many rounds.  [default: all]"
)
@click.option("--why", default="", metavar="TEXT", help="What you say to the table.")
@login_options
@gathered("wanted", RulingWanted)
def command(wanted: RulingWanted, options: SeatOptions) -> int:
    """Rule on a match, as a referee of its tournament.

    At the table a ruling is about a point of a hand, one for each: no-action (the hand goes on),
    redeal (it is void, the same dealer deals), penalty (void, and the team pays three tokens), end
    (nothing more is played there), disqualified or walk-over (the match is lost). What was played
    behind the point is void at every seat, also at one that hears of it late.

    A walk-over, disqualified and withdrawn decide the match in the tournament's record, too, and
    need nobody at its table; who is disqualified or has withdrawn plays no more. What both teams
    have signed stands all the same. Your rulings are kept in the folder: another one about the same
    would convict you.

    \b
    Examples:
      p2p304 tournament rule cup 3 no-action
      p2p304 tournament rule cup 3 penalty --against Lions --hand 4 --round 31
      p2p304 tournament rule cup 5 walk-over --against Tigers --why 'Absent.'
    """
    asyncio.run(_rule(wanted, with_credentials(options)))
    return 0


async def _rule(wanted: RulingWanted, options: SeatOptions) -> None:
    folder = TournamentFolder(wanted.path)
    key = folder.referee
    if key is None:
        raise UserError("Your key is none of this tournament's referees.")
    options = await meant_for_tournament(options, folder, Console())
    given = options.credentials or NO_CREDENTIALS
    match = await known_match(folder, wanted.match, given)
    kind = KINDS.get(wanted.verdict)
    _sides(match, wanted.against)
    raw = None
    if kind is not None:
        raw = recorded(folder.acting(folder.record), key, match.number, kind, wanted.against)
    if match.ready:
        await _at_table(folder, match, key, wanted, options)
    elif raw is None:
        why = "has no table yet" if match.outcome is None else "is decided"
        raise UserError(f"Match {match.number} {why}: 'p2p304 tournament status' shows all.")
    if raw is not None:
        folder.add(raw)
        echo("Putting it into the record.")
        judged = folder.judge(await carried(folder, given))
        echo(f"In the record{_decided_by(judged, raw)}.")


def _decided_by(judged: JudgedRecord, raw: bytes) -> str:
    """Say what a piece of ours decides."""
    (name,) = (name for name, each in judged.record.pieces.items() if each.raw == raw)
    decided = (number for number, names in judged.counted.items() if name in names)
    if (number := next(decided, None)) is not None and judged.tournament is not None:
        return f": {match_text(judged.tournament.matches[number - 1])}"
    why = judged.ignored.get(name, "it waits for its match")
    return f", and nothing follows from it so far: {why}"


async def _at_table(
    folder: TournamentFolder,
    match: Match,
    key: SigningKey,
    wanted: RulingWanted,
    options: SeatOptions,
) -> None:
    """Rule at the table of a match. What decides the match in the record needs nobody there; else
    raises UserError for what cannot be ruled."""
    tables, needed = tables_of(folder.judged, match), wanted.verdict not in KINDS
    table = tables[0]
    if key.public not in table.referees:
        raise UserError("You play in this match: another referee rules on it.")
    if not folder.record.charter.brokers and not needed:
        return
    invite = watch_invite(folder, table)
    watchers = [watcher_at(each, key) for each in tables]
    given = options.credentials or NO_CREDENTIALS
    async with transport_for(invite, given, options.version) as transport:
        line = SealedLine(invite, transport)
        echo("Looking where the table stands.")
        try:
            watcher = await seen_first(line, watchers)
            ruling = match_ended_by(watcher)
            if ruling is not None and not needed:
                echo("Nothing more is played at the table, as was ruled there before.")
            else:
                ruling = _signed(folder, match, key, wanted, watcher)
                names = tuple(map(team_name, match.teams))
                writer = Writer(watcher.game.seats)
                echo(ruling_sentence(watcher.game, ruling.content, writer, names))
        except (TableStopped, UserError) as error:
            if needed:
                raise
            echo(f"The table is not told. {error}")
            return
        await tell(line, ruling)
    echo("Told to the table; who comes later hears it from whoever is there.")


def _signed(
    folder: TournamentFolder, match: Match, key: SigningKey, wanted: RulingWanted, watcher: Watcher
) -> SignedRuling:
    """Sign a ruling for the table as it was seen; raises UserError for what cannot be ruled."""
    content = ruling_about(
        watcher.table_state,
        AT_TABLES[wanted.verdict],
        _sides(match, wanted.against),
        wanted.why[:200],
        hand=wanted.hand,
        closed=wanted.closed,
    )
    place = make_private_directory(match_folder(folder, match))
    return signed_once(watcher.table_state, content, key, place)


def _sides(match: Match, teams: tuple[str, ...]) -> int:
    """Return the bits of the sides of these teams; raises UserError for another team's name."""
    for team in teams:
        if team not in match.teams:
            named = " and ".join(safe_name(each, cells=64) for each in match.teams)
            raise UserError(f"The teams of this match are {named}.")
    return sum(1 << match.teams.index(team) for team in set(teams))
