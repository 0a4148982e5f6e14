"""What one seat, or anybody, can make the others keep, write and send: little."""

from __future__ import annotations

from protocol.places import Lane, LedgerName
from protocol.table.events import Persist, Send
from protocol.table.ledger import WINDOW
from protocol.table.sync import ANSWER_INTERVAL, our_heads
from protocol.wire import contents
from protocol.wire.authenticate import open_message
from protocol.wire.contents import MAX_RESENT, Action, Heads
from protocol.wire.messages import Message, Notice
from tests.bench.counting import OperationCounter
from tests.table.bus import Table
from tests.table.cheating import CheatTable, resigned
from tests.table.seating import envelope, flipped, notice, seeded
from tests.table.tiny_game import TinyGame

FLOODER = 1


def playing() -> Table:
    table = Table(TinyGame(3, target=100), 3).begun()
    table.run(lambda: bool(table.sessions[0].legal_actions()))
    return table


def kept(table: Table, seat: int) -> int:
    """How many messages a seat keeps that are no part of its history."""
    table_state = table.sessions[seat].table_state
    ledgers = [replica.ledger for replica in table_state.replicas.values()]
    ledgers += table_state.waiting.values()
    return sum(len(each.held) + len(each.strays) for each in ledgers)


def test_a_seat_that_signs_for_every_place_is_kept_within_bounds_and_not_written_down() -> None:
    table = playing()
    session = table.sessions[0]
    signed = 0
    for number in (*range(6), 1_000, (1 << 32) - 1):
        for place in (*range(40), 4_095):
            name = LedgerName(Lane.HAND, number)
            replica = session.table_state.replicas.get(name)
            if replica is not None and place <= len(replica.ledger.rounds):
                continue  # a past place: that would convict
            content = Action("x" * 90)
            raw = envelope(table.charter, name, place, FLOODER, content, previous=b"f" * 32)
            events = session.receive(raw.to_bytes(), now=table.now)
            assert not any(isinstance(each, Persist) for each in events)
            assert sum(isinstance(each, Send) for each in events) <= 1
            signed += 1
    assert signed > 250
    # The open hand and the next one; nothing of what is further away.
    assert WINDOW <= kept(table, 0) <= 2 * WINDOW
    assert not table.blamed()


def test_junk_is_neither_kept_nor_written_nor_answered() -> None:
    table = playing()
    session, draw = table.sessions[0], seeded("junk")
    before = session.table_state
    good = table.sent[-1][1]
    for size in (0, 1, 66, 67, 200, 16_000, 70_000):
        for _ in range(20):
            assert session.receive(draw(size), now=table.now) == []
    for place in range(0, len(good), 7):
        junk = flipped(good, place, 0x55)
        assert session.receive(junk, now=table.now) == []
    assert session.table_state is before


def test_a_storm_of_questions_is_answered_once_a_second() -> None:
    table = playing()
    session = table.sessions[0]
    nothing = tuple(
        contents.Head(head.lane, head.number, 0, head.digest, 0)
        for head in our_heads(session.table_state)
    )
    answers = 0
    for serial in range(500):
        asked = Heads(bytes(12) + serial.to_bytes(4, "big"), b"", nothing)
        raw = notice(table.charter, FLOODER, asked, serial=10_000 + serial)
        now = table.now + 100 + serial * ANSWER_INTERVAL / 100
        sent = [each for each in session.receive(raw, now=now) if isinstance(each, Send)]
        assert len(sent) <= MAX_RESENT + 2
        answers += bool(sent)
    assert 4 <= answers <= 7  # five seconds


def test_after_the_first_wrong_message_no_proof_of_anybody_is_looked_at() -> None:
    """A seat costs the others one verification too many at the most."""

    def unproved(content: contents.Content, message: Message) -> contents.Content | None:
        if isinstance(content, contents.ShuffleStep):
            return contents.ShuffleStep(content.step[:-1] + b"\0")
        return None

    table = CheatTable(TinyGame(3, target=100), 3, unproved, cheat=FLOODER).begun()
    table.run(table.stopped)
    assert table.place is not None
    for raw in table.told.values():
        message = open_message(raw, table.charter)
        assert not isinstance(message, Notice)
        step = message.message.content
        assert isinstance(step, contents.ShuffleStep)
        with OperationCounter() as count:
            for number in range(100):
                other = contents.ShuffleStep(step.step[:-2] + number.to_bytes(2, "big"))
                again = resigned(table.charter, message.message, other)
                for seat in table.honest():
                    assert table.sessions[seat].receive(again, now=table.now) == []
        assert (count.multiplications, count.summed, count.decodes) == (0, 0, 0)
