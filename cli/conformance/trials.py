"""Trials of programs that speak the line protocol: vectors as they lie in files, and audits of
mutated transcripts.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from cli.conformance.mutations import Verdict, expected_verdicts, mutation
from cli.conformance.program import AUDIT, Json, NoAnswer, ProgramUnderTest
from cli.conformance.tables import SAVED, saved_hand
from cli.errors import UserError
from cli.input_files import SPECS
from cli.sanitize import safe_text

Patch = list[list[Any]]

DEFAULT: Final = SPECS / "vectors"
# What a row tells of itself; everything else is its input.
_OF_A_ROW: Final = ("id", "about", "output", "steps", "expect", "blamed", "strange")


@dataclass(frozen=True, slots=True)
class Vector:
    """One vector with its whole input."""

    id: str
    category: str
    op: str
    about: str
    # Not shown where a vector is printed, as steps below: it may hold a whole file.
    input: Json = field(repr=False)
    output: Json | None = None  #: The results that are right; None if it must be refused.
    #: Pairs of a name and what came out there, in order; none where an operation has no steps.
    steps: list[list[Any]] = field(default_factory=list, repr=False)
    expect: str | None = None  #: The check that must fail; None if the input must be accepted.
    blamed: int | None = None  #: The seat that is convicted; None for nobody.
    judges: bool = False  #: Whether `blamed` is compared: a file was judged.
    strange: bool = False  #: Whether it is legal and looks wrong (specs/conformance.md).


def vectors_in(directory: Path, categories: tuple[str, ...] = ()) -> Iterator[Vector]:
    """Yield the vectors of all files in a directory, sorted by name; only those of `categories`, if
    any are given.

    JSON files of another kind are passed over. Raises UserError for a file that cannot be read as
    JSON or has a row that is no vector, and at the end if there were no such vectors, or none of a
    category that was named.
    """
    known: list[str] = []
    # Sorted: a run is the same on every machine, whatever the folder's order is.
    for path in sorted(directory.glob("*.json")):
        try:
            document = json.loads(path.read_text("utf-8"))
        # RecursionError: arrays within arrays without end.
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(f"{path} cannot be read: {error}") from error
        # Other files of the folder, such as saved hands, are no vectors.
        if isinstance(document, dict) and "category" in document and "vectors" in document:
            category = str(document["category"])
            known.append(category)
            if not categories or category in categories:
                try:
                    # Read whole: of a file that breaks off in the middle nothing is asked.
                    read = [*_read(directory, document)]
                # A row without its members, or with others than its base.
                except (LookupError, TypeError, ValueError, AttributeError) as error:
                    raise UserError(f"{path} has a row that is no vector: {error!a}") from error
                yield from read
    # A misspelled category must not pass as tried, alone or beside a right one.
    if not known or not set(categories) <= set(known):
        listed = f"; there are {', '.join(known)}" if known else ""
        raise UserError(f"There are no such vectors in {directory}{listed}.")


def _read(directory: Path, document: Json) -> Iterator[Vector]:
    """Yield the vectors of one parsed file.

    A row with a `base` is filled in from the row of that id before it: its operation, and each
    member of the input that the row does not give, or gives as a patch. Members that name a file in
    `directory` become its bytes in base64.
    """
    bases: dict[str, Json] = {}
    for row in document["vectors"]:
        # A mutation names the accepted vector that it changes; most of its input is that one's.
        # No row has the id "": a row without a `base` finds none, and may be one for others.
        base = bases.get(row.get("base", ""))
        if base is None:
            bases[row["id"]] = row
        given = {**(base["input"] if base else {}), **row["input"]}
        if base is not None:
            # A change of a member, in place of a whole one: files would be thousands of bytes.
            for name, value in row["input"].items():
                if isinstance(value, dict) and set(value) == {"patch"}:
                    # A value of its own may be a dictionary, too; only this key makes it a patch.
                    given[name] = patched_member(base["input"][name], value["patch"])
        yield Vector(
            category=document["category"],
            op=(base or row)["op"],
            input={name: _whole(directory, value) for name, value in given.items()},
            # The key and not its value: null says that nobody is convicted.
            judges="blamed" in row,
            **{name: row[name] for name in _OF_A_ROW if name in row},
        )


def patched_member(base: Any, patch: Patch) -> Any:
    """Return the member `base` of an input, changed by a patch.

    Hexadecimal is decoded, patched and encoded again; a reference to a file comes back with the
    patch beside it, to be applied when the file is read.
    """
    if isinstance(base, dict):
        # The bytes are read when the vector is asked.
        return {**base, "patch": patch}
    # In hexadecimal, as everything of a vector is.
    return apply_patch(bytes.fromhex(base), patch).hex()


def _whole(directory: Path, value: Any) -> Any:
    """Return a member of an input as a program is given it: the content of a file in base64,
    with its patch applied, if the member refers to one; anything else as it is.
    """
    # Other members are objects, too, such as a value or a hand's facts (specs/conformance.md, 1).
    if isinstance(value, dict) and "file" in value and set(value) <= {"file", "patch"}:
        data = (directory / value["file"]).read_bytes()
        return b64encode(apply_patch(data, value.get("patch", []))).decode("ascii")
    return value


def apply_patch(data: bytes, patch: Patch) -> bytes:
    """Return the bytes with a patch applied. Each entry is a place in the original bytes, a
    number of bytes to take out there, and hexadecimal to put in; entries are in ascending order
    of place.
    """
    # From the last to the first, so that places before it stay where they are.
    for at, remove, insert in reversed(patch):
        data = data[:at] + bytes.fromhex(insert) + data[at + remove :]
    return data


# --- results --------------------------------------------------------------------------------------

# Cells of a detail: what a program says must not flood the table (attacks CL6).
WIDEST: Final = 300


class Mark(Enum):
    """How one trial ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not_run"  #: The program had died too often before.


# A run has thousands of trials; those that pass need no word.
MOST_TOLD: Final = 20  #: How many failures a table tells one by one.


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried: of which suite, what it was, how it ended, and why."""

    suite: str
    name: str
    mark: Mark
    detail: str = ""  #: Why it ended so; "" where there is nothing to tell.


@dataclass(slots=True)
class Results:
    """All trials of a run."""

    command: str
    #: The name that the program gives itself; its command where no single program is asked.
    program: str
    trials: list[Trial] = field(default_factory=list)
    seconds: float = 0.0  #: How long the run took, set at its end.

    def counts(self, suite: str | None = None) -> dict[str, int]:
        """Return the number of trials with each mark, by the mark's value ("passed", "failed",
        "unsupported", "not_run"), zeros included: of one suite, or of all if None.
        """
        found = Counter(each.mark for each in self.trials if suite in (None, each.suite))
        return {mark.value: found[mark] for mark in Mark}

    def passed(self, *, strict: bool) -> bool:
        """Return whether at least one trial passed, none failed, and none was not run; with
        `strict`, also whether none was unsupported.
        """
        # In the order of Mark: passed, failed, unsupported, not run.
        passed, failed, unsupported, rest = self.counts().values()
        # Nothing tried is no success, and what was not run is a failure.
        return passed > 0 and not failed + rest + (unsupported if strict else 0)

    def remark(self, *, strict: bool) -> str:
        """Return a sentence why the run has not passed although nothing failed and all was run:
        things unsupported, or nothing tried; "" if it passed, or if the table shows why not.
        """
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
        """The names of the suites, each once, in the order of their first trials."""
        return tuple(dict.fromkeys(each.suite for each in self.trials))

    def table(self) -> Iterable[str]:
        """Yield lines for people: the program's name, the counts of each suite and of all, the
        first `MOST_TOLD` failures, why and how many trials were not run, and the time.
        """
        # Eight at the least, a choice: names of suites are about as long. In characters, not cells:
        # these names are ASCII.
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
        """Return the results as JSON: the counts of the run and of each suite, and every trial
        that did not pass, whatever its mark.
        """
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
        """Return JUnit XML: a testsuite for each suite, with all its trials; "skipped" are those
        unsupported or not run.
        """
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
        # Typed here: the library's types say Any.
        data: bytes = tostring(root, "utf-8", xml_declaration=True)
        return data


def _totals(counts: dict[str, int]) -> dict[str, int]:
    """Return counts as the attributes of a JUnit element: tests, failures, and, as skipped, both
    unsupported and not run.
    """
    # JUnit knows "skipped" for both.
    skipped = counts["unsupported"] + counts["not_run"]
    return {"tests": sum(counts.values()), "failures": counts["failed"], "skipped": skipped}


def _element(parent: Element | None, tag: str, **attributes: str | int) -> Element:
    """Return a new element, appended to `parent` unless that is None; its attributes are cut,
    and made safe for XML.
    """
    # XML has no control characters (attacks CL6).
    told = {name: safe_text(str(each), cells=WIDEST) for name, each in attributes.items()}
    return Element(tag, told) if parent is None else SubElement(parent, tag, told)


# --- trials ---------------------------------------------------------------------------------------

# As much as fits a line of a report.
_SHOWN: Final = 60

Wrong = Callable[[Json], str]  #: Returns why an answer is wrong; "" if it is right.


def _try(
    program: ProgramUnderTest, named: tuple[str, str], op: str, given: Json, wrong: Wrong
) -> Trial:
    """Ask the program operation `op`, and return the trial, `named` by suite and name: PASSED if
    `wrong` returns "" for the answer, else FAILED with what it returns.

    FAILED also if no answer comes, UNSUPPORTED if the program says so, NOT_RUN, without asking, if
    the program was given up.
    """
    # A program that dies at every question is not asked for hours.
    if program.given_up:
        return Trial(*named, Mark.NOT_RUN, program.given_up)
    try:
        answer = program.ask(op, given)
    # An error of the program is a failure of that trial alone.
    except NoAnswer as error:
        return Trial(*named, Mark.FAILED, str(error))
    if answer.get("unsupported"):
        return Trial(*named, Mark.UNSUPPORTED)
    why = wrong(answer)
    return Trial(*named, Mark.FAILED if why else Mark.PASSED, why)


# --- vectors --------------------------------------------------------------------------------------


def try_vectors(program: ProgramUnderTest, vectors: Iterable[Vector]) -> Iterator[Trial]:
    """Ask the program each vector, and yield its trial: PASSED if the answer is the one that the
    vector expects.
    """
    for each in vectors:
        named = each.category, each.id
        yield _try(program, named, each.op, each.input, partial(wrong_with, each))


def wrong_with(vector: Vector, answer: Json) -> str:
    """Return why an answer is not the one that the vector expects, after what the vector is
    about; "" if it is.
    """
    refused, wrong = answer.get("reject"), ""
    if vector.expect is None:
        # Refused although it is right.
        if "output" not in answer:
            wrong = f"refused by {_short(refused)}, it is right"
        elif not _same(answer["output"], vector.output):
            wrong = _difference(vector, answer)
    elif "reject" not in answer:
        wrong = f"accepted, {vector.expect} fails"
    elif refused != vector.expect:
        wrong = f"refused by {_short(refused)}, not {vector.expect}"
    # An audit also names whom it convicts: the check alone is not enough.
    elif vector.judges and not _same(answer.get("seat"), vector.blamed):
        wrong = f"blames {answer.get('seat')}, not {vector.blamed}"
    # `and`: "" stays "".
    return wrong and f"{vector.about}: {wrong}"


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same JSON."""
    # As text: in Python `True == 1`, and a program that answers `true` for a seat is wrong.
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _difference(vector: Vector, answer: Json) -> str:
    """Return a clause on where an accepted answer goes wrong: its first step that differs from
    the vector's, else the first member of its output that does.
    """
    # Steps are shown if the program gives any: they tell where it went wrong.
    theirs = answer.get("steps")
    if isinstance(theirs, list):
        # Not strict: fewer steps are no mistake.
        for mine, other in zip(vector.steps, theirs, strict=False):
            if not _same(mine, other):
                return f"first at {mine[0]}: {_short(other)}, not {_short(mine[1])}"
    output = answer["output"] if isinstance(answer["output"], dict) else {}
    # None is for the type: a vector that must be accepted has an output.
    for name, value in (vector.output or {}).items():
        if not _same(output.get(name), value):
            return f"{name} is {_short(output.get(name))}, not {_short(value)}"
    return "it has results that nobody asked for"


def _short(value: Any) -> str:
    """Return a text as it is, anything else as JSON; cut to `_SHOWN` characters, followed by
    "..." if it was cut.
    """
    # Cut for one line of a report.
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# --- audits ---------------------------------------------------------------------------------------


def try_honest(program: ProgramUnderTest) -> Iterator[Trial]:
    """Have the program audit the saved hands, and yield a trial of each: PASSED if its verdict is
    ours.
    """
    for name in SAVED:
        yield _audit(program, ("honest", name), saved_hand(name), name)


def try_mutations(program: ProgramUnderTest, seed: int, numbers: Iterable[int]) -> Iterator[Trial]:
    """Have the program audit the mutations with these numbers, and yield a trial of each: PASSED if
    the failed check and the convicted seat are ours.

    Once the program is given up, the rest are NOT_RUN.
    """
    for number in numbers:
        name = f"mutation {number}"
        if program.given_up:  # there is no need to make it
            yield Trial("mutations", name, Mark.NOT_RUN, program.given_up)
            continue
        changed = mutation(seed, number)
        # The first part is the name of the suite, so that a table groups them.
        named = changed.about.partition(",")[0], f"{name} of {changed.base}: {changed.about}"
        yield _audit(program, named, changed.data, changed.base)


#: Mutations for one copy of a program: its command, its patience, the seed, their numbers.
Share = tuple[str, float, int, list[int]]


def run_share(share: Share) -> list[Trial]:
    """Return the trials of a share of the mutations, for which the program is started here;
    raises UserError if it cannot be.
    """
    command, patience, seed, numbers = share
    with ProgramUnderTest(command, patience=patience) as program:
        # A list: the process that made them ends with it.
        return list(try_mutations(program, seed, numbers))


def lost_trials(share: Share, code: int) -> list[Trial]:
    """Return a trial, NOT_RUN, for every mutation of a share whose process ended with exit code
    `code`; also for those that it had tried.
    """
    ended = f"a process that tries mutations ended with exit code {code}"
    return [Trial("mutations", f"mutation {each}", Mark.NOT_RUN, ended) for each in share[-1]]


def _audit(program: ProgramUnderTest, named: tuple[str, str], data: bytes, base: str) -> Trial:
    """Have the program audit a file, and return the trial: PASSED if its verdict is ours.

    `base` names the saved hand from whose first difference we audit; any hand gives the same
    verdict.
    """

    def wrong(answer: Json) -> str:
        """Return how the program's verdict differs from ours; "" if it does not."""
        theirs, ours = verdict_in(answer), expected_verdicts(base).verdict(data)
        return "" if _same(theirs, ours) else f"{_verdict(theirs)}; ours is {_verdict(ours)}"

    given = {"transcript": b64encode(data).decode("ascii")}
    return _try(program, named, AUDIT, given, wrong)


def verdict_in(answer: Json) -> Verdict:
    """Return the check that fails and the seat that is convicted, None if nobody is.

    The check is None for a valid file, and "" for an answer without a verdict.
    """
    if "reject" in answer:
        return answer["reject"], answer.get("seat")
    output = answer.get("output")
    valid = isinstance(output, dict) and output.get("valid") is True
    # No verdict that we can read is not "valid" (attacks CL12).
    return (None, None) if valid else ("", None)


def _verdict(verdict: Verdict) -> str:
    """Return a verdict in words: "valid", or the failed check and the seat that it convicts."""
    check, seat = verdict
    if check is None:
        return "valid"
    blamed = "nobody" if seat is None else f"seat {seat}"
    # "" stands for an answer without a verdict.
    return f"{check or 'no verdict'}, convicting {blamed}"
