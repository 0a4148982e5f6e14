"""The profiles of 304 and its house rules, transcribed from PROFILES 1 to 3: what each changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from p2p304.rules304.pack import DealBatches, Pack
from p2p304.rules304.profile import (
    Auction4End,
    Auction8VsFour,
    CapsConcealment,
    CapsGrace,
    CapsModel,
    CutBy,
    ExternalCaps,
    FirstDealer,
    FurtherBids,
    Partners,
    PreShow,
    Profile,
    RedealProof,
    RevealOnCut,
    Settlement,
    ViolationPrice,
)

# PROFILES 1: pagat has the defaults of `Profile`, the others tell what they have otherwise.
PAGAT: Final = Profile(name="pagat")

CARD304: Final = Profile(
    name="card304",
    reentry_rule=FurtherBids.FROM_200_IF_FIRST,
    partner_overbid4=FurtherBids.FROM_200_IF_FIRST,
    auction8_vs_four=Auction8VsFour.EQUAL_ALLOWED,
)

# As the column of this name in specs/rules.md 14 has it, as all profiles of four seats here.
CARD304_ALPHA: Final = replace(
    CARD304,
    name="card304-alpha",
    cut_by=CutBy.NOBODY,
    max_cuts=0,
    reentry_rule=FurtherBids.NEVER,
    ask_again_later=False,
    auction4_end=Auction4End.ONE_CIRCUIT,
    auction8=False,
    pcc=False,
    open_trump=False,
    exhausted_trumps=False,
    caps_model=CapsModel.OFF,
)

WIKIPEDIA: Final = Profile(
    name="wikipedia",
    reentry_rule=FurtherBids.NEVER,
    partner_overbid4=FurtherBids.NEVER,
    ask_again_later=False,
    auction4_end=Auction4End.ONE_CIRCUIT,
    bid_shorthand=(*PAGAT.bid_shorthand, (100, 200)),
    auction8_vs_four=Auction8VsFour.EQUAL_ALLOWED,
)

# Short numbers are no part of it, and caps are judged by what was won (specs/rules.md 14).
CHAMPIONSHIP: Final = Profile(
    name="championship",
    first_dealer=FirstDealer.HIGHEST_CARD,
    opening_bid_forced=True,
    asked_partner_may_pass=False,
    bid_shorthand=(),
    reveal_on_cut=RevealOnCut.MAKERS_DISCARD_TOO,
    exhausted_trumps=False,
    spoilt_false_call=ViolationPrice.THREE_TOKENS,
    caps_model=CapsModel.OUTCOME,
    caps_order_stated=False,
    caps_expose=False,
    caps_bonus_before=6,
    caps_concealment=CapsConcealment.ALLOWED,
    tokens_start=7,
    settlement=Settlement.OWN_STOCK,
    violation=ViolationPrice.THREE_TOKENS,
)

# From here on PROFILES 3: other numbers of players, other packs, other ways to be partners.
SIX24: Final = Profile(
    name="six24",
    deck=Pack.NINE_UP,
    deal_batches=DealBatches.THREE_ONE,
    bid_min=200,
    opening_bid_forced=True,
    ask_partner=False,
    auction4_end=Auction4End.ALL_OTHERS,
    redeal_below=0,
    bid_shorthand=(),
    auction8=False,
    pcc=False,
    caps_bonus_before=3,
)

EIGHT32: Final = replace(SIX24, name="eight32", deck=Pack.SEVEN_UP)

SIX36: Final = Profile(
    name="six36",
    deck=Pack.SIX_UP,
    deal_batches=DealBatches.FOUR_TWO,
    auction4_end=Auction4End.ALL_OTHERS,
    caps_bonus_before=5,
)

# Brackets and bounds grow with the points of the pack, as PROFILES 3.1 has them.
TAMIL504: Final = replace(
    SIX36,
    name="tamil504",
    deck=Pack.THREES_TOP,
    bid_min=260,
    bid_max=500,
    bracket_middle=330,
    bracket_top=410,
    ask_partner=False,
    redeal_below=0,
    bid_shorthand=(),
    auction8_min=410,
    pcc=False,
    open_after_trick1_from=410,
)

TAMIL904: Final = replace(
    TAMIL504,
    name="tamil904",
    deck=Pack.TWOS_TOP,
    deal_batches=DealBatches.THREE_TWO,
    bid_min=460,
    bid_max=900,
    bracket_middle=590,
    bracket_top=740,
    auction8_min=740,
    open_after_trick1_from=740,
    caps_bonus_before=4,
)

TAMIL4: Final = Profile(name="tamil4", caps_model=CapsModel.OFF, double=True)

MAHARASHTRA: Final = Profile(
    name="maharashtra",
    partners=Partners.CALLED,
    ask_partner=False,
    redeal_below=0,
    auction8=False,
    pcc=False,
    caps_model=CapsModel.OFF,
)

# Every value is the same: `FORBIDDEN` below rules out its house rules.
DOSO_VISO: Final = replace(MAHARASHTRA, name="doso_viso")

#: The five profiles for four seats by name, in the order of the matrix.
FOUR_SEATS: Final = {
    profile.name: profile for profile in (PAGAT, CARD304, CARD304_ALPHA, WIKIPEDIA, CHAMPIONSHIP)
}

#: All profiles by name.
PROFILES: Final = FOUR_SEATS | {
    profile.name: profile
    for profile in (SIX24, EIGHT32, SIX36, TAMIL504, TAMIL904, TAMIL4, MAHARASHTRA, DOSO_VISO)
}

#: What each profile is, in half a line.
IN_WORDS: Final = {
    "pagat": "the usual rules, as pagat.com tells them",
    "card304": "a second call from 200 while nobody has it",
    "card304-alpha": "card304: one auction, closed trump, no caps",
    "wikipedia": "one call each with four cards",
    "championship": "tournaments: a forced bid, caps by result",
    "six24": "six players, three a side, four cards each",
    "eight32": "eight players, four a side, four cards each",
    "six36": "six players, six cards each, both auctions",
    "tamil504": "six players, 504 points, high threes",
    "tamil904": "eight players, 904 points, high twos, threes",
    "tamil4": "a double after five tricks, no caps",
    "maharashtra": "a partner by a called card, a score for each",
    "doso_viso": "maharashtra without its house rules",
}


# --- the house rules of PROFILES 2: named changes that a table may agree on top of a profile ------


class Toggle(NamedTuple):
    """A house rule: one line about it, and the parameters that it sets."""

    explanation: str
    changes: Mapping[str, object]  #: From a field of Profile to the value that it sets.


#: Every house rule by name, in the order of PROFILES 2. Where two set the same parameter, the later
#: one allows all that the earlier one does, and its value counts. The last allows what is beside
#: the game (`table_talk` in RULES 16) and sets none.
TOGGLES: Final[Mapping[str, Toggle]] = MappingProxyType(
    {
        "step5_from_200": Toggle(
            "Numbers above 200 may be multiples of 5; 205 is the first.", {"bid_step_high": 5}
        ),
        "bank_scoring": Toggle(
            "Who pays, pays a bank; nobody receives; the first team at zero loses.",
            {"settlement": Settlement.BANK},
        ),
        "external_caps_eight": Toggle(
            "Correct External Caps in time cost 8 in all instead of the failed bid and bonus.",
            {"external_caps": ExternalCaps.FLAT_EIGHT},
        ),
        "half_court": Toggle(
            "With four cards a seat may undertake to win all four tricks alone.",
            {"half_court": True},
        ),
        "caps_strict": Toggle(
            "A duty to call Caps must be met before the next card by anybody.",
            {"caps_grace": CapsGrace.STRICT},
        ),
        "caps_late_free": Toggle(
            "A late Caps call is not punished; an early one is.", {"caps_late_free": True}
        ),
        "caps_hidden_call": Toggle(
            "Caps are called without showing cards or stating their order.",
            {"caps_order_stated": False, "caps_expose": False},
        ),
        "sandbag_ok": Toggle(
            "A missed Caps call is not punished once the team has lost a trick.",
            {"caps_concealment": CapsConcealment.ALLOWED},
        ),
        "show_maker_discard": Toggle(
            "A cut trick shows the maker's own face-down discard too.",
            {"reveal_on_cut": RevealOnCut.MAKERS_DISCARD_TOO},
        ),
        "alpha_bidding": Toggle(
            "One call each in the four-card auction, and no auction with eight cards.",
            {
                "reentry_rule": FurtherBids.NEVER,
                "ask_again_later": False,
                "auction4_end": Auction4End.ONE_CIRCUIT,
                "auction8": False,
                # An eight-card bid: a profile without that auction cannot have it.
                "pcc": False,
            },
        ),
        "pre_show": Toggle(
            "A card may be shown before it is played, and must then be played.",
            {"pre_show_card": PreShow.BETWEEN_TRICKS},
        ),
        "pre_show_in_trick": Toggle(
            "As pre_show; the seat on turn may show its card, for its partner to call Caps.",
            {"pre_show_card": PreShow.IN_TRICK_TOO},
        ),
        "redeal_private": Toggle(
            "Weak cards are proved without being shown.", {"redeal_proof": RedealProof.PRIVATE}
        ),
        "forced_open": Toggle(
            "The first turn of the four-card auction must end in a bid, own or asked.",
            {"opening_bid_forced": True},
        ),
        "marriages": Toggle(
            "King and queen of a suit may be shown after a trick: 40 points of trump, else 20.",
            {"marriages": True},
        ),
        "last_trick": Toggle(
            "Who wins the last trick has ten points more, toward the bid or against it.",
            {"last_trick": True},
        ),
        "divide_by_ten": Toggle("Points are shown divided by ten.", {"divide_by_ten": True}),
        "table_chat": Toggle(
            "Between hands the players may write to each other; during a hand nobody may.", {}
        ),
    }
)

#: House rules that a profile rules out in so many words (PROFILES 5).
FORBIDDEN: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        # PROFILES 5 names each of these pairs.
        "championship": ("half_court",),
        "tamil4": ("alpha_bidding",),
        "maharashtra": ("alpha_bidding",),
        "doso_viso": ("alpha_bidding", "marriages", "last_trick"),
    }
)
