"""As many hands as were asked for are played, however many deals are refused before."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.auditing import audit_file
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.seat.bot_processes import BotProcesses, whole_table
from cli.seat.sitting import new_table
from protocol.cards.secrets import SEED_BYTES, expand

REFUSED_FIRST = 18
"""A seed with which weak cards are rejected before a hand is played, under these rules."""


@pytest.mark.long  # `tests/client/test_goal.py` counts such hands in memory
async def test_one_hand_is_played_although_deals_are_refused(tmp_path: Path) -> None:
    entropy = expand(REFUSED_FIRST.to_bytes(32, "big"), b"demo")
    chance = tuple(entropy(SEED_BYTES) for _ in range(4))
    homes = tuple(tmp_path / f"{seat}" for seat in range(4))
    async with EmbeddedBroker() as broker:
        address = BrokerAddress.parse(f"mqtt://127.0.0.1:{broker.port}")
        table = new_table(address, "304", "pagat; redeal_below = 30", entropy)
        async with BotProcesses(4) as bots:
            await bots.start(*whole_table(table, homes, (("--hands", "1"),) * 4, chance))
            told = [line async for line in bots.lines()]
            await bots.finished(120.0)
    files = [sorted(home.glob("tables/*/*.p304")) for home in homes]
    played = []
    for path in files[0]:
        audit = audit_file(str(path))
        assert audit.report is not None
        assert audit.valid
        (hand,) = audit.report.hands
        assert hand.outcome is not None
        played.append(hand.outcome.played)
    assert played == [False, False, True]
    contents = [[path.read_bytes() for path in each] for each in files]
    assert all(each == contents[0] for each in contents)
    assert sum(line.startswith("Hand ") for line in told) == len(played)
