"""Another match of the same people: wished for by all, forged by nobody, replayed in vain."""

from __future__ import annotations

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.ledger.events import Persist, RematchAgreed, RematchWanted, Send
from protocol.seat.commands import WantRematch
from protocol.wire.contents import ANY_SEATING, Rematch
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Notice, table_tag
from protocol.wire.rematch import moved_seats, next_charter, next_key, next_token
from tests.table.bus import Table, Weather
from tests.table.seating import charter, signing_key
from tests.table.tiny_game import TinyGame

SEATS = 4


def over(seed: int = 5, weather: Weather | None = None) -> Table:
    """A table at the end of its first match, everything delivered."""
    table = Table(TinyGame(SEATS, target=2), seed, weather)
    table.confirm()
    table.run(lambda: all(chair.session.won is not None for chair in table.chairs))
    settle(table)
    return table


def settle(table: Table) -> None:
    while table.deliver():
        pass


def want(table: Table, seat: int, seating: int) -> bytes:
    """A seat wants another match; what it sent arrives. Returns the envelope."""
    events = table.chairs[seat].session.act(WantRematch(seating), now=table.now)
    table.handle(seat, events)
    settle(table)
    return next(event.envelope for event in events if isinstance(event, Send))


def agreed(table: Table) -> list[list[int]]:
    """What each seat was told that all want, in order."""
    return [
        [event.seating for event in chair.events if isinstance(event, RematchAgreed)]
        for chair in table.chairs
    ]


def wanted(table: Table) -> list[dict[Seat, int]]:
    return [dict(session.rematch_wanted()) for session in table.sessions]


def forged(table: Table, *, signer: int, seat: int, content: Rematch, serial: int = 99) -> bytes:
    """A wish in the name of a seat, under the key of another one perhaps."""
    digest = table.charter.digest
    body = Notice(table_tag(digest), Seat(seat), serial, content).to_bytes()
    signed = sign(
        signing_key(signer), body, purpose=Purpose.NOTICE, seat=Seat(seat), charter=digest
    )
    return signed.to_bytes()


def head(table: Table) -> bytes:
    hand = table.sessions[0].table_state.hand
    assert hand is not None
    return bytes(hand.ledger.head)


def test_a_match_that_is_over_tells_its_hands_and_its_winner_until_the_next_begins() -> None:
    table = over()
    for chair in table.chairs:
        session = chair.session
        assert session.won == table.matches(0)[0].winner
        assert [hand.number for hand in session.course] == [
            event.number for event in table.hands(0)
        ]
        assert session.course[-1].scores == table.matches(0)[0].scores
        assert [hand.scores for hand in session.course] == [
            event.scores for event in table.hands(0)
        ]
    table.confirm()
    settle(table)
    assert {session.won for session in table.sessions} == {None}
    assert {session.course for session in table.sessions} == {()}


def test_all_who_want_another_match_as_they_sit_are_told_and_play_it() -> None:
    table = over()
    for seat in range(SEATS - 1):
        want(table, seat, 0)
        assert agreed(table) == [[]] * SEATS
    want(table, SEATS - 1, 0)
    assert agreed(table) == [[0]] * SEATS
    table.confirm()
    table.run(lambda: len(table.matches(0)) == 2)
    assert not table.blamed()


def test_who_agrees_to_anything_follows_the_others_and_moves_nobody_by_itself() -> None:
    table = over()
    for seat in (1, 2, 3):
        want(table, seat, ANY_SEATING)
    want(table, 0, ANY_SEATING)
    assert agreed(table) == [[]] * SEATS
    want(table, 0, 2)
    assert agreed(table) == [[2]] * SEATS


def test_those_who_want_different_seats_agree_on_nothing_until_one_changes() -> None:
    table = over()
    want(table, 0, 1)
    for seat in (1, 2, 3):
        want(table, seat, 2)
    assert agreed(table) == [[]] * SEATS
    assert wanted(table) == [{Seat(0): 1, Seat(1): 2, Seat(2): 2, Seat(3): 2}] * SEATS
    want(table, 0, 2)
    assert agreed(table) == [[2]] * SEATS


def test_nobody_wants_another_match_while_one_is_played_or_in_seats_that_are_not_there() -> None:
    table = Table(TinyGame(SEATS, target=2), 5)
    table.confirm()
    with pytest.raises(LocalError, match="no match"):
        table.chairs[0].session.act(WantRematch(0), now=table.now)
    table = over()
    for seating in (-1, SEATS - 1, ANY_SEATING + 1):
        with pytest.raises(LocalError, match="seats"):
            table.chairs[0].session.act(WantRematch(seating), now=table.now)
    assert wanted(table) == [{}] * SEATS


def test_a_wish_that_is_forged_replayed_or_about_something_else_does_nothing() -> None:
    table = over()
    first = want(table, 1, 1)
    want(table, 1, 0)
    known = [{Seat(1): 0}] * SEATS
    assert wanted(table) == known
    here, session = head(table), table.chairs[0].session
    for raw in (
        first,  # an older word of the same seat
        forged(table, signer=2, seat=3, content=Rematch(here, 0)),  # under another key
        forged(table, signer=3, seat=3, content=Rematch(bytes(32), 0)),  # of another match
        forged(table, signer=3, seat=3, content=Rematch(here, SEATS - 1)),  # no such seats
    ):
        assert session.receive(raw, now=table.now) == []
    assert wanted(table) == known


def test_a_wish_after_the_match_before_counts_for_no_later_one() -> None:
    table = over()
    old = [want(table, seat, 0) for seat in range(SEATS)]
    table.confirm()
    table.run(lambda: all(len(table.matches(seat)) == 2 for seat in range(SEATS)))
    settle(table)
    before = agreed(table)
    for raw in old:
        assert table.chairs[0].session.receive(raw, now=table.now) == []
    assert wanted(table) == [{}] * SEATS
    assert agreed(table) == before


def test_wishes_that_were_lost_are_said_again() -> None:
    table = over()
    for seat in range(SEATS):
        table.handle(seat, table.chairs[seat].session.act(WantRematch(1), now=table.now))
    table.flying.clear()
    assert agreed(table) == [[]] * SEATS
    for _ in range(4):
        table.tick()
        settle(table)
    assert [each[:1] for each in agreed(table)] == [[1]] * SEATS


def test_a_seat_that_comes_back_remembers_what_it_wanted_and_what_it_says_later_counts() -> None:
    table = over()
    want(table, 2, 1)
    table.restart(2)
    assert table.chairs[2].session.rematch_wanted() == {Seat(2): 1}
    for _ in range(3):
        table.tick()
        settle(table)
    want(table, 2, 0)
    assert wanted(table) == [{Seat(2): 0}] * SEATS


def test_a_seat_that_changes_its_mind_without_end_fills_neither_journal_nor_screen() -> None:
    table = over()
    session, here = table.chairs[0].session, head(table)
    events = [
        event
        for number in range(200)
        for event in session.receive(
            forged(
                table, signer=1, seat=1, content=Rematch(here, number % 2), serial=1_000 + number
            ),
            now=table.now,
        )
    ]
    assert not [event for event in events if isinstance(event, Persist)]
    assert 0 < len([event for event in events if isinstance(event, RematchWanted)]) < 20


def test_the_next_charter_has_the_same_people_elsewhere_and_is_the_same_for_all() -> None:
    old = charter(SEATS)
    new = next_charter(old, b"h" * 32, 1)
    assert [entry.nickname for entry in new.seats] == [
        old.seats[seat].nickname for seat in (0, 2, 3, 1)
    ]
    assert {entry.key for entry in new.seats} == {entry.key for entry in old.seats}
    assert (new.game, new.profile, new.terms) == (old.game, old.profile, old.terms)
    others = [
        next_charter(old, b"h" * 32, 2),
        next_charter(old, b"i" * 32, 1),
        next_charter(charter(SEATS, game="other"), b"h" * 32, 1),
        next_charter(new, b"h" * 32, 1),
        old,
    ]
    assert len({each.table for each in (new, *others)}) == len(others) + 1
    nonces = [entry.nonce for each in (new, *others) for entry in each.seats]
    assert len({*nonces}) == len(nonces) - 0
    assert next_charter(old, b"h" * 32, 1) == new
    assert next_key(b"k" * 32, new.table) != next_key(b"k" * 32, old.table)
    assert next_token(b"t" * 16, new.table) != next_token(b"u" * 16, new.table)
    with pytest.raises(LocalError):
        next_charter(old, b"h" * 32, 0)


@pytest.mark.parametrize("seats", [2, 3, 4, 6, 8])
def test_every_seating_sits_everybody_once_and_the_first_where_it_was(seats: int) -> None:
    found = [moved_seats(seats, seating) for seating in range(seats - 1)]
    assert found[0] == tuple(range(seats))
    assert len({*found}) == len(found)
    for each in found:
        assert each[0] == 0
        assert sorted(each) == [*range(seats)]
    with pytest.raises(LocalError):
        moved_seats(seats, seats - 1)


def test_who_wants_the_same_again_says_nothing_more() -> None:
    table = over()
    want(table, 0, 1)
    count = len(table.sent)
    table.act(0, WantRematch(1))
    assert len(table.sent) == count
    table.act(0, WantRematch(0))
    assert len(table.sent) > count
