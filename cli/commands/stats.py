"""`p2p304 stats`: counts what players did in hands that all seats signed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

import click

from cli.commands.display import letters_alone
from cli.commands.options import HandFile, argument, gather_options, json_option, option
from cli.errors import ExitCode, UserError
from cli.input_files import InputFile, transcripts_of
from cli.local.bot_processes import known_bot_keys
from cli.peers import fingerprint
from cli.progress import progress
from cli.sanitize import cells_of, safe_name, safe_text
from cli.seat.charter_text import game_of
from cli.statistics import PlayerStatistics, Statistics, TriedCount
from cli.store.identity import IdentityStore
from cli.store.paths import home
from cli.wording import capital
from p2p304.game import AnyGame
from p2p304.sentences import count_words
from protocol.transcript.results import FinishedHand, NotSigned, signed_results
from protocol.wire.identity import PublicKey

# Choices, by which rows fit 80 columns.
BAR: Final = 20  #: Cells of a whole bar.
NAME: Final = 22  #: Cells of a name.
LEAST_CELLS: Final = 80  #: Cells of a terminal in whose lines there is room for bars.
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
    bots = known_bot_keys(home())
    found = Statistics(results, bots)
    # Files were named, and none of them holds anything to count: a script should notice.
    nothing = bool(wishes.files) and not (found.hands or found.disputed)
    code = ExitCode.UNUSABLE if nothing else ExitCode.DONE
    if wishes.as_json:
        told = found.as_json()
        for player in told["players"]:
            key = bytes.fromhex(player["key"])
            # A bot of this machine; of others' bots nobody here knows.
            player |= {"bot": key in bots}
        click.echo(json.dumps(told | {"refused": refused}))
        return code
    bar = "#" if letters_alone() else "█"
    bar = bar if shutil.get_terminal_size().columns >= LEAST_CELLS else ""
    if not found.hands:
        click.echo("No hand here has the signatures of all seats: there is nothing to count.")
    elif wishes.player is not None:
        for line in _of_one(found, _find_player(found, wishes.player, bots), bots, bar):
            click.echo(line)
    else:
        for line in _of_all(found, bots):
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
                results += signed_results(InputFile(file), game_of)
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


def _find_player(found: Statistics, said: str, bots: Collection[bytes]) -> PlayerStatistics:
    """Return the player whose name is `said`, or whose key or fingerprint begins with it, of at
    least four signs. Raises UserError for none or several. `bots` are the keys of this machine's
    bots.
    """
    wanted = "".join(said.split()).lower()
    players = [
        player
        for player in found.ranking()
        # A bot by its whole name or without "Bot" before it, as the list shows it.
        if said.lower().strip() in (player.name.lower(), _player_name(player, bots).lower())
        # Three letters would meet too many keys.
        or (len(wanted) > 3 and player.key.hex().startswith(wanted))
        # A fingerprint is shown in groups, and in capitals.
        or (len(wanted) > 3 and _key(player).replace(" ", "").lower().startswith(wanted))
    ]
    if len(players) == 1:
        return players[0]
    if not players:
        # A dozen: more names than that fill the screen.
        known = ", ".join(safe_name(player.name) for player in found.ranking()[:12])
        raise UserError(f"Nobody here is called {safe_name(said)}; there are: {known}.")
    keys = "; ".join(_key(player) for player in players)
    raise UserError(f"Several are called {safe_name(said)}, so name the key: {keys}.")


def _player_name(player: PlayerStatistics, bots: Collection[bytes]) -> str:
    """Return a player's name; that of a bot of this machine without "Bot" before it, if a name
    follows.
    """
    # "Bot 2" has no name of its own behind the word, so it stays whole.
    name = player.name.removeprefix("Bot ") if player.key in bots else player.name
    return name if name[:1].isalpha() else player.name


def _key(player: PlayerStatistics) -> str:
    """Return the fingerprint of a player's key."""
    return fingerprint(PublicKey(player.key))


def _own() -> bytes | None:
    """Return our own public key; None if this machine has none yet."""
    key = IdentityStore(home()).public_key
    return None if key is None else key.to_bytes()


def _pad(text: str, cells: int) -> str:
    """Return the text filled with spaces to this many cells."""
    # By cells, not characters: names may hold wide signs.
    return text + " " * max(0, cells - cells_of(text))


def _role(key: bytes, own: bytes | None, bots: Collection[bytes]) -> str:
    """Return the note behind a player's name: " (you)" for our `own` key, or " (bot)" for a bot
    of this machine; "" for others.
    """
    # A bot has a key of its own, so that nobody is both.
    if key in bots:
        return " (bot)"
    return " (you)" if key == own else ""


def _of_all(found: Statistics, bots: Collection[bytes]) -> Iterator[str]:
    """Yield how many hands were signed, a heading, and a row for each player: hands, matches,
    bids made. `bots` are the keys of this machine's bots.
    """
    own = _own()
    yield f"{count_words(found.hands, 'hand')} signed by all seats, {found.played} of them played."
    yield ""
    yield f"{'':<{NAME}}  hands   won  matches  bids made"
    for player in found.ranking():
        role = _role(player.key, own, bots)
        name = safe_name(_player_name(player, bots), cells=NAME - len(role)) + role
        # Bids of all brackets together; the list of one player has them apart.
        bids = _sum(tally for kind, tally in player.undertaken.items() if kind.what == "bid")
        matches = f"{player.matches.done}/{player.matches.tried}"
        row = f"{_pad(name, NAME)}  {player.hands:>5} {player.won:>5}  {matches:>7}"
        yield f"{row}  {f'{bids.done}/{bids.tried}':>9}"


def _sum(tallies: Iterator[TriedCount]) -> TriedCount:
    """Return the sum of several counts."""
    found = [*tallies]
    return TriedCount(sum(each.done for each in found), sum(each.tried for each in found))


def _of_one(
    found: Statistics, player: PlayerStatistics, bots: Collection[bytes], bar: str
) -> Iterator[str]:
    """Yield lines with all counts of one player, with bars of `bar` signs; `bots` are the keys
    of this machine's bots.
    """
    role = _role(player.key, _own(), bots)
    yield f"{safe_name(_player_name(player, bots))}{role}, key {_key(player)}"
    yield f"{count_words(player.hands, 'hand')} played: {player.won} won, {player.lost} lost."
    yield f"Matches won: {player.matches.done} of {player.matches.tried}."
    # Games and kinds in a fixed order, each once.
    for what in dict.fromkeys((kind.game, kind.what) for kind in sorted(player.undertaken)):
        game, word = what
        yield ""
        yield f"{capital(word)} in {safe_name(game)}: made of tried"
        for kind, tally in sorted(player.undertaken.items()):
            if (kind.game, kind.what) == what:
                yield _row(kind.name, tally, bar)
    for title, others in (("With", player.partners), ("Against", player.opponents)):
        if others:
            yield ""
            yield f"{title}: hands won of those with a winner"
            # The most hands first; keys break ties, so that the order is always the same.
            for key, tally in sorted(others.items(), key=lambda each: (-each[1].tried, each[0])):
                # As wide as in `_row`, which has fewer columns than the list of all players.
                yield _row(safe_name(found.players[key].name, cells=24), tally, bar)


def _row(name: str, tally: TriedCount, bar: str) -> str:
    """Return a row: a name, successes of tries, their share, and a bar of `bar` signs."""
    # `tried` is at least 1: only what was tried has an entry.
    share = tally.done / tally.tried
    # 24 cells for a name: such a row has fewer columns than the list of all players.
    shown = f"  {_pad(name, 24)}  {f'{tally.done}/{tally.tried}':>7}  {share:>4.0%}"
    return f"{shown}  {bar * round(share * BAR)}".rstrip()
