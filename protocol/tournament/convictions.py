"""What nobody signs who keeps to the protocol: two pieces that contradict each other convict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from protocol.tournament.draws import history_of
from protocol.tournament.pieces import (
    DrawEnd,
    DrawRestart,
    EntryList,
    MatchResult,
    Piece,
    RulingKind,
    TournamentRuling,
)
from protocol.tournament.record import DrawMessage, TournamentRecord
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

    @property
    def order(self) -> tuple[str, bytes, bytes]:
        """Where it stands among others."""
        return self.check, self.key.to_bytes(), self.first


def convictions_in(record: TournamentRecord) -> tuple[TournamentConviction, ...]:
    """Return what the pieces of a record convict anybody of, once for each thing that was to be
    said once; what the bracket of a draw is needed for is not looked at."""
    found = (*_of_pieces(record), *_abandoned(record))
    return tuple(sorted(found, key=lambda each: each.order))


def _of_pieces(record: TournamentRecord) -> Iterator[TournamentConviction]:
    """Yield who said two things about what is said once, with the first two of them by name."""
    said: dict[tuple[str, object], dict[bytes, tuple[PublicKey, bytes]]] = {}
    for _, piece in sorted(record.pieces.items()):
        if (point := _point(piece)) is not None:
            said.setdefault(point, {}).setdefault(piece.id, (piece.key, piece.raw))
    for name, each in sorted(record.said.items()):
        place = each.signed.place
        where = ("draw.equivocation", (each.draw.follows, history_of(each.signed)))
        key = each.draw.charter.seats[place.seat].key
        said.setdefault(where, {})[name] = (key, each.signed.raw)
    for (check, _), each_said in said.items():
        if len(each_said) > 1:
            (key, first), (_, second), *_ = each_said.values()
            yield TournamentConviction(check, key, first, second)


def _point(piece: Piece) -> tuple[str, object] | None:
    """Return what a piece speaks about that its signer speaks about once, and the check's name."""
    match piece.content:
        case EntryList():
            return "list.twice", ()
        case DrawRestart(before=before):
            return "restart.twice", (piece.key, before)
        case DrawEnd(follows=follows):
            return "draw.twice", follows
        case MatchResult(draw=draw, match=match, teams=teams):  # others may play it anew
            return "result.twice", (piece.key, draw, match, teams)
        case TournamentRuling(draw=draw, match=match, kind=kind, teams=teams):
            about = (match,) if kind is RulingKind.WALK_OVER else ("leaves", *teams)
            return "ruling.twice", (piece.key, draw, *about)
        case _:
            return None


def _abandoned(record: TournamentRecord) -> Iterator[TournamentConviction]:
    """Yield the organiser that opened its share in two draws of one list: it knew the luck of the
    one that it gave up."""
    opened: dict[bytes, DrawMessage] = {}
    for _, each in sorted(record.said.items()):
        if each.signed.place.seat != each.draw.organiser or not each.signed.place.round:
            continue
        earlier = opened.setdefault(each.draw.listed, each)
        if earlier.draw.follows != each.draw.follows:
            pieces = (earlier.signed.raw, each.signed.raw)
            yield TournamentConviction("draw.abandoned", record.charter.organiser, *pieces)
            return
