"""The published scenarios of 41 and 400, run through the game itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from p2p304.cards import Card, Slot, parse_card
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import Cut, PlaceBid, PlayCard, SortHand
from p2p304.rules41.hand import ALL_SEATS, Game41, Phase, State, Trick
from p2p304.rules41.match import Match41
from p2p304.rules41.rules import Rules41, Variant
from p2p304.seats import FOUR_SEAT_LETTERS, Seat, seat_after
from p2p304.simulator import OpenTable
from tests.rules.pinned import scenarios

TEAMS = {"NS": 0, "EW": 1, None: None}


def cases(kind: str) -> list[Any]:
    chosen = [entry for entry in scenarios() if entry.get("type") == kind]
    return [pytest.param(entry, id=f"{entry['id']}: {entry['title']}") for entry in chosen]


def seat_named(letter: str) -> Seat:
    return Seat(FOUR_SEAT_LETTERS.index(letter))


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
) -> State:
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


def with_tricks(state: State, taken: tuple[int, ...]) -> State:
    """The end of a deal in which the seats took so many tricks, whatever lay in them."""
    assert sum(taken) == 13
    tricks = tuple(Trick((), seat) for seat in ALL_SEATS for _ in range(taken[seat]))
    return replace(state, phase=Phase.PLAYED, awaiting=(), tricks=tricks)


@pytest.mark.parametrize("entry", cases("score41"))
def test_a_scored_deal_of_the_scenarios(entry: dict[str, Any]) -> None:
    rules, expect = rules_of(entry), dict(entry["expect"])
    game, dealer = Game41(rules), seat_named(entry["dealer"])
    before, bids = by_seat(entry["before"]), by_seat(entry["bids"])
    if "sum" in expect:
        assert sum(map(rules.value, bids)) == expect.pop("sum")
    state = after_the_bids(game, dealer, before, bids)
    assert state.bid_of == bids
    plays = expect.pop("play")
    assert state.phase is (Phase.PLAYING if plays else Phase.THROWN_IN)
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
    game, dealer = Game41(Rules41(Variant(entry["game"]))), seat_named(entry["dealer"])
    plays = [(seat_named(each[0]), parse_card(each[2:])) for each in entry["plays"]]
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
    winner = seat_named(entry["expect"]["trick_winner"])
    assert [trick.winner for trick in table.state.tricks] == [winner]
    assert game.contributors(table.state) == (winner,)
