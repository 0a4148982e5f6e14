"""While a table plays: answers to claims that come late, and to spectators, at a bounded rate."""

from __future__ import annotations

import time
from typing import Final

from cli.table import lobby
from cli.table.line import SealedLine
from cli.table.setup import Setup
from protocol.charter import Charter
from protocol.gossip import lacked_by
from protocol.session import Session

ANSWER_INTERVAL: Final = 1.0
"""Seconds between two answers of a kind, whoever asks: spectators have no names."""


class Doorkeeper:
    """Our seat's answers to lobby messages once it has its charter."""

    def __init__(self, *, setup: Setup, charter: Charter, line: SealedLine) -> None:
        self._setup = setup
        self._charter = charter
        self._line = line
        self._answered: dict[type[lobby.LobbyMessage], float] = {}
        self._registrar: lobby.Registrar | None = None
        if setup.founding is not None:
            self._registrar = lobby.Registrar.of(charter, setup.founding.tokens)

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
                    for message in lacked_by(session.proceedings, heads):
                        await self._line.send(message.raw)
            case _:
                pass

    def _may_answer(self, kind: type[lobby.LobbyMessage]) -> bool:
        now = time.monotonic()
        before = self._answered.get(kind)
        if before is not None and now - before < ANSWER_INTERVAL:
            return False
        self._answered[kind] = now
        return True
