"""Every cell of the matrix, seen from how the rules behave, and seen to change when it does.

What is expected was read off PROFILES 1 by hand, cell by cell (rulings of section 6 where a cell is
silent). For each profile and each parameter that can arise there,

1. its situation (below) behaves as expected, and
2. with the cell changed to every other value that the profile can have, it behaves differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from enum import Enum
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from p2p304.cards import Card, Suit, parse_card
from p2p304.errors import ProfileError, RulesError
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, AskPartner, Bid, Contract, DemandRedeal, Pass, PlaceBid
from p2p304.rules304.agreement import PARAMETERS, PARAMETERS_BY_NAME, named_profile
from p2p304.rules304.bidding import check_four_card_bid
from p2p304.rules304.calls import why_no_double
from p2p304.rules304.hand import Game304, new_match
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.pack import RANK_POINTS, DealBatches, Pack
from p2p304.rules304.profile import (
    FOUR_SEATS,
    IN_WORDS,
    PAGAT,
    PROFILES,
    TOGGLES,
    Auction4End,
    CapsConcealment,
    CapsModel,
    CutBy,
    FurtherBids,
    Partners,
    PreShow,
    Price,
    Profile,
)
from p2p304.rules304.scoring import (
    HandFacts,
    HandOutcome,
    ScoreLine,
    Violation,
    ViolationKind,
    price_of,
    score_hand,
)
from p2p304.rules304.state import Phase, Trick
from p2p304.rules304.teams import EAST_WEST, NORTH_SOUTH
from p2p304.seats import Seat
from tests.rules.pinned import pinned
from tests.rules.playouts_304 import Table

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

#: What arises where a card is called alone; it is tried in test_called_partner.
CALLED_ALONE = ("score_goal", "marriages", "last_trick", "divide_by_ten")

EXPECTED: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys((*CALLED_ALONE, "tokens_full_court", "tokens_half_court"), all_of(NA)),
    "deck": all_of((32, 30)),
    "deal_batches": all_of((4, 4, 4, 4)),
    "partners": all_of(2),
    "double": all_of(False),
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


#: Cells that the profile does not let change alone, and what changes with them.
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


#: Whoever has to call caps is found out for each moment of whole hands.
COSTLY = ("caps_bonus_before", "caps_late_free", "caps_late_or_early_penalty")

ALIKE = ("card304", "wikipedia")  #: Profiles with the rules of caps of pagat.

#: A parameter, and the profiles that are looked at.
ROWS = [
    *(
        (field, [name for name in NAMES if field not in COSTLY or name not in ALIKE])
        for field in FIELDS
    ),
    *(pytest.param(field, ALIKE, marks=pytest.mark.long, id=f"{field}-alike") for field in COSTLY),
]


def test_every_parameter_has_a_situation_and_an_expectation() -> None:
    assert {*SITUATIONS, *CALLED_ALONE} == set(EXPECTED) == set(FIELDS)


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
    assert tuple(IN_WORDS) == tuple(PROFILES)
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
        ({"bid_min": True}, "bid_min is a number from 10 to 300, not 'yes'"),
        ({"bid_min": "a lot"}, "bid_min is a number from 10 to 300, not 'a lot'"),
        ({"pcc": 1}, "pcc is yes or no, not '1'"),
        ({"tokens_pcc": "1 / 2 / 3"}, "tokens_pcc is a pair of numbers"),
        ({"tokens_pcc": "yes / 2"}, "tokens_pcc is a pair of numbers"),
        ({"tokens_pcc": "-1 / 2"}, "tokens_pcc is a pair of numbers"),
        ({"bid_shorthand": "60"}, "bid_shorthand is pairs"),
        ({"bid_shorthand": ((170, 180),)}, "bid_shorthand must lead"),
        ({"bid_shorthand": "60=160 60=170"}, "bid_shorthand must lead"),
        ({"bid_shorthand": "60=310"}, "bid_shorthand must lead"),
        ({"name": "mine"}, "there is no parameter 'name' that can be set"),
        ({"deck": 52}, 'deck is "24: 9-A" or "32: 7-A"'),
        ({"tokens_start": 0}, "tokens_start is 0, but must lie between 1 and 1000"),
        ({"bid_min": 300, "bid_max": 200}, "bid_min 300 lies above bid_max 200"),
        ({"bid_min": 165}, "bid_min 165 is no multiple of the step"),
        ({"auction8": False}, "pcc is an eight-card bid, but auction8 is off"),
        ({"max_cuts": 0}, "cut_by is nobody exactly where max_cuts is 0"),
        ({"caps_expose": False}, "caps_order_stated names the cards"),
        ({"caps_model": "outcome"}, "caps_model outcome shows no cards"),
        ({"tokens_half_court": "5 / 6"}, "contradicts pagat as agreed: it needs half_court on"),
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
    with pytest.raises(ProfileError, match="no house rule 'x'; there are step5_from_200, "):
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


# --- matrix situations ----------------------------------------------------------------------------

# For every parameter of 304 a situation in which its value can be seen from how the rules behave.
#
# A situation takes a profile, plays, and says what happened; it never reads the parameter it is
# about. Where another parameter would hide it, the situation sets that one aside first. Auctions of
# PROFILES 1.2 and 1.3 come first.

DEAL = {
    "E": "JC 9C AH TD KC 8C QS 7D",
    "N": "JS 9S TH KD AS 8H 7H QC",
    "W": "AC TC JH KS 9H 8S AD QD",
    "S": "7C KH QH JD 9D 8D TS 7S",
}


def bids(table: Table, letter: str) -> list[Bid]:
    return [each.bid for each in table.legal(letter) if isinstance(each, PlaceBid)]


def lowest(table: Table, letter: str) -> int | None:
    """The lowest number that the seat may bid now; None if it is not its turn to bid."""
    numbers = [bid for bid in bids(table, letter) if isinstance(bid, int)]
    return min(numbers, default=None)


def said(profile: Profile, calls: str, hands: dict[str, str] | None = None) -> Table:
    """South deals; the calls are letter and number, "-" for a pass, "?" for asking."""
    table = Table(profile, "S", DEAL if hands is None else hands)
    for call in calls.split():
        letter, rest = call[0], call[1:]
        if "SENW".index(letter) not in table.state.awaiting:
            assert rest == "-", "a seat without a legal number is passed"
            continue
        action: Action = Pass() if rest == "-" else AskPartner()
        table.do(letter, PlaceBid(int(rest)) if rest.isdigit() else action)
    return table


def opening_numbers(profile: Profile) -> tuple[int, ...]:
    return tuple(bid for bid in bids(said(profile, ""), "E") if isinstance(bid, int))


def reentry(profile: Profile) -> tuple[int | None, ...]:
    open_ended = replace(profile, auction4_end=Auction4End.THREE_PASSES)
    low = said(open_ended, "E160 N170 W- S-")
    return (lowest(low, "E"), lowest(said(open_ended, "E160 N200 W- S-"), "E"))


def asks_again(profile: Profile) -> bool:
    many = replace(
        profile, reentry_rule=FurtherBids.FROM_200, auction4_end=Auction4End.THREE_PASSES
    )
    return AskPartner() in said(many, "E? W160 N170 W- S-").legal("E")


def end_of_auction(profile: Profile) -> tuple[str, int]:
    state = said(profile, "E160 N170 W180 S-").state
    return state.phase.name, len(state.calls)


def rejectable(profile: Profile) -> tuple[int, ...]:
    """The totals of four cards, up to 30, that the dealer's right may reject."""
    found = {}
    for ranks in combinations_with_replacement(Pack.SEVEN_UP.ranks, 4):
        total = sum(RANK_POINTS[rank] for rank in ranks)
        if total <= 30:
            suits = zip(ranks, Suit, strict=True)
            found[total] = " ".join(str(Card(suit, rank)) for rank, suit in suits)
    return tuple(
        total
        for total, hand in sorted(found.items())
        if any(isinstance(x, DemandRedeal) for x in said(profile, "", {"E": hand}).legal("E"))
    )


def rejecting(profile: Profile) -> int:
    """How many cards the dealer's right shows when it rejects them."""
    table = said(profile, "", {"E": "7S 8S 7H 8H"})
    return next(len(each.cards) for each in table.legal("E") if isinstance(each, DemandRedeal))


def shorthand(profile: Profile) -> str:
    meant = {number: profile.number_meant(number) for number in range(1, 160)}
    return " ".join(f"{key}={value}" for key, value in meant.items() if key != value)


def eight_card(profile: Profile, four: int) -> Table | None:
    """East, the four-card maker, speaks first with eight cards; None where nobody does."""
    table = Table(profile, "S", DEAL)
    while table.state.phase is Phase.AUCTION4:
        turn = table.state.awaiting[0]
        table.table.act(turn, PlaceBid(four) if turn == 1 else Pass())
    first = next(slot for slot in table.state.hands[1])
    table.do("E", next(each for each in table.legal("E") if getattr(each, "slot", 0) == first))
    return table if table.state.phase is Phase.AUCTION8 else None


def eight_card_lowest(profile: Profile, four: int) -> int | None:
    table = eight_card(profile, four)
    return None if table is None else lowest(table, "E")


def pcc_offered(profile: Profile) -> bool:
    table = eight_card(profile, 160)
    return table is not None and Contract.PARTNER_CLOSE_CAPS in bids(table, "E")


def start_of_hand(profile: Profile) -> tuple[str, tuple[int, ...]]:
    state = Game304(profile).start(Seat(0)).state
    return state.phase.name, state.awaiting


# --- all situations -------------------------------------------------------------------------------

ALL_CLUBS = {
    "S": "JC 9C AC TC KC QC 8C 7C",
    "E": "8S JD 9D AD TD KD QD 7S",
    "N": "7H 8D JS 9S AS TS KS QS",
    "W": "8H 7D JH 9H AH TH KH QH",
}
#: South wins seven tricks, and North the last with the jack of spades, which South cannot know.
PARTNER_IS_NEEDED = {
    "S": "JC 9C AC TC KC QC 8C 9S",
    "E": "7C 8S JD 9D AD TD KD QD",
    "N": "JS 7H 8D 7S AS TS KS QS",
    "W": "8H 7D JH 9H AH TH KH QH",
}
#: South's order that begins with JC is sure; led, 7C loses to East's 8C.
ONE_LOSER = {
    "S": "JC 9C AC TC KC QC 7C JS",
    "E": "8C AD TD KD QD 8D 7D AS",
    "N": "JD 9S 7S JH 9H AH TH KH",
    "W": "9D TS KS QS 8S QH 8H 7H",
}
VOID = {
    "S": "JH 9H AH TH KH QH 7S 8S",
    "E": "JC 9C KC AD TD KS QS 8D",
    "N": "TC AC QC JS 9S AS JD 9D",
    "W": "8H 7H 8C 7C KD QD 7D TS",
}
EXTERNAL = {
    "S": "JD 9D AD JC 9C AC TC JS",
    "E": "TD KD QC TS KS KH QH 8H",
    "N": "8D 7D 8C 7C QS 8S 7S 7H",
    "W": "QD JH 9H KC 9S AS AH TH",
}


def closed(profile: Profile, dealer: str, hands: dict[str, str], maker: str, card: str) -> Table:
    return Table(profile, dealer, hands).given(maker, 160, card).closed(maker)


def first_leads(profile: Profile) -> str:
    table = closed(profile, "S", DEAL, "E", "9C")
    table.ready()
    cards = [str(each.card) for each in table.legal("E") if isinstance(each, act.PlayCard)]
    return " ".join(sorted(cards))


def shown_on_cut(profile: Profile) -> str:
    """What a trick shows that North cuts and to which East, the maker, threw away 8D."""
    table = closed(profile, "W", VOID, "E", "KC")
    table.trick("S", "JH 8D TC 7H")
    up = {play.slot for play in table.state.tricks[-1].plays if not play.down}
    return " ".join(str(card) for slot, card in table.state.faces.items() if slot not in up)


def opens_after_first_trick(profile: Profile) -> int:
    """The lowest of these final bids after whose first trick trump is open, be it no bid at all."""
    for bid in sorted(
        {*range(200, 306, 10), *(each + 1 for each in range(200, 306, 10)), 249, 305}
    ):
        table = Table(profile, "S", DEAL).given("E", bid, "9C").closed("E")
        table.trick("E", "AH 8H JH QH")
        if table.state.trump is not None:
            return bid
    return 0


def bound_to_trumps(profile: Profile) -> bool:
    hands = {
        "E": "JC 9C AC TC KC JS 7S 7H",
        "N": "QC 9S AS TS JH 9H JD 9D",
        "W": "8C KS QS AH TH KH AD TD",
        "S": "8S QH 8H KD QD 8D 7D 7C",
    }
    table = Table(profile, "N", hands).given("E", 200, "JC").closed("E")
    table.trick("W", "KS 8S JS TS")
    table.trick("E", "9C QC 8C 7C")
    table.trick("E", "AC 9D TD 7D")
    table.ready()
    return not any(str(x.card) == "7H" for x in table.legal("E") if isinstance(x, act.PlayCard))


def window(profile: Profile, hands: dict[str, str] | None = None) -> Table:
    """The window after the declaration; South is the maker and its indicator is JC."""
    table = Table(profile, "W", ALL_CLUBS if hands is None else hands).given("S", 160, "JC")
    return table.closed("S")


def doubling(profile: Profile) -> bool:
    """Whether a side that has won five tricks may call double."""
    table = window(profile)
    won = tuple(Trick((), Seat(0), False) for _ in range(5))
    return why_no_double(table.state._replace(tricks=won), Seat(0)) is None


def false_spoilt(profile: Profile) -> int:
    table = Table(profile, "W", ONE_LOSER).given("S", 200, "JC").closed("S")
    table.do("N", act.CallSpoilt())
    return finish(table).amount


def finish(table: Table, *, answer: type = act.AcceptCaps) -> HandOutcome:
    """The outcome after nothing more was claimed: South plays its cards in the order of DEALs."""
    while table.state.awaiting:
        turn = table.state.awaiting[0]
        legal = legal_actions(table.table.view(turn))
        answers = [each for each in legal if isinstance(each, answer)]
        plays = [
            each
            for each in legal
            if not isinstance(each, act.CallCaps | act.CallSpoilt | act.OpenTrump)
        ]
        table.table.act(turn, (answers or plays)[0])
    outcome = table.game.settle(table.state)
    assert isinstance(outcome, HandOutcome)
    return outcome


def open_play(profile: Profile, hands: dict[str, str], bid: int = 160, maker: str = "S") -> Table:
    """Trump is open: declared so, or where that cannot be, for the sake of the situation."""
    opening = replace(profile, open_trump=True)
    indicator = "QD" if hands is EXTERNAL else "JC"
    table = Table(opening, "W", hands).given(maker, bid, indicator)
    table.do(maker, act.OpenTrump(parse_card(indicator)))
    return table


def lead_out(table: Table, tricks: str, until: int = 8) -> None:
    """The first tricks of a list; every trick but the last is led by South."""
    for trick in tricks.split("; ")[: until - 1]:
        table.trick("S", trick)


WINNERS_OUT = (
    "JC 8C JD 9D; 9C AD JH QH; AC TD 9H 8H; TC KD AH 7H; KC QD TH TS; QC 8D KH KS;"
    " 7C 7D 7S QS; JS AS 9S 8S"
)
PARTNERS_OUT = (
    "JC 7C 8D JH; 9C JD 7S 9H; AC 9D AS AH; TC AD TS TH; KC TD KS KH; QC KD QS QH;"
    " 8C QD 7H 8H; 9S 8S JS 7D"
)
LOST_OUT = "7C 8C JD 9D"


def order(table: Table, names: str) -> act.CallCaps:
    """A call that shows these cards in this order, as far as the table's calls show and order."""
    (offered,) = [each for each in table.legal("S") if isinstance(each, act.CallCaps)]
    if not offered.order or not table.game.profile.caps_order_stated:
        return offered
    return act.CallCaps(table.faces("S", names))


CALLS = "JC 9C AC TC KC QC 7C JS"


def hidden(profile: Profile, model: CapsModel | None = None) -> Profile:
    """Caps called without cards, and no Wrong Caps once a trick is lost: what both models allow."""
    return replace(
        profile,
        caps_expose=False,
        caps_order_stated=False,
        caps_concealment=CapsConcealment.ALLOWED,
        caps_model=profile.caps_model if model is None else model,
    )


def unsure_call_that_wins(profile: Profile) -> str:
    table = open_play(hidden(profile), PARTNER_IS_NEEDED)
    if not any(isinstance(each, act.CallCaps) for each in table.legal("S")):
        return "no calls"
    table.do("S", act.CallCaps(()))
    lead_out(table, PARTNERS_OUT, 9)
    return finish(table).line.name


def shape_of_call(profile: Profile) -> tuple[int, int]:
    """How many cards a call shows, and how many its contested caller may play then."""
    table = open_play(profile, ONE_LOSER)
    call = order(table, CALLS)
    table.do("S", call)
    table.ready()
    while table.state.phase is Phase.CAPS_RESPONSE:
        table.table.act(table.state.awaiting[0], act.ContestCaps())
    plays = [each for each in table.legal("S") if isinstance(each, act.PlayCard)]
    return len(call.order), len(plays)


def bonus_tricks(profile: Profile) -> tuple[int, ...]:
    """The tricks, of the last four, before which a sound call still earns the bonus."""
    forgiving = replace(profile, caps_late_free=True)
    found = []
    for trick in range(5, 9):
        table = open_play(forgiving, ONE_LOSER)
        lead_out(table, WINNERS_OUT, trick)
        table.do("S", order(table, " ".join(CALLS.split()[trick - 1 :])))
        if not forgiving.caps_expose:
            for each in WINNERS_OUT.split("; ")[trick - 1 :]:
                table.trick("S", each)
        if finish(table).line is ScoreLine.CAPS_CORRECT:
            found.append(trick)
    return tuple(found)


def after_one_card(profile: Profile) -> str:
    table = open_play(profile, ONE_LOSER)
    table.ready()
    table.play("S", "JC")
    return table.state.phase.name


def never_called(profile: Profile) -> HandOutcome:
    table = open_play(profile, ONE_LOSER)
    lead_out(table, WINNERS_OUT, 9)
    return finish(table)


def late_call(profile: Profile) -> str:
    table = open_play(profile, ONE_LOSER)
    lead_out(table, WINNERS_OUT, 4)
    table.do("S", order(table, "TC KC QC 7C JS"))
    return finish(table).line.name


def missed_and_lost(profile: Profile) -> str:
    table = open_play(profile, ONE_LOSER)
    table.trick("S", LOST_OUT)
    return finish(table).line.name


def called_at_once(profile: Profile) -> HandOutcome:
    table = open_play(profile, ONE_LOSER)
    table.do("S", order(table, CALLS))
    if not profile.caps_expose:
        lead_out(table, WINNERS_OUT, 9)
    return finish(table)


def called_and_lost(profile: Profile) -> HandOutcome:
    table = open_play(profile, ONE_LOSER)
    table.do("S", order(table, "7C JC 9C AC TC KC QC JS"))
    table.ready()
    while table.state.phase is Phase.CAPS_RESPONSE:
        table.table.act(table.state.awaiting[0], act.ContestCaps())
    table.trick("S", LOST_OUT)
    return finish(table)


def external(profile: Profile) -> HandOutcome:
    table = open_play(profile, EXTERNAL, 200, "W")
    table.trick("S", "JD TD 7D QD")
    table.do("S", order(table, "9D AD JC 9C AC TC JS"))
    if not profile.caps_expose:
        rest = "9D KD 8D TH; AD 8H 7H AH; JC QC 7C KC; 9C TS 8C 9S; AC KS 7S AS; TC QH 8S 9H"
        lead_out(table, rest + "; JS KH QS JH", 9)
    return finish(table)


def price(profile: Profile, *values: Bid) -> tuple[tuple[int, int], ...]:
    """What defenders pay for each bid made, and makers for each failed."""
    paid = []
    for bid in values:
        solo = isinstance(bid, Contract)
        made = HandFacts(maker_team=NORTH_SOUTH, bid=bid, points=304, tricks=8)
        lost = HandFacts(maker_team=NORTH_SOUTH, bid=bid, points=0 if solo else 100, tricks=3)
        paid.append((score_hand(profile, made).amount, score_hand(profile, lost).amount))
    return tuple(paid)


def paid_into(profile: Profile) -> tuple[tuple[int, int], tuple[int, ...]]:
    """The stocks and the tokens gained after East-West paid two tokens."""
    start = new_match(replace(profile, tokens_start=9), bytes(32))
    facts = HandFacts(maker_team=EAST_WEST, bid=160, points=0, tricks=0)
    after = start.after(score_hand(replace(profile, tokens_under_200=Price(1, 2)), facts))
    return after.stocks, after.gains


def violation(profile: Profile) -> int:
    facts = HandFacts(
        maker_team=NORTH_SOUTH,
        bid=200,
        violation=Violation(NORTH_SOUTH, ViolationKind.FALSE_STATEMENT),
    )
    return score_hand(profile, facts).amount


def drawn(profile: Profile) -> bool:
    return bool(new_match(profile, bytes(range(32))).draws)


Situation = Callable[[Profile], Any]


def first_batch(profile: Profile) -> tuple[int, ...]:
    """How many cards each seat has when the first auction begins."""
    game = Game304(replace(profile, cut_by=CutBy.NOBODY, max_cuts=0))
    return tuple(map(len, game.start(Seat(0)).state.hands))


def lowest_worth(profile: Profile, price: Price) -> int:
    """The lowest number of a bracket of the token table."""
    return next(n for n in range(profile.bid_min, 304) if price_of(profile, n) == price)


SITUATIONS: dict[str, Situation] = {
    "deck": lambda p: (len(Game304(p).pack), Game304(p).points_of(Game304(p).pack[0])),
    "deal_batches": first_batch,
    "first_dealer": drawn,
    "cut_by": start_of_hand,
    "cut_optional": lambda p: (
        act.Cut(0) in legal_actions(Table(p, "S", DEAL, cut=False).table.view(Seat(3)))
    ),
    "max_cuts": start_of_hand,
    "bid_min": lambda p: opening_numbers(p)[0],
    "bid_max": lambda p: opening_numbers(replace(p, bid_step_high=1))[-1],
    "bid_step_low": lambda p: tuple(n for n in opening_numbers(p) if n <= 200),
    "bracket_middle": lambda p: lowest_worth(p, p.tokens_200_249),
    "bracket_top": lambda p: lowest_worth(p, p.tokens_250_up),
    "bid_step_high": lambda p: tuple(n for n in opening_numbers(p) if n > 200)[:4],
    "opening_bid_forced": lambda p: act.Pass() in said(p, "").legal("E"),
    "reentry_rule": reentry,
    "partner_overbid4": lambda p: (
        lowest(said(p, "E160 N-"), "W"),
        lowest(said(p, "E200 N-"), "W"),
    ),
    "ask_partner": lambda p: act.AskPartner() in said(p, "").legal("E"),
    "asked_partner_may_pass": lambda p: act.Pass() in said(p, "E160 N?").legal("S"),
    "ask_again_later": asks_again,
    "auction4_end": end_of_auction,
    "redeal_below": rejectable,
    "redeal_proof": rejecting,
    "bid_shorthand": shorthand,
    "partners": lambda p: len({*p.teams}),
    "double": doubling,
    "tokens_full_court": lambda p: price(p, Contract.FULL_COURT),
    "half_court": lambda p: Contract.HALF_COURT in bids(said(p, ""), "E"),
    "auction8": lambda p: eight_card(p, 160) is not None,
    "auction8_min": lambda p: eight_card_lowest(replace(p, bid_step_high=1), 160),
    "auction8_vs_four": lambda p: eight_card_lowest(p, 260),
    "pcc": pcc_offered,
    "open_trump": lambda p: Table(p, "S", DEAL).given("E", 160, "9C").state.phase.name,
    "first_lead_ban": first_leads,
    "reveal_on_cut": shown_on_cut,
    "open_after_trick1_from": opens_after_first_trick,
    "exhausted_trumps": bound_to_trumps,
    "spoilt_trumps": lambda p: act.CallSpoilt() in window(p).legal("N"),
    "spoilt_false_call": false_spoilt,
    "pre_show_card": lambda p: any(isinstance(x, act.ShowCard) for x in window(p).legal("N")),
    "caps_model": unsure_call_that_wins,
    "caps_order_stated": shape_of_call,
    "caps_expose": shape_of_call,
    "caps_bonus_before": bonus_tricks,
    "caps_grace": after_one_card,
    "caps_late_or_early_penalty": lambda p: never_called(p).amount,
    "caps_late_free": late_call,
    "caps_concealment": missed_and_lost,
    "caps_bonus": lambda p: called_at_once(p).amount,
    "caps_called_trick_lost": lambda p: called_and_lost(p).amount,
    "external_caps": lambda p: external(p).amount,
    "tokens_under_200": lambda p: price(p, 160, 190),
    "tokens_200_249": lambda p: price(p, 200, 245),
    "tokens_250_up": lambda p: price(p, 250, 300),
    "tokens_pcc": lambda p: price(p, Contract.PARTNER_CLOSE_CAPS),
    "tokens_half_court": lambda p: price(p, Contract.HALF_COURT),
    "tokens_start": lambda p: new_match(p, bytes(32)).stocks,
    "settlement": paid_into,
    "violation": violation,
}
