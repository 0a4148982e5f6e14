"""`p2p304 host`: makes a table, invites the others, and sits down at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from cli.commands.display import Screen, screen_options
from cli.commands.lobby import open_lobby
from cli.commands.nickname import nickname_for
from cli.commands.opponents import Opponents, opponents_options
from cli.commands.options import TableOptions, gather_options, option
from cli.commands.screen import console_for, seat_invites, watch_invite
from cli.commands.seating import (
    ask_line,
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
from cli.net import public
from cli.net.address import LOOPBACK, BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.interfaces import OwnAddress, own_addresses
from cli.store.hands import SHORT
from cli.store.paths import home, make_home, table_directory
from p2p304.games import GAMES, agreed_game, create_game, telling_of
from p2p304.seats import Seat, place_name
from p2p304.sentences import TALK_RULE, Who, count_words, join_items, say
from protocol.wire.identity import FRAME_SIZES

ANY: Final = "any"  #: What --lan without an address stands for.
WHICH: Final = (
    "For friends in the same house make the table with --lan; elsewhere with --public, or with"
    " --broker where one of you has a broker."
)
_HONEST: Final = (
    "It is a free service of other people: nobody promises that it lasts. It sees your address, and"
    " when and how much you send, but no card, name or word."
)


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
        if wishes.public:
            nodes = (await public_broker(root, console, given),)
        elif here:
            lan = wishes.lan
            at = LOOPBACK if lan is None else await lan_address(lan, own_addresses(), console)
            own = await stack.enter_async_context(EmbeddedBroker(at, wishes.port))
            nodes = (own.address,)
            # Our broker serves who knows the table's topic before strangers (attacks MQ27).
            options = replace(options, serve_first=own.serve_first)
        # The first node is the table's broker; the others are of the same cluster.
        table = new_table(nodes[0], wishes.game, agreed, other_nodes=nodes[1:])
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
            lobby = open_lobby(
                console, driver, player, options, free, public=wishes.public, about=about
            )
            # Behind an error, too: the code must not outlive the table.
            stack.push_async_callback(lobby.close)
        else:
            console.say(*about)
        sitting_down = (
            # Names of bots among people say that they are bots, so that nobody is deceived.
            Bot(new_setup(table.invites[seat], name_among_people(seat)), bot_home(directory, seat))
            for seat in bots
        )
        filling = await series.fill(driver, player, stack, sitting_down)
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
    console.say(*lines)
    # The goal of a host is its own: it stands neither in the charter nor in an invite.
    if free and options.hands is not None:
        leaving = count_words(options.hands, "hand")
        console.say(f"You leave after {leaving}: tell your friends.")


# --- the broker at which the table meets ----------------------------------------------------------


async def public_broker(root: Path, console: Console, credentials: Credentials) -> BrokerAddress:
    """Return the public broker of the user's list that answers fastest, and print what each
    answered and what a public broker means.

    Raises UserError if the credentials name us, or none of the brokers serves.
    """
    # A user's name would tell a stranger's broker who plays.
    if credentials.named:
        raise UserError(
            "A public broker asks for no user and no password: leave --login and --credentials out."
        )
    # Written out, so that the user can change the list before the next table.
    path = public.broker_list_file(make_home(root))
    brokers = public.public_brokers(root)
    console.say(f"Trying the public brokers that are listed in {path} ...")
    # The largest frame must pass, or a table would stop at its first shuffle.
    found = await public.measure(brokers, largest=max(FRAME_SIZES), credentials=credentials)
    for each in found:
        if each.seconds is None:
            console.say(f"  {each.broker.format()}: no. {each.why}")
        else:
            console.say(f"  {each.broker.format()}: {1_000 * each.seconds:.0f} ms")
    # Sorted by the time of an answer; those that will not do come last.
    best = found[0]
    if best.seconds is None:
        raise UserError(
            f"No public broker will do now: try again, name others in {path}, or use --broker."
        )
    console.say(f"The table meets at {best.broker.format()}. {_HONEST}")
    return best.broker


async def lan_address(named: str, found: Sequence[OwnAddress], console: Console) -> str:
    """Return `named`, unless that is `ANY`; then the only address of `found`, or the one that the
    user chooses.

    Raises UserError if there is none, if nobody can choose, or if the answer is none of them.
    """
    # An address that was named is not looked for here: it may be that of a router or a tunnel.
    if named != ANY:
        return named
    if not found:
        raise UserError(
            "This machine has no address in a network: connect it, or name one with --lan ADDRESS."
        )
    if len(found) == 1:
        (only,) = found
        console.say(f"This machine's address in the network is {_told_words(only)}.")
        return only.address
    # Several networks, and nobody to ask: a guess would strand the friends.
    if not console.interactive:
        raise UserError(
            f"This machine has several addresses: {', '.join(map(_told_words, found))};"
            " name the one that the others reach with --lan ADDRESS."
        )
    console.say("This machine has several addresses:")
    for number, each in enumerate(found, start=1):
        console.say(f"  {number}  {_told_words(each)}")
    # Keys that were typed before the question are no answer to it.
    console.typed_before()
    said = (await ask_line(console, "Which of them do the others reach? [1]")).strip() or "1"
    for number, each in enumerate(found, start=1):
        if said in (f"{number}", each.address):
            return each.address
    raise UserError(f"The answer is a number from 1 to {len(found)}, or one of these addresses.")


def _told_words(each: OwnAddress) -> str:
    """Return an address with the name of its network interface, if that is known."""
    return f"{each.address} ({each.interface})" if each.interface else each.address
