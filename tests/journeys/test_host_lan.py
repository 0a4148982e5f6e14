"""`host --lan`: which address of this machine the others reach."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import socket
from collections.abc import AsyncIterator

import pytest

from cli.commands.meeting_at import ANY, lan_address
from cli.errors import UserError
from cli.lines.console import Console
from cli.net.interfaces import OwnAddress, own_addresses

HOME = OwnAddress("192.168.1.20", "wlan0")
WORK = OwnAddress("10.0.0.7", "")


@pytest.fixture
async def terminal() -> AsyncIterator[tuple[int, Console, io.StringIO]]:
    """A terminal that somebody types at, the console at it, and what the console says."""
    typist, ours = pty.openpty()
    said = io.StringIO()
    console = Console(descriptor=ours, output=said)
    yield typist, console, said
    os.close(typist)
    await console.has_ended(within=60)  # or its reader takes what the next test types
    os.close(ours)


@pytest.fixture
def pipe() -> Console:
    return Console(descriptor=os.open(os.devnull, os.O_RDONLY), output=io.StringIO())


async def chosen_by(terminal: tuple[int, Console, io.StringIO], typed: str) -> str:
    """What comes of the answer that is typed when the question is there."""
    typist, console, said = terminal
    choosing = asyncio.create_task(lan_address(ANY, (HOME, WORK), console))
    async with asyncio.timeout(60):
        while "do the others reach?" not in said.getvalue():
            await asyncio.sleep(0.01)
        os.write(typist, f"{typed}\n".encode())
        return await choosing


def test_every_address_of_this_machine_that_is_listed_can_be_listened_at() -> None:
    for each in own_addresses():
        assert not each.address.startswith("127.")
        with socket.socket() as probe:
            probe.bind((each.address, 0))


async def test_an_address_that_is_named_is_taken_as_it_is(pipe: Console) -> None:
    assert await lan_address("fe80::1", (HOME, WORK), pipe) == "fe80::1"


async def test_the_only_address_is_taken_and_said(
    terminal: tuple[int, Console, io.StringIO],
) -> None:
    _, console, said = terminal
    assert await lan_address(ANY, (HOME,), console) == "192.168.1.20"
    assert "192.168.1.20 (wlan0)" in said.getvalue()


@pytest.mark.parametrize(
    ("typed", "chosen"), [("", HOME), ("2", WORK), ("10.0.0.7", WORK), (" 1 ", HOME)]
)
async def test_of_several_the_one_that_is_typed_is_taken(
    terminal: tuple[int, Console, io.StringIO], typed: str, chosen: OwnAddress
) -> None:
    _, _, said = terminal
    assert await chosen_by(terminal, typed) == chosen.address
    assert "1  192.168.1.20 (wlan0)" in said.getvalue()
    assert "2  10.0.0.7" in said.getvalue()


async def test_what_is_none_of_them_is_told(terminal: tuple[int, Console, io.StringIO]) -> None:
    with pytest.raises(UserError, match="a number from 1 to 2"):
        await chosen_by(terminal, "3")


async def test_where_nobody_types_they_are_listed(pipe: Console) -> None:
    with pytest.raises(UserError, match=r"192\.168\.1\.20 \(wlan0\), 10\.0\.0\.7; name the one"):
        await lan_address(ANY, (HOME, WORK), pipe)
    with pytest.raises(UserError, match="no address in a network"):
        await lan_address(ANY, (), pipe)
