"""The profiles of 304: every parameter that can vary, as one immutable value, with its kinds of
values; the profiles and house rules of PROFILES 1 to 3, each by what it changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple

from p2p304.errors import ProfileError
from p2p304.rules304.pack import DEALS, DealBatches, Pack
from p2p304.rules304.teams import Team, alternate_teams, on_their_own

# The kinds of answer that a parameter can have, where yes, no or a number is not enough. Each value
# is the text that shows it. Names and meanings are those of PROFILES 1.


class FirstDealer(Enum):
    """Who deals the first hand of a match (RULES 2)."""

    RANDOM = "random"
    HIGHEST_CARD = "highest drawn card"


class Partners(Enum):
    """Who plays together (PROFILES 3)."""

    TEAMS = "teams"  #: Two teams, whose seats alternate.
    #: The maker with whoever holds the card that it names, each seat with a score of its own.
    CALLED = "called card"


class CutBy(Enum):
    """Who may cut the shuffled pack (RULES 4)."""

    LEFT_OF_DEALER = "left of dealer"
    NOBODY = "nobody"


class FurtherBids(Enum):
    """Which numbers a seat may bid once it has had a turn, or over a partner's standing bid.

    RULES 5.2 no. 3 and 4: the parameters `reentry_rule` and `partner_overbid4`. 200 stands for the
    profile's `bracket_middle`.
    """

    FROM_200 = "200 and up"
    FROM_200_IF_FIRST = "200 and up, while nobody has reached 200"
    NEVER = "never"


class Auction4End(Enum):
    """What ends a four-card auction with a standing bid (RULES 5.4)."""

    THREE_PASSES = "three passes in a row"  #: At four seats: all others have passed.
    # One rule in two texts, since with six seats all others are five.
    ALL_OTHERS = "all others pass in a row"  #: At more seats.
    ONE_CIRCUIT = "one circuit"


class RedealProof(Enum):
    """How a hand too weak to play is proved (RULES 5.5, statement S2)."""

    SHOW = "show the four cards"
    PRIVATE = "prove without showing"


class Auction8VsFour(Enum):
    """How an eight-card number must relate to the four-card bid (RULES 7 no. 2)."""

    ABOVE = "strictly above"
    EQUAL_ALLOWED = "equal allowed"


class RevealOnCut(Enum):
    """Which face-down cards a cut trick shows to all (RULES 10.2)."""

    NOT_MAKERS_DISCARD = "others' cards and indicator"
    MAKERS_DISCARD_TOO = "others' cards, indicator and maker's discard"


class ViolationPrice(Enum):
    """What a broken rule costs the team that broke it (RULES 15 line 2, rulings 78 and 85)."""

    HAND_PLUS_2 = "lost hand + 2"
    THREE_TOKENS = "3 tokens"


class PreShow(Enum):
    """Whether a card may be shown before it is played (PROFILES 2, `pre_show`)."""

    # "no" and "yes" are older than showing in a trick, and stand in signed charters.
    NO = "no"
    BETWEEN_TRICKS = "yes"
    #: Between tricks, and by the seat on turn, whose partners then may call caps.
    IN_TRICK_TOO = "in a trick too"


class CapsModel(Enum):
    """How Caps are judged (RULES 13)."""

    EPISTEMIC = "epistemic"  #: By what a seat could know when it was to call.
    OUTCOME = "outcome"  #: By the result of the hand.
    OFF = "off"


class CapsGrace(Enum):
    """When the window of an obligation to call Caps closes (RULES 13.3)."""

    #: When the window closes that follows the trick in which the obligation began.
    TRICK = "next lead"
    STRICT = "next card"  #: Before anybody plays another card, be it in the same trick.


class CapsConcealment(Enum):
    """What becomes of a missed call once the team has lost a trick (RULES 13.5, ruling 68)."""

    WRONG_CAPS = "Wrong Caps"
    ALLOWED = "allowed"


class ExternalCaps(Enum):
    """What correct External Caps in time costs the maker's team (RULES 15 line 5)."""

    FAILED_PLUS_BONUS = "failed bid + bonus"
    FLAT_EIGHT = "8 in all"


class Settlement(Enum):
    """Where paid tokens go and what ends a match (RULES 16)."""

    TRANSFER = "transfer"
    BANK = "bank"
    OWN_STOCK = "own stock"


class Price(NamedTuple):
    """Tokens of one bracket of bids: what defenders pay when it is made, makers when it fails.
    Where a partner is called, points of each seat.
    """

    made: int
    failed: int

    def __str__(self) -> str:
        """Return both numbers as agreements write them: "2 / 3"."""
        return f"{self.made} / {self.failed}"


#: House rules for two pairs of partners, and no other table (ruling 98).
FOUR_SEATS_ONLY: Final = ("half_court", "alpha_bidding", "forced_open")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The agreed parameters of a table: names as in PROFILES 1, pagat's values as defaults.

    `p2p304.rules304.agreement` says what each field means. Raises ProfileError for values out of
    range and for fields that contradict each other.
    """

    name: str
    toggles: tuple[str, ...] = ()

    deck: Pack = Pack.SEVEN_UP
    deal_batches: DealBatches = DealBatches.FOUR_FOUR
    partners: Partners = Partners.TEAMS
    first_dealer: FirstDealer = FirstDealer.RANDOM
    cut_by: CutBy = CutBy.LEFT_OF_DEALER
    cut_optional: bool = True
    max_cuts: int = 1

    bid_min: int = 160
    bid_max: int = 300
    bid_step_low: int = 10
    bid_step_high: int = 10
    bracket_middle: int = 200
    bracket_top: int = 250
    opening_bid_forced: bool = False
    reentry_rule: FurtherBids = FurtherBids.FROM_200
    partner_overbid4: FurtherBids = FurtherBids.FROM_200
    ask_partner: bool = True
    asked_partner_may_pass: bool = True
    ask_again_later: bool = True
    auction4_end: Auction4End = Auction4End.THREE_PASSES
    redeal_below: int = 15
    redeal_proof: RedealProof = RedealProof.SHOW
    bid_shorthand: tuple[tuple[int, int], ...] = ((60, 160), (70, 170), (80, 180), (90, 190))
    half_court: bool = False

    auction8: bool = True
    auction8_min: int = 250
    auction8_vs_four: Auction8VsFour = Auction8VsFour.ABOVE
    pcc: bool = True

    open_trump: bool = True
    first_lead_ban: bool = True
    reveal_on_cut: RevealOnCut = RevealOnCut.NOT_MAKERS_DISCARD
    open_after_trick1_from: int = 250
    exhausted_trumps: bool = True
    spoilt_trumps: bool = True
    spoilt_false_call: ViolationPrice = ViolationPrice.HAND_PLUS_2
    pre_show_card: PreShow = PreShow.NO

    caps_model: CapsModel = CapsModel.EPISTEMIC
    caps_order_stated: bool = True
    caps_expose: bool = True
    caps_bonus_before: int = 7
    caps_grace: CapsGrace = CapsGrace.TRICK
    caps_late_or_early_penalty: int = 2
    caps_late_free: bool = False
    caps_concealment: CapsConcealment = CapsConcealment.WRONG_CAPS
    caps_bonus: int = 1
    caps_called_trick_lost: int = 5
    external_caps: ExternalCaps = ExternalCaps.FAILED_PLUS_BONUS
    double: bool = False

    tokens_under_200: Price = Price(1, 2)
    tokens_200_249: Price = Price(2, 3)
    tokens_250_up: Price = Price(3, 4)
    tokens_pcc: Price = Price(4, 5)
    tokens_half_court: Price = Price(3, 4)
    tokens_full_court: Price = Price(4, 5)
    tokens_start: int = 11
    settlement: Settlement = Settlement.TRANSFER
    score_goal: int = 11
    violation: ViolationPrice = ViolationPrice.HAND_PLUS_2
    marriages: bool = False
    last_trick: bool = False
    divide_by_ten: bool = False

    # Every reader of a charter makes a Profile: what contradicts itself must fail here, once.
    def __post_init__(self) -> None:
        """Raise ProfileError for a value out of its range, and for fields that contradict each
        other.
        """
        # First, for the number of seats and most ranges follow from how the pack is dealt.
        if (self.deck, self.deal_batches) not in DEALS:
            raise ProfileError(f"deck {self.deck.value} is not dealt {self.deal_batches.value}")
        for toggle in FOUR_SEATS_ONLY:
            # The second text is the part of the agreement that is wrong, as a player typed it.
            if toggle in self.toggles and self.seats != _FOUR:
                raise ProfileError(
                    f"{toggle} is for four seats, not for {self.seats}", f"+{toggle}"
                )
        for name, (least, most) in ranges(self.deck, self.deal_batches).items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise ProfileError(f"{name} is {value}, but must lie between {least} and {most}")
        if self.bid_min > self.bid_max:
            raise ProfileError(f"bid_min {self.bid_min} lies above bid_max {self.bid_max}")
        # `bid_max` need be no multiple: it only limits (specs/rules.md 14).
        if self.bid_min % self.step_at(self.bid_min):
            raise ProfileError(f"bid_min {self.bid_min} is no multiple of the step of bids")
        if self.bracket_middle > self.bracket_top:
            raise ProfileError("bracket_middle lies above bracket_top")
        if self.auction4_end is Auction4End.THREE_PASSES and self.seats != _FOUR:
            raise ProfileError("three passes end an auction of four seats, not of others")
        if self.auction4_end is Auction4End.ALL_OTHERS and self.seats == _FOUR:
            raise ProfileError("at four seats auction4_end says three passes in a row")
        # Also where the parameter is set by itself, without the house rule of this name. 4 + 4 is
        # dealt at four seats alone (DEALS).
        if self.half_court and self.deal_batches is not DealBatches.FOUR_FOUR:
            raise ProfileError("half_court is for four seats")
        if self.double and self.caps_model is not CapsModel.OFF:
            raise ProfileError("double takes the place of caps, so caps_model is off")
        if self.double and self.deal_batches is not DealBatches.FOUR_FOUR:
            raise ProfileError("double is called after five of eight tricks")
        if self.partner_called:
            self._check_called()
        if self.pcc and not self.auction8:
            raise ProfileError("pcc is an eight-card bid, but auction8 is off")
        if (self.cut_by is CutBy.NOBODY) != (self.max_cuts == 0):
            raise ProfileError("cut_by is nobody exactly where max_cuts is 0")
        if self.caps_order_stated and not self.caps_expose:
            raise ProfileError("caps_order_stated names the cards, so caps_expose cannot be off")
        if self.caps_model is CapsModel.OUTCOME and (self.caps_expose or not self.sandbag_ok):
            raise ProfileError(
                "caps_model outcome shows no cards and punishes no lost trick, so caps_expose is"
                " off and caps_concealment allowed"
            )
        targets = [meant for _, meant in self.bid_shorthand]
        # A dictionary drops a shorthand that stands twice.
        if len(dict(self.bid_shorthand)) != len(targets) or not all(
            self.bid_min <= meant <= self.bid_max and said < self.bid_min
            for said, meant in self.bid_shorthand
        ):
            raise ProfileError("bid_shorthand must lead from numbers below every bid to bids")

    def _check_called(self) -> None:
        """Raise ProfileError for parameters that do not go with a called card (PROFILES 3.2)."""
        if self.deal_batches is not DealBatches.FOUR_FOUR:
            raise ProfileError("a card is called at four seats")
        without = {
            # No `pcc` here: it is refused without `auction8` anyway.
            "ask_partner": self.ask_partner,
            "auction8": self.auction8,
            "half_court": self.half_court,
            "opening_bid_forced": self.opening_bid_forced,
            "redeal_below": bool(self.redeal_below),
            "double": self.double,
            "caps_model": self.caps_model is not CapsModel.OFF,
        }
        # The second text is the part of the agreement that is wrong.
        for name, held in without.items():
            if held:
                raise ProfileError(f"where a card is called there is no {name}", name)

    @property
    def partner_called(self) -> bool:
        """Whether the maker names a card, whose holder becomes its partner (PROFILES 3.2)."""
        return self.partners is Partners.CALLED

    @property
    def seats(self) -> int:
        """The number of seats: the cards of the pack divided by the cards of a hand."""
        return len(self.deck.cards) // self.deal_batches.cards

    @property
    def teams(self) -> tuple[Team, ...]:
        """The team of each seat when a hand begins, in seat order: two teams that alternate, or
        a team of its own for each seat where partners are called.
        """
        return on_their_own(self.seats) if self.partner_called else alternate_teams(self.seats)

    @property
    def redeal_private(self) -> bool:
        """Whether a seat that demands a redeal proves in private that its cards are weak, rather
        than by showing them (statement S2).
        """
        return self.redeal_proof is RedealProof.PRIVATE

    @property
    def show_maker_discard(self) -> bool:
        """Whether a trick that was cut shows the maker's own face-down discard, too."""
        return self.reveal_on_cut is RevealOnCut.MAKERS_DISCARD_TOO

    @property
    def sandbag_ok(self) -> bool:
        """Whether a missed call of caps costs nothing once the team has lost a trick."""
        return self.caps_concealment is CapsConcealment.ALLOWED

    @property
    def single_call(self) -> bool:
        """Whether every seat has only one call in the four-card auction."""
        return self.reentry_rule is FurtherBids.NEVER

    def step_at(self, number: int) -> int:
        """Return the step of bids at the height of `number`, of which a bid must be a multiple:
        `bid_step_low` up to `bracket_middle`, `bid_step_high` above it (RULES 5.2 no. 1).
        """
        return self.bid_step_low if number <= self.bracket_middle else self.bid_step_high

    def on_step(self, number: int) -> bool:
        """Tell whether `number` may be bid at all, whatever bid stands: from `bid_min` to
        `bid_max`, and a multiple of its step (RULES 5.2 no. 1 and 2).
        """
        return self.bid_min <= number <= self.bid_max and number % self.step_at(number) == 0

    def number_meant(self, said: int) -> int:
        """Return the bid that a player means by typing `said`: 160 for 60 where that shorthand is
        agreed, else `said` itself.
        """
        return dict(self.bid_shorthand).get(said, said)


# The table that most rules are written for; others differ in a few places.
_FOUR: Final = 4
# The bounds that specs/rules.md 14 lists.
_RANGES: Final = {
    "max_cuts": (0, 1),
    "bid_step_low": (1, 100),
    "bid_step_high": (1, 100),
    "redeal_below": (0, 100),
    "caps_late_or_early_penalty": (0, 100),
    "caps_bonus": (0, 100),
    "caps_called_trick_lost": (0, 100),
    "tokens_start": (1, 1000),
    "score_goal": (1, 1000),
}


def ranges(deck: Pack, batches: DealBatches) -> dict[str, tuple[int, int]]:
    """Return the least and the greatest value of each parameter that is a number, by its name,
    for a table with this pack and these batches.
    """
    points = deck.points
    return _RANGES | {
        # All from specs/rules.md 14, too. A least bid leaves four points: 300 of 304, as pagat's
        # highest bid.
        "bid_min": (10, points - 4),
        "bid_max": (10, points),
        "bracket_middle": (10, points),
        "bracket_top": (10, points),
        "auction8_min": (10, points),
        # One above every bid: trump is never opened for the height of the bid.
        "open_after_trick1_from": (10, points + 1),
        "caps_bonus_before": (1, batches.cards),
    }


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
