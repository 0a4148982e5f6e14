"""The list of `make attacks` applies: every defence is there to be taken out, and has tests."""

from __future__ import annotations

import pytest

from tests.crypto.run_mutants import ROOT, planted
from tests.table.defences import Defence
from tests.table.defences_of_rules import DEFENCES
from tests.table.run_attacks import cases_of


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda each: f"{each.row} {each.case}")
def test_the_defence_can_be_taken_out_and_tests_of_its_row_look(defence: Defence) -> None:
    honest = (ROOT / defence.path).read_text(encoding="utf-8")
    assert planted(honest, defence.mutant) != honest
    assert cases_of(defence)


def test_no_defence_is_listed_twice() -> None:
    assert len(set(DEFENCES)) == len(DEFENCES)
