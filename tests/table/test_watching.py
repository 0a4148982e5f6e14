"""A watcher sees what is public, verifies it, and learns nothing else."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.seat.watcher import Watcher
from protocol.table.events import (
    ActionTaken,
    Disclosed,
    HandEnded,
    HandUnfinished,
    Persist,
)
from protocol.table.ledger import LedgerPhase
from protocol.topics.ending import MOST_KEPT
from protocol.wire.contents import ResultSignature
from tests.table.bus import Table
from tests.table.test_agreed_ends import abandoned, ended
from tests.table.test_agreed_ends import said as signed_agreement
from tests.table.tiny_game import TinyGame


def test_a_watcher_follows_a_hand_in_any_order_of_arrival() -> None:
    table = Table(TinyGame(3, target=100), 6).played()
    raws = [raw for _, raw in table.sent]
    random.Random(1).shuffle(raws)
    watcher = Watcher(charter=table.charter, game=table.game)
    assert watcher.view() is None
    events = []
    for _ in range(len(raws)):
        for raw in raws:
            events += watcher.receive(raw)
        if watcher.table_state.counted:
            break
    mine = [each for each in events if isinstance(each, ActionTaken | Disclosed | HandEnded)]
    theirs = [
        each
        for each in table.chairs[0].events
        if isinstance(each, ActionTaken | Disclosed | HandEnded)
    ]
    assert mine[: len(theirs)] == theirs[: len(mine)]
    assert any(isinstance(each, HandEnded) for each in mine)
    assert {each.record for each in events if isinstance(each, Persist)} <= set(raws)


def test_a_watcher_sees_only_what_was_opened_to_all() -> None:
    table = Table(TinyGame(3, target=1), 6)
    watcher = Watcher(charter=table.charter, game=table.game)
    table.played()
    for _, raw in table.sent:
        watcher.receive(raw)
    view = watcher.view()
    assert view.seat is None
    faces = [chair.session.view(0) for chair in table.chairs]
    known_to_all = set.intersection(*(set(each.faces) for each in faces if each is not None))
    assert set(view.faces) == known_to_all


def test_junk_changes_nothing() -> None:
    watcher = Watcher(charter=Table(TinyGame(3)).charter, game=TinyGame(3))
    before = watcher.table_state
    for junk in (b"", b"\x01" * 80, bytes(500)):
        assert watcher.receive(junk) == []
    assert watcher.table_state is before


def test_a_watcher_hears_once_that_those_present_ended_a_hand() -> None:
    table = ended(abandoned())
    watcher = Watcher(charter=table.charter, game=table.game)
    events = []
    for _ in range(3):
        for _, raw in table.sent:
            events += watcher.receive(raw)
    told = [each for each in events if isinstance(each, HandUnfinished)]
    assert [each.present for each in told] == [(Seat(0), Seat(1), Seat(2))]
    agreed = table.sessions[0].agreed_end()
    assert watcher.agreed_end() == agreed != ()
    for number in range(2 * MOST_KEPT):  # one of them says more, of other hands
        watcher.receive(signed_agreement(table, 0, replace(agreed[0].content, hand=50 + number)))
    assert watcher.agreed_end() == agreed


def test_who_watches_sees_who_has_acted_in_the_open_round_and_not_what() -> None:
    table = Table(TinyGame(3, target=100), 6).begun()
    watcher = Watcher(charter=table.charter, game=table.game)
    assert watcher.hand() is None
    seen = 0

    def half_acted() -> bool:
        nonlocal seen
        for _, raw in table.sent[seen:]:
            watcher.receive(raw)
        seen = len(table.sent)
        hand = watcher.hand()
        return hand is not None and bool(hand.answered)

    table.run(half_acted)
    hand = watcher.hand()
    assert hand.phase is LedgerPhase.ACTING
    assert {*hand.answered} == {*hand.contributors} - {*hand.missing}
    assert not hand.settled


def test_what_was_said_in_a_closed_round_is_there_and_of_an_open_one_nothing() -> None:
    table = Table(TinyGame(3, target=100), 6).played()
    watcher, _ = table.watched()
    hand = watcher.hand(0)
    assert hand.settled
    assert hand.answered == ()
    name = LedgerName(Lane.HAND, 0)
    said = watcher.contents_of_round(name, hand.closed)
    assert [(seat, type(content)) for seat, content in said] == [
        (seat, ResultSignature) for seat in range(3)
    ]
    assert watcher.contents_of_round(name, hand.closed + 1) == ()
    assert watcher.contents_of_round(name, 0) == ()
    assert watcher.contents_of_round(LedgerName(Lane.HAND, 77), 1) == ()
    assert watcher.hand(77) is None


def test_a_table_is_watched_with_the_game_of_its_charter() -> None:
    charter = Table(TinyGame(3, target=100), 6).charter
    with pytest.raises(LocalError, match="takes 4 seats, not 3"):
        Watcher(charter=charter, game=TinyGame(4, target=100))
