"""The live page's server: who gets the page, who is refused, and what a reader may cost."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from urllib.parse import urlsplit

import pytest

from cli.bounds import MOST_CONNECTIONS, MOST_HISTORY, MOST_REQUEST
from cli.errors import UserError
from cli.net.served_page import PageServer

PAGE = b"<!DOCTYPE html><title>A table</title>"


@pytest.fixture
async def server() -> AsyncIterator[PageServer]:
    async with PageServer() as there:
        there.page = PAGE
        yield there


def place_of(server: PageServer) -> tuple[str, int, str]:
    parts = urlsplit(server.url)
    return parts.hostname, parts.port, parts.path


async def said_to(server: PageServer, request: bytes) -> tuple[int, dict[str, str], bytes]:
    host, port, _ = place_of(server)
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split(" ")[1]), dict(line.split(": ", 1) for line in lines), body


def asking(server: PageServer, path: str | None = None, *, host: str = "", more: str = "") -> bytes:
    name, port, whole = place_of(server)
    wanted = whole if path is None else path
    return f"GET {wanted} HTTP/1.1\r\nHost: {host or f'{name}:{port}'}\r\n{more}\r\n".encode()


async def test_whoever_has_the_address_gets_the_page_and_no_other_site_may_use_it(
    server: PageServer,
) -> None:
    status, headers, body = await said_to(server, asking(server))
    assert (status, body) == (200, PAGE)
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not any(name.startswith("Access-Control") for name in headers)


REFUSED: dict[str, tuple[int, Callable[[PageServer], bytes]]] = {
    "another token": (404, lambda server: asking(server, f"/{'A' * 32}/")),
    "the token with a letter more": (404, lambda s: asking(s, place_of(s)[2][:-1] + "x/")),
    "no token": (404, lambda server: asking(server, "/")),
    "letters outside ASCII": (404, lambda server: asking(server, "/é/")),
    "another page": (404, lambda server: asking(server, place_of(server)[2] + "data")),
    "another host": (421, lambda server: asking(server, host="evil.example")),
    "another host with our port": (
        421,
        lambda server: asking(server, host=f"evil.example:{place_of(server)[1]}"),
    ),
    "our host without its port": (421, lambda server: asking(server, host="127.0.0.1")),
    "two hosts": (421, lambda server: asking(server, more="Host: evil.example\r\n")),
    "no host": (421, lambda s: f"GET {place_of(s)[2]} HTTP/1.1\r\n\r\n".encode()),
    "an origin elsewhere": (403, lambda s: asking(s, more="Origin: http://evil.example\r\n")),
    "a file as origin": (403, lambda server: asking(server, more="Origin: null\r\n")),
    "a page of another site": (403, lambda s: asking(s, more="Sec-Fetch-Site: cross-site\r\n")),
    "a page of the same site": (403, lambda s: asking(s, more="Sec-Fetch-Site: same-site\r\n")),
    **{
        method: (405, lambda s, method=method: asking(s).replace(b"GET", method.encode(), 1))
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "get", "head")
    },
    "a body": (400, lambda server: asking(server, more="Content-Length: 3\r\n")),
    "a body in chunks": (400, lambda s: asking(s, more="Transfer-Encoding: chunked\r\n")),
    "a header without a colon": (400, lambda server: asking(server, more="junk\r\n")),
    "a folded header": (400, lambda server: asking(server, more="A: b\r\n c\r\n")),
    "an older version": (400, lambda s: asking(s).replace(b"HTTP/1.1", b"HTTP/1.0")),
    "junk": (405, lambda server: bytes(range(256)) + b"\r\n\r\n"),
    "too many bytes": (431, lambda s: asking(s, more=f"A: {'b' * MOST_REQUEST}\r\n")),
    "too many headers": (400, lambda server: asking(server, more="A: b\r\n" * 200)),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_whoever_asks_otherwise_gets_nothing(server: PageServer, name: str) -> None:
    status, request = REFUSED[name]
    found, headers, body = await said_to(server, request(server))
    assert (found, body) == (status, b"")
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")


async def test_a_request_that_does_not_come_whole_is_ended() -> None:
    async with PageServer(patience=0.1) as server:
        status, _, _ = await said_to(server, b"GET / HTTP/1.1\r\n")
    assert status == 408


async def test_one_connection_too_many_is_refused_and_a_place_that_is_left_is_taken(
    server: PageServer,
) -> None:
    host, port, _ = place_of(server)
    held = [await asyncio.open_connection(host, port) for _ in range(MOST_CONNECTIONS)]
    while server.readers < MOST_CONNECTIONS:
        await asyncio.sleep(0)
    assert (await said_to(server, b""))[0] == 503
    for _, writer in held:
        writer.close()
    while server.readers:
        await asyncio.sleep(0)
    assert (await said_to(server, asking(server)))[0] == 200


async def test_a_reader_who_takes_nothing_is_dropped_and_others_read_on() -> None:
    async with PageServer(patience=2.0) as server:
        host, port, path = place_of(server)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            slow.connect((host, port))
            slow.sendall(asking(server, path + "events"))
            for _ in range(MOST_HISTORY >> 20):
                server.publish(b"x" * (1 << 20))
            while not server.readers:
                await asyncio.sleep(0)
            while server.readers:  # until it is dropped
                await asyncio.sleep(0.01)
            taken = bytearray()
            while piece := slow.recv(1 << 20):
                taken += piece
        assert taken.startswith(b"HTTP/1.1 200 ")
        assert len(taken) < MOST_HISTORY
        server.page = PAGE
        assert (await said_to(server, asking(server)))[0] == 200


async def test_what_is_kept_for_readers_is_bounded_by_chapters() -> None:
    piece = b"x" * (MOST_HISTORY // 4)
    async with PageServer() as server:
        for number in range(12):
            server.publish(b"begin %d" % number, chapter=True)
            server.publish(piece)
        asked = asking(server, place_of(server)[2] + "events")
        reading = asyncio.create_task(said_to(server, asked))
        while not server.readers:
            await asyncio.sleep(0)
    kept = (await reading)[2].removesuffix(b"\n\n").split(b"\n\n")
    assert kept[0] == b"data: begin 9"
    assert len(kept) == 6


def test_only_one_address_of_this_machine_is_served() -> None:
    assert PageServer().address == "127.0.0.1"
    for name in ("0.0.0.0", "::", "224.0.0.1", "localhost", "evil.example", ""):
        with pytest.raises(UserError, match="name one of this machine"):
            PageServer(name)


async def test_each_table_has_a_token_of_its_own_that_cannot_be_guessed() -> None:
    places = set()
    for _ in range(20):
        async with PageServer() as server:
            places.add(place_of(server)[2])
    assert len(places) == 20
    assert min(map(len, places)) >= len("//") + 32
