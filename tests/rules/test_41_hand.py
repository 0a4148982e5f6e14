"""A deal of 41, step by step: the table of phases, refusals, notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest

from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.disclosures import Remixed
from p2p304.errors import NotationError, RulesError
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import Action, Cut, PlaceBid, PlayCard, SortHand
from p2p304.rules41.hand import (
    ALL_SEATS,
    NEXT,
    PACK,
    Game41,
    Phase,
    State,
)
from p2p304.rules41.rules import Rules41, Variant
from p2p304.seats import Seat
from p2p304.simulator import FalseStatement, OpenTable
from p2p304.statements import NoneOfSuit
from tests.rules.open_matches import shuffled

GAME = Game41(Rules41(Variant.SYRIAN))


def table_at(phase: Phase, seed: int = 5) -> OpenTable:
    """An open table in `phase`, on the way to it with the first legal action each time."""
    table = OpenTable(GAME, shuffled(GAME, SeededRandomness(seed)), SeededRandomness(seed))
    while table.state.phase is not phase:
        seat = GAME.contributors(table.state)[0]
        actions = GAME.legal_actions(table.view(seat))
        wanted = 0 if phase is Phase.THROWN_IN or not isinstance(actions[0], PlaceBid) else 3
        table.act(seat, actions[wanted])
    return table


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("kind", get_args(Action))
def test_the_table_of_phases_is_what_the_game_does(phase: Phase, kind: type[Action]) -> None:
    state = table_at(phase).state
    hand = state.hands[(state.awaiting or ALL_SEATS)[0]] or (Slot(0),)
    samples: dict[type[Action], Action] = {
        Cut: Cut(7),
        SortHand: SortHand(),
        PlaceBid: PlaceBid(4),
        PlayCard: PlayCard(hand[0], parse_card("9C")),
    }
    seat = (state.awaiting or ALL_SEATS)[0]
    if (phase, kind) in NEXT:
        assert GAME.apply(state, seat, samples[kind]).state.phase in NEXT[phase, kind]
    else:
        with pytest.raises(RulesError, match=f"while the phase is {phase.value}"):
            GAME.apply(state, seat, samples[kind])


def test_every_transition_of_the_table_happens() -> None:
    seen: set[tuple[Phase, type[Action], Phase]] = set()
    for end in (Phase.THROWN_IN, Phase.PLAYED):
        table = table_at(Phase.CUTTING)
        while seats := GAME.contributors(table.state):
            before = table.state.phase
            actions = GAME.legal_actions(table.view(seats[0]))
            bid = 0 if end is Phase.THROWN_IN else 5
            action = actions[bid if isinstance(actions[0], PlaceBid) else 0]
            table.act(seats[0], action)
            seen.add((before, type(action), table.state.phase))
        assert table.state.phase is end
    assert seen == {(phase, kind, to) for (phase, kind), all_to in NEXT.items() for to in all_to}


def test_sorting_may_happen_in_any_order_and_hides_when_cards_were_dealt() -> None:
    ends: list[State] = []
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        state = table_at(Phase.SORTING).state
        for seat in map(Seat, order):
            before = state.hands[seat]
            step = GAME.apply(state, seat, SortHand())
            state = step.state
            assert step.disclosures == (Remixed(seat, before, state.hands[seat]),)
        ends.append(state)
    assert ends[0] == ends[1]
    assert sorted(slot for hand in ends[0].hands for slot in hand) == list(range(52, 104))


def playing_table(hands: Sequence[str]) -> OpenTable:
    """A table at the first lead by East, with whole suits as hands, such as ("S", "H", ...)."""
    state = GAME.apply(GAME.start(Seat(0)).state, Seat(3), Cut(0)).state
    deck: dict[Slot, Card] = {}
    for slots, letter in zip(state.hands, hands, strict=True):
        suit = [card for card in PACK if card.suit.letter == letter]
        deck.update(zip(slots, suit, strict=True))
    table = OpenTable(GAME, [deck[Slot(i)] for i in range(52)], SeededRandomness(3))
    table.act(Seat(3), Cut(0))
    for seat in ALL_SEATS:
        table.act(seat, SortHand())
    for bidder in (1, 2, 3, 0):
        table.act(Seat(bidder), PlaceBid(4))
    return table


def test_a_card_of_a_suit_that_was_shown_void_is_refused() -> None:
    table = playing_table("SHDC")
    for seat in map(Seat, (1, 2, 3, 0)):
        slot = table.state.hands[seat][0]
        table.act(seat, PlayCard(slot, table.face(slot)))
    slot = table.state.hands[1][0]
    table.act(Seat(1), PlayCard(slot, table.face(slot)))
    with pytest.raises(RulesError, match="North has shown to hold no hearts"):
        table.act(Seat(2), PlayCard(table.state.hands[2][0], Card(Suit.HEARTS, Rank.TWO)))


def test_a_revoke_is_a_false_statement_and_changes_nothing() -> None:
    table = table_at(Phase.PLAYING)
    lead = next(
        play
        for play in GAME.legal_actions(table.view(Seat(1)))
        if isinstance(play, PlayCard)
        and any(table.face(slot).suit == play.card.suit for slot in table.state.hands[2])
        and any(table.face(slot).suit != play.card.suit for slot in table.state.hands[2])
    )
    table.act(Seat(1), lead)
    before = table.state, dict(table.view(Seat(2)).faces)
    revoke = next(
        PlayCard(slot, table.face(slot))
        for slot in table.state.hands[2]
        if table.face(slot).suit != lead.card.suit
    )
    with pytest.raises(FalseStatement) as caught:
        table.act(Seat(2), revoke)
    assert isinstance(caught.value.statement, NoneOfSuit)
    assert (table.state, dict(table.view(Seat(2)).faces)) == before


def test_an_error_in_notation_names_its_place() -> None:
    with pytest.raises(NotationError, match=r"at character 9"):
        GAME.parse_action("play 61=1C")
    with pytest.raises(NotationError, match=r"at character 8\)"):
        GAME.parse_action("play 61")


def test_a_deal_that_is_not_over_has_no_result() -> None:
    with pytest.raises(RulesError, match="the deal is not over yet"):
        GAME.settle(table_at(Phase.PLAYING).state)
