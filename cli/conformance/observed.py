"""What is done to frames on their way to a program under test, and what is seen of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Weather:
    """Chances of loss and repetition of a frame, and how many it may be overtaken by."""

    loss: float = 0.0
    repeat: float = 0.0
    reach: int = 0


@dataclass(slots=True)
class Observed:
    """What was seen of the program."""

    signed: dict[Any, bytes] = field(default_factory=dict)
    """The id of what it signed for each place."""
    wrong: list[str] = field(default_factory=list)
    messages: int = 0
    after_cheat: list[str] = field(default_factory=list)
    """What it signed on a history that the cheat belongs to."""
    answers: list[bytes] = field(default_factory=list)
    convicts: bool = False
    """Whether it published the message that convicts the cheat."""
