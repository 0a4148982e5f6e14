"""What of the campaign is tried at a time, and what it found."""

from __future__ import annotations

import re
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32


class Result(NamedTuple):
    """Of one table, or of many."""

    tried: int
    survived: int
    faults: list[str]
    kinds: Counter[str]  #: How often each kind of point was tried.

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
    salt: str = ""  #: Another salt cuts other pieces.

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


# --- allowance ------------------------------------------------------------------------------------

# How much of a part may still be tried, by all processes together: so many points, until a time.
#
# Without one, as in the tests of a sample, everything is allowed.

UNBOUNDED: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Allowance:
    """Points that are left, in memory that all processes share, and when the time is up."""

    points: Any
    until: float

    @property
    def seconds_left(self) -> float:
        """How long a table may still be begun."""
        return self.until - time.monotonic()

    def take(self) -> bool:
        """Take one point; False if there is none left, or no time."""
        with self.points.get_lock():
            if self.points.value <= 0 or self.seconds_left <= 0:
                return False
            self.points.value -= 1
            return True


_given: list[Allowance] = []


def give(allowance: Allowance) -> None:
    """Let this process try so much."""
    _given[:] = [allowance]


def allowed() -> bool:
    """Whether one more point may be tried, which is taken then."""
    return not _given or _given[0].take()


# --- leftovers ------------------------------------------------------------------------------------

# What a seat leaves in its home: known files, readable by nobody else, and nothing besides.

KNOWN_FILES: Final = re.compile(r"identity|nickname|peers\.json|journal|[0-9a-f]{32}-\d{6}\.p304")


def left_behind(home: Path) -> Iterator[str]:
    """A sentence for each file that nobody asked for or that others may read."""
    for path in (home, *sorted(home.rglob("*"))):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_dir():
            if mode != 0o700:
                yield f"{path} may be looked into: {mode:o}"
        elif mode != 0o600:
            yield f"{path} may be read: {mode:o}"
        elif not KNOWN_FILES.fullmatch(path.name):
            yield f"{path} was left behind"
