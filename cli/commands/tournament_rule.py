"""`p2p304 tournament rule`: what a referee rules on a match, at its table and in the record."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from cli.commands.options import gather_options
from cli.commands.seating import login_options, meant_for_hosts, with_credentials
from cli.commands.shell import echo
from cli.commands.tournament_options import confirmed, folder_argument
from cli.errors import UserError
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, transport_for
from cli.net.credentials import NO_CREDENTIALS
from cli.sanitize import safe_name
from cli.seat.channel import SealedLine
from cli.seat.sentences import TableStopped
from cli.store.paths import make_private_directory
from cli.tournament.exchange import exchange_record
from cli.tournament.folder import TournamentFolder, certain, explain_refusal, match_folder
from cli.tournament.match_seat import known_match, tables_of
from cli.tournament.referee import (
    ending_ruling,
    find_watcher,
    ruling_about,
    ruling_words,
    sign_once,
    tell,
)
from cli.tournament.telling import match_text
from cli.wording import hand_number
from p2p304.tournament.matches import Match
from protocol.tournament.acts import rule
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import RulingKind
from protocol.wire.contents import RulingVerdict
from protocol.wire.identity import SigningKey

KINDS: Final = {each.name.lower().replace("_", "-"): each for each in RulingKind}
"""What decides a match for the tournament."""
AT_TABLES: Final = {each.name.lower().replace("_", "-"): each for each in RulingVerdict} | {
    "withdrawn": RulingVerdict.WALK_OVER
}
"""What the table hears: that a team which has withdrawn does not come."""


@dataclass(frozen=True, slots=True)
class RulingWanted:
    """The arguments of `tournament rule`."""

    path: Path
    match: int
    verdict: str
    against: tuple[str, ...]
    hand: int | None
    closed: int | None
    why: str


def _hand(_: click.Context, __: click.Parameter, label: str | None) -> int | None:
    """Return the number of a hand in an option, such as 4 or 4.2; None if it was left out."""
    try:
        return None if label is None else hand_number(label)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


@click.command("rule")
@folder_argument
@click.argument("match", type=click.IntRange(1, 65_535))
@click.argument("verdict", metavar="VERDICT", type=click.Choice([*AT_TABLES]))
@click.option("--against", multiple=True, metavar="TEAM", help="The team that it is against.")
@click.option(
    "--hand", callback=_hand, help="Such as 4, or 4.2 dealt again.  [default: the newest]"
)
@click.option("--round", "closed", type=click.IntRange(0), help="After so many.  [default: all]")
@click.option("--why", default="", metavar="TEXT", help="What you say to the table.")
@login_options
@gather_options("wanted", RulingWanted)
def command(wanted: RulingWanted, options: SeatOptions) -> int:
    """Rule on a match, as a referee of its tournament; two rulings about one point convict you.

    VERDICT is about a point of a hand: no-action (the hand goes on), redeal (void, the same dealer
    deals), penalty (void, and the team pays three tokens), end (nothing more is played there); or
    about the match, for the record too: walk-over, disqualified, withdrawn.

    \b
    Examples:
      p2p304 tournament rule cup 3 penalty --against Lions --hand 4 --round 31
      p2p304 tournament rule cup 5 walk-over --against Tigers --why 'Absent.'
    """
    asyncio.run(_rule(wanted, with_credentials(options)))
    return 0


async def _rule(wanted: RulingWanted, options: SeatOptions) -> None:
    """Rule at the match's table if there is one, then in the record."""
    folder = TournamentFolder(wanted.path)
    key = folder.referee
    if key is None:
        raise UserError("Your key is none of this tournament's referees.")
    options = await meant_for_hosts(options, folder.nodes, Console())
    given = options.credentials or NO_CREDENTIALS
    kind, raw = KINDS.get(wanted.verdict), None
    if kind is not None:
        # A signed result goes before any ruling (12.2), so we look for one first.
        await exchange_record(folder, given)  # both teams may have signed meanwhile
    match = await known_match(folder, wanted.match, given)
    sides = _sides(match, wanted.against)
    if kind is not None:
        raw = _ruling_payload(folder, key, match, kind, wanted.against)
    if match.ready:
        await _at_table(folder, match, key, wanted, sides, options)
    # A verdict about a hand needs a table at which it is played.
    elif raw is None:
        why = "has no table yet" if match.outcome is None else "is decided"
        raise UserError(f"Match {match.number} {why}: 'p2p304 tournament status' shows all.")
    if raw is not None:
        # After the table was told: there the match may still be going on.
        folder.add(raw)
        echo("Putting it into the record.")
        echo(f"In the record{_decision_words(await exchange_record(folder, given), raw)}.")


def _ruling_payload(
    folder: TournamentFolder,
    key: SigningKey,
    match: Match,
    kind: RulingKind,
    teams: tuple[str, ...],
) -> bytes:
    """Sign the ruling about a match for the record; return the piece, which is not kept yet.

    If it changes nothing the referee is asked first. Raises UserError for an impossible ruling, and
    one that would convict us.
    """
    if not teams or (len(teams) > 1 and kind is not RulingKind.WALK_OVER):
        raise UserError("Name the team that loses by it, --against; by a walk-over both may lose.")
    judged = certain(folder.judged)
    with explain_refusal("That cannot be ruled"):
        raw = rule(judged, key, match.number, kind, teams)
    after = folder.judge(judged.record.with_piece(raw))
    # Signing it would only bind the referee's hands.
    if raw not in judged.record.raws and after.tournament == judged.tournament:
        echo(f"It would be in the record{_decision_words(after, raw)}.")
        confirmed("It changes nothing. Do you sign it all the same?")
    return raw


def _decision_words(judged: JudgedRecord, raw: bytes) -> str:
    """Return the end of a sentence that says what our piece decides, or why it decides nothing."""
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
    sides: int,
    options: SeatOptions,
) -> None:
    """Rule at the table of a match.

    If the record decides the match, a table that cannot be reached is passed over; else that raises
    UserError.
    """
    tables, needed = tables_of(folder.judged, match), wanted.verdict not in KINDS
    # The charter of the table leaves out referees of the two teams (12.1).
    if key.public not in tables[0].referees:
        raise UserError("You play in this match: another referee rules on it.")
    # No broker: the record travels as a file, and decides.
    if not folder.nodes and not needed:
        return
    invite, given = folder.invite(tables[0].table), options.credentials or NO_CREDENTIALS
    async with transport_for(invite, given, options.version) as transport:
        line = SealedLine(invite, transport)
        echo("Looking where the table stands.")
        try:
            watcher = await find_watcher(line, tables, key)
            ruling = ending_ruling(watcher)
            if ruling is not None and not needed:
                echo("Nothing more is played at the table, as was ruled there before.")
            else:
                content = ruling_about(
                    watcher.table_state,
                    AT_TABLES[wanted.verdict],
                    sides,
                    wanted.why[:200],
                    hand=wanted.hand,
                    closed=wanted.closed,
                )
                place = make_private_directory(match_folder(folder, match))
                ruling = sign_once(watcher.table_state, content, key, place)
                echo(ruling_words(watcher.game, match, ruling))
        # The record decides the match even if its table cannot be told.
        except (TableStopped, UserError) as error:
            if needed:
                raise
            echo(f"The table is not told. {error}")
            return
        await tell(line, ruling)
    echo("Told to the table; who comes later hears it from whoever is there.")


def _sides(match: Match, teams: tuple[str, ...]) -> int:
    """Return a bit for the side of each of these teams; raises UserError for a team of another
    match.
    """
    for team in teams:
        if team not in match.teams:
            named = " and ".join(safe_name(each, cells=64) for each in match.teams)
            raise UserError(f"The teams of this match are {named}.")
    # The order of the teams is that of the sides at the table.
    return sum(1 << match.teams.index(team) for team in set(teams))
