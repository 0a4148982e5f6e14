"""A person whose game is not known before all sit: the full screen for 304, else lines of text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from cli.net.transport import Status
from cli.table.textseat import TextSeat
from cli.ui.clientseat import ClientSeat
from p2p304.rules304.hand import Game304
from protocol.charter import Charter
from protocol.events import Event
from protocol.session import Session


class EitherSeat:
    """Hands everything to `screen`, or to what `lines` makes once the game turns out to need it."""

    feels_delay = True

    def __init__(self, screen: ClientSeat, lines: Callable[[], TextSeat]) -> None:
        self.screen = screen
        self.player: ClientSeat | TextSeat = screen
        self._lines = lines
        self._begun = asyncio.Event()

    async def lobby(self, names: dict[int, str]) -> None:
        """Told who has claimed a seat so far."""
        await self.screen.lobby(names)

    async def begin(self, session: Session) -> None:
        """The game is known now: choose, before anybody is asked to agree to it."""
        if not isinstance(session.game, Game304):
            lines = self._lines()
            lines.talker, lines.ender = self.screen.talker, self.screen.ender
            self.player = lines
        await self.player.begin(session)
        self._begun.set()

    async def confirm(self, charter: Charter) -> bool:
        """Whether the player agrees to play under this charter."""
        return await self.player.confirm(charter)

    async def tell(self, event: Event, session: Session) -> None:
        """Told of everything that happens."""
        await self.player.tell(event, session)

    async def shown(self) -> None:
        """Returns when the player sees what was told."""
        await self.player.shown()

    async def link(self, status: Status) -> None:
        """Told what the connection is doing."""
        await self.player.link(status)

    async def decide(self, session: Session) -> Any:
        """The player's choice."""
        return await self.player.decide(session)

    async def refused(self, reason: str) -> None:
        """Told why the last choice was refused."""
        await self.player.refused(reason)

    async def leaving(self) -> None:
        """Returns when the player wants to leave; before the table stands only Ctrl-C does."""
        await self._begun.wait()
        await self.player.leaving()
