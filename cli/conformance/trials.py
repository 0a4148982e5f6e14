"""Trials of programs that speak the line protocol: vectors, and audits of mutated transcripts."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from cli.conformance.answers import AUDIT
from cli.conformance.expected_verdicts import ExpectedVerdicts, Verdict, expected_verdicts
from cli.conformance.mutations import mutation
from cli.conformance.onward import kept
from cli.conformance.program import NoAnswer, ProgramUnderTest
from cli.conformance.results import Mark, Trial
from cli.conformance.tables import SAVED
from cli.conformance.vectors import Vector
from p2p304.plain_json import Json

_SHOWN: Final = 60


# --- vectors --------------------------------------------------------------------------------------


def try_vectors(program: ProgramUnderTest, vectors: Iterable[Vector]) -> Iterator[Trial]:
    """Ask the program each vector, and yield what came of it."""
    for each in vectors:
        if program.given_up:
            yield Trial(each.category, each.id, Mark.NOT_RUN, program.given_up)
            continue
        try:
            answer = program.ask(each.op, each.input)
        except NoAnswer as error:
            yield Trial(each.category, each.id, Mark.FAILED, str(error))
            continue
        yield judge_vector(each, answer)


def judge_vector(vector: Vector, answer: Json) -> Trial:
    """Judge whether an answer is the one that the vector asks for."""

    def ended(mark: Mark, detail: str = "") -> Trial:
        about = f"{vector.about}: {detail}" if detail else ""
        return Trial(vector.category, vector.id, mark, about)

    if answer.get("unsupported"):
        return ended(Mark.UNSUPPORTED)
    if vector.expect is None:
        if "output" not in answer:
            return ended(Mark.FAILED, f"refused by {_short(answer.get('reject'))}, it is right")
        if answer["output"] == vector.output:
            return ended(Mark.PASSED)
        return ended(Mark.FAILED, _difference(vector, answer))
    if "reject" not in answer:
        return ended(Mark.FAILED, f"accepted, {vector.expect} fails")
    if answer["reject"] != vector.expect:
        return ended(Mark.FAILED, f"refused by {_short(answer['reject'])}, not {vector.expect}")
    if vector.judges and answer.get("seat") != vector.blamed:
        return ended(Mark.FAILED, f"blames {answer.get('seat')}, not {vector.blamed}")
    return ended(Mark.PASSED)


def _difference(vector: Vector, answer: Json) -> str:
    """Return the first intermediate value that differs, or the first result."""
    theirs = answer.get("steps")
    if isinstance(theirs, list):
        for mine, other in zip(vector.steps, theirs, strict=False):
            if mine != other:
                return f"first at {mine[0]}: {_short(other)}, not {_short(mine[1])}"
    output = answer["output"] if isinstance(answer["output"], dict) else {}
    for name, value in (vector.output or {}).items():
        if output.get(name) != value:
            return f"{name} is {_short(output.get(name))}, not {_short(value)}"
    return "it has results that nobody asked for"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# --- audits ---------------------------------------------------------------------------------------


def try_honest(program: ProgramUnderTest, files: Iterable[Path] = ()) -> Iterator[Trial]:
    """Try saved hands, and files of the caller's, which must be judged as we judge them."""
    for name in SAVED:
        yield _compared(program, "honest", name, kept(name), expected_verdicts(name))
    for path in files:
        data = path.read_bytes()
        yield _compared(program, "honest", path.name, data, expected_verdicts(next(iter(SAVED))))


def try_mutations(program: ProgramUnderTest, seed: int, numbers: Iterable[int]) -> Iterator[Trial]:
    """Try mutated transcripts: verdict, check and convicted seat must be ours."""
    for number in numbers:
        if program.given_up:
            yield Trial("mutations", f"mutation {number}", Mark.NOT_RUN, program.given_up)
            continue
        changed = mutation(seed, number)
        name = f"mutation {number} of {changed.base}: {changed.about}"
        suite = changed.about.partition(",")[0]
        yield _compared(program, suite, name, changed.data, expected_verdicts(changed.base))


def mutated(share: tuple[str, float, int, list[int]]) -> list[Trial]:
    """Try a share of the mutations, (command, patience, seed, numbers), with a program of its
    own."""
    command, patience, seed, numbers = share
    with ProgramUnderTest(command, patience=patience) as program:
        return list(try_mutations(program, seed, numbers))


def not_tried(share: tuple[str, float, int, list[int]], code: int) -> list[Trial]:
    """Raise RuntimeError: the process that was to try this share ended."""
    del share
    raise RuntimeError(f"a process that tries mutations ended with exit code {code}")


def _compared(
    program: ProgramUnderTest, suite: str, name: str, data: bytes, reference: ExpectedVerdicts
) -> Trial:
    if program.given_up:
        return Trial(suite, name, Mark.NOT_RUN, program.given_up)
    given = {"transcript": b64encode(data).decode("ascii")}
    try:
        program.send(AUDIT, given)
        ours = reference.verdict(data)  # while the program thinks
        answer = program.answer()
    except NoAnswer as error:
        return Trial(suite, name, Mark.FAILED, str(error))
    if answer.get("unsupported"):
        return Trial(suite, name, Mark.UNSUPPORTED)
    theirs = verdict_in(answer)
    if theirs == ours:
        return Trial(suite, name, Mark.PASSED)
    return Trial(suite, name, Mark.FAILED, f"{_verdict(theirs)}; ours is {_verdict(ours)}")


def verdict_in(answer: Json) -> Verdict:
    """Return the check that fails, None if the file is valid, and the seat that is convicted.

    The seat is None if nobody is.
    """
    if "reject" in answer:
        return answer["reject"], answer.get("seat")
    output = answer.get("output")
    valid = isinstance(output, dict) and output.get("valid") is True
    return (None, None) if valid else ("", None)


def _verdict(verdict: Verdict) -> str:
    check, seat = verdict
    if check is None:
        return "valid"
    blamed = "nobody" if seat is None else f"seat {seat}"
    return f"{check or 'no verdict'}, convicting {blamed}"
