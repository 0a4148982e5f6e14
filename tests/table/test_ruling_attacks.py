"""Rulings that nobody may make, that come twice, late, elsewhere or about nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from p2p304.seats import Seat
from protocol.places import EPOCH
from protocol.seat.watcher import Watcher
from protocol.table.events import HandRuled, RulingHeard
from protocol.table.evidence import TwoRulings, evidence_from_bytes
from protocol.table.judge_again import Conviction, check_evidence
from protocol.topics.referee import MOST_RULINGS
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.envelope import Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.messages import RefereeWord, table_tag
from tests.table.bus import Table
from tests.table.refereed import (
    GAME,
    REFEREES,
    blamed_referees,
    played_to,
    point_of,
    refereed,
    refereed_at,
    refereed_charter,
    ruled_hands,
    ruling_at,
    signed_by,
    tell,
    told,
)
from tests.table.seating import refused, signing_key

REDEAL = RulingVerdict.REDEAL


def receive(table: Table, raw: bytes) -> None:
    for seat in range(len(table.chairs)):
        table.call(seat, lambda session: session.receive(raw, now=table.now))


def untouched(table: Table) -> bool:
    """Whether nobody heard a ruling, and the hand goes on to its end."""
    table.run(table.all_played(1))
    heard = any(told(table, RulingHeard)) or any(told(table, HandRuled))
    return not heard and not table.blamed() and not blamed_referees(table)


def word(
    key: SigningKey,
    *,
    at: Charter,
    about: Charter | None = None,
    number: int = 0,
    purpose: Purpose = Purpose.RULING,
    change: Callable[[bytes], bytes] = bytes,
) -> bytes:
    """What a key signs as a referee's word about a point of the usual table."""
    content = point_of(refereed_at(0, 3), 0, 3, REDEAL)
    body = RefereeWord(table_tag((about or at).digest), min(number, 7), content).to_bytes()
    seat = Seat(number)
    return sign(key, change(body), purpose=purpose, seat=seat, charter=at.digest).to_bytes()


HERE, ELSEWHERE = refereed_charter(), refereed_charter(table="elsewhere")
NO_RULINGS: dict[str, Callable[[], list[bytes]]] = {
    "by a key that the charter does not name": lambda: [
        word(key, at=HERE, number=number)
        for key in (signing_key(0), signing_key(9, "stranger"), REFEREES[1])
        for number in (0, 1, 7, 255)
    ],
    "for another table": lambda: [
        word(REFEREES[0], at=ELSEWHERE),
        word(REFEREES[0], at=HERE, about=ELSEWHERE),
    ],
    "signed as a message or a notice": lambda: [
        word(REFEREES[0], at=HERE, purpose=purpose)
        for purpose in (Purpose.LEDGER, Purpose.NOTICE, Purpose.TOURNAMENT)
    ],
    "of bytes that are none": lambda: [
        word(REFEREES[0], at=HERE, change=change)
        for change in (lambda _: b"\xc0", lambda body: body + b"\0", lambda body: body[:-1])
    ],
}


@pytest.mark.parametrize("name", NO_RULINGS)
def test_what_no_referee_of_the_table_has_signed_rules_nothing(name: str) -> None:
    table = refereed_at(0, 3)
    for raw in NO_RULINGS[name]():
        receive(table, raw)
    assert untouched(table)


def test_a_table_without_the_term_has_no_referee() -> None:
    table = Table(GAME, 3).begun()
    played_to(table, 0, 3)
    for key in (REFEREES[0], signing_key(0)):
        receive(table, word(key, at=table.charter))
    receive(table, ruling_at(refereed_at(0, 3), 0, 3, REDEAL).raw)
    assert untouched(table)


def test_a_ruling_for_a_point_that_never_existed_stops_nothing() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, REDEAL)
    tell(table, signed_by(table.charter, replace(content, digest=bytes(32))))
    table.run(table.all_played(2))
    assert not any(ruled_hands(table))
    assert not table.blamed()


def test_a_ruling_about_hands_that_no_ruling_led_to_is_not_even_kept() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, REDEAL)
    for number in range(2, 40):
        tell(table, signed_by(table.charter, replace(content, hand=number * EPOCH)), 0)
    assert not any(told(table, RulingHeard))


def test_a_ruling_that_was_carried_out_does_nothing_when_it_comes_again() -> None:
    table = refereed_at(0, 3)
    ruling = ruling_at(table, 0, 3, REDEAL)
    tell(table, ruling)
    played_to(table, EPOCH, 3)
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 1))
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 2))
    assert ruled_hands(table) == [[0]] * 4
    assert not blamed_referees(table)


@pytest.mark.parametrize("first", [0, 1], ids=["the one first", "the other first"])
@pytest.mark.parametrize(
    ("closed", "verdict"),
    [(3, RulingVerdict.NO_ACTION), (3, RulingVerdict.END), (1, REDEAL)],
    ids=["the same point, no action", "the same point, another end", "another point"],
)
def test_two_rulings_convict_the_referee_at_every_seat_in_any_order(
    closed: int, verdict: RulingVerdict, first: int
) -> None:
    table = refereed_at(0, 3)
    pair = (ruling_at(table, 0, 3, REDEAL), ruling_at(table, 0, closed, verdict))
    tell(table, pair[first], 0, 1)
    tell(table, pair[1 - first], 2, 3)
    for _ in range(4):
        table.deliver_all()
        table.tick()
    assert {session.status for session in table.sessions} == {SessionStatus.HALTED}
    blames = blamed_referees(table)
    assert len(blames) == 4
    assert len({each.evidence for each in blames}) == 1
    evidence = evidence_from_bytes(blames[0].evidence)
    assert check_evidence(evidence, GAME) == Conviction(Seat(0), "ruling.twice")
    assert not table.blamed()
    table.restart(1)
    assert table.sessions[1].status is SessionStatus.HALTED


def test_two_rulings_that_one_referee_may_sign_convict_nobody() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, REDEAL)
    idle = signed_by(table.charter, point_of(table, 0, 2, RulingVerdict.NO_ACTION))
    later = signed_by(table.charter, replace(content, hand=EPOCH))
    ruling = signed_by(table.charter, content)
    for other in (ruling, idle, later):
        evidence = TwoRulings(table.charter, ruling.raw, other.raw)
        assert evidence_from_bytes(evidence.to_bytes()) == evidence
        assert refused(check_evidence, evidence, GAME) == "evidence.rulings"
    tell(table, idle)
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 1))
    assert not blamed_referees(table)


def test_two_referees_who_rule_against_each_other_stop_the_table_and_neither_is_convicted() -> None:
    table = refereed_at(0, 3, referees=2)
    one = ruling_at(table, 0, 3, REDEAL)
    other = ruling_at(table, 0, 2, RulingVerdict.PENALTY, against=1, by=1)
    tell(table, one, 0, 1)
    tell(table, other, 2, 3)
    for _ in range(4):
        table.deliver_all()
        table.tick()
    assert {session.status for session in table.sessions} == {SessionStatus.HALTED}
    assert {each.evidence for each in blamed_referees(table)} == {b""}
    assert (
        refused(check_evidence, TwoRulings(table.charter, one.raw, other.raw), GAME)
        == "evidence.rulings"
    )


def test_a_referee_that_never_ends_ruling_fills_neither_memory_nor_journal() -> None:
    table = refereed_at(0, 3)
    before = len(table.chairs[0].journal)
    content = point_of(table, 0, 3, RulingVerdict.NO_ACTION)
    for closed in range(4, 4 + 2 * MOST_RULINGS):
        tell(table, signed_by(table.charter, replace(content, closed=closed)), 0)
    assert len(table.chairs[0].journal) == before + MOST_RULINGS
    tell(table, ruling_at(table, 0, 3, REDEAL), 0)
    table.run(lambda: all(ruled_hands(table)))


def test_a_referee_that_has_ruled_without_end_is_convicted_by_one_ruling_more() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, RulingVerdict.NO_ACTION)
    for closed in range(4, 4 + MOST_RULINGS):
        tell(table, signed_by(table.charter, replace(content, closed=closed)), 0)
    tell(table, signed_by(table.charter, replace(content, closed=4, text="so not")), 0)
    (blame,) = blamed_referees(table)
    evidence = evidence_from_bytes(blame.evidence)
    assert check_evidence(evidence, GAME) == Conviction(Seat(0), "ruling.twice")


def test_what_a_seat_signs_behind_a_ruling_blames_nobody_and_counts_for_nothing() -> None:
    ahead = refereed_at(0, 6)
    hand = ahead.sessions[0].table_state.hand_of(0)
    behind = [each.raw for closed in hand.ledger.rounds[3:] for each in closed.messages]
    table = refereed()
    played_to(table, 0, 3)
    tell(table, ruling_at(table, 0, 3, REDEAL))
    played_to(table, EPOCH, 2)
    for raw in behind:
        receive(table, raw)
    table.run(table.all_played(EPOCH + 1))
    assert not table.blamed()


def test_who_watches_comes_to_the_same_and_sees_a_referee_rule_twice() -> None:
    table = refereed_at(0, 3)
    watcher = Watcher(charter=table.charter, game=GAME)
    ruling = ruling_at(table, 0, 2, REDEAL)
    told_first = watcher.receive(ruling.raw)
    assert [type(each) for each in told_first] == [RulingHeard]
    for _, raw in table.sent:
        watcher.receive(raw)
    assert watcher.table_state.rulings.signed == (ruling,)
    start = len(table.sent)
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 1))
    for _, raw in table.sent[start:]:
        watcher.receive(raw)
    mine, theirs = watcher.table_state, table.sessions[0].table_state
    assert mine.counted == theirs.counted
    assert mine.hand_of(EPOCH) is not None
    other = ruling_at(table, 0, 1, REDEAL)
    (blame,) = watcher.receive(other.raw)
    assert type(blame).__name__ == "RefereeBlamed"
    assert watcher.halted
