"""What follows from a record: which draw counts, which results and rulings, and what does not.

It depends on the set of pieces alone: not on their order, not on who carried them, not on a clock.
Specified in specs/tournament.md, 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from p2p304.tournament.tournament import Tournament
from protocol.errors import MalformedMessage
from protocol.tournament.convictions import TournamentConviction, convictions_in
from protocol.tournament.deciding import DecidedTournament, decided
from protocol.tournament.draws import CaptainsDraw, DrawState, state_of
from protocol.tournament.pieces import DrawRestart
from protocol.tournament.record import (
    DrawMessage,
    TournamentRecord,
    rules_entry,
    slot_of,
)
from protocol.tournament.signed_pieces import Piece

MOST_IN_SLOT = 8
"""So many pieces are kept of those of which an honest signer signs one, beside what counts."""


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """What follows from a record.

    `draw` is the one that counts, None as long as no list of entries can be drawn, and `waits` says
    for what; `draws` are all, by their restarts. `tournament` is there from the list on; it has its
    luck once the draw is settled. `counted` are the pieces by match from which its outcome follows,
    and `ignored` tells of each piece that counts for nothing, by name, why that is.
    """

    record: TournamentRecord
    draw: DrawState | None
    tournament: Tournament | None
    draws: tuple[DrawState, ...] = ()
    counted: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
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
        record, state, result.tournament, states, result.counted, result.ignored, convictions
    )


def pruned(record: TournamentRecord) -> TournamentRecord:
    """Return the record without what a signer signed too often about one thing.

    What counts stays, whatever else was signed: the rest of a slot by its lowest names.
    """
    slots: dict[object, list[bytes]] = {}
    everything: dict[bytes, Piece | DrawMessage] = {**record.pieces, **record.said}
    for name in sorted(everything):
        slots.setdefault(slot_of(everything[name]), []).append(name)
    if all(len(names) <= MOST_IN_SLOT for names in slots.values()):
        return record
    needed = _needed(judge(record))
    kept = [
        name
        for names in slots.values()
        for place, name in enumerate(sorted(names, key=lambda each: (each not in needed, each)))
        if place < MOST_IN_SLOT or name in needed
    ]
    return record.only(kept)


def _needed(judged: JudgedRecord) -> frozenset[bytes]:
    """Return the names of what the standing follows from."""
    needed = {name for names in judged.counted.values() for name in names}
    record, state = judged.record, judged.draw
    if state is not None:
        rounds = [*state.replica.ledger.rounds]
        needed |= {each.id for closed in rounds for each in closed.messages}
        needed |= {each.id for each in state.replica.ledger.accepted}
        ids = _behind(record, state.draw)
        needed |= {name for name, piece in record.pieces.items() if piece.id in ids}
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
