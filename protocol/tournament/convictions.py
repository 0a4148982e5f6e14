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
    """Two raw pieces by which a key convicts itself, and of what: a name of MEANINGS."""

    check: str
    key: PublicKey
    first: bytes
    second: bytes

    @classmethod
    def by(cls, check: str, first: Piece[Any], second: Piece[Any]) -> TournamentConviction:
        """Return what two pieces of one signer convict it of."""
        return cls(check, first.key, first.raw, second.raw)

    @property
    def order(self) -> tuple[str, bytes, bytes]:
        """Where it stands among others."""
        return self.check, self.key.to_bytes(), self.first


def convictions_in(record: TournamentRecord) -> tuple[TournamentConviction, ...]:
    """Return what the pieces of a record convict anybody of, once for each thing that was to be
    said once; what the bracket of a draw is needed for is not looked at."""
    said: dict[tuple[str, object], dict[bytes, Piece[Any]]] = {}
    for _, piece in sorted(record.pieces.items()):
        for check, about, what in _points(piece):
            said.setdefault((check, about), {}).setdefault(what, piece)
    found = [
        TournamentConviction.by(check, *[*each.values()][:2])
        for (check, _), each in said.items()
        if len(each) > 1
    ]
    return tuple(sorted(found, key=lambda each: each.order))


def _points(piece: Piece[Any]) -> Iterator[tuple[str, object, bytes]]:
    """Yield the check, what a piece speaks about that its signer speaks about once, and what it
    says about that."""
    match piece.content:
        case EntryList():
            yield "list.twice", (), piece.id
        case DrawRestart(before=before):
            yield "restart.twice", (piece.key, before), piece.id
        case DrawEnd(follows=follows):
            yield "draw.twice", follows, piece.id
        case DrawMessage(draw, signed) as message:
            yield "draw.equivocation", (draw.follows, message.history), piece.id
            if signed.place.seat == draw.organiser and signed.place.round:
                yield "draw.abandoned", draw.listed, draw.follows
        case MatchResult(draw=draw, match=match, teams=teams):  # others may play it anew
            yield "result.twice", (piece.key, draw, match, teams), piece.id
        case TournamentRuling(draw=draw, match=match, kind=kind, teams=teams, sides=sides):
            about = (match, *sides) if kind is RulingKind.WALK_OVER else ("leaves", *teams)
            yield "ruling.twice", (piece.key, draw, *about), piece.id
