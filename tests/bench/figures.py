"""A figure of the benchmark's page: what was measured, its spread, its floor and its goal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any, Final

Tell = Callable[[str], None]
"""Says on the error stream what is being measured."""

MINUTES: Final = 4
"""What a part, or a broker's half of one, may take before it stops growing."""


class TimeBox:
    """Bounds a part: it goes on as long as there is time left, and says what it left out."""

    def __init__(self, seconds: float = 60.0 * MINUTES) -> None:
        self._ends = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds, negative when it is over."""
        return self._ends - time.monotonic()


ABOUT: Final = frozenset(
    ("day", "cores", "cpu", "system", "python", "libraries", "quick", "load", "seconds")
)
"""What is known of where and how a part was measured."""

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the page. `low` and `high` are the quartiles, or the ends of what was seen.

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

    @classmethod
    def single(cls, name: str, unit: str, value: float, **more: Any) -> Figure:
        """Return one measurement, or one that has its spread in it, such as a percentile."""
        return cls(name, unit, value, value, value, 1, **more)

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

    def as_json(self) -> dict[str, Any]:
        """Return the figure, rounded, for a program."""
        return {
            "name": self.name,
            "unit": self.unit,
            "median": _rounded(self.median),
            "low": _rounded(self.low),
            "high": _rounded(self.high),
            "samples": self.samples,
            "floor": None if self.floor is None else _rounded(self.floor),
            "floor_is": self.floor_is,
            "ratio": None if self.ratio is None else _rounded(self.ratio),
            "goal": self.goal,
            "met": self.met,
            "higher_is_better": self.higher_is_better,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Figure:
        """Return the figure that `as_json` gave; raises KeyError or TypeError for anything else."""
        names = set(cls.__slots__)
        return cls(**{name: value[name] for name in value if name in names})


@dataclass(frozen=True, slots=True)
class Curve:
    """A series that says more as a picture: lines through points, or bars side by side."""

    name: str
    x: str
    y: str
    lines: Mapping[str, Points]
    bars: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the curve, rounded, for a program."""
        return {
            "name": self.name,
            "x": self.x,
            "y": self.y,
            "bars": self.bars,
            "lines": {
                name: [[_rounded(x), _rounded(y)] for x, y in points]
                for name, points in self.lines.items()
            },
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Curve:
        """Return the curve that `as_json` gave; raises KeyError or TypeError for anything else."""
        lines = {
            name: tuple((float(x), float(y)) for x, y in points)
            for name, points in value["lines"].items()
        }
        return cls(value["name"], value["x"], value["y"], lines, value["bars"])


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of the benchmark found. `machine` is where and when."""

    name: str
    title: str
    figures: tuple[Figure, ...] = ()
    curves: tuple[Curve, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str = ""
    """A sentence, if it was not measured at all."""
    machine: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the part for a program, and for `from_json`."""
        return {
            "name": self.name,
            "title": self.title,
            "skipped": self.skipped,
            "figures": [each.as_json() for each in self.figures],
            "curves": [each.as_json() for each in self.curves],
            "notes": list(self.notes),
            "machine": dict(self.machine),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Part:
        """Return the part that `as_json` gave; raises KeyError or TypeError for anything else."""
        missing = ABOUT - value["machine"].keys()
        if value["machine"] and missing:
            raise KeyError(*missing)
        return cls(
            name=value["name"],
            title=value["title"],
            figures=tuple(Figure.from_json(each) for each in value["figures"]),
            curves=tuple(Curve.from_json(each) for each in value["curves"]),
            notes=tuple(value["notes"]),
            skipped=value["skipped"],
            machine=value["machine"],
        )


def parts_in(text: str) -> tuple[Part, ...]:
    """Return the parts in a file that `tests.bench --json` wrote.

    Raises ValueError for any other file.
    """
    try:
        return tuple(Part.from_json(each) for each in json.loads(text)["parts"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no figures of a benchmark: {error}") from error


def _rounded(value: float) -> float:
    """Return four significant digits, and whole numbers as they are."""
    return value if isinstance(value, int) else float(f"{value:.4g}")
