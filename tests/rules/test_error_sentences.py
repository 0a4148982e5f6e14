"""An error for people is a sentence; one for programs is a clause that goes on after its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = {"UserError", "CheckFailed"}
CLAUSES = {"LocalError", "MalformedMessage", "ProofError", "RulesError", "NotationError",
           "ProfileError", "TournamentError", "InternalFault", "ValueError"}  # fmt: skip
NAMES = ("NUL", "U+", "Partner Close Caps", "PROFILES", "SEC", "RFC")
"""What is written with a capital wherever it stands."""


def trees(*floors: str) -> Iterator[tuple[str, ast.Module]]:
    for floor in floors:
        for path in sorted((ROOT / floor).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def words_of(node: ast.expr) -> str | None:
    """A message as far as it is written down, with ~ for what is put into it; else None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "~" for part in node.values
        )
    return None


def raised(tree: ast.Module, kinds: set[str]) -> Iterator[tuple[int, str]]:
    """Every message of more than one word that an error of these kinds is made with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds:
            for each in node.args:
                text = words_of(each)
                if text is not None and " " in text:
                    yield node.lineno, text


def kinds_of_sentences() -> set[str]:
    """The errors for people, and all that derive from them."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for _, tree in trees("cli")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = set(SENTENCES)
    while more := {name for name, parents in bases.items() if parents & found} - found:
        found |= more
    return found


def test_what_a_person_is_told_is_a_sentence() -> None:
    kinds = kinds_of_sentences()
    assert {"InviteError", "StoreError", "TableStopped"} <= kinds
    strange = {
        f"{path}:{line}": text
        for path, tree in trees("cli")
        for line, text in raised(tree, kinds)
        if not re.fullmatch(r"[A-Z0-9~'-].*[.!?~]", text, re.DOTALL)
    }
    assert strange == {}


def test_what_a_program_is_told_is_a_clause() -> None:
    strange = {
        f"{path}:{line}": text
        for path, tree in trees("p2p304", "protocol", "cli")
        for line, text in raised(tree, CLAUSES)
        if text[0].isupper() and not text.startswith(NAMES)
    }
    assert strange == {}
