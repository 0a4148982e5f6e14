"""Files judged, for people in lines and for programs as JSON: audits of transcripts, evidence,
hands as text, and matches that went on at another table (specs 6.5).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from cli.errors import CheckFailed, UserError
from cli.front.story import HandStory
from cli.front.writing import Writer
from cli.input_files import STANDARD_INPUT, pieces_of, read_bounded
from cli.output_files import write_file
from cli.progress import progress
from cli.seat.charter_text import game_of, seat_name, told_terms, whose
from cli.store.hands import SHORT
from cli.wording import hand_label
from cli.workers import Workers
from p2p304.errors import NotationError
from p2p304.game import AnyGame
from p2p304.games import GAMES
from p2p304.hand_text import LONGEST, ToldHand, read_hands
from p2p304.seats import Seat
from p2p304.sentences import count_words
from protocol.bounds import MAX_EVIDENCE_BYTES
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted, HandUnfinished
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.transcript.auditor import Auditor, Report, by_result, results
from protocol.transcript.change import Change, changes, forks
from protocol.transcript.file import MAGIC
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.evidence_file import MAGIC as EVIDENCE
from protocol.wire.messages import SignedRuling

EMPTY: Final = "an empty file is no transcript of p2p304"
_EVIDENCE: Final = EVIDENCE.encode("ascii")
# The system kills a process that takes all memory, and tells it nothing.
_ENDED: Final = (
    "the process that read it was ended by {} (out of memory?): try it once more, with fewer --jobs"
)


def charter_of(report: Report, file: Path | str) -> Charter:
    """Return the charter from an audit's report, if no check of the audited file failed.

    Raises UserError if the charter is of another version of the program, CheckFailed if another
    check failed or there is no charter; `file` is named in the sentence.
    """
    broken = report.broken
    # By name: a newer program's file is not invalid, it only cannot be judged here.
    if broken is not None and broken.check == "charter.version":
        raise UserError(f"{file} is {broken.detail}.")
    if report.charter is None or broken is not None:
        what = broken.check if broken is not None else "no charter"
        raise CheckFailed(f"{file} is not valid ({what}): 'p2p304 audit' says more.")
    return report.charter


@dataclass(frozen=True, slots=True)
class FileAudit:
    """The outcome of auditing one file.

    `unreadable` is a sentence if the file could not be judged at all, else None. `check` is then
    the name of the check that failed while reading, if there was one.
    """

    path: str
    report: Report | None  #: None if the file could not be judged at all.
    # Why there is no report: no file, no transcript, a newer version, more than an audit holds.
    unreadable: str | None = None
    check: str | None = None

    @property
    def valid(self) -> bool:
        """Whether the file could be judged and is a valid transcript."""
        return self.report is not None and self.report.valid

    def as_json(self) -> dict[str, Any]:
        """Return the audit as the JSON object that `audit --json` prints for a file."""
        report = self.report
        if report is None:
            why = {"unreadable": self.unreadable, "check": self.check}
            return {"file": self.path, "valid": False, **why}
        broken = report.broken
        return {
            "file": self.path,
            "valid": report.valid,
            # The whole digest for programs; players compare the sixteen letters of its fingerprint.
            "table": report.charter.digest.hex() if report.charter else None,
            "charter": report.charter.fingerprint if report.charter else None,
            # None in place of an empty text, which a program might compare as a digest.
            "contents": report.contents.hex() or None,
            "seats": [
                {"name": each.nickname, "key": each.key.to_bytes().hex()}
                for each in (report.charter.seats if report.charter else ())
            ],
            "referees": [
                key.to_bytes().hex() for key in (report.charter.referees if report.charter else ())
            ],
            "terms": [
                # A charter can name powers of others; the auditor of a file should see them as its
                # players did.
                # Stripped: the screen indents these lines, a program reads them as values.
                {"name": name, "says": [line.strip() for line in lines]}
                for name, lines in (told_terms(report.charter) if report.charter else ())
            ],
            # None, and not an object: `and` gives the object only if a check failed.
            "broken": broken
            and {
                "check": broken.check,
                "place": broken.place,
                "seat": broken.seat,
                "blamed": seat_name(report.charter, broken.seat),
                "detail": broken.detail,
                "evidence": broken.evidence is not None,
            },
            "hands": [
                {
                    "number": hand.number,
                    "dealer": hand.dealer,
                    # The same types without a result: a program finds a list and a text.
                    "scores": list(hand.outcome.scores) if hand.outcome else [],
                    "summary": hand.outcome.summary if hand.outcome else "unfinished",
                    "unconfirmed": list(hand.unconfirmed),
                    "ended_by": list(hand.ended_by),
                    # Left out without a ruling: most programs that read this know of none.
                    **({} if hand.ruling is None else {"ruling": _ruling(hand.ruling)}),
                }
                for hand in report.hands
            ],
            "verifications": dict(results(report)),
            # Without zeros: "verifications" names every check, also one that nothing has passed.
            "passed": {name: count for name, count in report.passed.items() if count},
            **{
                # The groups "failed", "not needed" and the like as keys of their own; "passed" has
                # its counts above.
                result.replace(" ", "_"): list(names)
                for result, names in by_result(report).items()
                if result != "passed"
            },
        }


def audit_all(files: Sequence[str], jobs: int | None = None) -> Iterator[FileAudit]:
    """Yield the audits of files in their order, up to `jobs` of them made at a time in processes
    (None: one for each processor).

    If the system ends a process, only the file that it was judging is reported as not judged.
    """
    # Only this process can read the standard input; worker processes have none.
    apart = [each for each in files if each != STANDARD_INPUT]
    # `cpu_count` is None where the system does not tell.
    workers = min(jobs or os.cpu_count() or 1, len(apart))
    # A pool of one would only add the start of a process.
    if workers <= 1:
        yield from map(audit_file, files)
        return
    with closing(Workers(workers)) as pool:
        # Of one name given twice the audits are alike.
        begun = {each: pool.submit(audit_file, each, lost=_unjudged_audit) for each in apart}
        for each in files:
            yield audit_file(each) if each == STANDARD_INPUT else begun[each].result()


def _unjudged_audit(file: str, code: int) -> FileAudit:
    """Return the audit of a file, as unreadable, whose worker was ended by a signal before it had
    judged it; `code` is the worker's exit status, then negative.

    Raises ValueError if the worker exited by itself (0 or more), which is a defect of ours.
    """
    # POSIX: a negative exit status is the number of the signal that ended the process.
    ended = signal.Signals(-code).name
    return FileAudit(file, None, unreadable=_ENDED.format(ended))


def audit_file(
    path: str, *, tell: Callable[[str], None] | None = None, ascii_only: bool = False
) -> FileAudit:
    """Audit a transcript, compressed or not, and return the outcome; a file that is missing or
    cannot be read is an outcome, too.

    `path` may be STANDARD_INPUT. `tell`, unless None, is called with each line for people while the
    file is read: the seats' names, then the story of each hand.
    """
    auditor = Auditor(game_of)
    story: HandStory | None = None
    unread = partial(FileAudit, path, None)
    try:
        # A story is told while the file is read: the longest match needs little memory.
        for event in _events_in(path, auditor):
            if tell is None:
                continue
            if story is None:
                charter = auditor.report.charter
                # The charter is the first record, so that no event comes before it.
                assert charter is not None
                game = game_of(charter)
                story = HandStory(game, Writer(game.seats, ascii_only=ascii_only))
                for line in whose(charter):
                    tell(line)
            for line in story.hear(event):
                tell(line)
        report = auditor.finish()
    # What no auditor could read: it is neither valid nor invalid.
    except (MalformedMessage, UserError) as error:
        # Evidence among other files: "wrong format" would not tell the player what to do with it.
        proof = error.check == "transcript.format" and holds_evidence(path)
        told = "it is evidence and no transcript: name it alone" if proof else str(error)
        return unread(told, error.check)
    # More decks than one audit remembers: no verdict on the file, which can be judged in parts.
    except LocalError as error:
        return unread(str(error))
    except FileNotFoundError:
        return unread(f"There is no file {path}.")
    # `strerror` is None if the error was made without an errno.
    except OSError as error:
        return unread(error.strerror or type(error).__name__)
    # A newer program's file is not invalid: it only cannot be judged here.
    if report.broken is not None and report.broken.check == "charter.version":
        return unread(f"it is {report.broken.detail}", report.broken.check)
    return FileAudit(path, report)


def _events_in(
    path: str, auditor: Auditor, advance: Callable[[int], None] = lambda _: None
) -> Iterator[Event]:
    """Yield the events of a transcript, which `auditor` judges while it is read; tell `advance`
    the bytes of each piece.

    Nothing is read behind the first fault. Raises UserError for an empty file.
    """
    piece = b""
    for piece in pieces_of(path):
        yield from auditor.feed(piece)
        # A hostile file is left at its first fault, whatever its size (attacks CL9); what stands
        # behind it would be shown as if it had been verified.
        if auditor.report.broken is not None:
            break
        advance(len(piece))
    # Not "cut short": a file of no bytes was never a transcript.
    if not piece:
        raise UserError(EMPTY, check="transcript.format")


def _ruling(ruling: SignedRuling) -> dict[str, Any]:
    """Return a referee's ruling as a JSON object."""
    content = ruling.content
    return {
        "referee": ruling.referee,
        "round": content.closed,
        "verdict": RulingVerdict(content.verdict).name.lower(),
        # A set of sides as 64 bits (specs 3.5.18).
        "against": [side for side in range(64) if content.against >> side & 1],
        "text": content.text,
        "id": ruling.id.hex(),
    }


@dataclass(frozen=True, slots=True)
class Convicted:
    """The conviction that a file of evidence proves: seat or referee, check, table and public
    key.
    """

    path: str
    seat: Seat
    check: str
    charter: Charter
    referee: bool = False  #: Whether it is the referee of that number in place of a seat.

    @property
    def key(self) -> str:
        """The public key of the convicted in hexadecimal, which is its identity at every table."""
        if self.referee:
            # A referee's number counts among the charter's referees, not among the seats.
            return self.charter.referees[self.seat].to_bytes().hex()
        return self.charter.seats[self.seat].key.to_bytes().hex()

    @property
    def _name(self) -> str:
        """The convicted in words: "the referee", or the name of the seat."""
        return "the referee" if self.referee else seat_name(self.charter, self.seat)

    @property
    def sentence(self) -> str:
        """The conviction as a sentence: whom the evidence convicts, of which check, under which
        key.
        """
        whose = "its" if self.referee else "the seat's"
        return f"the evidence convicts {self._name} of {self.check}; {whose} key is {self.key}"

    def as_json(self) -> dict[str, Any]:
        """Return the conviction as the JSON object that `audit --json` prints."""
        return {
            "file": self.path,
            "convicts": True,
            "table": self.charter.digest.hex(),
            "check": self.check,
            # Two keys: referee 0 and seat 0 are different people.
            "referee" if self.referee else "seat": self.seat,
            "blamed": self._name,
            "key": self.key,
        }


def holds_evidence(path: str) -> bool:
    """Return whether a regular file begins like evidence (specs 6.4), which is not checked;
    False if it cannot be read.
    """
    try:
        # A named pipe would block, and a device never end (attacks CL9).
        # msgpack: a byte opens the array and one its first text, so the text itself begins at 2.
        return Path(path).is_file() and next(pieces_of(path), b"").startswith(_EVIDENCE, 2)
    # ValueError: a path with a NUL byte.
    except (OSError, ValueError):
        return False


def check_evidence_file(path: str) -> Convicted:
    """Check a file of evidence by specs 6.4, and return the conviction that it proves.

    Raises CheckFailed if it convicts nobody, UserError if it is no evidence, and OSError if it
    cannot be read, is too large for evidence, or is no regular file.
    """
    data = read_bounded(path, MAX_EVIDENCE_BYTES)
    # Both kinds are files of ours that people send each other.
    if data.startswith(MAGIC):
        raise UserError(f"{path} is a transcript and no evidence.")
    try:
        evidence = evidence_from_bytes(data)
    except MalformedMessage as error:
        # Evidence of a newer version is told as such; other unreadable bytes are no evidence.
        what = error.detail if error.check == "charter.version" else "no evidence of p2p304"
        raise UserError(f"{path} is {what}.", check=error.check) from None
    try:
        found = check_evidence(evidence, game_of(evidence.charter))
    # `check_evidence` judges by itself: no word of the file is believed (attacks CL25).
    except (MalformedMessage, ProofError) as error:
        told = f"The evidence convicts nobody: {error}."
        raise CheckFailed(told, check=error.check) from None
    return Convicted(path, found.seat, found.check, evidence.charter, found.referee)


def read_saved_hands(file: Path) -> tuple[AnyGame, Charter, list[Event]]:
    """Audit a transcript, with a progress bar, and return its game, its charter and all its events.

    Raises OSError if it cannot be read; UserError if it is no transcript or its charter is of
    another version; CheckFailed for any other file that is not valid.
    """
    auditor = Auditor(game_of)
    # The size on the disk, as that of what is packed in it is unknown: then the bar fills early.
    with progress("Auditing the hand", file.stat().st_size) as advance:
        try:
            events = list(_events_in(str(file), auditor, advance))
        # Who asks for the hand does not ask for the name of a check: `audit` tells that.
        except MalformedMessage as error:
            raise UserError(f"{file} is no saved hand: {error.detail}.") from None
    charter = charter_of(auditor.finish(), file)
    return game_of(charter), charter, events


def hand_text(file: str) -> str | None:
    """Return the text of a file that begins with the name of a game; None for any other file, and
    for an empty one.

    Raises UserError for such a text that is too long or not ASCII, OSError for a file that cannot
    be read.
    """
    held = b""
    for piece in pieces_of(file):
        # Kept whole, to be read as one text; a transcript fails the match at its first piece.
        held += piece
        # The first piece, 64 KiB of a file, holds the whole first line of any hand as text; bytes,
        # as the file may be no text at all.
        first, *_ = held.split(maxsplit=1) or [b""]
        if first.decode("ascii", "replace") not in GAMES:
            return None
        # Judged while it is read: a hostile file is not taken into memory (attacks CL9).
        if len(held) > LONGEST:
            raise UserError(f"{file} is too long for hands as text, at most {LONGEST} characters.")
    # The notation is ASCII, so that no two letters look alike.
    if not held.isascii():
        raise UserError(f"{file} is no hand as text: it holds more than ASCII.")
    return held.decode() if held else None


def told_hands(file: str, text: str, *, ascii_only: bool) -> Iterator[str]:
    """Yield, in lines, the story of each hand in `text`, then one line that all of them follow the
    rules.

    Raises CheckFailed, which names `file` and the line's number, where a line cannot be read or
    breaks the rules; hands before it may have been yielded.
    """
    # For a blank text, which has no hand.
    number = 0
    try:
        for number, hand in enumerate(read_hands(text), 1):
            story = HandStory(hand.game, Writer(hand.game.seats, ascii_only=ascii_only))
            # Events count hands from 0, people from 1.
            for event in _events(number - 1, hand):
                yield from story.hear(event)
    except NotationError as error:
        # An error tells its place in characters; people count lines from 1.
        line = text.count("\n", 0, error.position) + 1
        raise CheckFailed(f"{file}, line {line}: {error.args[0]}.") from None
    yield f"{count_words(number, 'hand')}: by the rules it is so."


def _events(number: int, hand: ToldHand) -> Iterator[Event]:
    """Yield a hand as the events of a table: its start, its actions, and its end, or that it is
    unfinished; `number` counts from 0.
    """
    # The same events as at a table, so that the same sentences tell them.
    yield HandStarted(number, hand.dealer, hand.scores)
    yield from (ActionTaken(seat, action) for seat, action in hand.actions)
    if hand.outcome is None:
        yield HandUnfinished(number, ())
    else:
        # No scores of a match: a text ends with its hand.
        yield HandEnded(number, hand.outcome, ())


@dataclass(frozen=True, slots=True)
class ToldChange:
    """One sentence about a change of tables, or about a seat that played at two. `check` is the
    name of the check that failed, "" for none.

    It `convicts` a seat if there is evidence. `table` is the one at which the match goes on, or the
    second that a seat played at.
    """

    sentence: str
    table: Charter
    check: str
    convicts: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the change as a JSON object."""
        return {
            "change": self.table.table.hex(),
            "valid": not self.check,
            # "" is null in JSON.
            "check": self.check or None,
            "convicts": self.convicts,
            "sentence": self.sentence,
        }


def told_changes(reports: Sequence[Report], *, save: str | None = None) -> Iterator[ToldChange]:
    """Yield a sentence for each table that goes on with another one's match, whether it does as the
    match stood there; then one for each seat that is convicted because it played at two tables.

    With `save` the evidence against such a seat is written to a new file beside it, named after it
    with "-fork-" and a number; if that fails, the sentence says so.
    """
    for change in changes(reports):
        yield _tell(change, reports)
    # Numbered, as several seats may have played at two tables.
    for number, (fork, conviction) in enumerate(forks(reports), 1):
        saved = "--save-evidence FILE saves the evidence"
        if save is not None:
            whole = Path(save)
            # A name of its own: the files' own evidence is saved under numbers without "-fork".
            place = whole.with_name(f"{whole.stem}-fork-{number}{whole.suffix}")
            try:
                write_file(place, fork.to_bytes())
                saved = f"the evidence is saved in {place}"
            # The verdict stands, whatever the disk says.
            except UserError as error:
                saved = f"the evidence was not saved: {error}"
        who = seat_name(fork.charter, conviction.seat)
        yield ToldChange(
            f"{who} played at {_name(fork.charter)} and at {_name(fork.other)}, of which an honest"
            f" seat plays at one: this convicts of {conviction.check}; {saved}",
            fork.other,
            conviction.check,
            convicts=True,
        )


def _tell(change: Change, reports: Sequence[Report]) -> ToldChange:
    """Return the sentence for one change of tables: the table before is not among the files, a
    check fails, or the match goes on as it stood.

    `reports` are all audits, to which the change refers by index.
    """
    charter = reports[change.after].charter
    # A change is found by the charter that names the table before.
    assert charter is not None
    term = charter.continues
    # A change goes from a table to one that continues it.
    assert term is not None
    name = _name(charter)
    # Not wrong: the files do not hold what it would be judged by (attacks GO8).
    if change.before is None:
        return ToldChange(
            f"{name} goes on with the match of another table, whose hand"
            f" {hand_label(term.point.hand)} is not among these files: give both",
            charter,
            change.broken,
        )
    before = reports[change.before].charter
    # The file before was audited, or it would not be named.
    assert before is not None
    if change.broken:
        sentence = (
            f"{name} does not go on with the match of {_name(before)} as it stood there:"
            f" {change.broken} fails: {change.detail}"
        )
    else:
        stayed = ", ".join(seat_name(charter, seat) for seat in term.present)
        # The charter names the founder's bots: everybody should see who plays twice.
        bots = "".join(
            f"; {seat_name(charter, seat)} is a bot of {seat_name(charter, by)}"
            for seat, by in term.bots
        )
        sentence = (
            f"{name} goes on with the match of {_name(before)}: as it stood there; {stayed} stayed"
            f"{bots}"
        )
    return ToldChange(sentence, charter, change.broken)


def _name(charter: Charter) -> str:
    """Return "table " and the beginning of the table's id in hexadecimal."""
    return f"table {charter.table.hex()[:SHORT]}"
