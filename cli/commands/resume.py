"""`p2p304 resume`: goes on at a table after a crash, or after its player left."""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import click

from cli.commands.display import Screen, screen_options
from cli.commands.lobby import open_lobby
from cli.commands.opponents import Opponents, opponents_options
from cli.commands.options import argument, complete_table, gather_options, option
from cli.commands.screen import (
    console_for,
    player_for,
    seat_invites,
)
from cli.commands.seating import (
    allow_hosts,
    run_command,
    seat_options,
    with_credentials,
)
from cli.commands.table_series import TableSeries
from cli.errors import UserError
from cli.front.narrator import RISK, parse_vouched_seats
from cli.lines.console import Console
from cli.local.bot_processes import Bot, bot_home, filled_seats, homes_at, name_among_people
from cli.local.records import table_to_resume
from cli.local.sitting import (
    SeatOptions,
    kept_setup,
    move_setup,
    new_setup,
    open_seat,
)
from cli.net import public
from cli.net.broker import EmbeddedBroker
from cli.net.memory import MemoryBroker
from cli.seat.bots import AnswerMoment, BotSeat
from cli.seat.player import SeatPlayer
from cli.seat.setup import JournalKind, charter_in
from cli.store.hands import SHORT
from cli.store.paths import home, table_directory
from cli.workers import Thinker
from p2p304.seats import Seat
from protocol.bounds import MAX_SEATS
from protocol.wire.charter import Charter
from protocol.wire.identity import FRAME_SIZES


@dataclass(frozen=True, slots=True, kw_only=True)
class Resuming:
    """The options of `p2p304 resume`: the table, and whether and how a bot plays on."""

    table: str | None = argument(required=False, shell_complete=complete_table)
    vouching: tuple[str, ...] = option(
        "--vouch",
        multiple=True,
        metavar="SEAT",
        help="Sign although SEAT claims to have messages of yours that it does not send.",
    )
    bot: bool = option("--bot", is_flag=True, help="Let a bot play on in your seat.")


@click.command("resume")
@gather_options("resuming", Resuming)
@seat_options("Meet at another broker from now on; every player must name it.", agrees=True)
@opponents_options
@screen_options
def command(resuming: Resuming, options: SeatOptions, screen: Screen, opponents: Opponents) -> int:
    """Go on with an unfinished table where it was, also after a crash and days later.

    TABLE is the beginning of a name that 'p2p304 tables' shows; by default the unfinished table
    that was used last. Name it if there are several and you give --broker, --bot, --vouch or
    --credentials, which change the table. At the host, its broker and its bots start again, too.

    \b
    Examples:
      p2p304 resume                          the unfinished table used last
      p2p304 resume 3f2a                     the table whose name begins so
      p2p304 resume --broker mqtts://broker.example.org
                                             when the old broker has gone
      p2p304 resume --bot                    a bot plays on for you
    """
    return run_command(_resume(resuming, with_credentials(options), screen, opponents))


async def _resume(
    resuming: Resuming, options: SeatOptions, screen: Screen, opponents: Opponents
) -> None:
    """Sit down again at the chosen table, with its broker if that ran here and with its bots, and
    play until the seat leaves.

    Under --bot a bot decides for us. Another --broker or --credentials is written to the journal,
    once the broker has answered. Raises UserError if no single table is meant.
    """
    root, file, brokers = home(), options.credentials_file, options.brokers
    # Whoever changes a table names it: a guess might change another one.
    changing = bool(brokers or resuming.vouching) or file is not None or resuming.bot
    table = table_to_resume(root, resuming.table, guess=not changing)
    journal, setup = kept_setup(root, table)
    console = console_for(screen)
    async with AsyncExitStack() as stack:
        # `open_seat` closes it, too; here for whatever fails before that.
        stack.enter_context(journal)
        agreed, confirmed = charter_in(journal.records())
        if agreed is not None and confirmed:  # the bots of this table accept whom we accepted
            options = replace(options, trusted=options.trusted | {*agreed.referees})
        vouched = _vouched_seats(console, agreed, resuming.vouching, setup.seat)
        # Told to the journal only below, once the new broker has answered.
        latest = move_setup(setup, brokers) if brokers else setup
        if file is not None:
            # Absolute: the next resume may begin in another folder.
            latest = replace(latest, credentials=str(file.resolve()))
        invite = latest.invite
        # We founded it, and know its broker: only who was invited asks where a password goes.
        if latest.founding is None:
            options = await allow_hosts(options, invite.nodes, console)
        # Its bots sit in this process again, and so its broker is here again, too.
        elif latest.founding.in_memory:
            memory = await stack.enter_async_context(MemoryBroker(largest_frame=max(FRAME_SIZES)))
            options = replace(options, memory=memory)
        # On the same port, or the others' invites would lead nowhere.
        elif latest.founding.broker_here:
            broker = EmbeddedBroker(invite.broker.host, invite.broker.port)
            # Our broker serves who knows the table's topic before strangers (attacks MQ27).
            options = replace(options, serve_first=broker.serve_first)
            await stack.enter_async_context(broker)
        seat = latest.seat
        directory = table_directory(root, table)
        # Seats whose bots have files here, the charter known or not.
        homes = {each: bot_home(directory, each) for each in filled_seats(directory)}
        if agreed is not None:
            homes |= homes_at(directory, agreed)
        # In the order of seats, in which levels are given to bots.
        seats = tuple(sorted(homes))
        founding = latest.founding
        person = None
        alone = False
        if not resuming.bot:
            # All other seats are bots of ours.
            alone = founding is not None and len(seats) == len(founding.tokens) - 1
            person = player_for(screen, console, latest, options, root=root, alone=alone)
        # Its process starts at the first question, which a person's seat never asks.
        thinker = stack.enter_context(Thinker())
        player: SeatPlayer = person or BotSeat(
            # 63 bits: chance for decisions alone, no key depends on it.
            secrets.randbelow(1 << 63),
            # One bot: of several levels the first counts.
            level=opponents.levels[0],
            # Without time to think it searches in a thread here: no process is started for that.
            thinker=thinker if opponents.think else None,
            moment=AnswerMoment(opponents.think),
        )
        # `vouched` for this table alone: the claims that it overrides were made here.
        sitting = open_seat(
            journal, latest, player, root=root, options=replace(options, vouched=vouched)
        )
        driver = await stack.enter_async_context(sitting)
        if latest != setup:  # the broker has answered: an address with a mistake would be kept
            journal.append(JournalKind.SETUP, latest.to_bytes())
        called = latest.place(agreed)
        console.say(f"Table {table.hex()[:SHORT]}: you are {called}, {latest.meeting_place}.")
        # A table whose match went on leads to the one where it is now.
        if not table.hex().startswith((resuming.table or "").lower()):
            console.say("The match of the table that you named went on at this table.")
        if resuming.table is None:
            console.say("It is the unfinished table used last; 'p2p304 tables' lists all.")
        # Before a charter the seats that nobody claimed can be offered again.
        if agreed is None and founding is not None and person is not None:
            free = tuple(
                each
                for each in map(Seat, range(len(founding.tokens)))
                if each not in (seat, *seats)
            )
            # A code that seats nobody would be a promise: a table of bots offers none.
            if free:
                console.say("The charter waits for all seats: some have not sat down yet.")
                # A program that reads the output cannot press a key for them.
                if not console.interactive:
                    console.say(*seat_invites(founding.invites(invite), free))
                # With a new code: the old one was in the memory of the process that died.
                # At a public broker it is found without naming one.
                known = invite.broker in public.public_brokers(root)
                lobby = open_lobby(console, driver, person, options, free, public=known)
                stack.push_async_callback(lobby.close)
        series = TableSeries(root, console, screen, options, alone=alone, opponents=opponents)
        # The bots of this table vouch for the same seats: they are told, not asked.
        told = tuple(word for name in resuming.vouching for word in ("--vouch", name))
        # Where another seat founded, our bots have the charter already: no token is asked for.
        invites = (
            tuple(replace(latest.invite, seat=Seat(each)) for each in range(MAX_SEATS))
            if founding is None
            else founding.invites(invite)
        )
        sitting_down = []
        for each in seats:
            # Its nickname in the charter; before that the one that it gets in this seat.
            name = agreed.seats[each].nickname if agreed else name_among_people(each)
            sitting_down.append(Bot(new_setup(invites[each], name), homes[each], told))
        filling = await series.fill(driver, player, stack, sitting_down)
        await series.play(driver, player, filling)


def _vouched_seats(
    console: Console, charter: Charter | None, names: tuple[str, ...], own: Seat
) -> frozenset[Seat]:
    """Return the seats in `names` whose open claims the player disregards (specs 7.5); none for no
    names.

    The player is told the risk, and at a terminal must agree; without one, --vouch itself is the
    consent. Raises UserError if the player declines, for our `own` seat, for a name that is no
    seat, and for a table without a charter.
    """
    if not names:
        return frozenset()
    if charter is None:
        raise UserError("This table has no charter yet, so nothing was signed: leave --vouch out.")
    seats = parse_vouched_seats(charter, names, own)
    console.say(f"{RISK} The same holds for your bots at this table.")
    # A script has said so by giving --vouch.
    # It blocks the event loop, in which nothing else runs yet.
    if console.interactive and not click.confirm("Sign all the same?"):
        raise UserError(
            "Nothing was signed: 'p2p304 resume' without --vouch waits for the messages."
        )
    return seats
