"""Tables that are joined by a code: typed with slips, guessed by strangers, at a public broker."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cli.code import draw_code
from cli.net import public
from cli.net.address import BrokerAddress
from cli.net.credentials import NO_CREDENTIALS
from cli.net.mqtt import MqttVersion
from cli.net.nearby import NEARBY_VARIABLE, told
from cli.seat.code_joiner import CodeDead, WrongCode, invite_by
from cli.seat.code_topic import transport_to
from p2p304.seats import Seat
from protocol.wire.code import Code
from protocol.wire.code_messages import (
    Find,
    Guess,
    Here,
    Knock,
    Offer,
    Welcome,
    from_frame,
    to_frame,
)
from tests.journeys.running_brokers import (
    Mosquitto,
    free_port,
    mosquitto,
    needs_mosquitto,
)
from tests.journeys.terminals import Terminal, needs_tmux
from tests.journeys.text_processes import Room

CODE = re.compile(r"code of this table: (\d+-[a-z]+-[a-z]+)")
MEETS = re.compile(r"it meets at (\S+)\.")


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as there:
        yield there


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with mosquitto(tmp_path) as running:
        yield running


def wrong_codes(right: str, count: int) -> list[Code]:
    """So many other codes of the same number."""
    number = int(right.split("-")[0])
    found = {draw_code(number) for _ in range(2 * count)}
    return [each for each in found if each.format() != right][:count]


async def first_free(welcome: Welcome) -> Seat:
    return welcome.free[0]


async def guess(code: Code, address: str) -> None:
    await invite_by(
        code,
        [(BrokerAddress.parse(address),)],
        first_free,
        credentials=NO_CREDENTIALS,
        version=MqttVersion.MQTT_3_1_1,
    )


async def guess_a_thousand(right: str, address: str) -> int:
    """Guess until the code is dead, and knock for the rest; how many guesses were judged."""
    judged = 0
    codes = wrong_codes(right, 1_000)
    for tried in codes:
        try:
            await guess(tried, address)
        except WrongCode:
            judged += 1
        except CodeDead:
            break
    judged += 1  # the fifth kills it, and says so
    assert judged <= 5
    number = codes[0].number
    node = (BrokerAddress.parse(address),)
    transport = transport_to(node, number, NO_CREDENTIALS, MqttVersion.MQTT_3_1_1)
    async with transport:
        asker = secrets.token_bytes(16)
        await transport.send(to_frame(Find(number, asker)))
        here = from_frame(await anext(transport.received()))
        assert isinstance(here, Here)
        for _ in range(1_000 - judged):
            await transport.send(to_frame(Knock(number, here.host, secrets.token_bytes(16))))
        await transport.send(to_frame(Find(number, asker)))
        await asyncio.sleep(0)
        heard = 0
        async with asyncio.timeout(120):
            async for frame in transport.received():
                assert not isinstance(from_frame(frame), Offer | Guess)
                heard += 1
                if heard == 20:  # as many as are answered in a second
                    return judged
    raise AssertionError("the connection was closed")


@needs_tmux
def test_a_friend_slips_a_stranger_guesses_a_thousand_times_and_the_host_makes_a_new_code(
    tmp_path: Path,
) -> None:
    host = Terminal(tmp_path / "host", "host --bots 2 --name Amara", rows=40, columns=100)
    guest = Terminal(tmp_path / "guest", "join --name Banu", rows=40, columns=100)
    try:
        shown = host.until_shows("within ten minutes")
        code, address = _found(CODE, shown), _found(MEETS, shown)
        assert "P2P304-" not in shown
        guest.until_shows("the invite:")
        wrong = next(each for each in wrong_codes(code, 9) if each.words[0] != code.split("-")[1])
        guest.type(f"{code[:-1]}q")  # no word at all: nothing is sent, and no guess is lost
        guest.press("Enter")
        guest.until_shows("is none that a code has")
        guest.type(wrong.format())
        guest.press("Enter")
        guest.until_shows("is not right; 4 more wrong ones")
        host.until_shows("a wrong code; 4 more")
        assert asyncio.run(guess_a_thousand(code, address)) == 4
        host.until_shows("Five wrong codes were typed")
        guest.type(code)
        guest.press("Enter")
        guest.until_shows("lets nobody in any more")
        host.type("c")
        host.press("Enter")
        host.until(lambda text: len(CODE.findall(text)) == 2)
        new = CODE.findall(host.text())[-1]
        number, first, second = new.split("-")
        guest.type(f"{number}-{first[:3]}")
        guest.press("Tab")
        guest.until_shows(f"{number}-{first}-")
        guest.type(second[:3])
        guest.press("Enter")
        guest.until_shows("Do you agree")
        assert "Banu (you)" in guest.text()
        host.until_shows("Do you agree")
    finally:
        guest.close()
        host.close()


def _found(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    assert found is not None, text
    return found[1]


async def test_three_friends_come_by_one_code_and_choose_their_seats(
    room: Room, tmp_path: Path
) -> None:
    logs = [tmp_path / f"{name}.log" for name in ("host", "Banu", "Chandra")]
    host = await room.run("south", "host", "--name", "Amara", "--log", str(logs[0]), answers=False)
    invites = await host.invites(3)
    assert len(set(invites)) == 3
    code = (await host.said(CODE.pattern))[1]
    friends = [
        await room.run(
            log.stem,
            "join",
            code,
            "--name",
            log.stem,
            "--log",
            str(log),
            answers=False,
            typed=("north",),
        )
        for log in logs[1:]
    ]
    third = await room.run("Dilini", "join", "--name", "Dilini", answers=False, typed=(code,))
    for friend in friends:
        await friend.said("Partners sit opposite each other. Together: North-South; East-West")
        await friend.said("Which seat")
    third.type("")
    for friend in friends:  # whoever wished for North second is asked again
        friend.type("")
    in_north = set()
    for friend in (*friends, third):
        await friend.said("You sit down at mqtt://127.0.0.1:")
        await friend.said("The charter's fingerprint")
        in_north.add((await friend.said(r"^ *North  (\w+)"))[1])
    assert len(in_north) == 1
    assert in_north <= {"Banu", "Chandra"}
    for log in logs:
        logged = log.read_text("utf-8")
        assert "p2p304" in logged
        assert [word for word in code.split("-")[1:] if word in logged] == []


@needs_mosquitto
async def test_a_public_broker_is_chosen_from_the_list_and_friends_find_the_code_there(
    room: Room, broker: Mosquitto
) -> None:
    live, dead = f"mqtt://127.0.0.1:{broker.port}", f"mqtt://127.0.0.1:{free_port()}"
    for name in ("south", "north"):
        home = room.home(name)
        home.mkdir(mode=0o700)
        (home / public.FILE_NAME).write_text(f"# mine\n{dead}\n{live}\n")
    host = await room.run("south", "host", "--public", "--bots", "2", "--name", "Amara")
    await host.said(rf"{live}: \d+ ms")
    await host.said(rf"{dead}: no\. ")
    await host.said("other people's free service.*It sees from where")
    code = (await host.said(CODE.pattern))[1]
    friend = await room.run("north", "join", code, "--name", "Banu")
    await friend.said(r"It is not there\. Looking at 127\.0\.0\.1")
    await friend.said(f"You sit down at {live}")
    await friend.said("The charter's fingerprint")


async def test_who_reaches_no_broker_is_told_why_and_how_to_name_the_host_s_own(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the one that tells the local network of the number, nor any of the list."""
    monkeypatch.setenv(NEARBY_VARIABLE, "127.0.0.1")
    near, dead = free_port(), free_port()
    home = room.home("north")
    home.mkdir(mode=0o700)
    (home / public.FILE_NAME).write_text(f"mqtt://127.0.0.1:{dead}\n")
    async with told(906, "127.0.0.1", near) as can:
        assert can
        friend = await room.run("north", "join", "906-zebra-lantern", "--name", "Banu")
        await friend.said(rf"127\.0\.0\.1:{near}")
        await friend.said("It is not there")
        assert await friend.ended() == 2
    assert f"127.0.0.1:{dead}" in friend.errors
    assert "If the host has a broker of its own, add --broker and its address." in friend.errors
