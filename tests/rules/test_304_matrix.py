"""Every cell of the matrix, seen from how the rules behave, and seen to change when it does.

What is expected was read off PROFILES 1 by hand, cell by cell (rulings of section 6 where a cell is
silent). For each profile and each parameter that can arise there,

1. the situation of `matrix_situations` behaves as expected, and
2. with the cell changed to every other value that the profile can have, it behaves differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from enum import Enum
from itertools import product
from typing import Any

import pytest

from p2p304.errors import ProfileError, RulesError
from p2p304.rules304.actions import AskPartner
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bidding import check_four_card_bid
from p2p304.rules304.choices import (
    Auction4End,
    CapsModel,
    CutBy,
    Partners,
    PreShow,
    Price,
)
from p2p304.rules304.pack import DealBatches, Pack
from p2p304.rules304.parameters import PARAMETERS, PARAMETERS_BY_NAME
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import FOUR_SEATS, PAGAT
from p2p304.rules304.toggles import TOGGLES
from p2p304.seats import Seat
from tests.rules.matrix_situations import SITUATIONS, said
from tests.rules.pinned import pinned

NAMES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")
FIELDS = tuple(item.name for item in fields(Profile) if item.name not in ("name", "toggles"))
NA = object()


def all_of(value: Any) -> tuple[Any, ...]:
    return (value,) * 5


def but(value: Any, **others: Any) -> tuple[Any, ...]:
    """One value in every column but those named (alpha stands for card304-alpha)."""
    columns = ("pagat", "card304", "alpha", "wikipedia", "championship")
    return tuple(others.get(column, value) for column in columns)


TENS = (160, 170, 180, 190, 200)
SHORT = "60=160 70=170 80=180 90=190"
PLAIN = "7D AH QS TD"

EXPECTED: dict[str, tuple[Any, ...]] = {
    "deck": all_of((32, 30)),
    "deal_batches": all_of((4, 4, 4, 4)),
    "partners": all_of(2),
    "double": all_of(False),
    "tokens_full_court": all_of(NA),
    "score_goal": all_of(NA),
    "marriages": all_of(NA),
    "last_trick": all_of(NA),
    "divide_by_ten": all_of(NA),
    "bracket_middle": all_of(200),
    "bracket_top": all_of(250),
    "first_dealer": but(False, championship=True),
    "cut_by": but(("CUT", (3,)), alpha=("AUCTION4", (1,))),
    "cut_optional": but(True, alpha=NA),
    "max_cuts": but(("CUT", (3,)), alpha=("AUCTION4", (1,))),
    "bid_min": all_of(160),
    "bid_max": all_of(300),
    "bid_step_low": all_of(TENS),
    "bid_step_high": all_of((210, 220, 230, 240)),
    "opening_bid_forced": but(True, championship=False),
    "reentry_rule": (
        (200, 210),
        (200, None),
        (None, None),
        (None, None),
        (200, 210),
    ),
    "partner_overbid4": (
        (200, 210),
        (200, None),
        (200, None),
        (None, None),
        (200, 210),
    ),
    "ask_partner": all_of(True),
    "asked_partner_may_pass": but(True, championship=False),
    "ask_again_later": but(True, alpha=False, wikipedia=False),
    "auction4_end": but(("AUCTION4", 4), alpha=("INDICATOR4", 4), wikipedia=("INDICATOR4", 4)),
    "redeal_below": all_of((0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)),
    "redeal_proof": all_of(4),
    "bid_shorthand": but(SHORT, wikipedia=f"{SHORT} 100=200", championship=""),
    "half_court": all_of(False),
    "auction8": but(True, alpha=False),
    "auction8_min": but(250, alpha=NA),
    "auction8_vs_four": but(260, pagat=270, championship=270, alpha=NA),
    "pcc": but(True, alpha=False),
    "open_trump": but("DECLARE", alpha="WINDOW"),
    "first_lead_ban": all_of(PLAIN),
    "reveal_on_cut": but("TC KC", championship="8D TC KC"),
    "open_after_trick1_from": all_of(250),
    "exhausted_trumps": but(True, alpha=False, championship=False),
    "spoilt_trumps": all_of(True),
    "spoilt_false_call": but(3 + 2, championship=3),
    "pre_show_card": all_of(False),
    "caps_model": but("CAPS_WRONG", alpha="no calls", championship="CAPS_CORRECT"),
    "caps_order_stated": but((8, 1), alpha=NA, championship=(0, 8)),
    "caps_expose": but((8, 1), alpha=NA, championship=(0, 8)),
    "caps_bonus_before": but((5, 6, 7), alpha=NA, championship=(5, 6)),
    "caps_grace": but("TRICK", alpha=NA, championship=NA),
    "caps_late_or_early_penalty": but(2, alpha=NA),
    "caps_late_free": but("CAPS_WRONG", alpha=NA, championship=NA),
    "caps_concealment": but("CAPS_WRONG", alpha=NA, championship="BID"),
    "caps_bonus": but(1 + 1, alpha=NA),
    "caps_called_trick_lost": but(5, alpha=NA),
    "external_caps": but(3 + 1, alpha=NA),
    "tokens_under_200": all_of(((1, 2), (1, 2))),
    "tokens_200_249": all_of(((2, 3), (2, 3))),
    "tokens_250_up": all_of(((3, 4), (3, 4))),
    "tokens_pcc": but(((4, 5),), alpha=NA),
    "tokens_half_court": all_of(NA),
    "tokens_start": but((11, 11), championship=(7, 7)),
    "settlement": but(((11, 7), (0, 0)), championship=((9, 7), (2, 0))),
    "violation": but(3 + 2, championship=3),
}


def dealt_to_others(profile: Profile, deck: Pack) -> dict[str, Any]:
    """What changes with the number of seats."""
    end = profile.auction4_end
    return {
        "deck": deck,
        "deal_batches": DealBatches.THREE_ONE,
        "auction4_end": Auction4End.ALL_OTHERS if end is Auction4End.THREE_PASSES else end,
        "caps_bonus_before": 3,
    }


def with_partner_called(_: Profile) -> dict[str, Any]:
    """What changes where the maker calls a card."""
    return {
        "partners": Partners.CALLED,
        "ask_partner": False,
        "auction8": False,
        "pcc": False,
        "opening_bid_forced": False,
        "redeal_below": 0,
        "caps_model": CapsModel.OFF,
    }


TIED: dict[tuple[str, str], Callable[[Profile], dict[str, Any]]] = {
    **{
        (field, name): lambda profile: (
            {"cut_by": CutBy.LEFT_OF_DEALER, "max_cuts": 1}
            if profile.max_cuts == 0
            else {"cut_by": CutBy.NOBODY, "max_cuts": 0}
        )
        for field in ("cut_by", "max_cuts")
        for name in NAMES
    },
    **{
        ("auction8", name): lambda _: {"auction8": False, "pcc": False}
        for name in NAMES
        if name != "card304-alpha"
    },
    **{("partners", name): with_partner_called for name in NAMES},
    **{("double", name): lambda _: {"double": True, "caps_model": CapsModel.OFF} for name in NAMES},
    **{("deck", name): lambda p: dealt_to_others(p, Pack.NINE_UP) for name in NAMES},
    **{("deal_batches", name): lambda p: dealt_to_others(p, Pack.SEVEN_UP) for name in NAMES},
    ("pcc", "card304-alpha"): lambda _: {"auction8": True, "pcc": True},
    **{
        ("caps_expose", name): lambda _: {"caps_expose": False, "caps_order_stated": False}
        for name in ("pagat", "card304", "wikipedia")
    },
    ("caps_expose", "championship"): lambda _: {
        "caps_expose": True,
        "caps_model": CapsModel.EPISTEMIC,
    },
    ("caps_order_stated", "championship"): lambda _: {
        "caps_order_stated": True,
        "caps_expose": True,
        "caps_model": CapsModel.EPISTEMIC,
    },
    ("caps_concealment", "championship"): lambda profile: {
        "caps_concealment": FOUR_SEATS["pagat"].caps_concealment,
        "caps_model": CapsModel.EPISTEMIC,
    },
}
"""Cells that the profile does not let change alone, and what changes with them."""


def column(name: str, field: str) -> Any:
    return EXPECTED[field][NAMES.index(name)]


def other_values(value: Any) -> list[Any]:
    """Values of the same kind that differ from `value`."""
    match value:
        case bool():
            return [not value]
        case int():
            return [value + step for step in (-10, -1, 1, 10)]
        case Enum():
            return [choice for choice in type(value) if choice is not value]
        case Price(made, failed):
            return [Price(made + 1, failed), Price(made, failed + 1)]
        case _:
            return [(*value, (50, 300)), *([value[:-1]] if value else [])]


def changed(name: str, field: str) -> list[Profile]:
    """The profile with the cell changed, in every way that can be."""
    profile = FOUR_SEATS[name]
    if (field, name) in TIED:
        return [replace(profile, **TIED[field, name](profile))]
    found = []
    for value in other_values(getattr(profile, field)):
        try:
            found.append(replace(profile, **{field: value}))
        except ProfileError:
            continue
    return found


def without_outcome(name: str, field: str) -> list[Profile]:
    """As `changed`, where caps_model outcome wants more than the cell to change."""
    if field == "caps_model" and name not in ("card304-alpha", "championship"):
        # The situation sets cards and concealment aside for all models.
        hidden = replace(
            FOUR_SEATS[name],
            caps_expose=False,
            caps_order_stated=False,
            caps_concealment=FOUR_SEATS["championship"].caps_concealment,
        )
        return [
            replace(hidden, caps_model=model)
            for model in CapsModel
            if model is not CapsModel.EPISTEMIC
        ]
    return changed(name, field)


COSTLY = ("caps_bonus_before", "caps_late_free", "caps_late_or_early_penalty")
"""Whoever has to call caps is found out for each moment of whole hands."""

ALIKE = ("card304", "wikipedia")
"""Profiles with the rules of caps of pagat."""

ROWS = [
    *(
        (field, [name for name in NAMES if field not in COSTLY or name not in ALIKE])
        for field in FIELDS
    ),
    *(pytest.param(field, ALIKE, marks=pytest.mark.long, id=f"{field}-alike") for field in COSTLY),
]
"""A parameter, and the profiles that are looked at."""


def test_every_parameter_has_a_situation_and_an_expectation() -> None:
    assert set(SITUATIONS) == set(EXPECTED) == set(FIELDS)


@pytest.mark.parametrize(("field", "names"), ROWS)
def test_the_cell_is_seen_in_what_the_rules_do(field: str, names: Sequence[str]) -> None:
    for name in names:
        expected = column(name, field)
        applies = PARAMETERS_BY_NAME[field].applies_to(FOUR_SEATS[name])
        assert applies == (expected is not NA), name
        if applies:
            assert SITUATIONS[field](FOUR_SEATS[name]) == expected, name


@pytest.mark.parametrize(("field", "names"), ROWS)
def test_a_changed_cell_is_seen_too(
    field: str, names: Sequence[str], request: pytest.FixtureRequest
) -> None:
    every = field not in COSTLY or request.config.getoption("--long")
    for name in names:
        expected = column(name, field)
        if expected is NA:
            continue
        others = without_outcome(name, field)
        assert others, f"there is another value than that of {name}"
        for profile in others if every else others[:1]:
            assert SITUATIONS[field](profile) != expected, profile


@pytest.mark.parametrize("name", NAMES)
def test_nobody_raises_a_bid_of_its_own_that_stands(name: str) -> None:
    profile = FOUR_SEATS[name]
    auction = said(profile, "E160 N- W-").state.auction
    with pytest.raises(RulesError, match="nobody raises their own standing bid"):
        check_four_card_bid(profile, auction, Seat(1), 200)


def test_nobody_asks_a_partner_that_has_had_its_one_call() -> None:
    table = said(FOUR_SEATS["wikipedia"], "E160 N170")
    assert "the partner has had its one call" in table.refused("W", AskPartner())


# --- profiles -------------------------------------------------------------------------------------

# The five profiles, and which house rules contradict which.

MATRIX = pinned("matrix")


def pinned_column(name: str) -> dict[str, str]:
    """The pinned values of one profile by parameter."""
    place = NAMES.index(name)
    return {key: str(row[place] if len(row) == 5 else row[0]) for key, row in MATRIX.items()}


def shown(profile: Profile) -> dict[str, str]:
    return {parameter.name: parameter.text(profile) for parameter in PARAMETERS}


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_of_the_matrix_is_as_pinned(name: str) -> None:
    assert shown(FOUR_SEATS[name]) == pinned_column(name)


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
