"""Somebody dies, goes or leaves: the others hear of it, and the table goes on where it was."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from cli.errors import StoreError
from cli.local.sitting import FOUNDER, kept_setup, new_setup, new_table, take_place
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.store.journal import FILE_NAME, Journal, JournalError, JournalLockedError
from cli.store.paths import make_table_directory
from tests.campaigns.faults.real_table import RealTable, hand_with
from tests.campaigns.faults.rough_way import Roughness, RoughWay
from tests.journeys.running_brokers import needs_mosquitto
from tests.journeys.text_processes import LASTING, Room, TextProcess, played, transcripts

ENDS = ("--hands", "1", "--linger", "2")


async def finish(people: list[TextProcess]) -> None:
    """All end with one hand played, and the same valid transcripts."""
    for person in people:
        assert await person.ended() == 0, person.errors
    kept = transcripts(people[0].home)
    assert played(people[0].home) == 1
    assert all(transcripts(person.home) == kept for person in people)


async def bots_gone(home: Path, within: float = 60.0) -> None:
    """Wait until no bot of a host that died holds its journal any more."""
    for directory in home.glob("tables/*/bot-*/tables/*"):
        async with asyncio.timeout(within):
            while True:
                try:
                    Journal.open(directory, bytes.fromhex(directory.name)).close()
                    break
                except JournalLockedError:
                    await asyncio.sleep(0.05)
                except JournalError:
                    break  # it had not begun one


async def test_a_host_killed_before_the_table_is_full_and_in_a_hand_goes_on_with_its_bots(
    room: Room,
) -> None:
    host = await room.run("south", "host", "--name", "Amara", "--bots", "2", *LASTING, *ENDS)
    (invite,) = await host.invites(1)
    await host.said("At the table: South Amara, .*Bot")
    await host.kill()
    await bots_gone(host.home)
    host = await room.run("south", "resume", *ENDS)
    await host.said("you are South")
    assert await host.invites(1) == [invite]  # it may have gone with the terminal
    await host.said(r"The code of this table: \d+-[a-z]+-[a-z]+")
    guest = await room.run("guest", "join", "--name", "Banu", *ENDS, typed=(invite,))
    await host.said("You hold")
    await host.kill()
    await guest.said("Trying again")
    await bots_gone(host.home)
    # Nobody's claim is open: the word for North changes nothing, and is told what it would risk.
    back = await room.run("south", "resume", "--vouch", "north", *ENDS)
    await back.said("the two messages convict you")
    await back.said("Back at the table, hand 1.")
    await guest.said("Connected again.")
    await finish([back, guest])


async def test_a_guest_killed_in_a_hand_is_waited_for_and_comes_back_by_its_invite(
    room: Room,
) -> None:
    host = await room.run("south", "host", "--name", "Amara", "--bots", "2", *LASTING, *ENDS)
    (invite,) = await host.invites(1)
    guest = await room.run("guest", "join", "--name", "Banu", *ENDS, typed=(invite,))
    await guest.said("You hold")
    guest.answers = False
    await guest.kill()
    waiting = await host.said(r"Waiting for North \(Banu\) since (\d\d:\d\d)\.")
    assert re.fullmatch(r"\d\d:\d\d", waiting[1])
    again = await room.run("guest", "join", "--name", "Banu", *ENDS, typed=(invite,))
    await again.said("Back at the table")
    await finish([host, again])


# --- who goes and who comes back ------------------------------------------------------------------


IN_LINES = ("--plain", "--linger", "2")


async def test_a_killed_friend_is_missed_found_again_and_told_of_the_goodbye(room: Room) -> None:
    """Before the first hand the two talk, too."""
    options = ("--bots", "2", "--chat", *LASTING, *IN_LINES)
    host = await room.run("south", "host", "--name", "Amara", *options, answers=False)
    (invite,) = await host.invites(1)
    joins = ("join", "--name", "Banu", *IN_LINES)
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
    back = await room.run("north", "resume", *IN_LINES, answers=False)
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


# --- kill -9 in the middle of a hand --------------------------------------------------------------


async def seat_dies(table: RealTable) -> None:
    await table.kill_seat(2)


@needs_mosquitto
async def test_a_seat_and_mosquitto_die_in_one_hand(tmp_path: Path) -> None:
    deaths = [(30, seat_dies), (60, RealTable.kill_broker)]
    _, faults = await hand_with(tmp_path, 21, deaths)  # an odd seed has mosquitto
    assert faults == []


@pytest.mark.parametrize("left", [None, 0, 9])
def test_who_died_before_anything_was_kept_uses_the_invite_again(
    tmp_path: Path, left: int | None
) -> None:
    """The journal of the first process has its heading, or less."""
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    invite = table.invites[FOUNDER + 1]
    directory = make_table_directory(tmp_path / "home", invite.table)
    Journal.create(directory, invite.table).close()
    if left is not None:
        with (directory / FILE_NAME).open("r+b") as file:
            file.truncate(left)
    with pytest.raises(StoreError, match="join again with the invite"):
        kept_setup(tmp_path / "home", invite.table)
    wanted = new_setup(invite, "Banu")
    journal, setup = take_place(tmp_path / "home", wanted)
    journal.close()
    assert setup == wanted
    journal, setup = kept_setup(tmp_path / "home", invite.table)
    journal.close()
    assert setup == wanted
