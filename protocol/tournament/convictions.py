"""What nobody signs who keeps to the protocol: two pieces that contradict each other convict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from protocol.tournament.pieces import (
    DrawRestart,
    EntryList,
    MatchResult,
    RulingKind,
    TournamentRuling,
)
from protocol.tournament.record import DrawMessage, TournamentRecord
from protocol.tournament.signed_pieces import Piece
from protocol.wire.identity import PublicKey

MEANINGS: Final[Mapping[str, str]] = {
    "list.twice": "the organiser signed two lists of entries",
    "restart.twice": "a referee restarted one draw in two ways",
    "draw.equivocation": "a captain, or the organiser, signed two messages for one place of a draw",
    "draw.abandoned": "the organiser opened its share of a draw and confirmed another one after it",
    "result.twice": "a player signed two results of one table",
    "ruling.twice": "a referee ruled two things about one point",
}


@dataclass(frozen=True, slots=True)
class TournamentConviction:
    """Two raw pieces by which a key convicts itself, and of what: a name of MEANINGS."""

    check: str
    key: PublicKey
    first: bytes
    second: bytes


def convictions_in(
    record: TournamentRecord,
) -> tuple[TournamentConviction, ...]:
    """Return what the pieces of a record convict anybody of, once for each thing that was to be
    said once."""
    found = (*_of_pieces(record), *_of_draws(record), *_abandoned(record))
    return tuple(sorted(found, key=lambda each: (each.check, each.key.to_bytes(), each.first)))


def _of_pieces(record: TournamentRecord) -> Iterator[TournamentConviction]:
    points: dict[object, Piece] = {}
    told: set[object] = set()
    for _, piece in sorted(record.pieces.items()):
        for check, point in _points(piece):
            earlier = points.setdefault((check, point), piece)
            if earlier.id != piece.id and (check, point) not in told:
                told.add((check, point))
                yield TournamentConviction(check, piece.key, earlier.raw, piece.raw)


def _points(piece: Piece) -> Iterator[tuple[str, object]]:
    """Yield what a piece speaks about that its signer speaks about once."""
    match piece.content:
        case EntryList():
            yield "list.twice", ()
        case DrawRestart(before=before):
            yield "restart.twice", (piece.key, before)
        case MatchResult(table=table):  # whose teams meet nowhere else; a match may be played anew
            yield "result.twice", (piece.key, table)
        case TournamentRuling(draw=draw, match=match, kind=kind, teams=teams):
            if kind is RulingKind.WALK_OVER:
                yield "ruling.twice", (piece.key, draw, match)
            else:
                yield "ruling.twice", (piece.key, draw, "leaves", *teams)
        case _:
            pass


def _of_draws(record: TournamentRecord) -> Iterator[TournamentConviction]:
    places: dict[object, DrawMessage] = {}
    told: set[object] = set()
    for _, said in sorted(record.said.items()):
        place = said.draw.charter.table, said.signed.place
        earlier = places.setdefault(place, said)
        if earlier.signed.id != said.signed.id and place not in told:
            told.add(place)
            key = said.draw.charter.seats[said.signed.place.seat].key
            yield TournamentConviction(
                "draw.equivocation", key, earlier.signed.raw, said.signed.raw
            )


def _abandoned(record: TournamentRecord) -> Iterator[TournamentConviction]:
    """Yield the organiser that opened its share of one draw, and confirmed a later one: it knew the
    luck that it gave up."""
    by_organiser = [
        each
        for _, each in sorted(record.said.items())
        if each.signed.place.seat == each.draw.organiser
    ]
    for opened in by_organiser:
        for confirmed in by_organiser:
            later = confirmed.draw.restarts > opened.draw.restarts
            if later and opened.signed.place.round and not confirmed.signed.place.round:
                yield TournamentConviction(
                    "draw.abandoned",
                    record.charter.organiser,
                    opened.signed.raw,
                    confirmed.signed.raw,
                )
                return
