"""How the matches of this machine's tables stand, from the latest hand that all seats signed."""

from __future__ import annotations

from typing import Final

from cli.errors import UserError
from cli.front.story import scores_named
from cli.front.writing import Writer
from cli.seat.charter_text import game_of
from cli.seat.records import TableRecord
from p2p304.games import telling_of
from p2p304.sentences import won_by
from protocol.audit.results import NotSigned, signed_results

LARGEST: Final = 64 << 20
"""Bytes of a transcript that is read for this."""


def match_result(record: TableRecord) -> str:
    """Return how the match of a table ended, or stands after its latest hand; nothing where no
    hand is over, or its file cannot be read."""
    for path in reversed(record.transcripts):
        try:
            if path.stat().st_size > LARGEST:
                return ""
            found = [*signed_results(path.read_bytes(), game_of)]
        except (OSError, NotSigned, UserError):
            return ""
        if not found:
            continue  # ended unfinished, or not signed by all: the one before tells
        result, game = found[-1]
        telling, writer = telling_of(game), Writer(game.seats)
        try:
            match = game.after_hand(game.match_at(result.dealer, result.before), result.outcome)
        except ValueError:
            return ""
        scores = scores_named(game, tuple(match.scores), writer)
        if match.winner is None:
            return f"{telling.scored}: {scores}"
        won = writer.sentence(won_by(telling.winners(match.winner, tuple(match.scores))))
        return f"{won.removesuffix('.')}: {scores}"
    return ""
