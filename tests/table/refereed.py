"""Tables in memory whose charter names referees, and what the referees rule there."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from protocol.places import Lane, LedgerName
from protocol.table.events import Event, HandRuled, RefereeBlamed
from protocol.wire.charter import Charter
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedRuling, sign_ruling
from protocol.wire.referee import REFEREE, TOURNAMENT, TournamentMatch, referees_to_value
from protocol.wire.terms import Term
from tests.table.bus import Table, Weather
from tests.table.going_on import closed_rounds
from tests.table.seating import charter, signing_key
from tests.table.tiny_game import TinyGame

GAME = TinyGame(4, target=100)
REFEREES = tuple(signing_key(number, "referee") for number in range(2))
MATCH = TournamentMatch(bytes(range(32)), 3)


def refereed_charter(seats: int = 4, *, table: str = "refereed", referees: int = 1) -> Charter:
    """A charter of the usual seats whose table is under so many referees."""
    terms = (
        Term(REFEREE, referees_to_value(tuple(key.public for key in REFEREES[:referees]))),
        Term(TOURNAMENT, MATCH.to_value()),
    )
    fresh = charter(seats)
    return replace(fresh, table=charter(seats, table).table, terms=terms)


def refereed(
    seed: int = 3,
    *,
    game: TinyGame = GAME,
    weather: Weather | None = None,
    referees: int = 1,
    confirmed: bool = True,
) -> Table:
    """A table under referees whose seats have confirmed its charter."""
    agreed = refereed_charter(game.seats, referees=referees)
    table = Table(game, seed, weather, agreed=agreed)
    if confirmed:
        table.confirm()
    return table


def refereed_at(hand: int, rounds: int, *, referees: int = 1) -> Table:
    """The usual table under referees, after so many rounds of a hand."""
    return _refereed_at(hand, rounds, referees).twin()


@cache
def _refereed_at(hand: int, rounds: int, referees: int) -> Table:
    return played_to(refereed(referees=referees), hand, rounds)


def played_to(table: Table, hand: int, rounds: int) -> Table:
    """The table once all have closed so many rounds of a hand, and nothing is on its way."""
    table.run(lambda: all(closed_rounds(table, seat, hand) >= rounds for seat in range(4)))
    table.deliver_all()
    return table


def ruling_at(
    table: Table,
    hand: int,
    closed: int,
    verdict: RulingVerdict,
    *,
    against: int = 0,
    seat: int = 0,
    text: str = "so ruled",
    by: int = 0,
) -> SignedRuling:
    """What a referee signs of a point of a hand, as a seat has its history."""
    return signed_by(table.charter, point_of(table, hand, closed, verdict, against, seat, text), by)


def point_of(
    table: Table,
    hand: int,
    closed: int,
    verdict: RulingVerdict,
    against: int = 0,
    seat: int = 0,
    text: str = "so ruled",
) -> Ruling:
    """A ruling of a point of a hand, not signed."""
    found = table.sessions[seat].table_state.hand_of(hand)
    digest = bytes(found.ledger.digest_after(closed))
    return Ruling(hand, closed, digest, int(verdict), against, text)


def before_match(
    table: Table, verdict: RulingVerdict, against: int, *, setup: int = 0, by: int = 0
) -> SignedRuling:
    """What a referee signs of a match before its first hand."""
    table_state = table.sessions[0].table_state
    replica = table_state.replicas.get(LedgerName(Lane.TABLE, setup))
    assert replica.ledger.root is not None
    content = Ruling(
        table_state.first_hands[setup],
        0,
        bytes(replica.ledger.root),
        int(verdict),
        against,
        "so ruled",
    )
    return signed_by(table.charter, content, by)


def signed_by(
    agreed: Charter, content: Ruling, by: int = 0, key: SigningKey | None = None
) -> SignedRuling:
    """A ruling as a referee of the charter signs it."""
    return sign_ruling(agreed, content, key or REFEREES[by])


def tell(table: Table, ruling: SignedRuling, *seats: int) -> None:
    """Bring a ruling to these seats, or to all."""
    for seat in seats or range(len(table.chairs)):
        table.call(seat, lambda session: session.receive(ruling.raw, now=table.now))


def told(table: Table, kind: type[Event]) -> list[list[Event]]:
    """The events of a kind of each seat."""
    return [[each for each in chair.events if isinstance(each, kind)] for chair in table.chairs]


def ruled_hands(table: Table) -> list[list[int]]:
    """The hands that each seat saw ended by a ruling."""
    return [
        [each.ruling.content.hand for each in events if isinstance(each, HandRuled)]
        for events in told(table, HandRuled)
    ]


def blamed_referees(table: Table) -> list[RefereeBlamed]:
    """What each seat that stopped has against a referee."""
    return [
        each
        for events in told(table, RefereeBlamed)
        for each in events
        if isinstance(each, RefereeBlamed)
    ]
