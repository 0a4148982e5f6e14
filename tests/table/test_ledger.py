"""Rounds and digests: any order one history, forks found, floods and storms held within bounds."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2p304.seats import Seat
from protocol.bounds import AGREEMENTS_KEPT, ANSWER_INTERVAL, MAX_RESENT, ROUND_WINDOW
from protocol.errors import LocalError
from protocol.places import Digest, Lane, LedgerName
from protocol.seat.watcher import Watcher
from protocol.table.events import ActionTaken, Disclosed, HandEnded, HandUnfinished, Persist, Send
from protocol.table.ledger import (
    Early,
    Equivocation,
    Fits,
    Known,
    Ledger,
    LedgerPhase,
    Origin,
    OtherHistory,
    OutOfTurn,
    TooFarAhead,
    round_digest,
)
from protocol.table.replica import LedgerReplica
from protocol.table.sync import our_heads
from protocol.wire import contents
from protocol.wire.charter import Charter
from protocol.wire.contents import Action, Heads, ResultSignature
from protocol.wire.messages import Message, Notice, SignedMessage, open_message
from tests.bench.counting import OperationCounter
from tests.table.bus import Table, charter, envelope, flipped, notice, seeded, signed
from tests.table.cheating import CheatTable, resigned
from tests.table.test_agreed_ends import abandoned, ended
from tests.table.test_agreed_ends import said as signed_agreement
from tests.table.tiny_game import TinyGame

AGREED = charter()
HAND = LedgerName(Lane.HAND, 4)
ORIGIN = Origin(HAND, (b"a" * 32, b"b" * 32), Seat(3))
ALL = (Seat(0), Seat(1), Seat(2), Seat(3))


def said(number: int, seat: int, text: str = "pass", *, after: bytes) -> SignedMessage:
    return signed(AGREED, HAND, number, seat, Action(text), previous=after)


def started(contributors: tuple[Seat, ...] = ALL) -> Ledger:
    return Ledger(HAND, (ROOT,), contributors=contributors)


class Listening(NamedTuple):
    """A machine whose every round awaits all four seats, and that takes whatever they say."""

    contributors = ALL
    phase = LedgerPhase.ACTING

    def take(self, content: object, context: object) -> Listening:
        return self

    def close(self) -> tuple[Listening, tuple[()]]:
        return self, ()


def heard(ledger: Ledger, agreed: Charter = AGREED) -> LedgerReplica[Any]:
    machine: Any = Listening()
    return LedgerReplica(agreed, ORIGIN, ledger, machine)


def put(ledger: Ledger, *messages: SignedMessage) -> Ledger:
    """The ledger after the messages as a session would use it: accept, hold, close, release."""
    queue = list(messages)
    while queue:
        offered = ledger.offer(queue.pop(0))
        match offered:
            case Fits():
                raise AssertionError("use accept")
            case Early(kept) | OtherHistory(kept):
                ledger = kept
            case _:
                pass
    return ledger


class Reader:
    """One seat's reading of a ledger whose every round awaits all four seats."""

    def __init__(self, agreed: Charter = AGREED) -> None:
        ledger = Ledger(HAND, (ORIGIN.root(agreed.digest),), contributors=ALL)
        self.replica = heard(ledger, agreed)
        self.found: list[tuple[int, bytes, bytes]] = []
        self.blamed: list[int] = []

    @property
    def ledger(self) -> Ledger:
        return self.replica.ledger

    def read(self, message: SignedMessage) -> None:
        queue = [message]
        while queue:
            each = queue.pop(0)
            match self.ledger.offer(each):
                case Fits():
                    self.replica = self.replica.accept(each)
                    if self.replica.complete:
                        self.replica, _ = self.replica.close()
                        ledger, due = self.ledger.release()
                        self.replica = self.replica._replace(ledger=ledger)
                        queue.extend(due)
                case Early(kept) | OtherHistory(kept):
                    self.replica = self.replica._replace(ledger=kept)
                case Equivocation(earlier):
                    assert earlier.id != each.id
                    assert earlier.place == each.place
                    self.found.append((each.place.seat, earlier.raw, each.raw))
                case OutOfTurn():
                    self.blamed.append(each.place.seat)
                case Known() | TooFarAhead():
                    pass


def history(rounds: int, *, first: bytes, text: str = "pass") -> list[list[SignedMessage]]:
    made: list[list[SignedMessage]] = []
    head = Digest(first)
    for number in range(rounds):
        row = [said(number, seat, f"{text} {number}", after=head) for seat in range(4)]
        made.append(row)
        head = round_digest(head, number, row)
    return made


ROOT = ORIGIN.root(AGREED.digest)


@given(st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_any_order_repetition_and_delay_within_the_window_give_one_history(random: object) -> None:
    messages = [each for row in history(6, first=ROOT) for each in row]
    expected = Reader()
    for message in messages:
        expected.read(message)
    shuffled = messages + messages[::2]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    reader = Reader()
    for message in shuffled:
        reader.read(message)
    assert reader.ledger.head == expected.ledger.head
    assert len(reader.ledger.rounds) == 6
    assert not reader.found
    assert not reader.blamed
    assert not reader.ledger.held


def test_an_exact_repeat_is_known_before_and_after_the_round_closes() -> None:
    reader = Reader()
    row = history(1, first=ROOT)[0]
    reader.read(row[0])
    assert isinstance(reader.ledger.offer(row[0]), Known)
    for message in row[1:]:
        reader.read(message)
    for message in row:
        assert isinstance(reader.ledger.offer(message), Known)


def test_an_unknown_previous_digest_blames_nobody() -> None:
    message = said(0, 2, after=b"f" * 32)
    offered = started().offer(message)
    assert isinstance(offered, OtherHistory)
    assert not isinstance(offered.ledger.offer(message), Equivocation | OutOfTurn | Fits)
    # Nor does one for a round long closed, by a seat that had no place in it.
    closed, _ = heard(started((Seat(0),))).accept(said(0, 0, after=ROOT)).close()
    assert isinstance(closed.ledger.offer(message), OtherHistory)


def test_early_messages_are_held_within_the_window_and_dropped_beyond() -> None:
    ledger = started()
    for number in range(1, ROUND_WINDOW):
        offered = ledger.offer(said(number, 1, after=b"x" * 32))
        assert isinstance(offered, Early)
        ledger = offered.ledger
    for number in (ROUND_WINDOW, ROUND_WINDOW + 1, 4_095):
        assert ledger.offer(said(number, 1, after=b"x" * 32)) == TooFarAhead()
    # A flood by one seat is kept once a round, whatever it sends.
    before = len(ledger.held)
    for text in range(100):
        ledger = put(ledger, said(3, 1, f"flood {text}", after=b"x" * 32))
    assert len(ledger.held) == before


def test_misuse_is_our_own_error() -> None:
    ledger = started()
    for misuse in (
        lambda: heard(ledger).close(),
        lambda: Ledger(HAND).head,
        lambda: heard(Ledger(HAND)).close(),
    ):
        with pytest.raises(LocalError):
            misuse()


def test_heads_tell_who_lacks_what() -> None:
    rows = history(4, first=ROOT)
    ahead, behind = Reader(), Reader()
    for message in (*rows[0], *rows[1], *rows[2], *rows[3][:2]):
        ahead.read(message)
    for message in (*rows[0], rows[1][2]):
        behind.read(message)
    head = behind.ledger.heads()
    assert behind.ledger.lacks(ahead.ledger.heads())
    assert not ahead.ledger.lacks(head)
    assert behind.ledger.messages_after(ahead.ledger.heads()) == ()
    sent = ahead.ledger.messages_after(head)
    assert rows[1][2] not in sent
    assert len(sent) == 3 + 4 + 2
    for message in sent:
        behind.read(message)
    assert behind.ledger.heads() == ahead.ledger.heads()
    assert not behind.ledger.lacks(ahead.ledger.heads())
    assert ahead.ledger.messages_after(behind.ledger.heads()) == ()


@given(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.integers(0, 15))
@settings(max_examples=40, deadline=None)
def test_a_fork_convicts_the_equivocator_and_nobody_else(
    cheat: int, round_of_fork: int, rounds_after: int, mask: int
) -> None:
    """`cheat` shows `mask` of the seats one body and the rest another; then all exchange heads."""
    readers = {seat: Reader() for seat in range(4) if seat != cheat}
    total = round_of_fork + 1 + rounds_after
    for number in range(total):
        spoken = {seat: said(number, seat, "x", after=readers[seat].ledger.head) for seat in readers
                  if len(readers[seat].ledger.rounds) == number}  # fmt: skip
        for seat, reader in readers.items():
            side = mask >> seat & 1 if number >= round_of_fork else 0
            lie = said(number, cheat, f"side {side}", after=reader.ledger.head)
            for message in (*spoken.values(), lie):
                reader.read(message)
    for _ in range(2):
        for seat, reader in readers.items():
            for other, peer in readers.items():
                if other != seat:
                    for message in peer.ledger.messages_after(reader.ledger.heads()):
                        reader.read(message)
    forked = len({mask >> seat & 1 for seat in readers}) > 1
    for reader in readers.values():
        assert not reader.blamed
        assert {seat for seat, *_ in reader.found} <= {cheat}
        assert bool(reader.found) == forked


def test_a_fork_late_in_a_long_hand_is_among_the_messages_of_one_answer() -> None:
    rows = history(30, first=ROOT)
    last = said(29, 1, "other", after=rows[29][1].previous)
    ours, theirs = Reader(), Reader()
    for row in rows[:29]:
        for message in row:
            ours.read(message)
            theirs.read(message)
    for message, forked in zip(rows[29], (rows[29][0], last, *rows[29][2:]), strict=True):
        ours.read(message)
        theirs.read(forked)
    for message in ours.ledger.messages_after(theirs.ledger.heads())[:MAX_RESENT]:
        theirs.read(message)
    assert [seat for seat, *_ in theirs.found] == [1]


# --- floods ---------------------------------------------------------------------------------------


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
    assert ROUND_WINDOW <= kept(table, 0) <= 2 * ROUND_WINDOW
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
        step = message.content
        assert isinstance(step, contents.ShuffleStep)
        with OperationCounter() as count:
            for number in range(100):
                other = contents.ShuffleStep(step.step[:-2] + number.to_bytes(2, "big"))
                again = resigned(table.charter, message, other)
                for seat in table.honest():
                    assert table.sessions[seat].receive(again, now=table.now) == []
        assert (count.multiplications, count.summed, count.decodes) == (0, 0, 0)


# --- watching -------------------------------------------------------------------------------------

# A watcher sees what is public, verifies it, and learns nothing else.


def test_a_watcher_follows_a_hand_in_any_order_of_arrival() -> None:
    table = Table(TinyGame(3, target=100), 6).played()
    raws = [raw for _, raw in table.sent]
    random.Random(1).shuffle(raws)
    watcher = Watcher(charter=table.charter, game=table.game)
    assert watcher.view() is None
    events = []
    for _ in range(len(raws)):
        for raw in raws:
            events += watcher.receive(raw)
        if watcher.table_state.counted:
            break
    mine = [each for each in events if isinstance(each, ActionTaken | Disclosed | HandEnded)]
    theirs = [
        each
        for each in table.chairs[0].events
        if isinstance(each, ActionTaken | Disclosed | HandEnded)
    ]
    assert mine[: len(theirs)] == theirs[: len(mine)]
    assert any(isinstance(each, HandEnded) for each in mine)
    assert {each.record for each in events if isinstance(each, Persist)} <= set(raws)


def test_a_watcher_sees_only_what_was_opened_to_all() -> None:
    table = Table(TinyGame(3, target=1), 6)
    watcher = Watcher(charter=table.charter, game=table.game)
    table.played()
    for _, raw in table.sent:
        watcher.receive(raw)
    view = watcher.view()
    assert view.seat is None
    faces = [chair.session.view(0) for chair in table.chairs]
    known_to_all = set.intersection(*(set(each.faces) for each in faces if each is not None))
    assert set(view.faces) == known_to_all


def test_junk_changes_nothing() -> None:
    watcher = Watcher(charter=Table(TinyGame(3)).charter, game=TinyGame(3))
    before = watcher.table_state
    for junk in (b"", b"\x01" * 80, bytes(500)):
        assert watcher.receive(junk) == []
    assert watcher.table_state is before


def test_a_watcher_hears_once_that_those_present_ended_a_hand() -> None:
    table = ended(abandoned())
    watcher = Watcher(charter=table.charter, game=table.game)
    events = []
    for _ in range(3):
        for _, raw in table.sent:
            events += watcher.receive(raw)
    told = [each for each in events if isinstance(each, HandUnfinished)]
    assert [each.present for each in told] == [(Seat(0), Seat(1), Seat(2))]
    agreed = table.sessions[0].agreed_end()
    assert watcher.agreed_end() == agreed != ()
    for number in range(2 * AGREEMENTS_KEPT):  # one of them says more, of other hands
        watcher.receive(signed_agreement(table, 0, replace(agreed[0].content, hand=50 + number)))
    assert watcher.agreed_end() == agreed


def test_who_watches_sees_who_has_acted_in_the_open_round_and_not_what() -> None:
    table = Table(TinyGame(3, target=100), 6).begun()
    watcher = Watcher(charter=table.charter, game=table.game)
    assert watcher.hand() is None
    seen = 0

    def half_acted() -> bool:
        nonlocal seen
        for _, raw in table.sent[seen:]:
            watcher.receive(raw)
        seen = len(table.sent)
        hand = watcher.hand()
        return hand is not None and bool(hand.answered)

    table.run(half_acted)
    hand = watcher.hand()
    assert hand.phase is LedgerPhase.ACTING
    assert {*hand.answered} == {*hand.contributors} - {*hand.missing}
    assert not hand.settled


def test_what_was_said_in_a_closed_round_is_there_and_of_an_open_one_nothing() -> None:
    table = Table(TinyGame(3, target=100), 6).played()
    watcher, _ = table.watched()
    hand = watcher.hand(0)
    assert hand.settled
    assert hand.answered == ()
    name = LedgerName(Lane.HAND, 0)
    said = watcher.contents_of_round(name, hand.closed)
    assert [(seat, type(content)) for seat, content in said] == [
        (seat, ResultSignature) for seat in range(3)
    ]
    assert watcher.contents_of_round(name, hand.closed + 1) == ()
    assert watcher.contents_of_round(name, 0) == ()
    assert watcher.contents_of_round(LedgerName(Lane.HAND, 77), 1) == ()
    assert watcher.hand(77) is None


def test_a_table_is_watched_with_the_game_of_its_charter() -> None:
    charter = Table(TinyGame(3, target=100), 6).charter
    with pytest.raises(LocalError, match="takes 4 seats, not 3"):
        Watcher(charter=charter, game=TinyGame(4, target=100))
