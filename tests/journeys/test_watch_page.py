"""A live page of a real hand: what a browser is told, what it may do, and how it ends."""

from __future__ import annotations

import asyncio
import json
import signal
from base64 import b64decode
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from cli.page.document import page
from cli.page.table import table_of
from cli.page.tree import Node, markup
from tests.journeys.text_processes import LASTING, Room, transcripts
from tests.verifier.pages import Parts

URL = r"The page, for whoever you show it to: (http://127\.0\.0\.1:\d+/\S+/)"


class Asked:
    """One answer of the page's server, read as it comes."""

    def __init__(self, url: str, path: str = "") -> None:
        self._parts = urlsplit(url)
        self._path = path

    async def __aenter__(self) -> Asked:
        host, port = self._parts.hostname, self._parts.port
        self._reader, self._writer = await asyncio.open_connection(host, port, limit=16 << 20)
        asked = f"GET {self._parts.path}{self._path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
        self._writer.write(asked.encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def body(self) -> bytes:
        """Return all that comes until the end."""
        return await self._reader.read()

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what the page is told until the end."""
        while line := await self._reader.readline():
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def tuples(read: Any) -> Node:
    """Return an element as it was before it was sent."""
    return read if isinstance(read, str) else (*read[:2], *map(tuples, read[2:]))


async def test_a_live_page_is_told_each_step_and_given_what_a_saved_page_has(room: Room) -> None:
    ends = (*LASTING, "--hands", "1", "--linger", "10")
    host = await room.run("south", "host", "--name", "Amara", "--bots", "3", "--watch", *ends)
    (invite,) = await host.invites(1)
    watching = await room.run("room", "watch", "--page", "--hands", "1", typed=(invite,))
    url = (await watching.said(URL))[1]
    await watching.said("fingerprint")
    async with Asked(url) as asked:
        parts = Parts(await asked.body())
    (policy,) = [
        given["content"] for name, given in parts.elements if given.get("http-equiv") is not None
    ]
    assert policy is not None
    assert {"default-src 'none'", "connect-src 'self'", "worker-src blob:"} <= {
        each.strip() for each in policy.split(";")
    }
    assert parts.data["live"] is True
    assert parts.data["seats"][0][1] == "Amara"
    async with Asked(url, "events") as asked:
        told = [event async for event in asked.events()]
    for process in (host, watching):
        assert await process.ended() == 0, process.errors
    assert told[-1] == {"said": "over", "why": ""}
    *passed_out, given = [each for each in told if each["said"] == "ended"]
    files = transcripts(watching.home)
    assert {each["file"]["name"] for each in (*passed_out, given)} == {*files}
    name = given["file"]["name"]
    data = files[name]
    assert b64decode(given["bytes"]) == data
    assert given["file"] == {"name": name, "size": len(data)}
    (path,) = watching.home.rglob(name)
    table = table_of([str(path)])
    (saved,) = table.hands
    assert given["hand"]["words"] == json.loads(json.dumps(saved.words))
    assert "steps" not in given["hand"]
    assert given["result"] == saved.result
    article = markup(tuples(given["article"]))
    assert article.encode() in page(table)
    begun = max(at for at, each in enumerate(told) if each["said"] == "hand")
    steps = [each for each in told[begun:] if each["said"] == "step"]
    assert [each["now"] for each in steps] == [
        each["now"] for each in json.loads(json.dumps(saved.steps))
    ]
    assert [each["deed"] for each in steps if each["deed"]] == [[*each] for each in saved.deeds]
    counts = [each["count"] for each in told if each["said"] == "verified"]
    assert counts == [*range(1, len(counts) + 1)]
    assert len(counts) > 50


async def test_ctrl_c_tells_the_page_that_the_table_is_served_no_more(room: Room) -> None:
    host = await room.run("south", "host", "--name", "A", "--bots", "3", "--watch", answers=False)
    (invite,) = await host.invites(1)
    watching = await room.run("room", "watch", "--page", typed=(invite,))
    url = (await watching.said(URL))[1]
    await watching.said("fingerprint")
    async with Asked(url, "events") as asked:
        watching.process.send_signal(signal.SIGINT)
        told = [event async for event in asked.events()]
    assert told[-1] == {"said": "over", "why": ""}
    assert await watching.ended() == 130
    assert "Traceback" not in watching.errors
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port)
