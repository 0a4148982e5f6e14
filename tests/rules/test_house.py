"""The house holds: for every contract and every tool a planted violation, and it is caught.

The violations are planted in a temporary copy of the tree. What `make lint` runs is run here too,
so a tool that is configured away, or that looks at the wrong folder, shows as an unseen plant.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.campaigns.mutants.stages import STAGES
from tests.rules.parsed import FLOORS, READERS, ROOT, modules, nodes

CONTRACTS: Mapping[str, Mapping[str, Any]] = {
    each["id"]: each
    for each in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
}

# One worker holds the copy and its warm caches for all tests of this file.
pytestmark = pytest.mark.xdist_group(READERS)


class Plant(NamedTuple):
    """Lines to append to files (made where they do not exist), and what the report must name."""

    lines: Mapping[str, str]
    named: tuple[str, ...]


def imports(folder: str, *modules: str) -> Plant:
    """A new module in `folder` that imports `modules`; the report must name each import."""
    lines = "".join(f"import {module}\n" for module in modules)
    planted = f"{folder.replace('/', '.')}.planted"
    named = (
        f"{planted} -> {module if module.startswith(FLOORS) else module.split('.')[0]} "
        for module in modules
    )
    return Plant({f"{folder}/planted.py": lines}, tuple(named))


def into(file: str, *modules: str) -> Plant:
    """Imports at the end of a module; the report must name it as the importer."""
    lines = "".join(f"import {module}\n" for module in modules)
    name = file.removesuffix(".py").replace("/", ".")
    return Plant({file: lines}, (f"{name} -> " if modules else name,))


def homeless(room: str) -> Plant:
    """A module that belongs to no layer of a room whose layers are all named."""
    return into(f"{room}/planted.py")


def imported_anywhere(*modules: str) -> list[Plant]:
    """An import of `modules` in each of the three floors."""
    return [imports(floor, *modules) for floor in FLOORS]


PLANTS: Mapping[str, list[Plant]] = {
    "floors": [
        imports("p2p304", "protocol.errors"),
        imports("p2p304", "cli.errors"),
        imports("protocol", "cli.errors"),
        into("p2p304/rules304/pack.py", "protocol.errors"),
    ],
    "circles": [
        Plant(
            {
                f"{floor}/planted.py": f"import {floor}.planted_too\n",
                f"{floor}/planted_too.py": f"import {floor}.planted\n",
            },
            (f"No cycles are allowed in {floor}.", ".planted_too -> .planted "),
        )
        for floor in FLOORS
    ],
    "pure-rules": [imports("p2p304", *CONTRACTS["pure-rules"]["forbidden_modules"])],
    "pure-protocol": [imports("protocol", *CONTRACTS["pure-protocol"]["forbidden_modules"])],
    "rooms-of-the-rules": [
        imports("p2p304/rules304", "p2p304.bots"),
        imports("p2p304/rules304", "p2p304.rules41"),
        imports("p2p304/rules41", "p2p304.rules304"),
        imports("p2p304/rules304", "p2p304.simulator", "p2p304.library"),
        imports("p2p304/tournament", "p2p304.rules304", "p2p304.rules41", "p2p304.bots"),
        imports("p2p304/tournament", "p2p304.game", "p2p304.seats", "p2p304.randomness"),
        into("p2p304/statements.py", "p2p304.rules304.pack"),
        into("p2p304/game.py", "p2p304.games"),
        into("p2p304/cards.py", "p2p304.view"),
        homeless("p2p304"),
    ],
    "rooms-of-the-bots": [
        imports("p2p304/bots/search", "p2p304.bots.play304", "p2p304.bots.play41"),
        imports("p2p304/bots/play304", "p2p304.bots.play41", "p2p304.bots.players"),
        imports("p2p304/bots/play41", "p2p304.bots.play304"),
        homeless("p2p304/bots"),
    ],
    "any-game": [
        imports("protocol", "p2p304.rules304.pack"),
        imports("protocol", "p2p304.rules41.rules"),
        imports("protocol", "p2p304.games"),
        imports("protocol", "p2p304.bots.players"),
    ],
    "rooms-of-the-protocol": [
        into("protocol/proofs/sigma.py", "protocol.wire.messages"),
        into("protocol/group/point.py", "protocol.proofs.sponge"),
        into("protocol/proofs/batch_dleq.py", "protocol.table.ledger"),
        into("protocol/topics/chat.py", "protocol.transcript.auditor"),
        into("protocol/wire/schema.py", "protocol.cards.deck"),
        homeless("protocol"),
    ],
    "main-line": [into("protocol/seat/session.py", "protocol.topics.rematch")],
    "proofs-are-strangers": [into("protocol/proofs/shuffle.py", "protocol.proofs.batch_dleq")],
    "rooms-of-the-program": [
        imports("cli/net", "cli.store"),
        imports("cli/store", "cli.net.address"),
        imports("cli/net", "cli.commands.demo"),
        imports("cli/net", "cli.seat"),
        imports("cli/seat", "cli.commands.rules"),
        imports("cli/commands", "cli.main"),
        imports("cli/net", "cli.screen.model"),
        imports("cli/screen", "cli.seat.player"),
        imports("cli/front", "cli.screen.model"),
        into("cli/errors.py", "cli.net.address"),
        into("cli/seat/driver.py", "cli.auditing"),
        homeless("cli"),
    ],
    "games-tell-themselves": [
        imports("cli", "p2p304.rules304.pack", "p2p304.rules41.rules"),
        imports("cli/screen", "p2p304.rules304.telling.game"),
    ],
    "pure-screens": [
        into("cli/screen/render.py", "time"),
        into("cli/screen/model.py", "cli.net.address"),
    ],
    "a-seat-anywhere": [
        imports("cli/seat", "subprocess", "ssl", "platformdirs"),
        into("cli/seat/driver.py", "cli.store.journal"),
        into("cli/seat/way_in.py", "cli.net.mqtt"),
        into("cli/front/assistant.py", "cli.workers"),
    ],
    "coincurve": imported_anywhere("coincurve"),
    "btclib": imported_anywhere("btclib_libsecp256k1"),
    "cryptography": imported_anywhere("cryptography.hazmat.primitives.hashes"),
    "spake2": imported_anywhere("spake2"),
    "zeroconf": imported_anywhere("zeroconf"),
    "msgpack": imported_anywhere("msgpack"),
    "prompt-toolkit": [*imported_anywhere("prompt_toolkit"), imports("cli/net", "prompt_toolkit")],
    "mqtt": imported_anywhere("amqtt", "paho", "websockets"),
    "click": [*imported_anywhere("click"), imports("cli/net", "click")],
}


def copy_of_the_tree(target: Path) -> Path:
    """The checkout as `make lint` sees it; its .venv is the environment of this very Python."""
    ignored = shutil.ignore_patterns("__pycache__", "vectors", "examples", "screens")
    for name in (*FLOORS, "tests"):
        shutil.copytree(ROOT / name, target / name, ignore=ignored)
    for name in ("pyproject.toml", "Makefile", "README.md", "LICENSE", ".gitignore"):
        shutil.copy2(ROOT / name, target / name)
    (target / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return target


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One copy for all plants of this file; whoever plants in it weeds afterwards."""
    return copy_of_the_tree(tmp_path_factory.mktemp("house"))


class Garden:
    """Plants violations in a copy of the tree, and takes them out again."""

    def __init__(self, house: Path) -> None:
        self.house = house
        self._before: dict[Path, bytes | None] = {}

    def plant(self, lines: Mapping[str, str]) -> None:
        """Append `lines` to the files that they name."""
        for name, text in lines.items():
            path = self.house / name
            before = path.read_bytes() if path.exists() else None
            self._before.setdefault(path, before)
            path.write_bytes((before or b"") + text.encode())

    def weed(self) -> None:
        """Put every file back as it was."""
        for path, before in self._before.items():
            if before is None:
                path.unlink()
            else:
                path.write_bytes(before)
        self._before.clear()


@pytest.fixture
def garden(house: Path) -> Iterator[Garden]:
    """Where to plant; clean again after the test."""
    garden = Garden(house)
    yield garden
    garden.weed()


def run(house: Path, *command: str) -> tuple[int, str]:
    """The exit code and everything that `command` printed in the copy."""
    done = subprocess.run(
        command, cwd=house, capture_output=True, text=True, timeout=280, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout + done.stderr


def lint_imports(house: Path, *contracts: str) -> tuple[int, str]:
    """The verdict of import-linter on these contracts."""
    tool = str(house / ".venv" / "bin" / "lint-imports")
    chosen = [word for contract in contracts for word in ("--contract", contract)]
    return run(house, tool, "--no-logo", *chosen)


def lint_commands(house: Path) -> Mapping[str, list[str]]:
    """What `make lint` runs: by the command as a person would type it, as it stands there."""
    code, output = run(
        house,
        *("env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u", "MAKELEVEL"),  # of a make that tests
        "make",
        "--no-print-directory",
        "--dry-run",
        "--old-file=.venv/runnable.stamp",
        "--old-file=.venv/installed.stamp",
        "lint",
    )
    assert code == 0, output
    commands = [line.split() for line in output.splitlines()]
    return {" ".join((Path(each[0]).name, *each[1:])): each for each in commands}


def test_every_contract_has_a_planted_violation() -> None:
    assert set(PLANTS) == set(CONTRACTS)
    assert all(PLANTS.values())


def test_without_a_plant_no_contract_is_broken(house: Path) -> None:
    code, report = run(house, str(house / ".venv" / "bin" / "lint-imports"), "--no-logo")
    assert code == 0, report


#: Contracts about a library each: what breaks one is nothing to the others.
LIBRARIES = (
    *("coincurve", "btclib", "cryptography", "spake2", "zeroconf"),
    *("msgpack", "prompt-toolkit", "mqtt", "click"),
)


@pytest.mark.parametrize(
    "contracts",
    [LIBRARIES, *((each,) for each in CONTRACTS if each not in LIBRARIES)],
    ids=lambda contracts: contracts[0] if len(contracts) == 1 else "libraries",
)
def test_a_contract_is_broken_by_each_of_its_plants(
    contracts: tuple[str, ...], garden: Garden
) -> None:
    plants = [plant for contract in contracts for plant in PLANTS[contract]]
    for plant in plants:
        garden.plant(plant.lines)
    code, report = lint_imports(garden.house, *contracts)
    assert code == 1, report
    assert f"Contracts: 0 kept, {len(contracts)} broken." in report
    for named in (named for plant in plants for named in plant.named):
        assert named in report, f"{named!r} is not named:\n{report}"


#: The modules of the standard library that touch nothing outside their arguments.
PURE = {
    *("__future__", "abc", "base64", "bisect", "collections", "contextlib", "copy", "dataclasses"),
    *("difflib", "enum", "functools", "heapq", "itertools", "math", "operator", "re", "string"),
    *("struct", "types", "typing", "unicodedata"),
}

MAY_IMPORT = {
    "p2p304": PURE | {"p2p304", "importlib"},  # the latter for `games` alone: a contract says so
    "protocol": PURE
    | {"p2p304", "protocol", "hashlib", "hmac"}
    | {"btclib_libsecp256k1", "coincurve", "cryptography", "msgpack", "spake2"},
}


def imported_modules(house: Path, floor: str) -> set[str]:
    """The top-level modules that `floor` imports anywhere."""
    found: set[str] = set()
    for tree in modules(floor, house).values():
        for node in nodes(tree):
            match node:
                case ast.Import(names):
                    found.update(alias.name.split(".")[0] for alias in names)
                case ast.ImportFrom(module=str(module)):
                    found.add(module.split(".")[0])
    return found


@pytest.mark.parametrize("floor", MAY_IMPORT)
def test_the_lower_floors_import_nothing_that_is_not_known_to_be_pure(
    floor: str, garden: Garden
) -> None:
    assert imported_modules(garden.house, floor) - MAY_IMPORT[floor] == set()
    inside = "def f():\n    from os.path import sep\n    import timeit\n"
    garden.plant({f"{floor}/planted.py": inside})
    assert imported_modules(garden.house, floor) - MAY_IMPORT[floor] == {"os", "timeit"}


def declared_distributions() -> set[str]:
    """The names of what the program needs, as pyproject.toml lists them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[<>=\[]", each)[0].replace("_", "-") for each in project["dependencies"]}


def test_every_distribution_that_is_imported_is_declared() -> None:
    homes = packages_distributions()
    imported = set[str]()
    for floor in FLOORS:
        for module in imported_modules(ROOT, floor) - set(sys.stdlib_module_names) - set(FLOORS):
            imported.update(homes.get(module, [module]))
    assert imported
    assert {name.replace("_", "-").lower() for name in imported} <= declared_distributions()


class Fault(NamedTuple):
    """What to plant in which folders, and what one command of `make lint` must say to it."""

    command: str
    said: str
    text: str
    folders: tuple[str, ...] = FLOORS


IMPORT_LINTER = "lint-imports --no-logo"
FAULTS = [
    Fault(
        "ruff format --check .", "would be reformatted", "X = {  1:2}\n", (*FLOORS, "tests/rules")
    ),
    Fault("ruff check .", "F401", "import enum\n", (*FLOORS, "tests/rules")),
    Fault("ruff check .", "T201", 'print("hello")\n', ("p2p304", "protocol")),
    Fault("ruff check .", "TID251", "import random\n\nX = random.random\n"),
    Fault("ruff check .", "TID252", "from . import errors\n\nX = errors\n"),
    Fault("mypy", "no-untyped-def", "def planted(x):\n    return x\n"),
    Fault(
        # mypy lets an override rename a parameter; whoever calls it by keyword would be surprised.
        "pyright",
        "reportIncompatibleMethodOverride",
        "class Above:\n    def see(self, far: int) -> int:\n        return far\n\n\n"
        "class Below(Above):\n    def see(self, near: int) -> int:\n        return near\n",
    ),
    Fault(IMPORT_LINTER, ".planted", "import socket\n", ("p2p304", "protocol")),
]


def test_every_command_of_make_lint_has_a_planted_fault(house: Path) -> None:
    assert set(lint_commands(house)) == {fault.command for fault in FAULTS}


@pytest.fixture
def shell(house: Path, tmp_path: Path) -> Path:
    """The house with all its modules empty: a type checker would read the others for a minute."""
    for name in ("pyproject.toml", "Makefile", "README.md", "LICENSE", ".gitignore"):
        shutil.copy2(house / name, tmp_path / name)
    for path in house.rglob("*.py"):
        if ".venv" not in path.parts:
            there = tmp_path / path.relative_to(house)
            there.parent.mkdir(parents=True, exist_ok=True)
            there.touch()
    (tmp_path / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return tmp_path


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.said)
def test_a_tool_sees_what_is_planted_in_each_folder(
    fault: Fault, garden: Garden, shell: Path
) -> None:
    if fault.command != IMPORT_LINTER:  # which must find what its contracts name
        garden = Garden(shell)
    garden.plant({f"{folder}/planted.py": fault.text for folder in fault.folders})
    code, report = run(garden.house, *lint_commands(garden.house)[fault.command])
    garden.weed()
    assert code != 0, report
    assert fault.said in report, report
    for folder in fault.folders:
        place = f"{folder}/planted.py"
        assert place in report or place.replace("/", ".")[:-3] in report, report


def test_what_is_run_for_a_mutant_is_there() -> None:
    words = [word for runs in STAGES.values() for run in runs for word in run.split()]
    named = {word for word in words if word.startswith("tests/")}
    assert named
    assert {each for each in named if not (ROOT / each).exists()} == set()
