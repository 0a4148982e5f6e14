"""A saved hand, step by step, forwards and backwards, with the cards that were public then or
all that became public later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from cli.front.assistant import NOTHING, UNSEEN, Thoughts
from cli.front.story import Story, ToldAction, summary_rows
from cli.screen.canvas import Frame, Shown
from cli.screen.desk import INTENT_OF, Desk, Intent, Mode
from cli.screen.input import press
from cli.screen.model import Table, after_action, after_notice, after_view, new_table
from cli.screen.preferences import NOTHING_SET, PlaySettings
from cli.screen.render import render
from cli.tasks import Errands
from p2p304.cards import Card, Slot
from p2p304.disclosures import Opened
from p2p304.game import AnyGame, MatchState
from p2p304.telling import Ended
from p2p304.view import View
from protocol.table.events import ActionTaken, Disclosed, Event, HandEnded, HandStarted
from protocol.wire.charter import Charter

# The rest of the keys would act on a hand that is over.
_READ: Final = (Intent.RULES, Intent.LAST_TRICK, Intent.HELP)


class ReplayStep(NamedTuple):
    """The table after a step, and the action of the step, if it is one."""

    table: Table
    done: ToldAction | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """The steps of a hand, and every face that became public by its end."""

    steps: tuple[ReplayStep, ...]
    faces: Mapping[Slot, Card]

    def at(self, step: int, *, all_cards: bool) -> Table:
        """Return the table after `step` steps; with `all_cards` it shows the faces of all cards
        that became public by the end of the hand.
        """
        table = self.steps[step].table
        # Faces alone: the state of the step stays as it was.
        return replace(table, faces=self.faces) if all_cards else table

    def frame(
        self, step: int, columns: int, rows: int, *, all_cards: bool, filled: bool = False
    ) -> Frame:
        """Return the screen after `step` steps, without keys; at the last step with the result
        over it, unless `all_cards`.
        """
        table = self.at(step, all_cards=all_cards)
        # With all cards shown the table is what one wants to see.
        ended = step == len(self.steps) - 1 and table.summary is not None and not all_cards
        settings = PlaySettings(filled=filled)
        desk = Desk(settings=settings, mode=Mode.SUMMARY if ended else Mode.TABLE)
        # A picture of a moment: nobody presses a key there.
        return render(table, desk, columns, rows, keys=False)

    def trick_before(self, step: int) -> int:
        """Return the nearest earlier step with fewer complete tricks; 0 if there is none."""
        done = self._tricks(step)
        # Steps of bidding have no tricks: the same count.
        earlier = [each for each in range(step) if self._tricks(each) < done]
        return earlier[-1] if earlier else 0

    def trick_after(self, step: int) -> int:
        """Return the nearest later step with more complete tricks; the last step if there is
        none.
        """
        done = self._tricks(step)
        later = [each for each in range(step, len(self.steps)) if self._tricks(each) > done]
        return later[0] if later else len(self.steps) - 1

    def lines(self, *, all_cards: bool, thoughts: Thoughts | None = None) -> Iterator[str]:
        """Yield the sentences of each step, at the hand's end the result and the summary. With
        `all_cards` the hands are told before the first lead; with `thoughts` each decision is
        followed by what a bot would have done.
        """
        shown, last = False, NOTHING
        # Counted from the first, so that thoughts find their step.
        for number, (table, done) in enumerate(self.steps):
            if done is None:
                # No action: the deal, with its sentence as the only news, or the end of the hand.
                yield table.news[-1] if table.summary is None else table.summary.outcome.summary
                yield from rows_of(table)
                shown = False
                continue
            faces = self.faces if all_cards else table.faces
            # Once, at the first lead: the hands are whole then.
            if all_cards and not shown and table.telling.led(done.before, done.after):
                shown = True
                yield "All cards, as the end made them public:"
                yield from hands_of(replace(table, state=done.before, faces=faces))
            for line in table.telling.tell(*done, faces):
                yield table.writer.sentence(line)
            # The seat decided on this step after the one before it: `at(4)` is about step 5.
            thought = NOTHING if thoughts is None else thoughts.at(number - 1)
            # "Unseen" is told once, where it begins.
            if thought != NOTHING and (thought != UNSEEN or thought != last):
                yield f"  ({thought})"
            last = last if thought == NOTHING else thought

    def _tricks(self, step: int) -> int:
        """Return how many tricks are complete after `step` steps."""
        scene = self.steps[step].table.scene()
        return 0 if scene is None else scene.tricks


def hands_of(table: Table) -> Iterator[str]:
    """Yield a line for each seat with its unplayed cards and the card beside them, as far as
    they are known. A hand must be in play.
    """
    scene = table.scene()
    # Only once a card was led: a hand is in play.
    assert scene is not None
    for seat, place in enumerate(scene.places):
        side = place.side_card
        lies = f"  and the {side.label} {table.writer.card(side.card)}" if side else ""
        # Five cells: as wide as North and South.
        yield f"{table.writer.seat(seat):>5}  {table.writer.cards(place.cards)}{lies}"


def rows_of(table: Table) -> Iterator[str]:
    """Yield the rows of the summary of an ended hand; none before its end."""
    if table.summary is not None:
        ended = table.summary
        told = Ended(ended.state, ended.outcome, ended.scores, ended.faces)
        yield from summary_rows(table.telling, told, table.writer)


class Recorder:
    """Turns events into steps as they come; `faces` are those known so far."""

    def __init__(self, game: AnyGame, charter: Charter, *, ascii_only: bool = False) -> None:
        """Set up a recorder as a spectator under the charter, before the first event."""
        self.faces: dict[Slot, Card] = {}
        self._game = game
        self._table = new_table(game, charter, None, ascii_only=ascii_only)
        self._story = Story(game, self._table.writer)
        #: The match before the hand in play; None if no match stands as the file says.
        self._before: MatchState | None = None

    def hear(self, event: Event) -> ReplayStep | None:
        """Return the step of an event; None for an event that is no step, such as an opened
        card, whose face belongs to the next step, or an action before the hand's start.
        """
        done = None
        match event:
            case HandStarted(number, dealer, scores):
                self.faces, self._before = {}, None
                with suppress(ValueError):  # nobody verified that a match stands so
                    self._before = self._game.match_at(dealer, tuple(scores))
                view = View(None, self._story.start(event), {})
                # Without scores those that were shown last.
                before = tuple(scores) or self._table.scores
                self._table = replace(after_view(self._table, number, view), scores=before)
            # Before a hand's start there is no state to carry an action out on.
            case ActionTaken() if self._story.state is not None:
                done, opened = self._story.carry_out(event)
                # The faces that the action opened belong to this step.
                self.faces |= {each.slot: each.card for each in opened if isinstance(each, Opened)}
                # A copy of the faces: later steps add to them.
                view = View(None, done.after, dict(self.faces))
                self._table = after_action(after_view(self._table, self._table.number, view), done)
            # No step of its own: the face belongs to the step that comes.
            case Disclosed(Opened(slot, card)):
                self.faces[slot] = card
                return None
            case HandEnded(_, outcome, scores):
                # A transcript knows its hand alone: the scores follow from those before it.
                if not scores and self._before is not None:  # the file holds no more of the match
                    event = replace(
                        event, scores=self._game.after_hand(self._before, outcome).scores
                    )
                self._table = after_notice(self._table, event)
            case _:
                return None
        return ReplayStep(self._table, done)


def replay_of(
    game: AnyGame, charter: Charter, events: Iterable[Event], *, ascii_only: bool = False
) -> Replay:
    """Return the replay of the events that an audit gives for a hand."""
    recorder = Recorder(game, charter, ascii_only=ascii_only)
    steps = [step for event in events if (step := recorder.hear(event)) is not None]
    return Replay(tuple(steps), recorder.faces)


_KEYS: Final = (
    ("Right, Enter, Space", "one step on"),
    ("Left, Backspace", "one step back"),
    ("Page Down", "on to the end of the next trick"),
    ("Page Up", "back before the last trick"),
    ("Home", "the beginning of the hand"),
    ("End", "its end"),
    ("a number, Enter", "that step"),
    ("a", "all cards, or the public ones alone"),
    ("l", "the last trick so far"),
    ("m", "what a master would do now, by what the seat knew"),
    ("?", "the rules of the moment"),
    ("Esc, q, Ctrl-C", "leave"),
)
# 21 cells: the longest keys, "Right, Enter, Space", and two blanks.
HELP: Final = tuple(f"{keys:<21}{words}" for keys, words in _KEYS)  #: What the keys of a replay do.


# No hand has ten thousand steps.
DIGITS: Final = 4  #: Of a step that is typed.


class ReplayScreen(Shown):
    """The screen of a replay: arrows step, page keys go by tricks, `a` shows all cards."""

    def __init__(
        self,
        replay: Replay,
        thoughts: Callable[[], Thoughts] | None = None,
        *,
        play_settings: PlaySettings = NOTHING_SET,
    ) -> None:
        """Set up the screen; `thoughts` makes the bot when its advice is first asked for, and
        without it the key `m` does nothing.
        """
        self.changed: Callable[[], None] = lambda: None
        self.closed = asyncio.Event()
        self.desk = Desk(settings=play_settings, keys=HELP)
        self.step = 0
        self.all_cards = False
        self._typed = ""
        self._replay = replay
        # Not called yet: most replays are looked at without advice.
        self._make = thoughts
        #: The bot; None until its advice is first asked for.
        self._thoughts: Thoughts | None = None
        self._thought: tuple[int, str] | None = None  #: A step, and what a master would do there.
        self._errands = Errands()
        self._thinking = asyncio.Lock()

    @property
    def table(self) -> Table:
        """The table after the present step, with help, a typed step or a bot's advice in place
        of the prompt.
        """
        table = self._replay.at(self.step, all_cards=self.all_cards)
        last = len(self._replay.steps) - 1
        cards = "all cards" if self.all_cards else "public cards"
        words = (
            f"Step {self.step} of {last}, {cards}. Arrows: back and on; Page keys: tricks;"
            " a: all cards; m: what a master would do; Esc: leave."
        )
        if self._typed:
            words = f"Go to step {self._typed}_ of {last}: Enter."
        elif self._thought is not None and self._thought[0] == self.step:
            # The thought stands in place of the usual words.
            words = self._thought[1]
            table = replace(table, news=())  # a thought takes the room of what was told
        # `stopped` is the prompt that no key answers: here it tells where we are.
        return replace(table, stopped=words)

    def frame(self, columns: int, rows: int) -> Frame:
        """Return the screen at this size; at the last step with the result over the table,
        unless all cards are shown or something is read.
        """
        # At the end the result lies over the table, until all cards are wanted.
        at_end = self.step == len(self._replay.steps) - 1 and self.desk.mode is Mode.TABLE
        ended = at_end and self.table.summary is not None and not self.all_cards
        desk = replace(self.desk, mode=Mode.SUMMARY) if ended else self.desk
        return render(self.table, desk, columns, rows)

    def press(self, key: str) -> None:
        """Handle a key: go to another step, show all cards, ask for advice, read, or leave (see
        `HELP`).
        """
        last = len(self._replay.steps) - 1
        # Any other key ends a number that was begun.
        before, self._typed = self._typed, ""
        # Of the keys of a table those that read: no other one has a meaning here.
        if self.desk.mode is not Mode.TABLE or INTENT_OF.get(key) in _READ:
            self.desk, _ = press(self.desk, self.table, key, now=time.monotonic())
        elif key in ("escape", "c-c", "q"):
            self.closed.set()
        elif key.isdecimal() and key.isascii():
            # `isdecimal` alone takes digits of other scripts, too.
            # The last digits: who types on means the newer number.
            self._typed = (before + key)[-DIGITS:]
        elif before and key in ("enter", "backspace"):
            self._typed = before[:-1] if key == "backspace" else ""
            self.step = min(int(before), last) if key == "enter" else self.step
        elif key == "a":
            self.all_cards = not self.all_cards
        elif key == "m" and self._make is not None:
            self._thought = self.step, "A master thinks about it ..."
            self._errands.start(self._think(self.step, self._make))
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
            # An unknown key changes nothing.
            self.step = steps.get(key, self.step)
        self.changed()

    async def _think(self, step: int, make: Callable[[], Thoughts]) -> None:
        """Find a bot's advice after `step` steps in a thread, with `make` called at the first
        time, and show it unless advice on another step was asked for meanwhile.
        """
        # One at a time: each keeps what it found in the same `Thoughts`.
        async with self._thinking:
            # Advice on another step was asked for while this one waited.
            if self._thought is None or self._thought[0] != step:
                return
            if self._thoughts is None:
                self._thoughts = make()
            thought = await asyncio.to_thread(self._thoughts.at, step)
            # The reader may have gone to another step meanwhile.
            if self._thought[0] == step:
                self._thought = step, thought
                self.changed()

    def title(self) -> str:
        """Return the window's title."""
        return "p2p304 replay"

    def click(self, target: str) -> None:
        """Handle a click on the name of a key like that key; ignore other clicks."""
        kind, _, name = target.partition(" ")
        if kind == "key":
            self.press(name)
