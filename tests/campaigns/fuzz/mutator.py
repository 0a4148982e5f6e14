"""Changes of bytes, by seed: what the fuzzer's mutations look like, without the fuzzer."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

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
