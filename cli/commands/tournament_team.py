"""What a team signs: `p2p304 tournament enter`, by each of its players, `reserve`, `withdraw`."""

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
from cli.tournament.folder import RECORD, refused
from cli.tournament.telling import entry_text, power_lines
from protocol.errors import MalformedMessage
from protocol.tournament.acts import answer_call, call_reserve, calls, enter, to_sign, withdraw
from protocol.tournament.pieces import TeamEntry, TeamPlayer
from protocol.tournament.record import TournamentRecord
from protocol.tournament.words import prove
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
@click.option(
    "--reserve",
    "reserves",
    metavar="KEY=NAME",
    multiple=True,
    help="Who may sit in for a player later: 'p2p304 tournament reserve'.",
)
def command(
    cup: Carried,
    team: str,
    name: str | None,
    others: tuple[str, ...],
    reserves: tuple[str, ...],
) -> int:
    """Enter a team into the tournament of FOLDER, or sign the entry of a team that names you.

    One player, the captain, names the others (--with, and a --reserve); then each of them signs by
    the same command without --with. Nobody is entered by others, and the organiser can list an
    entry once all have signed it. Before the list the captain corrects an entry by entering it
    again. You are told what others may do, and asked, before you sign.

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
        if folder.word == "":
            raise UserError(
                "This invitation has no word: who enters a team needs one that the organiser made"
                " for it. With yours you sign the entry of a team that names you, or look on."
            )
        players = ((key.public, known_nickname(home(), name)), *map(_other, others))
        made = (team, players, tuple(map(_other, reserves)))
        entry = _entry(record, key.public, folder.word, *made)
    else:
        entry = _entry_of(record, team, key)
    for line in power_lines(record.charter, PeersFile(home())):
        echo(line)
    echo(f"The entry: {entry_text(entry)}")
    with refused("This cannot be signed"):
        raw = enter(record, entry, key)
    if raw not in record.raws and sys.stdin.isatty():
        click.confirm("Do you sign this entry?", abort=True)
    folder.add(raw)
    record = cup.together(folder)
    signed = {each.key for each in record.pieces.values() if each.content == entry}
    missing = [safe_name(each.nickname) for each in entry.signers if each.key not in signed]
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


_Named = tuple[tuple[PublicKey, str], ...]


def _entry(
    record: TournamentRecord,
    captain: PublicKey,
    word: str | None,
    team: str,
    players: _Named,
    reserves: _Named,
) -> TeamEntry:
    """Return the entry of a team of ours: the same one if we made it before, or one that corrects
    the last."""
    mine = [
        piece.content
        for piece in record.pieces.values()
        if isinstance(piece.content, TeamEntry) and piece.content.players[0].key == captain
    ]
    last = max(mine, key=lambda each: each.serial, default=None)
    if last is not None:
        named = [tuple((e.key, e.nickname) for e in each) for each in (last.players, last.reserves)]
        if (last.team, *named, bool(last.proof)) == (team, players, reserves, bool(word)):
            return last
        echo("This corrects your entry: it counts in its place once all of its players sign it.")
    sitting, waiting = (
        tuple(TeamPlayer(*each, secrets.token_bytes(NONCE_BYTES)) for each in some)
        for some in (players, reserves)
    )
    serial = 0 if last is None else last.serial + 1
    with refused("No such entry"):
        entry = TeamEntry(record.charter.digest, team, sitting, serial, waiting)
        return prove(entry, word) if word else entry


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


@click.command("reserve")
@carrying_options
@click.option("--for", "player", metavar="NAME", help="As the captain: who of you goes out.")
def reserve_command(cup: Carried, player: str | None) -> int:
    """Let the reserve of your team sit in for a player, from your next match on.

    The captain says --for whom. Then the reserve signs, by the same command without --for, and
    plays on. A match that has begun is ended by those who began it.

    \b
    Examples:
      p2p304 tournament reserve cup --for Ben    the captain
      p2p304 tournament reserve cup              the reserve
    """
    folder = cup.folder()
    judged, key = folder.acting(cup.together(folder)), folder.own_key
    with refused("Nothing is signed"):
        if player is not None:
            raws = [call_reserve(judged, key, player)]
            said = "It counts once the reserve has signed, too: 'p2p304 tournament reserve'."
        else:
            raws = [answer_call(judged, each, key) for each in calls(judged, key.public)]
            said = "You sit in: 'p2p304 tournament play'."
    if not raws:
        raise UserError("No captain calls you: it says --for whom you sit in, by this command.")
    folder.add(*raws)
    cup.together(folder)
    echo(said)
    return 0


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
    with refused("Nothing is withdrawn"):
        folder.add(withdraw(folder.acting(record), folder.own_key))
    cup.together(folder)
    echo("Your team has withdrawn.")
    return 0
