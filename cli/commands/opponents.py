"""The options of bots: how well they play and how long they think."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import cycle
from typing import Final, NamedTuple

import click

from cli.bounds import BOT_THINKS, LONGEST_PACE
from cli.commands.options import Amount, gather_options
from cli.front.story import Story
from cli.front.writing import Writer
from cli.local.bot_processes import Bot
from cli.seat.sentences import narrator_for, told_in_line
from cli.seat.setup import Goal
from cli.wording import shows_signs
from protocol.seat.view import SeatView
from protocol.table.events import (
    ChatReceived,
    Event,
    HandEnded,
    HandStarted,
)

#: Levels that sit at tables: all players but the one that plays by chance alone, for trials.
SEATED: Final = ("beginner", "club", "master", "steady")
# Good enough to be fun for most; a beginner can ask for less.
USUAL: Final = "club"
#: The level without a terminal, --level and --think: it searches nothing, and no program waits.
_HURRIED: Final = "steady"

# Without a `default`, here and for --level: `chosen_opponents` asks whether they were given.
think_option: Final = click.option(
    "--think",
    type=Amount(0, LONGEST_PACE),
    metavar="SECONDS",
    help="Time that a bot takes for each answer, whatever cards it holds. With 0 it takes what its"
    f" level needs.  [default: {BOT_THINKS:g}]",
)


class Opponents(NamedTuple):
    """The bots of a table as the command line asks for them."""

    #: The levels in the order of the bots' seats; of fewer than bots, the first come again.
    levels: tuple[str, ...]
    think: float  #: Seconds for each answer; 0: as long as the level needs.

    def with_options(self, bots: Iterable[Bot]) -> tuple[Bot, ...]:
        """Return the bots of a table, in order, each with its `--level` and `--think`; the levels
        are used in turn.
        """
        think = f"{self.think:g}"
        return tuple(
            # In turn: three bots of `--level club --level master` are club, master, club.
            replace(each, options=(*each.options, "--level", level, "--think", think))
            for each, level in zip(bots, cycle(self.levels), strict=False)
        )


def chosen_opponents(levels: tuple[str, ...] = (), think: float | None = None) -> Opponents:
    """Return the bots for the options --level and --think. What was not given has defaults,
    which are faster where input or output is no terminal.
    """
    # Nobody looks on in a pipe or a test: a bot that takes its time would only cost it.
    looks_on = sys.stdin.isatty() and sys.stdout.isatty()
    # Who names a level wants to see it play, and levels differ by their thinking.
    seconds = think if think is not None else (BOT_THINKS if looks_on or levels else 0.0)
    # Without time to think a level that searches would play as long as it takes.
    usual = USUAL if looks_on or think else _HURRIED
    return Opponents(levels or (usual,), seconds)


#: The options --level and --think, as the one argument `opponents` of the command.
opponents_options = gather_options(
    "opponents",
    chosen_opponents,
    options=(
        think_option,
        click.option(
            "--level",
            "levels",
            type=click.Choice(SEATED),
            multiple=True,
            help="How well the bots play; give it several times for one bot after another."
            f"  [default: {USUAL}, and {_HURRIED} without a terminal]",
        ),
    ),
)


class Teller:
    """A listener that prints the public story of a table until `hands` hands are played."""

    def __init__(self, hands: int | None) -> None:
        """Set up a teller; None for `hands` is no limit."""
        self._hands = hands
        self._story: Story | None = None

    def __call__(self, event: Event, session: SeatView) -> None:
        """Print what an event tells; nothing of a hand that begins after the last wanted one,
        and no chat line.
        """
        # --hands is reached, and the next hand is already dealt.
        if isinstance(event, HandStarted) and Goal(self._hands).reached(session):
            return  # it is dealt, and nobody will play it
        ascii_only = not shows_signs(sys.stdout)
        # Made with the first event: before it the game is not known.
        if self._story is None:
            writer = Writer(session.game.seats, ascii_only=ascii_only)
            self._story = Story(session.game, writer, by_tricks=True)
        hand = session.hand()
        for line in self._story.tell(event, {} if hand is None else hand.faces):
            click.echo(line)
        match event:
            case ChatReceived():
                pass  # the story is of the cards; talk is for those who sit here
            case HandStarted() | HandEnded():
                # A host reads these lines through a pipe, which Python buffers by the block.
                sys.stdout.flush()
            case _:
                narrator = narrator_for(session.charter, session.game, ascii_only=ascii_only)
                if line := told_in_line(narrator, event, session):
                    click.echo(line)
