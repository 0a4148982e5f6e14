"""Brokers with certificates, passwords, access lists and websockets; what is wrong is said."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.net.credentials import Credentials, Secret
from cli.net.mqtt import MqttVersion
from cli.net.transport import LinkState, TransportError, Trouble
from tests.journeys import running_brokers
from tests.journeys.running_brokers import (
    DEFAULT,
    TOPIC,
    HostileBroker,
    Mosquitto,
    carries,
    free_port,
    mosquitto,
    needs_mosquitto,
    passwords,
    serving,
    stall,
    transport,
    until,
)

pytestmark = pytest.mark.timeout(180)
VERSIONS = pytest.mark.parametrize("version", [MqttVersion.MQTT_5, MqttVersion.MQTT_3_1_1])


@pytest.fixture
async def guarded(tmp_path: Path, certificates: Path) -> AsyncIterator[Mosquitto]:
    """TLS and passwords: amara may do all, ruwan may not write, kumari may not read."""
    users = {name: f"{name}-secret" for name in ("amara", "ruwan", "kumari")}
    (tmp_path / "acl").write_text(
        f"user amara\ntopic readwrite {TOPIC}\n"
        f"user ruwan\ntopic read {TOPIC}\n"
        f"user kumari\ntopic write {TOPIC}\n"
    )
    config = passwords(tmp_path, **users) + f"acl_file {tmp_path / 'acl'}\n"
    async with mosquitto(tmp_path, serving(certificates) + config) as broker:
        yield broker


def tls(port: int) -> str:
    return f"mqtts://localhost:{port}"


def person(name: str, certificates: Path) -> Credentials:
    return Credentials(user=name, password=Secret(f"{name}-secret"), ca=certificates / "ca.crt")


async def refused(
    url: str, credentials: Credentials, version: MqttVersion = MqttVersion.AUTOMATIC
) -> TransportError:
    one = transport(url, credentials=credentials, version=version)
    error = await running_brokers.refused(one)
    assert "secret" not in str(error)
    return error


@needs_mosquitto
@VERSIONS
async def test_the_right_password_over_the_right_certificate_plays_and_a_wrong_one_is_said(
    guarded: Mosquitto, certificates: Path, version: MqttVersion
) -> None:
    url, amara = tls(guarded.port), person("amara", certificates)
    async with (
        transport(url, credentials=amara, version=version) as one,
        transport(url, credentials=amara, version=version) as other,
    ):
        await carries(one, other)
    wrong = replace(amara, password=Secret("kumari-secret"))
    for credentials in (wrong, replace(wrong, user=None, password=None)):
        error = await refused(url, credentials, version)
        assert error.trouble is Trouble.CREDENTIALS
        assert "password" in str(error)
        assert not error.trouble.heals


@needs_mosquitto
@VERSIONS
@pytest.mark.parametrize("name", ["ruwan", "kumari"])
async def test_a_topic_that_we_may_not_write_or_read_is_told_although_the_broker_says_nothing(
    guarded: Mosquitto, certificates: Path, version: MqttVersion, name: str
) -> None:
    """Mosquitto accepts the subscription of who may not read, and delivers nothing."""
    limited = person(name, certificates)
    url = tls(guarded.port)
    async with transport(url, credentials=limited, version=version, echo_deadline=0.2) as one:
        await one.send(b"unheard")
        assert "access list" in (await until(one, LinkState.UNHEARD)).sentence


@needs_mosquitto
async def test_a_certificate_of_an_unknown_authority_is_refused(
    guarded: Mosquitto, certificates: Path
) -> None:
    for ca in (None, certificates / "other.crt"):
        error = await refused(tls(guarded.port), replace(person("amara", certificates), ca=ca))
        assert error.trouble is Trouble.CERTIFICATE
        assert "is not trusted" in str(error)


@needs_mosquitto
async def test_a_certificate_of_another_host_is_refused(
    guarded: Mosquitto, certificates: Path
) -> None:
    amara = person("amara", certificates)
    error = await refused(f"mqtts://127.0.0.1:{guarded.port}", amara)
    assert error.trouble is Trouble.CERTIFICATE
    assert "127.0.0.1" in str(error)


async def test_a_certificate_that_is_out_of_its_time_points_at_the_clock(
    tmp_path: Path, certificates: Path
) -> None:
    for command in (
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout old.key"
        " -out old.csr -subj /CN=localhost",
        f"x509 -req -in old.csr -CA {certificates}/ca.crt -CAkey {certificates}/ca.key"
        f" -set_serial 7 -days -1 -extfile {certificates}/server.ext -out old.crt",
    ):
        words = ["openssl", *command.split()]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        if done.returncode:
            pytest.skip("this openssl makes no certificate that has expired")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "old.crt", tmp_path / "old.key")
    async with HostileBroker(stall, tls=context) as broker:
        error = await refused(tls(broker.port), person("amara", certificates))
    assert error.trouble is Trouble.CERTIFICATE
    assert "check the clock of this machine first" in str(error)


@needs_mosquitto
async def test_who_speaks_otherwise_than_a_port_does_is_told(
    guarded: Mosquitto, tmp_path: Path, certificates: Path
) -> None:
    amara = person("amara", certificates)
    error = await refused(f"mqtt://127.0.0.1:{guarded.port}", amara)
    assert "mqtts://" in str(error)
    async with mosquitto(tmp_path) as broker:
        assert "TLS" in str(await refused(tls(broker.port), amara))
        error = await refused(f"ws://127.0.0.1:{broker.port}", Credentials())
        assert "websockets" in str(error) or "did not answer" in str(error)


@needs_mosquitto
@VERSIONS
async def test_a_client_certificate_opens_a_broker_that_asks_for_one(
    tmp_path: Path, certificates: Path, version: MqttVersion
) -> None:
    asking = "require_certificate true\nuse_identity_as_username true\nallow_anonymous false\n"
    ours = Credentials(
        ca=certificates / "ca.crt",
        certificate=certificates / "client.crt",
        key=certificates / "client.key",
    )
    async with mosquitto(tmp_path, serving(certificates) + asking) as broker:
        url = tls(broker.port)
        async with (
            transport(url, credentials=ours, version=version) as one,
            transport(url, credentials=ours) as other,
        ):
            await carries(one, other)
        error = await refused(url, replace(ours, certificate=None, key=None), version)
        assert "certificate" in str(error) or "broke" in str(error)


async def test_certificate_files_that_cannot_be_used_are_named(certificates: Path) -> None:
    missing = Credentials(ca=certificates / "missing.crt")
    mixed = Credentials(
        ca=certificates / "ca.crt",
        certificate=certificates / "client.crt",
        key=certificates / "server.key",
    )
    for credentials in (missing, mixed, Credentials(ca=certificates / "ca.key")):
        error = await refused(tls(free_port()), credentials)
        assert error.trouble is Trouble.CERTIFICATE
        assert str(certificates) in str(error)


async def test_a_password_does_not_cross_the_internet_in_the_clear() -> None:
    credentials = Credentials(user="amara", password=Secret("amara-secret"))
    for url in ("mqtt://broker.invalid", "ws://broker.invalid"):
        assert "not encrypted" in str(await refused(url, credentials))


@needs_mosquitto
@VERSIONS
async def test_websockets_carry_the_same(
    tmp_path: Path, certificates: Path, version: MqttVersion
) -> None:
    plain, secure = free_port(), free_port()
    config = (
        f"{DEFAULT}listener {plain} 127.0.0.1\nprotocol websockets\n"
        f"listener {secure} 127.0.0.1\nprotocol websockets\n"
    )
    trusting = Credentials(ca=certificates / "ca.crt")
    async with (
        mosquitto(tmp_path, config + serving(certificates)) as broker,
        transport(f"ws://127.0.0.1:{plain}", version=version) as one,
        transport(f"wss://localhost:{secure}", credentials=trusting, version=version) as other,
        transport(broker.port, version=version) as third,
        asyncio.timeout(60),
    ):
        await carries(one, other, bytes(16_384))
        assert await anext(third.received()) == bytes(16_384)
        await carries(other, one, b"back")
        assert await anext(third.received()) == b"back"
