"""How the matches of this machine's tables stand, from the latest hand that all seats signed or a
referee ended."""

from __future__ import annotations

from typing import Final

from cli.errors import UserError
from cli.front.story import scores_named
from cli.front.writing import Writer
from cli.seat.charter_text import game_of
from cli.seat.records import TableRecord
from p2p304.games import telling_of
from p2p304.sentences import won_by
from protocol.audit.results import NotSigned, finished_hands, match_after

LARGEST: Final = 64 << 20
"""Bytes of a transcript that is read for this."""


def match_result(record: TableRecord) -> str:
    """Return how the match of a table ended, or stands after its latest hand; nothing where no
    hand is over, or its file cannot be read."""
    for path in reversed(record.transcripts):
        try:
            if path.stat().st_size > LARGEST:
                return ""
            hands = finished_hands(path.read_bytes(), game_of)
            found = [each for each in hands if each[0].signed or each[0].ruling is not None]
        except (OSError, NotSigned, UserError):
            return ""
        if not found:
            continue  # ended unfinished, or not signed by all: the one before tells
        result, game = found[-1]
        telling, writer = telling_of(game), Writer(game.seats)
        try:
            match, winner = match_after(result, game)
        except NotSigned:
            return ""
        stood = result.before if match is None else tuple(match.scores)
        scores = scores_named(game, stood, writer)
        if winner is None:
            return f"{telling.scored}: {scores}"
        won = writer.sentence(won_by(telling.winners(winner, stood)))
        return f"{won.removesuffix('.')}: {scores}"
    return ""
