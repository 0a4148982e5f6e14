"""Auditing a whole tournament: its record, the proofs of its tables, and that both agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from cli.auditing import FileAudit, audit_all
from cli.errors import UserError
from cli.input_files import InputFile
from cli.seat.charter_text import game_of
from cli.tournament.telling import conviction_lines
from cli.wording import place_label
from p2p304.tournament.tournament import How, Match
from protocol.errors import MalformedMessage
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.races import Hands, check_result, hands_in
from protocol.transcript.results import NotSigned

# No transcript of the table, or some that do not end the race: copying more of them may mend both.
#: How a result fails of which not all transcripts are there.
_LACKING: Final = frozenset({"result.missing", "result.race"})


@dataclass(frozen=True, slots=True)
class TournamentAudit:
    """The result of auditing a tournament: `matches` whose results transcripts show, `lacking` with
    transcripts missing, and `wrong` everything that does not hold.
    """

    judged: JudgedRecord
    matches: tuple[int, ...]
    lacking: tuple[Match, ...]
    files: int
    hands: int
    wrong: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether everything holds."""
        return not self.wrong  # in which all that is `lacking` has a sentence, too


def audit_tournament(
    judged: JudgedRecord,
    files: Sequence[str],
    *,
    match: int | None = None,
    jobs: int | None = None,
) -> TournamentAudit:
    """Audit a tournament with these transcripts, `jobs` at a time as in `audit_all`; with `match`
    only the result of that match is compared with them.
    """
    audits = tuple(audit_all(files, jobs))
    hands = _hands(audits)
    faults = {
        each: _fault(judged, each.number, judged.counted[each.number], hands)
        for each in judged.matches
        # Of a ruling or a withdrawal transcripts show nothing.
        if each.outcome is not None and each.outcome.how is How.PLAYED
        if match in (None, each.number)
    }
    wrong = [
        *conviction_lines(judged),
        # Listed, and yet no draw: entries of the list are missing, or it does not hold.
        *([judged.waits] if judged.record.lists and judged.draw is None else []),
        *(_why_not(each) for each in audits if not each.valid),
        *(f"match {number} is disputed" for number in judged.disputed_results),
        *(
            f"match {each.number}: {_wrong_words(fault, judged, each, audits)} ({fault.check})"
            for each, fault in faults.items()
            if fault is not None
        ),
    ]
    return TournamentAudit(
        judged,
        tuple(each.number for each, fault in faults.items() if fault is None),
        tuple(each for each, fault in faults.items() if fault and fault.check in _LACKING),
        len(audits),
        # Of valid files alone, as in `_hands`: one that failed proves nothing.
        sum(len(each.report.hands) for each in audits if each.valid and each.report is not None),
        tuple(wrong),
    )


def borne_out(judged: JudgedRecord, files: Sequence[str]) -> frozenset[bytes]:
    """Return the names of those pieces with contrary results that the transcripts bear out."""
    hands = _hands(audit_all(files))
    contrary = ((number, each) for number, found in judged.contrary.items() for each in found)
    return frozenset(
        name
        for number, agreed in contrary
        for name in agreed.names
        if _fault(judged, number, (name,), hands) is None
    )


def _hands(audits: Iterable[FileAudit]) -> Hands:
    """Return the hands in those files whose audit is valid."""
    # A file that failed proves nothing, its first hands neither.
    paths = (each.path for each in audits if each.valid)
    try:
        return hands_in((b"".join(InputFile(path)) for path in paths), game_of)
    except NotSigned as error:
        # All have passed an audit a moment ago.
        raise UserError(f"A transcript changed while it was read: {error}.") from None


def _fault(
    judged: JudgedRecord, number: int, names: Sequence[bytes], hands: Hands
) -> MalformedMessage | None:
    """Return why the transcripts bear out no result in these pieces; None if they bear one out."""
    faults = []
    # Several pieces may say one result: one that is borne out is enough.
    for name in names:
        result = judged.record.pieces[name].content
        try:
            check_result(judged, judged.matches[number - 1], result, hands)
        except MalformedMessage as error:
            faults.append(error)
        else:
            return None
    return faults[0]  # for all: they say one result, and fail alike


def _wrong_words(
    fault: MalformedMessage, judged: JudgedRecord, match: Match, audits: Iterable[FileAudit]
) -> str:
    """Return the fault's own words, or the paths of broken files of the match's tables."""
    failed = ((each.path, each.report) for each in audits if not each.valid)
    tables = judged.tables(match)
    broken = [path for path, report in failed if report and report.charter in tables]
    # "No transcript is there" would be untrue of a file that is there and broken.
    if fault.check not in _LACKING or not broken:
        return fault.detail
    return f"its transcript does not hold: {', '.join(broken)}"


def _why_not(audit: FileAudit) -> str:
    """Return why a file that is not valid was not judged, or which check failed in it and where."""
    broken = None if audit.report is None else audit.report.broken
    if broken is None:
        return f"{audit.path}: not judged: {audit.unreadable}"
    return f"{audit.path}: {broken.check} failed at {place_label(broken.place)}"
