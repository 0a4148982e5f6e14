"""A match goes on at another table: with its dealer and scores, told by the files of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.places import Lane, LedgerName
from protocol.table.events import HandEnded, HandStarted
from protocol.table.evidence import Fork, evidence_from_bytes
from protocol.table.judge_again import Conviction, check_evidence
from protocol.table.standing import check_change
from protocol.transcript.change import Change, changes, forks
from protocol.wire.authenticate import open_message
from protocol.wire.contents import Action, Confirmation, RulingVerdict
from protocol.wire.continues import Continues
from protocol.wire.terms import Term
from tests.table.bus import Table
from tests.table.going_on import (
    GAME,
    GONE,
    PRESENT,
    NextTable,
    file_of,
    goes_on,
    gone_on,
    left_after,
    newcomer,
    next_charter,
    played,
    report_of,
    standing_of,
)
from tests.table.refereed import refereed_at, ruling_at, tell
from tests.table.seating import envelope, refused, signing_key


def started(table: Table) -> HandStarted:
    return next(each for each in table.chairs[0].events if isinstance(each, HandStarted))


def with_a_hand(table: NextTable) -> NextTable:
    table.played()
    return table


# --- what goes on --------------------------------------------------------------------------------


def test_a_hand_that_was_ended_is_dealt_again_at_the_scores_before_it() -> None:
    before = left_after(2, hands=2)
    ended = before.hands(0)[-1]
    table = gone_on(before)
    first = started(table)
    assert first.number == 0
    assert first.scores == ended.scores != (0, 0, 0, 0)
    assert first.dealer == before.sessions[0].table_state.hand.machine.dealer  # type: ignore[union-attr]
    told = [report_of(before, 2), report_of(table, 0)]
    assert [each.valid for each in told] == [True, True]
    assert list(changes(told)) == [Change(0, 1)]
    assert list(forks(told)) == []


def test_who_comes_back_takes_its_seat_at_the_table_after() -> None:
    before = left_after(2)
    middle = gone_on(before)
    back = signing_key(GONE)
    stands = report_of(middle, 0).standing
    charter = next_charter(middle, stands.going_on(PRESENT), name="third", others={GONE: back})
    table = with_a_hand(NextTable(charter, {}))
    files = [report_of(each, 0) for each in (before, middle, table)]
    assert list(changes(files)) == [Change(0, 1), Change(1, 2)]
    assert list(forks(files)) == []


def test_where_no_hand_was_dealt_the_next_table_goes_on_with_the_one_before() -> None:
    before = left_after(2)
    middle = goes_on(before)
    middle.weather.cut = lambda step, sender, reader: sender == GONE
    middle.confirm()
    middle.run(lambda: not middle.flying)
    stands = standing_of(middle)
    assert stands.table == before.charter.digest
    term = stands.going_on(PRESENT[:2])
    charter = next_charter(middle, term, name="third", others={3: newcomer("c"), 2: newcomer("d")})
    check_change(stands, charter)
    table = with_a_hand(NextTable(charter, {3: newcomer("c"), 2: newcomer("d")}))
    assert list(changes([report_of(before, 0), report_of(table, 0)])) == [Change(0, 1)]


def test_nothing_goes_on_from_a_hand_in_play_or_before_the_first_or_after_the_match() -> None:
    table = played(1)
    assert table.sessions[0].table_state.standing() is None
    fresh = Table(GAME, 3)
    assert fresh.sessions[0].table_state.standing() is None


# --- attacks -------------------------------------------------------------------------------------


def changed(term: Continues) -> dict[str, Continues]:
    point = term.point
    one, *rest = term.scores
    return {
        "table": term._replace(charter=bytes(32)),
        "point": term._replace(point=point._replace(closed=point.closed - 1)),
        "dealer": term._replace(dealer=Seat((term.dealer + 1) % 4)),
        "scores": term._replace(scores=(one + 1, *rest)),
    }


@pytest.mark.parametrize("what", ["table", "point", "dealer", "scores"])
def test_a_charter_that_tells_the_match_otherwise_is_seen_by_who_stays_and_by_an_audit(
    what: str,
) -> None:
    before = left_after(2, hands=1)
    stands = standing_of(before)
    term = changed(stands.going_on(PRESENT))[what]
    charter = next_charter(before, term)
    assert refused(check_change, stands, charter) == f"continuation.{what}"
    after = report_of(gone_on(before, term=term), 0)
    (found,) = changes([report_of(before, 1), after])
    assert found.broken == ("" if what == "table" else f"continuation.{what}")
    assert (found.before is None) is (what == "table")


def test_who_stays_has_its_own_key_and_ended_the_hand() -> None:
    before = left_after(2)
    stands = standing_of(before)
    other = next_charter(before, others={GONE: newcomer(), 1: newcomer("b")})
    assert refused(check_change, stands, other) == "continuation.seats"
    everybody = stands.going_on(tuple(map(Seat, (0, 1, GONE))))
    there = next_charter(before, everybody, others={2: newcomer()})
    assert refused(check_change, stands, there) == "continuation.agreed"
    rules = replace(next_charter(before), profile="other")
    assert refused(check_change, stands, rules) == "continuation.game"


REFEREE_KEY = signing_key(0, "referee of the founder").public.to_bytes()
MATCH = Term("tournament", (bytes(32), 1))


@pytest.mark.parametrize(
    "terms",
    [(), (MATCH,), (Term("referee", (REFEREE_KEY,)), MATCH), "kept"],
    ids=["dropped", "no referee", "another referee", "kept"],
)
def test_the_terms_of_the_table_before_are_kept_or_who_stays_and_an_audit_see_it(
    terms: Any,
) -> None:
    table = ended_by_a_referee()
    stands, before = standing_of(table), report_of(table, 0)
    assert before.standing == stands
    charter = next_charter(table)
    assert charter.terms == stands.terms(stands.going_on(PRESENT)._replace(bots=((GONE, 0),)))
    if terms == "kept":
        check_change(stands, charter)
        after = report_of(with_a_hand(NextTable(charter, {GONE: newcomer()})), 0)
        assert list(changes([before, after])) == [Change(0, 1)]
        assert after.standing is not None
        assert after.standing.kept == stands.kept == table.charter.terms
        return
    other = replace(charter, terms=(charter.terms[0], *terms))
    assert refused(check_change, stands, other) == "continuation.terms"
    after = report_of(with_a_hand(NextTable(other, {GONE: newcomer()})), 0)
    (found,) = changes([before, after])
    assert found.broken == "continuation.terms"


def ended_by_a_referee() -> Table:
    """A table of a tournament, whose referee ended the first hand."""
    table = refereed_at(0, 4)
    tell(table, ruling_at(table, 0, 4, RulingVerdict.END))
    table.deliver_all()
    return table


def test_a_founder_puts_no_referee_over_a_table_that_had_none() -> None:
    before = left_after(2)
    charter = next_charter(before)
    hidden = replace(charter, terms=(*charter.terms, Term("referee", (REFEREE_KEY,))))
    assert refused(check_change, standing_of(before), hidden) == "continuation.terms"


def test_a_side_of_which_nobody_stays_starts_no_table() -> None:
    before = left_after(2)
    partners = standing_of(before).going_on((Seat(0), Seat(2)))
    charter = next_charter(before, partners, others={1: newcomer("b"), 3: newcomer()})
    with pytest.raises(LocalError, match=r"continuation\.sides"):
        NextTable(charter, {1: newcomer("b"), 3: newcomer()})


def test_the_key_of_who_left_signs_nothing_for_the_substitute() -> None:
    before = left_after(2)
    charter = next_charter(before, others={})
    substitute = envelope(
        charter,
        LedgerName(Lane.TABLE, 0),
        0,
        GONE,
        Confirmation(bytes(32)),
        previous=bytes(32),
        key=newcomer(),
    )
    with pytest.raises(MalformedMessage, match="signature"):
        open_message(substitute.to_bytes(), charter)
    table = NextTable(charter, {})
    table.weather.cut = lambda step, sender, reader: sender == GONE
    table.confirm()
    for _ in range(5):
        table.run(lambda: not table.flying)
        table.tick()
    assert all(chair.session.table_state.match is None for chair in table.chairs[:3])


def convicted(first: Table, second: Table, hand: int = 0) -> set[tuple[Seat, str]]:
    """Whom the files of two tables convict, by evidence that a stranger judges."""
    found = set()
    for fork, conviction in forks([report_of(first, hand), report_of(second, 0)]):
        evidence = evidence_from_bytes(fork.to_bytes())
        assert check_evidence(evidence, GAME) == conviction
        found.add((conviction.seat, conviction.check))
    return found


def test_who_plays_on_at_the_old_table_is_convicted() -> None:
    left = left_after(2)
    new = gone_on(left)
    on = played(0, hands=1)  # the same table, where nobody left
    assert on.charter == left.charter
    assert file_of(on, 0)[:400] == file_of(left, 0)[:400]
    assert convicted(on, new) == {(seat, "continuation.old") for seat in PRESENT}
    (found,) = changes([report_of(on, 0), report_of(new, 0)])
    assert found.broken == "continuation.point"
    both = [report_of(each, 0) for each in (left, on, new)]
    assert next(changes(both)).broken == "continuation.point"


def test_who_goes_on_at_two_tables_is_convicted() -> None:
    left = left_after(2)
    one, other = gone_on(left), gone_on(left, "another")
    assert convicted(one, other) == {(seat, "continuation.twice") for seat in PRESENT}


def innocent(make: Callable[[Fork], Fork], fork: Fork) -> bool:
    try:
        check_evidence(make(fork), GAME)
    except ProofError as error:
        return error.check == "evidence.fork"
    return False


def test_an_honest_seat_is_convicted_by_nothing_that_it_signed() -> None:
    left = left_after(2)
    new, unplayed = gone_on(left), goes_on(left, "another")
    unplayed.confirm()
    unplayed.run(lambda: unplayed.sessions[0].table_state.deck_of(0) is not None)
    unplayed.run(lambda: not unplayed.flying)
    tables = (left, new, unplayed)
    said = [(table.charter, seat, raw) for table in tables for seat, raw in table.sent if seat == 0]
    envelopes = [
        (charter, raw)
        for charter, _, raw in said
        if not hasattr(open_message(raw, charter), "seat")
    ]
    judged = 0
    for charter, first in envelopes[::7]:
        for other, second in envelopes[::5]:
            judged += 1
            assert innocent(lambda fork: fork, Fork(charter, first, other, second))
    assert judged > 40


def test_what_was_open_when_the_hand_ended_convicts_nobody() -> None:
    left = left_after(2)
    new = gone_on(left)
    second = report_of(new, 0).plays[Seat(0)][1]
    number = LedgerName(Lane.HAND, 0)
    ended = standing_of(left).point.closed
    within, behind = (
        envelope(left.charter, number, each, 0, Action("go", (), (), (), ()), previous=bytes(32))
        for each in (ended, ended + 1)
    )
    assert innocent(lambda fork: fork, Fork(left.charter, within.to_bytes(), new.charter, second))
    fork = Fork(left.charter, behind.to_bytes(), new.charter, second)
    assert check_evidence(fork, GAME) == Conviction(Seat(0), "continuation.old")


def test_a_file_of_another_hand_tells_nothing_of_the_change() -> None:
    before = left_after(2, hands=1)
    table = gone_on(before)
    assert list(changes([report_of(before, 0), report_of(table, 0)])) == [Change(None, 1)]
    assert table.heard(0, HandEnded)
