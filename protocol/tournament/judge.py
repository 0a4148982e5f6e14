"""Judge a record: which draws have ended, what decides their matches, who is convicted.

All follows from the set of pieces alone (specs/tournament.md, 11 to 13).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import Any, Final

from p2p304.tournament.tournament import Tournament
from protocol.errors import MalformedMessage
from protocol.tournament.convictions import TournamentConviction, convictions_in
from protocol.tournament.deciding import Agreed, DecidedTournament, decide_all
from protocol.tournament.draws import CaptainsDraw, DrawMessage, DrawState, state_of
from protocol.tournament.pieces import (
    END_NAME_BYTES,
    AboutMatch,
    DrawEnd,
    DrawRestart,
    EntryList,
    LineupChange,
    MatchResult,
    Piece,
    TeamEntry,
    TeamWithdrawal,
    TournamentCharter,
    TournamentEnd,
    TournamentRuling,
)
from protocol.tournament.record import TournamentRecord, rules_entry
from protocol.wire.identity import PublicKey

MOST_FORKS: Final = 8
"""Standings of one organiser that a record keeps all pieces of, beside all those that it had."""
MOST_ENDS: Final = 8
"""Ends of one draw that are looked at: each costs as much as a standing. Of more none counts."""
MOST_KEPT: Final[Mapping[type, int]] = {
    TournamentCharter: 1,
    TeamEntry: 8,
    EntryList: 2,
    DrawRestart: 32,
    MatchResult: 64,
    TournamentRuling: 1_024,
    DrawEnd: 32,
    TournamentEnd: 9,
    TeamWithdrawal: 2,
    LineupChange: 32,  # an honest captain signs one for each of its 31 matches at the most
    DrawMessage: 2,
}
"""Pieces of one kind by one key that a record is sure to keep; of a draw's for one place."""


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """What follows from a record, by one of the draws that it leads to.

    `draw` is that draw, None as long as no list of entries can be drawn, and `waits` says for what.
    `tournament` is there from the list on; it has its luck once the draw is settled. `counted` are
    the pieces by match from which its outcome follows, `deciding` those of them that an end names,
    `contrary` the contrary results of matches, those that are `disputed` and the ones
    between which the end chose, and `ignored` tells of each piece that counts for nothing, by name,
    why that is. `ended` is whether the organiser has signed the end.

    `forks` are what follows by the other draws, if an organiser led its record to several; whose
    keys are given stays with the one in which they have signed, and then this one is `certain`.
    """

    record: TournamentRecord
    draw: DrawState | None
    tournament: Tournament | None
    counted: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    deciding: Collection[bytes] = ()
    kept: Collection[bytes] = ()
    """The names of what a record keeps beside that: results that both teams signed, and ends."""
    contrary: Mapping[int, tuple[Agreed, ...]] = field(default_factory=dict)
    ignored: Mapping[bytes, str] = field(default_factory=dict)
    convictions: tuple[TournamentConviction, ...] = ()
    waits: str = ""
    ended: bool = False
    forks: tuple[JudgedRecord, ...] = ()
    certain: bool = True

    @property
    def disputed(self) -> dict[int, tuple[Agreed, ...]]:
        """The contrary results of each match that they leave undecided, by number."""
        pending = () if self.tournament is None else self.tournament.pending
        return {e.number: self.contrary[e.number] for e in pending if e.number in self.contrary}

    @property
    def head(self) -> bytes | None:
        """The head of the draw, which results and rulings name; None before it is settled."""
        return self.draw.head if self.draw is not None and self.draw.settled else None


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
    # Every draw, since an organiser may have led its record to several (11.7).
    found = [_judge(record, state, shown) for state in _states(record)]
    every = {*convictions_in(record), *(each for one in found for each in one.convictions)}
    convictions = tuple(sorted(every, key=lambda each: each.order))
    if not found:
        return JudgedRecord(record, None, None, convictions=convictions, waits=_why(record))
    parts = sorted((_part(each, mine) for each in found), reverse=True)
    found.sort(key=lambda each: _part(each, mine), reverse=True)
    first, *others = (replace(each, convictions=convictions) for each in found)
    # What our keys have signed tells the draw; if two are alike it tells nothing, and we sign
    # nothing (11.7).
    certain = not others or (any(parts[0]) and parts[0] != parts[1])
    return replace(first, forks=tuple(others), certain=certain)


def _judge(record: TournamentRecord, state: DrawState, shown: frozenset[bytes]) -> JudgedRecord:
    """Return what follows from a record by one of its draws."""
    charter = record.charter
    entries = tuple(rules_entry(each) for each in state.draw.entries)
    tournament = Tournament(charter.game, charter.seats, charter.system, entries)
    # Not drawn yet: there are no matches.
    if state.luck is None:
        return JudgedRecord(record, state, tournament, waits=_awaited_words(state))
    tournament = tournament.drawn(state.luck)
    state = replace(state, lineups=_lineups(record, state))
    every = about_matches(record)
    here = [each for each in every if each.content.draw == state.head]
    now = decide_all(state, tournament, here, shown)
    ends = [each for each in record.of(TournamentEnd) if each.content.draw == state.head]
    # One more than are looked at: so many make all of them invalid, in every copy.
    kept = {*now.kept, *(each.name for each in ends[: MOST_ENDS + 1])}
    whole: list[tuple[Piece[TournamentEnd], DecidedTournament]] = []
    for piece in ends if len(ends) <= MOST_ENDS else ():
        # An end counts only with all pieces that it names (12.7).
        named = [each for each in here if each.name[:END_NAME_BYTES] in piece.content.pieces]
        if len(named) == len(piece.content.pieces):
            # By the named pieces alone: is every match decided?
            result = decide_all(state, tournament, named)
            if result.tournament.finished:
                whole.append((piece, result))
                kept.update(each.name for each in named)
    # An end that goes against what both teams of a match signed is none, so that nobody ends a
    # tournament past a result; the organiser signs another one then, which convicts nobody.
    twice = [
        (one, other)
        for (one, by_one), (other, by_other) in combinations(whole, 2)
        # If a later result made the first end void, a second one convicts nobody (12.7).
        if not by_one.contradicts(by_other.tournament)
        and not by_other.contradicts(by_one.tournament)
    ]
    # So many ends can only be contradictions; to compare all would take too long.
    twice = [(ends[0], ends[1])] if len(ends) > MOST_ENDS else twice[:1]
    # An end must not go past what both teams have signed.
    valid = [each for each in whole if not now.contradicts(each[1].tournament)]
    # Of two valid ends neither counts: both are shown as a conviction.
    end, counts = valid[0] if len(valid) == 1 else (None, now)
    ignored = {each.name: _NO_END for each in ends if each is not end}
    for each in every:
        if each.content.draw != state.head:
            ignored[each.name] = "it is about another draw"
        elif end is not None and each.name[:END_NAME_BYTES] not in end.content.pieces:
            ignored[each.name] = "the end of the tournament does not name it"
    return JudgedRecord(
        record,
        state,
        counts.tournament,
        counts.counted,
        counts.deciding,
        kept,
        now.contrary_in(counts.tournament),
        ignored | counts.ignored,
        (*now.convictions, *(TournamentConviction.by("end.twice", *each) for each in twice)),
        ended=end is not None,
    )


_NO_END: Final = (
    "it goes past a result that both teams signed, decides not every match, or is not alone"
)


def about_matches(record: TournamentRecord) -> list[Piece[AboutMatch]]:
    """Return the results, rulings and withdrawals of a record by name."""
    kinds = (MatchResult, TournamentRuling, TeamWithdrawal)
    return sorted((each for kind in kinds for each in record.of(kind)), key=lambda each: each.name)


def _lineups(record: TournamentRecord, state: DrawState) -> tuple[LineupChange, ...]:
    """Return the changes of line-ups that captain and reserve of a team have signed."""
    changes = [each for each in record.of(LineupChange) if each.content.draw == state.head]
    # Seat 1 is the reserve, seat 0 the captain: both have to sign (10.3).
    both = {each.id: each.content for each in changes if each.seat}
    both = {each.id: each.content for each in changes if not each.seat and each.id in both}
    teams = {each.captain: each for each in state.draw.entries}
    return tuple(
        change
        for _, change in sorted(both.items(), key=lambda each: (each[1].match, each[0]))
        if (entry := teams.get(change.captain)) is not None
        # Its fields are in range, but this team may have fewer players.
        and change.place < len(entry.players)
        and any(each.key == change.reserve for each in entry.reserves)
    )


# --- which draws there are ------------------------------------------------------------------------


def _states(record: TournamentRecord) -> list[DrawState]:
    """Return the settled draws of each list; of a list without any, the draw that is to be
    finished.
    """
    said: dict[bytes, list[DrawMessage]] = {each.follows: [] for each in record.draws}
    for each in record.of(DrawMessage):
        said.setdefault(each.content.draw.follows, []).append(each.content)
    found: list[DrawState] = []
    for listed in record.lists:
        draws = {each.follows: each for each in record.draws if each.listed == listed}
        ended = (each.content for each in record.of(DrawEnd) if each.content.follows in draws)
        states = [state_of(draws[e.follows], said[e.follows], e.messages) for e in ended]
        settled = [each for each in states if each.settled]
        # All settled ones count: the organiser ended them (11.6).
        found += settled or [_open(record, [*draws.values()], said)] if draws else []
    return sorted(found, key=lambda each: (not each.settled, each.draw.follows))


def _open(
    record: TournamentRecord, draws: list[CaptainsDraw], said: Mapping[bytes, list[DrawMessage]]
) -> DrawState:
    """Return the draw of one list that is to be finished (specs/tournament.md, 11.6).

    It is the one in which the organiser has opened its share; else the last in which all captains
    have; else the one behind the last restart, of several restarts of one draw that of the referee
    named first, then of the lower id.
    """
    heard = [state_of(each, said[each.follows]) for each in draws if said[each.follows]]
    opened = [each for each in heard if each.all_captains_opened]
    if opened:
        # In which the organiser opened its share; else behind most restarts (11.6).
        return max(opened, key=lambda each: (each.complete, len(each.draw.before)))
    restarts = sorted((each.seat, each.id) for each in record.of(DrawRestart))
    behind = {(each.before[-1], each.follows): each for each in draws if each.before}
    last = draws[0]
    # Of several restarts of one draw that of the referee named first (11.5).
    while after := [each for _, name in restarts if (each := behind.get((last.follows, name)))]:
        last = after[0]
    return state_of(last, said[last.follows])


def _part(judged: JudgedRecord, mine: tuple[PublicKey, ...]) -> tuple[bool, bool, bool]:
    """Return three answers about the owner of these keys in a draw: whether it signed about its
    matches, drew, entered.
    """
    record, state = judged.record, judged.draw
    assert state is not None
    said = (each for each in record.of(DrawMessage) if each.content.draw == state.draw)
    about = (each for each in about_matches(record) if each.content.draw == state.head)
    return (
        any(each.key in mine for each in about),
        any(each.key in mine for each in said),
        any(player.key in mine for entry in state.draw.entries for player in entry.signers),
    )


def _why(record: TournamentRecord) -> str:
    """Return why a record leads to no draw."""
    for content in record.lists.values():
        try:
            record.listed(content)
        # Told to people: the record may have it complete tomorrow.
        except MalformedMessage as error:
            known = "waits for others" if error.check == "list.missing" else "does not hold"
            return f"the list of entries {known}: {error.detail or error.check}"
    return "the organiser has not listed the entries"


def _awaited_words(state: DrawState) -> str:
    """Return what an unfinished draw waits for."""
    if state.complete:
        return "the draw waits for the organiser to name its messages"
    names = [*(each.team for each in state.draw.entries), "the organiser"]
    doing = "open a share of the luck" if state.opening else "confirm the list of entries"
    return f"the draw waits for {', '.join(names[seat] for seat in state.missing)} to {doing}"


# --- what a record keeps --------------------------------------------------------------------------


def prune(record: TournamentRecord, before: TournamentRecord | None = None) -> TournamentRecord:
    """Return the record without the pieces that one signer signed beyond MOST_KEPT, by the lowest
    ids.

    Entries that no list names go, once there is a list. Pieces that count stay, and those that
    counted in `before`.
    """
    listed = {each for content in record.lists.values() for each in content.entries}
    slots: dict[tuple[type, PublicKey, object], list[bytes]] = {}
    for each in record.ordered:
        # Once there is a list, entries that no list names are dropped (10.9).
        if not listed or type(each.content) is not TeamEntry or each.id in listed:
            slots.setdefault(_slot_of(each), []).append(each.name)
    most = {slot: MOST_KEPT[slot[0]] for slot in slots}
    # The common case: nothing is too much, so that nothing has to be judged.
    if sum(min(most[slot], len(names)) for slot, names in slots.items()) == len(record.pieces):
        return record
    had = [] if before is None else _standings(judge(before))
    # What was here stays: a list of many must not push out the one that all play by.
    here = [_draw_of(each) for each in had]
    new = _standings(judge(record))
    again = [each for each in new if _draw_of(each) in here]
    # At most eight draws are kept whole (10.9).
    more = [each for each in new if _draw_of(each) not in here][: max(0, MOST_FORKS - len(had))]
    needed = {name for each in (*had, *again, *more) for name in _needed_names(each)}
    kept: set[bytes] = set()
    for slot, names in slots.items():
        # By ids, and not by names: of a change captain and reserve keep the same.
        order = {name: (name not in needed, record.pieces[name].id) for name in names}
        kept.update(sorted(names, key=lambda each: order[each])[: most[slot]])
        kept.update(needed.intersection(names))
    return record.only(kept)


def _slot_of(piece: Piece[Any]) -> tuple[type, PublicKey, object]:
    """Return the kind, signer and place by which pieces are counted."""
    content = piece.content
    # A draw's messages are counted for each place, all other pieces for each key.
    place = isinstance(content, DrawMessage) and (content.draw.follows, content.signed.place)
    return type(content), piece.key, place


def _standings(judged: JudgedRecord) -> list[JudgedRecord]:
    """Return what follows by each draw of a record."""
    return [judged, *judged.forks]


def _draw_of(judged: JudgedRecord) -> bytes | None:
    """Return the id that a judged draw follows from; None without a draw."""
    return None if judged.draw is None else judged.draw.draw.follows


def _needed_names(judged: JudgedRecord) -> set[bytes]:
    """Return the names of the pieces to keep: those that the standing follows from, results that
    both teams signed, ends, and the two pieces of one conviction of each key and kind.
    """
    record, state = judged.record, judged.draw
    # Reversed: the first of each kind and key stays.
    against = {(one.check, one.key): one for one in reversed(judged.convictions)}
    evidence = {raw for one in against.values() for raw in (one.first, one.second)}
    needed = {name for name, each in record.pieces.items() if each.raw in evidence}
    if state is not None:
        draw = state.draw
        ids = {*draw.before, draw.follows, *record.lists[draw.listed].entries, *state.messages}
        # The piece that settles this draw, whoever's copy has it.
        end = DrawEnd(record.charter.digest, draw.follows, state.messages)
        needed.update(name for name, e in record.pieces.items() if e.id in ids or e.content == end)
    return needed.union(judged.deciding, judged.kept)
