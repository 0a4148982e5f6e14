"""What a team signs: `p2p304 tournament enter`, with each of its players, and `withdraw`."""

from __future__ import annotations

import secrets
import sys

import click

from cli.commands.nickname import checked_nickname, known_nickname
from cli.commands.shell import echo
from cli.commands.tournament_options import Carried, carrying_options, invitation_option
from cli.errors import UserError
from cli.sanitize import safe_name, safe_text
from cli.store.identity import THE_KEY, PeersFile
from cli.store.paths import home
from cli.tournament.folder import RECORD
from cli.tournament.telling import entry_text, power_lines
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.acts import enter, to_sign, withdraw
from protocol.tournament.pieces import TeamEntry, TeamPlayer
from protocol.tournament.record import TournamentRecord
from protocol.wire.charter import NONCE_BYTES
from protocol.wire.identity import PublicKey, SigningKey


@click.command("enter")
@carrying_options
@invitation_option
@click.option("--team", required=True, help="The team to enter, or of whose entry you sign.")
@click.option("--name", metavar="NAME", help="Your nickname in this tournament.")
@click.option(
    "--with",
    "others",
    metavar="KEY=NAME",
    multiple=True,
    help=f"Another player of your team, in the order of seats: KEY is {THE_KEY} for that player.",
)
def command(cup: Carried, team: str, name: str | None, others: tuple[str, ...]) -> int:
    """Enter a team into the tournament of FOLDER, or sign the entry of a team that names you.

    One player, the captain, names the others (--with); then each of them signs by the same command
    without --with. Nobody is entered by others, and the organiser can list an entry once all have
    signed it. Before the list the captain corrects an entry by entering it again.

    \b
    Examples:
      p2p304 tournament enter cup --invitation FILE --team Lions --with 5f..=Ben
      p2p304 tournament enter cup --invitation FILE --team Lions      as Ben
    """
    folder = cup.folder()
    key = folder.own_key
    record = cup.together(folder)
    if record.lists:
        raise UserError("The entries are listed already: nobody enters any more.")
    if others:
        entry = _entry(record, team, known_nickname(home(), name), others, key)
    else:
        entry = _entry_of(record, team, key)
    for line in (*power_lines(record.charter, PeersFile(home())), entry_text(entry)):
        echo(line)
    try:
        raw = enter(record, entry, key)
    except LocalError as error:
        raise UserError(f"This cannot be signed: {error}.") from None
    if raw not in record.raws and sys.stdin.isatty():
        click.confirm("Do you sign this entry?", abort=True)
    folder.add(raw)
    record = cup.together(folder)
    signed = {each.key for each in record.pieces.values() if each.content == entry}
    missing = [safe_name(each.nickname) for each in entry.players if each.key not in signed]
    shown = safe_name(team, cells=32)
    if not missing:
        echo(f"{shown} has entered: all of its players have signed.")
        return 0
    echo(f"{shown} waits for the signature of {', '.join(missing)}.")
    echo(
        "It reaches who is there at the same time: leave 'p2p304 tournament draw"
        f" {folder.path}' running, or send them {folder.path / RECORD} (they --take it)."
    )
    return 0


def _entry(
    record: TournamentRecord, team: str, name: str, others: tuple[str, ...], key: SigningKey
) -> TeamEntry:
    """Return the entry of a team of ours: the same one if we made it before, or one that corrects
    the last."""
    players = [(key.public, name), *map(_other, others)]
    mine = [
        piece.content
        for piece in record.pieces.values()
        if isinstance(piece.content, TeamEntry) and piece.content.players[0].key == key.public
    ]
    last = max(mine, key=lambda each: each.serial, default=None)
    if last is not None:
        if last.team == team and [(e.key, e.nickname) for e in last.players] == players:
            return last
        echo("This corrects your entry: it counts in its place once all of its players sign it.")
    made = tuple(TeamPlayer(*each, secrets.token_bytes(NONCE_BYTES)) for each in players)
    try:
        return TeamEntry(record.charter.digest, team, made, 0 if last is None else last.serial + 1)
    except MalformedMessage as error:
        raise UserError(f"No such entry: {safe_text(str(error), cells=200)}.") from None


def _entry_of(record: TournamentRecord, team: str, key: SigningKey) -> TeamEntry:
    """Return the entry of this team that waits for our signature; raises UserError."""
    named = [each for each in to_sign(record, key) if each.team == team]
    captains = {each.players[0].key for each in named}
    last = max((each.serial for each in named), default=0)
    waiting = [each for each in named if len(captains) > 1 or each.serial == last]
    if not waiting:  # we may have signed before
        contents = (each.content for each in record.pieces.values() if each.key == key.public)
        signed = [each for each in contents if isinstance(each, TeamEntry) and each.team == team]
        if signed:
            return signed[0]
        raise UserError(
            f"No entry of a team {safe_name(team, cells=32)} waits for you here: its captain enters"
            f" it, with your key {key.public.to_bytes().hex()}, and leaves 'p2p304 tournament draw'"
            " running until you have signed, or you --take the captain's record."
        )
    if len(waiting) > 1:
        raise UserError(
            "Several entries of that team name you: its captain corrects it, or another captain"
            " takes another name."
        )
    return waiting[0]


def _other(text: str) -> tuple[PublicKey, str]:
    key, _, name = text.partition("=")
    try:
        return PublicKey(bytes.fromhex(key)), checked_nickname(name)
    except (ValueError, MalformedMessage):
        raise UserError(
            f"'{safe_text(text, cells=80)}' is no player: give a key of 64 digits, = and a name,"
            " such as 'p2p304 identity' shows them."
        ) from None


@click.command("withdraw")
@carrying_options
def withdraw_command(cup: Carried) -> int:
    """Withdraw your team, as its captain: it loses every match that it has not played.

    What it has played stands. Nobody can take this back.

    \b
    Examples:
      p2p304 tournament withdraw cup
    """
    folder = cup.folder()
    record = cup.together(folder)
    try:
        folder.add(withdraw(folder.acting(record), folder.own_key))
    except LocalError as error:
        raise UserError(f"Nothing is withdrawn: {error}.") from None
    cup.together(folder)
    echo("Your team has withdrawn.")
    return 0
