"""Tables that are joined by a code: by friends, at a public broker, and where there is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.net import public
from cli.net.nearby import NEARBY_VARIABLE, told
from tests.journeys.running_brokers import (
    Mosquitto,
    free_port,
    needs_mosquitto,
)
from tests.journeys.text_processes import Room

CODE = re.compile(r"code of this table: (\d+-[a-z]+-[a-z]+)")


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
