"""Our own implementation as a program under test: questions in, answers out, a line each."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import Final, TextIO

from cli.conformance.answers import OPERATIONS, SPEC, answered
from p2p304.plain_json import Json

_ROOMS: Final = (
    "groups",
    "hashes",
    "messages",
    "cards",
    "statements",
    "games",
    "tournaments",
    "files",
    "wire",
)


def operations() -> dict[str, str]:
    """Return what every operation takes and gives, in the words of its function."""
    _load()
    return {name: (each.__doc__ or "").strip() for name, each in OPERATIONS.items()}


def ask(name: str, given: Json) -> Json:
    """Return our own answer to a question."""
    _load()
    if name == "hello":
        return {"output": {"name": "p2p304", "spec": SPEC}}
    return answered(name, given)


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer line by line until there are no more questions."""
    for line in questions:
        question = json.loads(line)
        answer = {"id": question["id"], **ask(question["op"], question["input"])}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


@cache
def _load() -> None:
    for room in _ROOMS:
        import_module(f"cli.conformance.operations.{room}")
