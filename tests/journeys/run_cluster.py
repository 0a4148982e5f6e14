"""Kills a node of a three-node RabbitMQ cluster at ten seeded points of a hand; it must go on.

`make cluster` runs it; `python -m tests.journeys.run_cluster --points 3 --seed N --tls` less,
others and with TLS. Each hand has four bots in four processes on different nodes, which know the
addresses of all three. The table names each death, how many seats the nodes let in again, the
longest silence from then on, and what came of the hand. The status is 1 if anything was not as it
must be (see `mortal_tables`). Without RabbitMQ it says so and ends with 0.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from deploy.rabbitmq.cluster import NODES, Cluster, server
from tests.journeys.mortal_tables import MortalTable, Report, hand_with, say, spread, told
from tests.journeys.running_brokers import make_certificates
from tests.journeys.table_brokers import NodeKilled, NodePaused

LAST = 85
"""Messages that every hand has."""

WITHIN = 150.0
"""Seconds for a hand; a loaded machine is slow."""

CLIENTS = 5
"""Four seats, and the one who counts."""


@dataclass
class Nodes:
    """The running cluster, as a table's broker. What was struck is started again after the hand."""

    cluster: Cluster
    down: set[int] = field(default_factory=set)
    accepted: int = 0
    """How many clients had been let in when the node was struck."""

    @property
    def urls(self) -> tuple[str, ...]:
        """One address a node."""
        return self.cluster.urls

    @property
    def credentials(self) -> Path:
        """The user of the tables."""
        return self.cluster.credentials

    async def start(self) -> None:
        """It runs already: count from here."""
        self.accepted = self._accepted()

    async def kill(self) -> None:
        """The whole cluster outlives a hand; the struck node comes back."""
        for node in sorted(self.down):
            await asyncio.to_thread(self.cluster.kill_node, node)
            await asyncio.to_thread(self.cluster.start_node, node)
        self.down.clear()

    async def strike(self, death: NodeKilled) -> None:
        """Kill or pause the node."""
        if isinstance(death, NodePaused):
            self.cluster.pause_node(death.node)
        else:
            await asyncio.to_thread(self.cluster.kill_node, death.node)
        self.down.add(death.node)

    def let_in(self) -> int:
        """How many connections were made since the hand began."""
        return self._accepted() - self.accepted

    def _accepted(self) -> int:
        return sum(self.cluster.accepted(node) for node in range(NODES))


def deaths_of(seed: int, points: int, pauses: int) -> list[NodeKilled]:
    """The deaths of a campaign: each in another part of the hand, the nodes in turn."""
    parts = spread(random.Random(seed), points, LAST)
    return [
        (NodePaused if number >= points - pauses else NodeKilled)(number % NODES, part)
        for number, part in enumerate(parts)
    ]


def main() -> int:
    """Run the campaign; 1 if a hand did not survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10, help="in how many hands a node dies")
    parser.add_argument("--pauses", type=int, default=0, help="in how many of them it hangs")
    parser.add_argument("--seed", type=int, default=304, help="which points and cards")
    parser.add_argument("--minutes", type=float, default=12.0, help="begin no hand after so many")
    parser.add_argument("--tls", action="store_true", help="speak TLS with the nodes")
    arguments = parser.parse_args()
    if server() is None:
        say("rabbitmq-server is not installed (apt-get install rabbitmq-server): nothing was run")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the nodes end with us
    place = Path(tempfile.mkdtemp(prefix="p2p304-cluster-"))
    try:
        certificates = None
        if arguments.tls:
            certificates = place / "certificates"
            certificates.mkdir()
            make_certificates(certificates)
        with Cluster(certificates=certificates) as cluster:
            lost = campaign(arguments, place, Nodes(cluster))
    finally:
        shutil.rmtree(place)
    return 1 if lost else 0


def campaign(arguments: argparse.Namespace, place: Path, nodes: Nodes) -> int:
    """All hands; how many were lost or not begun."""
    began = time.monotonic()
    reports: list[Report] = []
    calm = asyncio.run(MortalTable(place, nodes, seed=arguments.seed).play((), within=WITHIN))
    say(f"  -  nobody dies                   hand {calm.seconds:5.1f} s  {calm.faults or ''}")
    deaths = deaths_of(arguments.seed, arguments.points, arguments.pauses)
    for number, death in enumerate(deaths, start=1):
        if time.monotonic() - began > arguments.minutes * 60:
            say("the time is up")
            break
        hand = place / f"{number}"
        hand.mkdir()
        seed = arguments.seed + number
        played = hand_with(hand, lambda _: nodes, (death,), seed=seed, within=WITHIN)
        report = asyncio.run(played)
        reports.append(report)
        came = "survived" if not report.faults else "LOST"
        say(
            f"{number:>3}  {death!s:<28}  {came:<8}  hand {report.seconds:5.1f} s"
            f"  silence {report.silence:4.1f} s  {nodes.let_in() - CLIENTS} moved"
            f"  {report.published} messages"
        )
        for fault in report.faults:
            say(f"       {fault}")
    survived = sum(not each.faults for each in reports)
    silences = sorted(each.silence for each in reports)
    say(
        f"{told(reports)}; silence {silences[0]:.1f} to {silences[-1]:.1f} s, half of them up to"
        f" {median(silences):.1f} s"
    )
    return len(deaths) - survived + bool(calm.faults)


if __name__ == "__main__":
    sys.exit(main())
