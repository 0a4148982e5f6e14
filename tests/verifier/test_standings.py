"""A sample of `make standings`: random tournaments and records in both implementations."""

from __future__ import annotations

from pathlib import Path

from cli.conformance.program import ProgramUnderTest
from protocol.tournament.pieces import RulingKind
from tests.campaigns.standings.random_standings import Question, questions
from tests.campaigns.standings.run_standings import difference
from tests.long import examples
from tests.table.championship import Championship

SCRIPT = Path(__file__).parents[2] / "verifier" / "node.mjs"


def test_random_tournaments_and_records_are_judged_alike(node: str) -> None:
    with ProgramUnderTest([node, str(SCRIPT)]) as program:
        found = (difference(program, each) for each in questions(304, 30, examples(8)))
        assert [each for each in found if each is not None] == []


def test_contrary_results_of_a_match_before_which_a_team_has_left_are_no_dispute(node: str) -> None:
    cup = Championship(4).drawn()
    cup.ruled(1, RulingKind.WITHDRAWN, cup.match(1).teams[0])
    cup.play(2)
    third = cup.match(3)
    cup.add(*cup.result(third, (1, 0)), *cup.result(third, (0, 1)))
    given = {"record": cup.record.to_bytes().hex(), "shown": []}
    with ProgramUnderTest([node, str(SCRIPT)]) as program:
        assert not difference(program, Question("a match", "tournament.record", given))
    assert not cup.judged.disputed_results
