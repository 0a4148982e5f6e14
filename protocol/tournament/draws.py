"""The captains' draw: a table at which nothing is played, where captains and organiser draw luck.

Its ledger is the setup of a match: all confirm with a commitment to a share, then open the shares.
The organiser opens last, and names the messages with which the draw has ended. So whoever quits
does so before anybody can know what the luck will be, but for the organiser; and a draw that a
referee restarts without those who were absent costs them their place. Specified in
specs/tournament.md, 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from p2p304.seats import Seat
from protocol import labels
from protocol.cards.secrets import Secrets
from protocol.encoding import decode, digest
from protocol.errors import MalformedMessage, PeerFault
from protocol.places import Lane, LedgerName
from protocol.table.ledger import Fits, Origin
from protocol.table.replica import LedgerReplica
from protocol.table.setups import MatchSetup
from protocol.tournament.pieces import LineupChange, TeamEntry, TournamentCharter
from protocol.wire.charter import TABLE_BYTES, Charter, SeatEntry
from protocol.wire.contents import Confirmation, LuckOpening
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Message, SignedMessage, open_ledger_message, table_tag

GAME: Final = "tournament-draw"
LEDGER: Final = LedgerName(Lane.TABLE, 0)
ORIGIN: Final = Origin(LEDGER, (), Seat(0))
ROUNDS: Final = 2


@dataclass(frozen=True, slots=True)
class CaptainsDraw:
    """One draw: the entries that take part, in their order, and the id that it follows from, of
    the list or of the last restart.

    `before` are the ids of the list and the restarts that lead to it, the list's first.
    """

    follows: bytes
    entries: tuple[TeamEntry, ...]
    before: tuple[bytes, ...]
    charter: Charter

    @property
    def organiser(self) -> Seat:
        """The organiser's seat, behind the captains'."""
        return Seat(len(self.entries))

    @property
    def listed(self) -> bytes:
        """The id of the list of entries behind it."""
        return (*self.before, self.follows)[0]


@dataclass(frozen=True, slots=True)
class DrawState:
    """How far a draw has come; it is `settled` once the organiser has named all of its messages."""

    draw: CaptainsDraw
    replica: LedgerReplica[MatchSetup]
    settled: bool = False
    lineups: tuple[LineupChange, ...] = ()
    """Of a settled draw the changes that captain and reserve have signed, by match, then by id."""

    @property
    def luck(self) -> bytes | None:
        """The luck of the draw, once it is settled."""
        return self.replica.machine.luck if self.settled else None

    @property
    def head(self) -> bytes:
        """The digest of the draw's ledger as far as it goes."""
        return bytes(self.replica.ledger.head)

    @property
    def missing(self) -> tuple[Seat, ...]:
        """The seats that the open round waits for; the organiser's is the last one."""
        return self.replica.ledger.missing

    @property
    def opening(self) -> bool:
        """Whether all have confirmed, so that shares are opened."""
        return bool(self.replica.ledger.rounds)

    @property
    def complete(self) -> bool:
        """Whether everybody has opened a share."""
        return len(self.replica.ledger.rounds) == ROUNDS

    @property
    def all_captains_opened(self) -> bool:
        """Whether nothing but the organiser's share is missing, or nothing at all."""
        return self.complete or (self.opening and self.missing == (self.draw.organiser,))

    @property
    def messages(self) -> tuple[bytes, ...]:
        """The ids of the messages that make up this state, ascending."""
        ledger = self.replica.ledger
        closed = [each.id for one in ledger.rounds for each in one.messages]
        return tuple(sorted([*closed, *(each.id for each in ledger.accepted)]))


def draw_of(
    charter: TournamentCharter,
    follows: bytes,
    entries: tuple[TeamEntry, ...],
    before: tuple[bytes, ...] = (),
) -> CaptainsDraw:
    """Return the draw of these entries; `follows` is the id of the list or restart behind it, and
    `before` are those of the ones before that."""
    table = digest(labels.TOURNAMENT_DRAW, charter.digest, follows)[:TABLE_BYTES]
    captains = [entry.players[0].key for entry in entries]
    names = [f"captain {number}" for number in range(1, len(entries) + 1)]
    seats = tuple(
        SeatEntry(key, name, digest(labels.TOURNAMENT_NONCE, table, key.to_bytes()))
        for key, name in zip([*captains, charter.organiser], [*names, "organiser"], strict=True)
    )
    made = Charter(table, GAME, charter.digest.hex(), seats)
    return CaptainsDraw(follows, entries, before, made)


def state_of(draw: CaptainsDraw, said: Iterable[SignedMessage]) -> DrawState:
    """Return how far a draw has come by these messages of its ledger, in whatever order.

    Of several messages for one place and history the one with the lower id is looked at: such a
    draw can be restarted without who signed them, but for one that is settled already.
    """
    lowest: dict[object, SignedMessage] = {}
    for each in sorted(said, key=lambda one: one.id):
        lowest.setdefault(history_of(each), each)
    return DrawState(draw, _with(_with(_started(draw), lowest.values()), lowest.values()))


def history_of(said: SignedMessage) -> tuple[object, bytes]:
    """Return the place of a message, and the head that it continues.

    Whoever is shown two histories, since somebody else confirmed twice, opens its one share behind
    each and contradicts nothing.
    """
    return said.place, said.message.previous


def settled_state(
    draw: CaptainsDraw, said: Iterable[SignedMessage], messages: tuple[bytes, ...]
) -> DrawState | None:
    """Return the draw as it ended with the messages of these ids, None where it has not."""
    named = [each for each in said if each.id in messages]
    state = state_of(draw, named)
    if not state.complete or state.messages != messages:
        return None
    return DrawState(draw, state.replica, settled=True)


def contribution(state: DrawState, key: SigningKey) -> bytes | None:
    """Return what the owner of `key` says next in a draw, None if nothing is awaited of it.

    Its share follows from the key and from what the draw follows: who has lost all but its identity
    says the same again, and no two draws have a share in common. The organiser speaks when every
    captain has.
    """
    draw = state.draw
    seats = [Seat(seat) for seat, each in enumerate(draw.charter.seats) if each.key == key.public]
    if not seats or seats[0] not in state.missing:
        return None
    seat = seats[0]
    if seat == draw.organiser and state.missing != (seat,):
        return None
    context = state.replica.context(seat)
    content = state.replica.machine.contribute(context, Secrets(_seed(draw, key)))
    message = Message(table_tag(draw.charter.digest), context.place, context.previous, content)
    envelope = sign(
        key, message.to_bytes(), purpose=Purpose.LEDGER, seat=seat, charter=draw.charter.digest
    )
    return envelope.to_bytes()


def _seed(draw: CaptainsDraw, key: SigningKey) -> bytes:
    """Return 32 bytes that only the owner of a key can make, always the same for one draw: of a
    signature that nobody is shown."""
    signed = key.sign(labels.TOURNAMENT_SEED, draw.charter.digest, draw.follows)
    return digest(labels.TOURNAMENT_SHARE, signed)


def open_drawn(
    raw: bytes, draws: Mapping[bytes, CaptainsDraw]
) -> tuple[CaptainsDraw, SignedMessage]:
    """Return the message of one of these draws that is in a raw envelope, and which draw it is.

    `draws` are by the tags of their tables, of which a message names one. Raises MalformedMessage
    for anything else, also for what its author signed wrongly.
    """
    draw = draws.get(_tag_in(Envelope.from_bytes(raw, (Purpose.LEDGER,)).body))
    if draw is None:
        raise MalformedMessage("piece.draw", "a message of no draw that is known here")
    try:
        signed = open_ledger_message(raw, draw.charter)
    except PeerFault as fault:
        # A record refuses such bytes and convicts nobody by them.
        raise MalformedMessage(fault.check, "a captain signed what is no message") from None
    kinds = (Confirmation, LuckOpening)
    place, content = signed.place, signed.message.content
    if place.ledger != LEDGER or not isinstance(content, kinds[place.round : place.round + 1]):
        raise MalformedMessage("piece.draw", "a draw has confirmations, then shares, and no more")
    return draw, signed


def by_tag(draws: Iterable[CaptainsDraw]) -> Mapping[bytes, CaptainsDraw]:
    """Return draws by the tags of their tables."""
    return {table_tag(each.charter.digest): each for each in draws}


def _tag_in(body: bytes) -> bytes:
    """Return the table's tag that a message's body begins with, nothing for what is no message."""
    try:
        match decode(body):
            case (bytes(tag), *_):
                return tag
            case _:
                return b""
    except MalformedMessage:
        return b""


def _started(draw: CaptainsDraw) -> LedgerReplica[MatchSetup]:
    machine = MatchSetup(len(draw.charter.seats))
    return LedgerReplica.open(draw.charter, ORIGIN, machine)


def _with(
    replica: LedgerReplica[MatchSetup], messages: Iterable[SignedMessage]
) -> LedgerReplica[MatchSetup]:
    """Return the replica with those of the messages that fit and are right, closed if all are."""
    for each in messages:
        if isinstance(replica.offer(each), Fits):
            try:
                replica = replica.accept(each)
            except PeerFault:  # who opens another share than it fixed has not opened its share
                continue
    return replica.close()[0] if replica.complete else replica
