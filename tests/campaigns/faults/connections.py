"""Hands over connections that do not last, at a table of four bots in processes."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Final

from tests.campaigns.faults.real_table import RealTable
from tests.campaigns.faults.results import Result
from tests.campaigns.faults.rough_way import Roughness

WAYS: Final = {
    "cut after 1 to 3 s": Roughness(life=(1.0, 3.0)),
    "100 ms, cut after 2 to 6 s, 0.5 % corrupt, stalls of 3 s": Roughness(
        delay=0.1, life=(2.0, 6.0), corrupt=0.005, stalls=0.5, stall=3.0
    ),
}
LONGEST: Final = 600.0
"""Seconds for a hand: what hangs ends here, and what is slow does not."""


def on_rough_ways(place: Path, seed: int, kind: str) -> Result:
    """A hand of four seats whose connections all end early."""
    return asyncio.run(_on_rough_ways(place, seed, kind))


async def _on_rough_ways(place: Path, seed: int, kind: str) -> Result:
    table = RealTable(place, seed, rough=WAYS[kind])
    began = time.monotonic()
    async with table.running():
        await table.end(within=LONGEST)
        took = time.monotonic() - began
    faults = table.faults()
    assert table.way is not None
    told = f"{kind}: {table.way.connections} connections, {took:.0f} s"
    return Result.of(faults, told)
