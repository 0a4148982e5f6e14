"""Ways to a broker: MQTT, proxies, certificates, passwords, and several addresses of a cluster."""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import traceback
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from cli.bounds import MAX_FRAME
from cli.local.sitting import new_table, transport_for
from cli.net.address import AddressError, BrokerAddress, format_nodes, parse_nodes
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import Credentials, CredentialsError, Secret, credentials_from_file
from cli.net.link import Proxy, proxy_for
from cli.net.mqtt import MqttTransport
from cli.net.packets import LEVEL_3_1_1, LEVEL_5
from cli.net.transport import LinkState, Transport, TransportClosedError, TransportError, Trouble
from tests.journeys import running_brokers
from tests.journeys.running_brokers import (
    DEFAULT,
    TOPIC,
    Behaviour,
    HostileBroker,
    Mosquitto,
    Visit,
    carries,
    free_port,
    mosquitto,
    needs_mosquitto,
    nothing_left,
    passwords,
    refused,
    saying,
    serving,
    stall,
    transport,
    until,
)
from tests.long import examples

# --- transport mqtt -------------------------------------------------------------------------------

# The MQTT transport over real brokers: all get all, and whatever breaks is joined again.

pytestmark = pytest.mark.timeout(180)


@asynccontextmanager
async def table(transports: Iterable[MqttTransport]) -> AsyncIterator[list[MqttTransport]]:
    """All joined at the same time; all closed at the end."""
    all_of_them = list(transports)
    try:
        await asyncio.gather(*(one.open() for one in all_of_them))
        yield all_of_them
    finally:
        await asyncio.gather(*(one.close() for one in all_of_them))


@pytest.fixture(autouse=True)
async def _nothing_is_left() -> AsyncIterator[None]:
    yield
    assert nothing_left()


async def take(one: Transport, count: int) -> list[bytes]:
    frames = one.frames()
    async with asyncio.timeout(60):
        return [await anext(frames) for _ in range(count)]


async def all_hear_all(seats: list[MqttTransport], each: int = 20) -> None:
    """Everybody hears what the others say, and nothing of its own."""
    sent = [[os.urandom(200) + bytes([seat]) for _ in range(each)] for seat in range(len(seats))]

    async def speak(seat: int) -> None:
        for frame in sent[seat]:
            await seats[seat].send(frame)

    await asyncio.gather(*(speak(seat) for seat in range(len(seats))))
    for seat, one in enumerate(seats):
        heard = await take(one, each * (len(seats) - 1))
        others = [frame for other, frames in enumerate(sent) if other != seat for frame in frames]
        assert sorted(heard) == sorted(others)


async def test_four_seats_join_the_embedded_broker_at_once_and_hear_each_other() -> None:
    for _ in range(examples(6)):
        broker = EmbeddedBroker()
        port = await broker.start()
        async with table(transport(port) for _ in range(4)) as seats:
            await all_hear_all(seats, each=3)
        assert await broker.stop()


@needs_mosquitto
async def test_two_seats_on_each_version_meet_at_a_default_mosquitto(tmp_path: Path) -> None:
    levels = [(LEVEL_5,), (LEVEL_3_1_1,)] * 2
    async with (
        mosquitto(tmp_path) as broker,
        table(transport(broker.port, levels=each) for each in levels) as seats,
    ):
        await all_hear_all(seats)
        log = broker.log()
        assert log.count("p5, c1") == 2
        assert log.count("p2, c1") == 2, "3.1.1 is shown as p2"


async def test_a_broker_that_dies_and_returns_is_joined_again() -> None:
    first = EmbeddedBroker()
    port = await first.start()
    async with table(transport(port) for _ in range(4)) as seats:
        await all_hear_all(seats, each=2)
        assert await first.stop()
        await asyncio.gather(*(until(one, LinkState.WAITING) for one in seats))
        for one in seats:
            await one.send(b"said while the broker was away by " + os.urandom(8))
        async with EmbeddedBroker(port=port):
            await asyncio.gather(*(until(one, LinkState.CONNECTED) for one in seats))
            # What was said before all had joined again may be lost; the ledger brings it.
            await asyncio.sleep(0)
            marks = [os.urandom(16) for _ in seats]
            for one, mark in zip(seats, marks, strict=True):
                await one.send(mark)
            for seat, one in enumerate(seats):
                missing = set(marks) - {marks[seat]}
                while missing:
                    missing -= set(await take(one, 1))


def _names(log: str, shown: str = "") -> set[str]:
    return {
        line.split(" as ")[1].split(" ")[0]
        for line in log.splitlines()
        if "New client connected" in line and shown in line
    }


@needs_mosquitto
@pytest.mark.parametrize(
    ("level", "other_level", "shown"),
    [
        (LEVEL_5, LEVEL_3_1_1, "(p5"),
        (LEVEL_3_1_1, LEVEL_5, "(p2"),
    ],
)
async def test_who_takes_over_our_client_id_gains_nothing(
    tmp_path: Path, level: int, other_level: int, shown: str
) -> None:
    async with (
        mosquitto(tmp_path) as broker,
        table(transport(broker.port, levels=(each,)) for each in (level, other_level)) as two,
    ):
        (victim,) = _names(broker.log(), shown)
        name = victim.encode()
        body = b"\x00\x04MQTT\x04\x02\x00\x3c" + len(name).to_bytes(2, "big") + name
        for _ in range(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", broker.port)
            writer.write(b"\x10" + bytes([len(body)]) + body)
            async with asyncio.timeout(60):
                assert await reader.readexactly(4) == b"\x20\x02\x00\x00"
            writer.close()
        assert (await until(two[0], LinkState.DISCONNECTED)).sentence.endswith(".")
        await until(two[0], LinkState.CONNECTED)
        await carries(two[1], two[0])


async def test_nobody_there_and_a_name_that_nobody_knows_are_said_at_once() -> None:
    port = free_port()
    error = await refused(transport(port))
    assert error.trouble is Trouble.UNREACHABLE
    assert str(error) == (
        f"Nothing listens at mqtt://127.0.0.1:{port}: check the port, and whether the broker runs."
    )
    error = await refused(transport("mqtt://no-such-host.invalid:1883"))
    assert error.trouble in (Trouble.UNREACHABLE, Trouble.TIMEOUT)


async def test_a_closed_transport_says_so_and_ends_its_iterations() -> None:
    async with EmbeddedBroker() as broker:
        one = transport(broker.port)
        await one.open()
        await one.close()
        await one.close()
        assert [frame async for frame in one.frames()] == []
        assert [status.state async for status in one.statuses()][-1] is LinkState.CLOSED
        with pytest.raises(TransportClosedError):
            await one.send(b"late")
        with pytest.raises(TransportClosedError):
            await one.open()


async def test_frames_that_no_broker_carries_are_refused() -> None:
    async with EmbeddedBroker() as broker, table([transport(broker.port) for _ in range(2)]) as two:
        with pytest.raises(ValueError, match="larger than"):
            await two[0].send(bytes(MAX_FRAME + 1))
        await carries(two[0], two[1], bytes(MAX_FRAME))


# --- transport nodes ------------------------------------------------------------------------------

# Several addresses of one clustered broker: who loses one goes on at the next, by itself.
#
# Nodes that share their topics are a cluster's matter (`make cluster`); here what one transport
# does.

ONE = BrokerAddress.parse("mqtts://one.example.org")
TWO = BrokerAddress.parse("mqtts://two.example.org:8884")


@pytest.fixture
async def living() -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker() as broker:
        yield broker


async def test_an_address_that_never_answers_keeps_nobody_and_each_has_time_for_both_versions(
    living: EmbeddedBroker,
) -> None:
    tried: list[int] = []

    async def behave(visit: Visit) -> None:
        tried.append((await visit.packet()).body[6])
        await stall(visit)

    async with AsyncExitStack() as stack:
        silent = [await stack.enter_async_context(HostileBroker(behave)) for _ in range(4)]
        ports = [each.port for each in silent]
        await refused(transport(*ports), deadline=6.0)
        assert tried == [5, 4] * 4
        for deadline in (2.0, 40.0):  # half of it for each address: a busy machine needs more
            one = transport(ports[0], living.port)
            with suppress(TransportError):
                await one.open(deadline=deadline)
                break
        assert f":{living.port}" in one.status.sentence
        await one.close()


async def test_when_a_node_dies_the_next_is_joined_and_a_circle_is_gone_round(
    living: EmbeddedBroker,
) -> None:
    async with EmbeddedBroker() as first:
        one = transport(first.port, free_port(), living.port)
        await one.open()
        assert f":{first.port}" in one.status.sentence
    pauses = []
    async with asyncio.timeout(60):
        async for status in one.statuses():
            pauses += [] if status.retry_in is None else [status.retry_in]
            if status.state is LinkState.CONNECTED and f":{living.port}" in status.sentence:
                break
    assert sum(pauses) < 1.0
    async with transport(living.port) as two:
        await carries(one, two)
    await one.close()


async def test_a_node_that_passes_nothing_on_is_left_where_there_are_others(
    living: EmbeddedBroker,
) -> None:
    async def swallow(visit: Visit) -> None:
        await visit.welcome()
        await stall(visit)

    async with (
        HostileBroker(swallow) as frozen,
        transport(frozen.port, living.port, echo_deadline=0.2) as one,
    ):
        assert f":{frozen.port}" in one.status.sentence
        await one.send(b"into the void")
        await until(one, LinkState.CONNECTED, f":{living.port}")


REFUSING = saying(b"\x20\x02\x00\x04", b"\x20\x03\x00\x86\x00", after="connect")


async def test_each_seat_begins_at_another_node() -> None:
    called: list[int] = []

    def noting(node: int) -> Behaviour:
        async def behave(visit: Visit) -> None:
            called.append(node)
            await REFUSING(visit)

        return behave

    async with AsyncExitStack() as stack:
        brokers = [await stack.enter_async_context(HostileBroker(noting(n))) for n in range(3)]
        nodes = parse_nodes(",".join(f"mqtt://127.0.0.1:{each.port}" for each in brokers))
        table = new_table(nodes[0], "304", "pagat", other_nodes=nodes[1:])
        begun = []
        for invite in (*table.invites, table.watch):
            assert invite.nodes == nodes
            called.clear()
            await refused(transport_for(invite))
            assert {*called} == {0, 1, 2}
            begun.append(called[0])
    assert begun == [0, 1, 2, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "mqtts://a.example,",
        ",mqtts://a.example",
        "mqtts://a.example,,mqtts://b.example",
        "mqtts://a.example,mqtts://a.example:8883",
        ",".join(f"mqtts://{letter}.example" for letter in "abcde"),
        ",".join(f"mqtts://{letter * 60}.example" for letter in "abcd"),
    ],
)
def test_addresses_that_are_none_twice_or_too_many_are_refused(text: str) -> None:
    with pytest.raises(AddressError):
        parse_nodes(text)
    assert parse_nodes(format_nodes((ONE, TWO))) == (ONE, TWO)


# --- whose password it is -------------------------------------------------------------------------

MINE = Credentials(user="amara", password=Secret("hunter2"))


def test_a_password_goes_to_hosts_that_its_owner_named() -> None:
    with pytest.raises(CredentialsError, match=r"if you trust one\.example\.org, write"):
        MINE.check_hosts((ONE, BrokerAddress.parse("mqtts://one.example.org:9999")))
    with pytest.raises(CredentialsError, match=r"if you trust one\.example\.org, two"):
        MINE.check_hosts((ONE, TWO))
    named = MINE.with_hosts((ONE,))
    named.check_hosts((ONE,))
    with pytest.raises(CredentialsError, match=r"if you trust two\.example\.org, write"):
        named.check_hosts((ONE, TWO))
    with pytest.raises(CredentialsError):
        named.check_hosts((TWO,))
    named.with_hosts((TWO,)).check_hosts((ONE, TWO))
    Credentials(ca=Path("ca.crt")).check_hosts((ONE, TWO))
    with pytest.raises(CredentialsError):
        Credentials(certificate=Path("me.crt"), key=Path("me.key")).check_hosts((ONE, TWO))


def test_a_credentials_file_names_the_hosts_that_may_see_it(tmp_path: Path) -> None:
    path = tmp_path / "credentials"
    path.write_text("user = amara\npassword = hunter2\nhosts = One.example.org, two.example.org\n")
    path.chmod(0o600)
    found = credentials_from_file(path)
    assert found.hosts == ("one.example.org", "two.example.org")
    invite = new_table(ONE, "304", "pagat", other_nodes=(TWO,)).invites[1]
    transport_for(invite, found)
    with pytest.raises(CredentialsError):
        transport_for(invite.at((ONE, BrokerAddress.parse("evil.example"))), found)
    with pytest.raises(CredentialsError) as caught:
        transport_for(invite, MINE)
    assert "hunter2" not in str(caught.value)


# --- transport proxies ----------------------------------------------------------------------------

# Proxies on the way to a broker over websockets: what goes through them, and what is told.

FAR = "wss://broker.example.org"


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("all", "http", "https", "socks", "ws", "wss", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)


class HttpProxy:
    """Answers every request with `answer`, and after a 200 relays to the port `onward`."""

    def __init__(self, answer: bytes, onward: int = 0) -> None:
        self._answer = answer
        self._onward = onward
        self.requests: list[str] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            self.requests.append((await reader.readuntil(b"\r\n\r\n")).decode())
            writer.write(self._answer)
            if self._onward:
                to_broker, from_us = await asyncio.open_connection("127.0.0.1", self._onward)
                await asyncio.gather(_relay(reader, from_us), _relay(to_broker, writer))
        writer.close()


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.close()


@asynccontextmanager
async def proxy(answer: bytes, onward: int = 0) -> AsyncIterator[HttpProxy]:
    one = HttpProxy(answer, onward)
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.port = server.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        server.close()


async def refused_proxy(url: str = FAR) -> str:
    """The one sentence with which a broker at `url` cannot be reached, for want of a proxy."""
    error = await refused(transport(url))
    assert error.trouble is Trouble.PROXY
    assert "geheim" not in "".join(traceback.format_exception(error))
    return str(error)


@pytest.mark.parametrize(
    "setting",
    [
        "socks5h://joe:geheim@127.0.0.1:1080",
        "https://joe:geheim@127.0.0.1:1080",
        "geheim://127.0.0.1:1080",
        "http://joe:geheim@127.0.0.1:99999",
        "http://joe:geheim@",
        "http://joe:geheim@[::1",
        "http://joe:geheim@\x1b[2J.example",
    ],
)
async def test_a_proxy_that_cannot_be_used_is_told_in_a_sentence_without_its_password(
    monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv("https_proxy", setting)
    said = await refused_proxy()
    assert said.startswith("The setting https_proxy names no proxy of the form http://host:port")
    assert "no_proxy" in said


@pytest.mark.parametrize("scheme", ["http://", ""])
async def test_a_dead_proxy_is_told_as_a_dead_proxy(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    dead = free_port()
    monkeypatch.setenv("https_proxy", f"{scheme}joe:geheim@127.0.0.1:{dead}")
    said = await refused_proxy()
    assert said.startswith(f"The proxy http://127.0.0.1:{dead} (https_proxy) cannot be reached")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"HTTP/1.1 407 No\r\nContent-Length: 3\r\n\r\nabc", "asks for a user and a password"),
        (b"HTTP/1.1 502 No\r\n\r\n", "does not connect us to wss://broker.example.org (HTTP 502)"),
        (b"HTTP/1.0 403 No\r\n\r\n", "does not connect us"),
        (b"HTTP/1.1 200 OK\r\n\r\nmore", "does not speak HTTP as a proxy does"),
        (b"SSH-2.0-geheim\r\n", "does not speak HTTP"),
        (b"x" * 100_000, "does not speak HTTP"),
        (b"", "does not speak HTTP"),
    ],
    ids=["407", "502", "403", "more", "ssh", "endless", "nothing"],
)
async def test_what_a_proxy_answers_is_told_and_nothing_else_is_printed(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    answer: bytes,
    told: str,
) -> None:
    async with proxy(answer) as one:
        monkeypatch.setenv("wss_proxy", f"http://joe:geheim@127.0.0.1:{one.port}")
        said = await refused_proxy()
    assert f"127.0.0.1:{one.port} (wss_proxy) {told}" in said
    assert capfd.readouterr().err == ""
    assert caplog.text == ""


async def test_a_proxy_that_says_nothing_is_told_as_the_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.net.link.PROXY_DEADLINE", 0.05)
    async with HostileBroker(stall) as silent:
        monkeypatch.setenv("wss_proxy", f"http://127.0.0.1:{silent.port}")
        said = await refused_proxy()
    assert f"127.0.0.1:{silent.port} (wss_proxy) cannot be reached (no answer in time)" in said


@needs_mosquitto
@pytest.mark.parametrize("url", ["ws://broker.example.org", FAR])
async def test_websockets_beyond_the_local_network_go_through_it_with_its_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, certificates: Path, url: str
) -> None:
    port = free_port()
    config = f"allow_anonymous true\nlistener {port} 127.0.0.1\nprotocol websockets\n"
    if url == FAR:
        config += serving(certificates)
    trusting = Credentials(ca=certificates / "ca.crt")
    async with (
        mosquitto(tmp_path, config) as broker,
        proxy(b"HTTP/1.1 200 OK\r\n\r\n", port) as way,
    ):
        setting = "https_proxy" if url == FAR else "http_proxy"
        monkeypatch.setenv(setting, f"joe:geh%65im@127.0.0.1:{way.port}")
        async with (
            transport(url, credentials=trusting) as one,
            transport(broker.port) as other,
        ):
            await carries(other, one)
    (request,) = way.requests
    assert request.startswith(
        f"CONNECT broker.example.org:{443 if url == FAR else 80} HTTP/1.1\r\n"
    )
    assert "Proxy-Authorization: Basic am9lOmdlaGVpbQ==\r\n" in request


def test_plain_and_tls_brokers_those_nearby_and_those_excepted_need_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "proxy.example.org:3128")
    monkeypatch.setenv("no_proxy", "club.example.org")
    found: Callable[[str], Proxy | None] = lambda url: proxy_for(BrokerAddress.parse(url))  # noqa: E731 - a short name
    there = found(FAR)
    assert (there.host, there.port, there.login) == ("proxy.example.org", 3128, None)
    for url in (
        "mqtts://broker.example.org",
        "mqtt://broker.example.org",
        "wss://192.168.1.20",
        "wss://localhost",
        "wss://club.example.org",
    ):
        assert found(url) is None, url


# --- transport tls --------------------------------------------------------------------------------

# Brokers with certificates, passwords, access lists and websockets; what is wrong is said.

LEVELS = pytest.mark.parametrize("level", [LEVEL_5, LEVEL_3_1_1])


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


async def refused_login(url: str, credentials: Credentials, *levels: int) -> TransportError:
    one = transport(url, credentials=credentials, levels=levels or (LEVEL_5, LEVEL_3_1_1))
    error = await running_brokers.refused(one)
    assert "secret" not in str(error)
    return error


@needs_mosquitto
@LEVELS
async def test_the_right_password_over_the_right_certificate_plays_and_a_wrong_one_is_said(
    guarded: Mosquitto, certificates: Path, level: int
) -> None:
    url, amara = tls(guarded.port), person("amara", certificates)
    async with (
        transport(url, credentials=amara, levels=(level,)) as one,
        transport(url, credentials=amara, levels=(level,)) as other,
    ):
        await carries(one, other)
    wrong = replace(amara, password=Secret("kumari-secret"))
    for credentials in (wrong, replace(wrong, user=None, password=None)):
        error = await refused_login(url, credentials, level)
        assert error.trouble is Trouble.CREDENTIALS
        assert "password" in str(error)
        assert not error.trouble.heals


@needs_mosquitto
@LEVELS
@pytest.mark.parametrize("name", ["ruwan", "kumari"])
async def test_a_topic_that_we_may_not_write_or_read_is_told_although_the_broker_says_nothing(
    guarded: Mosquitto, certificates: Path, level: int, name: str
) -> None:
    """Mosquitto accepts the subscription of who may not read, and delivers nothing."""
    limited = person(name, certificates)
    url = tls(guarded.port)
    async with transport(url, credentials=limited, levels=(level,), echo_deadline=0.2) as one:
        await one.send(b"unheard")
        assert "access list" in (await until(one, LinkState.UNHEARD)).sentence


@needs_mosquitto
async def test_a_certificate_of_an_unknown_authority_is_refused(
    guarded: Mosquitto, certificates: Path
) -> None:
    for ca in (None, certificates / "other.crt"):
        error = await refused_login(
            tls(guarded.port), replace(person("amara", certificates), ca=ca)
        )
        assert error.trouble is Trouble.CERTIFICATE
        assert "is not trusted" in str(error)


@needs_mosquitto
async def test_a_certificate_of_another_host_is_refused(
    guarded: Mosquitto, certificates: Path
) -> None:
    amara = person("amara", certificates)
    error = await refused_login(f"mqtts://127.0.0.1:{guarded.port}", amara)
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
        error = await refused_login(tls(broker.port), person("amara", certificates))
    assert error.trouble is Trouble.CERTIFICATE
    assert "check the clock of this machine first" in str(error)


@needs_mosquitto
async def test_who_speaks_otherwise_than_a_port_does_is_told(
    guarded: Mosquitto, tmp_path: Path, certificates: Path
) -> None:
    amara = person("amara", certificates)
    error = await refused_login(f"mqtt://127.0.0.1:{guarded.port}", amara)
    assert "mqtts://" in str(error)
    async with mosquitto(tmp_path) as broker:
        assert "TLS" in str(await refused_login(tls(broker.port), amara))
        error = await refused_login(f"ws://127.0.0.1:{broker.port}", Credentials())
        assert "websockets" in str(error) or "did not answer" in str(error)


@needs_mosquitto
@LEVELS
async def test_a_client_certificate_opens_a_broker_that_asks_for_one(
    tmp_path: Path, certificates: Path, level: int
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
            transport(url, credentials=ours, levels=(level,)) as one,
            transport(url, credentials=ours) as other,
        ):
            await carries(one, other)
        error = await refused_login(url, replace(ours, certificate=None, key=None), level)
        assert "certificate" in str(error) or "broke" in str(error)


async def test_certificate_files_that_cannot_be_used_are_named(certificates: Path) -> None:
    missing = Credentials(ca=certificates / "missing.crt")
    mixed = Credentials(
        ca=certificates / "ca.crt",
        certificate=certificates / "client.crt",
        key=certificates / "server.key",
    )
    broken = Credentials(ca=certificates / "ca.key")
    for credentials, at_fault in (
        (missing, missing.ca),
        (mixed, mixed.certificate),
        (broken, broken.ca),
    ):
        error = await refused_login(tls(free_port()), credentials)
        assert error.trouble is Trouble.CERTIFICATE
        assert str(at_fault) in str(error)


async def test_a_password_does_not_cross_the_internet_in_the_clear() -> None:
    credentials = Credentials(user="amara", password=Secret("amara-secret"))
    for url in ("mqtt://broker.invalid", "ws://broker.invalid"):
        assert "not encrypted" in str(await refused_login(url, credentials))


@needs_mosquitto
@LEVELS
async def test_websockets_carry_the_same(tmp_path: Path, certificates: Path, level: int) -> None:
    plain, secure = free_port(), free_port()
    config = (
        f"{DEFAULT}listener {plain} 127.0.0.1\nprotocol websockets\n"
        f"listener {secure} 127.0.0.1\nprotocol websockets\n"
    )
    trusting = Credentials(ca=certificates / "ca.crt")
    async with (
        mosquitto(tmp_path, config + serving(certificates)) as broker,
        transport(f"ws://127.0.0.1:{plain}", levels=(level,)) as one,
        transport(f"wss://localhost:{secure}", credentials=trusting, levels=(level,)) as other,
        transport(broker.port, levels=(level,)) as third,
        asyncio.timeout(60),
    ):
        await carries(one, other, bytes(16_384))
        assert await anext(third.frames()) == bytes(16_384)
        await carries(other, one, b"back")
        assert await anext(third.frames()) == b"back"
