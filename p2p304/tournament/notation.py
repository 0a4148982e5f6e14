"""A tournament as text that reads back.

    tournament 304 4
    elimination tokens races 10 7 third 7
    entry "Lions" "Ana" "Ben"
    entry "Tigers" "Chandra" "Devi"
    entry "Elephants" "Esha" "Farid"
    draw 4f1e...
    1 7-3
    2 withdrawn 3

The first line names the game and the seats of a table; teams are told in facts by the number of
their entry. A fact is a number of a match and scores, or "absent", "withdrawn" or "disqualified"
and teams.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, assert_never

from p2p304.errors import NotationError, TournamentError
from p2p304.tournament.entries import FEWEST, TEAM_SIZES, Entry, check_entries, check_size
from p2p304.tournament.matches import Departure, Fact, Reason, Result, WalkOver
from p2p304.tournament.systems import Elimination, RoundRobin, System, Unit
from p2p304.tournament.tournament import GAME, Tournament

LONGEST: Final = 100_000
"""How many characters a text may have."""

_NUMBER: Final = r"([1-9][0-9]{0,3})"
_SCORE: Final = r"(0|[1-9][0-9]{0,3})"
_UNIT: Final = rf"({'|'.join(each.value for each in Unit)})"
_HEAD: Final = re.compile(rf"tournament ({GAME.pattern}) {_NUMBER}")
_ELIMINATION: Final = re.compile(
    rf"elimination {_UNIT} races((?: {_NUMBER}){{1,5}}) third (?:{_NUMBER}|none)"
)
_ROUND_ROBIN: Final = re.compile(rf"round-robin {_UNIT} race {_NUMBER}")
_ENTRY: Final = re.compile(r'entry "([^"]*)"((?: "[^"]*")+)')
_DRAW: Final = re.compile(r"draw ((?:[0-9a-f]{2})+)")
_RESULT: Final = re.compile(rf"{_NUMBER} {_SCORE}-{_SCORE}")
_ABSENT: Final = re.compile(rf"{_NUMBER} absent {_NUMBER}(?: {_NUMBER})?")
_LEFT: Final = re.compile(rf"{_NUMBER} ({'|'.join(each.value for each in Reason)}) {_NUMBER}")


def format_tournament(tournament: Tournament) -> str:
    """Return the one text of a tournament; ends with a line break."""
    numbers = {entry.team: number for number, entry in enumerate(tournament.entries, 1)}
    lines = [f"tournament {tournament.game} {tournament.seats}", format_system(tournament.system)]
    for entry in tournament.entries:
        lines.append(" ".join(["entry", *(f'"{name}"' for name in (entry.team, *entry.players))]))
    if tournament.luck is not None:
        lines.append(f"draw {tournament.luck.hex()}")
    for fact in tournament.facts:
        match fact:
            case Result():
                told = f"{fact.scores[0]}-{fact.scores[1]}"
            case WalkOver():
                told = " ".join(["absent", *(str(numbers[team]) for team in fact.absent)])
            case Departure():
                told = f"{fact.reason.value} {numbers[fact.team]}"
            case _:
                assert_never(fact)
        lines.append(f"{fact.match} {told}")
    return "\n".join(lines) + "\n"


def parse_tournament(text: str) -> Tournament:
    """Return the tournament that format_tournament wrote as the text, which has no other form.

    Raises NotationError, which names the line and what is wrong with it.
    """
    if len(text) > LONGEST:
        raise NotationError(f"a text has at most {LONGEST} characters")
    reader = _Reader(text.split("\n"))
    try:
        tournament = reader.read()
        # Every line was read strictly, so all that can differ is their order.
        for reader.at, right in enumerate(format_tournament(tournament).split("\n")):
            if reader.line() != right:
                raise NotationError(f"the canonical line here is {right!a}")
    except (NotationError, TournamentError) as error:
        named = error.match if isinstance(error, TournamentError) else None
        at = reader.told.get(named or 0, reader.at)
        problem = str(error) if isinstance(error, TournamentError) else error.args[0]
        position = sum(len(line) + 1 for line in reader.lines[:at])
        raise NotationError(f"line {at + 1}: {problem}", position) from error
    return tournament


def parse_system(line: str) -> System:
    """Return the system that `format_system` tells so.

    Raises NotationError for any other line, TournamentError for a system that cannot be.
    """
    if found := _ELIMINATION.fullmatch(line):
        unit, races, _, third = found.groups()
        return Elimination(
            tuple(map(int, races.split())), int(third) if third else None, Unit(unit)
        )
    if found := _ROUND_ROBIN.fullmatch(line):
        return RoundRobin(int(found[2]), Unit(found[1]))
    raise NotationError('this line tells the system, "elimination ..." or "round-robin ..."')


def format_system(system: System) -> str:
    """Return the line that tells a system, its races and what else it agrees on."""
    match system:
        case Elimination():
            races = " ".join(map(str, system.races))
            third = "none" if system.third is None else system.third
            return f"elimination {system.unit.value} races {races} third {third}"
        case RoundRobin():
            return f"round-robin {system.unit.value} race {system.race}"
        case _:
            assert_never(system)


class _Reader:
    """Reads a text line by line; `at` is the line that it is in, `told` those of matches."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.told: dict[int, int] = {}

    def read(self) -> Tournament:
        head = self.matched(_HEAD, 'a tournament begins with such as "tournament 304 4"')
        game, seats = head[1], int(head[2])
        if seats not in TEAM_SIZES:
            raise NotationError(f"no table has {seats} seats")
        self.at = len(self.lines) - 1
        if self.lines[self.at]:
            raise NotationError("the last line ends with a line break")
        last, self.at = self.at, 1
        system = parse_system(self.line())
        entries: list[Entry] = []
        self.at = 2
        while self.line().startswith("entry "):
            found = self.matched(_ENTRY, 'an entry is such as entry "Lions" "Ana" "Ben"')
            entries.append(Entry(found[1], tuple(re.findall(r'"([^"]*)"', found[2]))))
            check_size(entries[-1], seats)
            if len(entries) >= FEWEST:
                check_entries(entries, seats)
            self.at += 1
        if len(entries) < FEWEST:
            raise NotationError(f"at least {FEWEST} entries go here")
        tournament = Tournament(game, seats, system, tuple(entries))
        if self.at == last:
            return tournament
        luck = self.matched(_DRAW, '"entry" or "draw" and luck in small hexadecimal digits go here')
        tournament = tournament.drawn(bytes.fromhex(luck[1]))
        teams = tuple(each.team for each in entries)
        facts = []
        self.at += 1
        while self.at < last:
            facts.append(_fact(self.line(), teams))
            self.told[facts[-1].match] = self.at
            self.at += 1
        return replace(tournament, facts=tuple(facts))

    def line(self) -> str:
        """Return the line, or nothing where the text has ended."""
        return self.lines[self.at] if self.at < len(self.lines) else ""

    def matched(self, form: re.Pattern[str], problem: str) -> re.Match[str]:
        found = form.fullmatch(self.line())
        if found is None:
            raise NotationError(problem)
        return found


def _fact(line: str, teams: tuple[str, ...]) -> Fact:
    def team(number: str) -> str:
        if int(number) > len(teams):
            raise NotationError(f"there is no entry {number}")
        return teams[int(number) - 1]

    if found := _RESULT.fullmatch(line):
        return Result(int(found[1]), (int(found[2]), int(found[3])))
    if found := _ABSENT.fullmatch(line):
        return WalkOver(int(found[1]), tuple(team(each) for each in found.groups()[1:] if each))
    if found := _LEFT.fullmatch(line):
        return Departure(int(found[1]), team(found[3]), Reason(found[2]))
    raise NotationError('a fact is such as "3 7-4", "3 absent 5" or "3 withdrawn 5"')
