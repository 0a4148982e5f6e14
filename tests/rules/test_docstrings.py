"""A function's docstring says what it does, verb first, what it takes, and what it raises.

Ruff's D401 sees most of the first.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.rules.parsed import FLOORS, READERS, modules, nodes

pytestmark = pytest.mark.xdist_group(READERS)

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
    for node in nodes(tree):
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


@pytest.mark.parametrize("floor", FLOORS)
def test_the_docstring_of_a_function_begins_with_a_verb(floor: str) -> None:
    found = {
        path: strange for path, tree in modules(floor).items() if (strange := named_instead(tree))
    }
    assert found == {}


def test_a_docstring_that_names_what_is_returned_is_found() -> None:
    told = 'def a():\n    """How many seats play."""\n\ndef b():\n    """Return the seats."""\n'
    assert named_instead(ast.parse(told)) == ["a, line 1: How ..."]


def test_a_property_is_told_as_what_it_is() -> None:
    told = 'class A:\n    @property\n    def size(self):\n        """How many there are."""\n'
    assert named_instead(ast.parse(told)) == []


# --- what it takes and raises ---------------------------------------------------------------------

READ_FIRST = re.compile(r"p2p304/(?!rules|bots|tournament)|protocol/(?!tournament)|cli/front/")
"""Modules of which a docstring names what its function raises by itself. Of the others, handlers
of one table raise what the game's `apply` does."""


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names of what a function takes."""
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {each.arg for each in named if each is not None}


def told_arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that the section `Args:` of a docstring tells."""
    _, _, section = (ast.get_docstring(node) or "").partition("\nArgs:\n")
    section = re.split(r"^\S", section, maxsplit=1, flags=re.MULTILINE)[0]
    listed = re.findall(r"^    (\w[\w, ]*):", section, re.MULTILINE)
    return {name for row in listed for name in re.split(r",\s*", row)}


def raised_by(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The errors that a function's own lines raise and do not catch."""
    walked = [*ast.walk(node)]
    raised = {
        ast.unparse(each.exc.func).split(".")[-1]
        for each in walked
        if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call)
    }
    caught = {
        name
        for each in walked
        if isinstance(each, ast.ExceptHandler) and each.type is not None
        for name in re.findall(r"\w+", ast.unparse(each.type))
    }
    return {name for name in raised - caught if name[0].isupper()}


def untold(tree: ast.Module) -> list[str]:
    """What functions raise, and have a docstring that does not name it."""
    return [
        f"{node.name}, line {node.lineno}: {', '.join(sorted(missing))}"
        for node in functions(tree)
        if (told := ast.get_docstring(node)) is not None
        if (missing := {name for name in raised_by(node) if name not in told})
    ]


@pytest.mark.parametrize("floor", FLOORS)
def test_what_a_docstring_says_of_arguments_is_about_those_that_the_function_takes(
    floor: str,
) -> None:
    strange = {
        f"{path}:{node.name}": names
        for path, tree in modules(floor).items()
        for node in functions(tree)
        if (names := told_arguments(node) - arguments(node))
    }
    assert strange == {}


def test_the_docstrings_of_the_doors_name_what_is_raised() -> None:
    found = {
        path: missing
        for floor in FLOORS
        for path, tree in modules(floor).items()
        if READ_FIRST.match(path) and (missing := untold(tree))
    }
    assert found == {}


def test_an_error_that_no_docstring_names_is_found() -> None:
    body = "    if x:\n        raise ValueError('x')\n    raise RulesError('5', 'no')\n"
    told = f'def a(x):\n    """Do it; raises ValueError."""\n{body}'
    assert untold(ast.parse(told)) == ["a, line 1: RulesError"]


def test_an_argument_that_is_no_more_is_found() -> None:
    tree = ast.parse('def a(x):\n    """Do it.\n\n    Args:\n        x, y: numbers.\n    """\n')
    (node,) = functions(tree)
    assert told_arguments(node) - arguments(node) == {"y"}
