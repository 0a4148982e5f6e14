"""Every mutant still applies to the product, so that `make mutants` means what it says."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.crypto.mutants import CORE, TESTS, Mutant
from tests.crypto.mutants_of_cards import CARDS
from tests.crypto.run_mutants import ROOT, all_mutants, paths_of, planted

OURS = (*CORE, *CARDS)


@pytest.mark.parametrize("mutant", OURS, ids=lambda mutant: f"{mutant.file}: {mutant.reason}")
def test_the_mutant_applies_and_parses(mutant: Mutant) -> None:
    honest = (ROOT / "protocol" / f"{mutant.file}.py").read_text(encoding="utf-8")
    assert planted(honest, mutant) != honest


def test_every_mutant_has_tests_and_every_test_exists() -> None:
    assert {mutant.file for mutant in OURS} == set(TESTS)
    for mutant in all_mutants():
        paths = paths_of(mutant)
        assert paths
        assert all((ROOT / path).exists() for path in paths)


def test_no_mutant_is_listed_twice() -> None:
    changes = [(mutant.file, mutant.original, mutant.replacement) for mutant in OURS]
    assert len(set(changes)) == len(changes)


def test_the_page_counts_what_the_lists_have() -> None:
    page = (ROOT / "specs" / "reviews" / "002-mutants.md").read_text(encoding="utf-8")
    table = page[: page.index("in all.")]
    cells = re.findall(r"\| ([a-z_, ]+) \| (\d+) (?=\|)", table)
    counted = Counter(mutant.file for mutant in all_mutants())
    for modules, count in cells:
        assert sum(counted.pop(module) for module in modules.split(", ")) == int(count), modules
    assert not counted
    assert f"{len(all_mutants())} in all" in page
