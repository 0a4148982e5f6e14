"""Hands of 304 for tests: played by chance, told in cards, and from the shared scenarios."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

import hypothesis
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from p2p304.bots.play304.imagined_table import Choice, Duties, Imagined, ImaginedTable
from p2p304.cards import Card, Slot, Suit, parse_card
from p2p304.disclosures import Opened, Remixed
from p2p304.errors import ProfileError, RulesError
from p2p304.game import LUCK_BYTES, AnyGame, MatchState
from p2p304.randomness import Randomness, SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, Bid, Contract, height
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.calls import caps_slots, why_no_caps, why_no_spoilt
from p2p304.rules304.dealing import batch_places, may_open
from p2p304.rules304.hand import Game304
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.notation import HandRecord, moves_of
from p2p304.rules304.pack import BIT, CARD_POINTS, PACK, SUIT_OF
from p2p304.rules304.play import slots_due_on_cut, slots_handed_over
from p2p304.rules304.profile import TOGGLES, Profile
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Call, End, Phase, State, Trick
from p2p304.seats import FOUR_SEAT_LETTERS, Seat
from p2p304.simulator import OpenTable, PlayedHand, Player, Watcher, play_hand
from p2p304.view import View
from tests.long import examples

# --- playouts 304 ---------------------------------------------------------------------------------

# Hands and matches for tests: deals and players of chance, records, and looks from outside.

# --- playouts 304 ---------------------------------------------------------------------------------

# Hands of 304 between wild players, and what a test needs to look at them from outside.

#: How many examples a test has that plays whole matches of one profile; seeds are not shrunk.
matches = settings(
    max_examples=examples(2),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.reuse, hypothesis.Phase.generate),
)

#: Single parameters that the machine varies beside profiles and house rules.
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


# --- open matches ---------------------------------------------------------------------------------

# Whole matches with open cards.


def shuffled(game: AnyGame, chance: Randomness) -> list[Card]:
    """The game's pack in an order of chance."""
    deck = list(game.pack)
    chance.shuffle(deck)
    return deck


class PlayedMatch(NamedTuple):
    """A match: all its hands, and where it stands after the last one."""

    hands: tuple[PlayedHand, ...]
    match: MatchState


def play_match(
    game: AnyGame,
    players: Sequence[Player],
    chance: Randomness,
    *,
    most_hands: int,
    checks: bool = True,
    watch: Watcher | None = None,
) -> PlayedMatch:
    """Play a match until a side has won or `most_hands` hands are over.

    The match that is returned has a winner unless `most_hands` were over first. Raises as
    `play_hand` does.

    Args:
        players, checks, watch: as for `play_hand`, the same in every hand.
        chance: decides the first dealer, every shuffle and every mixing of cards.
        most_hands: 0 or more; those in which nobody bids count, too.
    """
    match = game.new_match(bytes(chance.randbelow(256) for _ in range(LUCK_BYTES)))
    hands: list[PlayedHand] = []
    while match.winner is None and len(hands) < most_hands:
        deck = shuffled(game, chance)
        hand = play_hand(
            game,
            match.dealer,
            players,
            deck,
            chance,
            scores=match.scores,
            checks=checks,
            watch=watch,
        )
        match = game.after_hand(match, hand.outcome)
        hands.append(hand)
    return PlayedMatch(tuple(hands), match)


# --- random playouts ------------------------------------------------------------------------------

# Deals and players of imagined hands that chance makes, for tests and measurements.


def at_random(chance: SeededRandomness) -> Choice:
    """Return the choice of players who draw their cards."""

    def choice(table: ImaginedTable, legal: int) -> int:
        for _ in range(chance.word() * legal.bit_count() >> 64):
            legal &= legal - 1
        return legal & -legal

    return choice


def random_deals(chance: SeededRandomness) -> Iterator[Imagined]:
    """Yield deals of four seats with hidden trump, before the first card; no end."""
    cards = [BIT[card] for card in PACK]
    sides = tuple(tuple((seat + maker) % 2 for seat in range(4)) for maker in range(2))
    while True:
        chance.shuffle(cards)
        word = chance.word()
        maker, turn, laid = word & 3, word >> 2 & 3, cards[0]
        hands = [sum(cards[place : place + 8]) for place in (0, 8, 16, 24)]
        hands[0] ^= laid
        hands = hands[-maker:] + hands[:-maker]
        yield Imagined(
            hands=tuple(hands),
            side=sides[maker & 1],
            maker=maker,
            trump=SUIT_OF[laid],
            turn=turn,
            indicator=laid,
            hidden=True,
            first=True,
            duties=Duties(opens_all_trumps=True, exhausted=True),
        )


# --- records 304 ----------------------------------------------------------------------------------

# Hands of 304 that were played with open cards, as records.


def record_hand(state: State, deck: Sequence[Card], face: Callable[[Slot], Card]) -> HandRecord:
    """Return the record of a hand that was played with open cards, as far as it got.

    `deck` is the shuffled deck before the cut; `face` gives the true card of any slot of the hand.
    Raises ValueError while the cut is awaited, because nothing is dealt then.
    """
    if state.phase is Phase.CUT:
        raise ValueError("a hand is told from its deal on")
    hands: list[tuple[Card, ...]] = [()] * state.seats
    for batch in range(len(state.profile.deal_batches.sizes)):
        places = batch_places(state.profile, state.dealer, state.cut, batch)
        for seat in state.everybody:
            hands[seat] += tuple(deck[place] for place in places[seat])
    moves = moves_of(state, face)
    return HandRecord(state.profile, state.dealer, state.cut, tuple(hands), moves)


# --- out of turn ----------------------------------------------------------------------------------

# What a seat of 304 may do although it is not awaited: claims in another's turn.


def calls_out_of_turn(view: View[State]) -> list[Action]:
    """Return what the seat of the view may do although it is not awaited: claims in another's turn.

    At the count it is the maker's opening of everything that silent owners still have to open,
    although any part of it is legal.
    """
    state, seat = view.state, view.seat
    if seat is None or seat in state.awaiting:
        return []
    if state.phase is Phase.COUNT and seat == state.maker:
        handed = tuple((slot, view.faces[slot]) for slot in slots_handed_over(state))
        return [act.OpenHandedOver(handed)] if handed else []
    if state.phase is not Phase.TRICK:
        return []
    claims: list[Action] = []
    if why_no_caps(state, seat) is None:
        shown = caps_slots(state, seat) if state.profile.caps_expose else ()
        claims.append(act.CallCaps(tuple((slot, view.faces[slot]) for slot in shown)))
    if why_no_spoilt(state) is None:
        claims.append(act.CallSpoilt())
    indicator = state.indicator
    if seat == state.maker and indicator is not None and may_open(state):
        claims.append(act.OpenTrump(view.faces[indicator]))
    return claims


# --- table 304 ------------------------------------------------------------------------------------

# A hand of 304 told in cards, for tests that play one by hand.


class Table:
    """A hand told in cards; `do` acts for a seat by its letter."""

    def __init__(
        self, profile: str | Profile, dealer: str, hands: dict[str, str], **more: Any
    ) -> None:
        if isinstance(profile, str):
            profile = named_profile(profile, more.get("toggles", ()), more.get("overrides"))
        self.game = Game304(profile)
        deck = deck_of(dict(hands), seat(dealer))
        offset = 0 if profile.cut_optional else 1
        deck = deck[-offset:] + deck[:-offset]
        self.table = OpenTable(self.game, deck, SeededRandomness(3), dealer=seat(dealer))
        if more.get("cut", True) and self.state.phase is Phase.CUT:
            self.table.act(self.state.awaiting[0], act.Cut(offset))

    @property
    def state(self) -> State:
        return self.table.state

    def contract(self, maker: str, bid: Bid, indicator: str) -> Table:
        """To the declaration: `maker` has bid and laid the indicator, all others passed."""
        who = seat(maker)
        eight = bid is Contract.PARTNER_CLOSE_CAPS
        while self.state.phase is not Phase.DECLARE:
            turn = self.state.awaiting[0]
            action = legal_actions(self.table.view(turn))[0]
            bids = act.PlaceBid(bid), act.PlaceBid(160)
            offered = legal_actions(self.table.view(turn))
            match self.state.phase:
                case Phase.AUCTION4 if turn == who and bids[eight] in offered:
                    action = bids[eight]
                case Phase.AUCTION8 if turn == who and eight:
                    action = bids[0]
                case Phase.AUCTION4 | Phase.AUCTION8:
                    action = act.Pass()
                case Phase.INDICATOR4 | Phase.INDICATOR8:
                    action = act.LayIndicator(self.slot(maker, indicator))
                case Phase.WINDOW:
                    break
            self.table.act(turn, action)
        return self

    def given(self, maker: str, bid: Bid, indicator: str) -> Table:
        """To the declaration, or without one to the window, as if `maker` had bid `bid`."""
        who = seat(maker)
        self.table.state = self.state._replace(
            phase=Phase.INDICATOR4, awaiting=(who,), maker=who, contract=bid
        )
        self.do(maker, act.LayIndicator(self.slot(maker, indicator)))
        while self.state.phase in {Phase.AUCTION8, Phase.SORTING}:
            self.first()
        return self

    def closed(self, maker: str) -> Table:
        """Trump stays hidden, by declaration where there is one."""
        if self.state.phase is Phase.DECLARE:
            self.do(maker, act.KeepClosed())
        return self

    def slot(self, letter: str, name: str) -> Slot:
        card = parse_card(name)
        who = seat(letter)
        lying = () if self.state.indicator is None else (self.state.indicator,)
        held = (*self.state.hands[who], *lying)
        return next(slot for slot in held if self.table.face(slot) == card)

    def faces(self, letter: str, names: str) -> tuple[tuple[Slot, Any], ...]:
        return tuple((self.slot(letter, str(card)), card) for card in cards(names))

    def do(self, letter: str, action: act.Action) -> None:
        self.table.act(seat(letter), action)

    def ready(self, *letters: str) -> None:
        """These seats, or all that are awaited, have nothing to claim."""
        for letter in letters or ["SENW"[each] for each in self.state.awaiting]:
            self.do(letter, act.Ready())

    def play(self, letter: str, name: str) -> None:
        """The card up or down, whatever is legal, and quiet windows after it."""
        slot, legal = self.slot(letter, name), self.legal(letter)
        plays = [each for each in legal if isinstance(each, act.PlayCard | act.PlayDown)]
        self.do(letter, next(each for each in plays if each.slot == slot))
        while self.state.phase in {Phase.INSPECT, Phase.SHOW_INDICATOR}:
            self.first()

    def first(self) -> None:
        """The first seat awaited does the first thing that is legal."""
        turn = self.state.awaiting[0]
        self.table.act(turn, legal_actions(self.table.view(turn))[0])

    def finish(self) -> Any:
        """Go on to the end of the hand with whatever is legal first, and return its outcome."""
        while self.state.phase is not Phase.OVER:
            self.first()
        return self.game.settle(self.state)

    def trick(self, leader: str, names: str) -> None:
        if self.state.phase is Phase.WINDOW:
            self.ready()
        for place, name in enumerate(names.split()):
            self.play("SENW"[(seat(leader) + place) % 4], name)

    def legal(self, letter: str) -> list[act.Action]:
        return legal_actions(self.table.view(seat(letter)))

    def refused(self, letter: str, action: act.Action) -> str:
        before = self.state
        with pytest.raises(RulesError) as caught:
            self.game.apply(before, seat(letter), action)
        assert self.state == before
        return str(caught.value)


# --- scenario table -------------------------------------------------------------------------------

# Plays the shared scenarios: cards face up, with what the scenarios leave out done silently.


def result_of(outcome: HandOutcome) -> str:
    """How the scenarios call an end: a kind of void hand, "violation", "bid_made" or
    "bid_failed"."""
    if outcome.facts.void is not None:
        return outcome.facts.void.value
    if outcome.facts.violation is not None:
        return "violation"
    return "bid_made" if outcome.facts.made else "bid_failed"


NAMED_TOGGLES = {
    ("caps_timing", "strict"): "caps_strict",
    ("multiples_of_5", True): "step5_from_200",
    ("external_caps", 8): "external_caps_eight",
    ("bank", True): "bank_scoring",
}
#: Where cards follow a contested call of caps that lost a trick: RULES 13.4 ends the hand there.
PLAYED_ON = {"P055"}
NO_TOGGLE = {("caps_timing", "trick_grace")}
SILENT = {Phase.SORTING, Phase.SHOW_INDICATOR, Phase.COUNT, Phase.SPOILT_INDICATOR}
SILENT |= {Phase.SPOILT_ANSWER, Phase.CUT}


def cards(text: str | list[str]) -> list[Card]:
    return [parse_card(each) for each in (text.split() if isinstance(text, str) else text)]


def seat(letter: str) -> Seat:
    return Seat(FOUR_SEAT_LETTERS.index(letter))


def deck_of(hands: dict[str, str], dealer: Seat) -> list[Card]:
    """A deck that deals these hands; who is not named gets high cards first."""
    named = {seat(letter): cards(text) for letter, text in hands.items()}
    used = {card for hand in named.values() for card in hand}
    rest = [card for card in sorted(PACK, key=CARD_POINTS.__getitem__) if card not in used]
    for batch in range(2):
        for turn in range(4):
            hand = named.setdefault(Seat((dealer + 1 + turn) % 4), [])
            while len(hand) < 4 * (batch + 1):
                hand.append(rest.pop())
    deck: list[Card] = []
    for batch in range(2):
        for turn in range(4):
            deck += named[Seat((dealer + 1 + turn) % 4)][4 * batch : 4 * batch + 4]
    return deck


TEAM_LETTERS = ("NS", "EW")


class ScenarioTable:
    """One scenario's hand; `game` and `table` are the real ones."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        options = scenario.get("options", {}).items()
        toggles = [NAMED_TOGGLES[item] for item in options if item not in NO_TOGGLE]
        self.plays_on = scenario.get("id") in PLAYED_ON
        self.game = Game304(named_profile(scenario["profile"], toggles))
        dealer = seat(scenario["dealer"])
        deck = deck_of(scenario.get("hands", {}), dealer)
        self.table = OpenTable(self.game, deck, SeededRandomness(1), dealer=dealer)
        self.forced: list[Call] = []
        self.more_plays = False
        self.last: Trick | None = None
        self.opened_from = 0
        self.counted_from: int | None = None
        self.silence()
        if "setup" in scenario:
            self._set_up(scenario["setup"])

    @property
    def state(self) -> State:
        return self.table.state

    def slot_of(self, card: Card) -> Slot:
        """The live slot of a card, a dealt one before one of the deck."""
        faces = self.table.open_view().faces
        return max(slot for slot, face in faces.items() if face == card)

    def act(self, who: Seat, action: act.Action) -> None:
        before = self.state
        if (
            before.phase is Phase.TRICK
            and not before.plays
            and not isinstance(action, act.CallCaps)
        ):
            self.opened_from = len(self.table.disclosures)
        if before.phase is Phase.COUNT and self.counted_from is None:
            self.counted_from = len(self.table.disclosures)
        self.table.act(who, action)
        self.forced += [call for call in self.state.calls[len(before.calls) :] if call.forced]
        if len(self.state.tricks) > len(before.tricks):
            self.last = self.state.tricks[-1]

    def silence(self) -> None:
        """Everything that the scenarios do not speak of."""
        while self.state.phase in SILENT:
            who = self.state.awaiting[0]
            action = self.game.legal_actions(self.table.view(who))[0]
            self.act(who, action)

    def ready(self) -> None:
        """Close the windows, so that the next card can be played."""
        while self.state.phase is Phase.WINDOW:
            self.act(self.state.awaiting[0], act.Ready())
        while self.state.phase is Phase.CAPS_RESPONSE:
            answer = act.ContestCaps() if self.more_plays else act.AcceptCaps()
            self.act(self.state.awaiting[0], answer)
        self.silence()
        if self.state.phase is Phase.WINDOW:
            self.ready()

    def _set_up(self, setup: dict[str, Any]) -> None:
        maker = seat(setup["maker"])
        self.table.state = self.state._replace(
            phase=Phase.INDICATOR4, awaiting=(maker,), maker=maker, contract=setup["bid"]
        )
        card = parse_card(setup["indicator"])
        self.act(maker, act.LayIndicator(self.slot_of(card)))
        while self.state.phase is Phase.AUCTION8:
            self.act(self.state.awaiting[0], act.Pass())
        self.forced = []
        self.silence()
        if self.state.phase is Phase.DECLARE:
            self.act(maker, act.OpenTrump(card) if setup["mode"] == "open" else act.KeepClosed())

    def step(self, text: str) -> None:
        """One string of steps."""
        for each in (part.strip() for part in text.split(";")):
            if each.startswith("T "):
                self._trick(each.split()[1:])
            else:
                self.do(each)

    def _trick(self, words: list[str]) -> None:
        who = seat(words[0])
        for word in words[1:]:
            if word != "-":
                verb = "play_down" if word.startswith("~") else "play"
                self.do(f"{FOUR_SEAT_LETTERS[who]} {verb} {word.lstrip('~')}")
            who = Seat((who + 1) % 4)

    def do(self, text: str) -> None:
        """One action, silent steps before and after it."""
        letter, verb, *rest = text.split()
        who = seat(letter)
        if self.plays_on and self.state.phase is Phase.OVER and self.state.end is End.CAPS_LOST:
            return  # the result is the same
        if self.forced and verb == "pass" and self.forced[0].seat == who:
            self.forced.pop(0)
            return
        if verb not in {"caps", "spoilt"}:
            self.ready()
        action = self.action(who, verb, rest)
        if self.state.phase is Phase.WINDOW:
            for each in self.state.awaiting:
                if each != who:
                    self.act(each, act.Ready())
        self.act(who, action)
        self.silence()

    def action(self, who: Seat, verb: str, rest: list[str]) -> act.Action:
        hand = self.state.hands[who]
        match verb:
            case "bid":
                pcc = rest[0] == "pcc"
                return act.PlaceBid(Contract.PARTNER_CLOSE_CAPS if pcc else int(rest[0]))
            case "pass":
                return act.Pass()
            case "ask_partner":
                return act.AskPartner()
            case "redeal":
                return act.DemandRedeal(tuple((slot, self.table.face(slot)) for slot in hand))
            case "indicator":
                return act.LayIndicator(self.slot_of(parse_card(rest[0])))
            case "open":
                slot = self.state.trump_slot
                return act.OpenTrump(PACK[0] if slot is None else self.table.face(slot))
            case "closed":
                return act.KeepClosed()
            case "play":
                card = parse_card(rest[0])
                return act.PlayCard(self.slot_of(card), card)
            case "play_down":
                return act.PlayDown(self.slot_of(parse_card(rest[0])))
            case "announce" if rest == ["none"]:
                return act.AnnounceNone()
            case "announce":
                due = slots_due_on_cut(self.state)
                return act.AnnounceCut(tuple((slot, self.table.face(slot)) for slot in due))
            case "caps":
                order = cards(rest)
                return act.CallCaps(tuple((self.slot_of(card), card) for card in order))
            case "spoilt":
                return act.CallSpoilt()
            case "cut":
                return act.Cut(int(rest[0]))
            case _:
                raise ValueError(f"unknown action {verb}")

    def fork(self) -> ScenarioTable:
        """A copy on which something may be tried."""
        other = copy.copy(self)
        other.table = self.table.fork(SeededRandomness(1))
        other.forced = [*self.forced]
        return other

    def shown_to_all(self) -> set[Card]:
        """Face-down cards and the indicator that were opened since the last trick began."""
        up = {play.slot for play in self.last.plays if not play.down} if self.last else set()
        return {
            each.card
            for each in self.table.disclosures[self.opened_from : self.counted_from]
            if isinstance(each, Opened) and each.slot not in up
        }
