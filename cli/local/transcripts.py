"""The files of a seat on this machine: its journal, transcripts of its hands, evidence."""

from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final, ParamSpec, TypeVar

from cli.errors import StoreError
from cli.progress import progress
from cli.seat.sentences import broke_the_protocol, rulings_contradict
from cli.seat.setup import Surroundings
from cli.store.disk import REAL_DISK, write_whole
from cli.store.journal import Journal
from cli.store.paths import open_hand_name, transcript_name
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.seat.view import TableView
from protocol.table.events import (
    EndUndone,
    Event,
    HandEnded,
    HandRuled,
    HandUnfinished,
    RefereeBlamed,
    SeatBlamed,
    Waiting,
)
from protocol.table.ledger import LedgerPhase
from protocol.table.table import TableState
from protocol.topics.step import SessionStatus
from protocol.transcript.file import MAGIC, envelopes_for, hand_transcript, wanted_hands
from protocol.wire.charter import Charter
from protocol.wire.contents import Head
from protocol.wire.evidence_file import MAGIC as EVIDENCE_MAGIC
from protocol.wire.messages import Agreement

P = ParamSpec("P")
T = TypeVar("T")


def transcript_path(directory: Path, charter: Charter, number: int) -> Path:
    """Return the path of a hand's transcript."""
    return directory / transcript_name(charter.table, number)


def missing_transcripts(directory: Path, table_state: TableState) -> list[int]:
    """Return the numbers of the counted hands without a file, because of a crash.

    Only hands that the table still remembers: the files of earlier ones were written before.
    """
    return [
        number
        # Sorted: the files are told in the order of the hands.
        for lane, number in sorted(table_state.replicas)
        if lane is Lane.HAND
        # Not yet counted: the hand is not signed by all.
        and number < table_state.counted
        and not transcript_path(directory, table_state.charter, number).exists()
    ]


def _written_before_ruling(directory: Path, table_state: TableState) -> Iterator[int]:
    """Yield the numbers of ruled hands whose files lack the ruling, because a crash came before
    it was written.
    """
    for ruling in table_state.rulings.signed:
        number = ruling.content.hand
        path = transcript_path(directory, table_state.charter, number)
        # Only files of ours are read and replaced.
        ours = table_state.hand(number) is not None and path.exists() and replaceable(path)
        if ours and path.read_bytes() != hand_transcript(table_state, number):
            yield number


def _void_files(directory: Path, table_state: TableState) -> Iterator[Path]:
    """Yield the files of those hands of a table that a ruling made void from their first round
    on.
    """
    # By the table's id: the folder may hold files of other tables.
    for path in sorted(directory.glob(f"{table_state.charter.table.hex()}-*.p304")):
        # "TABLE-000003", or "TABLE-000003-open" of a hand in play; the user may have put others
        # beside them, such as "TABLE-copy".
        number = path.stem.split("-")[1]
        if number.isdecimal() and table_state.rulings.voids(LedgerName(Lane.HAND, int(number))):
            yield path


def _lacks_a_hand(directory: Path, session: Session) -> bool:
    """Return whether a transcript exists of a later hand than the session has, among the next
    64.
    """
    # A hand that was ended by agreement is not counted, and has a file.
    first = session.table_state.counted + bool(session.agreed_end())
    # 64 is a choice, and bounds the search: an older copy of the journal may lack several hands,
    # and the file of the first of them may be gone.
    later = (transcript_path(directory, session.charter, first + more) for more in range(64))
    return any(path.exists() for path in later)


class HandFiles:
    """The transcripts of a seat in one folder."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        #: Those that were written since this seat started, oldest first, without those removed.
        self.transcripts: tuple[Path, ...] = ()

    def keep(self, event: Event, session: Session) -> None:
        """Write the transcript of a hand that ended or was ruled on, or that of the hand in play
        while a signature is owed. Remove those of hands that a ruling made void or whose end was
        undone.

        Raises StoreError.
        """
        match event:
            case HandEnded(number, _, _):
                self.save(session.table_state, number)
            case HandUnfinished():
                self.save_unfinished(session)
            case HandRuled(ruling, void):
                for number in void:
                    # Void hands have no result: their files would be counted in an audit.
                    self._remove(transcript_path(self._directory, session.charter, number))
                # None: the ruling made this hand void, too, or it is an old one that was forgotten.
                if session.table_state.hand(ruling.content.hand) is not None:
                    self.save(session.table_state, ruling.content.hand)
            case EndUndone(number):
                self._remove(transcript_path(self._directory, session.charter, number))
            # Somebody owes the signature: the file shows it in case it never comes.
            case Waiting(seats) if seats and session.phase is LedgerPhase.SIGNING:
                self.save_open(session)
            case _:
                pass

    def save(
        self, table_state: TableState, number: int, agreed: tuple[Agreement, ...] = ()
    ) -> None:
        """Write the transcript of a counted hand, or of one that all present seats `agreed` to end,
        and remove that of the hand in play.

        Raises StoreError.
        """
        path = transcript_path(self._directory, table_state.charter, number)
        # Whole or not at all: `_write` renames.
        _write(path, hand_transcript(table_state, number, agreed))
        # A ruling has a hand written again: it is listed once, as the newest.
        self.transcripts = (*(each for each in self.transcripts if each != path), path)
        # The finished file replaces the one in play.
        self._remove(self._directory / open_hand_name(table_state.charter.table, number))

    def save_open(self, session: Session) -> None:
        """Write the hand in play as far as it goes, so that an audit tells what is owed by whom; do
        nothing if none is in play.

        Raises StoreError.
        """
        hand = session.table_state.hand()
        # A halted hand is in the evidence, and one that ended unfinished has a file already.
        going = (SessionStatus.PLAYING, SessionStatus.RETURNING, SessionStatus.AGREEING)
        if hand is None or hand.settled or session.status not in going:
            return
        number = hand.origin.ledger.number
        path = self._directory / open_hand_name(session.charter.table, number)
        _write(path, hand_transcript(session.table_state, number))

    def _remove(self, path: Path) -> None:
        """Delete a file of ours that does not count any more, and list it no more; a file that
        is not ours, or cannot be deleted, stays.
        """
        self.transcripts = tuple(each for each in self.transcripts if each != path)
        # A file that stays does no harm: an audit judges it by its content.
        with suppress(OSError):
            if path.exists() and replaceable(path):
                path.unlink()

    def save_unfinished(self, session: Session) -> None:
        """Write the newest hand's transcript if it ended by agreement, else do nothing. Raises
        StoreError.
        """
        agreed = session.agreed_end()
        if agreed:
            # Any of them: all name one hand.
            self.save(session.table_state, agreed[0].content.hand, agreed)

    def save_missing(self, session: Session) -> bool:
        """Write the files that a crash prevented, and remove those that a ruling made void. Raises
        StoreError.

        Return whether there are files of later hands than the session's: then the journal is an
        older copy.
        """
        table_state = session.table_state
        for path in _void_files(self._directory, table_state):
            self._remove(path)
        for number in (
            *missing_transcripts(self._directory, table_state),
            *_written_before_ruling(self._directory, table_state),
        ):
            self.save(table_state, number)
        self.save_unfinished(session)
        return _lacks_a_hand(self._directory, session)

    def older(self, table: bytes, heads: tuple[Head, ...]) -> tuple[bytes, ...]:
        """Return the envelopes in our transcripts that a peer with these heads lacks; none if a
        file that is needed is damaged, since another seat may have it whole.
        """

        # A generator: one file is in memory at a time, and is read within the `try` below.
        def keep() -> Iterator[bytes]:
            """Yield the transcripts of the hands that the peer lacks, as far as they are here."""
            for number in wanted_hands(heads):
                path = self._directory / transcript_name(table, number)
                if path.is_file():
                    yield path.read_bytes()

        try:
            return envelopes_for(keep(), heads)
        # The peer asks others, too.
        except (OSError, MalformedMessage):
            return ()

    def why_stopped(self, table: TableView, blame: SeatBlamed | RefereeBlamed) -> str:
        """Write the evidence against a seat or a referee, if there is any, and return why the table
        stopped.

        Raises StoreError.
        """
        if isinstance(blame, SeatBlamed):
            path = save_evidence(self._directory, blame.seat, blame.evidence)
            return broke_the_protocol(table.charter, blame.seat, blame.check, path)
        found = None
        # Empty where two referees contradict each other, which convicts neither.
        if blame.evidence:
            found = save_evidence(self._directory, blame.referee, blame.evidence, of="referee")
        return rulings_contradict(table.charter, table.game, blame, found)


def replaceable(path: Path) -> bool:
    """Return whether the name is free, or that of an empty file or one that we wrote: the folder
    may be the user's. Raises OSError if the file cannot be read.
    """
    try:
        # `lstat`: a link could lead our writing elsewhere.
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
    # Nothing lies there that could be lost.
    except FileNotFoundError:
        return True
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
    # An empty file is a crash of ours. Evidence has its magic behind two bytes of msgpack.
    return not head or head == MAGIC or EVIDENCE_MAGIC.encode() in head


def save_evidence(directory: Path, seat: int, evidence: bytes, *, of: str = "seat") -> Path:
    """Write the evidence against a seat, or against that referee if `of` is "referee", and
    return its path. Raises StoreError.
    """
    path = directory / f"evidence-{of}-{seat}.p304e"
    _write(path, evidence)
    return path


def _write(path: Path, data: bytes) -> None:
    """Write a file whole, never over a file that is not ours. Raises StoreError."""
    try:
        # Never over a file of the user's.
        if not replaceable(path):
            raise StoreError(f"{path} is there already, and is no file of p2p304: move it away.")
        # In a new file that is renamed: a crash leaves the old one or the new.
        write_whole(REAL_DISK, path, data, replace=True)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written ({error.strerror or error}): make room or mend the disk,"
            " then 'p2p304 resume'; nothing is lost, the others wait."
        ) from error


FEW: Final = 500  #: Messages that are read in about a second: a match of five hands has as many.


class JournalOnDisk:
    """The journal of a table, written in threads. Its opener closes it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @property
    def fresh(self) -> bool:
        """Whether this process made the journal, which then is no older copy of another one."""
        return self._journal.fresh

    async def records(self, *, shown: bool = False) -> Iterator[tuple[int, bytes]]:
        """Return all records, read from the file as they are taken.

        With `shown`, and many records, a bar on a terminal shows the progress.
        """
        # Awaited as `SeatJournal` has it; nothing is read before the first is taken.
        return self._count() if shown else self._journal.records()

    def _count(self) -> Iterator[tuple[int, bytes]]:
        """Yield all records, and show on a terminal how far reading has come."""
        # Counted first, at the price of a second reading: a bar needs its end.
        count = sum(1 for _ in self._journal.records())
        with progress("Reading the journal", count, quiet=count <= FEW) as advance:
            for record in self._journal.records():
                yield record
                advance(1)

    async def append(self, kind: int, *payloads: bytes) -> None:
        """Add records of one kind; when this returns, they are on the disk. Raises StoreError."""
        # In a thread: a sync of the disk takes milliseconds, or seconds.
        await asyncio.to_thread(self._journal.append, kind, *payloads)


_COMPUTING: Final = Lock()  #: Held by the one thread that computes for `compute`.


async def compute(call: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
    """Run a call in a thread, after those of all others in this process, and return its result.

    What computes with points runs so: whoever blames judges again by other arithmetic, and no
    other thread may compute meanwhile (`protocol.group.doubting`).
    """

    def alone() -> T:
        """Make the call while no other is made."""
        with _COMPUTING:
            return call(*arguments, **named)

    return await asyncio.to_thread(alone)


def surroundings(directory: Path) -> Surroundings:
    """Return the surroundings of a seat or a spectator here: its transcripts in this directory,
    the monotonic clock, and threads for work, which is done after that of others here.
    """
    # `play` has several seats in one process.
    return Surroundings(HandFiles(directory), time.monotonic, compute)
