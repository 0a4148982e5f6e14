"""Asserts: those of the program judge no input, and those of the tests are executed by `-O` too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.campaigns.hands import run_hands
from tests.rules.parsed import FLOORS, READERS, modules, nodes

pytestmark = pytest.mark.xdist_group(READERS)


def narrows(test: ast.expr) -> bool:
    """Whether an assert only tells the type checker what the lines before it made sure of."""
    match test:
        case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.Call(func=ast.Name(id="isinstance")):
            return True
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="isinstance"))):
            return True
        case ast.BoolOp(values=parts):
            return all(map(narrows, parts))
        case _:
            return False


def judging(module: ast.Module, name: str) -> Iterator[str]:
    """The asserts in a module that do more than narrow a type."""
    for node in nodes(module):
        if isinstance(node, ast.Assert) and not narrows(node.test):
            yield f"{name}:{node.lineno}: assert {ast.unparse(node.test)}"


@pytest.mark.parametrize("package", FLOORS)
def test_no_assert_of_the_program_judges_anything(package: str) -> None:
    trees = modules(package)
    assert len(trees) > 20
    found = [each for path, tree in trees.items() for each in judging(tree, path)]
    assert not found, "asserts vanish under -O:\n" + "\n".join(found)


def test_asserts_in_what_tests_import_are_rewritten_too() -> None:
    """Rewritten asserts are conditions that raise, which `-O` keeps."""
    assert type(run_hands.__spec__.loader).__name__ == "AssertionRewritingHook"
