"""The tables of this machine: their states, and where their matches stand."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from cli.bounds import LARGEST_RECORD
from cli.errors import StoreError, UserError
from cli.front.story import score_words
from cli.front.writing import Writer
from cli.input_files import read_bounded
from cli.seat.charter_text import game_of
from cli.seat.setup import JournalKind, Setup, kept_charter
from cli.store.disk import REAL_DISK
from cli.store.hands import SHORT
from cli.store.journal import FILE_NAME, Journal, JournalLockedError
from cli.store.paths import OPEN_HAND, strangers_in, table_directory, tables
from p2p304.games import telling_of
from p2p304.sentences import won_line
from protocol.errors import MalformedMessage
from protocol.transcript.results import NotSigned, finished_hands, match_after
from protocol.wire.charter import Charter


class StoredTable(Enum):
    """The state of a stored table; the value is the text for people."""

    GATHERING = "waiting for players"
    AGREEING = "the charter is not agreed to yet"
    PLAYING = "in play"
    STOPPED = "stopped: a seat broke the protocol"
    ENDED = "finished"
    UNFINISHED = "ended unfinished, by agreement of those present"
    WATCHED = "watched"
    OPEN = "open in another p2p304"
    UNREADABLE = "unreadable"

    @property
    def resumable(self) -> bool:
        """Whether `p2p304 resume` can go on with it."""
        # The others are over, only watched, damaged, or (OPEN) held by another process.
        return self in (StoredTable.GATHERING, StoredTable.AGREEING, StoredTable.PLAYING)


@dataclass(frozen=True, slots=True)
class TableRecord:
    """One table of this machine. `detail` says why it cannot be read, if it cannot."""

    table: bytes
    state: StoredTable
    directory: Path
    #: None where one only watched, and where the journal cannot be read or holds none yet.
    setup: Setup | None = None
    charter: Charter | None = None  #: None before there is one, and like `setup`.
    detail: str = ""
    #: The name of the table whose match this one goes on with, if it is on this machine.
    after: str | None = None
    next: str | None = None  #: The name of the table at which this one's match went on.

    @property
    def name(self) -> str:
        """The first digits of the table's id, by which people name it."""
        return self.table.hex()[:SHORT]

    @property
    def last_use(self) -> float:
        """The time of its last write, in seconds since 1970; 0 without a journal, as where one
        only watched.
        """
        try:
            return (self.directory / FILE_NAME).stat().st_mtime
        except OSError:
            # No journal, as where one only watched.
            return 0.0

    @property
    def transcripts(self) -> tuple[Path, ...]:
        """The transcripts of its ended hands, in order."""
        found = self.directory.glob(f"{self.table.hex()}-*.p304")
        # A hand in play has a file of its own, which is no result.
        return tuple(sorted(path for path in found if not path.name.endswith(OPEN_HAND)))

    @property
    def open_hands(self) -> tuple[Path, ...]:
        """The transcripts of hands in play, as they were when they were last written here."""
        return tuple(sorted(self.directory.glob(f"{self.table.hex()}-*{OPEN_HAND}")))


def table_records(root: Path) -> Iterator[TableRecord]:
    """Yield a record of every table that has a folder below `root`, with the names of the tables
    before and after it in its match. Raises StoreError if the home cannot be listed.
    """
    found = [_record(root, table) for table in tables(root)]
    # By digest: names of tables are beginnings of ids, and a charter names its predecessor.
    names = {each.charter.digest: each.name for each in found if each.charter is not None}
    # Empty is no table's digest: nothing is found by it.
    before = {
        each.name: each.charter.continues.charter
        if each.charter is not None and each.charter.continues is not None
        else b""
        for each in found
    }
    # A table without a setup is not there yet: a crash came while the match went on to it, and the
    # table before is resumed to go on again.
    there = {each.name for each in found if each.setup is not None}
    after = {digest: name for name, digest in before.items() if digest and name in there}
    for each in found:
        digest = each.charter.digest if each.charter is not None else b""
        yield replace(each, after=names.get(before[each.name]), next=after.get(digest))


def table_to_resume(root: Path, prefix: str | None, *, guess: bool = True) -> bytes:
    """Return the id of the table that begins with `prefix`; for None that of the resumable table
    used last or, if none is resumable, of one that is open in another process. Tables only watched
    do not count.

    If its match went on at another table, return that table. Without `guess`, None works only for a
    single table: for commands that change a table for good. Raises UserError for none or several,
    and where an unreadable table may be meant.
    """
    wanted, known = (prefix or "").lower(), list(table_records(root))
    # Cut, because names are shorter than an id.
    found = [each for each in known if each.name.startswith(wanted[:SHORT])]
    # A longer beginning distinguishes tables of the same name.
    found = [each for each in found if each.table.hex().startswith(wanted)]
    found = [each for each in found if each.state is not StoredTable.WATCHED]
    if prefix is None:
        broken = [each for each in found if each.state is StoredTable.UNREADABLE]
        locked = [each for each in found if each.state is StoredTable.OPEN]
        # A table that went on elsewhere is resumed there, once our seat is kept there; open ones
        # only if nothing else is.
        found = [
            each
            for each in found
            if each.state.resumable and not each.next and (each.setup or not each.charter)
        ] or locked
        last = max((*found, *broken), key=lambda each: each.last_use, default=None)
        # Guessing past a damaged table would play on at the wrong one.
        if last is not None and last in broken and (guess or not found):
            others = ", ".join(each.name for each in found)
            instead = f" Or resume another one: {others}." if found else ""
            raise UserError(
                f"Table {last.name}, which was used last, cannot be resumed. {last.detail}"
                f"{instead} 'p2p304 resume {last.name}' keeps a copy of its journal."
            )
        if guess and last is not None:
            found = [last]
    if len(found) == 1:
        return _last(found[0], known).table
    if not found:
        # Typed text, cut as it may be long; `!a` quotes it, and leaves no sign that acts on a
        # terminal.
        which = "unfinished table" if prefix is None else f"table that begins with {prefix[:40]!a}"
        raise UserError(f"There is no {which} on this machine: 'p2p304 tables' lists them.")
    names = ", ".join(each.name for each in found)
    raise UserError(f"There are several tables, so name one: {names}; 'p2p304 tables' tells more.")


def _last(record: TableRecord, known: Sequence[TableRecord]) -> TableRecord:
    """Return the newest table at which the match of a table went on; the table itself if it did
    not.
    """
    named = {each.name: each for each in known}
    # No ring: a charter names the one before by its digest.
    while record.next is not None:
        record = named[record.next]
    return record


def forget_table(record: TableRecord) -> None:
    """Remove the folder of a table with all its files.

    Raises UserError if a process has the table open, a bot that lives in it plays, or the folder
    holds files that we did not write; StoreError if the disk refuses.
    """
    journal, gone = record.directory / FILE_NAME, record.directory.parent / ".forgotten"
    try:
        # Locked: removing it would take the journal from under a running seat.
        if journal.exists() and not _free(journal):
            raise UserError(f"Table {record.name} is open in another p2p304: leave it there first.")
        # Never removed: files of the user's may lie in the folder.
        if strange := strangers_in(record.directory):
            raise UserError(
                f"{record.directory} holds {strange[0].relative_to(record.directory)}, which p2p304"
                " did not write: move it away first. Nothing was removed."
            )
        # Bots' homes are below, each with a journal.
        if not all(map(_free, record.directory.rglob(FILE_NAME))):
            raise UserError(f"A bot that lives in table {record.name} plays: let it leave first.")
        # What a crash between the next two steps left.
        shutil.rmtree(gone, ignore_errors=True)
        # First it is no table any more, in one step: half a table would be gone on with.
        record.directory.rename(gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise StoreError(f"{record.directory} cannot be removed: {error.strerror}.") from error


def _free(journal: Path) -> bool:
    """Return whether no process has the journal open. Raises OSError if it cannot be opened
    here.
    """
    # Writable, because a lock of its kind needs it on some systems.
    descriptor = REAL_DISK.open(journal, writable=True)
    try:
        return REAL_DISK.lock(descriptor)
    finally:
        # Closing releases the lock.
        os.close(descriptor)


def _record(root: Path, table: bytes) -> TableRecord:
    """Return the record of one table: read from its journal, or watched if it has none, open if
    another process has it, unreadable with the error.
    """
    directory = table_directory(root, table)
    if not (directory / FILE_NAME).exists():
        # Only watching writes no journal.
        return TableRecord(table, StoredTable.WATCHED, directory)
    try:
        # Its times are set again below.
        seen = (directory / FILE_NAME).stat()
        with Journal.open(directory, table) as journal:
            found = _read(journal, table, directory)
            # Opening repairs the journal's end, and so writes; who looks has not used the table.
            os.utime(directory / FILE_NAME, ns=(seen.st_atime_ns, seen.st_mtime_ns))
            return found
    except JournalLockedError:
        return TableRecord(table, StoredTable.OPEN, directory)
    # Whatever is wrong with one table, the others are listed.
    except (StoreError, MalformedMessage, UserError, OSError) as error:
        return TableRecord(table, StoredTable.UNREADABLE, directory, detail=str(error))


def _read(journal: Journal, table: bytes, directory: Path) -> TableRecord:
    """Return the record of a table from its open journal."""
    setup: Setup | None = None
    charter: Charter | None = None
    state = StoredTable.GATHERING
    # The latest record of a kind counts, as a restart reads it.
    for record in journal.records():
        match record.kind:
            case JournalKind.SETUP:
                setup = Setup.from_bytes(record.payload)
            case JournalKind.CHARTER:
                charter = kept_charter(record.payload)
                state = StoredTable.AGREEING
            case JournalKind.CONFIRMED:
                state = StoredTable.PLAYING
            case JournalKind.ENDED:
                state = StoredTable.ENDED
            case JournalKind.UNFINISHED:
                state = StoredTable.UNFINISHED
            # A message of the table changes nothing here.
            case _:
                pass
    # Last, as it counts whatever the journal says: evidence beside it stopped the table.
    if any(directory.glob("evidence-seat-*.p304e")):
        state = StoredTable.STOPPED
    return TableRecord(table, state, directory, setup, charter)


def match_result(record: TableRecord) -> str:
    """Return in words the result of a table's match, or its scores after the latest hand that all
    signed or that was ruled on.

    "" if there is no such hand, or a file cannot be read.
    """
    # From the newest: the first with a result tells.
    for path in reversed(record.transcripts):
        try:
            hands = finished_hands([read_bounded(path, LARGEST_RECORD)], game_of)
            found = [each for each in hands if each[0].signed or each[0].ruling is not None]
        # Of another version or damaged: no result is better than a wrong one.
        except (OSError, NotSigned, UserError):
            return ""
        if not found:
            continue  # ended unfinished, or not signed by all: the one before tells
        # A file may hold several hands: the last one tells.
        result, game = found[-1]
        telling, writer = telling_of(game), Writer(game.seats)
        try:
            match, winner = match_after(result, game)
        # Scores that no match of this game can have: nothing to tell is better than nonsense.
        except NotSigned:
            return ""
        # A match that is over begins anew: the scores before that are meant.
        stood = result.before if match is None else tuple(match.scores)
        scores = score_words(game, stood, writer)
        if winner is None:
            return f"{telling.score_unit}: {scores}"
        won = writer.sentence(won_line(telling.winners(winner, stood)))
        return f"{won.removesuffix('.')}: {scores}"
    return ""
