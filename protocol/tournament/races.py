"""Count races from the hands in transcripts, and check signed results by them
(specs/tournament.md, 14).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from p2p304.game import AnyGame
from p2p304.tournament.matches import Match
from p2p304.tournament.systems import Unit
from protocol.errors import MalformedMessage
from protocol.places import EPOCH
from protocol.table.standing import Consequence
from protocol.tournament.draws import DrawState
from protocol.tournament.pieces import MatchResult
from protocol.tournament.tables import match_charters
from protocol.transcript.results import FinishedHand, NotSigned, finished_hands, match_after
from protocol.wire.charter import Charter

GameOf = Callable[[Charter], AnyGame]


@dataclass(frozen=True, slots=True)
class RaceHand:
    """A hand with a result, or that a referee ended, and how its match stood after it."""

    hand: FinishedHand
    after: Consequence

    @property
    def place(self) -> tuple[int, int, bytes]:
        """The key by which a table's hands are sorted: number, referee and id of the ruling that
        ended it.

        A hand as it was played comes before the same hand as it was ruled.
        """
        ruling = self.hand.ruling
        by, which = (-1, b"") if ruling is None else (ruling.referee, ruling.id)
        return self.hand.number, by, which

    @property
    def end(self) -> tuple[int, bytes]:
        """Its number and head, by which results name the last hand of a race."""
        return self.hand.number, bytes(self.hand.played)


Hands = Mapping[bytes, tuple[RaceHand, ...]]
"""The hands of tables by their places, by the digests of the tables' charters."""


def hands_in(transcripts: Iterable[bytes], game_of: GameOf) -> Hands:
    """Return the hands in these transcripts, each once, by the tables' charters.

    A hand is left out without a result or ruling, and if no match could stand after it. Raises
    NotSigned for a file that is no transcript, and whatever `game_of` raises.
    """
    found: list[Hands] = []
    for data in transcripts:
        for hand, game in finished_hands((data,), game_of):
            # All may sign a hand of a match that was won before it.
            with suppress(NotSigned):  # all may sign a hand of a match that was won before it
                found.append({hand.charter.digest: (RaceHand(hand, match_after(hand, game)),)})
    return together(found)


def together(files: Iterable[Hands]) -> Hands:
    """Return the hands of several files, each once."""
    found: dict[bytes, dict[tuple[int, int, bytes], RaceHand]] = {}
    for hands in files:
        for table, each in hands.items():
            known = found.setdefault(table, {})
            # The same hand may be there without its last signatures.
            known.update((e.place, e) for e in each if e.place not in known or e.hand.signed)
    return {table: tuple(each[at] for at in sorted(each)) for table, each in found.items()}


def hands_of(
    charter: Charter, hands: Hands, end: tuple[int, bytes] | None = None
) -> tuple[RaceHand, ...]:
    """Return the hands of a match in order: those of its table, then of tables that go on with the
    match.

    With `end`, the number and head of a hand, return the hands up to it, if it is there: what was
    ruled later is not what the seats had signed.
    """
    mine = _hands_as_ruled(hands.get(charter.digest, ()), end)
    # The race ended here: no other table counts.
    if mine and mine[-1].end == end:
        return mine
    # Sorted by digest, so that every auditor follows the same one.
    for _, others in sorted(hands.items()):
        continues = others[0].hand.charter.continues
        if continues is None or continues.charter != charter.digest:
            continue
        point = continues.point
        counted = tuple(
            each
            for each in mine
            if each.hand.number < point.hand
            # The hand at the point counts if it had its result there.
            or point.digest == each.hand.played
            or (each.hand.ruling is not None and point.digest == each.hand.ruling.content.digest)
        )
        if _goes_on(charter, others[0].hand.charter):
            return (*counted, *hands_of(others[0].hand.charter, hands, end))
    return mine


def _hands_as_ruled(
    played: tuple[RaceHand, ...], end: tuple[int, bytes] | None
) -> tuple[RaceHand, ...]:
    """Return the hands of one table without those that rulings have voided, up to an `end`."""
    counted: list[RaceHand] = []
    for _, stretch in groupby(played, key=lambda each: each.hand.number // EPOCH):
        hands = [*stretch]
        last = next((each for each in hands if each.end == end), None)
        ruled = [each for each in hands if each.hand.ruling is not None]
        # Two rulings of one stretch: that of the referee named first, then the lower id.
        stop = last or min(ruled, key=lambda each: each.place[1:], default=None)
        counted += [
            each
            for each in hands
            if each.hand.ruling is None and (stop is None or each.hand.number < stop.hand.number)
        ]
        if stop is not None:
            counted.append(stop)
        # Nothing follows the end that is asked for, nor a match that was lost by a ruling.
        if last is not None or (stop is not None and stop.after.match is None):
            break
    return tuple(counted)


def _goes_on(before: Charter, after: Charter) -> bool:
    """Tell whether another table goes on by the same rules and terms, with the keys of those who
    stay.
    """

    def rules(table: Charter) -> object:
        """Return what both tables must have alike."""
        return table.game, table.profile, table.kept_terms, len(table.seats)

    return (
        after.continues is not None
        and rules(before) == rules(after)
        and all(before.seats[s].key == after.seats[s].key for s in after.continues.present)
    )


def race_of(unit: Unit, race: int, hands: Iterable[RaceHand]) -> tuple[int, tuple[int, int]] | None:
    """Return the place of the hand that won the race, from 0, and the scores; None if no hand did.

    A match that a side lost by a ruling at its table was not won by a race.
    """
    scores = [0, 0]
    for at, each in enumerate(hands):
        # The record decides such a match, not a race (14.2).
        if each.after.match is None:
            return None
        match unit:
            case Unit.TOKENS:
                # A game of more sides than two has no race between two teams.
                if len(each.after.match.scores) != len(scores):
                    return None
                scores = list(each.after.match.scores)
            case Unit.HANDS:
                if each.hand.counts:
                    changes = tuple(each.hand.outcome.scores)
                    # A hand that changes both alike is won by nobody.
                    if len(changes) == len(scores) and changes[0] != changes[1]:
                        # The comparison is the number of the side: False 0, True 1.
                        scores[changes[1] > changes[0]] += 1
            case Unit.MATCHES:
                if each.after.winner in {0, 1}:
                    scores[each.after.winner] += 1
        if max(scores) >= race:
            # Above the race: tokens can jump past it, and no result says so.
            return (at, (scores[0], scores[1])) if max(scores) == race else None
    return None


class WonRace(NamedTuple):
    """The end of a race: the table's charter, the last hand and its head, and the scores."""

    table: Charter
    hand: int
    head: bytes
    scores: tuple[int, int]


def result_of(state: DrawState, match: Match, hands: Hands) -> WonRace | None:
    """Return the end of a match's race, at a table of any line-ups; None while the race goes on."""
    for table in match_charters(state, match):
        played = hands_of(table, hands)
        if found := race_of(state.draw.cup.system.unit, match.race, played):
            return WonRace(table, *played[found[0]].end, found[1])
    return None


def check_result(state: DrawState, match: Match, result: MatchResult, hands: Hands) -> None:
    """Return if the hands of transcripts show this result; else raise MalformedMessage.

    The checks: `result.missing` (no transcript of its table), `result.race` (the hands do not end
    the race), `result.hand` (another hand ends it), `result.counted` (other scores were played).
    """
    # A result is judged up to the hand that it names, whatever was ruled later (14.2).
    end = (result.hand, result.head)
    tables = match_charters(state, match)
    played = [hands_of(each, hands, end) for each in tables if each.digest == result.table]
    # No hand of its table, or none of these line-ups.
    if not any(played):
        raise MalformedMessage("result.missing", "no transcript of its table is there")
    found = race_of(state.draw.cup.system.unit, match.race, played[0])
    if found is None:
        raise MalformedMessage("result.race", "its transcripts do not end the race")
    at, scores = found
    number, head = played[0][at].end
    if (number, head) != end:
        raise MalformedMessage("result.hand", f"the race ends with hand {number} as played")
    if result.scores != scores:
        raise MalformedMessage("result.counted", f"{scores[0]}-{scores[1]} was played")
