"""The lobby of a host: keeps the table's code, answers keys, and seats substitutes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeGuard

from cli.commands.meeting_at import code_place
from cli.commands.opponents import Opponents
from cli.commands.screen import announcer
from cli.commands.seating import trust_options
from cli.front.player_commands import nothing_before
from cli.front.writing import Writer
from cli.invite import Invite, qr_code
from cli.lines.console import Console, InputEnded, Terminal
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import Bot, Bots, bot_home, name_among_people
from cli.local.code_host import CodeKeeper, MeetingPlace, TableSeats
from cli.local.continuing import Places, Vacancies
from cli.local.sitting import SeatOptions
from cli.net.credentials import Credentials
from cli.screen.clientseat import ClientSeat
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.setup import Founding
from cli.tasks import Errands
from p2p304.games import agreed_game, telling_of
from p2p304.seats import Seat, place_name
from protocol.wire.identity import PublicKey

KEYS: Final = "Type c for a new code or i for long invites, and Enter."


class HostLobby:
    """The code of a table and the host's keys, until all seats are taken. `close` ends it."""

    def __init__(self, console: Console, player: SeatPlayer, show: Callable[[], None]) -> None:
        """Set up a lobby; `show` prints the long invites of the free seats."""
        self._console = console
        self._player = player
        self._show = show
        self._keeper: CodeKeeper | None = None
        self._before: Callable[[str], bool] = nothing_before
        self._errands = Errands()

    def open(self, place: MeetingPlace, seats: TableSeats, about: Sequence[str] = ()) -> None:
        """Open a code for the free `seats`, kept at the brokers of `place`, and answer the host's
        keys.

        The lines `about` the table are printed after the first code, or after the sentence that
        there is none.
        """
        # A copy, which is used up: these lines are told once, though codes come anew.
        left = list(about)

        def told(sentence: str) -> None:
            """Print a sentence about the code, and `about` once behind the first whole code, or
            behind the sentence that there is none.
            """
            self._say(sentence)
            # Behind the sentence with the code itself, which is the last of those that tell a code.
            if not keeper.told or sentence == keeper.told[-1]:
                # Taken out, so that they are told once.
                while left:
                    self._say(left.pop(0))

        # A local name, too, which `told` above reads once it is called.
        self._keeper = keeper = CodeKeeper(place, seats, told)
        self._errands.start(self._keeper.run())
        # The front end that reads the keyboard hands us each line first.
        if isinstance(self._player, TextSeat) or _on_screen(self._player):
            # What asked before us is put back by `close`.
            self._before, self._player.before = self._player.before, self.asked
        elif isinstance(self._console, Terminal):
            # Before the table's screen is up nobody reads the terminal, so we do.
            self._errands.start(self._listen(self._console))

    def asked(self, said: str) -> bool:
        """Carry out a typed command: c makes a new code, i shows the long invites. Return False
        for any other text.
        """
        match said.strip().lower():
            case "c":
                if self._keeper is not None:
                    self._keeper.renew()
            case "i" | "invite" | "invites":
                self._show()
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
        if _on_screen(self._player) and sentence in self.code[1:]:
            self._show()

    async def close(self) -> None:
        """Close the code, and stop listening to the keyboard."""
        # Also a screen that came up since `open`: before that nothing was asked first.
        if isinstance(self._player, TextSeat | ClientSeat):
            self._player.before = self._before
        # Also ends the keeper: a code must not outlive its table.
        await self._errands.end()

    @property
    def code(self) -> tuple[str, ...]:
        """What is said of the present code: the sentences with it, or the one that it is dead;
        empty before there is one.
        """
        return () if self._keeper is None else self._keeper.told

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


def vacant(
    founding: Founding,
    invites: tuple[Invite, ...],
    free: Sequence[Invite],
    driver: SeatDriver,
    credentials: Credentials,
) -> Vacancies:
    """Return the seats of a founded table that friends may take: those of the `free` invites, of
    all its `invites` in seat order.
    """
    return Vacancies(
        invites=invites,
        # `if` for the type: an invite to a seat names it.
        free=tuple(each.seat for each in free if each.seat is not None),
        game=founding.game,
        profile=founding.profile,
        # A function, asked each time: the seats fill one by one.
        sitting=lambda: driver.sitting,
        credentials=credentials,
        broker_here=founding.broker_here,
    )


def open_lobby(
    console: Console,
    driver: SeatDriver,
    player: SeatPlayer,
    vacancies: Vacancies,
    options: SeatOptions,
    *,
    public: bool = False,
    about: Sequence[str] = (),
) -> HostLobby:
    """Return the lobby of a table without a charter, open with a new code for the free seats, which
    closes once all seats are taken.

    `about` are the lines to print behind the code; a code at `public` brokers is found without
    naming one.
    """

    def show() -> None:
        """Print the invites of the seats that nobody has taken by now."""
        # Asked at each showing: seats fill while this lobby is open.
        left = {*vacancies.free} - {*vacancies.sitting()}
        free = tuple(each for each in vacancies.invites if each.seat in left)
        show_invites(console, free, len(vacancies.invites))

    lobby = HostLobby(console, player, show)
    # As soon as all sit, the code is worthless, and its topic is left.
    driver.gathered = lobby.close
    lobby.open(*code_for(vacancies, options, public=public), about)
    return lobby


def code_for(
    vacancies: Vacancies,
    options: SeatOptions,
    *,
    public: bool = False,
    given: Callable[[Seat], None] = lambda _: None,
) -> tuple[MeetingPlace, TableSeats]:
    """Return the place where the code of a table with free seats is kept, and the seats that it
    gives away.

    A code at `public` brokers is found without naming one. `given` is called with each seat that is
    given.
    """
    place = code_place(
        # All invites of a table name the same broker.
        vacancies.invites[0].nodes,
        vacancies.credentials,
        options,
        broker_here=vacancies.broker_here,
        public=public,
    )
    seats = TableSeats(
        vacancies.invites,
        game_in_words(vacancies.game, vacancies.profile),
        # All but the free ones: our own seat, and those of bots or of people who stay.
        kept=[
            each for each in map(Seat, range(len(vacancies.invites))) if each not in vacancies.free
        ],
        sitting=vacancies.sitting,
        given=given,
    )
    return place, seats


def game_in_words(game: str, agreement: str) -> str:
    """Return the game, its rules and its partnerships in words, for a person who chooses a seat.
    `agreement` is the charter's line about the rules.
    """
    played = agreed_game(game, agreement)
    sides = [Writer(played.seats).sentence(side) for side in telling_of(played).sides()]
    said = f"{telling_of(played).title}."
    # Alone each, or all together: then there is nothing to say of partners.
    if 1 < len(sides) < played.seats:
        # Two a side: partners have opposite seats.
        opposite = " Partners sit opposite each other." if played.seats == 2 * len(sides) else ""
        said += f"{opposite} Together: {'; '.join(sides)}."
    return said


INVITING: Final = "The invite for {}: send it by a way that you trust; white space does not matter."
# Short enough to be copied from a full screen without the frame breaking a line.
SHORT_LINE: Final = 40  #: Characters of an invite in a line of the screen.


def places_for(
    player: TextSeat | ClientSeat,
    console: Console,
    filling: Bots,
    options: SeatOptions,
    told: tuple[str, ...],
    opponents: Opponents,
) -> Places:
    """Return how substitutes get seats at the next table: bots of the `opponents`, which
    `filling` starts with the command-line options `told`; and friends, by a code made with
    `options` or an invite, which `player` is shown.
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

        def show() -> None:
            """Show the code and the long invites of the free seats."""
            if isinstance(player, ClientSeat):
                player.show((*lobby.code, *_lines(vacancies)))
                return
            for line in lobby.code:
                console.say(line)
            for line in _lines(vacancies, whole=True):
                console.say(line)

        # `show` above reads it once somebody asks, when it is there.
        lobby = HostLobby(console, player, show)
        announcer(player, console)(KEYS if isinstance(player, TextSeat) else ON_SCREEN)
        lobby.open(*code_for(vacancies, options))
        try:
            yield
        # Behind an error, too: the seat may be gone by then.
        finally:
            await lobby.close()

    return Places(bot, friends)


ON_SCREEN: Final = "i shows the code and the invite again, c makes a new code."


def _lines(vacancies: Vacancies, *, whole: bool = False) -> tuple[str, ...]:
    """Return a heading and the long invite of each free seat as lines: `whole`, or cut into
    pieces that fit a screen.
    """
    lines: list[str] = []
    for seat in vacancies.free:
        text = vacancies.invites[seat].format()
        lines.append(INVITING.format(place_name(seat, len(vacancies.invites))))
        # Whole for lines, which a terminal can copy; in pieces on a full screen.
        step = len(text) if whole else SHORT_LINE
        lines += [text[at : at + step] for at in range(0, len(text), step)]
    return tuple(lines)


def show_invites(console: Console, free: Sequence[Invite], seats: int, *, qr: bool = False) -> None:
    """Print the invites of the `free` seats of a table with `seats` seats, and how to use them;
    with `qr` each as a QR code too.
    """
    if free:
        console.say("Send each player one of these lines, by a way that you trust; whoever has it")
        console.say("can take the seat. They type 'p2p304 join' and paste it.")
    for invite in free:
        # These are seats' invites; one to watch has no seat.
        assert invite.seat is not None
        show_invite(console, place_name(invite.seat, seats), invite, qr=qr)


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
