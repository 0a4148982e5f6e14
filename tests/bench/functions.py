"""Counts the functions and the modules through which a card and an audit go: `sys.setprofile`.

    python -m tests.bench.functions            a card, from a key to another's screen; an audit
    python -m tests.bench.functions --names    the functions themselves, too

Functions and lambdas are counted, each once, however often it is called; comprehensions are not,
nor what libraries do. The rules and the cryptography are told by themselves: `OUTSIDE` is the rest.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import click

from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import PlaySettings
from p2p304.games import agreed_game
from p2p304.rules304.actions import PlayCard
from protocol.transcript.auditor import audit_bytes
from tests.bench.hand import TimedTable

ROOT: Final = Path(__file__).parents[2]
FLOORS: Final = ("cli", "protocol", "p2p304")
#: The rules and the cryptography.
EXCLUDED: Final = ("p2p304", "protocol/group", "protocol/proofs", "protocol/cards")
OUTSIDE: Final = "all but rules and cryptography"
NAME: Final = "functions"
SIZE: Final = (80, 24)
_NOT_COUNTED: Final = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<module>")


@contextmanager
def counting() -> Iterator[set[CodeType]]:
    """Gather what this thread calls meanwhile."""
    called = set[CodeType]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            called.add(frame.f_code)

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)


def of_an_audit() -> Set[CodeType]:
    """Return what the audit of one hand calls."""
    table = TimedTable(name=NAME)
    table.play(1)
    data = table.transcript(0)
    with counting() as called:
        report = audit_bytes(data, lambda charter: agreed_game(charter.game, charter.profile))
    assert report.valid
    return called


async def of_a_card() -> Set[CodeType]:
    """Return what is called from the key that plays a card to the frame that shows it to another
    player: the screens and the sessions of both, without network and disk."""
    table = TimedTable(name=NAME)
    while (found := _card_to_play(table)) is None:
        table.advance()
    seat, card = found
    playing, reading = table.sessions[seat], table.sessions[(seat + 1) % len(table.sessions)]
    hours = itertools.count(0, 3600)  # what is announced was read long ago
    mine, other = (ClientSeat(PlaySettings(), clock=lambda: float(next(hours))) for _ in range(2))
    for client, session in ((mine, playing), (other, reading)):
        await client.begin(lambda session=session: session)  # type: ignore[misc]  # bound now
        client.frame(*SIZE)
    decision = asyncio.create_task(mine.decide(playing))
    while mine.table is None or not mine.table.choices:
        await asyncio.sleep(0)
    with counting() as called:
        for key in str(card).lower():
            mine.press(key)
            mine.frame(*SIZE)
        table.handle(seat, playing.act(await decision, now=table.now))
        sent = [raw for _, to, raw in table.flying if to == reading.seat]
        for event in [each for raw in sent for each in reading.receive(raw, now=table.now)]:
            await other.tell(event, reading)
        await other.shown()
        other.frame(*SIZE)
    assert sent
    return called


def _card_to_play(table: TimedTable) -> tuple[int, Any] | None:
    """Return the seat that may play a card, and the card, once nothing is on its way."""
    for seat, session in enumerate(table.sessions if not table.flying else ()):
        for each in session.legal_actions():
            if isinstance(each, PlayCard):
                return seat, each.card
    return None


def page(title: str, called: Set[CodeType], *, names: bool = False) -> str:
    """Return a title, and a line for each room: a folder below a floor; the floor for the rules."""
    rooms = defaultdict[str, set[tuple[str, int, str]]](set)
    for code in called:
        path = Path(code.co_filename)
        if code.co_name in _NOT_COUNTED or not path.is_relative_to(ROOT):
            continue
        floor, *folders = path.relative_to(ROOT).parts
        if floor in FLOORS:
            room = floor if floor == "p2p304" else "/".join((floor, *folders[:-1][:1]))
            module = "/".join((floor, *folders))
            rooms[room].add((module, code.co_firstlineno, code.co_qualname))
    outside = {each for room, some in rooms.items() if room not in EXCLUDED for each in some}
    lines = [f"{title:34}{'functions':>12}{'modules':>10}"]
    for name, some in [*sorted(rooms.items()), (OUTSIDE, outside)]:
        lines.append(f"  {name:32}{len(some):12}{len({module for module, *_ in some}):10}")
        if names and name not in (*EXCLUDED, OUTSIDE):
            lines += [f"      {module}:{line} {each}" for module, line, each in sorted(some)]
    return "\n".join(lines)


@click.command()
@click.option("--names", is_flag=True, help="The functions themselves, too.")
def main(names: bool) -> None:
    """Print both pages."""
    click.echo(page("a card", asyncio.run(of_a_card()), names=names))
    click.echo(page("an audit", of_an_audit(), names=names))


if __name__ == "__main__":
    main(prog_name="python -m tests.bench.functions")
