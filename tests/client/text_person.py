"""Somebody at a line terminal, for tests: a text seat whose lines a test writes."""

from __future__ import annotations

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


def first_choice(session: Session) -> tuple[str, ...]:
    """What is typed for the choice that is listed first, with the answer if it is asked about."""
    view = session.view()
    assert view is not None
    choice = telling_of(session.game).choices(view, session.legal_actions())[0]
    typed = shown(choice).replace("Enter", "")
    return (typed, *(["y"] * is_asked(choice, Asking.COSTLY)))
