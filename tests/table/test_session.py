"""Whole hands among real sessions: one history, nobody blamed, whatever bus and restarts do."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.events import (
    HandUnfinished,
    Persist,
    SecondOpinionDiffered,
    Send,
    SessionStopped,
    Waiting,
)
from protocol.topics.commands import Confirm, EndUnfinished
from protocol.topics.step import SessionStatus
from protocol.wire.authenticate import open_message
from protocol.wire.messages import Notice
from tests.long import long, sample
from tests.table.bus import Table, Weather
from tests.table.tiny_game import Open, Play, TinyGame


def played(seats: int, seed: int, hands: int = 1, weather: Weather | None = None) -> Table:
    return Table(TinyGame(seats, target=100), seed, weather).played(hands)


def playing(table: Table) -> bool:
    """Whether somebody may play a card now."""
    return any(
        isinstance(action, Play)
        for chair in table.chairs
        for action in chair.session.legal_actions()
    )


def check_agreement(table: Table, hands: int) -> None:
    """All seats hold the same history and the same journal of it, and nobody was blamed."""
    assert not table.blamed()
    for number in range(hands):
        for lane in (Lane.HAND, Lane.DECK):
            replicas = [
                chair.session.table_state.replicas[LedgerName(lane, number)]
                for chair in table.chairs
            ]
            assert len({replica.ledger.head for replica in replicas}) == 1
            assert len({replica.prefix() for replica in replicas}) == 1
    for chair in table.chairs:
        assert not any(isinstance(each, SecondOpinionDiffered) for each in chair.events)
        assert not any(isinstance(each, SessionStopped) for each in chair.events)


WEATHERS = {
    "loss of 30 percent": Weather(loss=0.3),
    "everything twice and overtaken": Weather(repeat=0.5, reorder=12),
    "all of it": Weather(loss=0.2, repeat=0.3, reorder=20),
    "a partition 1+2 that heals": Weather(
        cut=lambda step, sender, reader: step % 120 < 60 and (sender == 0) != (reader == 0)
    ),
}


@pytest.mark.parametrize("name", sample(WEATHERS, ["all of it", "a partition 1+2 that heals"]))
@pytest.mark.parametrize("seed", sample(range(2), [0]))
def test_bad_weather_delays_and_changes_nothing(name: str, seed: int) -> None:
    table = played(3, seed, hands=2, weather=WEATHERS[name])
    check_agreement(table, 2)


@pytest.mark.parametrize("seed", sample(range(6), [0]))
def test_a_restart_at_any_message_repeats_the_same_bytes(seed: int) -> None:
    table = Table(TinyGame(3, target=100), seed).begun()
    restarts = 0

    def until() -> bool:
        nonlocal restarts
        if table.step % (17 + seed) == 0:
            restarts += 1
            table.restart(table.chance.randrange(3))
        return table.all_played(1)()

    table.run(until)
    assert restarts > 2
    check_agreement(table, 1)
    check_nobody_contradicted_itself(table)


def check_nobody_contradicted_itself(table: Table) -> None:
    """Whatever was ever sent: one body for each place."""
    bodies: dict[Any, bytes] = {}
    for _, raw in table.sent:
        message = open_message(raw, table.charter)
        if not isinstance(message, Notice):
            assert bodies.setdefault(message.place, message.id) == message.id


@pytest.mark.parametrize("back", [1, 20, *long(2, 5)])
def test_an_older_journal_is_noticed_and_never_signed_against(back: int) -> None:
    table = Table(TinyGame(3, target=100), back).begun()
    table.run(lambda: table.step == 60)
    journal = len(table.chairs[1].journal)
    assert journal > back
    table.restart(1, journal - back)
    table.run(table.all_played(1))
    check_agreement(table, 1)
    check_nobody_contradicted_itself(table)


def test_a_restarted_seat_signs_nothing_before_all_others_have_answered() -> None:
    table = Table(TinyGame(3, target=100), 1).begun()
    table.run(lambda: table.step == 40)
    table.part(2)
    table.restart(1)
    before = len(table.chairs[1].journal)
    table.run(lambda: table.now > 200)
    chair = table.chairs[1]
    assert chair.session.status is SessionStatus.RETURNING
    ours = [open_message(raw, table.charter) for raw in chair.journal[before:]]
    assert not any(not isinstance(each, Notice) and each.place.seat == 1 for each in ours)
    assert any(isinstance(each, Waiting) and each.seats == (2,) for each in chair.events)
    with pytest.raises(LocalError):
        chair.session.act(Confirm(), now=table.now)
    table.heal()
    table.run(table.all_played(1))
    check_agreement(table, 1)


def test_everything_is_persisted_before_it_is_sent() -> None:
    table = played(3, 5)
    for chair in table.chairs:
        persisted: set[bytes] = set()
        for event in chair.events:
            match event:
                case Persist(record):
                    persisted.add(record)
                case Send(envelope):
                    message = open_message(envelope, table.charter)
                    assert isinstance(message, Notice) or envelope in persisted


def test_silence_is_waiting_and_never_more() -> None:
    table = Table(TinyGame(3, target=100), 3).begun()
    table.run(lambda: table.step == 30)
    table.part(2, hearing=True)
    table.run(lambda: table.now > 3_000)
    for seat in (0, 1):
        waits = table.heard(seat, Waiting)
        assert waits
        assert waits[-1].seats == (2,)
        assert len(waits) < 10
    assert not table.blamed()
    table.heal()
    table.run(table.all_played(1))
    check_agreement(table, 1)


def test_an_owner_who_is_silent_at_the_count_is_waited_for_like_any_other() -> None:
    """Nobody can open for it (specs/decisions/030); those present may end the hand."""
    table = Table(TinyGame(3, target=100), 0).begun()
    counting = partial(hands_in, table, "count")
    table.run(lambda: len(counting()) == 3)
    (silent, *_) = counting()[0].awaiting
    table.part(silent, hearing=True)
    table.run(lambda: table.now > 100)
    present = tuple(Seat(seat) for seat in range(3) if seat != silent)
    for seat in present:
        session = table.sessions[seat]
        hand = session.table_state.hand
        assert hand.ledger.missing == (silent,)
        assert session.legal_actions() == ()
        with pytest.raises(LocalError, match="not our turn"):
            session.act(Open(()), now=table.now)
        waits = table.heard(seat, Waiting)
        assert waits[-1].seats == (silent,)
    for seat in present:
        table.act(seat, EndUnfinished(present))
    table.run(lambda: not table.flying)
    for seat in present:
        assert any(
            isinstance(each, HandUnfinished) and each.present == present
            for each in table.chairs[seat].events
        )
    assert not table.blamed()


def hands_in(table: Table, phase: str) -> list[Any]:
    """The states of the newest hand, of the seats that see it in this phase."""
    hands = [chair.session.table_state.hand for chair in table.chairs]
    return [hand.machine.state for hand in hands if hand and hand.machine.state.phase == phase]


def test_a_choice_that_is_not_ours_to_make_raises_and_changes_nothing() -> None:
    table = Table(TinyGame(3, target=100), 2)
    session = table.sessions[0]
    for choice in (Play(0, None), EndUnfinished((Seat(0), Seat(1)))):  # type: ignore[arg-type]
        before = session.table_state
        with pytest.raises(LocalError):
            session.act(choice, now=0.0)
        assert session.table_state is before
    table.confirm()
    with pytest.raises(LocalError):
        session.act(Confirm(), now=0.0)
    table.run(lambda: playing(table))
    (seat,) = [each for each in range(3) if table.sessions[each].legal_actions()]
    session = table.sessions[seat]
    true = session.legal_actions()[0]
    false = next(card for card in table.game.pack if card != true.card)
    before = session.table_state
    with pytest.raises(LocalError):
        session.act(Play(true.slot, false), now=0.0)
    assert session.table_state is before
    table.run(table.all_played(1))
    check_agreement(table, 1)


def confirmed(session: Session) -> list[Send]:
    """What a session sends after its player has confirmed."""
    events = [*session.act(Confirm(), now=0.0), *session.tick(now=0.0)]
    return [each for each in events if isinstance(each, Send)]


def test_our_own_key_used_elsewhere_stops_us() -> None:
    table = Table(TinyGame(3, target=100), 2).begun()
    twin = Session(**table.arguments(0))
    other_secrets = Session(**{**table.arguments(0), "secrets": Secrets(bytes(32))})
    own = confirmed(twin)
    assert table.sessions[0].receive(own[0].envelope, now=0.0) == []
    foreign = confirmed(other_secrets)
    events = table.sessions[0].receive(foreign[0].envelope, now=0.0)
    reason = "our own key signed what this seat did not (ledger.equivocation)"
    assert events == [SessionStopped(reason)]
    assert table.sessions[0].status is SessionStatus.HALTED
    assert table.sessions[0].receive(own[0].envelope, now=0.0) == []
    assert table.sessions[0].receive(foreign[0].envelope, now=0.0) == []


def test_our_own_key_used_before_us_stops_us_too() -> None:
    table = Table(TinyGame(3, target=100), 2)
    twin = Session(**table.arguments(0))
    (sent,) = confirmed(twin)
    events = table.sessions[0].receive(sent.envelope, now=0.0)
    assert [type(each) for each in events] == [SessionStopped]
    assert table.sessions[0].status is SessionStatus.HALTED
