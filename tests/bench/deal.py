"""How long a deal takes among four real processes over a real broker.

As a program it is one of the four, and tells when what happened, by the machine's clock: standard
input holds the invite and the founder's orders or none; standard output gets a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import click

from cli.errors import UserError
from cli.local import sitting
from cli.local.bot_processes import name_of
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.seat.bots import BotSeat
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.setup import Setup
from cli.store.journal import Journal
from cli.store.paths import home
from cli.tasks import together
from p2p304.disclosures import Dealt
from protocol.group.constants import constants_digest
from protocol.places import Lane
from protocol.seat.view import SeatView
from protocol.table.events import Disclosed, Event, HandEnded, HandStarted, RoundClosed
from tests.bench.cards import counted, shuffle_message, statement_messages
from tests.bench.counting import OperationCosts
from tests.bench.figures import MINUTES, Figure, Part, Tell
from tests.bench.machine import started
from tests.journeys.running_brokers import MOSQUITTO
from tests.journeys.running_brokers import mosquitto as running_mosquitto

FIRST_GOAL_S: Final = 0.5
NEXT_GOAL_S: Final = 0.1
FRAME: Final = 1_024
DEADLINE: Final = 120.0
SEATS: Final = 4
CARDS: Final = 32
THINKER: Final = 1
THINK: Final = 8.0  #: Seconds once in a hand: less than four people take over its forty decisions.
#: One after the other, once all have confirmed: luck, keys, four shuffles, shares.
MESSAGES_BEFORE_FIRST: Final = 7
FIRST_FLOOR: Final = "4 shuffles made and judged, shares, 7 messages at half a round trip"
NEXT_FLOOR: Final = "shares made and judged, 1 message at half a round trip"


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


def deal_part(*, quick: bool, tell: Tell) -> Part:
    """Measure first and next deals among four processes, over each broker."""
    return asyncio.run(_deals(*((1, 3) if quick else (6, 5)), tell))


async def _deals(tables: int, hands: int, tell: Tell) -> Part:
    costs, work = OperationCosts.measured(), list[float]()
    shares = statement_messages()["shares, 12 cards"]
    for message, judges in ((shuffle_message(CARDS), 1), (shares, SEATS - 1)):
        _, made, judged = counted(message)
        work.append(costs.of(made) + judges * costs.of(judged))
    figures, notes = list[Figure](), list[str]()
    for opener in (embedded, mosquitto):
        name = opener.__name__
        async with AsyncExitStack() as stack:
            try:
                address = await stack.enter_async_context(opener())
            except UserError as error:
                notes.append(f"{name} is skipped: {error}")
                continue
            bare = await round_trip_ms(address)
            begun, following = list[float](), list[float]()
            ends = time.monotonic() + 60.0 * MINUTES / 2
            for number in range(tables):
                if number and time.monotonic() > ends:
                    notes.append(f"{name}: {tables - number} tables are left out: no time")
                    break
                tell(f"table {number + 1} of {tables} at {name}")
                one, more = await measure_deals(address, hands=hands)
                begun.append(one)
                following += more
            tell(f"a table at {name} where somebody thinks")
            _, thought = await measure_deals(address, hands=hands, think=THINK)
        chain = (SEATS * work[0] + work[1] + MESSAGES_BEFORE_FIRST * bare / 2) / 1_000
        later = ((work[1] + bare / 2) / 1_000, NEXT_FLOOR, NEXT_GOAL_S)
        for what, seconds, (floor, floor_is, goal) in (
            ("first deal", begun, (chain, FIRST_FLOOR, FIRST_GOAL_S)),
            (f"next deal, somebody thought for {THINK:g} s", thought, later),
            ("next deal, nobody ever thinks", following, later),
        ):
            title, known = f"{name}: {what}", {"floor_is": floor_is, "goal": goal}
            figures.append(Figure.of(title, "s", seconds, floor=floor, **known))
        figures.append(Figure.of(f"{name}: bare round trip of 1 KiB", "ms", [bare]))
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
    table = sitting.new_table(address, "304", "card304-alpha")

    async def seat(number: int) -> dict[str, list[float]]:
        arguments = f"{hands}", f"{think * (number == THINKER)}"
        own = Path(place, f"{number}")
        async with started("deal", *arguments, home=own, said=orders_of(table, number)) as process:
            said, complaint = await process.communicate()
        if process.returncode:
            raise UserError(f"A seat ended early: {complaint.decode('utf-8', 'replace')[-300:]}")
        seen: dict[str, list[float]] = json.loads(said)
        return seen

    try:
        with tempfile.TemporaryDirectory(prefix="p2p304-bench-") as place:
            async with asyncio.timeout(DEADLINE):
                seen = await together(*map(seat, range(SEATS)))
    except TimeoutError:
        raise UserError(f"The hands did not end in {DEADLINE:.0f} s.") from None

    def latest(what: str, number: int) -> float:
        return max(each[what][number] for each in seen)

    following = [latest("dealt", at) - latest("ended", at - 1) for at in range(1, hands)]
    return latest("dealt", 0) - latest("sitting.open_seat", 0), following


async def round_trip_ms(address: BrokerAddress) -> float:
    """Measure the median time of a frame of 1 KiB to another client and back."""
    here, there = (MqttTransport(MqttOptions((address,), "p2p304/bench")) for _ in range(2))
    times = list[float]()
    async with here, there:
        questions, answers = there.frames(), here.frames()
        for number in range(200):
            frame = number.to_bytes(4, "big") + bytes(FRAME)
            begun = time.perf_counter()
            async with asyncio.timeout(10):
                await here.send(b"q" + frame)
                await there.send(b"a" + (await anext(questions))[1:])
                await anext(answers)
            times.append(1_000 * (time.perf_counter() - begun))
    return median(times)


def _disk_waits_ms() -> list[float]:
    waits, record = list[float](), bytes(FRAME)
    with (
        tempfile.TemporaryDirectory(prefix="p2p304-bench-") as place,
        Journal.create(Path(place), bytes(16)) as journal,
    ):
        for _ in range(50):
            begun = time.perf_counter()
            journal.append(0, record)
            waits.append(1_000 * (time.perf_counter() - begun))
    return waits


# --- one of the four ------------------------------------------------------------------------------


def orders_of(table: sitting.NewTable, seat: int) -> bytes:
    """Return what the process of a seat reads: its setup, the founder's with its founding."""
    founding = table.founding if seat == sitting.FOUNDER else None
    setup = sitting.new_setup(table.invites[seat], name_of(seat), founding=founding)
    return f"{setup.to_bytes().hex()}\n".encode()


@asynccontextmanager
async def sat_down(player: SeatPlayer, options: sitting.SeatOptions) -> AsyncIterator[SeatDriver]:
    """Sit down as the standard input says, and yield the driver."""
    setup = Setup.from_bytes(bytes.fromhex(sys.stdin.readline()))
    journal = await asyncio.to_thread(sitting.keep_setup, home(), setup)
    async with sitting.open_seat(journal, setup, player, root=home(), options=options) as driver:
        yield driver


class TimedBot(BotSeat):
    """A bot that decides at once, but thinks for `think` seconds once in every hand.

    It notes when all had confirmed, and of each hand when it began, when the seat saw its first
    cards, and its end.
    """

    def __init__(self, think: float) -> None:
        super().__init__(1, self._note)
        self.seen = defaultdict[str, list[float]](list)
        self._think, self._thought = think, 0

    async def decide(self, session: SeatView) -> Any:
        """See Player.decide."""
        if self._think and self._thought < len(self.seen["started"]):
            self._thought = len(self.seen["started"])
            await asyncio.sleep(self._think)
        return await super().decide(session)

    def _note(self, event: Event, session: SeatView) -> None:
        seen, now = self.seen, time.monotonic()
        match event:
            case RoundClosed(ledger, 0, _) if ledger.lane is Lane.TABLE:
                seen["sitting.open_seat"].append(now)
            case HandStarted():
                seen["started"].append(now)
            case Disclosed(Dealt(seat, _)) if seat == session.seat:
                if len(seen["dealt"]) < len(seen["started"]):
                    seen["dealt"].append(now)
            case HandEnded():
                seen["ended"].append(now)


async def _play(hands: int, think: float) -> dict[str, list[float]]:
    constants_digest(CARDS)
    bot, options = TimedBot(think), sitting.SeatOptions(hands=hands, matches=None, linger=2.0)
    async with sat_down(bot, options) as driver:
        await driver.run()
    return bot.seen


if __name__ == "__main__":
    click.echo(json.dumps(asyncio.run(_play(int(sys.argv[1]), float(sys.argv[2])))))
