"""`p2p304 join`: takes the seat of an invite."""

from __future__ import annotations

from pathlib import Path

import click

from cli.commands.looks import Screen, screen_options
from cli.commands.options import log_option
from cli.commands.screen import answering, console_for, play_through, player_for
from cli.commands.seating import (
    VERSIONS,
    broker_options,
    brokers_option,
    credentials_for,
    end_options,
    invite_for,
    meant_for_invite,
    nickname_for,
    run_seat,
)
from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.seat.goal import Goal
from cli.seat.sitting import new_setup, seated, take_place
from cli.store.identity import KnownPeers
from cli.store.paths import home, table_directory


@click.command("join")
@click.argument("invite", required=False)
@click.option("--name", metavar="NICKNAME", help="Your nickname.  [default: the one kept]")
@brokers_option("Meet there, wherever the invite says.")
@broker_options
@end_options
@screen_options
@log_option
def command(
    invite: str | None,
    name: str | None,
    brokers: tuple[BrokerAddress, ...],
    credentials: Path | None,
    login: bool,
    mqtt: str,
    hands: int | None,
    matches: int,
    linger: float,
    screen: Screen,
) -> int:
    """Take the seat of an invite, agree to the rules with the others, and play.

    Leave INVITE out and paste it when asked: what is typed as an argument stays in the shell's
    history. A pipe that holds the invite alone is read as well: your answers come from the terminal
    then. Using the invite again goes on.

    \b
    Examples:
      p2p304 join                          asks for the invite
      p2p304 join --name Amara             under this nickname
      p2p304 join --credentials broker.txt with a password or a certificate for the broker
      xclip -o | p2p304 join               from the clipboard
    """
    given = credentials_for(credentials, login=login)
    how = (brokers, hands, matches, linger, screen, login)
    return run_seat(_join(invite, name, given, credentials, mqtt, *how))


async def _join(
    argument: str | None,
    name: str | None,
    credentials: Credentials | None,
    credentials_file: Path | None,
    mqtt: str,
    brokers: tuple[BrokerAddress, ...],
    hands: int | None,
    matches: int,
    linger: float,
    screen: Screen,
    login: bool,
) -> None:
    root, console = home(), console_for(screen)
    invite = await invite_for(argument, console)
    if brokers:
        invite = invite.at(brokers)
        credentials = credentials and credentials.meant_for(brokers)
    credentials = await meant_for_invite(credentials, invite, console, login=login)
    if invite.watches or invite.seat is None:
        raise UserError("This invite lets one watch: use 'p2p304 watch'.")
    console = await answering(console, screen)
    nickname = await nickname_for(root, name, console)
    wanted = new_setup(invite, nickname, credentials=credentials_file)
    journal, setup = take_place(root, wanted, named=brokers)
    directory = table_directory(root, invite.table)
    player = player_for(
        screen,
        console,
        seat=invite.seat,
        known=KnownPeers(root),
        directory=directory,
        goal=Goal(hands, matches),
    )
    async with seated(
        journal,
        setup,
        player,
        root=root,
        credentials=credentials,
        version=VERSIONS[mqtt],
        hands=hands,
        matches=matches,
        linger=linger,
        named=brokers,
    ) as driver:
        console.say(f"You sit down at {setup.invite.where}.")
        await play_through(driver, player, screen)
