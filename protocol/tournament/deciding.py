"""Which piece decides a match, among all that were signed about it.

What both teams of a match have signed decides it, whoever carries it and whatever a referee rules;
a ruling decides where there is no such result. A result that its loser took back by playing on in
the winner's place, as a ruling had allowed it, counts last. A ruling counts in no match in
which its referee plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from p2p304.tournament.matches import (
    Departure,
    Fact,
    LoserOf,
    Match,
    Reason,
    Result,
    WalkOver,
    WinnerOf,
)
from p2p304.tournament.systems import RoundRobin
from p2p304.tournament.tournament import Tournament
from protocol.tournament.draws import DrawState
from protocol.tournament.pieces import MatchResult, RulingKind, TournamentRuling
from protocol.tournament.record import TournamentRecord
from protocol.tournament.signed_pieces import Piece
from protocol.tournament.tables import match_charter
from protocol.wire.identity import PublicKey

REASONS: Final = {
    RulingKind.WITHDRAWN: Reason.WITHDRAWN,
    RulingKind.DISQUALIFIED: Reason.DISQUALIFIED,
}


class _Terms(NamedTuple):
    """What a result says, but for who signs it."""

    match: int
    table: bytes
    hand: int
    head: bytes
    scores: tuple[int, int]

    @classmethod
    def of(cls, content: MatchResult) -> _Terms:
        """Return what the result says."""
        return cls(content.match, content.table, content.hand, content.head, content.scores)


class _Signed(NamedTuple):
    """A result that players of two teams have signed, with the names of their pieces."""

    terms: _Terms
    teams: frozenset[str]
    names: tuple[bytes, ...]


class _Ruled(NamedTuple):
    """A ruling, with the name of its piece, the teams that it goes against, and the team for which
    its referee plays, None for who plays for none."""

    name: bytes
    seat: int
    content: TournamentRuling
    teams: tuple[str, ...]
    own: str | None


@dataclass(frozen=True, slots=True)
class DecidedTournament:
    """A tournament as far as it is decided, from which pieces, which of them take results back, and
    which count for nothing."""

    tournament: Tournament
    counted: Mapping[int, tuple[bytes, ...]]
    taking_back: frozenset[bytes]
    ignored: Mapping[bytes, str]


@dataclass(slots=True)
class _Work:
    """All that was signed about the matches of one draw, and what was decided by it so far."""

    record: TournamentRecord
    state: DrawState
    tournament: Tournament
    results: dict[int, list[_Signed]] = field(default_factory=dict)
    rulings: dict[int, list[_Ruled]] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    counted: dict[int, tuple[bytes, ...]] = field(default_factory=dict)
    taking_back: set[bytes] = field(default_factory=set)
    ignored: dict[bytes, str] = field(default_factory=dict)
    barred: dict[bytes, str] = field(default_factory=dict)
    """Of rulings why they did not count in the last match in which they might have."""

    def now(self) -> Tournament:
        return replace(self.tournament, facts=tuple(self.facts))


def decided(
    record: TournamentRecord, state: DrawState, tournament: Tournament
) -> DecidedTournament:
    """Return what the results and rulings of a record make of a tournament that was drawn."""
    work = _Work(record, state, tournament)
    _gather(work)
    if isinstance(tournament.system, RoundRobin):
        _round_robin(work)
    else:
        _elimination(work)
    _leftover(work)
    return DecidedTournament(work.now(), work.counted, frozenset(work.taking_back), work.ignored)


# --- what there is --------------------------------------------------------------------------------


def _gather(work: _Work) -> None:
    """Sort the pieces by match: results with both signatures, and rulings."""
    head, last = work.state.head, len(work.tournament.matches)
    teams = {
        player.key: entry.team for entry in work.state.draw.entries for player in entry.players
    }
    signed: dict[_Terms, dict[str, list[tuple[bytes, PublicKey]]]] = {}
    for name, piece in sorted(work.record.pieces.items()):
        content = piece.content
        if not isinstance(content, MatchResult | TournamentRuling):
            continue
        if content.draw != head:
            work.ignored[name] = "it is about another draw"
        elif content.match > last:
            work.ignored[name] = f"there is no match {content.match}"
        elif isinstance(content, TournamentRuling):
            _gather_ruling(work, name, piece, content, teams.get(piece.key))
        elif piece.key not in teams:
            work.ignored[name] = "its signer does not take part"
        else:
            by_team = signed.setdefault(_Terms.of(content), {})
            by_team.setdefault(teams[piece.key], []).append((name, piece.key))
    for terms, by_team in signed.items():
        names = tuple(name for found in by_team.values() for name, _ in found)
        if len(by_team) != len(("one", "other")):
            for name in names:
                work.ignored[name] = f"match {terms.match}: only one team has signed this result"
            continue
        agreed = _Signed(terms, frozenset(by_team), names)
        work.results.setdefault(terms.match, []).append(agreed)
    for found in work.results.values():
        found.sort(key=lambda each: each.terms)


def _gather_ruling(
    work: _Work, name: bytes, piece: Piece, content: TournamentRuling, own: str | None
) -> None:
    entries = work.state.draw.entries
    if not content.teams or max(content.teams) > len(entries):
        work.ignored[name] = "it names no team"
        return
    if content.kind is not RulingKind.WALK_OVER and len(content.teams) > 1:
        work.ignored[name] = "one team leaves at a time"
        return
    teams = tuple(entries[number - 1].team for number in content.teams)
    ruled = _Ruled(name, piece.seat, content, teams, own)
    work.rulings.setdefault(content.match, []).append(ruled)


def _in_order(rulings: Iterable[_Ruled]) -> list[_Ruled]:
    """Return rulings in the order in which they count: departures as they are numbered, then by the
    referees' places in the charter, then by name."""
    return sorted(rulings, key=lambda each: (each.content.order, each.seat, each.name))


def _may_count(work: _Work, ruled: _Ruled, match: Match) -> bool:
    """Tell whether a ruling may count in a match, in which its referee does not play, nor may yet
    come to play."""
    if ruled.own is None:
        return True
    if match.ready and ruled.own not in match.teams:
        return True
    why = "its referee plays in it"
    if ruled.own not in match.teams:
        why = "its referee plays in the tournament, and who meets there is not known"
    work.barred[ruled.name] = f"match {match.number}: {why}"
    return False


# --- elimination ----------------------------------------------------------------------------------


def _elimination(work: _Work) -> None:
    departures = [
        each
        for number in sorted(work.rulings)
        for each in _in_order(work.rulings[number])
        if each.content.kind is not RulingKind.WALK_OVER
    ]
    left: set[str] = set()
    for number in range(1, len(work.tournament.matches) + 1):
        match = work.now().matches[number - 1]
        if match.outcome is not None:
            continue
        results = _results(work, match)
        good = [each for each in results if not _taken_back(work, match, each, results)]
        departure = next(
            (
                each
                for each in departures
                if each.content.match <= number
                and each.teams[0] in match.teams
                and each.teams[0] not in left
                and _may_count(work, each, match)
            ),
            None,
        )
        if good:
            _count_result(work, good[0])
        elif departure is not None:
            left.add(departure.teams[0])
            reason = REASONS[departure.content.kind]
            _count(work, Departure(number, departure.teams[0], reason), (departure.name,))
        elif not _count_walk_over(work, match) and results:
            _count_result(work, results[0])


def _results(work: _Work, match: Match) -> list[_Signed]:
    """Return the possible results that both teams of a match have signed, lowest first."""
    if not match.ready:
        return []
    table = match_charter(work.record.charter, work.state, match).digest
    found = []
    for each in work.results.get(match.number, ()):
        one, other = each.terms.scores
        if each.teams != frozenset(match.teams):
            why = "these teams do not meet in it"
        elif each.terms.table != table:
            why = "it was played at another table than this match's"
        elif max(one, other) != match.race or min(one, other) >= match.race:
            why = f"nobody wins a race to {match.race} by {one}-{other}"
        else:
            found.append(each)
            continue
        for name in each.names:
            work.ignored[name] = f"match {match.number}: {why}"
    return found


def _taken_back(work: _Work, match: Match, result: _Signed, results: Sequence[_Signed]) -> bool:
    """Tell whether the loser of a result has played on where only the winner plays, after a ruling
    or another result let it through.

    Without such a way through nothing takes a result back: else a loser could do so with anybody.
    """
    loser = _loser(match, result)
    ruled = (
        each
        for each in work.rulings.get(match.number, ())
        if loser not in each.teams and _may_count(work, each, match)
    )
    through: list[tuple[bytes, ...]] = [(each.name,) for each in ruled]
    through += [each.names for each in results if _loser(match, each) != loser]
    later = sorted(_after_winning(work.tournament.matches, match.number))
    played_on = [
        each for number in later for each in work.results.get(number, ()) if loser in each.teams
    ]
    if not through or not played_on:
        return False
    work.taking_back.update(min(through), played_on[0].names)
    return True


def _loser(match: Match, result: _Signed) -> str:
    home, away = result.terms.scores
    return match.teams[home > away]


def _after_winning(matches: Sequence[Match], number: int) -> set[int]:
    """Return the matches to which somebody comes only by winning this one."""
    later: set[int] = set()
    for each in matches:
        for side in each.sides:
            won = isinstance(side, WinnerOf) and side.match in {number, *later}
            if won or (isinstance(side, LoserOf) and side.match in later):
                later.add(each.number)
    return later


def _count_walk_over(work: _Work, match: Match) -> bool:
    """Decide a match by a ruling that names who did not come; tell whether there is one."""
    if not match.ready:
        return False
    for each in _in_order(work.rulings.get(match.number, ())):
        if each.content.kind is RulingKind.WALK_OVER and _may_count(work, each, match):
            absent = tuple(team for team in match.teams if team in each.teams)
            if set(absent) == set(each.teams):
                _count(work, WalkOver(match.number, absent), (each.name,))
                return True
            work.ignored[each.name] = f"match {match.number}: who is named does not play it"
    return False


def _count_result(work: _Work, result: _Signed) -> None:
    _count(work, Result(result.terms.match, result.terms.scores), result.names)


def _count(work: _Work, fact: Fact, names: tuple[bytes, ...]) -> None:
    work.facts.append(fact)
    work.counted[fact.match] = (*work.counted.get(fact.match, ()), *names)


# --- round robin ----------------------------------------------------------------------------------


def _round_robin(work: _Work) -> None:
    for match in work.tournament.matches:
        results = _results(work, match)
        if results:
            _count_result(work, results[0])
        else:
            _count_walk_over(work, match)
    departures = (
        each
        for found in work.rulings.values()
        for each in found
        if each.content.kind is not RulingKind.WALK_OVER
    )
    open_ones = {match.number: match.teams for match in work.now().pending}
    for each in _in_order(departures):
        if each.own is not None:  # it meets whoever leaves, or leaves itself
            work.barred[each.name] = "its referee plays in this round robin"
            continue
        team = each.teams[0]
        mine = [number for number, teams in open_ones.items() if team in teams]
        if mine:  # else it has left, or is done
            reason = REASONS[each.content.kind]
            _count(work, Departure(mine[0], team, reason), (each.name,))
            open_ones = {match.number: match.teams for match in work.now().pending}


# --- what is left ---------------------------------------------------------------------------------


def _leftover(work: _Work) -> None:
    """Say of everything else why it does not count, so that nobody has to guess."""
    counted = {name for names in work.counted.values() for name in names}
    matches = work.now().matches
    for number, results in work.results.items():
        for result in results:
            for name in result.names:
                if name not in counted:
                    work.ignored.setdefault(name, _why(matches[number - 1]))
    for number, rulings in work.rulings.items():
        for each in rulings:
            if each.name not in counted:
                why = work.barred.get(each.name) or _why(matches[number - 1])
                work.ignored.setdefault(each.name, why)


def _why(match: Match) -> str:
    if match.outcome is None and not match.ready:
        waits = " and ".join(map(str, match.waits_for))
        return f"match {match.number} waits for match {waits}"
    return f"match {match.number} is decided otherwise"
