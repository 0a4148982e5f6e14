"""What follows from a record: which draw counts, which results and rulings, and what does not.

It depends on the set of pieces alone: not on their order, not on who carried them, not on a clock.
Specified in specs/tournament.md, 12.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeGuard

from p2p304.tournament.tournament import Tournament
from protocol.errors import MalformedMessage
from protocol.tournament.convictions import TournamentConviction, convictions_in
from protocol.tournament.deciding import DecidedTournament, decided
from protocol.tournament.draws import CaptainsDraw, DrawState, state_of
from protocol.tournament.pieces import DrawRestart, TeamEntry
from protocol.tournament.record import (
    DrawMessage,
    TournamentRecord,
    rules_entry,
    slot_of,
)
from protocol.tournament.signed_pieces import Piece


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """What follows from a record.

    `draw` is the one that counts, None as long as no list of entries can be drawn, and `waits` says
    for what; `draws` are all, by their restarts. `tournament` is there from the list on; it has its
    luck once the draw is settled. `counted` are the pieces by match from which its outcome follows,
    `taking_back` those by which a result is taken back, and `ignored` tells of each piece that
    counts for nothing, by name, why that is.
    """

    record: TournamentRecord
    draw: DrawState | None
    tournament: Tournament | None
    draws: tuple[DrawState, ...] = ()
    counted: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    taking_back: frozenset[bytes] = frozenset()
    ignored: Mapping[bytes, str] = field(default_factory=dict)
    convictions: tuple[TournamentConviction, ...] = ()
    waits: str = ""

    @property
    def head(self) -> bytes | None:
        """The head of the draw, which results and rulings name; None before it is settled."""
        if self.draw is None or self.draw.luck is None:
            return None
        return self.draw.head


@lru_cache(maxsize=8)  # whoever waits for something asks again and again of the same record
def judge(record: TournamentRecord) -> JudgedRecord:
    """Return what follows from a record."""
    states = tuple(_state(record, draw) for draw in record.draws)
    convictions = convictions_in(record)
    state = _counting(states)
    if state is None:
        return JudgedRecord(record, None, None, convictions=convictions, waits=_why(record))
    charter = record.charter
    entries = tuple(rules_entry(each) for each in state.draw.entries)
    tournament = Tournament(charter.game, charter.seats, charter.system, entries)
    if state.luck is None:
        waits = _awaited(state)
        return JudgedRecord(record, state, tournament, states, convictions=convictions, waits=waits)
    result: DecidedTournament = decided(record, state, tournament.drawn(state.luck))
    return JudgedRecord(
        record,
        state,
        result.tournament,
        states,
        result.counted,
        result.taking_back,
        result.ignored,
        convictions,
    )


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
    needed = _needed(judge(record))
    if before is not None:
        needed |= _needed(judge(before))
    kept = [
        name
        for (_, most), names in slots.items()
        for place, name in enumerate(sorted(names, key=lambda each: (each not in needed, each)))
        if place < most or name in needed
    ]
    return record.only(kept)


def _is_entry(piece: Piece | DrawMessage) -> TypeGuard[Piece]:
    return isinstance(piece, Piece) and isinstance(piece.content, TeamEntry)


def _needed(judged: JudgedRecord) -> frozenset[bytes]:
    """Return the names of what the standing follows from, and of one conviction of each key and
    kind."""
    needed = {name for names in judged.counted.values() for name in names} | judged.taking_back
    record, state = judged.record, judged.draw
    if state is not None:
        rounds = [*state.replica.ledger.rounds]
        needed |= {each.id for closed in rounds for each in closed.messages}
        needed |= {each.id for each in state.replica.ledger.accepted}
        ids = _behind(record, state.draw)
        needed |= {name for name, piece in record.pieces.items() if piece.id in ids}
    against = {(each.check, each.key): each for each in reversed(judged.convictions)}
    evidence = {raw for each in against.values() for raw in (each.first, each.second)}
    needed |= {name for name in record.names if record.raw_of(name) in evidence}
    return frozenset(needed)


def _behind(record: TournamentRecord, draw: CaptainsDraw) -> frozenset[bytes]:
    """Return the ids of the list, entries and restarts that lead to a draw."""
    befores = {
        piece.id: piece.content.before
        for piece in record.pieces.values()
        if isinstance(piece.content, DrawRestart)
    }
    ids = {draw.follows}
    at = draw.follows
    while at in befores:
        at = befores[at]
        ids.add(at)
    if at in record.lists:
        ids.update(record.lists[at].entries)
    return frozenset(ids)


def _state(record: TournamentRecord, draw: CaptainsDraw) -> DrawState:
    table = draw.charter.table
    messages = (each.signed for each in record.said.values() if _table(each) == table)
    return state_of(draw, messages)


def _table(said: DrawMessage) -> bytes:
    return said.draw.charter.table


def _counting(states: Iterable[DrawState]) -> DrawState | None:
    """Return the draw that counts: settled before not, then of most restarts, then of the lowest
    id."""
    return min(
        states,
        key=lambda each: (each.luck is None, -each.draw.restarts, each.draw.follows),
        default=None,
    )


def _why(record: TournamentRecord) -> str:
    if not record.lists:
        return "the organiser has not listed the entries"
    reasons = []
    for content in record.lists.values():
        try:
            record.listed(content)
        except MalformedMessage as error:
            reasons.append(f"the list of entries does not hold: {error.detail or error.check}")
    return reasons[0]


def _awaited(state: DrawState) -> str:
    names = [
        "the organiser" if seat == state.draw.organiser else state.draw.entries[seat].team
        for seat in state.missing
    ]
    doing = "open a share of the luck" if state.opening else "confirm the list of entries"
    return f"the draw waits for {', '.join(names)} to {doing}"
