"""Tables in the memory of one process: frames from seat to seat, the broker that is opened to
friends, and bots that fail there."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cli.commands.bot import BotsHere
from cli.local.bot_processes import Bot, bot_home
from cli.local.sitting import new_table
from cli.net.memory import NOWHERE, MemoryBroker
from cli.net.mqtt import MqttOptions, MqttTransport, MqttVersion
from cli.net.transport import Transport
from cli.seat.channel import SealedLine
from cli.seat.setup import Founding, Setup
from p2p304.seats import Seat
from protocol.wire import lobby
from protocol.wire.identity import FRAME_SIZES

TOPIC = "p2p304/0123456789abcdef"
SMALL, LARGE = FRAME_SIZES[0], FRAME_SIZES[-1]


def memory() -> MemoryBroker:
    return MemoryBroker(largest_frame=LARGE)


async def heard(transport: Transport) -> bytes:
    async with asyncio.timeout(60):
        return await anext(transport.received())


async def test_a_frame_comes_to_all_others_of_its_table_and_to_nobody_else() -> None:
    async with (
        memory() as broker,
        broker.transport(TOPIC) as ours,
        broker.transport(TOPIC) as theirs,
        broker.transport(f"{TOPIC}/other") as stranger,
    ):
        await ours.send(b"first")
        await theirs.send(b"second")
        assert await heard(theirs) == b"first"
        assert await heard(ours) == b"second"
        await stranger.close()
        assert [frame async for frame in stranger.received()] == []


async def test_a_frame_that_a_seat_does_not_admit_or_whose_test_fails_is_dropped_there() -> None:
    def fails(frame: bytes) -> bool:
        raise RuntimeError(frame)

    async with memory() as broker, broker.transport(TOPIC) as ours:
        async with broker.transport(TOPIC) as strict, broker.transport(TOPIC) as broken:
            strict.admit(lambda frame: frame == b"fine")
            broken.admit(fails)
            await ours.send(b"junk")
            await ours.send(b"fine")
            assert await heard(strict) == b"fine"
        assert [frame async for frame in strict.received()] == []
        assert [frame async for frame in broken.received()] == []


async def test_a_broker_that_is_opened_gets_all_frames_and_gives_those_of_friends() -> None:
    async with memory() as broker, broker.transport(TOPIC) as ours:
        address = await broker.open()
        assert await broker.open() == address
        assert address.loopback
        options = MqttOptions(address, TOPIC, version=MqttVersion.MQTT_3_1_1)
        async with MqttTransport(options) as friend, broker.transport(TOPIC) as late:
            await ours.send(b"o" * SMALL)
            assert await heard(friend) == b"o" * SMALL
            assert await heard(late) == b"o" * SMALL
            await friend.send(b"f" * LARGE)
            assert await heard(ours) == await heard(late) == b"f" * LARGE
            await late.send(b"l" * SMALL)
            assert await heard(friend) == await heard(ours) == b"l" * SMALL


async def test_a_seat_in_memory_admits_what_its_table_sealed_and_no_junk_of_the_broker() -> None:
    invite = new_table(NOWHERE, "304", "pagat").invites[1]
    payload = lobby.to_bytes(lobby.Inquiry(invite.table, Seat(0), knows_charter=False))
    async with memory() as broker, broker.transport(invite.topic) as ours:
        line = SealedLine(invite, ours)
        address = await broker.open()
        options = MqttOptions(address, invite.topic, version=MqttVersion.MQTT_3_1_1)
        async with MqttTransport(options) as friend:
            await friend.send(b"j" * SMALL)
            await SealedLine(invite, friend).send(payload)
            assert line.opened(await heard(ours)) == payload


async def test_a_table_that_begins_after_the_broker_was_opened_meets_there_as_well() -> None:
    async with memory() as broker:
        address = await broker.open()
        options = MqttOptions(address, TOPIC, version=MqttVersion.MQTT_3_1_1)
        async with broker.transport(TOPIC) as ours, MqttTransport(options) as friend:
            await ours.send(b"o" * SMALL)
            assert await heard(friend) == b"o" * SMALL


async def test_a_bot_that_fails_is_told_and_takes_nobody_along(tmp_path: Path) -> None:
    table = new_table(NOWHERE, "304", "pagat")
    told: asyncio.Queue[str] = asyncio.Queue()
    async with memory() as broker, BotsHere(4, told.put_nowait, broker) as bots:
        homes = [bot_home(tmp_path, Seat(seat)) for seat in (1, 2)]
        homes[0].mkdir(mode=0o700)
        (homes[0] / "identity").mkdir()
        sitting = [Bot(table.invites[at + 1], home) for at, home in enumerate(homes)]
        async with broker.transport(table.watch.topic) as ours:
            await bots.start(*sitting)
            async with asyncio.timeout(60):
                assert (await told.get()).startswith("The bot in seat East ended: ")
            assert await heard(ours)  # the other one claims its seat
        assert told.empty()


def test_a_setup_tells_whether_its_table_was_opened_to_others() -> None:
    table = new_table(NOWHERE, "304", "pagat")
    founding = Founding("304", "pagat", (bytes(16),) * 4, broker_here=True, in_memory=True)
    setup = Setup(table.invites[0], "Amara", bytes(32), bytes(32), founding=founding)
    assert Setup.from_bytes(setup.to_bytes()) == setup
    assert setup.meeting == "in this program alone"
