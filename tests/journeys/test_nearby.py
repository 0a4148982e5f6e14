"""The local network: codes that it is told of, and which address of this machine it reaches."""

from __future__ import annotations

import asyncio
import io
import os
import pty
from collections.abc import AsyncIterator

import pytest
from zeroconf import DNSOutgoing, DNSPointer
from zeroconf.asyncio import AsyncZeroconf

from cli.commands.meeting_at import ANY, lan_address
from cli.errors import UserError
from cli.lines.console import Console
from cli.net.address import BrokerAddress
from cli.net.interfaces import OwnAddress
from cli.net.nearby import (
    NEARBY_VARIABLE,
    NearbyError,
    announce,
    can_be_told,
    find_brokers,
    numbers,
)

HERE = "127.0.0.1"
SOON = 0.3
TYPE = "_p2p304._tcp.local."
PTR, IN, RESPONSE = 12, 1, 0x8400
"""Numbers of DNS: a record that points to a name, its class, the flags of an answer."""


async def test_what_is_told_is_found_as_long_as_it_is_told() -> None:
    async with announce(901, HERE, 4_321) as can:
        assert can
        assert await find_brokers(901, within=30) == (BrokerAddress.parse(f"mqtt://{HERE}:4321"),)
        assert await find_brokers(902, within=SOON) == ()
    assert await find_brokers(901, within=SOON) == ()


async def test_tables_that_have_one_number_are_all_found_and_the_number_is_known_as_taken() -> None:
    async with (
        asyncio.timeout(300),
        announce(906, HERE, 4_321),
        announce(906, HERE, 4_322),
        announce(907, HERE, 4_323),
    ):
        both = {f"mqtt://{HERE}:{port}" for port in (4_321, 4_322)}
        while {each.format() for each in await find_brokers(906, within=30)} != both:
            pass  # it asks again
        while not {906, 907} <= await numbers(within=2.0):
            pass  # it asks again


async def test_an_address_beyond_the_local_network_is_not_taken() -> None:
    for far in ("1.2.3.4", "10.254.3.4", "169.254.77.7"):
        async with announce(903, far, 1_883):
            assert await find_brokers(903, within=SOON) == ()
    assert not can_be_told("8.8.8.8")
    assert not can_be_told("::1")
    assert not can_be_told("localhost")
    assert can_be_told("192.168.1.20")


@pytest.mark.parametrize("name", ["908-a.example.com.", f"908-\x1b[2J.{TYPE}"])
async def test_a_name_that_no_table_has_is_passed_over(name: str) -> None:
    everybody = AsyncZeroconf(interfaces=[HERE])
    pointer = DNSPointer(TYPE, PTR, IN, 120, name)

    async def announced() -> None:
        while True:
            lie = DNSOutgoing(RESPONSE)
            lie.add_answer_at_time(pointer, 0)
            everybody.zeroconf.async_send(lie)
            await asyncio.sleep(0.1)

    try:
        async with announce(908, HERE, 4_321):
            lying = asyncio.create_task(announced())
            assert await find_brokers(908, within=30) == (
                BrokerAddress.parse(f"mqtt://{HERE}:4321"),
            )
            lying.cancel()
    finally:
        await everybody.async_close()


@pytest.mark.parametrize("named", ["eth0", "::1", "127.0.0.1, 300.1.1.1"])
async def test_what_is_no_address_of_this_machine_is_told(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NEARBY_VARIABLE, named)
    with pytest.raises(NearbyError, match="with commas"):
        await find_brokers(905, within=SOON)


# --- an address of this machine -------------------------------------------------------------------


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


async def test_nothing_is_told_where_no_address_may_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NEARBY_VARIABLE, "192.168.1.20")
    async with announce(904, HERE, 4_321) as can:
        assert not can


async def test_an_address_that_is_named_is_taken_as_it_is(pipe: Console) -> None:
    assert await lan_address("fe80::1", (HOME, WORK), pipe) == "fe80::1"
