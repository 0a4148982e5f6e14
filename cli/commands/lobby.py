"""The lobby of a host: keeps the table's code, answers keys, and seats substitutes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeGuard

from cli.commands.bot import Bots
from cli.commands.opponents import Opponents
from cli.commands.screen import announcer
from cli.commands.seating import trust_options
from cli.invite import Invite, qr_code
from cli.lines.console import Console, InputEnded, Terminal
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import Bot, bot_home, name_among_people
from cli.local.continuing import Places
from cli.local.sitting import SeatOptions, credentials_for, vacancies_at
from cli.screen.clientseat import ClientSeat
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.way_in import CodeKeeper, Vacancies
from cli.tasks import Errands
from p2p304.seats import Seat, place_name
from protocol.wire.identity import PublicKey

KEYS: Final = "Type c for a new code or i for long invites, and Enter."


class HostLobby:
    """The code of a table and the host's keys, until all seats are taken. `close` ends it."""

    def __init__(
        self,
        console: Console,
        player: SeatPlayer,
        vacancies: Vacancies,
        show: Callable[[tuple[str, ...]], None],
        about: Sequence[str] = (),
    ) -> None:
        """Open a code for the `vacancies`, and answer the host's keys.

        `show` prints the long invites of the free seats, and may print what it is given, the
        sentences with the code. The lines `about` the table are printed after the first code, or
        after the sentence that there is none.
        """
        self._console = console
        self._player = player
        self._show = show
        self._before: Callable[[str], bool] | None = None
        self._errands = Errands()
        self._keeper = CodeKeeper(vacancies, self._say, about)
        self._errands.start(self._keeper.run())
        # The front end that reads the keyboard hands us each line first.
        if isinstance(player, TextSeat) or _on_screen(player):
            # What asked before us is put back by `close`.
            self._before, player.before = player.before, self.asked
        elif isinstance(console, Terminal):
            # Before the table's screen is up nobody reads the terminal, so we do.
            self._errands.start(self._listen(console))

    def asked(self, said: str) -> bool:
        """Carry out a typed command: c makes a new code, i shows the long invites. Return False
        for any other text.
        """
        match said.strip().lower():
            case "c":
                self._keeper.renew()
            case "i" | "invite" | "invites":
                self._show(self._keeper.told)
            case _:
                return False
        return True

    def _say(self, sentence: str) -> None:
        """Tell the host a sentence, mostly about the table's code, with which others join; on a
        full screen also show the code and the long invites, with the second of the sentences
        that tell it.
        """
        announcer(self._player, self._console)(sentence)
        # A footer has one line; the invites and the code need more. The code is told whole with the
        # second of its sentences.
        if _on_screen(self._player) and sentence in self._keeper.told[1:]:
            self._show(self._keeper.told)

    async def close(self) -> None:
        """Close the code, and stop listening to the keyboard."""
        # Also a screen that came up since `open`: before that nothing was asked first.
        if isinstance(self._player, TextSeat | ClientSeat):
            self._player.before = self._before
        # Also ends the keeper: a code must not outlive its table.
        await self._errands.end()

    async def _listen(self, terminal: Terminal) -> None:
        """Carry out keys that the host types on a terminal, until the input ends."""
        # Ctrl-D ends the keys, not the table.
        with suppress(InputEnded):
            while True:
                said = await terminal.line()
                if said.strip() and not self.asked(said):
                    terminal.say(KEYS)


def _on_screen(player: SeatPlayer) -> TypeGuard[ClientSeat]:
    """Return whether the player's full screen shows a table already."""
    return isinstance(player, ClientSeat) and player.table is not None


def open_lobby(
    console: Console,
    driver: SeatDriver,
    player: SeatPlayer,
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
        options.version,
        public=public,
    )

    def show(_code: tuple[str, ...]) -> None:
        """Print the invites of the seats that nobody has taken by now."""
        # Asked at each showing: seats fill while this lobby is open.
        show_invites(console, vacancies.invites, {*free} - {*driver.sitting})

    lobby = HostLobby(console, player, vacancies, show, about)
    # As soon as all sit, the code is worthless, and its topic is left.
    driver.gathered = lobby.close
    return lobby


INVITING: Final = "The invite for {}: send it by a way that you trust; white space does not matter."
# Short enough to be copied from a full screen without the frame breaking a line.
SHORT_LINE: Final = 40  #: Characters of an invite in a line of the screen.


def places_for(
    player: TextSeat | ClientSeat,
    console: Console,
    filling: Bots,
    told: tuple[str, ...],
    opponents: Opponents,
) -> Places:
    """Return how substitutes get seats at the next table: bots of the `opponents`, which
    `filling` starts with the command-line options `told`; and friends, by a code or an invite,
    which `player` is shown.
    """

    async def bot(invite: Invite, directory: Path, trusted: frozenset[PublicKey]) -> None:
        """Start a bot in the invite's seat, with its files below `directory`; it accepts the
        rulings of `trusted` referees.
        """
        seat = invite.seat
        # Only a spectator's invite has no seat, and a vacancy is none.
        assert seat is not None
        name = name_among_people(seat)
        # The bot can ask nobody: it accepts the referees that its host has accepted.
        words = (*told, *trust_options(trusted))
        # Asked for it alone, so that it has the first of the levels.
        (seated,) = opponents.with_options(
            (Bot(invite, bot_home(directory, seat), words, name=name),)
        )
        await filling.start(seated)

    @asynccontextmanager
    async def friends(vacancies: Vacancies) -> AsyncIterator[None]:
        """Keep a code open for the vacant seats while the context lasts."""

        def show(code: tuple[str, ...]) -> None:
            """Show the code and the long invites of the free seats."""
            lay_out(player, console, (*code, *_lines(vacancies, player)))

        announcer(player, console)(KEYS if isinstance(player, TextSeat) else ON_SCREEN)
        lobby = HostLobby(console, player, vacancies, show)
        try:
            yield
        # Behind an error, too: the seat may be gone by then.
        finally:
            await lobby.close()

    return Places(bot, friends)


ON_SCREEN: Final = "i shows the code and the invite again, c makes a new code."


def lay_out(player: TextSeat | ClientSeat, console: Console, lines: tuple[str, ...]) -> None:
    """Show lines to a player: on the full screen together, else one after the other."""
    if isinstance(player, ClientSeat):
        player.show(lines)
    else:
        for line in lines:
            console.say(line)


def _lines(vacancies: Vacancies, player: TextSeat | ClientSeat) -> tuple[str, ...]:
    """Return a heading and the long invite of each free seat as lines for a player: whole, or cut
    into pieces that fit a screen.
    """
    lines: list[str] = []
    for seat in vacancies.free:
        text = vacancies.invites[seat].format()
        lines.append(INVITING.format(place_name(seat, len(vacancies.invites))))
        # Whole for lines, which a terminal can copy; in pieces on a full screen.
        step = SHORT_LINE if isinstance(player, ClientSeat) else len(text)
        lines += [text[at : at + step] for at in range(0, len(text), step)]
    return tuple(lines)


def show_invites(
    console: Console, invites: Sequence[Invite], free: Collection[Seat], *, qr: bool = False
) -> None:
    """Print those of a table's `invites` that are to its `free` seats, and how to use them; with
    `qr` each as a QR code too.
    """
    if free:
        console.say("Send each player one of these lines, by a way that you trust; whoever has it")
        console.say("can take the seat. They type 'p2p304 join' and paste it.")
    for seat in sorted(free):
        show_invite(console, place_name(seat, len(invites)), invites[seat], qr=qr)


def show_invite(console: Console, title: str, invite: Invite, *, qr: bool) -> None:
    """Print an invite under a title, and as a QR code if `qr`."""
    text = invite.format()
    # An empty line around it, so that a double click takes the invite alone.
    console.say()
    console.say(f"{title}:")
    console.say(text)
    if qr:
        console.say(qr_code(text))
    console.say()
