"""What follows from a record: which draws have ended, what decides their matches, what convicts.

It depends on the set of pieces alone: not on their order, not on who carried them, not on a clock.
Specified in specs/tournament.md, 11 to 13.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple, TypeGuard

from p2p304.tournament.tournament import Tournament
from protocol.errors import MalformedMessage
from protocol.tournament.convictions import TournamentConviction, convictions_in
from protocol.tournament.deciding import DecidedTournament, Dispute, decided
from protocol.tournament.draws import CaptainsDraw, DrawState, settled_state, state_of
from protocol.tournament.pieces import (
    END_NAME_BYTES,
    DrawEnd,
    DrawRestart,
    LineupChange,
    MatchResult,
    Piece,
    TeamEntry,
    TeamWithdrawal,
    TournamentCharter,
    TournamentEnd,
    TournamentRuling,
)
from protocol.tournament.record import DrawMessage, TournamentRecord, rules_entry, slot_of
from protocol.wire.identity import PublicKey
from protocol.wire.messages import SignedMessage

MOST_FORKS: Final = 8
"""Standings of one organiser that a record keeps all pieces of, beside all those that it had."""

ABOUT_MATCHES: Final = (MatchResult, TournamentRuling, TeamWithdrawal)
MOST_ENDS: Final = 8
"""Ends of one draw that are looked at: each costs as much as a standing. Of more none counts."""


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
    deciding: frozenset[bytes] = frozenset()
    """The names of those of them that an end names: of a result one signature of each team."""
    kept: frozenset[bytes] = frozenset()
    """The names of what a record keeps beside that: results that both teams signed, and ends."""
    disputed: Mapping[int, tuple[Dispute, ...]] = field(default_factory=dict)
    contrary: Mapping[int, tuple[Dispute, ...]] = field(default_factory=dict)
    """Those, and the ones between which the end chose: what transcripts may decide."""
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
    state = replace(state, lineups=_lineups(record, state))
    pieces = _about(record, state)
    every = decided(charter, state, tournament, pieces, shown)
    ends = _ends(record, state.head)
    whole = _whole(charter, state, tournament, pieces, ends)
    end, twice = _ended(ends, whole, every)
    counts = every if end is None else end.decided
    return JudgedRecord(
        record,
        state,
        counts.tournament,
        counts.counted,
        counts.deciding,
        every.kept.union(
            *(each.named for each in whole), (each.name for each in ends[: MOST_ENDS + 1])
        ),
        counts.disputed,
        every.contrary_in(counts.tournament),
        {**_ignored(record, pieces, ends, end), **counts.ignored},
        (*every.convictions, *twice),
        ended=end is not None,
    )


def _ignored(
    record: TournamentRecord, pieces: Mapping[bytes, Piece], ends: list[Piece], end: _End | None
) -> dict[bytes, str]:
    """Return why pieces count for nothing that are about no match of a draw, or come too late."""
    why = "it goes past a result that both teams signed, decides not every match, or is not alone"
    found = {each.name: why for each in ends if end is None or each is not end.piece}
    for name, piece in record.pieces.items():
        if isinstance(piece.content, ABOUT_MATCHES) and name not in pieces:
            found[name] = "it is about another draw"
        elif name in pieces and end is not None and name not in end.named:
            found[name] = "the end of the tournament does not name it"
    return found


def _lineups(record: TournamentRecord, state: DrawState) -> tuple[LineupChange, ...]:
    """Return the changes of line-ups that captain and reserve of a team have signed."""
    signed: dict[tuple[int, bytes], list[LineupChange]] = {}
    for piece in record.pieces.values():
        if isinstance(change := piece.content, LineupChange) and change.draw == state.head:
            signed.setdefault((change.match, piece.id), []).append(change)
    teams = {each.players[0].key: each for each in state.draw.entries}
    return tuple(
        change
        for _, (change, *other) in sorted(signed.items())
        if other
        and (entry := teams.get(change.captain)) is not None
        and change.place < len(entry.players)
        and any(each.key == change.reserve for each in entry.reserves)
    )


def _about(record: TournamentRecord, state: DrawState) -> dict[bytes, Piece]:
    """Return the results, rulings and withdrawals of a draw by name."""
    return {
        name: piece
        for name, piece in sorted(record.pieces.items())
        if isinstance(piece.content, ABOUT_MATCHES) and piece.content.draw == state.head
    }


class _End(NamedTuple):
    """An end whose pieces are all here and decide every match."""

    piece: Piece
    named: frozenset[bytes]
    decided: DecidedTournament


def _ends(record: TournamentRecord, head: bytes) -> list[Piece]:
    """Return the ends of a draw by name."""
    return [
        piece
        for _, piece in sorted(record.pieces.items())
        if isinstance(piece.content, TournamentEnd) and piece.content.draw == head
    ]


def _whole(
    charter: TournamentCharter,
    state: DrawState,
    tournament: Tournament,
    pieces: Mapping[bytes, Piece],
    ends: list[Piece],
) -> list[_End]:
    """Return the ends that decide every match, none of more than MOST_ENDS."""
    found = []
    for piece in ends if len(ends) <= MOST_ENDS else ():
        assert isinstance(piece.content, TournamentEnd)
        wanted = frozenset(piece.content.pieces)
        named = {name: each for name, each in pieces.items() if name[:END_NAME_BYTES] in wanted}
        if len(named) == len(piece.content.pieces):
            result = decided(charter, state, tournament, named)
            if result.tournament.finished:
                found.append(_End(piece, frozenset(named), result))
    return found


def _ended(
    ends: list[Piece], whole: list[_End], now: DecidedTournament
) -> tuple[_End | None, tuple[TournamentConviction, ...]]:
    """Return the end that counts, None where there is none, or several; and of what ends convict
    the organiser.

    An end that goes against what both teams of a match signed is none, so that nobody ends a
    tournament past a result. The organiser signs another one then: two convict it unless what one
    of them names goes so against the other.
    """
    twice = [
        _two_ends(one.piece, other.piece)
        for one, other in combinations(whole, 2)
        if not one.decided.contradicts(other.decided.tournament)
        and not other.decided.contradicts(one.decided.tournament)
    ]
    if len(ends) > MOST_ENDS:
        twice = [_two_ends(ends[0], ends[1])]
    valid = [each for each in whole if not now.contradicts(each.decided.tournament)]
    return valid[0] if len(valid) == 1 else None, tuple(twice[:1])


def _two_ends(one: Piece, other: Piece) -> TournamentConviction:
    return TournamentConviction("end.twice", one.key, one.raw, other.raw)


# --- which draws there are ------------------------------------------------------------------------


def _states(record: TournamentRecord) -> list[DrawState]:
    """Return the draws that are settled; of a list without any the one that is to be finished."""
    said: dict[bytes, list[SignedMessage]] = {}
    for each in record.said.values():
        said.setdefault(each.draw.follows, []).append(each.signed)
    ends: dict[bytes, list[DrawEnd]] = {}
    for piece in sorted(record.pieces.values(), key=lambda each: each.id):
        if isinstance(piece.content, DrawEnd):
            ends.setdefault(piece.content.follows, []).append(piece.content)
    found: list[DrawState] = []
    for listed in record.lists:
        draws = [each for each in record.draws if each.listed == listed]
        settled = [
            state
            for draw in draws
            for end in ends.get(draw.follows, ())
            if (state := settled_state(draw, said.get(draw.follows, ()), end.messages)) is not None
        ]
        found += settled or [_open(record, draws, said)] if draws else []
    return sorted(found, key=lambda each: (not each.settled, each.draw.follows))


def _open(
    record: TournamentRecord, draws: list[CaptainsDraw], said: Mapping[bytes, list[SignedMessage]]
) -> DrawState:
    """Return the draw of one list that is to be finished: the one in which the organiser has opened
    its share, else the last one in which all captains have, else that behind the last restart, of
    several after one draw by the referee named first, then the lower id.

    So a restart of a draw in which all captains have opened counts for nothing, unless all captains
    that it leaves have opened behind it. What the organiser signs behind a restart changes nothing;
    it opens one share, in the draw that is to be finished, which stays that one.
    """
    heard = [state_of(each, said[each.follows]) for each in draws if each.follows in said]
    opened = [each for each in heard if each.all_captains_opened]
    if opened:
        return max(opened, key=lambda each: (each.complete, len(each.draw.before)))
    restarts = sorted(
        (piece.seat, piece.id)
        for piece in record.pieces.values()
        if isinstance(piece.content, DrawRestart)
    )
    behind = {(each.before[-1], each.follows): each for each in draws if each.before}
    last = draws[0]
    while after := [each for _, name in restarts if (each := behind.get((last.follows, name)))]:
        last = after[0]
    return state_of(last, said.get(last.follows, ()))


def _part(judged: JudgedRecord, mine: tuple[PublicKey, ...]) -> tuple[bool, bool, bool]:
    """Return what the owner of these keys has done in a draw: signed about its matches, drawn, or
    entered."""
    record, state = judged.record, judged.draw
    assert state is not None
    keys = [each.key for each in state.draw.charter.seats]
    follows = state.draw.follows
    said = {each.signed.place.seat for each in record.said.values() if each.draw.follows == follows}
    return (
        any(each.key in mine for each in _about(record, state).values()),
        any(keys[seat] in mine for seat in said),
        any(player.key in mine for entry in state.draw.entries for player in entry.signers),
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
    standings = (*had, *again, *more[: max(0, MOST_FORKS - len(had))])
    needed = frozenset[bytes]().union(*map(_needed, standings))
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


def _needed(judged: JudgedRecord) -> frozenset[bytes]:
    """Return the names of what a standing follows from, of what both teams have signed, and of one
    conviction of each key and kind."""
    record, state = judged.record, judged.draw
    against = {(one.check, one.key): one for one in reversed(judged.convictions)}
    evidence = {raw for one in against.values() for raw in (one.first, one.second)}
    needed = {name for name in record.names if record.raw_of(name) in evidence}
    if state is not None:
        draw = state.draw
        ids = {*draw.before, draw.follows, *record.lists[draw.listed].entries}
        end = DrawEnd(record.charter.digest, draw.follows, state.messages)
        leading = (
            name for name, each in record.pieces.items() if each.id in ids or each.content == end
        )
        needed.update(leading, state.messages)
    return frozenset(needed) | judged.deciding | judged.kept
