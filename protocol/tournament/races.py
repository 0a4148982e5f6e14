"""Count races from the hands in transcripts; check results by them (specs/tournament.md, 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from p2p304.game import AnyGame
from p2p304.tournament.tournament import Match, Unit
from protocol.errors import MalformedMessage
from protocol.places import EPOCH
from protocol.table.standing import Consequence
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import MatchResult
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
        """What a table's hands are sorted by: number, referee and id of its ruling, if any."""
        ruling = self.hand.ruling
        # A hand as it was played comes before the same hand as it was ruled.
        by, which = (-1, b"") if ruling is None else (ruling.referee, ruling.id)
        return self.hand.number, by, which

    @property
    def end(self) -> tuple[int, bytes]:
        """What a result names as the last hand of a race: number, and `played` head."""
        return self.hand.number, bytes(self.hand.played)


#: The hands of tables by their places, by the digests of the tables' charters.
Hands = Mapping[bytes, tuple[RaceHand, ...]]


def hands_in(transcripts: Iterable[bytes], game_of: GameOf) -> Hands:
    """Return the hands in these transcripts; raises NotSigned for a file that is not valid."""
    found: list[Hands] = []
    for data in transcripts:
        for hand, game in finished_hands((data,), game_of):
            with suppress(NotSigned):  # all may sign a hand of a match that was won before it
                found.append({hand.charter.digest: (RaceHand(hand, match_after(hand, game)),)})
    return together(found)


def together(files: Iterable[Hands]) -> Hands:
    """Unite the hands of files by table, each once and sorted; of two copies a signed one."""
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
    """Return the hands of a match that count, in order: of its table, then of that which goes on
    with it, and so on; with `end`, a hand's number and head, those up to it."""
    mine = _hands_as_ruled(hands.get(charter.digest, ()), end)
    if mine and mine[-1].end == end:
        return mine
    # Sorted by digest, so that every auditor follows the same one.
    for _, others in sorted(hands.items()):
        # A table is here only with a hand of it, and all of its hands have one charter.
        after = others[0].hand.charter
        goes_on = after.continues
        if goes_on is None or goes_on.charter != charter.digest or _rules(after) != _rules(charter):
            continue
        point = goes_on.point
        counted = tuple(
            each
            for each in mine
            if each.hand.number < point.hand
            # The hand at the point counts if it had its result there.
            or point.digest == each.hand.played
            or (each.hand.ruling is not None and point.digest == each.hand.ruling.content.digest)
        )
        # A charter can name any table to go on with: it does if those who stayed kept their seats.
        if all(charter.seats[seat].key == after.seats[seat].key for seat in goes_on.present):
            # It ends: a charter holds the digest of the one before, so that none comes again.
            return (*counted, *hands_of(after, hands, end))
    return mine


def _hands_as_ruled(
    played: tuple[RaceHand, ...], end: tuple[int, bytes] | None
) -> tuple[RaceHand, ...]:
    """Return the hands of one table that count after its rulings (14.2)."""
    counted: list[RaceHand] = []
    for _, stretch in groupby(played, key=lambda each: each.hand.number // EPOCH):
        hands = [*stretch]
        # A signed result is judged without what was ruled later: so its end goes before rulings.
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


def _rules(table: Charter) -> object:
    """Return what tables have alike that go on with each other."""
    return table.game, table.profile, table.kept_terms, len(table.seats)


class WonRace(NamedTuple):
    """The end of a race: the table's charter, the last hand and its head, and the scores."""

    table: Charter
    hand: int
    head: bytes
    scores: tuple[int, int]


def _won(
    judged: JudgedRecord, match: Match, table: Charter, played: Iterable[RaceHand]
) -> WonRace | None:
    """Return the end of a match's race by the hands of a table, if one of them ends it."""
    scores = [0, 0]
    for each in played:
        # A side lost by a ruling at the table: the record decides such a match (14.2).
        if each.after.match is None:
            return None
        match judged.record.charter.system.unit:
            case Unit.TOKENS:
                scores = list(each.after.match.scores)
            # A hand without a result, or with a void one, gains nobody anything.
            case Unit.HANDS if each.hand.counts:
                changes = tuple(each.hand.outcome.scores)
                # A hand that changes both alike is won by nobody, nor one of more sides than two.
                if len(changes) == len(scores) and changes[0] != changes[1]:
                    # The comparison is the number of the side: False 0, True 1.
                    scores[changes[1] > changes[0]] += 1
            case Unit.MATCHES:
                # None while the match goes on, more than 1 at a table of more sides than two.
                if each.after.winner in {0, 1}:
                    scores[each.after.winner] += 1
        if max(scores) >= match.race:
            # Tokens can jump past the race, and a game of more sides has no race of two teams.
            ends = max(scores) == match.race and len(scores) == 2
            return WonRace(table, *each.end, (scores[0], scores[1])) if ends else None
    return None


def result_of(judged: JudgedRecord, match: Match, hands: Hands) -> WonRace | None:
    """Return the end of a match's race, at the table of whichever line-up ended it, if any."""
    found = (_won(judged, match, each, hands_of(each, hands)) for each in judged.tables(match))
    return next((each for each in found if each is not None), None)


def check_result(judged: JudgedRecord, match: Match, result: MatchResult, hands: Hands) -> None:
    """Raise MalformedMessage `result.*` unless the hands of transcripts show this result (14.1)."""
    end = (result.hand, result.head)
    table = next((e for e in judged.tables(match) if e.digest == result.table), None)
    played = () if table is None else hands_of(table, hands, end)
    if table is None or not played:
        raise MalformedMessage("result.missing", "no transcript of its table is there")
    won = _won(judged, match, table, played)
    if won is None:
        raise MalformedMessage("result.race", "its transcripts do not end the race")
    if (won.hand, won.head) != end:
        raise MalformedMessage("result.hand", f"the race ends with hand {won.hand} as played")
    if result.scores != won.scores:
        raise MalformedMessage("result.counted", f"{won.scores[0]}-{won.scores[1]} was played")
