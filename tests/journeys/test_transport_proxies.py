"""Proxies on the way to a broker over websockets: what goes through them, and what is told."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from cli.net.address import BrokerAddress
from cli.net.link import Proxy, proxy_for
from cli.net.transport import Trouble
from tests.journeys.running_brokers import carries, free_port, mosquitto, needs_mosquitto, transport
from tests.journeys.running_brokers import refused as not_let_in

FAR = "wss://broker.example.org"
pytestmark = pytest.mark.timeout(180)


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


async def refused(url: str = FAR) -> str:
    """The one sentence with which a broker at `url` cannot be reached, for want of a proxy."""
    error = await not_let_in(transport(url))
    assert error.trouble is Trouble.PROXY
    assert "geheim" not in "".join(traceback.format_exception(error))
    return str(error)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("socks5h://joe:geheim@127.0.0.1:1080", "names a socks5h proxy"),
        ("https://joe:geheim@127.0.0.1:1080", "names a https proxy"),
        ("geheim://127.0.0.1:1080", "names no http:// proxy"),
        ("http://joe:geheim@127.0.0.1:99999", "is no address of a proxy"),
        ("http://joe:geheim@", "is no address of a proxy"),
        ("http://joe:geheim@[::1", "is no address of a proxy"),
        ("http://joe:geheim@\x1b[2J.example", "is no address of a proxy"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_told_in_a_sentence_without_its_password(
    monkeypatch: pytest.MonkeyPatch, setting: str, told: str
) -> None:
    monkeypatch.setenv("https_proxy", setting)
    said = await refused()
    assert said.startswith(f"The setting https_proxy {told}")
    assert "no_proxy" in said


@pytest.mark.parametrize("scheme", ["http://", ""])
async def test_a_dead_proxy_is_told_as_a_dead_proxy(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    dead = free_port()
    monkeypatch.setenv("https_proxy", f"{scheme}joe:geheim@127.0.0.1:{dead}")
    said = await refused()
    assert said.startswith(f"The proxy http://127.0.0.1:{dead} (https_proxy) is not there")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"HTTP/1.1 407 No\r\nContent-Length: 3\r\n\r\nabc", "asks for a user and a password"),
        (b"HTTP/1.1 502 No\r\n\r\n", "cannot reach wss://broker.example.org (HTTP 502)"),
        (b"HTTP/1.0 403 No\r\n\r\n", "does not let us through"),
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
        said = await refused()
    assert f"127.0.0.1:{one.port} (wss_proxy) {told}" in said
    assert capfd.readouterr().err == ""
    assert caplog.text == ""


@needs_mosquitto
async def test_websockets_beyond_the_local_network_go_through_it_with_its_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = free_port()
    config = f"allow_anonymous true\nlistener {plain} 127.0.0.1\nprotocol websockets\n"
    async with mosquitto(tmp_path, config), proxy(b"HTTP/1.1 200 OK\r\n\r\n", plain) as way:
        monkeypatch.setenv("http_proxy", f"joe:geh%65im@127.0.0.1:{way.port}")
        async with (
            transport("ws://broker.example.org") as one,
            transport(f"ws://127.0.0.1:{plain}") as other,
        ):
            await carries(other, one)
    (request,) = way.requests
    assert request.startswith("CONNECT broker.example.org:80 HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic am9lOmdlaGVpbQ==\r\n" in request


def test_plain_and_tls_brokers_those_nearby_and_those_excepted_need_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "proxy.example.org:3128")
    monkeypatch.setenv("no_proxy", "club.example.org")
    found: Callable[[str], Proxy | None] = lambda url: proxy_for(BrokerAddress.parse(url))  # noqa: E731 - a short name
    there = found(FAR)
    assert there is not None
    assert (there.host, there.port, there.login) == ("proxy.example.org", 3128, None)
    for url in (
        "mqtts://broker.example.org",
        "mqtt://broker.example.org",
        "wss://192.168.1.20",
        "wss://localhost",
        "wss://club.example.org",
    ):
        assert found(url) is None, url
