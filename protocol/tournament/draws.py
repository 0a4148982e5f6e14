"""The captains' draw: all captains and the organiser draw luck together (specs/tournament.md, 11).

It is a table at which nothing is played but the setup of a match. The organiser speaks last, so
that captains who stop have learned nothing of the luck.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.seats import Seat
from protocol import labels
from protocol.cards.secrets import Secrets
from protocol.encoding import decode, digest
from protocol.errors import MalformedMessage, PeerFault
from protocol.places import Lane, LedgerName, Place
from protocol.table.ledger import Fits, Origin
from protocol.table.replica import LedgerReplica
from protocol.table.setups import MatchSetup
from protocol.tournament.pieces import LineupChange, Piece, TeamEntry, TournamentCharter
from protocol.wire.charter import TABLE_BYTES, Charter, SeatEntry
from protocol.wire.contents import Confirmation, LuckOpening
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Message, SignedMessage, open_ledger_message, table_tag

# No game has this name, so that nobody can play at the table of a draw (11.1).
GAME: Final = "tournament-draw"
LEDGER: Final = LedgerName(Lane.TABLE, 0)
ORIGIN: Final = Origin(LEDGER, (), Seat(0))
KINDS: Final = (Confirmation, LuckOpening)
"""What is said in each round."""


@dataclass(frozen=True, slots=True)
class CaptainsDraw:
    """One draw of a tournament, the `cup`.

    `entries` take part, in their order. `follows` is the id of the list, or of the last restart,
    that it follows from; `before` are the ids of the list and restarts before that.
    """

    cup: TournamentCharter
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


class DrawMessage(NamedTuple):
    """A ledger message of a draw, as the content of a record's piece, and its draw."""

    draw: CaptainsDraw
    signed: SignedMessage

    @property
    def history(self) -> tuple[Place, bytes]:
        """The message's place and the head that it continues.

        A captain may open its one share behind two histories, if somebody else confirmed twice:
        that contradicts nothing.
        """
        return self.signed.place, self.signed.message.previous


@dataclass(frozen=True, slots=True)
class DrawState:
    """The state of a draw, `settled` once the organiser has named all of its messages.

    `lineups` are then the changes that captain and reserve have signed, by match and id.
    """

    draw: CaptainsDraw
    replica: LedgerReplica[MatchSetup]
    settled: bool = False
    lineups: tuple[LineupChange, ...] = ()

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
        return len(self.replica.ledger.rounds) == len(KINDS)

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
    """Return the draw of these entries that follows from the list or restart with the id `follows`.

    `before` are the ids of the list and restarts before it.
    """
    table = digest(labels.TOURNAMENT_DRAW, charter.digest, follows)[:TABLE_BYTES]
    people = {f"captain {number}": each.players[0].key for number, each in enumerate(entries, 1)}
    # Numbered nicknames (11.1): a team's name may be longer than a nickname is.
    seats = tuple(
        SeatEntry(key, name, digest(labels.TOURNAMENT_NONCE, table, key.to_bytes()))
        for name, key in {**people, "organiser": charter.organiser}.items()
    )
    made = Charter(table, GAME, charter.digest.hex(), seats)
    return CaptainsDraw(charter, follows, entries, before, made)


def state_of(
    draw: CaptainsDraw, said: Iterable[DrawMessage], named: tuple[bytes, ...] | None = None
) -> DrawState:
    """Return the state of a draw after these messages of it, in any order.

    It is settled if they are exactly those that the organiser `named`. Of several messages for one
    place and history the one with the lower id is taken.
    """
    lowest: dict[object, SignedMessage] = {}
    # By id, so that the order of arrival does not matter (11.6).
    for each in sorted(said, key=lambda one: one.signed.id):
        if named is None or each.signed.id in named:
            lowest.setdefault(each.history, each.signed)
    replica = LedgerReplica.open(draw.charter, ORIGIN, MatchSetup(len(draw.charter.seats)))
    # Twice: the second round opens when the first has closed.
    for _ in KINDS:
        replica = _with(replica, lowest.values())
    state = DrawState(draw, replica)
    # Exactly those that the organiser named, and no others (11.4).
    return DrawState(draw, replica, settled=state.complete and state.messages == named)


def contribution(state: DrawState, key: SigningKey) -> bytes | None:
    """Sign the next message of the owner of `key` in a draw; return None if none is awaited of it.

    The organiser speaks after every captain. The share follows from the key and from what the draw
    follows: after a loss of everything but the identity the same share comes out, and no two draws
    have one in common.
    """
    draw = state.draw
    seats = [Seat(seat) for seat, each in enumerate(draw.charter.seats) if each.key == key.public]
    # Not awaited: it has spoken, or has no seat here.
    if not seats or seats[0] not in state.missing:
        return None
    seat, charter = seats[0], draw.charter.digest
    # Last in both rounds, so that captains who stop have learned nothing (11.3).
    if seat == draw.organiser and state.missing != (seat,):
        return None
    # Only the owner of the key can make this signature, which nobody is shown.
    signed = key.sign(labels.TOURNAMENT_SEED, charter, draw.follows)
    context = state.replica.context(seat)
    secrets = Secrets(digest(labels.TOURNAMENT_SHARE, signed))
    content = state.replica.machine.contribute(context, secrets)
    body = Message(table_tag(charter), context.place, context.previous, content).to_bytes()
    return sign(key, body, purpose=Purpose.LEDGER, seat=seat, charter=charter).to_bytes()


def open_drawn(raw: bytes, draws: Mapping[bytes, CaptainsDraw]) -> Piece[DrawMessage]:
    """Return the piece in a raw envelope with a message of one of these draws.

    Raises MalformedMessage for anything else, and for a wrong message of a captain.

    Args:
        raw: any bytes.
        draws: by the tags of their tables.
    """
    # By the tag: hundreds of draws are possible, and a signature takes long to check.
    draw = draws.get(_tag_in(Envelope.from_bytes(raw, (Purpose.LEDGER,)).body))
    if draw is None:
        raise MalformedMessage("piece.draw", "a message of no draw that is known here")
    try:
        signed = open_ledger_message(raw, draw.charter)
    except PeerFault as fault:
        # A record refuses such bytes and convicts nobody by them.
        raise MalformedMessage(fault.check, "a captain signed what is no message") from None
    place, content = signed.place, signed.message.content
    # A slice: for another round it is empty, and nothing is an instance of it.
    if place.ledger != LEDGER or not isinstance(content, KINDS[place.round : place.round + 1]):
        raise MalformedMessage("piece.draw", "a draw has confirmations, then shares, and no more")
    key = draw.charter.seats[place.seat].key
    return Piece(DrawMessage(draw, signed), key, place.seat, signed.id, signed.id, raw)


def _tag_in(body: bytes) -> bytes:
    """Return the table's tag at the beginning of a message's body; empty for no message."""
    try:
        match decode(body):
            case (bytes(tag), *_):
                return tag
            case _:
                return b""
    # No message: it belongs to no draw, and is refused by the caller.
    except MalformedMessage:
        return b""


def _with(
    replica: LedgerReplica[MatchSetup], messages: Iterable[SignedMessage]
) -> LedgerReplica[MatchSetup]:
    """Return the replica with the messages that fit and are right, and with its round closed if
    all are there.
    """
    for each in messages:
        if isinstance(replica.ledger.offer(each), Fits):
            try:
                replica = replica.accept(each)
            except PeerFault:  # who opens another share than it fixed has not opened its share
                continue
    # Only when all have spoken; it may be called with messages of both rounds.
    return replica.close()[0] if replica.complete else replica
