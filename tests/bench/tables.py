"""How long a deal takes among four real processes over a real broker."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from statistics import median
from typing import Any, Final, NoReturn

from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.seat.setup import Orders
from cli.seat.sitting import FOUNDER, new_table
from cli.tasks import first, together
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


Seated = tuple[str, str]
"""An invite, and the founder's orders or none."""


def seats_of(address: BrokerAddress, profile: str) -> list[Seated]:
    """Found a table of 304 at a broker."""
    table = new_table(address, "304", profile)
    foundings = [Orders(table.founding if seat == FOUNDER else None) for seat in range(SEATS)]
    return [
        (invite.format(), founding.format())
        for invite, founding in zip(table.invites, foundings, strict=True)
    ]


async def play(
    processes: Sequence[Sequence[Seated]], *, hands: int, deadline: float, think: float = 0.0
) -> list[dict[str, Any]]:
    """Play so many hands with bots in processes, the seats of each given, and return what they saw.

    The bots in the second process think for `think` seconds once in every hand, as people do more
    often. Raises UserError if they do not end in time.
    """
    orders = [
        json.dumps({"seats": seats, "hands": hands, "think": think * (number == THINKER)})
        for number, seats in enumerate(processes)
    ]
    try:
        async with asyncio.timeout(deadline):
            return list(
                await together(*(told_by("Seats", "seats", orders=each) for each in orders))
            )
    except TimeoutError:
        raise UserError(f"The hands did not end in {deadline:.0f} s.") from None


async def measure_deals(
    address: BrokerAddress, *, hands: int, think: float = 0.0
) -> tuple[list[float], list[float]]:
    """Measure first and next deals, in seconds, of one table of four processes."""
    seats = seats_of(address, "card304-alpha")
    told = await play([[each] for each in seats], hands=hands, deadline=DEADLINE, think=think)
    seen = [each["seats"][0] for each in told]

    def latest(what: str, number: int) -> float:
        return max(each[what][number] for each in seen)

    first = latest("dealt", 0) - latest("seated", 0)
    return [first], [latest("dealt", at) - latest("ended", at - 1) for at in range(1, hands)]
