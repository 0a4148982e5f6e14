"""The table of a player and bots on this machine, which `p2p304 play` and a code make."""

from __future__ import annotations

import secrets
import sys
from contextlib import AsyncExitStack
from dataclasses import replace

from cli.commands.display import Screen
from cli.commands.nickname import known_nickname, nickname_for
from cli.commands.opponents import Opponents
from cli.commands.options import PlayWishes
from cli.commands.screen import console_for, player_for
from cli.commands.seating import bot_options, run_seat
from cli.commands.table_series import TableSeries
from cli.errors import ExitCode, UserError
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import Bot, bot_home, name_of
from cli.local.sitting import FOUNDER, SeatOptions, keep_setup, new_setup, new_table, open_seat
from cli.net.memory import NOWHERE, MemoryBroker
from cli.seat.setup import Orders
from cli.store.hands import SHORT
from cli.store.identity import IdentityStore
from cli.store.journal import FILE_NAME
from cli.store.paths import home, table_directory
from p2p304.games import create_game
from p2p304.seats import Seat
from protocol.cards.secrets import SEED_BYTES, expand
from protocol.wire.identity import FRAME_SIZES

# Words for the numbers of bots that the games' seats give; others are told in digits.
_COUNTED = {2: "Two", 3: "Three", 5: "Five", 7: "Seven"}


def play_with_bots(
    wishes: PlayWishes,
    agreed: str,
    screen: Screen,
    opponents: Opponents,
) -> ExitCode:
    """Play with bots in this process until the wanted hands or matches are over, and return the
    exit code. `agreed` is the charter's line about the rules.
    """
    return run_seat(_play(wishes, agreed, screen, opponents))


async def _play(
    wishes: PlayWishes,
    agreed: str,
    screen: Screen,
    opponents: Opponents,
) -> None:
    """Make a table in this process's memory, fill it with the `opponents`, and play by the rules
    `agreed`, the charter's line about them.
    """
    root, console = home(), console_for(screen)
    game, seed = wishes.game, wishes.seed
    rules = create_game(game, agreed)  # what cannot be agreed on is told first
    seats = rules.seats
    asked = sys.stdin.isatty() and sys.stdout.isatty()  # a script's first line is no name
    nickname = (
        await nickname_for(root, wishes.name, console)
        if asked
        else known_nickname(root, wishes.name)
    )
    # For tests: with a seed the same table, keys and cards come again.
    # `expand` takes 32 bytes.
    chance = None if seed is None else expand(seed.to_bytes(32, "big"), b"play")
    entropy = secrets.token_bytes if chance is None else chance
    async with AsyncExitStack() as stack:
        # No broker listens until a friend is invited: the table is in this process's memory.
        memory = await stack.enter_async_context(MemoryBroker(largest_frame=max(FRAME_SIZES)))
        table = new_table(NOWHERE, game, agreed, entropy)
        setup = new_setup(
            table.invites[FOUNDER],
            nickname,
            # Both: nothing listens now, and once a friend is invited the broker runs here.
            founding=replace(table.founding, broker_here=True, in_memory=True),
            entropy=entropy,
        )
        if chance is not None:
            # Made now, from the seed: else the first who needs the key draws it from chance.
            IdentityStore(root).key(entropy)
        directory = table_directory(root, setup.invite.table)
        # The same seed gives the same table id, so its journal would be played on.
        if seed is not None and (directory / FILE_NAME).exists():
            raise UserError(
                f"This machine has a table of '--seed {seed}' already: take another seed, or go on"
                f" with 'p2p304 resume {setup.invite.table.hex()[:SHORT]}'."
            )
        journal = keep_setup(root, setup)
        options = SeatOptions(
            hands=wishes.hands,
            matches=wishes.matches,
            # One second: the bots are in this process, and nobody can lack the end of the match for
            # longer.
            linger=1.0,
            memory=memory,
        )
        # Against bots alone hints are fair to all.
        player = player_for(screen, console, setup, options, root=root, alone=True)
        sitting = open_seat(journal, setup, player, root=root, options=options)
        driver = await stack.enter_async_context(sitting)
        # All seats but ours; in digits where `_COUNTED` has no word.
        who = "A bot sits" if seats == 2 else f"{_COUNTED.get(seats - 1, seats - 1)} bots sit"
        console.say(f"{who} down, each with a key of its own ...")
        how = "type" if isinstance(player, TextSeat) else "press"
        console.say(
            f"At the table {how} ? for what you need to know at that moment, and for {game}"
            " in short."
        )
        limits = bot_options(options, table.watch.nodes)
        series = TableSeries(
            root=root,
            console=console,
            screen=screen,
            options=options,
            alone=True,
            bots=tuple(map(Seat, range(1, seats))),
            bot_options=limits,
            opponents=opponents,
            entropy=entropy,
        )
        sitting_down = [
            Bot(
                invite,
                bot_home(directory, Seat(seat)),
                # Another seed for each bot, or all would draw alike.
                (*limits, *(() if seed is None else ("--seed", f"{seed + seat}"))),
                None if chance is None else Orders(None, chance(SEED_BYTES)),
                name=name_of(seat - 1),
            )
            for seat, invite in enumerate(table.invites)
            if seat != FOUNDER
        ]
        bots = await series.fill(player, sitting_down, rules, stack)
        await series.play(driver, player, bots)
