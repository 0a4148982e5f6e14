"""Tables of the same people one after the other, as host, join, play and resume play them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from cli.commands.bot import BotsHere
from cli.commands.display import Screen
from cli.commands.inviting import Inviting
from cli.commands.lobby import places_for
from cli.commands.opponents import Opponents, usual_opponents
from cli.commands.screen import announcer, play_through, player_for
from cli.commands.seating import bot_options
from cli.front.rematch import seating_words
from cli.lines.console import Console
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import Bot, BotProcesses, Bots
from cli.local.continuing import play_on
from cli.local.rematch import agreed_journal, next_bots, next_setup
from cli.local.sitting import SeatOptions, open_seat
from cli.sanitize import safe_name
from cli.screen.clientseat import ClientSeat
from cli.seat.charter_text import game_of, term_lines
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.store.hands import SHORT
from cli.tasks import first
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.entropy import Entropy


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSeries:
    """Our seat at all tables of these people.

    `bots` are those that this process started for the first table, each with `bot_options` and a
    level from `opponents`, in the order of their seats. `alone` means that every other seat is a
    bot.
    """

    root: Path
    console: Console
    screen: Screen
    options: SeatOptions
    alone: bool = False
    bots: Sequence[Seat] = ()
    bot_options: tuple[str, ...] = ()
    opponents: Opponents = field(default_factory=usual_opponents)
    entropy: Entropy = secrets.token_bytes

    async def play(
        self,
        driver: SeatDriver,
        player: SeatPlayer,
        filling: Bots | None = None,
    ) -> None:
        """Play at the first table, where we sit already, and at every table to which all seats go
        on. `filling` are the bots of the first table, if this machine started any.

        Raises like `play_through`.
        """
        bots, screen = tuple(self.bots), self.screen
        await self._through(driver, player, filling)
        # As long as every seat wished another match or went on without one who left.
        while (agreed := driver.last.next_table) is not None:
            old, (charter, after, seating) = driver.last.setup, agreed
            setup, charter = next_setup(old, charter, after, seating, self.entropy)
            # On the disk before we sit down there: a crash between two tables can be resumed.
            journal, setup = agreed_journal(self.root, setup, charter)
            names = [safe_name(entry.nickname) for entry in charter.seats]
            async with AsyncExitStack() as stack:
                if isinstance(player, TextSeat | ClientSeat):
                    # What the player changed with keys at the last table holds at the next one.
                    screen = replace(screen, play_settings=player.play_settings)
                player = player_for(
                    screen, self.console, setup, self.options, root=self.root, alone=self.alone
                )
                sitting = open_seat(journal, setup, player, root=self.root, options=self.options)
                driver = await stack.enter_async_context(sitting)
                if filling is not None:
                    await filling.end()  # they have agreed to go on, and went
                game = game_of(charter)
                following: tuple[Bot, ...] = ()
                if bots:
                    # Bots move with the people, each with its key, into homes of the new table.
                    following = next_bots(
                        self.root,
                        old,
                        setup,
                        charter,
                        seating,
                        bots,
                        self.bot_options,
                        self.entropy,
                    )
                    bots = tuple(
                        each.invite.seat for each in following if each.invite.seat is not None
                    )
                filling = await self.fill(player, following, game, stack)
                self.console.say(
                    f"You go on at table {charter.table.hex()[:SHORT]}:"
                    # 0: as they sit at the new table.
                    f" {seating_words(game, names, 0)}."
                )
                for line in term_lines(charter):
                    self.console.say(line)
                await self._through(driver, player, filling)

    async def fill(
        self,
        player: SeatPlayer,
        bots: Iterable[Bot],
        game: AnyGame | None,
        stack: AsyncExitStack,
    ) -> Bots:
        """Have bots sit down at a table until `stack` is closed, and return the `Bots` that can
        start more.

        A table without a charter yet, of which no bot is ours, may have no `game`: then none is
        started. Raises UserError if one cannot be started.
        """
        seats = 0 if game is None else game.seats
        filling = await self._bot_starter(seats, player, stack)
        await filling.start(*(() if game is None else self.opponents.with_options(bots)))
        return filling

    async def _bot_starter(self, seats: int, player: SeatPlayer, stack: AsyncExitStack) -> Bots:
        """Return the `Bots` that start bots at a table: in this process if the table is in its
        memory, else each in its own.

        They end with the `stack`, and follow the player's pace.
        """
        # A table in memory has bots in this process; else each has a process of its own.
        tell, memory = announcer(player, self.console), self.options.memory
        filling: Bots
        filling = BotProcesses(seats, tell) if memory is None else BotsHere(seats, tell, memory)
        await stack.enter_async_context(filling)
        if isinstance(player, TextSeat | ClientSeat):
            # Bots follow the pace of who looks on, and are told when it changes.
            player.paced = filling.pace
            filling.pace(player.play_settings.pace)
        return filling

    async def _through(self, driver: SeatDriver, player: SeatPlayer, filling: Bots | None) -> None:
        """Play at a table, and at those where its match goes on without a seat that left for good.

        `filling` starts bots; None at a table that another machine founded.
        """
        async with AsyncExitStack() as stack:
            if filling is None:
                # We joined somebody's table: bots are ours only if a vacancy is filled by one.
                # Without the number of seats (0) its place is told as a number.
                filling = await self._bot_starter(0, player, stack)
            places, errands = None, None
            # A bot's seat proposes no substitutes: only a person starts programs here.
            if isinstance(player, TextSeat | ClientSeat):
                told = self.bot_options or bot_options(self.options, driver.setup.invite.nodes)
                places = places_for(
                    player, self.console, filling, self.options, told, self.opponents
                )
                # Only a table in memory has to be opened to friends first.
                if isinstance(filling, BotsHere):
                    inviting = Inviting(
                        driver=driver,
                        player=player,
                        console=self.console,
                        root=self.root,
                        options=self.options,
                        places=places,
                        dismiss=filling.dismiss,
                    )
                    errands = await stack.enter_async_context(inviting.answer())
            on = play_on(driver, player, root=self.root, options=self.options, places=places)
            # What fails beside the match is never lost: it ends here, and a resumption goes on.
            both = on if errands is None else first(on, errands.run())
            await play_through(driver, player, self.screen, both)
