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
from cli.wording import place_label
from p2p304.tournament.matches import How, Match
from p2p304.tournament.notation import format_tournament
from protocol.errors import MalformedMessage
from protocol.tournament.convictions import MEANINGS
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import MatchResult
from protocol.tournament.races import Hands, check_result, hands_in
from protocol.transcript.results import NotSigned
from protocol.wire.identity import PublicKey

_LACKING: Final = frozenset({"result.missing", "result.race"})
"""How a result fails of which not all transcripts are there."""


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

    What does not hold is told in one order: the organiser's lists, the results by match, files.
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
    problems = (*_of_the_organiser(judged), *told, *broken)
    return TournamentAudit(
        judged,
        tuple(each.number for each, problem in unborne.items() if problem is None),
        tuple(each for each, problem in unborne.items() if problem and problem.check in _LACKING),
        len(paths),
        sum(len(each.report.hands) for each in sound if each.report is not None),
        next(iter(problems), None),
        tuple(convicted(judged)),
    )


def _of_the_organiser(judged: JudgedRecord) -> Iterator[str]:
    """Yield what makes the record itself unsound: it has two lists, or one that does not hold."""
    organiser = judged.record.charter.organiser
    for each in judged.convictions:
        if each.key == organiser:
            yield f"the organiser contradicts itself: {MEANINGS[each.check]} ({each.check})"
    if judged.record.lists and judged.draw is None:
        yield judged.waits


def _played(judged: JudgedRecord) -> tuple[Match, ...]:
    matches = judged.tournament.matches if judged.tournament is not None else ()
    return tuple(
        each for each in matches if each.outcome is not None and each.outcome.how is How.PLAYED
    )


def _unborne(judged: JudgedRecord, match: Match, hands: Hands) -> MalformedMessage | None:
    """Return why the transcripts do not bear out the result of a match, None if they do."""
    assert judged.draw is not None
    result = next(
        content
        for name in judged.counted[match.number]
        if isinstance(content := judged.record.pieces[name].content, MatchResult)
    )
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
        yield f"{_whose(judged, each.key)}: {MEANINGS[each.check]} ({each.check})"


def _whose(judged: JudgedRecord, key: PublicKey) -> str:
    """Return who has a key: the organiser, a referee, or a player of a team."""
    charter = judged.record.charter
    if key == charter.organiser:
        return "the organiser"
    if key in charter.referees:
        return f"referee {charter.referees.index(key) + 1}"
    for entry in judged.record.entries.values():
        for player in entry.players:
            if player.key == key:
                return f"{player.nickname} of {entry.team}"
    return key.to_bytes().hex()[:16]
