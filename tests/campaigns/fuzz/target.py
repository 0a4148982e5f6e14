"""What a fuzz target is: bytes in, a broken promise out; and changes of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
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


# Changes of bytes, by seed: what the fuzzer's mutations look like, without the fuzzer.

NUMBERS = (b"\0", b"\xff", b"\x7f", b"\x80", b"\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff")


def mutants(seeds: list[bytes], count: int, longest: int, chance: Random) -> Iterator[bytes]:
    """So many byte strings, each a seed with one to four changes, at most `longest` long."""
    for _ in range(count):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.choice((1, 1, 2, 4))):
            _change(data, seeds, chance)
        yield bytes(data[:longest])


def _change(data: bytearray, seeds: list[bytes], chance: Random) -> None:
    at = chance.randrange(len(data) + 1)
    some = chance.choice((1, 2, 4, 16))
    match chance.randrange(7):
        case 0 if at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        case 1:
            data[at : at + some] = chance.randbytes(some)
        case 2:
            data[at:at] = chance.randbytes(some)
        case 3:
            del data[at : at + some]
        case 4:
            number = chance.choice(NUMBERS)
            data[at : at + len(number)] = number
        case 5:
            del data[at:]
        case _:
            other = chance.choice(seeds)
            start = chance.randrange(len(other) + 1)
            data[at : at + some] = other[start : start + chance.choice((some, 64))]
