"""Sitting down at a new table, with an invite, or at a stored table; with the transport."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from cli.errors import StoreError
from cli.invite import Invite
from cli.local.transcripts import JournalOnDisk, surroundings
from cli.net.address import BrokerAddress
from cli.net.credentials import NO_CREDENTIALS, Credentials, credentials_from_file
from cli.net.memory import MemoryBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.net.transport import Transport
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.presence import OwnPresence
from cli.seat.setup import Founding, JournalKind, PlayOptions, Setup, charter_in
from cli.seat.way_in import Connect, Vacancies, may_be_of_a_code
from cli.store.identity import IdentityStore
from cli.store.journal import FILE_NAME, Journal, JournalDamagedError, keep_damaged
from cli.store.paths import make_table_directory, table_directory
from p2p304.games import agreed_game, full_agreement
from p2p304.seats import Seat
from protocol.cards.secrets import SEED_BYTES
from protocol.entropy import Entropy
from protocol.wire.charter import NONCE_BYTES, TABLE_BYTES, Charter
from protocol.wire.code import topic_of
from protocol.wire.identity import FRAME_SIZES, KEY_BYTES
from protocol.wire.invite import new_token

# A convention of this program: the protocol ties a founder to no seat, but `cli/front/narrator.py`
# takes seat 0 for the host.
FOUNDER: Final = Seat(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOptions(PlayOptions):
    """The options of a seat, or a spectator, of this machine. `repr` shows no secret."""

    #: The brokers that the user named: our credentials may go there.
    brokers: tuple[BrokerAddress, ...] = ()
    credentials: Credentials | None = None  #: None: those of the setup's file, if it names one.
    #: Where they were read, and are read again when the table is resumed.
    credentials_file: Path | None = None
    login: bool = False  #: Whether they are asked for.
    #: Tells the broker of this process, if it runs one, the topic of each table we sit at, so that
    #: strangers who hold its connections lock out no seat.
    serve_first: Callable[[str], None] | None = None
    memory: MemoryBroker | None = None  #: Where our tables are, if they are in this process.


@dataclass(frozen=True, slots=True)
class NewTable:
    """A new table: its founding, an invite for each seat, and one to watch."""

    founding: Founding
    invites: tuple[Invite, ...]
    watch: Invite


def new_table(
    broker: BrokerAddress,
    game: str,
    agreement: str,
    entropy: Entropy = secrets.token_bytes,
    *,
    other_nodes: tuple[BrokerAddress, ...] = (),
) -> NewTable:
    """Draw the keys of a new table. Raises ProfileError for an unknown game, or an agreement that
    it cannot read.

    The charter will name every parameter of the game.

    Args:
        broker: where the table meets, which every invite names.
        agreement: the parameters as `p2p304.games.create_game` reads them.
        entropy: draws the table's id (16 bytes), its key (32) and a token for each seat (16).
        other_nodes: further addresses of the clustered broker.
    """
    # In full, since another version may have other defaults.
    full = full_agreement(game, agreement)
    played = agreed_game(game, full)
    table, key = entropy(TABLE_BYTES), entropy(KEY_BYTES)
    founding = Founding(game, full, tuple(new_token(entropy) for _ in range(played.seats)))
    # Without a token: whoever watches can claim no seat.
    watch = Invite(broker, table, key, other_nodes=other_nodes)
    return NewTable(founding, founding.invites(watch), watch)


def new_setup(
    invite: Invite,
    nickname: str,
    *,
    credentials: Path | None = None,
    founding: Founding | None = None,
    entropy: Entropy = secrets.token_bytes,
) -> Setup:
    """Draw the nonce and the seed of our seat at a table, and return its setup.

    Args:
        invite: for our seat, with its token.
        nickname: 1 to 32 characters, as `check_nickname` takes them.
        credentials: the file with the broker's credentials, read whenever we sit down.
        founding: the founder's own part, all tokens among it; None for other seats.
        entropy: draws 32 bytes each.
    """
    return Setup(
        invite=invite,
        nickname=nickname,
        nonce=entropy(NONCE_BYTES),
        seed=entropy(SEED_BYTES),
        # Absolute: resumed from another folder it must be found.
        credentials=str(credentials.resolve()) if credentials is not None else "",
        founding=founding,
    )


def vacancies_at(
    invite: Invite,
    founding: Founding,
    free: tuple[Seat, ...],
    sitting: Callable[[], Mapping[int, str]],
    credentials: Credentials,
    *,
    public: bool = False,
) -> Vacancies:
    """Return the `free` seats of the table of an `invite` and its `founding`, for its code.

    The code is kept at the table's broker. `sitting` returns who has a seat; a code at a `public`
    broker is found without naming one.
    """
    return Vacancies(
        invites=founding.invites(invite),
        free=free,
        founding=founding,
        sitting=sitting,
        connect=code_way(invite.nodes, credentials),
        nearby=partial(_nearby, invite.broker) if founding.broker_here else lambda: None,
        public=public,
    )


def code_way(nodes: Sequence[BrokerAddress], credentials: Credentials) -> Connect:
    """Return the function that makes transports to the topics of codes at a broker."""

    def connect(number: int) -> Transport:
        """Return the transport to the topic of a code's number, not open yet."""
        transport = MqttTransport(_mqtt_options(nodes, topic_of(number), credentials))
        transport.admit(may_be_of_a_code)
        return transport

    return connect


# zeroconf is imported with it: late, as it takes long, and few tables need it.
def _nearby(broker: BrokerAddress) -> Any:
    """Return the module for announcements in the local network; None if the address of our broker
    cannot be announced.
    """
    from cli.net import nearby

    return nearby if nearby.can_be_told(broker.host) else None


@contextmanager
def _kept_open(journal: Journal) -> Iterator[None]:
    """Close the journal, and so its lock, if the block fails, after a cancellation too: the next
    attempt would find it in use.
    """
    try:
        yield
    except BaseException:
        journal.close()
        raise


def keep_setup(root: Path, setup: Setup) -> Journal:
    """Create the journal of a table that is new to this machine, with this setup, and return it.

    The journal is open, locked and ours to close. Raises JournalError if this machine has a journal
    of the table, or the disk fails, and StoreError if its folder cannot be ours alone.
    """
    directory = make_table_directory(root, setup.invite.table)
    journal = Journal.create(directory, setup.invite.table)
    with _kept_open(journal):
        journal.append(JournalKind.SETUP, setup.to_bytes())
    return journal


def kept_setup(root: Path, table: bytes) -> tuple[Journal, Setup]:
    """Open the journal of a stored table; return it and its latest setup.

    Raises StoreError. A damaged journal is copied first, and the error names the copy.
    """
    try:
        journal = Journal.open(table_directory(root, table), table)
    except JournalDamagedError as error:
        # Copied before anything repairs it.
        try:
            told = f"A copy of it as it is now is in {keep_damaged(error.path)}."
        except OSError as trouble:
            told = f"No copy of it could be made: {trouble.strerror or trouble}."
        raise StoreError(f"{error} {told}") from error
    with _kept_open(journal):
        kept = _setup_in(journal)
        if kept is None:
            raise StoreError("The journal of this table is empty: join again with the invite.")
    return journal, kept


def _setup_in(journal: Journal) -> Setup | None:
    """Return the latest setup in a journal; None if it holds none yet."""
    kept = [record.payload for record in journal.records() if record.kind == JournalKind.SETUP]
    # The latest: a seat may have moved to another broker.
    return Setup.from_bytes(kept[-1]) if kept else None


def _opened(root: Path, table: bytes) -> tuple[Journal, Setup | None, bool]:
    """Open the journal of a table, or create it; return it, its latest setup, and whether it has
    the table's charter. Raises StoreError.
    """
    directory = make_table_directory(root, table)
    there = (directory / FILE_NAME).exists()
    journal = Journal.open(directory, table) if there else Journal.create(directory, table)
    with _kept_open(journal):
        return journal, _setup_in(journal), charter_in(journal.records())[0] is not None


def take_place(
    root: Path, wanted: Setup, *, named: tuple[BrokerAddress, ...] = ()
) -> tuple[Journal, Setup]:
    """Return the journal and the setup of the wanted seat: new, or stored since the invite's first
    use.

    An invite for another broker moves the seat there, without the credentials that were given for
    the old one, unless the user `named` it; a file of credentials that is wanted replaces the
    stored one. Before there is a charter, another seat or nickname replaces the stored one. Raises
    StoreError if we sit in another seat already, or the journal cannot be used.
    """
    journal, kept, sits = _opened(root, wanted.invite.table)
    with _kept_open(journal):
        # None: it is new, or a crash came between the file and its first record.
        latest = wanted if kept is None else _latest(kept, wanted, named, sits=sits)
        if latest != kept:
            journal.append(JournalKind.SETUP, latest.to_bytes())
    return journal, latest


def _latest(kept: Setup, wanted: Setup, named: tuple[BrokerAddress, ...], *, sits: bool) -> Setup:
    """Return the setup that takes the place of the `kept` one once this one is `wanted`; `sits`
    tells that there is a charter. Raises StoreError if we sit in another seat already.
    """
    invite, latest = wanted.invite, kept
    # Whoever went on from another table has a token of its own making, and claims no seat.
    # An invite of another seat, or with another token, is another place to claim.
    if kept.invite.seat != invite.seat or (kept.invite.token != invite.token and not sits):
        # With a charter a seat in play is not left.
        if sits:
            raise StoreError(
                "You have another seat at this table already: 'p2p304 resume' goes on in it."
            )
        latest = wanted
    elif kept.invite.nodes != invite.nodes:
        latest = move_setup(kept, invite.nodes)
        meant = {each.host for each in (*kept.invite.nodes, *named)}
        # An invite is a stranger's text: our password does not follow it to another host.
        if not meant.issuperset(each.host for each in invite.nodes):
            latest = replace(latest, credentials="")
    # With a charter the name is signed.
    return replace(
        latest,
        nickname=latest.nickname if sits else wanted.nickname,
        credentials=wanted.credentials or latest.credentials,
    )


def agreed_journal(
    root: Path, setup: Setup, charter: Charter, *, confirmed: bool = True
) -> tuple[Journal, Setup]:
    """Return the journal of a table whose charter is known before anybody sits down, and our setup
    there, with the nickname and the nonce of the charter. Unless `confirmed`, the player is still
    asked for its agreement.

    Nobody claims a seat there: so all come who go on, to a rematch or elsewhere, and to a match of
    a tournament. They are the existing ones if we came as far before a crash. Raises StoreError.
    The setup is written last: without it nobody resumes as if there were no charter, but the table
    before.
    """
    entry = charter.seats[setup.seat]
    setup = replace(setup, nickname=entry.nickname, nonce=entry.nonce)
    journal, kept, sits = _opened(root, charter.table)
    with _kept_open(journal):
        if kept is not None and sits:
            return journal, kept
        # Again, too, after a crash between these: the latest of a kind counts.
        journal.append(JournalKind.CHARTER, charter.to_bytes())
        if confirmed:  # all agreed to this charter with the rematch, or with their entry
            journal.append(JournalKind.CONFIRMED, b"")
        journal.append(JournalKind.SETUP, setup.to_bytes())
    return journal, setup


def way_to(
    invite: Invite,
    credentials: Credentials,
    options: SeatOptions,
    will: Callable[[], bytes] | None = None,
) -> Transport:
    """Return the transport to an invite's table, not open yet: in the memory of this process, or
    like `transport_for`, with the same `will`.
    """
    if options.memory is not None:
        return options.memory.transport(invite.topic)  # a broker in this process ends with it
    return transport_for(invite, credentials, will)


def transport_for(
    invite: Invite,
    credentials: Credentials = NO_CREDENTIALS,
    will: Callable[[], bytes] | None = None,
) -> Transport:
    """Return the transport to the invite's broker, not open yet.

    `will` makes the frame that the broker publishes if it loses a connection. Seats begin with
    different nodes of a cluster, so that a node's end affects few. Raises CredentialsError if the
    credentials are not meant for a host of the invite.
    """
    # Before the first byte: a password goes to no host that the user has not named.
    credentials.check_hosts(invite.nodes)
    # The seat's number picks the first node: seats spread over a cluster. A spectator, without one,
    # begins as seat 0 does.
    first = (invite.seat or 0) % len(invite.nodes)
    nodes = invite.nodes[first:] + invite.nodes[:first]
    return MqttTransport(_mqtt_options(nodes, invite.topic, credentials, will))


def _mqtt_options(
    nodes: Sequence[BrokerAddress],
    topic: str,
    credentials: Credentials,
    will: Callable[[], bytes] | None = None,
) -> MqttOptions:
    """Return the options of a transport of ours to a topic at the nodes of a broker."""
    return MqttOptions(
        tuple(nodes),
        topic,
        credentials=credentials,
        largest_frame=max(FRAME_SIZES),
        will=will,
    )


def credentials_for(setup: Setup, options: SeatOptions) -> Credentials:
    """Return the credentials for a table's broker: the given ones, or those in the setup's file, or
    none without both.

    Given ones may go, at a table that we joined, to the brokers that the user named alone; else all
    may go to the invite's. Raises CredentialsError if the file cannot be used.
    """
    given, file = options.credentials, setup.credentials
    if given is None:
        given = credentials_from_file(Path(file)) if file else NO_CREDENTIALS
    # Joined by invite: its broker is the host's text, so only brokers that we named count.
    elif setup.founding is None:
        return given.with_hosts(options.brokers)
    # The founder named the broker, or agreed to it when the file was stored.
    return given.with_hosts(setup.invite.nodes)


@asynccontextmanager
async def open_seat(
    journal: Journal,
    setup: Setup,
    player: SeatPlayer,
    *,
    root: Path,
    options: SeatOptions,
) -> AsyncIterator[SeatDriver]:
    """Yield the driver of our seat with its transport open; both, and the journal, end with the
    block.

    Our credentials may go to brokers that the user named, and to those of tables that we founded.
    Raises TransportError if no broker can be reached, CredentialsError and IdentityError for files
    that cannot be used.
    """
    # The journal last: it is closed, and unlocked, after the transport.
    with journal:
        if options.serve_first is not None:
            # Before we connect: strangers may hold all connections of the broker.
            options.serve_first(setup.invite.topic)
        credentials = credentials_for(setup, options)
        key = IdentityStore(root).key(secrets.token_bytes)
        # One for all connections: each asks it for a will of its own.
        own = OwnPresence(setup, key)
        way = way_to(setup.invite, credentials, options, own.will)
        async with way as transport:
            yield SeatDriver(
                journal=JournalOnDisk(journal),
                setup=setup,
                key=key,
                transport=transport,
                player=player,
                around=surroundings(table_directory(root, setup.invite.table)),
                options=options,
                own=own,
            )


def move_setup(setup: Setup, nodes: Sequence[BrokerAddress]) -> Setup:
    """Return the setup of the same seat with `nodes` as the broker's addresses, a broker that
    this process does not run.
    """
    founding = setup.founding
    if founding is not None:
        # The new broker is not of this process, as far as we know.
        founding = replace(founding, broker_here=False, in_memory=False)
    return replace(setup, invite=setup.invite.at(nodes), founding=founding)
