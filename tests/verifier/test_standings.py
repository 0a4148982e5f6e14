"""A sample of `make standings`: random tournaments and records in both implementations."""

from __future__ import annotations

from pathlib import Path

from cli.conformance.program import ProgramUnderTest
from tests.campaigns.standings.random_standings import questions
from tests.campaigns.standings.run_standings import difference
from tests.long import examples

SCRIPT = Path(__file__).parents[2] / "verifier" / "node.mjs"


def test_random_tournaments_and_records_are_judged_alike(node: str) -> None:
    with ProgramUnderTest([node, str(SCRIPT)]) as program:
        found = (difference(program, each) for each in questions(304, 30, examples(8)))
        assert [each for each in found if each is not None] == []
