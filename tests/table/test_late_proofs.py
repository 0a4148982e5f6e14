"""Proofs that are made after the frame: pauses, wakes, and a late end."""

from __future__ import annotations

import time

import pytest

from cli.seat.calls import call_session
from p2p304.games import create_game
from p2p304.seats import Seat
from protocol.seat.session import Session
from protocol.table.events import Event, PublishingDue, TurnOpened, Waiting
from protocol.topics.commands import EndUnfinished
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame

TWO = (Seat(0), Seat(1))


@pytest.mark.parametrize("restarted_again", [False, True])
def test_who_agreed_to_end_a_hand_that_was_over_plays_the_next_one(
    *, restarted_again: bool
) -> None:
    table = Table(TinyGame(3, target=100), 5).played()
    table.deliver_all()
    table.restart(1, len(table.chairs[1].journal) - 40)
    hand = table.hand(1)
    assert (hand.origin.ledger.number, hand.settled) == (0, False)
    table.act(1, EndUnfinished(TWO))
    assert table.statuses()[1] == "AGREEING"
    if restarted_again:
        table.flying.clear()
        table.restart(1)
        assert table.statuses()[1] == "AGREEING"
    table.run(table.all_played(2))
    assert table.statuses() == ["PLAYING"] * 3
    assert not table.blamed()


def test_our_turn_and_whom_we_wait_for_are_told_once_each() -> None:
    table = Table(create_game("304", "pagat"), 1).begun()
    table.run(lambda: _together(table))
    told: list[Event] = []
    for second in range(30):
        told += table.sessions[0].tick(now=table.now + second)
    assert sum(isinstance(each, Waiting) for each in told) == 1
    assert sum(isinstance(each, TurnOpened) for each in told) <= 1


def _together(table: Table) -> bool:
    """Whether the first seat and others are awaited at the same time."""
    session = table.sessions[0]
    hand = session.table_state.hand
    return (
        bool(session.legal_actions())
        and hand is not None
        and len(hand.ledger.missing) > 1
        and not table.flying
    )


class Recorder:
    """A player and a session in one, who note the time at which they are called."""

    def __init__(self) -> None:
        self.times: list[float] = []

    async def shown(self) -> None:
        """A frame that takes until the clock has moved on."""
        began = time.monotonic()
        while time.monotonic() == began:
            pass

    def tick(self, *, now: float) -> list[Event]:
        self.times.append(now)
        return []


async def test_how_long_the_disk_takes_is_no_pause_of_the_table() -> None:
    recorder = Recorder()

    def work(_session: Session, now: float) -> list[Event]:
        recorder.times.append(now)
        return [PublishingDue()]

    await call_session(work, recorder, _carried, recorder.shown)  # type: ignore[arg-type]
    first, second = recorder.times
    assert first == second


async def _carried(_events: list[Event], _session: Session) -> None:
    """There is no disk."""
