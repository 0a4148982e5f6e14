"""What a fuzz target is: bytes in, a broken promise out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class PromiseBroken(Exception):
    """A property that must hold for any bytes does not hold for these."""


class Target(NamedTuple):
    """A name, a check of any bytes, the bytes to begin with, and how many are worth trying.

    `check` returns, whatever the bytes are; it raises PromiseBroken, or any other error, for a
    defect. It says nothing by `assert`, so that `python -O` fuzzes the same.
    """

    name: str
    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    longest: int = 4_096
    sample: int = 500  #: Changed inputs in `make test`.
    #: Modules whose branches do not guide the fuzzer: what other targets are for, and what would
    #: take most of the time, because everything is ten times slower under the fuzzer's instruments.
    plain: tuple[str, ...] = ()


def demand(kept: bool, promise: str) -> None:
    """Return if the promise was kept; else raise PromiseBroken."""
    if not kept:
        raise PromiseBroken(promise)


def text_of(data: bytes) -> str:
    """Any text that a program may meet: the first byte chooses how the others are read.

    UTF-8 with lone surrogates for what is none, as Python reads foreign file names; every code
    point by its number; or a letter a byte.
    """
    how, rest = data[:1], data[1:]
    if how == b"\x01":
        whole = len(rest) - len(rest) % 3
        numbers = (int.from_bytes(rest[at : at + 3], "big") for at in range(0, whole, 3))
        return "".join(chr(number % 0x110000) for number in numbers)
    if how == b"\x02":
        return rest.decode("latin-1")
    return rest.decode("utf-8", "surrogateescape")


def as_text(text: str) -> bytes:
    """The bytes that `text_of` reads as this text."""
    return b"\x00" + text.encode("utf-8", "surrogateescape")
