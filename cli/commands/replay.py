"""`p2p304 replay`: shows a saved hand step by step, forwards and backwards."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import click

from cli.auditing import hand_text, read_saved_hands, told_hands
from cli.commands.display import Screen, screen_options
from cli.commands.options import HandFile, argument, gather_options, option
from cli.commands.screen import full_screen_possible
from cli.errors import UserError
from cli.front.assistant import Thoughts, hands_in
from cli.front.writing import Writer
from cli.output_files import prepare_file, write_file
from cli.sanitize import safe_text
from cli.screen.app import ClientApp
from cli.screen.export import picture
from cli.screen.preferences import Colouring, Colours
from cli.screen.replay import Replay, ReplayScreen, replay_of
from cli.workers import Thinker
from p2p304.games import telling_of
from p2p304.hand_text import format_hand

# What every terminal has.
SIZE: Final = (80, 24)  #: Columns and rows of a picture.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The options of `p2p304 replay`."""

    file: str = argument(type=HandFile())
    all_cards: bool = option(
        "--all-cards", is_flag=True, help="Show every card that the end made public."
    )
    thoughts: bool = option(
        "--thoughts",
        is_flag=True,
        help="Print, as lines, what a bot of level master thinks of each decision.",
    )
    as_text: bool = option("--text", is_flag=True, help="Print the hand as text instead.")
    export: Path | None = option(
        "--export",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write the hand into FILE: NAME.txt as lines, NAME.svg as a picture of one step.",
    )
    step: int | None = option(
        "--step",
        type=click.IntRange(min=0),
        help="The step that the picture shows.  [default: the last]",
    )


@click.command("replay")
@gather_options("wishes", ReplayOptions)
@screen_options
def command(wishes: ReplayOptions, screen: Screen) -> None:
    """Step through a saved hand: what was public at each moment, or with all cards.

    The file is audited while it is read; a replay shows nothing that was not verified.

    FILE may also be a hand as text, as --text prints it: written in cards if all cards of a hand of
    304 were opened, otherwise action by action. For such a file the program says whether the rules
    allow every action and give the result. Only a transcript proves claims about hidden cards.

    \b
    Examples:
      p2p304 replay 88d17ccd/1              hand 1 of a table in 'p2p304 tables'
      p2p304 replay hand.p304               arrows step, Page keys go by tricks
      p2p304 replay 88d17ccd/1 --all-cards  with what was opened at the end
      p2p304 replay 88d17ccd/1 --plain      what happened, as lines
      p2p304 replay 88d17ccd/1 --thoughts   with what a master thinks of it
      p2p304 replay 88d17ccd/1 --text > hand.txt
      p2p304 replay hand.txt                do the rules give this hand?
      p2p304 replay 88d17ccd/1 --export trick.svg --step 40
                                            a picture of one moment
    """
    file, all_cards = wishes.file, wishes.all_cards
    # A text begins with the name of a game; a transcript never does.
    text = hand_text(file)
    if text is not None:
        if wishes.as_text or wishes.export is not None:
            raise UserError(f"{file} is a hand as text already.")
        for line in told_hands(file, text, ascii_only=screen.play_settings.ascii_only):
            click.echo(line)
        return
    if wishes.export is not None:
        # Before the audit, which may take long.
        prepare_file(wishes.export)
    game, charter, events = read_saved_hands(Path(file))
    # Text is made of the verified events, so it needs no terminal and no size.
    if wishes.as_text:
        texts = (
            format_hand(game, charter.profile, hand.dealer, hand.scores, tuple(hand.actions))
            for hand in hands_in(events)
        )
        # An empty line between two hands.
        click.echo("\n".join(texts), nl=False)
        return
    replay = replay_of(game, charter, events, ascii_only=screen.play_settings.ascii_only)
    if not replay.steps:
        raise UserError(f"{file} holds no hand.")
    if wishes.export is not None:
        # The file's name is a stranger's text, too (attacks CL17).
        title = f"{telling_of(game).title}, {safe_text(Path(file).name)}"
        _export(wishes.export, wishes, replay, title, screen.colouring)
        return
    writer = Writer(game.seats, ascii_only=screen.play_settings.ascii_only)
    # A worker searches, so that keys are answered while it thinks.
    with Thinker() as thinker:
        # Made when they are asked for: most replays are looked at without.
        think = partial(Thoughts, game, hands_in(events), writer, thinker.ask)
        if wishes.thoughts or screen.plain or not full_screen_possible():
            thoughts = think() if wishes.thoughts else None
            for line in replay.lines(all_cards=all_cards, thoughts=thoughts):
                click.echo(line)
            return
        shown = ReplayScreen(replay, think, play_settings=screen.play_settings)
        shown.all_cards = all_cards
        asyncio.run(ClientApp(shown, colouring=screen.colouring).run(shown.closed.wait))


def _export(
    path: Path, wishes: ReplayOptions, replay: Replay, title: str, colouring: Colouring
) -> None:
    """Write the hand as lines (.txt), or the wanted step of it, by default the last, as a
    picture (.svg), as the file's suffix says. Raises UserError for another suffix, and for a
    step that there is not.
    """
    columns, rows = SIZE
    last = len(replay.steps) - 1
    step = last if wishes.step is None else wishes.step
    if step > last:
        raise UserError(f"The hand has the steps 0 to {last}: there is no step {step}.")
    match path.suffix.lower():
        case ".txt":
            lines = replay.lines(all_cards=wishes.all_cards)
            written = "".join(f"{line}\n" for line in lines)
        case ".svg":
            if colouring.colours is Colours.AUTOMATIC:  # a picture has all of them
                colouring = replace(colouring, colours=Colours.TRUE)
            # With no environment: a picture must not differ by the terminal in which it was made.
            filled = colouring.filled({})
            frame = replay.frame(step, columns, rows, all_cards=wishes.all_cards, filled=filled)
            title = f"{title}, step {step}"
            written = picture(frame, columns, title=title, colouring=colouring)
        case other:
            named = f"{other} is none" if other else "it has none"
            raise UserError(f"The name ends in .txt or .svg for what is written: {named}.")
    write_file(path, written.encode())
