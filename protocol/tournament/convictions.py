"""What nobody signs who keeps to the protocol: two pieces that contradict each other convict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from protocol.tournament.draws import DrawMessage
from protocol.tournament.pieces import (
    DrawEnd,
    DrawRestart,
    EntryList,
    MatchResult,
    Piece,
    RulingKind,
    TournamentRuling,
)
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import PublicKey

# The one that needs the bracket; `deciding` finds it.
BEHIND: Final = "result.behind"
MEANINGS: Final[Mapping[str, str]] = {
    "list.twice": "the organiser signed two lists of entries",
    "restart.twice": "a referee restarted one draw in two ways",
    "draw.equivocation": (
        "a captain, or the organiser, signed two messages for one place of a draw, behind the same"
        " head"
    ),
    "draw.abandoned": "the organiser opened its share in two draws of one list",
    "draw.twice": "the organiser ended one draw in two ways",
    "result.twice": "a player signed two results of one match between two teams",
    BEHIND: "a player signed that its team lost a match, and a result of one behind it",
    "ruling.twice": "a referee ruled two things about one point",
    "end.twice": "the organiser ended one tournament in two ways",
}


@dataclass(frozen=True, slots=True)
class TournamentConviction:
    """Two raw pieces by which a key convicts itself, and the check, a name in MEANINGS."""

    check: str
    key: PublicKey
    first: bytes
    second: bytes

    @classmethod
    def by(cls, check: str, first: Piece[Any], second: Piece[Any]) -> TournamentConviction:
        """Return the conviction of `check` by two pieces of one signer."""
        return cls(check, first.key, first.raw, second.raw)

    @property
    def order(self) -> tuple[str, bytes, bytes]:
        """The key by which convictions are sorted."""
        return self.check, self.key.to_bytes(), self.first


def convictions_in(record: TournamentRecord) -> tuple[TournamentConviction, ...]:
    """Return the convictions that the pieces of a record show, one for each point, sorted.

    A point is something that its signer may say once. `result.behind` needs the bracket of a draw,
    and is found elsewhere.
    """
    said: dict[tuple[str, object], dict[bytes, Piece[Any]]] = {}
    # In the order of names, so that all copies of a record name the same pair.
    for _, piece in sorted(record.pieces.items()):
        for check, about, what in _points(piece):
            # By what is said: two signatures under one body contradict nothing.
            said.setdefault((check, about), {}).setdefault(what, piece)
    found = [
        TournamentConviction.by(check, *[*each.values()][:2])
        for (check, _), each in said.items()
        if len(each) > 1
    ]
    return tuple(sorted(found, key=lambda each: each.order))


def _points(piece: Piece[Any]) -> Iterator[tuple[str, object, bytes]]:
    """Yield the points of a piece: the check, what it is about, and what the piece says about it.

    Two pieces that say different things about one point convict their signer.
    """
    match piece.content:
        case EntryList():
            yield "list.twice", (), piece.id
        case DrawRestart(before=before):
            yield "restart.twice", (piece.key, before), piece.id
        case DrawEnd(follows=follows):
            yield "draw.twice", follows, piece.id
        case DrawMessage(draw, signed) as message:
            # With the head before: a captain may open its one share behind two histories (11.2).
            yield "draw.equivocation", (draw.follows, message.history), piece.id
            # Round 1: its share. What it confirms changes nothing (11.6).
            if signed.place.seat == draw.organiser and signed.place.round:
                yield "draw.abandoned", draw.listed, draw.follows
        case MatchResult(draw=draw, match=match, teams=teams):  # others may play it anew
            yield "result.twice", (piece.key, draw, match, teams), piece.id
        case TournamentRuling(draw=draw, match=match, kind=kind, teams=teams, sides=sides):
            # A team leaves once; a walk-over is of one match between two teams.
            about = (match, *sides) if kind is RulingKind.WALK_OVER else ("leaves", *teams)
            yield "ruling.twice", (piece.key, draw, *about), piece.id
