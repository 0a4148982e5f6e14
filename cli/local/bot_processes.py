"""Bots in processes of their own: beside a player, or a whole table for a demonstration.

Each has a home of its own, so that it has a key of its own and goes on where it was when its table
is resumed. Whatever happens, all of them are ended, by id, by whoever started them.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self

from cli.children import environment, own_program
from cli.errors import StoreError, UserError
from cli.invite import Invite
from cli.local.sitting import FOUNDER, NewTable
from cli.seat.setup import Orders
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import HOME_VARIABLE, make_private_directory, table_directory
from cli.store.settings import LONGEST_PACE
from cli.tasks import Errands, together
from p2p304.seats import Seat, place_name
from protocol.wire.charter import MAX_SEATS, Charter
from protocol.wire.identity import PublicKey

NAMES: Final = (*("Amara", "Banu", "Chandra", "Dilini", "Eshan", "Farook", "Gayani", "Harini"),)
LINGER: Final = 2.0
ENDING: Final = 5.0
"""Seconds that a bot has to end after it was told to."""
AT_ONCE: Final = ("--level", "steady", "--think", "0")
"""Options of a bot that decides as soon as it can, the same with the same seed."""
LONGEST_REASON: Final = 300


def name_of(seat: int) -> str:
    """Return what the bot in a seat is called, at a table of any size."""
    again, place = divmod(seat, len(NAMES))
    return NAMES[place] if not again else f"{NAMES[place]} {again + 1}"


def name_among_people(seat: Seat) -> str:
    """Return what the bot in a seat is called where people sit who see nothing of it but that."""
    return f"Bot {NAMES[-1] if seat == FOUNDER else name_of(seat - 1)}"


def fill_order(seats: int) -> tuple[Seat, ...]:
    """Return which seats of a table bots take first: every other one, then those between them,
    where the founder's partners sit."""
    return tuple(Seat(seat) for first in (1, 2) for seat in range(first, seats, 2))


def bot_home(directory: Path, seat: Seat) -> Path:
    """Return where the bot in a seat keeps its things; `directory` is the table's."""
    return directory / f"bot-{seat}"


def filled_seats(root: Path, table: bytes) -> tuple[Seat, ...]:
    """Return the seats of a table that were filled with bots from this machine."""
    directory = table_directory(root, table)
    return tuple(
        Seat(seat) for seat in range(1, MAX_SEATS) if bot_home(directory, Seat(seat)).is_dir()
    )


def home_of(directory: Path, seat: Seat, key: PublicKey) -> Path:
    """Return the folder in which the bot in `seat` keeps its files.

    `directory` is the folder of the table. A bot that came along from another table keeps the
    folder that it had there.
    """
    here = bot_home(directory, seat)
    for home in () if here.is_dir() else sorted(directory.parent.glob(f"*/{here.name}")):
        with suppress(StoreError):
            if IdentityStore(home).public_key == key:
                return home
    return here


def homes_at(directory: Path, charter: Charter) -> dict[Seat, Path]:
    """Return the homes of the bots of a table that this machine started, here or at the tables
    whose match it goes on with: a bot that stays keeps its home.

    `directory` is the table's. A home in whose seat somebody else's key sits is none of them.
    """
    found = {}
    places = sorted(directory.parent.glob("*/bot-*")) if charter.continues else ()
    for home in (*places, *directory.glob("bot-*")):
        number = home.name.removeprefix("bot-")
        seat = Seat(int(number)) if number.isdecimal() else Seat(MAX_SEATS)
        try:
            key = IdentityStore(home).public_key
        except StoreError:
            continue
        if key is not None and charter.key_of(seat) == key:
            found[seat] = home
    return found


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot to be started: its seat, its directory, its command line, and its secret orders.

    What it tells is ours to read if it is `heard`.
    """

    invite: Invite
    home: Path
    options: tuple[str, ...] = ()
    orders: Orders | None = None
    heard: bool = False
    name: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """All of its command line."""
        ordered = () if self.orders is None else ("--ordered",)
        named = ("--name", self.name) if self.name else ()
        return ("--ends-with-input", *ordered, *named, *self.options)

    @property
    def text(self) -> str:
        """What it reads; its input stays open, for its end tells the bot that we are gone."""
        orders = "" if self.orders is None else self.orders.format()
        return f"{self.invite.format()}\n{orders}\n"


def whole_table(
    table: NewTable,
    homes: tuple[Path, ...],
    options: tuple[tuple[str, ...], ...],
    chance: tuple[bytes, ...] = (),
) -> tuple[Bot, ...]:
    """Return a bot for every seat of a new table, the founder's heard; the same decisions always.

    Each seat has its directory and its `options`, and its `chance` if the same cards are wanted.
    """
    bots = []
    for seat, invite in enumerate(table.invites):
        founder = seat == FOUNDER
        orders = Orders(table.founding if founder else None, chance[seat] if chance else None)
        seed = ("--seed", f"{seat + 1}", *AT_ONCE)
        told = (*seed, "--linger", f"{LINGER:g}", *(("--tell",) if founder else ()), *options[seat])
        bots.append(Bot(invite, homes[seat], told, orders, heard=founder, name=name_of(seat)))
    return tuple(bots)


class Bots(Protocol):
    """The bots of a table, however they run; as a context it ends them all."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def start(self, *bots: Bot) -> None:
        """Start them. Raises UserError if one cannot be started."""
        ...

    def pace(self, seconds: float) -> None:
        """Let every move of the table lie there so long before one of a bot, from now on."""
        ...

    async def end(self) -> None:
        """End every bot that is still there; once is enough."""
        ...


class _Spawned(NamedTuple):
    """A bot, and where it writes what it complains of."""

    seat: Seat
    output: Path
    process: asyncio.subprocess.Process


class BotProcesses:
    """The bots of a table of `seats`, each in a process of its own; as a context it ends them all.

    `tell` gets a sentence if one of them ends before the table does; without it they are waited
    for with `finished`.
    """

    def __init__(self, seats: int, tell: Callable[[str], None] | None = None) -> None:
        self._seats = seats
        self._tell = tell
        self._spawned: list[_Spawned] = []
        self._heard: asyncio.StreamReader | None = None
        self._watching = Errands()
        self._pace = 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.end()

    async def start(self, *bots: Bot) -> None:
        """See Bots.start."""
        try:
            for bot in bots:
                await self._begin(bot)
        except OSError as error:
            raise UserError(why_not_started(error)) from error

    async def _begin(self, bot: Bot) -> None:
        assert bot.invite.seat is not None
        output = make_private_directory(bot.home) / "output.txt"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(output, flags, 0o600), "wb") as file:
            process = await asyncio.create_subprocess_exec(
                *own_program("bot", *bot.arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE if bot.heard else asyncio.subprocess.DEVNULL,
                stderr=file,
                env=environment(**{HOME_VARIABLE: str(bot.home)}, PYTHONUNBUFFERED="1"),
                start_new_session=True,  # Ctrl-C is ours alone
            )
        self._spawned.append(_Spawned(bot.invite.seat, output, process))
        if self._tell is not None:
            self._watching.start(self._watch(self._spawned[-1], self._tell))
        if bot.heard:
            self._heard = process.stdout
        assert process.stdin is not None
        process.stdin.write(f"{bot.text}{pace_line(self._pace)}\n".encode())
        with suppress(ConnectionError):  # it has ended, which is told elsewhere
            await process.stdin.drain()

    def pace(self, seconds: float) -> None:
        """See Bots.pace."""
        self._pace, line = seconds, pace_line(seconds)
        for bot in self._spawned:
            stdin = bot.process.stdin
            # Of a bot that reads nothing any more, nothing piles up.
            if stdin is not None and not stdin.transport.get_write_buffer_size():
                stdin.write(f"{line}\n".encode())

    async def lines(self) -> AsyncIterator[str]:
        """Yield what the bot that is heard tells, line by line, until it tells nothing more."""
        assert self._heard is not None
        while line := await self._heard.readline():
            yield line.decode("utf-8", "replace").rstrip("\n")

    async def finished(self, deadline: float) -> None:
        """Wait until all have ended by themselves. Raises UserError if one failed or is late."""
        try:
            async with asyncio.timeout(deadline):
                await together(*map(self._well, self._spawned))
        except TimeoutError:
            raise UserError(f"The table did not end within {deadline:g} seconds.") from None

    async def _well(self, bot: _Spawned) -> None:
        if why := await self._why(bot):
            raise UserError(why)

    async def end(self) -> None:
        """See Bots.end."""
        await self._watching.end()
        for bot in self._spawned:
            if bot.process.returncode is None:
                with suppress(ProcessLookupError):
                    bot.process.terminate()
        for bot in self._spawned:
            try:
                async with asyncio.timeout(ENDING):
                    await bot.process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    bot.process.kill()
                await bot.process.wait()

    async def _watch(self, bot: _Spawned, tell: Callable[[str], None]) -> None:
        if why := await self._why(bot):
            tell(why)

    async def _why(self, bot: _Spawned) -> str:
        """Return why a bot ended, once it has; nothing where it was to end."""
        code = await bot.process.wait()
        if not code:
            return ""
        said = await asyncio.to_thread(bot.output.read_text, "utf-8", "replace")
        reason = _last_line(said)
        if not reason:  # what it had to say may have found no room
            full = not shutil.disk_usage(bot.output.parent).free
            reason = "the disk is full." if full else f"code {code}"
        return has_ended(bot.seat, self._seats, reason)


def has_ended(seat: Seat, seats: int, reason: str) -> str:
    """Return that the bot in a seat, at a table of so many, ended before the table did, and why."""
    return f"The bot in seat {place_name(seat, seats).removeprefix('seat ')} ended: {reason}"


def why_not_started(error: OSError) -> str:
    """Return why no bot can be started, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full, so no bot can be started: make room, then try again."
    place = "" if error.filename is None else f"{error.filename}: "
    return f"No bot can be started ({place}{error.strerror or error}): mend that, then try again."


def _last_line(said: str) -> str:
    return (said.strip().splitlines() or [""])[-1][-LONGEST_REASON:]


def bots_kept(root: Path) -> frozenset[bytes]:
    """Return the keys of the bots that this machine started, at the tables of `root`."""
    found = set()
    for home in sorted(root.glob("tables/*/bot-*")):
        with suppress(StoreError, OSError):
            key = IdentityStore(home).public_key
            if key is not None:
                found.add(key.to_bytes())
    return frozenset(found)


def own_bots(directory: Path, charter: Charter) -> frozenset[int]:
    """Return the seats of bots that this machine started, whose keys it made itself.

    `directory` is the table's. A seat in which somebody else's key sits is none of them.
    """
    return frozenset(homes_at(directory, charter))


def remember_others(
    known: PeersFile, charter: Charter, seat: Seat, *, bots: frozenset[int]
) -> None:
    """Keep the keys and names of those whom we agreed to play with. Raises StoreError.

    Our own bots have a new key at every table under the same names: whoever kept them would be
    warned of them each time, until the warning is worth nothing.
    """
    for number, entry in enumerate(charter.seats):
        if number != seat and number not in bots:
            known.remember(entry.key, entry.nickname)


_WORD: Final = "pace"


def pace_line(seconds: float) -> str:
    """Return the line that tells a bot of ours a new pace."""
    return f"{_WORD} {seconds:g}"


def pace_in(line: str) -> float | None:
    """Return the pace that a line tells; None for any other line."""
    word, _, number = line.strip().partition(" ")
    if word != _WORD:
        return None
    try:
        seconds = float(number)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_PACE else None
