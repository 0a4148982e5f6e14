"""Scenarios for a seat under test: honest hands, cheats of others, restarts, catching up."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cli.conformance.cheats import CHEATS, Cheat
from cli.conformance.mixed_table import CHEATING, MixedTable
from cli.conformance.observed import Scenario, Weather
from cli.conformance.program import command_words
from cli.conformance.results import Mark, Trial
from cli.errors import UserError
from cli.net.broker import EmbeddedBroker
from cli.tasks import stop
from p2p304.games import GAMES

HOME: Final = "P2P304_CONFORMANCE_HOME"
_QUIET: Final = 6.0
"""Seconds for which a seat that has found a cheat is watched."""

STORM: Final = Weather(loss=0.1, repeat=0.2, reach=4)
_ENDING: Final = 30.0
"""Seconds for which it may be answered before it ends by itself."""
_CONVICTS: Final = 10.0
_AGAIN: Final = 5.0
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
        late = Scenario("restart", "killed later, in bad weather", "pagat", restart_after=20)
        yield replace(late, weather=STORM, seeds=6)
    yield Scenario("catch-up", "heads are answered with what is lacking", catch_up=True)
    for place, cheat in enumerate(CHEATS):
        if not sample or place in (1, 3, 6):
            yield Scenario("cheats", cheat.name, "pagat", cheat=cheat, seeds=_TABLES)


class _Seat:
    """The program in its seat: started, killed, started again."""

    def __init__(self, command: str, mixed: MixedTable, home: Path) -> None:
        self._command = [*command_words(command), "--hands", "1"]
        self._invite = mixed.invite.format()
        self._home = home
        self._said = home / "stderr.txt"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self._said.open("ab") as said:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=said,
                    env={**os.environ, HOME: str(self._home)},
                )
            except OSError as error:
                reason = error.strerror or error
                raise UserError(f"{self._command[0]} cannot be started: {reason}") from error
        assert self._process.stdin is not None
        with suppress(ConnectionError):  # it has ended without reading, which is noticed soon
            self._process.stdin.write(f"{self._invite}\n".encode())
            await self._process.stdin.drain()
        self._process.stdin.close()

    @property
    def status(self) -> int | None:
        """What it has ended with, by itself or by us; None while it has not."""
        return None if self._process is None else self._process.returncode

    @property
    def gone(self) -> bool:
        """Whether it has ended."""
        return self.status is not None

    async def kill(self) -> None:
        if self._process is None:
            return
        if not self.gone:
            self._process.kill()
        await self._process.wait()

    def complaint(self) -> str:
        """Return the end of what the program wrote to its error stream, and its status if it has
        ended."""
        said = self._said.read_text("utf-8", "replace").strip()[-_TOLD:]
        ended = "" if self.status is None else f" (ended with {self.status})"
        return f"it said {said!a}{ended}" if said or ended else "it said nothing"


async def sit(command: str, scenario: Scenario, *, deadline: float) -> Trial:
    """Play one scenario, and return what came of it."""
    try:
        return await _sat(command, scenario, deadline)
    except NeverSat as error:
        return Trial(scenario.suite, scenario.name, Mark.FAILED, str(error))


async def _sat(command: str, scenario: Scenario, deadline: float) -> Trial:
    """Try tables until what the scenario is about has happened, or something is wrong."""
    for seed in range(scenario.seeds):
        async with EmbeddedBroker() as broker:
            mixed = MixedTable(broker.address, scenario, seed)
            with tempfile.TemporaryDirectory(prefix="p2p304-seat-") as home:
                seat = _Seat(command, mixed, Path(home))
                try:
                    async with mixed.transport:
                        await seat.start()
                        problems, happened = await _Table(mixed, seat, deadline).played(scenario)
                finally:
                    await seat.kill()
        if happened or problems:
            mark = Mark.FAILED if problems else Mark.PASSED
            return Trial(scenario.suite, scenario.name, mark, "; ".join(problems))
    return Trial(scenario.suite, scenario.name, Mark.UNSUPPORTED, "it had no occasion")


@dataclass(frozen=True, slots=True)
class _Table:
    """Our seats, and the program."""

    mixed: MixedTable
    seat: _Seat
    deadline: float

    async def run(self, until: Callable[[], bool]) -> bool:
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

        await self.mixed.run(over, self.deadline)
        return until()

    def problems(self) -> list[str]:
        """Return what was wrong with the program, whatever else happened."""
        mixed = self.mixed
        blamed = {each.check for each in mixed.blamed if each.seat == mixed.theirs}
        return [*sorted(set(mixed.seen.wrong)), *(f"it is blamed: {e}" for e in sorted(blamed))]

    async def played(self, scenario: Scenario) -> tuple[list[str], bool]:
        """Play a scenario, and return what is wrong and whether what it is about has happened."""
        mixed, seat, after = self.mixed, self.seat, scenario.restart_after
        if not await self.run(lambda: mixed.charter is not None):
            raise NeverSat(f"it never took its seat: {seat.complaint()}")
        if scenario.cheat is not None:
            return await self.cheated(scenario.cheat)
        if after is not None:
            if not await self.run(lambda: mixed.rounds() >= after or mixed.played(1)):
                return [f"the hand did not begin; {seat.complaint()}"], True
            if mixed.rounds() < after:
                return self.problems(), False  # a hand that was passed out
            await seat.kill()
            await seat.start()
        if scenario.catch_up:
            return await self.caught_up(), True
        done = await self.run(lambda: mixed.played(1) or bool(mixed.blamed))
        problems = self.problems()
        if not done:
            problems.append(f"the hand did not end; {mixed.rounds()} rounds are closed")
        elif not problems:
            await mixed.run(lambda: seat.gone, _ENDING)  # we go on answering it
            if seat.status != 0:
                problems.append("it did not end by itself with status 0")
        if problems:
            problems.append(seat.complaint())
        return problems, True

    async def cheated(self, cheat: Cheat) -> tuple[list[str], bool]:
        """Play until a cheat was found, and see what the program says of it."""
        mixed, seat = self.mixed, self.seat
        ended = await self.run(lambda: mixed.stopped() or mixed.played(1))
        if not ended and (mixed.lie is not None or seat.gone):
            what = "the hand did not go on" if mixed.lie is None else "nobody stopped"
            return [*self.problems(), f"{what}; {seat.complaint()}"], True
        if mixed.lie is None:
            return self.problems(), False
        await mixed.run(lambda: mixed.seen.convicts, _CONVICTS)
        question = secrets.token_bytes(16)
        mixed.ask_for_everything(question)

        def told() -> bool:
            return seat.gone or question in mixed.seen.answers

        await mixed.run(told, _QUIET)
        problems = self.problems()
        checks = {each.check for each in mixed.blamed if each.seat == CHEATING}
        if checks != {cheat.check}:
            problems.append(f"our own seats found {sorted(checks)}, not {cheat.check}")
        if not mixed.seen.convicts:
            problems.append("it did not publish the message that convicts")
        if mixed.seen.after_cheat and not cheat.both:  # of two, it rightly holds the first
            problems.append(f"it accepted the cheat, as {mixed.seen.after_cheat[0]} show")
        return problems, True

    async def caught_up(self) -> list[str]:
        """Ask for heads as if we had nothing, and return what is wrong with the answer."""
        mixed, seen = self.mixed, self.mixed.seen
        if not await self.run(lambda: mixed.rounds() >= 3):
            return [f"the hand did not begin; {self.seat.complaint()}"]
        question, before = secrets.token_bytes(16), seen.messages
        mixed.ask_for_everything(question)
        answered = await self.run(lambda: question in seen.answers)
        again = await mixed.run(lambda: seen.messages >= before + 4, _AGAIN)
        problems = self.problems()
        if not answered:
            problems.append("it did not answer a question about heads")
        elif not again:
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
            try:
                return await _sat(command, scenario, deadline)
            except NeverSat as error:
                if scenario is every[0]:
                    raise UserError(f"{command!a} cannot be tried: {error}") from None
                return Trial(scenario.suite, scenario.name, Mark.FAILED, str(error))

    every = list(scenarios(sample=sample))
    # No group: it would wrap what the first raises, and what ends this may not wait for the others.
    tasks = [asyncio.create_task(seated(each)) for each in every]
    try:
        for task in tasks:
            yield await task
    finally:
        await stop(*tasks)
