"""How long a deal takes among four real processes over a real broker."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final, NoReturn

from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.seat.bot_processes import BotProcesses, whole_table
from cli.seat.sitting import new_table
from cli.seat.timing import read_marks
from cli.tasks import first
from tests.bench.machine import TOP, mosquitto_program, own_process

ROUND_TRIPS: Final = 200
FRAME: Final = 1_024
DEADLINE: Final = 120.0
SEATS: Final = 4
THINKER: Final = 1
THINK: Final = 8.0
"""Seconds once in a hand: less than four people take over its forty decisions."""


@asynccontextmanager
async def mosquitto() -> AsyncIterator[BrokerAddress]:
    """Run Debian's mosquitto as it comes, on a free port of loopback.

    Raises UserError without it.
    """
    program = mosquitto_program()
    if program is None:
        raise UserError("Mosquitto is not installed: 'apt install mosquitto' brings it.")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        program,
        "-p",
        f"{port}",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _listening(port)
        yield BrokerAddress.parse(f"mqtt://127.0.0.1:{port}")
    finally:
        process.terminate()
        await process.wait()


async def _listening(port: int) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)  # it is starting; the deadline above bounds this
                continue
            writer.close()
            return


@asynccontextmanager
async def embedded() -> AsyncIterator[BrokerAddress]:
    """Run the embedded broker, in this process, for many tables."""
    async with EmbeddedBroker(connections=SEATS * 64) as broker:
        yield broker.address


BROKERS: Final = {"embedded": embedded, "mosquitto": mosquitto}


async def told_by(who: str, module: str, *arguments: str, orders: str = "") -> Any:
    """Run a module of ours, which gets its orders as lines, and return what it tells as JSON.

    Raises UserError, which says `who` ended early, where it does.
    """
    process = await asyncio.create_subprocess_exec(
        *own_process(module, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=TOP,
    )
    try:
        said, complaint = await process.communicate(orders.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise UserError(f"{who} ended early: {complaint.decode('utf-8', 'replace')[-300:]}")
    return json.loads(said)


async def round_trip_ms(address: BrokerAddress) -> float:
    """Measure the median time of a frame of 1 KiB to another client and back."""
    here = MqttTransport(MqttOptions(address, "p2p304/bench"))
    there = MqttTransport(MqttOptions(address, "p2p304/bench"))
    async with here, there:
        return 1_000 * median(await first(_round_trips(here), _echo(there)))


async def _round_trips(transport: MqttTransport) -> list[float]:
    answers = transport.received()
    times = []
    for number in range(ROUND_TRIPS):
        frame = b"q" + number.to_bytes(4, "big") + bytes(FRAME)
        begun = time.perf_counter()
        await transport.send(frame)
        async with asyncio.timeout(10):
            await anext(answers)
        times.append(time.perf_counter() - begun)
    return times


async def _echo(transport: MqttTransport) -> NoReturn:
    async for frame in transport.received():
        await transport.send(b"a" + frame[1:])
    raise UserError("The broker closed a connection while it was measured.")


async def measure_deals(
    address: BrokerAddress, *, hands: int, think: float = 0.0
) -> tuple[list[float], list[float]]:
    """Measure first and next deals, in seconds, of one table of four processes.

    One of the four bots thinks for `think` seconds once in every hand, as people do more often.
    """
    place = Path(tempfile.mkdtemp(prefix="p2p304-bench-"))
    homes = tuple(place / f"seat-{seat}" for seat in range(SEATS))
    marks = tuple(place / f"marks-{seat}" for seat in range(SEATS))
    table = new_table(address, "304", "card304-alpha")
    options = ("--hands", f"{hands}", "--marks")
    thinks = ("--hesitate", f"{think:g}")
    given = tuple(
        (*options, str(path), *(thinks if seat == THINKER else ()))
        for seat, path in enumerate(marks)
    )
    try:
        async with BotProcesses(SEATS) as bots:
            await bots.start(*whole_table(table, homes, given))
            async for _ in bots.lines():
                pass
            await bots.finished(DEADLINE)
        found = [read_marks(path) for path in marks]
    finally:
        shutil.rmtree(place)
    seated = max(each["seated", 0] for each in found)
    first = max(each["dealt", 0] for each in found) - seated
    following = [
        max(each["dealt", number] for each in found)
        - max(each["ended", number - 1] for each in found)
        for number in range(1, hands)
    ]
    return [first], following
