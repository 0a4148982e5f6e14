"""A table on two brokers that pass everything on to each other, one of which dies in the hand.

Two mosquittos with a bridge are the smallest cluster; `make cluster` kills nodes of a real one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns.faults.real_table import RealTable, hand_with
from tests.journeys.running_brokers import DEFAULT, Mosquitto, free_port, needs_mosquitto

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
@pytest.mark.long  # `test_transport_nodes` kills nodes, `test_table_resume` brokers in a hand
async def test_a_node_dies_in_a_hand_and_its_seats_go_on_at_the_other(tmp_path: Path) -> None:
    """Two seats sit at each node; nobody is asked for anything."""
    nodes = Bridged(tmp_path)
    table, faults = await hand_with(tmp_path, 33, [(45, nodes.strike)], nodes=nodes, struck=0)
    assert faults == []
    assert table.published > 60
