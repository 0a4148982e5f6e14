"""`p2p304 resume`: goes on with a table after anything died, or was left."""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from cli.claims import RISK, vouched_in
from cli.commands.bot import Teller
from cli.commands.host import bot_options, show_invites
from cli.commands.looks import Screen, screen_options
from cli.commands.options import log_option
from cli.commands.screen import announcer, console_for, play_through, player_for
from cli.commands.seating import (
    VERSIONS,
    broker_options,
    brokers_option,
    credentials_for,
    end_options,
    run_seat,
)
from cli.errors import UserError
from cli.invite import Invite
from cli.lines.console import Console
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import Credentials
from cli.seat.bot_processes import Bot, BotProcesses, bot_home, filled_seats
from cli.seat.bots import BotSeat
from cli.seat.goal import Goal
from cli.seat.journal_reader import charter_in, kept_charter
from cli.seat.player import Player
from cli.seat.records import table_to_resume
from cli.seat.setup import Setup
from cli.seat.sitting import keep_changed, kept_setup, moved, seated
from cli.store.hands import SHORT
from cli.store.identity import KnownPeers
from cli.store.paths import home, table_directory
from p2p304.seats import Seat
from protocol.wire.charter import Charter


class BotOrders(NamedTuple):
    """That a bot plays on: what its decisions follow, whether it tells what happens, and whether
    it leaves when the input ends, which whoever started it keeps open."""

    seed: int | None
    tell: bool
    leash: bool


@click.command("resume")
@click.argument("table", required=False)
@brokers_option("Meet at another broker from now on; all must.")
@click.option("--bot", is_flag=True, help="Let a bot play on in your seat.")
@click.option(
    "--vouch",
    "vouching",
    multiple=True,
    metavar="SEAT",
    help="Sign although SEAT tells of messages that it does not show.",
)
@click.option("--tell", is_flag=True, hidden=True, help="Tell what happens, if a bot plays.")
@click.option("--seed", type=int, default=None, hidden=True, help="What its decisions follow.")
@click.option("--leash", is_flag=True, hidden=True, help="It leaves when the input ends.")
@broker_options
@end_options
@screen_options
@log_option
def command(
    table: str | None,
    brokers: tuple[BrokerAddress, ...],
    bot: bool,
    vouching: tuple[str, ...],
    tell: bool,
    seed: int | None,
    leash: bool,
    credentials: Path | None,
    login: bool,
    mqtt: str,
    hands: int | None,
    matches: int,
    linger: float,
    screen: Screen,
) -> int:
    """Go on with a table where it was, after anything died or was left; even days later.

    TABLE is the beginning of its name, as 'p2p304 tables' shows it; the unfinished one used last by
    default; of several it must be named with --broker, --bot, --vouch or --credentials, which
    change it. The host's broker and bots start again, too.

    \b
    Examples:
      p2p304 resume                          the unfinished table used last
      p2p304 resume 3f2a                     the table whose name begins so
      p2p304 resume --broker mqtts://broker.example.org
                                             when the old broker has gone
      p2p304 resume --bot                    a bot plays on for you
    """
    given = credentials_for(credentials, login=login)
    orders = BotOrders(seed, tell, leash) if bot else None
    how = (hands, matches, linger, screen, orders, vouching)
    return run_seat(_resume(table, brokers, given, credentials, mqtt, *how))


async def _resume(
    prefix: str | None,
    brokers: tuple[BrokerAddress, ...],
    credentials: Credentials | None,
    credentials_file: Path | None,
    mqtt: str,
    hands: int | None,
    matches: int,
    linger: float,
    screen: Screen,
    orders: BotOrders | None,
    vouching: tuple[str, ...],
) -> None:
    root = home()
    changing = bool(brokers or vouching) or credentials_file is not None or orders is not None
    table = table_to_resume(root, prefix, guess=not changing)
    journal, setup = kept_setup(root, table)
    console = console_for(screen)
    async with AsyncExitStack() as stack:
        stack.enter_context(journal)
        payload = charter_in(journal)[0]
        agreed = None if payload is None else kept_charter(payload)
        vouched = _vouched(console, agreed, vouching, setup.seat)
        latest = moved(setup, brokers) if brokers else setup
        if credentials_file is not None:
            latest = replace(latest, credentials=str(credentials_file.resolve()))
        invite = latest.invite
        if latest.founding is not None and latest.founding.broker_here:
            await stack.enter_async_context(EmbeddedBroker(invite.broker.host, invite.broker.port))
        seat = latest.seat
        directory = table_directory(root, table)
        seats = filled_seats(root, table)
        founding = latest.founding
        player: Player
        if orders is not None:
            player = _bot(orders, hands, console)
        else:
            player = player_for(
                screen,
                console,
                seat=seat,
                known=KnownPeers(root),
                directory=directory,
                alone=founding is not None and len(seats) == len(founding.tokens) - 1,
                goal=Goal(hands, matches),
            )
        sitting = seated(
            journal,
            latest,
            player,
            root=root,
            credentials=credentials,
            version=VERSIONS[mqtt],
            hands=hands,
            matches=matches,
            linger=linger,
            vouched=vouched,
            named=brokers,
        )
        driver = await stack.enter_async_context(sitting)
        if latest != setup:  # the broker has answered: an address with a mistake would be kept
            keep_changed(journal, latest)
        called = latest.place(agreed)
        console.say(f"Table {table.hex()[:SHORT]}: you are {called}, at {invite.where}.")
        if prefix is None:
            console.say("It is the unfinished one used last; 'p2p304 tables' lists all.")
        if agreed is None and founding is not None and orders is None:
            free = tuple(
                _invite_of(latest, Seat(other))
                for other in range(len(founding.tokens))
                if other not in (seat, *seats)
            )
            if free:
                console.say("The charter waits for all seats. For whoever has not sat down yet:")
            show_invites(console, free, len(founding.tokens))
        size = 0 if founding is None else len(founding.tokens)
        filling = BotProcesses(size, announcer(player, console))
        await stack.enter_async_context(filling)
        kept = Path(latest.credentials) if latest.credentials else None
        options = bot_options(matches, hands, kept, mqtt, invite.nodes)
        options += tuple(word for name in vouching for word in ("--vouch", name))
        await filling.start(
            *(Bot(_invite_of(latest, each), bot_home(directory, each), options) for each in seats)
        )
        await play_through(driver, player, screen)


def _vouched(
    console: Console, charter: Charter | None, names: tuple[str, ...], own: Seat
) -> frozenset[Seat]:
    """The seats that the player vouches against, told what that risks, and asked at a terminal."""
    if not names:
        return frozenset()
    if charter is None:
        raise UserError("This table has no charter yet: there is nothing that --vouch could allow.")
    seats = vouched_in(charter, names, own)
    console.say(f"{RISK} That goes for the bots of this table, too.")
    if console.interactive and not click.confirm("Sign all the same?"):
        raise UserError(
            "Nothing was signed: 'p2p304 resume' without --vouch waits for the messages."
        )
    return seats


def _bot(orders: BotOrders, hands: int | None, console: Console) -> BotSeat:
    seed = secrets.randbelow(1 << 63) if orders.seed is None else orders.seed
    listeners = (Teller(hands),) if orders.tell else ()
    return BotSeat(seed, *listeners, leash=console.drained if orders.leash else None)


def _invite_of(setup: Setup, seat: Seat) -> Invite:
    """The invite of another seat; only the founder has them."""
    assert setup.founding is not None
    return replace(setup.invite, seat=seat, token=setup.founding.tokens[seat])
