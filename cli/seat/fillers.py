"""Bots that fill seats: child processes of the host's, ended by their ids when the host ends.

Each has a home of its own inside the table's directory, so that it has a key of its own and goes on
where it was when the host resumes the table.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from cli.children import environment, own_program
from cli.invite import Invite
from cli.seat.nursery import ENDING, MOST_BOTS, POSSIBLE, Nursery
from cli.store.paths import HOME_VARIABLE, make_private_directory, table_directory
from p2p304.seats import Seat, place_name
from protocol.wire.charter import MAX_SEATS

LONGEST_REASON: Final = 300


def fill_order(seats: int) -> tuple[Seat, ...]:
    """Which seats of a table bots take first: every other one, then those between them, where the
    founder's partners sit."""
    return tuple(Seat(seat) for first in (1, 2) for seat in range(first, seats, 2))


def bot_home(directory: Path, seat: Seat) -> Path:
    """Where the bot in a seat keeps its things; `directory` is the table's."""
    return directory / f"bot-{seat}"


def filled_seats(root: Path, table: bytes) -> tuple[Seat, ...]:
    """The seats of a table that were filled with bots from this machine."""
    directory = table_directory(root, table)
    return tuple(
        Seat(seat) for seat in range(1, MAX_SEATS) if bot_home(directory, Seat(seat)).is_dir()
    )


class Fillers:
    """The bots of a table of `seats`. `tell` gets a sentence if one of them ends before the table
    does."""

    def __init__(
        self,
        root: Path,
        seats: int,
        tell: Callable[[str], None],
        nursery: Nursery | None = None,
    ) -> None:
        """A `nursery` that was started before is used, and ended as if it were our own."""
        self._root = root
        self._seats = seats
        self._tell = tell
        self._nursery = nursery
        self._hatched: list[tuple[Seat, Path]] = []
        self._processes: list[asyncio.subprocess.Process] = []
        self._watches: list[asyncio.Task[None]] = []

    async def sit_down(
        self, invites: tuple[Invite, ...], options: tuple[str, ...], orders: str | None = None
    ) -> None:
        """Start a bot for each invite; it reads it from its standard input, and after it a line of
        orders if there are any. Raises OSError."""
        arguments = ("--leash", *(() if orders is None else ("--ordered",)), *options)
        if invites and POSSIBLE and self._nursery is None:
            self._nursery = Nursery(MOST_BOTS)
        for invite in invites:
            assert invite.seat is not None
            directory = table_directory(self._root, invite.table)
            home = make_private_directory(bot_home(directory, invite.seat))
            output = home / "output.txt"
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            text = f"{invite.format()}\n{orders or ''}\n"
            with os.fdopen(os.open(output, flags, 0o600), "wb") as file:
                if self._nursery is None or self._nursery.full:
                    await self._spawn(home, file, arguments, text)
                    self._watch(self._spawned(self._processes[-1], invite.seat, output))
                    continue
            self._nursery.hatch(output, arguments, text, variables={HOME_VARIABLE: str(home)})
            self._hatched.append((invite.seat, output))
            if len(self._hatched) == 1:
                self._watch(self._forked(self._nursery))

    async def _spawn(
        self, home: Path, output: BinaryIO, arguments: tuple[str, ...], text: str
    ) -> None:
        """A bot that imports the program by itself."""
        process = await asyncio.create_subprocess_exec(
            *own_program("bot", *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=output,
            env=environment(**{HOME_VARIABLE: str(home)}),
            start_new_session=True,  # Ctrl-C is the host's alone
        )
        self._processes.append(process)
        assert process.stdin is not None
        process.stdin.write(text.encode())
        with suppress(ConnectionError):
            await process.stdin.drain()  # it stays open: its end tells the bot that we are gone

    async def leave(self) -> None:
        """End every bot that is still there."""
        for watch in self._watches:
            watch.cancel()
        if self._nursery is not None:
            await asyncio.to_thread(self._nursery.end)
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

    def _watch(self, work: Coroutine[None, None, None]) -> None:
        self._watches.append(asyncio.create_task(work))

    async def _spawned(self, process: asyncio.subprocess.Process, seat: Seat, output: Path) -> None:
        await self._tell_of(await process.wait(), seat, output)

    async def _forked(self, nursery: Nursery) -> None:
        while (end := await asyncio.to_thread(nursery.ended)) is not None:
            number, code = end
            await self._tell_of(code, *self._hatched[number])
        reason = _last_line(nursery.complaint()) or "something ended their process"
        self._tell(f"All bots have ended: {reason}")

    async def _tell_of(self, code: int, seat: Seat, output: Path) -> None:
        if code:
            said = await asyncio.to_thread(output.read_text, "utf-8", "replace")
            reason = _last_line(said) or f"code {code}"
            self._tell(f"The bot in seat {place_name(seat, self._seats)} ended: {reason}")


def _last_line(said: str) -> str:
    return (said.strip().splitlines() or [""])[-1][-LONGEST_REASON:]
