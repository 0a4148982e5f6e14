"""Judge a record: which draws have ended, what decides their matches, who is convicted
(specs/tournament.md, 11 to 13)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, combinations
from math import inf
from typing import Any, Final, NamedTuple

from p2p304.tournament.tournament import Awaited, Fact, How, Match, RoundRobin, Side, Tournament
from protocol.bounds import MOST_AGREED, MOST_ENDS, MOST_FORKS
from protocol.errors import MalformedMessage
from protocol.tournament import pieces
from protocol.tournament.pieces import Piece
from protocol.tournament.record import (
    BEHIND,
    KINDS,
    CaptainsDraw,
    DrawMessage,
    DrawState,
    TournamentConviction,
    TournamentRecord,
    convictions_in,
    match_charters,
    rules_entry,
    state_of,
)
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey

# Choices of 10.9: what an honest signer needs, and little that a dishonest one can fill.
#: Pieces of one kind by one key that a record is sure to keep; of a draw's for one place.
MOST_KEPT: Final[Mapping[type, int]] = {
    pieces.TournamentCharter: 1,
    pieces.TeamEntry: 8,  # a captain may correct it
    pieces.EntryList: 2,  # two convict: more tell nothing new
    pieces.DrawRestart: 32,  # each leaves out one of 32 teams, or more
    # A team has 31 matches at the most, of which some are played anew (12.4).
    pieces.MatchResult: 64,
    pieces.TournamentRuling: 1_024,  # a round robin has 496 matches, and 32 teams may leave
    pieces.DrawEnd: 32,  # of the list's draw, and of those of its restarts
    # One more than MOST_ENDS: so many make all of them invalid, in every copy.
    pieces.TournamentEnd: 9,
    pieces.TeamWithdrawal: 2,  # one before the list (10.5), one after the draw
    pieces.LineupChange: 32,  # an honest captain signs one for each of its 31 matches at the most
    DrawMessage: 2,
}
# Before the place of any referee: what a team says of itself, or convicts itself of.
_OWN: Final = -1

Pair = tuple[int, tuple[str, ...]]  #: A match between these two teams, in the order of its sides.


class Agreed(NamedTuple):
    """A result that both teams signed, and the `names` of all pieces that say so; `two` suffice."""

    scores: tuple[int, int]
    names: tuple[bytes, ...]
    two: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """What follows from a record by one of its draws; pieces are given by their names."""

    record: TournamentRecord
    draw: DrawState | None
    tournament: Tournament | None  #: With luck once the draw is settled; None before the list.
    counted: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)  #: What decides matches.
    deciding: Collection[bytes] = ()  #: What of it an end names.
    kept: Collection[bytes] = ()  #: What a record keeps besides.
    #: The contrary results of matches, also of those that are decided.
    contrary: Mapping[int, tuple[Agreed, ...]] = field(default_factory=dict)
    ignored: Collection[bytes] = ()  #: What is about matches, or an end, and counts for nothing.
    convictions: tuple[TournamentConviction, ...] = ()
    waits: str = ""  #: Whom or what the draw waits for, as words; empty once it is settled.
    ended: bool = False
    forks: tuple[JudgedRecord, ...] = ()  #: What follows by the other draws.
    certain: bool = True  #: Whether this is the only draw, or that of whoever asks (11.7).

    @property
    def disputed_results(self) -> dict[int, tuple[Agreed, ...]]:
        """The contrary results of each match that they leave undecided, by number."""
        pending = () if self.tournament is None else self.tournament.pending_matches
        return {e.number: self.contrary[e.number] for e in pending if e.number in self.contrary}

    @property
    def head(self) -> bytes | None:
        """The head of the draw, which results and rulings name; None before it is settled."""
        return self.draw.head if self.draw is not None and self.draw.luck is not None else None

    @property
    def entries(self) -> tuple[pieces.TeamEntry, ...]:
        """The entries of the draw, in their order; none without a draw."""
        return () if self.draw is None else self.draw.draw.entries

    @property
    def matches(self) -> tuple[Match, ...]:
        """All matches by number; none before the draw is settled."""
        return () if self.tournament is None else self.tournament.matches

    @property
    def text(self) -> str | None:
        """The text of the tournament (9); None before the list."""
        return None if self.tournament is None else self.tournament.text

    def tables(self, match: Match) -> tuple[Charter, ...]:
        """Return the charters of a match's table by all line-ups, if both teams are known."""
        return () if self.draw is None or not match.known else match_charters(self.draw, match)

    def team_of(self, key: PublicKey) -> str | None:
        """Return the team of the draw that has this key as a player's or the reserve's, if any."""
        return None if self.draw is None else self.draw.draw.teams.get(key)

    def next_match(self, team: str | None) -> Match | None:
        """Return the first match of a team that is not decided; None if there is none."""
        return next((e for e in self.matches if e.outcome is None and team in e.teams), None)


@lru_cache(maxsize=16)  # whoever waits for something asks again and again of the same record
def judge(
    record: TournamentRecord, *mine: PublicKey, shown: frozenset[bytes] = frozenset()
) -> JudgedRecord:
    """Return what follows from a record by the draw of whoever has the keys `mine`, the others as
    `forks`; `shown`, names of results that transcripts bear out, decide between contrary ones."""
    found = [_judge(record, state, shown) for state in _states(record)]
    every = {*convictions_in(record), *(each for one in found for each in one.convictions)}
    # A set has no order of its own, and equal records tell the same.
    convictions = tuple(sorted(every, key=lambda e: (e.check, e.key.to_bytes(), e.first)))
    if not found:
        return JudgedRecord(record, None, None, convictions=convictions, waits=_why(record))
    found.sort(key=lambda each: _part(each, mine), reverse=True)
    part, *parts = (_part(each, mine) for each in found)
    first, *others = (replace(each, convictions=convictions) for each in found)
    # If our keys have signed alike in two draws we sign nothing more (11.7).
    certain = not parts or (any(part) and part != parts[0])
    return replace(first, forks=tuple(others), certain=certain)


def _judge(record: TournamentRecord, state: DrawState, shown: frozenset[bytes]) -> JudgedRecord:
    """Return what follows from a record by one of its draws, and whom its bracket convicts."""
    charter = record.charter
    entries = tuple(rules_entry(each) for each in state.draw.entries)
    tournament = Tournament(charter.game, charter.seats, charter.system, entries, state.luck)
    if state.luck is None:
        return JudgedRecord(record, state, tournament, waits=_awaited_words(state))
    state = replace(state, lineups=_lineups(record, state))
    every = about_matches(record)
    here = [each for each in every if each.content.draw == state.head]
    now = _decide(state, tournament, here, shown)
    ends = [each for each in record.of(pieces.TournamentEnd) if each.content.draw == state.head]
    # One more than are looked at: so many make all of them invalid, in every copy.
    kept = {*now.kept, *(each.name for each in ends[: MOST_ENDS + 1])}
    whole: list[tuple[Piece[pieces.TournamentEnd], _Decided]] = []
    for piece in ends if len(ends) <= MOST_ENDS else ():
        named = [
            each for each in here if each.name[: pieces.END_NAME_BYTES] in piece.content.pieces
        ]
        # By the named pieces alone: is every match decided?
        result = _decide(state, tournament, named)
        # A piece that it names may not be here yet: then the end counts for nothing so far.
        if result.tournament.finished and len(named) == len(piece.content.pieces):
            whole.append((piece, result))
            kept.update(each.name for each in named)
    twice = [
        (one, other)
        for (one, by_one), (other, by_other) in combinations(whole, 2)
        # If a later result made the first end void, a second one convicts nobody (12.7).
        if not by_one.contradicts(by_other.tournament)
        and not by_other.contradicts(by_one.tournament)
    ]
    # So many ends can only be contradictions: one pair convicts, and to compare all takes long.
    twice = [(ends[0], ends[1])] if len(ends) > MOST_ENDS else twice[:1]
    # An end must not go past what both teams have signed; of two valid ones neither counts.
    valid = [each for each in whole if not now.contradicts(each[1].tournament)]
    end, counts = valid[0] if len(valid) == 1 else (None, now)
    disputed = counts.contrary_in(counts.tournament).values()
    used = {
        *([] if end is None else [end.name]),
        *chain.from_iterable(counts.counted.values()),
        *chain.from_iterable(each.names for contrary in disputed for each in contrary),
    }
    return JudgedRecord(
        record,
        state,
        counts.tournament,
        counts.counted,
        counts.deciding,
        kept,
        now.contrary_in(counts.tournament),
        {each.name for each in (*every, *ends)} - used,
        # Of all pieces, `now`: no end of the organiser's clears whom it does not name.
        (*now.convictions, *(TournamentConviction.by("end.twice", *each) for each in twice)),
        ended=end is not None,
    )


def about_matches(record: TournamentRecord) -> list[Piece[pieces.AboutMatch]]:
    """Return all results, rulings and withdrawals of a record, of any draw, sorted by name."""
    kinds = (pieces.MatchResult, pieces.TournamentRuling, pieces.TeamWithdrawal)
    return sorted((each for kind in kinds for each in record.of(kind)), key=lambda each: each.name)


def _lineups(record: TournamentRecord, state: DrawState) -> tuple[pieces.LineupChange, ...]:
    """Return the changes of line-ups in this draw that captain and reserve signed, by match, id."""
    changes = [each for each in record.of(pieces.LineupChange) if each.content.draw == state.head]
    # Seat 1 is the reserve, seat 0 the captain (10.3).
    answered = {each.id for each in changes if each.seat}
    both = {each.id: each.content for each in changes if not each.seat and each.id in answered}
    return tuple(
        change
        for _, change in sorted(both.items(), key=lambda each: (each[1].match, each[0]))
        for entry in state.draw.entries
        # Its fields are in range, but this team may have fewer players.
        if entry.captain == change.captain and change.place < len(entry.players)
        if any(each.key == change.reserve for each in entry.reserves)
    )


def _states(record: TournamentRecord) -> list[DrawState]:
    """Return the states of settled draws, then of those to be finished: one of each other list."""
    said: dict[bytes, list[DrawMessage]] = defaultdict(list)
    for each in record.of(DrawMessage):
        said[each.content.draw.follows].append(each.content)
    found: list[DrawState] = []
    for listed in record.lists:
        draws = {each.follows: each for each in record.draws if each.list_id == listed}
        ended = (
            each.content for each in record.of(pieces.DrawEnd) if each.content.follows in draws
        )
        states = [state_of(draws[e.follows], said[e.follows], e.messages) for e in ended]
        settled = [each for each in states if each.luck is not None]
        # Of a list whose entries are not all here, or cannot meet, there are no draws (10.6).
        found += settled or [_open(record, [*draws.values()], said)] if draws else []
    return sorted(found, key=lambda each: (each.luck is None, each.draw.follows))


def _open(
    record: TournamentRecord, draws: list[CaptainsDraw], said: Mapping[bytes, list[DrawMessage]]
) -> DrawState:
    """Return the state of the draw of one list that is to be finished (11.6)."""
    heard = [state_of(each, said[each.follows]) for each in draws if said[each.follows]]
    # Nothing but the organiser's share is missing, or nothing at all. That goes before all
    # restarts: the organiser knows the luck by now, and could choose by having it drawn again.
    if opened := [e for e in heard if e.rounds and {*e.missing} <= {e.draw.organiser}]:
        # The one whose luck everybody knows by the organiser's share; else the one behind most
        # restarts, to which all whom they left have agreed by opening their shares there.
        return max(opened, key=lambda each: (each.rounds, len(each.draw.before)))
    restarts = sorted((each.seat, each.id) for each in record.of(pieces.DrawRestart))
    behind = {(each.before[-1], each.follows): each for each in draws if each.before}
    last = draws[0]  # that of the list itself, which comes before those of its restarts
    # Of several restarts of one draw that of the referee named first.
    while after := [each for _, name in restarts if (each := behind.get((last.follows, name)))]:
        last = after[0]
    return state_of(last, said[last.follows])


def _part(judged: JudgedRecord, mine: tuple[PublicKey, ...]) -> tuple[bool, bool, bool]:
    """Return whether the owner of these keys signed about the matches of a draw, drew, entered."""
    record, state = judged.record, judged.draw
    assert state is not None  # `judge` asks this of draws alone
    said = (each for each in record.of(DrawMessage) if each.content.draw == state.draw)
    about = (each for each in about_matches(record) if each.content.draw == state.head)
    return (
        any(each.key in mine for each in about),
        any(each.key in mine for each in said),
        any(player.key in mine for entry in judged.entries for player in entry.signers),
    )


def _why(record: TournamentRecord) -> str:
    """Return what a record without a draw waits for, or what is wrong with its list."""
    for content in record.lists.values():
        try:
            record.listed_entries(content)  # for the error alone
        except MalformedMessage as error:
            known = "waits for others" if error.check == "list.missing" else "does not hold"
            return f"the list of entries {known}: {error.detail or error.check}"
    return "the organiser has not listed the entries"


def _awaited_words(state: DrawState) -> str:
    """Return whom a draw that is not settled waits for, and what they have to do."""
    if state.rounds == len(KINDS):
        return "the draw waits for the organiser to name its messages"
    # By seat: the organiser sits behind the captains (11.1).
    names = [*(each.team for each in state.draw.entries), "the organiser"]
    doing = "open a share of the luck" if state.rounds else "confirm the list of entries"
    return f"the draw waits for {', '.join(names[seat] for seat in state.missing)} to {doing}"


class _Gap(NamedTuple):
    """What may decide a match without a result: a walk-over between `sides`, or a departure; of
    several the lowest `rank`. `own` is the team for which its referee plays."""

    fact: Fact
    rank: tuple[int, bytes]
    names: tuple[bytes, ...]
    own: str | None = None
    sides: tuple[str, ...] = ()


@dataclass(slots=True)
class _Decided:
    """A tournament with the matches that are decided so far, and by which pieces."""

    state: DrawState
    tournament: Tournament
    shown: frozenset[bytes]
    teams: Mapping[PublicKey, str]
    #: The charters of pairs, by digest: kept, since many results ask.
    tables: dict[Pair, dict[bytes, Charter]] = field(default_factory=dict)
    #: Of contrary results that which alone is in `shown`, else all.
    agreed: dict[Pair, tuple[Agreed, ...]] = field(default_factory=dict)
    gaps: list[_Gap] = field(default_factory=list)
    #: What decides matches so far; `tournament` has it from the next `settled` on.
    facts: list[Fact] = field(default_factory=list)
    counted: dict[int, tuple[bytes, ...]] = field(default_factory=dict)
    deciding: set[bytes] = field(default_factory=set)
    convictions: list[TournamentConviction] = field(default_factory=list)
    kept: set[bytes] = field(default_factory=set)

    def count(self, fact: Fact, names: tuple[bytes, ...], deciding: tuple[bytes, ...]) -> None:
        """Note a fact that decides a match, all pieces that say so, and those that are enough."""
        self.facts.append(fact)
        self.deciding.update(deciding)
        # Two facts may be of one match: both of its teams may leave in it.
        self.counted[fact.match] = (*self.counted.get(fact.match, ()), *names)

    def settled(self) -> Tournament:
        """Return the tournament with all facts so far; costs a walk over all matches."""
        self.tournament = replace(self.tournament, facts=tuple(self.facts))
        return self.tournament

    def contrary_in(self, other: Tournament) -> dict[int, tuple[Agreed, ...]]:
        """Return, by match, the contrary results between the teams that meet in `other`."""
        found = {e.number: self.agreed.get((e.number, e.teams), ()) for e in other.matches}
        return {number: each for number, each in found.items() if len(each) > 1}

    def contradicts(self, other: Tournament) -> bool:
        """Tell whether `other` goes past a result that counts here, or has another one (12.7)."""
        for mine, match in zip(self.tournament.matches, other.matches, strict=True):
            scores = None if match.outcome is None else match.outcome.scores
            found = self.agreed.get((match.number, match.teams), ())
            past = mine.outcome is not None and mine.outcome.scores and scores is None
            if past or (found and all(scores != each.scores for each in found)):
                return True
        return False

    def read(self, piece: Piece[pieces.AboutMatch]) -> Pair | _Gap | None:
        """Return the match and teams of a result, the gap that a piece may fill, or neither."""
        entries, content, names = self.state.draw.entries, piece.content, (piece.name,)
        if content.match > len(self.tournament.matches):
            return None
        match content:
            case pieces.TeamWithdrawal(match=number, key=key):
                team = {each.captain: each.team for each in entries}.get(key)
                if team is None:
                    return None
                return _Gap(Fact(number, How.WITHDRAWN, (team,)), (_OWN, piece.id), names)
            case pieces.TournamentRuling(match=number, kind=kind):
                numbers = (*content.teams, *content.sides)
                if not content.teams or max(numbers) > len(entries):
                    return None
                named = tuple(entries[each - 1].team for each in numbers)
                losers, sides = named[: len(content.teams)], named[len(content.teams) :]
                # The kinds of rulings have the names that the rules have for them.
                fact = Fact(number, How[kind.name], losers)
                # A walk-over without both teams could be turned against another pair.
                if len(sides) != (0 if fact.departs else 2) or (fact.departs and len(losers) > 1):
                    return None
                # The seat is the referee's place in the charter: of several the first (12.3).
                rank = (int(piece.seat), piece.id)
                return _Gap(fact, rank, names, self.teams.get(piece.key), sides)
            case pieces.MatchResult(teams=numbers) if max(numbers) <= len(entries):
                home, away = (entries[each - 1].team for each in numbers)
                can_be = self.can_be(content, (home, away))
                return (content.match, (home, away)) if can_be else None
        return None

    def can_be(self, content: pieces.MatchResult, teams: tuple[str, str]) -> bool:
        """Tell whether a result can be one of its match, whatever was decided (12.2)."""
        match, pair = self.tournament.matches[content.match - 1], (content.match, teams)
        # By the bracket, whatever was decided: a late result counts too (12.4).
        meet = all(
            team in self.may_come(side) for side, team in zip(match.sides, teams, strict=True)
        )
        if not meet or self.teams.get(content.key) not in teams:
            return False
        if pair not in self.tables:
            # With any line-ups, whatever changes are here (12.2).
            tables = match_charters(self.state, replace(match, sides=teams))
            self.tables[pair] = {each.digest: each for each in tables}
        table = self.tables[pair].get(content.table)
        # A reserve who did not sit there has no say.
        sat = table is not None and any(content.key == seat.key for seat in table.seats)
        return sat and max(content.scores) == match.race > min(content.scores)

    def may_come(self, side: Side) -> set[str]:
        """Return the teams that can come to a side by the bracket, whatever is decided before."""
        if not isinstance(side, Awaited):
            return set() if side is None else {side}
        before = self.tournament.matches[side.match - 1].sides
        return self.may_come(before[0]) | self.may_come(before[1])

    def agree(self, results: list[tuple[Pair, Piece[Any]]]) -> None:
        """Note the results that a player of each of the two teams signed alike."""
        signed: dict[Pair, dict[tuple[Any, ...], list[Piece[Any]]]] = {}
        for pair, piece in results:
            content = piece.content
            terms = (content.table, content.hand, content.head, content.scores)
            signed.setdefault(pair, {}).setdefault(terms, []).append(piece)
        for pair, alike in signed.items():
            by_scores: dict[tuple[int, int], list[list[Piece[Any]]]] = {}
            # By terms, so that the lowest come first; no two are equal, so that no pieces compare.
            for (*_, scores), group in sorted(alike.items()):
                if len({self.teams[each.key] for each in group}) == 2:
                    # By scores: other tables with the same scores contradict nothing.
                    by_scores.setdefault(scores, []).append(group)
            every: list[Agreed] = []
            for scores, found in by_scores.items():
                names = tuple(each.name for group in found for each in group)
                # Reversed: the piece with the lowest name of each team stays.
                two = {self.teams[each.key]: each.name for each in reversed(found[0])}
                every.append(Agreed(scores, names, tuple(two.values())))
                self.kept.update(each.name for group in found[:MOST_AGREED] for each in group)
            borne = [each for each in every if not self.shown.isdisjoint(each.names)]
            if every:
                self.agreed[pair] = tuple(borne if len(borne) == 1 else every)

    def convict(self, results: list[tuple[Pair, Piece[Any]]]) -> None:
        """Convict each key that signed both that its team lost its first match and a result to
        which only the winner comes; the team's disqualification may then fill the gap (12.4)."""
        by_key: dict[PublicKey, list[tuple[Pair, Piece[Any]]]] = defaultdict(list)
        for pair, piece in results:
            by_key[piece.key].append((pair, piece))
        for key, signed in by_key.items():
            team = self.teams[key]
            first, behind_it = self.path(team)
            behind = [piece for (number, _), piece in signed if number in behind_it]
            lost: list[Piece[Any]] = []
            for (number, teams), piece in signed if behind else ():
                home, away = piece.content.scores
                # The index of the loser: 1 if the home side won.
                if number == first and team == teams[home > away]:
                    lost.append(piece)
            for piece in lost:
                names = (piece.name, behind[0].name)
                fact = Fact(first, How.DISQUALIFIED, (team,))
                self.gaps.append(_Gap(fact, (_OWN, piece.id), names))
                self.kept.update(names)
            if lost:
                self.convictions.append(TournamentConviction.by(BEHIND, lost[0], behind[0]))

    def path(self, team: str) -> tuple[int, set[int]]:
        """Return a team's first match, and those to which it comes only by winning that."""
        matches = self.tournament.matches
        first = next(each for each in matches if team in each.teams)
        behind = {first.number}
        # Else the team may have beaten another opponent, whose own late result let the one through
        # that it lost to (12.4).
        for match in matches if first.known else ():
            sides = [each for each in match.sides if isinstance(each, Awaited)]
            # The loser of this first match, too, may come to the match for third place.
            if any(e.match in behind and (not e.loser or e.match != first.number) for e in sides):
                behind.add(match.number)
        return first.number, behind - {first.number}

    def eliminate(self) -> None:
        """Decide the matches of an elimination in the order of 12.3."""
        # By number: every match rests on lower ones alone.
        for number in range(1, len(self.tournament.matches) + 1):
            match = self.settled().matches[number - 1]
            gaps = self.gap_fillers(match)
            # An outcome by the rules: one side has no team, or its team left before.
            if self.by_result(match) or match.outcome is not None or not gaps:
                continue
            # Only where it matters: it walks over the matches behind.
            rests = {team: self.rests(match, team) for team in match.teams if len(gaps) > 1}
            # The nearest signed result first: else who rules once more would undo it.
            near = {e.names: [rests[t] for t in rests if t not in e.fact.teams] for e in gaps}
            first, *more = sorted(gaps, key=lambda e: (min(near[e.names], default=inf), e.rank))
            self.fill(match, first)
            for each in more if first.fact.departs else ():
                # If the other team has left too, nobody comes through unless a result rests on it.
                (team, *_) = each.fact.teams
                if each.fact.departs and team not in first.fact.teams and rests[team] == inf:
                    self.fill(match, each)
                    break

    def rests(self, match: Match, team: str) -> float:
        """Return how many walk-overs lie between this match and the nearest signed result that
        rests on `team` winning it; infinity if there is none."""
        winner = Awaited(match.number)
        later = next((each for each in self.tournament.matches if winner in each.sides), None)
        if later is None:
            return inf
        at = later.sides.index(winner)
        others = self.comers(later.sides[1 - at])
        met = [(other, team) if at else (team, other) for other in others]
        if any((later.number, sides) in self.agreed for sides in met):
            return 0
        gaps = [gap for sides in met for gap in self.gap_fillers(replace(later, sides=sides))]
        # A walk-over that lets the team through hands the question on (12.3).
        if any(not each.fact.departs and team not in each.fact.teams for each in gaps):
            return 1 + self.rests(later, team)
        return inf

    def comers(self, side: Side) -> set[str]:
        """Return the teams that may come to a side by what is signed; empty if nothing says so."""
        # No winner comes to the match for third place, so `rests` never asks about its sides.
        if not isinstance(side, Awaited) or side.loser:
            return {side} if isinstance(side, str) else set()
        before = self.tournament.matches[side.match - 1]
        if not before.known:
            return set()
        if found := self.agreed.get((before.number, before.teams)):
            # The index of the winner; contrary results let either come.
            return {before.teams[each.scores[0] < each.scores[1]] for each in found}
        gaps = self.gap_fillers(before)
        return {team for team in before.teams for each in gaps if team not in each.fact.teams}

    def by_result(self, match: Match) -> bool:
        """Decide a match by the one result of both teams, if any; tell whether they signed any."""
        found = self.agreed.get((match.number, match.teams), ())
        if len(found) == 1:
            (one,) = found
            self.count(Fact(match.number, How.PLAYED, scores=one.scores), one.names, one.two)
        return bool(found)  # True for contrary ones too: no ruling decides a disputed match (12.5)

    def gap_fillers(self, match: Match) -> list[_Gap]:
        """Return what may decide a match without a result: walk-overs of it, and departures."""
        teams = match.teams
        # A departure counts once; from there the rules decide (7.6).
        left = {team for fact in self.facts if fact.departs for team in fact.teams}
        return [
            each
            for each in self.gaps
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

    def fill(self, match: Match, gap: _Gap) -> None:
        """Decide a match without a result by what fills its gap."""
        # In the order of the sides, as the rules want them (7.1).
        teams = tuple(team for team in match.teams if team in gap.fact.teams)
        self.count(replace(gap.fact, match=match.number, teams=teams), gap.names, gap.names)

    def round_robin(self) -> None:
        """Decide the matches of a round robin in the order of 12.3."""
        # All meet: a referee who plays cannot let anybody leave (12.6).
        departures = [each for each in self.gaps if each.fact.departs and each.own is None]
        # Descending, so that the lowest rank of each team stays.
        departures.sort(key=lambda each: each.rank, reverse=True)
        leaving = {each.fact.teams[0]: each for each in departures}
        self.gaps = [each for each in self.gaps if not each.fact.departs]
        open_ones: dict[str, Match] = {}
        for match in self.tournament.matches:
            if self.by_result(match):
                continue
            gaps = self.gap_fillers(match) + [leaving[e] for e in match.teams if e in leaving]
            first = min(gaps, key=lambda each: each.rank, default=None)
            if first is not None and not first.fact.departs:
                self.fill(match, first)
            else:
                for team in match.teams:
                    open_ones.setdefault(team, match)
        matches, contrary = self.tournament.matches, self.contrary_in(self.tournament)
        disputed = {team for number in contrary for team in matches[number - 1].teams}
        for team, gap in leaving.items():
            # While a match of it is disputed, it may yet have a result (12.3).
            if team in open_ones and team not in disputed:
                # Its first open match alone: from a departure on the rules decide the others (7.6).
                self.fill(open_ones[team], gap)


def _decide(
    state: DrawState,
    tournament: Tournament,
    given: list[Piece[pieces.AboutMatch]],
    shown: frozenset[bytes] = frozenset(),
) -> _Decided:
    """Return what these pieces, sorted by name, decide of the matches of a drawn tournament."""
    work = _Decided(state, tournament, shown, state.draw.teams)
    results: list[tuple[Pair, Piece[Any]]] = []
    for piece in given:
        match work.read(piece):
            case _Gap() as gap:
                work.gaps.append(gap)
            case (_, _) as pair:
                results.append((pair, piece))
    work.agree(results)
    work.convict(results)
    (work.round_robin if isinstance(tournament.system, RoundRobin) else work.eliminate)()
    work.settled()
    return work


def prune(record: TournamentRecord, before: TournamentRecord | None = None) -> TournamentRecord:
    """Return the record with at most MOST_KEPT pieces of each kind and signer, beside all that
    count or counted in `before`; once there is a list, without entries that none names."""
    listed = {each for content in record.lists.values() for each in content.entries}
    slots: dict[tuple[type, PublicKey, object], list[bytes]] = {}
    for each in record.ordered_pieces:
        content = each.content
        # Messages of a draw are counted by their places; of all others this is False, so that
        # kind and signer alone count.
        place = isinstance(content, DrawMessage) and (content.draw.follows, content.signed.place)
        if not listed or not isinstance(content, pieces.TeamEntry) or each.id in listed:
            slots.setdefault((type(content), each.key, place), []).append(each.name)
    most = {slot: MOST_KEPT[slot[0]] for slot in slots}
    # The common case: nothing is too much, so that nothing has to be judged.
    if sum(min(most[slot], len(names)) for slot, names in slots.items()) == len(record.pieces):
        return record
    had = [] if before is None else _standings(before)
    # What was here stays: a list of many must not push out the one that all play by.
    here = {draw for draw, _ in had}
    new = sorted(_standings(record), key=lambda each: each[0] not in here)
    most_new = sum(draw in here for draw, _ in new) + max(0, MOST_FORKS - len(had))
    needed = {name for _, each in (*had, *new[:most_new]) for name in _needed_names(each)}
    kept: set[bytes] = set()
    for slot, names in slots.items():
        # By ids, and not by names: of a change captain and reserve keep the same.
        order = {name: (name not in needed, record.pieces[name].id) for name in names}
        kept.update(sorted(names, key=lambda each: order[each])[: most[slot]])
        kept.update(needed.intersection(names))
    return record.only(kept)


def _standings(record: TournamentRecord) -> list[tuple[bytes, JudgedRecord]]:
    """Return what follows by each draw, behind the id of the list or restart that it follows."""
    first = judge(record)
    return [(e.draw.draw.follows if e.draw else b"", e) for e in (first, *first.forks)]


def _needed_names(judged: JudgedRecord) -> set[bytes]:
    """Return the names of pieces that may not be pruned: all that counts, or convicts first."""
    record, state = judged.record, judged.draw
    # Reversed: the first of each kind and key stays.
    against = {(one.check, one.key): one for one in reversed(judged.convictions)}
    evidence = {raw for one in against.values() for raw in (one.first, one.second)}
    needed = {name for name, each in record.pieces.items() if each.raw in evidence}
    if state is not None:
        draw = state.draw
        ids = {*draw.before, draw.follows, *record.lists[draw.list_id].entries, *state.messages}
        # The end that names just these messages settles this draw: without it, it is open again.
        end = pieces.DrawEnd(record.charter.digest, draw.follows, state.messages)
        needed.update(name for name, e in record.pieces.items() if e.id in ids or e.content == end)
    return needed.union(judged.deciding, judged.kept)
