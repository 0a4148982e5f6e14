"""`p2p304 tournament play`: my next match; `rule`: what a referee rules on a match."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

import click

from cli.bounds import (
    BROKER_TRIED_AGAIN,
    CARRY_EVERY,
    NEED_NOT_WAIT,
    RULING_TOLD,
    SEATS_ASKED,
    SEATS_QUIET,
)
from cli.commands.display import Screen, screen_options
from cli.commands.options import argument, gather_options, option
from cli.commands.screen import console_for, player_for
from cli.commands.seating import allow_hosts, login_options, run_command, with_credentials
from cli.commands.shell import echo
from cli.commands.table_series import TableSeries
from cli.commands.tournament_record import Cup, confirmed, cup_of_referee, folder_argument
from cli.errors import UserError
from cli.front.narrator import ruling_sentence
from cli.front.writing import Writer
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, open_seat, transport_for
from cli.net.transport import TransportError
from cli.sanitize import ERROR_CELLS, LIST_CELLS, safe_text
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of, term_lines
from cli.seat.player import SeatPlayer
from cli.seat.sentences import SeatLeft, TableStopped, rulings_contradict
from cli.store.disk import REAL_DISK, write_whole
from cli.store.identity import PeersFile
from cli.store.paths import home, make_private_directory, table_directory
from cli.tasks import first
from cli.tournament import match_seat
from cli.tournament.folder import TournamentFolder, certain, exchange, explain_refusal
from cli.tournament.match_seat import match_of_number
from cli.tournament.telling import LONGEST_TEAM, match_text, team_name
from cli.wording import hand_number
from p2p304.seats import Seat
from p2p304.tournament.tournament import Match
from protocol.bounds import MAX_RESENT
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.seat.watcher import Watcher
from protocol.table.events import MessagesMissed, Persist, RefereeBlamed
from protocol.table.rulings import contradict, stops
from protocol.table.sync import our_heads
from protocol.table.table import TableState
from protocol.topics.referee import apply_ruling
from protocol.tournament.acts import lost_before, rule
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import RulingKind
from protocol.tournament.record import seat_at
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedRuling, open_ruling, sign_ruling


@click.command("play")
@folder_argument
@click.option("--all", "every", is_flag=True, help="Play one match after the other until the last.")
@click.option("--bot", is_flag=True, help="Let a bot play in your seat.")
@login_options
@screen_options
def play_command(
    path: Path, options: SeatOptions, screen: Screen, *, every: bool, bot: bool
) -> int:
    """Play your next match, and sign its result.

    Nobody is invited: who sits where follows from the draw. This waits until your opponents are
    known and there. Leaving loses nothing: the same command goes on where the match was.

    \b
    Examples:
      p2p304 tournament play cup          the next match
      p2p304 tournament play cup --all    every match, as long as there is one"""
    folder, given, console = TournamentFolder(path), with_credentials(options), console_for(screen)
    left = f"You left; nothing is lost: '{folder.command('play')}' goes on."

    async def play() -> None:
        """Play our next match, with --all every match; then say how it stands."""
        allowed = await allow_hosts(given, folder.invite().nodes, console)
        me = _Me(folder, allowed, screen, console, every=every, bot=bot)
        while True:
            judged = await me.ready()
            match, _ = me.next_match(judged)
            if match is None or (me.played and not every):
                me.say_latest(judged)
                return
            console.say(f"Your match: {match_text(match)}.")
            try:
                await me.play(judged, match)
            except SeatLeft:
                # Left in the same way, and told how a tournament goes on.
                raise SeatLeft(left) from None

    return run_command(play(), left)


@dataclass(frozen=True, slots=True)
class _Me:
    """The player of this machine; `played` are the matches that ended in this call."""

    folder: TournamentFolder
    options: SeatOptions
    screen: Screen
    console: Console
    every: bool
    bot: bool
    played: list[int] = field(default_factory=list)  # it grows, although the rest is frozen

    def next_match(self, judged: JudgedRecord) -> tuple[Match | None, str]:
        """Return our match to be played now, or None and what it waits for, "" if none is left."""
        if judged.head is None:
            waits = safe_text(judged.waits, cells=LIST_CELLS)
            return None, f"There are no matches yet: {waits}. 'p2p304 tournament draw' takes part."
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
            # Without --all stay until what was played is decided, and another match is our next.
            latest = judged.next_match(self._team(judged)) if self.played else None
            return latest is not None and not self.every and latest.number not in self.played

        def told(judged: JudgedRecord) -> None:
            _, waits = self.next_match(judged)
            # Where the waiting ends, `play` tells what follows.
            if waits and waits not in said and not done(judged):
                say(waits)
                said.add(waits)

        while True:
            try:
                return await exchange(
                    folder, due=due, done=done, credentials=given, told=told, elsewhere=say
                )
            except TransportError as error:  # who stays for all matches waits for the broker
                if not self.every:
                    raise
                say(f"{safe_text(str(error), cells=ERROR_CELLS)} This waits for it; Ctrl-C leaves.")
                await asyncio.sleep(BROKER_TRIED_AGAIN)

    def say_latest(self, judged: JudgedRecord) -> None:
        """Tell our latest decided match and our next one, or our place."""
        assert judged.tournament is not None  # there was a match, or none is left
        team, command, say = self._team(judged), self.folder.command, self.console.say
        for each in [e for e in judged.matches if team in e.teams and e.outcome][-1:]:
            say(f"{match_text(each)}.")
        if match := judged.next_match(team):
            say(f"Your next match has number {match.number}: '{command('play')}'.")
            return
        # Every team of the draw has a row, and `_team` found ours there.
        row = next(each for each in judged.tournament.standing if each.team == team)
        place = "" if row.place is None else f" Your place: {row.place}."
        say(f"No match is left for {team_name(team)}.{place} '{command('status')}' shows all.")

    async def play(self, judged: JudgedRecord, match: Match) -> None:
        """Play a match until it ends, is decided or moves to another table; keep transcripts."""
        folder, root, console, screen = self.folder, home(), self.console, self.screen
        table = match_seat.table_of(judged, match, root)
        directory = table_directory(root, table.table)
        console.say(*term_lines(table, PeersFile(root)))
        journal, setup, options = match_seat.sit_down(
            folder, judged, match, root, folder.own_key, self.options
        )
        off, given, say = asyncio.Event(), options.credentials, console.say

        def look(now: JudgedRecord) -> None:
            begun = any(directory.glob("*.p304"))
            if match_seat.leaves(judged, now, match, begun=begun):
                off.set()

        # The level of bots beside people; 63 bits are a choice, and for decisions alone.
        player: SeatPlayer = BotSeat(secrets.randbelow(1 << 63), level="club")
        if not self.bot:
            player = player_for(screen, console, setup, options, root=root)
        series = TableSeries(root, console, screen, options)
        async with open_seat(journal, setup, player, root=root, options=options) as driver:

            async def carry() -> None:
                while True:
                    with suppress(UserError):  # the table tells what fails, or the next command
                        await exchange(
                            folder, every=CARRY_EVERY, credentials=given, told=look, elsewhere=say
                        )
                    await asyncio.sleep(BROKER_TRIED_AGAIN)

            # Beside play: opponents may wait for pieces that only we have.
            await first(series.play(driver, player), off.wait(), carry())
        # The match may have gone on at another table; if not, `fromkeys` leaves one of both.
        last = table_directory(root, driver.last.setup.invite.table)
        match_seat.keep_transcripts(folder, match, *dict.fromkeys((directory, last)))
        if off.is_set() and folder.judged_record.matches[match.number - 1].outcome is None:
            console.say("A reserve sits in: the match is played at another table.")
        else:
            self.played.append(match.number)


#: What decides a match, in the record.
KINDS: Final = {each.name.lower().replace("_", "-"): each for each in RulingKind}
#: What is ruled about a hand, at its table.
AT_TABLES: Final = {each.name.lower().replace("_", "-"): each for each in RulingVerdict}
#: More than so many new messages between two questions are an answer: there may be more.
_BURST: Final = MAX_RESENT // 4


@dataclass(frozen=True, slots=True)
class WantedRuling:
    """The arguments and options of `tournament rule`."""

    # A match has two bytes in the terms of its charter.
    match: int = argument(type=click.IntRange(1, 65_535))
    verdict: str = argument(metavar="VERDICT", type=click.Choice([*(AT_TABLES | KINDS)]))
    against: tuple[str, ...] = option(
        "--against", multiple=True, metavar="TEAM", help="The team that it is against."
    )
    hand: int | None = option(
        "--hand", metavar="HAND", type=hand_number, help="Such as 4, or 4.2.  [default: the newest]"
    )
    closed: int | None = option(
        "--round", type=click.IntRange(0), help="After so many.  [default: all]"
    )
    why: str = option("--why", default="", metavar="TEXT", help="What you say of a hand.")

    def at(self, state: TableState, teams: tuple[str, ...]) -> Ruling:
        """Return the ruling for the table of these teams; raises UserError for a later point."""
        found = state.hand(self.hand)
        if found is None and self.hand is None:
            number = state.newest[Lane.TABLE]
            ledger = state.replicas[LedgerName(Lane.TABLE, number)].ledger
            # Before the first hand the point is the root of the match's setup (specs 5.8).
            number, rounds = state.first_hands[number], 0
        elif found is None or (self.closed or 0) > len(found.ledger.rounds):
            raise UserError("The table has not come to that point, as far as anybody has told us.")
        else:
            number, ledger = found.origin.ledger.number, found.ledger
            rounds = len(ledger.rounds) if self.closed is None else self.closed
        # Bit i is against side i; the teams have the order of the sides at the table.
        against = sum(1 << side for side, team in enumerate(teams) if team in self.against)
        # As long as a ruling's text may be; cut, as chat is.
        verdict, text = int(AT_TABLES[self.verdict]), self.why[:200]
        return Ruling(number, rounds, bytes(ledger.digests[rounds]), verdict, against, text)


@click.command("rule")
@cup_of_referee
@gather_options("wanted", WantedRuling)
def rule_command(cup: Cup, wanted: WantedRuling) -> int:
    """Rule on a match, as a referee of its tournament; two rulings about one point convict you.

    VERDICT is about a point of a hand: no-action (the hand goes on), redeal (void, the same dealer
    deals), penalty (void, and the team pays three tokens), end (nothing more is played there); or
    about the match, in the record: walk-over, disqualified, withdrawn.

    \b
    Examples:
      p2p304 tournament rule cup 3 penalty --against Lions --hand 4 --round 31
      p2p304 tournament rule cup 5 walk-over --against Tigers"""
    key, kind = cup.folder.referee, KINDS.get(wanted.verdict)
    if key is None:
        raise UserError("Your key is none of this tournament's referees.")
    # A signed result goes before any ruling (12.2): both teams may have signed meanwhile.
    match = match_of_number(cup.together(), wanted.match)
    if any(team not in match.teams for team in wanted.against):
        named = " and ".join(team_name(each, LONGEST_TEAM) for each in match.teams)
        raise UserError(f"The teams of this match are {named}.")
    if kind is not None:
        if wanted.why:
            raise UserError("What is said with --why is about a hand: leave it out.")
        raw = _signed(cup, key, match, kind, wanted.against)
        # The seats of the match hear the record, and leave their table.
        echo(f"In the record{_decision_words(cup.say(raw), raw)}.")
    elif match.ready:
        asyncio.run(_at_table(cup, match, key, wanted))
    else:
        why = "has no table yet" if match.outcome is None else "is decided"
        raise UserError(f"Match {match.number} {why}: 'p2p304 tournament status' shows all.")
    return 0


def _signed(
    cup: Cup, key: SigningKey, match: Match, kind: RulingKind, teams: tuple[str, ...]
) -> bytes:
    """Sign the ruling about a match; ask at a terminal first if nothing would follow from it."""
    if not teams or (len(teams) > 1 and kind is not RulingKind.WALK_OVER):
        raise UserError("Name the team that loses by it, --against; by a walk-over both may lose.")
    judged = certain(cup.folder.judged_record)
    with explain_refusal("That cannot be ruled"):
        raw = rule(judged, key, match.number, kind, teams)
    after = cup.folder.judge(judged.record.with_pieces(raw))
    # Signing it would only bind the referee's hands.
    if raw not in judged.record.raws and after.tournament == judged.tournament:
        echo(f"It would be in the record{_decision_words(after, raw)}.")
        confirmed("It changes nothing. Do you sign it all the same?")
    return raw


def _decision_words(judged: JudgedRecord, raw: bytes) -> str:
    """Return the end of a sentence that says what our ruling decides, and how its match stands."""
    (piece,) = (each for each in judged.record.pieces.values() if each.raw == raw)
    decided = [number for number, names in judged.counted.items() if piece.name in names]
    number = decided[0] if decided else piece.content.match
    stands = match_text(match_of_number(judged, number))
    return f": {stands}" if decided else f", and nothing follows from it so far: {stands}"


async def _at_table(cup: Cup, match: Match, key: SigningKey, wanted: WantedRuling) -> None:
    """See how far the table of a match has come, sign the wanted ruling for it, and send it."""
    tables = cup.folder.judged_record.tables(match)
    # The charter of the table leaves out referees of the two teams (12.1).
    if key.public not in tables[0].referees:
        raise UserError("You play in this match: another referee rules on it.")
    invite = cup.folder.invite(tables[0].table)
    async with transport_for(invite, cup.credentials) as transport:
        line = SealedLine(invite, transport)
        echo("Looking where the table stands.")
        watcher = await seen(line, tables, key)
        content = wanted.at(watcher.table_state, match.teams)
        place = make_private_directory(cup.folder.place_of(match))
        ruling = sign_once(watcher.table_state, content, key, place)
        names = tuple(map(team_name, match.teams))
        echo(ruling_sentence(watcher.game, content, Writer(watcher.game.seats), names))
        for _ in range(RULING_TOLD):  # to whoever is at the table
            await line.send(ruling.raw)
            await asyncio.sleep(1.0)
    echo("Told to the table; who comes later hears it from whoever is there.")


async def seen(line: SealedLine, tables: Sequence[Charter], key: SigningKey) -> Watcher:
    """Watch the tables of a match until they have shown nothing new, or we have lacked nothing, for
    SEATS_QUIET seconds; return the watcher of that which shows a hand, or of the first."""
    watchers = [Watcher(charter=each, game=game_of(each), referee=key) for each in tables]
    began = fresh = lacked = now = monotonic()
    asked, turn, gained = 0.0, 0, 0  # 0: the first question goes out at once
    # A ruling must be about a point that we have seen (specs 5.8, no. 6). A table in play is never
    # quiet: there it is enough to lack nothing, NEED_NOT_WAIT seconds after the beginning.
    while (
        now - fresh < SEATS_QUIET
        and now - max(lacked, began + NEED_NOT_WAIT - SEATS_QUIET) < SEATS_QUIET
    ):
        live = _live(watchers)
        if now - asked >= SEATS_ASKED:
            lacked = now if gained > _BURST else lacked
            gained = 0
            # One seat after the other: one of them may be gone, or lie.
            seat, asked, turn = Seat(turn % len(live.charter.seats)), now, turn + 1
            # True: we have the charter, and lack messages alone.
            heads = our_heads(live.table_state)
            inquiry = lobby.Inquiry(live.charter.table, seat, True, heads)
            await line.send(lobby.to_bytes(inquiry))
        payload = await line.next_payload(
            within=SEATS_ASKED, closed="The connection was closed: rule again."
        )
        now = monotonic()
        # Silence, or what is said about seats, which no ledger holds.
        if payload is None or payload[:1] == lobby.PREFIX:
            continue
        # Each is signed under one charter: the other tables drop it.
        for table, event in ((e, event) for e in watchers for event in e.receive(payload, now=now)):
            if isinstance(event, RefereeBlamed):
                # None: this command writes no proof into a file, as a seat at the table does.
                raise TableStopped(rulings_contradict(table.charter, table.game, event, None))
            if isinstance(event, MessagesMissed):
                fresh = lacked = now
            elif isinstance(event, Persist):
                fresh, gained = now, gained + 1
    return _live(watchers)


def _live(watchers: Sequence[Watcher]) -> Watcher:
    """Return the first watcher whose table shows a hand, or the very first."""
    return next((each for each in watchers if each.table_state.hand() is not None), watchers[0])


def sign_once(state: TableState, content: Ruling, key: SigningKey, directory: Path) -> SignedRuling:
    """Sign a ruling and write it into `directory`; the same words again give the same ruling."""
    ruling, before = sign_ruling(state.charter, content, key), list[SignedRuling]()
    for path in sorted(directory.glob("ruling-*.p304r")):
        with suppress(MalformedMessage):  # of another table, or no ruling: it binds nothing here
            before.append(open_ruling(path.read_bytes(), state.charter))
    if any(each.referee == ruling.referee and contradict(each, ruling) for each in before):
        raise UserError(
            "You have ruled on this point already: a second ruling would convict you of"
            " ruling.twice. The same words send it again."
        )
    # A known one was judged when it was signed; where the table has it, it applies no second time.
    known = any(each.id == ruling.id for each in before)
    if stops(content) and not known and apply_ruling(state, ruling) is None:
        raise UserError(
            "That cannot be ruled there: a penalty, a disqualification and a walk-over name a team,"
            " --against, and the others name none; 'p2p304 tournament rule --help' says more."
        )
    # The id: another referee, or the table of another line-up, may have a ruling about this point.
    name = f"ruling-{content.hand}-{content.closed}-{ruling.id.hex()[:16]}.p304r"
    # On the disk before anybody has it (specs 5.8, no. 6); the same words sign the same again.
    write_whole(REAL_DISK, directory / name, ruling.raw, replace=True)
    return ruling
