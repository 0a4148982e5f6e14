"""`p2p304 stats`: counts what players did in hands that all seats signed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import click

from cli.commands.options import HandFile, argument, gather_options, json_option, option
from cli.errors import ExitCode, UserError
from cli.input_files import pieces_of, transcripts_of
from cli.local.bot_processes import known_bot_keys
from cli.peers import fingerprint
from cli.progress import progress
from cli.sanitize import cells_of, safe_name, safe_text
from cli.seat.charter_text import game_of
from cli.statistics import Statistics
from cli.store.identity import IdentityStore
from cli.store.paths import home
from cli.wording import capital
from p2p304.game import AnyGame
from p2p304.sentences import count_words
from protocol.transcript.results import FinishedHand, NotSigned, signed_results
from protocol.wire.identity import PublicKey

# Choices, by which rows fit 80 columns, and those of one player 60.
NAME: Final = 22  #: Cells of a name.
BAR: Final = 16  #: Cells of a whole bar.
# So few are read before a bar would be drawn.
FEW: Final = 20  #: Files that are read without a bar on the terminal.


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsOptions:
    """The options of `p2p304 stats`."""

    files: tuple[str, ...] = argument(metavar="[FILE]...", nargs=-1, type=HandFile())
    player: str | None = option(
        "--player",
        metavar="NAME",
        help="Show one player alone, by name or by the beginning of a key.",
    )
    # Without `option`: declared by decorators above the command, see `gather_options`.
    as_json: bool


@click.command("stats")
@gather_options("wishes", StatsOptions)
@json_option
def command(wishes: StatsOptions) -> ExitCode:
    """Count signed hands: games, bids by bracket, caps, partners, opponents.

    FILE is a transcript or a folder of them; by default all hands of this machine. A hand counts
    once, however many files hold it, if every seat signed its result. Signatures, history and rules
    are checked; proofs about hidden cards are left to 'p2p304 audit'. Signed hands carry no time,
    so tables are sorted by their charters: the same hands always give the same numbers.

    \b
    Examples:
      p2p304 stats                    everybody whom you played with
      p2p304 stats --player Amara     one player, with bars
      p2p304 stats archive --json     for a program
    """
    results, refused = _read(wishes.files)
    found = Statistics(results, known_bot_keys(home()))
    # What is told to people is what a program is told.
    told = found.as_json()
    # Files were named, and none of them holds anything to count: a script should notice.
    nothing = bool(wishes.files) and not (found.hands or found.disputed)
    code = ExitCode.UNUSABLE if nothing else ExitCode.DONE
    if wishes.as_json:
        click.echo(json.dumps(told | {"refused": refused}))
        return code
    if not found.hands:
        click.echo("No hand here has the signatures of all seats: there is nothing to count.")
    elif wishes.player is not None:
        for line in _of_one(_find_player(told["players"], wishes.player)):
            click.echo(line)
    else:
        for line in _of_all(told):
            click.echo(line)
    if found.disputed:
        click.echo(f"{count_words(found.disputed, 'hand')} left out: all seats signed two results.")
    for name, why in refused.items():
        # A path and a reason may hold what a stranger wrote: safe, and of bounded length (CL6).
        click.echo(f"Left out: {safe_text(name)}: {safe_text(why)}.")
    return code


def _read(
    names: tuple[str, ...],
) -> tuple[list[tuple[FinishedHand, AnyGame]], dict[str, str]]:
    """Return the signed results in these files and folders, each with its game, and for every file
    without one why; for no `names` those of this machine.

    Raises OSError if a file that was named cannot be read; one in a named folder is told among the
    others.
    """
    tables = home() / "tables"
    given = names or ((str(tables),) if tables.is_dir() else ())
    files = [*transcripts_of(given)]
    results: list[tuple[FinishedHand, AnyGame]] = []
    refused: dict[str, str] = {}
    with progress("Reading hands", len(files), quiet=len(files) <= FEW) as advance:
        for file in files:
            try:
                results += signed_results(pieces_of(file), game_of)
            # Not all signed, or no transcript: one file is left out and the others count (attacks
            # CL15).
            except (NotSigned, UserError) as error:
                # Without its full stop: the line that tells it ends with one.
                refused[file] = str(error).removesuffix(".")
            except OSError as error:
                # A file that was named must be read; one that a folder held may be passed over.
                if file in given:
                    raise
                # An error that was made without an errno has no `strerror`.
                refused[file] = error.strerror or type(error).__name__
            advance(1)
    return results, refused


# A player as `Statistics.as_json` has it.
Player = dict[str, Any]


def _find_player(players: list[Player], said: str) -> Player:
    """Return the player whose name is `said`, or whose key or fingerprint begins with it, of at
    least four signs. Raises UserError for none or several.
    """
    wanted = "".join(said.split()).lower()
    found = [
        player
        for player in players
        # A bot by its whole name or without "Bot" before it, as the list shows it.
        if said.lower().strip() in (player["name"].lower(), _player_name(player).lower())
        # Three letters would meet too many keys.
        or (len(wanted) > 3 and player["key"].startswith(wanted))
        # A fingerprint is shown in groups, and in capitals.
        or (len(wanted) > 3 and _key(player).replace(" ", "").lower().startswith(wanted))
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        # A dozen: more names than that fill the screen.
        known = ", ".join(safe_name(player["name"]) for player in players[:12])
        raise UserError(f"Nobody here is called {safe_name(said)}; there are: {known}.")
    keys = "; ".join(_key(player) for player in found)
    raise UserError(f"Several are called {safe_name(said)}, so name the key: {keys}.")


def _player_name(player: Player) -> str:
    """Return a player's name; that of a bot of this machine without "Bot" before it, if a name
    follows.
    """
    # "Bot 2" has no name of its own behind the word, so it stays whole.
    name: str = player["name"]
    short = name.removeprefix("Bot ")
    return short if player["bot"] and short[:1].isalpha() else name


def _key(player: Player) -> str:
    """Return the fingerprint of a player's key."""
    return fingerprint(PublicKey(bytes.fromhex(player["key"])))


def _role(player: Player) -> str:
    """Return the note behind a player's name: " (you)" for our own key, or " (bot)" for a bot of
    this machine; "" for others.
    """
    # A bot has a key of its own, so that nobody is both.
    if player["bot"]:
        return " (bot)"
    own = IdentityStore(home()).public_key
    return " (you)" if own is not None and own.to_bytes().hex() == player["key"] else ""


def _pad(text: str, cells: int) -> str:
    """Return the text filled with spaces to this many cells."""
    # By cells, not characters: names may hold wide signs.
    return text + " " * max(0, cells - cells_of(text))


def _of_all(told: dict[str, Any]) -> Iterator[str]:
    """Yield how many hands were signed, a heading, and a row for each player: hands, matches,
    bids made.
    """
    hands = count_words(told["hands"], "hand")
    yield f"{hands} signed by all seats, {told['played']} of them played."
    yield ""
    yield f"{'':<{NAME}}  hands   won  matches  bids made"
    for player in told["players"]:
        role = _role(player)
        name = safe_name(_player_name(player), cells=NAME - len(role)) + role
        # Bids of all brackets together; the list of one player has them apart.
        bids = [each for each in player["undertaken"] if each["what"] == "bid"]
        made = f"{sum(each['made'] for each in bids)}/{sum(each['tried'] for each in bids)}"
        matches = f"{player['matches_won']}/{player['matches']}"
        row = f"{_pad(name, NAME)}  {player['hands']:>5} {player['won']:>5}  {matches:>7}"
        yield f"{row}  {made:>9}"


def _of_one(player: Player) -> Iterator[str]:
    """Yield lines with all counts of one player."""
    yield f"{safe_name(_player_name(player))}{_role(player)}, key {_key(player)}"
    yield (
        f"{count_words(player['hands'], 'hand')} played: {player['won']} won,"
        f" {player['lost']} lost."
    )
    yield f"Matches won: {player['matches_won']} of {player['matches']}."
    for (game, what), deeds in groupby(player["undertaken"], key=itemgetter("game", "what")):
        yield ""
        yield f"{capital(what)} in {safe_name(game)}: made of tried"
        yield from (_row(each["kind"], each["made"], each["tried"]) for each in deeds)
    for title, others in (("With", player["partners"]), ("Against", player["opponents"])):
        if others:
            yield ""
            yield f"{title}: hands won of those with a winner"
            for each in others:
                # As wide as in `_row`, which has fewer columns than the list of all players.
                yield _row(safe_name(each["name"], cells=24), each["won"], each["hands"])


def _row(name: str, done: int, tried: int) -> str:
    """Return a row: a name, successes of tries, of which there is at least one, and their share,
    also as a bar.
    """
    # 24 cells for a name: such a row has fewer columns than the list of all players.
    shown = f"  {_pad(name, 24)}  {f'{done}/{tried}':>7}  {done / tried:>4.0%}"
    # A letter that every terminal has.
    return f"{shown}  {'#' * round(BAR * done / tried)}".rstrip()
