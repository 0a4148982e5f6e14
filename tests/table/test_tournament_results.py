"""Results of matches against the transcripts of their tables."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from p2p304.game import Step
from p2p304.seats import Seat
from p2p304.tournament.matches import Match
from p2p304.tournament.systems import Elimination, Unit
from protocol.audit.transcript import hand_transcript, setup_of, write_transcript
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.tournament.bearing import Hands, check_result, hands_in
from protocol.tournament.pieces import MatchResult
from protocol.tournament.signing import sign_result
from protocol.tournament.tables import match_charter
from protocol.wire.charter import Charter
from protocol.wire.identity import SigningKey
from tests.table.bus import Table
from tests.table.championship import Championship, new_charter
from tests.table.tiny_game import TinyGame, TinyMatch, TinyOutcome, TinyState

SEATS = 4


class TeamGame(TinyGame):
    """The tiny game between two teams: each counts the tricks of both its seats."""

    def settle(self, state: TinyState) -> TinyOutcome:
        tricks = super().settle(state).scores
        return TinyOutcome((sum(tricks[::2]), sum(tricks[1::2])), f"tricks: {tricks}")

    def new_match(self, luck: bytes) -> TinyMatch:
        return TinyMatch(Seat(luck[0] % self.seats), (0, 0), None)

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> TinyMatch:
        if len(scores) != 2 or max(scores) >= self.target:
            raise ValueError("no match goes on so")
        return TinyMatch(dealer, scores, None)

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[TinyState]:
        return super().start(dealer)


GAME = TeamGame(SEATS, target=100)


class MatchTable(Table):
    """A table whose players sit there under the keys of their entries."""

    def __init__(self, cup: Championship, agreed: Charter) -> None:
        self.cup = cup
        super().__init__(GAME, 7, agreed=agreed)

    def key(self, seat: int) -> SigningKey:
        return self.cup.keys[self.charter.seats[seat].key]


def game_of(_: Charter) -> TeamGame:
    return GAME


class Played(NamedTuple):
    """A match that was played: its tournament, the transcripts of its hands, and that of the last
    one as it was before anybody signed its result."""

    cup: Championship
    files: tuple[bytes, ...]
    unsigned: bytes


@pytest.fixture(scope="module")
def played() -> Played:
    """A final of two teams in a race to two hands, and the transcripts of its hands."""
    system = Elimination(races=(2,), third=None, unit=Unit.HANDS)
    cup = Championship(2, new_charter(system, game="tiny")).drawn()
    state = cup.judged.draw
    assert state is not None
    table = MatchTable(cup, match_charter(cup.charter, state, cup.match(1)))
    table.confirm()
    files: list[bytes] = []
    while len(files) < 4:
        number = len(files)
        table.run(table.all_played(number + 1))
        files.append(hand_transcript(table.sessions[0].table_state, number))
        hands = hands_in(files, game_of)
        if signed(cup, hands, 0) is not None:
            break
    return Played(cup, tuple(files), unsigned_hand(table, len(files) - 1))


def unsigned_hand(table: MatchTable, number: int) -> bytes:
    """The transcript of a hand without the round in which its result is signed."""
    state = table.sessions[0].table_state
    replicas = state.replicas
    hand = replicas[LedgerName(Lane.HAND, number)]
    rounds = hand.ledger.rounds[:-1]
    early = replace(hand, ledger=replace(hand.ledger, rounds=rounds, accepted=()))
    deck = replicas[LedgerName(Lane.DECK, number)]
    ledgers = (replicas[setup_of(state, number)], deck, early)
    return b"".join(write_transcript(table.charter, ledgers))


def signed(cup: Championship, hands: Hands, seat: int) -> bytes | None:
    state = cup.judged.draw
    assert state is not None
    key = cup.keys[match_charter(cup.charter, state, cup.match(1)).seats[seat].key]
    return sign_result(cup.judged, cup.match(1), key, hands)


def result(cup: Championship, hands: Hands) -> tuple[Match, MatchResult]:
    other = Championship(2, cup.charter).drawn()
    for seat in (0, 1):
        raw = signed(cup, hands, seat)
        assert raw is not None
        other.add(raw)
    (name, *_) = other.judged.counted[1]
    content = other.record.pieces[name].content
    assert isinstance(content, MatchResult)
    return other.match(1), content


def test_the_hands_of_a_table_end_a_race_and_both_teams_sign_the_same(
    played: Played,
) -> None:
    cup, files, _ = played
    hands = hands_in(files, game_of)
    match, content = result(cup, hands)

    assert match.outcome is not None
    assert match.outcome.scores == content.scores
    assert max(content.scores) == 2
    state = cup.judged.draw
    assert state is not None
    check_result(cup.charter, state, match, content, hands)


@pytest.mark.parametrize(
    ("change", "check"),
    [
        pytest.param({"scores": (0, 2)}, "result.counted", id="other scores"),
        pytest.param({"scores": (2, 0)}, "result.counted", id="other scores too"),
        pytest.param({"hand": 0}, "result.hand", id="another hand"),
        pytest.param({"head": bytes(32)}, "result.hand", id="another end of the hand"),
    ],
)
def test_a_result_that_the_transcripts_do_not_bear_out_is_named(
    played: Played, change: dict[str, object], check: str
) -> None:
    cup, files, _ = played
    hands = hands_in(files, game_of)
    match, content = result(cup, hands)
    state = cup.judged.draw
    assert state is not None
    altered = replace(content, **change)  # type: ignore[arg-type]  # fields by their names
    if altered.scores == content.scores and check == "result.counted":
        altered = replace(content, scores=(2, 1) if content.scores != (2, 1) else (1, 2))
    with pytest.raises(MalformedMessage, match=check.replace(".", r"\.")):
        check_result(cup.charter, state, match, altered, hands)


def test_a_result_stands_without_the_signatures_of_the_last_hand(
    played: Played,
) -> None:
    cup, files, last = played
    match, content = result(cup, hands_in(files, game_of))
    state = cup.judged.draw
    assert state is not None

    unsigned = hands_in((*files[:-1], last), game_of)

    check_result(cup.charter, state, match, content, unsigned)


def test_a_result_before_the_end_of_the_race_or_without_transcripts_is_named(
    played: Played,
) -> None:
    cup, files, _ = played
    match, content = result(cup, hands_in(files, game_of))
    state = cup.judged.draw
    assert state is not None
    with pytest.raises(MalformedMessage, match=r"result\.race"):
        check_result(cup.charter, state, match, content, hands_in(files[:1], game_of))
    with pytest.raises(MalformedMessage, match=r"result\.missing"):
        check_result(cup.charter, state, match, content, {})
    assert signed(cup, hands_in(files[:1], game_of), 0) is None
