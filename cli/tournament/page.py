"""A tournament as a page: the bracket, the matches and the standing, to be read in any browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cli.page.document import plain_page
from cli.page.tree import Node, element
from cli.sanitize import safe_name, safe_text
from cli.tournament.auditing import convicted
from cli.tournament.bracket import (
    bracket_lines,
    disputed_lines,
    entry_lines,
    match_text,
    status_text,
    team_name,
)
from cli.wording import capital
from p2p304.tournament.matches import How, Match
from p2p304.tournament.systems import Elimination
from p2p304.tournament.tournament import Tournament
from protocol.tournament.judge import JudgedRecord

_COLUMNS = 24
"""Of a team in the bracket."""


def tournament_page(judged: JudgedRecord, *, command: Callable[[int], str]) -> bytes:
    """Return the page of a record as it was judged; `command` audits a match of a number."""
    charter = judged.record.charter
    parts = [node for each in (judged, *judged.forks) for node in _parts(each, command)]
    return plain_page(safe_name(charter.name, cells=64), *parts)


def _parts(judged: JudgedRecord, command: Callable[[int], str]) -> Iterator[Node]:
    tournament = judged.tournament
    if judged.record.charter.dates:
        yield element("p", safe_text(judged.record.charter.dates))
    for each in convicted(judged):
        yield element("p", safe_text(f"Convicted: {each}", cells=300), class_="failed")
    if tournament is None or judged.head is None:
        waits = safe_text(judged.waits, cells=600)
        yield element("p", f"{capital(waits)}.")
        yield element("ul", *(element("li", each) for each in entry_lines(judged.record)))
        return
    for line in disputed_lines(judged):
        yield element("p", line, class_="failed")
    if tournament.champion is not None:
        champion = safe_name(tournament.champion, cells=32)
        yield element("p", f"The champion: {champion}.", class_="verdict")
    yield element("section", element("h2", "Standing"), _standing(tournament))
    if isinstance(tournament.system, Elimination):
        lines = bracket_lines(tournament, width=_COLUMNS * (tournament.rounds + 1))
        tree = element("pre", "\n".join(lines))
        yield element("section", element("h2", "Bracket"), element("div", tree, class_="wide"))
    rounds = (_round(tournament, number, command) for number in range(1, tournament.rounds + 1))
    yield element("section", element("h2", "Matches"), *(node for part in rounds for node in part))
    yield element(
        "p",
        "Nothing of this page need be believed: it follows from the record, which the commands"
        " beside the matches and 'p2p304 tournament audit' check.",
    )


def _round(tournament: Tournament, number: int, command: Callable[[int], str]) -> Iterator[Node]:
    matches = [each for each in tournament.matches if each.round == number]
    byes = tournament.byes(number)
    if not matches and not byes:
        return
    yield element("h3", f"Round {number} of {tournament.rounds}")
    if byes:
        yield element("p", f"without a match: {', '.join(map(team_name, byes))}")
    yield element("ul", *(element("li", *_match(each, command)) for each in matches))


def _match(match: Match, command: Callable[[int], str]) -> Iterator[Node]:
    yield match_text(match)
    if match.outcome is not None and match.outcome.how is How.PLAYED:
        yield " "
        yield element("code", command(match.number))


def _standing(tournament: Tournament) -> Node:
    elimination = isinstance(tournament.system, Elimination)
    unit = tournament.system.unit.value.capitalize()
    heads = (element("th", each, scope="col") for each in ("", "Team", "Won", unit, ""))
    rows = []
    for row in tournament.standing:
        told = status_text(row, elimination=elimination).removeprefix(", ")
        cells = (f"{row.won} of {row.decided}", f"{row.gained}–{row.lost_to_others}", told)
        rows.append(
            element(
                "tr",
                element("td", "-" if row.place is None else f"{row.place}."),
                element("th", team_name(row.team), scope="row"),
                *(element("td", each) for each in cells),
            )
        )
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows))
    return element("div", table, class_="wide")
