"""A saved hand, step by step, forwards and backwards: with what was public then, or all cards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cli.story import Teller
from cli.ui.canvas import Frame
from cli.ui.commands import press
from cli.ui.desk import Desk, Mode
from cli.ui.model import Table, heard, new_table, viewed
from cli.ui.render import render
from p2p304.cards import Card
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase, State
from p2p304.slots import Slot
from p2p304.view import View
from protocol.charter import Charter
from protocol.events import ActionTaken, Event, HandEnded, HandStarted


@dataclass(frozen=True, slots=True)
class Replay:
    """The steps of a hand, a table each, and every face that its end made public."""

    steps: tuple[Table, ...]
    faces: Mapping[Slot, Card]

    def at(self, step: int, *, all_cards: bool) -> Table:
        """The table after so many steps; with every card that became public later, if wanted."""
        table = self.steps[step]
        return replace(table, faces=self.faces) if all_cards else table

    def trick_before(self, step: int) -> int:
        """The nearest earlier step at which fewer tricks were complete."""
        done = self._tricks(step)
        earlier = [each for each in range(step) if self._tricks(each) < done]
        return earlier[-1] if earlier else 0

    def trick_after(self, step: int) -> int:
        """The nearest later step at which more tricks were complete."""
        done = self._tricks(step)
        later = [each for each in range(step, len(self.steps)) if self._tricks(each) > done]
        return later[0] if later else len(self.steps) - 1

    def lines(self, *, all_cards: bool) -> Iterator[str]:
        """What happened, sentence by sentence, each step told by itself: nothing is told twice, and
        nothing is left out because it was said before."""
        faces = self.faces if all_cards else {}
        shown = False
        before: Table | None = None
        for table in self.steps:
            state = table.state
            assert state is not None
            if before is None or table.number != before.number:
                yield table.news[-1]
                shown = False
            elif table.summary is not None and before.summary is None:
                yield table.news[-1]
            else:
                fresh = viewed(replace(before, news=()), table.number, View(None, state, faces))
                yield from fresh.news
            if all_cards and not shown and state.phase is Phase.TRICK:
                shown = True
                yield "All cards, as the end made them public:"
                yield from Teller(faces.get, ascii_only=table.ascii_only).hands(state)
            before = table

    def _tricks(self, step: int) -> int:
        state = self.steps[step].state
        return len(state.tricks) if state is not None else 0


def replay_of(
    game: Game304, charter: Charter, events: Iterable[Event], *, ascii_only: bool = False
) -> Replay:
    """The replay of a hand's events, as an audit tells them."""
    table = new_table(game, charter, None, ascii_only=ascii_only)
    state: State | None = None
    number = 0
    steps: list[Table] = []
    for event in events:
        match event:
            case HandStarted(number, dealer):
                state = game.start(dealer, table.scores).state
                table = viewed(table, number, View(None, state, {}))
                steps.append(table)
            case ActionTaken(seat, action) if state is not None:
                state = game.apply(state, seat, action).state
                table = viewed(table, number, View(None, state, {}))
                steps.append(table)
            case HandEnded():
                table = heard(table, event)
                steps.append(table)
            case _:
                pass
    faces: Mapping[Slot, Card] = {} if state is None else state.faces
    return Replay(tuple(steps), faces)


_KEYS: Final = (
    ("Right, Enter, Space", "one step on"),
    ("Left, Backspace", "one step back"),
    ("Page Down", "on to the end of the next trick"),
    ("Page Up", "back before the last trick"),
    ("Home", "the beginning of the hand"),
    ("End", "its end"),
    ("a", "all cards, or the public ones alone"),
    ("l", "the last trick so far"),
    ("?", "the rules of the moment"),
    ("Esc, q, Ctrl-C", "leave"),
)
HELP: Final = tuple(f"{keys:<21}{words}" for keys, words in _KEYS)
"""What the keys of a replay do."""


def _nothing() -> None:
    """Nobody looks."""


class ReplayScreen:
    """The screen of a replay: arrows step, page keys go by tricks, `a` shows all cards."""

    def __init__(self, replay: Replay) -> None:
        self.changed: Callable[[], None] = _nothing
        self.closed = asyncio.Event()
        self.desk = Desk(help=HELP)
        self.step = 0
        self.all_cards = False
        self._replay = replay

    @property
    def table(self) -> Table:
        """What is shown."""
        table = self._replay.at(self.step, all_cards=self.all_cards)
        last = len(self._replay.steps) - 1
        cards = "all cards" if self.all_cards else "public cards"
        words = (
            f"Step {self.step} of {last}, {cards}. Arrows: back and on; Page keys: tricks;"
            " a: all cards; Esc: leave."
        )
        return replace(table, stopped=words, legal=())

    def frame(self, columns: int, rows: int) -> Frame:
        """What the screen shows now."""
        at_end = self.step == len(self._replay.steps) - 1 and self.desk.mode is Mode.TABLE
        ended = at_end and self.table.summary is not None and not self.all_cards
        desk = replace(self.desk, mode=Mode.SUMMARY) if ended else self.desk
        return render(self.table, desk, columns, rows)

    def press(self, key: str) -> None:
        """A key was pressed."""
        last = len(self._replay.steps) - 1
        if self.desk.mode is not Mode.TABLE:
            self.desk, _ = press(self.desk, self.table, key)
        elif key in ("escape", "c-c", "q"):
            self.closed.set()
        elif key == "a":
            self.all_cards = not self.all_cards
        elif key in ("?", "l", "f1"):
            self.desk, _ = press(self.desk, self.table, key)
        else:
            steps = {
                "right": min(self.step + 1, last),
                "enter": min(self.step + 1, last),
                " ": min(self.step + 1, last),
                "left": max(self.step - 1, 0),
                "backspace": max(self.step - 1, 0),
                "pagedown": self._replay.trick_after(self.step),
                "pageup": self._replay.trick_before(self.step),
                "home": 0,
                "end": last,
            }
            self.step = steps.get(key, self.step)
        self.changed()

    def click(self, target: str) -> None:
        """A click on a key's words presses it."""
        kind, _, name = target.partition(" ")
        if kind == "key":
            self.press(name)
