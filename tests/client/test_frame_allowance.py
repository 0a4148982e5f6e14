"""How many frames of a seat are read, whatever else it sends."""

from __future__ import annotations

from itertools import count

from cli.seat.channel import FRAMES_A_SECOND, FRAMES_AT_ONCE, FrameAllowance
from protocol.version import PROTOCOL_VERSION
from protocol.wire.identity import Seal

SEAL = Seal(bytes(32), bytes(16))
SALTS = count()
FLOOD = 3_400
"""Frames that one seat sends in a second."""


def frame(seat: int) -> bytes:
    return SEAL.seal(b"a word", seat=seat, entropy=lambda size: next(SALTS).to_bytes(size, "big"))


def test_of_a_seat_that_talks_without_end_so_many_frames_are_read_and_all_of_the_others() -> None:
    now = 0.0
    allowance = FrameAllowance(SEAL, lambda: now)
    talked, seconds = 0, 4
    for sent in range(seconds * FLOOD):
        now = sent / FLOOD
        talked += allowance.admits(frame(2))
        if sent % 100 == 0:
            assert all(allowance.admits(frame(seat)) for seat in (0, 1, 3, 255)), sent
    assert FRAMES_AT_ONCE < talked <= FRAMES_AT_ONCE + seconds * FRAMES_A_SECOND


def test_who_falls_silent_is_read_again() -> None:
    now = 0.0
    allowance = FrameAllowance(SEAL, lambda: now)
    while allowance.admits(frame(2)):
        pass
    now += 1.0
    assert sum(allowance.admits(frame(2)) for _ in range(2 * FRAMES_A_SECOND)) == FRAMES_A_SECOND


def test_what_cannot_be_a_frame_is_never_read() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    sound = frame(1)
    assert allowance.admits(sound)
    for junk in (b"", sound[:-1], sound + b"0", bytes((PROTOCOL_VERSION + 1,)) + sound[1:]):
        assert not allowance.admits(junk)


def test_a_stranger_who_repeats_the_beginning_of_a_frame_mutes_nobody() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    heard = frame(2)
    junk = heard[:34] + bytes(len(heard) - 34)
    assert SEAL.sealed_by(junk) == 2
    for _ in range(2 * FRAMES_AT_ONCE):
        assert not allowance.admits(junk)
    assert allowance.admits(heard)
