"""Codes that the local network is told of and asked for: here this machine alone is the network."""

from __future__ import annotations

import pytest

from cli.net.address import BrokerAddress
from cli.net.nearby import NEARBY_VARIABLE, NearbyError, can_be_told, found, told

HERE = "127.0.0.1"
SOON = 0.3


async def test_what_is_told_is_found_as_long_as_it_is_told() -> None:
    async with told(901, HERE, 4_321) as can:
        assert can
        assert await found(901, within=30) == BrokerAddress.parse(f"mqtt://{HERE}:4321")
        assert await found(902, within=SOON) is None
    assert await found(901, within=SOON) is None


async def test_an_address_beyond_the_local_network_is_not_taken() -> None:
    async with told(903, "1.2.3.4", 1_883):
        assert await found(903, within=SOON) is None
    assert not can_be_told("8.8.8.8")
    assert not can_be_told("::1")
    assert not can_be_told("localhost")
    assert can_be_told("192.168.1.20")


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
