"""A sample of the campaign, of every part that needs no processes; `make faults` runs all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns.faults import trials
from tests.campaigns.faults.results import Piece, Result

pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")


def survived(result: Result, least: int) -> None:
    """Everything that was tried survived, and enough was tried."""
    assert result.faults == []
    assert result.survived == result.tried >= least


def test_a_seat_dies_at_writes_and_publishes_of_a_hand(tmp_path: Path) -> None:
    survived(trials.dying_hand(tmp_path, 11, 2, Piece(3, 240)), 2)


def test_a_disk_fails_at_writes_of_a_hand(tmp_path: Path) -> None:
    survived(trials.failing_hand(tmp_path, 11, 1, Piece(3, 240)), 1)


def test_the_last_record_is_cut_at_some_bytes(tmp_path: Path) -> None:
    survived(trials.cut_at(tmp_path, 11, 3, 60, most=3), 2)


@pytest.mark.long  # sessions with older journals are in `test_session`
def test_older_copies_are_restored(tmp_path: Path) -> None:
    survived(trials.rolled_back(tmp_path, 306, 2, 42, stride=20), 3)


@pytest.mark.long  # of networks, the censor is below; sessions in bad weather are in `test_session`
def test_a_hand_in_bad_weather(tmp_path: Path) -> None:
    survived(trials.in_weather(tmp_path, 11, "loss, repetition and reordering"), 1)


def test_a_seat_is_censored_and_waited_for_by_name_and_time(tmp_path: Path) -> None:
    survived(trials.censoring(tmp_path, 11, held=True), 1)


def test_a_copied_seat_is_noticed_and_a_second_one_locked_out(tmp_path: Path) -> None:
    survived(trials.copied(tmp_path, 11), 2)
