"""The suite of positions, and the oddities that are counted: each tells right from wrong."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.bots.compare.calibration import Calibration, calibrated
from p2p304.bots.compare.duels import kind_called
from p2p304.bots.play304.first_thoughts import shares as shares_of
from p2p304.bots.play304.oddities import ODDITIES, Kind, kind_of, oddities
from p2p304.games import create_game
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.choosing import legal_actions
from tests.rules.positions_304 import POSITIONS, SIDE_LEAD, Position, S, play
from tests.rules.run_positions import shares


@pytest.mark.parametrize("position", POSITIONS, ids=[each.name for each in POSITIONS])
def test_at_every_position_something_is_wrong_and_something_is_not(position: Position) -> None:
    view = position.view()
    legal = legal_actions(view)
    wrong = [each for each in legal if position.wrong(view, each)]
    assert 0 < len(wrong) < len(legal)
    assert kind_of(view, legal) is not None
    assert position.why


def found_at(name: str, wanted: bool) -> set[str]:
    """The oddities of what is wrong at a position, or of everything else."""
    position = next(each for each in POSITIONS if each.name == name)
    view: Any = position.view()
    legal = legal_actions(view)
    meant = [each for each in legal if position.wrong(view, each) is wanted]
    return {odd for each in meant for odd in oddities(view, legal, each)}


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        ("ace led with jack and nine out", "leads an ace or ten with jack and nine out"),
        ("nines led with the jacks out", "leads a nine with the jack out"),
        ("jack face down on the maker's trick", "throws a jack or nine on the others' trick"),
        ("ace face down on the maker's trick", "gives the others ten points or more"),
        ("trump on the partner's jack", "cuts a trick of its own side"),
        ("a rich trick that a low trump wins", "lets go of a trick that a low card wins"),
        ("asks with nothing", "asks the partner with a weak hand"),
        ("jack, nine and ace, and a pass", "passes a strong hand"),
        ("a bid over the partner's 180", "bids 200 or more below the mean"),
    ],
)
def test_what_is_wrong_at_a_position_is_an_oddity_and_what_is_right_is_none(
    name: str, odd: str
) -> None:
    assert odd in ODDITIES
    assert odd in found_at(name, True)
    assert odd not in found_at(name, False)


def test_an_ace_that_alone_may_cut_is_no_gift_and_one_beside_a_lower_card_is() -> None:
    """Face down under hidden trumps: the only heart wins the trick if hearts are trumps."""
    gift = "gives the others ten points or more"
    for low, odd in (("7S", False), ("7H", True)):
        table = play(
            {
                "E": "JC 9C AC 7C JD 9D 8H KS",
                "S": f"AH {low} 8S QS TS 8C QC KC",
                "N": "AD TD 8D 7D KH QH TH JH",
            },
            SIDE_LEAD,
            maker="E",
            dealer="S",
        )()
        view = table.table.view(S)
        ace = next(
            each
            for each in legal_actions(view)
            if isinstance(each, PlayDown) and str(view.faces[each.slot]) == "AH"
        )
        assert (gift in oddities(view, legal_actions(view), ace)) == odd


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("ace on a trick that was cut", "AH JH 9H"),
        ("ace face down on the maker's trick", "AH TC"),
        ("jack face down on the maker's trick", "TC"),
        ("trump on the partner's jack", ""),
        ("a rich trick that a low trump wins", "AH TH"),
        ("ace led with jack and nine out", ""),
    ],
)
def test_points_that_a_cheap_card_of_the_suit_saves_are_not_thought_of(
    name: str, left_out: str
) -> None:
    """An only heart may still be tried as a trump, and partners are given points."""
    view: Any = next(each for each in POSITIONS if each.name == name).view()
    plays = [each for each in legal_actions(view) if isinstance(each, PlayCard | PlayDown)]
    thought_of = {each for each, _ in shares_of(view, plays)}
    missing = {str(view.faces[each.slot]) for each in plays if each not in thought_of}
    assert missing == {*left_out.split()}


def test_every_kind_of_decision_has_oddities() -> None:
    assert {kind for kind, _ in ODDITIES.values()} == set(Kind)


def test_kinds_are_asked_at_every_position() -> None:
    found = shares(["random"], 3)
    assert found.keys() == {*(each.name for each in POSITIONS), "all"}
    assert 0 < found["all"]["random"] < 1


def test_a_calibration_counts_bids_beliefs_and_oddities_of_whole_hands() -> None:
    game, counted = create_game("304"), Calibration()
    kind = kind_called("random", game)
    for number in range(40):
        counted.add(calibrated(game, kind, 3, number, None))
    told = counted.as_object()
    assert told["hands"] == 40
    bids = told["bids"].values()
    assert 20 < sum(each["bids"] for each in bids) <= 40
    assert all(0 <= each["made"] <= 1 for each in bids)
    asked = told["trump"]
    assert asked["1"]["asked"] > asked["4"]["asked"] > 0
    assert all(0 < each["true_suit"] <= 1 for each in asked.values())
    assert told["oddities"]["bids on a weak hand"]["count"] > 0
    again = calibrated(game, kind, 3, 7, None)
    assert again == calibrated(game, kind, 3, 7, None)
