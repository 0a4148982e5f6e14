"""Which piece decides a match, among all that were signed about it.

A result that a player of each of its two teams signed decides it, whoever carries it and whatever a
referee rules; a ruling or a withdrawal decides where there is no such result. Contrary results that
both teams signed decide nothing, until a transcript of the table is shown. Specified in
specs/tournament.md, 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Final, NamedTuple

from p2p304.tournament.matches import (
    Departure,
    Fact,
    LoserOf,
    Match,
    Reason,
    Result,
    Side,
    WalkOver,
    WinnerOf,
)
from p2p304.tournament.systems import RoundRobin
from p2p304.tournament.tournament import Tournament
from protocol.tournament.convictions import BEHIND, TournamentConviction
from protocol.tournament.draws import DrawState
from protocol.tournament.pieces import (
    MatchResult,
    Piece,
    ResultTerms,
    RulingKind,
    TeamWithdrawal,
    TournamentCharter,
    TournamentRuling,
)
from protocol.tournament.tables import match_charters
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey

MOST_AGREED: Final = 4
"""Results of one pair and score that a record is sure to keep, those of the lowest terms."""
_REASONS: Final = {
    RulingKind.WITHDRAWN: Reason.WITHDRAWN,
    RulingKind.DISQUALIFIED: Reason.DISQUALIFIED,
}
_OWN: Final = -1
"""Before the place of any referee: what a team says of itself, or convicts itself of."""
_FAR: Final = 99
"""More than the matches of a team."""


class Dispute(NamedTuple):
    """One of several contrary results of a match, and the names of the pieces that say so; `two`
    are those of one signature of each team, under the lowest terms of that score."""

    scores: tuple[int, int]
    names: tuple[bytes, ...]
    two: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class DecidedTournament:
    """A tournament as far as it is decided, from which pieces; the matches in dispute; what counts
    for nothing; who has signed to have lost and played on."""

    tournament: Tournament
    counted: Mapping[int, tuple[bytes, ...]]
    deciding: frozenset[bytes]
    """Names of those of them that are enough to decide as all do."""
    kept: frozenset[bytes]
    """The names of results that both teams signed, or that convict, as far as records keep them."""
    disputed: Mapping[int, tuple[Dispute, ...]]
    ignored: Mapping[bytes, str]
    convictions: tuple[TournamentConviction, ...]
    signed: Mapping[Pair, tuple[Dispute, ...]]
    """The results that both teams of a pair signed: those that transcripts bear out, else all."""

    def contrary_in(self, other: Tournament) -> dict[int, tuple[Dispute, ...]]:
        """Return the contrary results here of the matches as they meet in `other`."""
        return {
            match.number: found
            for match in other.matches
            if len(found := self.signed.get(Pair(match.number, match.teams), ())) > 1
        }

    def contradicts(self, other: Tournament) -> bool:
        """Tell whether `other` goes past a result that decides a match here, or decides a match
        otherwise than its two teams signed here."""
        for mine, match in zip(self.tournament.matches, other.matches, strict=True):
            scores = None if match.outcome is None else match.outcome.scores
            found = self.signed.get(Pair(match.number, match.teams), ())
            past = mine.outcome is not None and mine.outcome.scores and scores is None
            if past or (found and all(scores != each.scores for each in found)):
                return True
        return False


class Pair(NamedTuple):
    """A match between these two teams, in the order of its sides."""

    match: int
    teams: tuple[str, ...]


class _Gap(NamedTuple):
    """What fills the gap where there is no result: a walk-over of a match, or a departure from it
    on. `own` is the team for which the referee plays, None for who plays for none."""

    match: int
    losers: tuple[str, ...]
    reason: Reason | None
    """None for a walk-over."""
    seat: int
    id: bytes
    names: tuple[bytes, ...]
    own: str | None = None


@dataclass(slots=True)
class _Work:
    """All that was signed about the matches of one draw, and what was decided by it so far."""

    charter: TournamentCharter
    state: DrawState
    tournament: Tournament
    shown: frozenset[bytes]
    names: tuple[str, ...] = ()
    teams: Mapping[PublicKey, str] = field(default_factory=dict)
    tables: dict[Pair, Mapping[bytes, Charter]] = field(default_factory=dict)
    agreed: dict[Pair, tuple[Dispute, ...]] = field(default_factory=dict)
    both: set[bytes] = field(default_factory=set)
    """The names of the results that both teams of a pair signed."""
    rulings: list[_Gap] = field(default_factory=list)
    """What referees and captains signed, of whatever match."""
    walk_overs: dict[int, list[_Gap]] = field(default_factory=dict)
    departures: list[_Gap] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    counted: dict[int, tuple[bytes, ...]] = field(default_factory=dict)
    deciding: set[bytes] = field(default_factory=set)
    disputed: dict[int, tuple[Dispute, ...]] = field(default_factory=dict)
    ignored: dict[bytes, str] = field(default_factory=dict)
    barred: dict[bytes, str] = field(default_factory=dict)
    """Of rulings why they did not count in the last match in which they might have."""
    convictions: list[TournamentConviction] = field(default_factory=list)
    kept: set[bytes] = field(default_factory=set)

    def now(self) -> Tournament:
        return replace(self.tournament, facts=tuple(self.facts))

    def count(self, fact: Fact, names: tuple[bytes, ...], deciding: tuple[bytes, ...] = ()) -> None:
        self.facts.append(fact)
        self.deciding.update(deciding or names)
        self.counted[fact.match] = (*self.counted.get(fact.match, ()), *names)


def decided(
    charter: TournamentCharter,
    state: DrawState,
    tournament: Tournament,
    pieces: Mapping[bytes, Piece],
    shown: frozenset[bytes] = frozenset(),
) -> DecidedTournament:
    """Return what results, rulings and withdrawals of a draw make of its tournament; `shown` are
    the names of results that transcripts bear out."""
    work = _Work(charter, state, tournament, shown)
    entries = state.draw.entries
    work.names = tuple(each.team for each in entries)
    work.teams = {player.key: each.team for each in entries for player in each.signers}
    results = _gather(work, pieces)
    _agree(work, results)
    for each in work.rulings:
        if each.reason is None:
            work.walk_overs.setdefault(each.match, []).append(each)
        else:
            work.departures.append(each)
    _convict(work, results)
    if isinstance(tournament.system, RoundRobin):
        _round_robin(work)
    else:
        _elimination(work)
    _leftover(work, results)
    return DecidedTournament(
        work.now(),
        work.counted,
        frozenset(work.deciding),
        frozenset(work.kept),
        work.disputed,
        work.ignored,
        tuple(work.convictions),
        work.agreed,
    )


# --- what there is --------------------------------------------------------------------------------


def _gather(work: _Work, pieces: Mapping[bytes, Piece]) -> dict[bytes, tuple[Piece, Pair]]:
    """Return the results that can be, by name, and note what may fill gaps."""
    last = len(work.tournament.matches)
    results: dict[bytes, tuple[Piece, Pair]] = {}
    for name, piece in pieces.items():
        content = piece.content
        assert isinstance(content, MatchResult | TournamentRuling | TeamWithdrawal)
        why = "" if content.match <= last else f"there is no match {content.match}"
        match content:
            case _ if why:
                pass
            case MatchResult():
                why = _impossible(work, content)
                if not why:
                    home, away = (work.names[number - 1] for number in content.teams)
                    results[name] = (piece, Pair(content.match, (home, away)))
            case TournamentRuling():
                why = _gather_ruling(work, name, piece, content)
            case TeamWithdrawal(match=number, key=key):
                captains = {each.players[0].key: each.team for each in work.state.draw.entries}
                if key in captains:
                    team = (captains[key],)
                    gap = _Gap(number, team, Reason.WITHDRAWN, _OWN, piece.id, (name,))
                    work.rulings.append(gap)
                else:
                    why = "its signer is no captain"
        if why:
            work.ignored[name] = why
    return results


def _impossible(work: _Work, content: MatchResult) -> str:
    """Return why a result cannot be one of its match, whatever happened before; nothing if it
    can."""
    match, numbers = work.tournament.matches[content.match - 1], content.teams
    if max(numbers) > len(work.names):
        return "it names no team"
    home, away = (work.names[number - 1] for number in numbers)
    if work.teams.get(content.key) not in (home, away):
        return f"match {match.number}: its signer plays for neither team"
    if home == away or any(
        team not in _may_come(work, match, at) for at, team in enumerate((home, away))
    ):
        return f"match {match.number}: these teams cannot meet in it"
    pair = Pair(match.number, (home, away))
    if pair not in work.tables:
        tables = match_charters(work.charter, work.state, replace(match, sides=(home, away)))
        work.tables[pair] = {each.digest: each for each in tables}
    table = work.tables[pair].get(content.table)
    if table is None:
        return f"match {match.number}: it was played at another table than this match's"
    if all(content.key != seat.key for seat in table.seats):
        return f"match {match.number}: its signer did not sit at its table"
    one, other = content.scores
    if max(one, other) != match.race or min(one, other) >= match.race:
        return f"match {match.number}: nobody wins a race to {match.race} by {one}-{other}"
    return ""


def _may_come(work: _Work, match: Match, at: int) -> set[str]:
    """Return the teams that may be a side of a match, whatever is decided before it."""
    side = match.sides[at]
    if side is None or isinstance(side, str):
        return {side} if side is not None else set()
    before = work.tournament.matches[side.match - 1]
    return _may_come(work, before, 0) | _may_come(work, before, 1)


def _gather_ruling(work: _Work, name: bytes, piece: Piece, content: TournamentRuling) -> str:
    """Note a ruling; return why it counts for nothing if that is so."""
    if not content.teams or max(content.teams) > len(work.names):
        return "it names no team"
    reason = _REASONS.get(content.kind)
    if reason is not None and len(content.teams) > 1:
        return "one team leaves at a time"
    losers = tuple(work.names[number - 1] for number in content.teams)
    own = work.teams.get(piece.key)
    work.rulings.append(_Gap(content.match, losers, reason, piece.seat, piece.id, (name,), own))
    return ""


def _agree(work: _Work, results: Mapping[bytes, tuple[Piece, Pair]]) -> None:
    """Note which results a player of each of the two teams has signed, the same but for the key."""
    signed: dict[tuple[Pair, ResultTerms], dict[str, list[bytes]]] = {}
    for name, (piece, pair) in results.items():
        assert isinstance(piece.content, MatchResult)
        by_team = signed.setdefault((pair, piece.content.terms), {})
        by_team.setdefault(work.teams[piece.key], []).append(name)
    both = [
        (pair, terms, by_team)
        for (pair, terms), by_team in sorted(signed.items())
        if len(by_team) == len(pair.teams)
    ]
    for pair, found in groupby(both, key=lambda each: each[0]):
        by_scores: dict[tuple[int, int], list[dict[str, list[bytes]]]] = {}
        for _, terms, by_team in found:
            by_scores.setdefault(terms[-1], []).append(by_team)
        every = []
        for scores, alike in by_scores.items():
            names = [[name for found in each.values() for name in found] for each in alike]
            work.kept.update(*names[:MOST_AGREED])
            work.both.update(*names)
            two = tuple(min(found) for found in alike[0].values())
            every.append(Dispute(scores, tuple(chain(*names)), two))
        borne = tuple(each for each in every if not work.shown.isdisjoint(each.names))
        work.agreed[pair] = borne if len(borne) == 1 else tuple(every)


def _convict(work: _Work, results: Mapping[bytes, tuple[Piece, Pair]]) -> None:
    """Note who signed that its team lost a match, and a result to which only the winner comes.

    Only of matches whose two sides are known from the draw: elsewhere a team may have won against
    another opponent, whose own late result let the one through that it lost to.
    """
    behind: dict[tuple[PublicKey, int], tuple[bytes, Piece]] = {}
    for name, (piece, pair) in results.items():
        for number in _before(work, pair.match, work.teams[piece.key]):
            behind.setdefault((piece.key, number), (name, piece))
    told: set[PublicKey] = set()
    for name, (piece, pair) in results.items():
        assert isinstance(piece.content, MatchResult)
        home, away = piece.content.scores
        lost = work.teams[piece.key] == pair.teams[home > away]
        other = behind.get((piece.key, pair.match))
        if not lost or other is None:
            continue
        team, names = work.teams[piece.key], (name, other[0])
        gap = _Gap(pair.match, (team,), Reason.DISQUALIFIED, _OWN, piece.id, names)
        work.departures.append(gap)
        work.kept.update(names)
        if piece.key not in told:
            told.add(piece.key)
            work.convictions.append(
                TournamentConviction(BEHIND, piece.key, piece.raw, other[1].raw)
            )


def _before(work: _Work, number: int, team: str) -> Iterator[int]:
    """Yield the first match of a team, if it comes to this one only by winning that."""
    for side in work.tournament.matches[number - 1].sides:
        if isinstance(side, WinnerOf):
            before = work.tournament.matches[side.match - 1]
            if team in before.teams and before.ready:
                yield side.match
        if isinstance(side, WinnerOf | LoserOf):
            yield from _before(work, side.match, team)


# --- elimination ----------------------------------------------------------------------------------


def _elimination(work: _Work) -> None:
    for number in range(1, len(work.tournament.matches) + 1):
        now = work.now()
        match = now.matches[number - 1]
        if _by_result(work, match) or match.outcome is not None:
            continue
        gaps = _filling(work, match)
        rests: dict[str, int] = {}
        if len(gaps) > 1:
            rests = {team: _rests(work, now, match, team) for team in match.teams}
            gaps.sort(key=lambda each: (_through(match, each, rests), each.seat, each.id))
        for first in gaps[:1]:
            _fill(work, match, first)
            for each in gaps[1:]:  # if the other team has left as well, nobody comes through
                other = each.losers != first.losers and rests[each.losers[0]] == _FAR
                if first.reason is not None and each.reason is not None and other:
                    _fill(work, match, each)
                    break


def _through(match: Match, gap: _Gap, rests: Mapping[str, int]) -> int:
    """Return how near a signed result is that rests on whom a ruling lets through.

    It counts before all rulings on which none does, or a later one: else who rules once more would
    undo what was signed.
    """
    return min((rests[team] for team in match.teams if team not in gap.losers), default=_FAR)


def _rests(work: _Work, now: Tournament, match: Match, team: str) -> int:
    """Return how many matches after this one there is a signed result that rests on it that a team
    came through."""
    for later in now.matches[match.number :]:
        first, second = (_won(side) == match.number for side in later.sides)
        if first or second:
            break
    else:
        return _FAR
    others = _comers(work, now, later.sides[first])
    met = [(team, each) if first else (each, team) for each in others]
    if any(Pair(later.number, sides) in work.agreed for sides in met):
        return 0
    gaps = [gap for sides in met for gap in _filling(work, replace(later, sides=sides))]
    if any(each.reason is None and team not in each.losers for each in gaps):
        return min(_FAR, 1 + _rests(work, now, later, team))
    return _FAR


def _won(side: Side) -> int | None:
    """Return the match whose winner a side waits for."""
    return side.match if isinstance(side, WinnerOf) else None


def _comers(work: _Work, now: Tournament, side: Side) -> set[str]:
    """Return the teams that come to a side of a match as far as anything signed says so."""
    if not isinstance(side, WinnerOf):
        return {side} if isinstance(side, str) else set()
    before = now.matches[side.match - 1]
    if before.outcome is not None:
        return {before.outcome.winner} if before.outcome.winner else set()
    if len(before.teams) < len(before.sides):
        return set()
    if found := work.agreed.get(Pair(before.number, before.teams)):
        return {before.teams[each.scores[0] < each.scores[1]] for each in found}
    gaps = _filling(work, before)
    return {team for team in before.teams for each in gaps if team not in each.losers}


def _by_result(work: _Work, match: Match) -> bool:
    """Decide a match by the result that both teams signed; tell whether there is one, or several
    that dispute it."""
    found = work.agreed.get(Pair(match.number, match.teams), ())
    if len(found) == 1:
        work.count(Result(match.number, found[0].scores), found[0].names, found[0].two)
    elif found:
        work.disputed[match.number] = found
    return bool(found)


def _filling(work: _Work, match: Match) -> list[_Gap]:
    """Return what may fill the gap where a match has no result."""
    known = len(match.teams) == len(match.sides)
    here = work.walk_overs.get(match.number, []) if known else []
    gone = {each.team for each in work.facts if isinstance(each, Departure)}
    leaving = (each for each in work.departures if each.losers[0] not in gone)
    here = [*here, *(each for each in leaving if each.match <= match.number)]
    return [
        each
        for each in here
        if set(each.losers) <= set(match.teams) and _may_rule(work, match, each, known=known)
    ]


def _may_rule(work: _Work, match: Match, gap: _Gap, *, known: bool) -> bool:
    """Tell whether a referee does not play in a match, nor may yet come to play."""
    if gap.own is None or (known and gap.own not in match.teams):
        return True
    playing = "its referee plays in it"
    if gap.own not in match.teams:
        playing = "its referee plays in the tournament, and who meets there is not known"
    work.barred[gap.names[0]] = f"match {match.number}: {playing}"
    return False


def _fill(work: _Work, match: Match, gap: _Gap) -> None:
    if gap.reason is None:
        absent = tuple(team for team in match.teams if team in gap.losers)
        work.count(WalkOver(match.number, absent), gap.names)
    else:
        work.count(Departure(match.number, gap.losers[0], gap.reason), gap.names)


# --- round robin ----------------------------------------------------------------------------------


def _round_robin(work: _Work) -> None:
    """Decide all matches, of which none rests on another. Who leaves loses what has no result, once
    nothing of its matches is in dispute."""
    leaving: dict[str, _Gap] = {}
    for each in sorted(work.departures, key=lambda one: (one.seat, one.id)):
        if each.own is None:
            leaving.setdefault(each.losers[0], each)
        else:  # it meets whoever leaves, or leaves itself
            work.barred[each.names[0]] = "its referee plays in this round robin"
    work.departures.clear()
    open_ones: dict[str, int] = {}
    for match in work.tournament.matches:
        if _by_result(work, match):
            continue
        gaps = [*_filling(work, match), *(leaving[team] for team in match.teams if team in leaving)]
        first = min(gaps, key=lambda each: (each.seat, each.id), default=None)
        if first is not None and first.reason is None:
            _fill(work, match, first)
        else:
            for team in match.teams:
                open_ones.setdefault(team, match.number)
    disputed = {team for each in work.disputed for team in work.tournament.matches[each - 1].teams}
    for team, gap in leaving.items():
        if team in open_ones and team not in disputed:
            _fill(work, work.tournament.matches[open_ones[team] - 1], gap)


# --- what is left ---------------------------------------------------------------------------------


def _leftover(work: _Work, results: Mapping[bytes, tuple[Piece, Pair]]) -> None:
    """Say of everything else why it does not count, so that nobody has to guess."""
    counted = {name for names in work.counted.values() for name in names}
    counted |= {name for each in work.disputed.values() for one in each for name in one.names}
    matches = work.now().matches
    for name, (piece, pair) in results.items():
        if name not in work.both | counted:
            alone = f"only players of {work.teams[piece.key]} have signed this result"
            work.ignored[name] = f"match {pair.match}: {alone}"
        elif name not in counted:
            work.ignored[name] = _why(matches[pair.match - 1])
    for each in work.rulings:
        if each.names[0] not in counted:
            why = work.barred.get(each.names[0]) or _why(matches[each.match - 1])
            work.ignored[each.names[0]] = why


def _why(match: Match) -> str:
    if match.ready:
        return f"match {match.number}: who is named does not play it"
    if match.outcome is None:
        waits = " and ".join(map(str, match.waits_for))
        return f"match {match.number} waits for match {waits}"
    return f"match {match.number} is decided otherwise"
