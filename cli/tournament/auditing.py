"""Auditing a whole tournament: its record, the proofs of its tables, and that both agree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from cli.auditing import FileAudit, audit_file, audits_beside
from cli.errors import UserError
from cli.input_files import InputFile
from cli.seat.charter_text import game_of
from cli.tournament.telling import conviction_lines
from cli.wording import place_label
from cli.workers import Workers
from p2p304.tournament.tournament import How, Match
from protocol.errors import MalformedMessage
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import MatchResult
from protocol.tournament.races import Hands, check_result, hands_in
from protocol.tournament.record import match_charters
from protocol.transcript.results import NotSigned

_LACKING: Final = frozenset({"result.missing", "result.race"})
"""How a result fails of which not all transcripts are there."""


@dataclass(frozen=True, slots=True)
class TournamentAudit:
    """The result of auditing a tournament; `wrong` lists everything that does not hold.

    `matches` are those whose results transcripts show, `lacking` those with transcripts missing,
    each of which is in `wrong` too, `hands` the number of judged hands.
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
        return not self.wrong


def audit_tournament(
    judged: JudgedRecord,
    files: Iterable[str],
    *,
    match: int | None = None,
    jobs: int | None = None,
) -> TournamentAudit:
    """Audit a tournament with these transcripts, `jobs` at a time, by default one for each core:
    `wrong` then has convictions, files that do not hold, disputes, and results that the transcripts
    do not bear out.

    With `match` the result of that match alone is compared with the transcripts; all else is
    audited all the same. Raises UserError if a transcript changes meanwhile.
    """
    audits = tuple(_audit(tuple(files), jobs))
    hands = _hands(audits)
    faults: dict[Match, MalformedMessage | None] = {}
    for each in () if judged.tournament is None else judged.tournament.matches:
        played = each.outcome is not None and each.outcome.how is How.PLAYED
        if played and match in (None, each.number):
            found = [_fault(judged, each, name, hands) for name in judged.counted[each.number]]
            # Several pieces may say one result: one that is borne out is enough.
            faults[each] = None if None in found else found[0]
    wrong = [
        *conviction_lines(judged),
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
        sum(len(each.report.hands) for each in audits if each.valid and each.report is not None),
        tuple(wrong),
    )


def borne_out(judged: JudgedRecord, files: Iterable[str]) -> frozenset[bytes]:
    """Return the names of those pieces with contrary results of a match that the transcripts bear
    out.

    Raises UserError if a transcript changes meanwhile.
    """
    hands = _hands(_audit(tuple(files), None))
    assert judged.tournament is not None  # there are contrary results
    return frozenset(
        name
        for number, found in judged.contrary.items()
        for one in found
        for name in one.names
        # Matches are numbered from 1, in their order.
        if _fault(judged, judged.tournament.matches[number - 1], name, hands) is None
    )


def _audit(paths: tuple[str, ...], jobs: int | None) -> Iterator[FileAudit]:
    """Audit these files, several at a time in processes; yield the audits in order."""
    # `cpu_count` is None where the system does not tell.
    workers = min(jobs or os.cpu_count() or 1, len(paths))
    # A pool of one would only add the start of a process.
    if workers <= 1:
        yield from map(audit_file, paths)
        return
    with closing(Workers(workers)) as pool:
        for each in audits_beside(pool, paths):
            yield each.result()


def _hands(audits: Iterable[FileAudit]) -> Hands:
    """Return the hands in those files whose audit is valid; raises UserError if such a file has
    changed since.
    """
    # A file that failed proves nothing, its first hands neither.
    paths = (each.path for each in audits if each.valid)
    try:
        return hands_in((b"".join(InputFile(path)) for path in paths), game_of)
    except NotSigned as error:
        # All have passed an audit a moment ago.
        raise UserError(f"A transcript changed while it was read: {error}.") from None


def _fault(
    judged: JudgedRecord, match: Match, name: bytes, hands: Hands
) -> MalformedMessage | None:
    """Return why the transcripts do not bear out the result in the piece `name` of the record;
    None if they do.
    """
    result = judged.record.pieces[name].content
    # There is a result of a match that was drawn; its piece is a MatchResult.
    assert judged.draw is not None
    assert isinstance(result, MatchResult)
    try:
        check_result(judged.draw, match, result, hands)
    except MalformedMessage as error:
        return error
    return None


def _wrong_words(
    fault: MalformedMessage, judged: JudgedRecord, match: Match, audits: Iterable[FileAudit]
) -> str:
    """Return what is wrong with a result: the fault's own words, or, if transcripts are missing
    and there are invalid files of the match's tables, the paths of those.
    """
    assert judged.draw is not None  # there is a result
    tables = match_charters(judged.draw, match)
    failed = ((each.path, each.report) for each in audits if not each.valid)
    broken = [path for path, report in failed if report and report.charter in tables]
    if fault.check not in _LACKING or not broken:
        return fault.detail
    return f"its transcript does not hold: {', '.join(broken)}"


def _why_not(audit: FileAudit) -> str:
    """Return why a file that is not valid was not judged, or which check failed in it and where."""
    broken = None if audit.report is None else audit.report.broken
    if broken is None:
        return f"{audit.path}: not judged: {audit.unreadable}"
    return f"{audit.path}: {broken.check} failed at {place_label(broken.place)}"
