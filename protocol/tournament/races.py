"""Whether a result is what its table played: the race, counted from the hands of transcripts."""

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
    """A hand that came to a result, or that a referee ended, and how its match stood after it."""

    hand: FinishedHand
    after: Consequence

    @property
    def place(self) -> tuple[int, int, bytes]:
        """Its number and, if a referee ended it, who did and by which ruling: by these a table's
        hands are in order, each as it was played before it as it was ruled."""
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
    """Return all hands with a result, or that a referee ended, that these files hold, each once,
    but for those of no match that could go on.

    Raises NotSigned for a file that is no transcript, and whatever `game_of` raises.
    """
    found: list[Hands] = []
    for data in transcripts:
        for hand, game in finished_hands((data,), game_of):
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
    """Return the hands of a match in their order: those of its table, and of tables that went on
    with it, as far as each went on.

    With an `end` those up to it, if it is there: what was ruled of it later, or of a hand before
    it, is not what the seats that signed it had come to.
    """
    mine = _as_ruled(hands.get(charter.digest, ()), end)
    if mine and mine[-1].end == end:
        return mine
    for _, others in sorted(hands.items()):
        continues = others[0].hand.charter.continues
        if continues is None or continues.charter != charter.digest:
            continue
        point = continues.point
        counted = tuple(
            each
            for each in mine
            if each.hand.number < point.hand
            or point.digest == each.hand.played
            or (each.hand.ruling is not None and point.digest == each.hand.ruling.content.digest)
        )
        if _goes_on(charter, others[0].hand.charter):
            return (*counted, *hands_of(others[0].hand.charter, hands, end))
    return mine


def _as_ruled(played: tuple[RaceHand, ...], end: tuple[int, bytes] | None) -> tuple[RaceHand, ...]:
    """Return the hands of one table without those that rulings have voided, up to an `end`."""
    counted: list[RaceHand] = []
    for _, stretch in groupby(played, key=lambda each: each.hand.number // EPOCH):
        hands = [*stretch]
        last = next((each for each in hands if each.end == end), None)
        ruled = [each for each in hands if each.hand.ruling is not None]
        stop = last or min(ruled, key=lambda each: each.place[1:], default=None)
        counted += [
            each
            for each in hands
            if each.hand.ruling is None and (stop is None or each.hand.number < stop.hand.number)
        ]
        if stop is not None:
            counted.append(stop)
        if last is not None or (stop is not None and stop.after.match is None):
            break
    return tuple(counted)


def _goes_on(before: Charter, after: Charter) -> bool:
    """Tell whether another table plays on by the same rules and terms, those who stay under their
    keys."""

    def rules(table: Charter) -> object:
        return table.game, table.profile, table.kept_terms, len(table.seats)

    return (
        after.continues is not None
        and rules(before) == rules(after)
        and all(before.seats[s].key == after.seats[s].key for s in after.continues.present)
    )


def race_of(unit: Unit, race: int, hands: Iterable[RaceHand]) -> tuple[int, tuple[int, int]] | None:
    """Return with which of these hands, counted from 0, the race was won, and the scores; None if
    it was not: a match that a side lost by a ruling at its table was not won by a race."""
    scores = [0, 0]
    for at, each in enumerate(hands):
        if each.after.match is None:
            return None
        match unit:
            case Unit.TOKENS:
                if len(each.after.match.scores) != len(scores):
                    return None
                scores = list(each.after.match.scores)
            case Unit.HANDS:
                if each.hand.counts:
                    changes = tuple(each.hand.outcome.scores)
                    if len(changes) == len(scores) and changes[0] != changes[1]:
                        scores[changes[1] > changes[0]] += 1
            case Unit.MATCHES:
                if each.after.winner in {0, 1}:
                    scores[each.after.winner] += 1
        if max(scores) >= race:
            return (at, (scores[0], scores[1])) if max(scores) == race else None
    return None


class WonRace(NamedTuple):
    """How a race ended: at which table, with which hand and its head, by which scores."""

    table: Charter
    hand: int
    head: bytes
    scores: tuple[int, int]


def result_of(state: DrawState, match: Match, hands: Hands) -> WonRace | None:
    """Return how a match ended, None while the race goes on, by whichever line-ups."""
    for table in match_charters(state, match):
        played = hands_of(table, hands)
        if found := race_of(state.draw.cup.system.unit, match.race, played):
            return WonRace(table, *played[found[0]].end, found[1])
    return None


def check_result(state: DrawState, match: Match, result: MatchResult, hands: Hands) -> None:
    """Return if the hands of transcripts bear a result out.

    Raises MalformedMessage: `result.missing` where no transcript of its table is there,
    `result.race` where the hands do not end the race, `result.hand` where another hand ends it, and
    `result.counted` for other scores than those played.
    """
    end = (result.hand, result.head)
    tables = match_charters(state, match)
    played = [hands_of(each, hands, end) for each in tables if each.digest == result.table]
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
