"""`p2p304 join`: takes a seat, by the code of its table or by an invite."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import click

from cli.code import CodeError
from cli.commands.display import Screen, screen_options
from cli.commands.entering import choose_seat, entry_for
from cli.commands.nickname import ask_nickname, nickname_for
from cli.commands.options import name_option
from cli.commands.screen import console_for, console_for_answers
from cli.commands.seating import (
    before_a_table,
    met_at,
    run_command,
    seat_options,
    with_credentials,
)
from cli.commands.table_series import TableSeries
from cli.invite import Invite, InviteError
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, code_way, new_setup, take_place
from cli.net import public
from cli.net.address import BrokerAddress
from cli.net.credentials import NO_CREDENTIALS
from cli.net.transport import TransportError
from cli.sanitize import safe_text
from cli.seat.way_in import (
    Choose,
    Connect,
    NameTaken,
    NobodyThere,
    NotLetIn,
    SeatTaken,
    WrongCode,
    invite_by,
)
from cli.store.paths import home
from protocol.bounds import GUESSES
from protocol.wire.code import Code

# As for errors that end the program (`cli.main`): a choice.
MOST_CELLS: Final = 1_000
OWN_BROKER: Final = "If the host has a broker of its own, add --broker and its address."


@click.command("join")
@click.argument("entry", metavar="[CODE | INVITE]", required=False)
@name_option
@seat_options(
    "The broker at which to look for the code, or to meet in place of the invite's.", agrees=True
)
@screen_options
def command(entry: str | None, name: str | None, options: SeatOptions, screen: Screen) -> int:
    """Take a seat by a table's code or by an invite, agree to the rules with the others, and play.

    Better leave CODE out, and type it when asked: Tab completes its words, and other users of this
    machine do not see it in the list of processes. The program looks for a code in the local
    network, then at the public brokers of a list that you can change; with --broker, there alone. A
    code or an invite may also come through a pipe, your answers then from the terminal. An invite
    that you used before goes on at its table.

    \b
    Examples:
      p2p304 join                          asks for the code, or the invite
      p2p304 join 7-zebra-lantern          the code that the host said
      p2p304 join --broker mqtts://broker.example.org
                                           the host's own broker
      p2p304 join --nickname Amara         under this nickname
      p2p304 join --credentials broker.txt  the broker's password or certificate
      xclip -o | p2p304 join               an invite from the clipboard
    """
    return run_command(_join(entry, name, with_credentials(options), screen))


async def _join(
    argument: str | None, name: str | None, options: SeatOptions, screen: Screen
) -> None:
    """Take a seat; at a terminal ask again after a code, an invite or a seat that will not do.

    After five wrong codes it stops: a false host learns from each guess whether one code was right
    (specs 7.9).
    """
    root, console, wrong = home(), console_for(screen), 0
    while True:
        try:
            with before_a_table():
                entry = await entry_for(argument, console)
                # A wrong one is not tried again: from now on it is asked for.
                argument = None
                # Before the nickname: the input may have held the invite and nothing else.
                console = await console_for_answers(console, screen)
                nickname = await nickname_for(root, name, console)
                invite = await _invite(entry, options, screen, console, root)
            await _sit_down(invite, nickname, options, screen, console, root)
        # What a player can mend by typing: another code, invite or seat.
        except (CodeError, InviteError, SeatTaken) as error:
            # Only guesses count (True as 1): after five the host's code is dead (attacks CO1).
            wrong += isinstance(error, WrongCode)
            if not console.interactive or wrong >= GUESSES:
                # A script cannot type another one.
                raise
            # Words of a host or a broker may be in it: bounded.
            console.say(safe_text(str(error), cells=MOST_CELLS))
        else:
            return


async def _invite(
    entry: Invite | Code, options: SeatOptions, screen: Screen, console: Console, root: Path
) -> Invite:
    """Return the given invite, or the invite that the code leads to. Raises like `invite_by`."""
    if isinstance(entry, Invite):
        return entry
    choose = partial(choose_seat, console, ascii_only=screen.play_settings.ascii_only)
    if options.brokers:
        # The broker was named by its user, so credentials without hosts are meant for it (MQ25).
        given = (options.credentials or NO_CREDENTIALS).with_hosts(options.brokers)
        try:
            return await invite_by(entry, [code_way(options.brokers, given)], choose)
        # At a named broker nothing else is looked through: the code itself may be wrong or old.
        except NobodyThere as error:
            raise NobodyThere(
                f"{error} Compare it with what the host said: a code lives for ten minutes."
            ) from None
    return await _find_invite(entry, choose, options, console, root)


async def _find_invite(
    code: Code, choose: Choose, options: SeatOptions, console: Console, root: Path
) -> Invite:
    """Return the invite behind a code without a broker: sought in the local network, then at public
    brokers. `choose` lets the player choose a seat.

    Raises like `invite_by`; NotLetIn from the local network comes before what public brokers say.
    """
    from cli.net import nearby  # its library takes long, and invites do without

    # Whoever answers in the local network must get no password (attacks MQ25); a CA shows nothing
    # of us.
    credentials = replace(
        options.credentials or NO_CREDENTIALS, user=None, password=None, certificate=None, key=None
    )

    def ways(brokers: Iterable[BrokerAddress]) -> list[Connect]:
        """Return the ways to the code at these brokers, each alone: several tables may have this
        number, and one may be a stranger's (attacks CO14).
        """
        return [code_way((each,), credentials) for each in brokers]

    console.say(f"Looking for the number {code.number} in the local network ...")
    found = await nearby.find_brokers(code.number)
    refused: CodeError | None = None
    if found:
        try:
            return await invite_by(code, ways(found), choose)
        except NobodyThere:
            pass  # a public broker may have it
        except NotLetIn as error:
            refused = error  # another table may have the number at a public broker
        # An announced table that falls silent is passed over (attacks CO14).
        except TransportError as error:
            console.say(safe_text(str(error), cells=MOST_CELLS))
    brokers = public.public_brokers(root)
    there = "It is not there." if refused is None else "No table there has this code."
    console.say(f"{there} Looking at {', '.join(each.host for each in brokers)} ...")
    try:
        return await invite_by(code, ways(brokers), choose)
    except NobodyThere as error:
        # "Not let in" says more than "nobody there": the number was right and the words were not.
        raise refused or NobodyThere(
            f"{error} Compare it with what the host said. {OWN_BROKER}"
        ) from None
    except TransportError as error:
        if refused is not None:
            # The refusal was an answer; that a public broker was away was not.
            raise refused from None
        raise TransportError(error.trouble, f"{error} {OWN_BROKER}") from None


async def _sit_down(
    invite: Invite,
    nickname: str,
    options: SeatOptions,
    screen: Screen,
    console: Console,
    root: Path,
) -> None:
    """Take the seat of the invite and play, under this nickname, or another one that a person is
    asked for if the name is taken.

    Raises SeatTaken if the seat belongs to somebody else, InviteError for an invite to watch, and
    NameTaken if nobody can be asked.
    """
    invite, options = await met_at(invite, options, console)
    # A taken name is no error at a terminal: the seat stays free, another name is asked.
    while True:
        wanted = new_setup(invite, nickname, credentials=options.credentials_file)
        # `named`: where the player said to meet, which outranks what the journal kept.
        journal, setup = take_place(root, wanted, named=options.brokers)
        series = TableSeries(root, console, screen, options)
        try:
            async with AsyncExitStack() as stack:
                driver, player = await series.sit_down(journal, setup, stack)
                console.say(f"You sit down at {setup.invite.where}.")
                await series.play(driver, player)
            return
        except NameTaken as error:
            if not console.interactive:
                raise
            # Uncut: the sentence is ours, and quotes nobody.
            console.say(str(error))
            nickname = await ask_nickname(console, "Another nickname, for this table:")
