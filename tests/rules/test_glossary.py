"""Public classes are called by words of the glossary, of the rules, or of plain English."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from protocol import labels
from protocol.audit.checks import BY_NAME
from tests.vectors.other_names import OTHERS

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("p2p304", "protocol", "cli")
GAMES = ("p2p304/rules304", "p2p304/rules41", "p2p304/tournament", "p2p304/bots")
"""Rooms whose own words are those of the rules: several of them may give one name to their own."""

PLAIN = frozenset(
    re.findall(
        "[a-z]+",
        """
        advance advice agreed agreeing all announce answer any ask audit audited bad begin below
        beside beyond binary blamed board broken builder chat check clash closed code command
        comparison competent confirm confirmation contributed convicted count dealt decided defect
        demand deny differ disclosed down effort end ended ending entry equation errand error event
        exit fact failed field file go group handed here home i identity image input inquiry
        integer internal item judge judged known laid layout lazy like local log lying made
        malformed masked missed name node none not notation on option outlook output own peer play
        played player printer profile proposed protocol question rank rating reached received
        refusal remixed report result retelling rule said say secp seeded send sequence setup
        showed signature signed signing size sorted stage started statistic stopped story suit talk
        text thinking toggle took tournament tried type undertaking undone unfinished unseen user
        valuation variant verb verdict version waiting want wanted welcome who why wish witnessed
        word wrong
        """,
    )
)
"""Words that need no entry, because they say here what they say everywhere."""

WIRE = frozenset(
    {
        "argument",
        "associated",
        "blinded",
        "data",
        "digest",
        "hash",
        "hint",
        "id",
        "multiplication",
        "password",
        "sealing",
        "sigma",
        "topic",
    }
)
"""More words of names on the wire, most of them terms of cryptography."""


def words_section() -> str:
    """Return what CONTRIBUTING says of words."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return text.split("\n## Words\n")[1].split("\n## ")[0]


def explained() -> list[str]:
    """Return the names in the tables of the code's words, in their order; some with their
    module."""
    rows = re.findall(r"^\| (`[\w.]+`(?: `[\w.]+`)*) \|", words_section(), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]


@cache
def classes() -> dict[str, list[str]]:
    """Return every public class of the three packages, and the files that have one of that name."""
    found: dict[str, list[str]] = {}
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.py")):
            for name in re.findall(r"^class ([A-Z]\w*)\b", path.read_text(), re.MULTILINE):
                found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


def is_core(path: str) -> bool:
    """Tell whether a file is of the rules, of the protocol or of the root of the program."""
    return not path.startswith("cli/") or path.count("/") == 1


def in_words(name: str) -> list[str]:
    """Return the words of a class's name, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", name)]


def stem(word: str) -> str:
    """Return a word without the ending of its plural."""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def glossary() -> set[str]:
    """Return the words of the specification's terms and of the names that CONTRIBUTING explains."""
    terms = (ROOT / "specs/01-overview.md").read_text().split("## 1.2 Terms")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([a-z ,-]+) \|", terms, re.MULTILINE)
    assert len(rows) > 30
    words = {word for row in rows for word in re.findall(r"[a-z]+", row)} - {"term", "meaning"}
    words |= {word for name in explained() for word in in_words(name.split(".")[-1])}
    return {stem(word) for word in words | {"term"}}


@cache
def of_the_rules() -> set[str]:
    """Return every word in the specification of the games and of tournaments."""
    text = "".join((ROOT / "specs" / page).read_text() for page in ("rules.md", "tournament.md"))
    return {stem(word) for word in re.findall(r"[a-z]+", text.lower())}


def unknown(name: str, path: str, known: set[str]) -> list[str]:
    """Return the words of a name that no list has."""
    own = of_the_rules() if path.startswith(GAMES) else set()
    return [word for word in map(stem, in_words(name)) if word not in known | own]


def test_every_name_that_is_explained_is_one_class_of_the_code() -> None:
    names, known = explained(), classes()
    assert len(names) > 60
    assert len(set(names)) == len(names)
    for name in names:
        module, _, short = name.rpartition(".")
        homes = [path for path in known.get(short, ()) if is_core(path)]
        if module:
            homes = [path for path in homes if Path(path).stem == module]
        assert len(homes) == 1, f"{name} is in {homes}"


def test_every_public_class_is_called_by_known_words() -> None:
    known = glossary() | PLAIN
    strange = {
        f"{path}:{name}": words
        for name, paths in classes().items()
        for path in paths
        if is_core(path) and (words := unknown(name, path, known))
    }
    assert strange == {}


@pytest.mark.parametrize("name", ["Docket", "Proceedings", "Farewell"])
def test_a_new_noun_without_an_entry_is_strange(name: str) -> None:
    assert unknown(name, "protocol/ledger/ledger.py", glossary() | PLAIN) != []


def test_a_name_with_several_homes_is_explained_in_each() -> None:
    several = {
        f"{Path(path).stem}.{name}"
        for name, paths in classes().items()
        for path in paths
        if len([each for each in paths if is_core(each) and not each.startswith(GAMES)]) > 1
        and is_core(path)
        and not path.startswith(GAMES)
    }
    assert several - set(explained()) == set()


# --- names that are bytes -------------------------------------------------------------------------


def wire_names() -> dict[str, set[str]]:
    """Return every label and purpose, group of checks, category of vectors and kind of evidence."""
    texts = [value for value in vars(labels).values() if type(value) is bytes]
    return {
        "label": {
            text.decode().removeprefix("p2p304/v1/") for text in texts if b"with" not in text
        },
        "check": {name.split(".")[0] for name in (*BY_NAME, *OTHERS)},
        "vectors": {path.stem for path in (ROOT / "specs/vectors").glob("*.json")} - {"schema"},
        "evidence": {"conflict", "fault"},
    }


def listed() -> dict[str, tuple[str, str]]:
    """Return the rows of the table of names on the wire: each name, what it names, what the code
    says."""
    table = words_section().split("| on the wire | in the code |")[1]
    rows = re.findall(r"^\| (`[^|]+`) \(([a-z, ]+)\)[^|]*\| ([^|]+) \|", table, re.MULTILINE)
    return {
        name: (kinds, code) for names, kinds, code in rows for name in re.findall(r"`(.+?)`", names)
    }


def test_the_names_on_the_wire_that_are_explained_are_there_and_so_is_the_code() -> None:
    found = wire_names()
    everything = set().union(*found.values())
    assert len(listed()) > 15
    for name, (_, code) in listed().items():
        assert name in everything, f"{name} is nowhere on the wire"
        for said in re.findall(r"`(.+?)`", code):
            path = said.endswith(".py") and (ROOT / "protocol" / said).is_file()
            assert path or said in classes() or said in everything, f"{said} is not in the code"


def test_a_name_on_the_wire_is_made_of_the_words_of_the_code_or_is_explained() -> None:
    known = glossary() | PLAIN | of_the_rules() | {stem(word) for word in WIRE}
    modules = {path.stem for path in (ROOT / "protocol").rglob("*.py")}
    known |= {stem(word) for name in modules for word in name.split("_")}
    known |= {stem(word) for name in classes() for word in in_words(name)}
    strange = {
        kind: left
        for kind, names in wire_names().items()
        if (
            left := {
                name
                for name in names - set(listed())
                if any(stem(word) not in known for word in re.findall(r"[a-z]+", name))
            }
        )
    }
    assert strange == {}
