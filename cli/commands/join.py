"""`p2p304 join`: takes the seat of an invite."""

from __future__ import annotations

import click

from cli.commands.looks import Screen, screen_options
from cli.commands.options import log_option
from cli.commands.screen import answering, console_for, play_through, player_for
from cli.commands.seating import (
    invite_for,
    meant_for_invite,
    nickname_for,
    run_seat,
    seat_options,
    with_credentials,
)
from cli.errors import UserError
from cli.seat.options import SeatOptions
from cli.seat.sitting import new_setup, seated, take_place
from cli.store.paths import home


@click.command("join")
@click.argument("invite", required=False)
@click.option("--name", metavar="NICKNAME", help="Your nickname.  [default: the one kept]")
@seat_options("Meet there, wherever the invite says.")
@screen_options
@log_option
def command(invite: str | None, name: str | None, options: SeatOptions, screen: Screen) -> int:
    """Take the seat of an invite, agree to the rules with the others, and play.

    Leave INVITE out and paste it when asked: what is typed as an argument stays in the shell's
    history. A pipe that holds the invite alone is read as well: your answers come from the terminal
    then. Using the invite again goes on.

    \b
    Examples:
      p2p304 join                          asks for the invite
      p2p304 join --name Amara             under this nickname
      p2p304 join --credentials broker.txt  the broker's password or certificate
      xclip -o | p2p304 join               from the clipboard
    """
    return run_seat(_join(invite, name, with_credentials(options), screen))


async def _join(
    argument: str | None, name: str | None, options: SeatOptions, screen: Screen
) -> None:
    root, console = home(), console_for(screen)
    invite = await invite_for(argument, console)
    if options.brokers:
        invite = invite.at(options.brokers)
    options = await meant_for_invite(options, invite, console)
    if invite.watches or invite.seat is None:
        raise UserError("This invite lets one watch: use 'p2p304 watch'.")
    console = await answering(console, screen)
    nickname = await nickname_for(root, name, console)
    wanted = new_setup(invite, nickname, credentials=options.credentials_file)
    journal, setup = take_place(root, wanted, named=options.brokers)
    player = player_for(screen, console, setup, options, root=root)
    async with seated(journal, setup, player, root=root, options=options) as driver:
        console.say(f"You sit down at {setup.invite.where}.")
        await play_through(driver, player, screen)
