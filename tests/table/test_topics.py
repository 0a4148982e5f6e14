"""Topics: each can be taken out of the list, and all else goes on without it."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.seat.session import Session
from protocol.seat.watcher import Watcher
from protocol.table.events import (
    ChallengeMade,
    ChatReceived,
    ContinuationProposed,
    EndProposed,
    Send,
)
from protocol.topics.commands import CallReferee, EndUnfinished, Say, VoteContinuation, WantRematch
from protocol.topics.ending import agreement_to_end
from protocol.topics.listed import TOPICS, topic_commanded
from protocol.topics.topic import Topic
from protocol.wire.contents import (
    HASH_BYTES,
    Chat,
    Continuation,
    NoticeContent,
    Rematch,
)
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Notice, table_tag
from tests.table.bus import Table
from tests.table.recorded_hands import play_again, recorded_hands
from tests.table.refereed import refereed_at

MAIN_LINE = ("seat.session", "seat.exchange", "seat.watcher", "topics.listed")
"""Where topics are asked."""
THREE = (Seat(0), Seat(1), Seat(2))


@pytest.fixture(params=TOPICS, ids=lambda topic: topic.name)
def left_out(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Topic[Any]:
    """A topic that is not in the list."""
    rest = tuple(each for each in TOPICS if each is not request.param)
    for module in MAIN_LINE:
        monkeypatch.setattr(f"protocol.{module}.TOPICS", rest)
    topic: Topic[Any] = request.param
    return topic


def continuation(table: Table) -> Continuation:
    return Continuation(1, bytes(16), 0, 0b0111, (), 1, bytes(range(HASH_BYTES)), b"")


def contents(table: Table) -> dict[str, tuple[NoticeContent, type | None]]:
    """What seat 0 may say of each topic, and what is told of it, if that is at once."""
    hand = table.sessions[0].table_state.hand
    assert hand is not None
    return {
        "chat": (Chat("hello"), ChatReceived),
        "ending": (agreement_to_end(hand, THREE), EndProposed),
        "rematch": (Rematch(bytes(HASH_BYTES), 0), None),
        "substitute": (continuation(table), ContinuationProposed),
    }


def signed(table: Table, content: NoticeContent) -> bytes:
    charter = table.charter.digest
    notice = Notice(table_tag(charter), Seat(0), 7, content)
    return sign(
        table.key(0), notice.to_bytes(), purpose=Purpose.NOTICE, seat=Seat(0), charter=charter
    ).to_bytes()


def challenge(table: Table) -> bytes:
    """What seat 0 sends to call the referee."""
    (sent,) = (
        each.envelope
        for each in table.twin().sessions[0].act(CallReferee("look"), now=table.now)
        if isinstance(each, Send)
    )
    return sent


def said(table: Table) -> dict[str, tuple[bytes, type | None]]:
    """An envelope of seat 0 of each topic, and what is told of it at once."""
    found = {name: (signed(table, said), told) for name, (said, told) in contents(table).items()}
    return {**found, "referee": (challenge(table), ChallengeMade)}


SAID = said(refereed_at(0, 4))


def test_every_topic_has_its_messages_and_its_commands_for_itself() -> None:
    assert {*SAID} == {topic.name for topic in TOPICS}
    for messages in ([*topic.messages] for topic in TOPICS):
        assert messages
    assert sum(len(topic.messages) for topic in TOPICS) == len(
        {each for topic in TOPICS for each in topic.messages}
    )
    commands = [each for topic in TOPICS for each in topic.commands]
    assert {*commands} == {
        *(Say, CallReferee, EndUnfinished, VoteContinuation, WantRematch),
        *(each for each in commands if each.__name__ == "PlayOn"),
    }
    assert len(commands) == len({*commands})


def test_without_a_topic_a_hand_is_played_in_the_same_bytes(left_out: Topic[Any]) -> None:
    recorded = recorded_hands()[4]
    assert play_again(recorded) == recorded


def test_without_a_topic_nothing_comes_of_its_messages_and_all_of_the_others(
    left_out: Topic[Any],
) -> None:
    for name, (raw, told) in SAID.items():
        table = refereed_at(0, 4)
        session: Session = table.sessions[1]
        watcher = Watcher(charter=table.charter, game=table.game)
        for _, each in table.sent:
            watcher.receive(each)
        for events in (session.receive(raw, now=table.now), watcher.receive(raw, now=table.now)):
            if name == left_out.name:
                assert events == []
        heard = [type(each) for each in session.receive(raw, now=table.now)]
        assert told not in heard  # a second time
        table = refereed_at(0, 4)
        heard = [type(each) for each in table.sessions[1].receive(raw, now=table.now)]
        assert (told in heard) is (told is not None and name != left_out.name)


def test_without_a_topic_its_commands_are_refused(left_out: Topic[Any]) -> None:
    table = refereed_at(0, 4)
    for command in (
        Say("hello"),
        CallReferee("look"),
        EndUnfinished(THREE),
        VoteContinuation(continuation(table)),
    ):
        session = refereed_at(0, 4).sessions[0]
        if type(command) in left_out.commands:
            assert topic_commanded(command) is None
            with pytest.raises(LocalError, match="speaks of that"):
                session.act(command, now=0.0)
        else:
            assert session.act(command, now=0.0)
    with pytest.raises(LocalError):
        table.sessions[0].act(WantRematch(0), now=0.0)


def test_without_a_topic_a_seat_comes_back_and_goes_on(left_out: Topic[Any]) -> None:
    table = refereed_at(0, 4)
    for name, (raw, _) in sorted(SAID.items()):
        if name in ("chat", "referee"):
            table.handle(1, table.sessions[1].receive(raw, now=table.now))
    table.restart(1)
    table.run(lambda: all(session.table_state.counted == 1 for session in table.sessions))
