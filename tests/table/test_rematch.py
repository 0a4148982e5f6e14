"""Another match of the same people: wished for by all, settled by what all have confirmed, forged
by nobody, replayed in vain."""

from __future__ import annotations

import random
from functools import cache

import pytest

from p2p304.seats import Seat
from protocol.bounds import SEATING_ROUNDS
from protocol.errors import LocalError
from protocol.places import Digest
from protocol.seat.watcher import Watcher
from protocol.table.events import Persist, RematchAgreed, RematchWanted, Send
from protocol.table.ledger import LedgerPhase
from protocol.topics.commands import WantRematch
from protocol.topics.step import SessionStatus
from protocol.wire.contents import ANY_SEATING, Confirmation, Content, Rematch, Reseating
from protocol.wire.messages import Message, Notice, open_message
from protocol.wire.rematch import moved_seats, next_charter, next_key, next_token
from tests.table.bus import Table, Weather, charter, notice, signing_key
from tests.table.tiny_game import TinyGame

SEATS = 4


def over(seed: int = 5, weather: Weather | None = None) -> Table:
    """A table at the end of its first match, everything delivered."""
    table = Table(TinyGame(SEATS, target=2), seed, weather).begun()
    table.run(lambda: all(chair.session.match_winner is not None for chair in table.chairs))
    table.deliver_all()
    return table


def want(table: Table, seat: int, seating: int) -> bytes:
    """A seat wants another match; what it sent arrives. Returns the envelope."""
    events = table.sessions[seat].act(WantRematch(seating), now=table.now)
    table.handle(seat, events)
    table.deliver_all()
    return next(event.envelope for event in events if isinstance(event, Send))


def agreed(table: Table) -> list[list[int | None]]:
    """What each seat was told that all have confirmed, in order."""
    return [
        [event.seating for event in chair.events if isinstance(event, RematchAgreed)]
        for chair in table.chairs
    ]


def wanted(table: Table) -> list[dict[Seat, int]]:
    return [dict(session.rematch_wishes()) for session in table.sessions]


def forged(table: Table, *, signer: int, seat: int, content: Rematch, serial: int = 99) -> bytes:
    """A wish in the name of a seat, under the key of another one perhaps."""
    return notice(table.charter, seat, content, serial=serial, key=signing_key(signer))


def head(table: Table) -> Digest:
    """Where the opening of another match stands for seat 0."""
    setup = table.sessions[0].table_state.match_setup()
    return setup.ledger.head


def test_nobody_wants_another_match_while_one_is_played_or_in_seats_that_are_not_there() -> None:
    table = Table(TinyGame(SEATS, target=2), 5).begun()
    with pytest.raises(LocalError, match="no match"):
        table.sessions[0].act(WantRematch(0), now=table.now)
    table = over()
    for seating in (-1, SEATS - 1, ANY_SEATING + 1):
        with pytest.raises(LocalError, match="seats"):
            table.sessions[0].act(WantRematch(seating), now=table.now)
    assert wanted(table) == [{}] * SEATS


def test_a_wish_that_is_forged_replayed_or_about_something_else_does_nothing() -> None:
    table = over()
    first = want(table, 1, 1)
    latest = open_message(want(table, 1, 0), table.charter)
    assert isinstance(latest, Notice)
    known = [{Seat(1): 0}] * SEATS
    assert wanted(table) == known
    here, session = head(table), table.sessions[0]
    twice = forged(table, signer=1, seat=1, content=Rematch(here, 2), serial=latest.serial)
    for raw in (
        first,  # an older word of the same seat
        twice,  # another word under the number of the latest
        forged(table, signer=2, seat=3, content=Rematch(here, 0)),  # under another key
        forged(table, signer=3, seat=3, content=Rematch(bytes(32), 0)),  # of another match
        forged(table, signer=3, seat=3, content=Rematch(here, SEATS - 1)),  # no such seats
    ):
        assert session.receive(raw, now=table.now) == []
    assert wanted(table) == known


def test_a_wish_after_the_match_before_counts_for_no_later_one() -> None:
    table = over()
    old = [want(table, seat, 0) for seat in range(SEATS)]
    table.run(lambda: all(len(table.matches(seat)) == 2 for seat in range(SEATS)))
    table.deliver_all()
    before = agreed(table)
    for raw in old:
        assert table.sessions[0].receive(raw, now=table.now) == []
    assert wanted(table) == [{}] * SEATS
    assert agreed(table) == before


def test_a_seat_that_changes_its_mind_without_end_fills_neither_journal_nor_screen() -> None:
    table = over()
    session, here = table.sessions[0], head(table)
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


# --- what all go on by is settled by the ledger --------------------------------------------------


@cache
def ended() -> Table:
    """The same table for all that follows, of which each takes a twin."""
    return over()


def stands(table: Table) -> list[tuple[int, int | None, bool]]:
    """Where each seat stands: the rounds whose names differed, what all have confirmed, whether no
    match begins here."""
    found = []
    for session in table.sessions:
        setup = session.table_state.match_setup()
        found.append((setup.machine.differed, setup.machine.seating, session.table_state.closed))
    return found


def wish(table: Table, seat: int, seating: int) -> None:
    """A seat wants another match; nothing of it arrives."""
    table.handle(seat, table.sessions[seat].act(WantRematch(seating), now=table.now))


def live(chance: random.Random) -> Table:
    """A table in rough weather, at which seats want this and that, come and go."""
    table = ended().twin()
    table.chance = chance
    table.weather = Weather(
        loss=chance.choice((0.0, 0.1)), repeat=0.1, reorder=chance.choice((0, 3, 40))
    )
    choices = chance.choice(((0, 1, 2, ANY_SEATING), (1, 2), (1, ANY_SEATING, ANY_SEATING), (0, 2)))
    for _ in range(chance.randrange(3, 25)):
        seat = chance.randrange(SEATS)
        session = table.sessions[seat]
        if session.status is SessionStatus.PLAYING:
            try:
                wish(table, seat, chance.choice(choices))
            except LocalError:
                break  # settled already
        for _ in range(chance.choice((0, 1, 3, 30))):
            table.step += 1
            table.deliver()
        if chance.random() < 0.05:
            table.restart(chance.randrange(SEATS))
        if chance.random() < 0.2:
            table.tick()
    return table


def calm(table: Table) -> None:
    table.weather = Weather()
    table.settle(12)


@pytest.mark.parametrize("seed", range(40))
def test_honest_seats_end_at_the_same_table_whatever_they_wanted_and_heard_first(seed: int) -> None:
    table = live(random.Random(seed))
    calm(table)
    assert len({*stands(table)}) == 1, f"seed {seed}: {stands(table)}"
    if stands(table)[0][1] is None and not stands(table)[0][2]:  # nothing was settled yet
        for seat in range(SEATS):
            wish(table, seat, 1 if seat == seed % SEATS else ANY_SEATING)
        calm(table)
    assert len({*stands(table)}) == 1
    differed, seating, closed = stands(table)[0]
    assert seating is not None
    assert closed == (seating > 0)
    assert differed < SEATING_ROUNDS
    assert {session.next_table() is not None for session in table.sessions} == {seating > 0}
    assert not table.blamed()


def said(table: Table, seat: int, content: Content, previous: Digest, number: int) -> bytes:
    """A confirmation of a cheat, in round `number` of the opening of the second match."""
    ledger = table.sessions[0].table_state.match_setup()
    place = ledger.context(Seat(seat)).place._replace(round=number)
    message = Message(table.charter.tag, place, previous, content)
    return message.signed(table.key(seat), charter=table.charter.digest).raw


def told_otherwise(table: Table, cheat: int, seating: int) -> None:
    """All want 1, and a cheat who says so to all confirms another seating in every round."""
    for number in range(SEATING_ROUNDS):
        here = head(table)
        table.now += 20.0
        for seat in range(SEATS):
            session = table.sessions[seat]
            if seat == cheat:
                continue
            serial = 1_000 + number
            wanted_1 = forged(
                table, signer=cheat, seat=cheat, content=Rematch(here, 1), serial=serial
            )
            table.handle(seat, session.receive(wanted_1, now=table.now))
        table.deliver_all()
        raw = said(table, cheat, Reseating(seating), here, number)
        for seat in range(SEATS):
            if seat != cheat:
                table.handle(seat, table.sessions[seat].receive(raw, now=table.now))
        table.deliver_all()


def test_who_names_other_seats_in_every_round_parts_nobody_and_fills_nothing() -> None:
    table, cheat = ended().twin(), 3
    silent = table.chairs[cheat]
    table.weather = Weather(cut=lambda _, sender, reader: cheat in (sender, reader))
    for seat in range(SEATS - 1):
        want(table, seat, ANY_SEATING if seat else 1)
    before = sum(map(len, (chair.journal for chair in table.chairs)))
    told_otherwise(table, cheat, 2)
    honest = [each for seat, each in enumerate(stands(table)) if seat != cheat]
    assert honest == [(SEATING_ROUNDS, None, True)] * 3
    assert agreed(table)[:3] == [[None]] * 3
    assert (
        sum(map(len, (chair.journal for chair in table.chairs))) - before <= 3 * 5 * SEATING_ROUNDS
    )
    with pytest.raises(LocalError, match="no match"):
        table.act(0, WantRematch(1))
    table.restart(0)
    assert stands(table)[0] == (SEATING_ROUNDS, None, True)
    assert not silent.session.table_state.closed


def test_a_cheat_who_wishes_two_things_at_once_parts_nobody() -> None:
    """It tells one seat 1 and the others 2, under one serial; the seats confirm what they heard."""
    table, cheat = ended().twin(), 3
    table.weather = Weather(cut=lambda _, sender, reader: cheat in (sender, reader))
    for seat in range(SEATS - 1):
        want(table, seat, ANY_SEATING)
    here = head(table)
    for seat in range(SEATS - 1):
        content = Rematch(here, 1 if seat == 0 else 2)
        raw = forged(table, signer=cheat, seat=cheat, content=content)
        table.handle(seat, table.sessions[seat].receive(raw, now=table.now))
    table.deliver_all()
    raw = said(table, cheat, Reseating(2), here, 0)
    for seat in range(SEATS - 1):
        table.handle(seat, table.sessions[seat].receive(raw, now=table.now))
    table.deliver_all()
    assert agreed(table)[:3] == [[]] * 3
    assert stands(table)[:3] == [(1, None, False)] * 3
    assert wanted(table)[:3] == [dict.fromkeys(map(Seat, range(3)), ANY_SEATING)] * 3


def test_a_cheat_who_confirms_two_things_is_convicted_before_anybody_has_left() -> None:
    table, cheat = ended().twin(), 3
    for seat in range(SEATS):
        wish(table, seat, 1)
    table.weather = Weather(cut=lambda _, sender, reader: cheat in (sender, reader))
    table.deliver_all()
    here = head(table)
    for seat in range(SEATS - 1):
        content: Content = Confirmation(bytes(32)) if seat == 0 else Reseating(1)
        raw = said(table, cheat, content, here, 0)
        table.handle(seat, table.sessions[seat].receive(raw, now=table.now))
    assert [session.table_state.closed for session in table.sessions[:3]] == [False, True, True]
    assert all(Seat(0) in session.seats_without_end() for session in table.sessions[1:3])
    table.settle()
    assert {(each.seat, each.check) for each in table.blamed()} == {(cheat, "ledger.equivocation")}
    assert {session.status for session in table.sessions[:3]} == {SessionStatus.HALTED}


@pytest.mark.parametrize(
    ("number", "content", "check"),
    [(0, Reseating(1), "turn.kind"), (1, Reseating(SEATS - 1), "rematch.seating")],
)
def test_seats_that_nobody_can_name_convict_who_names_them(
    number: int, content: Content, check: str
) -> None:
    table = ended().twin() if number else Table(TinyGame(SEATS, target=2), 5)
    raw = said(table, 1, content, head(table), 0)
    table.handle(0, table.sessions[0].receive(raw, now=table.now))
    assert [(each.seat, each.check) for each in table.blamed()] == [(Seat(1), check)]


def test_what_all_have_confirmed_is_there_after_a_restart_and_who_watches_sees_it() -> None:
    table = ended().twin()
    watcher = Watcher(charter=table.charter, game=table.game)
    for seat in range(SEATS):
        want(table, seat, 1)
    there = [session.next_table() for session in table.sessions]
    assert len({*there}) == 1
    table.restart(2)
    assert table.sessions[2].next_table() == there[0]
    assert table.sessions[2].match_winner is not None
    assert table.sessions[2].phase is LedgerPhase.SETTLED
    events = [event for _, raw in table.sent for event in watcher.receive(raw)]
    assert [each for each in events if isinstance(each, RematchAgreed)] == [RematchAgreed(1)]
