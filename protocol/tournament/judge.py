"""What follows from a record: which draws have ended, what decides their matches, what convicts.

It depends on the set of pieces alone: not on their order, not on who carried them, not on a clock.
Specified in specs/tournament.md, 11 to 13.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, TypeGuard

from p2p304.tournament.tournament import Tournament
from protocol.errors import MalformedMessage
from protocol.tournament.convictions import TournamentConviction, convictions_in
from protocol.tournament.deciding import Dispute, decided
from protocol.tournament.draws import CaptainsDraw, DrawState, settled_state, state_of
from protocol.tournament.pieces import (
    END_NAME_BYTES,
    DrawEnd,
    DrawRestart,
    MatchResult,
    TeamEntry,
    TeamWithdrawal,
    TournamentEnd,
    TournamentRuling,
)
from protocol.tournament.record import DrawMessage, TournamentRecord, rules_entry, slot_of
from protocol.tournament.signed_pieces import Piece
from protocol.wire.identity import PublicKey
from protocol.wire.messages import SignedMessage

MOST_FORKS: Final = 8
"""Standings of one organiser that a record keeps all pieces of, beside all those that it had."""

MOST_ENDS: Final = 8
"""Ends of one draw that are looked at: each costs as much as a standing. More count for nothing."""


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """What follows from a record, by one of the draws that it leads to.

    `draw` is that draw, None as long as no list of entries can be drawn, and `waits` says for what.
    `tournament` is there from the list on; it has its luck once the draw is settled. `counted` are
    the pieces by match from which its outcome follows, `disputed` the matches of which there are
    contrary results, and `ignored` tells of each piece that counts for nothing, by name, why that
    is. `ended` is whether the organiser has signed the end.

    `forks` are what follows by the other draws, if an organiser led its record to several; whose
    keys are given stays with the one in which they have signed, and then this one is `certain`.
    """

    record: TournamentRecord
    draw: DrawState | None
    tournament: Tournament | None
    counted: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    agreed: frozenset[bytes] = frozenset()
    """The names of the results that players of both teams have signed."""
    disputed: Mapping[int, tuple[Dispute, ...]] = field(default_factory=dict)
    ignored: Mapping[bytes, str] = field(default_factory=dict)
    convictions: tuple[TournamentConviction, ...] = ()
    waits: str = ""
    ended: bool = False
    forks: tuple[JudgedRecord, ...] = ()
    certain: bool = True

    @property
    def head(self) -> bytes | None:
        """The head of the draw, which results and rulings name; None before it is settled."""
        if self.draw is None or self.draw.luck is None:
            return None
        return self.draw.head


@lru_cache(maxsize=16)  # whoever waits for something asks again and again of the same record
def judge(
    record: TournamentRecord, *mine: PublicKey, shown: frozenset[bytes] = frozenset()
) -> JudgedRecord:
    """Return what follows from a record.

    Args:
        record: all that was signed, as far as it is known here.
        mine: keys of whoever asks, which choose between draws that an organiser led it to.
        shown: names of results that transcripts bear out, which decide between contrary ones.
    """
    convictions = convictions_in(record)
    found = [_judged(record, state, shown) for state in _states(record)]
    if not found:
        return JudgedRecord(record, None, None, convictions=convictions, waits=_why(record))
    convictions += tuple(each for one in found for each in one.convictions)
    convictions = tuple(sorted({*convictions}, key=lambda each: each.order))
    parts = [_part(each, mine) for each in found]
    found.sort(key=lambda each: _part(each, mine), reverse=True)
    first, *others = (replace(each, convictions=convictions) for each in found)
    certain = not others or (any(max(parts)) and parts.count(max(parts)) == 1)
    return replace(first, forks=tuple(others), certain=certain)


def _judged(record: TournamentRecord, state: DrawState, shown: frozenset[bytes]) -> JudgedRecord:
    charter = record.charter
    entries = tuple(rules_entry(each) for each in state.draw.entries)
    tournament = Tournament(charter.game, charter.seats, charter.system, entries)
    if state.luck is None:
        return JudgedRecord(record, state, tournament, waits=_awaited(state))
    tournament = tournament.drawn(state.luck)
    pieces = _about(record, state)
    result = decided(charter, state, tournament, pieces, shown)
    ended = _ended(record, state, tournament, pieces)
    if ended is not None:
        later = dict.fromkeys(
            pieces.keys() - _named(ended, pieces).keys(),
            "the end of the tournament does not name it",
        )
        result = replace(
            decided(charter, state, tournament, _named(ended, pieces), shown),
            agreed=result.agreed,
            convictions=result.convictions,
        )
        result = replace(result, ignored={**result.ignored, **later})
    elsewhere = {
        name: "it is about another draw"
        for name, piece in record.pieces.items()
        if isinstance(piece.content, MatchResult | TournamentRuling | TeamWithdrawal)
        and name not in pieces
    }
    return JudgedRecord(
        record,
        state,
        result.tournament,
        result.counted,
        result.agreed,
        result.disputed,
        {**elsewhere, **result.ignored},
        result.convictions,
        ended=ended is not None,
    )


def _about(record: TournamentRecord, state: DrawState) -> dict[bytes, Piece]:
    """Return the results, rulings and withdrawals of a draw by name."""
    return {
        name: piece
        for name, piece in sorted(record.pieces.items())
        if isinstance(piece.content, MatchResult | TournamentRuling | TeamWithdrawal)
        and piece.content.draw == state.head
    }


def _ended(
    record: TournamentRecord,
    state: DrawState,
    tournament: Tournament,
    pieces: Mapping[bytes, Piece],
) -> TournamentEnd | None:
    """Return the end that the organiser signed, None where there is none, or several, or one whose
    pieces do not decide every match."""
    ends = {
        each.content
        for each in record.pieces.values()
        if isinstance(each.content, TournamentEnd) and each.content.draw == state.head
    }
    valid = [
        each
        for each in (ends if len(ends) <= MOST_ENDS else ())
        if len(_named(each, pieces)) == len(each.pieces)
        and decided(record.charter, state, tournament, _named(each, pieces)).tournament.finished
    ]
    return valid[0] if len(valid) == 1 else None


def _named(end: TournamentEnd, pieces: Mapping[bytes, Piece]) -> dict[bytes, Piece]:
    wanted = frozenset(end.pieces)
    return {name: each for name, each in pieces.items() if name[:END_NAME_BYTES] in wanted}


# --- which draws there are ------------------------------------------------------------------------


def _states(record: TournamentRecord) -> list[DrawState]:
    """Return the draws that are settled; of a list without any the one that is to be finished."""
    draws = {each.follows: each for each in record.draws}
    settled: dict[bytes, list[DrawState]] = {}
    for piece in sorted(record.pieces.values(), key=lambda each: each.id):
        if isinstance(piece.content, DrawEnd) and piece.content.follows in draws:
            draw = draws[piece.content.follows]
            state = settled_state(draw, _messages(record, draw), piece.content.messages)
            if state is not None:
                settled.setdefault(draw.listed, []).append(state)
    found: list[DrawState] = []
    for draw in record.draws:
        if not draw.before:
            found += settled.get(draw.follows) or [_open(record, draw)]
    return sorted(found, key=lambda each: (not each.settled, each.draw.follows))


def _open(record: TournamentRecord, draw: CaptainsDraw) -> DrawState:
    """Return the draw that is to be finished, of those that restarts lead to from this one: of
    several after one draw that which the organiser has confirmed, then that of the referee named
    first, then of the lower id.

    A restart of a draw in which all captains have opened counts for nothing, unless the organiser
    has confirmed a draw behind it: it cannot finish both.
    """
    state = state_of(draw, _messages(record, draw))
    behind = {each.follows: each for each in record.draws if each.before[-1:] == (draw.follows,)}
    after = [
        (not _confirmed(record, behind[piece.id]), piece.seat, piece.id)
        for piece in record.pieces.values()
        if isinstance(piece.content, DrawRestart) and piece.id in behind
    ]
    if not after or (state.all_captains_opened and min(after)[0]):
        return state
    return _open(record, behind[min(after)[2]])


def _confirmed(record: TournamentRecord, draw: CaptainsDraw) -> bool:
    """Tell whether the organiser has confirmed a draw, or one behind it."""
    return any(
        each.signed.place.seat == each.draw.organiser
        and draw.follows in (*each.draw.before, each.draw.follows)
        for each in record.said.values()
    )


def _messages(record: TournamentRecord, draw: CaptainsDraw) -> list[SignedMessage]:
    follows = draw.follows
    return [each.signed for each in record.said.values() if each.draw.follows == follows]


def _part(judged: JudgedRecord, mine: tuple[PublicKey, ...]) -> tuple[bool, bool, bool]:
    """Return what the owner of these keys has done in a draw: signed about its matches, drawn, or
    entered."""
    record, state = judged.record, judged.draw
    assert state is not None
    keys = [each.key for each in state.draw.charter.seats]
    said = {each.place.seat for each in _messages(record, state.draw)}
    return (
        any(each.key in mine for each in _about(record, state).values()),
        any(keys[seat] in mine for seat in said),
        any(player.key in mine for entry in state.draw.entries for player in entry.players),
    )


def _why(record: TournamentRecord) -> str:
    if not record.lists:
        return "the organiser has not listed the entries"
    reasons = []
    for content in record.lists.values():
        try:
            record.listed(content)
        except MalformedMessage as error:
            known = "waits for others" if error.check == "list.missing" else "does not hold"
            reasons.append(f"the list of entries {known}: {error.detail or error.check}")
    return reasons[0]


def _awaited(state: DrawState) -> str:
    if state.complete:
        return "the draw waits for the organiser to name its messages"
    names = [
        "the organiser" if seat == state.draw.organiser else state.draw.entries[seat].team
        for seat in state.missing
    ]
    doing = "open a share of the luck" if state.opening else "confirm the list of entries"
    return f"the draw waits for {', '.join(names)} to {doing}"


# --- what a record keeps --------------------------------------------------------------------------


def pruned(record: TournamentRecord, before: TournamentRecord | None = None) -> TournamentRecord:
    """Return the record without what its signers signed too often, and entries that are in no list
    once there is one.

    What counts stays, and what counted `before` these pieces came; the rest of each slot by its
    lowest names. So a record stays bounded, and nobody fills it but with pieces of its own slots.
    """
    listed = frozenset(each for content in record.lists.values() for each in content.entries)
    everything: dict[bytes, Piece | DrawMessage] = {**record.pieces, **record.said}
    slots: dict[tuple[Hashable, int], list[bytes]] = {}
    for name in sorted(everything):
        piece = everything[name]
        if not (listed and _is_entry(piece) and piece.id not in listed):
            slots.setdefault(slot_of(piece), []).append(name)
    crowded = any(len(names) > most for (_, most), names in slots.items())
    if not crowded and sum(map(len, slots.values())) == len(everything):
        return record
    had = () if before is None else _standings(judge(before))
    new = _standings(judge(record))
    # What was here stays: a list of many must not push out the one that all play by.
    here = {_draw_of(each) for each in had}
    more = [each for each in new if _draw_of(each) not in here]
    again = [each for each in new if _draw_of(each) in here]
    needed = _needed((*had, *again, *more[: max(0, MOST_FORKS - len(had))]))
    kept = [
        name
        for (_, most), names in slots.items()
        for place, name in enumerate(sorted(names, key=lambda each: (each not in needed, each)))
        if place < most or name in needed
    ]
    return record.only(kept)


def _is_entry(piece: Piece | DrawMessage) -> TypeGuard[Piece]:
    return isinstance(piece, Piece) and isinstance(piece.content, TeamEntry)


def _standings(judged: JudgedRecord) -> tuple[JudgedRecord, ...]:
    return judged, *judged.forks


def _draw_of(judged: JudgedRecord) -> bytes | None:
    return None if judged.draw is None else judged.draw.draw.follows


def _needed(standings: Iterable[JudgedRecord]) -> frozenset[bytes]:
    """Return the names of what the standings follow from, of what both teams have signed, and of
    one conviction of each key and kind."""
    needed: set[bytes] = set()
    for each in standings:
        record = each.record
        counted = {name for names in each.counted.values() for name in names}
        # Of results the lowest that say the same decide as all of them do.
        needed |= {name for name in counted if not _is_result(record, name)} | each.agreed
        if each.draw is not None:
            needed |= {*each.draw.messages, *_behind(record, each.draw)}
        against = {(one.check, one.key): one for one in reversed(each.convictions)}
        evidence = {raw for one in against.values() for raw in (one.first, one.second)}
        needed |= {name for name in record.names if record.raw_of(name) in evidence}
    return frozenset(needed)


def _is_result(record: TournamentRecord, name: bytes) -> bool:
    piece = record.pieces.get(name)
    return piece is not None and isinstance(piece.content, MatchResult)


def _behind(record: TournamentRecord, state: DrawState) -> Iterator[bytes]:
    """Yield the names of the pieces that lead to a draw and end it, and of its tournament's end."""
    draw = state.draw
    ids = {*draw.before, draw.follows, *record.lists[draw.listed].entries}
    for name, piece in record.pieces.items():
        match piece.content:
            case DrawEnd(follows=follows, messages=messages):
                if follows == draw.follows and messages == state.messages:
                    yield name
            case TournamentEnd(draw=head) if head == state.head:
                yield name
            case _ if piece.id in ids:
                yield name
            case _:
                pass
