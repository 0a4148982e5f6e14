"""The checker in another language, tried as a stranger's program is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cli.conformance.mutations import mutation
from cli.conformance.program import Program
from cli.conformance.results import Mark
from cli.conformance.trials import foreseen, try_honest, try_mutations, try_vectors
from cli.conformance.vectors import DEFAULT, vectors_in
from tests.long import long

HERE = Path(__file__).parent
SPECS = DEFAULT.parent
BEYOND = {"caps", "rules", "transcript", "evidence"}
"""Categories that need the rules of the game, at least here and there."""

OLDEST = (20, 19)
"""The Node that its packages need."""

pytestmark = pytest.mark.xdist_group("second")


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the checker, with its packages installed beside a copy of it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("Node is not here: the second implementation is not tried")
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, said.strip().lstrip("v").split(".")[:2])) < OLDEST:
        pytest.skip(f"Node {said.strip()} is too old: the second implementation is not tried")
    place = tmp_path_factory.mktemp("second")
    for path in (*HERE.glob("*.mjs"), HERE / "package.json"):
        shutil.copy(path, place)
    install = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    try:
        done = subprocess.run(install, cwd=place, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("the packages of the second implementation cannot be had in time")
    if done.returncode:
        pytest.skip("the packages of the second implementation cannot be had")
    os.environ["P2P304_SPECS"] = str(SPECS)
    return [node, str(place / "checker.mjs")]


@pytest.mark.parametrize("every", [9, *long(1)])
def test_it_answers_vectors_that_need_no_rules_of_play(checker: list[str], every: int) -> None:
    chosen = [each for at, each in enumerate(vectors_in(DEFAULT)) if at % every == 0]
    with Program(checker) as tried:
        trials = list(try_vectors(tried, chosen))
    assert [each for each in trials if each.mark is Mark.FAILED] == []
    unsupported = {each.suite for each in trials if each.mark is Mark.UNSUPPORTED}
    assert unsupported <= BEYOND
    assert len({each.suite for each in trials} - unsupported) >= 25
    assert sum(each.mark is Mark.PASSED for each in trials) >= 1_600 // every


def test_it_checks_the_cards_of_a_whole_hand(checker: list[str]) -> None:
    said = subprocess.run(
        [*checker, "check", str(SPECS / "vectors/hands/closed.p304")],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    for line in ("4 keys right", "4 shuffles right", "4 remixes right", "96 shares right"):
        assert line in said
    broken = bytearray((SPECS / "vectors/hands/closed.p304").read_bytes())
    broken[20_000] ^= 1
    place = Path(checker[1]).parent / "broken.p304"
    place.write_bytes(broken)
    done = subprocess.run(
        [*checker, "check", str(place)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "signature fails" in done.stdout


def test_it_judges_mutated_transcripts_as_we_do_as_far_as_it_sees(checker: list[str]) -> None:
    reached: dict[str | None, int] = {}
    for number in range(90):
        changed = mutation(304, number)
        reached.setdefault(foreseen(changed.base).verdict(changed.data)[0], number)
    with Program(checker) as tried:
        honest = list(try_honest(tried))
        trials = list(try_mutations(tried, 304, reached.values()))
    assert {each.mark for each in honest} == {Mark.UNSUPPORTED}
    assert [each for each in trials if each.mark is Mark.FAILED] == []
    assert sum(each.mark is Mark.PASSED for each in trials) >= 12


def test_its_packages_are_pinned_to_a_range_and_nothing_else_is_committed() -> None:
    wanted = json.loads((HERE / "package.json").read_text("utf-8"))
    assert set(wanted["dependencies"]) == {"@noble/curves", "@noble/hashes"}
    assert all("<" in each for each in wanted["dependencies"].values())
    kept = {path.name for path in HERE.iterdir()}
    assert not kept & {"node_modules", "package-lock.json"}
