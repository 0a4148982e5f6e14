"""Results of matches against the transcripts of their tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from typing import NamedTuple

import pytest

from p2p304.game import AnyGame, Step
from p2p304.seats import Seat, seat_after
from p2p304.tournament.tournament import Elimination, Match, Unit
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.tournament.acts import sign_result
from protocol.tournament.judge import judge
from protocol.tournament.pieces import MatchResult
from protocol.tournament.races import Hands, check_result, hands_in, hands_of
from protocol.transcript.file import hand_transcript, write_transcript
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import sign_ruling
from tests.table.bus import Table, played_to, point_of, tell
from tests.table.championship import REFEREE, Championship, new_charter
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

    def after_penalty(self, match: TinyMatch, side: int, *, in_hand: bool) -> TinyMatch:
        if match.winner is not None or side not in (0, 1):
            raise ValueError("the match is over, or has no such side")
        scores = tuple(score + 3 * (other != side) for other, score in enumerate(match.scores))
        won = 1 - side if max(scores) >= self.target else None
        dealer = seat_after(match.dealer, seats=self.seats) if in_hand else match.dealer
        return TinyMatch(dealer, scores, won)


GAME = TeamGame(SEATS, target=100)


class MatchTable(Table):
    """A table whose players sit there under the keys of their entries."""

    def __init__(self, cup: Championship, agreed: Charter, game: AnyGame = GAME) -> None:
        self.cup = cup
        super().__init__(game, 7, agreed=agreed)

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


def final(race: int, unit: Unit = Unit.HANDS, game: AnyGame = GAME) -> MatchTable:
    """The table of a final of two teams, at which all have confirmed the charter."""
    system = Elimination(races=(race,), third=None, unit=unit)
    cup = Championship(2, new_charter(system, game="tiny")).drawn()
    return MatchTable(cup, cup.table(1), game).begun()


@pytest.fixture(scope="module")
def played() -> Played:
    """A final of two teams in a race to two hands, and the transcripts of its hands."""
    table = final(2)
    cup = table.cup
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
    early = hand._replace(
        ledger=hand.ledger._replace(digests=hand.ledger.digests[:-1], rounds=rounds, accepted=())
    )
    deck = replicas[LedgerName(Lane.DECK, number)]
    ledgers = (replicas[LedgerName(Lane.TABLE, state.setup_of(number))], deck, early)
    return b"".join(write_transcript(table.charter, ledgers))


def signed(cup: Championship, hands: Hands, seat: int) -> bytes | None:
    key = cup.keys[cup.table(1).seats[seat].key]
    return sign_result(cup.judged, cup.match(1), key, hands)


def result(cup: Championship, hands: Hands) -> tuple[Match, MatchResult]:
    other = Championship(2, cup.charter).drawn()
    for seat in (0, 1):
        other.add(signed(cup, hands, seat))
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

    assert match.outcome.scores == content.scores
    assert max(content.scores) == 2
    check_result(cup.judged, match, content, hands)


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
    altered = replace(content, **change)  # type: ignore[arg-type]  # fields by their names
    if altered.scores == content.scores and check == "result.counted":
        altered = replace(content, scores=(2, 1) if content.scores != (2, 1) else (1, 2))
    with pytest.raises(MalformedMessage, match=check.replace(".", r"\.")) as refusal:
        check_result(cup.judged, match, altered, hands)
    if check == "result.counted":
        assert "{}-{} was played".format(*content.scores) in str(refusal.value)


def test_a_result_stands_without_the_signatures_of_the_last_hand(
    played: Played,
) -> None:
    cup, files, last = played
    match, content = result(cup, hands_in(files, game_of))

    unsigned = hands_in((*files[:-1], last), game_of)

    check_result(cup.judged, match, content, unsigned)


def test_a_result_before_the_end_of_the_race_or_without_transcripts_is_named(
    played: Played,
) -> None:
    cup, files, _ = played
    match, content = result(cup, hands_in(files, game_of))
    with pytest.raises(MalformedMessage, match=r"result\.race"):
        check_result(cup.judged, match, content, hands_in(files[:1], game_of))
    with pytest.raises(MalformedMessage, match=r"result\.missing"):
        check_result(cup.judged, match, content, {})
    assert signed(cup, hands_in(files[:1], game_of), 0) is None


# --- what a referee rules at the table ------------------------------------------------------------

SHORT = TeamGame(SEATS, target=3)  #: A match that a penalty wins.


class Ruled(NamedTuple):
    """A match that a referee decided: its tournament, and what its seats wrote of its hands."""

    cup: Championship
    table: MatchTable
    files: tuple[bytes, ...]

    @property
    def hands(self) -> Hands:
        return hands_in(self.files, lambda _: SHORT)

    def result(self, seat: int) -> MatchResult | None:
        raw = signed(self.cup, self.hands, seat)
        if raw is None:
            return None
        content = self.cup.record.with_pieces(raw).pieces
        (found,) = (e.content for e in content.values() if isinstance(e.content, MatchResult))
        return found

    def check(self, content: MatchResult) -> None:
        check_result(self.cup.judged, self.cup.match(1), content, self.hands)


def ruled_match(
    verdict: RulingVerdict, against: int, *, unit: Unit = Unit.TOKENS, race: int = 3, hand: int = 0
) -> Ruled:
    """A final whose referee rules about a hand, three rounds after it began."""
    table = final(race, unit, SHORT)
    played_to(table, hand, 3)
    content = point_of(table, hand, 3, verdict, against)
    tell(table, sign_ruling(table.charter, content, REFEREE))
    table.deliver_all()
    files = tuple(hand_transcript(table.sessions[0].table_state, each) for each in range(hand + 1))
    return Ruled(table.cup, table, files)


@pytest.mark.parametrize("unit", [Unit.TOKENS, Unit.MATCHES], ids=lambda each: each.value)
def test_a_race_that_a_penalty_wins_has_a_result_that_both_teams_sign_and_the_file_bears_out(
    unit: Unit,
) -> None:
    ruled = ruled_match(
        RulingVerdict.PENALTY, 0b10, unit=unit, race=3 if unit is Unit.TOKENS else 1
    )
    contents = [ruled.result(seat) for seat in range(SEATS)]
    content = contents[0]
    assert {each.head for each in contents} == {content.head}
    assert content.scores == ((3, 0) if unit is Unit.TOKENS else (1, 0))
    hand = ruled.table.sessions[0].table_state.hand(0)
    assert (content.hand, content.head) == (0, bytes(hand.head))  # as the next ledger continues it
    ruled.check(content)
    with pytest.raises(MalformedMessage, match=r"result\.hand"):
        ruled.check(replace(content, head=bytes(hand.ledger.head)))


def test_a_race_that_is_jumped_past_has_no_result() -> None:
    ruled = ruled_match(RulingVerdict.PENALTY, 0b10, race=2)
    assert {ruled.result(seat) for seat in range(SEATS)} == {None}


@pytest.mark.parametrize("verdict", [RulingVerdict.DISQUALIFIED, RulingVerdict.WALK_OVER])
def test_a_match_that_is_lost_by_a_ruling_at_its_table_is_no_race_that_was_won(
    verdict: RulingVerdict,
) -> None:
    assert ruled_match(verdict, 0b10).result(0) is None


def test_a_hand_that_is_dealt_again_counts_for_no_race_whatever_file_of_it_is_left() -> None:
    table = final(1)
    cup = table.cup
    table.run(table.all_played(1))
    before = hand_transcript(table.sessions[0].table_state, 0)
    assert signed(cup, hands_in([before], game_of), 0) is not None
    content = point_of(table, 0, 3, RulingVerdict.REDEAL)
    tell(table, sign_ruling(table.charter, content, REFEREE))
    table.deliver_all()
    after = hand_transcript(table.sessions[0].table_state, 0)
    for files in ((before, after), (after, before), (after,)):
        assert signed(cup, hands_in(files, game_of), 0) is None
    # What both had signed before they heard of it stands, and is borne out.
    match, content_before = result(cup, hands_in([before], game_of))
    check_result(cup.judged, match, content_before, hands_in((after, before), game_of))


def test_a_hand_behind_one_that_is_dealt_again_counts_for_no_race_whatever_file_of_it_is_left() -> (
    None
):
    table = final(2)
    table.run(table.all_played(2))
    first, second = (hand_transcript(table.sessions[0].table_state, each) for each in (0, 1))
    assert numbers(table.charter, (first, second)) == [0, 1]
    tell(table, sign_ruling(table.charter, point_of(table, 0, 3, RulingVerdict.REDEAL), REFEREE))
    table.deliver_all()
    ruled = hand_transcript(table.sessions[0].table_state, 0)
    for files in permutations((ruled, first, second)):
        assert numbers(table.charter, files) == [0]


def numbers(charter: Charter, files: Iterable[bytes]) -> list[int]:
    return [each.hand.number for each in hands_of(charter, hands_in(files, game_of))]


def test_a_hand_of_a_match_that_was_won_before_it_counts_for_nothing_and_spoils_no_audit(
    played: Played,
) -> None:
    first, second = played.files[:2]
    (hands,) = hands_in([first, second], lambda _: TeamGame(SEATS, target=1)).values()
    assert [each.hand.number for each in hands] == [0]


def test_transcripts_decide_between_contrary_results(played: Played) -> None:
    cup, hands = played.cup.copy(), hands_in(played.files, game_of)
    match = cup.match(1)
    for seat in (0, 1):
        cup.add(signed(cup, hands, seat))
    cup.add(*cup.result(match, (0, 2)), *cup.result(match, (2, 0)))
    assert cup.judged.disputed_results.keys() == {1}

    def bears_out(result: MatchResult) -> bool:
        try:
            check_result(cup.judged, match, result, hands)
        except MalformedMessage:
            return False
        return True

    shown = frozenset(
        name
        for name, piece in cup.record.pieces.items()
        if isinstance(piece.content, MatchResult) and bears_out(piece.content)
    )
    judged = judge(cup.record, shown=shown)
    assert not judged.disputed_results
    assert judged.tournament.finished
