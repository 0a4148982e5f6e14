"""What a process does to the world outside, step by step, and what may go wrong at each step."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Act(Enum):
    """What a process does to the world outside, in steps that a death can lie before or after."""

    CREATE = "create"
    WRITE = "write"
    SYNC = "sync"
    TRUNCATE = "truncate"
    RENAME = "rename"
    REMOVE = "remove"
    SYNC_DIRECTORY = "sync directory"
    OPEN = "open"
    SEND = "publish"


@dataclass(frozen=True, slots=True)
class Step:
    """One act: of what (a file's name, or a kind of message) and which one, counted from 1."""

    act: Act
    what: str
    number: int

    def __str__(self) -> str:
        return f"{self.act.value} {self.what} {self.number}"


class Fate(Enum):
    """What becomes of the bytes that were written and not synchronised."""

    KEPT = "kept"
    LOST = "lost"
    TORN = "torn"
    ZEROED = "zeroed"


@dataclass(frozen=True, slots=True)
class Death:
    """A death `before`, `amid` or `after` a step, and what the disk keeps."""

    moment: str
    fate: Fate

    def __str__(self) -> str:
        return f"{self.moment}, {self.fate.value}"


@dataclass(frozen=True, slots=True)
class Failure:
    """The step fails with this errno; `share` of a write's bytes are written before it does."""

    number: int
    share: float = 0.0

    def __str__(self) -> str:
        return errno.errorcode[self.number] + (" amid" if self.share else "")


Plan = Callable[[Step], Death | Failure | None]


def nothing_happens(_: Step) -> None:
    """A plan without faults."""


POWER: Final = (Fate.LOST, Fate.TORN, Fate.ZEROED, Fate.KEPT)
"""The one last after which the step is not repeated."""


def deaths_at(step: Step) -> tuple[Death, ...]:
    """Every death that can be told from another one at this step."""
    before, after = Death("before", Fate.KEPT), Death("after", Fate.KEPT)
    match step.act:
        case Act.WRITE:
            return (before, Death("amid", Fate.KEPT), *(Death("after", fate) for fate in POWER))
        case Act.CREATE | Act.RENAME | Act.TRUNCATE:
            return (before, Death("after", Fate.LOST), after)
        case Act.SYNC | Act.SYNC_DIRECTORY:
            return (after,)
        case Act.SEND:
            return (before, after)
        case Act.OPEN | Act.REMOVE:
            return (before,)
