"""Who goes, by force or with a goodbye, and who comes back: the others are told at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from tests.journeys.text_processes import LASTING, Room

ENDS = ("--plain", "--linger", "2")


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as there:
        yield there


async def test_a_killed_friend_is_missed_found_again_and_told_of_the_goodbye(room: Room) -> None:
    host = await room.run("south", "host", "--name", "Amara", "--bots", "2", *LASTING, *ENDS)
    (invite,) = await host.invites(1)
    guest = await room.run("north", "join", "--name", "Banu", *ENDS, typed=(invite,))
    for person in (host, guest):
        person.answers_until = "Hand 1:"
        await person.said("Hand 1:")
    await guest.kill()
    await host.said(r"The broker says that the connection of .* \(Banu\) was lost")
    back = await room.run("north", "resume", *ENDS, answers=False)
    await host.said(r"\(Banu\) is here again")
    await back.said("Back at the table")
    host.process.terminate()
    left = await back.said(r"South \(Amara\) has left")
    assert left is not None
    await back.said("The broker ran")


async def test_the_broker_publishes_a_will_for_who_is_cut_off_and_none_for_who_leaves() -> None:
    async with EmbeddedBroker() as broker:
        address = BrokerAddress.parse(f"mqtt://127.0.0.1:{broker.port}")

        def transport(will: bytes) -> MqttTransport:
            return MqttTransport(MqttOptions(address, "p2p304/wills", will=lambda: will))

        listening, cut_off, leaving = map(transport, (b"mine", b"cut off", b"left"))
        async with listening, asyncio.timeout(60):
            async with leaving:
                pass
            before = set(broker._writers)
            await cut_off.open()
            (door,) = set(broker._writers) - before
            broker._writers[door].transport.abort()
            found = {await anext(listening.received())}
            await cut_off.close()
        assert found == {b"cut off"}
