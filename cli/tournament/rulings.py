"""What referees ruled at the tables of a tournament, as far as the files in its folder tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cli.front.rulings import ruling_sentence
from cli.front.writing import Writer
from cli.input_files import InputFile, read_bounded
from cli.seat.charter_text import game_of
from cli.tournament.bracket import team_name
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import match_folder, table_of
from cli.tournament.referee import RULINGS
from p2p304.tournament.matches import Match
from protocol.errors import MalformedMessage
from protocol.tournament.judge import JudgedRecord
from protocol.transcript.file import MAX_RECORD, Stopped, TranscriptReader
from protocol.wire.authenticate import open_ruling
from protocol.wire.charter import Charter
from protocol.wire.messages import SignedRuling


def rulings_told(folder: TournamentFolder, judged: JudgedRecord, match: Match) -> tuple[str, ...]:
    """Return what was ruled at a match's table, in the order of the hands: of the transcripts in
    the match's folder, and of a referee's own files there."""
    place = match_folder(folder, match)
    if len(match.teams) < len(match.sides) or not place.is_dir():
        return ()
    table = table_of(judged, match)
    found = {each.id: each for each in _found(place, table)}
    writer, names = Writer(len(table.seats)), tuple(map(team_name, match.teams))
    ordered = sorted(found.values(), key=lambda each: (each.content.hand, each.content.closed))
    game = game_of(table)
    return tuple(ruling_sentence(game, each.content, writer, names) for each in ordered)


def _found(place: Path, table: Charter) -> Iterator[SignedRuling]:
    for path in sorted(place.iterdir()):
        raws: tuple[bytes, ...] = ()
        if path.suffix == ".p304":
            raws = _stops(path)
        elif path.match(RULINGS):
            with suppress(OSError):
                raws = (read_bounded(path, MAX_RECORD),)
        for raw in raws:
            try:
                yield open_ruling(raw, table)
            except MalformedMessage:
                continue  # of another table; an audit tells


def _stops(path: Path) -> tuple[bytes, ...]:
    try:
        reader = TranscriptReader()
        return tuple(
            each.raw
            for piece in InputFile(str(path))
            for each in reader.feed(piece)
            if isinstance(each, Stopped)
        )
    except (MalformedMessage, OSError):
        return ()
