"""The oracle: the cards that the seats found, laid open, lead to the same states and views.

Hidden cards and open cards run the same rules. After a hand among real sessions its deck is put
together from what the seats saw; the simulator with open cards then plays the same decisions on it.
Wherever the two disagree, a proof, a share or a disclosure was wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import MutableSequence
from typing import Any

import pytest

from p2p304.cards import Card
from p2p304.disclosures import Remixed
from p2p304.game import AnyGame
from p2p304.games import create_game
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.places import Lane, LedgerName
from protocol.table.events import ActionTaken, Disclosed, SecondOpinionDiffered
from protocol.topics.step import SessionStatus
from tests.long import long, sample
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame


class SameMixes:
    """Mixes cards as the seats mixed them."""

    def __init__(self, orders: deque[list[Card]]) -> None:
        self.orders = orders

    def randbelow(self, bound: int, /) -> int:
        raise AssertionError(bound)

    def shuffle(self, items: MutableSequence[Any], /) -> None:
        order = self.orders.popleft()
        assert sorted(items) == sorted(order)
        items[:] = order


class SteadyTable(Table):
    """Players who mostly pass, bid low, keep closed and play on, so that hands last."""

    STEADY = ("Pass", "PlaceBid", "KeepClosed", "PlayDown", "AnnounceNone", "Ready")
    HASTY = ("CallCaps", "CallSpoilt", "DemandRedeal")

    def choose(self, seat: int) -> bool:
        session = self.sessions[seat]
        if session.status is not SessionStatus.PLAYING:
            return False
        actions = list(session.legal_actions())
        if not actions:
            return False
        calm = [each for each in actions if type(each).__name__ not in self.HASTY] or actions
        steady = [each for each in calm if type(each).__name__ in self.STEADY]
        if steady and self.chance.random() < 0.85:
            first = type(steady[0])
            calm = [each for each in steady if type(each) is first][:1]
        self.act(seat, self.chance.choice(calm))
        return True


def check_hand(table: Table, *, checks: bool = True) -> None:
    """Play hand 0 and compare it with the same hand played with open cards, itself checked."""
    table.played()
    game, chair = table.game, table.chairs[0]
    faces: dict[Any, Card] = {}
    for each in table.chairs:
        view = each.session.view(0)
        for slot, face in view.faces.items():
            assert faces.setdefault(slot, face) == face
    until = next(
        place for place, event in enumerate(chair.events) if type(event).__name__ == "HandEnded"
    )
    events = chair.events[:until]
    mixes = deque(
        [faces[slot] for slot in event.disclosure.after]
        for event in events
        if isinstance(event, Disclosed) and isinstance(event.disclosure, Remixed)
    )
    # Cards that nobody ever saw lie where they like.
    places = [faces.get(slot) for slot in range(len(game.pack))]
    unseen = iter(sorted(set(game.pack).difference(each for each in places if each)))
    deck = [face or next(unseen) for face in places]
    replica = chair.session.table_state.replicas[LedgerName(Lane.HAND, 0)]
    open_table = OpenTable(
        game,
        deck,
        SameMixes(mixes),
        dealer=replica.machine.dealer,
        scores=replica.origin.scores,
        checks=checks,
    )
    for event in events:
        if isinstance(event, ActionTaken):
            open_table.act(event.seat, event.action)
    assert open_table.state == replica.machine.state
    assert game.settle(open_table.state).scores == replica.machine.outcome.scores
    told = [event.disclosure for event in events if isinstance(event, Disclosed)]
    assert sorted(map(str, told)) == sorted(map(str, open_table.disclosures))
    for seat, each in enumerate(table.chairs):
        view = each.session.view(0)
        assert view == open_table.view(Seat(seat))
        assert not any(isinstance(event, SecondOpinionDiffered) for event in each.events)
    assert not table.blamed()


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", sample(range(4), [0]))
def test_tiny_hands(seats: int, seed: int) -> None:
    check_hand(Table(TinyGame(seats, target=100), seed))


@pytest.mark.parametrize("name", sample(["41", "400"], ["400"]))
def test_hands_of_41_and_400(name: str) -> None:
    check_hand(Table(create_game(name), 5))


PROFILES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")


@pytest.mark.parametrize("profile", sample(PROFILES, ["card304-alpha"]))
@pytest.mark.parametrize("seed", [4, *long(7, 12)])
def test_hands_of_304_that_last(profile: str, seed: int) -> None:
    check_hand(SteadyTable(create_game("304", profile), seed))


@pytest.mark.parametrize("profile", sample(PROFILES, ["championship"]))
def test_hands_of_304_at_random(profile: str) -> None:
    game: AnyGame = create_game("304", profile)
    check_hand(Table(game, 3))
