"""The five profiles, and which house rules contradict which."""

from __future__ import annotations

from dataclasses import fields
from itertools import product

import pytest

from p2p304.errors import ProfileError
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.choices import (
    PreShow,
)
from p2p304.rules304.parameters import PARAMETERS
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import FOUR_SEATS, PAGAT
from p2p304.rules304.toggles import TOGGLES
from tests.rules.pinned import pinned

NAMES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")
MATRIX = pinned("matrix")
FIELDS = tuple(item.name for item in fields(Profile) if item.name not in ("name", "toggles"))


def column(name: str) -> dict[str, str]:
    """The pinned values of one profile by parameter."""
    place = NAMES.index(name)
    return {key: str(row[place] if len(row) == 5 else row[0]) for key, row in MATRIX.items()}


def shown(profile: Profile) -> dict[str, str]:
    return {parameter.name: parameter.text(profile) for parameter in PARAMETERS}


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_of_the_matrix_is_as_pinned(name: str) -> None:
    assert shown(FOUR_SEATS[name]) == column(name)


def test_the_profiles_are_the_columns_of_the_matrix() -> None:
    assert tuple(FOUR_SEATS) == NAMES
    assert all(profile.name == name for name, profile in FOUR_SEATS.items())
    assert all(len(row) in (1, 5) for row in MATRIX.values())


def test_house_rules_set_parameters_of_their_own_but_for_two_ways_of_showing_cards() -> None:
    keys = [key for toggle in TOGGLES.values() for key in toggle.changes]
    assert {key for key in keys if keys.count(key) > 1} == {"pre_show_card"}
    assert set(keys) <= set(FIELDS)
    both = named_profile("pagat", ["pre_show_in_trick", "pre_show"])
    assert both.pre_show_card is PreShow.IN_TRICK_TOO, "the wider one counts"
    assert both.toggles == ("pre_show", "pre_show_in_trick")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"settlement": "gift"}, 'settlement is "transfer" or "bank" or "own stock", not \'gift\''),
        ({"bid_min": True}, "bid_min is a number from 10 to 300, not True"),
        ({"bid_min": "a lot"}, "bid_min is a number from 10 to 300, not 'a lot'"),
        ({"pcc": 1}, "pcc is yes or no, not 1"),
        ({"tokens_pcc": (1, 2, 3)}, "tokens_pcc is a pair of numbers"),
        ({"tokens_pcc": (True, 2)}, "tokens_pcc is a pair of numbers"),
        ({"tokens_pcc": (-1, 2)}, "no price can be negative"),
        ({"bid_shorthand": [60]}, "bid_shorthand is pairs"),
        ({"bid_shorthand": [(170, 180)]}, "bid_shorthand must lead"),
        ({"bid_shorthand": [(60, 160), (60, 170)]}, "bid_shorthand must lead"),
        ({"bid_shorthand": [(60, 310)]}, "bid_shorthand must lead"),
        ({"name": "mine"}, "there is no parameter 'name' that can be set"),
        ({"deck": 52}, 'deck is "24: 9-A" or "32: 7-A"'),
        ({"tokens_start": 0}, "tokens_start is 0, but must lie between 1 and 1000"),
        ({"bid_min": 300, "bid_max": 200}, "bid_min 300 lies above bid_max 200"),
        ({"bid_min": 165}, "bid_min 165 is no multiple of the step"),
        ({"auction8": False}, "pcc is an eight-card bid, but auction8 is off"),
        ({"max_cuts": 0}, "cut_by is nobody exactly where max_cuts is 0"),
        ({"caps_expose": False}, "caps_order_stated names the cards"),
        ({"caps_model": "outcome"}, "caps_model outcome shows no cards"),
        ({"tokens_half_court": (5, 6)}, "contradicts pagat as agreed: it needs half_court on"),
        ({"caps_model": "off", "caps_bonus": 2}, "it needs caps_model not off"),
    ],
)
def test_a_bad_override_gets_one_clear_sentence(overrides: dict[str, object], says: str) -> None:
    with pytest.raises(ProfileError) as caught:
        named_profile("pagat", overrides=overrides)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_house_rule_and_an_override_cannot_set_the_same_parameter() -> None:
    with pytest.raises(ProfileError, match="settlement is set twice, by bank_scoring"):
        named_profile("pagat", ["bank_scoring"], {"settlement": "transfer"})


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(ProfileError, match="no profile 'whist'; there are pagat, card304, "):
        named_profile("whist")
    with pytest.raises(ProfileError, match="no house rule 'x'; there are step5_from_200, bank_"):
        named_profile("pagat", ["x", "bank_scoring"])


def test_shorthand_is_bound_to_the_profile() -> None:
    assert PAGAT.number_meant(60) == 160
    assert PAGAT.number_meant(100) == 100
    assert FOUR_SEATS["wikipedia"].number_meant(100) == 200
    assert FOUR_SEATS["championship"].number_meant(60) == 60


CONTRADICTIONS = (
    *((name, toggle) for name in NAMES for toggle in ("marriages", "last_trick", "divide_by_ten")),
    *(("championship", toggle) for toggle in ("half_court", "caps_strict", "caps_late_free")),
    *(("card304-alpha", toggle) for toggle in TOGGLES if toggle.startswith("caps_")),
    ("card304-alpha", "external_caps_eight"),
    ("card304-alpha", "sandbag_ok"),
)


def test_a_house_rule_that_contradicts_its_profile_is_refused_and_no_other() -> None:
    for name, toggle in product(NAMES, TOGGLES):
        if (name, toggle) in CONTRADICTIONS:
            with pytest.raises(ProfileError, match=f"{toggle} contradicts {name}"):
                named_profile(name, [toggle])
        else:
            assert named_profile(name, [toggle]).toggles == (toggle,)
