"""`p2p304 bot`: a bot takes a seat."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import click

from cli.children import imported
from cli.commands.entering import invite_for
from cli.commands.opponents import SEATED, THINK, USUAL, Teller, think_option
from cli.commands.options import Amount, gathered
from cli.commands.seating import (
    accepts_referees,
    answer,
    meant_for_hosts,
    seat_options,
    with_credentials,
)
from cli.errors import UserError
from cli.lines.console import Console
from cli.local.bot_processes import pace_in
from cli.local.continuing import play_on
from cli.local.fork_server import OPTION, serve_forks
from cli.local.sitting import SeatOptions, new_setup, seated, take_place
from cli.returning import parse_vouched_seats
from cli.sanitize import safe_name
from cli.seat.bots import BotSeat, Listener, UntilGone
from cli.seat.charter_text import term_lines
from cli.seat.claiming import GENERATORS, NameTaken
from cli.seat.pace import AnswerMoment, Pace
from cli.seat.setup import Orders, charter_in
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import home
from cli.store.settings import LONGEST_PACE
from cli.thinker import Thinker
from protocol.cards.secrets import expand
from protocol.group.constants import constants_digest
from protocol.wire.charter import MAX_NAME, MAX_SEATS, Charter
from protocol.wire.identity import PublicKey


@dataclass(frozen=True, slots=True)
class BotOptions:
    """The options of `p2p304 bot` that are about the bot itself."""

    invite: str | None
    name: str | None
    seed: int | None
    tell: bool
    ordered: bool
    vouching: tuple[str, ...]
    ends_with_input: bool
    again: bool
    level: str
    think: float | None
    pace: float


@click.command("bot")
@click.argument("invite", required=False)
@click.option("--name", metavar="NICKNAME", help="The bot's nickname.  [default: Bot and a number]")
@click.option(
    "--seed", type=int, default=None, help="What its decisions follow.  [default: chance]"
)
@click.option("--tell", is_flag=True, help="Tell what happens, as far as it is public.")
@seat_options("Meet there, wherever the invite says.", person=False, agrees=True)
@click.option("--ordered", is_flag=True, hidden=True, help="A second line holds orders.")
@click.option("--vouch", "vouching", multiple=True, hidden=True, help="As in 'p2p304 resume'.")
@click.option("--ends-with-input", is_flag=True, hidden=True, help="Leave when the input ends.")
@click.option("--again", is_flag=True, hidden=True, help="Play more matches if the others do.")
@click.option(OPTION, is_flag=True, hidden=True, help="Fork a bot for each order that is read.")
@click.option(
    "--level",
    type=click.Choice(SEATED),
    default=USUAL,
    show_default=True,
    help="How well it plays.",
)
@think_option
@click.option(
    "--pace",
    type=Amount(0, LONGEST_PACE),
    metavar="SECONDS",
    default=0.0,
    show_default=True,
    help="Let each move of the table lie there so long before the bot's.",
)
@gathered("wishes", BotOptions)
def command(wishes: BotOptions, options: SeatOptions, fork_server: bool) -> None:
    """Have a bot take the seat of an invite and play by itself.

    \b
    Examples:
      p2p304 bot                       asks for the invite
      p2p304 bot < invite.txt          reads it from a file
      p2p304 bot --tell --hands 5      plays five hands and tells them
      p2p304 bot --level master --think 2   a better one, which takes its time
    """
    if fork_server:
        given = serve_forks(_prepared)
        if given is not None:
            command.main(given, prog_name="p2p304 bot", standalone_mode=False)
        return
    asyncio.run(_sit(wishes, with_credentials(options)))


def _prepared() -> None:
    """Import and compute what every forked bot needs, before the first fork."""
    constants_digest(GENERATORS)
    imported("p2p304.bots.players")  # of which a bot that decides at once thinks by itself


def _listeners(wishes: BotOptions, hands: int | None) -> tuple[Listener, ...]:
    return (Teller(hands),) if wishes.tell else ()


async def _sit(wishes: BotOptions, options: SeatOptions) -> None:
    console, listeners = Console(), _listeners(wishes, options.hands)
    accepted = await invite_for(wishes.invite, console)
    orders = Orders.parse(await answer(console)) if wishes.ordered else Orders()
    if accepted.watches:
        raise UserError("This invite lets one watch: use 'p2p304 watch'.")
    if options.brokers:
        accepted = accepted.at(options.brokers)
    options = await meant_for_hosts(options, accepted.nodes, console)
    root = home()
    chance = secrets.randbelow(1 << 63) if wishes.seed is None else wishes.seed
    nickname = wishes.name or f"Bot {1 + (accepted.seat or 0)}"
    entropy = secrets.token_bytes if orders.seed is None else expand(orders.seed, b"demo")
    setup = new_setup(
        accepted,
        nickname,
        credentials=options.credentials_file,
        founding=orders.founding,
        entropy=entropy,
    )
    pace = Pace(wishes.pace)
    until_gone = until_host_gone(console, pace) if wishes.ends_with_input else None
    if orders.seed is not None:
        IdentityStore(root).key(entropy)
    seconds = THINK if wishes.think is None else wishes.think
    with Thinker() as thinker:
        for name in other_names(nickname):
            journal, setup = take_place(root, replace(setup, nickname=name))
            charter = charter_in(journal.records())[0]
            if wishes.vouching and charter is not None:
                # Told to our host, who may have named our own seat.
                vouched = parse_vouched_seats(Charter.from_bytes(charter), wishes.vouching) - {
                    setup.seat
                }
                options = replace(options, vouched=vouched)
            player = BotSeat(
                chance,
                *listeners,
                until_gone=until_gone,
                level=wishes.level,
                thinker=thinker if seconds else None,
                moment=AnswerMoment(seconds),
                pace=pace,
                again=wishes.again,
                agree=None if wishes.ends_with_input else partial(_agree, console),
            )
            with suppress(NameTaken):
                async with seated(journal, setup, player, root=root, options=options) as driver:
                    await play_on(driver, setup, player, root=root, options=options)
                return
    raise UserError(f"Everybody at this table is called {safe_name(nickname)}.")


async def _agree(console: Console, charter: Charter, unnamed: tuple[PublicKey, ...]) -> bool:
    """Print the powers that the charter gives to others, and return whether its unnamed referees
    are accepted.
    """
    for line in term_lines(charter, PeersFile(home())):
        console.say(line)
    return not unnamed or await accepts_referees(console, unnamed)


def until_host_gone(console: Console, pace: Pace) -> UntilGone:
    """Return a wait that ends when our standard input ends; lines of the input set the pace.

    The host that started the bot holds the other end of the input.
    """

    def heard(line: str) -> None:
        seconds = pace_in(line)
        if seconds is not None:
            pace.change(seconds)

    return partial(console.drained, heard)


def other_names(name: str) -> Iterator[str]:
    """Yield the name, then numbered variants, for a bot whose name is taken at its table."""
    yield name
    for number in range(2, MAX_SEATS + 2):
        ending = f" {number}"
        yield f"{name[: MAX_NAME - len(ending)].rstrip()}{ending}"
