"""What of the campaign is tried at a time, and what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32


class Result(NamedTuple):
    """Of one table, or of many."""

    tried: int
    survived: int
    faults: list[str]
    kinds: Counter[str]
    """How often each kind of point was tried."""

    @classmethod
    def of(cls, faults: list[str], kinds: Counter[str] | str, *, name: str = "") -> Result:
        """That of one table: all points survived, or none. A single kind is of one point; the name
        stands before what was wrong."""
        counted = Counter({kinds: 1}) if isinstance(kinds, str) else kinds
        tried = counted.total()
        told = [f"{name}: {each}" if name else each for each in faults]
        return cls(tried, 0 if faults else tried, told, counted)


@dataclass(frozen=True, slots=True)
class Piece:
    """One of so many pieces of all points of a hand; together they are all of them."""

    number: int
    pieces: int
    salt: str = ""
    """Another salt cuts other pieces."""

    def holds(self, point: str) -> bool:
        """Whether the point is in this piece."""
        return crc32(f"{self.salt} {point}".encode()) % self.pieces == self.number


def sum_of(results: Iterable[Result]) -> Result:
    """All of them in one."""
    tried = survived = 0
    faults: list[str] = []
    kinds: Counter[str] = Counter()
    for each in results:
        tried += each.tried
        survived += each.survived
        faults += each.faults
        kinds += each.kinds
    return Result(tried, survived, faults, kinds)
