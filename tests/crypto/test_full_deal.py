"""A complete deal in memory, through bytes: every seat reads its own hand and nobody else's."""

from __future__ import annotations

import pytest

from p2p304.cards import Card
from p2p304.seats import Seat
from protocol.cards.reading import read_card
from protocol.errors import ProofError
from tests.crypto.dealing import PACK_8, PACK_16, PACK_32
from tests.crypto.seeded_entropy import seeded
from tests.crypto.whole_deal import DealReport, hand_of, run_deal

SHAPES = [
    pytest.param(PACK_32, 4, (4, 4), 11, id="four seats, 32 cards"),
    pytest.param(PACK_32[:24], 3, (4, 4), 0, id="three seats, 24 cards"),
    pytest.param(PACK_16, 2, (3, 4), 15, id="two seats, two cards undealt"),
    pytest.param(PACK_8, 1, (8,), 3, id="one seat alone"),
]


def deal(pack: tuple[Card, ...], seats: int, batches: tuple[int, ...], cut: int) -> DealReport:
    return run_deal(
        pack,
        seats=seats,
        batches=batches,
        cut=cut,
        entropy=seeded(f"deal {seats}"),
    )


@pytest.mark.parametrize(("pack", "seats", "batches", "cut"), SHAPES)
def test_a_complete_deal(
    pack: tuple[Card, ...], seats: int, batches: tuple[int, ...], cut: int
) -> None:
    report = deal(pack, seats, batches, cut)
    faces = [face for hand in report.hands for face in hand]
    assert len(faces) == len(set(faces)) == seats * sum(batches)
    assert set(faces) <= set(pack)
    if seats * sum(batches) == len(pack):
        assert sorted(faces) == sorted(pack)
    # Nobody's keys open another hand, and undealt cards stay under everybody's.
    for seat in range(seats):
        for other in range(seats):
            if other != seat:
                with pytest.raises(ProofError, match=r"deck\.locks"):
                    read_card(
                        report.deck,
                        hand_of(report.deck, seat)[0],
                        Seat(other),
                        report.secrets[other],
                        entropy=seeded("peek"),
                    )
    undealt = [hidden for hidden in report.deck.slots.values() if hidden.owner is None]
    assert len(undealt) == len(pack) - len(faces)
    assert all(len(hidden.locks) == seats for hidden in undealt)


def test_the_bytes_of_a_deal_are_what_its_shape_says() -> None:
    report = deal(PACK_32, 4, (4, 4), 11)
    keys, shuffles, shares, sorting = (step.size for step in report.steps)
    assert keys == 4 * 162
    assert shuffles == 4 * (32 * (99 + 98) + 228)
    assert shares == 2 * 4 * (12 * 66 + 96)
    assert sorting == 4 * (8 * (99 + 98) + 228)
    assert report.size == keys + shuffles + shares + sorting == 41_096
    assert [step.messages for step in report.steps] == [4, 4, 8, 4]
