"""A sample of the campaign, of every part that needs no processes; `make faults` runs all of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.campaigns.faults import copies, disks, journals, kills, networks
from tests.campaigns.faults.__main__ import lines_of, run_part
from tests.campaigns.faults.allowance import allowed
from tests.campaigns.faults.parts import PARTS, PIECES, Part
from tests.campaigns.faults.plans import Act, Step, deaths_at
from tests.campaigns.faults.results import Piece, Result

pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")


def survived(result: Result, least: int) -> None:
    """Everything that was tried survived, and enough was tried."""
    assert result.faults == []
    assert result.survived == result.tried >= least


def test_a_seat_dies_at_writes_and_publishes_of_a_hand(tmp_path: Path) -> None:
    survived(kills.one_hand(tmp_path, 11, 2, Piece(3, 240)), 2)


def test_a_disk_fails_at_writes_of_a_hand(tmp_path: Path) -> None:
    survived(disks.one_hand(tmp_path, 11, 1, Piece(3, 240)), 1)


def test_the_last_record_is_cut_at_some_bytes(tmp_path: Path) -> None:
    survived(journals.cut_at(tmp_path, 11, 3, 60, most=3), 2)


@pytest.mark.long  # sessions with older journals are in `test_session` and `test_restored_journals`
def test_older_copies_are_restored(tmp_path: Path) -> None:
    survived(journals.rolled_back(tmp_path, 306, 2, 42, stride=20), 3)


@pytest.mark.long  # of networks, the censor is below; sessions in bad weather are in `test_session`
def test_a_hand_in_bad_weather(tmp_path: Path) -> None:
    survived(networks.in_weather(tmp_path, 11, "loss, repetition and reordering"), 1)


def test_a_seat_is_censored_and_waited_for_by_name_and_time(tmp_path: Path) -> None:
    survived(networks.censoring(tmp_path, 11, held=True), 1)


def test_a_copied_seat_is_noticed_and_a_second_one_locked_out(tmp_path: Path) -> None:
    survived(copies.copied(tmp_path, 11), 2)


def test_the_table_of_a_part_says_what_was_wrong_and_what_is_due() -> None:
    result = Result(7, 0, ["something was lost"], _kinds())
    said = "\n".join(lines_of("kills", PARTS["kills"], result, 1.0))
    assert "7         0" in said
    assert "WRONG: something was lost" in said
    assert "WRONG: 7 points were tried, and 1000 are due" in said


def _ten_points(_place: Path) -> Result:
    tried = sum(allowed() for _ in range(10))
    return Result(tried, tried, [], Counter())


@pytest.mark.parametrize(
    ("enough", "minutes", "tried"), [(25, 60.0, 25), (0, 60.0, 70), (25, 0.0, 0)]
)
def test_points_and_minutes_bound_what_is_tried_within_a_table_too(
    enough: int, minutes: float, tried: int
) -> None:
    part = Part("ten points a table", "", lambda *_: iter([_ten_points] * 7), enough)
    assert run_part(part, 304, jobs=2, minutes=minutes).tried == tried


def test_few_points_are_of_several_hands() -> None:
    few = next(PARTS["kills"].trials(304, 25)).keywords["piece"]  # type: ignore[attr-defined]
    assert few.pieces >= 10 * PIECES


def _kinds() -> Counter[str]:
    return Counter({f"write: {death}": 1 for death in deaths_at(Step(Act.WRITE, "journal", 1))})
