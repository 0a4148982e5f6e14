"""Results of conformance: as a table, as JSON, as JUnit XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from cli.sanitize import safe_text
from p2p304.plain_json import Json

# Cells of a detail: what a program says must not flood the table (attacks CL6).
WIDEST = 300


class Mark(Enum):
    """How one trial ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not_run"
    """The program had died too often before."""


# A run has thousands of trials; those that pass need no word.
MOST_TOLD: Final = 20
"""How many failures a table tells one by one."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried: of which suite, what it was, how it ended, and why."""

    suite: str
    name: str
    mark: Mark
    detail: str = ""


@dataclass(slots=True)
class Results:
    """All trials of a run."""

    command: str
    program: str
    trials: list[Trial] = field(default_factory=list)
    seconds: float = 0.0

    def count(self, mark: Mark) -> int:
        """Return how many trials ended so."""
        return self.counts()[mark.value]

    def counts(self, suite: str | None = None) -> dict[str, int]:
        """Return how many trials, of one suite or of all, ended how, by the marks' names."""
        found = Counter(each.mark for each in self.trials if suite in (None, each.suite))
        return {mark.value: found[mark] for mark in Mark}

    def passed(self, *, strict: bool) -> bool:
        """Tell whether nothing failed, and something was tried."""
        # In the order of Mark: passed, failed, unsupported, not run.
        passed, failed, unsupported, rest = self.counts().values()
        # Nothing tried is no success, and what was not run is a failure.
        return passed > 0 and not failed + rest + (unsupported if strict else 0)

    def remark(self, *, strict: bool) -> str:
        """Return why a suite has not passed, where no failure says so; else nothing."""
        passed, failed, unsupported, rest = self.counts().values()
        # Whoever reads the table sees the failures; a rest without one needs a reason.
        if self.passed(strict=strict) or failed + rest:
            return ""
        if passed:
            return f"not passed: {unsupported} are unsupported, which --strict forbids"
        if unsupported:
            return f"not passed: the program supports none of the {unsupported} things tried"
        return "not passed: nothing was tried"

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites in the order in which they came."""
        return tuple(dict.fromkeys(each.suite for each in self.trials))

    def table(self) -> Iterable[str]:
        """Yield lines for people: a row for each suite, then what failed, and what was not run."""
        width = max([8, *(len(each) for each in self.suites)])
        # Its name is the program's own text.
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
        # All of them stopped for the same reason.
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
            "trials": [
                {"suite": e.suite, "name": e.name, "result": e.mark.value, "detail": e.detail}
                for e in self.trials
                # Trials that passed are counted: a list of ten thousand names tells nothing.
                if e.mark is not Mark.PASSED
            ],
            "counts": self.counts(),
        }

    def junit(self) -> bytes:
        """Return JUnit XML: a testsuite for each suite."""
        root = _element(None, "testsuites", name=self.command, **_totals(self.counts()))
        # JUnit wants a suite to be an element of its own.
        for suite in self.suites:
            under = _element(root, "testsuite", name=suite, **_totals(self.counts(suite)))
            for each in self.trials:
                if each.suite != suite:
                    continue
                case = _element(under, "testcase", classname=suite, name=each.name)
                if each.mark is not Mark.PASSED:
                    why = "failure" if each.mark is Mark.FAILED else "skipped"
                    _element(case, why, message=each.detail)
        # For people who open the file.
        indent(root, "")
        data: bytes = tostring(root, "utf-8", xml_declaration=True)
        return data


def _totals(counts: dict[str, int]) -> dict[str, int]:
    """Return counts as the attributes of a JUnit element."""
    # JUnit knows "skipped" for both.
    skipped = counts["unsupported"] + counts["not_run"]
    return {"tests": sum(counts.values()), "failures": counts["failed"], "skipped": skipped}


def _element(parent: Element | None, tag: str, **attributes: str | int) -> Element:
    """Return an element with attributes as XML can hold them."""
    # XML has no control characters (attacks CL6).
    told = {name: safe_text(str(each), cells=WIDEST) for name, each in attributes.items()}
    return Element(tag, told) if parent is None else SubElement(parent, tag, told)
