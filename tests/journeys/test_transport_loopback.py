"""The transport in memory behaves like the real one, and loses what the test wants lost."""

from __future__ import annotations

import pytest

from cli.net.transport import (
    MAX_FRAME,
    Inbox,
    LinkState,
    TransportClosedError,
    TransportError,
    Trouble,
)
from tests.loopback import LoopbackTransport, Wire


async def _opened(wire: Wire, count: int) -> list[LoopbackTransport]:
    ends = [wire.transport() for _ in range(count)]
    for end in ends:
        await end.open()
    return ends


async def _rest(end: LoopbackTransport) -> list[bytes]:
    await end.close()
    return [frame async for frame in end.received()]


async def test_everybody_but_the_sender_receives() -> None:
    ends = await _opened(Wire(), 4)
    await ends[1].send(b"hello")
    assert [await _rest(end) for end in ends] == [[b"hello"], [], [b"hello"], [b"hello"]]


async def test_the_wire_loses_and_repeats_as_the_test_decides() -> None:
    copies = {0: 1, 1: 0, 2: 2}
    ends = await _opened(Wire(lambda frame, receiver: copies[receiver] * len(frame)), 3)
    await ends[0].send(b"x")
    assert [await _rest(end) for end in ends] == [[], [], [b"x", b"x"]]


async def test_a_cut_wire_is_told_and_loses_what_is_sent() -> None:
    wire = Wire()
    one, other = await _opened(wire, 2)
    wire.cut()
    assert one.status.state is LinkState.DISCONNECTED
    await one.send(b"lost")
    late = wire.transport()
    with pytest.raises(TransportError) as caught:
        await late.open()
    assert caught.value.trouble is Trouble.UNREACHABLE
    wire.mend()
    await one.send(b"kept")
    assert await _rest(other) == [b"kept"]
    states = [status.state async for status in other.statuses()]
    assert states == [
        LinkState.CONNECTED,
        LinkState.DISCONNECTED,
        LinkState.CONNECTED,
        LinkState.CLOSED,
    ]


async def test_a_closed_end_neither_sends_nor_opens_again() -> None:
    wire = Wire()
    one, other = await _opened(wire, 2)
    await one.close()
    with pytest.raises(TransportClosedError):
        await one.send(b"late")
    with pytest.raises(TransportClosedError):
        await one.open()
    with pytest.raises(ValueError, match="larger than"):
        await other.send(bytes(MAX_FRAME + 1))
    await other.send(b"to nobody")
    assert await _rest(one) == []


async def test_a_full_inbox_drops_the_newest_and_a_full_board_the_oldest() -> None:
    inbox: Inbox[int] = Inbox(3)
    board: Inbox[int] = Inbox(3, drop_oldest=True)
    for number in range(5):
        inbox.put(number)
        board.put(number)
    for queue in (inbox, board):
        assert len(queue) == 3
        assert queue.dropped == 2
        queue.close()
        queue.put(9)
    assert [number async for number in inbox] == [0, 1, 2]
    assert [number async for number in board] == [2, 3, 4]
