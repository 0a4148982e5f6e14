"""The judge of caps: examples, verdicts, real hands, brute force, and what costs it most."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from p2p304.cards import Card, Slot, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Cut, Pass, PlaceBid, PlayCard, PlayDown, Ready
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.caps.information import (
    ORDINARY,
    Hypothesis,
    InformationSet,
    hypotheses,
    information_of,
)
from p2p304.rules304.caps.judge import (
    CapsMoment,
    caps_verdicts,
    certainties,
    moments,
)
from p2p304.rules304.caps.search import Effort, OutOfNodesError, find_order, judge_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK, STRENGTH
from p2p304.rules304.profile import PAGAT, PROFILES, CapsGrace
from p2p304.rules304.scoring import CapsVerdict
from p2p304.rules304.state import Phase, State
from p2p304.rules304.teams import team_of
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import NoneOfSuit
from tests.long import examples, long, sample
from tests.rules.caps_positions import (
    INDICATOR,
    cards,
    climb,
    end_position,
    is_sure,
    layouts,
    position,
    random_position,
    suit_of,
)
from tests.rules.pinned import scenarios
from tests.rules.playouts_304 import ScenarioTable
from tests.rules.run_caps import BOUND
from tests.vectors.operations.rules304 import information_of as information_for

# --- caps verdicts --------------------------------------------------------------------------------

# The verdicts on caps: duties, windows and house rules.

SEATS = 4

SCENARIOS = {each["id"]: each for each in scenarios()}
SOUTH, NORTH = Seat(0), Seat(2)
NONE, WRONG, LOST = CapsVerdict.NONE, CapsVerdict.WRONG, CapsVerdict.LOST
BONUS, NO_BONUS = CapsVerdict.CORRECT_BONUS, CapsVerdict.CORRECT_NO_BONUS


@cache
def ended(scenario: str, *, strict: bool = False) -> State:
    """The end of a shared scenario's hand, with or without windows between the cards."""
    given = SCENARIOS[scenario]
    if strict:
        given = {**given, "options": {"caps_timing": "strict"}}
    table = ScenarioTable(given)
    table.more_plays = True
    for step in given["steps"]:
        if isinstance(step, str):
            table.step(step)
    table.ready()
    return table.state


def under(state: State, *toggles: str, name: str = "pagat", **overrides: object) -> State:
    """The same hand, judged under another agreement."""
    return state._replace(profile=named_profile(name, toggles, overrides))


CALLED_SURE, CALLED_EARLY, CALLED_LATE = "P049", "P050", "P051"
CALLED_AT_THE_WINDOW, NEVER_CALLED, CALLED_AND_LOST = "P052", "P054", "P055"
SANDBAGGED = "P081"


@pytest.mark.parametrize(
    ("scenario", "toggles", "verdict"),
    [
        (CALLED_SURE, (), BONUS),
        (CALLED_SURE, ("caps_strict",), BONUS),
        (CALLED_EARLY, (), WRONG),
        (CALLED_EARLY, ("caps_late_free",), WRONG),
        (CALLED_LATE, (), WRONG),
        (CALLED_LATE, ("caps_late_free",), BONUS),
        (CALLED_AT_THE_WINDOW, (), BONUS),
        (CALLED_AT_THE_WINDOW, ("caps_strict",), WRONG),
        (CALLED_AT_THE_WINDOW, ("caps_strict", "caps_late_free"), BONUS),
        (NEVER_CALLED, (), WRONG),
        (NEVER_CALLED, ("caps_late_free",), WRONG),
        (NEVER_CALLED, ("sandbag_ok",), WRONG),
        (CALLED_AND_LOST, (), LOST),
        (SANDBAGGED, (), WRONG),
        (SANDBAGGED, ("sandbag_ok",), NONE),
    ],
)
def test_verdict_by_knowledge(
    scenario: str, toggles: tuple[str, ...], verdict: CapsVerdict
) -> None:
    state = ended(scenario, strict="caps_strict" in toggles)
    assert caps_verdicts(under(state, *toggles)) == (verdict, NONE)


def test_there_is_no_verdict_where_caps_are_off() -> None:
    assert caps_verdicts(under(ended(NEVER_CALLED), name="card304-alpha")) == (NONE, NONE)


def at(cards: int, in_window: bool) -> CapsMoment:
    """A moment of a hand of four seats and eight tricks."""
    return CapsMoment(cards, in_window, 4, 8)


def test_the_duty_begins_with_the_card_that_gives_certainty() -> None:
    state = ended(NEVER_CALLED)
    # North can place the last two hearts with South once East and West have shown out of them.
    due = certainties(state, (state.faces,) * SEATS)
    found = {seat: each.moment for seat, each in due.items()}
    assert found == {SOUTH: at(15, False), NORTH: at(21, False)}


def test_moments_are_told_once_and_in_order() -> None:
    found = list(moments(ended(NEVER_CALLED)))
    assert [moment.cards for moment, _ in found] == list(range(29))
    assert [moment for moment, _ in found if moment.in_window] == [
        at(cards, True) for cards in range(0, 29, 4)
    ]
    called = [moment.cards for moment, _ in moments(ended(CALLED_SURE))]
    assert called == list(range(16))


def test_what_was_sure_stays_sure_while_the_order_is_kept() -> None:
    state = ended(NEVER_CALLED)
    begun = {SOUTH: 15, NORTH: 21}
    for moment, then in moments(state):
        for seat in map(Seat, range(SEATS)):
            sure = find_order(information_of(then, seat, state.faces)).sure
            assert sure is (moment.cards >= begun.get(seat, 99)), (moment, seat)


def test_a_card_face_down_is_known_to_its_owner_and_after_the_trick_to_the_maker() -> None:
    state = ended("P048")
    east = Seat(1)
    assert state.maker == east
    for moment, then in moments(state):
        tricks = (trick.plays for trick in then.tricks)
        lying = {play for plays in tricks for play in plays if play.slot not in then.faces}
        for seat in map(Seat, range(SEATS)):
            information = information_of(then, seat, state.faces)
            unseen = {play.slot for play in lying if seat not in (east, play.seat)}
            assert set(information.hidden) == unseen, (moment, seat)
            for play in then.plays:
                known = not play.down or play.seat == seat
                assert (play.slot in information.faces) is known, (moment, seat)
    assert len(lying) == 5


@pytest.mark.parametrize(
    ("call", "duty", "grace", "in_time"),
    [
        (at(0, True), at(0, True), CapsGrace.TRICK, True),
        (at(0, False), at(0, True), CapsGrace.TRICK, False),
        (at(4, True), at(0, False), CapsGrace.TRICK, True),
        (at(15, False), at(15, False), CapsGrace.TRICK, True),
        (at(16, True), at(13, False), CapsGrace.TRICK, True),
        (at(16, False), at(13, False), CapsGrace.TRICK, False),
        (at(16, True), at(16, True), CapsGrace.TRICK, True),
        (at(17, False), at(16, True), CapsGrace.TRICK, False),
        (at(15, True), at(15, True), CapsGrace.STRICT, True),
        (at(15, False), at(15, True), CapsGrace.STRICT, True),
        (at(16, True), at(15, True), CapsGrace.STRICT, False),
    ],
)
def test_windows(call: CapsMoment, duty: CapsMoment, grace: CapsGrace, in_time: bool) -> None:
    assert call.meets(duty, grace) is in_time


# --- caps examples --------------------------------------------------------------------------------

# Caps positions from the rules and the shared scenarios, and the rules that bend the play.

POSITIONS = [each for each in scenarios() if each.get("type") == "caps_position"]

SURE, NOT_SURE = True, False


def judged(information: InformationSet, order: str) -> bool:
    return judge_order(information, cards(order))


@pytest.mark.parametrize("scenario", POSITIONS, ids=lambda each: each["id"])
def test_shared_position(scenario: dict[str, Any]) -> None:
    given, expect = scenario["given"], scenario["expect"]
    information = end_position(
        given["caller"],
        given["hand"],
        unseen=given["unseen"],
        counts=given["counts"],
        leader=given["leader"],
        trump=given["trumps"],
        voids=given.get("voids"),
    )
    for order, value in expect.get("certain", {}).items():
        assert judged(information, order) is (SURE if value else NOT_SURE), order
    if "any_order" in expect:
        assert (find_order(information).sure is SURE) is expect["any_order"]
    elif "certain" in expect:
        assert find_order(information).sure is SURE


def exhausted(unfollowed: str, *, rule: bool) -> InformationSet:
    return end_position(
        "S",
        "9C AC JH",
        unseen="7H 8H 7S 8S 9S 7D 8D 9D QD",
        counts={"E": 3, "N": 3, "W": 3},
        leader="S",
        unfollowed=unfollowed,
        rules=ORDINARY._replace(exhausted=rule),
    )


def test_a_lost_trick_or_an_empty_hand_leaves_nothing_to_claim() -> None:
    information = exhausted("", rule=False)
    assert judged(replace(information, unbeaten=False), "9C AC JH") is NOT_SURE
    assert find_order(replace(information, unbeaten=False)).sure is NOT_SURE


def test_a_player_that_thinks_no_longer_is_told_so_and_never_no() -> None:
    information, order = exhausted("", rule=True), cards("JH 9C AC")
    with pytest.raises(OutOfNodesError):
        judge_order(information, order, limit=0)
    with pytest.raises(OutOfNodesError):
        find_order(information, limit=0)
    assert judge_order(information, order, limit=1000) is SURE


def test_a_search_ends_soon_after_its_time_is_over_and_a_judge_has_none() -> None:
    hurried, judging = Effort(more=lambda: False), Effort()
    for _ in range(63):
        hurried.spend()
    with pytest.raises(OutOfNodesError):
        hurried.spend()
    for _ in range(1_000):
        judging.spend()


def test_an_order_is_all_remaining_cards_and_no_others() -> None:
    for order in ("9C AC", "9C AC JH JH", "9C AC 9H"):
        with pytest.raises(ValueError, match="all remaining cards"):
            judged(exhausted("", rule=True), order)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unseen": frozenset(cards("7H 8H"))}, "9 slots without a face for 2 unseen cards"),
        ({"trump": None}, "open trump is known to all"),
        ({"hands": ((), (), (), ()), "unseen": frozenset()}, "do not fit"),
        ({"leader": Seat(0), "hidden": (Slot(7),), "faces": {}}, "knows its own cards|slots"),
    ],
)
def test_what_no_hand_can_lead_to_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(exhausted("", rule=True), **change)


# --- caps hands -----------------------------------------------------------------------------------

# The judge of caps in real hands: what it calls sure is played out.

PLAYS = (PlayCard, PlayDown)


def deal(chance: SeededRandomness, *, strong: bool) -> OpenTable:
    """A shuffled hand; if `strong`, South or North has most of the high cards."""
    deck = list(PACK)
    dealer = Seat(chance.randbelow(SEATS))
    chance.shuffle(deck)
    if strong:
        deck.sort(
            key=lambda card: (
                2 * STRENGTH[card.rank]
                + chance.randbelow(5)
                + 5 * (card.suit in (Suit.HEARTS, Suit.CLUBS))
            )
        )
        best, rest = deck[-8:], deck[:-8]
        chance.shuffle(best)
        chance.shuffle(rest)
        place = (dealer + 1) % 2 + 2 * chance.randbelow(2)
        for batch in range(2):
            at = 16 * batch + 4 * place
            rest[at:at] = best[4 * batch : 4 * batch + 4]
        deck = rest
    game = Game304(named_profile("pagat"))
    return OpenTable(game, deck, chance, dealer=dealer, checks=False)


def choice(table: OpenTable, seat: Seat, chance: SeededRandomness, *, eager: bool) -> Any:
    """A legal action: low bids, no calls, and if `eager` South and North play high."""
    legal = list(table.game.legal_actions(table.view(seat)))
    plays = [action for action in legal if isinstance(action, PLAYS)]
    if plays:
        if not eager or chance.randbelow(3) == 0:
            return plays[chance.randbelow(len(plays))]
        sign = 1 if team_of(seat) == 0 else -1
        return max(plays, key=lambda play: sign * STRENGTH[table.face(play.slot).rank])
    auction = table.state.auction
    opening = table.state.phase is Phase.AUCTION4 and auction.top is None
    for kind in (Ready, Cut, PlaceBid if opening else Pass):
        fitting = [action for action in legal if isinstance(action, kind)]
        if fitting:
            return fitting[0]
    return legal[chance.randbelow(len(legal))]


def hands(seed: int, count: int, *, strong: bool) -> Iterator[tuple[OpenTable, State]]:
    """Positions of play, each as the table and its state, window by window and card by card."""
    chance = SeededRandomness(seed)
    for _ in range(count):
        table = deal(chance, strong=strong)
        while table.game.contributors(table.state):
            seat = table.game.contributors(table.state)[0]
            table.act(seat, choice(table, seat, chance, eager=True))
            yield table, table.state


def play_out(
    table: OpenTable, seat: Seat, order: tuple[Card, ...], chance: SeededRandomness
) -> None:
    """`seat` plays `order`, the others anything legal; its team must win every trick."""
    due = list(order)
    before = len(table.state.tricks)
    while table.game.contributors(table.state):
        turn = table.game.contributors(table.state)[0]
        action = choice(table, turn, chance, eager=False)
        if turn == seat and isinstance(action, PLAYS):
            legal = table.game.legal_actions(table.view(seat))
            fitting = [
                play
                for play in legal
                if isinstance(play, PLAYS) and table.face(play.slot) == due[0]
            ]
            assert fitting, f"{due[0]} is not legal"
            action = fitting[0]
            due.pop(0)
        table.act(turn, action)
    assert all(team_of(trick.winner) == team_of(seat) for trick in table.state.tricks[before:])


@pytest.mark.parametrize("seed", sample(range(4), [0]))
def test_a_sure_order_wins_whatever_the_others_play(seed: int) -> None:
    chance = SeededRandomness(1000 + seed)
    tried = 0
    for table, state in hands(seed, examples(14), strong=True):
        if state.phase is not Phase.TRICK or (len(state.tricks) == 7 and state.plays):
            continue
        for seat in map(Seat, range(SEATS)):
            if any(team_of(trick.winner) != team_of(seat) for trick in state.tricks):
                continue
            found = find_order(information_of(state, seat, table.view(seat).faces))
            if found.sure:
                tried += 1
                for _ in range(10):
                    play_out(table.fork(chance), seat, found.order, chance)
    assert tried >= 10


def test_the_duty_to_call_begins_where_an_order_is_first_sure() -> None:
    due = 0
    for table, state in hands(14, 8, strong=True):
        if table.game.contributors(state) or not state.tricks:
            continue
        first: dict[Seat, CapsMoment] = {}
        for moment, then in moments(state):
            for seat in map(Seat, range(SEATS)):
                if find_order(information_of(then, seat, state.faces)).sure:
                    first.setdefault(seat, moment)
        found = certainties(state, (state.faces,) * SEATS)
        assert {seat: each.moment for seat, each in found.items()} == first
        due += len(first)
    assert due >= 3


# --- caps oracle ----------------------------------------------------------------------------------

# The judge of caps against brute force over all layouts and all continuations.

BATCH = 125
BATCHES = 20


@pytest.mark.parametrize("batch", sample(range(BATCHES), [0]))
def test_judge_and_brute_force_agree_on_every_order(batch: int) -> None:
    seen: Counter[tuple[bool, bool]] = Counter()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        information = random_position(seed)
        orders = list(permutations(information.own_cards()))
        expected = [is_sure(information, order) for order in orders]
        judged = [judge_order(information, order) for order in orders]
        assert judged == expected, f"seed {seed}"
        found = find_order(information)
        if orders != [()]:
            assert found.sure == any(expected), f"seed {seed}"
        if found.sure:
            assert expected[orders.index(found.order)], f"seed {seed}"
        seen[information.indicator is not None, any(expected)] += 1
    assert all(seen[hidden, sure] >= 5 for hidden in (False, True) for sure in (False, True))


#: How many cards are unknown at most, and how many a seat has.
MORE_SEATS = {
    "six24": (6, (2,)),
    "six36": (5, (2, 3)),
    "tamil504": (6, (2, 3)),
    "eight32": (6, (2,)),
    "tamil904": (6, (2,)),
}


def as_by_brute_force(
    seed: int, information: InformationSet, orders: list[tuple[Card, ...]]
) -> list[bool]:
    """Which of these orders, and of the one that is found, are sure: judged in both ways."""
    found = find_order(information)
    orders = orders + ([found.order] if found.order else [])
    expected = [is_sure(information, order) for order in orders]
    assert [judge_order(information, order) for order in orders] == expected, f"seed {seed}"
    assert found.sure or not any(expected), f"seed {seed}"
    return expected


@pytest.mark.parametrize("name", sample(MORE_SEATS, ["six36", "tamil904"]))
def test_several_partners_are_judged_as_brute_force_does(name: str) -> None:
    profile, (most_unknown, sizes) = PROFILES[name], MORE_SEATS[name]
    certain = 0
    positions = examples(60)
    for seed in range(positions):
        information = random_position(seed, most_unknown, sizes, profile.deck, profile.seats)
        orders = list(permutations(information.own_cards()))
        certain += any(as_by_brute_force(seed, information, orders[:6]))
    assert certain >= positions // 30


@pytest.mark.parametrize("case", [(4, 5, 20), (5, 4, 20), *long((4, 5, 300), (5, 4, 300))], ids=str)
def test_longer_orders_agree_too(case: tuple[int, int, int]) -> None:
    size, most_unknown, positions = case
    certain = 0
    for seed in range(10_000 * size, 10_000 * size + positions):
        information = random_position(seed, most_unknown, (size,))
        orders = list(permutations(information.own_cards()))
        Random(seed).shuffle(orders)
        certain += sum(as_by_brute_force(seed, information, orders[:4]))
    assert certain >= positions // 20


def ways_to_fill(hypothesis: Hypothesis, information: InformationSet) -> int:
    """How many layouts a hypothesis leaves, the order of cards within a hand apart."""

    def ways(place: int, cards: frozenset[Card]) -> int:
        if place == len(rooms):
            return 1
        room = rooms[place]
        fitting = [card for card in cards if room.allowed >> card.suit & 1]
        taken = combinations(fitting, len(room.slots))
        return sum(ways(place + 1, cards - frozenset(some)) for some in taken)

    rooms = hypothesis.rooms()
    return ways(0, information.unseen)


def test_the_hypotheses_leave_as_many_layouts_as_there_are() -> None:
    for seed in range(examples(80)):
        information = random_position(seed, most_unknown=6)
        counted = Counter(trump for trump, _ in layouts(information))
        found: Counter[Suit] = Counter()
        for hypothesis in hypotheses(information):
            found[hypothesis.trump] += ways_to_fill(hypothesis, information)
        assert found == counted, f"seed {seed}"


def hidden(*letters: str, voids: Mapping[str, str]) -> InformationSet:
    """South knows 2 hearts; North's indicator is none of the suits in `letters`."""
    return end_position(
        "S",
        "JH 9H",
        unseen="7H 8H 7S 8S 9D QD",
        counts={"E": 2, "N": 1, "W": 2},
        leader="S",
        maker="N",
        trump="",
        hidden=True,
        voids=voids,
        facts=tuple(NoneOfSuit((INDICATOR,), suit_of(letter)) for letter in letters),
    )


def test_there_is_a_hypothesis_for_each_suit_that_can_be_trump() -> None:
    possible = [Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS]
    assert [each.trump for each in hypotheses(hidden(voids={"E": "D"}))] == possible
    assert [each.trump for each in hypotheses(hidden("S", voids={"E": "D"}))] == possible[1:]


def test_facts_that_contradict_each_other_leave_no_hypothesis_to_judge_by() -> None:
    information = hidden("S", "D", "H", voids={})
    assert hypotheses(information) == ()
    with pytest.raises(ValueError, match="no layout"):
        find_order(information)


# --- hardest caps ---------------------------------------------------------------------------------

# Positions that cost the judge of caps most: what it takes is bounded, whoever wrote the file.

FOUND = Path(__file__).parents[1] / "vectors" / "hardest_caps.json"


def test_the_costliest_positions_found_are_decided_far_below_the_bound() -> None:
    costs = [find_order(information_for(each)) for each in json.loads(FOUND.read_text("ascii"))]
    assert {each.sure for each in costs} == {False, True}
    assert 5_000 < max(each.nodes for each in costs) < BOUND // 10


def test_climbing_finds_costlier_positions_and_none_near_the_bound() -> None:
    for seed, size in ((21, 8), (22, 6)):
        _, before = climb(Random(seed), PAGAT, size, steps=0)
        genes, nodes = climb(Random(seed), PAGAT, size, steps=60)
        information = position(genes)
        assert information is not None
        assert before < nodes < BOUND // 10, f"seed {seed}"
        assert find_order(information).nodes == nodes, f"seed {seed}"


@pytest.mark.parametrize(("name", "size"), [("six36", 5), ("eight32", 4)])
def test_positions_with_several_partners_are_decided_far_below_the_bound(
    name: str, size: int
) -> None:
    genes, nodes = climb(Random(3), PROFILES[name], size, steps=12, starts=12, limit=BOUND)
    information = position(genes)
    assert information is not None
    assert 0 < nodes < BOUND // 5
    assert find_order(information).nodes == nodes
