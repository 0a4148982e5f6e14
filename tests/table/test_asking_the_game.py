"""How often a seat asks its game what an action leads to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from p2p304.game import Step
from p2p304.seats import Seat
from protocol.table.events import ActionTaken
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from tests.table.bus import Table
from tests.table.tiny_game import TinyAction, TinyGame, TinyState


class CountingGame(TinyGame):
    """Counts what it is asked to apply for play: not what lists of choices and frames take."""

    def __init__(self, seats: int, target: int) -> None:
        super().__init__(seats, target)
        self.asked: Counter[tuple[TinyState, Seat, TinyAction]] = Counter()

    def apply(self, state: TinyState, seat: Seat, action: TinyAction) -> Step[TinyState]:
        self.asked[state, seat, action] += 1
        return super().apply(state, seat, action)

    def legal_actions(self, view: Any) -> Any:
        return TinyGame(self.seats, self.target).legal_actions(view)

    def largest_actions(self, state: TinyState, seat: Seat) -> Iterable[TinyAction]:
        return ()


class CountingTable(Table):
    """Every seat has a game of its own."""

    def arguments(self, seat: int) -> dict[str, Any]:
        return {**super().arguments(seat), "game": CountingGame(3, target=100)}


def test_a_game_is_asked_once_what_an_action_leads_to() -> None:
    """By each seat, its own actions included, and by an audit. Those who act at once are asked for
    alone, and again after one another."""
    table = CountingTable(TinyGame(3, target=100), 6).played()
    auditing = CountingGame(3, target=100)
    transcript = hand_transcript(table.sessions[0].table_state, 0)
    assert audit_bytes(transcript, lambda _: auditing).valid
    hand = table.sessions[0].table_state.hand_of(0)
    taken = table.heard(0, ActionTaken)
    rounds = [len(each.messages) for each in hand.ledger.rounds]
    for game in (auditing, *(chair.session.game for chair in table.chairs)):
        assert isinstance(game, CountingGame)
        assert set(game.asked.values()) == {1}
        assert (
            len(taken) <= sum(game.asked.values()) <= len(taken) + sum(n for n in rounds if n > 1)
        )
    assert all(each.step is not None for each in taken)
