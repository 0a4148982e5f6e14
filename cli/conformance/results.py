"""Results of conformance: as a table, as JSON, as JUnit XML; several reports in one table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from cli.errors import UserError
from cli.input_files import read_bounded
from cli.sanitize import safe_text
from p2p304.plain_json import Json

WIDEST = 300


class Mark(Enum):
    """How one trial ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not_run"
    """The program had died too often before."""


MOST_TOLD: Final = 20
"""How many failures a table tells one by one."""
_SKIPPED: Final = (Mark.UNSUPPORTED, Mark.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried: of which suite, what it was, how it ended, and why."""

    suite: str
    name: str
    mark: Mark
    detail: str = ""

    def told(self) -> Json:
        """Return it as a report tells it."""
        told = {"suite": self.suite, "name": self.name}
        return {**told, "result": self.mark.value, "detail": self.detail}


@dataclass(slots=True)
class Results:
    """All trials of a run."""

    command: str
    program: str
    trials: list[Trial] = field(default_factory=list)
    seconds: float = 0.0

    def count(self, mark: Mark, suite: str | None = None) -> int:
        """Return how many trials, of one suite or of all, ended so."""
        return sum(
            each.mark is mark and (suite is None or each.suite == suite) for each in self.trials
        )

    def counts(self, suite: str | None = None) -> dict[str, int]:
        """Return the same for every mark by its name."""
        return {mark.value: self.count(mark, suite) for mark in Mark}

    def passed(self, *, strict: bool) -> bool:
        """Tell whether nothing failed, and something was tried."""
        wanting = self.count(Mark.FAILED) + self.count(Mark.NOT_RUN)
        wanting += self.count(Mark.UNSUPPORTED) if strict else 0
        return not wanting and self.count(Mark.PASSED) > 0

    def remark(self, *, strict: bool) -> str:
        """Return why a suite has not passed, where no failure says so; else nothing."""
        if self.passed(strict=strict) or self.count(Mark.FAILED) or self.count(Mark.NOT_RUN):
            return ""
        unsupported = self.count(Mark.UNSUPPORTED)
        if not self.trials:
            return "not passed: nothing was tried"
        if unsupported == len(self.trials):
            return f"not passed: the program supports none of the {unsupported} things tried"
        return f"not passed: {unsupported} are unsupported, which --strict forbids"

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites in the order in which they came."""
        return tuple(dict.fromkeys(each.suite for each in self.trials))

    def table(self) -> Iterable[str]:
        """Yield lines for people: a row for each suite, then what failed, and what was not run."""
        width = max([8, *(len(each) for each in self.suites)])
        yield f"{self.command}: {safe_text(self.program, cells=60)}"
        yield f"{'':{width}}  passed  failed  unsupported  not run"
        for suite in (*self.suites, None):
            passed, failed, unsupported, rest = self.counts(suite).values()
            yield f"{suite or 'all':{width}}  {passed:6}  {failed:6}  {unsupported:11}  {rest:7}"
        wrong = [each for each in self.trials if each.mark is Mark.FAILED]
        for each in wrong[:MOST_TOLD]:
            yield f"FAILED {each.name}: {safe_text(each.detail, cells=WIDEST)}"
        if len(wrong) > MOST_TOLD:
            yield f"... and {len(wrong) - MOST_TOLD} more"
        left = [each for each in self.trials if each.mark is Mark.NOT_RUN]
        if left:
            yield f"STOPPED: {safe_text(left[0].detail, cells=WIDEST)}; {len(left)} were not run"
        yield f"{len(self.trials) - len(left)} trials in {self.seconds:.1f} s"

    def as_json(self) -> Json:
        """Return everything, for programs."""
        return {
            "command": self.command,
            "program": self.program,
            "seconds": round(self.seconds, 3),
            "suites": {suite: self.counts(suite) for suite in self.suites},
            "trials": [each.told() for each in self.trials if each.mark is not Mark.PASSED],
            "counts": self.counts(),
        }

    def junit(self) -> bytes:
        """Return JUnit XML: a testsuite for each suite."""
        counts = {"tests": len(self.trials), "failures": self.count(Mark.FAILED)}
        root = _element(None, "testsuites", name=self.command, **counts)
        for suite in self.suites:
            trials = [each for each in self.trials if each.suite == suite]
            counts = {"tests": len(trials), "failures": self.count(Mark.FAILED, suite)}
            counts["skipped"] = sum(each.mark in _SKIPPED for each in trials)
            under = _element(root, "testsuite", name=suite, **counts)
            for each in trials:
                case = _element(under, "testcase", classname=suite, name=each.name)
                said = {"message": each.detail} if each.mark is not Mark.UNSUPPORTED else {}
                if each.mark is Mark.FAILED:
                    failure = _element(case, "failure", **said)
                    failure.text = safe_text(each.detail, cells=WIDEST)
                elif each.mark in _SKIPPED:
                    _element(case, "skipped", **said)
        indent(root, "")
        data: bytes = tostring(root, "utf-8", xml_declaration=True)
        return data


def _element(parent: Element | None, tag: str, **attributes: str | int) -> Element:
    """Return an element with attributes as XML can hold them."""
    told = {name: safe_text(str(each), cells=WIDEST) for name, each in attributes.items()}
    return Element(tag, told) if parent is None else SubElement(parent, tag, told)


# --- several reports ------------------------------------------------------------------------------

LARGEST: Final = 64 << 20
"""Bytes of a report, which tells every trial that did not pass."""
LONGEST: Final = 40
"""Cells of the name of a command."""
_HEAD: Final = ("trials", "passed", "failed", "unsupported", "not run", "seconds")


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What a report says: of which command, whether it passed, counts, seconds."""

    command: str
    passed: bool
    counts: tuple[int, ...]
    """By mark, in the order of Mark."""
    seconds: float


def read_report(path: Path) -> ReadReport:
    """Read the report in a file that `--report` wrote; raises UserError for any other."""
    try:
        found = json.loads(read_bounded(path, LARGEST))
        counts = {Mark.NOT_RUN.value: 0, **found["counts"]}
        return ReadReport(
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


def table(reports: Sequence[ReadReport]) -> Iterable[str]:
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
