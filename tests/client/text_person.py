"""Somebody at a line terminal, for tests: a text seat whose lines a test writes."""

from __future__ import annotations

import asyncio
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.front.choosing import shown
from cli.lines.console import Console
from cli.lines.textseat import TextSeat
from cli.screen.choices import Asking, is_asked
from cli.screen.preferences import Habits
from cli.seat.options import ENDLESS, Goal
from cli.store.identity import KnownPeers
from p2p304.games import telling_of
from p2p304.seats import Seat
from protocol.seat.session import Session
from tests.client.recorded_commands import RecordedCommands


class Paper(io.StringIO):
    """An output that shows every sign."""

    encoding = "utf-8"


@dataclass
class Person:
    """A text seat whose lines a test writes."""

    seat: TextSeat
    writer: int
    output: io.StringIO

    def type(self, *lines: str) -> None:
        os.write(self.writer, "".join(f"{line}\n" for line in lines).encode())

    def end(self) -> None:
        """The input ends."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def said(self) -> str:
        return self.output.getvalue()


def sitting(tmp_path: Path, *, alone: bool = False, goal: Goal = ENDLESS, **set_to: Any) -> Person:
    """Somebody in South's seat, perhaps alone with bots."""
    reader, writer = os.pipe()
    output = Paper()
    console = Console(descriptor=reader, output=output)
    known = KnownPeers(tmp_path / "h")
    habits = Habits(hints=alone, agree=alone, **set_to)
    here = tmp_path / "table"
    seat = TextSeat(console, habits, seat=Seat(0), known=known, directory=here, goal=goal)
    return Person(seat, writer, output)


class Terminal:
    """Somebody at a terminal."""

    def __init__(self, place: Path) -> None:
        self._ours, theirs = os.openpty()
        self._output = Paper()
        self.commands = RecordedCommands()
        self.seat = TextSeat(
            Console(descriptor=theirs, output=self._output),
            Habits(),
            seat=Seat(0),
            known=KnownPeers(place / "h"),
            directory=place / "table",
        )
        self.seat.bind(self.commands.do)

    def type(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    async def said(self, words: str) -> str:
        """All that was said, once these words are among it."""
        async with asyncio.timeout(30):
            while words not in self._output.getvalue():
                await asyncio.sleep(0.005)
        return self._output.getvalue()

    def hang_up(self) -> None:
        os.close(self._ours)


def first_choice(session: Session) -> tuple[str, ...]:
    """What is typed for the choice that is listed first, with the answer if it is asked about."""
    view = session.view()
    assert view is not None
    choice = telling_of(session.game).choices(view, session.legal_actions())[0]
    typed = shown(choice).replace("Enter", "")
    return (typed, *(["y"] * is_asked(choice, Asking.COSTLY)))
