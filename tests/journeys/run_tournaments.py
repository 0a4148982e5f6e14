"""Plays tournaments of bots to their champions, and measures what their tables ask of a broker.

`make tournaments` runs it: `python -m tests.journeys.run_tournaments --teams 2 3 5 8 20 32` over a
mosquitto, and `--cluster` over the three-node RabbitMQ cluster of deploy/, of which a node is
killed in each round. `--load 1 4 8 16` plays that many tables at once, each with a spectator, and
samples the broker: connections, messages and bytes a second, memory. Races are to `--race` tokens.
The status is 1 if a transcript is invalid, a standing differs, or a tournament does not end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from cli.children import environment, own_program
from deploy.rabbitmq.cluster import NODES, Cluster, server
from tests.journeys.running_brokers import mosquitto

WITHIN = 3_600.0
"""Seconds for one tournament."""
EVERY = 1.0
_BEGUN = re.compile(r"Match (\d+):")


def say(line: str) -> None:
    """A line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def tournament(
    *options: str, begun: Callable[[int], None] = lambda _: None
) -> dict[str, Any] | str:
    """Play one with these options; return what it reports, or what went wrong."""
    process = await asyncio.create_subprocess_exec(
        *own_program("tournament", "bots", "--json", *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []

    async def listen() -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            text = line.decode("utf-8", "replace").rstrip()
            found = _BEGUN.match(text)
            if found is not None:
                begun(int(found[1]))
            else:
                said.append(text)

    try:
        async with asyncio.timeout(WITHIN):
            heard = asyncio.create_task(listen())
            output = await process.stdout.read()
            await process.wait()
            await heard
    except TimeoutError:
        return f"it did not end in {WITHIN:.0f} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if not output:
        return "\n".join(said[-5:])
    found = json.loads(output)
    return found if process.returncode == 0 else f"{found} {said[-3:]}"


@dataclass
class Load:
    """What a broker bore, sampled every second."""

    process: psutil.Process
    connections: list[int] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    async def run(self) -> None:
        """Sample until cancelled."""
        self.process.cpu_percent()
        while True:
            await asyncio.sleep(EVERY)
            there = [
                each
                for each in self.process.net_connections("tcp")
                if each.status == psutil.CONN_ESTABLISHED
            ]
            self.connections.append(len(there))
            self.memory.append(self.process.memory_info().rss)
            self.cpu.append(self.process.cpu_percent())


@asynccontextmanager
async def counted(port: int) -> AsyncIterator[dict[str, int]]:
    """Count what one more subscriber of everything is sent: messages and bytes, of all tables."""
    from aiomqtt import Client  # the campaign alone speaks MQTT by itself

    found = {"messages": 0, "bytes": 0}

    async def listen() -> None:
        async with Client("127.0.0.1", port) as client:
            await client.subscribe("#")
            async for message in client.messages:
                found["messages"] += 1
                found["bytes"] += len(bytes(message.payload))  # type: ignore[arg-type]

    listening = asyncio.create_task(listen())
    try:
        yield found
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def load_of(tables: int, race: int, place: Path) -> dict[str, Any]:
    """Measure so many tables at once, each with a spectator."""
    async with mosquitto(place) as broker, counted(broker.port) as published:
        process = next(
            each
            for each in psutil.Process().children(recursive=True)
            if any(one.laddr.port == broker.port for one in each.net_connections("tcp"))
        )
        load = Load(process)
        sampling = asyncio.create_task(load.run())
        began = time.monotonic()
        found = await tournament(
            "--teams", f"{2 * tables}", "--races", f"{race}", "--third", "none",
            "--spectators", "1", "--at-once", f"{tables}",
            "--broker", f"mqtt://127.0.0.1:{broker.port}",
        )  # fmt: skip
        seconds = time.monotonic() - began
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)
    if isinstance(found, str):
        return {"tables": tables, "failed": found}
    return {
        "tables": tables,
        "hands": found["hands"],
        "seconds": round(seconds, 1),
        "connections": max(load.connections),
        "published_a_hand": round(published["messages"] / found["hands"]),
        "bytes_a_hand": round(published["bytes"] / found["hands"]),
        "published_a_second": round(published["messages"] / seconds, 1),
        "bytes_a_second": round(published["bytes"] / seconds),
        "broker_mib": round(max(load.memory) / 2**20, 1),
        "broker_cpu": round(max(load.cpu), 1),
    }


async def over_mosquitto(teams: int, race: int, place: Path) -> dict[str, Any] | str:
    """Play a tournament over one mosquitto."""
    async with mosquitto(place) as broker:
        return await tournament(
            "--teams", f"{teams}", "--races", f"{race}", "--third", f"{race}",
            "--broker", f"mqtt://127.0.0.1:{broker.port}",
        )  # fmt: skip


async def over_cluster(teams: int, race: int) -> dict[str, Any] | str:
    """Play a tournament over the cluster; in each round a node is killed and comes back."""
    with Cluster() as cluster:
        rounds = (teams - 1).bit_length()
        first, firsts = 1, {}
        left = teams
        for number in range(rounds):
            matches = left - (1 << (rounds - number - 1)) if number == 0 else left // 2
            firsts[first] = number
            first, left = first + matches, left - matches
        killed: list[int] = []
        working: list[asyncio.Future[None]] = []

        def strike(number: int) -> None:
            if number in firsts:
                node = firsts[number] % NODES
                killed.append(node)
                loop = asyncio.get_running_loop()
                working.append(loop.run_in_executor(None, _killed, cluster, node))

        found = await tournament(
            "--teams", f"{teams}", "--races", f"{race}", "--third", "none",
            "--broker", cluster.urls[0], "--broker", cluster.urls[1], "--broker", cluster.urls[2],
            "--credentials", str(cluster.credentials),
            begun=strike,
        )  # fmt: skip
        await asyncio.gather(*working)
        say(f"  nodes killed, one in each round: {killed}")
        return found if len(killed) == rounds else f"{found}, but only {len(killed)} nodes died"


def _killed(cluster: Cluster, node: int) -> None:
    time.sleep(2.0)  # the tables of the round are sitting down
    cluster.kill_node(node)
    cluster.start_node(node)


def main() -> int:
    """Run the campaign; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, nargs="*", default=[])
    parser.add_argument("--load", type=int, nargs="*", default=[])
    parser.add_argument("--cluster", type=int, nargs="*", default=[], help="teams over RabbitMQ")
    parser.add_argument("--race", type=int, default=1)
    wanted = parser.parse_args()
    failed = False
    for teams in wanted.teams:
        place = Path(tempfile.mkdtemp(prefix="p2p304-cups-"))
        found = asyncio.run(over_mosquitto(teams, wanted.race, place))
        say(f"{teams} teams: {found}")
        failed = failed or isinstance(found, str)
        shutil.rmtree(place)
    for tables in wanted.load:
        place = Path(tempfile.mkdtemp(prefix="p2p304-cups-"))
        row = asyncio.run(load_of(tables, wanted.race, place))
        say(json.dumps(row))
        failed = failed or "failed" in row
        shutil.rmtree(place)
    for teams in wanted.cluster:
        if server() is None:
            say("no RabbitMQ is installed: nothing was tried over a cluster")
            break
        found = asyncio.run(over_cluster(teams, wanted.race))
        say(f"{teams} teams over the cluster: {found}")
        failed = failed or isinstance(found, str)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
