"""Scenarios for a seat under test: honest hands, cheats of others, restarts, catching up."""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from cli.conformance.mixed_table import CHEATING, CHEATS, Cheat, MixedTable, Scenario, Weather
from cli.conformance.program import command_words, start_program
from cli.conformance.trials import Mark, Trial
from cli.errors import UserError
from cli.net.broker import EmbeddedBroker
from cli.tasks import stop
from p2p304.games import GAMES

# The program's own folder: it keeps its journal there between two starts.
HOME: Final = "P2P304_CONFORMANCE_HOME"
# The seconds, here and below, are choices: a slow program has time, one that fails costs no more.
_QUIET: Final = 6.0  #: Seconds for which a seat that has found a cheat is watched.

# A loss in ten, a repetition in five, overtaken by up to four.
STORM: Final = Weather(loss=0.1, repeat=0.2, reach=4)
_ENDING: Final = 30.0  #: Seconds for which it may be answered before it ends by itself.
# Seconds in which a program that has found a cheat must publish it.
_CONVICTS: Final = 10.0
# Seconds in which it must send again what we say that we lack.
_AGAIN: Final = 5.0
#: Seconds for which what a program said before it ended may still be under way.
_GRACE: Final = 5.0

# Characters of its error stream that a trial shows.
_TOLD: Final = 200

#: Tables that are tried for a cheat. The rarest one has its occasion at three of four, for the
#: program's seat may open trump before: one run in four thousand millions finds none.
_TABLES: Final = 16


def scenarios(*, sample: bool) -> Iterator[Scenario]:
    """Yield the scenarios of all suites, or fewer of them if `sample`."""
    # A game without profiles has one table, by its usual agreement.
    tables = [(game, name) for game in GAMES for name in GAMES[game].profiles or ("",)]
    for game, name in tables[:1] if sample else tables:
        yield Scenario("honest", f"a hand under {name or game}", name, game)
    yield Scenario("network", "frames lost, repeated, out of order", weather=STORM)
    yield Scenario("network", "noise, and messages signed by another's key", forgeries=True)
    # By its fifth round a hand has begun. Six tables, as a hand that is passed out ends before.
    yield Scenario("restart", "killed during the hand", restart_after=5, seeds=6)
    if not sample:
        # In the twentieth round, with messages that get lost as well; under pagat, whose cut and
        # second auction make a hand longer.
        late = Scenario("restart", "killed later, in bad weather", "pagat", restart_after=20)
        yield replace(late, weather=STORM, seeds=6)
    yield Scenario("catch-up", "heads are answered with what is lacking", catch_up=True)
    for place, cheat in enumerate(CHEATS):
        # Three of different kinds: keys, a shuffle, shares.
        if not sample or place in (1, 3, 6):
            # Under pagat, whose hands have every kind of message that a cheat alters.
            yield Scenario("cheats", cheat.name, "pagat", cheat=cheat, seeds=_TABLES)


class _Sitting:
    """The program in its seat, started, killed and started again, at a table of ours."""

    def __init__(self, command: str, mixed: MixedTable, home: Path, deadline: float) -> None:
        """Keep what a sitting needs, without starting the program: its command, which is to play
        one hand, the table `mixed`, its folder `home`, and the seconds that each wait may take.

        Raises UserError for a command without words.
        """
        # One hand, since a sitting is about one hand.
        self._command = [*command_words(command), "--hands", "1"]
        self._mixed, self._deadline = mixed, deadline
        self._home, self._said = home, home / "stderr.txt"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the program, and write its seat's invite to its input, which is then closed.
        Raises UserError if it cannot be started.
        """
        # The folder of its journal: a program that is started again must find it.
        given = {**os.environ, HOME: str(self._home)}
        # What it says is read from the broker, not from its output. Appended, as a program may be
        # started twice.
        with self._said.open("ab") as said:
            self._process = start_program(
                self._command, stdout=subprocess.DEVNULL, stderr=said, env=given
            )
        # Closed behind it: the program may read to the end of its input. A pipe was asked for.
        assert self._process.stdin is not None
        # It may have ended without reading, which is noticed soon.
        with suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(f"{self._mixed.invite.format()}\n".encode())

    @property
    def status(self) -> int | None:
        """The exit status of the program, also after we killed it; None while it runs and before
        its start.
        """
        return None if self._process is None else self._process.poll()

    # Killed without a word: the seat must come back from its journal.
    def kill(self) -> None:
        """Kill the program, and wait until it has ended; do nothing before its start."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def complaint(self) -> str:
        """Return a clause for a trial's detail: the last characters that the program wrote to
        its error stream, quoted, and its exit status if it has ended; or that it said nothing.
        """
        # The end of what it wrote is what matters; quoted, as it is a stranger's text.
        said = self._said.read_text("utf-8", "replace").strip()[-_TOLD:]
        ended = "" if self.status is None else f" (ended with {self.status})"
        return f"it said {said!a}{ended}" if said or ended else "it said nothing"

    async def run(self, until: Callable[[], bool]) -> bool:
        """Let our seats play until `until()` is true, the deadline passes, or some seconds have
        gone since the program ended; return whether `until()` is true then.
        """
        loop = asyncio.get_running_loop()
        # The moment at which it was found to have ended: a list, for `over` to fill.
        gone: list[float] = []

        # Its last messages may still be on the way.
        def over() -> bool:
            """Return whether to stop: `until` holds, or the program ended some seconds ago."""
            if not gone and self.status is not None:
                gone.append(loop.time())
            return until() or bool(gone and loop.time() >= gone[0] + _GRACE)

        # Not its result: `over` holds also where the program ended without what was waited for.
        await self._mixed.run(over, self._deadline)
        return until()

    def problems(self) -> list[str]:
        """Return what the table noted as wrong with the program, and each check of which our
        seats blame its seat; empty for nothing.
        """
        mixed = self._mixed
        # All of ours see the same, so that one name is enough.
        blamed = {each.check for each in mixed.blamed if each.seat == mixed.theirs}
        return [*sorted(set(mixed.wrong)), *(f"it is blamed: {e}" for e in sorted(blamed))]

    async def played(self, scenario: Scenario) -> list[str] | None:
        """Play a scenario at this table, and return sentences of what the program did wrong, empty
        for nothing.

        None if nothing was wrong, but what the scenario tries had no occasion at this table:
        another table must be tried.
        """
        mixed, after = self._mixed, scenario.restart_after
        # Before anything else: without a charter there is no table to judge.
        if not await self.run(lambda: bool(mixed.sessions)):
            return [f"it never took its seat: {self.complaint()}"]
        if scenario.cheat is not None:
            return await self.play_cheat(scenario.cheat)
        if after is not None:
            if not await self.run(lambda: mixed.rounds() >= after or mixed.played(1)):
                return [f"the hand did not begin; {self.complaint()}"]
            if mixed.rounds() < after:
                return self.problems() or None  # a hand that was passed out
            self.kill()
            self.start()
        if scenario.catch_up:
            return await self.caught_up()
        # Blame ends the hand as well: there is nothing left to wait for.
        done = await self.run(lambda: mixed.played(1) or bool(mixed.blamed))
        problems = self.problems()
        if not done:
            problems.append(f"the hand did not end; {mixed.rounds()} rounds are closed")
        elif not problems:
            await mixed.run(lambda: self.status is not None, _ENDING)  # we go on answering it
            if self.status != 0:
                problems.append("it did not end by itself with status 0")
        return [*problems, self.complaint()] if problems else []

    async def play_cheat(self, cheat: Cheat) -> list[str] | None:
        """Play until our seats have stopped at the cheat or the hand ends, then watch the program
        for some seconds; return sentences of what was wrong, empty for nothing.

        It must publish the message that convicts and not accept the cheat, and our own seats must
        find the right check. None if nobody cheated and nothing was wrong.
        """
        mixed = self._mixed
        ended = await self.run(lambda: mixed.stopped() or mixed.played(1))
        # Neither a cheat nor a result: something is wrong, and we say what.
        # Not ended, no lie and still running: a slow hand without an occasion, which comes below.
        if not ended and (mixed.lie is not None or self.status is not None):
            what = "the hand did not go on" if mixed.lie is None else "nobody stopped"
            return [*self.problems(), f"{what}; {self.complaint()}"]
        # The cheat had no occasion in this hand: another table may have it.
        if mixed.lie is None:
            return self.problems() or None
        # Its result is asked below. A time of its own: `self.run` would wait as long as for a hand.
        await mixed.run(lambda: mixed.convicts, _CONVICTS)
        # Drawn, so that only an answer to this question counts.
        question = secrets.token_bytes(16)
        # As if we had nothing, so that its heads tell how far it went.
        mixed.ask_for_everything(question)
        # Its own end, or an answer that was made after the lie.
        await mixed.run(lambda: self.status is not None or question in mixed.answers, _QUIET)
        problems = self.problems()
        checks = {each.check for each in mixed.blamed if each.seat == CHEATING}
        # Our own seats must find what the cheat is about: else the trial means nothing.
        if checks != {cheat.check}:
            problems.append(f"our own seats found {sorted(checks)}, not {cheat.check}")
        if not mixed.convicts:
            problems.append("it did not publish the message that convicts")
        if mixed.after_cheat and not cheat.both:  # of two, it rightly holds the first
            problems.append(f"it accepted the cheat, as {mixed.after_cheat[0]} show")
        return problems

    async def caught_up(self) -> list[str]:
        """From the third round ask the program for its heads as if we had no message, and return
        sentences of what was wrong: it must answer, and send messages again; empty for nothing.
        """
        # By its third round there is something to be lacking.
        if not await self.run(lambda: self._mixed.rounds() >= 3):
            return [f"the hand did not begin; {self.complaint()}"]
        question, before = secrets.token_bytes(16), self._mixed.messages
        self._mixed.ask_for_everything(question)
        answered = await self.run(lambda: question in self._mixed.answers)
        # Four messages are enough: the rest comes the same way.
        again = await self._mixed.run(lambda: self._mixed.messages >= before + 4, _AGAIN)
        problems = self.problems()
        if not answered:
            problems.append("it did not answer a question about heads")
        elif not again:
            problems.append("it did not send again what we said we lack")
        return problems


async def sit(command: str, scenario: Scenario, *, deadline: float, first: bool = False) -> Trial:
    """Try a scenario at one table after another until its occasion comes or something is wrong, and
    return the trial; UNSUPPORTED if no table gave the occasion.

    With `first`, raises UserError in place of returning a failure if the program never takes its
    seat.
    """
    named = scenario.suite, scenario.name
    # Tables are tried until the occasion comes (see `_TABLES`).
    for seed in range(scenario.seeds):
        async with EmbeddedBroker() as broker:
            mixed = MixedTable(broker.address, scenario, seed)
            # The program's home goes with the table: nothing of it is kept.
            with tempfile.TemporaryDirectory(prefix="p2p304-seat-") as home:
                sitting = _Sitting(command, mixed, Path(home), deadline)
                try:
                    async with mixed.transport:
                        sitting.start()
                        problems = await sitting.played(scenario)
                # Behind an error, too: no process may be left.
                finally:
                    sitting.kill()
        # The first sitting decides whether the program can be tried at all.
        if first and problems and not mixed.sessions:
            raise UserError(f"{command!a} cannot be tried: {problems[0]}")
        if problems is not None:
            return Trial(*named, Mark.FAILED if problems else Mark.PASSED, "; ".join(problems))
    return Trial(*named, Mark.UNSUPPORTED, "it had no occasion")


async def try_seat(
    command: str, *, sample: bool, deadline: float, tables: int = 1
) -> AsyncIterator[Trial]:
    """Yield the trial of every scenario, or of fewer if `sample`, in their order, with the program
    in the last seat; at most `tables` are played at a time.

    Raises UserError if the program does not take its seat in the first scenario. A caller that
    stops early ends all sittings.
    """
    # For its error alone, before any sitting: a command that cannot be split.
    command_words(command)
    room = asyncio.Semaphore(tables)

    async def sit_down(scenario: Scenario, *, first: bool) -> Trial:
        """Try one scenario, as soon as fewer than `tables` others are being tried."""
        async with room:
            return await sit(command, scenario, deadline=deadline, first=first)

    # No group: it would wrap what the first raises, and what ends this may not wait for the others.
    every = enumerate(scenarios(sample=sample))
    tasks = [asyncio.create_task(sit_down(each, first=at == 0)) for at, each in every]
    try:
        for task in tasks:
            # A caller that stops in the middle ends all sittings.
            yield await task
    finally:
        await stop(*tasks)
