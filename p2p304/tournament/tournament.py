"""A tournament at one moment: entries, system, draw and facts, and all that follows from them.

drawn = Tournament("304", 4, Elimination(), entries, luck)
replace(drawn, facts=(Fact(2, How.WALK_OVER, ("Lions",)),)).standing"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from math import factorial
from typing import Final, NamedTuple

from p2p304.errors import TournamentError
from p2p304.names import FORBIDDEN, SPACES

#: How many teams a tournament may have; the most is a choice: five rounds of an elimination.
FEWEST, MOST = 2, 32
#: How many players make a team, by the number of seats at a table, which hold two teams.
TEAM_SIZES: Final = {4: 2, 6: 3, 8: 4}
LONGEST_NAME: Final = 64  # a record names players by their keys, so many hexadecimal digits
# Names stand in quotation marks in a tournament's text.
_FORBIDDEN: Final = re.compile(f'"|{FORBIDDEN.pattern}')


@dataclass(frozen=True, slots=True)
class Entry:
    """A team and its players in the order of their seats; raises TournamentError for a bad name."""

    team: str
    players: tuple[str, ...]

    def __post_init__(self) -> None:
        check_name(self.team, "a team")
        for player in self.players:
            check_name(player, "a player")


def check_name(name: str, whose: str) -> None:
    """Raise TournamentError for a name that nobody may have (1.2), called that of `whose`."""
    if not 1 <= len(name) <= LONGEST_NAME:
        raise TournamentError("1.2", f"the name of {whose} has 1 to {LONGEST_NAME} characters")
    # Two names that look alike would be two; escaped, since not every space shows.
    if not SPACES.isdisjoint((name[0], name[-1])):
        raise TournamentError("1.2", f"the name of {whose} has outer spaces: {name[:20]!a}")
    check_letters(name, f"the name of {whose}")


def check_letters(text: str, what: str) -> None:
    """Raise TournamentError if `text`, called `what`, has a letter that no name may have."""
    found = _FORBIDDEN.search(text)
    if found is not None:
        # Cut and escaped: a stranger's text may be long, and disturb a terminal.
        raise TournamentError("1.2", f"{what} has U+{ord(found[0]):04X}: {text[:20]!a}")


def check_entries(entries: Sequence[Entry], seats: int) -> None:
    """Raise TournamentError unless these teams can meet at tables of so many seats (1.1 to 1.4)."""
    if not FEWEST <= len(entries) <= MOST:
        raise TournamentError("1.1", f"{FEWEST} to {MOST} teams may enter, not {len(entries)}")
    size = TEAM_SIZES.get(seats)
    if size is None:
        known = ", ".join(map(str, TEAM_SIZES))
        raise TournamentError("1.3", f"a table has {known} seats, not {seats}")
    for entry in entries:
        if len(entry.players) != size:
            said = f"{entry.team} has {len(entry.players)} players; at {seats} seats a team has"
            raise TournamentError("1.3", f"{said} {size}")
    teams = Counter(entry.team for entry in entries)
    # Of all teams: people are told apart by these names alone.
    players = Counter(player for entry in entries for player in entry.players)
    for name, times in [*teams.items(), *players.items()]:
        if times > 1:
            raise TournamentError("1.4", f"two teams, or two players, have the name {name}")


class MatchStage(Enum):
    """What a match decides."""

    ROUND = "round"
    THIRD = "third place"
    FINAL = "final"


class Awaited(NamedTuple):
    """A side that waits for the winner of a match, or for its `loser`."""

    match: int
    loser: bool = False


#: A team by its name, whom a match waits for, or None where nobody is left to come.
Side = str | Awaited | None


class How(Enum):
    """How a match was decided, or why a team left; UNCONTESTED: a side had no team (4.5)."""

    PLAYED = "played"
    WALK_OVER = "walk-over"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"
    UNCONTESTED = "uncontested"


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match was decided, who won and lost it, and the scores if it was played."""

    how: How
    winner: str | None = None
    losers: tuple[str, ...] = ()  #: Both, if neither came or both have left (7.2, 7.6).
    scores: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A match: number and round, both from 1, the count that wins it, and its outcome if any."""

    number: int
    round: int
    stage: MatchStage
    race: int
    sides: tuple[Side, Side]
    outcome: MatchOutcome | None = None

    @property
    def teams(self) -> tuple[str, ...]:
        """The sides that are known teams."""
        return tuple(side for side in self.sides if isinstance(side, str))

    @property
    def known(self) -> bool:
        """Whether both sides are known teams."""
        return len(self.teams) == len(self.sides)

    @property
    def ready(self) -> bool:
        """Whether it can be played now: both teams are known, and nothing is decided."""
        return self.outcome is None and self.known

    @property
    def waits_for(self) -> tuple[int, ...]:
        """The numbers of the matches whose end names the sides that are not known yet."""
        return tuple(side.match for side in self.sides if isinstance(side, Awaited))


@dataclass(frozen=True, slots=True)
class Fact:
    """What is recorded of a match (6, 7): `scores`, which `teams` did not come, or one leaves."""

    match: int
    how: How
    teams: tuple[str, ...] = ()
    # Of what was not played: no result is 0-0, since one side has the race (6.3).
    scores: tuple[int, int] = (0, 0)

    @property
    def departs(self) -> bool:
        """Whether it says that a team is withdrawn or disqualified."""
        return self.how in {How.WITHDRAWN, How.DISQUALIFIED}


class Unit(Enum):
    """What a race counts: tokens gained, hands won, or matches won as the game ends them."""

    TOKENS = "tokens"
    HANDS = "hands"
    MATCHES = "matches"


@dataclass(frozen=True, slots=True)
class Elimination:
    """Single elimination, by default the championship's (PROFILES 5); raises TournamentError for
    races that cannot be."""

    races: tuple[int, ...] = (10, 7)  #: The final's first, the last also for all earlier rounds.
    third: int | None = 7  #: None without a match for third place.
    unit: Unit = Unit.TOKENS

    def __post_init__(self) -> None:
        if not 1 <= len(self.races) <= 5:  # of MOST teams
            raise TournamentError("2.2", "there are races for 1 to 5 rounds")
        # One system has one line: "10 7 7" would be the same as "10 7".
        if len(self.races) > 1 and self.races[-1] == self.races[-2]:
            raise TournamentError("2.2", "the last race holds for all earlier rounds: name it once")
        _check_races(self.lengths)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The different races of the matches, ascending, as a charter has its profiles (10.4)."""
        return tuple(sorted({*self.races, *(() if self.third is None else (self.third,))}))

    @property
    def line(self) -> str:
        """The line that tells it, such as "elimination tokens races 10 7 third 7"."""
        third = "none" if self.third is None else self.third
        return f"elimination {self.unit.value} races {' '.join(map(str, self.races))} third {third}"

    def schedule(self, order: Sequence[str]) -> tuple[Match, ...]:
        """Return all matches by number (4), undecided, for teams in the order of the draw."""
        teams, matches = len(order), list[Match]()
        last = (teams - 1).bit_length()  # ⌈log2 n⌉ rounds
        seeds = [1]
        for _ in range(last):  # 1 2; 1 4 3 2; 1 8 5 4 3 6 7 2
            # The first seed meets the last one, so the two always add up to the places + 1 (4.1).
            pairs = [(seed, 2 * len(seeds) + 1 - seed) for seed in seeds]
            # Turned around at odd places: the order of the bracket is normative (4.1).
            seeds = [each for at, pair in enumerate(pairs) for each in pair[:: -1 if at % 2 else 1]]
        # Seeds above the number of teams are absent: who would meet one has a bye (4.2).
        sides: list[Side] = [order[seed - 1] if seed <= teams else None for seed in seeds]
        for number in range(1, last + 1):
            # Before the final, which has the highest number; four teams have semi-finals.
            if number == last and self.third is not None and teams >= 4:
                # The last two matches so far, numbered from 1: the semi-finals.
                at = len(matches) + 1
                losers = (Awaited(at - 2, loser=True), Awaited(at - 1, loser=True))
                matches.append(Match(at, number, MatchStage.THIRD, self.third, losers))
            stage = MatchStage.FINAL if number == last else MatchStage.ROUND
            winners: list[Side] = []
            for home, away in zip(sides[::2], sides[1::2], strict=True):
                if home is None or away is None:
                    # A bye; no two meet, for more than half of the places are taken (4.2).
                    winners.append(away if home is None else home)
                    continue
                # Counted from the final; the last race holds for all earlier rounds (2.2).
                race = self.races[min(last - number, len(self.races) - 1)]
                matches.append(Match(len(matches) + 1, number, stage, race, (home, away)))
                winners.append(Awaited(len(matches)))
            sides = winners
        return tuple(matches)


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Each team meets each other team once. Raises TournamentError for a race that cannot be."""

    race: int = 7
    unit: Unit = Unit.TOKENS

    def __post_init__(self) -> None:
        _check_races(self.lengths)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The one race of all matches, in the form that `Elimination.lengths` has."""
        return (self.race,)

    @property
    def line(self) -> str:
        """The line that tells it, such as "round-robin hands race 7"."""
        return f"round-robin {self.unit.value} race {self.race}"

    def schedule(self, order: Sequence[str]) -> tuple[Match, ...]:
        """Return all matches by Berger's tables (5.1), for teams in the order of the draw."""
        # Of an odd number of teams one rests in each round: who would meet the absent one.
        seats: list[str | None] = [*order, *([None] if len(order) % 2 else [])]
        turning = len(seats) - 1  # the last one stays where it is
        matches: list[Match] = []
        for number in range(1, turning + 1):
            # Whom the fixed team meets, each round N/2 places on; the others meet around it (5.1).
            middle = (number - 1) * (len(seats) // 2) % turning
            # The fixed team changes its side each round.
            one, other = (middle, turning) if number % 2 else (turning, middle)
            pairs = [(seats[one], seats[other])]
            for step in range(1, len(seats) // 2):
                pairs.append((seats[(middle + step) % turning], seats[(middle - step) % turning]))
            for pair in pairs:
                if None not in pair:
                    at = len(matches) + 1
                    matches.append(Match(at, number, MatchStage.ROUND, self.race, pair))
        return tuple(matches)


System = Elimination | RoundRobin

# No leading zeros: a system has one line. `_check_races` refuses 100 and more with a reason.
_NUMBER: Final = "[1-9][0-9]{0,3}"
_UNIT: Final = "|".join(each.value for each in Unit)
# One to five races, since 32 teams play five rounds (2.2).
_ELIMINATION: Final = re.compile(
    f"elimination ({_UNIT}) races ((?:{_NUMBER} ){{1,5}})third ({_NUMBER}|none)"
)
_ROUND_ROBIN: Final = re.compile(f"round-robin ({_UNIT}) race ({_NUMBER})")


def parse_system(line: str) -> System:
    """Return the system with this `line`; raise TournamentError for any other (9.2)."""
    if found := _ELIMINATION.fullmatch(line):
        unit, races, third = found.groups()
        race = None if third == "none" else int(third)
        return Elimination(tuple(map(int, races.split())), race, Unit(unit))
    if found := _ROUND_ROBIN.fullmatch(line):
        return RoundRobin(int(found[2]), Unit(found[1]))
    said = 'this line tells the system, "elimination ..." or "round-robin ..."'
    raise TournamentError("9.2", said)


def _check_races(lengths: tuple[int, ...]) -> None:
    """Raise TournamentError for a race outside 1 to 99; the most is a choice (2.1)."""
    for race in lengths:
        if not 1 <= race <= 99:
            raise TournamentError("2.1", f"a race is to 1 to 99, not to {race}")


# 32 teams can be drawn in less than 2**118 orders, so that 32 bytes have to be refused less than
# once in 2**138 draws (3.2); the most is a choice.
LEAST_LUCK, MOST_LUCK = 32, 1024  #: Bytes of luck.
# The first is no hyphen: it must not look like an option.
GAME: Final = re.compile(r"[0-9a-z][0-9a-z-]{0,31}")  #: The name of a game.


def drawn_order(teams: int, luck: bytes) -> tuple[int, ...]:
    """Return the order in which so many teams are drawn, places in the list of entries from 0."""
    if not LEAST_LUCK <= len(luck) <= MOST_LUCK:
        said = f"a draw takes {LEAST_LUCK} to {MOST_LUCK} bytes of luck, not {len(luck)}"
        raise TournamentError("3.1", said)
    number, orders, numbers = int.from_bytes(luck, "big"), factorial(teams), 1 << 8 * len(luck)
    # The last, incomplete row of numbers would favour some orders (3.2).
    if number >= numbers - numbers % orders:
        raise TournamentError("3.2", "this luck would favour some orders: draw other luck")
    left, order = list(range(teams)), list[int]()
    while left:
        number, place = divmod(number, len(left))
        order.append(left.pop(place))
    return tuple(order)


class Status(Enum):
    """Where a team is: `IN` while it has, or may get, a match to play."""

    IN = "in"
    DONE = "done"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A team in the standing (8)."""

    team: str
    status: Status = Status.IN
    place: int | None = None  #: None while it is not certain, and without one.
    decided: int = 0  #: Matches, without those that had no opponent.
    won: int = 0
    gained: int = 0  #: The sum of its own scores.
    lost_to_others: int = 0  #: That of its opponents'.


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament at one moment; raises TournamentError for what cannot be."""

    game: str
    seats: int
    system: System
    entries: tuple[Entry, ...]
    luck: bytes | None = None  #: None before the draw.
    facts: tuple[Fact, ...] = ()  #: In one order whenever they became known (9.4).
    matches: tuple[Match, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if GAME.fullmatch(self.game) is None:
            raise TournamentError("1.5", f"no game has the name {self.game[:40]!a}")
        check_entries(self.entries, self.seats)
        if self.luck is None and self.facts:
            raise TournamentError("3.3", "there are no matches before the draw")
        matches: tuple[Match, ...] = ()
        if self.luck is not None:
            # By match; of one match departures last, by the number of the entry (9.4). A team
            # that has not entered has none here; `_play_out` refuses its fact.
            at = {entry.team: number for number, entry in enumerate(self.entries)}
            place = {e: (e.match, e.departs, [at.get(t, 0) for t in e.teams]) for e in self.facts}
            facts = tuple(sorted(self.facts, key=place.__getitem__))
            matches = _play_out(self.system, self.system.schedule(self.order), facts)
            object.__setattr__(self, "facts", facts)  # frozen, and this is its constructor
        object.__setattr__(self, "matches", matches)

    @property
    def order(self) -> tuple[str, ...]:
        """The teams as they were drawn; before the draw as they have entered."""
        teams = tuple(entry.team for entry in self.entries)
        if self.luck is None:
            return teams
        return tuple(teams[place] for place in drawn_order(len(teams), self.luck))

    @property
    def pending_matches(self) -> tuple[Match, ...]:
        """The undecided matches: those that can be played and those that wait for others."""
        return tuple(match for match in self.matches if match.outcome is None)

    @property
    def finished(self) -> bool:
        """Whether every match is decided; False before the draw."""
        return self.luck is not None and not self.pending_matches

    @property
    def rounds(self) -> int:
        """How many rounds there are, none before the draw."""
        return self.matches[-1].round if self.matches else 0

    def byes(self, round_number: int) -> tuple[str, ...]:
        """Return the teams that have a bye, or rest, in a round, in the order of the draw."""
        here = {team for each in self.matches if each.round == round_number for team in each.teams}
        # Byes of an elimination are in its first round alone (4.2).
        late = isinstance(self.system, Elimination) and round_number > 1
        # Nobody has a bye in a round that there is not, such as any before the draw.
        return tuple(team for team in self.order if here and not late and team not in here)

    @property
    def departures(self) -> Mapping[str, How]:
        """The teams that have left since the draw, and why."""
        return {team: each.how for each in self.facts if each.departs for team in each.teams}

    @property
    def standing(self) -> tuple[StandingRow, ...]:
        """A row for each team, best first; before the draw in the order of entries."""
        if self.luck is None:
            return tuple(StandingRow(entry.team) for entry in self.entries)
        ranked = _elimination_rows if isinstance(self.system, Elimination) else _round_robin_rows
        return ranked(self, [_count(self, team) for team in self.order])

    @property
    def champion(self) -> str | None:
        """The team in first place once every match is decided, if there is one (8.4)."""
        first = self.standing[0]
        # Nobody moves up: if nobody won the final the best place is not 1 (8.2).
        return first.team if self.finished and first.place == 1 else None

    @property
    def text(self) -> str:
        """The lines that tell it (specs/tournament.md, 9)."""
        lines = [f"tournament {self.game} {self.seats}", self.system.line]
        lines += [
            " ".join(("entry", *(f'"{name}"' for name in (entry.team, *entry.players))))
            for entry in self.entries
        ]
        if self.luck is not None:
            lines.append(f"draw {self.luck.hex()}")
        numbers = {entry.team: str(number) for number, entry in enumerate(self.entries, 1)}
        for fact in self.facts:
            told = "-".join(map(str, fact.scores))
            if fact.how is not How.PLAYED:
                # It names who did not come, and not who walked over (9.3).
                word = "absent" if fact.how is How.WALK_OVER else fact.how.value
                told = " ".join((word, *(numbers[team] for team in fact.teams)))
            lines.append(f"{fact.match} {told}")
        return "\n".join(lines) + "\n"


def _play_out(system: System, matches: Sequence[Match], facts: Sequence[Fact]) -> tuple[Match, ...]:
    """Return the matches with the sides and outcomes that follow from the facts (6, 7)."""
    told: dict[int, Fact] = {}
    leaving: dict[str, Fact] = {}
    for each in facts:
        if not 1 <= each.match <= len(matches):
            raise TournamentError("6.1", f"there is no match {each.match}")
        if each.departs:
            if len(each.teams) != 1 or each.teams[0] in leaving:
                raise _no_departure(each)
            leaving[each.teams[0]] = each
        elif each.match in told:
            raise TournamentError("6.2", f"match {each.match} is told twice")
        else:
            told[each.match] = each
    done: list[Match] = []
    for planned in matches:
        home, away = planned.sides
        match = replace(planned, sides=(_resolve(home, done), _resolve(away, done)))
        # A team is gone from the match on that its departure names (7.6).
        gone = {team: e.how for team, e in leaving.items() if e.match <= match.number}
        done.append(replace(match, outcome=_outcome_of(match, told.get(match.number), gone)))
    for team, each in leaving.items():  # which matches a team came to is known only now
        mine = [match.number for match in done if team in match.teams and match.number not in told]
        # A departure names a match of the team without a result; in a round robin the first (7.5).
        if each.match not in (mine[:1] if isinstance(system, RoundRobin) else mine):
            raise _no_departure(each)
    return tuple(done)


def _no_departure(fact: Fact) -> TournamentError:
    """Return the error for a team's departure that cannot be."""
    return TournamentError("7.5", f"{' and '.join(fact.teams)} cannot leave in match {fact.match}")


def _outcome_of(match: Match, fact: Fact | None, gone: Mapping[str, How]) -> MatchOutcome | None:
    """Return how a match ended: by its `fact`, else because a side has no team or one that is
    `gone`; None if it goes on."""
    number, race, teams = match.number, match.race, match.teams
    if fact is not None and not match.known:
        raise TournamentError("6.2", f"match {number} cannot be played between its sides")
    if fact is not None and fact.how is How.PLAYED:
        home, away = scores = fact.scores
        # Exactly the race: a match ends with the point that wins it (6.3).
        if max(scores) != race or not 0 <= min(scores) < race:
            said = f"match {number} is a race to {race}: the winner has {race} and the loser less"
            raise TournamentError("6.3", f"{said}, not {home}-{away}")
        winner, loser = teams if home > away else teams[::-1]
        return MatchOutcome(How.PLAYED, winner, (loser,), scores)
    losers = tuple(team for team in teams if team in (gone if fact is None else fact.teams))
    if fact is None:
        # Who has left loses only once both sides are known, too (7.6).
        if match.waits_for or (match.known and not losers):
            return None
        # Of two that left the reason of the upper side counts (7.8).
        how = gone[losers[0]] if losers else How.UNCONTESTED
    # In the order of the sides: one fact has one text (7.1).
    elif not losers or fact.teams != losers:
        said = f"a walk-over names who did not come to match {number}"
        raise TournamentError("7.1", f"{said}: {teams[0]}, {teams[1]}, or both in this order")
    else:
        how = How.WALK_OVER
    # Who is there wins, if anybody is.
    return MatchOutcome(how, next((e for e in teams if e not in losers), None), losers)


def _resolve(side: Side, done: Sequence[Match]) -> Side:
    """Return a side as far as it is known after the matches that are `done`."""
    if not isinstance(side, Awaited) or (outcome := done[side.match - 1].outcome) is None:
        return side
    if not side.loser:
        return outcome.winner
    # If both lost, or nobody, no loser comes to the match for third place (4.4).
    return outcome.losers[0] if len(outcome.losers) == 1 else None


def _elimination_rows(tournament: Tournament, rows: list[StandingRow]) -> tuple[StandingRow, ...]:
    """Return the rows by the place that each team has, or has if it loses its next match (8.2)."""
    matches = tournament.matches
    third = any(match.stage is MatchStage.THIRD for match in matches)
    ranked: list[tuple[tuple[int, ...], StandingRow]] = []
    for drawn, row in enumerate(rows):
        # Each team has a match: a bye leads to one of the second round (4.2).
        last = [match for match in matches if row.team in match.teams][-1]
        over, to_come = last.outcome is not None, tournament.rounds - last.round
        won = last.outcome is not None and last.outcome.winner == row.team
        place = 4  # who lost a semi-final and does not come to the match for third place
        if last.stage is not MatchStage.ROUND:
            place = (1 if last.stage is MatchStage.FINAL else 3) + (not won)
        elif to_come > 1 or won or not third:
            # So many teams go on when it loses: who lose in one round share the place behind them.
            place = (1 << to_come) + 1
        barred = row.status is Status.DISQUALIFIED
        row = replace(row, place=place if over and not barred else None)
        # The order of rows (8.2); False sorts first, so who still has to play stands above others.
        ranked.append(((barred, place, over, last.stage is MatchStage.THIRD, drawn), row))
    return tuple(row for _, row in sorted(ranked, key=lambda each: each[0]))


def _round_robin_rows(tournament: Tournament, rows: list[StandingRow]) -> tuple[StandingRow, ...]:
    """Return the rows by wins, wins against those level, difference, draw (8.3)."""
    left = tournament.departures

    def rank(row: StandingRow) -> tuple[int, ...]:
        gone = row.team in left  # who have left are ranked among themselves, behind the others
        level = {e.team for e in rows if e.won == row.won and (e.team in left) is gone}
        met = (each.outcome for each in tournament.matches if level.issuperset(each.teams))
        # No match here is uncontested, which `_count` looks for: both sides are always teams.
        against = sum(each is not None and each.winner == row.team for each in met)
        return gone, -row.won, -against, row.lost_to_others - row.gained

    # Sorting is stable: who is still level stays in the order of the draw (8.3).
    ranked = enumerate(sorted(rows, key=rank), 1)
    return tuple(row if row.team in left else replace(row, place=at) for at, row in ranked)


def _count(tournament: Tournament, team: str) -> StandingRow:
    """Return a team's row without a place."""
    left, mine = tournament.departures, [each for each in tournament.matches if team in each.teams]
    told = [(match.sides.index(team), match.outcome) for match in mine]
    # A match won for want of an opponent is no win in the table (8.1).
    decided = [(at, each) for at, each in told if each and each.how is not How.UNCONTESTED]
    scores = [(each.scores[at], each.scores[1 - at]) for at, each in decided if each.scores]
    over = Status.DONE if all(match.outcome for match in mine) else Status.IN
    return StandingRow(
        team,
        Status(left[team].value) if team in left else over,
        decided=len(decided),
        won=sum(each.winner == team for _, each in decided),
        gained=sum(own for own, _ in scores),
        lost_to_others=sum(other for _, other in scores),
    )
