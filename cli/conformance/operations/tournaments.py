"""Operations on tournaments: the draw, and what follows from a text or from a record."""

from __future__ import annotations

from typing import Any

from cli.conformance.answers import Rejected, operation, unhex
from p2p304.errors import NotationError, TournamentError
from p2p304.plain_json import Answer, Json
from p2p304.tournament.bracket import drawn_order
from p2p304.tournament.matches import LoserOf, Match, Side, WinnerOf
from p2p304.tournament.notation import format_tournament, parse_tournament
from p2p304.tournament.standing import Row
from p2p304.tournament.tournament import Tournament
from protocol.tournament.judge import judge
from protocol.tournament.record import TournamentRecord
from protocol.tournament.tables import match_charter, match_key


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


@operation("tournament.record")
def tournament_record(given: Json) -> Answer:
    """`record`, the file of a record (10.8): the `tournament`, its charter's digest; its `pieces`
    [kind, name] in their order, a draw's messages by their ids; of the draw that counts the digest
    of its charter, `draw`, and its `head` once all have finished it; the `text` of the tournament
    in lines, null before a list that can be drawn; `counted` [match, names of the pieces that
    decide it]; the names of those that are `ignored`, sorted; `convictions` [check, key]."""
    record = TournamentRecord.from_bytes(unhex(given["record"]))
    judged = judge(record)
    state, tournament = judged.draw, judged.tournament
    pieces = [
        [type(each.content).__name__, name.hex()]
        for name, each in sorted(
            record.pieces.items(), key=lambda one: record.raws.index(one[1].raw)
        )
    ]
    return Answer(
        {
            "tournament": record.charter.digest.hex(),
            "pieces": [*pieces, *(["DrawMessage", name.hex()] for name in sorted(record.said))],
            "draw": None if state is None else state.draw.charter.digest.hex(),
            "head": None if judged.head is None else judged.head.hex(),
            "text": None if tournament is None else format_tournament(tournament).split("\n"),
            "counted": [
                [match, [name.hex() for name in sorted(names)]]
                for match, names in sorted(judged.counted.items())
            ],
            "ignored": [name.hex() for name in sorted(judged.ignored)],
            "convictions": [[each.check, each.key.to_bytes().hex()] for each in judged.convictions],
        }
    )


@operation("tournament.table")
def tournament_table(given: Json) -> Answer:
    """`record` as above, in which `match` has two known teams: the digest of its table's
    `charter` (12.2), and with `key`, that of the tournament, the `key` of the table's frames."""
    judged = judge(TournamentRecord.from_bytes(unhex(given["record"])))
    assert judged.draw is not None
    assert judged.tournament is not None
    match = judged.tournament.matches[given["match"] - 1]
    charter = match_charter(judged.record.charter, judged.draw, match)
    key = match_key(unhex(given["key"]), charter.table)
    return Answer({"charter": charter.digest.hex(), "key": key.hex()})
