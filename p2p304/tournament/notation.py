"""A tournament as text (specs/tournament.md, 9); every tournament has one text, which can be
read back.
"""

from __future__ import annotations

import re
from typing import Final, assert_never

from p2p304.errors import NotationError, TournamentError
from p2p304.tournament.entries import FEWEST, TEAM_SIZES, Entry, check_entries
from p2p304.tournament.matches import Fact, How, drawn_order
from p2p304.tournament.systems import Elimination, RoundRobin, System, Unit
from p2p304.tournament.tournament import GAME, Tournament

LONGEST: Final = 100_000
"""How many characters a text may have."""

# No leading zeros: a tournament has one text (9.3).
_NUMBER: Final = r"([1-9][0-9]{0,3})"
_SCORE: Final = r"(0|[1-9][0-9]{0,3})"
_UNIT: Final = rf"({'|'.join(each.value for each in Unit)})"
_HEAD: Final = re.compile(rf"tournament ({GAME.pattern}) {_NUMBER}")
_ELIMINATION: Final = re.compile(
    rf"elimination {_UNIT} races((?: {_NUMBER}){{1,5}}) third (?:{_NUMBER}|none)"
)
_ROUND_ROBIN: Final = re.compile(rf"round-robin {_UNIT} race {_NUMBER}")
# A name has no quotation mark (1.2), so that none needs an escape.
_ENTRY: Final = re.compile(r'entry "([^"]*)"((?: "[^"]*")+)')
_DRAW: Final = re.compile(r"draw ((?:[0-9a-f]{2})+)")
_RESULT: Final = re.compile(rf"{_NUMBER} {_SCORE}-{_SCORE}")
_WORDS: Final = {
    How.WALK_OVER: "absent",
    How.WITHDRAWN: "withdrawn",
    How.DISQUALIFIED: "disqualified",
}
_RULED: Final = re.compile(rf"{_NUMBER} (absent|withdrawn|disqualified)((?: {_NUMBER}){{1,2}})")


def format_tournament(tournament: Tournament) -> str:
    """Return the text of a tournament; it ends with a line break."""
    numbers = {entry.team: number for number, entry in enumerate(tournament.entries, 1)}
    lines = [f"tournament {tournament.game} {tournament.seats}", format_system(tournament.system)]
    for entry in tournament.entries:
        lines.append(" ".join(["entry", *(f'"{name}"' for name in (entry.team, *entry.players))]))
    if tournament.luck is not None:
        lines.append(f"draw {tournament.luck.hex()}")
    for fact in tournament.facts:
        teams = [str(numbers[team]) for team in fact.teams]
        # A match that was played has no word, and is told by its scores.
        told = " ".join([_WORDS.get(fact.how, ""), *teams])
        if fact.how is How.PLAYED:
            told = f"{fact.scores[0]}-{fact.scores[1]}"
        lines.append(f"{fact.match} {told}")
    return "\n".join(lines) + "\n"


def parse_tournament(text: str) -> Tournament:
    """Return the tournament in a text that `format_tournament` wrote.

    Raises NotationError for any other text; it names the line and the problem.
    """
    if len(text) > LONGEST:
        raise NotationError(f"a text has at most {LONGEST} characters")
    lines = text.split("\n")
    entries: list[Entry] = []
    luck: bytes | None = None
    facts: list[Fact] = []
    told: dict[int, int] = {}
    at = 0
    try:
        game, seats = _match(_HEAD, lines[0], 'a tournament begins with such as "tournament 304 4"')
        # At once: entries are judged by it, line by line.
        if int(seats) not in TEAM_SIZES:
            raise NotationError(f"no table has {seats} seats")
        at = len(lines) - 1
        # After a last line break the split leaves an empty text.
        if lines[at]:
            raise NotationError("the last line ends with a line break")
        at = 1
        system = parse_system(lines[at])
        for at, line in enumerate(lines[2:-1], 2):
            if luck is None and line.startswith("entry "):
                team, players = _match(
                    _ENTRY, line, 'an entry is such as entry "Lions" "Ana" "Ben"'
                )
                entries.append(Entry(team, tuple(re.findall(r'"([^"]*)"', players))))
                # After each line, so that the error names the line that is wrong.
                check_entries(entries, int(seats), fewest=1)
            elif luck is None and len(entries) >= FEWEST:
                wanted = '"entry" or "draw" and luck in small hexadecimal digits go here'
                luck = bytes.fromhex(_match(_DRAW, line, wanted)[0])
                # For its error alone: luck that no order is drawn from.
                drawn_order(len(entries), luck)
            elif luck is not None:
                facts.append(_fact(line, entries))
                # An error about a match is told at its line.
                told[facts[-1].match] = at
            else:
                break
        if len(entries) < FEWEST:
            at = 2 + len(entries)
            raise NotationError(f"at least {FEWEST} entries go here")
        tournament = Tournament(game, int(seats), system, tuple(entries), luck, tuple(facts))
        # Every line was read strictly, so all that can differ is their order.
        for at, right in enumerate(format_tournament(tournament).split("\n")):
            if lines[at] != right:
                raise NotationError(f"the canonical line here is {right!a}")
    # One kind of error for callers, with the line.
    except (NotationError, TournamentError) as error:
        if isinstance(error, TournamentError):
            # The facts are judged together, at the end.
            at = told.get(error.match or 0, at)
        problem = str(error) if isinstance(error, TournamentError) else error.args[0]
        # One more for each line break: where a screen puts its cursor.
        position = sum(len(line) + 1 for line in lines[:at])
        raise NotationError(f"line {at + 1}: {problem}", position) from error
    return tournament


def parse_system(line: str) -> System:
    """Return the system in a line that `format_system` wrote.

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
    """Return the line that names a system with its unit and races, such as "round-robin hands
    race 7".
    """
    match system:
        case Elimination():
            races = " ".join(map(str, system.races))
            third = "none" if system.third is None else system.third
            return f"elimination {system.unit.value} races {races} third {third}"
        case RoundRobin():
            return f"round-robin {system.unit.value} race {system.race}"
        case _:
            assert_never(system)


def _match(form: re.Pattern[str], line: str, problem: str) -> tuple[str, ...]:
    """Return the groups of a line in this form; raise NotationError with the `problem` for
    another line.
    """
    found = form.fullmatch(line)
    if found is None:
        raise NotationError(problem)
    return found.groups()


def _fact(line: str, entries: list[Entry]) -> Fact:
    """Return the fact in a line; raise NotationError for any other line."""

    def team(number: str) -> str:
        """Return the team whose entry has this number."""
        if int(number) > len(entries):
            raise NotationError(f"there is no entry {number}")
        return entries[int(number) - 1].team

    if found := _RESULT.fullmatch(line):
        return Fact(int(found[1]), How.PLAYED, scores=(int(found[2]), int(found[3])))
    if found := _RULED.fullmatch(line):
        how = next(each for each, word in _WORDS.items() if word == found[2])
        teams = tuple(map(team, found[3].split()))
        # Both may not come, but a departure is of one team.
        if how is How.WALK_OVER or len(teams) == 1:
            return Fact(int(found[1]), how, teams)
    raise NotationError('a fact is such as "3 7-4", "3 absent 5" or "3 withdrawn 5"')
