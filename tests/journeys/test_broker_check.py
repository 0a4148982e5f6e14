"""`p2p304 broker check`: whether a broker will do is told before friends come, and why not."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from cli.net.broker import EmbeddedBroker
from tests.forked import start_program
from tests.journeys.running_brokers import (
    HostileBroker,
    Visit,
    free_port,
    mosquitto,
    needs_mosquitto,
    passwords,
    serving,
)

pytestmark = pytest.mark.timeout(180)
SECRET = "amara-geheim"


class Told(NamedTuple):
    code: int
    output: str
    error: str

    def found(self) -> dict[str, bool | None]:
        """What was judged how, of one JSON object on the output."""
        return {each["name"]: each["good"] for each in json.loads(self.output)["checks"]}


async def check(*arguments: str) -> Told:
    process = await start_program(
        *("broker", "check", *arguments),
        variables=os.environ,
        stdin=asyncio.subprocess.DEVNULL,
    )
    output, error = await process.communicate()
    told = Told(process.returncode or 0, output.decode(), error.decode())
    assert SECRET not in told.output + told.error
    assert "Traceback" not in told.error
    return told


def credentials(place: Path, *more: str, user: str = "amara") -> str:
    file = place / "credentials.txt"
    file.touch(mode=0o600)
    file.write_text("\n".join((f"user = {user}", f"password = {SECRET}", *more)))
    return str(file)


async def test_the_embedded_broker_will_do() -> None:
    async with EmbeddedBroker() as broker:
        told = await check(f"mqtt://127.0.0.1:{broker.port}")
    assert told.code == 0, told.error
    assert told.output.endswith(f"mqtt://127.0.0.1:{broker.port} will do for a table.\n")
    assert "16,384 bytes" in told.output
    assert "we may not read them all" in told.output  # nobody hears of topics it does not know


@needs_mosquitto
async def test_a_mosquitto_with_passwords_and_access_lists_will_do_or_not(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    config = passwords(tmp_path, amara=SECRET, ruwan=SECRET) + f"acl_file {acl}\n"
    acl.write_text("user amara\ntopic readwrite p2p304/+\nuser ruwan\ntopic read p2p304/+\n")
    async with mosquitto(tmp_path, config) as broker:
        url, file = f"mqtt://127.0.0.1:{broker.port}", credentials(tmp_path)
        told = await check(url, "--credentials", file, "--json")
        assert told.code == 0, told.error
        assert json.loads(told.output)["fit"] is True
        assert told.found() == {
            "login": True,
            "publish": True,
            "size": True,
            "round trip": None,
            "leftovers": None,
        }
        told = await check(url, "--json")
        assert (told.code, told.found()) == (1, {"login": False})
        assert "--credentials" in told.error
        told = await check(url, "--credentials", credentials(tmp_path, user="ruwan"))
        assert told.code == 1
        assert "publish     NO" in told.output
        assert "access list" in told.error


@needs_mosquitto
@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_a_broker_for_small_packets_will_not_do(tmp_path: Path, version: str) -> None:
    """Of MQTT 5 it says so itself; of 3.1.1 it ends the connection."""
    async with mosquitto(tmp_path, "allow_anonymous true\nmax_packet_size 10000\n") as broker:
        told = await check(f"mqtt://127.0.0.1:{broker.port}", "--mqtt", version, "--json")
    assert told.code == 1
    assert told.found()["size"] is False
    assert "broker" in told.error


@needs_mosquitto
async def test_a_certificate_that_is_not_trusted_is_found(
    tmp_path: Path, certificates: Path
) -> None:
    config = f"allow_anonymous true\n{serving(certificates)}"
    async with mosquitto(tmp_path, config) as broker:
        url = f"mqtts://localhost:{broker.port}"
        told = await check(url, "--json")
        assert told.code == 1
        assert told.found() == {"certificate": False}
        file = credentials(tmp_path, f"ca = {certificates}/ca.crt")
        assert (await check(url, "--credentials", file)).code == 0


async def test_where_nothing_can_be_examined_the_code_is_another_one() -> None:
    nowhere = await check(f"mqtt://127.0.0.1:{free_port()}")
    assert nowhere.code == 2
    assert "Nothing listens" in nowhere.error
    async with HostileBroker(Visit.packet) as other:
        told = await check(f"mqtt://127.0.0.1:{other.port}", "--json")
    assert (told.code, told.found()) == (2, {"connection": False})
