"""What an operation of the line protocol answers, and how a program's refusals are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

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


def operation(name: str) -> Callable[[Operation], Operation]:
    """Register an operation under its name."""

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return register


def answered(name: str, given: Json) -> Json:
    """Return what our own implementation answers to a question, as the line protocol writes it."""
    perform = OPERATIONS.get(name)
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


def unhex(text: str) -> bytes:
    """Return the bytes that hexadecimal stands for."""
    return bytes.fromhex(text)
