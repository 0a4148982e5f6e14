"""Brokers with certificates, passwords, access lists and websockets; what is wrong is said."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials, Secret
from cli.net.mqtt import MqttOptions, MqttTransport, MqttVersion
from cli.net.transport import LinkState, TransportError, Trouble
from tests.journeys.running_brokers import (
    HostileBroker,
    Mosquitto,
    free_port,
    make_certificates,
    mosquitto,
    needs_mosquitto,
    stall,
)

TOPIC = "p2p304/0123456789abcdef"
pytestmark = pytest.mark.timeout(180)
VERSIONS = pytest.mark.parametrize("version", [MqttVersion.MQTT_5, MqttVersion.MQTT_3_1_1])


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("certificates")
    try:
        make_certificates(place)
    except FileNotFoundError:
        pytest.skip("openssl is not installed, so there are no certificates to test with")
    return place


@pytest.fixture
async def guarded(tmp_path: Path, certificates: Path) -> AsyncIterator[Mosquitto]:
    """TLS and passwords: amara may do all, ruwan may not write, kumari may not read."""
    passwords = tmp_path / "passwords"
    passwords.touch(mode=0o600)
    for user in ("amara", "ruwan", "kumari"):
        subprocess.run(
            ["mosquitto_passwd", "-b", str(passwords), user, f"{user}-secret"],
            check=True,
            capture_output=True,
            timeout=60,
        )
    (tmp_path / "acl").write_text(
        f"user amara\ntopic readwrite {TOPIC}\n"
        f"user ruwan\ntopic read {TOPIC}\n"
        f"user kumari\ntopic write {TOPIC}\n"
    )
    config = (
        f"cafile {certificates}/ca.crt\ncertfile {certificates}/server.crt\n"
        f"keyfile {certificates}/server.key\nallow_anonymous false\n"
        f"password_file {passwords}\nacl_file {tmp_path / 'acl'}\n"
    )
    async with mosquitto(tmp_path, config) as broker:
        yield broker


def transport(
    url: str,
    credentials: Credentials,
    version: MqttVersion = MqttVersion.AUTOMATIC,
    echo_deadline: float = 10.0,
) -> MqttTransport:
    return MqttTransport(
        MqttOptions(
            BrokerAddress.parse(url),
            TOPIC,
            credentials,
            version,
            echo_deadline=echo_deadline,
        )
    )


def person(name: str, certificates: Path) -> Credentials:
    return Credentials(user=name, password=Secret(f"{name}-secret"), ca=certificates / "ca.crt")


async def refused(one: MqttTransport) -> TransportError:
    with pytest.raises(TransportError) as caught:
        await one.open(deadline=60)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert "secret" not in said
    names = [task.get_name() for task in asyncio.all_tasks()]
    assert not [name for name in names if name.startswith("mqtt")]
    return caught.value


@needs_mosquitto
@VERSIONS
async def test_the_right_password_over_the_right_certificate_plays(
    guarded: Mosquitto, certificates: Path, version: MqttVersion
) -> None:
    amara = person("amara", certificates)
    async with (
        transport(f"mqtts://localhost:{guarded.port}", amara, version) as one,
        transport(f"mqtts://localhost:{guarded.port}", amara, version) as other,
        asyncio.timeout(60),
    ):
        await one.send(b"hello")
        assert await anext(other.received()) == b"hello"


@needs_mosquitto
@VERSIONS
async def test_a_wrong_password_is_said(
    guarded: Mosquitto, certificates: Path, version: MqttVersion
) -> None:
    url = f"mqtts://localhost:{guarded.port}"
    wrong = replace(person("amara", certificates), password=Secret("kumari-secret"))
    for credentials in (wrong, replace(wrong, user=None, password=None)):
        error = await refused(transport(url, credentials, version))
        assert error.trouble is Trouble.CREDENTIALS
        assert "password" in str(error)
        assert not error.trouble.heals


@needs_mosquitto
@VERSIONS
async def test_a_topic_that_we_may_not_write_is_told_although_the_broker_says_nothing(
    guarded: Mosquitto, certificates: Path, version: MqttVersion
) -> None:
    ruwan = person("ruwan", certificates)
    url = f"mqtts://localhost:{guarded.port}"
    async with transport(url, ruwan, version, 0.2) as one, asyncio.timeout(60):
        await one.send(b"unheard")
        async for status in one.statuses():
            if status.state is LinkState.UNHEARD:
                assert "access list" in status.sentence
                break


@needs_mosquitto
async def test_a_topic_that_we_may_not_read_is_silent_too_and_told_too(
    guarded: Mosquitto, certificates: Path
) -> None:
    """Mosquitto accepts the subscription and delivers nothing."""
    kumari = person("kumari", certificates)
    one = transport(
        f"mqtts://localhost:{guarded.port}", kumari, MqttVersion.AUTOMATIC, echo_deadline=0.2
    )
    await one.open()
    await one.send(b"unheard")
    async with asyncio.timeout(60):
        async for status in one.statuses():
            if status.state is LinkState.UNHEARD:
                break
    await one.close()


@needs_mosquitto
async def test_a_certificate_of_an_unknown_authority_is_refused(
    guarded: Mosquitto, certificates: Path
) -> None:
    url = f"mqtts://localhost:{guarded.port}"
    for ca in (None, certificates / "other.crt"):
        error = await refused(transport(url, replace(person("amara", certificates), ca=ca)))
        assert error.trouble is Trouble.CERTIFICATE
        assert "is not trusted" in str(error)


@needs_mosquitto
async def test_a_certificate_of_another_host_is_refused(
    guarded: Mosquitto, certificates: Path
) -> None:
    amara = person("amara", certificates)
    error = await refused(transport(f"mqtts://127.0.0.1:{guarded.port}", amara))
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
        done = subprocess.run(
            ["openssl", *command.split()],
            cwd=tmp_path,
            capture_output=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            pytest.skip("this openssl makes no certificate that has expired")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "old.crt", tmp_path / "old.key")
    async with HostileBroker(stall, tls=context) as broker:
        error = await refused(
            transport(f"mqtts://localhost:{broker.port}", person("amara", certificates))
        )
    assert error.trouble is Trouble.CERTIFICATE
    assert "check the clock of this machine first" in str(error)


@needs_mosquitto
async def test_a_plain_client_at_a_tls_port_is_told_to_use_tls(
    guarded: Mosquitto, certificates: Path
) -> None:
    error = await refused(
        transport(f"mqtt://127.0.0.1:{guarded.port}", person("amara", certificates))
    )
    assert "mqtts://" in str(error)


@needs_mosquitto
async def test_a_tls_client_at_a_plain_port_is_told(tmp_path: Path, certificates: Path) -> None:
    async with mosquitto(tmp_path) as broker:
        error = await refused(
            transport(f"mqtts://localhost:{broker.port}", person("amara", certificates))
        )
    assert "TLS" in str(error)


@needs_mosquitto
@VERSIONS
async def test_a_client_certificate_opens_a_broker_that_asks_for_one(
    tmp_path: Path, certificates: Path, version: MqttVersion
) -> None:
    config = (
        f"cafile {certificates}/ca.crt\ncertfile {certificates}/server.crt\n"
        f"keyfile {certificates}/server.key\nrequire_certificate true\n"
        "use_identity_as_username true\nallow_anonymous false\n"
    )
    ours = Credentials(
        ca=certificates / "ca.crt",
        certificate=certificates / "client.crt",
        key=certificates / "client.key",
    )
    async with mosquitto(tmp_path, config) as broker:
        url = f"mqtts://localhost:{broker.port}"
        async with transport(url, ours, version) as one, transport(url, ours) as other:
            await one.send(b"hello")
            async with asyncio.timeout(60):
                assert await anext(other.received()) == b"hello"
        error = await refused(transport(url, replace(ours, certificate=None, key=None), version))
        assert "certificate" in str(error) or "broke" in str(error)


async def test_certificate_files_that_cannot_be_used_are_named(certificates: Path) -> None:
    missing = Credentials(ca=certificates / "missing.crt")
    mixed = Credentials(
        ca=certificates / "ca.crt",
        certificate=certificates / "client.crt",
        key=certificates / "server.key",
    )
    for credentials in (missing, mixed, Credentials(ca=certificates / "ca.key")):
        error = await refused(transport(f"mqtts://localhost:{free_port()}", credentials))
        assert error.trouble is Trouble.CERTIFICATE
        assert str(certificates) in str(error)


async def test_a_password_does_not_cross_the_internet_in_the_clear() -> None:
    credentials = Credentials(user="amara", password=Secret("amara-secret"))
    for url in ("mqtt://broker.invalid", "ws://broker.invalid"):
        error = await refused(transport(url, credentials))
        assert "not encrypted" in str(error)


@needs_mosquitto
@VERSIONS
async def test_websockets_carry_the_same(
    tmp_path: Path, certificates: Path, version: MqttVersion
) -> None:
    plain, secure = free_port(), free_port()
    config = (
        f"allow_anonymous true\nlistener {plain} 127.0.0.1\nprotocol websockets\n"
        f"listener {secure} 127.0.0.1\nprotocol websockets\ncafile {certificates}/ca.crt\n"
        f"certfile {certificates}/server.crt\nkeyfile {certificates}/server.key\n"
    )
    trusting = Credentials(ca=certificates / "ca.crt")
    async with (
        mosquitto(tmp_path, config) as broker,
        transport(f"ws://127.0.0.1:{plain}", Credentials(), version) as one,
        transport(f"wss://localhost:{secure}", trusting, version) as other,
        transport(f"mqtt://127.0.0.1:{broker.port}", Credentials(), version) as third,
        asyncio.timeout(60),
    ):
        await one.send(bytes(16_384))
        assert await anext(other.received()) == bytes(16_384)
        assert await anext(third.received()) == bytes(16_384)
        await other.send(b"back")
        assert await anext(one.received()) == b"back"
        assert await anext(third.received()) == b"back"


@needs_mosquitto
async def test_websockets_at_a_port_without_them_are_told(tmp_path: Path) -> None:
    async with mosquitto(tmp_path) as broker:
        error = await refused(transport(f"ws://127.0.0.1:{broker.port}", Credentials()))
    assert "websockets" in str(error) or "did not answer" in str(error)
