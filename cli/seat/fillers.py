"""Bots that fill seats: child processes of the host's, ended by their ids when the host ends.

Each has a home of its own inside the table's directory, so that it has a key of its own and goes on
where it was when the host resumes the table.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from cli.children import environment, own_program
from cli.invite import Invite
from cli.store.paths import HOME_VARIABLE, make_private_directory, table_directory
from p2p304.seats import Seat, place_name
from protocol.wire.charter import MAX_SEATS

ENDING: Final = 5.0
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

    def __init__(self, root: Path, seats: int, tell: Callable[[str], None]) -> None:
        self._root = root
        self._seats = seats
        self._tell = tell
        self._processes: list[asyncio.subprocess.Process] = []
        self._watches: list[asyncio.Task[None]] = []

    async def sit_down(
        self, invites: tuple[Invite, ...], options: tuple[str, ...], orders: str | None = None
    ) -> None:
        """Start a bot for each invite; it reads it from its standard input, and after it a line of
        orders if there are any. Raises OSError."""
        more = () if orders is None else ("--ordered",)
        for invite in invites:
            assert invite.seat is not None
            directory = table_directory(self._root, invite.table)
            home = make_private_directory(bot_home(directory, invite.seat))
            output = home / "output.txt"
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(output, flags, 0o600), "wb") as file:
                process = await asyncio.create_subprocess_exec(
                    *own_program("bot", "--leash", *more, *options),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=file,
                    env=environment(**{HOME_VARIABLE: str(home)}),
                    start_new_session=True,  # Ctrl-C is the host's alone
                )
            self._processes.append(process)
            watch = asyncio.create_task(self._watch(process, invite.seat, output))
            self._watches.append(watch)
            assert process.stdin is not None
            process.stdin.write(f"{invite.format()}\n{orders or ''}\n".encode())
            with suppress(ConnectionError):
                await process.stdin.drain()  # it stays open: its end tells the bot that we are gone

    async def leave(self) -> None:
        """End every bot that is still there."""
        for watch in self._watches:
            watch.cancel()
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

    async def _watch(self, process: asyncio.subprocess.Process, seat: Seat, output: Path) -> None:
        code = await process.wait()
        if code:
            said = await asyncio.to_thread(output.read_text, "utf-8", "replace")
            (reason,) = said.strip().splitlines()[-1:] or [f"code {code}"]
            where = place_name(seat, self._seats)
            self._tell(f"The bot at {where} ended: {reason[-LONGEST_REASON:]}")
