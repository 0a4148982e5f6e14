"""A bot in a seat: decides in a worker thread, from the view alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from cli.net.transport import Status
from p2p304.bots.competent import CompetentPlayer
from p2p304.bots.random_player import RandomPlayer
from p2p304.game import AnyGame
from p2p304.rules304.hand import Game304
from p2p304.simulator import Player as Chooser
from protocol.charter import Charter
from protocol.events import Event
from protocol.session import Session

Listener = Callable[[Event, Session], None]


def bot_for(game: AnyGame, seed: int) -> Chooser:
    """The best bot that there is for a game."""
    return CompetentPlayer(seed) if isinstance(game, Game304) else RandomPlayer(game, seed)


class BotSeat:
    """Plays by itself. `listeners` hear of everything that happens."""

    def __init__(self, seed: int, *listeners: Listener) -> None:
        self._seed = seed
        self._listeners = listeners
        self._chooser: Chooser | None = None

    async def lobby(self, names: dict[int, str]) -> None:
        """Nothing to do."""

    async def confirm(self, charter: Charter) -> bool:  # noqa: ARG002 - a bot plays anything
        """A bot agrees to every charter that its program can play."""
        return True

    async def begin(self, session: Session) -> None:
        """Nothing to do: a bot decides from the view of the moment."""

    async def tell(self, event: Event, session: Session) -> None:
        """Pass it on."""
        for listener in self._listeners:
            listener(event, session)

    async def link(self, status: Status) -> None:
        """Nothing to do: the transport heals by itself."""

    async def decide(self, session: Session) -> Any:
        """What the bot chooses from the view of its seat."""
        view = session.view()
        assert view is not None
        if self._chooser is None:
            self._chooser = bot_for(session.game, self._seed)
        return await asyncio.to_thread(self._chooser.choose, view)

    async def refused(self, reason: str) -> None:
        """A bot that chooses what is refused would do so for ever."""
        raise RuntimeError(f"a bot chose what the rules refuse: {reason}")

    async def leaving(self) -> None:
        """Never."""
        await asyncio.Event().wait()
