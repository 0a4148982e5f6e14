"""Restored journals, forks late in a hand, and seats that return to a broken table."""

from __future__ import annotations

from functools import partial

from p2p304.seats import Seat
from protocol.places import Lane, LedgerName
from protocol.table.events import ChatReceived
from protocol.table.ledger import Fits, Ledger, Origin
from protocol.table.machine import Phase
from protocol.topics.chat import BURST, PERIOD
from protocol.topics.commands import EndUnfinished, Say
from protocol.topics.step import SessionStatus
from protocol.wire.authenticate import open_message
from protocol.wire.contents import MAX_RESENT, Action
from protocol.wire.messages import Notice, SignedMessage
from tests.table.bus import Table, Weather
from tests.table.seating import charter, signed
from tests.table.tiny_game import TinyGame

HAND = LedgerName(Lane.HAND, 0)


class Deaf(Table):
    """The seats 1 and 2 do not hear each other while `parted` holds."""

    parted = False

    def publish(self, seat: int, envelope: bytes) -> None:
        self.weather.cut = lambda step, one, other: self.parted and 0 not in (one, other)
        super().publish(seat, envelope)


def dealing(table: Table) -> bool:
    return all(chair.session.table_state.hand is not None for chair in table.chairs)


def ahead() -> tuple[Deaf, int]:
    """Seat 0 has acted, and the others, who keep its message, have not closed the round before.

    With it, how long seat 0's journal was before that round.
    """
    for seed in range(200):
        table = Deaf(TinyGame(3, target=100), seed).begun()
        table.run(partial(dealing, table))
        kept = len(table.chairs[0].journal)
        table.parted = True
        table.flying = [each for each in table.flying if 0 in each[:2]]
        while table.flying:
            table.deliver()
        hands = [chair.session.table_state.hand for chair in table.chairs]
        if None in hands or not table.sessions[0].legal_actions():
            continue
        assert [each and each.machine.phase for each in hands][1:] == [Phase.DEALING] * 2
        table.choose(0)
        while table.flying:
            table.deliver()
        return table, kept
    raise AssertionError("seat 0 was never the first to act")


def signed_by(table: Table, seat: int) -> list[SignedMessage]:
    """The different ledger messages that a seat has sent."""
    messages = [open_message(raw, table.charter) for who, raw in table.sent if who == seat]
    return [each for each in messages if not isinstance(each, Notice) and each.place.seat == seat]


def test_an_older_journal_learns_what_the_others_keep_and_could_not_accept_yet() -> None:
    table, kept = ahead()
    (acted,) = [each for each in signed_by(table, 0) if isinstance(each.message.content, Action)]
    table.restart(0, kept)
    session = table.sessions[0]
    for _ in range(12):
        table.tick(2.0)
        while table.flying:
            table.deliver()
            if session.legal_actions():  # it may choose again, and otherwise than it did
                replica = session.table_state.replicas[HAND]
                assert len(replica.ledger.rounds) > acted.place.round
    table.parted = False
    table.run(table.all_played(1))
    places: dict[object, set[bytes]] = {}
    for each in signed_by(table, 0):
        places.setdefault(each.place, set()).add(each.id)
    assert all(len(bodies) == 1 for bodies in places.values())
    assert not table.blamed()


def test_who_returns_to_a_table_that_a_seat_has_left_can_agree_to_end_the_hand() -> None:
    table = Table(TinyGame(3, target=100), 3).begun()
    table.run(lambda: table.sessions[0].table_state.hand is not None)
    table.part(2, hearing=True)
    table.restart(0)
    table.run(lambda: table.now > 60)
    assert table.statuses()[0] == "RETURNING"
    present = (Seat(0), Seat(1))
    table.act(0, Say("It seems that Chitra is gone."))
    table.act(0, EndUnfinished(present))
    assert table.statuses()[0] == "AGREEING"
    table.act(1, EndUnfinished(present))
    table.run(lambda: not table.flying)
    for seat in present:
        assert table.sessions[seat].status is SessionStatus.UNFINISHED


def long_ledger(rounds: int, last: str) -> Ledger:
    """A ledger of one message a round, the last of them with this text."""
    agreed = charter()
    origin = Origin(HAND, (b"a" * 32, b"b" * 32), Seat(3))
    ledger = Ledger(HAND).start(origin.root(agreed.digest))
    for number in range(rounds):
        seat = Seat(number % 4)
        text = last if number == rounds - 1 else "pass"
        said = signed(agreed, HAND, number, seat, Action(text), previous=ledger.head)
        ledger = ledger.expect((seat,))
        assert isinstance(ledger.offer(said), Fits)
        ledger = ledger.accept(said).close()
    return ledger.expect((Seat(0),))


def test_a_fork_late_in_a_long_ledger_is_found_within_one_answer() -> None:
    mine, other = long_ledger(MAX_RESENT * 2, "bid 160"), long_ledger(MAX_RESENT * 2, "bid 170")
    answer = mine.lacking(other.heads())[:MAX_RESENT]
    texts = {each.message.content.text for each in answer}  # type: ignore[union-attr]
    assert "bid 160" in texts
    assert len(mine.lacking(other.heads())) == MAX_RESENT * 2


def test_words_are_heard_once_and_a_flood_of_them_is_not() -> None:
    table = Table(TinyGame(3, target=100), 3, Weather(repeat=1.0))

    def heard() -> list[str]:
        events = table.chairs[1].events
        return [each.text for each in events if isinstance(each, ChatReceived)]

    for number in range(BURST + 20):
        table.act(0, Say(f"{number}"))
    table.deliver_all()
    assert heard() == [f"{number}" for number in range(BURST)]
    said = list(table.sent)
    table.now += PERIOD
    table.act(0, Say("later"))
    table.act(2, Say("0"))
    table.deliver_all()
    assert heard()[BURST:] == ["later", "0"]
    for _ in range(3):
        for _, raw in said[:BURST]:
            table.handle(1, table.sessions[1].receive(raw, now=table.now))
    assert len(heard()) == BURST + 2
