"""Which case a test was at that failed in a loop over several."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from reprlib import Repr
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
_SHORT: Final = Repr()
_SHORT.maxother = _SHORT.maxstring = 200


def cases(error: pytest.ExceptionInfo[BaseException]) -> Iterator[str]:
    """Yield each loop of the tests that an error came out of, with what its variables were."""
    for entry in error.traceback:
        path, line, values = Path(entry.path), entry.lineno + 1, entry.frame.f_locals
        for loop in _loops(path) if TESTS in path.parents else ():
            if loop.body[0].lineno <= line <= (loop.body[-1].end_lineno or 0):
                names = [each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)]
                told = (f"{name} = {_told(values.get(name))}" for name in names)
                yield f"{path.name}:{loop.lineno}: {', '.join(told)}"


def _told(value: object) -> str:
    code = getattr(value, "__code__", None)
    return _SHORT.repr(value) if code is None else f"what line {code.co_firstlineno} does"


@cache
def _loops(path: Path) -> list[ast.For | ast.AsyncFor]:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return [node for node in nodes if isinstance(node, ast.For | ast.AsyncFor)]
