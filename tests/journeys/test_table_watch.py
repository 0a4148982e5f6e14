"""Watching: a spectator verifies and saves the same game, and shows it to a browser as it goes."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from base64 import b64decode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from cli.auditing import audit_file
from cli.invite import Invite
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.page.document import page
from cli.page.table import table_of
from cli.page.tree import Node, markup
from cli.seat.channel import SealedLine
from p2p304.seats import Seat
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import Seal, SigningKey
from tests.journeys.running_brokers import mosquitto, needs_mosquitto
from tests.journeys.text_processes import (
    CHOICE,
    LASTING,
    Room,
    TextProcess,
    played,
    transcripts,
    typed_for,
)
from tests.verifier.pages import Parts


async def test_one_who_comes_late_catches_up_and_saves_what_the_seats_save_and_the_host_goes_on(
    room: Room, tmp_path: Path
) -> None:
    # A spectator who is held up has so many seconds to hear the end: nobody stays for spectators.
    ends = (*LASTING, "--hands", "1", "--linger", "10")
    host = await room.run("south", "host", "--name", "Amara", "--bots", "3", "--watch", *ends)
    (invite,) = await host.invites(1)
    early = await room.run("early", "watch", "--hands", "1", typed=(invite,))
    await early.said("Watching at")
    await host.said("You hold .* 10|You hold .* [2-9JQKA]")
    host.answers = False  # the table stands still
    asked = await host.said(CHOICE.pattern)
    late = await room.run(
        "late", "watch", "--hands", "1", "--out", str(tmp_path / "out"), typed=(invite,)
    )
    await late.said("Hand 1: ")
    fingerprint = next(line for line in host.lines if "fingerprint" in line)
    assert fingerprint in late.lines
    host.answers = True
    host.type(typed_for(asked[1]))
    for process in (host, early, late):
        assert await process.ended() == 0, process.errors
        assert process.errors == ""
    kept = transcripts(host.home)
    assert played(host.home) == 1
    assert transcripts(early.home) == kept
    out = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert out == kept
    for path in (tmp_path / "out").iterdir():
        assert audit_file(str(path)).valid
    verified = "Every message of this hand has been verified here."
    assert early.text.count(verified) == len(kept)
    outcome = host.lines[next(i for i, x in enumerate(host.lines) if "score now" in x) - 1]
    assert outcome in late.lines
    assert outcome in early.lines
    await left_no_bot_behind(host)
    await gone_on_with(room, host)


async def left_no_bot_behind(host: TextProcess) -> None:
    """Three bots of the host kept what it kept, and complained of nothing."""
    bots = sorted(host.home.glob("tables/*/bot-*"))
    assert [bot.name for bot in bots] == ["bot-1", "bot-2", "bot-3"]
    for bot in bots:
        assert transcripts(bot) == transcripts(host.home)
        assert not (bot / "output.txt").read_text()


async def gone_on_with(room: Room, host: TextProcess) -> None:
    """As many hands were played as were wanted, and the match is not over: it is gone on with."""
    listed = await room.run("south", "tables", "--all")
    await listed.ended()
    assert re.search(r"(?s)in play.*you are South", listed.text)
    (name,) = re.findall(r"go on: p2p304 resume ([0-9a-f]{8})", listed.text)
    assert "You stopped after 1 hand, and the match is not over" in host.text
    assert f"'p2p304 resume {name}' goes on." in host.text
    enough = await room.run("south", "resume", name, "--bot", "--hands", "1", "--linger", "2")
    assert await enough.ended() == 0, enough.errors
    assert "You stopped after 1 hand, and the match is not over" in enough.text
    back = await room.run("south", "resume", name, "--bot", "--hands", "2", "--linger", "2")
    assert await back.ended() == 0, back.errors
    assert re.search(r"p2p304 audit [0-9a-f]{8}/\d+\n+Hand \d+:\n.*\nThe score now: ", back.text)
    assert played(host.home) == 2


@needs_mosquitto
async def test_another_charter_is_told_and_a_fingerprint_refuses_it(
    room: Room, tmp_path: Path
) -> None:
    async with mosquitto(tmp_path) as broker:
        url = f"mqtt://127.0.0.1:{broker.port}"
        host = await room.run("south", "host", "--name", "A", "--broker", url, "--watch")
        text = (await host.invites(4))[3]
        invite = Invite.parse(text)
        assert invite.watches
        fooled = await room.run("fooled", "watch", typed=(text,))
        await fooled.said("Watching at")
        seal = Seal(invite.table_key, invite.table)
        async with MqttTransport(MqttOptions(invite.broker, seal.topic)) as transport:
            line = SealedLine(invite, transport)
            first, second = forged_charter(invite, 1), forged_charter(invite, 2)
            wanted = second.fingerprint.lower()
            careful = await room.run("careful", "watch", "--charter", wanted, typed=(text,))
            await careful.said("Watching at")
            for _ in range(2):
                await line.send(lobby.to_bytes(lobby.Board.of(first)))
            await line.send(lobby.to_bytes(lobby.Board.of(second)))
            await fooled.said(first.fingerprint)
            warning = await fooled.said("!! Somebody shows another charter")
            assert second.fingerprint in warning.string
            await careful.said(second.fingerprint)
            assert first.fingerprint not in careful.text


def forged_charter(invite: Invite, number: int) -> Charter:
    """What one with the table key alone can invent."""
    seats = tuple(
        SeatEntry(SigningKey(bytes([number, seat]) * 16).public, f"N{seat}", bytes([seat]) * 32)
        for seat in map(Seat, range(4))
    )
    return Charter(table=invite.table, game="41", profile="", seats=seats)


# --- the page -------------------------------------------------------------------------------------


URL = r"The address of the page: (http://127\.0\.0\.1:\d+/\S+/)"


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
