"""Operations on tournaments: the draw, and what follows from a text (tournament 1 to 9)."""

from __future__ import annotations

from typing import Any

from cli.conformance.answers import Rejected, operation, unhex
from p2p304.errors import NotationError, TournamentError
from p2p304.plain import Answer, Json
from p2p304.tournament.draw import drawn_order
from p2p304.tournament.matches import LoserOf, Match, Side, WinnerOf
from p2p304.tournament.notation import parse_tournament
from p2p304.tournament.standing import Row
from p2p304.tournament.tournament import Tournament


@operation("tournament.draw")
def tournament_draw(given: Json) -> Answer:
    """`entries`, how many, and `luck`: the numbers of the entries as they are drawn."""
    try:
        order = drawn_order(given["entries"], unhex(given["luck"]))
    except TournamentError as error:
        raise Rejected("tournament.rule", rule=error.rule) from error
    return Answer({"order": [place + 1 for place in order]})


@operation("tournament.read")
def tournament_read(given: Json) -> Answer:
    """`text`, lines of a tournament's text: its `matches` [number, round, stage, race, sides,
    how it was decided, winner, losers], teams by the numbers of their entries, other sides
    ["winner", match] or ["loser", match]; who has a bye in round 1; `standing` rows [team, status,
    place, decided, won, own scores, others' scores]; the champion."""
    try:
        tournament = parse_tournament("\n".join(given["text"]))
    except NotationError as error:
        raise Rejected("tournament.text") from error
    return Answer(_told(tournament))


def _told(tournament: Tournament) -> Json:
    numbers = {entry.team: number for number, entry in enumerate(tournament.entries, 1)}
    champion = tournament.champion
    return {
        "matches": [_match(match, numbers) for match in tournament.matches],
        "byes": [numbers[team] for team in tournament.byes(1)],
        "standing": [
            [numbers[row.team], row.status.value, row.place, *_counts(row)]
            for row in tournament.standing
        ],
        "champion": None if champion is None else numbers[champion],
    }


def _counts(row: Row) -> tuple[int, int, int, int]:
    return row.decided, row.won, row.gained, row.lost_to_others


def _match(match: Match, numbers: dict[str, int]) -> list[Any]:
    row: list[Any] = [match.number, match.round, match.stage.value, match.race]
    row.append([_side(side, numbers) for side in match.sides])
    outcome = match.outcome
    if outcome is None:
        return [*row, None, None, []]
    winner = None if outcome.winner is None else numbers[outcome.winner]
    return [*row, outcome.how.value, winner, [numbers[team] for team in outcome.losers]]


def _side(side: Side, numbers: dict[str, int]) -> int | list[Any] | None:
    match side:
        case WinnerOf(number):
            return ["winner", number]
        case LoserOf(number):
            return ["loser", number]
        case None:
            return None
        case _:
            return numbers[side]
