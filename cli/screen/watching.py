"""The full screen of a spectator: everything public, and nothing to decide."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from cli.clock import on_the_wall
from cli.front.story import Story
from cli.screen.canvas import Frame, Shown
from cli.screen.desk import Answer, Desk, PlainDeed
from cli.screen.input import click, press, settle
from cli.screen.model import (
    Table,
    after_contribution,
    after_event,
    after_view,
    as_it_stands,
    new_table,
    sum_up,
    with_sentence,
)
from cli.screen.moving import Movement
from cli.screen.overlays import (
    at_the_end,
    bound_scroll,
    show_challenge,
    show_ruling,
    show_terms,
    turn_to_newest,
)
from cli.screen.preferences import NOTHING_SET, PlaySettings
from cli.screen.render import render
from p2p304.game import AnyGame
from p2p304.view import View
from protocol.seat.view import TableView
from protocol.table.events import (
    ActionTaken,
    ChallengeMade,
    Event,
    HandEnded,
    HandRuled,
    HandStarted,
    RulingHeard,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge


class WatchedTable(Shown):
    """The screen of a spectator. `changed` is called whenever the frame may differ."""

    def __init__(
        self,
        *,
        play_settings: PlaySettings = NOTHING_SET,
        transcript: Callable[[Charter, int], str] = lambda _charter, _number: "",
        invites: tuple[str, ...] = (),
        terms: Callable[[Charter], Iterable[str]] = lambda _: (),
    ) -> None:
        """Set up the screen.

        `transcript` returns the name of a hand's file, `terms` the powers that a charter gives.
        `invites` are lines on how others can watch.
        """
        self.changed: Callable[[], None] = lambda: None
        self.up = asyncio.Event()  #: Set once there is a table to show.
        self.closed = asyncio.Event()  #: Set once the spectator has left.
        self.table: Table | None = None
        self.desk = Desk(settings=play_settings, invites=invites)
        self._movement = Movement(time.monotonic) if play_settings.moves else None
        self._transcript = transcript
        self._terms = terms
        self._read: set[Challenge] = set()  #: Challenges whose words were shown.

    def frame(self, columns: int, rows: int) -> Frame:
        """Return the screen for a window of this many columns and rows, scrolled no further than
        it reaches. There must be a table (see `up`).
        """
        # The screen is shown only once there is a table (see `up`).
        assert self.table is not None
        # Kept, and not for this frame alone: the next key scrolls on from what is seen.
        self.desk = bound_scroll(self.desk, self.table, columns, rows)
        desk = self.desk
        if self._movement is not None:
            desk = self._movement.over(desk, self.table, self.changed)
        return render(self.table, desk, columns, rows)

    def press(self, key: str) -> None:
        """Handle a key, as at a table without choices: show rules or the last trick, or leave;
        before there is a table do nothing.
        """
        if self.table is not None:
            self._answered(press(self.desk, self.table, key, now=time.monotonic()))

    def title(self) -> str:
        """Return the window's title, which is always the same."""
        return "p2p304: looking on"

    def click(self, target: str) -> None:
        """Handle a click on a target of the frame, as a player's screen does; before there is a
        table do nothing.
        """
        if self.table is not None:
            self._answered(click(self.desk, self.table, target))

    def _answered(self, answer: Answer) -> None:
        """Keep the desk that a key or click led to, stop watching if the command is to leave,
        and ask for a new frame.
        """
        self.desk, deed = answer
        if deed is PlainDeed.LEAVE:
            self.leave()
        self.changed()

    def leave(self) -> None:
        """Note that the spectator has left."""
        self.closed.set()

    def ended(self, error: Exception | None = None) -> None:
        """Show that there is no more to watch, because of `error` if given, unless the table
        tells already why it stopped.
        """
        # A reason that is known already is better than "no more".
        if self.table is not None and not self.table.stopped:
            # Without its full stop: the sentence goes on.
            why = "There is no more to watch" if error is None else str(error).rstrip(".")
            self.table = replace(self.table, stopped=f"{why}; Ctrl-C leaves.")
        self.changed()

    async def show(self, game: AnyGame, charter: Charter) -> None:
        """Show the table of this charter and the powers that its terms give. At a later call
        keep the first table, and only warn there that somebody shows another charter.
        """
        if self.table is not None:
            # Whoever has the table key can show a charter; players know the right one (specs 7.4).
            warning = (
                f"Somebody shows another charter for this table, {charter.fingerprint}: ask a"
                " player which one is theirs; use --charter."
            )
            self.table = with_sentence(self.table, warning)
            self.changed()
            return
        self.table = new_table(game, charter, None, ascii_only=self.desk.settings.ascii_only)
        # Made with the table, as nothing is told before it.
        self._story = Story(game, self.table.writer)
        self.desk = show_terms(self.desk, tuple(self._terms(charter)))
        self.up.set()
        self.changed()

    async def tell(self, event: Event, known: TableView) -> None:
        """Update the table and the desk by an event, after which the public state is `known`,
        and ask for a new frame. `show` must have been called.
        """
        # `show` comes with the charter, before every event.
        assert self.table is not None
        # Other events show no new cards.
        if isinstance(event, HandStarted | ActionTaken | HandEnded):
            number = event.number if isinstance(event, HandStarted) else self.table.number
            hand = known.hand(number)
            if hand is not None:
                # Public faces alone: a spectator has no seat.
                view = View(None, hand.state, hand.faces)
                self.table = after_view(self.table, number, view)
        path = ""
        if isinstance(event, HandEnded):
            # Before the event is shown: the summary may take a search, which runs in a thread.
            await asyncio.to_thread(sum_up, self.table, event)
            path = self._transcript(known.charter, event.number)
        self.table = after_event(
            self.table, event, self._story, known, clock=on_the_wall, transcript=path
        )
        stands = as_it_stands(self.table, known, known.awaited_seats)
        self.table = after_contribution(stands, event)
        if isinstance(event, HandRuled | RulingHeard):
            self.desk = show_ruling(self.desk, self.table, event)
        # A challenge may come again from another seat: read once.
        if isinstance(event, ChallengeMade) and event.text and event.content not in self._read:
            self._read.add(event.content)
            self.desk = show_challenge(self.desk, self.table, event)
        # Not at an unfinished one: watching ends with it, and the prompt tells it.
        if isinstance(event, HandEnded):
            self.desk = at_the_end(self.desk, self.table)
        self.desk = settle(self.desk, self.table)
        # Last, as a summary stays while the desk that was settled still shows it.
        self.table = turn_to_newest(self.desk, self.table)
        self.changed()
