"""Brokers that are listed, measured and probed: which of them will do for a table, and why not."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Final

import pytest
from paho.mqtt.enums import MessageType

from cli.commands.meeting_at import public_broker
from cli.errors import UserError
from cli.lines.console import Console
from cli.net import public
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.mqtt import MqttVersion
from cli.net.probe import probe
from tests.journeys.running_brokers import (
    Behaviour,
    HostileBroker,
    Visit,
    free_port,
    publish_packet,
    saying,
    stall,
)

VERSION: Final = MqttVersion.MQTT_3_1_1
LARGEST: Final = 16_384


def console() -> tuple[Console, io.StringIO]:
    said = io.StringIO()
    with Path(os.devnull).open() as nothing:
        return Console(descriptor=nothing.fileno(), output=said), said


async def chosen(root: Path, credentials: Credentials = NO_CREDENTIALS) -> tuple[str, str]:
    """The address of the public broker that is chosen, and what is said of all of them."""
    asked, said = console()
    found = await public_broker(root, asked, credentials, VERSION)
    return found.format(), said.getvalue()


def address(port: int) -> str:
    return f"mqtt://127.0.0.1:{port}"


async def hang_up(visit: Visit) -> None:
    """End the connection at the first packet."""
    await visit.packet()


async def test_of_the_brokers_in_the_list_the_quickest_that_answers_is_chosen(
    tmp_path: Path,
) -> None:
    root = tmp_path / "home"
    dead = address(free_port())
    async with EmbeddedBroker() as broker:
        live = broker.address.format()
        root.mkdir(mode=0o700)
        (root / public.FILE_NAME).write_text(f"# mine\n\n{dead}\n{live}\n{live}\n")
        found, said = await chosen(root)
    assert found == live
    assert said.count(live) == 2  # its time, and that the table meets there
    assert f"  {dead}: no. Nothing listens" in said
    assert "It sees your address" in said


async def test_where_no_broker_of_the_list_will_do_the_table_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.net.public.MEASURED_FOR", 0.3)
    async with HostileBroker(stall) as silent, HostileBroker(hang_up) as rude:
        listed = [address(silent.port), address(rude.port)]
        (tmp_path / public.FILE_NAME).write_text("\n".join(listed))
        asked, said = console()
        with pytest.raises(UserError, match="No public broker will do now"):
            await public_broker(tmp_path, asked, NO_CREDENTIALS, VERSION)
    assert f"{listed[0]}: no. {listed[0]} is too slow." in said.getvalue()
    assert f"{listed[1]}: no. " in said.getvalue()


async def test_nobody_is_told_a_name_at_a_public_broker(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leave --login and --credentials out"):
        await chosen(tmp_path / "home", Credentials(user="amara"))
    assert not (tmp_path / "home").exists()


def test_the_list_is_written_once_and_an_own_one_stays(tmp_path: Path) -> None:
    usual = public.public_brokers(tmp_path)
    assert public.broker_list_file(tmp_path) == tmp_path / public.FILE_NAME
    assert public.public_brokers(tmp_path) == usual
    mine = tmp_path / public.FILE_NAME
    mine.write_text("mqtt://127.0.0.1:1883\n")
    public.broker_list_file(tmp_path)
    assert public.public_brokers(tmp_path) == (BrokerAddress.parse("mqtt://127.0.0.1:1883"),)
    with pytest.raises(public.ListError, match="cannot be written"):
        public.broker_list_file(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"\xff\xfe", "cannot be read"),
        (b"#" * 9_000, "is too large for a list"),
        (b"# none\n", "names 0 brokers: a list has 1 to 8"),
        (b"mqtt://127.0.0.1\n" * 9, "names 9 brokers"),
        (b"# a mistake\nhttp://127.0.0.1\n", "Line 2 of "),
    ],
)
def test_a_list_with_a_mistake_is_refused_with_its_place(
    tmp_path: Path, written: bytes, said: str
) -> None:
    (tmp_path / public.FILE_NAME).write_bytes(written)
    with pytest.raises(public.ListError, match=said):
        public.public_brokers(tmp_path)


# --- what 'broker check' finds --------------------------------------------------------------------


async def found_at(port: int) -> dict[str, tuple[bool | None, str]]:
    """What a probe finds, by name: whether it is good, and its sentence."""
    at = BrokerAddress.parse(address(port))
    return {
        each.name: (each.good, each.sentence)
        async for each in probe(at, NO_CREDENTIALS, VERSION, largest=LARGEST)
    }


def relay(asked: Behaviour) -> Behaviour:
    """A broker that passes on what two publish; who comes third, to ask what was left behind,
    meets `asked`."""
    relayed: list[Visit] = []

    async def behave(visit: Visit) -> None:
        if len(relayed) == 2:
            await asked(visit)
            return
        await visit.welcome()
        relayed.append(visit)
        while packet := await visit.packet():
            for each in relayed if packet.kind is MessageType.PUBLISH else ():
                each.writer.write(packet.raw)

    return behave


async def welcome(visit: Visit) -> None:
    """Let in, and pass on nothing."""
    await visit.welcome()
    await stall(visit)


async def test_a_broker_that_passes_nothing_on_will_not_do_and_nothing_more_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.net.probe.PATIENCE", 0.1)
    async with HostileBroker(welcome) as broker:
        found = await found_at(broker.port)
    assert {name: good for name, (good, _) in found.items()} == {"login": True, "publish": False}


LEFT = b"".join(
    publish_packet(topic, b"old", newer=False, flags=flags)
    for topic, flags in (("p2p304/one", 1), ("p2p304/two", 1), ("p2p304/new", 0))
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            saying(b"\x90\x03\x00\x01\x00" + LEFT + b"\xd0\x00", after="subscribe"),
            "2 retained messages lie under the topics",
        ),
        (saying(b"\x90\x03\x00\x01\x80", after="subscribe"), "cannot be seen"),
        (
            saying(b"\x20\x02\x00\x05\x90\x03\x00\x01\x00\xd0\x00", after="connect"),
            "cannot be seen",
        ),
        (saying(b"\x90\x02\x00\x01", after="subscribe"), "cannot be seen"),
        (hang_up, "cannot be seen"),
    ],
    ids=["some are left", "not allowed", "not let in", "cut short", "hangs up"],
)
async def test_what_lies_under_the_topics_is_counted_where_the_broker_tells_it(
    asked: Behaviour, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.net.probe.ECHOES", 1)
    async with HostileBroker(relay(asked)) as broker:
        found = await found_at(broker.port)
    assert said in found["leftovers"][1]
    assert [good for good, _ in found.values()] == [True, True, True, None, None]
