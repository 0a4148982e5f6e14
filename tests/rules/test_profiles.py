"""The five profiles, the house rules, and what contradicts what."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations

import pytest

from p2p304.errors import ProfileError
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.choices import (
    CapsGrace,
    PreShow,
    Price,
    Settlement,
)
from p2p304.rules304.pack import CARD_POINTS, PACK, STRENGTH
from p2p304.rules304.parameters import PARAMETERS, differences
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import FOUR_SEATS, PAGAT
from p2p304.rules304.toggles import FORBIDDEN, TOGGLES
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


def test_the_pack_counts_304_and_the_jack_beats_the_nine_beats_the_ace() -> None:
    assert len(PACK) == len(set(PACK)) == 32
    assert sum(CARD_POINTS[card] for card in PACK) == 304
    by_strength = sorted({card.rank for card in PACK}, key=STRENGTH.__getitem__, reverse=True)
    assert "".join(rank.letter for rank in by_strength) == "J9ATKQ87"


def test_differences_name_exactly_the_rows_whose_cells_differ() -> None:
    for left, right in combinations(NAMES, 2):
        expected = [key for key in column(left) if column(left)[key] != column(right)[key]]
        found = differences(FOUR_SEATS[left], FOUR_SEATS[right])
        assert sorted(row.parameter.name for row in found) == sorted(expected)
        assert all(row.left == column(left)[row.parameter.name] for row in found)
        assert all(row.right == column(right)[row.parameter.name] for row in found)
    assert differences(PAGAT, PAGAT) == ()


TOGGLE_EFFECTS = {
    "step5_from_200": {"bid_step_high": "5"},
    "bank_scoring": {"settlement": "bank"},
    "external_caps_eight": {"external_caps": "8 in all"},
    "half_court": {"half_court": "yes", "tokens_half_court": "3 / 4"},
    "caps_strict": {"caps_grace": "next card"},
    "caps_late_free": {"caps_late_free": "yes"},
    "caps_hidden_call": {"caps_order_stated": "no", "caps_expose": "no"},
    "sandbag_ok": {"caps_concealment": "allowed"},
    "show_maker_discard": {"reveal_on_cut": "others' cards, indicator and maker's discard"},
    "alpha_bidding": {
        "self_overbid": "n/a",
        "reentry_rule": "never",
        "ask_again_later": "no",
        "auction4_end": "one circuit",
        "auction8": "no",
        "auction8_min": "n/a",
        "auction8_vs_four": "n/a",
        "auction8_order": "n/a",
        "auction8_calls": "n/a",
        "auction8_ask": "n/a",
        "auction8_partner": "n/a",
        "pcc": "no",
        "indicator_return": "n/a",
        "pcc_leader": "n/a",
        "tokens_pcc": "n/a",
    },
    "pre_show": {"pre_show_card": "yes"},
    "pre_show_in_trick": {"pre_show_card": "in a trick too"},
    "redeal_private": {"redeal_proof": "prove without showing"},
    "forced_open": {"opening_bid_forced": "yes", "all_pass": "n/a"},
    "marriages": {},
    "last_trick": {},
    "divide_by_ten": {},
    "table_chat": {},
}

CONTRADICTIONS = {
    *((name, toggle) for name in NAMES for toggle in ("marriages", "last_trick", "divide_by_ten")),
    ("championship", "half_court"),
    ("championship", "caps_strict"),
    ("championship", "caps_late_free"),
    ("card304-alpha", "external_caps_eight"),
    ("card304-alpha", "caps_strict"),
    ("card304-alpha", "caps_late_free"),
    ("card304-alpha", "caps_hidden_call"),
    ("card304-alpha", "sandbag_ok"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_house_rule_changes_what_it_says_and_nothing_else(name: str) -> None:
    for toggle, effects in TOGGLE_EFFECTS.items():
        if (name, toggle) in CONTRADICTIONS:
            with pytest.raises(ProfileError, match=f"{toggle} contradicts {name}"):
                profile_named(name, [toggle])
            continue
        profile = profile_named(name, [toggle])
        assert profile.toggles == (toggle,)
        assert shown(profile) == column(name) | effects


def test_the_house_rules_are_those_of_the_list() -> None:
    assert tuple(TOGGLES) == tuple(TOGGLE_EFFECTS)
    assert all(set(toggles) <= set(TOGGLES) for toggles in FORBIDDEN.values())


@pytest.mark.parametrize("name", NAMES)
def test_house_rules_combine_in_any_order(name: str) -> None:
    allowed = [toggle for toggle in TOGGLES if (name, toggle) not in CONTRADICTIONS]
    for pair in combinations(allowed, 2):
        forwards, backwards = profile_named(name, pair), profile_named(name, pair[::-1])
        assert forwards == backwards
        expected = column(name) | TOGGLE_EFFECTS[pair[0]] | TOGGLE_EFFECTS[pair[1]]
        assert shown(forwards) == expected
    everything = profile_named(name, allowed)
    assert everything == profile_named(name, [*reversed(allowed), allowed[0]])
    assert everything.toggles == tuple(allowed)


def test_house_rules_set_parameters_of_their_own_but_for_two_ways_of_showing_cards() -> None:
    keys = [key for toggle in TOGGLES.values() for key in toggle.changes]
    assert {key for key in keys if keys.count(key) > 1} == {"pre_show_card"}
    assert set(keys) <= set(FIELDS)
    both = profile_named("pagat", ["pre_show_in_trick", "pre_show"])
    assert both.pre_show_card is PreShow.IN_TRICK_TOO, "the wider one counts"
    assert both.toggles == ("pre_show", "pre_show_in_trick")


def test_overrides_take_texts_and_pairs_for_choices_and_prices() -> None:
    profile = profile_named(
        "pagat",
        overrides={
            "caps_grace": "next card",
            "settlement": Settlement.BANK,
            "tokens_pcc": [6, 7],
            "bid_shorthand": [[60, 160]],
            "redeal_below": 10,
            "open_trump": False,
        },
    )
    assert profile.caps_grace is CapsGrace.STRICT
    assert profile.settlement is Settlement.BANK
    assert profile.tokens_pcc == Price(6, 7)
    assert profile.bid_shorthand == ((60, 160),)
    assert profile.redeal_below == 10
    assert not profile.open_trump
    hash(profile)


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
        profile_named("pagat", overrides=overrides)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_house_rule_and_an_override_cannot_set_the_same_parameter() -> None:
    with pytest.raises(ProfileError, match="settlement is set twice, by bank_scoring"):
        profile_named("pagat", ["bank_scoring"], {"settlement": "transfer"})


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(ProfileError, match="no profile 'whist'; there are pagat, card304, "):
        profile_named("whist")
    with pytest.raises(ProfileError, match="no house rule 'x'; there are step5_from_200, bank_"):
        profile_named("pagat", ["x", "bank_scoring"])


def test_shorthand_is_bound_to_the_profile() -> None:
    assert PAGAT.number_meant(60) == 160
    assert PAGAT.number_meant(100) == 100
    assert FOUR_SEATS["wikipedia"].number_meant(100) == 200
    assert FOUR_SEATS["championship"].number_meant(60) == 60
