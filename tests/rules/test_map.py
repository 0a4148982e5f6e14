"""The map in CONTRIBUTING is whole, and every file that it or the page on tests names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.parsed import FLOORS, ROOT

PAGES = ("CONTRIBUTING.md", "tests/README.md")


def the_map() -> str:
    """Return the table of folders."""
    return (ROOT / "CONTRIBUTING.md").read_text().split("\n## The map\n")[1].split("\n## ")[0]


def row_of(folder: str) -> str:
    """Return what the map says of a folder, "" if it has no row."""
    rows = (row.split(" | ") for row in the_map().splitlines() if row.startswith("| `"))
    return next((row[1] for row in rows if f"`{folder}/`" in row[0]), "")


def packages() -> list[Path]:
    """Return the folders of the three floors that hold modules, each from the root."""
    found = (path.parent for floor in FLOORS for path in (ROOT / floor).rglob("*.py"))
    return sorted({path.relative_to(ROOT) for path in found})


@pytest.mark.parametrize("folder", packages(), ids=str)
def test_every_folder_has_its_row_in_the_map_or_is_named_in_that_of_its_parent(
    folder: Path,
) -> None:
    assert row_of(str(folder)) or f"`{folder.name}/`" in row_of(str(folder.parent))


@pytest.mark.parametrize("floor", FLOORS)
def test_every_module_at_the_root_of_a_floor_is_in_the_map(floor: str) -> None:
    modules = {path.stem for path in (ROOT / floor).glob("[!_]*.py")}
    assert modules
    assert modules - set(re.findall(r"`(\w+)`", row_of(floor))) == set()


def paths_of(page: str) -> list[str]:
    """Return every path that a page names in backquotes: of a folder, or of a file.

    Not those that stand for others (`NAME`, `NNN`), nor what git does not keep.
    """
    named = re.findall(r"`((?:[\w.-]+/)*[\w.-]+(?:/|\.(?:py|md|json)))`", (ROOT / page).read_text())
    return sorted(name for name in set(named) if not re.search(r"NAME|NNN|^\.", name))


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_is_named_is_there(page: str) -> None:
    named = paths_of(page)
    assert len(named) > 10
    places = [path for folder in (*FLOORS, "tests", "specs", "verifier") for path in walk(folder)]
    lost = [name for name in named if not any(at.endswith(f"/{name}") for at in places)]
    assert lost == []


def walk(folder: str) -> list[str]:
    """Return the paths of all files and folders below and with a folder; folders end with a /."""
    found = [f"/{folder}/"]
    for path in (ROOT / folder).rglob("*"):
        if "node_modules" not in path.parts:
            found.append(f"/{path.relative_to(ROOT)}{'/' * path.is_dir()}")
    return found
