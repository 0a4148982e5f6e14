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
_HEAD: Final = ("", "trials", "passed", "failed", "unsupported", "not run", "seconds")


@dataclass(frozen=True, slots=True)
class Told:
    """What a report says: of which command, whether it passed, counts, seconds."""

    command: str
    passed: bool
    counts: tuple[int, int, int, int]
    """By mark, in the order of Mark."""
    seconds: float


def read_report(path: Path) -> Told:
    """Read the report in a file that `--report` wrote; raises UserError for any other."""
    try:
        found = json.loads(read_bounded(path, LARGEST))
        counts = found["counts"]
        ran = (Mark.PASSED, Mark.FAILED, Mark.UNSUPPORTED)
        passed, failed, unsupported = (_count(counts[each.value]) for each in ran)
        return Told(
            safe_text(str(found["command"]), cells=LONGEST),
            found["passed"] is True,
            (passed, failed, unsupported, _count(counts.get(Mark.NOT_RUN.value, 0))),
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
    rows = [
        (each.command.removeprefix("conformance "), sum(each.counts), *each.counts, each.seconds)
        for each in reports
    ]
    totals = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    width = max(len(_HEAD[0]), *(len(row[0]) for row in rows), len("all"))
    yield f"{_HEAD[0]:{width}}  " + "  ".join(f"{each:>11}" for each in _HEAD[1:])
    for name, *numbers in [*rows, ("all", *totals)]:
        *counts, seconds = numbers
        yield f"{name:{width}}  " + "  ".join(f"{n:>11}" for n in counts) + f"  {seconds:>11.1f}"
    failed = [each.command for each in reports if not each.passed]
    yield f"not passed: {', '.join(failed)}" if failed else "all passed"
