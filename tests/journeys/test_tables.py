"""Tables of processes: watched, left, resumed, on two brokers, among strangers; `play` alone."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import secrets
import shlex
import signal
import subprocess
import sys
import tty
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import psutil
import pytest
from paho.mqtt.enums import MessageType

from cli.auditing import audit_file
from cli.commands.bot import other_names
from cli.commands.shell import Paragraphs, program_name
from cli.errors import StoreError
from cli.invite import Invite
from cli.local.bot_processes import AT_ONCE
from cli.local.sitting import FOUNDER, kept_setup, new_setup, new_table, take_place
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.net.packets import PacketCutter
from cli.page.document import page
from cli.page.table import table_of
from cli.page.tree import Node, markup
from cli.seat.channel import SealedLine
from cli.store.journal import Journal, JournalError, JournalLockedError
from cli.store.paths import make_table_directory
from p2p304.games import full_agreement
from p2p304.seats import Seat
from protocol.bounds import MAX_NAME, MAX_SEATS
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry, check_nickname
from protocol.wire.identity import FRAME_SIZES, Purpose, Seal, SigningKey, sign
from tests.campaigns.faults.real_table import RealTable, Roughness, RoughWay, hand_with
from tests.journeys.running_brokers import (
    DEFAULT,
    Mosquitto,
    connect_packet,
    free_port,
    mosquitto,
    needs_mosquitto,
    publish_packet,
    subscribe_packet,
)
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

# --- table left -----------------------------------------------------------------------------------

# A player is gone for good: the others agree to end the hand, or go on with a substitute at
# another table; their files say so, and can be audited.

ENDS = ("--plain", "--hands", "1", "--linger", "6")
ASKING = re.compile(r"(\[y/n\]|Your choice, such as .+:|Order:) $")


class Typist(TextProcess):
    """A person at a keyboard: what is typed while nothing is asked is read as well."""

    _keyboard = -1

    async def start(self, *arguments: str, **more: Any) -> TextProcess:
        self._keyboard, screen = pty.openpty()
        tty.setraw(screen)
        await super().start(*arguments, **more, stdin=screen)
        os.close(screen)
        return self

    def type(self, line: str) -> None:
        with suppress(OSError):
            os.write(self._keyboard, f"{line}\n".encode())

    async def _read(self) -> None:
        """A question stands at the end of a line that goes on when it is answered."""
        said = ""
        while piece := await self.process.stdout.read(4_096):
            said += piece.decode("utf-8", "replace")
            *lines, said = said.split("\n")
            if ASKING.search(said):
                lines, said = [*lines, said], ""
            for line in lines:
                self._heard(line)
        os.close(self._keyboard)
        self._changed.set()


class Keyboards(Room):
    """A room in which people type."""

    async def person(self, name: str, *arguments: str, typed: tuple[str, ...] = ()) -> TextProcess:
        process = Typist(self.home(name), seed=len(self.processes))
        self.processes.append(process)
        return await process.start(*arguments, typed=typed)


@pytest.fixture
async def keyboards(tmp_path: Path) -> AsyncIterator[Keyboards]:
    async with Keyboards(tmp_path) as there:
        yield there


async def output_of(room: Room, name: str, *arguments: str) -> str:
    process = await room.run(name, *arguments)
    assert await process.ended() == 0, process.errors
    return process.text


WEST = r"West \(Chandra\)"
#: What nobody reads who goes on: all agree to end a hand by agreeing to that, and no bot wants to
#: end the hand at the next table, however long people think there.
TYPE_END = "Type end to agree"


async def left_by_west(keyboards: Keyboards) -> tuple[TextProcess, TextProcess, str]:
    """Two people and a bot in a hand whose fourth player was killed; an invite."""
    options = ("--bots", "1", "--invites", *LASTING, *ENDS)
    host = await keyboards.person("south", "host", "--name", "Amara", *options)
    north, west = [(await host.said(r"P2P304-[0-9A-Z]+")).group() for _ in range(2)]
    guest = await keyboards.person("north", "join", "--name", "Banu", *ENDS, typed=(north,))
    gone = await keyboards.run("west", "join", "--name", "Chandra", *ENDS, typed=(west,))
    gone.answers_until = "You hold"  # it is asked to bid, and the hand cannot do without its word
    await host.said("Hand 1:")
    host.type("end now")
    await host.said("Type 'end' first")
    await gone.said("You hold")
    await gone.kill()
    await host.said(f"The broker says that the connection of {WEST} was lost")
    await host.said(f"Waiting for {WEST}")
    await host.said("To go on without: type substitute bot, or substitute friend")
    return host, guest, north


async def test_three_end_a_hand_that_the_fourth_has_left_for_good(keyboards: Keyboards) -> None:
    """Two people, a bot, one who never comes back, and a spectator."""
    host, guest, invite = await left_by_west(keyboards)
    watching = await keyboards.run("watcher", "watch", "--plain", "--hands", "1", typed=(invite,))
    await watching.said("fingerprint")
    host.type("end without south")
    await host.said("Name the places of those who are gone")
    host.type("end")
    await host.said(f"This ends the hand for good, without {WEST}")
    host.type("end now")
    await host.said("You agreed.")
    await guest.said(rf"South \(Amara\) agrees to end this hand unfinished, without {WEST}\.")
    guest.type("end")
    await guest.said("Type 'end now' to agree")
    guest.type("end now")
    for person in (host, guest):
        await person.said(r"South \(Amara\), .* agreed to end the hand here,")
        assert await person.ended() == 0, person.errors
    assert await watching.ended() == 0, watching.errors
    assert "agreed to end the hand here, unfinished: no result." in watching.text
    kept = transcripts(host.home)
    assert len(kept) == 1
    (bot,) = host.home.glob("tables/*/bot-1")
    for home in (guest.home, watching.home, bot):
        assert transcripts(home) == kept
    await check_file(keyboards, host.home)


async def check_file(room: Room, home: Path) -> None:
    (path,) = home.glob("tables/*/*.p304")
    audit = audit_file(str(path))
    assert audit.valid
    assert [(hand.outcome, hand.ended_by) for hand in audit.report.hands] == [(None, (0, 1, 2))]
    told = await output_of(room, "south", "audit", "--explain", str(path))
    assert "Ended unfinished, by agreement of South (Amara)" in told
    assert "passed x3       agreement.hand" in told
    assert json.loads(await output_of(room, "south", "audit", "--json", str(path)))[0]["valid"]
    listed = await output_of(room, "south", "tables", "--all")
    assert "ended unfinished, by agreement of those present" in listed
    assert "go on:" not in listed
    assert "1 finished or watched" in await output_of(room, "south", "tables")


async def check_change(room: Room, home: Path) -> None:
    tables = sorted(home.glob("tables/*/*.p304"), key=lambda path: path.stat().st_mtime)
    assert len({path.parent for path in tables}) == 2
    text = await output_of(room, "south", "audit", *map(str, tables))
    assert f"{len(tables)} valid, 0 invalid" in text
    assert re.search(r"goes on with the match of .*: as it stood there", text)


async def test_a_bot_takes_the_place_of_who_was_killed(keyboards: Keyboards) -> None:
    host, guest, _ = await left_by_west(keyboards)
    host.type("substitute bot")
    await host.said("You agree to go on; East and North must, too")
    await guest.said("South wants to go on without West: a bot of South's sits down")
    guest.type("substitute yes")
    for person in (host, guest):
        await person.said("All agree: the match goes on at a new table")
        await person.said("Here is the charter of the new table")
        await person.said("This table goes on with the match of another one")
        await person.said(r"West \(Bot Chandra\) is a bot, seated by South \(Amara\)")
        await person.said("Hand 1:")
        assert await person.ended() == 0, person.errors
        assert TYPE_END not in person.text
    await check_change(keyboards, guest.home)
    names = await output_of(keyboards, "north", "tables", "--all")
    assert "the match went on at" in names


@pytest.mark.long
async def test_a_friend_comes_by_a_code_and_who_died_meanwhile_finds_the_new_table(
    keyboards: Keyboards,
) -> None:
    host, guest, _ = await left_by_west(keyboards)
    host.type("substitute friend")
    await guest.said("South wants to go on without West: a friend of South's sits down")
    guest.type("substitute yes")
    await guest.said("All agree: South invites a friend")
    await guest.kill()
    code = (await host.said(r"The code of this table: (\S+)")).group(1)
    added = (await host.said(r"p2p304 join((?: --broker \S+)?)' and then the code")).group(1)
    host.type("i")
    await host.said(f"The code of this table: {code}")
    await host.said("West:")
    friend = await keyboards.person(
        "friend", "join", "--name", "Dilini", *added.split(), *ENDS, typed=(code,)
    )
    await host.said("This table goes on with the match of another one")
    await host.kill()  # at the old table nobody is left who could tell
    host = await keyboards.person("south", "resume", *ENDS)
    await host.said("Table")
    back = await keyboards.person("north", "resume", *ENDS)
    for person in (back, friend):
        await person.said("This table goes on with the match of another one")
    for person in (host, back, friend):
        await person.said("Hand 1:")
        assert await person.ended() == 0, person.errors
    await check_change(keyboards, host.home)


# --- table watch ----------------------------------------------------------------------------------

# Watching: a spectator verifies and saves the same game, and shows it to a browser as it goes.


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
    bots = sorted(host.home.glob("tables/*/bot-*"))
    assert [bot.name for bot in bots] == ["bot-1", "bot-2", "bot-3"]
    for bot in bots:
        assert transcripts(bot) == transcripts(host.home)
        assert not (bot / "output.txt").read_text()
    await gone_on_with(room, host)


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


@needs_mosquitto
async def test_another_charter_is_told_and_a_fingerprint_refuses_it(
    room: Room, tmp_path: Path
) -> None:
    async with mosquitto(tmp_path) as broker:
        url = f"mqtt://127.0.0.1:{broker.port}"
        host = await room.run("south", "host", "--name", "A", "--broker", url, "--watch")
        text = (await host.invites(4))[3]
        invite = Invite.parse(text)
        assert invite.seat is None
        fooled = await room.run("fooled", "watch", typed=(text,))
        await fooled.said("Watching at")
        seal = Seal(invite.table_key, invite.table)
        async with MqttTransport(MqttOptions(invite.nodes, seal.topic)) as transport:
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


async def opened_at(url: str) -> HTTPResponse:
    """The answer of the page's server, of which nothing but its head has been read."""
    answer: HTTPResponse = await asyncio.to_thread(urlopen, url)
    return answer


async def told_by(events: HTTPResponse) -> list[dict[str, Any]]:
    """What the page is told until the end."""
    text = (await asyncio.to_thread(events.read)).decode()
    return [json.loads(each) for each in re.findall("^data: (.*)$", text, re.MULTILINE)]


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
    parts = Parts((await opened_at(url)).read())
    (policy,) = [
        given["content"] for name, given in parts.elements if given.get("http-equiv") is not None
    ]
    assert {"default-src 'none'", "connect-src 'self'", "worker-src blob:"} <= {
        each.strip() for each in policy.split(";")
    }
    assert parts.data["live"] is True
    assert parts.data["seats"][0][1] == "Amara"
    told = await told_by(await opened_at(f"{url}events"))
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
    events = await opened_at(f"{url}events")
    watching.process.send_signal(signal.SIGINT)
    told = await told_by(events)
    assert told[-1] == {"said": "over", "why": ""}
    assert await watching.ended() == 130
    assert "Traceback" not in watching.errors
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port)


# --- table resume ---------------------------------------------------------------------------------

# Somebody dies, goes or leaves: the others hear of it, and the table goes on where it was.

ENDS_SOON = ("--hands", "1", "--linger", "2")


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
    host = await room.run("south", "host", "--name", "Amara", "--bots", "2", *LASTING, *ENDS_SOON)
    (invite,) = await host.invites(1)
    await host.said("At the table: South Amara, .*Bot")
    await host.kill()
    await bots_gone(host.home)
    host = await room.run("south", "resume", *ENDS_SOON)
    await host.said("you are South")
    assert await host.invites(1) == [invite]  # it may have gone with the terminal
    await host.said(r"The code of this table: \d+-[a-z]+-[a-z]+")
    guest = await room.run("guest", "join", "--name", "Banu", *ENDS_SOON, typed=(invite,))
    await host.said("You hold")
    await host.kill()
    await guest.said("Trying again")
    await bots_gone(host.home)
    # Nobody's claim is open: the word for North changes nothing, and is told what it would risk.
    back = await room.run("south", "resume", "--vouch", "north", *ENDS_SOON)
    await back.said("the two messages convict you")
    await back.said("Back at the table, hand 1.")
    await guest.said("Connected again.")
    await finish([back, guest])


# --- who goes and who comes back ------------------------------------------------------------------


IN_LINES = ("--plain", "--linger", "2")


async def test_a_killed_friend_is_missed_found_again_and_told_of_the_goodbye(room: Room) -> None:
    """Before the first hand the two talk; it comes back by 'resume', and then by its invite."""
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
    guest.answers_until = "Hand 1:"
    for person in (host, guest):
        person.answers = True
        person.type("y")
    for person in (host, guest):
        await person.said("Hand 1:")
    await guest.kill()
    await host.said(r"The broker says that the connection of .* \(Banu\) was lost")
    back = await room.run("north", "resume", *IN_LINES, answers=False)
    await host.said(r"\(Banu\) is here again")
    await back.said("Back at the table")
    await back.kill()
    await host.said(r"Waiting for North \(Banu\) since \d\d:\d\d\.")
    back = await room.run("north", *joins, typed=(invite,), answers=False)
    await back.said("Back at the table")
    host.process.terminate()
    await back.said(r"South \(Amara\) has left")
    # Of either telling: the goodbye, whose lines break there, or the loss of the broker after it.
    await back.said("broker ran")


async def test_the_broker_publishes_a_will_for_who_is_cut_off_and_none_for_who_leaves() -> None:
    def transport(port: int, will: bytes) -> MqttTransport:
        address = BrokerAddress.parse(f"mqtt://127.0.0.1:{port}")
        return MqttTransport(MqttOptions((address,), "p2p304/wills", will=lambda: will))

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
        assert await anext(listening.frames()) == b"cut off"
        await cut_off.close()


# --- kill -9 in the middle of a hand --------------------------------------------------------------


@needs_mosquitto
async def test_a_seat_and_mosquitto_die_in_one_hand(tmp_path: Path) -> None:
    deaths = [(30, partial(RealTable.kill_seat, seat=2)), (60, RealTable.kill_broker)]
    _, faults = await hand_with(tmp_path, 21, deaths)  # an odd seed has mosquitto
    assert faults == []


def test_who_died_before_anything_was_kept_uses_the_invite_again(tmp_path: Path) -> None:
    """The journal of the first process has its heading alone."""
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    invite = table.invites[FOUNDER + 1]
    directory = make_table_directory(tmp_path / "home", invite.table)
    Journal.create(directory, invite.table).close()
    with pytest.raises(StoreError, match="join again with the invite"):
        kept_setup(tmp_path / "home", invite.table)
    wanted = new_setup(invite, "Banu")
    journal, setup = take_place(tmp_path / "home", wanted)
    journal.close()
    assert setup == wanted
    journal, setup = kept_setup(tmp_path / "home", invite.table)
    journal.close()
    assert setup == wanted


# --- table strangers ------------------------------------------------------------------------------

# One who has the table key but no seat: it injects, replays, retains and wills, for nothing.


class Stranger:
    """Holds the invite to watch and disturbs as well as it can, until it is stopped."""

    def __init__(self, invite: Invite, broker: Mosquitto) -> None:
        self.invite = invite
        self.broker = broker
        self.seal = Seal(invite.table_key, invite.table)
        self.key = SigningKey(secrets.token_bytes(32))
        self.heard = 0
        self.published = 0
        self.kinds: set[str] = set()

    async def disturb(self) -> None:
        """Answer every frame with forgeries and replays; every connection breaks and wills."""
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.broker.port)
            topic, will = self.seal.topic.encode(), self._sealed(b"L" + b"\x00" * 40)
            left = b"".join(len(each).to_bytes(2, "big") + each for each in (topic, will))
            retained = connect_packet(flags=0x26, extra=left)
            writer.write(retained + subscribe_packet(self.seal.topic))
            await self._visit(reader, writer)
            writer.transport.abort()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        cutter, mine = PacketCutter(limit=200_000), set[bytes]()
        skipped = 2 + len(self.seal.topic)
        heard = 0
        while heard < 40 and (piece := await reader.read(65_536)):
            for packet in cutter.feed(piece):
                frame = packet.body[skipped:]
                if packet.kind is not MessageType.PUBLISH or frame in mine:
                    continue
                heard += 1
                self.heard += 1
                for answer, retain in self._answers(frame):
                    mine.add(answer)
                    self.published += 1
                    flags = 1 if retain else 0
                    writer.write(publish_packet(self.seal.topic, answer, newer=False, flags=flags))
            await writer.drain()

    def _answers(self, frame: bytes) -> list[tuple[bytes, bool]]:
        """What is published after a frame of somebody: the frame again, and worse."""
        answers = [(frame, True)]
        if self.heard % 10 == 1:
            junk = bytes((PROTOCOL_VERSION,)) + secrets.token_bytes(FRAME_SIZES[0] - 1)
            answers += [(junk, False), (secrets.token_bytes(70_000), False), (b"", True)]
        try:
            payload = self.seal.open(frame).payload
        except MalformedMessage:
            return answers
        message = lobby.from_bytes(payload, seats=4, table=self.invite.table)
        if message is not None:
            self.kinds.add(type(message).__name__)
        if isinstance(message, lobby.Claim):
            answers += [(self._sealed(each), True) for each in self._lies(message)]
        elif message is None:
            flipped = bytearray(payload)
            flipped[-1] ^= 1
            answers += [(self._sealed(bytes(flipped)), False)]
            answers += [(self._sealed(self._forged(payload)), False)]
        return answers

    def _lies(self, claim: lobby.Claim) -> list[bytes]:
        """A charter with this claimant among strangers, a refusal, the seat claimed again."""
        others = [
            SeatEntry(
                SigningKey(secrets.token_bytes(32)).public, f"X{seat}", secrets.token_bytes(32)
            )
            for seat in range(4)
        ]
        others[claim.seat] = claim.entry
        charter = Charter(self.invite.table, "304", full_agreement("304"), tuple(others))
        token = secrets.token_bytes(16)
        taken = lobby.Taken(self.invite.table, claim.seat, claim.entry.nonce, lobby.Clash.SEAT)
        again = lobby.Claim.make(
            table=self.invite.table,
            seat=Seat(claim.seat),
            token=token,
            key=self.key,
            nickname="Xavier",
            nonce=secrets.token_bytes(32),
        )
        messages: list[lobby.LobbyMessage] = [
            lobby.Board.of(charter),
            lobby.Board.of(charter, (token,) * 4),
            taken.with_proof(token),
            again,
            lobby.Inquiry(self.invite.table, claim.seat, False),
        ]
        return [lobby.to_bytes(each) for each in messages]

    def _forged(self, payload: bytes) -> bytes:
        """The body of a message under a stranger's signature."""
        seat = Seat(payload[1] % 4)
        return sign(
            self.key, payload[-200:], purpose=Purpose.LEDGER, seat=seat, charter=bytes(32)
        ).to_bytes()

    def _sealed(self, payload: bytes) -> bytes:
        return self.seal.seal(payload, seat=secrets.randbelow(4), entropy=secrets.token_bytes)


@needs_mosquitto
async def test_a_stranger_with_the_table_key_disturbs_nothing(
    room: Room, broker: Mosquitto
) -> None:
    url = f"mqtt://127.0.0.1:{broker.port}"
    ends = ("--hands", "1", "--linger", "2")
    host = await room.run("south", "host", "--name", "Amara", "--broker", url, "--watch", *ends)
    *invites, watch = await host.invites(4)
    stranger = Stranger(Invite.parse(watch), broker)
    disturbing = asyncio.create_task(stranger.disturb())
    bots = [
        await room.run(f"bot{seat}", "bot", *ends, *AT_ONCE, typed=(invite,))
        for seat, invite in enumerate(invites)
    ]
    for bot in bots:
        bot.close_input()
    for process in (host, *bots):
        assert await process.ended() == 0, process.errors
        assert process.errors == ""
        assert not list(process.home.glob("tables/*/evidence*"))
    assert not disturbing.done()
    disturbing.cancel()
    kept = transcripts(host.home)
    assert played(host.home) == 1
    assert all(transcripts(bot.home) == kept for bot in bots)
    assert "Xavier" not in host.text
    assert "broke the protocol" not in host.text
    assert stranger.published > 2 * stranger.heard > 60
    assert {"Claim", "Board"} <= stranger.kinds


# --- table nodes ----------------------------------------------------------------------------------

# A table on two brokers that pass everything on to each other, one of which dies in the hand.
#
# Two mosquittos with a bridge are the smallest cluster; `make cluster` kills nodes of a real one.

BRIDGE = """\
connection other
address 127.0.0.1:{port}
topic p2p304/# both 0
notifications false
restart_timeout 1
"""


class Bridged:
    """The second passes on to the first, and back, whatever the tables' topics carry."""

    credentials = None

    def __init__(self, place: Path) -> None:
        first = free_port()
        self._nodes = (
            Mosquitto(place, port=first),
            Mosquitto(place, DEFAULT + BRIDGE.format(port=first)),
        )

    @property
    def urls(self) -> tuple[str, ...]:
        """One address a node."""
        return tuple(f"mqtt://127.0.0.1:{node.port}" for node in self._nodes)

    async def start(self) -> None:
        """Start both."""
        for node in self._nodes:
            await node.start()

    async def kill(self) -> None:
        """kill -9 of both."""
        for node in self._nodes:
            node.kill()

    async def strike(self, _: RealTable) -> None:
        """kill -9 of the first."""
        self._nodes[0].kill()


@needs_mosquitto
@pytest.mark.long  # others kill nodes, and brokers in a hand
async def test_a_node_dies_in_a_hand_and_its_seats_go_on_at_the_other(tmp_path: Path) -> None:
    """Two seats sit at each node; nobody is asked for anything."""
    nodes = Bridged(tmp_path)
    table, faults = await hand_with(tmp_path, 33, [(45, nodes.strike)], nodes=nodes, struck=0)
    assert faults == []
    assert table.published > 60


# --- table text -----------------------------------------------------------------------------------

# Four people at line terminals, in four processes over a real broker, to the end of a match.

NAMES = {"east": "Banu", "north": "Chandra", "west": "Dilini"}


@needs_mosquitto
async def test_four_people_play_a_match_of_304_over_mosquitto(tmp_path: Path) -> None:
    ends = ("--matches", "1", "--linger", "2")
    async with mosquitto(tmp_path) as broker, Room(tmp_path) as room:
        options = ("--broker", f"mqtt://127.0.0.1:{broker.port}", "--set", "tokens_start = 1")
        host = await room.run("south", "host", "--name", "Amara", *options, *ends)
        invites = await host.invites(3)
        people = [host]
        for (place, name), invite in zip(NAMES.items(), invites, strict=True):
            people.append(await room.run(place, "join", "--name", name, *ends, typed=(invite,)))
        for person in people:
            assert await person.ended() == 0, person.errors
            assert person.errors == ""
            await person.said("differs from pagat: tokens_start is 1, not 11")
        prints = {(await person.said(r"fingerprint.*: (\S+)"))[1] for person in people}
        for person in people:
            await person.said("win the match")
            assert person.asked
    assert len(prints) == 1
    kept = [transcripts(person.home) for person in people]
    assert kept[0]
    assert all(each == kept[0] for each in kept)


# --- play alone -----------------------------------------------------------------------------------


ALONE = ("--plain", "--name", "Nimal", *LASTING)


def listening(process: TextProcess) -> list[int]:
    """The ports on which a program or one that it started waits for others."""
    whole = psutil.Process(process.process.pid)
    every = (whole, *whole.children(recursive=True))
    return [found.laddr.port for each in every for found in each.net_connections("inet")]


def alike(home: Path) -> bool:
    """Whether its bots kept what the player kept, which an audit finds valid."""
    kept = transcripts(home)
    bots = sorted(home.glob("tables/*/bot-*"))
    valid = all(audit_file(str(path)).valid for path in home.glob("tables/*/*-000*.p304"))
    return len(bots) == 3 and valid and all(transcripts(bot) == kept for bot in bots)


async def test_a_friend_watches_a_table_that_began_without_a_broker(room: Room) -> None:
    player = await room.run("south", "play", "--hands", "1", *ALONE, answers=False)
    shown = (await player.said("Your choice, such as (.+):")).group(1)
    assert listening(player) == []
    player.type("invites")
    (invite,) = await player.invites(1)
    assert len(listening(player)) > 0
    friend = await room.run("friend", "watch", "--plain", typed=(invite,))
    await friend.said("Hand 1: ")
    player.answers = True
    player.type(typed_for(shown))
    assert await player.ended() == 0, player.errors
    assert played(player.home) == 1
    assert alike(player.home)


async def test_a_friend_takes_the_seat_of_a_bot_by_the_code_though_another_never_came(
    room: Room,
) -> None:
    player = await room.run("south", "play", "--hands", "1", *ALONE, answers=False)
    shown = (await player.said("Your choice, such as (.+):")).group(1)
    player.type("invites")
    code = (await player.said("The code of this table: (.+)")).group(1)
    gone = await room.run("gone", "join", "--plain", "--name", "Gil", "--hands", "1", code)
    await gone.said("Which seat")
    gone.type("North")
    await player.said("The bot in North leaves when its turn comes")
    await gone.kill()
    # South may be asked more than once before North's turn comes.
    player.answers = True
    player.type(typed_for(shown))
    another = (await player.said("The code of this table: (.+)")).group(1)
    friend = await room.run("friend", "join", "--plain", "--name", "Fay", "--hands", "1", another)
    assert await friend.ended() == 0, friend.errors
    assert await player.ended() == 0, player.errors
    assert "Play under this charter? [y/n]" in player.text
    assert any(re.match("North  Fay", line) for line in player.lines)
    assert played(friend.home)
    assert transcripts(friend.home).items() <= transcripts(player.home).items()


@pytest.mark.parametrize("opened", [False, True], ids=["in memory", "at its broker"])
async def test_a_table_of_bots_is_gone_on_with_after_a_crash(room: Room, opened: bool) -> None:
    player = await room.run("south", "play", *ALONE, answers=False)
    await player.said("Your choice, such as (.+):")
    if opened:
        player.type("invites")
        await player.invites(1)
    await player.kill()
    back = await room.run("south", "resume", "--bot" if opened else "--plain", "--hands", "1")
    where = r"at mqtt://127\.0\.0\.1:\d+" if opened else "in this program alone"
    await back.said(rf"you are South, {where}\.")
    assert await back.ended() == 0, back.errors
    told = re.search(r"p2p304 audit [0-9a-f]{8}/\d+\n+Hand \d+:\n.*\nThe score now: ", back.text)
    assert bool(told) is opened  # a bot has read nothing
    assert played(back.home) == 1
    assert alike(back.home)


# --- demo -----------------------------------------------------------------------------------------

# A demonstration: a hand on one screen, and last lines that can be typed as they stand.


def shell(line: str, tmp_path: Path, path: str = "/usr/bin:/bin") -> str:
    """What a line says that is typed in the folder of the environment."""
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=Path(sys.prefix),
        env={"PATH": path, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_hand_fits_a_screen_and_what_to_type_next_works_as_it_stands(tmp_path: Path) -> None:
    told = shell("umask 0; bin/p2p304 demo --seed 7", tmp_path).splitlines()
    assert len(told) <= 24
    assert max(map(len, told[:-3])) <= 80
    assert sum(line.startswith("Trick ") for line in told) == 8
    audit, play = (line.strip() for line in told[-2:])
    assert shlex.split(play) == ["bin/p2p304", "play"]
    assert "Trick 8" in shell(audit, tmp_path)
    (kept,) = (path.parent for path in tmp_path.rglob("hand-1.p304"))
    assert not [each for each in (kept, *kept.rglob("*")) if each.stat().st_mode & 0o077]


@pytest.mark.parametrize(
    ("began", "path", "said"),
    [
        (".venv/bin/p2p304", "", ".venv/bin/p2p304"),
        ("{folder}/p2p304", "{folder}", "p2p304"),
        ("{folder}/p2p304", "/nowhere", "{folder}/p2p304"),
        ("a house/bin/p2p304", "", "'a house/bin/p2p304'"),
        ("/lib/cli/main.py", "", "p2p304"),
    ],
)
def test_the_program_is_called_as_the_shell_finds_it(
    began: str, path: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p2p304").write_text("")
    (tmp_path / "p2p304").chmod(0o755)
    monkeypatch.setenv("PATH", path.format(folder=tmp_path))
    monkeypatch.setattr(sys, "argv", [began.format(folder=tmp_path), "demo"])
    assert program_name() == said.format(folder=tmp_path)


def test_sentences_share_lines_and_tricks_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Paragraphs(30)
    for text in ("East bids 160.", "West passes.", "North passes.", "Trick 1: East plays a card."):
        screen.sentence(text)
    screen.line("p2p304 audit the-file-of-this-hand.p304")
    assert capsys.readouterr().out.splitlines() == [
        "East bids 160. West passes.", "North passes.", "Trick 1: East plays a card.",
        "p2p304 audit the-file-of-this-hand.p304"
    ]  # fmt: skip


# --- names of bots --------------------------------------------------------------------------------

# Bots have names of their own, however many they are and whatever people are called.


async def test_a_bot_takes_another_name_where_a_person_has_its_own(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        person = await room.run("person", "play", "--name", "Amara", "--hands", "1")
        await person.said(r"Amara 2")


def test_another_name_is_a_nickname_and_there_are_more_of_them_than_seats() -> None:
    names = list(other_names("x" * MAX_NAME))
    assert len(set(names)) == MAX_SEATS + 1
    for name in names:
        check_nickname(name)
