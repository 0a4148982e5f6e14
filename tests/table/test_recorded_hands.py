"""Hands that were recorded as entropy and actions give the same bytes as then."""

from __future__ import annotations

import pytest

from tests.long import sample
from tests.table.recorded_hands import (
    KINDS,
    OTHERS,
    STORIES,
    TABLES,
    Recorded,
    play_again,
    recorded_hands,
)

RECORDED = recorded_hands()
#: One of a profile whose hands are not among the vectors, which are played again as well, and a
#: continuation.
KEPT = [RECORDED[4], RECORDED[94]]


def test_hands_of_all_kinds_are_recorded() -> None:
    assert sum(each.hands for each in RECORDED[:TABLES]) == 100
    assert {(each.game, each.agreement) for each in RECORDED[:TABLES]} == set(KINDS)
    others = [each.agreement for each in RECORDED[TABLES:]]
    assert others == [*OTHERS, *STORIES.values()]


@pytest.mark.parametrize(
    "recorded",
    sample(RECORDED, KEPT),
    ids=lambda each: f"{each.seed} {each.game} {each.agreement}".strip(),
)
def test_a_recorded_hand_gives_the_same_bytes_again(recorded: Recorded) -> None:
    assert play_again(recorded) == recorded
