"""Which piece decides a match, among all that were signed about it (specs/tournament.md, 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from p2p304.tournament.matches import (
    Awaited,
    Fact,
    How,
    Match,
    Side,
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

# Two are enough to decide or dispute; a bound, since four players can sign many.
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
    """A result that both teams signed: its scores, and the names of the pieces that say so.

    `two` are names that are enough, one of each team; `kept` are those that a record keeps, by
    their terms.
    """

    scores: tuple[int, int]
    names: tuple[bytes, ...]
    two: tuple[bytes, ...]
    kept: tuple[tuple[bytes, ...], ...]


class _Gap(NamedTuple):
    """A ruling, withdrawal or conviction that may decide a match without a result.

    It is a walk-over between `sides`, or a departure. `own` is the team for which its referee
    plays.
    """

    fact: Fact
    seat: int
    id: bytes
    names: tuple[bytes, ...]
    own: str | None = None
    sides: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, bytes]:
        """The key by which several are sorted; the lowest counts first."""
        return self.seat, self.id

    def loses(self, team: str) -> bool:
        """Tell whether `team` loses by it."""
        return team in self.fact.teams


@dataclass(slots=True)
class DecidedTournament:
    """A tournament with the matches that are decided so far, and by which pieces; `decided`
    makes it.
    """

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
        """Add the fact that decides a match, with the names of its pieces; `settled` applies it."""
        self.facts.append(fact)
        self.deciding.update(deciding or names)
        self.counted[fact.match] = (*self.counted.get(fact.match, ()), *names)

    def settled(self) -> Tournament:
        """Apply all added facts, and return the tournament. Costs a walk over all matches."""
        self.tournament = replace(self.tournament, facts=tuple(self.facts))
        return self.tournament

    def contrary_in(self, other: Tournament) -> dict[int, tuple[Agreed, ...]]:
        """Return, by match, the contrary results that are signed here between the teams that
        meet in `other`.
        """
        pairs = {each.number: (each.number, each.teams) for each in other.matches}
        found = {number: self.agreed.get(pair, ()) for number, pair in pairs.items()}
        return {number: each for number, each in found.items() if len(each) > 1}

    def contradicts(self, other: Tournament) -> bool:
        """Tell whether `other` decides a match otherwise than by the results that count here
        (specs/tournament.md, 12.7).
        """
        for mine, match in zip(self.tournament.matches, other.matches, strict=True):
            scores = None if match.outcome is None else match.outcome.scores
            found = self.agreed.get((match.number, match.teams), ())
            # A match that a result decides here, and that has no result there.
            past = mine.outcome is not None and mine.outcome.scores and scores is None
            if past or (found and all(scores != each.scores for each in found)):
                return True
        return False


def decide_all(
    state: DrawState,
    tournament: Tournament,
    pieces: Iterable[Piece[AboutMatch]],
    shown: frozenset[bytes] = frozenset(),
) -> DecidedTournament:
    """Return the tournament with the matches that these pieces decide.

    Args:
        state: the settled draw.
        tournament: as it was drawn, without facts.
        pieces: results, rulings and withdrawals of this draw, by name.
        shown: names of results that transcripts bear out.
    """
    work = DecidedTournament(state, tournament, shown)
    work.teams = {player.key: each.team for each in state.draw.entries for player in each.signers}
    results: list[tuple[Pair, Piece[Any]]] = []
    for piece in pieces:
        found = _open_result(work, piece)
        match found:
            case str():
                work.ignored[piece.name] = found
            case _Gap():
                work.gaps.append(found)
            case _:
                results.append((found, piece))
    # Before `_convict` adds some that nobody signed as rulings.
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


def _open_result(work: DecidedTournament, piece: Piece[AboutMatch]) -> Pair | _Gap | str:
    """Return the match and teams of a result, the gap that a ruling or withdrawal fills, or why
    a piece is ignored.
    """
    entries, content, names = work.state.draw.entries, piece.content, (piece.name,)
    # It was well signed, but this tournament has fewer matches.
    if content.match > len(work.tournament.matches):
        return f"there is no match {content.match}"
    match content:
        case TeamWithdrawal(match=number, key=key):
            for each in entries:
                if each.captain == key:
                    fact = Fact(number, How.WITHDRAWN, (each.team,))
                    # What a team says of itself counts before any referee (12.3).
                    return _Gap(fact, _OWN, piece.id, names)
            return "its signer is no captain"
        case TournamentRuling(match=number, kind=kind):
            numbers = (*content.teams, *content.sides)
            if not content.teams or max(numbers) > len(entries):
                return "it names no team"
            named = tuple(entries[each - 1].team for each in numbers)
            losers, sides = named[: len(content.teams)], named[len(content.teams) :]
            fact = Fact(number, How[kind.name], losers)
            # A walk-over without both teams could be turned against another pair.
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
    """Return why a result cannot be one of its match, whatever happened before; "" if it can."""
    match, pair = work.tournament.matches[content.match - 1], (content.match, teams)
    home, away = teams
    said = f"match {match.number}: "
    # Only players of the two teams decide their match (12.2).
    if work.teams.get(content.key) not in teams:
        return f"{said}its signer plays for neither team"
    # By the bracket, whatever was decided: a late result counts too (12.4).
    if home == away or any(
        team not in _may_come(work, side) for side, team in zip(match.sides, teams, strict=True)
    ):
        return f"{said}these teams cannot meet in it"
    if pair not in work.tables:
        # With any line-ups, whatever changes are here (12.2).
        tables = match_charters(work.state, replace(match, sides=(home, away)))
        work.tables[pair] = {each.digest: each for each in tables}
    table = work.tables[pair].get(content.table)
    if table is None:
        return f"{said}it was played at another table than this match's"
    # A reserve who did not sit there has no say.
    if all(content.key != seat.key for seat in table.seats):
        return f"{said}its signer did not sit at its table"
    one, other = content.scores
    if max(one, other) != match.race or min(one, other) >= match.race:
        return f"{said}nobody wins a race to {match.race} by {one}-{other}"
    return ""


def _may_come(work: DecidedTournament, side: Side) -> set[str]:
    """Return the teams that can come to a side of a match by the bracket, whatever is decided
    before it.
    """
    if not isinstance(side, Awaited):
        return set() if side is None else {side}
    before = work.tournament.matches[side.match - 1].sides
    return _may_come(work, before[0]) | _may_come(work, before[1])


def _agree(work: DecidedTournament, results: list[tuple[Pair, Piece[Any]]]) -> None:
    """Collect the results that a player of each of the two teams signed alike; ignore those of
    one team.
    """
    signed: dict[tuple[Pair, ResultTerms], list[Piece[Any]]] = {}
    for pair, piece in results:
        signed.setdefault((pair, piece.content.terms), []).append(piece)
    for (pair, _), pieces in sorted(signed.items()):
        # Reversed: the piece with the lowest name of each team stays.
        by_team = {work.teams[each.key]: each.name for each in reversed(pieces)}
        names, scores = tuple(each.name for each in pieces), pieces[0].content.scores
        # One team alone decides nothing (12.2).
        if len(by_team) == 1:
            why = f"match {pair[0]}: only players of {min(by_team)} have signed this result"
            work.ignored.update(dict.fromkeys(names, why))
            continue
        found = {each.scores: each for each in work.agreed.get(pair, ())}
        # By scores: other tables with the same scores contradict nothing.
        known = found.setdefault(scores, Agreed(scores, (), tuple(by_team.values()), ()))
        known.names, known.kept = (*known.names, *names), (*known.kept, names)[:MOST_AGREED]
        work.agreed[pair] = tuple(found.values())
    for pair, every in work.agreed.items():
        work.kept.update(name for each in every for names in each.kept for name in names)
        borne = tuple(each for each in every if not work.shown.isdisjoint(each.names))
        # A transcript decides between contrary results if it bears out just one (12.5).
        work.agreed[pair] = borne if len(borne) == 1 else every


def _convict(work: DecidedTournament, results: list[tuple[Pair, Piece[Any]]]) -> None:
    """Convict each key that signed both that its team lost a match and a result to which only
    the winner comes.
    """
    # Only of matches whose two sides are known from the draw: elsewhere a team may have won against
    # another opponent, whose own late result let the one through that it lost to.
    behind: dict[tuple[PublicKey, int], Piece[Any]] = {}
    for (match, _), piece in results:
        for number in _before(work, match, work.teams[piece.key]):
            behind.setdefault((piece.key, number), piece)
    for (match, teams), piece in results:
        home, away = piece.content.scores
        team, other = work.teams[piece.key], behind.get((piece.key, match))
        # The index of the loser: 1 if the home side won.
        if other is None or team != teams[home > away]:
            continue
        names = (piece.name, other.name)
        fact = Fact(match, How.DISQUALIFIED, (team,))
        work.gaps.append(_Gap(fact, _OWN, piece.id, names))
        work.kept.update(names)
        # One conviction of each key is enough evidence.
        if all(each.key != piece.key for each in work.convictions):
            work.convictions.append(TournamentConviction.by(BEHIND, piece, other))


def _before(work: DecidedTournament, number: int, team: str) -> Iterator[int]:
    """Yield the first match of a team, if the team comes to match `number` only by winning that."""
    for side in work.tournament.matches[number - 1].sides:
        if isinstance(side, Awaited) and not side.loser:
            before = work.tournament.matches[side.match - 1]
            # `ready`: both sides are known from the draw (12.4).
            if team in before.teams and before.ready:
                yield side.match
        if isinstance(side, Awaited):
            yield from _before(work, side.match, team)


# --- elimination ----------------------------------------------------------------------------------


def _elimination(work: DecidedTournament) -> None:
    """Decide the matches of an elimination, each by its result, else by what fills its gap."""
    # By number: every match rests on lower ones alone.
    for number in range(1, len(work.tournament.matches) + 1):
        match = work.settled().matches[number - 1]
        # A result of both teams first, whatever was ruled (12.2).
        if _by_result(work, match) or match.outcome is not None:
            continue
        gaps = _gap_fillers(work, match)
        # Only where it matters: it walks over the matches behind.
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
                # Not if a signed result rests on the other team's coming through (12.3).
                if both and not first.loses(team) and rests[team] == _FAR:
                    _fill(work, match, each)
                    break


def _rests(work: DecidedTournament, match: Match, team: str) -> int:
    """Return how many matches behind this one the nearest signed result is that rests on `team`
    winning it.

    _FAR if there is none.
    """
    for later in work.tournament.matches:
        won = [side == Awaited(match.number) for side in later.sides]
        if any(won):
            break
    else:
        return _FAR
    first = won[0]
    # `first` is True if the winner is the upper side: then the opponent is side 1.
    others = _comers(work, later.sides[first])
    met = [(team, each) if first else (each, team) for each in others]
    # A result of the next match: nothing is nearer.
    if any((later.number, sides) in work.agreed for sides in met):
        return 0
    gaps = [gap for sides in met for gap in _gap_fillers(work, replace(later, sides=sides))]
    if any(not each.fact.departs and not each.loses(team) for each in gaps):
        # A walk-over that lets the team through hands the question on (12.3).
        return min(_FAR, 1 + _rests(work, later, team))
    return _FAR


def _comers(work: DecidedTournament, side: Side) -> set[str]:
    """Return the teams that may come to a side of a match by what is signed; empty if nothing
    says so.
    """
    if not isinstance(side, Awaited) or side.loser:
        return {side} if isinstance(side, str) else set()
    before = work.tournament.matches[side.match - 1]
    if before.outcome is not None:
        return {before.outcome.winner} if before.outcome.winner else set()
    if not before.known:
        return set()
    if found := work.agreed.get((before.number, before.teams)):
        # The index of the winner; contrary results let either come.
        return {before.teams[each.scores[0] < each.scores[1]] for each in found}
    gaps = _gap_fillers(work, before)
    return {team for team in before.teams for each in gaps if not each.loses(team)}


def _by_result(work: DecidedTournament, match: Match) -> bool:
    """Decide a match by the result that both teams signed, if there is one; tell whether any is
    there.

    Contrary results decide nothing, and the answer is True: the match is disputed.
    """
    found = work.agreed.get((match.number, match.teams), ())
    if len(found) == 1:
        (one,) = found
        fact = Fact(match.number, How.PLAYED, scores=one.scores)
        work.count(fact, one.names, one.two)
    # True for contrary ones too: no ruling decides a disputed match (12.5).
    return bool(found)


def _gap_fillers(work: DecidedTournament, match: Match) -> list[_Gap]:
    """Return what may decide a match that has no result, without rulings of referees who may
    play in it.
    """
    teams = match.teams
    # A departure counts once; from there the rules decide (7.6).
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
        # A referee who plays does not decide whom its own team may meet (12.6).
        and (each.own is None or (match.known and each.own not in teams))
    ]


def _fill(work: DecidedTournament, match: Match, gap: _Gap) -> None:
    """Decide a match by this gap."""
    teams = tuple(team for team in match.teams if gap.loses(team))
    work.count(replace(gap.fact, match=match.number, teams=teams), gap.names)


# --- round robin ----------------------------------------------------------------------------------


def _round_robin(work: DecidedTournament) -> None:
    """Decide the matches of a round robin, none of which rests on another.

    A team that leaves loses its matches without a result, once none of its matches is disputed.
    """
    leaving: dict[str, _Gap] = {}
    for each in sorted(work.gaps, key=lambda one: one.rank):
        # In a round robin all meet: a referee who plays cannot let anybody leave (12.6).
        if each.fact.departs and each.own is None:  # a referee who plays meets whoever leaves
            leaving.setdefault(each.fact.teams[0], each)
    work.gaps = [each for each in work.gaps if not each.fact.departs]
    open_ones: dict[str, Match] = {}
    for match in work.tournament.matches:
        if _by_result(work, match):
            continue
        gaps = [
            *_gap_fillers(work, match),
            *(leaving[team] for team in match.teams if team in leaving),
        ]
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
        # While a match of it is disputed, it may yet have a result (12.3).
        if team in open_ones and team not in disputed:
            _fill(work, open_ones[team], gap)


# --- what is left ---------------------------------------------------------------------------------


def _leftover(
    work: DecidedTournament, results: list[tuple[bytes, int]], rulings: tuple[_Gap, ...]
) -> None:
    """Note for each piece that decides nothing why it does not."""
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
            # The first reason stays: it is the nearer one.
            work.ignored.setdefault(name, why or _why(work.tournament.matches[number - 1]))


def _why(match: Match) -> str:
    """Return why a piece about this match does not count."""
    if match.ready:
        return f"match {match.number}: who is named does not play it"
    if match.outcome is None:
        waits = " and ".join(map(str, match.waits_for))
        return f"match {match.number} waits for match {waits}"
    return f"match {match.number} is decided otherwise"
