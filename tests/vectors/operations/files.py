"""Operations on files, games and tournaments (specs 5.2, 6, 10, 12)."""

from __future__ import annotations

from base64 import b64decode
from typing import Any, NewType

from cli.seat.charter_text import game_of
from p2p304.games import create_game
from p2p304.rules41.rules import Variant
from p2p304.seats import Seat
from p2p304.tournament.tournament import (
    Awaited,
    Entry,
    Fact,
    How,
    Match,
    Side,
    StandingRow,
    Tournament,
    drawn_order,
    parse_system,
)
from protocol.errors import PeerFault, ProofError
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.table.standing import check_change, check_continued
from protocol.tournament.judge import JudgedRecord, judge
from protocol.tournament.record import TournamentRecord, match_charters, match_key
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import TranscriptReader
from protocol.wire.charter import Charter
from tests.vectors.answers import READERS, Operation, operations_of
from tests.vectors.operations import rules41, rules304
from tests.vectors.plain_json import Answer, Json, Steps, disclosure_json, statement_json

USUAL = "304"  #: The game that is asked about where none is named.

#: The operations of each game's own, such as on its scores; their names are shared.
OF_GAMES = {
    game: operations_of(rules, "Json", "Answer")
    for game, rules in (("304", rules304), ("41", rules41), ("400", rules41))
}

File = NewType("File", bytes)  #: A whole file, which is asked in base64.

# A whole file would be twice as long in hexadecimal.
READERS[File] = b64decode
READERS[Variant] = Variant


def transcript_audit(transcript: File) -> Json:
    """`transcript`, base64: valid, the hands' scores, and who has not signed."""
    report = audit_bytes(transcript, game_of)
    broken = report.broken
    if broken is not None:
        seat = broken.seat
        # With a seat it convicts; without one nobody is named (specs 6.3).
        raise ProofError(broken.check) if seat is None else PeerFault(int(seat), broken.check)
    hands = [
        {
            "number": hand.number,
            "dealer": int(hand.dealer),
            "scores": list(hand.outcome.scores) if hand.outcome else [],
            "unconfirmed": [int(seat) for seat in hand.unconfirmed],
        }
        for hand in report.hands
    ]
    return {"valid": True, "hands": hands}


def charter_continues(before: File, charter: Charter) -> Json:
    """`before`, base64, a valid transcript, `charter` of another table: whether that goes on with
    the match of the first from the last hand of its file (specs 6.5)."""
    report = audit_bytes(before, game_of)
    check_continued(charter, game_of(charter))
    # A file that is not valid is no hand that a match could go on from (attacks GO8).
    if report.charter is None or not report.valid:
        raise ProofError("transcript.missing")
    # The file is right, but its match does not stand anywhere: the hand was not ended.
    if report.standing is None:
        raise ProofError("continuation.point")
    check_change(report.standing, charter)
    return {"goes_on": True}


def transcript_records(transcript: File) -> Json:
    """`transcript`, base64: how many messages it holds, read but not judged."""
    reader = TranscriptReader()
    entries = list(reader.feed(transcript))
    reader.finish()
    return {"messages": sum(each.letter == b"M" for each in entries)}


def evidence_check(evidence: File) -> Json:
    """`evidence`, base64: whom it convicts, and of what."""
    read = evidence_from_bytes(evidence)
    found = check_evidence(read, game_of(read.charter))
    # The key of the answer tells whether the number is a seat's or a referee's.
    return {"referee" if found.referee else "seat": int(found.seat), "check": found.check}


# --- games ----------------------------------------------------------------------------------------


def _play(given: Json) -> Answer:
    """`game` (304 if left out), `agreement`, `dealer`, `scores` that the hand begins with (none if
    left out), `actions` [seat, text]: who is awaited, and what the last action states and
    discloses; a step for each action. `action.rule` if one is refused by what those before it led
    to, those of one window among them (5.2)."""
    game = create_game(given.get("game", USUAL), given["agreement"])
    step = game.start(Seat(given["dealer"]), tuple(given.get("scores", ())))

    def as_json() -> Json:
        """Return the statements and disclosures of the newest step."""
        return {
            "statements": [statement_json(each) for each in step.statements],
            "disclosures": [disclosure_json(each) for each in step.disclosures],
        }

    # Told after each action, so that a program sees where it went another way.
    steps: Steps = []
    for seat, text in given["actions"]:
        step = game.apply(step.state, Seat(seat), game.parse_action(text))
        steps.append([f"{seat} {text}", as_json()])
    state = step.state
    # In the order of the game, which is that of the seats.
    awaited = list(map(int, game.contributors(state)))
    output: Json = {"phase": state.phase.name, "awaited": awaited, **as_json()}
    if game.is_over(state):
        output["scores"] = list(game.settle(state).scores)
    return Answer(output, steps)


def _of_games(meant: dict[str, Operation]) -> Operation:
    """Return one operation in place of those of the same name that several games have, given here
    by game.

    It calls the one of the `game` in its input, 304 if left out; its docstring joins theirs.
    """

    def perform(given: Json) -> Answer:
        """Perform the operation of the `game` in the input, 304 if left out."""
        return meant[given.get("game", USUAL)](given)

    texts: dict[str, list[str]] = {}
    # Games whose operation is described in the same words share the description.
    for game, each in meant.items():
        texts.setdefault(each.__doc__ or "", []).append(game)
    usual, *others = texts
    said = [f"With `game` {' or '.join(texts[text])}: {text}" for text in others]
    perform.__doc__ = " ".join([usual, *said])
    return perform


def of_games() -> dict[str, Operation]:
    """Return the operation `rules.play` and all those of games, by name; one name stands for
    the operations of all games that share it.
    """
    meant: dict[str, dict[str, Operation]] = {}
    for game, own in OF_GAMES.items():
        for name, each in own.items():
            meant.setdefault(name, {})[game] = each
    return {"rules.play": _play, **{name: _of_games(each) for name, each in meant.items()}}


# --- tournaments ----------------------------------------------------------------------------------


def tournament_draw(entries: int, luck: bytes) -> Json:
    """`entries`, how many, and `luck`: the numbers of the entries as they are drawn."""
    # Entries count from 1 for people.
    return {"order": [place + 1 for place in drawn_order(entries, luck)]}


def tournament_read(seats: int, system: str, entries: Any, luck: bytes, facts: Any) -> Json:
    """`seats` of a table, the line of the `system` (9.2), `entries` [team, players…], the `luck`,
    empty before the draw, and `facts` [match, "played", scores of both], [match, "walk-over",
    entries that did not come] or [match, "withdrawn" or "disqualified", entry]: the `matches`
    [number, round, stage, race, sides, how it was decided, winner, losers], teams by the numbers of
    their entries, other sides ["winner", match] or ["loser", match]; who has a bye in round 1;
    `standing` rows [team, status, place, decided, won, own scores, others' scores]; the champion.
    """
    named = tuple(Entry(team, tuple(players)) for team, *players in entries)
    numbers = {entry.team: number for number, entry in enumerate(named, 1)}
    recorded = tuple(_fact(match, How(how), said, [*numbers]) for match, how, *said in facts)
    # Of any game: no part of the answer depends on it.
    tournament = Tournament(USUAL, seats, parse_system(system), named, luck or None, recorded)
    rows = [
        [numbers[row.team], row.status.value, row.place, *_counts(row)]
        for row in tournament.standing
    ]
    return {
        "matches": [_match(match, numbers) for match in tournament.matches],
        # Byes are of the first round alone.
        "byes": [numbers[team] for team in tournament.byes(1)],
        "standing": rows,
        # No team is called "": null as long as there is no champion.
        "champion": numbers.get(tournament.champion or ""),
    }


def _fact(match: int, how: How, said: list[int], teams: list[str]) -> Fact:
    """Return the fact of a match that a vector writes: `said` are both scores if it was played,
    else numbers of entries.

    A number greater than there are `teams` names the team "".
    """
    if how is How.PLAYED:
        return Fact(match, how, scores=(said[0], said[1]))
    return Fact(match, how, tuple(["", *teams][each if each <= len(teams) else 0] for each in said))


def _recorded(fact: Fact, numbers: dict[str, int]) -> list[Any]:
    """Return a fact as vectors write it, the inverse of `_fact`: match, how, then both scores if
    it was played, else the numbers of its teams.
    """
    teams = [numbers[team] for team in fact.teams]
    return [fact.match, fact.how.value, *(fact.scores if fact.how is How.PLAYED else teams)]


def _counts(row: StandingRow) -> tuple[int, int, int, int]:
    """Return a row's matches decided, matches won, own scores and the opponents' scores."""
    return row.decided, row.won, row.gained, row.lost_to_others


def _match(match: Match, numbers: dict[str, int]) -> list[Any]:
    """Return a match as the vectors write it: number, round, stage, race, sides, how it was
    decided, winner, losers; the last three are None, None and [] before it is decided.

    `numbers` gives the number of each team.
    """
    row: list[Any] = [match.number, match.round, match.stage.value, match.race]
    row.append([_side(side, numbers) for side in match.sides])
    outcome = match.outcome
    if outcome is None:
        # Not decided: no manner, no winner, no losers.
        return [*row, None, None, []]
    losers = [numbers[team] for team in outcome.losers]
    # No team is called "": null if nobody won.
    return [*row, outcome.how.value, numbers.get(outcome.winner or ""), losers]


def _side(side: Side, numbers: dict[str, int]) -> int | list[Any] | None:
    """Return a side of a match as the vectors write it: a team's number; ["winner" or "loser",
    match] if another match has yet to tell the team; or None if nobody stands there.
    """
    match side:
        case Awaited(number, loser):
            return ["loser" if loser else "winner", number]
        case None:
            return None
        case _:
            return numbers[side]


def tournament_record(record: TournamentRecord, shown: tuple[bytes, ...] = ()) -> Json:
    """`record`, the file of a record (10.8), and `shown`, names of results that transcripts bear
    out (12.5): the `tournament`, its charter's digest; its `pieces` [kind, name] in their order, a
    draw's messages by their ids; `draws`, those that have ended and of a list without any the one
    that is to be finished (11.6), in their order; `convictions` [check, key].

    Of a draw: the digest of its charter, `draw`; its `head` once it has ended; the `facts` as
    they are read; `counted` [match, names of the pieces that decide it]; `disputed` [match,
    scores of each result]; the names of pieces that are `ignored`, sorted; whether it is `ended`.
    """
    judged = judge(record, shown=frozenset(shown))
    return {
        "tournament": record.charter.digest,
        "pieces": [[type(each.content).__name__, each.name] for each in record.ordered_pieces],
        # A fork of the record has a draw of its own (attacks TO12).
        "draws": [_draw(each) for each in (judged, *judged.forks) if each.draw is not None],
        "convictions": [[each.check, each.key] for each in judged.convictions],
    }


def _draw(judged: JudgedRecord) -> Json:
    """Return what the record says of its draw as the JSON object of `tournament.record`; the
    record must have a draw.
    """
    # Only records with a draw are told.
    numbers = {each.team: number for number, each in enumerate(judged.tournament.entries, 1)}
    # Sorted: a record is a set, and an answer must not depend on its order (attacks TO26).
    disputed = sorted(judged.disputed_results.items())
    return {
        "draw": judged.draw.draw.charter.digest,
        "head": judged.head,
        "facts": [_recorded(each, numbers) for each in judged.tournament.facts],
        "counted": [[match, sorted(names)] for match, names in sorted(judged.counted.items())],
        "disputed": [[match, [[*each.scores] for each in found]] for match, found in disputed],
        "ignored": sorted(judged.ignored),
        "ended": judged.ended,
    }


def tournament_table(record: TournamentRecord, match_: int, key: bytes) -> Json:
    """`record` as above, in which `match` has two known teams: the digest of its table's
    `charter` (12.2), and with `key`, that of the tournament, the `key` of the table's frames."""
    judged = judge(record)
    # The vector's match has two known teams, so that there is a draw.
    assert judged.draw is not None
    # Matches count from 1.
    charter = match_charters(judged.draw, judged.tournament.matches[match_ - 1])[0]
    return {"charter": charter.digest, "key": match_key(key, charter.table)}
