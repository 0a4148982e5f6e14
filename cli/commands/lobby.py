"""What a host's side does while friends come: the table's code is kept, and keys are answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeGuard

from cli.commands.screen import announcer
from cli.front.doors import nothing_before
from cli.front.writing import Writer
from cli.invite import Invite
from cli.lines.console import Console, InputEnded, Terminal
from cli.lines.textseat import TextSeat
from cli.screen.clientseat import ClientSeat
from cli.seat.codes import CodeKeeper, MeetingPlace, TableSeats
from cli.seat.driver import SeatDriver
from cli.seat.player import Player
from cli.tasks import Errands
from p2p304.games import agreed_game, telling_of
from p2p304.seats import Seat

KEYS: Final = "Type c for a new code or i for long invites, and Enter."


class HostLobby:
    """The table's code and the keys beside it, until all have come. `close` ends it."""

    def __init__(self, console: Console, player: Player, show: Callable[[], None]) -> None:
        """`show` prints the long invites of the seats that are free."""
        self._console = console
        self._player = player
        self._show = show
        self._keeper: CodeKeeper | None = None
        self._errands = Errands()

    def open(self, place: MeetingPlace, seats: TableSeats) -> None:
        """Begin to keep a code for the seats, and to answer who types."""
        self._keeper = CodeKeeper(place, seats, announcer(self._player, self._console))
        self._errands.start(self._keeper.run())
        if isinstance(self._player, TextSeat) or _on_screen(self._player):
            self._player.before = self.asked
        elif isinstance(self._console, Terminal):
            self._errands.start(self._listen(self._console))

    def asked(self, said: str) -> bool:
        """Do what was typed; False for what is none of ours."""
        match said.strip().lower():
            case "c":
                if self._keeper is not None:
                    self._keeper.renew()
            case "i" | "invite" | "invites":
                self._show()
            case _:
                return False
        return True

    async def close(self) -> None:
        """End the code, and listen to the keyboard no more."""
        if isinstance(self._player, TextSeat | ClientSeat):
            self._player.before = nothing_before
        await self._errands.end()

    @property
    def code(self) -> tuple[str, ...]:
        """What was said of the code."""
        return () if self._keeper is None else self._keeper.told

    async def _listen(self, terminal: Terminal) -> None:
        with suppress(InputEnded):
            while True:
                said = await terminal.line()
                if said.strip() and not self.asked(said):
                    terminal.say(KEYS)


def _on_screen(player: Player) -> TypeGuard[ClientSeat]:
    return isinstance(player, ClientSeat) and player.table is not None


def seats_of(
    invites: Sequence[Invite],
    founding_game: str,
    agreement: str,
    driver: SeatDriver,
    *,
    kept: Sequence[Seat],
) -> TableSeats:
    """Return the seats that a code gives at a table that waits for its players."""
    return TableSeats(
        invites, game_in_words(founding_game, agreement), kept=kept, sitting=lambda: driver.sitting
    )


def game_in_words(game: str, agreement: str) -> str:
    """Return what is played, by what rules, and who wins together, for those who choose a seat."""
    played = agreed_game(game, agreement)
    sides = [Writer(played.seats).sentence(side) for side in telling_of(played).sides()]
    said = f"{telling_of(played).title}."
    if 1 < len(sides) < played.seats:
        opposite = " Partners sit opposite each other." if played.seats == 2 * len(sides) else ""
        said += f"{opposite} Together: {'; '.join(sides)}."
    return said
