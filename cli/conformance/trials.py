"""Trials of programs that speak the line protocol: vectors, and audits of mutated transcripts."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from cli.conformance.answers import AUDIT
from cli.conformance.expected_verdicts import Verdict, expected_verdicts
from cli.conformance.mutations import mutation
from cli.conformance.onward import saved_hand
from cli.conformance.program import NoAnswer, ProgramUnderTest
from cli.conformance.results import Mark, Trial
from cli.conformance.tables import SAVED
from cli.conformance.vectors import Vector
from p2p304.plain_json import Json

# As much as fits a line of a report.
_SHOWN: Final = 60

Wrong = Callable[[Json], str]
"""Returns why an answer is wrong; "" if it is right."""


def _try(
    program: ProgramUnderTest, named: tuple[str, str], op: str, given: Json, wrong: Wrong
) -> Trial:
    """Ask the program something, `named` by its suite and its name, and judge the answer."""
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
    """Ask the program each vector, and yield what came of it."""
    for each in vectors:
        named = each.category, each.id
        yield _try(program, named, each.op, each.input, partial(wrong_with, each))


def wrong_with(vector: Vector, answer: Json) -> str:
    """Return why an answer is not the one that the vector asks for; "" if it is."""
    refused, wrong = answer.get("reject"), ""
    if vector.expect is None:
        # Refused although it is right.
        if "output" not in answer:
            wrong = f"refused by {_short(refused)}, it is right"
        elif answer["output"] != vector.output:
            wrong = _difference(vector, answer)
    elif "reject" not in answer:
        wrong = f"accepted, {vector.expect} fails"
    elif refused != vector.expect:
        wrong = f"refused by {_short(refused)}, not {vector.expect}"
    # An audit also names whom it convicts: the check alone is not enough.
    elif vector.judges and answer.get("seat") != vector.blamed:
        wrong = f"blames {answer.get('seat')}, not {vector.blamed}"
    return wrong and f"{vector.about}: {wrong}"


def _difference(vector: Vector, answer: Json) -> str:
    """Return the first intermediate value that differs, or the first result."""
    # Steps are shown if the program gives any: they tell where it went wrong.
    theirs = answer.get("steps")
    if isinstance(theirs, list):
        # Not strict: fewer steps are no mistake.
        for mine, other in zip(vector.steps, theirs, strict=False):
            if mine != other:
                return f"first at {mine[0]}: {_short(other)}, not {_short(mine[1])}"
    output = answer["output"] if isinstance(answer["output"], dict) else {}
    for name, value in (vector.output or {}).items():
        if output.get(name) != value:
            return f"{name} is {_short(output.get(name))}, not {_short(value)}"
    return "it has results that nobody asked for"


def _short(value: Any) -> str:
    """Return a value as text of at most _SHOWN characters."""
    # Cut for one line of a report.
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# --- audits ---------------------------------------------------------------------------------------


def try_honest(program: ProgramUnderTest, files: Iterable[Path] = ()) -> Iterator[Trial]:
    """Try saved hands, and files of the caller's, which must be judged as we judge them."""
    for name in SAVED:
        yield _audit(program, ("honest", name), saved_hand(name), name)
    for path in files:
        # Any base will do: a file is judged from its first difference.
        yield _audit(program, ("honest", path.name), path.read_bytes(), next(iter(SAVED)))


def try_mutations(program: ProgramUnderTest, seed: int, numbers: Iterable[int]) -> Iterator[Trial]:
    """Try mutated transcripts: verdict, check and convicted seat must be ours."""
    for number in numbers:
        name = f"mutation {number}"
        if program.given_up:  # there is no need to make it
            yield Trial("mutations", name, Mark.NOT_RUN, program.given_up)
            continue
        changed = mutation(seed, number)
        # The first part is the name of the suite, so that a table groups them.
        named = changed.about.partition(",")[0], f"{name} of {changed.base}: {changed.about}"
        yield _audit(program, named, changed.data, changed.base)


Share = tuple[str, float, int, list[int]]
"""Mutations for one copy of a program: its command, its patience, the seed, their numbers."""


def run_share(share: Share) -> list[Trial]:
    """Try a share of the mutations with a program of its own."""
    command, patience, seed, numbers = share
    with ProgramUnderTest(command, patience=patience) as program:
        # A list: the process that made them ends with it.
        return list(try_mutations(program, seed, numbers))


def lost_trials(share: Share, code: int) -> list[Trial]:
    """Return that a share was not tried, since the process that was to do it ended."""
    ended = f"a process that tries mutations ended with exit code {code}"
    return [Trial("mutations", f"mutation {each}", Mark.NOT_RUN, ended) for each in share[-1]]


def _audit(program: ProgramUnderTest, named: tuple[str, str], data: bytes, base: str) -> Trial:
    """Have the program audit a file, and compare its verdict with ours; `base` is the hand it
    begins as.
    """

    def wrong(answer: Json) -> str:
        """Return how the program's verdict differs from ours; "" if it does not."""
        theirs, ours = verdict_in(answer), expected_verdicts(base).verdict(data)
        return "" if theirs == ours else f"{_verdict(theirs)}; ours is {_verdict(ours)}"

    given = {"transcript": b64encode(data).decode("ascii")}
    return _try(program, named, AUDIT, given, wrong)


def verdict_in(answer: Json) -> Verdict:
    """Return the check that fails, None if the file is valid, and the seat that is convicted.

    The seat is None if nobody is.
    """
    if "reject" in answer:
        return answer["reject"], answer.get("seat")
    output = answer.get("output")
    valid = isinstance(output, dict) and output.get("valid") is True
    # No verdict that we can read is not "valid" (attacks CL12).
    return (None, None) if valid else ("", None)


def _verdict(verdict: Verdict) -> str:
    """Return a verdict in words."""
    check, seat = verdict
    if check is None:
        return "valid"
    blamed = "nobody" if seat is None else f"seat {seat}"
    # "" stands for an answer without a verdict.
    return f"{check or 'no verdict'}, convicting {blamed}"
