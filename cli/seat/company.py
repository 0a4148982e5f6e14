"""Four bots in four operating-system processes at one table, for demonstrations and measurements.

Each has a home of its own and gets its invite through its standard input. Whatever happens, all of
them are ended, by id, when the company breaks up.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from cli.children import environment, own_program
from cli.errors import UserError
from cli.seat.orders import Orders
from cli.seat.sitting import FOUNDER, NewTable
from cli.store.disk import REAL_DISK
from cli.store.paths import HOME_VARIABLE

NAMES: Final = ("Amara", "Banu", "Chandra", "Dilini")
_MORE: Final = (*NAMES, "Eshan", "Farook", "Gayani", "Harini")
ENDING: Final = 10.0
LINGER: Final = 2.0


def name_of(seat: int) -> str:
    """What the bot in a seat is called, at a table of any size."""
    again, place = divmod(seat, len(_MORE))
    return _MORE[place] if not again else f"{_MORE[place]} {again + 1}"


class Company:
    """The processes of one table. `homes` are their directories, which are made."""

    def __init__(self, table: NewTable, homes: tuple[Path, ...]) -> None:
        self._table = table
        self._homes = homes
        self._processes: list[asyncio.subprocess.Process] = []

    async def sit_down(
        self,
        *,
        hands: int | None,
        matches: int = 1,
        seeds: tuple[int, ...],
        chance: tuple[bytes | None, ...],
        options: tuple[tuple[str, ...], ...] | None = None,
    ) -> None:
        """Start all of them; the founder's output is ours to read, the others' goes to files."""
        for seat, invite in enumerate(self._table.invites):
            founder = seat == FOUNDER
            orders = Orders(self._table.founding if founder else None, chance[seat])
            arguments = [
                "--ordered",
                "--leash",
                "--name",
                name_of(seat),
                "--seed",
                f"{seeds[seat]}",
            ]
            arguments += ["--matches", f"{matches}", *(options[seat] if options else ())]
            if hands is not None:
                arguments += ["--hands", f"{hands}"]
            arguments += ["--linger", f"{LINGER:g}"]
            if founder:
                arguments.append("--tell")
            home = self._homes[seat]
            home.mkdir(mode=0o700)
            with os.fdopen(REAL_DISK.create(home / "output.txt"), "wb") as output:
                process = await asyncio.create_subprocess_exec(
                    *own_program("bot", *arguments),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE if founder else output,
                    stderr=output,
                    env=environment(**{HOME_VARIABLE: str(home)}, PYTHONUNBUFFERED="1"),
                )
            self._processes.append(process)
            assert process.stdin is not None
            process.stdin.write(f"{invite.format()}\n{orders.format()}\n".encode())
            await process.stdin.drain()  # it stays open: its end tells the bot that we are gone

    async def lines(self) -> AsyncIterator[str]:
        """What the founder tells, line by line, until it has nothing more to tell."""
        founder = self._processes[FOUNDER]
        assert founder.stdout is not None
        while line := await founder.stdout.readline():
            yield line.decode("utf-8", "replace").rstrip("\n")

    async def finished(self, deadline: float) -> None:
        """Wait until all have ended by themselves. Raises UserError if one failed or is late."""
        waits = [asyncio.create_task(self._ended(seat)) for seat in range(len(self._processes))]
        try:
            async with asyncio.timeout(deadline):
                await asyncio.gather(*waits)
        except TimeoutError:
            raise UserError(f"The table did not end within {deadline:g} seconds.") from None
        finally:
            for wait in waits:
                wait.cancel()

    async def _ended(self, seat: int) -> None:
        code = await self._processes[seat].wait()
        if code:
            said = (self._homes[seat] / "output.txt").read_text("utf-8", "replace")[-500:]
            raise UserError(f"The bot in seat {seat} ended with code {code}: {said.strip()}")

    async def break_up(self) -> None:
        """End every process that is still there."""
        for process in self._processes:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.terminate()
        for process in self._processes:
            try:
                async with asyncio.timeout(ENDING):
                    await process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
