"""Bots of this machine, each in a process: beside a player, or a whole table for a demonstration.

Each bot has its own home, and so its own key and journal: it goes on when its table is resumed.
Whatever happens, the process that started them ends all of them, by id.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from cli.bounds import BOT_ENDS_WITHIN, LONGEST_PACE, LONGEST_REASON
from cli.children import environment, own_program
from cli.errors import StoreError, UserError
from cli.invite import Invite
from cli.local.sitting import FOUNDER, new_setup
from cli.seat.setup import Founding, Setup
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import HOME_VARIABLE, make_private_directory
from cli.tasks import Errands, together
from p2p304.seats import Seat
from protocol.bounds import MAX_SEATS
from protocol.cards.secrets import expand
from protocol.wire.charter import Charter

NAMES: Final = ("Amara", "Banu", "Chandra", "Dilini", "Eshan", "Farook", "Gayani", "Harini")
#: Options of a bot that decides as soon as it can, the same with the same seed.
AT_ONCE: Final = ("--level", "steady", "--think", "0")


def name_of(seat: int) -> str:
    """Return the nickname of the bot in a seat, another one in each: "Amara" in seat 0, "Amara
    2" in seat 8.
    """
    again, place = divmod(seat, len(NAMES))
    return NAMES[place] if not again else f"{NAMES[place]} {again + 1}"


def name_among_people(seat: Seat) -> str:
    """Return the nickname of a bot at a table with people: "Bot" and a name, counted from seat
    1.
    """
    # A person founds, so names count from seat 1; a bot that sits in for the founder has the last.
    return f"Bot {NAMES[-1] if seat == FOUNDER else name_of(seat - 1)}"


def fill_order(seats: int) -> tuple[Seat, ...]:
    """Return the seats but the founder's in the order in which bots take them: every other seat
    first, then the founder's partners.
    """
    # Others first: a bot as partner is the last resort.
    return tuple(Seat(seat) for first in (1, 2) for seat in range(first, seats, 2))


def bot_home(directory: Path, seat: Seat) -> Path:
    """Return the home of the bot in a seat, below the table's folder `directory`."""
    return directory / f"bot-{seat}"


def filled_seats(directory: Path) -> frozenset[Seat]:
    """Return the seats of a table in which this machine seated bots, by the bots' homes below the
    table's folder `directory`.
    """
    seats = map(Seat, range(MAX_SEATS))
    return frozenset(seat for seat in seats if bot_home(directory, seat).is_dir())


def homes_at(directory: Path, charter: Charter) -> dict[Seat, Path]:
    """Return the homes of this machine's bots at a table, by seat.

    They are in the table's folder `directory`, or in that of a table whose match it goes on with: a
    bot that stays keeps its home. A home in whose seat another key sits does not count.
    """
    found = {}
    # Only a table that goes on with a match can have bots of other tables.
    places = sorted(directory.parent.glob("*/bot-*")) if charter.continues else ()
    # The table's own last: they count if there are two for a seat.
    for home in (*places, *directory.glob("bot-*")):
        number = home.name.removeprefix("bot-")
        # A seat that cannot be: its key is nobody's.
        seat = Seat(int(number)) if number.isdecimal() else Seat(MAX_SEATS)
        try:
            key = IdentityStore(home).public_key
        # A home without a readable key is no bot of ours.
        except StoreError:
            continue
        if key is not None and charter.key_of(seat) == key:
            found[seat] = home
    return found


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot to start: its setup, its home, and its command line.

    Its output is read by us if it is `heard`.
    """

    setup: Setup
    home: Path
    options: tuple[str, ...] = ()
    heard: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """All arguments of `p2p304 bot`, the bot's own `options` last."""
        # The bot ends with its input, so that none outlives us, even if we are killed.
        return ("--ends-with-input", *self.options)

    @property
    def text(self) -> str:
        """The text on its input: its setup, which is secret. The input stays open; its end tells
        the bot that we are gone.
        """
        return f"{self.setup.to_bytes().hex()}\n"


def drawn_setup(
    invite: Invite, home: Path, name: str, seed: bytes | None, founding: Founding | None = None
) -> Setup:
    """Return the setup of a bot in this home, as the founder if it has the `founding`, and make its
    key, both from a `seed` of 32 bytes: for the same one the same cards come again; None is chance.
    """
    # Under the demo's label, also for the bots of `play --seed`.
    entropy = secrets.token_bytes if seed is None else expand(seed, b"demo")
    setup = new_setup(invite, name, founding=founding, entropy=entropy)
    # Made now, from the seed: whoever needs the key first would draw it from chance.
    IdentityStore(home).key(entropy)
    return setup


class _Spawned(NamedTuple):
    """A bot's process, under its nickname, and the file with its error output."""

    name: str
    output: Path
    process: asyncio.subprocess.Process


class BotProcesses:
    """The bots of a table, each in a process; `end` ends them all.

    `tell` is called with a sentence if one ends with an error; without it they are waited for with
    `finished`.
    """

    def __init__(self, tell: Callable[[str], None] | None = None) -> None:
        self._tell = tell
        self._spawned: list[_Spawned] = []
        self._heard: asyncio.StreamReader | None = None
        self._watching = Errands()
        self._pace = 0.0

    async def start(self, *bots: Bot) -> None:
        """Start a process for each of these bots. Raises UserError if one cannot be started."""
        try:
            for bot in bots:
                await self._begin(bot)
        except OSError as error:
            raise UserError(why_not_started(error)) from error

    async def _begin(self, bot: Bot) -> None:
        """Start one bot's process, and write its setup and pace to its input. Raises
        OSError, and StoreError if its home cannot be ours alone.
        """
        # A file, not a pipe: nobody has to read it, and it is there after a crash.
        output = make_private_directory(bot.home) / "output.txt"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        # For our eyes alone: it may name paths and tables.
        with os.fdopen(os.open(output, flags, 0o600), "wb") as file:
            process = await asyncio.create_subprocess_exec(
                *own_program("bot", *bot.arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE if bot.heard else asyncio.subprocess.DEVNULL,
                stderr=file,
                # Unbuffered, so that lines come as they are written.
                env=environment(**{HOME_VARIABLE: str(bot.home)}, PYTHONUNBUFFERED="1"),
                start_new_session=True,  # Ctrl-C is ours alone
            )
        self._spawned.append(_Spawned(bot.setup.nickname, output, process))
        if self._tell is not None:
            # Watched from the beginning: a bot may end at once.
            self._watching.start(self._watch(self._spawned[-1]))
        if bot.heard:
            self._heard = process.stdout
        # A pipe was asked for.
        assert process.stdin is not None
        # Its setup by the input: command lines are seen by every user of the machine.
        process.stdin.write(f"{bot.text}{pace_line(self._pace)}\n".encode())
        with suppress(ConnectionError):  # it has ended, which is told elsewhere
            await process.stdin.drain()

    def pace(self, seconds: float) -> None:
        """Set the seconds that every action is shown before one of a bot, also of a bot that is
        started later.
        """
        # Kept as well, for bots that are started later.
        self._pace, line = seconds, pace_line(seconds)
        for bot in self._spawned:
            stdin = bot.process.stdin
            # Not to a bot that has yet to read the line before: if it hangs, lines would pile up.
            if stdin is not None and not stdin.transport.get_write_buffer_size():
                stdin.write(f"{line}\n".encode())

    async def lines(self) -> AsyncIterator[str]:
        """Yield the lines of the heard bot's output until it ends."""
        # One of the started bots is `heard`: the founder.
        assert self._heard is not None
        while line := await self._heard.readline():
            yield line.decode("utf-8", "replace").rstrip("\n")

    async def finished(self, deadline: float) -> None:
        """Wait until all have ended by themselves. Raises UserError if one failed or takes over
        `deadline` seconds.
        """
        try:
            async with asyncio.timeout(deadline):
                # Whichever fails first ends the wait.
                await together(*map(self._watch, self._spawned))
        except TimeoutError:
            raise UserError(f"The table did not end within {deadline:g} seconds.") from None

    async def end(self) -> None:
        """Send every bot that still runs SIGTERM, wait until all have ended, and kill those that
        take over BOT_ENDS_WITHIN seconds.
        """
        # First: that they end now is no failure of which `tell` should hear.
        await self._watching.end()
        for bot in self._spawned:
            # First asked to end, all at once; then waited for, and killed if need be.
            if bot.process.returncode is None:
                # It may end between the question and the signal.
                with suppress(ProcessLookupError):
                    bot.process.terminate()
        for bot in self._spawned:
            try:
                async with asyncio.timeout(BOT_ENDS_WITHIN):
                    await bot.process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    # After the deadline: a process that is stopped hears no SIGTERM, but this.
                    bot.process.kill()
                await bot.process.wait()

    async def _watch(self, bot: _Spawned) -> None:
        """Wait for a bot to end; if it failed, tell why or, without `tell`, raise UserError."""
        if why := await self._why(bot):
            if self._tell is None:
                raise UserError(why)
            self._tell(why)

    async def _why(self, bot: _Spawned) -> str:
        """Wait for a bot to end and return why it failed; "" if it ended with code 0."""
        code = await bot.process.wait()
        # Code 0 is an end as it should be.
        if not code:
            return ""
        # The last line is the reason, also of a traceback.
        said = await asyncio.to_thread(bot.output.read_text, "utf-8", "replace")
        # An output without a line has no last one; the end of a long line says most.
        reason = (said.strip().splitlines() or [""])[-1][-LONGEST_REASON:]
        if not reason:
            # On a full disk the reason could not be written.
            full = not shutil.disk_usage(bot.output.parent).free
            reason = "the disk is full." if full else f"code {code}"
        return end_words(bot.name, reason)


def end_words(name: str, reason: str) -> str:
    """Return the sentence that the bot with this nickname ended before the table did, and why."""
    return f"A bot of yours, {name}, ended: {reason}"


def why_not_started(error: OSError) -> str:
    """Return the sentence on why no bot can be started, and what to do."""
    # The quota of one user is a full disk, too.
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full, so no bot can be started: make room, then try again."
    place = "" if error.filename is None else f"{error.filename}: "
    return f"No bot can be started ({place}{error.strerror or error}): mend that, then try again."


def known_bot_keys(root: Path) -> frozenset[bytes]:
    """Return the public keys of all bots that this machine started at tables of `root`; one that
    cannot be read is left out.
    """
    found = set()
    for home in root.glob("tables/*/bot-*"):
        # A home that cannot be read tells no key: the rest is listed.
        with suppress(StoreError, OSError):
            key = IdentityStore(home).public_key
            if key is not None:
                found.add(key.to_bytes())
    return frozenset(found)


def own_bots(directory: Path, charter: Charter) -> frozenset[int]:
    """Return the seats of a charter in which bots of this machine sit.

    `directory` is the table's folder. A seat with another key than the bot's does not count.
    """
    return frozenset(homes_at(directory, charter))


def remember_others(
    known: PeersFile, charter: Charter, seat: Seat, *, bots: frozenset[int]
) -> None:
    """Store the keys and nicknames of the other people at a table. Raises StoreError.

    Our own bots have new keys at every table under the same names: storing them would warn of a
    changed key each time, until nobody reads the warning.
    """
    for number, entry in enumerate(charter.seats):
        if number != seat and number not in bots:
            known.remember(entry.key, entry.nickname)


_WORD: Final = "pace"


def pace_line(seconds: float) -> str:
    """Return the line that, written to a bot process's input, sets its pace in seconds."""
    return f"{_WORD} {seconds:g}"


def pace_in(line: str) -> float | None:
    """Return the seconds in a line that `pace_line` writes; None for any other line, and for
    less than 0 or more than `LONGEST_PACE`.
    """
    word, _, number = line.strip().partition(" ")
    if word != _WORD:
        return None
    try:
        seconds = float(number)
    except ValueError:
        return None
    # A bot takes lines from its input: another number may not stop it.
    return seconds if 0 <= seconds <= LONGEST_PACE else None
