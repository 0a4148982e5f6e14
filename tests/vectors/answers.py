"""Our own implementation as a program under test: operations, and what each answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, TextIO, get_args, get_origin, get_type_hints

from cli.conformance.program import AUDIT, SPEC
from cli.errors import UserError
from cli.invite import InviteError
from p2p304.errors import GameError, NotationError, ProfileError, RulesError, TournamentError
from protocol.errors import IdentityPoint, MalformedMessage, PeerFault, ProofError
from tests.vectors.plain_json import Answer, Json

_ROOMS: Final = "tests.vectors.operations"


Operation = Callable[[Json], Answer]
#: How what an operation takes is made of JSON, where its type has no `from_bytes`.
READERS: Final[dict[Any, Callable[[Any], Any]]] = {bytes: bytes.fromhex, int: int, bool: bool}

# From special to general: the first row that fits is told.
#: What is told of an error that names no check.
_NAMED: Final[tuple[tuple[type[Exception], str], ...]] = (
    (RulesError, "action.rule"),
    (TournamentError, "tournament.rule"),
    (NotationError, "action.notation"),
    (ProfileError, "agreement"),
    (IdentityPoint, "point.identity"),
    (InviteError, "invite"),
    (UserError, "charter.profile"),  # of a game that is not known here
)


def operations_of(module: ModuleType, *kinds: str) -> dict[str, Operation]:
    """Return the operations of a module, by name: its own public functions annotated to return one
    of `kinds`, such as `hand_over_verify` as `hand-over.verify`.

    Their parameters are the members of the input, read by their types; bytes in what they return
    are written in hexadecimal.
    """
    # One table of operations: a function's name is the operation's.
    found = {}
    for name, function in vars(module).items():
        category, _, asked = name.rpartition("_")
        # Functions that a module only imports are no operations.
        own = getattr(function, "__module__", None) == module.__name__ and name[0] != "_"
        # As text: annotations are not evaluated, and only functions that answer are marked so.
        if own and category and getattr(function, "__annotations__", {}).get("return") in kinds:
            found[f"{category.replace('_', '-')}.{asked}"] = _operation(function)
    return found


def _operation(function: Callable[..., Json | Answer]) -> Operation:
    """Return an operation that reads JSON by the function's types, calls it, and writes its
    result.
    """
    # Their types tell how each member is read.
    kinds = get_type_hints(function)

    def perform(given: Json) -> Answer:
        # A trailing underscore stands for a name that Python keeps, such as `from`.
        members = {name: each for each in kinds if (name := each.rstrip("_")) in given}
        read = {each: _read(kinds[each], given[name]) for name, each in members.items()}
        found = function(**read)
        return found if isinstance(found, Answer) else Answer(written(found))

    perform.__doc__ = function.__doc__
    return perform


def _read(kind: Any, value: Any) -> Any:
    """Return a JSON value as the given type: a tuple, a number, or hexadecimal as bytes or as
    what has `from_bytes`; unchanged for any other type.
    """
    # Homogeneous: every item is read as the first type says.
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], each) for each in value)
    if kind in READERS:
        return READERS[kind](value)
    read = getattr(kind, "from_bytes", None)
    # What has no reader is JSON already.
    return value if read is None else read(bytes.fromhex(value))


def written(value: Any) -> Any:
    """Return a result as JSON, with bytes, and what has `to_bytes`, in hexadecimal."""
    match value:
        case dict():
            return {name: written(each) for name, each in value.items()}
        case list() | tuple():
            return [written(each) for each in value]
        case bytes():
            return value.hex()
        # bool is an int.
        case int() | str() | None:
            return value
        case _:
            return value.to_bytes().hex()


# Read once: `hello` is answered without any of it.
@cache
def operations() -> dict[str, Operation]:
    """Return every operation by its name; its docstring says what it takes and gives."""
    rooms = [import_module(f"{_ROOMS}.{room}") for room in ("cards", "messages", "files")]
    found = {name: each for room in rooms for name, each in operations_of(room, "Json").items()}
    # The games' own operations are made from the registry.
    return {**found, **rooms[-1].of_games()}


def ask(name: str, given: Json) -> Json:
    """Return our own answer to a question, as the line protocol writes it: its output, the check
    that refuses it, or that an operation of this name is unsupported.
    """
    if name == "hello":
        return {"output": {"name": "p2p304", "spec": SPEC}}
    perform = operations().get(name)
    if perform is None:
        return {"unsupported": True}
    try:
        answer = perform(given)
    # A check that failed: it has a name.
    except (MalformedMessage, ProofError, PeerFault) as error:
        # Only an audit names whom it convicts (specs/conformance.md, 3).
        # A PeerFault has a seat; the others have none, and convict nobody.
        blamed = {"seat": getattr(error, "seat", None)} if name == AUDIT else {}
        return {"reject": error.check, **blamed}
    except (GameError, IdentityPoint, UserError) as error:
        # In order: InviteError is also a UserError.
        named = (check for kind, check in _NAMED if isinstance(error, kind))
        # The rules name the rule that forbids it, which vectors compare.
        more = {"rule": error.rule} if isinstance(error, RulesError | TournamentError) else {}
        return {"reject": next(named, type(error).__name__), **more}
    steps = {} if answer.steps is None else {"steps": answer.steps}
    return {"output": answer.output, **steps}


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer each line of `questions`, a JSON object with id, op and input, by a line in
    `answers`, until there are no more.
    """
    for line in questions:
        question = json.loads(line)
        # The id is sent back: the asker notices an answer to another question.
        answer = {"id": question["id"], **ask(question["op"], question["input"])}
        answers.write(json.dumps(answer) + "\n")
        # A pipe keeps what is not flushed, and the other side would wait.
        answers.flush()
