"""The house rules of PROFILES 2: named changes that a table may agree on top of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from p2p304.rules304.choices import (
    Auction4End,
    CapsConcealment,
    CapsGrace,
    ExternalCaps,
    FurtherBids,
    PreShow,
    RedealProof,
    RevealOnCut,
    Settlement,
)


class Toggle:
    """A house rule: its name, one line about it, and the parameters that it sets."""

    # No dataclass, which could not collect any keywords into `changes`.
    __slots__ = ("changes", "explanation", "name")

    def __init__(self, name: str, explanation: str, **changes: object) -> None:
        """Make a house rule; `explanation` is one line about it, and `changes` maps fields of
        Profile to the values that it sets.
        """
        self.name: Final = name
        self.explanation: Final = explanation
        self.changes: Final[Mapping[str, object]] = MappingProxyType(changes)


#: Every house rule by name, in the order of PROFILES 2. Where two set the same parameter, the later
#: one allows all that the earlier one does, and its value counts. The last allows what is beside
#: the game (`table_talk` in RULES 16) and sets none.
TOGGLES: Final[Mapping[str, Toggle]] = MappingProxyType(
    {
        toggle.name: toggle
        for toggle in (
            Toggle(
                "step5_from_200",
                "Numbers above 200 may be multiples of 5; 205 is the first.",
                bid_step_high=5,
            ),
            Toggle(
                "bank_scoring",
                "Who pays, pays a bank; nobody receives; the first team at zero loses.",
                settlement=Settlement.BANK,
            ),
            Toggle(
                "external_caps_eight",
                "Correct External Caps in time cost 8 in all instead of the failed bid and bonus.",
                external_caps=ExternalCaps.FLAT_EIGHT,
            ),
            Toggle(
                "half_court",
                "With four cards a seat may undertake to win all four tricks alone.",
                half_court=True,
            ),
            Toggle(
                "caps_strict",
                "A duty to call Caps must be met before the next card by anybody.",
                caps_grace=CapsGrace.STRICT,
            ),
            Toggle(
                "caps_late_free",
                "A late Caps call is not punished; an early one is.",
                caps_late_free=True,
            ),
            Toggle(
                "caps_hidden_call",
                "Caps are called without showing cards or stating their order.",
                caps_order_stated=False,
                caps_expose=False,
            ),
            Toggle(
                "sandbag_ok",
                "A missed Caps call is not punished once the team has lost a trick.",
                caps_concealment=CapsConcealment.ALLOWED,
            ),
            Toggle(
                "show_maker_discard",
                "A cut trick shows the maker's own face-down discard too.",
                reveal_on_cut=RevealOnCut.MAKERS_DISCARD_TOO,
            ),
            Toggle(
                "alpha_bidding",
                "One call each in the four-card auction, and no auction with eight cards.",
                reentry_rule=FurtherBids.NEVER,
                ask_again_later=False,
                auction4_end=Auction4End.ONE_CIRCUIT,
                auction8=False,
                # An eight-card bid: a profile without that auction cannot have it.
                pcc=False,
            ),
            Toggle(
                "pre_show",
                "A card may be shown before it is played, and must then be played.",
                pre_show_card=PreShow.BETWEEN_TRICKS,
            ),
            Toggle(
                "pre_show_in_trick",
                "As pre_show; the seat on turn may show its card, for its partner to call Caps.",
                pre_show_card=PreShow.IN_TRICK_TOO,
            ),
            Toggle(
                "redeal_private",
                "Weak cards are proved without being shown.",
                redeal_proof=RedealProof.PRIVATE,
            ),
            Toggle(
                "forced_open",
                "The first turn of the four-card auction must end in a bid, own or asked.",
                opening_bid_forced=True,
            ),
            Toggle(
                "marriages",
                "King and queen of a suit may be shown after a trick: 40 points of trump, else 20.",
                marriages=True,
            ),
            Toggle(
                "last_trick",
                "Who wins the last trick has ten points more, toward the bid or against it.",
                last_trick=True,
            ),
            Toggle(
                "divide_by_ten",
                "Points are shown divided by ten.",
                divide_by_ten=True,
            ),
            Toggle(
                "table_chat",
                "Between hands the players may write to each other; during a hand nobody may.",
            ),
        )
    }
)

#: House rules for two pairs of partners, and no other table (ruling 98).
FOUR_SEATS_ONLY: Final = ("half_court", "alpha_bidding", "forced_open")

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
