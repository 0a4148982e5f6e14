"""Who sits in a seat, as its driver sees it."""

from __future__ import annotations

from typing import Any, Final, Protocol

from cli.front.player_commands import CarryOut
from cli.front.presence import Seen
from cli.net.transport import LinkStatus
from p2p304.seats import Seat
from protocol.seat.view import SeatView
from protocol.table.events import Event
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey

QUIET: Final = 0.6
"""Seconds without a move before the seat of a person works on the next deck: while somebody thinks.
Bots work on it at once."""


class SeatPlayer(Protocol):
    """Who sits in the seat: a person at a screen, or a bot.

    What it is given as `session` is what its seat may know of the session, and opens no door.
    """

    def bind(self, carry_out: CarryOut) -> None:
        """Learn once, before anything else, what carries out what the player wants at any time."""
        ...

    @property
    def feels_delay(self) -> bool:
        """Whether work on the next deck, which nobody waits for yet, is better done in pauses."""
        ...

    async def lobby(self, names: dict[int, str], seats: int) -> None:
        """Learn who has claimed one of so many seats; nobody while the founder does not answer."""
        ...

    async def confirm(self, charter: Charter, unnamed: tuple[PublicKey, ...] = (), /) -> bool:
        """Tell whether the player agrees to play under this charter, and accepts what the owners
        of the `unnamed` keys rule, whom it has not named. Raises UserError where it must name them
        because nobody can be asked."""
        ...

    async def begin(self, session: SeatView) -> None:
        """Learn once where the table stands, before anything happens: at its start or resumed."""
        ...

    async def tell(self, event: Event, session: SeatView) -> None:
        """Learn of everything that happens."""
        ...

    async def shown(self) -> None:
        """Return when the player sees what was told.

        Proofs that others wait for are made after that, for they take longer than a frame.
        """
        ...

    async def link(self, status: LinkStatus) -> None:
        """Learn what the connection is doing."""
        ...

    async def presence(self, seat: Seat, seen: Seen) -> None:
        """Learn what is heard of whether another seat is there: hearsay, which decides nothing."""
        ...

    async def decide(self, session: SeatView) -> Any:
        """Return the player's choice, now that its seat is awaited; cancelled when it no longer
        is."""
        ...

    async def made(self) -> None:
        """Return when what was chosen may leave: its message is made, and on the disk."""
        ...

    async def refused(self, reason: str) -> None:
        """Learn why the last choice was refused; `decide` is asked again."""
        ...

    def considers(self) -> bool:
        """Tell whether the player, whose matches are over, may still want another one."""
        ...

    async def leaving(self) -> None:
        """Return when the player wants to leave the table, and may come back later."""
        ...
