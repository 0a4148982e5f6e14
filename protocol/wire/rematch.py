"""Another match of the same people in other places: where it meets, and under which charter.

All of it follows from the table at which they sit and the match that is over, so that nobody has to
be asked or believed: every seat computes the same charter, and signs it as any other. Specified in
specs/05-hand.md, 5.7.
"""

from __future__ import annotations

from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import digest
from protocol.errors import LocalError
from protocol.wire.charter import TABLE_BYTES, Charter, SeatEntry
from protocol.wire.invite import TOKEN_BYTES


def moved_seats(seats: int, seating: int) -> tuple[Seat, ...]:
    """Return, for each place of the next match in order, the seat of this match that sits there.

    Seat 0 stays; place 1 goes to seat 1 + `seating`, the next places to the seats after it, and
    behind the last seat it goes on with seat 1. With 0 nobody moves. Raises LocalError unless 0 <=
    seating < seats-1.
    """
    # Seat 0 stays: if all moved on alike, everybody would keep the neighbours.
    first, *others = (Seat(seat) for seat in range(seats))
    if not 0 <= seating < len(others):
        raise LocalError(f"a table of {seats} has no seating {seating}")
    return (first, *others[seating:], *others[:seating])


def next_charter(charter: Charter, after: bytes, seating: int) -> Charter:
    """Return the charter of the next match: the same game, people, keys and kept terms at a new
    table, with new nonces.

    `after` is the head, 32 bytes, of the last hand of the finished match. Raises LocalError as
    `moved_seats` does, and for seating 0, which needs no other table.
    """
    places = moved_seats(len(charter.seats), seating)
    if seating == 0:
        raise LocalError("as they sit, they go on at this table")
    # Computed by every seat: nobody proposes a table, so nobody can propose another one
    # (attacks.md, CH25).
    made = digest(labels.REMATCH_TABLE, charter.digest, after, bytes((seating,)))
    table = made[:TABLE_BYTES]
    # A nonce is for one table. Derived from the old one, as nobody is asked for another.
    entries = (charter.seats[seat] for seat in places)
    seats = tuple(
        SeatEntry(each.key, each.nickname, digest(labels.REMATCH_NONCE, table, each.nonce))
        for each in entries
    )
    return Charter(table, charter.game, charter.profile, seats, charter.kept_terms)


def next_key(key: bytes, table: bytes) -> bytes:
    """Return the key, 32 bytes, of the new table with the id `table`, from the old table's
    `key`.
    """
    return digest(labels.REMATCH_KEY, key, table)


def next_token(token: bytes, table: bytes) -> bytes:
    """Return the token, 16 bytes, at the new table with the id `table`, of the player with
    `token` at the old one.
    """
    return digest(labels.REMATCH_TOKEN, token, table)[:TOKEN_BYTES]
