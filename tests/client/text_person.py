"""Somebody at a line terminal, for tests: a text seat whose lines a test writes."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cli.commands.screen import texts_around
from cli.front.player_commands import PlayerCommand
from cli.front.writing import key_of
from cli.lines.console import Console
from cli.lines.textseat import TextSeat
from cli.screen.desk import is_asked
from cli.screen.preferences import Asking, PlaySettings
from cli.seat.setup import ENDLESS, Goal
from cli.store.identity import PeersFile
from p2p304.games import full_agreement, telling_of
from p2p304.seats import Seat
from protocol.seat.session import Session
from protocol.table.events import Persist, Send
from protocol.topics.commands import Say
from tests.table.bus import Table, charter

FOUR = charter(4, game="304", profile=full_agreement("304"))


class RecordedCommands(list[PlayerCommand]):
    """All that was wanted, in its order."""

    async def do(self, wanted: PlayerCommand) -> None:
        """Write it down."""
        self.append(wanted)

    @property
    def words(self) -> list[str]:
        """What was said to the table."""
        return [each.text for each in self if isinstance(each, Say)]


class Paper(io.StringIO):
    """An output that shows every sign."""

    encoding = "utf-8"


@dataclass
class Person:
    """A text seat whose lines a test writes, and what it wants of the table."""

    seat: TextSeat
    writer: int
    output: io.StringIO
    commands: RecordedCommands = field(default_factory=RecordedCommands)

    def type(self, *lines: str) -> None:
        os.write(self.writer, "".join(f"{line}\n" for line in lines).encode())

    def end(self) -> None:
        """The input ends."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def said(self) -> str:
        return self.output.getvalue()

    def words(self) -> str:
        """What was said, however its lines were broken."""
        return " ".join(self.said().split())

    async def asks(self, *lines: str) -> list[PlayerCommand]:
        """What is wanted of the table by lines typed at a question, which is answered no."""
        self.commands.clear()
        self.type(*lines, "n")
        await self.seat.confirm(FOUR)
        await asyncio.sleep(0)
        return [*self.commands]


def seat_at(
    console: Console, place: Path, play_settings: PlaySettings, goal: Goal = ENDLESS
) -> TextSeat:
    """South's seat in lines, whose machine knows whom `place` says."""
    around = texts_around(Seat(0), PeersFile(place / "h"), place / "table")
    return TextSeat(console, play_settings, around, seat=Seat(0), goal=goal)


def sitting(tmp_path: Path, *, alone: bool = False, goal: Goal = ENDLESS, **set_to: Any) -> Person:
    """Somebody in South's seat, perhaps alone with bots."""
    reader, writer = os.pipe()
    output = Paper()
    play_settings = PlaySettings(hints=alone, agree=alone, **set_to)
    seat = seat_at(Console(descriptor=reader, output=output), tmp_path, play_settings, goal)
    person = Person(seat, writer, output)
    seat.bind(person.commands.do)
    return person


def typing(*lines: str) -> tuple[Console, io.StringIO]:
    """A console whose input is a pipe with these lines, and what it says."""
    reader, writer = os.pipe()
    os.write(writer, "".join(f"{line}\n" for line in lines).encode())
    os.close(writer)
    said = io.StringIO()
    return Console(descriptor=reader, output=said), said


class Keyboard:
    """A terminal that somebody types at, and the console of one kind or the other at it."""

    def __init__(self, kind: type[Console] = Console) -> None:
        self._ours, theirs = os.openpty()
        self._output = Paper()
        self.console = kind(descriptor=theirs, output=self._output)

    def type(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    async def said(self, words: str, times: int = 1) -> str:
        """All that was said, once these words are among it so often."""
        async with asyncio.timeout(300):
            while self._output.getvalue().count(words) < times:
                await asyncio.sleep(0.005)
        return self._output.getvalue()

    def hang_up(self) -> None:
        """End the terminal, and so the thread that reads from it."""
        os.close(self._ours)


class Terminal(Keyboard):
    """Somebody in a seat at a terminal."""

    def __init__(self, place: Path) -> None:
        super().__init__()
        self.commands = RecordedCommands()
        self.seat = seat_at(self.console, place, PlaySettings())
        self.seat.bind(self.commands.do)


async def follow(
    there: Any,
    table: Table,
    done: Callable[[], bool],
    decide: Callable[[], Awaitable[object]] | None = None,
) -> None:
    """Play on until something is so, and tell all that happens at seat 0, whose player may be asked
    for what it does; all others play at random."""
    session, heard = table.chairs[0].session, 0
    while True:
        events = table.chairs[0].events
        for event in events[heard:]:
            if not isinstance(event, Persist | Send):
                await there.tell(event, session)
        heard = len(events)
        if done():
            return
        if table.deliver():
            continue
        if decide is not None and session.legal_actions():
            table.act(0, await decide())
        elif not any(table.choose(seat) for seat in range(decide is not None, table.game.seats)):
            table.tick()


def brought_to(table: Table, ready: Callable[[Any], bool], *wanted: object) -> Table:
    """A table in whose first hand all do what is wanted, or what is listed first, until South is to
    act in such a state."""
    session = table.begun().chairs[0].session

    def go_on(seat: int) -> bool:
        legal = table.chairs[seat].session.legal_actions()
        if legal:
            table.act(seat, next((each for each in wanted if each in legal), legal[0]))
        return bool(legal)

    for _ in range(4_000):
        view = session.view()
        if view is not None and session.legal_actions() and ready(view.state):
            return table
        if not table.deliver() and not any(go_on(seat) for seat in range(table.game.seats)):
            table.tick()
    raise AssertionError("it did not come to that")


def first_choice(session: Session) -> tuple[str, ...]:
    """What is typed for the choice that is listed first, with the answer if it is asked about."""
    view = session.view()
    choice = telling_of(session.game).choices(view, session.legal_actions())[0]
    typed = key_of(choice).replace("Enter", "")
    return (typed, *(["y"] * is_asked(choice, Asking.COSTLY)))
