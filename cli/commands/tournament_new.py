"""`p2p304 tournament new`: a tournament is made, with the options about its rules."""

from __future__ import annotations

import secrets
import shlex
import sys
import tomllib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from cli.commands.options import PROFILES, USUAL, game_options, gather_options, option
from cli.commands.shell import echo
from cli.commands.tournament_options import a_file, folder_argument
from cli.errors import UserError
from cli.net.address import parse_nodes
from cli.sanitize import safe_text
from cli.store.identity import PeersFile, key_in
from cli.store.paths import home
from cli.tournament.folder import INVITATION, TournamentFolder, explain_refusal
from cli.tournament.telling import power_lines
from p2p304.games import GAMES, agreed_game, agreement, full_agreement
from p2p304.tournament.entries import MOST
from p2p304.tournament.tournament import LEAST_LUCK, Elimination, RoundRobin, System, Unit
from protocol.tournament.acts import new_record
from protocol.tournament.pieces import ID_BYTES, TournamentCharter
from protocol.version import PROTOCOL_VERSION
from protocol.wire.identity import KEY_BYTES, PublicKey, SigningKey

_RACE_OF_TOKENS = "tokens_start = {}"
"""In a race for tokens that are set aside each side begins with as many as the race."""
_SIDES = 2
"""Teams at a table: a game of more, each for itself, has no tournament here."""


def _scores(game: str, text: str) -> tuple[int, ...]:
    """Return the score with which each side begins a match, by the full text of an agreement: as
    many as there are sides.
    """
    # Any luck serves: it draws the dealer, not the scores.
    return tuple(agreed_game(game, text).new_match(bytes(LEAST_LUCK)).scores)


def _is_for_teams(game: str, profile: str | None = None) -> bool:
    """Tell whether a game is between two teams, by this profile or by its usual rules."""
    return len(_scores(game, full_agreement(game, agreement(game, profile)))) == _SIDES


@dataclass(frozen=True, slots=True)
class Terms:
    """The options about the rules of a tournament."""

    # Without `option`: declared by decorators above the command, see `gather_options`.
    game: str
    profile: str | None
    house: tuple[str, ...]
    races: str | None = option(
        "--races", metavar="N ...", help="Races, the final's first.  [default: 10 7]"
    )
    third: str | None = option(
        "--third", metavar="N|none", help="Race for third place.  [default: 7]"
    )
    round_robin: int | None = option(
        "--round-robin", type=int, metavar="N", help="Each pair meets, in a race to N."
    )
    unit: str | None = option(
        "--unit",
        type=click.Choice([each.value for each in Unit]),
        help="What a race counts.  [default: by the rules]",
    )

    def charter(
        self,
        name: str,
        organiser: PublicKey,
        referees: tuple[PublicKey, ...],
        brokers: tuple[str, ...],
        dates: str = "",
    ) -> TournamentCharter:
        """Return a new charter with a random id, with one agreement for all races, or one for each
        length of a race in tokens.

        Without a profile 304 is played by that of the championship, or in a round robin by the
        usual one. Raises UserError, ProfileError or TournamentError for terms or addresses that
        cannot be.
        """
        game, profile = self.game, self.profile
        # The usual tournament is the championship; a club's round robin plays by the usual rules.
        if game == "304" and profile is None and self.round_robin is None:
            profile = "championship"
        usual = Unit.TOKENS if profile == "championship" else Unit.MATCHES
        unit = Unit(self.unit) if self.unit else usual
        system = self._system(unit)
        for each in brokers:
            # For its error alone: a broker that nobody can dial must not get into a charter.
            parse_nodes(each)
        races = [(_RACE_OF_TOKENS.format(race),) for race in system.lengths]
        texts = tuple(
            full_agreement(game, agreement(game, profile, self.house, each))
            # `[()]`: one text for all races, with no parameter of its own.
            for each in (races if unit is Unit.TOKENS else [()])
        )
        if len(scores := _scores(game, texts[0])) != _SIDES:
            raise UserError("A tournament is between two teams at a table; these rules have more.")
        # Elsewhere both sides begin with tokens, and losing counts down.
        if unit is Unit.TOKENS and any(scores):
            raise UserError(
                "Tokens are raced for where they are set aside, as in the championship."
            )
        with explain_refusal("No such tournament"):
            return TournamentCharter(
                version=PROTOCOL_VERSION,
                id=secrets.token_bytes(ID_BYTES),
                name=name,
                dates=dates,
                game=game,
                seats=agreed_game(game, texts[0]).seats,
                system=system,
                profiles=texts,
                organiser=organiser,
                referees=referees,
                brokers=brokers,
            )

    def _system(self, unit: Unit) -> System:
        """Return the system that the options name, usual where they do not; raises UserError for
        options that do not fit, TournamentError for races that cannot be.
        """
        if self.round_robin is not None:
            if self.races is not None or self.third is not None:
                raise UserError("A round robin has one race: leave out --races and --third.")
            return RoundRobin(race=self.round_robin, unit=unit)
        usual, third = Elimination(), self.third
        try:
            races = usual.races if self.races is None else tuple(map(int, self.races.split()))
            last = usual.third
            if third is not None:
                # None: no match for third place.
                last = None if third == "none" else int(third)
        except ValueError:
            # `from None`: Python's words on numbers tell no player more.
            raise UserError("Races are numbers, such as --races '10 7' --third 7.") from None
        return Elimination(races, last, unit)


terms_options = gather_options(
    "terms",
    Terms,
    options=(
        partial(
            game_options,
            default="championship; pagat in a round robin",
            games=[each for each in GAMES if _is_for_teams(each)],
            profiles=[each for each in PROFILES if _is_for_teams(USUAL, each)],
        ),
    ),
)


class TermsCommand(click.Command):
    """A command that takes `--races 10 7` as it takes `--races '10 7'`, and once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the numbers behind --races into one word, and parse as click does; raises
        UserError for --races twice.
        """
        # Of two click would silently take the last.
        if sum(each.partition("=")[0] == "--races" for each in args) > 1:
            raise UserError("Give --races once, all of them: --races 10 7.")
        if "--races" in args:
            at = end = args.index("--races") + 1
            # "10 7" in quotes is one word already, and stays as it is.
            while end < len(args) and args[end].replace(" ", "").isdecimal():
                end += 1
            args = [*args[:at], *([" ".join(args[at:end])] if end > at else []), *args[end:]]
        return super().parse_args(ctx, args)


def _from_file(ctx: click.Context, _: click.Parameter, file: Path | None) -> None:
    """Read options from a TOML file as defaults, so that those on the command line go before
    them; None reads nothing. Raises UserError for an unreadable file and an unknown name.
    """
    if file is None:
        return
    try:
        given = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        why = safe_text(str(error))
        # `from None`: the sentence holds what the error said.
        raise UserError(f"{file} is no file of terms: {why}.") from None
    # A misspelt term must not be left out in silence: it cannot be changed later.
    # The folder and the file itself are named on the command line alone.
    known = {str(each.name) for each in ctx.command.params} - {"path", "file"}
    if unknown := sorted(given.keys() - known):
        # Cut: the file may be any, with a whole text in place of a name.
        name, named = safe_text(unknown[0], cells=40), ", ".join(sorted(known))
        raise UserError(f"{file}: there is no '{name}'; known: {named}.")
    if isinstance(races := given.get("races"), list):
        given["races"] = " ".join(map(str, races))
    # As defaults, so that an option on the command line goes before the file.
    ctx.default_map = given


def _ask(what: str) -> str:
    """Ask at the terminal; return the answer, "" for Enter alone."""
    return str(click.prompt(what, default="", show_default=False))


@click.command("new", cls=TermsCommand)
@folder_argument
@click.option(
    "--file",
    type=a_file(dir_okay=False),
    # Read before the other options, for which it sets defaults.
    is_eager=True,
    expose_value=False,
    callback=_from_file,
    help="Take what you do not say here from this TOML file, such as races = [10, 7].",
)
@click.option("--name", help="What it is called.  [default: you are asked]")
@click.option("--dates", default="", help="When it is played, for people.")
@terms_options
@click.option(
    "--referee", "referees", metavar="KEY", multiple=True, help="Who rules.  [default: you]"
)
@click.option("--broker", "brokers", metavar="URL", multiple=True, help="Where its tables meet.")
@click.option(
    "--words",
    type=click.IntRange(1, MOST),
    help="So many teams, each invited by a word of its own.",
)
def command(
    path: Path,
    name: str | None,
    dates: str,
    terms: Terms,
    referees: tuple[str, ...],
    brokers: tuple[str, ...],
    words: int | None,
) -> int:
    """Make a tournament in a new FOLDER, as its organiser.

    The organiser lists who takes part, and rules where no referee is named. Give the file
    `invitation` in the folder to those who may enter. What you do not say is asked.

    \b
    Examples:
      p2p304 tournament new cup --name Cup --broker mqtts://broker.example
      p2p304 tournament new club --name Club --round-robin 3 --unit hands
    """
    asks = sys.stdin.isatty()
    if name is None:
        if not asks:
            raise UserError("Give the tournament a name: --name, or one in a --file.")
        name = str(click.prompt("What the tournament is called"))
        # Asked beside the name alone: who gives that as an option gives dates there, too, or none.
        dates = dates or _ask("When it is played, if that is known")
    # A script is asked nothing: it would wait for ever.
    if asks and not brokers:
        asked = _ask("Its broker, such as mqtts://broker.example (Enter: records go as files)")
        brokers = (asked,) if asked else ()
    keys = tuple(map(key_in, referees))
    seed = secrets.token_bytes(KEY_BYTES)
    organiser = SigningKey(seed)
    record = new_record(terms.charter(name, organiser.public, keys, brokers, dates), organiser)
    folder = TournamentFolder.make(path, record, secrets.token_bytes(KEY_BYTES))
    # Here alone: whoever has this key can list entries and end the tournament.
    folder.keep_organiser(seed)
    for line in power_lines(record.charter, PeersFile(home())):
        echo(line)
    draw = f"p2p304 tournament draw {shlex.quote(str(path))}"
    invited, whom = path / INVITATION, "those who may enter"
    if words is not None:
        invited, *_ = folder.give_words(words)
        whom = f"the first team, and so on to {words}, each its own"
    echo(f"The tournament is in {path}. Give the file")
    click.echo(f"  {invited}")  # whole, to be copied
    echo(f"to {whom}; whoever has one can watch. Leave this running meanwhile:")
    click.echo(f"  {draw}")
    echo("and when all have entered:")
    click.echo(f"  {draw} --list")
    return 0
