"""The search for leaks itself can fail: a half of one hidden card laid open is found by name."""

from __future__ import annotations

import pytest

from p2p304.cards import Slot
from protocol.cards.keys import MaskedCard
from protocol.cards.reading import read_card
from protocol.group.point import multiply, subtract
from protocol.places import Lane, LedgerName
from tests.table.bus import Table
from tests.table.coalitions import Snoop
from tests.table.seating import seeded
from tests.table.tiny_game import TinyGame

OWNER = 2
HAND_0 = LedgerName(Lane.HAND, 0)


def dealt() -> Table:
    """Three seats with two cards each, and three cards in the deck."""
    table = Table(TinyGame(3, target=100), 1).begun()

    def until() -> bool:
        replicas = [each.session.table_state.replicas.get(HAND_0) for each in table.chairs]
        return all(replica is not None and replica.ledger.rounds for replica in replicas)

    table.run(until)
    return table


def with_card(table: Table, slot: Slot, card: MaskedCard) -> None:
    """The first seat's hand with another masked card in a slot, as if it had been published."""
    session = table.sessions[0]
    table_state = session.table_state
    replica = table_state.replicas[HAND_0]
    deck = replica.machine.deck
    hidden = deck.slots[slot]._replace(card=card)
    leaking = replica.machine._replace(deck=deck._replace(slots={**deck.slots, slot: hidden}))
    replicas = {**table_state.replicas, HAND_0: replica._replace(machine=leaking)}
    session._current = session._state._replace(table_state=table_state._replace(replicas=replicas))


def looked(table: Table) -> list[str]:
    snoop = Snoop(table)
    snoop.look()
    assert snoop.tried
    return snoop.leaks


def test_a_hand_that_was_dealt_well_opens_to_no_coalition() -> None:
    assert looked(dealt()) == []


@pytest.mark.parametrize("half", ["card", "suit"])
def test_the_owners_share_of_one_half_is_found_by_everybody_else(half: str) -> None:
    table = dealt()
    deck = table.sessions[0].table_state.replicas[HAND_0].machine.deck
    slot = next(slot for slot, hidden in deck.slots.items() if hidden.owner == OWNER)
    secret = table.arguments(OWNER)["secrets"].hand_secret(0)
    face = read_card(deck, slot, OWNER, secret, entropy=seeded("read"))
    masked = deck.slots[slot].card
    share = multiply(masked.mask, getattr(secret, half).revealed())
    shown = masked._replace(**{half: subtract(getattr(masked, half), share)})
    with_card(table, slot, shown)
    found = face if half == "card" else face.suit
    coalitions = [(0,), (1,), (0, 1)]
    assert looked(table) == [
        f"round (0, 1): {members} read slot {slot}: {found}" for members in coalitions
    ]


@pytest.mark.parametrize("half", ["card", "suit"])
def test_a_share_too_many_of_an_undealt_card_is_found_by_the_two_that_are_left(half: str) -> None:
    table = dealt()
    deck = table.sessions[0].table_state.replicas[HAND_0].machine.deck
    slot = next(slot for slot, hidden in deck.slots.items() if hidden.owner is None)
    secret = table.arguments(OWNER)["secrets"].hand_secret(0)
    masked = deck.slots[slot].card
    share = multiply(masked.mask, getattr(secret, half).revealed())
    with_card(table, slot, masked._replace(**{half: subtract(getattr(masked, half), share)}))
    (leak,) = looked(table)
    assert leak.startswith(f"round (0, 1): (0, 1) read slot {slot}: ")
