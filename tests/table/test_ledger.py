"""Rounds and digests: any order one history, bounded holding, forks found, honest seats safe."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Digest, Lane, LedgerName
from protocol.table.ledger import (
    WINDOW,
    Beyond,
    Early,
    Equivocation,
    Fits,
    Known,
    Ledger,
    Origin,
    OutOfTurn,
    Strange,
    round_digest,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import Action
from protocol.wire.messages import SignedMessage
from tests.table.seating import charter, signed

AGREED = charter()
HAND = LedgerName(Lane.HAND, 4)
ORIGIN = Origin(HAND, (b"a" * 32, b"b" * 32), Seat(3))
ALL = (Seat(0), Seat(1), Seat(2), Seat(3))


def said(number: int, seat: int, text: str = "pass", *, after: bytes) -> SignedMessage:
    return signed(AGREED, HAND, number, seat, Action(text), previous=after)


def started(contributors: tuple[Seat, ...] = ALL) -> Ledger:
    return Ledger(HAND).start(ORIGIN.root(AGREED.digest)).expect(contributors)


def put(ledger: Ledger, *messages: SignedMessage) -> Ledger:
    """The ledger after the messages as a session would use it: accept, hold, close, release."""
    queue = list(messages)
    while queue:
        offered = ledger.offer(queue.pop(0))
        match offered:
            case Fits():
                raise AssertionError("use accept")
            case Early(kept) | Strange(kept):
                ledger = kept
            case _:
                pass
    return ledger


class Reader:
    """One seat's reading of a ledger whose every round awaits all four seats."""

    def __init__(self, agreed: Charter = AGREED) -> None:
        self.ledger = Ledger(HAND).start(ORIGIN.root(agreed.digest)).expect(ALL)
        self.found: list[tuple[int, bytes, bytes]] = []
        self.blamed: list[int] = []

    def read(self, message: SignedMessage) -> None:
        queue = [message]
        while queue:
            each = queue.pop(0)
            match self.ledger.offer(each):
                case Fits():
                    self.ledger = self.ledger.accept(each)
                    if not self.ledger.missing:
                        self.ledger, due = self.ledger.close().expect(ALL).release()
                        queue.extend(due)
                case Early(kept) | Strange(kept):
                    self.ledger = kept
                case Equivocation(earlier):
                    assert earlier.id != each.id
                    assert earlier.place == each.place
                    self.found.append((each.place.seat, earlier.raw, each.raw))
                case OutOfTurn():
                    self.blamed.append(each.place.seat)
                case Known() | Beyond():
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
def test_any_order_repetition_and_delay_within_the_window_give_one_history(
    random: object,
) -> None:
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


def test_two_bodies_for_one_place_are_found_wherever_they_meet() -> None:
    first, second = said(0, 1, "bid 160", after=ROOT), said(0, 1, "bid 170", after=ROOT)
    other_history = said(0, 1, "bid 160", after=b"f" * 32)
    for contradiction in (second, other_history):
        accepted = started().accept(first)
        assert accepted.offer(contradiction) == Equivocation(first)
        closed = Reader()
        for message in (first, *(said(0, seat, after=ROOT) for seat in (0, 2, 3))):
            closed.read(message)
        assert closed.ledger.offer(contradiction) == Equivocation(first)
    # Both early, both strange, and one of each.
    early, other_early = said(3, 1, "a", after=b"h" * 32), said(3, 1, "b", after=b"h" * 32)
    held = put(started(), early)
    assert held.offer(early) == Known()
    assert held.offer(other_early) == Equivocation(early)
    strange = put(started(), other_history)
    assert strange.offer(first) == Equivocation(other_history)


def test_an_unknown_previous_digest_blames_nobody() -> None:
    message = said(0, 2, after=b"f" * 32)
    offered = started().offer(message)
    assert isinstance(offered, Strange)
    assert not isinstance(offered.ledger.offer(message), Equivocation | OutOfTurn | Fits)
    # Nor does one for a round long closed, by a seat that had no place in it.
    ledger = started((Seat(0),)).accept(said(0, 0, after=ROOT)).close().expect(ALL)
    assert isinstance(ledger.offer(message), Strange)


def test_early_messages_are_held_within_the_window_and_dropped_beyond() -> None:
    ledger = started()
    for number in range(1, WINDOW):
        offered = ledger.offer(said(number, 1, after=b"x" * 32))
        assert isinstance(offered, Early)
        ledger = offered.ledger
    for number in (WINDOW, WINDOW + 1, 4_095):
        assert ledger.offer(said(number, 1, after=b"x" * 32)) == Beyond()
    # A flood by one seat is kept once a round, whatever it sends.
    before = len(ledger.held)
    for text in range(100):
        ledger = put(ledger, said(3, 1, f"flood {text}", after=b"x" * 32))
    assert len(ledger.held) == before


def test_misuse_is_our_own_error() -> None:
    ledger = started()
    for misuse in (
        lambda: ledger.start(ROOT),
        lambda: ledger.expect(ALL),
        lambda: ledger.close(),
        lambda: ledger.accept(said(1, 0, after=ROOT)),
        lambda: ledger.accept(said(0, 0, after=b"x" * 32)),
        lambda: Ledger(HAND).head,
        lambda: Ledger(HAND).expect(ALL),
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
    assert behind.ledger.lacking(ahead.ledger.heads()) == ()
    sent = ahead.ledger.lacking(head)
    assert rows[1][2] not in sent
    assert len(sent) == 3 + 4 + 2
    for message in sent:
        behind.read(message)
    assert behind.ledger.heads() == ahead.ledger.heads()
    assert not behind.ledger.lacks(ahead.ledger.heads())
    assert ahead.ledger.lacking(behind.ledger.heads()) == ()


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
                    for message in peer.ledger.lacking(reader.ledger.heads()):
                        reader.read(message)
    forked = len({mask >> seat & 1 for seat in readers}) > 1
    for reader in readers.values():
        assert not reader.blamed
        assert {seat for seat, *_ in reader.found} <= {cheat}
        assert bool(reader.found) == forked
