"""`p2p304 tournament new`: a charter, and the folder of its tournament."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from cli.commands.options import game_options
from cli.commands.tournament_options import folder_argument
from cli.errors import UserError
from cli.net.address import parse_nodes
from cli.sanitize import safe_text
from cli.store.identity import IdentityStore
from cli.store.paths import home
from cli.tournament.folder import INVITATION, TournamentFolder
from p2p304.games import agreed_game, agreement, full_agreement
from p2p304.tournament.draw import LEAST_LUCK
from p2p304.tournament.systems import Elimination, RoundRobin, System, Unit
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.pieces import ID_BYTES, TournamentCharter, races_of, this_version
from protocol.tournament.signing import found
from protocol.wire.identity import KEY_BYTES, PublicKey, SigningKey

_RACE_OF_TOKENS = "tokens_start = {}"
"""In a race for tokens that are set aside each side begins with as many as the race."""


@click.command("new")
@folder_argument
@click.option("--name", required=True, help="What it is called.")
@click.option("--dates", default="", help="When it is played, for people.")
@game_options
@click.option(
    "--races",
    default=None,
    metavar="N ...",
    help="Races of an elimination, the final's first; the last holds for all earlier rounds."
    "  [default: 10 7]",
)
@click.option("--third", metavar="N|none", default=None, help="Race for third place. [default: 7]")
@click.option("--round-robin", type=int, metavar="N", help="Each pair meets, in a race to N.")
@click.option(
    "--unit",
    type=click.Choice([each.value for each in Unit]),
    default=None,
    help="What a race counts. [default: tokens in the profile championship, else matches]",
)
@click.option(
    "--referee",
    "referees",
    metavar="KEY",
    multiple=True,
    help="The key of a referee ('p2p304 identity --json' shows it). [default: yours]",
)
@click.option("--broker", "brokers", metavar="URL", multiple=True, help="Where its tables meet.")
def command(
    path: Path,
    name: str,
    dates: str,
    game: str,
    profile: str | None,
    house: tuple[str, ...],
    races: str | None,
    third: str | None,
    round_robin: int | None,
    unit: str | None,
    referees: tuple[str, ...],
    brokers: tuple[str, ...],
) -> int:
    """Make a tournament in a new FOLDER, as its organiser.

    The organiser lists who takes part and can do nothing else: what teams and referees sign counts
    whoever carries it. Give the file `invitation` in the folder to those who may enter.

    \b
    Examples:
      p2p304 tournament new cup --name Cup --broker mqtts://broker.example
      p2p304 tournament new club --name Club --round-robin 3 --unit hands
    """
    if game == "304" and profile is None and round_robin is None:
        profile = "championship"
    counted = Unit(unit) if unit else Unit.TOKENS if profile == "championship" else Unit.MATCHES
    system = _system(races, third, round_robin, counted)
    keys = tuple(_key(each) for each in referees)
    for each in brokers:
        parse_nodes(each)
    if not keys:
        keys = (IdentityStore(home()).key(secrets.token_bytes).public,)
    texts = _profiles(game, profile, house, counted, races_of(system))
    seats = agreed_game(game, texts[0]).seats
    _check_unit(game, texts[0], counted)
    seed = secrets.token_bytes(KEY_BYTES)
    try:
        charter = TournamentCharter(
            version=this_version(),
            id=secrets.token_bytes(ID_BYTES),
            name=name,
            dates=dates,
            game=game,
            seats=seats,
            system=system,
            profiles=tuple(texts),
            organiser=SigningKey(seed).public,
            referees=keys,
            brokers=brokers,
        )
        record = found(charter, SigningKey(seed))
    except (MalformedMessage, LocalError) as error:
        raise UserError(f"No such tournament: {safe_text(str(error), cells=200)}.") from None
    folder = TournamentFolder.make(path, record, secrets.token_bytes(KEY_BYTES))
    folder.keep_organiser(seed)
    click.echo(f"The tournament is in {path}. Give the file")
    click.echo(f"  {path / INVITATION}")
    click.echo("to those who may enter; whoever has it can watch. When all have entered:")
    click.echo(f"  p2p304 tournament draw {path} --list")
    return 0


def _system(races: str | None, third: str | None, round_robin: int | None, unit: Unit) -> System:
    """Return the system that is asked for; raises UserError or TournamentError."""
    if round_robin is not None:
        if races is not None or third is not None:
            raise UserError("A round robin has one race: leave out --races and --third.")
        return RoundRobin(race=round_robin, unit=unit)
    usual = Elimination()
    try:
        numbers = tuple(map(int, races.split())) if races is not None else usual.races
        last = usual.third if third is None else None if third == "none" else int(third)
    except ValueError:
        raise UserError("Races are numbers, such as --races '10 7' --third 7.") from None
    return Elimination(numbers, last, unit)


def _key(text: str) -> PublicKey:
    try:
        return PublicKey(bytes.fromhex(text))
    except (ValueError, MalformedMessage):
        shown = safe_text(text, cells=80)
        raise UserError(f"'{shown}' is no key: 'p2p304 identity --json' shows one.") from None


def _profiles(
    game: str, profile: str | None, house: tuple[str, ...], unit: Unit, races: tuple[int, ...]
) -> list[str]:
    """Return the rules in full: one text, or for a race in tokens one for each race."""
    if unit is not Unit.TOKENS:
        return [full_agreement(game, agreement(game, profile, house))]
    if game != "304":
        raise UserError(f"{game} has no tokens: count matches or hands, with --unit.")
    return [
        full_agreement(game, agreement(game, profile, house, (_RACE_OF_TOKENS.format(race),)))
        for race in races
    ]


def _check_unit(game: str, text: str, unit: Unit) -> None:
    """Return if a match of this game has two sides, and can be raced for in this unit."""
    scores = tuple(agreed_game(game, text).new_match(bytes(LEAST_LUCK)).scores)
    if len(scores) != len(("one", "other")):
        raise UserError("A tournament is between two teams at a table, and this game has others.")
    if unit is Unit.TOKENS and any(scores):
        raise UserError("Tokens are raced for where they are set aside, as in the championship.")
