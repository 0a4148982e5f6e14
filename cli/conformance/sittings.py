"""Scenarios for a seat under test: honest hands, cheats of others, restarts, catching up."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli.conformance.cheats import CHEATS, Cheat
from cli.conformance.mixed_table import CHEATING, MixedTable, transport_to
from cli.conformance.observed import Scenario, Weather
from cli.conformance.program import command_words
from cli.conformance.results import Mark, Trial
from cli.errors import UserError
from cli.net.broker import EmbeddedBroker
from cli.net.transport import Transport
from cli.tasks import stop
from p2p304.games import GAMES

HOME: Final = "P2P304_CONFORMANCE_HOME"
_QUIET: Final = 6.0
"""Seconds for which a seat that has found a cheat is watched."""

STORM: Final = Weather(loss=0.1, repeat=0.2, reach=4)
_ENDING: Final = 10.0
_GRACE: Final = 5.0
"""Seconds for which what a program said before it ended may still be under way."""

_TOLD: Final = 200

_TABLES: Final = 16
"""Tables that are tried for a cheat. The rarest one has its occasion at three of four, for the
program's seat may open trump before: one run in four thousand millions finds none."""


class NeverSat(Exception):
    """The program did not take its seat; the sentence says what it did instead."""


def scenarios(*, sample: bool) -> Iterator[Scenario]:
    """Yield all sittings, or a few of every sort."""
    tables = [(game, name) for game in GAMES for name in GAMES[game].profiles or ("",)]
    for game, name in tables[:1] if sample else tables:
        yield Scenario("honest", f"a hand under {name or game}", name, game)
    yield Scenario("network", "frames lost, repeated, out of order", weather=STORM)
    yield Scenario("network", "noise, and messages signed by another's key", forgeries=True)
    yield Scenario("restart", "killed during the hand", restart_after=5, seeds=6)
    if not sample:
        yield Scenario(
            "restart",
            "killed later, in bad weather",
            "pagat",
            weather=STORM,
            restart_after=20,
            seeds=6,
        )
    yield Scenario("catch-up", "heads are answered with what is lacking", catch_up=True)
    for place, cheat in enumerate(CHEATS):
        if not sample or place in (1, 3, 6):
            yield Scenario("cheats", cheat.name, "pagat", cheat=cheat, seeds=_TABLES)


class _Seat:
    """The program in its seat: started, killed, started again."""

    def __init__(self, command: str, invite: str, home: Path, hands: int) -> None:
        self._command = [*command_words(command), "--hands", f"{hands}"]
        self._invite = invite
        self._home = home
        self._said = home / "stderr.txt"
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self._said.open("ab") as said:
            try:
                self.process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=said,
                    env={**os.environ, HOME: str(self._home)},
                )
            except OSError as error:
                reason = error.strerror or error
                raise UserError(f"{self._command[0]} cannot be started: {reason}") from error
        assert self.process.stdin is not None
        with suppress(ConnectionError):  # it has ended without reading, which is noticed soon
            self.process.stdin.write(f"{self._invite}\n".encode())
            await self.process.stdin.drain()
        self.process.stdin.close()

    @property
    def gone(self) -> bool:
        """Whether it has ended, by itself or by us."""
        return self.process is not None and self.process.returncode is not None

    async def kill(self) -> None:
        if self.process is None:
            return
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    def complaint(self) -> str:
        """Return the end of what the program wrote to its error stream, and its status if it has
        ended."""
        said = self._said.read_text("utf-8", "replace").strip()[-_TOLD:]
        code = self.process.returncode if self.process is not None else None
        ended = "" if code is None else f" (ended with {code})"
        return f"it said {said!a}{ended}" if said or ended else "it said nothing"

    async def ended(self) -> int | None:
        """Return the exit status, or None if it does not end."""
        assert self.process is not None
        try:
            async with asyncio.timeout(_ENDING):
                return await self.process.wait()
        except TimeoutError:
            return None


async def sit(command: str, scenario: Scenario, *, deadline: float) -> Trial:
    """Play one scenario, and return what came of it."""
    try:
        return await _sat(command, scenario, deadline)
    except NeverSat as error:
        return Trial(scenario.suite, scenario.name, Mark.FAILED, str(error))


async def _sat(command: str, scenario: Scenario, deadline: float) -> Trial:
    problems: list[str] = []
    for seed in range(scenario.seeds):
        problems, happened = await _table(command, scenario, seed, deadline)
        if happened or problems:
            break
    else:
        return Trial(scenario.suite, scenario.name, Mark.UNSUPPORTED, "it had no occasion")
    mark = Mark.FAILED if problems else Mark.PASSED
    return Trial(scenario.suite, scenario.name, mark, "; ".join(problems))


@asynccontextmanager
async def _seated(command: str, mixed: MixedTable) -> AsyncIterator[_Seat]:
    with tempfile.TemporaryDirectory(prefix="p2p304-seat-") as home:
        seat = _Seat(command, mixed.invite.format(), Path(home), hands=1)
        await seat.start()
        try:
            yield seat
        finally:
            await seat.kill()


async def _table(
    command: str, scenario: Scenario, seed: int, deadline: float
) -> tuple[list[str], bool]:
    """Return what is wrong, and whether what the scenario is about has happened."""
    async with EmbeddedBroker() as broker:
        mixed = MixedTable(broker.address, scenario, seed)
        async with transport_to(mixed) as transport, _seated(command, mixed) as seat:
            table = _Table(mixed, transport, seat)
            if not await table.run(lambda: mixed.charter is not None, deadline):
                raise NeverSat(f"it never took its seat: {seat.complaint()}")
            if scenario.cheat is not None:
                return await _cheated(table, scenario.cheat, deadline)
            if scenario.restart_after is not None:
                after = scenario.restart_after
                far = await table.run(lambda: mixed.rounds() >= after or mixed.played(1), deadline)
                if not far:
                    return [f"the hand did not begin; {seat.complaint()}"], True
                if mixed.rounds() < after:
                    return _problems(mixed), False  # a hand that was passed out
                await seat.kill()
                await seat.start()
            if scenario.catch_up:
                return await _caught_up(table, deadline), True
            done = await table.run(lambda: mixed.played(1) or bool(mixed.blamed), deadline)
            problems = _problems(mixed)
            if not done:
                problems.append(f"the hand did not end; {mixed.rounds()} rounds are closed")
            elif not problems and await _status(mixed, transport, seat) != 0:
                problems.append("it did not end by itself with status 0")
            if problems:
                problems.append(seat.complaint())
            return problems, True


@dataclass(frozen=True, slots=True)
class _Table:
    """Our three seats, their way to the program, and the program."""

    mixed: MixedTable
    transport: Transport
    seat: _Seat

    async def run(self, until: Callable[[], bool], deadline: float) -> bool:
        """Play until `until` holds; False if the deadline came first, or the program ended."""
        loop = asyncio.get_running_loop()
        gone: float | None = None

        def over() -> bool:
            nonlocal gone
            if until():
                return True
            if gone is None and self.seat.gone:
                gone = loop.time()
            return gone is not None and loop.time() >= gone + _GRACE

        await self.mixed.run(self.transport, over, deadline)
        return until()


async def _status(mixed: MixedTable, transport: Transport, seat: _Seat) -> int | None:
    """Return the program's exit status, while we go on answering it."""
    process = seat.process
    assert process is not None
    await mixed.run(transport, lambda: process.returncode is not None, _ENDING * 2)
    return await seat.ended()


def _problems(mixed: MixedTable) -> list[str]:
    """Return what was wrong with the program, whatever else happened."""
    problems = sorted(set(mixed.seen.wrong))
    problems += sorted({f"it is blamed: {each.check}" for each in mixed.blamed
                        if each.seat == mixed.theirs})  # fmt: skip
    return problems


async def _cheated(table: _Table, cheat: Cheat, deadline: float) -> tuple[list[str], bool]:
    mixed, transport, seat = table.mixed, table.transport, table.seat
    ended = await table.run(lambda: mixed.stopped() or mixed.played(1), deadline)
    problems = _problems(mixed)
    if not ended and (mixed.lie is not None or seat.gone):
        what = "the hand did not go on" if mixed.lie is None else "nobody stopped"
        return [*problems, f"{what}; {seat.complaint()}"], True
    if mixed.lie is None:
        return problems, False
    loop = asyncio.get_running_loop()
    await mixed.run(transport, lambda: mixed.seen.convicts, _ENDING)
    question = secrets.token_bytes(16)
    mixed.ask_for_everything(question)
    until = loop.time() + _QUIET

    def told() -> bool:
        return seat.gone or question in mixed.seen.answers or loop.time() >= until

    await mixed.run(transport, told, _QUIET + 1)
    problems = _problems(mixed)
    checks = {each.check for each in mixed.blamed if each.seat == CHEATING}
    if checks != {cheat.check}:
        problems.append(f"our own seats found {sorted(checks)}, not {cheat.check}")
    if not mixed.seen.convicts:
        problems.append("it did not publish the message that convicts")
    if mixed.seen.after_cheat and not cheat.both:  # of two, it rightly holds the first
        problems.append(f"it accepted the cheat, as {mixed.seen.after_cheat[0]} show")
    return problems, True


async def _caught_up(table: _Table, deadline: float) -> list[str]:
    mixed, transport = table.mixed, table.transport
    if not await table.run(lambda: mixed.rounds() >= 3, deadline):
        return [f"the hand did not begin; {table.seat.complaint()}"]
    question = secrets.token_bytes(16)
    before = mixed.seen.messages
    mixed.ask_for_everything(question)
    answered = await table.run(lambda: question in mixed.seen.answers, deadline)
    await mixed.run(transport, lambda: mixed.seen.messages >= before + 4, 5.0)
    problems = _problems(mixed)
    if not answered:
        problems.append("it did not answer a question about heads")
    elif mixed.seen.messages < before + 4:
        problems.append("it did not send again what we said we lack")
    return problems


async def try_seat(
    command: str, *, sample: bool, deadline: float, tables: int = 1
) -> AsyncIterator[Trial]:
    """Yield every scenario with the program in the fourth seat, so many tables at a time.

    Raises UserError for a program that does not take its seat at the first.
    """
    command_words(command)
    room = asyncio.Semaphore(tables)

    async def seated(scenario: Scenario) -> Trial:
        async with room:
            return await (first if scenario is every[0] else sit)(
                command, scenario, deadline=deadline
            )

    async def first(command: str, scenario: Scenario, *, deadline: float) -> Trial:
        try:
            return await _sat(command, scenario, deadline)
        except NeverSat as error:
            raise UserError(f"{command!a} cannot be tried: {error}") from None

    every = list(scenarios(sample=sample))
    # No group: it would wrap what the first raises, and what ends this may not wait for the others.
    tasks = [asyncio.create_task(seated(each)) for each in every]
    try:
        for task in tasks:
            yield await task
    finally:
        await stop(*tasks)
