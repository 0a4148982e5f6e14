"""A referee at a match's table: watches it, rules there, and reads earlier rulings."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Final

from cli.errors import UserError
from cli.front.rulings import ruling_sentence
from cli.front.writing import Writer
from cli.input_files import InputFile, read_bounded
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of
from cli.seat.sentences import TableStopped, rulings_contradict
from cli.store.disk import REAL_DISK, write_whole
from cli.tournament.folder import TournamentFolder, match_folder
from cli.tournament.telling import team_name
from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.tournament.matches import Match
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.seat.view import TableView
from protocol.seat.watcher import Watcher
from protocol.table.events import MessagesMissed, Persist, RefereeBlamed
from protocol.table.rulings import contradict, stops
from protocol.table.sync import our_heads
from protocol.table.table import TableState
from protocol.topics.referee import apply_ruling
from protocol.tournament.draws import match_charters
from protocol.tournament.judge import JudgedRecord
from protocol.transcript.file import MAX_RECORD, Stopped, TranscriptReader
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.contents import MAX_RESENT, Ruling, RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedRuling, open_ruling, sign_ruling

QUIET: Final = 4.0
"""Seconds without anything new after which we have what the seats have."""
TOLD: Final = 6
"""How often a ruling is sent, a second apart: who hears it tells the others."""
LIVE: Final = 12.0
"""Seconds after which we need not wait for a rest of the table, if we have lacked nothing of it."""
RULINGS: Final = "ruling-*.p304r"
"""The files in which a referee keeps what it has signed."""
_PATIENCE: Final = 0.5
_BURST: Final = MAX_RESENT // 4
"""More than so many new messages between two questions are an answer: there may be more."""
_LOST: Final = frozenset({RulingVerdict.DISQUALIFIED, RulingVerdict.WALK_OVER})


async def seen(line: SealedLine, watcher: Watcher) -> None:
    """Watch a table until it has shown nothing new for QUIET seconds, or we have lacked nothing for
    as long.

    Raises TableStopped if two rulings contradict each other there.
    """
    charter = watcher.charter
    began = fresh = lacked = monotonic()
    asked, turn, gained = 0.0, 0, 0
    # Quiet means that nobody has more: a ruling must be about a point that we have seen (specs 5.8,
    # no. 6).
    while monotonic() - fresh < QUIET:
        # A table in play is never quiet: to lack nothing for so long is enough.
        if monotonic() - max(lacked, began + LIVE - QUIET) >= QUIET:
            return
        if monotonic() - asked >= _PATIENCE:
            # A full answer may have left something out.
            lacked = monotonic() if gained > _BURST else lacked
            gained = 0
            # One seat after the other: one of them may be gone, or lie.
            seat, asked, turn = Seat(turn % len(charter.seats)), monotonic(), turn + 1
            inquiry = lobby.Inquiry(charter.table, seat, True, our_heads(watcher.table_state))
            await line.send(lobby.to_bytes(inquiry))
        payload = await line.heard(
            within=_PATIENCE, closed="The connection was closed: rule again."
        )
        # Lobby messages of others are no part of the table's history.
        if payload is None or payload[:1] == lobby.PREFIX:
            continue
        events = watcher.receive(payload, now=monotonic())
        for each in events:
            # Two rulings contradict each other already: another one helps nobody.
            if isinstance(each, RefereeBlamed):
                raise TableStopped(rulings_contradict(charter, watcher.game, each, None))
        missed = any(isinstance(each, MessagesMissed) for each in events)
        news = sum(isinstance(each, Persist) for each in events)
        gained += news
        fresh = monotonic() if news or missed else fresh
        lacked = monotonic() if missed else lacked


async def find_watcher(line: SealedLine, tables: Sequence[Charter], key: SigningKey) -> Watcher:
    """Watch the tables of a match, one line-up after the other; return the watcher of the one that
    plays.

    If none plays return the first. Raises like `seen`.
    """
    watchers = [watcher_at(each, key) for each in tables]
    for watcher in watchers:
        await seen(line, watcher)
        # Only one line-up can have begun a hand.
        if watcher.table_state.hand is not None:
            return watcher
    return watchers[0]


def ruling_about(
    state: TableState,
    verdict: RulingVerdict,
    against: int,
    text: str,
    *,
    hand: int | None,
    closed: int | None,
) -> Ruling:
    """Return the ruling about a point: of hand `hand` after `closed` rounds; None means the newest
    hand, and all rounds.

    Raises UserError for a point that the table has not reached.
    """
    found = state.hand if hand is None else state.hand_of(hand)
    if found is None and hand is None:
        number = state.newest[Lane.TABLE]
        ledger = state.replicas[LedgerName(Lane.TABLE, number)].ledger
        # Before the first hand: the point is the root of the match's setup (specs 5.8).
        number, rounds = state.first_hands[number], 0
    elif found is None or (closed or 0) > len(found.ledger.rounds):
        raise UserError("The table has not come to that point, as far as anybody has told us.")
    else:
        number, ledger = found.origin.ledger.number, found.ledger
        rounds = len(ledger.rounds) if closed is None else closed
    return Ruling(number, rounds, bytes(ledger.digest_after(rounds)), int(verdict), against, text)


def ending_ruling(table: TableView) -> SignedRuling | None:
    """Return the ruling that ended play of the match at a table; None if there is none."""
    rulings = table.referee_rulings()
    ends = {*_LOST, RulingVerdict.END}
    return rulings[-1] if rulings and rulings[-1].content.verdict in ends else None


def match_lost_by_ruling(table: TableView) -> bool:
    """Tell whether a ruling at a table made a side lose the match."""
    ruling = ending_ruling(table)
    return ruling is not None and ruling.content.verdict in _LOST


def sign_once(state: TableState, content: Ruling, key: SigningKey, directory: Path) -> SignedRuling:
    """Sign a ruling and write it to the disk; return it.

    Raises UserError for a ruling that is impossible, or that contradicts an earlier one of ours in
    `directory`.
    """
    ruling, known = sign_ruling(state.charter, content, key), False
    for path in sorted(directory.glob(RULINGS)):
        try:
            before = open_ruling(path.read_bytes(), state.charter)
        # A ruling of another table, or no ruling: it binds nothing here.
        except MalformedMessage:
            continue
        # The same words again: it is sent once more, and convicts nobody.
        known = known or before.id == ruling.id
        # Before it is signed onto the disk: two of them would convict us (specs 5.8, no. 5).
        if before.referee == ruling.referee and contradict(before, ruling):
            raise UserError(
                f"You have ruled already ({path}): a second ruling would convict you of"
                " ruling.twice. The same words send it again."
            )
    if stops(content) and not known and apply_ruling(state, ruling) is None:
        raise UserError(
            "That cannot be ruled there: a penalty, a disqualification and a walk-over name a team,"
            " --against, and the others name none; 'p2p304 tournament rule --help' says more."
        )
    path = directory / f"ruling-{content.hand}-{content.closed}.p304r"
    # On the disk before anybody has it (specs 5.8, no. 6).
    write_whole(REAL_DISK, path, ruling.raw, replace=True)
    return ruling


async def tell(line: SealedLine, ruling: SignedRuling) -> None:
    """Send a ruling to whoever is at the table; each seat that hears it sends it on."""
    # Frames may be lost, and nobody acknowledges a ruling.
    for _ in range(TOLD):
        await line.send(ruling.raw)
        await asyncio.sleep(1.0)


def watcher_at(charter: Charter, key: SigningKey) -> Watcher:
    """Return a new watcher of a table, with the key of its referee."""
    return Watcher(charter=charter, game=game_of(charter), referee=key)


def rulings(folder: TournamentFolder, judged: JudgedRecord, match: Match) -> tuple[str, ...]:
    """Return the rulings at a match's table as sentences, in the order of hands.

    They are found in the match's folder: in transcripts, and in a referee's own files.
    """
    place = match_folder(folder, match)
    if len(match.teams) < len(match.sides) or not place.is_dir() or judged.draw is None:
        return ()
    tables = match_charters(judged.draw, match)
    found: dict[bytes, SignedRuling] = {}
    # The signature tells which table a ruling is of: try them all.
    for raw, table in product(_signed_rulings(place), tables):
        with suppress(MalformedMessage):  # of another table; an audit tells
            ruling = open_ruling(raw, table)
            found[ruling.id] = ruling
    ordered = sorted(found.values(), key=lambda each: (each.content.hand, each.content.closed))
    game = game_of(tables[0])
    return tuple(ruling_words(game, match, each) for each in ordered)


def ruling_words(game: AnyGame, match: Match, ruling: SignedRuling) -> str:
    """Return a ruling at a match's table in a sentence, with the names of its teams."""
    names = tuple(map(team_name, match.teams))
    return ruling_sentence(game, ruling.content, Writer(game.seats), names)


def _signed_rulings(place: Path) -> Iterator[bytes]:
    """Yield the raw rulings in the files of a folder."""
    for path in sorted(place.glob(RULINGS)):
        # A folder that others copied: what cannot be read is left out.
        with suppress(OSError):
            yield read_bounded(path, MAX_RECORD)
    for path in sorted(place.glob("*.p304")):
        reader = TranscriptReader()
        # A broken file is told by an audit; here it is left out.
        with suppress(MalformedMessage, OSError):
            for piece in InputFile(str(path)):
                yield from (each.raw for each in reader.feed(piece) if isinstance(each, Stopped))
