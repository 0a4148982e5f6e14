"""Those who are there agree to go on at another table; a seat that is left out refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Lane
from protocol.seat.session import Session
from protocol.table.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    HandUnfinished,
)
from protocol.table.sync import HEADS_INTERVAL
from protocol.topics.commands import Confirm, EndUnfinished, Say, VoteContinuation
from protocol.topics.step import SessionStatus
from protocol.wire.authenticate import open_message
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Continuation
from protocol.wire.continues import CONTINUES
from protocol.wire.messages import SignedMessage
from protocol.wire.referee import REFEREE, referees_to_value
from protocol.wire.terms import Term
from tests.table.bus import Table
from tests.table.going_on import (
    GONE,
    PRESENT,
    NextTable,
    left_after,
    newcomer,
    next_charter,
    played,
)
from tests.table.seating import notice, seeded

TABLE = seeded("the other table")(16)
ALL_BUT_ONE = 0b0111
BOTS = ((GONE, 0),)


def word(at: Table, seat: int, **changed: Any) -> Continuation:
    session = at.sessions[seat]
    hand = session.table_state.hand
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
        hand = table.sessions[0].table_state.hand
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
    begun = table.sessions[1].hands_begun
    table.deliver_all()
    for _ in range(3):
        table.tick(HEADS_INTERVAL)
        table.deliver_all()
    assert table.sessions[1].hands_begun > begun
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
    assert term is not None
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
    views = [chair.session.seen for chair in table.chairs]
    for view in views:
        assert view.asked_to_go_on() == ()
        assert view.continuation() is None
        assert view.yet_to_go_on() == ()
        assert view.nonces() == {}
        assert not view.goes_on_under(table.charter)
        assert view.substituted() == ()
    says(table, 0)
    assert [view.asked_to_go_on() for view in views[:3]] == [(), *[(word(table, 0),)] * 2]
    assert views[0].yet_to_go_on() == (Seat(1), Seat(2))
    says(table, 1)
    assert views[1].asked_to_go_on() == (), "it has said the same"
    says(table, 2)
    assert [view.yet_to_go_on() for view in views[:3]] == [()] * 3
    assert views[2].nonces() == {seat: word(table, seat).nonce for seat in PRESENT}
    charter = charter_of(table)
    assert views[1].goes_on_under(charter)
    assert not views[1].goes_on_under(replace(charter, table=bytes(16)))
    after = NextTable(charter, {GONE: newcomer()})
    assert after.sessions[0].seen.substituted() == (Seat(GONE),)


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
    seen = table.sessions[GONE].seen
    went = seen.gone_on_without_us()
    assert went.same_as(word(table, 0))
    for chair in table.chairs[:GONE]:
        assert chair.session.seen.gone_on_without_us() is None
        assert chair.session.seen.going_on() is not None
    ended = left_after(2)
    assert all(chair.session.seen.gone_on_without_us() is None for chair in ended.chairs)


def test_where_the_others_had_ended_the_hand_already_the_last_word_ends_it_at_once() -> None:
    table = alone()
    for seat in PRESENT[:2]:
        table.act(seat, EndUnfinished(PRESENT))
    table.deliver_all()
    agreed_by_all(table)
    for seat in PRESENT:
        assert len(table.heard(seat, HandUnfinished)) == 1
        assert len(table.heard(seat, ContinuationAgreed)) == 1


def test_a_refusal_that_comes_first_after_a_restart_undoes_nothing_either() -> None:
    table = agreed_by_all(alone())
    refused = word(table, GONE, agreed=0, nonce=bytes(32))
    late = notice(table.charter, GONE, refused, key=table.key(GONE))
    session = Session.resume(
        table.chairs[1].journal, entropy=seeded("restart"), **table.arguments(1)
    )
    events = session.receive(late, now=0.0)
    assert [each for each in events if isinstance(each, ContinuationAgreed)]
    assert session.continuation() == word(table, 1)
    assert session.going_on() is not None
