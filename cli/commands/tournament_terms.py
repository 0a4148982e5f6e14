"""By what a tournament is played: game and rules, system, races, from options to a charter."""

from __future__ import annotations

import secrets
import tomllib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from cli.commands.options import game_options, gathered
from cli.errors import UserError
from cli.net.address import parse_nodes
from cli.sanitize import safe_text
from p2p304.games import agreed_game, agreement, full_agreement
from p2p304.tournament.bracket import LEAST_LUCK
from p2p304.tournament.systems import Elimination, RoundRobin, System, Unit
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.pieces import ID_BYTES, TournamentCharter, races_of, this_version
from protocol.wire.identity import PublicKey

_RACE_OF_TOKENS = "tokens_start = {}"
"""In a race for tokens that are set aside each side begins with as many as the race."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the options of a command say of a tournament's rules."""

    game: str
    profile: str | None
    house: tuple[str, ...]
    races: str | None
    third: str | None
    round_robin: int | None
    unit: str | None

    def charter(
        self,
        name: str,
        organiser: PublicKey,
        referees: tuple[PublicKey, ...],
        brokers: tuple[str, ...],
        dates: str = "",
    ) -> TournamentCharter:
        """Return a new tournament's charter; raises UserError, ProfileError or TournamentError."""
        game, profile = self.game, self.profile
        if game == "304" and profile is None and self.round_robin is None:
            profile = "championship"
        usual = Unit.TOKENS if profile == "championship" else Unit.MATCHES
        counted = Unit(self.unit) if self.unit else usual
        system = _system(self.races, self.third, self.round_robin, counted)
        for each in brokers:
            parse_nodes(each)
        texts = _profiles(game, profile, self.house, counted, races_of(system))
        _check_unit(game, texts[0], counted)
        try:
            return TournamentCharter(
                version=this_version(),
                id=secrets.token_bytes(ID_BYTES),
                name=name,
                dates=dates,
                game=game,
                seats=agreed_game(game, texts[0]).seats,
                system=system,
                profiles=tuple(texts),
                organiser=organiser,
                referees=referees,
                brokers=brokers,
            )
        except (MalformedMessage, LocalError) as error:
            why = safe_text(str(error), cells=200)
            raise UserError(f"No such tournament: {why}.") from None


terms_options = gathered(
    "terms",
    Terms,
    options=(
        click.option(
            "--unit",
            type=click.Choice([each.value for each in Unit]),
            default=None,
            help="What a race counts. [default: tokens in the profile championship, else matches]",
        ),
        click.option(
            "--round-robin", type=int, metavar="N", help="Each pair meets, in a race to N."
        ),
        click.option(
            "--third", metavar="N|none", default=None, help="Race for third place.  [default: 7]"
        ),
        click.option(
            "--races",
            default=None,
            metavar="N ...",
            help="Races of an elimination, the final's first; the last holds for all earlier"
            " rounds.  [default: 10 7]",
        ),
        partial(game_options, default="championship; pagat in a round robin"),
    ),
)
"""The options of game, system and races, as the one argument `terms` of the command."""


class TermsCommand(click.Command):
    """A command that takes `--races 10 7` as it takes `--races '10 7'`, and once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the numbers behind --races into one word."""
        if sum(each.partition("=")[0] == "--races" for each in args) > 1:
            raise UserError("Give --races once, all of them: --races 10 7.")
        if "--races" in args:
            at = end = args.index("--races") + 1
            while end < len(args) and args[end].replace(" ", "").isdecimal():
                end += 1
            if end > at:
                args = [*args[:at], " ".join(args[at:end]), *args[end:]]
        return super().parse_args(ctx, args)


def _from_file(ctx: click.Context, _: click.Parameter, file: Path | None) -> None:
    """Take from a TOML file what no option says."""
    if file is None:
        return
    try:
        given = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{file} is no file of terms: {safe_text(str(error), cells=200)}."
        ) from None
    told = {each.name: each for each in ctx.command.params}
    for name, value in given.items():
        if name not in told:
            known = ", ".join(sorted(str(each) for each in told if each not in {"path", "file"}))
            raise UserError(f"{file}: there is no '{safe_text(name, cells=40)}'; known: {known}.")
        if name == "races" and isinstance(value, list):
            given[name] = " ".join(map(str, value))
    ctx.default_map = given


file_option = click.option(
    "--file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=_from_file,
    help="Take what you do not say here from this TOML file, such as races = [10, 7].",
)
"""The option from which a new tournament takes the others."""


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
