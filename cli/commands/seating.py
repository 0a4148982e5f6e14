"""What host, join, resume and watch share: options, credentials, and how a seat's process ends."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from cli.commands.options import CommandT, gather_options, hands_option, matches_option
from cli.errors import ExitCode, UserError
from cli.front.narrator import ACCEPTS
from cli.invite import Invite
from cli.lines.console import Console, InputEnded
from cli.local.sitting import SeatOptions
from cli.net.address import BrokerAddress, checked_nodes
from cli.net.credentials import credentials_from_file, credentials_from_prompt
from cli.seat.charter_text import nobody_to_ask
from cli.seat.sentences import InputGone, SeatLeft
from cli.seat.setup import Setup
from cli.store.identity import THE_KEY, key_in
from protocol.wire.identity import PublicKey

LEFT: Final = "You left the table; nothing is lost: 'p2p304 resume' goes on."


class _Terminated(Exception):
    """SIGTERM ended this process."""


class _NotBegun(Exception):
    """The player left before there was a table."""


@contextmanager
def before_a_table() -> Iterator[None]:
    """Return a context that turns Ctrl-C and SIGTERM into _NotBegun, for which `run_command` prints
    only that it was interrupted: there is no table yet to resume.
    """
    try:
        yield
    # asyncio.run cancels the task at the first Ctrl-C; SIGTERM does so through `_terminable`.
    except (KeyboardInterrupt, asyncio.CancelledError):
        # Else the player would be told to resume a table that is not there.
        raise _NotBegun from None


def brokers_option(summary: str) -> Callable[[CommandT], CommandT]:
    """Return a decorator that adds the option --broker, whose help begins with `summary`; its
    argument `brokers` is a tuple of addresses, empty without one.
    """
    return click.option(
        "--broker",
        "brokers",
        metavar="URL",
        multiple=True,
        # Parsed by click, so that a bad address is told before anything is asked.
        # Without an address the invite's brokers hold; `checked_nodes` refuses an empty list.
        callback=lambda _, __, urls: (
            checked_nodes([BrokerAddress.parse(url) for url in urls]) if urls else ()
        ),
        help=f"{summary} Several times for the nodes of a cluster.",
    )


# As long as `SeatOptions.linger`. Tests shorten it; a player has no reason to.
_LINGER: Final = click.option("--linger", type=float, default=5.0, hidden=True)

#: The option --credentials, as the argument `credentials_file` of the command.
credentials_option: Final = click.option(
    "--credentials",
    "credentials_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file with user, password or certificates for the broker.",
)
_LOGIN: Final = click.option(
    "--login", is_flag=True, help="Ask for user and password at the broker."
)


#: The options --credentials and --login, as the one argument `options` of the command.
login_options = gather_options("options", SeatOptions, options=(_LOGIN, credentials_option))


_TRUST: Final = click.option(
    "--trust-referee",
    "trusted",
    metavar="KEY",
    multiple=True,
    # A frozen set: `SeatOptions` is a value.
    callback=lambda _, __, keys: frozenset(map(key_in, keys)),
    help=f"Accept the rulings of this referee without being asked. KEY is {THE_KEY}.",
)


def seat_options(
    brokers: str, *, person: bool = True, agrees: bool = False, founds: bool = False
) -> Callable[[CommandT], CommandT]:
    """Return a decorator that adds the options of a seat or a spectator as the one argument
    `options`.

    `brokers` is the help of --broker. A `person` may be asked for a password. A command that
    `agrees` to charters of others has --trust-referee. One that `founds` tables shows --matches in
    its help.
    """
    # From the last to the first as the help lists them: the decorator applied last comes first.
    login = (*((_LOGIN,) if person else ()), credentials_option)
    # Hidden where others found the table: its founder's number decides.
    matches = matches_option(hidden=not founds)
    ends = (_LINGER, hands_option, matches, *((_TRUST,) if agrees else ()))
    return gather_options("options", SeatOptions, options=(*ends, *login, brokers_option(brokers)))


def with_credentials(options: SeatOptions) -> SeatOptions:
    """Return the options with credentials: typed now if --login is given, else read from their
    file; None without both.

    Raises CredentialsError for a file that cannot be used.
    """
    file, given = options.credentials_file, None
    if options.login:
        given = credentials_from_prompt(
            # Empty is an answer: a broker may ask for no user.
            lambda label: str(click.prompt(label, default="", show_default=False)),
            # Hidden while it is typed, and never an argument: a command line is seen by all
            # (attacks MQ10).
            lambda label: str(click.prompt(label, hide_input=True)),
        )
    # --login outranks the file: who types now means this broker.
    elif file is not None:
        given = credentials_from_file(file)
    return replace(options, credentials=given)


def bot_options(options: SeatOptions, setup: Setup) -> tuple[str, ...]:
    """Return the command-line options for bots of ours at the table of this `setup`: how many hands
    and matches, the trusted referees and the path of the setup's file of credentials.

    Only with such a file the table's nodes are among them, as brokers that may see its password. No
    secret is: other users can list command lines.
    """
    # --again: bots go on to another match if the people do.
    told = ["--again", "--matches", f"{options.matches}"]
    if options.hands is not None:
        told += ["--hands", f"{options.hands}"]
    if setup.credentials:
        # The path, not what it holds: a process's arguments are seen by others on the machine.
        told += ["--credentials", setup.credentials]
        for node in setup.invite.nodes:
            # Named as --broker, so the file's password is meant for these hosts (attacks MQ25).
            told += ["--broker", node.format()]
    return (*told, *trust_options(options.trusted))


def trust_options(keys: Iterable[PublicKey]) -> tuple[str, ...]:
    """Return the options by which a bot accepts the rulings of these referees."""
    # Sorted: the same options give the same command line.
    named = sorted({key.to_bytes().hex() for key in keys})
    return tuple(word for key in named for word in ("--trust-referee", key))


async def accepts_referees(console: Console, unnamed: tuple[PublicKey, ...]) -> bool:
    """Ask whether the player accepts rulings of referees whom it did not name, and return whether
    it said y or yes; nothing typed before the question counts.

    Raises UserError if the input ends, or if there is no terminal: then it names the `unnamed`
    keys.
    """
    # A script must name the referee's key itself (attacks RF24).
    if not console.interactive:
        raise nobody_to_ask(unnamed)
    return await _agrees(console, ACCEPTS)


async def _agrees(console: Console, question: str) -> bool:
    """Ask a question, and return whether the answer is y or yes; nothing typed before counts."""
    # What was typed ahead is no consent.
    console.typed_before()
    said = await ask_line(console, f"{question} [y/n]")
    # Everything but a clear yes is a no.
    return said.strip().lower() in ("y", "yes")


async def allow_hosts(
    options: SeatOptions, nodes: Sequence[BrokerAddress], console: Console
) -> SeatOptions:
    """Return the options with credentials that may be shown to all these `nodes`; without
    credentials nothing is asked.

    The nodes come from somebody else's invite or charter. Hosts that the user named with --broker
    or in the file are allowed; for others the user is asked. Raises CredentialsError if nobody can
    be asked, UserError if the user refuses or the input ends.
    """
    if options.credentials is None:
        return options
    # Whoever names a broker means the credentials for it.
    given = options.credentials.with_hosts(options.brokers)
    if strange := given.strange_hosts(nodes):
        # Who typed the password a moment ago is there to be asked.
        if not (options.login or console.interactive):
            # Raises, naming the hosts: a script sends nobody's password to a stranger's host
            # (attacks MQ25).
            given.check_hosts(nodes)
        what = "Your certificate goes" if given.user is None else "Your user name and password go"
        there = f"{what} to {' and '.join(strange)}. Do they belong there?"
        if not await _agrees(console, there):
            raise UserError("Then nothing was sent: ask who invited you where the table meets.")
        # From now on they count as named: a return to the broker asks no more.
        given = given.with_hosts(nodes)
    return replace(options, credentials=given)


async def met_at(
    invite: Invite, options: SeatOptions, console: Console
) -> tuple[Invite, SeatOptions]:
    """Return the invite at the brokers that the user named, if any, and the options with
    credentials that may be shown there. Raises as `allow_hosts` does.
    """
    if options.brokers:
        invite = invite.at(options.brokers)
    return invite, await allow_hosts(options, invite.nodes, console)


async def ask_line(console: Console, question: str) -> str:
    """Ask a question and return the answer; raises UserError if the input ends first."""
    console.prompt(question)
    return await answer(console)


async def answer(console: Console) -> str:
    """Return the next line of input; raises UserError if the input ends first."""
    try:
        return await console.line()
    except InputEnded:
        raise UserError("The input ended before the question was answered.") from None


def run_command(work: Coroutine[Any, Any, None], left: str = LEFT) -> ExitCode:
    """Run a command's coroutine and return the exit code: DONE, also if the player left;
    INTERRUPTED for Ctrl-C, SIGTERM and an ended input. Leaving and interruptions print one
    sentence: `left` for Ctrl-C and SIGTERM, unless there was no table yet; "" for none, where there
    is no seat. Other errors pass.
    """
    try:
        asyncio.run(_terminable(work))
    # Leaving is no error: one sentence, and exit code 0.
    except SeatLeft as why:
        click.echo(str(why), err=True)
    # A script that ran out of answers: its exit code says so.
    except InputGone as gone:
        click.echo(f"p2p304: {gone}", err=True)
        return ExitCode.INTERRUPTED
    # No table yet, so LEFT would be untrue. A new line first, as the terminal has written ^C.
    except _NotBegun:
        click.echo("\np2p304: interrupted", err=True)
        return ExitCode.INTERRUPTED
    except (KeyboardInterrupt, _Terminated):
        # A new line behind ^C.
        click.echo(f"\n{left}", err=True, nl=bool(left))
        return ExitCode.INTERRUPTED
    # Now, where `main` still handles a closed pipe.
    sys.stdout.flush()
    return ExitCode.DONE


# SIGTERM becomes a cancellation, so that seats say goodbye and files are closed.
async def _terminable(work: Coroutine[Any, Any, None]) -> None:
    """Await the work; SIGTERM cancels it. Raises _Terminated if that ended it."""
    task = asyncio.current_task()
    # A coroutine always runs in a task.
    assert task is not None
    ended = False

    def end() -> None:
        """Cancel the work because SIGTERM came."""
        nonlocal ended
        ended = True
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
    try:
        await work
    except asyncio.CancelledError:
        # Cancelled by Ctrl-C or by a caller, who must see it as that.
        if not ended:
            raise
        raise _Terminated from None
