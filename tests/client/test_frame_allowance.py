"""What is read of a seat that talks without end, and of frames that others seal in its name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from cli.seat.channel import FrameAllowance
from cli.seat.rates import EARLY, SIGNED, TOGETHER, UNPROVED, WORDS
from p2p304.seats import Seat
from protocol.places import Lane, LedgerName
from protocol.version import PROTOCOL_VERSION
from protocol.wire import lobby
from protocol.wire.contents import Action, Chat, Heads
from protocol.wire.envelope import Purpose
from protocol.wire.identity import NO_SEAT, Seal
from tests.client.moments import Clock
from tests.table.bus import Table, charter, envelope, flipped, notice
from tests.table.tiny_game import TinyGame

SEAL = Seal(bytes(32), bytes(16))
SALTS = count()
FLOOD = 3_400
"""Frames that come in a second."""
FLOODER = 2
MIXED = 17
"""Frames of the flood that come before each of the table."""
AGREED = charter(3)


def sealed(payload: bytes, seat: int) -> bytes:
    return SEAL.seal(payload, seat=seat, entropy=lambda size: next(SALTS).to_bytes(size, "big"))


def move(number: int, seat: int = FLOODER) -> bytes:
    """A message of the ledger that nobody has a place for."""
    name = LedgerName(Lane.HAND, 9)
    return envelope(AGREED, name, number, seat, Action("x"), previous=bytes(32)).to_bytes()


def word(number: int) -> bytes:
    return notice(AGREED, FLOODER, Chat(f"{number}"), serial=number)


def question(number: int) -> bytes:
    return notice(AGREED, FLOODER, Heads(number.to_bytes(16, "big"), b"", ()), serial=number)


def forged(number: int) -> bytes:
    """A move that the seat it names has not signed."""
    return flipped(move(number, number % 3), -1, 1)


# --- a whole hand --------------------------------------------------------------------------------


class FloodedTable(Table):
    """A table whose frames come among 3,400 others a second, each through what its reader admits.

    Time is the flood's: it passes by its frames alone, and by the table's own waiting.
    """

    def __init__(self, flood: list[bytes], repeats: Callable[[bytes], bool]) -> None:
        super().__init__(TinyGame(3, target=100), 1, agreed=AGREED)
        self._flood = [sealed(payload, payload[2]) for payload in flood]
        self._repeats = repeats
        self._poured = 0
        self.read = 0
        """Frames of the flood that one seat has read."""
        self.waits = 0
        """How often nothing more could happen before time had passed."""
        self._doors = [FrameAllowance(SEAL, lambda: self.now) for _ in range(3)]
        for door in self._doors:
            door.begin(AGREED)

    def pour(self, frames: int) -> None:
        for _ in range(frames if self._flood else 0):
            self.now += 1 / FLOOD
            frame = self._flood[self._poured % len(self._flood)]
            self._poured += 1
            for reader, door in enumerate(self._doors):
                if door.admits(frame):
                    self.read += reader == 0
                    self._hear(reader, SEAL.open(frame).payload)

    def _hear(self, reader: int, raw: bytes) -> None:
        self.call(reader, lambda session: session.receive(raw, now=self.now))

    def publish(self, seat: int, envelope: bytes) -> None:
        super().publish(seat, envelope)
        if self._repeats(envelope):
            self._flood += [sealed(envelope, seat) for _ in range(4)]

    def deliver(self) -> bool:
        self.pour(MIXED)
        if not self.flying:
            return False
        sender, reader, raw = self.flying.pop(0)
        if self._doors[reader].admits(sealed(raw, sender)):
            self._hear(reader, raw)
        return True

    def tick(self, seconds: float = 6.0) -> None:
        self.waits += 1
        super().tick(seconds)


def nothing(_envelope: bytes) -> bool:
    return False


def moves(raw: bytes) -> bool:
    return raw[1] == Purpose.LEDGER


@pytest.mark.parametrize(
    ("kind", "repeats"),
    [(word, nothing), (forged, nothing), (question, nothing), (None, moves)],
    ids=["words", "forged moves", "questions", "moves again"],
)
def test_a_hand_comes_to_its_end_beside_a_flood_without_a_wait(
    kind: Callable[[int], bytes] | None, repeats: Callable[[bytes], bool]
) -> None:
    flood = [] if kind is None else [kind(number) for number in range(FLOOD)]
    table = FloodedTable(flood, repeats)
    table.pour(FLOOD)
    table.played()
    assert table.waits == 0
    assert not table.blamed()
    most = 3 * UNPROVED.a_second + SIGNED.a_second
    at_once = 3 * UNPROVED.at_once + SIGNED.at_once
    assert 0 < table.read <= at_once + table.now * most


# --- what is read --------------------------------------------------------------------------------


def reading() -> tuple[FrameAllowance, Clock]:
    """What is read at an agreed table, and its time."""
    clock = Clock()
    allowance = FrameAllowance(SEAL, clock)
    allowance.begin(AGREED)
    return allowance, clock


def admitted_of(payload: Callable[[int], bytes]) -> int:
    """How many frames of a second's flood are read."""
    allowance, clock = reading()
    found = 0
    for sent in range(FLOOD):
        clock.now = sent / FLOOD
        found += allowance.admits(sealed(payload(sent), FLOODER))
    return found


def test_of_words_and_of_what_nobody_signed_little_is_read() -> None:
    assert admitted_of(word) <= WORDS.at_once + WORDS.a_second
    assert admitted_of(forged) <= 3 * (UNPROVED.at_once + UNPROVED.a_second)


def test_of_what_a_seat_signs_so_much_is_read_and_of_the_others_all() -> None:
    allowance, clock = reading()
    rate, found = SIGNED, 0
    for sent in range(2 * FLOOD):
        clock.now = sent / FLOOD
        found += allowance.admits(sealed(move(sent % 4_096), FLOODER))
        if sent % 100 == 0:
            assert allowance.admits(sealed(move(sent % 4_096, 0), 0)), sent
    assert rate.at_once < found
    assert found <= rate.at_once + UNPROVED.at_once + 2 * (rate.a_second + UNPROVED.a_second)


@pytest.mark.parametrize("known", [False, True], ids=["before the charter", "with a charter"])
@pytest.mark.parametrize("lobbies", [False, True], ids=["envelopes", "lobby"])
def test_seats_that_no_table_has_bring_a_flood_nothing(*, known: bool, lobbies: bool) -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    if known:
        allowance.begin(AGREED)
    read = 0
    for number in range(24 * 256):
        seat = number % 256
        raw = bytearray(forged(number))
        raw[2] = seat
        asked = lobby.to_bytes(lobby.Inquiry(bytes(16), Seat(seat % 8), False))
        read += allowance.admits(sealed(asked if lobbies else bytes(raw), seat))
    assert read <= TOGETHER.at_once


def test_what_a_seat_signed_long_ago_said_again_mutes_none_of_its_new_questions() -> None:
    door, clock = reading()
    old = [sealed(question(number), FLOODER) for number in range(1_500)]
    for number in range(3_000):  # 300 a second, each again after five
        clock.now = number / 300
        door.admits(old[number % len(old)])
        if not number % 30:
            assert door.admits(sealed(question(10_000 + number), FLOODER)), number


def test_who_falls_silent_is_read_again() -> None:
    allowance, clock = reading()
    numbers = count()
    while allowance.admits(sealed(word(next(numbers)), FLOODER)):
        pass
    clock.now += 1.0
    read = sum(allowance.admits(sealed(word(next(numbers)), FLOODER)) for _ in range(100))
    assert read == WORDS.a_second


def test_before_there_is_a_charter_each_sealer_has_its_own_allowance() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    for number in range(2 * EARLY.at_once):
        assert allowance.admits(sealed(word(number), FLOODER)) == (number < EARLY.at_once)
    assert allowance.admits(sealed(move(1), FLOODER))
    assert allowance.admits(sealed(word(1), 0))
    asked = lobby.to_bytes(lobby.Inquiry(bytes(16), Seat(0), False))
    assert allowance.admits(sealed(asked, NO_SEAT))


def test_what_cannot_be_a_frame_is_never_read() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    sound = sealed(word(1), 1)
    assert allowance.admits(sound)
    for junk in (b"", sound[:-1], sound + b"0", bytes((PROTOCOL_VERSION + 1,)) + sound[1:]):
        assert not allowance.admits(junk)
    assert not allowance.admits(sealed(b"a word", 1))


def test_a_stranger_who_repeats_the_beginning_of_a_frame_mutes_nobody() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    heard = sealed(word(1), 2)
    junk = heard[:34] + bytes(len(heard) - 34)
    assert SEAL.sealed_by(junk) == 2
    for _ in range(2 * EARLY.at_once):
        assert not allowance.admits(junk)
    assert allowance.admits(heard)
