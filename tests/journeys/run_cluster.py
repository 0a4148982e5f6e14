"""Kills a node of a three-node RabbitMQ cluster at ten seeded points of a hand; it must go on.

`make cluster` runs it; `python -m tests.journeys.run_cluster --points 3 --seed N --tls` less,
others and with TLS. Each hand has four bots in four processes on different nodes, which know the
addresses of all three. The table names each death, how many seats the nodes let in again, the
longest silence from then on, and what came of the hand. The status is 1 if anything was not as it
must be (see `real_table`). Without RabbitMQ it says so and ends with 0.
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
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from deploy.rabbitmq.cluster import NODES, Cluster, server
from tests.campaigns.faults.real_table import LAST, RealTable, hand_with
from tests.campaigns.frame import say
from tests.journeys.running_brokers import make_certificates

CLIENTS = 5  #: Four seats, and the one who counts.


class Death(NamedTuple):
    """A node dies, or hangs as a machine without power does, whose connections stay open and say
    nothing, once so many messages were published."""

    node: int
    published: int
    hangs: bool = False

    def __str__(self) -> str:
        return f"node {self.node + 1} {'hangs ' * self.hangs}at message {self.published}"


@dataclass
class Nodes:
    """The running cluster, as a table's broker. What was struck is started again after the hand."""

    cluster: Cluster
    down: set[int] = field(default_factory=set)
    accepted: int = 0  #: How many clients had been let in when the hand began.

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

    async def strike(self, death: Death) -> None:
        """Kill or pause the node."""
        if death.hangs:
            self.cluster.pause_node(death.node)
        else:
            await asyncio.to_thread(self.cluster.kill_node, death.node)
        self.down.add(death.node)

    def let_in(self) -> int:
        """How many connections were made since the hand began."""
        return self._accepted() - self.accepted

    def _accepted(self) -> int:
        return sum(self.cluster.accepted(node) for node in range(NODES))


def deaths_of(seed: int, points: int, pauses: int) -> list[Death]:
    """The deaths of a campaign: each in another part of the hand, the nodes in turn."""
    chance = random.Random(seed)
    parts = [1 + int((part + chance.random()) * LAST / points) for part in range(points)]
    chance.shuffle(parts)
    return [
        Death(number % NODES, part, number >= points - pauses) for number, part in enumerate(parts)
    ]


class Played(NamedTuple):
    """What became of a hand."""

    seconds: float
    silence: float  #: The longest time without a new message from the death on, in seconds.
    published: int
    faults: list[str]


async def hand(place: Path, nodes: Nodes, seed: int, *deaths: Death) -> Played:
    """A hand in which these deaths happen."""
    began = last = time.monotonic()

    async def strike(_: RealTable) -> None:
        nonlocal last
        await nodes.strike(deaths[0])
        last = time.monotonic()

    place.mkdir()
    deeds = [(death.published, strike) for death in deaths]
    struck = deaths[0].node if deaths else None
    table, faults = await hand_with(place, seed, deeds, nodes=nodes, struck=struck)
    heard = [last, *(each for each in table.heard if each > last)]
    silence = max((later - sooner for sooner, later in pairwise(heard)), default=0.0)
    return Played(time.monotonic() - began, silence, table.published, faults)


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
    played: list[Played] = []
    calm = asyncio.run(hand(place / "0", nodes, arguments.seed))
    say(f"  -  nobody dies                   hand {calm.seconds:5.1f} s  {calm.faults or ''}")
    deaths = deaths_of(arguments.seed, arguments.points, arguments.pauses)
    for number, death in enumerate(deaths, start=1):
        if time.monotonic() - began > arguments.minutes * 60:
            say("the time is up")
            break
        found = asyncio.run(hand(place / f"{number}", nodes, arguments.seed + number, death))
        played.append(found)
        say(
            f"{number:>3}  {death!s:<28}  {'LOST' if found.faults else 'survived':<8}"
            f"  hand {found.seconds:5.1f} s  silence {found.silence:4.1f} s"
            f"  {nodes.let_in() - CLIENTS} moved  {found.published} messages"
        )
        for fault in found.faults:
            say(f"       {fault}")
    survived = sum(not each.faults for each in played)
    say(f"{survived} of {len(played)} hands survived")
    for name, figures in (
        ("a hand", [each.seconds for each in played]),
        ("silence", [each.silence for each in played]),
    ):
        say(
            f"{name}: {min(figures):.1f} to {max(figures):.1f} s, half of them up to"
            f" {median(figures):.1f} s"
        )
    return len(deaths) - survived + bool(calm.faults)


if __name__ == "__main__":
    sys.exit(main())
