"""The captains' draw: a table at which nothing is played, where captains and organiser draw luck.

Its ledger is the setup of a match: all confirm with a commitment to a share, then open the shares.
The organiser opens last. So whoever quits does so before anybody can know what the luck will be,
but for the organiser; and a draw that a referee restarts without those who were absent costs them
their place. Specified in specs/tournament.md, 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final

from p2p304.seats import Seat
from protocol import labels
from protocol.cards.secrets import Secrets
from protocol.encoding import decode
from protocol.errors import MalformedMessage, PeerFault
from protocol.hashing import digest
from protocol.places import Lane, LedgerName
from protocol.table.ledger import Fits, Origin, round_digest
from protocol.table.replica import LedgerReplica
from protocol.table.setups import MatchSetup, luck_commitment
from protocol.tournament.pieces import TeamEntry, TournamentCharter
from protocol.wire.authenticate import open_ledger_message
from protocol.wire.charter import TABLE_BYTES, Charter, SeatEntry
from protocol.wire.contents import Confirmation, LuckOpening
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Message, SignedMessage, table_tag

GAME: Final = "tournament-draw"
LEDGER: Final = LedgerName(Lane.TABLE, 0)
ORIGIN: Final = Origin(LEDGER, (), Seat(0))
MOST_READINGS: Final = 4_096
"""Ways to read a draw in which captains signed two things; each doubles their number."""
MOST_HEADS: Final = 4
"""Heads that openings name of which we look for the confirmations, those with most seats first."""


@dataclass(frozen=True, slots=True)
class CaptainsDraw:
    """One draw: the entries that take part, in their order, and the id that it follows from.

    `restarts` is how many draws were given up before it.
    """

    follows: bytes
    entries: tuple[TeamEntry, ...]
    restarts: int
    charter: Charter

    @property
    def organiser(self) -> Seat:
        """The organiser's seat, behind the captains'."""
        return Seat(len(self.entries))


@dataclass(frozen=True, slots=True)
class DrawState:
    """How far a draw has come. `head` and `luck` are there once everybody has opened a share."""

    draw: CaptainsDraw
    replica: LedgerReplica[MatchSetup]

    @property
    def luck(self) -> bytes | None:
        """The luck of the draw, once it is settled."""
        return self.replica.machine.luck

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


def draw_of(
    charter: TournamentCharter, follows: bytes, entries: tuple[TeamEntry, ...], restarts: int
) -> CaptainsDraw:
    """Return the draw of these entries; `follows` is the id of the list or restart behind it."""
    table = digest(labels.TOURNAMENT_DRAW, charter.digest, follows)[:TABLE_BYTES]
    captains = [entry.players[0].key for entry in entries]
    names = [f"captain {number}" for number in range(1, len(entries) + 1)]
    seats = tuple(
        SeatEntry(key, name, digest(labels.TOURNAMENT_NONCE, table, key.to_bytes()))
        for key, name in zip([*captains, charter.organiser], [*names, "organiser"], strict=True)
    )
    made = Charter(table, GAME, charter.digest.hex(), seats)
    return CaptainsDraw(follows, entries, restarts, made)


def state_of(draw: CaptainsDraw, said: Iterable[SignedMessage]) -> DrawState:
    """Return how far a draw has come by these messages of its ledger, in whatever order.

    Where somebody signed two things for one place the openings name the confirmations that they
    follow: most openings decide, so that what all have finished cannot be undone, and nobody opens
    its share twice. Before any opening, the message with the lower id counts.
    """
    confirming: dict[Seat, list[SignedMessage]] = {}
    opening: dict[bytes, list[SignedMessage]] = {}
    for each in sorted(said, key=lambda one: one.id):
        if each.place.round:
            opening.setdefault(bytes(each.message.previous), []).append(each)
        else:
            confirming.setdefault(each.place.seat, []).append(each)
    started = _started(draw)
    if len(confirming) == len(draw.charter.seats):
        for previous, openings in sorted(opening.items(), key=_most_seats)[:MOST_HEADS]:
            chosen = _confirmations(draw, confirming, openings, previous)
            if chosen is not None:
                return DrawState(draw, _with(_with(started, chosen), openings))
    return DrawState(draw, _with(started, (found[0] for found in confirming.values())))


def _most_seats(named: tuple[bytes, list[SignedMessage]]) -> tuple[int, bytes]:
    previous, openings = named
    return -len({each.place.seat for each in openings}), previous


def _confirmations(
    draw: CaptainsDraw,
    confirming: Mapping[Seat, list[SignedMessage]],
    openings: list[SignedMessage],
    previous: bytes,
) -> tuple[SignedMessage, ...] | None:
    """Return one confirmation of each seat, where together they have the digest `previous`.

    Of who has opened a share only those are tried that fix that share.
    """
    rows = [
        _fixing(draw, confirming[seat], [each for each in openings if each.place.seat == seat])
        for seat in sorted(confirming)
    ]
    if prod(map(len, rows)) > MOST_READINGS:
        return None
    root = _started(draw).ledger.head
    return next((each for each in product(*rows) if round_digest(root, 0, each) == previous), None)


def _fixing(
    draw: CaptainsDraw, confirmed: list[SignedMessage], openings: list[SignedMessage]
) -> list[SignedMessage]:
    """Return the confirmations of a seat to one of its openings; all, if it has opened nothing."""
    seat = confirmed[0].place.seat
    fixed = {
        luck_commitment(draw.charter.digest, LEDGER.number, seat, each.message.content.luck)
        for each in openings
        if isinstance(each.message.content, LuckOpening)
    }
    fitting = [
        each
        for each in confirmed
        if isinstance(each.message.content, Confirmation)
        and each.message.content.luck_commitment in fixed
    ]
    return fitting or confirmed


def contribution(
    state: DrawState, key: SigningKey, seed: bytes, *, may_confirm: bool = True
) -> bytes | None:
    """Return what the owner of `key` says next in a draw, None if nothing is awaited of it.

    `seed` are 32 bytes that it keeps for the tournament; the share of each draw follows from them,
    so that who asks twice says the same, and no two draws have a share in common. The organiser
    speaks when every captain has.
    """
    charter = state.draw.charter
    seats = [Seat(seat) for seat, each in enumerate(charter.seats) if each.key == key.public]
    if not seats or seats[0] not in state.missing:
        return None
    seat = seats[0]
    if seat == state.draw.organiser and state.missing != (seat,):
        return None
    if not state.opening and not may_confirm:
        return None
    context = state.replica.context(seat)
    secrets = Secrets(digest(labels.TOURNAMENT_SEED, seed, charter.digest))
    content = state.replica.machine.contribute(context, secrets)
    message = Message(table_tag(charter.digest), context.place, context.previous, content)
    envelope = sign(
        key, message.to_bytes(), purpose=Purpose.LEDGER, seat=seat, charter=charter.digest
    )
    return envelope.to_bytes()


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
