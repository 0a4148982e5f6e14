"""Tables of the same people one after the other, as host, join, play and resume play them.

At a table in the memory of this process friends come to watch, or into the seat of a bot. Nobody
sits down in the middle of a match: a friend is given a seat at the table at which it goes on
(specs 6.5). Its code is made for that table; once a friend has it, the bot leaves when its turn
comes, and the others agree to go on. `play_with_bots` makes such a table, for `p2p304 play`.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from cli.bounds import LEAVING_INTERVAL
from cli.commands.bot import Bots, BotsHere
from cli.commands.display import Screen
from cli.commands.lobby import HostLobby, places_for
from cli.commands.nickname import known_nickname, nickname_for
from cli.commands.opponents import Opponents, chosen_opponents
from cli.commands.options import PlayWishes
from cli.commands.screen import announcer, console_for, invite_lines, play_through, player_for
from cli.commands.seating import bot_options
from cli.errors import UserError
from cli.front.player_commands import GoOn, Substitute, seating_words
from cli.lines.console import Console
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import (
    Bot,
    BotProcesses,
    bot_home,
    drawn_setup,
    name_of,
    own_bots,
)
from cli.local.continuing import (
    Places,
    invite_after,
    next_bots,
    next_setup,
    open_to_others,
    play_on,
)
from cli.local.sitting import (
    FOUNDER,
    SeatOptions,
    agreed_journal,
    keep_setup,
    new_setup,
    new_table,
    open_seat,
    vacancies_at,
)
from cli.net.credentials import NO_CREDENTIALS
from cli.net.memory import NOWHERE, MemoryBroker
from cli.sanitize import safe_name
from cli.screen.clientseat import ClientSeat
from cli.seat.charter_text import game_of, term_lines
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.setup import Founding, Setup
from cli.seat.way_in import Vacancies
from cli.store.hands import SHORT
from cli.store.identity import IdentityStore
from cli.store.journal import FILE_NAME, Journal
from cli.store.paths import home, table_directory
from cli.tasks import first
from p2p304.games import create_game
from p2p304.seats import Seat, place_name
from protocol.cards.secrets import SEED_BYTES, expand
from protocol.entropy import Entropy
from protocol.seat.session import Session
from protocol.wire.charter import TABLE_BYTES
from protocol.wire.identity import FRAME_SIZES
from protocol.wire.invite import new_token


@dataclass(frozen=True, slots=True)
class SeatsOfBots:
    """The seats of bots in this process, which friends take at the table at which the match goes
    on.
    """

    series: TableSeries
    #: That of the first table of the match; its `last` is that of the present one.
    driver: SeatDriver
    player: TextSeat | ClientSeat
    places: Places
    bots: BotsHere
    #: The seats that are offered, by the present table's id: each has one code.
    offered: dict[bytes, Vacancies] = field(default_factory=dict)

    def invites(self) -> Iterator[str]:
        """Yield the invites that our seat may pass on at the present table."""
        setup = self.driver.last.setup
        return invite_lines(setup, table_directory(self.series.root, setup.invite.table))

    async def find(self) -> Vacancies | None:
        """Open the present table to others; return the seats of its bots, each time the same ones,
        or None if no bot of ours sits there.

        Raises as `open_to_others` does.
        """
        driver = self.driver.last
        await open_to_others(driver, self.series.options)
        table, session = driver.setup.invite.table, driver.session
        if session is not None and table not in self.offered:
            bots = own_bots(table_directory(self.series.root, table), session.charter)
            # Without a bot of ours there is no seat to give.
            if bots:
                self._announce(
                    "A friend who plays takes the place of a bot, by the code that comes now."
                )
                self.offered[table] = self._offer(driver, session, bots)
        return self.offered.get(table)

    def _announce(self, sentence: str) -> None:
        """Show the player a sentence, on its screen or as a line."""
        announcer(self.player, self.series.console)(sentence)

    def _offer(self, driver: SeatDriver, session: Session, bots: frozenset[int]) -> Vacancies:
        """Return the seats of our `bots` for one friend; their invites lead to a new table, at
        which the match is to go on.

        Once a seat is given its bot is dismissed, and we propose to go on.
        """
        setup, charter = driver.setup, session.charter
        # The id of the table at which the match will go on: the code must name it today.
        table, seats = secrets.token_bytes(TABLE_BYTES), range(len(charter.seats))
        tokens = tuple(new_token(secrets.token_bytes) for _ in seats)
        # `places` offers the same tokens there, so the invite behind the code fits (attacks CO15).
        self.places.promised[table] = tokens

        async def go_on_without(seat: Seat) -> None:
            """Have the bot of `seat` leave, wait until the table waits for that seat, and propose
            to go on without it.
            """
            self._announce(
                # Said at once, since the bot may have to wait long for its turn.
                f"The bot in {place_name(seat, len(seats))} leaves when its turn comes; then the"
                " others agree, and the hand is dealt again with your friend."
            )
            # First of all: a bot that still sits there would refuse to be left out.
            await self.bots.dismiss(seat)
            # Only a seat that is awaited can be left out (specs 6.5).
            while seat not in session.snapshot.awaited_others():
                await asyncio.sleep(LEAVING_INTERVAL)
            await driver.do(GoOn((seat,), Substitute.FRIEND, table))

        everybody = {number: each.nickname for number, each in enumerate(charter.seats)}
        vacancies = vacancies_at(
            invite_after(setup.invite, table, tokens[setup.seat]),
            Founding(charter.game, charter.profile, tokens, broker_here=True),
            tuple(map(Seat, sorted(bots))),
            # Once a seat is given, all count as taken: one friend comes at a time.
            lambda: everybody if vacancies.given else {},
            # The broker is the one of this process, which asks for none.
            NO_CREDENTIALS,
        )
        vacancies = replace(vacancies, once_given=go_on_without)
        return vacancies


@dataclass(slots=True)
class TableSeries:
    """Our seat at all tables of these people.

    Bots that this process starts have levels from `opponents`, in the order of their seats. `alone`
    means that every other seat is a bot.
    """

    root: Path
    console: Console
    screen: Screen
    options: SeatOptions
    alone: bool = False
    # A factory: these depend on whether a person looks on when the table is made.
    opponents: Opponents = field(default_factory=chosen_opponents)
    #: Draws the seeds of our seat and our bots at the next tables.
    entropy: Entropy = secrets.token_bytes

    async def sit_down(
        self, journal: Journal, setup: Setup, stack: AsyncExitStack
    ) -> tuple[SeatDriver, TextSeat | ClientSeat]:
        """Sit down at a table until the `stack` is closed; return the driver of our seat and its
        front end. Raises as `open_seat` does.
        """
        root, options = self.root, self.options
        player = player_for(self.screen, self.console, setup, options, root=root, alone=self.alone)
        sitting = open_seat(journal, setup, player, root=root, options=options)
        return await stack.enter_async_context(sitting), player

    async def play(
        self, driver: SeatDriver, player: SeatPlayer, filling: Bots | None = None
    ) -> None:
        """Play at the first table, where we sit already, and at every table to which all seats go
        on. `filling` are the bots of the first table, if this machine started any; they end once we
        sit at the next, where bots of ours sit down again.

        Raises the error that ended our seat, once the player has closed the screen; SeatLeft if the
        player left, InputGone if its input ended.
        """
        await self._through(driver, player, filling)
        # As long as every seat wished another match or went on without one who left.
        while (agreed := driver.last.next_table) is not None:
            old, _, seating = agreed
            setup, charter = next_setup(driver.last.setup, *agreed, self.entropy)
            # On the disk before we sit down there: a crash between two tables can be resumed.
            journal, setup = agreed_journal(self.root, setup, charter)
            names = [safe_name(entry.nickname) for entry in charter.seats]
            async with AsyncExitStack() as stack:
                if isinstance(player, TextSeat | ClientSeat):
                    # What the player changed with keys at the last table holds at the next one.
                    self.screen = replace(self.screen, play_settings=player.play_settings)
                driver, player = await self.sit_down(journal, setup, stack)
                if filling is not None:
                    await filling.end()  # they have agreed to go on, and went
                # Bots move with the people, each with its key, into homes of the new table.
                following = next_bots(self.root, old, setup, charter, seating, self.entropy)
                filling = await self.fill(driver, player, stack, following)
                self.console.say(
                    f"You go on at table {charter.table.hex()[:SHORT]}:"
                    # 0: as they sit at the new table.
                    f" {seating_words(game_of(charter), names, 0)}."
                )
                self.console.say(*term_lines(charter))
                await self._through(driver, player, filling)

    async def fill(
        self,
        driver: SeatDriver,
        player: SeatPlayer,
        stack: AsyncExitStack,
        bots: Iterable[Bot] = (),
    ) -> Bots:
        """Have bots sit down at the driver's table, and return the `Bots` that can start more: in
        this process if the table is in its memory, else each in its own.

        They end with the `stack`, and follow the player's pace. Raises UserError if a bot cannot be
        started.
        """
        # A table in memory has bots in this process; else each has a process of its own.
        tell, memory = announcer(player, self.console), self.options.memory
        filling = BotProcesses(tell) if memory is None else BotsHere(tell, memory)
        stack.push_async_callback(filling.end)
        if isinstance(player, TextSeat | ClientSeat):
            # Bots follow the pace of who looks on, and are told when it changes.
            player.paced = filling.pace
            filling.pace(player.play_settings.pace)
        await self._start(filling, driver.setup, *bots)
        return filling

    async def _start(self, filling: Bots, setup: Setup, *bots: Bot) -> None:
        """Start these bots at the table of the `setup`, the first with the first of the levels."""
        limits = bot_options(self.options, setup)
        seated = [replace(each, options=(*limits, *each.options)) for each in bots]
        await filling.start(*self.opponents.with_options(seated))

    async def _through(self, driver: SeatDriver, player: SeatPlayer, filling: Bots | None) -> None:
        """Play at a table, and at those where its match goes on without a seat that left for good.
        A bot may then take that seat, and a table in memory is open to friends.

        `filling` starts bots; None at a table that another machine founded: then a starter is made
        here.
        """
        async with AsyncExitStack() as stack:
            if filling is None:
                # We joined somebody's table: bots are ours only if a vacancy is filled by one.
                filling = await self.fill(driver, player, stack)
            places, lobby = None, None
            # A bot's seat proposes no substitutes: only a person starts programs here.
            if isinstance(player, TextSeat | ClientSeat):
                start = partial(self._start, filling, driver.setup)
                places = places_for(player, self.console, start)
                # Only a table in memory has to be opened to friends first.
                if isinstance(filling, BotsHere):
                    seats = SeatsOfBots(self, driver, player, places, filling)
                    lobby = HostLobby(self.console, player, seats.invites, seats.find)
                    stack.push_async_callback(lobby.close)
            on = play_on(driver, player, root=self.root, options=self.options, places=places)
            # An error beside the match ends it here, as one of the match would: 'resume' goes on.
            both = on if lobby is None else first(on, lobby.run())
            await play_through(driver, player, self.screen, both)


async def play_with_bots(
    wishes: PlayWishes, agreed: str, screen: Screen, opponents: Opponents
) -> None:
    """Make a table under the rules `agreed`, the charter's line about them, keep its journal on
    disk, seat the `opponents` as bots, and play there; its broker is in this process's memory.

    Raises UserError if this machine has a table of the wanted seed already.
    """
    root, console = home(), console_for(screen)
    game, seed = wishes.game, wishes.seed
    create_game(game, agreed)  # what cannot be agreed on is told first
    asked = sys.stdin.isatty() and sys.stdout.isatty()  # a script's first line is no name
    nickname = (
        await nickname_for(root, wishes.name, console)
        if asked
        else known_nickname(root, wishes.name)
    )
    # For tests: with a seed the same table, keys and cards come again.
    # `expand` takes 32 bytes. Another label than the demo's: the same seed gives other keys there.
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
        series = TableSeries(
            root, console, screen, options, alone=True, opponents=opponents, entropy=entropy
        )
        driver, player = await series.sit_down(journal, setup, stack)
        console.say("The bots sit down, each with a key of its own ...")
        how = "type" if isinstance(player, TextSeat) else "press"
        console.say(
            f"At the table {how} ? for what you need to know at that moment, and for {game}"
            " in short."
        )
        sitting_down = []
        for seat, invite in enumerate(table.invites[1:], start=1):  # all but ours
            # Counted among the bots.
            place, name = bot_home(directory, Seat(seat)), name_of(seat - 1)
            made = drawn_setup(invite, place, name, chance and chance(SEED_BYTES))
            # Another seed for each bot, or all would draw alike.
            decisions = () if seed is None else ("--seed", f"{seed + seat}")
            sitting_down.append(Bot(made, place, decisions))
        bots = await series.fill(driver, player, stack, sitting_down)
        await series.play(driver, player, bots)
