"""Hands of 304 between wild players, and what a test needs to look at them from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

import hypothesis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from p2p304.cards import Card, Slot, Suit
from p2p304.disclosures import Remixed
from p2p304.errors import ProfileError
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bids import Contract, height
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.toggles import TOGGLES
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.long import examples
from tests.rules.out_of_turn import calls_out_of_turn

matches = settings(
    max_examples=examples(2),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.reuse, hypothesis.Phase.generate),
)
"""How many examples a test has that plays whole matches of one profile; seeds are not shrunk."""

OVERRIDES: Final[dict[str, tuple[object, ...]]] = {
    "open_trump": (False,),
    "first_lead_ban": (False,),
    "exhausted_trumps": (True, False),
    "caps_order_stated": (False,),
    "ask_partner": (False,),
    "asked_partner_may_pass": (True, False),
    "cut_optional": (False,),
    "auction8_min": (180, 300),
    "bid_max": (200, 250),
    "open_after_trick1_from": (160, 305),
    "redeal_below": (0, 30),
    "spoilt_trumps": (False,),
    "pre_show_card": ("in a trick too",),
}
"""Single parameters that the machine varies beside profiles and house rules."""


def agreed(name: str, toggles: list[str], overrides: dict[str, object]) -> Profile:
    """The profile of that name with as much of the rest as does not contradict it."""
    kept: list[str] = []
    for toggle in toggles:
        try:
            named_profile(name, [*kept, toggle])
        except ProfileError:
            continue
        kept.append(toggle)
    changes: dict[str, object] = {}
    for key, value in overrides.items():
        try:
            named_profile(name, kept, {**changes, key: value})
        except ProfileError:
            continue
        changes[key] = value
    return named_profile(name, kept, changes)


def agreements(name: str) -> st.SearchStrategy[Profile]:
    """Profiles of that name under random house rules, short stocks and a few parameters."""
    toggles = st.lists(st.sampled_from(sorted(TOGGLES)), unique=True, max_size=6)
    singles = st.fixed_dictionaries(
        {"tokens_start": st.sampled_from((1, 4, 7, 11))},
        optional={key: st.sampled_from(values) for key, values in OVERRIDES.items()},
    )
    plain = st.just({"tokens_start": 5})
    return st.builds(agreed, st.just(name), toggles, st.one_of(plain, singles))


@dataclass(frozen=True)
class Style:
    """How wild players are: one decision in so many considers claims, or high bids."""

    claims: int
    high_bids: int
    interrupts: int

    def choose(self, chance: Random, actions: list[act.Action]) -> act.Action:
        """One of the actions: first a kind, then one of that kind."""
        if chance.randrange(self.claims):
            actions = [
                each for each in actions if not isinstance(each, act.RARE_ACTIONS)
            ] or actions
        if chance.randrange(self.high_bids):
            low = [
                each
                for each in actions
                if not (isinstance(each, act.PlaceBid) and height(each.bid) >= 200)
            ]
            actions = low or actions
        kind = chance.choice(list(dict.fromkeys(map(type, actions))))
        return chance.choice([each for each in actions if type(each) is kind])


STYLES: Final = st.sampled_from(
    (Style(500, 30, 1000), Style(200, 3, 400), Style(40, 2, 100), Style(10, 5, 50))
)


def deal(chance: Random) -> list[Card]:
    """A shuffled deck; one in three gives the seats long suits, so that rare rules come up."""
    deck = list(PACK)
    chance.shuffle(deck)
    if chance.randrange(3):
        return deck
    suits = [[card for card in deck if card.suit == suit] for suit in chance.sample(list(Suit), 4)]
    deck = [card for half in (slice(4), slice(4, 8)) for suit in suits for card in suit[half]]
    for _ in range(chance.randrange(3, 14)):
        one, two = chance.sample(range(32), 2)
        deck[one], deck[two] = deck[two], deck[one]
    return deck


Visit = Callable[[OpenTable, Seat, act.Action], None]


def ordered(action: act.Action, chance: Random, profile: Profile) -> act.Action:
    """The action, or the same call of caps with its cards in another order where one is stated."""
    if isinstance(action, act.CallCaps) and profile.caps_order_stated:
        return act.CallCaps(tuple(chance.sample(action.order, len(action.order))))
    return action


def play_wildly(
    table: OpenTable, chance: Random, style: Style, visit: Visit
) -> list[tuple[Seat, act.Action]]:
    """Play the hand to its end, with seats of one round in any order and claims out of turn.

    `visit` is told of every action before it is taken.
    """
    done: list[tuple[Seat, act.Action]] = []
    while awaited := table.state.awaiting:
        seat = chance.choice(awaited)
        options = legal_actions(table.view(seat))
        if not chance.randrange(style.interrupts):
            other = Seat(chance.randrange(4))
            claims = calls_out_of_turn(table.view(other))
            if claims:
                seat, options = other, claims
        assert options, f"seat {seat} is awaited in {table.state.phase.name} and can do nothing"
        action = ordered(style.choose(chance, options), chance, table.game.profile)
        visit(table, seat, action)
        table.act(seat, action)
        done.append((seat, action))
    return done


def new_table(game: Game304, deck: list[Card], mix: int, dealer: Seat) -> OpenTable:
    """A table whose seats mix their cards as `mix` says, whatever cards these are."""
    return OpenTable(game, deck, SeededRandomness(mix), dealer=dealer)


def retired(table: OpenTable) -> list[Slot]:
    """Every slot that stands for a card no more."""
    mixed = (each for each in table.disclosures if isinstance(each, Remixed))
    return sorted(slot for each in mixed for slot in each.before)


@dataclass
class WhoMayKnow:
    """Who may know which slot, told from the rules' tables and not from the library's views.

    RULES 5.6, 6 to 10, 12, 13.4 and 17, column "who learns".
    """

    everybody: set[Slot] = field(default_factory=set)
    own: list[set[Slot]] = field(default_factory=lambda: [set(), set(), set(), set()])
    maker_saw: set[Slot] = field(default_factory=set)
    trick: list[tuple[Seat, Slot, bool]] = field(default_factory=list)
    down: list[tuple[Seat, Slot]] = field(default_factory=list)

    def start(self, state: State) -> None:
        """A hand that is dealt without a cut."""
        if state.phase is Phase.AUCTION4:
            self._deal(state, 0)

    def _deal(self, state: State, batch: int) -> None:
        for turn in range(4):
            first = 16 * batch + 4 * turn + state.cut
            self.own[(state.dealer + 1 + turn) % 4] |= {Slot((first + i) % 32) for i in range(4)}

    def note(self, before: State, seat: Seat, action: act.Action, after: State) -> None:
        """An action has stood."""
        profile, indicator = before.profile, before.trump_slot
        match action:
            case act.Cut():
                self._deal(after, 0)
            case act.DemandRedeal() if profile.redeal_proof.value.startswith("show"):
                self.everybody |= {*before.hands[seat]}
            case act.LayIndicator() if before.phase is Phase.INDICATOR4:
                if before.contract is not Contract.HALF_COURT:
                    self._deal(after, 1)
            case act.SortHand():
                size = len(before.hands[seat])
                self.own[seat] |= {Slot(32 + 32 * seat + place) for place in range(size)}
            case act.PlayCard(slot):
                self.everybody.add(slot)
                self.trick.append((seat, slot, False))
            case act.PlayDown(slot):
                self.trick.append((seat, slot, True))
                self.down.append((seat, slot))
            case act.ShowCard(slot) | act.ShowTrump(slot):
                self.everybody.add(slot)
            case act.AnnounceCut():
                assert indicator is not None
                self.everybody.add(indicator)
                hers = before.maker if not profile.show_maker_discard else None
                last = self.down[-4:]
                shown = {play.slot for play in before.plays}
                self.everybody |= {x for who, x in last if who != hers and x in shown}
            case act.OpenTrump() | act.ShowIndicator():
                assert indicator is not None
                self.everybody.add(indicator)
            case act.CallCaps() if profile.caps_expose:
                self.everybody |= {*before.hands[seat]}
                if seat == before.maker and before.indicator is not None:
                    self.everybody.add(before.indicator)
            case act.OpenCards():
                self.everybody |= {slot for who, slot in self.down if who == seat}
                if before.end is End.CONCEDED:
                    self.everybody |= {*before.hands[seat]}
                    if seat == before.maker and before.indicator is not None:
                        self.everybody.add(before.indicator)
            case act.OpenHandedOver(cards):
                self.everybody |= {slot for slot, _ in cards}
        if before.phase is Phase.TRICK and isinstance(action, act.PlayCard | act.PlayDown):
            self._trick_over(before, after)

    def _trick_over(self, before: State, after: State) -> None:
        players = 3 if isinstance(before.contract, Contract) else 4
        if len(self.trick) < players:
            return
        if after.phase is Phase.INSPECT:
            self.maker_saw |= {slot for _, slot, down in self.trick if down}
        self.trick = []

    def slots(self, state: State, seat: int | None) -> set[Slot]:
        """What `seat`, or for None a spectator, may know."""
        if seat is None:
            return self.everybody
        maker = self.maker_saw if seat == state.maker else set()
        return self.everybody | self.own[seat] | maker
