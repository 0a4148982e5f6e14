"""The names that CONTRIBUTING explains are names of the code, and no two mean one thing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("p2p304", "protocol", "cli")


def explained() -> list[str]:
    """The names in the table of words, in their order."""
    text = (ROOT / "CONTRIBUTING.md").read_text().split("### Words")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def classes() -> dict[str, list[str]]:
    """Every public class of the three packages, and the files that have one of that name."""
    found: dict[str, list[str]] = {}
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    return found


def test_every_name_that_is_explained_is_one_class_of_the_code() -> None:
    names, known = explained(), classes()
    assert len(names) > 10
    assert len(set(names)) == len(names)
    assert {name: known.get(name) for name in names if len(known.get(name, ())) != 1} == {}
