"""How long a deal takes among four real processes over a real broker."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Final, NoReturn

from cli.errors import UserError
from cli.local.sitting import FOUNDER, new_table
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.seat.setup import Orders
from cli.store.journal import Journal
from cli.tasks import first, together
from tests.bench.cards import shuffle_message
from tests.bench.figures import MINUTES, Figure, Part, Tell, TimeBox
from tests.bench.floors import OperationCosts
from tests.bench.machine import started
from tests.bench.statements import counted, statement_messages
from tests.journeys.running_brokers import MOSQUITTO
from tests.journeys.running_brokers import mosquitto as running_mosquitto

FIRST_GOAL_S: Final = 0.5
NEXT_GOAL_S: Final = 0.1
ROUND_TRIPS: Final = 200
FRAME: Final = 1_024
DEADLINE: Final = 120.0
SEATS: Final = 4
CARDS: Final = 32
THINKER: Final = 1
THINK: Final = 8.0
"""Seconds once in a hand: less than four people take over its forty decisions."""
MESSAGES_BEFORE_FIRST: Final = 7
"""One after the other, once all have confirmed: luck, keys, four shuffles, shares."""
FIRST_FLOOR: Final = "4 shuffles made and judged, shares, 7 messages at half a round trip"
NEXT_FLOOR: Final = "shares made and judged, 1 message at half a round trip"
WAITS: Final = 50


@asynccontextmanager
async def embedded() -> AsyncIterator[BrokerAddress]:
    """Run the embedded broker, in this process."""
    async with EmbeddedBroker() as broker:
        yield broker.address


@asynccontextmanager
async def mosquitto() -> AsyncIterator[BrokerAddress]:
    """Run Debian's mosquitto on a free port of loopback. Raises UserError without it."""
    if MOSQUITTO is None:
        raise UserError("Mosquitto is not installed: 'apt install mosquitto' brings it.")
    with tempfile.TemporaryDirectory(prefix="p2p304-bench-") as place:
        async with running_mosquitto(Path(place), log="none") as broker:
            yield BrokerAddress.parse(f"mqtt://127.0.0.1:{broker.port}")


BROKERS: Final = {"embedded": embedded, "mosquitto": mosquitto}


def deal_part(*, quick: bool, tell: Tell) -> Part:
    """Measure first and next deals among four processes, over each broker."""
    return asyncio.run(_deals(*((1, 3) if quick else (6, 5)), tell))


async def _deals(tables: int, hands: int, tell: Tell) -> Part:
    shuffle, shares = _critical_operations_ms()
    figures, notes = list[Figure](), list[str]()
    for name, opener in BROKERS.items():
        async with AsyncExitStack() as stack:
            try:
                address = await stack.enter_async_context(opener())
            except UserError as error:
                notes.append(f"{name} is skipped: {error}")
                continue
            bare = await round_trip_ms(address)
            begun, following = list[float](), list[float]()
            box = TimeBox(60.0 * MINUTES / 2)
            for number in range(tables):
                if number and box.left < 0:
                    notes.append(f"{name}: {tables - number} tables are left out: no time")
                    break
                tell(f"table {number + 1} of {tables} at {name}")
                one, more = await measure_deals(address, hands=hands)
                begun.append(one)
                following += more
            tell(f"a table at {name} where somebody thinks")
            _, thought = await measure_deals(address, hands=hands, think=THINK)
        way = bare / 2
        chain = (SEATS * shuffle + shares + MESSAGES_BEFORE_FIRST * way) / 1_000
        for what, seconds, floor, floor_is, goal in (
            ("first deal", begun, chain, FIRST_FLOOR, FIRST_GOAL_S),
            (f"next deal, somebody thought for {THINK:g} s", thought, (shares + way) / 1_000,
             NEXT_FLOOR, NEXT_GOAL_S),
            ("next deal, nobody ever thinks", following, (shares + way) / 1_000, NEXT_FLOOR,
             NEXT_GOAL_S),
        ):  # fmt: skip
            title, known = f"{name}: {what}", {"floor_is": floor_is, "goal": goal}
            figures.append(Figure.of(title, "s", seconds, floor=floor, **known))
        figures.append(Figure.single(f"{name}: bare round trip of 1 KiB", "ms", bare))
    figures.append(Figure.of("one wait of a journal for the disk, 1 KiB", "ms", _disk_waits_ms()))
    notes.append("a message goes out when the journal has it: one wait for the disk each")
    notes.append(f"{tables} tables of {hands} hands at each broker, four processes each")
    return Part("deal", "Deals among four processes", tuple(figures), tuple(notes))


async def measure_deals(
    address: BrokerAddress, *, hands: int, think: float = 0.0
) -> tuple[float, list[float]]:
    """Measure first and next deals, in seconds, of one table of four processes; one of its bots
    thinks for `think` seconds once in every hand, as people do more often.

    Raises UserError if they do not end in time.
    """
    table = new_table(address, "304", "card304-alpha")

    async def seat(number: int) -> dict[str, list[float]]:
        orders = Orders(table.founding if number == FOUNDER else None)
        said = f"{table.invites[number].format()}\n{orders.format()}\n"
        return await _told(said, f"{hands}", f"{think * (number == THINKER)}")

    try:
        async with asyncio.timeout(DEADLINE):
            seen = await together(*map(seat, range(SEATS)))
    except TimeoutError:
        raise UserError(f"The hands did not end in {DEADLINE:.0f} s.") from None

    def latest(what: str, number: int) -> float:
        return max(each[what][number] for each in seen)

    following = [latest("dealt", at) - latest("ended", at - 1) for at in range(1, hands)]
    return latest("dealt", 0) - latest("seated", 0), following


async def _told(orders: str, *arguments: str) -> dict[str, list[float]]:
    """Run a seat, and return what it tells. Raises UserError where it ends early."""
    process = await started("deal_seat", *arguments)
    try:
        said, complaint = await process.communicate(orders.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise UserError(f"A seat ended early: {complaint.decode('utf-8', 'replace')[-300:]}")
    seen: dict[str, list[float]] = json.loads(said)
    return seen


async def round_trip_ms(address: BrokerAddress) -> float:
    """Measure the median time of a frame of 1 KiB to another client and back."""
    here, there = (MqttTransport(MqttOptions(address, "p2p304/bench")) for _ in range(2))
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


def _disk_waits_ms() -> list[float]:
    waits, record = list[float](), bytes(FRAME)
    with (
        tempfile.TemporaryDirectory(prefix="p2p304-bench-") as place,
        Journal.create(Path(place), bytes(16)) as journal,
    ):
        for _ in range(WAITS):
            begun = time.perf_counter()
            journal.append(0, record)
            waits.append(1_000 * (time.perf_counter() - begun))
    return waits


def _critical_operations_ms() -> tuple[float, float]:
    """Return the operations of a shuffle that is made and judged, and of shares of 12 cards by
    three."""
    costs, found = OperationCosts.measured(), list[float]()
    shares = statement_messages()["shares, 12 cards"]
    for message, judges in ((shuffle_message(CARDS), 1), (shares, SEATS - 1)):
        _, made, judged = counted(message)
        found.append(costs.of(made) + judges * costs.of(judged))
    return found[0], found[1]
