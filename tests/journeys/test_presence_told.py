"""Who goes, by force or with a goodbye, and who comes back: the others are told at once."""

from __future__ import annotations

import asyncio

from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from tests.campaigns.faults.rough_way import Roughness, RoughWay
from tests.journeys.text_processes import LASTING, Room

ENDS = ("--plain", "--linger", "2")


async def test_a_killed_friend_is_missed_found_again_and_told_of_the_goodbye(room: Room) -> None:
    """Before the first hand the two talk, too."""
    options = ("--bots", "2", "--chat", *LASTING, *ENDS)
    host = await room.run("south", "host", "--name", "Amara", *options, answers=False)
    (invite,) = await host.invites(1)
    joins = ("join", "--name", "Banu", *ENDS)
    guest = await room.run("north", *joins, typed=(invite,), answers=False)
    for person in (host, guest):
        await person.said("Play under this charter")
    host.type("say good\x1b[2J evening")
    await guest.said(r"Amara.* says: good.* evening$")
    guest.type("say and to you")
    await host.said(r"Banu.* says: and to you$")
    assert "\x1b" not in guest.text
    for person in (host, guest):
        person.answers, person.answers_until = True, "Hand 1:"
        person.type("y")
    for person in (host, guest):
        await person.said("Hand 1:")
    await guest.kill()
    await host.said(r"The broker says that the connection of .* \(Banu\) was lost")
    back = await room.run("north", "resume", *ENDS, answers=False)
    await host.said(r"\(Banu\) is here again")
    await back.said("Back at the table")
    host.process.terminate()
    await back.said(r"South \(Amara\) has left")
    await back.said("The broker ran")


async def test_the_broker_publishes_a_will_for_who_is_cut_off_and_none_for_who_leaves() -> None:
    def transport(port: int, will: bytes) -> MqttTransport:
        address = BrokerAddress.parse(f"mqtt://127.0.0.1:{port}")
        return MqttTransport(MqttOptions(address, "p2p304/wills", will=lambda: will))

    async with (
        EmbeddedBroker() as broker,
        transport(broker.port, b"mine") as listening,
        asyncio.timeout(60),
    ):
        async with transport(broker.port, b"left"):
            pass
        async with RoughWay(broker.port, Roughness(), 1).open() as way:
            cut_off = transport(way.port, b"cut off")
            await cut_off.open()
        assert await anext(listening.received()) == b"cut off"
        await cut_off.close()
