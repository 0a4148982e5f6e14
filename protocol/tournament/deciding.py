"""Which piece decides a match, among all that were signed about it (specs/tournament.md, 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from p2p304.tournament.matches import (
    Fact,
    How,
    LoserOf,
    Match,
    Side,
    WinnerOf,
)
from p2p304.tournament.systems import RoundRobin
from p2p304.tournament.tournament import Tournament
from protocol.tournament.convictions import BEHIND, TournamentConviction
from protocol.tournament.draws import DrawState
from protocol.tournament.pieces import (
    AboutMatch,
    MatchResult,
    Piece,
    ResultTerms,
    TeamWithdrawal,
    TournamentRuling,
)
from protocol.tournament.tables import match_charters
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey

MOST_AGREED: Final = 4
"""Results of one pair and score that a record is sure to keep, those of the lowest terms."""
_OWN: Final = -1
"""Before the place of any referee: what a team says of itself, or convicts itself of."""
_FAR: Final = 99
"""More than the matches of a team."""

Pair = tuple[int, tuple[str, ...]]
"""A match between these two teams, in the order of its sides."""


@dataclass(slots=True)
class Agreed:
    """A result that both teams signed, by its scores, and the names of the pieces that say so; of
    these `two` are enough, and `kept` those that records keep, by their terms."""

    scores: tuple[int, int]
    names: tuple[bytes, ...]
    two: tuple[bytes, ...]
    kept: tuple[tuple[bytes, ...], ...]


class _Gap(NamedTuple):
    """What fills the gap where there is no result: a walk-over between these `sides`, or a
    departure. `own` is the team for which its referee plays."""

    fact: Fact
    seat: int
    id: bytes
    names: tuple[bytes, ...]
    own: str | None = None
    sides: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, bytes]:
        """Which of several counts first."""
        return self.seat, self.id

    def loses(self, team: str) -> bool:
        """Tell whether it goes against a team."""
        return team in self.fact.teams


@dataclass(slots=True)
class DecidedTournament:
    """A tournament as far as it is decided, and by what; `decided` makes it."""

    state: DrawState
    tournament: Tournament
    shown: frozenset[bytes]
    teams: dict[PublicKey, str] = field(default_factory=dict)
    tables: dict[Pair, dict[bytes, Charter]] = field(default_factory=dict)
    agreed: dict[Pair, tuple[Agreed, ...]] = field(default_factory=dict)
    """The results that both teams of a pair signed: the one that transcripts bear out, else all."""
    gaps: list[_Gap] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    counted: dict[int, tuple[bytes, ...]] = field(default_factory=dict)
    """The names of the pieces from which the outcome of each match follows."""
    deciding: set[bytes] = field(default_factory=set)
    """The names of those of them that are enough to decide as all do."""
    ignored: dict[bytes, str] = field(default_factory=dict)
    convictions: list[TournamentConviction] = field(default_factory=list)
    kept: set[bytes] = field(default_factory=set)
    """The names of results that both teams signed, or that convict, as far as records keep them."""

    def count(self, fact: Fact, names: tuple[bytes, ...], deciding: tuple[bytes, ...] = ()) -> None:
        """Note what decides a match; `tournament` knows it once it is `settled`."""
        self.facts.append(fact)
        self.deciding.update(deciding or names)
        self.counted[fact.match] = (*self.counted.get(fact.match, ()), *names)

    def settled(self) -> Tournament:
        """Return what follows from all that was noted, which costs a walk over all matches."""
        self.tournament = replace(self.tournament, facts=tuple(self.facts))
        return self.tournament

    def contrary_in(self, other: Tournament) -> dict[int, tuple[Agreed, ...]]:
        """Return the contrary results here of the matches as they meet in `other`."""
        pairs = {each.number: (each.number, each.teams) for each in other.matches}
        found = {number: self.agreed.get(pair, ()) for number, pair in pairs.items()}
        return {number: each for number, each in found.items() if len(each) > 1}

    def contradicts(self, other: Tournament) -> bool:
        """Tell whether `other` goes past a result that decides a match here, or decides a match
        otherwise than its two teams signed here."""
        for mine, match in zip(self.tournament.matches, other.matches, strict=True):
            scores = None if match.outcome is None else match.outcome.scores
            found = self.agreed.get((match.number, match.teams), ())
            past = mine.outcome is not None and mine.outcome.scores and scores is None
            if past or (found and all(scores != each.scores for each in found)):
                return True
        return False


def decided(
    state: DrawState,
    tournament: Tournament,
    pieces: Iterable[Piece[AboutMatch]],
    shown: frozenset[bytes] = frozenset(),
) -> DecidedTournament:
    """Return what results, rulings and withdrawals of a draw, by name, make of its tournament;
    `shown` are the names of results that transcripts bear out."""
    work = DecidedTournament(state, tournament, shown)
    work.teams = {player.key: each.team for each in state.draw.entries for player in each.signers}
    results: list[tuple[Pair, Piece[Any]]] = []
    for piece in pieces:
        found = _opened(work, piece)
        match found:
            case str():
                work.ignored[piece.name] = found
            case _Gap():
                work.gaps.append(found)
            case _:
                results.append((found, piece))
    named = tuple(work.gaps)
    _agree(work, results)
    _convict(work, results)
    if isinstance(tournament.system, RoundRobin):
        _round_robin(work)
    else:
        _elimination(work)
    work.settled()
    _leftover(work, [(piece.name, pair[0]) for pair, piece in results], named)
    return work


# --- what there is --------------------------------------------------------------------------------


def _opened(work: DecidedTournament, piece: Piece[AboutMatch]) -> Pair | _Gap | str:
    """Return the pair that a result is of, if it can be; what may fill a gap; or why a piece is
    neither."""
    entries, content, names = work.state.draw.entries, piece.content, (piece.name,)
    if content.match > len(work.tournament.matches):
        return f"there is no match {content.match}"
    match content:
        case TeamWithdrawal(match=number, key=key):
            for each in entries:
                if each.captain == key:
                    fact = Fact(number, How.WITHDRAWN, (each.team,))
                    return _Gap(fact, _OWN, piece.id, names)
            return "its signer is no captain"
        case TournamentRuling(match=number, kind=kind):
            numbers = (*content.teams, *content.sides)
            if not content.teams or max(numbers) > len(entries):
                return "it names no team"
            named = tuple(entries[each - 1].team for each in numbers)
            losers, sides = named[: len(content.teams)], named[len(content.teams) :]
            fact = Fact(number, How[kind.name], losers)
            if len(sides) != (0 if fact.departs else 2):
                return "it names not who meets, or who leaves not alone"
            if fact.departs and len(losers) > 1:
                return "one team leaves at a time"
            return _Gap(fact, piece.seat, piece.id, names, work.teams.get(piece.key), sides)
        case MatchResult(teams=numbers):
            if max(numbers) > len(entries):
                return "it names no team"
            teams = tuple(entries[each - 1].team for each in numbers)
            why = _impossible(work, content, teams)
            return why or (content.match, teams)
    raise AssertionError(content)


def _impossible(work: DecidedTournament, content: MatchResult, teams: tuple[str, ...]) -> str:
    """Return why a result cannot be one of its match, whatever happened before; nothing if it
    can."""
    match, pair = work.tournament.matches[content.match - 1], (content.match, teams)
    home, away = teams
    said = f"match {match.number}: "
    if work.teams.get(content.key) not in teams:
        return f"{said}its signer plays for neither team"
    if home == away or any(
        team not in _may_come(work, side) for side, team in zip(match.sides, teams, strict=True)
    ):
        return f"{said}these teams cannot meet in it"
    if pair not in work.tables:
        tables = match_charters(work.state, replace(match, sides=(home, away)))
        work.tables[pair] = {each.digest: each for each in tables}
    table = work.tables[pair].get(content.table)
    if table is None:
        return f"{said}it was played at another table than this match's"
    if all(content.key != seat.key for seat in table.seats):
        return f"{said}its signer did not sit at its table"
    one, other = content.scores
    if max(one, other) != match.race or min(one, other) >= match.race:
        return f"{said}nobody wins a race to {match.race} by {one}-{other}"
    return ""


def _may_come(work: DecidedTournament, side: Side) -> set[str]:
    """Return the teams that may be a side of a match, whatever is decided before it."""
    if not isinstance(side, WinnerOf | LoserOf):
        return set() if side is None else {side}
    before = work.tournament.matches[side.match - 1].sides
    return _may_come(work, before[0]) | _may_come(work, before[1])


def _agree(work: DecidedTournament, results: list[tuple[Pair, Piece[Any]]]) -> None:
    """Note which results a player of each of the two teams has signed, the same but for the key."""
    signed: dict[tuple[Pair, ResultTerms], list[Piece[Any]]] = {}
    for pair, piece in results:
        signed.setdefault((pair, piece.content.terms), []).append(piece)
    for (pair, _), pieces in sorted(signed.items()):
        by_team = {work.teams[each.key]: each.name for each in reversed(pieces)}
        names, scores = tuple(each.name for each in pieces), pieces[0].content.scores
        if len(by_team) == 1:
            why = f"match {pair[0]}: only players of {min(by_team)} have signed this result"
            work.ignored.update(dict.fromkeys(names, why))
            continue
        found = {each.scores: each for each in work.agreed.get(pair, ())}
        known = found.setdefault(scores, Agreed(scores, (), tuple(by_team.values()), ()))
        known.names, known.kept = (*known.names, *names), (*known.kept, names)[:MOST_AGREED]
        work.agreed[pair] = tuple(found.values())
    for pair, every in work.agreed.items():
        work.kept.update(name for each in every for names in each.kept for name in names)
        borne = tuple(each for each in every if not work.shown.isdisjoint(each.names))
        work.agreed[pair] = borne if len(borne) == 1 else every


def _convict(work: DecidedTournament, results: list[tuple[Pair, Piece[Any]]]) -> None:
    """Note who signed that its team lost a match, and a result to which only the winner comes."""
    # Only of matches whose two sides are known from the draw: elsewhere a team may have won against
    # another opponent, whose own late result let the one through that it lost to.
    behind: dict[tuple[PublicKey, int], Piece[Any]] = {}
    for (match, _), piece in results:
        for number in _before(work, match, work.teams[piece.key]):
            behind.setdefault((piece.key, number), piece)
    for (match, teams), piece in results:
        home, away = piece.content.scores
        team, other = work.teams[piece.key], behind.get((piece.key, match))
        if other is None or team != teams[home > away]:
            continue
        names = (piece.name, other.name)
        fact = Fact(match, How.DISQUALIFIED, (team,))
        work.gaps.append(_Gap(fact, _OWN, piece.id, names))
        work.kept.update(names)
        if all(each.key != piece.key for each in work.convictions):
            work.convictions.append(TournamentConviction.by(BEHIND, piece, other))


def _before(work: DecidedTournament, number: int, team: str) -> Iterator[int]:
    """Yield the first match of a team, if it comes to this one only by winning that."""
    for side in work.tournament.matches[number - 1].sides:
        if isinstance(side, WinnerOf):
            before = work.tournament.matches[side.match - 1]
            if team in before.teams and before.ready:
                yield side.match
        if isinstance(side, WinnerOf | LoserOf):
            yield from _before(work, side.match, team)


# --- elimination ----------------------------------------------------------------------------------


def _elimination(work: DecidedTournament) -> None:
    for number in range(1, len(work.tournament.matches) + 1):
        match = work.settled().matches[number - 1]
        if _by_result(work, match) or match.outcome is not None:
            continue
        gaps = _filling(work, match)
        rests = {team: _rests(work, match, team) for team in match.teams if len(gaps) > 1}
        # A ruling on which a signed result rests counts before all on which none does, or a later
        # one: else who rules once more would undo what was signed.
        near = [min((rests[t] for t in rests if not e.loses(t)), default=_FAR) for e in gaps]
        ranked = sorted(zip(near, gaps, strict=True), key=lambda each: (each[0], each[1].rank))
        gaps = [each for _, each in ranked]
        for first in gaps[:1]:
            _fill(work, match, first)
            for each in gaps[1:]:  # if the other team has left as well, nobody comes through
                (team, *_), both = each.fact.teams, first.fact.departs and each.fact.departs
                if both and not first.loses(team) and rests[team] == _FAR:
                    _fill(work, match, each)
                    break


def _rests(work: DecidedTournament, match: Match, team: str) -> int:
    """Return how many matches after this one there is a signed result that rests on it that a team
    came through."""
    for later in work.tournament.matches:
        won = [isinstance(s, WinnerOf) and s.match == match.number for s in later.sides]
        if any(won):
            break
    else:
        return _FAR
    first = won[0]
    others = _comers(work, later.sides[first])
    met = [(team, each) if first else (each, team) for each in others]
    if any((later.number, sides) in work.agreed for sides in met):
        return 0
    gaps = [gap for sides in met for gap in _filling(work, replace(later, sides=sides))]
    if any(not each.fact.departs and not each.loses(team) for each in gaps):
        return min(_FAR, 1 + _rests(work, later, team))
    return _FAR


def _comers(work: DecidedTournament, side: Side) -> set[str]:
    """Return the teams that come to a side of a match as far as anything signed says so."""
    if not isinstance(side, WinnerOf):
        return {side} if isinstance(side, str) else set()
    before = work.tournament.matches[side.match - 1]
    if before.outcome is not None:
        return {before.outcome.winner} if before.outcome.winner else set()
    if not before.known:
        return set()
    if found := work.agreed.get((before.number, before.teams)):
        return {before.teams[each.scores[0] < each.scores[1]] for each in found}
    gaps = _filling(work, before)
    return {team for team in before.teams for each in gaps if not each.loses(team)}


def _by_result(work: DecidedTournament, match: Match) -> bool:
    """Decide a match by the result that both teams signed; tell whether there is one, or several
    that dispute it."""
    found = work.agreed.get((match.number, match.teams), ())
    if len(found) == 1:
        (one,) = found
        fact = Fact(match.number, How.PLAYED, scores=one.scores)
        work.count(fact, one.names, one.two)
    return bool(found)


def _filling(work: DecidedTournament, match: Match) -> list[_Gap]:
    """Return what may fill the gap where a match has no result: nothing that a referee says who
    plays in it, or may yet come to play."""
    teams = match.teams
    left = {team for fact in work.facts if fact.departs for team in fact.teams}
    return [
        each
        for each in work.gaps
        if each.fact.match <= match.number
        and (
            each.fact.teams[0] not in left
            if each.fact.departs
            else (each.fact.match, each.sides) == (match.number, teams)
        )
        and all(team in teams for team in each.fact.teams)
        and (each.own is None or (match.known and each.own not in teams))
    ]


def _fill(work: DecidedTournament, match: Match, gap: _Gap) -> None:
    teams = tuple(team for team in match.teams if gap.loses(team))
    work.count(replace(gap.fact, match=match.number, teams=teams), gap.names)


# --- round robin ----------------------------------------------------------------------------------


def _round_robin(work: DecidedTournament) -> None:
    """Decide all matches, of which none rests on another. Who leaves loses what has no result, once
    nothing of its matches is in dispute."""
    leaving: dict[str, _Gap] = {}
    for each in sorted(work.gaps, key=lambda one: one.rank):
        if each.fact.departs and each.own is None:  # a referee who plays meets whoever leaves
            leaving.setdefault(each.fact.teams[0], each)
    work.gaps = [each for each in work.gaps if not each.fact.departs]
    open_ones: dict[str, Match] = {}
    for match in work.tournament.matches:
        if _by_result(work, match):
            continue
        gaps = [*_filling(work, match), *(leaving[team] for team in match.teams if team in leaving)]
        first = min(gaps, key=lambda each: each.rank, default=None)
        if first is not None and not first.fact.departs:
            _fill(work, match, first)
        else:
            for team in match.teams:
                open_ones.setdefault(team, match)
    matches = work.tournament.matches
    disputed = {
        team for each in work.contrary_in(work.tournament) for team in matches[each - 1].teams
    }
    for team, gap in leaving.items():
        if team in open_ones and team not in disputed:
            _fill(work, open_ones[team], gap)


# --- what is left ---------------------------------------------------------------------------------


def _leftover(
    work: DecidedTournament, results: list[tuple[bytes, int]], rulings: tuple[_Gap, ...]
) -> None:
    """Say of everything else why it does not count, so that nobody has to guess."""
    counted = {name for names in work.counted.values() for name in names}
    disputed = work.contrary_in(work.tournament).values()
    counted |= {name for each in disputed for one in each for name in one.names}
    own = "its referee plays: it counts in no match that is, or may become, its own"
    said = {name: (number, "") for name, number in results}
    said |= {each.names[0]: (each.fact.match, own if each.own else "") for each in rulings}
    for name, (number, why) in said.items():
        if name in counted:
            work.ignored.pop(name, None)
        else:
            work.ignored.setdefault(name, why or _why(work.tournament.matches[number - 1]))


def _why(match: Match) -> str:
    if match.ready:
        return f"match {match.number}: who is named does not play it"
    if match.outcome is None:
        waits = " and ".join(map(str, match.waits_for))
        return f"match {match.number} waits for match {waits}"
    return f"match {match.number} is decided otherwise"
