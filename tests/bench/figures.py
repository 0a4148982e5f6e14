"""A figure of the benchmark's page: what was measured, its spread, its floor and its goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from time import process_time
from typing import Any, Final

Tell = Callable[[str], None]  #: Says on the error stream what is being measured.
MINUTES: Final = 4  #: What a part, or a broker's half of one, may take before it stops growing.


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the page. `low` and `high` are the quartiles.

    `floor` is what the operations counted in it take, measured apart in the same run, and
    `floor_is` what it is.
    """

    name: str
    unit: str
    median: float
    low: float
    high: float
    samples: int
    floor: float | None = None
    floor_is: str = ""
    goal: float | None = None
    higher_is_better: bool = False

    @classmethod
    def of(cls, name: str, unit: str, values: Sequence[float], **more: Any) -> Figure:
        """Return the median and the quartiles of at least one value."""
        low = high = values[0]
        if len(values) > 1:
            low, _, high = quantiles(values, n=4, method="inclusive")
        return cls(name, unit, median(values), low, high, len(values), **more)

    @property
    def ratio(self) -> float | None:
        """How many times its floor the figure is; None without a floor."""
        return self.median / self.floor if self.floor else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal."""
        if self.goal is None:
            return None
        return self.median >= self.goal if self.higher_is_better else self.median <= self.goal


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of the benchmark found. `machine` is where and when."""

    name: str
    title: str
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str = ""  #: A sentence, if it was not measured at all.
    machine: Mapping[str, Any] = field(default_factory=dict)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which that share of values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def milliseconds(action: Callable[[], object]) -> float:
    """Return how much of this process's time an action takes."""
    begun = process_time()
    action()
    return 1_000 * (process_time() - begun)
