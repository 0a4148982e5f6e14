"""The specification says what the code does: generated parts, links, names."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.tournament.record import MEANINGS
from protocol.transcript.checks import BY_NAME
from tests.vectors import specification
from tests.vectors.specification import filled, names

ROOT = specification.SPECS.parent
PAGES = [
    *sorted(specification.SPECS.glob("*.md")),
    *sorted(specification.SPECS.glob("guide/*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "deploy/README")),
]


def test_generated_parts_are_as_the_code_would_write_them() -> None:
    for page, text in specification.render().items():
        assert page.read_text("utf-8") == text, f"{page.name}: run `make specs`"


def test_every_part_that_is_written_stands_on_a_page_once() -> None:
    found = [name for page in specification.PAGES for name in names(page.read_text("utf-8"))]
    assert sorted(found) == sorted(specification.parts())


def test_a_part_that_was_changed_by_hand_is_noticed() -> None:
    page = "a\n<!-- generated: labels -->\nby hand\n<!-- end -->\nb"
    assert filled(page, {"labels": "by code"}) == page.replace("by hand", "by code")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    for target in re.findall(r"\]\((?!https:)([^)#]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


CHECK = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z]+([-_][a-z]+)*")
RAISED = {
    "other_version",
    "MalformedMessage",
    "ProofError",
    "PeerFault",
    "Broken",
    "by_rules",
    "_fail",
}
#: What a seat finds about itself: another machine with its key, its own journal, its own types.
ALONE = {"identity.elsewhere", "journal.order", "sigma.type", "signature.size"}


def reported() -> Iterator[tuple[str, str]]:
    """Every name of a check that `protocol` gives to an error, and where."""
    for path in sorted((specification.SPECS.parent / "protocol").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) in RAISED
            ):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Constant) and CHECK.fullmatch(str(inner.value)):
                        yield str(inner.value), path.name


def test_every_page_of_the_protocol_says_what_it_is_for_and_ends_with_an_example() -> None:
    protocol = [*sorted(specification.SPECS.glob("0*.md")), specification.SPECS / "rules.md"]
    for page in protocol:
        _, purpose, *_, last = page.read_text("utf-8").split("\n\n")
        assert purpose.startswith("This page "), page.name
        if page.name != "01-overview.md":
            assert last.rstrip().endswith("```\n<!-- end -->"), page.name


def test_the_table_of_decisions_has_a_row_for_each() -> None:
    folder = specification.SPECS / "decisions"
    listed = re.findall(r"^\| \[\d+\]\(([^)]+)\)", (folder / "README.md").read_text("utf-8"), re.M)
    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))


def elsewhere() -> set[str]:
    """The names of checks that the page lists as told by no audit."""
    page = (specification.SPECS / "06-files.md").read_text("utf-8")
    table = page.partition("Names outside an audit:\n\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", table, re.M))


def test_every_name_outside_audits_is_in_its_table_and_no_other_is() -> None:
    by_vectors_alone = {"agreement", "code", "invite", "lobby", "point.identity"}
    by_vectors_alone |= {"tournament.rule"}
    found = {name for name, _ in reported()} - set(BY_NAME) - ALONE
    assert elsewhere() == found | by_vectors_alone | set(MEANINGS)


def test_vectors_expect_names_of_the_two_tables() -> None:
    found, others = set[str](), elsewhere()
    for path in (specification.SPECS / "vectors").glob("*.json"):
        document = json.loads(path.read_text("utf-8"))
        for row in document.get("vectors", ()) if isinstance(document, dict) else ():
            expected = row.get("expect")
            assert expected is None or expected in BY_NAME or expected in others, row["id"]
            found |= {expected} - {None}
    assert len(found) > 100
