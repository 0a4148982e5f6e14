"""A sample of every part of the campaign; the whole is `make campaign`."""

from __future__ import annotations

import pytest

from p2p304.cards import Slot
from protocol.cards.deck import read_card
from protocol.group.point import multiply, subtract
from tests.campaigns.hands import run_hands
from tests.long import long, sample
from tests.table.bus import Table, seeded
from tests.table.cheating import Snoop
from tests.table.tiny_game import TinyGame

#: `test_same_cards` and `test_session` have hands like those of the other parts.
KEPT = ("restart", "coalitions")


@pytest.mark.parametrize("part", sample(run_hands.PARTS, KEPT))
@pytest.mark.parametrize("seed", [0, *long(10)])
def test_a_sample_of_the_campaign(part: str, seed: int) -> None:
    work, _ = run_hands.PARTS[part]
    assert work(seed)


# --- coalitions -----------------------------------------------------------------------------------


OWNER = 2


@pytest.mark.parametrize("half", ["card", "suit"])
@pytest.mark.parametrize("owner", [OWNER, None], ids=["dealt", "not dealt"])
def test_a_share_too_many_of_one_half_is_found_by_who_has_the_others(
    half: str, owner: int | None
) -> None:
    """The owner's share of its own card opens it to anybody, and one of a card that nobody was
    dealt to the two others together."""
    table = Table(TinyGame(3, target=100), 1).begun()
    table.run(lambda: all(each.hand() is not None for each in table.sessions))
    table.run(lambda: all(table.hand(seat).ledger.rounds for seat in range(3)))
    snoop, deck = Snoop(table), table.hand().machine.deck
    snoop.look()
    assert snoop.tried
    assert snoop.leaks == []
    secrets = [table.arguments(seat)["secrets"].hand_secret(0) for seat in range(3)]
    slot = next(slot for slot, hidden in deck.slots.items() if hidden.owner == owner)
    masked = deck.slots[slot].card
    share = multiply(masked.mask, getattr(secrets[OWNER], half))
    shown = masked._replace(**{half: subtract(getattr(masked, half), share)})
    found = {
        members: snoop.opened(deck.pack, shown, members, secrets, 0)
        for members in ((0,), (1,), (0, 1))
    }
    if owner is None:
        assert found[0,] is found[1,] is None
        assert found[0, 1] is not None
    else:
        face = read_card(deck, Slot(slot), OWNER, secrets[OWNER], entropy=seeded("read"))  # type: ignore[arg-type]
        assert {*found.values()} == {face if half == "card" else face.suit}
