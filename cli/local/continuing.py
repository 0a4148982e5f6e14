"""Going on at another table, under the same keys: another match in other seats (specs 5.7), and a
match without a seat that left for good (6.5, 7.11).

For another match every seat computes the charter. Without a seat the others agree at their table;
the founder seats the substitutes by the way in, makes the charter, and sends it there. Then all sit
down at the next table.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from cli.bounds import ASKED_AFTER, PROMISED_FOR
from cli.invite import Invite
from cli.local.bot_processes import Bot, bot_home, homes_at
from cli.local.sitting import (
    SeatOptions,
    agreed_journal,
    credentials_for,
    open_seat,
    vacancies_at,
    way_to,
)
from cli.net.transport import TransportError
from cli.seat.channel import SealedLine
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.setup import Founding, Setup
from cli.seat.way_in import Vacancies, charter_there, register_claims
from cli.store.identity import IdentityStore
from cli.store.paths import make_private_directory, make_table_directory, table_directory
from cli.tasks import first, never
from p2p304.seats import Seat
from protocol import labels
from protocol.cards.secrets import SEED_BYTES
from protocol.entropy import Entropy
from protocol.table.standing import MatchStanding
from protocol.topics.substitute import seats_of
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Continuation
from protocol.wire.identity import PublicKey, derive_key
from protocol.wire.invite import new_token
from protocol.wire.lobby import Registrar
from protocol.wire.rematch import moved_seats, next_charter, next_key, next_token
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
        tokens: tuple[bytes, ...] = ()
        # Resumed after the charter had come: there is nothing to found any more.
        if not driver.after_match.moved.is_set():
            tokens = await _found_table(driver, root, options, places)
        if not tokens:
            # The others may be at the next table already, and tell us nothing here.
            await first(driver.after_match.moved.wait(), _find(driver, options))
        # The founder waits until its own ledger has the charter that it sent; the others are past
        # it.
        await driver.after_match.moved.wait()
        charter = driver.after_match.next_charter
        # `moved` is set only after the charter.
        assert charter is not None
        setup, founding = driver.setup, None
        # Whoever runs the broker runs it when this table is resumed.
        if not tokens and setup.founding is not None and setup.founding.broker_here:
            # Drawn to fill the founding's field: the charter has all seats, so no token claims one.
            tokens = tuple(new_token(secrets.token_bytes) for _ in charter.seats)
        if tokens:  # anew: the table may have been opened to others meanwhile
            founding = _founding(setup, charter.game, charter.profile, tokens)
        # A token of our own: nobody asks for it, since the charter has our seat.
        invite = invite_after(setup.invite, charter.table, new_token(secrets.token_bytes))
        seed = secrets.token_bytes(SEED_BYTES)  # new randomness for the cards
        after = replace(setup, invite=invite, seed=seed, founding=founding)
        # Under terms that are new: the charter is not confirmed yet.
        journal, after = agreed_journal(root, after, charter, confirmed=False)
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


def _founding(setup: Setup, game: str, profile: str, tokens: tuple[bytes, ...]) -> Founding:
    """Return the founding of the next table, whose broker runs where that of our table runs."""
    before = setup.founding or Founding(game, profile, tokens)
    return replace(before, game=game, profile=profile, tokens=tokens)


async def _find(driver: SeatDriver, options: SeatOptions) -> None:
    """Ask the seats of the next table for its charter, and go on under it, unless the founder
    has told it meanwhile. A lost broker is tried again.
    """
    session, setup = driver.session, driver.setup
    # Only after all agreed to go on, which the session has heard.
    assert session is not None
    found = session.going_on()
    assert found is not None
    content = found[0]
    # A token of our own making: nothing is claimed with it, the charter has our seat.
    invite = invite_after(setup.invite, content.table, new_token(secrets.token_bytes))
    while True:
        await asyncio.sleep(ASKED_AFTER)
        # The broker may be gone; the seat at the old table tells of it, and is told there, too.
        with suppress(TransportError):
            # A connection of its own for each attempt.
            async with way_to(invite, credentials_for(setup, options), options) as transport:
                charter = await charter_there(
                    SealedLine(invite, transport),
                    seats=tuple(seat for seat in seats_of(content) if seat != setup.seat),
                    founder=Seat(content.founder),
                    right=session.goes_on_under,
                )
                # The founder may have told us at the old table meanwhile.
                if not driver.after_match.moved.is_set():
                    driver.go_on_under(charter)
                return


def next_setup(
    setup: Setup, charter: Charter, after: bytes, seating: int, entropy: Entropy
) -> tuple[Setup, Charter]:
    """Return our setup at the table of another match, and its charter. Only our seed is drawn
    anew, by `entropy`; all else follows from the old table.

    `after` is the head of the last hand of the match that is over; `seating` is the one on which
    all agreed.
    """
    following = next_charter(charter, after, seating)
    places = moved_seats(len(charter.seats), seating)
    table, old, founding = following.table, setup.invite, setup.founding
    # A seat's invite has a token; only one to watch has none.
    assert old.token is not None
    if founding is not None:
        tokens = tuple(next_token(founding.tokens[each], table) for each in places)
        founding = replace(founding, tokens=tokens)
    invite = replace(
        old,
        table=table,
        # Derived alike at all seats: no invite has to be sent (specs 5.7).
        table_key=next_key(old.table_key, table),
        # The seating says who moves where; our key finds its new place.
        seat=Seat(places.index(setup.seat)),
        token=next_token(old.token, table),
    )
    return replace(setup, invite=invite, seed=entropy(SEED_BYTES), founding=founding), following


def next_bots(
    root: Path, old: Charter, new: Setup, charter: Charter, seating: int, entropy: Entropy
) -> tuple[Bot, ...]:
    """Return our bots at the table of the `old` charter for the new one and its `charter`, in the
    order of their old seats, with their keys in new homes. Raises StoreError.

    They move by the `seating`.
    """
    now = make_table_directory(root, charter.table)
    places = moved_seats(len(charter.seats), seating)
    found = []
    for was, before in sorted(homes_at(table_directory(root, old.table), old).items()):
        seat = Seat(places.index(was))
        home = make_private_directory(bot_home(now, seat))
        # The same key: the charter names it.
        IdentityStore(before).copy_key(home)
        # The token is only a field: nobody claims a seat that the charter has.
        invite = replace(new.invite, seat=seat)
        setup = replace(new, invite=invite, seed=entropy(SEED_BYTES), founding=None)
        journal, setup = agreed_journal(home, setup, charter)
        journal.close()  # the bot's process opens it
        found.append(Bot(setup, home))
    return tuple(found)


async def _found_table(
    driver: SeatDriver,
    root: Path,
    options: SeatOptions,
    places: Places | None,
) -> tuple[bytes, ...]:
    """As the founder seat the substitutes by `places`, make the charter and send it; return the
    tokens of all seats.

    Return none at every other seat, and without `places`.
    """
    session = driver.session
    # Only after all agreed to go on, which the session has heard.
    assert session is not None
    found = session.going_on()
    assert found is not None
    content, standing = found
    # Only the founder makes the charter, so that there is one.
    if content.founder != driver.setup.seat or places is None:
        return ()
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
    vacancies = vacancies_at(
        invite,
        _founding(setup, standing.game, standing.profile, tokens),
        free,
        lambda: dict(registrar.board().names),
        credentials_for(setup, options),
    )
    directory = make_table_directory(root, content.table)
    # Bots first: they claim at once, friends may take long.
    for seat in bots:
        await places.bot(vacancies.invites[seat], directory, driver.options.trusted)

    async def founded() -> None:
        """Answer claims at the next table until every seat is claimed."""
        async with way_to(invite, credentials_for(setup, options), options) as transport:
            line = SealedLine(invite, transport)
            # The charter is told at the old table first, where all who stay still listen. Nobody is
            # told the names: who keeps the code looks at the registrar's board.
            await register_claims(registrar, line, keep=driver.tell_charter)

    async def friends() -> NoReturn:
        """Keep a code open for the vacant seats, once nobody is expected who has an invite."""
        await asyncio.sleep(PROMISED_FOR if promised else 0.0)
        async with places.friends(vacancies):
            await never()

    await (first(founded(), friends()) if free else founded())
    return tokens


def terms_of(content: Continuation, standing: MatchStanding) -> tuple[Term, ...]:
    """Return the terms of the next table's charter: of the match as it stands, and of the seats
    that stay or are bots by `content`.
    """
    # The bots' seats are told apart: their keys are new.
    stay = tuple(seat for seat in seats_of(content) if seat in standing.keys)
    bots = tuple((Seat(seat), Seat(by)) for seat, by in content.bots)
    return standing.terms(standing.going_on(stay)._replace(bots=bots))
