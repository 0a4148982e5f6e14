"""`p2p304 tournament play`: my next match, at a table where only its players can sit."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import click

from cli.commands.display import Screen, screen_options
from cli.commands.screen import console_for, player_for
from cli.commands.seating import allow_hosts, login_options, run_seat, with_credentials
from cli.commands.table_series import TableSeries
from cli.commands.tournament_options import folder_argument
from cli.errors import UserError
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, open_seat
from cli.net.transport import TransportError
from cli.sanitize import ERROR_CELLS, LIST_CELLS, safe_text
from cli.seat.bots import BotSeat
from cli.seat.charter_text import term_lines
from cli.seat.player import SeatPlayer
from cli.seat.sentences import SeatLeft
from cli.store.identity import PeersFile
from cli.store.paths import home, table_directory
from cli.tasks import first, never
from cli.tournament import match_seat
from cli.tournament.folder import CARRY_EVERY, TournamentFolder, certain, exchange
from cli.tournament.telling import match_text, team_name
from p2p304.tournament.tournament import Match
from protocol.tournament.acts import lost_before
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import NO_REFEREE
from protocol.tournament.record import seat_at

# A choice: soon enough for who waits, and no flood for a broker that comes back.
PAUSE: Final = 5.0  #: Seconds after which a broker that was away is tried again.
_BEFORE_THE_DRAW: Final = (
    "Captains take part with 'p2p304 tournament draw'; this waits for it, and Ctrl-C leaves."
)


@click.command("play")
@folder_argument
@click.option("--all", "every", is_flag=True, help="Play one match after the other until the last.")
@click.option("--bot", is_flag=True, help="Let a bot play in your seat.")
@login_options
@screen_options
def command(path: Path, options: SeatOptions, screen: Screen, *, every: bool, bot: bool) -> int:
    """Play your next match, and sign its result.

    Nobody is invited: who sits where follows from the draw. This waits until your opponents are
    known and there. Leaving loses nothing: the same command goes on where the match was.

    \b
    Examples:
      p2p304 tournament play cup          the next match
      p2p304 tournament play cup --all    every match, as long as there is one
    """
    folder, options = TournamentFolder(path), with_credentials(options)
    me = _Me(folder, options, screen, console_for(screen), every=every, bot=bot)
    return run_seat(_play(me), me.leaving_sentence)


async def _play(me: _Me) -> None:
    """Play our next match, with --all every match; then say how it stands."""
    options = await allow_hosts(me.options, me.folder.invite().nodes, me.console)
    me = replace(me, options=options)
    while True:
        judged = await me.ready()
        match, _ = me.next_match(judged)
        if match is None or (me.played and not me.every):
            for line in me.latest_lines(judged):
                me.console.say(line)
            return
        me.console.say(f"Your match: {match_text(match)}.")
        try:
            await me.play(judged, match)
        except SeatLeft:
            # Left in the same way, and told how a tournament goes on.
            raise SeatLeft(me.leaving_sentence) from None


@dataclass(frozen=True, slots=True)
class _Me:
    """The player of this machine; `played` are the matches that ended in this call."""

    folder: TournamentFolder
    options: SeatOptions
    screen: Screen
    console: Console
    every: bool
    bot: bool
    # A list, which grows although the rest is frozen, and which copies by `replace` share.
    played: list[int] = field(default_factory=list)

    @property
    def leaving_sentence(self) -> str:
        """The sentence for a player who leaves."""
        return f"You left; nothing is lost: '{self.folder.command('play')}' goes on."

    def next_match(self, judged: JudgedRecord) -> tuple[Match | None, str]:
        """Return our match to be played now, or None and what it waits for, "" if none is left."""
        if judged.head is None:
            return None, f"There are no matches yet: {safe_text(judged.waits, cells=LIST_CELLS)}."
        match, key = judged.next_match(self._team(judged)), self.folder.own_key
        if match is None:
            return None, ""
        number = match.number
        if not match.ready:
            others = (match_seat.match_of_number(judged, each) for each in match.waits_for)
            what = "; ".join(map(match_text, others))
            why = f"Your next match, {number}, waits for {what}. Ctrl-C leaves; come back any time."
        # `home()`: if a hand was begun, its line-up counts and not a later one.
        elif seat_at(match_seat.table_of(judged, match, home()), key.public.to_bytes()) is None:
            why = (
                f"Match {number} is played without you: of a team and its reserve all sit but one."
                " The captain says for whom the reserve sits in: 'p2p304 tournament reserve'."
            )
        # Never played twice: two results would convict.
        elif match_seat.signed_by(judged, match, key):
            why = f"Match {number} is played and signed; it counts once the others sign it, too."
        # A late result let another team through: playing on would convict us (12.4).
        elif lost_before(judged, match, key):
            why = (
                f"You signed that your team lost the match before match {number}: to play on would"
                " convict you of result.behind. Withdraw your team, or wait for a referee."
            )
        # It ended without a result, by a ruling: the record waits for the referee.
        elif number in self.played:
            why = (
                f"Match {number} has ended without a result; it counts as a referee rules. This"
                " waits for the ruling, and Ctrl-C leaves: come back any time."
            )
        else:
            return match, ""
        return None, why

    def _team(self, judged: JudgedRecord) -> str:
        """Return our team; raises UserError if our key is in none of the draw."""
        if (team := judged.team_of(self.folder.own_key.public)) is None:
            raise UserError(
                "Your key is in no team of this tournament: 'p2p304 identity' shows it."
            )
        return team

    async def ready(self) -> JudgedRecord:
        """Sign our results, and wait until our next match can begin or nothing is awaited."""
        folder, said, say = self.folder, set[str](), self.console.say
        given = self.options.credentials

        def due(judged: JudgedRecord) -> tuple[bytes, ...]:
            return match_seat.signed_results(folder, certain(judged), folder.own_key)

        def done(judged: JudgedRecord) -> bool:
            match, waits = self.next_match(certain(judged))
            if match is not None or not waits:
                return True
            # Nothing was played now: wait for a match to begin.
            if judged.head is None or self.every or not self.played:
                return False
            # Else stay until what was played is decided, and another match is our next. There is
            # one: without it there was nothing to wait for, see above.
            latest = judged.next_match(self._team(judged))
            return latest is not None and latest.number not in self.played

        def told(judged: JudgedRecord) -> None:
            # `due` was called before, and has raised if the draw is not certain.
            _, waits = self.next_match(judged)
            # Where the waiting ends, `_play` tells what follows.
            if waits and waits not in said and not done(judged):
                say(waits)
                if judged.head is None and not said:
                    say(_BEFORE_THE_DRAW)
                said.add(waits)

        while True:
            try:
                return await exchange(
                    folder, due=due, done=done, credentials=given, told=told, elsewhere=say
                )
            # Who stays for all matches waits for the broker.
            except TransportError as error:
                if not self.every:
                    raise
                say(f"{safe_text(str(error), cells=ERROR_CELLS)} This waits for it; Ctrl-C leaves.")
                await asyncio.sleep(PAUSE)

    def latest_lines(self, judged: JudgedRecord) -> list[str]:
        """Return lines about our latest decided match and our next one, or our place."""
        assert judged.tournament is not None  # there was a match, or none is left
        team, command = self._team(judged), self.folder.command
        mine = [each for each in judged.matches if team in each.teams and each.outcome]
        lines = [f"{match_text(each)}." for each in mine[-1:]]
        if match := judged.next_match(team):
            return [*lines, f"Your next match has number {match.number}: '{command('play')}'."]
        # Every team of the draw has a row, and `_team` found ours there.
        row = next(each for each in judged.tournament.standing if each.team == team)
        place = "" if row.place is None else f" Your place: {row.place}."
        shows = f"'{command('status')}' shows all."
        return [*lines, f"No match is left for {team_name(team)}.{place} {shows}"]

    async def play(self, judged: JudgedRecord, match: Match) -> None:
        """Play a match until it ends, is decided or moves to another table; keep transcripts."""
        folder, root, console, screen = self.folder, home(), self.console, self.screen
        table = match_seat.table_of(judged, match, root)
        directory = table_directory(root, table.table)
        for line in term_lines(table, PeersFile(root)):
            console.say(line)
        if not folder.record.charter.referees:
            console.say(NO_REFEREE)
        journal, setup, options = match_seat.sit_down(
            folder, judged, match, root, folder.own_key, self.options
        )
        off, given, say = asyncio.Event(), options.credentials, console.say

        def moved(now: JudgedRecord) -> bool:
            # Once a hand was begun no change of a line-up moves us.
            return match_seat.moves(judged, now, match) and not any(directory.glob("*.p304"))

        def look(now: JudgedRecord) -> None:
            if moved(now) or match_seat.calls_off(judged, now, match):
                off.set()

        # The level of bots beside people; 63 bits are a choice, and for decisions alone.
        player: SeatPlayer = BotSeat(secrets.randbelow(1 << 63), level="club")
        if not self.bot:
            player = player_for(screen, console, setup, options, root=root)
        series = TableSeries(root=root, console=console, screen=screen, options=options)
        async with open_seat(journal, setup, player, root=root, options=options) as driver:

            async def called_off() -> None:
                await off.wait()
                session = driver.last.session
                if session is not None and match_seat.ending_ruling(session) is not None:
                    # A ruling at the table ends it by itself, with its own sentence.
                    await never()

            async def carry() -> None:
                while True:
                    with suppress(UserError):  # the table tells what fails, or the next command
                        await exchange(
                            folder, every=CARRY_EVERY, credentials=given, told=look, elsewhere=say
                        )
                    await asyncio.sleep(PAUSE)

            # Beside play: opponents may wait for pieces that only we have.
            await first(series.play(driver, player), called_off(), carry())
        # The match may have gone on at another table; if not, `fromkeys` leaves one of both.
        last = table_directory(root, driver.last.setup.invite.table)
        match_seat.keep_transcripts(folder, match, *dict.fromkeys((directory, last)))
        if moved(folder.judged_record):
            console.say("A reserve sits in: the match is played at another table.")
        else:
            self.played.append(match.number)
