"""How friends come to a table in the memory of this process: to watch, or in the seat of a bot.

Nobody sits down in the middle of a match: a friend is given a seat at the table at which it goes on
(specs 6.5). Its code is made for that table; once a friend has it, the bot leaves when its turn
comes, and the others agree to go on.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from cli.commands.lobby import code_for
from cli.commands.screen import announcer, invite_lines
from cli.errors import UserError
from cli.front.player_commands import GoOn, Substitute
from cli.lines.console import Console
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import own_bots
from cli.local.code_host import CodeKeeper
from cli.local.continuing import Places, Vacancies, invite_after, open_to_others
from cli.local.sitting import SeatOptions
from cli.net.credentials import NO_CREDENTIALS
from cli.screen.clientseat import ClientSeat
from cli.seat.driver import SeatDriver
from cli.store.paths import table_directory
from cli.tasks import Errands
from p2p304.seats import Seat, place_name
from protocol.seat.session import Session
from protocol.wire.charter import TABLE_BYTES
from protocol.wire.invite import new_token

# Looked at again and again: a bot leaves at its turn, and nothing in particular happens then.
LOOK_INTERVAL: Final = 0.2
"""Seconds after which is looked whether the table waits for a bot that leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inviting:
    """Answers a player who asks for the invites of its table."""

    driver: SeatDriver
    player: TextSeat | ClientSeat
    console: Console
    root: Path
    options: SeatOptions
    places: Places
    dismiss: Callable[[Seat], None]
    """Has the bot in a seat leave when its turn comes."""

    @asynccontextmanager
    async def answer(self) -> AsyncIterator[Errands]:
        """Answer the player's commands c (a new code) and i (the invites) while the block runs.

        Yields the tasks that do it: the caller runs them, so that an error of one ends the match.
        """
        errands, codes = Errands(), dict[bytes, CodeKeeper]()

        def asked(said: str) -> bool:
            """Carry out c (a new code) or i (show invites); return False for anything else."""
            # The newest code is the one of the present table; a slice, because there may be none.
            word, codes_here = said.strip().lower(), [*codes.values()][-1:]
            if word == "c" and codes_here:
                codes_here[0].renew()
                return True
            if word in ("i", "invite", "invites"):
                errands.start(self._tell_error(self._show(errands, codes)))
                return True
            return False

        # The front end asks us before it takes a line or key as its own.
        self.player.before = asked
        try:
            yield errands
        finally:
            await errands.end()

    async def _tell_error(self, work: Coroutine[Any, Any, None]) -> None:
        """Await `work`; if it raises UserError, show the sentence to the player, who plays on."""
        try:
            await work
        # Such as a port that nobody may open, or a broker that is gone.
        except UserError as error:
            announcer(self.player, self.console)(f"No friend can come: {error}")

    async def _show(self, errands: Errands, codes: dict[bytes, CodeKeeper]) -> None:
        """Open the table to others, and show its code and invites to the player; a code is made
        at the first call for each table.
        """
        driver = self.driver.last
        await open_to_others(driver, self.options)
        setup, session = driver.setup, driver.session
        directory = table_directory(self.root, setup.invite.table)
        keeper = codes.get(setup.invite.table)
        # One code for each table; without a bot of ours there is no seat to give.
        if keeper is None and session is not None and own_bots(directory, session.charter):
            keeper = codes[setup.invite.table] = self._keeper(driver, session, errands)
            errands.start(self._tell_error(keeper.run()))
            announcer(self.player, self.console)(
                "A friend who plays takes the place of a bot, by the code that comes now."
            )
        self._lay_out((*(keeper.told if keeper else ()), *invite_lines(setup, directory)))

    def _lay_out(self, lines: tuple[str, ...]) -> None:
        """Show lines: on the full screen together, else one after the other."""
        if isinstance(self.player, ClientSeat):
            self.player.show(lines)
        else:
            for line in lines:
                self.console.say(line)

    def _keeper(self, driver: SeatDriver, session: Session, errands: Errands) -> CodeKeeper:
        """Return the keeper of a code for the table at which the match goes on with a friend.

        Once a seat is given its bot is dismissed, and one of the `errands` proposes to go on.
        """
        setup, charter = driver.setup, session.charter
        # The id of the table at which the match will go on: the code must name it today.
        table, seats = secrets.token_bytes(TABLE_BYTES), range(len(charter.seats))
        tokens = tuple(new_token(secrets.token_bytes) for _ in seats)
        # `places` offers the same tokens there, so the invite behind the code fits (attacks CO15).
        self.places.promised[table] = tokens
        bots = own_bots(table_directory(self.root, setup.invite.table), charter)
        given: list[Seat] = []

        def take(seat: Seat) -> None:
            """Dismiss the bot of a seat that a friend was given, and propose to go on without
            it.
            """
            # From now on no other seat of this code is free, see `sitting` below.
            given.append(seat)
            self.dismiss(seat)
            errands.start(self._tell_error(self._go_on(driver, session, seat, table)))

        everybody = {number: each.nickname for number, each in enumerate(charter.seats)}
        vacancies = Vacancies(
            invites=tuple(
                replace(invite_after(setup.invite, table, token), seat=Seat(seat))
                for seat, token in enumerate(tokens)
            ),
            free=tuple(map(Seat, sorted(bots))),
            game=charter.game,
            profile=charter.profile,
            # Once a seat is given, all count as taken: one friend comes at a time.
            sitting=lambda: everybody if given else {},
            credentials=NO_CREDENTIALS,
            broker_here=True,
        )
        keeps = code_for(vacancies, self.options, given=take)
        return CodeKeeper(*keeps, announcer(self.player, self.console))

    async def _go_on(self, driver: SeatDriver, session: Session, seat: Seat, table: bytes) -> None:
        """Propose to go on without the bot of `seat`, once this table waits for it; the match
        goes on at the table with the id `table`.
        """
        seats = len(session.charter.seats)
        announcer(self.player, self.console)(
            # Said at once, since the bot may have to wait long for its turn.
            f"The bot in {place_name(seat, seats)} leaves when its turn comes; then the others"
            " agree, and the hand is dealt again with your friend."
        )
        # Only a seat that is awaited can be left out (specs 6.5).
        while seat not in session.snapshot.awaited_others():
            await asyncio.sleep(LOOK_INTERVAL)
        await driver.commands.do(GoOn((seat,), Substitute.FRIEND, table))
