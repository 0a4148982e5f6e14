"""Codes that the local network is told of and asked for: here this machine alone is the network."""

from __future__ import annotations

import asyncio

import pytest
from zeroconf import DNSOutgoing, DNSPointer
from zeroconf.asyncio import AsyncZeroconf

from cli.net.address import BrokerAddress
from cli.net.nearby import NEARBY_VARIABLE, NearbyError, can_be_told, found, numbers, told

HERE = "127.0.0.1"
SOON = 0.3
TYPE = "_p2p304._tcp.local."
PTR, IN, RESPONSE = 12, 1, 0x8400
"""Numbers of DNS: a record that points to a name, its class, the flags of an answer."""


async def test_what_is_told_is_found_as_long_as_it_is_told() -> None:
    async with told(901, HERE, 4_321) as can:
        assert can
        assert await found(901, within=30) == (BrokerAddress.parse(f"mqtt://{HERE}:4321"),)
        assert await found(902, within=SOON) == ()
    assert await found(901, within=SOON) == ()


async def test_tables_that_have_one_number_are_all_found_and_the_number_is_known_as_taken() -> None:
    async with told(906, HERE, 4_321), told(906, HERE, 4_322), told(907, HERE, 4_323):
        where = {each.format() for each in await found(906, within=30)}
        assert where == {f"mqtt://{HERE}:{port}" for port in (4_321, 4_322)}
        assert {906, 907} <= await numbers(within=2.0)


async def test_an_address_beyond_the_local_network_is_not_taken() -> None:
    for far in ("1.2.3.4", "10.254.3.4", "169.254.77.7"):
        async with told(903, far, 1_883):
            assert await found(903, within=SOON) == ()
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
        async with told(908, HERE, 4_321):
            lying = asyncio.create_task(announced())
            assert await found(908, within=30) == (BrokerAddress.parse(f"mqtt://{HERE}:4321"),)
            lying.cancel()
    finally:
        await everybody.async_close()


async def test_nothing_is_told_where_no_address_may_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NEARBY_VARIABLE, "192.168.1.20")
    async with told(904, HERE, 4_321) as can:
        assert not can


@pytest.mark.parametrize("named", ["eth0", "::1", "127.0.0.1, 300.1.1.1"])
async def test_what_is_no_address_of_this_machine_is_told(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NEARBY_VARIABLE, named)
    with pytest.raises(NearbyError, match="with commas"):
        await found(905, within=SOON)
