"""Deals and matches of 41 and 400: phases, hiding, scores, scenarios, and laws of every deal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from p2p304.bots.players import RandomPlayer
from p2p304.cards import Card, Slot, parse_card
from p2p304.disclosures import Remixed
from p2p304.errors import NotationError, ProfileError, RulesError
from p2p304.games import agreed_game, create_game, full_agreement
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import (
    ALL_SEATS,
    NEXT,
    PACK,
    Action,
    Cut,
    DealPhase,
    DealState,
    Game41,
    Match41,
    Outcome41,
    PlaceBid,
    PlayCard,
    SortHand,
    TakenTrick,
    score_deal,
)
from p2p304.rules41.rules import TOGGLES, Rules41, Variant, parse_rules
from p2p304.seats import FOUR_SEAT_LETTERS, Seat, seat_after
from p2p304.simulator import FalseStatement, OpenTable, PlayedHand, play_hand
from p2p304.view import View
from tests.long import examples
from tests.rules.pinned import scenarios
from tests.rules.playouts_304 import seat as seat_of
from tests.rules.playouts_304 import shuffled

# --- 41 hand --------------------------------------------------------------------------------------

# A deal of 41: its table of phases, what sorting hides, and words of refusal.

GAME = Game41(Rules41(Variant.SYRIAN))


def table_at(phase: DealPhase, seed: int = 5) -> OpenTable:
    """An open table in `phase`, on the way to it with the first legal action each time."""
    table = OpenTable(GAME, shuffled(GAME, SeededRandomness(seed)), SeededRandomness(seed))
    while table.state.phase is not phase:
        seat = GAME.contributors(table.state)[0]
        actions = GAME.legal_actions(table.view(seat))
        wanted = 0 if phase is DealPhase.THROWN_IN or not isinstance(actions[0], PlaceBid) else 3
        table.act(seat, actions[wanted])
    return table


def test_every_transition_of_the_table_happens() -> None:
    seen: set[tuple[DealPhase, type[Action], DealPhase]] = set()
    for end in (DealPhase.THROWN_IN, DealPhase.PLAYED):
        table = table_at(DealPhase.CUTTING)
        while seats := GAME.contributors(table.state):
            before = table.state.phase
            actions = GAME.legal_actions(table.view(seats[0]))
            bid = 0 if end is DealPhase.THROWN_IN else 5
            action = actions[bid if isinstance(actions[0], PlaceBid) else 0]
            table.act(seats[0], action)
            seen.add((before, type(action), table.state.phase))
        assert table.state.phase is end
    assert seen == {(phase, kind, to) for (phase, kind), all_to in NEXT.items() for to in all_to}


def test_sorting_may_happen_in_any_order_and_hides_when_cards_were_dealt() -> None:
    ends: list[DealState] = []
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        state = table_at(DealPhase.SORTING).state
        for seat in map(Seat, order):
            before = state.hands[seat]
            step = GAME.apply(state, seat, SortHand())
            state = step.state
            assert step.disclosures == (Remixed(seat, before, state.hands[seat]),)
        ends.append(state)
    assert ends[0] == ends[1]
    assert sorted(slot for hand in ends[0].hands for slot in hand) == list(range(52, 104))


def test_an_error_in_notation_names_its_place() -> None:
    with pytest.raises(NotationError, match=r"at character 9"):
        GAME.parse_action("play 61=1C")
    with pytest.raises(NotationError, match=r"at character 6\)"):
        GAME.parse_action("play 61")


def test_a_deal_that_is_not_over_has_no_result() -> None:
    with pytest.raises(RulesError, match="the deal is not over yet"):
        GAME.settle(table_at(DealPhase.PLAYING).state)


# --- 41 match -------------------------------------------------------------------------------------

# Matches of 41 and 400: who wins, who deals, and which house rules there are.

PLAIN = Rules41(Variant.SYRIAN)


def test_thirteen_made_in_400_wins_whatever_the_partner_has() -> None:
    game = Game41(Rules41(Variant.LEBANESE))
    outcome = score_deal(game.rules, (2, 13, 2, 2), (0, 13, 0, 0))
    match = game.after_hand(Match41(Seat(2), (40, 0, 40, -90)), outcome)
    assert match.winner == 1
    assert "East-West win the match" in outcome.summary


def test_a_match_that_is_won_goes_no_further() -> None:
    nothing = Outcome41((1,) * 4, (0,) * 4, (0,) * 4, thrown_in=True)
    with pytest.raises(RulesError, match="the match is over"):
        Game41(PLAIN).after_hand(Match41(Seat(0), (41, 0, 1, 0), winner=0), nothing)


def test_too_little_luck_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Game41(PLAIN).new_match(bytes(31))


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("305", "", "no game '305'; there are 304, 41, 400"),
        ("41", "floor_13", "'floor_13' is no house rule of 41"),
        ("400", "floor_12,floor_12", "floor_12 is named twice"),
        ("400", "floor_12,", "'' is no house rule of 400"),
    ],
)
def test_what_does_not_exist_is_refused_in_a_sentence(
    name: str, parameters: str, says: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        create_game(name, parameters)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("304", "pagat; +bank_scoring"), ("304", ""), ("41", ""), ("400", "target_44,floor_12")],
)
def test_a_charter_names_its_game_in_one_text_alone(name: str, parameters: str) -> None:
    full = full_agreement(name, parameters)
    assert agreed_game(name, full).start(Seat(0)) == create_game(name, parameters).start(Seat(0))
    for other in {parameters, "pagat", f"{full}\n", full.partition("\n")[0]} - {full}:
        with pytest.raises(ProfileError):
            agreed_game(name, other)


# --- 41 playouts ----------------------------------------------------------------------------------

# Random deals of 41 and 400: what must be true of every one of them.

SEEDS = st.integers(0, 2**64 - 1)
GAMES = st.builds(
    lambda variant, toggles: Game41(parse_rules(variant, ",".join(toggles))),
    st.sampled_from(Variant),
    st.lists(st.sampled_from(sorted(TOGGLES)), unique=True),
)


class ModestPlayer(RandomPlayer):
    """Chooses among so few of the lowest bids that some deals are thrown in and matches end."""

    def __init__(self, game: Game41, seed: int, bids: int) -> None:
        super().__init__(game, seed)
        self.bids = bids

    def choose(self, view: View[DealState]) -> Action:
        action: Action = super().choose(view)
        if isinstance(action, PlaceBid):
            return PlaceBid(2 + action.tricks % self.bids)
        return action


def played(game: Game41, seed: int, **options: Any) -> PlayedHand:
    players = [ModestPlayer(game, seed + seat, 1 + seed % 12) for seat in ALL_SEATS]
    dealer = Seat(seed % 4)
    return play_hand(
        game,
        dealer,
        players,
        shuffled(game, SeededRandomness(seed)),
        SeededRandomness(seed),
        **options,
    )


def table_before(game: Game41, hand: PlayedHand, seed: int, moment: int) -> OpenTable:
    """The table of a hand that `played` played with `seed`, before its action `moment`."""
    table = OpenTable(game, hand.deck, SeededRandomness(seed), dealer=hand.dealer)
    for seat, action in hand.actions[:moment]:
        table.act(seat, action)
    return table


@settings(max_examples=examples(60))
@given(game=GAMES, seed=SEEDS)
def test_an_honest_deal_satisfies_all_statements_and_ends(game: Game41, seed: int) -> None:
    seen: list[DealState] = []

    def watch(table: OpenTable, seat: Seat, action: Action) -> None:
        text = game.format_action(action)
        assert text.isascii()
        assert len(text) <= 400
        assert game.parse_action(text) == action
        seen.append(table.state)

    hand = played(game, seed, watch=watch)
    assert game.is_over(hand.state)
    assert game.contributors(hand.state) == ()
    assert seen[-1] == hand.state
    outcome = hand.outcome
    if hand.state.phase is DealPhase.THROWN_IN:
        event("thrown in")
        assert sum(map(game.rules.value, hand.state.bids)) < hand.state.floor
        assert outcome.scores == (0, 0, 0, 0)
    else:
        event("played")
        assert sum(map(game.rules.value, hand.state.bids)) >= hand.state.floor
        cards = [play.card for trick in hand.state.tricks for play in trick.plays]
        assert sorted(cards) == sorted(PACK)
        assert sum(hand.state.tricks_taken) == 13
        for seat in ALL_SEATS:
            sign = 1 if hand.state.tricks_taken[seat] >= hand.state.bid_of[seat] else -1
            assert outcome.scores[seat] == sign * game.rules.value(hand.state.bid_of[seat])


def candidates(table: OpenTable, seat: Seat) -> list[Action]:
    """Actions of every kind, lies about faces and other seats' cards among them."""
    own = table.state.hands[seat]
    everywhere = [PlayCard(Slot(slot), table.face(Slot(slot))) for slot in range(52)]
    sorted_hands = [
        PlayCard(slot, table.face(slot))
        for slot in map(Slot, range(52, 104))
        if table.state.phase not in (DealPhase.CUTTING, DealPhase.SORTING)
    ]
    return [
        *map(Cut, range(-1, 54)),
        SortHand(),
        *map(PlaceBid, range(-1, 16)),
        *everywhere,
        *sorted_hands,
        *(PlayCard(slot, card) for slot in own for card in PACK),
        PlayCard(Slot(104), PACK[0]),
    ]


@settings(max_examples=examples(30))
@given(game=GAMES, seed=SEEDS, when=st.integers(0, 10**6))
def test_what_is_not_legal_is_refused_and_changes_nothing(
    game: Game41, seed: int, when: int
) -> None:
    hand = played(game, seed)
    table = table_before(game, hand, seed, when % (len(hand.actions) + 1))
    event(table.state.phase.value)
    state = table.state
    views = [dict(table.view(seat).faces) for seat in (*ALL_SEATS, None)]
    for seat in ALL_SEATS:
        legal = set(game.legal_actions(table.view(seat)))
        assert bool(legal) == (seat in game.contributors(state))
        for action in candidates(table, seat):
            if action not in legal:
                with pytest.raises((RulesError, FalseStatement)):
                    table.act(seat, action)
    assert table.state == state
    assert [dict(table.view(seat).faces) for seat in (*ALL_SEATS, None)] == views


def views_of(
    game: Game41,
    hand: PlayedHand,
    seed: int,
    moment: int,
    deck: tuple[Card, ...],
    seat: Seat | None,
) -> list[tuple[View[DealState], Any]]:
    """What `seat` sees before each of the first actions, were `deck` the one dealt."""
    table = OpenTable(game, deck, SeededRandomness(seed), dealer=hand.dealer)
    views = []
    for actor, action in hand.actions[:moment]:
        view = table.view(seat)
        views.append((view, game.legal_actions(view)))
        table.act(actor, action)
    view = table.view(seat)
    return [*views, (view, game.legal_actions(view))]


@settings(max_examples=examples(40))
@given(
    game=GAMES,
    seed=SEEDS,
    when=st.integers(0, 10**6),
    reader=st.sampled_from([*ALL_SEATS, None]),
    swaps=st.integers(1, 12),
)
def test_views_do_not_depend_on_hidden_cards(
    game: Game41, seed: int, when: int, reader: Seat | None, swaps: int
) -> None:
    hand = played(game, seed)
    moment = when % (len(hand.actions) + 1)
    table = table_before(game, hand, seed, moment)
    known = set(table.view(reader).faces.values())
    hidden = [card for card in PACK if card not in known]
    assume(len(hidden) > 1)
    real = views_of(game, hand, seed, moment, hand.deck, reader)
    chance = SeededRandomness(seed + when)
    changed = 0
    for _ in range(10):
        other = list(hidden)
        for _ in range(swaps):
            one, two = chance.randbelow(len(other)), chance.randbelow(len(other))
            other[one], other[two] = other[two], other[one]
        instead = dict(zip(hidden, other, strict=True))
        deck = tuple(instead.get(card, card) for card in hand.deck)
        try:
            imagined = views_of(game, hand, seed, moment, deck, reader)
        except FalseStatement:
            continue  # this permutation contradicts what the table was told
        changed += deck != hand.deck
        assert imagined == real
    event("permuted" if changed else "only one deal is possible, or none was found")


# --- 41 scenarios ---------------------------------------------------------------------------------

# The published scenarios of 41 and 400, run through the game itself.

TEAMS = {"NS": 0, "EW": 1, None: None}


def cases(kind: str) -> list[Any]:
    chosen = [entry for entry in scenarios() if entry.get("type") == kind]
    return [pytest.param(entry, id=f"{entry['id']}: {entry['title']}") for entry in chosen]


def by_seat(values: dict[str, int]) -> tuple[int, ...]:
    return tuple(values[letter] for letter in FOUR_SEAT_LETTERS)


def rules_of(entry: dict[str, Any]) -> Rules41:
    options = dict(entry.get("options", {}))
    rules = Rules41(
        Variant(entry["game"]),
        floor_12=options.pop("twelve_at_30", False),
        target_44=options.pop("target", 41) == 44,
    )
    assert not options, "every option of the scenario is understood"
    return rules


def after_the_bids(
    game: Game41, dealer: Seat, scores: tuple[int, ...], bids: tuple[int, ...]
) -> DealState:
    """The state after a cut, the sorting and everybody's bid; `bids` in seat order."""
    state = game.start(dealer, scores).state
    state = game.apply(state, seat_after(dealer, seats=4, steps=-1), Cut(0)).state
    for seat in ALL_SEATS:
        state = game.apply(state, seat, SortHand()).state
    for steps in range(1, 5):
        seat = seat_after(dealer, seats=4, steps=steps)
        assert game.contributors(state) == (seat,)
        state = game.apply(state, seat, PlaceBid(bids[seat])).state
    return state


def with_tricks(state: DealState, taken: tuple[int, ...]) -> DealState:
    """The end of a deal in which the seats took so many tricks, whatever lay in them."""
    assert sum(taken) == 13
    tricks = tuple(TakenTrick((), seat) for seat in ALL_SEATS for _ in range(taken[seat]))
    return replace(state, phase=DealPhase.PLAYED, awaiting=(), tricks=tricks)


@pytest.mark.parametrize("entry", cases("score41"))
def test_a_scored_deal_of_the_scenarios(entry: dict[str, Any]) -> None:
    rules, expect = rules_of(entry), dict(entry["expect"])
    game, dealer = Game41(rules), seat_of(entry["dealer"])
    before, bids = by_seat(entry["before"]), by_seat(entry["bids"])
    if "sum" in expect:
        assert sum(map(rules.value, bids)) == expect.pop("sum")
    state = after_the_bids(game, dealer, before, bids)
    assert state.bid_of == bids
    plays = expect.pop("play")
    assert state.phase is (DealPhase.PLAYING if plays else DealPhase.THROWN_IN)
    if plays:
        assert game.contributors(state) == (seat_after(dealer, seats=4),), "dealer's right leads"
        state = with_tricks(state, by_seat(entry["tricks"]))
    outcome = game.settle(state)
    match = game.after_hand(Match41(dealer, before), outcome)
    assert match.dealer == seat_after(dealer, seats=4)
    if not plays:
        assert outcome.thrown_in
        assert match.scores == before
        assert FOUR_SEAT_LETTERS[match.dealer] == expect.pop("next_dealer")
    if "scores" in expect:
        assert match.scores == by_seat(expect.pop("scores"))
    assert match.winner == TEAMS[expect.pop("winner", None)]
    assert not expect, "everything that the scenario expects is looked at"


def deal_that_gives(game: Game41, dealer: Seat, cards: dict[Seat, Card]) -> tuple[Card, ...]:
    """A deck that deals each seat its card, and else only cards that never follow it in suit.

    Whole suits: a seat gets its card and twelve cards of suits that let it play that card.
    """
    led = next(iter(cards.values())).suit
    rest = [card for card in game.pack if card not in cards.values()]
    hands = {seat: [card] for seat, card in cards.items()}
    void = [seat for seat, card in cards.items() if card.suit != led]
    follow = [seat for seat in cards if seat not in void]
    for card in sorted(rest, key=lambda card: card.suit != led):
        takers = follow if card.suit == led else [*void, *follow]
        hands[next(seat for seat in takers if len(hands[seat]) < 13)].append(card)
    state = game.apply(game.start(dealer).state, seat_after(dealer, seats=4, steps=-1), Cut(0))
    deck: dict[Slot, Card] = {}
    for seat, slots in enumerate(state.state.hands):
        deck.update(zip(slots, hands[Seat(seat)], strict=True))
    return tuple(deck[Slot(position)] for position in range(len(game.pack)))


@pytest.mark.parametrize("entry", cases("trick41"))
def test_a_trick_of_the_scenarios(entry: dict[str, Any]) -> None:
    game, dealer = Game41(Rules41(Variant(entry["game"]))), seat_of(entry["dealer"])
    plays = [(seat_of(each[0]), parse_card(each[2:])) for each in entry["plays"]]
    deck = deal_that_gives(game, dealer, dict(plays))
    table = OpenTable(game, deck, SeededRandomness(1), dealer=dealer)
    table.act(seat_after(dealer, seats=4, steps=-1), Cut(0))
    for seat in ALL_SEATS:
        table.act(seat, SortHand())
    for steps in range(1, 5):
        table.act(seat_after(dealer, seats=4, steps=steps), PlaceBid(7))
    for seat, card in plays:
        slot = next(slot for slot in table.state.hands[seat] if table.face(slot) == card)
        assert PlayCard(slot, card) in game.legal_actions(table.view(seat))
        table.act(seat, PlayCard(slot, card))
    winner = seat_of(entry["expect"]["trick_winner"])
    assert [trick.winner for trick in table.state.tricks] == [winner]
    assert game.contributors(table.state) == (winner,)
