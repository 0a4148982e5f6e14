"""The campaign over every game and profile sees what the files of the seats show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.run_tables import audited, compared

SAVED = Path(__file__).parents[2] / "specs" / "vectors" / "hands" / "eight-card.p304"


@pytest.fixture
def homes(tmp_path: Path) -> list[Path]:
    """One saved hand in the folders of two seats."""
    files = [tmp_path / seat / "tables" / "table" / "0.p304" for seat in ("north", "south")]
    for path in files:
        path.parent.mkdir(parents=True)
        path.write_bytes(SAVED.read_bytes())
    return files


def test_equal_files_of_all_seats_are_valid_and_told_to_the_end(
    homes: list[Path], tmp_path: Path
) -> None:
    found = compared(tmp_path, 2)
    assert (found.files, found.identical, found.missing, found.different) == (
        (homes[0],), 1, 0, 0,
    )  # fmt: skip
    text, invalid, story = audited(found.files)
    assert (text, invalid) == ("1 of 1 valid", False)
    assert any(line.startswith("Trick 8") for line in story)


def test_a_file_that_differs_is_told_and_one_that_breaks_a_check_is_invalid(
    homes: list[Path], tmp_path: Path
) -> None:
    data = bytearray(SAVED.read_bytes())
    data[len(data) // 2] ^= 1
    homes[0].write_bytes(data)
    found = compared(tmp_path, 2)
    assert (found.identical, found.missing, found.different) == (0, 0, 1)
    text, invalid, _ = audited(found.files)
    assert invalid
    assert text.startswith("0 of 1 valid, ")


def test_a_hand_that_a_seat_does_not_have_is_told(homes: list[Path], tmp_path: Path) -> None:
    homes[1].unlink()
    assert compared(tmp_path, 2)[1:] == (0, 1, 0)
