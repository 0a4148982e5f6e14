"""Which machine interprets a ledger, from its origin: for play, for evidence and for audits; and
what a closed round of each tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from p2p304.game import AnyGame
from protocol.errors import LocalError
from protocol.ledger.deck_setup import DeckSetup
from protocol.ledger.events import Event, ResultReached, RoundClosed
from protocol.ledger.hand import HandPlay
from protocol.ledger.ledger import Ledger, Origin
from protocol.ledger.match_setup import MatchSetup
from protocol.ledger.phases import Phase
from protocol.ledger.replica import LedgerReplica
from protocol.places import Lane
from protocol.wire.charter import Charter

MatchReplica = LedgerReplica[MatchSetup]
DeckReplica = LedgerReplica[DeckSetup]
HandReplica = LedgerReplica[HandPlay]
AnyReplica = MatchReplica | DeckReplica | HandReplica


def open_ledger(
    charter: Charter,
    game: AnyGame,
    origin: Origin,
    *,
    deck: DeckReplica | None = None,
    waiting: Ledger | None = None,
) -> AnyReplica:
    """Open the replica of a ledger that starts at `origin`; a hand is played with its `deck`.

    `waiting` holds what came before the ledger started. Raises LocalError for a hand without a deck
    that is settled; whether the origin is right was judged before.
    """
    match origin.ledger.lane:
        case Lane.TABLE:
            setup = MatchSetup(game.seats, another=origin.ledger.number > 0)
            return LedgerReplica.open(charter, origin, setup, waiting=waiting)
        case Lane.DECK:
            preparing = DeckSetup(game.pack, game.seats, origin.leading)
            return LedgerReplica.open(charter, origin, preparing, waiting=waiting)
        case Lane.HAND:
            if deck is None or deck.machine.deck is None:
                raise LocalError("a hand is played with a settled deck")
            play = HandPlay.start(
                game,
                deal=origin.ledger.number,
                dealer=origin.leading,
                scores=origin.scores,
                deck=deck.machine.deck,
            )
            basis = (deck.prefix(),)
            return LedgerReplica.open(charter, origin, play, waiting=waiting, basis=basis)


def round_events(closed: AnyReplica, number: int, happened: Iterable[Event]) -> list[Event]:
    """Return what is told of the closed round of that number, in which this `happened`."""
    origin = closed.origin
    events: list[Event] = [RoundClosed(origin.ledger, number, closed.ledger.head), *happened]
    hand = as_hand(closed)
    if hand is not None and hand.machine.phase is Phase.SIGNING:
        events.append(ResultReached(origin.ledger.number, hand.machine.outcome))
    return events


def as_match(replica: AnyReplica | None) -> MatchReplica | None:
    """Return the replica if it is the setup of a match, else None."""
    found = replica is not None and isinstance(replica.machine, MatchSetup)
    return cast(MatchReplica, replica) if found else None


def as_deck(replica: AnyReplica | None) -> DeckReplica | None:
    """Return the replica if it is the setup of a deck, else None."""
    found = replica is not None and isinstance(replica.machine, DeckSetup)
    return cast(DeckReplica, replica) if found else None


def as_hand(replica: AnyReplica | None) -> HandReplica | None:
    """Return the replica if it is a hand, else None."""
    found = replica is not None and isinstance(replica.machine, HandPlay)
    return cast(HandReplica, replica) if found else None
