"""Going on with a match at another table, without a seat that left for good (specs 6.5, 7.11).

The seats that go on agree at their table. The founder seats the substitutes, makes the charter, and
sends it there. Then all sit down at the next table, under the same keys.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Final, NoReturn

from cli.invite import Invite
from cli.local.code_host import Vacancies
from cli.local.rematch import agreed_journal
from cli.local.sitting import (
    SeatOptions,
    credentials_for,
    new_setup,
    open_seat,
    way_to,
)
from cli.net.credentials import Credentials
from cli.net.transport import TransportError
from cli.seat.channel import SealedLine
from cli.seat.claiming import Keep, register_claims
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.setup import Founding, Setup
from cli.store.journal import Journal
from cli.store.paths import make_table_directory
from cli.tasks import first, never
from p2p304.seats import Seat
from protocol import labels
from protocol.errors import MalformedMessage
from protocol.table.standing import MatchStanding
from protocol.topics.substitute import seats_of
from protocol.wire import lobby
from protocol.wire.charter import MAX_SEATS, Charter, SeatEntry
from protocol.wire.contents import Continuation
from protocol.wire.identity import PublicKey, derive_key
from protocol.wire.invite import new_token
from protocol.wire.messages import open_envelope
from protocol.wire.registrar import Registrar
from protocol.wire.terms import Term


@dataclass(frozen=True, slots=True)
class Places:
    """How substitutes get seats: a function that starts a bot, which accepts the referees that
    we accept, and a context in which friends can come by a code or an invite.
    """

    bot: Callable[[Invite, Path, frozenset[PublicKey]], Awaitable[None]]
    friends: Callable[[Vacancies], AbstractAsyncContextManager[None]]
    # Filled during play: a code names the next table before all have agreed to it (attacks CO15).
    #: The tokens of tables to which friends have an invite already, by their ids.
    promised: dict[bytes, tuple[bytes, ...]] = field(default_factory=dict)


# A choice: time for a program that runs, while nobody else can come. Not for ever, as a friend's
# program may have died, and whoever overheard a code may never come (attacks CO15).
#: Seconds in which a friend who has an invite is expected; then others can come in its place.
PROMISED_FOR: Final = 5.0


def invite_after(old: Invite, table: bytes, token: bytes) -> Invite:
    """Return the invite of our seat at the next `table`, whose key follows from the old table's,
    with this token.
    """
    # Derived, so that whoever had the old key can come along, and nobody else (specs 6.5).
    key = derive_key(old.table_key, labels.CONTINUATION_KEY, table)
    return replace(old, table=table, table_key=key, token=token)


async def open_to_others(driver: SeatDriver, options: SeatOptions) -> None:
    """Connect a table that is in the memory of this process to a broker; do nothing for any other
    table.

    Raises BrokerError and TransportError if there can be none, and StoreError.
    """
    # Friends cannot come into a process: a broker must be there first.
    if options.memory is not None:
        address = await options.memory.open()
        founding = driver.setup.founding
        if founding is not None and founding.in_memory:
            founding = replace(founding, in_memory=False)
            invite = driver.setup.invite.at((address,))
            # Written at once: a resumption goes to the broker, too.
            await driver.keep(replace(driver.setup, invite=invite, founding=founding))


async def play_on(
    driver: SeatDriver,
    player: SeatPlayer,
    *,
    root: Path,
    options: SeatOptions,
    places: Places | None = None,
) -> None:
    """Run a seat; if its match goes on at another table, run our seat there too, and so on.
    `places` give seats to substitutes; without them we found no next table.
    """

    async def there() -> None:
        """Once all agree to go on, run our seat at the next table, and at those after it."""
        await driver.after_match.agreed.wait()
        founding = None
        # Resumed after the charter had come: there is nothing to found any more.
        if not driver.after_match.moved.is_set():
            founding = await _found_table(driver, root, options, places)
        if founding is None:
            # The others may be at the next table already, and tell us nothing here.
            await first(driver.after_match.moved.wait(), _find(driver, options))
        # The founder waits until its own ledger has the charter that it sent; the others are past
        # it.
        await driver.after_match.moved.wait()
        charter = driver.after_match.next_charter
        # `moved` is set only after the charter.
        assert charter is not None
        journal, after = _next_setup(root, driver.setup, charter, founding)
        # The old seat goes on answering those who do not know of the next table.
        await driver.leave_player()
        # Referees that the player has accepted here are not asked about again.
        named = replace(options, trusted=driver.options.trusted)
        sitting = open_seat(journal, after, player, root=root, options=named)
        async with sitting as following:
            driver.following = following
            # Recursive: a match may go on at a third table.
            await play_on(following, player, root=root, options=named, places=places)

    # `there` ends with the next table: until then the seat here answers who still asks.
    await first(driver.run(), there())


async def _find(driver: SeatDriver, options: SeatOptions) -> None:
    """Ask the seats of the next table for its charter, and go on under it, unless the founder
    has told it meanwhile.
    """
    session, setup = driver.session, driver.setup
    # Only after all agreed to go on, which the session has heard.
    assert session is not None
    found = session.going_on()
    assert found is not None
    content = found[0]
    charter = await charter_there(
        # A token of our own making: nothing is claimed with it, the charter has our seat.
        invite_after(setup.invite, content.table, new_token(secrets.token_bytes)),
        credentials_for(setup, options),
        options,
        seats=tuple(seat for seat in seats_of(content) if seat != setup.seat),
        founder=Seat(content.founder),
        right=session.goes_on_under,
    )
    # The founder may have told us at the old table meanwhile.
    if not driver.after_match.moved.is_set():
        driver.go_on_under(charter)


def _next_setup(
    root: Path, setup: Setup, charter: Charter, founding: Founding | None
) -> tuple[Journal, Setup]:
    """Write our seat at the next table, with its charter, to the disk; return its journal and
    setup.

    `founding` is given if we made the charter. They are the existing ones if we came as far before
    a crash.
    """
    before = setup.founding
    here = before is not None and before.broker_here
    if founding is None and here:  # whoever runs the broker runs it when this table is resumed
        # Drawn to fill the founding's field: the charter has all seats, so no token claims one.
        tokens = tuple(new_token(secrets.token_bytes) for _ in charter.seats)
        founding = Founding(charter.game, charter.profile, tokens)
    if founding is not None:
        in_memory = before is not None and before.in_memory
        founding = replace(founding, broker_here=here, in_memory=in_memory)
    entry = charter.seats[setup.seat]
    # A token of our own: nobody asks for it, since the charter has our seat.
    invite = invite_after(setup.invite, charter.table, new_token(secrets.token_bytes))
    file = Path(setup.credentials) if setup.credentials else None
    after = replace(
        # The nonce of the charter: it was agreed to at the old table.
        new_setup(invite, entry.nickname, credentials=file, founding=founding),
        nonce=entry.nonce,
    )
    # Under terms that are new: the charter is not confirmed yet.
    return agreed_journal(root, after, charter, confirmed=False)


async def _found_table(
    driver: SeatDriver,
    root: Path,
    options: SeatOptions,
    places: Places | None,
) -> Founding | None:
    """As the founder seat the substitutes by `places`, make the charter and send it; return the
    founding.

    Return None at every other seat, and without `places`.
    """
    session = driver.session
    # Only after all agreed to go on, which the session has heard.
    assert session is not None
    found = session.going_on()
    assert found is not None
    content, standing = found
    # Only the founder makes the charter, so that there is one.
    if content.founder != driver.setup.seat or places is None:
        return None
    seats, bots = session.charter.seats, dict(content.bots)
    # The seats that stay, and those that bots will have; the others are for friends.
    there = (*seats_of(content), *bots)
    free = tuple(Seat(seat) for seat in range(len(seats)) if seat not in there)
    if free:
        await open_to_others(driver, options)
    setup = driver.setup
    promised = places.promised.get(content.table)
    # Friends who have an invite already must find the same tokens.
    tokens = promised or tuple(new_token(secrets.token_bytes) for _ in seats)
    founding = Founding(standing.game, standing.profile, tokens)
    invite = invite_after(setup.invite, content.table, tokens[setup.seat])
    registrar = Registrar(
        table=content.table,
        game=standing.game,
        profile=standing.profile,
        tokens=tokens,
        terms=terms_of(content, standing),
        # Those who stay keep key, name and nonce: they claim nothing.
        seated={
            seat: SeatEntry(seats[seat].key, seats[seat].nickname, nonce)
            for seat, nonce in session.nonces().items()
        },
    )
    invites = tuple(
        replace(invite, seat=Seat(seat), token=token) for seat, token in enumerate(tokens)
    )
    directory = make_table_directory(root, content.table)
    # Bots first: they claim at once, friends may take long.
    for seat in bots:
        await places.bot(invites[seat], directory, driver.options.trusted)
    credentials = credentials_for(setup, options)
    vacancies = Vacancies(
        invites=invites,
        free=free,
        game=standing.game,
        profile=standing.profile,
        sitting=lambda: dict(registrar.board().names),
        credentials=credentials,
        broker_here=setup.founding is not None and setup.founding.broker_here,
    )
    # The charter is told at the old table first, where all who stay still listen.
    founded = _charter(registrar, invite, credentials, options, driver.tell_charter)

    async def friends() -> NoReturn:
        """Keep a code open for the vacant seats, once nobody is expected who has an invite."""
        await asyncio.sleep(PROMISED_FOR if promised else 0.0)
        async with places.friends(vacancies):
            await never()

    await (first(founded, friends()) if free else founded)
    return founding


async def _charter(
    registrar: Registrar, invite: Invite, credentials: Credentials, options: SeatOptions, keep: Keep
) -> Charter:
    """Answer claims at the next table until every seat is claimed, and return the charter, given
    to `keep` first.
    """

    async def tell(_names: dict[int, str], _seats: int) -> None:
        """Tell nobody: who keeps the code looks at the registrar's board."""

    async with way_to(invite, credentials, options) as transport:
        return await register_claims(registrar, SealedLine(invite, transport), keep=keep, tell=tell)


def terms_of(content: Continuation, standing: MatchStanding) -> tuple[Term, ...]:
    """Return the terms of the next table's charter: of the match as it stands, and of the seats
    that stay or are bots by `content`.
    """
    # The bots' seats are told apart: their keys are new.
    stay = tuple(seat for seat in seats_of(content) if seat in standing.keys)
    bots = tuple((Seat(seat), Seat(by)) for seat, by in content.bots)
    return standing.terms(standing.going_on(stay)._replace(bots=bots))


# Both are choices: the founder tells at the old table first, and answers cost its seats little.
ASKED_AFTER: Final = 3.0  #: Seconds that somebody at the old table has to tell us.

ASKED_AGAIN: Final = 1.0  #: Seconds between two questions, each to another seat.


async def charter_there(
    invite: Invite,
    credentials: Credentials,
    options: SeatOptions,
    *,
    seats: tuple[Seat, ...],
    founder: Seat,
    right: Callable[[Charter], bool],
) -> Charter:
    """Ask `seats` in turn for the charter of our `invite`'s table until one sends one that is
    `right` and under which the `founder` signed an envelope; return it. A lost broker is tried
    again.

    Anybody with the old table's key can send a charter here, but not one under which the founder
    signed.
    """
    while True:
        await asyncio.sleep(ASKED_AFTER)
        # The broker may be gone, the old table's seats are asked in the meantime.
        with suppress(TransportError):  # the seat at the old table tells of it
            # A connection of its own for each attempt.
            async with way_to(invite, credentials, options) as transport:
                line = SealedLine(invite, transport)
                # Anybody with the old key can send a board (attacks GO17).
                heard = accept_charter(line, founder, right)
                found = await first(heard, _ask(line, seats))
                if found is not None:
                    return found


async def _ask(line: SealedLine, seats: tuple[Seat, ...]) -> NoReturn:
    """Ask each seat in turn for the charter, for ever."""
    for seat in cycle(seats):
        # False: the charter is what we lack.
        await line.send(lobby.to_bytes(lobby.Inquiry(line.invite.table, seat, False)))
        # Lost questions are asked again, of the next seat: one may be gone.
        await asyncio.sleep(ASKED_AGAIN)
    # `cycle` of no seats would end at once.
    raise AssertionError("there is a founder")


async def accept_charter(
    line: SealedLine, founder: Seat, right: Callable[[Charter], bool]
) -> Charter | None:
    """Listen until a `right` charter has come and then the founder's signature under it, and
    return that charter; None when the connection has ended.
    """
    told: Charter | None = None
    async for frame in line.frames():
        payload = line.open(frame)
        # Strangers' bytes: whatever does not decode is passed over.
        with suppress(MalformedMessage):
            # Not sealed with the key of this table.
            if payload is None:
                continue
            if payload[:1] != lobby.PREFIX:
                # The founder's signature under the charter: only then is it the table's (specs
                # 7.11).
                if told is not None and open_envelope(payload, told).seat == founder:
                    return told
                continue
            # As many seats as any table has: `right` judges the charter.
            board = lobby.from_bytes(payload, seats=MAX_SEATS, table=line.invite.table)
            if isinstance(board, lobby.Board) and board.charter:
                charter = Charter.from_bytes(board.charter)
                # A later right charter replaces an earlier one that nobody signed.
                told = charter if right(charter) else told
    return None
