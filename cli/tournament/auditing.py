"""Auditing a whole tournament: its record, the proofs of its tables, and that both agree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from cli.auditing import FileAudit, audit_file
from cli.errors import UserError
from cli.input_files import InputFile
from cli.judges import Judges
from cli.seat.charter_text import game_of
from cli.tournament.bracket import who_has
from cli.wording import place_label
from p2p304.tournament.matches import How, Match
from p2p304.tournament.notation import format_tournament
from protocol.errors import MalformedMessage
from protocol.tournament.convictions import MEANINGS
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import MatchResult
from protocol.tournament.races import Hands, check_result, hands_in
from protocol.transcript.results import NotSigned

_LACKING: Final = frozenset({"result.missing", "result.race"})
"""How a result fails of which not all transcripts are there."""


def borne_out(judged: JudgedRecord, files: Iterable[str]) -> frozenset[bytes]:
    """Return the names of contrary results of matches in dispute that transcripts bear out."""
    sound = [audit.path for audit in _audited(tuple(files), None) if audit.valid]
    hands = _hands(sound) if sound else {}
    assert judged.tournament is not None
    names = (
        (number, name)
        for number, found in judged.disputed.items()
        for one in found
        for name in one.names
    )
    return frozenset(
        name
        for number, name in names
        if _fault(judged, judged.tournament.matches[number - 1], name, hands) is None
    )


@dataclass(frozen=True, slots=True)
class TournamentAudit:
    """What an audit found. `wrong` is the first thing that does not hold, None if all does.

    `matches` are those whose results the transcripts bear out, `lacking` those of which transcripts
    are missing, all or some; `hands` how many hands were judged; `convicted` says of whom the
    record convicts anybody, and of what.
    """

    judged: JudgedRecord
    matches: tuple[int, ...]
    lacking: tuple[Match, ...]
    files: int
    hands: int
    wrong: str | None
    convicted: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether everything holds."""
        return self.wrong is None

    @property
    def standing(self) -> str | None:
        """The text of the tournament (specs/tournament.md 9), None before a list of entries."""
        tournament = self.judged.tournament
        return None if tournament is None else format_tournament(tournament)


def audit_tournament(
    judged: JudgedRecord,
    files: Iterable[str],
    *,
    match: int | None = None,
    jobs: int | None = None,
) -> TournamentAudit:
    """Audit a tournament, or one match of it, with these transcripts.

    What does not hold is told in one order: who is convicted, the list, files, then the results
    by match.
    """
    paths = tuple(files)
    played = [each for each in _played(judged) if match in (None, each.number)]
    sound: list[FileAudit] = []
    broken: list[str] = []
    for audit in _audited(paths, jobs):
        if audit.valid:
            sound.append(audit)
        else:
            broken.append(_why_not(audit))
    hands = _hands([each.path for each in sound])
    unborne = {each: _unborne(judged, each, hands) for each in played}
    told = [
        f"match {each.number}: {problem.detail} ({problem.check})"
        for each, problem in unborne.items()
        if problem is not None
    ]
    against = tuple(convicted(judged))
    lists = [judged.waits] if judged.record.lists and judged.draw is None else []
    disputed = [f"match {number} is disputed" for number in judged.disputed]
    problems = (*against, *lists, *broken, *disputed, *told)
    return TournamentAudit(
        judged,
        tuple(each.number for each, problem in unborne.items() if problem is None),
        tuple(each for each, problem in unborne.items() if problem and problem.check in _LACKING),
        len(paths),
        sum(len(each.report.hands) for each in sound if each.report is not None),
        next(iter(problems), None),
        against,
    )


def _played(judged: JudgedRecord) -> tuple[Match, ...]:
    matches = judged.tournament.matches if judged.tournament is not None else ()
    return tuple(
        each for each in matches if each.outcome is not None and each.outcome.how is How.PLAYED
    )


def _unborne(judged: JudgedRecord, match: Match, hands: Hands) -> MalformedMessage | None:
    """Return why the transcripts do not bear out the result of a match, None if they do."""
    faults = [_fault(judged, match, name, hands) for name in judged.counted[match.number]]
    return None if None in faults else faults[0]


def _fault(
    judged: JudgedRecord, match: Match, name: bytes, hands: Hands
) -> MalformedMessage | None:
    """Return why the transcripts do not bear out one signed result, None if they do."""
    result = judged.record.pieces[name].content
    assert judged.draw is not None
    assert isinstance(result, MatchResult)
    try:
        check_result(judged.record.charter, judged.draw, match, result, hands)
    except MalformedMessage as error:
        return error
    return None


def _hands(paths: Iterable[str]) -> Hands:
    """Return the hands of files that were audited, which hold no others than they say."""
    try:
        return hands_in((b"".join(InputFile(path)) for path in paths), game_of)
    except NotSigned as error:
        raise UserError(f"A transcript changed while it was read: {error}.") from None


def _audited(paths: tuple[str, ...], jobs: int | None) -> Iterator[FileAudit]:
    workers = min(jobs or os.cpu_count() or 1, len(paths))
    if workers <= 1:
        yield from map(audit_file, paths)
        return
    with closing(Judges(workers)) as judges:
        for each in judges.judge(paths):
            yield each.result()


def _why_not(audit: FileAudit) -> str:
    report = audit.report
    if report is None or report.broken is None:
        return f"{audit.path}: not judged: {audit.unreadable}"
    return f"{audit.path}: {report.broken.check} failed at {place_label(report.broken.place)}"


def convicted(judged: JudgedRecord) -> Iterator[str]:
    """Yield whom a record convicts, and of what."""
    for each in judged.convictions:
        yield f"{who_has(judged, each.key)}: {MEANINGS[each.check]} ({each.check})"
