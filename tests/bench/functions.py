"""Counts the functions and the modules through which a card and an audit go: `sys.setprofile`.

    python -m tests.bench.functions            a card, from a key to another's screen; an audit
    python -m tests.bench.functions --names    the functions themselves, too

Functions and lambdas are counted, each once, however often it is called; comprehensions are not,
nor what libraries do. The rules and the cryptography are told by themselves: `OUTSIDE` is the rest.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import click

from cli.errors import ExitCode
from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import PlaySettings
from p2p304.games import agreed_game
from p2p304.rules304.actions import PlayCard
from protocol.transcript.auditor import audit_bytes
from tests.bench.hand import TimedTable

ROOT: Final = Path(__file__).parents[2]
FLOORS: Final = ("cli", "protocol", "p2p304")
EXCLUDED: Final = ("p2p304", "protocol/group", "protocol/proofs", "protocol/cards")
"""The rules and the cryptography."""
OUTSIDE: Final = "all but rules and cryptography"
NAME: Final = "functions"
COLUMNS, ROWS = 80, 24
_COMPREHENSIONS: Final = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_NOT_COUNTED: Final = _COMPREHENSIONS | {"<module>"}


class Function(NamedTuple):
    """A function of the program that was called, by where it begins."""

    module: str
    line: int
    name: str

    @property
    def room(self) -> str:
        """The folder that it lies in, below its floor; the floor itself for the rules."""
        floor, *folders = Path(self.module).parts
        return floor if floor == "p2p304" else "/".join((floor, *folders[:-1][:1]))


class Counted:
    """What is called while it counts."""

    def __init__(self) -> None:
        self._codes = set[CodeType]()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what this thread calls meanwhile."""
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self._codes.add(frame.f_code)

    def functions(self) -> tuple[Function, ...]:
        """Return the program's functions among what was called, each once."""
        found = set[Function]()
        for code in self._codes:
            path = Path(code.co_filename)
            if code.co_name in _NOT_COUNTED or not path.is_relative_to(ROOT):
                continue
            module = path.relative_to(ROOT)
            if module.parts[0] in FLOORS:
                found.add(Function(module.as_posix(), code.co_firstlineno, code.co_qualname))
        return tuple(sorted(found))


class Row(NamedTuple):
    """How many functions of how many modules."""

    functions: int
    modules: int


def rows_of(functions: Sequence[Function]) -> dict[str, Row]:
    """Return a row for each room, and one for all `OUTSIDE` the excluded ones."""
    rooms = sorted({each.room for each in functions})
    by_room = {room: [each for each in functions if each.room == room] for room in rooms}
    outside = [each for each in functions if each.room not in EXCLUDED]
    found = {**by_room, OUTSIDE: outside}
    return {
        name: Row(len(some), len({each.module for each in some})) for name, some in found.items()
    }


def of_an_audit() -> tuple[Function, ...]:
    """Return what the audit of one hand calls."""
    table = TimedTable(name=NAME)
    table.play(1)
    data, counted = table.transcript(0), Counted()
    with counted.counting():
        report = audit_bytes(data, agreed_game_of)
    assert report.valid
    return counted.functions()


def agreed_game_of(charter: Any) -> Any:
    """Return the game of a charter."""
    return agreed_game(charter.game, charter.profile)


async def of_a_card() -> tuple[Function, ...]:
    """Return what is called from the key that plays a card to the frame that shows it to another
    player: the screens and the sessions of both, without network and disk."""
    table = TimedTable(name=NAME)
    while (seat := _player_of_a_card(table)) is None:
        table.advance()
    reader = (seat + 1) % len(table.sessions)
    hours = itertools.count(0, 3600)  # what is announced was read long ago
    mine, other = (ClientSeat(PlaySettings(), clock=lambda: float(next(hours))) for _ in range(2))
    await mine.begin(lambda: table.sessions[seat])
    await other.begin(lambda: table.sessions[reader])
    for each in (mine, other):
        each.frame(COLUMNS, ROWS)
    decision = asyncio.create_task(mine.decide(table.sessions[seat]))
    while mine.table is None or not mine.table.choices:
        await asyncio.sleep(0)
    card = next(
        each.card for each in table.sessions[seat].legal_actions() if isinstance(each, PlayCard)
    )
    counted = Counted()
    with counted.counting():
        for key in str(card).lower():
            mine.press(key)
            mine.frame(COLUMNS, ROWS)
        action = await decision
        events = table.sessions[seat].act(action, now=table.now)
        table.handle(seat, events)
        sent = [raw for _, to, raw in table.flying if to == reader]
        heard = [
            each for raw in sent for each in table.sessions[reader].receive(raw, now=table.now)
        ]
        for event in heard:
            await other.tell(event, table.sessions[reader])
        await other.shown()
        other.frame(COLUMNS, ROWS)
    assert sent
    assert isinstance(action, PlayCard)
    return counted.functions()


def _player_of_a_card(table: TimedTable) -> int | None:
    """Return the seat that may play a card, once nothing is on its way."""
    if table.flying:
        return None
    able = (
        seat
        for seat, session in enumerate(table.sessions)
        if any(isinstance(each, PlayCard) for each in session.legal_actions())
    )
    return next(able, None)


def page(title: str, functions: Sequence[Function], *, names: bool = False) -> str:
    """Return a title, and a line for each room."""
    lines = [f"{title:34}{'functions':>12}{'modules':>10}"]
    for name, row in rows_of(functions).items():
        lines.append(f"  {name:32}{row.functions:12}{row.modules:10}")
        if names and name not in EXCLUDED:
            lines += [
                f"      {each.module}:{each.line} {each.name}"
                for each in functions
                if each.room == name
            ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both pages."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.functions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--names", action="store_true")
    names = parser.parse_args(arguments).names
    click.echo(page("a card", asyncio.run(of_a_card()), names=names))
    click.echo(page("an audit", of_an_audit(), names=names))
    return ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())
