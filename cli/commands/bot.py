"""`p2p304 bot`: a bot takes a seat."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

import click

from cli.bounds import BOT_THINKS
from cli.commands.entering import invite_for
from cli.commands.opponents import SEATED, USUAL, Teller, think_option
from cli.commands.options import argument, declared, gather_options, make_record, option
from cli.commands.seating import (
    accepts_referees,
    answer,
    met_at,
    seat_options,
    with_credentials,
)
from cli.errors import UserError
from cli.front.narrator import parse_vouched_seats
from cli.lines.console import Console
from cli.local.bot_processes import Bot, BotProcesses, end_words, pace_in
from cli.local.continuing import play_on
from cli.local.sitting import SeatOptions, new_setup, open_seat, take_place
from cli.net.memory import MemoryBroker
from cli.sanitize import safe_name
from cli.seat.bots import Agree, AnswerMoment, BotSeat, Pace, UntilGone
from cli.seat.charter_text import term_lines
from cli.seat.sentences import SeatLeft
from cli.seat.setup import Executor, Setup, charter_in
from cli.seat.way_in import NameTaken
from cli.store.identity import PeersFile
from cli.store.paths import home, make_private_directory
from cli.tasks import Errands, never
from cli.workers import Thinker
from p2p304.bots.advice import LEVELS
from p2p304.seats import Seat
from protocol.bounds import MAX_NAME, MAX_SEATS
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey

P = ParamSpec("P")
T = TypeVar("T")
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotOptions:
    """The options of `p2p304 bot` that are about the bot itself."""

    invite: str | None = argument(required=False)  #: None: it is asked for, or read from the input.
    name: str | None = option(
        "--name", metavar="NICKNAME", help="The bot's nickname.  [default: Bot and a number]"
    )
    # Hidden options are for `cli.local.bot_processes`, which starts bots with this command.
    seed: int | None = option(
        "--seed", type=int, default=None, hidden=True, help="What its decisions follow."
    )
    tell: bool = option("--tell", is_flag=True, help="Print what happens, as far as it is public.")
    vouching: tuple[str, ...] = option(
        "--vouch", multiple=True, hidden=True, help="As in 'p2p304 resume'."
    )
    ends_with_input: bool = option(
        "--ends-with-input", is_flag=True, hidden=True, help="It holds a setup; leave at its end."
    )
    again: bool = option(
        "--again", is_flag=True, hidden=True, help="Play more matches if the others do."
    )
    level: str = option(
        "--level",
        type=click.Choice(SEATED),
        default=USUAL,
        show_default=True,
        help="How well it plays.",
    )
    think: float | None = declared(think_option)


@click.command("bot")
@gather_options("wishes", BotOptions)
# No `person`: a password would be asked where perhaps nobody sits.
@seat_options("Meet at this broker, in place of the invite's.", person=False, agrees=True)
def command(wishes: BotOptions, options: SeatOptions) -> None:
    """Have a bot take the seat of an invite and play by itself.

    \b
    Examples:
      p2p304 bot                       asks for the invite
      p2p304 bot < invite.txt          reads it from a file
      p2p304 bot --tell --hands 5      plays five hands and prints them
      p2p304 bot --level master --think 2   a stronger bot, and slower
    """
    asyncio.run(_sit(wishes, with_credentials(options)))


async def _sit(wishes: BotOptions, options: SeatOptions) -> None:
    """Take the invite from the argument or the input, or a whole setup from the input if a host
    started us; then take the seat and play.
    """
    console = Console()
    if wishes.ends_with_input:
        try:
            setup = Setup.from_bytes(bytes.fromhex(await answer(console)))
        except ValueError:
            raise UserError("The first line holds no setup.") from None
    else:
        invite = await invite_for(wishes.invite, console)
        # Seats count from 0, names from 1. `or`: an invite to watch is refused at once.
        setup = new_setup(invite, wishes.name or f"Bot {1 + (invite.seat or 0)}")
    invite, options = await met_at(setup.invite, options, console)
    # Ours: a host on this machine started the bot and holds its input: nobody can be asked there.
    pace, ours = Pace(), wishes.ends_with_input
    await _take_seat(
        replace(setup, invite=invite),
        wishes,
        options,
        root=home(),
        pace=pace,
        until_gone=until_host_gone(console, pace) if ours else None,
        agree=None if ours else partial(_agree, console),
    )


async def _take_seat(
    setup: Setup,
    wishes: BotOptions,
    options: SeatOptions,
    *,
    root: Path,
    pace: Pace,
    until_gone: UntilGone | None = None,
    agree: Agree | None = None,
    work: Executor = asyncio.to_thread,
) -> None:
    """Have a bot sit down and play to the end, under another name if its own is taken; its files
    are in `root`.

    It leaves once `until_gone` returns. `work` runs the calls of its search off the event loop.
    Without `agree` a charter with referees that it does not trust is refused. Raises UserError if
    every name of `other_names` is taken.
    """
    # For its decisions alone; keys and proofs are drawn from `entropy` below. 63 bits fit the 64
    # that SeededRandomness takes.
    chance = secrets.randbelow(1 << 63) if wishes.seed is None else wishes.seed
    nickname, file = setup.nickname, options.credentials_file
    # Absolute: resumed from another folder it must be found.
    setup = replace(setup, credentials="" if file is None else str(file.resolve()))
    seconds = BOT_THINKS if wishes.think is None else wishes.think
    with Thinker() as thinker:
        # Each try is a claim under another name, until the founder takes one (specs 7.4).
        for name in other_names(nickname):
            journal, setup = take_place(root, replace(setup, nickname=name))
            charter = charter_in(journal.records())[0]
            if wishes.vouching and charter is not None:
                # The host's player may have named this bot's own seat: none vouches for itself.
                vouched = parse_vouched_seats(charter, wishes.vouching) - {setup.seat}
                options = replace(options, vouched=vouched)
            player = BotSeat(
                chance,
                *((Teller(options.hands),) if wishes.tell else ()),
                until_gone=until_gone,
                level=wishes.level,
                # 'steady' without time to think never searches, and needs no worker process.
                thinker=thinker if seconds or wishes.level in LEVELS else None,
                work=work,
                moment=AnswerMoment(seconds),
                pace=pace,
                again=wishes.again,
                agree=agree,
            )
            # Taken: the loop goes on with the next name.
            with suppress(NameTaken):
                async with open_seat(journal, setup, player, root=root, options=options) as driver:
                    await play_on(driver, player, root=root, options=options)
                return
    raise UserError(f"Everybody at this table is called {safe_name(nickname)}.")


class _BotHere:
    """How a bot of this process plays, and whether it is to leave."""

    def __init__(self) -> None:
        self.dismissed = False
        self.ended = asyncio.Event()  #: Set once the bot has left the table, or failed.
        self._leaves = asyncio.Event()
        # One thread is enough, since a seat decides one thing at a time.
        self._thinking = ThreadPoolExecutor(1)

    async def work(self, call: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Run a call of the search in a thread of its own, so that no seat's proofs wait; once
        the bot is dismissed, let it leave and never return.
        """
        if self.dismissed:
            # Never answered, so that the table waits for this seat and may go on without it (specs
            # 6.5).
            self._leaves.set()
            await never()
        thought = partial(call, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(self._thinking, thought)

    async def gone(self) -> None:
        """Return once the dismissed bot would have to decide: then it leaves."""
        await self._leaves.wait()

    def end(self) -> None:
        """Note that the bot has ended, and end the thread in which it thinks."""
        self.ended.set()
        # Waits for a search that still runs, so that no thread outlives its bot.
        self._thinking.shutdown()


class BotsHere:
    """The bots of a table in the memory of this process; `end` ends them all.

    They are given views alone, and think in processes apart. `tell` gets a sentence if one of them
    fails.
    """

    def __init__(self, tell: Callable[[str], None], memory: MemoryBroker) -> None:
        self._tell = tell
        self._memory = memory
        self._sitting = Errands()
        self._bots: dict[Seat, _BotHere] = {}
        self._pace = Pace()  #: Of all of them, whoever acts.

    async def start(self, *bots: Bot) -> None:
        """Start these bots as tasks of this process."""
        for bot in bots:
            # For its key and its journal, with which 'p2p304 resume' seats the same bot again.
            make_private_directory(bot.home)
            here = self._bots[bot.setup.seat] = _BotHere()
            self._sitting.start(self._sit(bot, here))

    async def _sit(self, bot: Bot, here: _BotHere) -> None:
        """Play one bot in this process until it ends; if it fails, call `tell` with a sentence
        and raise nothing. `here` tells it when to leave, which is no failure.
        """
        try:
            # The words that a bot's own process would be started with, read by the same command.
            with command.make_context("p2p304 bot", [*bot.arguments]) as told:
                wishes, options = (
                    make_record(BotOptions, told.params),
                    make_record(SeatOptions, told.params),
                )
            await _take_seat(
                bot.setup,
                wishes,
                replace(options, memory=self._memory),
                root=bot.home,
                pace=self._pace,
                until_gone=here.gone,
                work=here.work,
            )
        # Dismissed: nothing went wrong.
        except SeatLeft:
            return  # its place is a friend's
        # A reason that a user can mend: told in one sentence.
        except UserError as error:
            self._tell(end_words(bot.setup.nickname, str(error)))
        except Exception as error:  # noqa: BLE001 - a bot that fails takes no table along
            _log.exception("A bot failed.")
            reason = f"{type(error).__name__}: {error}"
            self._tell(end_words(bot.setup.nickname, reason))
        finally:
            here.end()

    async def dismiss(self, seat: Seat) -> None:
        """Have the bot in a seat leave the table once it is to decide, and wait until it has."""
        # Not cancelled at once: only a seat that the table waits for can be left out (specs 6.5).
        self._bots[seat].dismissed = True
        await self._bots[seat].ended.wait()

    def pace(self, seconds: float) -> None:
        """Set the seconds that every action is shown before one of a bot, also of one that thinks
        at the moment, or is started later.
        """
        self._pace.change(seconds)

    async def end(self) -> None:
        """Cancel the tasks of all bots, and wait until they have ended."""
        await self._sitting.end()


#: The bots of a table, however they run.
Bots = BotProcesses | BotsHere


async def _agree(console: Console, charter: Charter, unnamed: tuple[PublicKey, ...]) -> bool:
    """Print the terms of a charter, and return whether the user accepts the `unnamed` referees;
    True without asking if there are none.
    """
    console.say(*term_lines(charter, PeersFile(home())))
    return not unnamed or await accepts_referees(console, unnamed)


def until_host_gone(console: Console, pace: Pace) -> UntilGone:
    """Return a function that waits until our standard input ends, and sets the `pace` by lines of
    that input.

    The host that started the bot holds the other end of the input.
    """

    def heard(line: str) -> None:
        """Change the pace, if the host's line names one."""
        seconds = pace_in(line)
        if seconds is not None:
            pace.change(seconds)

    return partial(console.drained, heard)


def other_names(name: str) -> Iterator[str]:
    """Yield the name, then the name with 2, 3 and so on behind it, cut to fit: one more in all
    than a table can have seats, so that a bot finds one that is free.
    """
    yield name
    # One name more than a table has seats, so one of them is free there.
    for number in range(2, MAX_SEATS + 2):
        ending = f" {number}"
        # Cut so that the ending fits a charter's name (specs 3.2); no space is doubled by the cut.
        yield f"{name[: MAX_NAME - len(ending)].rstrip()}{ending}"
