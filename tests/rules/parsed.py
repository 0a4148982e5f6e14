"""The modules of the program as syntax trees, for tests that read them; each is parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("p2p304", "protocol", "cli")
#: The group of tests that one worker runs, so that all of them read the same trees.
READERS = "readers"


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module; each is walked once."""
    return tuple(ast.walk(tree))


def modules(floor: str, house: Path = ROOT) -> dict[str, ast.Module]:
    """Every module of a floor, by its path in the house."""
    found = {
        path.relative_to(house).as_posix(): parsed(path.read_text("utf-8"))
        for path in sorted((house / floor).rglob("*.py"))
    }
    assert found, f"there is no {floor} in {house}"
    return found
