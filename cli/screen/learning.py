"""The lesson: a prepared hand on the screen of a table, with each choice explained first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from cli.front.assistant import duty
from cli.front.story import ToldAction
from cli.front.writing import Writer, find_choice, in_due_order, read_order
from cli.screen.canvas import Frame, Shown
from cli.screen.desk import Act, Desk, Mode, PlainDeed
from cli.screen.footer import title_of
from cli.screen.input import click, press
from cli.screen.model import Table, after_action, after_notice, after_view
from cli.screen.moving import Movement
from cli.screen.overlays import bound_scroll
from cli.screen.preferences import PlaySettings
from cli.screen.render import render
from p2p304.cards import parse_card
from p2p304.entry import FirstHand, Lesson, TaughtMove
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.telling import Choice
from protocol.table.events import HandEnded

YOU: Final = "Learner"
# Three others: the deck is prepared for four seats.
NAMES: Final = ("Amara", "Banu", "Chandra")
LEAVE: Final = "Leave the lesson? (y/n)"


class Classroom:
    """The state of a lesson: the hand, the next move, and whether a choice is the lesson's."""

    def __init__(self, game: AnyGame, hand: FirstHand, *, ascii_only: bool = False) -> None:
        """Set up the lesson of `hand` at its beginning."""
        self.hand = hand
        self.open = OpenTable(
            # The cards are given, so randomness decides nothing: any seed gives the same hand.
            game,
            [*map(parse_card, hand.deck.split())],
            SeededRandomness(1),
            dealer=hand.dealer,
        )
        self.table = Table(
            game=game,
            telling=telling_of(game),
            writer=Writer(game.seats, ascii_only=ascii_only),
            names=(*NAMES[: hand.learner], YOU, *NAMES[hand.learner :]),
            seat=hand.learner,
            # Scores at a match's start do not depend on the seed.
            scores=tuple(game.new_match(bytes(32)).scores),
        )
        self._next = 0
        self._look()

    @property
    def move(self) -> TaughtMove | None:
        """The next move of the lesson; None once the hand has ended."""
        moves = self.hand.moves
        return moves[self._next] if self._next < len(moves) else None

    def _choices(self, seat: Seat) -> tuple[Choice, ...]:
        """Return the legal choices of a seat."""
        view = self.open.view(seat)
        return self.table.telling.choices(view, self.open.game.legal_actions(view))

    def find_choice(self, typed: str) -> Choice | None:
        """Return the choice that `typed` names, or None; "" names the default choice, which
        claims nothing.
        """
        # Called for a move alone; None is the hand's end.
        assert self.move is not None
        # Before the choices are shown they are asked of the rules.
        choices = self.table.choices or self._choices(self.move.seat)
        default = next((each for each in choices if each.default), None)
        return (
            find_choice(typed, choices, self.table.writer) if typed or default is None else default
        )

    def next_action(self) -> Any:
        """Return the action that the lesson makes next."""
        # Called for a move alone; None is the hand's end.
        assert self.move is not None
        choice = self.find_choice(self.move.typed)
        # A lesson that names no legal choice is a mistake in our own text.
        assert choice is not None, self.move
        if not self.move.order:
            return choice.action
        view = self.open.view(self.move.seat)
        order = read_order(self.move.order, choice, view, self.table.writer)
        # So is an order that the choice does not take.
        assert not isinstance(order, str), order
        return self.table.telling.order_action(choice, order, view)

    def is_right(self, action: Any) -> bool:
        """Return whether the learner's action is the lesson's.

        A call with an order of cards is also right in the order of the urgent claim, which is
        certain.
        """
        if action == self.next_action():
            return True
        urgent = self.table.urgent
        # Any order that is certain wins alike: a learner is not refused for another one.
        if urgent is None or self.move is None or not self.move.order:
            return False
        certain = next((each for each in self.table.choices if each.order == urgent.order), None)
        view = self.open.view(self.hand.learner)
        return certain is not None and action == self.table.telling.order_action(
            certain, urgent.order, view
        )

    def act(self, action: Any) -> None:
        """Carry out `action` as the next move, about which the learner is asked no more, then every
        action of any seat that decides nothing.
        """
        # Called for a move alone; None is the hand's end.
        assert self.move is not None
        self.table = replace(self.table, choices=(), urgent=None)
        self._carry_out(self.move.seat, action)
        self._next += 1
        # Forced moves are nobody's lesson.
        while self.open.state.awaiting:
            seat = self.open.state.awaiting[0]
            unasked = duty(self._choices(seat))
            if unasked is None:
                break
            self._carry_out(seat, unasked.action)

    def _carry_out(self, seat: Seat, action: Any) -> None:
        """Carry out one seat's action at the open table, and update the learner's table, at the
        hand's end with its summary.
        """
        before = self.open.state
        self.open.act(seat, action)
        self._look()
        self.table = after_action(self.table, ToldAction(before, seat, action, self.open.state))
        game = self.open.game
        # Once: actions may follow the end of a hand.
        if game.is_over(self.open.state) and self.table.summary is None:
            outcome = game.settle(self.open.state)
            # No session tells the end here: it is made from the rules.
            pairs = zip(self.table.scores, outcome.scores, strict=True)
            self.table = after_notice(self.table, HandEnded(0, outcome, tuple(map(sum, pairs))))

    def _look(self) -> None:
        """Update the learner's table by its view of the hand."""
        # Hand 0: a lesson has no other.
        self.table = after_view(self.table, 0, self.open.view(self.hand.learner))

    def ask(self) -> None:
        """Put the learner's choices, and a claim that must not be missed, on the learner's
        table; the learner must be the one who moves next.
        """
        view = self.open.view(self.hand.learner)
        urgent = self.table.telling.urgent(view)
        choices = in_due_order(self._choices(self.hand.learner), urgent)
        self.table = replace(self.table, choices=choices, urgent=urgent)


class LearnScreen(Shown):
    """The screen of a learner. `run` plays the moves of the others at the set pace."""

    def __init__(self, room: Classroom, play_settings: PlaySettings) -> None:
        """Set up the screen of the lesson in `room`; hints are on, and no window closes by
        itself.
        """
        self.changed: Callable[[], None] = lambda: None
        self.closed = asyncio.Event()
        self.room = room
        # No window closes by itself, or the lesson would go on unread.
        self.desk = Desk(settings=replace(play_settings, hints=True, go_on=False))
        self._movement = Movement(time.monotonic) if play_settings.moves else None
        #: The title of the lesson, and its pages that are yet to be shown.
        self._pages: tuple[str, ...] = ()
        #: Set once the learner has made the lesson's choice or read the end: `run` goes on.
        self._answered = asyncio.Event()

    async def run(self) -> None:
        """Play the hand to its end, with a lesson before each move that is taught; then show the
        result and the last lesson, and set `closed` once the learner has read them.
        """
        while (move := self.room.move) is not None:
            if move.lesson is None:
                # An empty `typed` claims nothing, and there is nothing to look at.
                await asyncio.sleep(self.desk.settings.pace if move.typed else 0.0)
                self.room.act(self.room.next_action())
                self.changed()
                continue
            # What was played last lies there for a while before a lesson covers it.
            await asyncio.sleep(self.desk.settings.pace)
            self.room.ask()
            self._teach(move.lesson)
            # Cleared before waiting: an answer to what stood there before would count.
            self._answered.clear()
            await self._answered.wait()
        self.desk = replace(self.desk, mode=Mode.SUMMARY)
        # Setting the desk draws nothing; `_teach` draws by itself.
        self.changed()
        self._answered.clear()
        await self._answered.wait()
        self._teach(self.room.hand.end)
        self._answered.clear()
        await self._answered.wait()
        self.closed.set()

    def _teach(self, lesson: Lesson) -> None:
        """Show the first page of a lesson."""
        self._pages = (lesson.title, *lesson.pages)
        self._turn_page()

    def _turn_page(self) -> None:
        """Show the next page of the lesson; after the last page the table, with that page's last
        sentence as its notice while there is a move to make. After the lesson at the hand's end,
        let `run` go on.
        """
        if len(self._pages) > 1:
            title, page, *rest = self._pages
            self._pages = (title, *rest)
            desk = replace(self.desk, mode=Mode.LESSON, told=(title, page), notice="", page=0)
            self.desk = desk
        else:
            # After the last page its last sentence, which says what to do, stays as the prompt.
            last = self.desk.told[-1].rpartition(". ")[2]
            again = "" if self.room.move is None else last
            self.desk = replace(self.desk, mode=Mode.TABLE, notice=again, about=None)
            if self.room.move is None:
                self._answered.set()
        self.changed()

    def frame(self, columns: int, rows: int) -> Frame:
        """Return the screen at this size."""
        self.desk = bound_scroll(self.desk, self.room.table, columns, rows)
        desk = self.desk
        if self._movement is not None:
            desk = self._movement.over(desk, self.room.table, self.changed)
        return render(self.room.table, desk, columns, rows)

    def title(self) -> str:
        """Return the window's title, such as "Your turn - 304" (see `title_of`)."""
        return title_of(self.room.table)

    def press(self, key: str) -> None:
        """Handle a key: Enter, the space bar or Escape turns a lesson's page; at the table keys
        have their usual meaning.
        """
        self._take(*press(self.desk, self.room.table, key, now=time.monotonic()))

    def click(self, target: str) -> None:
        """Handle a click: while a lesson is shown, any click turns its page; else act at the
        table.
        """
        if self.desk.mode is Mode.LESSON:
            self._turn_page()
            return
        self._take(*click(self.desk, self.room.table, target))

    def _take(self, desk: Desk, deed: object) -> None:
        """Take over the desk after a key or click, and carry out its command: leave, turn a
        lesson's page, let `run` go on after the result, show the lesson again as a hint, or make a
        choice. Other commands are dropped.
        """
        # Nothing can be resumed here, so the usual words would be wrong.
        self.desk = replace(desk, notice=LEAVE) if desk.mode is Mode.LEAVE else desk
        lesson = None if self.room.move is None else self.room.move.lesson
        match deed:
            case PlainDeed.LEAVE:
                self.closed.set()
            case PlainDeed.CLOSE if desk.mode is Mode.LESSON:
                self._turn_page()
            case PlainDeed.CLOSE:
                self._answered.set()
            # A hint is the lesson once more.
            case PlainDeed.HINT if lesson is not None:
                self._teach(lesson)
            case Act(action) if lesson is not None and self.room.is_right(action):
                self.room.act(action)
                self._answered.set()
            # A wrong choice is not carried out: the lesson says why, and asks again.
            case Act() if lesson is not None:
                self.desk = replace(self.desk, notice=lesson.instead, picked=(), pending=None)
        self.changed()
