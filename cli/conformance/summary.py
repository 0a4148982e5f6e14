"""Several reports of conformance told in one table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cli.conformance.results import Mark
from cli.errors import UserError
from cli.input_files import read_bounded
from cli.sanitize import safe_text

LARGEST: Final = 64 << 20
"""Bytes of a report, which tells every trial that did not pass."""
LONGEST: Final = 40
"""Cells of the name of a command."""
_HEAD: Final = ("trials", "passed", "failed", "unsupported", "not run", "seconds")


@dataclass(frozen=True, slots=True)
class Told:
    """What a report says: of which command, whether it passed, counts, seconds."""

    command: str
    passed: bool
    counts: tuple[int, ...]
    """By mark, in the order of Mark."""
    seconds: float


def read_report(path: Path) -> Told:
    """Read the report in a file that `--report` wrote; raises UserError for any other."""
    try:
        found = json.loads(read_bounded(path, LARGEST))
        counts = {Mark.NOT_RUN.value: 0, **found["counts"]}
        return Told(
            safe_text(str(found["command"]), cells=LONGEST),
            found["passed"] is True,
            tuple(_count(counts[each.value]) for each in Mark),
            float(found["seconds"]),
        )
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise UserError(f"{path} is no report of conformance: {error}.") from error


def _count(told: Any) -> int:
    if not 0 <= int(told) < 1 << 32:
        raise ValueError("a count of trials is none")
    return int(told)


def table(reports: Sequence[Told]) -> Iterable[str]:
    """Yield a row for each report, then the totals, then what it comes to."""
    rows: list[tuple[str, list[float]]] = []
    for each in reports:
        numbers = [sum(each.counts), *each.counts, each.seconds]
        rows.append((each.command.removeprefix("conformance "), numbers))
    columns = zip(*(numbers for _, numbers in rows), strict=True)
    rows.append(("all", [sum(column) for column in columns]))
    width = max(len(name) for name, _ in rows)
    yield f"{'':{width}}  " + "  ".join(f"{each:>11}" for each in _HEAD)
    for name, (*counts, seconds) in rows:
        yield f"{name:{width}}  " + "  ".join(f"{n:>11}" for n in counts) + f"  {seconds:>11.1f}"
    failed = [each.command for each in reports if not each.passed]
    yield f"not passed: {', '.join(failed)}" if failed else "all passed"
