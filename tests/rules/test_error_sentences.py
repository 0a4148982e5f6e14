"""An error for people is a sentence; one for programs is a clause that goes on after its name."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import NamedTuple

import pytest

from tests.rules.parsed import FLOORS, READERS, modules, nodes

pytestmark = pytest.mark.xdist_group(READERS)

SENTENCES = {"UserError", "CheckFailed"}
CLAUSES = {"LocalError", "MalformedMessage", "ProofError", "RulesError", "NotationError",
           "ProfileError", "TournamentError", "InternalFault", "ValueError"}  # fmt: skip
NAMES = ("NUL", "U+", "Partner Close Caps", "PROFILES", "SEC", "RFC")
"""What is written with a capital wherever it stands."""


class Made(NamedTuple):
    """A call with a message of more than one word, and what is called."""

    place: str
    kind: str
    text: str


@cache
def classes_and_messages() -> tuple[dict[str, set[str]], list[Made]]:
    """The bases of every class of the program, and every message."""
    bases: dict[str, set[str]] = {}
    messages: list[Made] = []
    for floor in FLOORS:
        for path, tree in modules(floor).items():
            for node in nodes(tree):
                if isinstance(node, ast.ClassDef) and floor == "cli":
                    bases[node.name] = {ast.unparse(base) for base in node.bases}
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    place = f"{path}:{node.lineno}"
                    texts = (words_of(each) for each in node.args)
                    messages += (
                        Made(place, node.func.id, text) for text in texts if text and " " in text
                    )
    return bases, messages


def words_of(node: ast.expr) -> str | None:
    """A message as far as it is written down, with ~ for what is put into it; else None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "~" for part in node.values
        )
    return None


def kinds_of_sentences() -> set[str]:
    """The errors for people, and all that derive from them."""
    bases, _ = classes_and_messages()
    found = set(SENTENCES)
    while more := {name for name, parents in bases.items() if parents & found} - found:
        found |= more
    return found


def test_what_a_person_is_told_is_a_sentence() -> None:
    kinds = kinds_of_sentences()
    assert {"InviteError", "StoreError", "TableStopped"} <= kinds
    strange = {
        place: text
        for place, kind, text in classes_and_messages()[1]
        if kind in kinds
        and place.startswith("cli/")
        and not re.fullmatch(r"[A-Z0-9~'-].*[.!?~]", text, re.DOTALL)
    }
    assert strange == {}


def test_what_a_program_is_told_is_a_clause() -> None:
    strange = {
        place: text
        for place, kind, text in classes_and_messages()[1]
        if kind in CLAUSES and text[0].isupper() and not text.startswith(NAMES)
    }
    assert strange == {}
