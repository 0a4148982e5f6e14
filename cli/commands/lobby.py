"""The lobby of a host: keeps the table's code, answers keys, and seats substitutes."""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from cli.commands.screen import announcer, seat_invites
from cli.commands.seating import trust_options
from cli.errors import UserError
from cli.invite import Invite
from cli.lines.console import Console, InputEnded, Terminal
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import Bot, bot_home, name_among_people
from cli.local.continuing import Places
from cli.local.sitting import SeatOptions, credentials_for, new_setup, vacancies_at
from cli.screen.clientseat import ClientSeat
from cli.seat.driver import SeatDriver
from cli.seat.way_in import CodeKeeper, Vacancies
from cli.tasks import Errands
from p2p304.seats import Seat
from protocol.wire.identity import PublicKey

KEYS: Final = "Type c for a new code or i for long invites, and Enter."
ON_SCREEN: Final = "i shows the code and the invite again, c makes a new code."


class HostLobby:
    """How others come to a table of ours: the code of its free seats, and the player's keys for
    it. `close` ends it.
    """

    def __init__(
        self,
        console: Console,
        player: TextSeat | ClientSeat,
        invites: Callable[[], Iterable[str]],
        find: Callable[[], Awaitable[Vacancies | None]] | None = None,
    ) -> None:
        """Answer the player's keys: c makes a new code, i shows the code and the `invites` as they
        are then.

        Seats are offered by `open`; with `find` also at i, which offers those that it returns.
        """
        self._console = console
        self._player = player
        self._invites = invites
        self._find = find
        self._offered: Vacancies | None = None
        self._keeper: CodeKeeper | None = None  #: Of the seats that are offered.
        self._errands = Errands()
        # The front end that reads the keyboard hands us each line or key first; what asked before
        # us is put back by `close`.
        self._before, player.before = player.before, self.asked

    @property
    def _on_screen(self) -> bool:
        """Whether the player's full screen shows a table already."""
        return isinstance(self._player, ClientSeat) and self._player.table is not None

    def open(self, vacancies: Vacancies | None, about: Sequence[str] = ()) -> None:
        """Offer these seats by a code; None offers none, and those that are offered already have
        their code. The keys and the lines `about` the table are printed after the code, or after
        the sentence that there is none.
        """
        if vacancies is self._offered:
            return
        self._offered, self._keeper = vacancies, None
        if vacancies is not None:
            # A program that reads the output cannot press a key.
            hint = ON_SCREEN if self._on_screen else KEYS
            keys = (hint,) if self._console.interactive else ()
            self._keeper = CodeKeeper(vacancies, self._say, (*keys, *about))
            self._start(self._keeper.run())
        # Before the table's screen is up nobody reads the terminal, so we do.
        if isinstance(self._console, Terminal) and not (
            isinstance(self._player, TextSeat) or self._on_screen
        ):
            self._start(self._listen(self._console))

    def asked(self, said: str) -> bool:
        """Carry out a typed command: c makes a new code if there is one, i shows code and invites.
        Return False for any other text.
        """
        match said.strip().lower():
            case "c" if self._keeper is not None:
                self._keeper.renew()
            case "i" | "invite" | "invites":
                self._start(self._show())
            case _:
                return False
        return True

    async def run(self) -> NoReturn:
        """Wait until an error comes that is none of the player's, and raise it."""
        await self._errands.run()

    async def close(self) -> None:
        """Close the code, and stop listening to the keyboard."""
        self._player.before = self._before
        # Also ends the keeper: a code must not outlive its table.
        await self._errands.end()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start `work` beside the table; an error that the player can mend is told, and play goes
        on.
        """

        async def told() -> None:
            """Do the work, and tell its error."""
            try:
                await work
            # Such as a port that nobody may open, or a broker that is gone.
            except UserError as error:
                announcer(self._player, self._console)(f"No friend can come: {error}")

        self._errands.start(told())

    async def _show(self) -> None:
        """Offer the seats that are free now, if those may be others than before; then show how
        others come in.
        """
        if self._find is not None:
            self.open(await self._find())
        self._lay_out()

    def _lay_out(self) -> None:
        """Show the code, if there is one, and the invites."""
        told = () if self._keeper is None else self._keeper.told
        lines = (*told, *self._invites())
        if isinstance(self._player, ClientSeat):
            self._player.show(lines)
        else:
            self._console.say(*lines)

    def _say(self, sentence: str) -> None:
        """Tell the player a sentence, mostly about the table's code, with which others join; on a
        full screen also show the code and the long invites, with the second of the sentences
        that tell it.
        """
        announcer(self._player, self._console)(sentence)
        # A footer has one line; the invites and the code need more. The code is told whole with the
        # second of its sentences.
        if self._on_screen and self._keeper is not None and sentence in self._keeper.told[1:]:
            self._lay_out()

    async def _listen(self, terminal: Terminal) -> None:
        """Carry out keys that the host types on a terminal, until the input ends."""
        # Ctrl-D ends the keys, not the table.
        with suppress(InputEnded):
            while True:
                said = await terminal.line()
                if said.strip() and not self.asked(said):
                    terminal.say(KEYS)


def open_lobby(
    console: Console,
    driver: SeatDriver,
    player: TextSeat | ClientSeat,
    options: SeatOptions,
    free: tuple[Seat, ...],
    *,
    public: bool = False,
    about: Sequence[str] = (),
) -> HostLobby:
    """Return the lobby of a table that we founded and that has no charter, open with a new code for
    the `free` seats, which closes once all seats are taken.

    `about` are the lines to print behind the code; a code at `public` brokers is found without
    naming one.
    """
    setup, founding = driver.setup, driver.setup.founding
    assert founding is not None
    vacancies = vacancies_at(
        setup.invite,
        founding,
        free,
        # A function, asked each time: the seats fill one by one.
        lambda: driver.sitting,
        credentials_for(setup, options),
        public=public,
    )
    # Asked at each showing: seats fill while this lobby is open.
    lobby = HostLobby(
        console, player, lambda: seat_invites(vacancies.invites, {*free} - {*driver.sitting})
    )
    lobby.open(vacancies, about)
    # As soon as all sit, the code is worthless, and its topic is left.
    driver.gathered = lobby.close
    return lobby


def places_for(
    player: TextSeat | ClientSeat, console: Console, start: Callable[[Bot], Awaitable[None]]
) -> Places:
    """Return how substitutes get seats at the next table: bots, which `start` starts, and friends,
    by a code or an invite, which `player` is shown.
    """

    async def bot(invite: Invite, directory: Path, trusted: frozenset[PublicKey]) -> None:
        """Start a bot in the invite's seat, with its files below `directory`; it accepts the
        rulings of `trusted` referees.
        """
        seat = invite.seat
        # Only a spectator's invite has no seat, and a vacancy is none.
        assert seat is not None
        # The bot can ask nobody: it accepts the referees that its host has accepted.
        setup = new_setup(invite, name_among_people(seat))
        await start(Bot(setup, bot_home(directory, seat), trust_options(trusted)))

    @asynccontextmanager
    async def friends(vacancies: Vacancies) -> AsyncIterator[None]:
        """Keep a code open for the vacant seats while the context lasts."""
        lobby = HostLobby(console, player, lambda: seat_invites(vacancies.invites, vacancies.free))
        lobby.open(vacancies)
        try:
            yield
        # Behind an error, too: the seat may be gone by then.
        finally:
            await lobby.close()

    return Places(bot, friends)
