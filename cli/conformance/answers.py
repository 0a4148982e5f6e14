"""Our own implementation as a program under test: operations, and what each answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final, TextIO, get_args, get_origin, get_type_hints

from p2p304.errors import GameError, NotationError, ProfileError, RulesError
from p2p304.plain_json import Answer, Json
from protocol.errors import IdentityPoint, MalformedMessage, PeerFault, ProofError

SPEC: Final = "wire/v0.1.0"


class Rejected(Exception):
    """The input is refused by `check`; `seat` is convicted where a transcript is judged."""

    def __init__(self, check: str, **more: Any) -> None:
        super().__init__(check)
        self.check = check
        self.more = more


Operation = Callable[[Json], Answer]
OPERATIONS: Final[dict[str, Operation]] = {}
READERS: Final[dict[Any, Callable[[Any], Any]]] = {bytes: bytes.fromhex, int: int, bool: bool}
"""How what an operation takes is made of JSON, where its type has no `from_bytes`."""


def operation(name: str) -> Callable[[Callable[..., Json]], Callable[..., Json]]:
    """Register a function as an operation: its parameters are the members of the input, read by
    their types, and bytes in what it returns are written in hexadecimal."""

    def register(function: Callable[..., Json]) -> Callable[..., Json]:
        kinds = get_type_hints(function)
        kinds.pop("return")

        def perform(given: Json) -> Answer:
            members = {each.rstrip("_"): each for each in kinds}
            known = {members[each]: given[each] for each in given if each in members}
            read = {each: _read(kinds[each], value) for each, value in known.items()}
            return Answer(_written(function(**read)))

        perform.__doc__ = function.__doc__
        OPERATIONS[name] = perform
        return function

    return register


def _read(kind: Any, value: Any) -> Any:
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], each) for each in value)
    if kind in READERS:
        return READERS[kind](value)
    read = getattr(kind, "from_bytes", None)
    return value if read is None else read(bytes.fromhex(value))


def _written(value: Any) -> Any:
    match value:
        case dict():
            return {name: _written(each) for name, each in value.items()}
        case list() | tuple():
            return [_written(each) for each in value]
        case bytes():
            return value.hex()
        case int() | str() | None:
            return value
        case _:
            return value.to_bytes().hex()


@cache
def operations() -> dict[str, Operation]:
    """Return every operation by its name; its docstring says what it takes and gives."""
    for room in ("cards", "messages", "files"):
        import_module(f"cli.conformance.operations.{room}")
    return OPERATIONS


def ask(name: str, given: Json) -> Json:
    """Return our own answer to a question, as the line protocol writes it."""
    if name == "hello":
        return {"output": {"name": "p2p304", "spec": SPEC}}
    perform = operations().get(name)
    if perform is None:
        return {"unsupported": True}
    try:
        answer = perform(given)
    except Rejected as verdict:
        return {"reject": verdict.check, **verdict.more}
    except (MalformedMessage, ProofError, PeerFault) as error:
        return {"reject": error.check}
    except IdentityPoint:
        return {"reject": "point.identity"}
    except NotationError:
        return {"reject": "action.notation"}
    except RulesError as error:
        return {"reject": "action.rule", "rule": error.rule}
    except ProfileError:
        return {"reject": "agreement"}
    except GameError as error:
        return {"reject": type(error).__name__}
    found: Json = {"output": answer.output}
    if answer.steps is not None:
        found["steps"] = answer.steps
    return found


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer line by line until there are no more questions."""
    for line in questions:
        question = json.loads(line)
        answer = {"id": question["id"], **ask(question["op"], question["input"])}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
