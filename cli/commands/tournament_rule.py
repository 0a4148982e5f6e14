"""`p2p304 tournament rule`: what a referee rules on a match, at its table and in the record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

import click

from cli.commands.options import argument, gather_options, option
from cli.commands.shell import echo
from cli.commands.tournament_options import Cup, confirmed, cup_of_referee
from cli.errors import UserError
from cli.local.sitting import transport_for
from cli.sanitize import LIST_CELLS, safe_text
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of
from cli.seat.sentences import TableStopped, rulings_contradict
from cli.store.disk import REAL_DISK, write_whole
from cli.store.paths import make_private_directory
from cli.tournament.folder import certain, explain_refusal
from cli.tournament.match_seat import ending_ruling, match_of_number
from cli.tournament.telling import LONGEST_TEAM, RULINGS, match_text, ruling_words, team_name
from cli.wording import hand_number
from p2p304.seats import Seat
from p2p304.tournament.tournament import Match
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.seat.watcher import Watcher
from protocol.table.events import MessagesMissed, Persist, RefereeBlamed
from protocol.table.rulings import contradict, stops
from protocol.table.sync import our_heads
from protocol.table.table import TableState
from protocol.topics.referee import apply_ruling
from protocol.tournament.acts import rule
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import RulingKind
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.contents import MAX_RESENT, Ruling, RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedRuling, open_ruling, sign_ruling

#: What decides a match for the tournament.
KINDS: Final = {each.name.lower().replace("_", "-"): each for each in RulingKind}
#: What the table hears: that a team which has withdrawn does not come.
AT_TABLES: Final = {each.name.lower().replace("_", "-"): each for each in RulingVerdict} | {
    "withdrawn": RulingVerdict.WALK_OVER
}
# The times and counts from here on are choices: a referee waits for them, and must have
# seen the point that it rules on (specs 5.8).
QUIET: Final = 4.0  #: Seconds without anything new after which we have what the seats have.
TOLD: Final = 6  #: How often a ruling is sent, a second apart: who hears it tells the others.
#: Seconds after which we need not wait for a rest of the table, if we have lacked nothing of it.
LIVE: Final = 12.0
_PATIENCE: Final = 0.5  #: Seconds between two questions to the seats.
#: More than so many new messages between two questions are an answer: there may be more.
_BURST: Final = MAX_RESENT // 4


def _hand(_: click.Context, __: click.Parameter, label: str | None) -> int | None:
    """Return the number of the hand with this label, None for None."""
    try:
        return None if label is None else hand_number(label)
    except ValueError as error:
        # `from None`: the sentence is the error's own.
        raise click.BadParameter(f"{error}.") from None


@dataclass(frozen=True, slots=True)
class WantedRuling:
    """The arguments and options of `tournament rule`."""

    # A match has two bytes in the terms of its charter.
    match: int = argument(type=click.IntRange(1, 65_535))
    verdict: str = argument(metavar="VERDICT", type=click.Choice([*AT_TABLES]))
    against: tuple[str, ...] = option(
        "--against", multiple=True, metavar="TEAM", help="The team that it is against."
    )
    hand: int | None = option(
        "--hand", callback=_hand, help="Such as 4, or 4.2 dealt again.  [default: the newest]"
    )
    closed: int | None = option(
        "--round", type=click.IntRange(0), help="After so many.  [default: all]"
    )
    why: str = option("--why", default="", metavar="TEXT", help="What you say to the table.")

    def at(self, state: TableState, teams: tuple[str, ...]) -> Ruling:
        """Return the ruling for the table of these teams; before the first hand it is about the
        beginning of its setup. Raises UserError for a point that the table has not reached.
        """
        found = state.hand if self.hand is None else state.hand_of(self.hand)
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
        return Ruling(number, rounds, bytes(ledger.digest_after(rounds)), verdict, against, text)


@click.command("rule")
@cup_of_referee
@gather_options("wanted", WantedRuling)
def command(cup: Cup, wanted: WantedRuling) -> int:
    """Rule on a match, as a referee of its tournament; two rulings about one point convict you.

    VERDICT is about a point of a hand: no-action (the hand goes on), redeal (void, the same dealer
    deals), penalty (void, and the team pays three tokens), end (nothing more is played there); or
    about the match, for the record too: walk-over, disqualified, withdrawn.

    \b
    Examples:
      p2p304 tournament rule cup 3 penalty --against Lions --hand 4 --round 31
      p2p304 tournament rule cup 5 walk-over --against Tigers --why 'Absent.'
    """
    key, kind = cup.folder.referee, KINDS.get(wanted.verdict)
    if key is None:
        raise UserError("Your key is none of this tournament's referees.")
    # A signed result goes before any ruling (12.2): both teams may have signed meanwhile.
    match = match_of_number(cup.together(), wanted.match)
    if any(team not in match.teams for team in wanted.against):
        named = " and ".join(team_name(each, LONGEST_TEAM) for each in match.teams)
        raise UserError(f"The teams of this match are {named}.")
    raw = None if kind is None else _signed(cup, key, match, kind, wanted.against)
    # One that is not ready is played at no table: its sides are not known, or it is decided.
    if match.ready:
        asyncio.run(_at_table(cup, match, key, wanted))
    elif raw is None:
        why = "has no table yet" if match.outcome is None else "is decided"
        raise UserError(f"Match {match.number} {why}: 'p2p304 tournament status' shows all.")
    if raw is not None:
        # After the table was told: there the match may still be going on.
        echo("Putting it into the record.")
        echo(f"In the record{_decision_words(cup.say(raw), raw)}.")
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
    """Return the end of a sentence that says what our piece decides, or why it decides nothing."""
    # One that is not there would be a bug: `say` or `with_pieces` took it in.
    (name,) = (name for name, each in judged.record.pieces.items() if each.raw == raw)
    for number, names in judged.counted.items():
        if name in names:
            return f": {match_text(match_of_number(judged, number))}"
    why = judged.ignored.get(name, "it waits for its match")
    return f", and nothing follows from it so far: {why}"


async def _at_table(cup: Cup, match: Match, key: SigningKey, wanted: WantedRuling) -> None:
    """See how far the table of a match has come, sign the wanted ruling for it, and send it there;
    if that fails, only a verdict about a hand raises: the record decides the others.
    """
    tables, needed = cup.folder.judged_record.tables(match), wanted.verdict not in KINDS
    # The charter of the table leaves out referees of the two teams (12.1).
    if key.public not in tables[0].referees:
        raise UserError("You play in this match: another referee rules on it.")
    if cup.offline and not needed:
        return  # the record travels as a file, and decides
    invite = cup.folder.invite(tables[0].table)
    try:
        async with transport_for(invite, cup.credentials) as transport:
            line = SealedLine(invite, transport)
            echo("Looking where the table stands.")
            watcher = await seen(line, tables, key)
            ruling = ending_ruling(watcher)
            if ruling is not None and not needed:
                # That ruling is sent once more below, for who has not heard it.
                echo("Nothing more is played at the table, as was ruled there before.")
            else:
                content = wanted.at(watcher.table_state, match.teams)
                place = make_private_directory(cup.folder.place_of(match))
                ruling = sign_once(watcher.table_state, content, key, place)
                echo(ruling_words(watcher.game, match, ruling))
            await tell(line, ruling)
    # The record decides the match even if its table cannot be told.
    except UserError as error:
        if needed:
            raise
        echo(f"The table is not told. {safe_text(str(error), cells=LIST_CELLS)}")
    else:
        echo("Told to the table; who comes later hears it from whoever is there.")


async def seen(line: SealedLine, tables: Sequence[Charter], key: SigningKey) -> Watcher:
    """Watch the tables of a match until they have shown nothing new, or we have lacked nothing, for
    QUIET seconds; return the watcher of that which shows a hand, or of the first.
    """
    watchers = [Watcher(charter=each, game=game_of(each), referee=key) for each in tables]
    began = fresh = lacked = now = monotonic()
    # 0: the first question goes out at once.
    asked, turn, gained = 0.0, 0, 0
    # A ruling must be about a point that we have seen (specs 5.8, no. 6). A table in play is never
    # quiet: to lack nothing for so long is enough, LIVE seconds after the beginning or later.
    while now - fresh < QUIET and now - max(lacked, began + LIVE - QUIET) < QUIET:
        live = _live(watchers)
        if now - asked >= _PATIENCE:
            lacked = now if gained > _BURST else lacked
            gained = 0
            # One seat after the other: one of them may be gone, or lie.
            seat, asked, turn = Seat(turn % len(live.charter.seats)), now, turn + 1
            # True: we have the charter, and lack messages alone.
            heads = our_heads(live.table_state)
            inquiry = lobby.Inquiry(live.charter.table, seat, True, heads)
            await line.send(lobby.to_bytes(inquiry))
        payload = await line.next_payload(
            within=_PATIENCE, closed="The connection was closed: rule again."
        )
        now = monotonic()
        # Silence, or what is said about seats, which no ledger holds.
        if payload is None or payload[:1] == lobby.PREFIX:
            continue
        # Each is signed under one charter: the other tables drop it.
        for table, event in ((e, event) for e in watchers for event in e.receive(payload, now=now)):
            match event:
                case RefereeBlamed():
                    # None: this command writes no proof into a file, as a seat at the table does.
                    raise TableStopped(rulings_contradict(table.charter, table.game, event, None))
                case MessagesMissed():
                    fresh = lacked = now
                case Persist():
                    fresh, gained = now, gained + 1
                case _:
                    pass
    return _live(watchers)


def _live(watchers: Sequence[Watcher]) -> Watcher:
    """Return the first watcher whose table shows a hand, or the very first."""
    return next((each for each in watchers if each.table_state.hand is not None), watchers[0])


def sign_once(state: TableState, content: Ruling, key: SigningKey, directory: Path) -> SignedRuling:
    """Sign a ruling and write it into `directory`; the same words again give the same ruling."""
    ruling, known = sign_ruling(state.charter, content, key), False
    for path in sorted(directory.glob(RULINGS)):
        try:
            before = open_ruling(path.read_bytes(), state.charter)
        # Of another table, or no ruling: it binds nothing here.
        except MalformedMessage:
            continue
        known = known or before.id == ruling.id
        if before.referee == ruling.referee and contradict(before, ruling):
            raise UserError(
                f"You have ruled already ({path}): a second ruling would convict you of"
                " ruling.twice. The same words send it again."
            )
    # A known one was judged when it was signed; where the table has it, it applies no second time.
    if stops(content) and not known and apply_ruling(state, ruling) is None:
        raise UserError(
            "That cannot be ruled there: a penalty, a disqualification and a walk-over name a team,"
            " --against, and the others name none; 'p2p304 tournament rule --help' says more."
        )
    # The id: another referee, or the table of another line-up, may have a ruling about this point.
    name = f"ruling-{content.hand}-{content.closed}-{ruling.id.hex()[:16]}.p304r"
    path = directory / name
    # On the disk before anybody has it (specs 5.8, no. 6).
    # Replaced: the same words sign the same ruling again.
    write_whole(REAL_DISK, path, ruling.raw, replace=True)
    return ruling


async def tell(line: SealedLine, ruling: SignedRuling) -> None:
    """Send a ruling to whoever is at the table, six times, a second apart."""
    for _ in range(TOLD):
        await line.send(ruling.raw)
        await asyncio.sleep(1.0)
