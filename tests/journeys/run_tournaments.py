"""Plays tournaments of bots to their champions, over a mosquitto and over a cluster.

`make tournaments` runs it: `python -m tests.journeys.run_tournaments --teams 2 3 5 8 20 32` over a
mosquitto, and `--cluster` over the three-node RabbitMQ cluster of deploy/, of which a node is
killed in each round. Races are `--races`, as `p2p304 tournament bots` takes them. After each
tournament `p2p304 tournament audit` judges its folder alone: both are told in processor seconds,
which do not depend on what else runs.
The status is 1 if a transcript is invalid, a standing differs, or a tournament does not end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from cli.children import environment, own_program
from deploy.rabbitmq.cluster import NODES, Cluster, server
from tests.journeys.running_brokers import mosquitto

WITHIN = 3_600.0  #: Seconds for one tournament.
_BEGUN = re.compile(r"Match (\d+):")


def say(line: str) -> None:
    """A line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _spent() -> float:
    """Return the processor seconds of all processes that we have waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def program(
    *words: str, said: Callable[[str], None]
) -> tuple[dict[str, Any] | None, int, float]:
    """Run the program; return the JSON that it says, its status and its processor seconds."""
    before = _spent()
    process = await asyncio.create_subprocess_exec(
        *own_program(*words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(),
    )
    complaints = process.stderr

    async def listen() -> None:
        while line := await complaints.readline():
            said(line.decode("utf-8", "replace").rstrip())

    try:
        async with asyncio.timeout(WITHIN):
            heard = asyncio.create_task(listen())
            output = await process.stdout.read()
            status = await process.wait()
            await heard
    finally:
        if process.returncode is None:
            process.terminate()  # it ends its tables
            await process.wait()
    return (json.loads(output) if output else None), status, _spent() - before


async def tournament(
    out: Path, *options: str, begun: Callable[[int], None] = lambda _: None
) -> dict[str, Any] | str:
    """Play one with these options and audit it; return what is reported, or what went wrong."""
    complaints: list[str] = []

    def said(line: str) -> None:
        found = _BEGUN.match(line)
        if found is not None:
            begun(int(found[1]))
        else:
            complaints.append(line)

    words = ("tournament", "bots", "--json", "--out", str(out), *options)
    try:
        found, status, cpu = await program(*words, said=said)
    except TimeoutError:
        return f"it did not end in {WITHIN:.0f} s"
    if found is None or status:
        return f"{found} {complaints[-5:]}"
    found["cpu_seconds"] = round(cpu, 1)
    for complaint in complaints:
        say(f"  {complaint}")
    audit, status, cpu = await program(
        "tournament", "audit", str(out / "tournament"), "--json", said=complaints.append
    )
    if audit is None or status or audit["champion"] != found["champion"]:
        return f"{found}, but the audit: {audit} {complaints[-5:]}"
    found["audit_cpu_seconds_a_hundred_hands"] = round(100 * cpu / audit["hands"], 1)
    return found


async def over_mosquitto(teams: int, races: str, third: str, place: Path) -> dict[str, Any] | str:
    """Play a tournament over one mosquitto."""
    async with mosquitto(place) as broker:
        return await tournament(
            place / "cup",
            *("--teams", f"{teams}", "--races", races, "--third", third),
            *("--broker", f"mqtt://127.0.0.1:{broker.port}"),
        )


async def over_cluster(teams: int, races: str, place: Path) -> dict[str, Any] | str:
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
        others = Lock()
        working: list[asyncio.Future[None]] = []

        def strike(number: int) -> None:
            if number in firsts:
                node = firsts[number] % NODES
                killed.append(node)
                loop = asyncio.get_running_loop()
                working.append(loop.run_in_executor(None, _killed, cluster, node, others))

        found = await tournament(
            place / "cup",
            *("--teams", f"{teams}", "--races", races, "--third", "none"),
            *(word for url in cluster.urls for word in ("--broker", url)),
            *("--credentials", str(cluster.credentials)),
            begun=strike,
        )
        await asyncio.gather(*working)
        say(f"  nodes killed, one in each round: {killed}")
        return found if len(killed) == rounds else f"{found}, but only {len(killed)} nodes died"


def _killed(cluster: Cluster, node: int, others: Lock) -> None:
    time.sleep(2.0)  # the tables of the round are sitting down
    with others:  # two nodes of three that are down at once close the third one's doors
        cluster.kill_node(node)
        cluster.start_node(node)


def main() -> int:
    """Run the campaign; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, nargs="*", default=[])
    parser.add_argument("--cluster", type=int, nargs="*", default=[], help="teams over RabbitMQ")
    parser.add_argument("--races", default="1")
    parser.add_argument("--third", default="1")
    wanted = parser.parse_args()
    races = wanted.races
    failed = False

    def run(what: str, one: Callable[[Path], Any]) -> None:
        nonlocal failed
        place = Path(tempfile.mkdtemp(prefix="p2p304-cups-"))
        found = asyncio.run(one(place))
        bad = isinstance(found, str) or "failed" in found
        say(f"{what}: {found if isinstance(found, str) else json.dumps(found)}")
        if bad:
            say(f"  its files are in {place}")
        else:
            shutil.rmtree(place)
        failed = failed or bad

    for teams in wanted.teams:
        run(f"{teams} teams", partial(over_mosquitto, teams, races, wanted.third))
    if server() is None and wanted.cluster:
        say("no RabbitMQ is installed: nothing was tried over a cluster")
        return int(failed)
    for teams in wanted.cluster:
        run(f"{teams} teams over the cluster", partial(over_cluster, teams, races))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
