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
    return _Reader(text).read()


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
    """Reads a text line by line, and knows where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")

    def read(self) -> Tournament:
        head = _HEAD.fullmatch(self.lines[0])
        if head is None:
            raise self.wrong(0, 'a tournament begins with such as "tournament 304 4"')
        if self.lines.pop():
            raise self.wrong(len(self.lines), "the last line ends with a line break")
        system = self.system()
        entries = self.entries(int(head[2]))
        tournament = Tournament(head[1], int(head[2]), system, entries)
        at = 2 + len(entries)
        if at < len(self.lines):
            tournament = self.drawn(tournament, at)
            tournament = self.with_facts(tournament, at + 1)
        meant = format_tournament(tournament)
        if self.text != meant:
            # Every line was read strictly, so all that can differ is their order.
            pairs = zip(self.lines, meant.split("\n"), strict=False)
            at, right = next((at, right) for at, (said, right) in enumerate(pairs) if said != right)
            raise self.wrong(at, f"the canonical line here is {right!a}")
        return tournament

    def system(self) -> System:
        try:
            return parse_system(self.line(1))
        except (NotationError, TournamentError) as error:
            raise self.wrong(
                1, error.args[0] if isinstance(error, NotationError) else str(error)
            ) from error

    def entries(self, seats: int) -> tuple[Entry, ...]:
        if seats not in TEAM_SIZES:
            raise self.wrong(0, f"no table has {seats} seats")
        entries: list[Entry] = []
        for at in range(2, len(self.lines)):
            if not self.lines[at].startswith("entry "):
                break
            found = _ENTRY.fullmatch(self.lines[at])
            if found is None:
                raise self.wrong(at, 'an entry is such as entry "Lions" "Ana" "Ben"')
            try:
                entries.append(Entry(found[1], tuple(re.findall(r'"([^"]*)"', found[2]))))
                check_size(entries[-1], seats)
                if len(entries) >= FEWEST:
                    check_entries(entries, seats)
            except TournamentError as error:
                raise self.wrong(at, str(error)) from error
        if len(entries) < FEWEST:
            raise self.wrong(2 + len(entries), f"at least {FEWEST} entries go here")
        return tuple(entries)

    def drawn(self, tournament: Tournament, at: int) -> Tournament:
        found = _DRAW.fullmatch(self.line(at))
        if found is None:
            raise self.wrong(at, '"entry" or "draw" and luck in small hexadecimal digits go here')
        try:
            return tournament.drawn(bytes.fromhex(found[1]))
        except TournamentError as error:
            raise self.wrong(at, str(error)) from error

    def with_facts(self, tournament: Tournament, start: int) -> Tournament:
        told: dict[int, int] = {}
        facts: list[Fact] = []
        for at in range(start, len(self.lines)):
            fact = self.fact(tournament, at)
            told[fact.match] = at
            facts.append(fact)
        try:
            return replace(tournament, facts=tuple(facts))
        except TournamentError as error:
            raise self.wrong(told.get(error.match or 0, start), str(error)) from error

    def fact(self, tournament: Tournament, at: int) -> Fact:
        line = self.line(at)
        if found := _RESULT.fullmatch(line):
            return Result(int(found[1]), (int(found[2]), int(found[3])))
        if found := _ABSENT.fullmatch(line):
            absent = [number for number in found.groups()[1:] if number]
            return WalkOver(
                int(found[1]), tuple(self.team(tournament, at, each) for each in absent)
            )
        if found := _LEFT.fullmatch(line):
            team = self.team(tournament, at, found[3])
            return Departure(int(found[1]), team, Reason(found[2]))
        raise self.wrong(at, 'a fact is such as "3 7-4", "3 absent 5" or "3 withdrawn 5"')

    def team(self, tournament: Tournament, at: int, number: str) -> str:
        if int(number) > len(tournament.entries):
            raise self.wrong(at, f"there is no entry {number}")
        return tournament.entries[int(number) - 1].team

    def line(self, at: int) -> str:
        """Return the line, or nothing where the text has ended."""
        return self.lines[at] if at < len(self.lines) else ""

    def wrong(self, at: int, problem: str) -> NotationError:
        return NotationError(
            f"line {at + 1}: {problem}", sum(len(line) + 1 for line in self.lines[:at])
        )
