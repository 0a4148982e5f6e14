"""Deterministic and broken random sources for tests."""

from hashlib import shake_256

from protocol.entropy import Entropy


def seeded(seed: str) -> Entropy:
    """A reproducible source whose every draw is new."""
    count = 0

    def draw(length: int) -> bytes:
        nonlocal count
        count += 1
        return shake_256(f"{seed}/{count}".encode()).digest(length)

    return draw


def stuck(length: int) -> bytes:
    """A broken source: always the same bytes."""
    return bytes([0x42]) * length
