"""The captains' draw (specs/tournament.md, 11), and the tables of its matches (12.1). All captains
and the organiser draw luck together, at a table at which nothing is played but the setup of a
match. Everybody computes the charters of all tables, so that nobody has to be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

from p2p304.seats import Seat
from p2p304.tournament.matches import Match
from protocol import labels
from protocol.cards.secrets import Secrets
from protocol.encoding import decode, digest
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.places import Lane, LedgerName, Place
from protocol.table.ledger import Fits, Origin
from protocol.table.replica import LedgerReplica
from protocol.table.setups import MatchSetup
from protocol.tournament.pieces import (
    LineupChange,
    Piece,
    TeamEntry,
    TeamPlayer,
    TournamentCharter,
)
from protocol.wire.charter import TABLE_BYTES, Charter, SeatEntry
from protocol.wire.contents import Confirmation, LuckOpening
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import SigningKey, derive_key
from protocol.wire.messages import Message, SignedMessage, open_ledger_message, table_tag
from protocol.wire.terms import REFEREE, TOURNAMENT, Term, TournamentMatch, referees_to_value

# No game has this name, so that nobody can play at the table of a draw (11.1).
GAME: Final = "tournament-draw"
# The one ledger of a draw: the setup of a match, which continues nothing (11.1).
ORIGIN: Final = Origin(LedgerName(Lane.TABLE, 0), (), Seat(0))
KINDS: Final = (Confirmation, LuckOpening)
"""What is said in each round."""


@dataclass(frozen=True, slots=True)
class CaptainsDraw:
    """One draw of a tournament, the `cup`, by `entries` in their order. `follows` is the id of the
    list, or of the last restart, that it follows from; `before` are the ids of the list and
    restarts before that."""

    cup: TournamentCharter
    follows: bytes
    entries: tuple[TeamEntry, ...]
    before: tuple[bytes, ...]
    charter: Charter
    """Of the table at which nothing but the draw is made (11.1)."""

    @property
    def organiser(self) -> Seat:
        """The organiser's seat, behind the captains'."""
        return Seat(len(self.entries))

    @property
    def list_id(self) -> bytes:
        """The id of the list of entries behind it."""
        return (*self.before, self.follows)[0]


class DrawMessage(NamedTuple):
    """A ledger message of a draw, as the content of a record's piece, and its draw."""

    draw: CaptainsDraw
    signed: SignedMessage

    @property
    def history(self) -> tuple[Place, bytes]:
        """The message's place and the head that it continues."""
        # A captain may open its one share behind two histories, if somebody else confirmed twice.
        return self.signed.place, self.signed.message.previous


@dataclass(frozen=True, slots=True)
class DrawState:
    """The state of a draw: ids of its `messages`, ascending, `head` of its ledger, `missing` seats.
    It is `opening` once all have confirmed, `complete` once all shares are open, and `settled`,
    with `luck`, once the organiser has named all of its messages. `lineups` are then the changes
    that captain and reserve have signed, by match and id."""

    draw: CaptainsDraw
    replica: LedgerReplica[MatchSetup]
    messages: tuple[bytes, ...]
    head: bytes
    missing: tuple[Seat, ...]
    opening: bool
    complete: bool
    settled: bool
    luck: bytes | None
    lineups: tuple[LineupChange, ...] = ()


def draw_of(
    charter: TournamentCharter,
    follows: bytes,
    entries: tuple[TeamEntry, ...],
    before: tuple[bytes, ...] = (),
) -> CaptainsDraw:
    """Return the draw of these entries. `follows` is the id of the list, or of the restart, from
    which it follows; `before` are the ids of the list and restarts before that, the list's
    first.
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
    """Return the state of a draw after these messages of it, in any order; with `named`, after
    those of them with these ids, and settled if just all of these complete it. Without `named` it
    is never settled.

    A message that does not fit or opens another share than was fixed is left out; of several for
    one place behind one head the lower id counts.
    """
    # Of several messages for one place and history the one with the lower id.
    lowest: dict[object, SignedMessage] = {}
    for each in sorted(said, key=lambda one: one.signed.id):
        if named is None or each.signed.id in named:
            lowest.setdefault(each.history, each.signed)
    replica = LedgerReplica.open(draw.charter, ORIGIN, MatchSetup(len(draw.charter.seats)))
    # The second round opens when the first has closed.
    for _ in KINDS:
        for signed in lowest.values():
            if isinstance(replica.ledger.offer(signed), Fits):
                # Who opens another share than it fixed has not opened its share.
                with suppress(PeerFault):
                    replica = replica.accept(signed)
        if replica.complete:
            # Without its events: nobody at this table is shown anything.
            replica = replica.close()[0]
    ledger = replica.ledger
    taken = (*(each for one in ledger.rounds for each in one.messages), *ledger.accepted)
    messages = tuple(sorted(each.id for each in taken))
    complete = len(ledger.rounds) == len(KINDS)
    settled = complete and messages == named
    return DrawState(
        draw,
        replica,
        messages,
        bytes(ledger.head),
        ledger.missing,
        opening=bool(ledger.rounds),
        complete=complete,
        settled=settled,
        luck=replica.machine.luck if settled else None,
    )


def contribution(state: DrawState, key: SigningKey) -> bytes | None:
    """Return the next message of the owner of `key` in a draw, signed: its confirmation or its
    share. None if none is awaited of it; of the organiser one is only when all captains have
    spoken.

    The share follows from the key and from what the draw follows, so that whoever lost all but its
    identity says the same again.
    """
    draw = state.draw
    seats = [Seat(seat) for seat, each in enumerate(draw.charter.seats) if each.key == key.public]
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


def open_draw_piece(raw: bytes, draws: Mapping[bytes, CaptainsDraw]) -> Piece[DrawMessage]:
    """Return the piece in `raw`, a signed message of one of these draws, which are given by the
    tags of their tables. Raises MalformedMessage: `piece.draw` for a message of none of them, or
    of another round or kind than a draw has, and others for what is not validly signed or does
    not decode.
    """
    # By the tag: hundreds of draws are possible, and a signature takes long to check.
    # b"", for no message, is no draw's tag.
    draw = draws.get(_tag_in(Envelope.from_bytes(raw, (Purpose.LEDGER,)).body))
    if draw is None:
        raise MalformedMessage("piece.draw", "a message of no draw that is known here")
    try:
        signed = open_ledger_message(raw, draw.charter)
    except PeerFault as fault:
        raise MalformedMessage(fault.check, "a captain signed what is no message") from None
    place, content = signed.place, signed.message.content
    # A slice: for another round it is empty, and nothing is an instance of it.
    if place.ledger != ORIGIN.ledger or not isinstance(
        content, KINDS[place.round : place.round + 1]
    ):
        raise MalformedMessage("piece.draw", "a draw has confirmations, then shares, and no more")
    key = draw.charter.seats[place.seat].key
    # The id is the name, too: a message names its seat, so that it has one signer.
    return Piece(DrawMessage(draw, signed), key, place.seat, signed.id, signed.id, raw)


def _tag_in(body: bytes) -> bytes:
    """Return the table's tag at the beginning of a message's body; empty for no message."""
    with suppress(MalformedMessage):
        match decode(body):
            case (bytes(tag), *_):
                return tag
    return b""


# --- tables of matches ----------------------------------------------------------------------------


def match_charter(state: DrawState, match: Match) -> Charter:
    """Return the charter of the table of a match in the present line-ups; raises LocalError while
    a side is not known, or nothing is drawn."""
    return match_charters(state, match)[0]


def match_charters(state: DrawState, match: Match) -> tuple[Charter, ...]:
    """Return the charters of all tables at which a match may be played, one for each pair of
    line-ups that both teams may have; that of the present line-ups first. Raises LocalError as
    `match_charter`.
    """
    if state.luck is None or not match.known:
        raise LocalError("a match has no table before both of its teams are known")
    charter, number = state.draw.cup, match.number.to_bytes(2, "big")
    # With the head of the draw: a match of a drawn-again tournament has another table.
    table = digest(labels.TOURNAMENT_TABLE, charter.digest, state.head, number)[:TABLE_BYTES]
    entries = {each.team: each for each in state.draw.entries}
    own = {each.key for team in match.teams for each in entries[team].signers}
    # Nobody rules at a table at which its own team plays (12.1).
    referees = tuple(key for key in charter.rulers if key not in own)
    tables = []
    for sides in product(*(_lineups(state, entries[team], match) for team in match.teams)):
        seats = tuple(
            SeatEntry(
                player.key,
                player.nickname,
                digest(labels.TOURNAMENT_NONCE, table, player.key.to_bytes(), player.nonce),
            )
            # One of each team in turn, so that partners sit opposite: seat 2k + s (12.1).
            for pair in zip(*sides, strict=True)
            for player in pair
        )
        terms = (Term(REFEREE, referees_to_value(referees)),) if referees else ()
        here = Term(TOURNAMENT, TournamentMatch(charter.digest, match.number).to_value())
        profile = charter.profile(match.race)
        tables.append(Charter(table, charter.game, profile, seats, (*terms, here)))
    return tuple(tables)


def _lineups(state: DrawState, entry: TeamEntry, match: Match) -> list[tuple[TeamPlayer, ...]]:
    """Return every line-up in which a team may sit: its players, and these with the reserve in
    the place of each one; first that which holds in this match by the signed changes.
    """
    own = entry.players
    found = [
        own,
        *((*own[:at], each, *own[at + 1 :]) for each in entry.reserves for at in range(len(own))),
    ]
    # Index of `found`: 0 is the entry's own line-up, 1 + place that with its one reserve there.
    now = 0
    for change in state.lineups:
        if change.captain == own[0].key and change.match <= match.number:
            # The last one that applies; they are in the order of matches, then ids (12.1).
            now = 1 + change.place
    return [found.pop(now), *found]


def seat_at(charter: Charter, key: bytes) -> Seat | None:
    """Return the seat of this public key at a table, None if it has none."""
    found = (Seat(seat) for seat, each in enumerate(charter.seats) if each.key.to_bytes() == key)
    return next(found, None)


def match_key(tournament_key: bytes, table: bytes) -> bytes:
    """Return the key under which the table of a match is sealed; `table` is the table's id."""
    return derive_key(tournament_key, labels.TOURNAMENT_KEY, table)
