"""`p2p304 host`: makes a table, invites the others, and sits down at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import click

from cli.commands.display import Screen, screen_options
from cli.commands.lobby import KEYS, open_lobby
from cli.commands.meeting_at import ANY, WHICH, own_broker, public_broker
from cli.commands.nickname import nickname_for
from cli.commands.opponents import Opponents, opponents_options
from cli.commands.options import TableOptions, gather_options, option
from cli.commands.screen import console_for, seat_invites, watch_invite
from cli.commands.seating import (
    before_a_table,
    run_command,
    seat_options,
    with_credentials,
)
from cli.commands.table_series import TableSeries
from cli.errors import UserError
from cli.front.writing import Writer
from cli.lines.console import Console
from cli.local.bot_processes import Bot, bot_home, fill_order, name_among_people
from cli.local.sitting import (
    FOUNDER,
    NewTable,
    SeatOptions,
    keep_setup,
    new_setup,
    new_table,
)
from cli.net.credentials import NO_CREDENTIALS
from cli.store.hands import SHORT
from cli.store.paths import home, table_directory
from p2p304.games import GAMES, agreed_game, create_game, telling_of
from p2p304.seats import Seat, place_name
from p2p304.sentences import TALK_RULE, Who, count_words, join_items, say


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions(TableOptions):
    """The options of `p2p304 host` that are about the table."""

    lan: str | None = option(
        "--lan",
        metavar="[ADDRESS]",
        # With these two click takes --lan alone and --lan ADDRESS.
        is_flag=False,
        flag_value=ANY,
        help="Run a broker in this program, for the local network. ADDRESS is needed only if this"
        " machine has several.",
    )
    public: bool = option(
        "--public", is_flag=True, help="Meet at a public broker, the quickest of your list of them."
    )
    port: int = option(
        "--port",
        type=click.IntRange(0, 65_535),
        default=0,
        help="Port of the broker that --lan runs.  [default: any]",
    )
    bots: int = option(
        "--bots", type=click.IntRange(min=0), default=0, help="Give this number of seats to bots."
    )
    chat: bool = option(
        "--chat", is_flag=True, help="Let the players write to each other between hands."
    )
    watch: bool = option("--watch", is_flag=True, help="Print an invite for spectators, too.")
    invites: bool = option(
        "--invites", is_flag=True, help="Print the long invites as well as the code."
    )
    qr: bool = option("--qr", is_flag=True, help="Show the invites as QR codes, too.")


@click.command("host")
@gather_options("wishes", HostOptions)
@seat_options("A broker, such as mqtts://broker.example.org.", founds=True)
@opponents_options
@screen_options
def command(wishes: HostOptions, options: SeatOptions, screen: Screen, opponents: Opponents) -> int:
    """Make a table, say its code, and sit down at it as South.

    Friends type 'p2p304 join' and the code within ten minutes; c makes a new one. Anybody who has
    the code can take a seat, so say it to your friends alone. Five wrong guesses end the code.

    For friends in the same house use --lan: this program then runs the broker. For friends
    elsewhere use --public, or --broker with a broker that all of you reach. A broker sees
    addresses, sizes and times, no cards. Without these options only this machine can reach the
    table. If the broker is a cluster, name up to four nodes: a seat that loses one node goes on at
    the next.

    \b
    Examples:
      p2p304 host --bots 3                  you and three bots
      p2p304 host --lan                     friends in the same house
      p2p304 host --public                  friends elsewhere
      p2p304 host --lan 192.168.1.20        in the house, at this address
      p2p304 host --broker mqtts://broker.example.org --bots 1
      p2p304 host --broker mqtts://a.example.org --broker mqtts://b.example.org
      p2p304 host --profile championship --set 'tokens_start = 3'
      p2p304 host --chat                    with talk between hands
      p2p304 host --game 400                another game
      p2p304 host --bots 3 --level master   bots that play better
    """
    # A port alone already asks for a broker of one's own.
    # `bool`: 0 is any port, and also the value without --port.
    here = wishes.lan is not None or bool(wishes.port)
    if options.brokers and here:
        raise UserError("Give either --broker, or --lan and --port for a broker of your own.")
    if wishes.public and (options.brokers or here):
        raise UserError("Give --public alone: it chooses the broker.")
    house = with_chat(wishes.game, wishes.house, chat=wishes.chat)
    agreed = replace(wishes, house=house).agreement
    return run_command(_host(agreed, wishes, with_credentials(options), screen, opponents))


def with_chat(game: str, house: tuple[str, ...], *, chat: bool) -> tuple[str, ...]:
    """Return the house rules, with chat between hands added if `chat`. Raises UserError if the
    game has no such rule.
    """
    # Perhaps given by --house already: once is enough.
    if not chat or TALK_RULE in house:
        return house
    if TALK_RULE not in GAMES[game].house_rules:
        raise UserError(f"There is no --chat in {game}: it has no such house rule.")
    return (*house, TALK_RULE)


async def _host(
    agreed: str, wishes: HostOptions, options: SeatOptions, screen: Screen, opponents: Opponents
) -> None:
    """Make the table, invite friends to it, sit down as South, start the bots, and play.
    `agreed` is the charter's line about the rules.
    """
    root, console = home(), console_for(screen)
    # All seats but the host's own.
    others = create_game(wishes.game, agreed).seats - 1
    if wishes.bots > others:
        raise UserError(f"Bots can take {others} seats at this table, not {wishes.bots}.")
    # Ctrl-C at the nickname has nothing to resume.
    with before_a_table():
        nickname = await nickname_for(root, wishes.name, console)
    async with AsyncExitStack() as stack:
        nodes, given = options.brokers, options.credentials or NO_CREDENTIALS
        here = not nodes and not wishes.public
        own = await own_broker(stack, console, wishes.lan, wishes.port) if here else None
        if wishes.public:
            nodes = (await public_broker(root, console, given),)
        elif own is not None:
            nodes = (own.address,)
        # The first node is the table's broker; the others are of the same cluster.
        table = new_table(nodes[0], wishes.game, agreed, other_nodes=nodes[1:])
        if own is not None:
            # Our broker serves who knows the table's topic before strangers (attacks MQ27).
            options = replace(options, serve_first=own.serve_first)
        founding = replace(table.founding, broker_here=here)
        setup = new_setup(
            table.invites[FOUNDER],
            nickname,
            credentials=options.credentials_file,
            founding=founding,
        )
        # On the disk before anybody gets an invite: a host that dies now resumes this table.
        journal = keep_setup(root, setup)
        directory = table_directory(root, setup.invite.table)
        # Against bots alone there is nobody to be unfair to: hints are allowed.
        alone = wishes.bots == others
        series = TableSeries(root, console, screen, options, alone=alone, opponents=opponents)
        driver, player = await series.sit_down(journal, setup, stack)
        # Sorted, as levels are given to bots in the order of their seats.
        bots = tuple(sorted(fill_order(len(table.invites))[: wishes.bots]))
        free = tuple(seat for seat in map(Seat, range(others + 1)) if seat not in (FOUNDER, *bots))
        game = agreed_game(table.founding.game, table.founding.profile)
        console.say(f"A table of {telling_of(game).title}.")
        _invite(console, table, free, wishes, options)
        # What lets friends in is told first; what is read at leisure follows the code.
        about = [*_about(table, bots, free, wishes, options)]
        if free:
            if console.interactive:
                # Behind the first line, or the first two: those tell who sits and who is awaited.
                about.insert(1 + bool(bots), KEYS)
            lobby = open_lobby(
                console, driver, player, options, free, public=wishes.public, about=about
            )
            # Behind an error, too: the code must not outlive the table.
            stack.push_async_callback(lobby.close)
        else:
            for line in about:
                console.say(line)
        sitting_down = (
            # Names of bots among people say that they are bots, so that nobody is deceived.
            Bot(table.invites[seat], bot_home(directory, seat), name=name_among_people(seat))
            for seat in bots
        )
        filling = await series.fill(driver, player, stack, sitting_down, others + 1)
        await series.play(driver, player, filling)


def _about(
    table: NewTable,
    bots: tuple[Seat, ...],
    free: tuple[Seat, ...],
    wishes: HostOptions,
    options: SeatOptions,
) -> Iterator[str]:
    """Yield lines for the host: where `bots` sit, for which `free` seats the table waits, and at
    which broker it meets.
    """
    watch, seats = table.watch, len(table.invites)
    if bots:
        yield f"Bots sit in: {', '.join(place_name(seat, seats) for seat in bots)}."
    if free:
        awaited = Writer(seats).line(join_items([say(Who(seat)) for seat in free]))
        yield f"Waiting for {awaited}; Ctrl-C leaves, and 'p2p304 resume' goes on."
    yield f"The table's name is {watch.table.hex()[:SHORT]}; it meets at {watch.where}."
    # An address given to --lan may be 127.0.0.1: then nobody in the network reaches it.
    if wishes.lan is not None and not watch.broker.loopback:
        yield "The broker runs in this process, reachable in your network."
    elif not options.brokers and not wishes.public:
        yield "The broker runs in this process, reachable on this machine alone."
        if free:
            yield WHICH
    if any(node.exposed for node in watch.nodes):
        yield "That broker is spoken to without TLS: the game is sealed, passwords are not."


def _invite(
    console: Console,
    table: NewTable,
    free: tuple[Seat, ...],
    wishes: HostOptions,
    options: SeatOptions,
) -> None:
    """Print the invites of the `free` seats, if they are asked for or a program reads
    the output; if asked for, the invite to watch; and after how many hands we leave.
    """
    lines: list[str] = []
    # A program that reads the output cannot press a key for them.
    if wishes.invites or wishes.qr or not console.interactive:
        lines += seat_invites(table.invites, free, qr=wishes.qr)
    if wishes.watch:
        lines += watch_invite(table.watch, qr=wishes.qr)
    for line in lines:
        console.say(line)
    # The goal of a host is its own: it stands neither in the charter nor in an invite.
    if free and options.hands is not None:
        leaving = count_words(options.hands, "hand")
        console.say(f"You leave after {leaving}: tell your friends.")
