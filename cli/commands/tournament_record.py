"""The commands on a tournament's record, from `p2p304 tournament new` to `audit`."""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from cli.bounds import RECORD_QUIET
from cli.commands.nickname import known_nickname
from cli.commands.options import (
    PROFILES,
    USUAL,
    game_option,
    gather_options,
    house_rules,
    json_option,
    option,
    profile_option,
)
from cli.commands.seating import credentials_option
from cli.commands.shell import echo
from cli.errors import ExitCode, UserError
from cli.net.address import parse_nodes
from cli.net.credentials import NO_CREDENTIALS, Credentials, credentials_from_file
from cli.net.transport import TransportError
from cli.sanitize import ERROR_CELLS, LIST_CELLS, safe_name, safe_text
from cli.store.identity import THE_KEY, PeersFile, key_in
from cli.store.paths import home
from cli.store.settings import checked_nickname
from cli.tournament import telling
from cli.tournament.folder import (
    INVITATION,
    INVITATIONS,
    RECORD,
    Due,
    TournamentAudit,
    TournamentFolder,
    audit_tournament,
    certain,
    exchange,
    explain_refusal,
    over,
    read_record,
)
from p2p304.errors import TournamentError
from p2p304.game import AnyGame
from p2p304.games import GAMES, agreed_game, agreement, create_game, full_agreement
from p2p304.sentences import count_words
from p2p304.tournament.tournament import (
    LEAST_LUCK,
    MOST,
    RoundRobin,
    System,
    Unit,
    parse_system,
)
from protocol.tournament import acts
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import ID_BYTES, TeamEntry, TeamPlayer, TournamentCharter, prove
from protocol.tournament.record import TournamentRecord
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import NONCE_BYTES
from protocol.wire.identity import KEY_BYTES, PublicKey, SigningKey


def confirmed(question: str) -> None:
    """Ask a yes-or-no question at a terminal, if there is one; "no" aborts the command."""
    if sys.stdin.isatty():
        click.confirm(question, abort=True)


def _echo(*lines: str, err: bool = False) -> None:
    """Print lines to standard output or, with `err`, to standard error."""
    for line in lines:
        echo(line, err=err)


a_file = partial(click.Path, path_type=Path)
#: The argument FOLDER, as `path`.
folder_argument = click.argument("path", metavar="FOLDER", type=a_file(file_okay=False))
invitation_option = click.option(
    "--invitation",
    metavar="FILE",
    type=a_file(dir_okay=False),
    help="What the organiser gave you, the first time; FOLDER is made.",
)


@dataclass(frozen=True, slots=True)
class Cup:
    """The folder that a command works on, and the way to the others who have the record."""

    folder: TournamentFolder
    offline: bool
    credentials: Credentials

    @classmethod
    def open(
        cls,
        path: Path,
        taken: tuple[Path, ...] = (),
        *,
        offline: bool = False,
        credentials_file: Path | None = None,
        invitation: Path | None = None,
    ) -> Cup:
        """Open a folder, or make it by an `invitation`; unite its record with those in `taken`."""
        folder = TournamentFolder(path)
        if invitation is not None:
            folder = TournamentFolder.accept(path, invitation)
        # Kept at once, so that what was taken is not lost if the broker fails.
        folder.unite(folder.record, *map(read_record, taken))
        file = credentials_file
        given = NO_CREDENTIALS if file is None else credentials_from_file(file)
        # A charter may name no broker: then records are carried as files.
        return cls(folder, offline or not folder.nodes, given)

    def together(
        self, due: Due = lambda _: (), quiet: float | None = RECORD_QUIET, **more: Any
    ) -> JudgedRecord:
        """Send the pieces that are `due`, hear the others, and return the judged record."""
        if not self.offline:
            # A warning: standard output may be one JSON object.
            more |= {"credentials": self.credentials, "elsewhere": partial(echo, err=True)}
            try:
                asyncio.run(exchange(self.folder, due=due, quiet=quiet, **more))
            # What was signed stands in the folder, and can be carried as a file.
            except TransportError as error:
                told = safe_text(str(error), cells=ERROR_CELLS)
                echo(f"{told} The record stays a file meanwhile.", err=True)
        # What is due, if no broker was asked or reached; again, as one piece may make another due.
        while raws := due(self.folder.judged_record):
            self.folder.add(*raws)
        return self.folder.judged_record

    def say(self, *raws: bytes) -> JudgedRecord:
        """Keep these pieces of ours, send them unless offline, and return the judged record."""
        self.folder.add(*raws)  # on the disk first: it must be said again after a crash
        return self.together()


_TAKE: Final = click.option(
    "--take", "taken", metavar="FILE", multiple=True, type=a_file(), help="Unite with this record."
)
_OFFLINE: Final = click.option(
    "--offline", is_flag=True, help="Ask no broker: records come as files."
)
_opened = partial(gather_options, "cup", Cup.open)
# An audit asks nobody: what it says follows from files alone.
#: FOLDER and the option --take, as the one argument `cup`.
cup_of_files = _opened(options=(_TAKE, folder_argument))
# No --offline: results that others signed meanwhile go before a ruling (12.2).
#: FOLDER and the option --credentials, as the one argument `cup`.
cup_of_referee = _opened(options=(credentials_option, folder_argument))
#: FOLDER and the options --take, --offline and --credentials, as the one argument `cup`.
cup_options = _opened(options=(credentials_option, _OFFLINE, _TAKE, folder_argument))


_SIDES = 2  #: Teams at a table: a game of more, each for itself, has no tournament here.


def _scores(game: AnyGame) -> tuple[int, ...]:
    """Return the score with which each side begins a match."""
    # Any luck serves: it draws the dealer, not the scores.
    return tuple(game.new_match(bytes(LEAST_LUCK)).scores)


@dataclass(frozen=True, slots=True)
class Terms:
    """The options about the rules of a tournament."""

    game: str  # without `option`: declared by decorators above the command, see `gather_options`
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
        """Return a new charter, or raise UserError or GameError for terms that cannot be."""
        game, profile = self.game, self.profile
        # The usual tournament is the championship; a club's round robin plays by the usual rules.
        if game == "304" and profile is None and self.round_robin is None:
            profile = "championship"
        # The championship alone sets tokens aside, to be raced for; elsewhere won matches count.
        usual = Unit.TOKENS if profile == "championship" else Unit.MATCHES
        unit = Unit(self.unit) if self.unit else usual
        system = self._system(unit)
        for each in brokers:
            parse_nodes(each)  # for its error: a broker that nobody can dial gets into no charter
        # In a race for tokens that are set aside each side begins with as many as the race.
        races = [(f"tokens_start = {race}",) for race in system.lengths]
        texts = tuple(
            full_agreement(game, agreement(game, profile, self.house, each))
            # `[()]`: one text for all races, with no parameter of its own.
            for each in (races if unit is Unit.TOKENS else [()])
        )
        # The first text stands for all: they differ in the tokens of their race alone.
        played = agreed_game(game, texts[0])
        if len(_scores(played)) != _SIDES:
            raise UserError("A tournament is between two teams at a table; these rules have more.")
        # Elsewhere both sides begin with tokens, and losing counts down.
        if unit is Unit.TOKENS and any(_scores(played)):
            raise UserError("Tokens are raced for where they are set aside, as in championship.")
        drawn = secrets.token_bytes(ID_BYTES)
        told = (PROTOCOL_VERSION, drawn, name, dates, game, played.seats, system, texts)
        with explain_refusal("No such tournament"):
            return TournamentCharter(*told, organiser, referees, brokers)

    def _system(self, unit: Unit) -> System:
        """Return the system that the options name, usual where they do not."""
        if self.round_robin is not None:
            if self.races is not None or self.third is not None:
                raise UserError("A round robin has one race: leave out --races and --third.")
            return RoundRobin(race=self.round_robin, unit=unit)
        races, third = self.races or "10 7", self.third or "7"
        try:
            return parse_system(f"elimination {unit.value} races {races} third {third}")
        except TournamentError as error:
            said = f"Races are numbers, such as --races '10 7' --third 7: {error}."
            raise UserError(said) from None


terms_options = gather_options(
    "terms",
    Terms,
    options=(
        house_rules,
        profile_option(
            [each for each in PROFILES if len(_scores(create_game(USUAL, each))) == _SIDES],
            default="championship; pagat in a round robin",
        ),
        game_option([each for each in GAMES if len(_scores(create_game(each))) == _SIDES]),
    ),
)


class TermsCommand(click.Command):
    """A command that takes `--races 10 7` as it takes `--races '10 7'`, and once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the numbers behind --races into one word, and parse as click does."""
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
    """Read a TOML file as defaults: options on the command line go before them."""
    if file is None:
        return
    try:
        given = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:  # ValueError: it is no TOML, or no UTF-8
        raise UserError(f"{file} is no file of terms: {safe_text(str(error))}.") from None
    # A misspelt term must not be left out in silence: it cannot be changed later.
    known = {str(each.name) for each in ctx.command.params} - {"path", "file"}
    if unknown := sorted(given.keys() - known):
        # Cut: the file may be any, with a whole text in place of a name.
        name, named = safe_text(unknown[0], cells=40), ", ".join(sorted(known))
        raise UserError(f"{file}: there is no '{name}'; known: {named}.")
    # A list in the file, such as [10, 7]; the option takes one text, "10 7".
    if isinstance(races := given.get("races"), list):
        given["races"] = " ".join(map(str, races))
    ctx.default_map = given


@click.command("new", cls=TermsCommand)
@folder_argument
@click.option(
    "--file",
    type=a_file(dir_okay=False),
    # Read before the other options, for which it sets defaults; the command needs it no more.
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
def new_command(
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
      p2p304 tournament new club --name Club --round-robin 3 --unit hands"""
    asks = sys.stdin.isatty()  # a script is asked nothing: it would wait for ever
    if name is None:
        if not asks:
            raise UserError("Give the tournament a name: --name, or one in a --file.")
        name = str(click.prompt("What the tournament is called"))
    if asks and not brokers:
        said = "Its broker, such as mqtts://broker.example (Enter: records go as files)"
        asked = click.prompt(said, default="", show_default=False)
        brokers = (asked,) if asked else ()
    keys, seed = tuple(map(key_in, referees)), secrets.token_bytes(KEY_BYTES)
    organiser = SigningKey(seed)
    record = acts.new_record(terms.charter(name, organiser.public, keys, brokers, dates), organiser)
    # With words the common invitation lets nobody enter; it still lets one watch.
    word = None if words is None else ""
    folder = TournamentFolder.make(path, record, secrets.token_bytes(KEY_BYTES), word)
    # Here alone: whoever has this key can list entries and end the tournament.
    folder.keep_organiser(seed)
    _echo(*telling.power_lines(record.charter, PeersFile(home())))
    # By the path as it was typed: that of `folder` is absolute, too long to type again.
    draw = TournamentFolder(path).command("draw")
    invited, whom = path / INVITATION, "those who may enter"
    if words is not None:
        folder.give_words(words)
        invited = path / INVITATIONS / "1"
        whom = f"the first team, and so on to {words}, each its own"
    echo(f"The tournament is in {path}. Give the file")
    click.echo(f"  {invited}")  # whole, to be copied
    echo(f"to {whom}; whoever has one can watch. Leave this running meanwhile:")
    click.echo(f"  {draw}")
    echo("and when all have entered, the same with --list.")
    return 0


# Any number of times, of which each says KEY=NAME.
_named = partial(click.option, metavar="KEY=NAME", multiple=True)


@click.command("enter")
@cup_options
@invitation_option
@click.option("--team", required=True, help="The team to enter, or of whose entry you sign.")
@click.option("--name", metavar="NAME", help="Your nickname in this tournament.")
@_named("--with", "others", help=f"The next player of your team, by seat. KEY: {THE_KEY}.")
@_named("--reserve", "reserves", help=f"Who may sit in later ('reserve'). KEY: {THE_KEY}.")
def enter_command(
    cup: Cup, team: str, name: str | None, others: tuple[str, ...], reserves: tuple[str, ...]
) -> int:
    """Enter a team into the tournament of FOLDER, or sign the entry of a team that names you.

    The captain names the others, --with and a --reserve; each of them signs by the same command
    without these. Entering again before the list corrects the entry.

    \b
    Examples:
      p2p304 tournament enter cup --invitation FILE --team Lions --with 5f..=Ben
      p2p304 tournament enter cup --invitation FILE --team Lions      as Ben"""
    folder, key = cup.folder, cup.folder.own_key
    record = cup.together().record
    if record.lists:
        raise UserError("The entries are listed already: nobody enters any more.")
    if not others:  # a captain names somebody: a team has two players or more
        if reserves:
            raise UserError("The captain alone names a reserve, beside the others: --with.")
        entry = _entry_of(record, team, key)
    # Empty where words are asked for and ours has none; None where anybody may enter.
    elif (word := folder.invitation.word) == "":
        raise UserError("This invitation has no word: the organiser has one for each team.")
    else:
        named = ((key.public, known_nickname(home(), name)), *map(_other, others))
        entry = _entry(record, team, named, tuple(map(_other, reserves)), word)
    _echo(*telling.power_lines(record.charter, PeersFile(home())))
    echo(f"The entry: {telling.entry_text(entry)}")
    with explain_refusal("This cannot be signed"):
        raw = acts.enter(record, entry, key)
    # The same entry gives the same bytes: who signed it before is not asked again.
    if raw not in record.raws:
        confirmed("Do you sign this entry?")
    signed = {each.key for each in cup.say(raw).record.of(TeamEntry) if each.content == entry}
    missing = [safe_name(each.nickname) for each in entry.signers if each.key not in signed]
    shown = telling.team_name(team, telling.TEAM_CELLS)
    if not missing:
        echo(f"{shown} has entered: all of its players have signed.")
        return 0
    echo(f"{shown} waits for the signature of {', '.join(missing)}: leave")
    echo(f"'{folder.command('draw')}' running, or send {folder.path / RECORD} (they --take it).")
    return 0


_Named = tuple[tuple[PublicKey, str], ...]


def _entry(
    record: TournamentRecord, team: str, named: _Named, reserves: _Named, word: str | None
) -> TeamEntry:
    """Return the last entry of a captain, first in `named`, if it says the same, else a new one."""
    entries = (each.content for each in record.of(TeamEntry))
    mine, serial = [each for each in entries if each.captain == named[0][0]], 0
    if mine:
        last = max(mine, key=lambda each: each.serial)
        made = [[each[:2] for each in some] for some in (last.players, last.reserves)]
        # Without nonces: a new one alone would make another entry, which all must sign.
        if (last.team, made, bool(last.proof)) == (team, [[*named], [*reserves]], bool(word)):
            return last
        serial = last.serial + 1
        echo("This corrects your entry: it counts in its place once all of its players sign it.")
    sitting, waiting = (
        tuple(TeamPlayer(*each, secrets.token_bytes(NONCE_BYTES)) for each in some)
        for some in (named, reserves)
    )
    with explain_refusal("No such entry"):
        entry = TeamEntry(record.charter.digest, team, sitting, serial, waiting)
        return prove(entry, word) if word else entry


def _entry_of(record: TournamentRecord, team: str, key: SigningKey) -> TeamEntry:
    """Return the newest entry of this team that names us; who signed it before sends it again."""
    every = {each.id: each.content for each in record.of(TeamEntry) if each.content.team == team}
    named = [e for e in every.values() if any(one.key == key.public for one in e.signers)]
    if not named:
        shown = telling.team_name(team, telling.TEAM_CELLS)
        mine = key.public.to_bytes().hex()
        raise UserError(
            f"No entry of a team {shown} waits for you here: its captain enters it, with your key"
            f" {mine}, and leaves 'p2p304 tournament draw' running, or you --take its record."
        )
    last = max(each.serial for each in named)
    newest = [each for each in named if each.serial == last]
    # A serial corrects entries of one captain alone (10.5).
    if len(newest) > 1 or len({each.captain for each in named}) > 1:
        raise UserError(
            "Several entries of that team name you: its captain corrects it, or another captain"
            " takes another name."
        )
    return newest[0]


def _other(text: str) -> tuple[PublicKey, str]:
    """Return the key and nickname in KEY=NAME; raises UserError for other text."""
    key, _, name = text.partition("=")
    return key_in(key), checked_nickname(name)


_numbers = partial(click.option, metavar="NUMBER", multiple=True, type=click.IntRange(min=1))


@click.command("draw")
@cup_options
@click.option(
    "--list", "listing", is_flag=True, help="As the organiser: take all complete entries."
)
@_numbers("--refuse", help="With --list: leave this entry out; 'status' shows its number.")
@_numbers("--only", help="With --list: take these alone.")
@click.option("--absent", metavar="TEAM", multiple=True, help="As a referee: draw without them.")
def draw_command(
    cup: Cup,
    refuse: tuple[int, ...],
    only: tuple[int, ...],
    absent: tuple[str, ...],
    *,
    listing: bool,
) -> int:
    """Draw luck together with all captains; the order of the teams follows from it.

    Captains and organiser leave this running until all have drawn. Nobody can choose the luck: each
    fixes a share before any is opened. Before the list it passes on entries.

    \b
    Examples:
      p2p304 tournament draw cup                    every captain
      p2p304 tournament draw cup --list --refuse 3  the organiser, at last"""
    if (refuse or only) and not listing:
        raise UserError("--refuse and --only say which entries the organiser takes: add --list.")
    folder, said = cup.folder, set[str]()
    if listing or absent:  # heard first: what these two sign cannot be taken back
        cup.together()
    if listing:
        _list(folder, refuse, only)
    if absent:
        # Who may not rule signs with the own key, which `acts.restart` refuses with the reason.
        key = folder.referee or folder.own_key
        with explain_refusal("The draw is not made again"):
            folder.add(acts.restart(certain(folder.judged_record), key, absent))
    mine = folder.signing_keys  # one person may be captain and organiser

    def due(judged: JudgedRecord) -> tuple[bytes, ...]:
        raws = (acts.draw_on(judged, key) for key in mine)
        return tuple(raw for raw in raws if raw is not None)

    def done(judged: JudgedRecord) -> bool:
        # Of two draws neither may be ours: nothing that we wait for will come.
        return judged.head is not None or not judged.certain

    def tell(judged: JudgedRecord) -> None:
        _echo(*telling.news(judged, said))

    # None: to stay until `done`.
    judged = cup.together(due, quiet=None, done=done, told=tell)
    tell(judged)  # offline, or where no broker answers, nothing was told yet
    certain(judged)
    if judged.head is not None:  # with --offline it may not be settled yet
        echo(f"All have drawn. Each player goes on with '{folder.command('play')}'.")
    return 0


def _list(folder: TournamentFolder, refuse: tuple[int, ...], only: tuple[int, ...]) -> None:
    """Sign the list of entries, after a question at a terminal, unless there is one already."""
    record, organiser = folder.record, folder.as_organiser("lists the entries")
    if record.lists:
        return
    entries = record.standing_entries
    if not entries:
        raise UserError(
            "No entry that all of its players have signed has come yet: leave"
            f" '{folder.command('draw')}' running while they enter, or --take their records."
        )
    if (most := max((*refuse, *only), default=0)) > len(entries):
        _echo(*telling.entry_lines(record), err=True)
        raise UserError(f"No entry has the number {most}: they are numbered above.")
    numbered = enumerate(entries, 1)
    ids = tuple(e for at, e in numbered if at not in refuse and (not only or at in only))
    for name in ids:
        echo(f"Listed: {telling.entry_text(entries[name])}")
    with explain_refusal("These entries cannot meet"):
        raw = acts.list_entries(record, organiser, ids)
    confirmed("These teams take part, and no others?")  # a second list would convict
    folder.add(raw)


@click.command("reserve")
@cup_options
@click.option("--for", "player", metavar="NAME", help="As the captain: who of you goes out.")
def reserve_command(cup: Cup, player: str | None) -> int:
    """Let the reserve of your team sit in for a player, from your next match on.

    The captain says --for whom; then the reserve signs, by the same command without it.

    \b
    Examples:
      p2p304 tournament reserve cup --for Ben    the captain
      p2p304 tournament reserve cup              the reserve"""
    judged, key = certain(cup.together()), cup.folder.own_key
    with explain_refusal("Nothing is signed"):
        if player is not None:
            cup.say(acts.call_reserve(judged, key, player))
            echo("It counts once the reserve has signed, too: 'p2p304 tournament reserve'.")
        elif answers := acts.answer_calls(judged, key):
            cup.say(*answers)
            echo("You sit in: 'p2p304 tournament play'.")
        else:
            raise UserError("No captain calls you: it says --for whom you sit in, by this command.")
    return 0


@click.command("withdraw")
@cup_options
def withdraw_command(cup: Cup) -> int:
    """Withdraw your team, as its captain: it loses every match that it has not played.

    What it has played stands. Nobody can take this back.

    \b
    Examples:
      p2p304 tournament withdraw cup"""
    judged = certain(cup.together())
    with explain_refusal("Nothing is withdrawn"):
        cup.say(acts.withdraw(judged, cup.folder.own_key))
    echo("Your team has withdrawn.")
    return 0


@click.command("status")
@cup_options
@click.option("--csv", is_flag=True, help="Print the standing as a table for others.")
@click.option("--pairings", is_flag=True, help="Print who meets whom now.")
@click.option("--end", "ending", is_flag=True, help="As the organiser: sign that all is decided.")
@click.option("--follow", is_flag=True, help="Stay to the end: tell what changes, and pass it on.")
@json_option
@invitation_option
def status_command(
    cup: Cup,
    *,
    csv: bool,
    pairings: bool,
    ending: bool,
    follow: bool,
    as_json: bool,
) -> int:
    """Show the bracket, the matches and the standing, as they follow from the record.

    What others have signed is heard from whoever is there at the same time, such as somebody who
    follows. With an --invitation this makes a folder. Exit code 1: somebody is convicted.

    \b
    Examples:
      p2p304 tournament status cup --follow
      p2p304 tournament status cup --take friend.p304t --offline"""
    if sum((csv, pairings, as_json)) > 1:
        raise UserError("One at a time: --csv, --pairings and --json.")
    folder, said = cup.folder, set[str]()
    if follow:
        cup.together(quiet=None, done=over, told=lambda now: _echo(*telling.news(now, said)))
    else:
        nobody = "Nobody is there to say what was signed since: --follow waits, --take reads files."
        cup.together(alone=partial(echo, nobody, err=True))
    if ending:
        organiser = folder.as_organiser("ends the tournament")
        with explain_refusal("The tournament does not end"):
            # After we heard the others: an end must go past no result (12.7).
            raw = acts.end(certain(folder.judged_record), organiser)
        cup.say(raw)
    judged = folder.judged_record
    if as_json:
        click.echo(json.dumps(_as_json(judged)))
    elif csv or pairings:
        for row in telling.csv_rows(judged) if csv else telling.pairing_lines(judged):
            click.echo(row)
    else:
        _echo(*telling.status_lines(judged, width=shutil.get_terminal_size().columns))
    return ExitCode.CHECK_FAILED if judged.convictions else ExitCode.DONE


def _as_json(judged: JudgedRecord) -> dict[str, object]:
    """Return the fields that `status --json` prints, those of each fork among them."""
    return {
        "tournament": judged.record.charter.digest.hex(),
        "name": judged.record.charter.name,
        "waits": judged.waits or None,
        "ready": [
            {"match": each.number, "teams": list(each.teams), "race": each.race}
            for each in judged.matches
            if each.ready
        ],
        "ignored": sorted(each.hex() for each in judged.ignored),
        "disputed": sorted(judged.disputed_results),
        "ended": judged.ended,
        "forks": [_as_json(each) for each in judged.forks],
        "convicted": list(telling.conviction_lines(judged)),
        "text": judged.text,
        "champion": None if judged.tournament is None else judged.tournament.champion,
    }


@click.command("audit")
@cup_of_files
@click.option("--jobs", type=click.IntRange(min=1), help="Files to judge at a time.")
@json_option
def audit_command(cup: Cup, jobs: int | None, *, as_json: bool) -> int:
    """Check a tournament: its record, every proof of its transcripts, and that both agree.

    Nobody is trusted or asked. Copy the folders match-001 and so on of a player of each match into
    yours before. Exit code 1: something does not hold, or somebody is convicted; 2: no such file.

    \b
    Examples:
      p2p304 tournament audit cup --take other/tournament.p304t"""
    judged = cup.folder.judged_record
    found = audit_tournament(judged, cup.folder.transcripts, jobs)
    if as_json:
        shown = _as_json(judged)
        told = {
            "valid": not found.wrong,
            "wrong": found.wrong,
            "matches": found.matches,
            "lacking": found.lacking,
            "files": found.files,
            "hands": found.hands,
            **{name: shown[name] for name in ("convicted", "text", "champion")},
        }
        click.echo(json.dumps(told))
    else:
        _echo(*(safe_text(each, cells=LIST_CELLS) for each in _audit_lines(found)))
    return ExitCode.CHECK_FAILED if found.wrong else ExitCode.DONE


def _audit_lines(found: TournamentAudit) -> Iterator[str]:
    """Yield the lines that `audit` prints: what is borne out, and what is wrong."""
    judged = found.judged
    if judged.waits:
        yield f"so far {judged.waits}"
    for number, each in enumerate(judged.forks, 2):  # from 2: the first draw is what is told below
        yield f"draw {number} of the same organiser:"
        yield from (each.text or "").splitlines()
    borne = ", ".join(map(str, found.matches)) or "none"
    files = f"{count_words(found.hands, 'hand')} in {count_words(found.files, 'file')} judged"
    yield f"{files}; results borne out: {borne}"
    yield from (f"invalid: {each}" for each in found.wrong)
    if found.lacking:
        yield "  Copy the folders match-001 and so on of anybody who played there into yours."
    # A tournament of walk-overs alone is valid, too.
    if not found.wrong and judged.counted and judged.tournament is not None:
        shown = telling.team_name(judged.tournament.champion, telling.TEAM_CELLS)
        won = f", and the champion is {shown}" if judged.tournament.champion else ""
        yield f"valid: the standing follows from what was signed and played{won}"
    elif not found.wrong:
        files = f"; files judged that count for nothing so far: {found.files}"
        so_far = "valid so far: no result that counts has been signed yet"
        yield f"{so_far}{files if found.files else ''}"
