"""A function's docstring says what the function does, verb first; ruff's D401 sees most of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NO_VERBS = frozenset(
    re.findall(
        "[A-Z][a-z]+",
        """
        A After All An Another As At Before Each Every Everybody Everything For From How If In Its
        Like My No Nobody Not Nothing Of One Our So Some That The These This Those To What When
        Where Whether Which While Who Whom Whose Why With Without Your
        """,
    )
)
"""What a docstring begins with that names something instead."""


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every public function and method that is no property: that one is told as what it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = {ast.unparse(each) for each in node.decorator_list}
            public = not node.name.startswith("_") or node.name == "__init__"
            if public and not names & {"property", "cached_property"}:
                yield node


def named_instead(tree: ast.Module) -> list[str]:
    """The functions whose docstring does not begin with a verb."""
    found = []
    for node in functions(tree):
        words = re.findall(r"\w+", ast.get_docstring(node) or "")
        if words and words[0] in NO_VERBS:
            found.append(f"{node.name}, line {node.lineno}: {words[0]} ...")
    return found


@pytest.mark.parametrize("floor", ["p2p304", "protocol", "cli"])
def test_the_docstring_of_a_function_begins_with_a_verb(floor: str) -> None:
    found = {
        str(path.relative_to(ROOT)): strange
        for path in sorted((ROOT / floor).rglob("*.py"))
        if (strange := named_instead(ast.parse(path.read_text("utf-8"))))
    }
    assert found == {}


def test_a_docstring_that_names_what_is_returned_is_found() -> None:
    told = 'def a():\n    """How many seats play."""\n\ndef b():\n    """Return the seats."""\n'
    assert named_instead(ast.parse(told)) == ["a, line 1: How ..."]


def test_a_property_is_told_as_what_it_is() -> None:
    told = 'class A:\n    @property\n    def size(self):\n        """How many there are."""\n'
    assert named_instead(ast.parse(told)) == []
