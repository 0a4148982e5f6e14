"""Cards that change hands among real sessions: each lie about them is refused by its check."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from p2p304.statements import NotCard
from protocol.cards.deck import hand_over, remix_hand
from protocol.wire.contents import Action, Content, HandOverShares
from protocol.wire.messages import Message
from tests.client.black_lady.rules import FIRST, BlackLady, right_of
from tests.table.cheating import CheatTable, ForkableTable, Moment, examined
from tests.table.seating import seeded
from tests.table.test_deck_cheats import Chance

SEED = 3


@cache
def reached(phase: str) -> ForkableTable:
    """A table at which everybody is to do what the phase asks for."""
    table = ForkableTable(BlackLady(), SEED).begun()

    def arrived() -> bool:
        return all(each.session.legal_actions() and state(each) == phase for each in table.chairs)

    def state(chair: Any) -> str:
        hand = chair.session.table_state.hand
        return "" if hand is None else str(hand.machine.state.phase)

    table.run(arrived)
    return table


def holder(table: ForkableTable) -> Moment:
    """Who has the card that is led first."""
    moments = (Moment(table, Seat(seat)) for seat in range(3))
    return next(each for each in moments if FIRST in {each.faces[slot] for slot in each.hand})


def others_than_the_first(moment: Moment) -> tuple[Slot, ...]:
    return tuple(slot for slot in moment.hand if moment.faces[slot] != FIRST)


def card_of_another(moment: Moment) -> Card:
    held = {moment.faces[slot] for slot in moment.hand}
    return next(card for card in BlackLady.pack if card not in held)


DENIALS: dict[str, tuple[Callable[[Moment], Content], str]] = {
    "the holder denies": (lambda at: at.said("deny"), "card-distinction.proof"),
    "without a proof": (lambda at: Action("deny"), "statement.count"),
    "with the other slots": (
        lambda at: Action("deny", at.proof_of(NotCard(others_than_the_first(at), FIRST))),
        "distinction.length"),
    "with another card": (
        lambda at: Action("deny", at.proof_of(NotCard(at.hand, card_of_another(at)))),
        "card-distinction.proof"),
    "the slot of a card that is no more": (
        lambda at: at.said(f"play {at.state.given[at.seat]} {FIRST}"), "action.rule"),
}  # fmt: skip


@pytest.mark.parametrize("name", DENIALS)
@pytest.mark.xdist_group("moved cards")
def test_who_holds_a_card_cannot_deny_it(name: str) -> None:
    tell, check = DENIALS[name]
    moment = holder(reached("first"))
    assert moment.check_of(tell(moment), told_to=right_of(moment.seat)) == check


@pytest.mark.xdist_group("moved cards")
def test_a_card_that_is_not_ones_own_is_not_named() -> None:
    table = reached("first")
    moment = Moment(table, right_of(holder(table).seat))
    said = moment.said(f"play {moment.hand[0]} {FIRST}")
    assert moment.check_of(said, told_to=right_of(moment.seat)) == "opening.proof"


@pytest.mark.parametrize("before", ["with the card that was given away", "without a gift"])
@pytest.mark.xdist_group("moved cards")
def test_a_hand_is_mixed_from_what_it_was_given_and_kept(before: str) -> None:
    moment = Moment(reached("mixing"), Seat(1))
    given = moment.state.given[1]
    kept = moment.hand[:-1]
    deck = moment.machine.deck
    slots = (*kept, given) if before == "with the card that was given away" else (*kept, kept[0])
    # Its slots as if they were still, or all, this seat's own.
    lying = {
        place: deck.slots[slot].__class__(card, frozenset({Seat(1)}), Seat(1))
        for place, (slot, card) in enumerate(zip(slots, deck.under(Seat(1), slots), strict=True))
    }
    step = remix_hand(
        deck.__class__(deck.pack, deck.keys, lying, {}, frozenset()),
        Seat(1),
        tuple(map(Slot, range(4))),
        context=moment.occasion.proof_context("Action").part(0),
        entropy=seeded("mixed"),
    )
    said = Action("mix", remixes=(step.to_bytes(),))
    assert moment.check_of(said, told_to=2) == "shuffle.equation"


def test_another_card_than_the_one_that_was_given_does_not_move() -> None:
    def alter(content: Content, message: Message) -> Content | None:
        if not isinstance(content, HandOverShares):
            return None
        chance = Chance(table, message)
        state = chance.machine.state
        other = next(slot for slot in state.hands[1] if slot != state.given[0])
        moved = hand_over(
            chance.deck,
            other,
            Seat(2),
            chance.secret(),
            context=chance.context("HandOverShares").part(0),
            entropy=chance.entropy,
        )
        return HandOverShares((moved.to_bytes(),))

    table = CheatTable(BlackLady(), SEED, alter, cheat=1, told_to=2).begun()
    table.run(table.stopped, steps=2_000)
    assert examined(table, 1, table.place) == "hand-over.proof"
