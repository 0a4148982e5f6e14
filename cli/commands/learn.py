"""`p2p304 learn`: a first hand with prepared cards, each choice explained."""

from __future__ import annotations

import asyncio

import click

from cli.commands.display import Screen, keep_settings, screen_options
from cli.commands.screen import full_screen_possible
from cli.front.writing import choice_lines, read_order, situation
from cli.screen.app import ClientApp
from cli.screen.learning import Classroom, LearnScreen
from cli.store.paths import home
from cli.tasks import first, never, together
from p2p304.entry import Lesson
from p2p304.games import GAMES, create_game

# The only game with a prepared first hand.
GAME = "304"
# For a terminal of 80 columns, with a margin.
WIDTH = 76


@click.command("learn")
@screen_options
def command(screen: Screen) -> None:
    """Learn 304: a first hand of ten minutes, in which each choice is explained.

    You sit in South with prepared cards: you bid, choose trump, cut a trick face down, look at the
    face-down cards as only the maker may, and call caps. Nobody else is needed, and no network.

    \b
    Examples:
      p2p304 learn              on the full screen
      p2p304 learn --plain      in lines of text
      p2p304 play               afterwards: a match with bots
    """
    hand = GAMES[GAME].first_hand()
    # None for other games; 304 has one.
    assert hand is not None
    game = create_game(GAME, hand.parameters)
    room = Classroom(game, hand, ascii_only=screen.play_settings.ascii_only)
    if screen.plain or not full_screen_possible():
        _in_lines(room)
    else:
        asyncio.run(_on_the_screen(LearnScreen(room, screen.play_settings), screen))


async def _on_the_screen(shown: LearnScreen, screen: Screen) -> None:
    """Run the lesson on the full screen; afterwards store changed settings, and print how it
    ended.
    """
    # By the desk, now and at the end: what differs is what keys have changed, and is stored.
    before = shown.desk.settings
    app = ClientApp(shown, colouring=screen.colouring, calls=screen.play_settings.calls)
    # The screen decides when it ends, also behind the last page.
    await first(app.run(shown.closed.wait), together(shown.run(), never()))
    if why := keep_settings(home(), before, shown.desk.settings):
        click.echo(why)
    # No move is left: the hand was played to its end.
    if shown.room.move is None:
        click.echo("That was your first hand. 'p2p304 play' plays a match with bots.")
    else:
        click.echo("You left the lesson. 'p2p304 learn' begins it again.")


def _in_lines(room: Classroom) -> None:
    """Run the whole lesson in lines: play the other seats' moves, print each lesson and ask for
    its choice, and at the end print the result.
    """
    told = 0
    while (move := room.move) is not None:
        # A move without a lesson is another seat's: it is played as the lesson has it.
        if move.lesson is None:
            room.act(room.next_action())
            told = _tell(room, told)
            continue
        room.ask()
        _print(move.lesson)
        _ask(room, move.lesson)
        # From 0: the lesson's pages stand between, so the trick is told again as a whole.
        told = _tell(room, 0)
    summary = room.table.summary
    # All moves were made, so the hand has its result.
    assert summary is not None
    click.echo(f"\n{summary.outcome.summary}")
    _print(room.hand.end)


def _tell(room: Classroom, before: int) -> int:
    """Print the news after the first `before` ones, or all if they are fewer than that by now;
    return how many news there are.
    """
    news = room.table.news
    # With the lead of a trick the news begin anew, and may be fewer than were printed.
    for line in news[before if before <= len(news) else 0 :]:
        click.echo(line)
    return len(news)


def _print(lesson: Lesson) -> None:
    """Print a lesson's title and pages."""
    click.echo(f"\n--- {lesson.title} ---")
    for page in lesson.pages:
        click.echo(click.wrap_text(page, WIDTH))


def _ask(room: Classroom, lesson: Lesson) -> None:
    """Ask for the learner's choice until it is the right one, and carry it out."""
    table, writer = room.table, room.table.writer
    view = room.open.view(room.hand.learner)
    for line in (
        *situation(table.game, view, table.scores, writer),
        *choice_lines(table.choices, writer, WIDTH),
    ):
        click.echo(line)
    while True:
        # With a default, though empty: without one click itself asks again after Enter alone.
        said = click.prompt("Your choice", default="", show_default=False)
        choice = room.find_choice(said)
        if choice is None:
            click.echo(f"That is none of the choices. {lesson.instead}")
            continue
        action = choice.action
        if choice.order:
            typed = click.prompt(
                "Order, or Enter for the certain one", default="", show_default=False
            )
            # Enter takes the order that is certain to win, whatever the others hold.
            order = read_order(typed, choice, view, writer) if typed else choice.order
            # A text is a sentence on the mistake: `read_order` raises nothing.
            if isinstance(order, str):
                click.echo(order)
                continue
            action = table.telling.order_action(choice, order, view)
        # The lesson goes on only after the right choice; a hand that went astray would teach
        # nothing.
        if room.is_right(action):
            room.act(action)
            return
        click.echo(lesson.instead)
