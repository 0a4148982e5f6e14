"""The front end of commands that take a seat: full screen or lines, and how it runs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import click

from cli.bounds import PIPE_SECONDS
from cli.commands.display import Screen, keep_settings
from cli.commands.shell import echo
from cli.errors import UserError
from cli.front.story import MatchHistory, Story, decided_rows, folded_rows, headline
from cli.front.writing import Writer
from cli.invite import Invite, qr_code
from cli.lines.console import Console, Terminal
from cli.lines.textseat import TextSeat
from cli.local.bot_processes import filled_seats, own_bots, remember_others
from cli.local.sitting import SeatOptions
from cli.local.transcripts import transcript_path
from cli.screen.clientseat import ClientSeat, leave_program_out
from cli.screen.preferences import ScreenTexts
from cli.screen.watching import WatchedTable
from cli.seat.charter_text import charter_lines, referee_lines
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.sentences import InputGone, SeatLeft, narrator_for, told_in_line
from cli.seat.setup import Setup
from cli.store.hands import SHORT, hand_name
from cli.store.identity import PeersFile
from cli.store.paths import table_directory
from cli.tasks import first, never
from cli.wording import hand_label
from p2p304.seats import Seat, place_name
from p2p304.sentences import count_words
from protocol.seat.view import SeatView
from protocol.table.events import Event, HandEnded, HandUnfinished, MatchEnded
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter

# The terminal itself, whatever the standard input is; POSIX names it so.
TERMINAL: Final = "/dev/tty"
# One less than 80: some terminals wrap at the last column.
SHELL: Final = 79  #: Cells of a line that is told in the shell.


def player_for(
    screen: Screen,
    console: Console,
    setup: Setup,
    options: SeatOptions,
    *,
    root: Path,
    alone: bool = False,
) -> TextSeat | ClientSeat:
    """Return the front end of our seat: the full screen on a terminal, unless `screen` asks for
    plain lines; else lines of text.

    If we are `alone` with bots, hints are given, and the charter is agreed to without a question.
    No hand after the goal of the `options` is shown.
    """
    directory = table_directory(root, setup.invite.table)
    # Hints and an agreement without a question are for a table without other people.
    play_settings = replace(screen.play_settings, hints=alone, agree=alone)
    lines = screen.plain or not full_screen_possible()
    letters = console.ascii_only if lines else play_settings.ascii_only
    around = replace(
        texts_around(setup.seat, PeersFile(root), directory, ascii_only=letters),
        say=console.say,
        # A function, asked each time: a seat that a bot holds by then is not given away.
        invites=lambda: tuple(invite_lines(setup, directory)),
        keep=partial(keep_settings, root),
    )
    if lines:
        return TextSeat(console, play_settings, around, seat=setup.seat, goal=options.goal)
    return ClientSeat(play_settings, around)


def texts_around(
    seat: Seat, known: PeersFile, directory: Path, *, ascii_only: bool = False
) -> ScreenTexts:
    """Return what a front end of this seat reads and stores of its table and those after it.

    `known` are the peers whose keys this machine has seen, `directory` is the table's folder.
    """

    def bots_of(charter: Charter) -> frozenset[int]:
        """Return the seats in which bots of this machine sit."""
        return own_bots(directory_of(charter), charter)

    def directory_of(charter: Charter) -> Path:
        """Return the folder of the table with this charter; a match may go on at another one."""
        # Beside our own: the folder's name is the table's id.
        return directory.with_name(charter.table.hex())

    def charter_text(charter: Charter) -> tuple[str, ...]:
        """Return the charter as lines for the player, with this machine's bots marked."""
        lines = charter_lines(charter, seat, known, bots=bots_of(charter), ascii_only=ascii_only)
        return tuple(lines)

    # Once agreed, the others' keys are known: next time a changed key is pointed out.
    def agreed(charter: Charter) -> None:
        """Store keys and nicknames of the other people, not of our bots, in an agreed charter."""
        remember_others(known, charter, seat, bots=bots_of(charter))

    def transcript(session: SeatView, number: int) -> str:
        """Return the path of the transcript of a hand."""
        return f"{transcript_path(directory_of(session.charter), session.charter, number)}"

    def only_ours(charter: Charter) -> bool:
        """Return whether all other seats are bots of this machine."""
        # All the others: our own seat is no bot.
        return len(bots_of(charter)) == len(charter.seats) - 1

    return ScreenTexts(
        charter_text=charter_text,
        only_ours=only_ours,
        agreed=agreed,
        referees=partial(referee_lines, known=known),
        transcript=transcript,
    )


def invite_lines(setup: Setup, directory: Path) -> Iterator[str]:
    """Yield the invites that this seat may pass on: one to watch; if we founded the table, also one
    for every other seat, taken or not, that is no bot of ours.

    `directory` is the folder of the table.
    """
    yield from watch_invite(setup.invite)
    # Only the founder has the tokens of other seats.
    invites = () if setup.founding is None else setup.founding.invites(setup.invite)
    # A bot's seat is not to be given away.
    others = {*map(Seat, range(len(invites)))} - {setup.seat}
    yield from seat_invites(invites, others - filled_seats(directory))


def watch_invite(invite: Invite, *, qr: bool = False) -> Iterator[str]:
    """Yield the lines of the invite to watch the table of an `invite`."""
    yield from _titled(
        "For a spectator, who types 'p2p304 watch' and pastes it", invite.to_watch(), qr
    )


def seat_invites(
    invites: Sequence[Invite], free: Collection[Seat], *, qr: bool = False
) -> Iterator[str]:
    """Yield lines with those of a table's `invites` that are to its `free` seats, and how to use
    them; with `qr` each as a QR code too.
    """
    if free:
        yield "Send each player one of these lines, by a way that you trust; whoever has it"
        yield "can take the seat. They type 'p2p304 join' and paste it."
    for seat in sorted(free):
        yield from _titled(place_name(seat, len(invites)), invites[seat], qr)


def _titled(title: str, invite: Invite, qr: bool) -> Iterator[str]:
    """Yield the lines of an invite under a title, as a QR code too if `qr`."""
    # An empty line around it, so that a double click takes the invite alone.
    yield from ("", f"{title}:", invite.format())
    if qr:
        yield qr_code(invite.format())
    yield ""


def console_for(screen: Screen) -> Console:
    """Return the console on which a command asks and prints: where the full screen is possible
    and wanted, one that reads the keyboard only while it asks; else one in lines. It prints
    ASCII alone if `screen` says so.
    """
    # A `Terminal` reads only when asked: between questions the full screen has the keyboard.
    console = Console() if screen.plain or not full_screen_possible() else Terminal()
    console.ascii_only = console.ascii_only or screen.play_settings.ascii_only
    return console


async def console_for_answers(console: Console, screen: Screen) -> Console:
    """Return a console on which a person can answer, after the input held an invite and perhaps
    nothing else.

    It is `console` itself, unless that is a pipe that has ended: then the terminal takes the place
    of the input. Raises UserError if there is no terminal, before the seat is claimed: the first
    question would give the seat up.
    """
    # A pipe that stays open will bring answers, too: a program writes to it.
    if console.interactive or not await console.has_ended(within=PIPE_SECONDS):
        return console
    try:
        # Opened for both ways: a full screen also asks the terminal where its cursor is.
        terminal = os.open(TERMINAL, os.O_RDWR)
    # Without a terminal (cron, a service) nobody can answer.
    except OSError:
        raise UserError(
            "The input ends with the invite, and there is no terminal for your answers: run"
            " 'p2p304 join' in a terminal, or send the answers after the invite; 'p2p304 bot' lets"
            " a bot play."
        ) from None
    # In the place of the ended input: asyncio and prompt_toolkit read descriptor 0.
    os.dup2(terminal, 0)
    os.close(terminal)
    return console_for(screen)


def announcer(player: SeatPlayer, console: Console) -> Callable[[str], None]:
    """Return a function that shows a sentence of the program: on the full screen, or as a line."""
    return player.announce if isinstance(player, ClientSeat) else console.say


async def play_through(
    driver: SeatDriver,
    player: SeatPlayer,
    screen: Screen,
    work: Coroutine[Any, Any, None],
) -> None:
    """Await the `work` that runs a seat until it ends, with its screen if it has one; then print
    how to go on, if the match is not over.

    Raises the work's error once the player has read it and closed the screen; InputGone in place of
    SeatLeft if it left because its input ended.
    """
    if isinstance(player, ClientSeat):
        # Now, while the others sit down: a garbage collection in play would be felt.
        leave_program_out()
        broken = "The screen broke. Nothing is lost: 'p2p304 resume' goes on."
        work = beside_screen(work, player, screen, broken=broken)
    # Lines have told all; a screen is gone at the end, and a bot has told nothing.
    if not isinstance(player, TextSeat):
        work = told_at_the_end(work, driver)
    try:
        await work
        for line in stopped_lines(driver.last):
            echo(line)
    except SeatLeft:
        # Left because the input ended: a script without answers, which has another exit code.
        if isinstance(player, TextSeat) and player.input_ended:
            raise InputGone from None
        raise


def stopped_lines(driver: SeatDriver) -> Iterator[str]:
    """Yield lines on how to go on, after the wanted number of hands ended before the match did;
    none if the match is over, or the table stopped or has no charter yet.
    """
    session = driver.session
    # Only in these states a match can go on; a table that stopped has told why.
    going_on = (SessionStatus.PLAYING, SessionStatus.RETURNING)
    if session is None or session.status not in going_on:
        return
    # Nobody waits where the match ended, or all that were wanted.
    if not (session.table_state.closed or driver.after_match.goal.matches_over(session)):
        hands = count_words(session.table_state.played, "hand")
        yield (
            f"You stopped after {hands}, and the match is not over: the other players wait for you."
        )
        yield f"'p2p304 resume {session.charter.table.hex()[:SHORT]}' goes on."


async def told_at_the_end(work: Coroutine[Any, Any, None], driver: SeatDriver) -> None:
    """Await the work of a seat; afterwards print in the shell which files to check, unless an
    error ended it, and how the last hand ended.
    """
    try:
        await work
        # The last hand: one is enough to show how.
        for path in driver.last.around.hands.transcripts[-1:]:
            echo(f"The hands are in {path.parent}")
            echo("Check the last one yourself:")
            echo(f"  p2p304 audit {hand_name(path)}")
    # Behind an error, too: the hand that ended has its result.
    finally:
        session = driver.last.session
        if session is not None:
            for line in result_lines(driver.last.after_match.endings, session):
                echo(line)


def result_lines(endings: Iterable[Event], session: SeatView) -> Iterator[str]:
    """Yield lines on how the last hand ended and, if the match ended with it, who won and the
    score hand by hand; none without `endings` (`AfterMatch.endings`). The screen that showed it is
    gone.
    """
    # Letters: the sentences are for the shell, perhaps a log.
    writer = Writer(session.game.seats, ascii_only=True)
    story = Story(session.game, writer)
    for event in endings:
        # First the hand's number, however it ended; what came of it is told below.
        match event:
            case HandEnded(number) | HandUnfinished(number):
                yield f"Hand {hand_label(number)}:"
        match event:
            # An unfinished hand has no cards to tell: one sentence says who ended it.
            case HandUnfinished():
                narrator = narrator_for(session.charter, session.game, ascii_only=True)
                yield told_in_line(narrator, event)
            case MatchEnded(winner, scores):
                history = MatchHistory(session.table_state.match_hands, winner, scores)
                whole = (
                    headline(session.game, history, writer),
                    *decided_rows(session.game, history, writer),
                )
                for line in whole:
                    # Unbroken at hyphens: a place such as North-East stays whole.
                    yield from wrap(line, SHELL, break_on_hyphens=False)
                if history.hands:
                    yield "The score, hand by hand:"
                    yield from folded_rows(session.game, history.hands, writer, SHELL)
            case _:
                # No cards: a story that heard no beginning tells the outcome and the score alone.
                yield from story.tell(event, {})


async def beside_screen(
    work: Coroutine[Any, Any, object], shown: ClientSeat | WatchedTable, screen: Screen, broken: str
) -> None:
    """Await `work` with the full screen beside it, from the moment when there is something to show.
    After the work an open screen stays until the player closes it; then the work's error is raised.

    A screen that is closed earlier leaves the table, and the work ends by itself. If the screen
    breaks, `broken` is printed, the work is cancelled, and the screen's error is raised.
    """
    gone = asyncio.Event()

    async def worked() -> None:
        """Do the work, then let the player look at how it ended."""
        try:
            await work
        # Told on the screen first: what is printed now would be overwritten by it.
        except Exception as error:
            await looked_at(error)
            raise
        await looked_at(None)

    async def looked_at(error: Exception | None) -> None:
        """Show the end or the error, and wait until the player closes the screen, if it is up."""
        # The screen shows the error or the end until the player has closed it.
        shown.ended(error)
        if shown.up.is_set():
            await gone.wait()

    async def drawn() -> None:
        """Run the screen once there is something to show; when the player has closed it, leave
        the table and wait until the work ends.
        """
        # Here: it takes a quarter of the start, and no seat in lines needs it.
        from cli.screen.app import ClientApp

        await shown.up.wait()
        try:
            await ClientApp(
                shown, colouring=screen.colouring, calls=screen.play_settings.calls
            ).run(shown.closed.wait)
        except Exception:
            # The journal has everything that was sent, so that nothing is lost with the screen.
            click.echo(broken, err=True)
            raise
        shown.leave()
        gone.set()
        await never()  # the work ends by itself, with what it has to say

    await first(worked(), drawn())


def full_screen_possible() -> bool:
    """Return whether input and output are a terminal that can move its cursor."""
    # TERM is missing or "dumb" in editors and cron jobs, where no cursor can move.
    capable = os.environ.get("TERM", "dumb") not in ("", "dumb")
    return capable and sys.stdin.isatty() and sys.stdout.isatty()
