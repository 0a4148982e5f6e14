"""The page of attacks: every attack once, every test and every check that it names is there."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from protocol.transcript.checks import BY_NAME

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "specs" / "attacks.md"


class Row(NamedTuple):
    """One attack."""

    name: str
    attack: str
    outcome: str
    tests: tuple[str, ...]


def rows() -> list[Row]:
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if re.fullmatch(r"\| [A-Z]+[0-9]+ \|.*\|", line):
            assert len(cells) == 4, line
            found.append(
                Row(cells[0], cells[1], cells[2], tuple(re.findall(r"`([^`]+)`", cells[3])))
            )
    return found


@lru_cache
def names_in(path: str) -> tuple[frozenset[str], frozenset[str]]:
    """The tests of a file, and its texts, among which are the names of their cases."""
    nodes = [*ast.walk(ast.parse((ROOT / path).read_text("utf-8")))]
    tests = {
        node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    texts = {node.value for node in nodes
             if isinstance(node, ast.Constant) and isinstance(node.value, str)}  # fmt: skip
    return frozenset(tests), frozenset(texts)


@lru_cache
def checks() -> frozenset[str]:
    """Every name of a check: of the table, and what the protocol raises besides."""
    texts = {
        text
        for path in ROOT.glob("protocol/**/*.py")
        for text in names_in(str(path.relative_to(ROOT)))[1]
        if re.fullmatch(r"[a-z-]+\.[a-z_-]+", text)
    }
    return frozenset(texts | set(BY_NAME))


def missing(test: str) -> str:
    """What is not there of a test's name; "" if all is."""
    match = re.fullmatch(r"(tests/[a-z0-9_/]+\.py)::(test_\w+)(?:\[(.+)\])?", test)
    if match is None:
        return "not the name of a test"
    path, name, case = match.groups()
    if not (ROOT / path).exists():
        return f"no file {path}"
    tests, texts = names_in(path)
    if name not in tests:
        return f"no test {name}"
    return f"no case {case}" if case is not None and case not in texts else ""


def test_every_attack_has_a_name_of_its_own_in_the_order_of_its_section() -> None:
    """A section's numbers go up; only forgeries, which keep their old numbers, leave some out."""
    names = [row.name for row in rows()]
    assert len(names) > 100
    assert len(set(names)) == len(names)
    sections = groupby(names, lambda name: name.rstrip("0123456789"))
    for letters, section in [(letters, list(found)) for letters, found in sections]:
        numbers = [int(name.removeprefix(letters)) for name in section]
        assert numbers == sorted(numbers), letters
        assert letters == "A" or numbers == list(range(1, len(numbers) + 1)), letters


def test_what_a_row_names_exists() -> None:
    for row in rows():
        assert row.attack
        for check in re.findall(r"`([^` ]+)`", row.outcome):  # a command has spaces
            assert check in checks(), check
        for test in row.tests:
            assert not missing(test), f"{test}: {missing(test)}"
        assert len(set(row.tests)) == len(row.tests)
        assert row.tests or row.outcome.startswith(("not prevented", "struck")), "no test"


def test_a_name_that_is_wrong_is_noticed() -> None:
    good = "tests/table/test_lies.py::test_a_liar_is_refused_by_all_at_once[a second cut]"
    assert not missing(good)
    assert missing(good.replace("a second cut", "a third cut")) == "no case a third cut"
    assert missing(good.replace("at_once", "later")).startswith("no test")
    assert missing(good.replace("test_lies", "test_truths")).startswith("no file")
    assert missing("a second cut") == "not the name of a test"
    assert "key.profo" not in checks()
