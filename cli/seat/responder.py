"""While a table plays: answers to claims that come late, and to spectators, at a bounded rate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from cli.seat.channel import SealedLine
from cli.seat.setup import Setup
from cli.seat.surroundings import Surroundings
from protocol.seat.session import Session
from protocol.table.sync import far_behind, lacked_by
from protocol.table.table import TableState
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.contents import Head
from protocol.wire.presence import Presence
from protocol.wire.registrar import Registrar

ANSWER_INTERVAL: Final = 1.0
"""Seconds between two answers of a kind, whoever asks: spectators have no names."""


class LobbyResponder:
    """Our seat's answers to lobby messages once it has its charter."""

    def __init__(
        self,
        setup: Setup,
        charter: Charter,
        line: SealedLine,
        around: Surroundings,
        present: Callable[[Presence], Awaitable[None]] | None = None,
    ) -> None:
        """`around` has the hands that the session has forgotten; `present` hears what is said of
        who is there."""
        self._present = present
        self._around = around
        self._setup = setup
        self._charter = charter
        self._line = line
        self._answered: dict[type[lobby.LobbyMessage], float] = {}
        self._registrar: Registrar | None = None
        if setup.founding is not None:
            self._registrar = Registrar.of(charter, setup.founding.tokens)

    async def hear(self, payload: bytes, session: Session | None) -> None:
        """Answer a lobby message, if it deserves one now."""
        seats, table = len(self._charter.seats), self._charter.table
        match lobby.from_bytes(payload, seats=seats, table=table):
            case lobby.Claim() as claim if self._registrar is not None:
                answer = self._registrar.take(claim)
                if answer is not None and self._may_answer(lobby.Claim):
                    await self._line.send(lobby.to_bytes(answer))
            case lobby.Inquiry(_, asked, knows_charter, heads) if asked == self._setup.seat:
                if not self._may_answer(lobby.Inquiry):
                    return
                if not knows_charter:
                    await self._line.send(lobby.to_bytes(lobby.Board.of(self._charter)))
                if session is not None:
                    said = session.said_to_referees()
                    for raw in await self._lacked(session.table_state, heads, said):
                        await self._line.say(raw, session.game)
            case Presence() as word if self._present is not None:
                await self._present(word)
            case _:
                pass

    async def _lacked(
        self, table_state: TableState, heads: tuple[Head, ...], said: tuple[bytes, ...]
    ) -> list[bytes]:
        """Return what a spectator with these heads lacks: what was `said` to referees and by them
        first."""
        if far_behind(table_state, heads):
            older = await self._around.hands.older(self._charter.table, heads)
            if older:
                return [*said, *older]
        return [*said, *(each.raw for each in lacked_by(table_state, heads))]

    def _may_answer(self, kind: type[lobby.LobbyMessage]) -> bool:
        now = self._around.clock()
        before = self._answered.get(kind)
        if before is not None and now - before < ANSWER_INTERVAL:
            return False
        self._answered[kind] = now
        return True
