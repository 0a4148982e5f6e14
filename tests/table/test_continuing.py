"""Those who are there agree to go on at another table, where the match goes on as it stood; a seat
that is left out refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.bounds import HEADS_INTERVAL
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.places import Lane, LedgerName
from protocol.table.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    HandEnded,
    HandStarted,
    HandUnfinished,
)
from protocol.table.evidence import Fork, evidence_from_bytes
from protocol.table.judge_again import Conviction, check_evidence
from protocol.table.standing import check_change
from protocol.topics.commands import Confirm, EndUnfinished, Say, VoteContinuation
from protocol.topics.step import SessionStatus
from protocol.transcript.change import Change, changes, forks
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import Charter, SeatEntry, check_nickname
from protocol.wire.contents import Action, Confirmation, Continuation, RulingVerdict
from protocol.wire.messages import SignedMessage, open_message
from protocol.wire.terms import (
    CONTINUES,
    REFEREE,
    TOURNAMENT,
    Continues,
    Term,
    read_terms,
    referees_to_value,
)
from tests.table.bus import (
    GAME,
    GONE,
    PRESENT,
    NextTable,
    Table,
    charter,
    envelope,
    file_of,
    goes_on,
    gone_on,
    left_after,
    newcomer,
    next_charter,
    played,
    refereed_at,
    refused,
    report_of,
    ruling_at,
    seeded,
    signing_key,
    standing_of,
    tell,
)

TABLE = seeded("the other table")(16)
ALL_BUT_ONE = 0b0111
BOTS = ((GONE, 0),)


def word(at: Table, seat: int, **changed: Any) -> Continuation:
    session = at.sessions[seat]
    hand = session.table_state.hand()
    begun = 0 if hand is None else hand.origin.ledger.number + 1
    nonce = seeded(f"nonce {seat}")(32)
    return replace(Continuation(begun, TABLE, 0, ALL_BUT_ONE, BOTS, 1, nonce), **changed)


def says(at: Table, seat: int, **changed: Any) -> None:
    at.act(seat, VoteContinuation(word(at, seat, **changed)))
    at.deliver_all()


def alone(rounds: int = 2, *, hands: int = 0) -> Table:
    """A table in a hand whose last seat is gone: it neither speaks nor hears."""
    table = played(rounds, hands=hands)
    table.weather.cut = lambda step, sender, reader: GONE in (sender, reader)
    return table


def agreed_by_all(table: Table) -> Table:
    for seat in PRESENT:
        says(table, seat)
    return table


def charter_of(table: Table) -> Charter:
    """What the founder makes of it."""
    found = table.sessions[0].going_on()
    assert found is not None
    content, standing = found
    charter = next_charter(
        table, standing.going_on(PRESENT)._replace(bots=((Seat(GONE), Seat(0)),))
    )
    entries = list(charter.seats)
    for seat in PRESENT:
        entries[seat] = replace(entries[seat], nonce=word(table, seat).nonce)
    return replace(charter, table=content.table, seats=tuple(entries))


def test_the_hand_ends_once_all_who_go_on_agree_and_not_before() -> None:
    table = alone()
    for seat in PRESENT[:2]:
        says(table, seat)
    assert not any(table.heard(seat, HandUnfinished) for seat in range(4))
    proposed = table.heard(2, ContinuationProposed)
    assert [each.seat for each in proposed] == [0, 1]
    assert table.sessions[0].yet_to_go_on() == (Seat(2),)
    says(table, 2)
    for seat in PRESENT:
        assert len(table.heard(seat, HandUnfinished)) == 1
        assert len(table.heard(seat, ContinuationAgreed)) == 1
        assert table.sessions[seat].status is SessionStatus.UNFINISHED


def lacking_a_signature() -> Table:
    """Return a table whose hand is decided and lacks one signature; all others agree to go on."""
    table = Table(played(2).game, 3).begun()

    def decided() -> bool:
        hand = table.sessions[0].table_state.hand()
        return hand is not None and hand.machine.outcome is not None

    table.weather.cut = lambda step, sender, reader: sender == GONE and decided()
    table.run(decided)
    table.deliver_all()
    agreed_by_all(table)
    return table


def test_where_only_a_signature_is_missing_nothing_has_to_be_ended() -> None:
    table = lacking_a_signature()
    assert all(table.heard(seat, ContinuationAgreed) for seat in PRESENT)
    assert not any(table.heard(seat, HandUnfinished) for seat in PRESENT)
    says(table, 0, charter=charter_of(table).to_bytes())
    assert table.sessions[1].status is SessionStatus.PLAYING
    for command in (Say("still here"), EndUnfinished(PRESENT)):
        with pytest.raises(LocalError):
            table.act(1, command)
    with pytest.raises(LocalError, match="goes on at another table"):
        table.act(1, Confirm())


def test_a_seat_that_is_there_and_hears_of_it_refuses_and_the_hand_goes_on() -> None:
    table = played(2)
    says(table, 0)
    for seat in PRESENT:
        with pytest.raises(LocalError, match="is there"):
            says(table, seat)
    refused = table.heard(0, ContinuationRefused)
    assert {each.seat for each in refused} == {Seat(GONE)}
    assert table.heard(GONE, ContinuationRefused)
    assert not any(table.heard(seat, ContinuationAgreed) for seat in range(4))
    table.run(table.all_played(1))
    assert not table.blamed()


def test_a_seat_that_was_there_once_is_not_left_out_by_asking_it_about_another_table() -> None:
    table = played(2)
    table.weather.cut = lambda step, sender, reader: GONE in (sender, reader)
    for seat in PRESENT[:2]:  # whom it does not hear at first
        says(table, seat)
    table.heal()
    table.tick(HEADS_INTERVAL)
    table.deliver_all()
    assert {each.seat for each in table.heard(1, ContinuationRefused)} == {Seat(GONE)}
    ours = table.sessions[1].continuation()
    assert not ours.agreed
    says(table, 2, table=seeded("a lure")(16))  # its latest word is now of that table
    table.weather.cut = lambda step, sender, reader: sender == GONE  # who is slower than the others
    says(table, 0)
    says(table, 2)
    assert not any(table.heard(1, kind) for kind in (ContinuationAgreed, HandUnfinished))


def test_who_may_sit_at_the_next_table_signs_nothing_more_here_after_a_restart() -> None:
    table = lacking_a_signature()
    says(table, 0, charter=charter_of(table).to_bytes())
    assert table.heard(1, ContinuationReady)
    table.restart(1)
    assert table.heard(1, ContinuationReady)  # whoever died on the way there finds it
    table.weather.cut = lambda step, sender, reader: False  # the seat comes back, and signs
    begun = table.sessions[1].table_state.hands_begun
    table.deliver_all()
    for _ in range(3):
        table.tick(HEADS_INTERVAL)
        table.deliver_all()
    assert table.sessions[1].table_state.hands_begun > begun
    said = len(signed(table, 1))
    table.restart(1)
    for _ in range(3):
        table.tick(HEADS_INTERVAL)
        table.deliver_all()
    assert len(signed(table, 1)) == said
    with pytest.raises(LocalError, match="at another table already"):
        says(table, 1, table=seeded("a third")(16))


def signed(table: Table, seat: int) -> set[bytes]:
    """What a seat has signed of hands."""
    opened = (open_message(raw, table.charter) for by, raw in table.sent if by == seat)
    return {
        each.id
        for each in opened
        if isinstance(each, SignedMessage) and each.place.ledger.lane is Lane.HAND
    }


def test_without_the_seat_hearing_of_it_the_others_go_on_which_nobody_prevents() -> None:
    table = played(2)
    table.weather.cut = lambda step, sender, reader: GONE in (sender, reader)  # a broker's help
    agreed_by_all(table)
    assert all(table.heard(seat, ContinuationAgreed) for seat in PRESENT)
    assert not table.heard(GONE, ContinuationRefused)


def test_who_does_not_agree_stops_it_and_may_agree_later() -> None:
    table = alone()
    says(table, 0)
    says(table, 1, agreed=0)
    says(table, 2)
    assert not table.heard(0, ContinuationAgreed)
    assert [each.seat for each in table.heard(2, ContinuationRefused)] == [1]
    says(table, 1)
    assert all(table.heard(seat, ContinuationAgreed) for seat in PRESENT)


def test_one_that_names_others_or_another_hand_is_not_the_same() -> None:
    table = alone()
    says(table, 0)
    says(table, 1, bots=())
    says(table, 2)
    assert not any(table.heard(seat, ContinuationAgreed) for seat in PRESENT)
    with pytest.raises(LocalError, match="another hand"):
        says(table, 1, hands=7)
    with pytest.raises(LocalError, match="every side"):
        says(table, 0, present=0b0101)
    with pytest.raises(LocalError, match="at the table"):
        says(table, 0, present=0b0110)
    fresh = Table(table.game, 3)
    with pytest.raises(LocalError, match="no match"):
        fresh.act(0, VoteContinuation(word(fresh, 0)))


def test_an_offer_of_another_table_or_an_older_one_means_nothing() -> None:
    table = alone()
    before = len(table.sent)
    says(table, 0)
    first = next(raw for seat, raw in table.sent[before:] if seat == 0)
    other = NextTable(next_charter(left_after(2)), {GONE: newcomer()})
    other.sessions[1].receive(first, now=0.0)
    assert not other.heard(1, ContinuationProposed)
    says(table, 0, agreed=0)
    count = len(table.heard(2, ContinuationProposed))
    table.handle(2, table.sessions[2].receive(first, now=table.now))  # said again by a broker
    assert len(table.heard(2, ContinuationProposed)) == count
    says(table, 1)
    says(table, 2)
    assert not any(table.heard(seat, ContinuationAgreed) for seat in PRESENT)


def with_seat(charter: Charter, **changed: Any) -> Charter:
    first, second, *others = charter.seats
    return replace(charter, seats=(first, replace(second, **changed), *others))


def with_term(charter: Charter, **changed: Any) -> Charter:
    term = charter.continues
    return replace(charter, terms=(Term(CONTINUES, term._replace(**changed).to_value()),))


FIFTH = SeatEntry(newcomer("fifth").public, "Fifth", seeded("fifth")(32))
RULER = Term(REFEREE, referees_to_value((newcomer("ruler").public,)))
ALTERED: dict[str, Callable[[Charter], Charter]] = {
    "table": lambda it: replace(it, table=bytes(16)),
    "nonce": lambda it: with_seat(it, nonce=seeded("another")(32)),
    "key": lambda it: with_seat(it, key=newcomer("b").public),
    "name": lambda it: with_seat(it, nickname=f"{it.seats[1].nickname} too"),
    "seats": lambda it: replace(it, seats=(*it.seats, FIFTH)),
    "scores": lambda it: with_term(it, scores=(1, 0, 0, 0)),
    "bots": lambda it: with_term(it, bots=()),
    "present": lambda it: with_term(it, present=PRESENT[:2]),
    "referee": lambda it: replace(it, terms=(*it.terms, RULER)),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_charter_that_is_not_as_all_agreed_is_taken_by_nobody(what: str) -> None:
    table = agreed_by_all(alone())
    charter = ALTERED[what](charter_of(table))
    assert charter != charter_of(table)
    says(table, 0, charter=charter.to_bytes())
    assert not any(table.heard(seat, ContinuationReady) for seat in PRESENT)


# --- what a player is shown of it ----------------------------------------------------------------


def test_a_player_sees_what_it_is_asked_whom_it_waits_for_and_the_nonces_of_all() -> None:
    table = alone()
    views = [chair.session for chair in table.chairs]
    for view in views:
        assert view.open_proposals() == ()
        assert view.continuation() is None
        assert view.yet_to_go_on() == ()
        assert view.nonces() == {}
        assert not view.goes_on_under(table.charter)
        assert view.substituted_seats() == ()
    says(table, 0)
    assert [view.open_proposals() for view in views[:3]] == [(), *[(word(table, 0),)] * 2]
    assert views[0].yet_to_go_on() == (Seat(1), Seat(2))
    says(table, 1)
    assert views[1].open_proposals() == (), "it has said the same"
    says(table, 2)
    assert [view.yet_to_go_on() for view in views[:3]] == [()] * 3
    assert views[2].nonces() == {seat: word(table, seat).nonce for seat in PRESENT}
    charter = charter_of(table)
    assert views[1].goes_on_under(charter)
    assert not views[1].goes_on_under(replace(charter, table=bytes(16)))
    after = NextTable(charter, {GONE: newcomer()})
    assert after.sessions[0].snapshot.substituted_seats() == (Seat(GONE),)


def back_too_late() -> Table:
    """A table whose last seat comes back when all others have agreed to go on without it."""
    table = agreed_by_all(alone())
    table.heal()
    table.restart(GONE)
    table.run(lambda: table.sessions[GONE].status is SessionStatus.UNFINISHED)
    for _ in range(3):
        table.tick()
        table.deliver_all()
    return table


def test_who_comes_back_too_late_sees_that_the_others_went_and_where() -> None:
    table = back_too_late()
    seen = table.sessions[GONE].snapshot
    went = seen.gone_on_without_us()
    assert went.same_as(word(table, 0))
    for chair in table.chairs[:GONE]:
        assert chair.session.snapshot.gone_on_without_us() is None
        assert chair.session.snapshot.going_on() is not None
    ended = left_after(2)
    assert all(chair.session.snapshot.gone_on_without_us() is None for chair in ended.chairs)


# --- the match goes on ----------------------------------------------------------------------------


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
    assert first.dealer == before.sessions[0].table_state.hand().machine.dealer  # type: ignore[union-attr]
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
        (agreed, raw) for agreed, _, raw in said if not hasattr(open_message(raw, agreed), "seat")
    ]
    judged = 0
    for agreed, first in envelopes[::7]:
        for other, second in envelopes[::5]:
            judged += 1
            assert innocent(lambda fork: fork, Fork(agreed, first, other, second))
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


def test_where_the_others_had_ended_the_hand_already_the_last_word_ends_it_at_once() -> None:
    table = alone()
    for seat in PRESENT[:2]:
        table.act(seat, EndUnfinished(PRESENT))
    table.deliver_all()
    agreed_by_all(table)
    for seat in PRESENT:
        assert len(table.heard(seat, HandUnfinished)) == 1
        assert len(table.heard(seat, ContinuationAgreed)) == 1


# --- charter --------------------------------------------------------------------------------------

# The charter: one digest for one agreement, and no roster that an honest table could not have.

#: The fields of a charter.
ROW: tuple[Any, ...] = decode(charter().to_bytes())  # type: ignore[assignment]


def test_everything_that_was_agreed_changes_the_digest() -> None:
    agreed = charter()
    first = agreed.seats[0]
    others = [
        replace(agreed, table=b"z" * 16),
        replace(agreed, game="other"),
        replace(agreed, profile="other"),
        replace(agreed, seats=(agreed.seats[1], first, *agreed.seats[2:])),
        replace(agreed, seats=(replace(first, nickname="Zoe"), *agreed.seats[1:])),
        replace(agreed, seats=(replace(first, nonce=b"z" * 32), *agreed.seats[1:])),
        replace(agreed, seats=(replace(first, key=signing_key(9).public), *agreed.seats[1:])),
    ]
    assert len({each.digest for each in (agreed, *others)}) == len(others) + 1
    assert len({each.fingerprint for each in (agreed, *others)}) == len(others) + 1


def test_one_key_name_or_nonce_in_two_seats_is_refused() -> None:
    agreed = charter()
    first, second, *rest = agreed.seats
    for changed, check in (
        (replace(second, key=first.key), "charter.duplicate_key"),
        (replace(second, nickname=first.nickname), "charter.duplicate_nickname"),
        (replace(second, nonce=first.nonce), "charter.duplicate_nonce"),
    ):
        assert refused(replace, agreed, seats=(first, changed, *rest)) == check


def test_a_key_of_low_order_is_refused() -> None:
    bad = ((1).to_bytes(32, "little"), "Zoe", b"z" * 32)
    data = encode((*ROW[:4], (bad, *ROW[4][1:]), ()))
    assert refused(Charter.from_bytes, data) == "key.order"


def test_another_version_is_refused_by_name() -> None:
    for version in (0, 1, PROTOCOL_VERSION + 1):
        for data in (encode((version, *ROW[1:])), encode((version, *ROW[1:5])), encode((version,))):
            assert refused(Charter.from_bytes, data) == "charter.version"


RANGES = "\0\x1f\x7f\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028\u202e\u2060\u206f"
RANGES += "\ud800\udfff\ufeff\ufff0\ufffb\U000e0000\U000e0fff"
BESIDE = (
    "!~\xa1\xac\xae\u061b\u061d\u180d\u180f\u200c\u200d\u2010\u2027\u2070\ud7ff\ue000\ufefe\uff00"
)
BESIDE += "\uffef\ufffc\U000dffff\U000e1000"


def test_characters_are_refused_to_the_ends_of_their_ranges_and_no_further() -> None:
    for each in RANGES:
        assert refused(check_nickname, f"a{each}b") == "charter.nickname"
    for each in BESIDE:
        check_nickname(f"a{each}b")


@pytest.mark.parametrize("name", ["Amal", "ශ්‍රී", "சிவா", "Zoë", "李", "a b"])
def test_names_in_the_scripts_of_the_island_and_elsewhere_are_fine(name: str) -> None:
    check_nickname(name)


def test_a_refusal_shows_a_name_without_what_acts_on_a_terminal() -> None:
    with pytest.raises(MalformedMessage) as caught:
        read_terms((Term("\x1b[2J" + "x" * 5_000, 0),), 4)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 120


# --- what the known terms say --------------------------------------------------------------------

ID, HEAD = bytes(range(32)), bytes(range(1, 33))
KEY = charter().seats[0].key.to_bytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (CONTINUES, (ID, (3, 7, HEAD), 0b1111, 2, (5, -5), ())),
        (TOURNAMENT, (ID[:31], 1)),
        (TOURNAMENT, (ID, 0)),
        (TOURNAMENT, ID),
        (REFEREE, ()),
        (REFEREE, KEY),
        (REFEREE, (KEY, KEY)),
        (REFEREE, (KEY, 1)),
        (REFEREE, (bytes(32),)),
        (REFEREE, tuple(bytes((number,)) * 32 for number in range(9))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_term_that_says_what_cannot_be_is_refused_by_its_name(name: str, value: Value) -> None:
    with pytest.raises(MalformedMessage, match=name) as caught:
        read_terms((Term(name, value),), 4)
    assert caught.value.check == "charter.term"
