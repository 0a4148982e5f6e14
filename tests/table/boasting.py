"""A peer that says it has come further than it has, among real sessions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.places import Lane
from protocol.seat.session import Session
from protocol.wire.contents import Heads
from protocol.wire.messages import Notice, open_message
from tests.table.bus import Chair, Table
from tests.table.seating import notice_of, seeded
from tests.table.tiny_game import TinyGame

LIAR = 2
US = 1


class Boasting(Table):
    """Seat 2 says in all its answers that it has come to round 4,096 of the hand."""

    boasts = False
    more = 0
    """How many rounds fewer it says each time, so that no two claims are alike."""

    def publish(self, seat: int, envelope: bytes) -> None:
        said = open_message(envelope, self.charter)
        if not (self.boasts and seat == LIAR and isinstance(said, Notice)
                and isinstance(said.content, Heads) and said.content.answer):  # fmt: skip
            super().publish(seat, envelope)
            return
        heads = tuple(
            replace(head, closed=4096 - self.more) if head.lane == Lane.HAND else head
            for head in said.content.heads
        )
        self.more += 1
        lie = replace(said, content=replace(said.content, heads=heads))
        super().publish(seat, notice_of(self.charter, LIAR, lie.to_bytes()))

    def restart_vouching(self, seat: int, vouched: frozenset[Seat]) -> None:
        chair = self.chairs[seat]
        session = Session.resume(
            chair.journal, entropy=seeded("vouch"), vouched=vouched, **self.arguments(seat)
        )
        self.chairs[seat] = Chair(session, list(chair.journal))
        self.handle(seat, session.tick(now=self.now))


def in_a_hand(kind: type[Table] = Boasting, game: AnyGame | None = None) -> Any:
    table = kind(TinyGame(3, target=100) if game is None else game, 4).begun()
    table.run(lambda: len(hand_of(table).rounds) > 3)
    return table


def hand_of(table: Table) -> Any:
    hand = table.sessions[0].table_state.hand
    return hand.ledger if hand is not None else type("None", (), {"rounds": ()})
