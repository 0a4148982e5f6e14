"""Tables that go on with the match of another one, in memory: with a new key for who left."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from hashlib import sha256

from p2p304.seats import Seat
from protocol.table.standing import MatchStanding
from protocol.topics.commands import EndUnfinished
from protocol.transcript.auditor import Report, audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.continues import CONTINUES, Continues
from protocol.wire.identity import SigningKey
from protocol.wire.terms import Term
from tests.table.bus import Table
from tests.table.seating import charter, signing_key
from tests.table.tiny_game import TinyGame

GAME = TinyGame(4, target=100)
PRESENT = tuple(map(Seat, (0, 1, 2)))
GONE = 3


class NextTable(Table):
    """The table after another, whose seats stay under their keys but for `others`."""

    def __init__(self, agreed: Charter, others: dict[int, SigningKey], seed: int = 0) -> None:
        self.others = others
        super().__init__(GAME, seed, agreed=agreed)

    def key(self, seat: int) -> SigningKey:
        return self.others.get(seat, signing_key(seat))


@cache
def left_after(rounds: int, *, hands: int = 0, seed: int = 3) -> Table:
    """A table where those present ended a hand after so many rounds of it, without the last
    seat. It stays as it is."""
    table = played(rounds, hands=hands, seed=seed)
    for seat in PRESENT:
        table.act(seat, EndUnfinished(PRESENT))
    table.run(lambda: not table.flying)
    return table


def played(rounds: int, *, hands: int = 0, seed: int = 3) -> Table:
    """A table after so many whole hands and so many rounds of the next one."""
    return _played(rounds, hands, seed).twin()


@cache
def _played(rounds: int, hands: int, seed: int) -> Table:
    table = Table(GAME, seed).begun()
    table.run(lambda: all(closed_rounds(table, seat, hands) >= rounds for seat in range(4)))
    table.run(lambda: not table.flying)
    return table


def closed_rounds(table: Table, seat: int, hand: int) -> int:
    """How many rounds a seat has closed of a hand; -1 before it."""
    found = table.sessions[seat].table_state.hand_of(hand)
    return -1 if found is None else len(found.ledger.rounds)


def standing_of(table: Table, seat: int = 0) -> MatchStanding:
    """Where the match stands for a seat."""
    session = table.sessions[seat]
    found = session.table_state.standing(session.agreed_end())
    assert found is not None
    return found


def next_charter(
    before: Table,
    term: Continues | None = None,
    *,
    name: str = "next",
    others: dict[int, SigningKey] | None = None,
) -> Charter:
    """A charter that goes on with the match of a table, as it stands unless a term is given."""
    if term is None:
        stands = standing_of(before).going_on(PRESENT)
        term = stands._replace(bots=((Seat(GONE), Seat(0)),))
    keys = {GONE: newcomer(name)} if others is None else others
    fresh = charter(4, table=name)
    seats = tuple(
        SeatEntry(
            keys[seat].public if seat in keys else entry.key,
            entry.nickname,
            sha256(f"{name} {seat}".encode()).digest(),
        )
        for seat, entry in enumerate(before.charter.seats)
    )
    terms = (Term(CONTINUES, term.to_value()), *before.charter.kept_terms)
    return replace(fresh, profile=before.charter.profile, seats=seats, terms=terms)


def newcomer(name: str = "next") -> SigningKey:
    """The key of who takes the place of the seat that left."""
    return signing_key(GONE, f"newcomer {name}")


def goes_on(before: Table, name: str = "next", term: Continues | None = None) -> NextTable:
    """The next table, before anybody has confirmed its charter."""
    return NextTable(next_charter(before, term, name=name), {GONE: newcomer(name)})


@cache
def gone_on(before: Table, name: str = "next", term: Continues | None = None) -> NextTable:
    """The next table after a hand. It stays as it is."""
    return goes_on(before, name, term).played()


def file_of(table: Table, hand: int, seat: int = 0) -> bytes:
    """The transcript of a hand as a seat writes it."""
    session = table.sessions[seat]
    agreed = session.agreed_end()
    ended = bool(agreed) and agreed[0].content.hand == hand
    return hand_transcript(session.table_state, hand, agreed if ended else ())


def report_of(table: Table, hand: int, seat: int = 0) -> Report:
    """Its audit."""
    return audit_bytes(file_of(table, hand, seat), lambda _: GAME)
