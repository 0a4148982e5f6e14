"""Where the ledgers of a saved table may begin: what each continues, who leads it, at which scores.

In play the next ledger follows from the state of the table; an audit judges the origin that a file
states against the ledgers before it. A file may begin in the middle of a match: what it does not
hold cannot be judged, and stands by the word of the seats that signed it.
"""

from __future__ import annotations

from collections.abc import Mapping

from p2p304.game import AnyGame, MatchState
from p2p304.seats import seat_after
from protocol.errors import MalformedMessage
from protocol.places import EPOCH, Lane
from protocol.table.ledger import Origin
from protocol.table.replica import AnyReplica

Last = Mapping[Lane, AnyReplica]
"""The newest ended ledger of each lane."""


def check_origin(
    origin: Origin, last: Last, match: MatchState | None, game: AnyGame, *, over: bool
) -> MatchState | None:
    """Return the match that a ledger belongs to, if the file tells it; `match` is the one so far.

    `over` says whether the last hand of the file was the last one of its match, known or not.

    Raises MalformedMessage `match.dealer`, `match.scores`, `ledger.after`, `ledger.settled`,
    `transcript.order` or `transcript.missing`.
    """
    _require(origin.leading < game.seats, "match.dealer", "no such seat")
    hand = last.get(Lane.HAND)
    unsigned = hand is not None and not hand.settled
    _require(not unsigned, "ledger.settled", "a ledger after a hand without all signatures")
    match origin.ledger.lane:
        case Lane.TABLE:
            _check_table(origin, last, over=over)
        case Lane.DECK:
            _check_deck(origin, last, match, game, over=over)
        case Lane.HAND:
            return _check_hand(origin, last, match, over=over)
    return match


def _check_table(origin: Origin, last: Last, *, over: bool) -> None:
    hand, before = last.get(Lane.HAND), last.get(Lane.TABLE)
    first = not origin.ledger.number
    _require(origin.leading == 0 and not origin.scores, "match.dealer", "not an opening")
    _require(len(origin.after) == (0 if first else 1), "ledger.after", "of an opening")
    if before is not None:
        due = _due(before, last)
        _require(origin.ledger.number == due, "transcript.order", "setups in order")
        _require(over, "transcript.order", "a match was not over")
        follows = hand is not None and origin.after == (hand.head,)
        _require(follows, "ledger.after", "an opening after another hand")


def _check_deck(
    origin: Origin, last: Last, match: MatchState | None, game: AnyGame, *, over: bool
) -> None:
    table, before = last.get(Lane.TABLE), last.get(Lane.DECK)
    if table is None:
        raise MalformedMessage("transcript.missing", "a deck without the setup of its match")
    _require(not origin.scores, "match.scores", "a deck has none")
    _require(len(origin.after) == 1, "ledger.after", "a deck continues one ledger")
    number = origin.ledger.number
    if before is not None:
        due = _due(before, last)
        _require(number == due, "transcript.order", "decks in order")
        hand = last.get(Lane.HAND)
        if hand is not None and hand.ruling is not None:
            _require(not over, "transcript.order", "a deck of a match that is over")
            again = table.origin.after == (hand.head,)
            continued = table.head if again else hand.head
            _require(origin.after == (continued,), "ledger.after", "of a deck after a ruling")
            right = match is None or origin.leading == match.dealer
            _require(right, "match.dealer", "the last shuffler")
            return
        _require(origin.after == (before.ledger.head,), "ledger.after", "of a deck")
        if hand is not None:
            shuffler = seat_after(hand.origin.leading, seats=game.seats)
            _require(origin.leading == shuffler, "match.dealer", "the last shuffler")
    elif number == 0:
        if match is None:
            raise MalformedMessage("transcript.order", "the first deck after a match")
        _require(origin.after == (table.ledger.head,), "ledger.after", "of the first deck")
        _require(origin.leading == match.dealer, "match.dealer", "the last shuffler")


def _check_hand(
    origin: Origin, last: Last, match: MatchState | None, *, over: bool
) -> MatchState | None:
    table, deck, before = last.get(Lane.TABLE), last.get(Lane.DECK), last.get(Lane.HAND)
    number = origin.ledger.number
    if table is None or deck is None or deck.origin.ledger.number != number:
        raise MalformedMessage("transcript.missing", "a hand without its opening or its deck")
    _require(len(origin.after) == 2, "ledger.after", "a hand continues two ledgers")
    _require(origin.after[1] == deck.ledger.head, "ledger.after", "another deck")
    first = origin.after[0] == table.ledger.head
    if before is not None:
        due = _due(before, last)
        _require(number == due, "transcript.order", "hands in order")
        _require(not over, "transcript.order", "a hand of a match that is over")
        newer = table.origin.after == (before.head,)
        follows = first if newer else origin.after[0] == before.head
        _require(follows, "ledger.after", "another hand")
    elif not table.origin.ledger.number:
        _require(first is (number == 0), "ledger.after", "of the first hand")
    if match is None:
        return None
    # A match is as long as it was at its opening in how many sides have a score.
    _require(len(origin.scores) == len(match.scores), "match.scores", "another number of sides")
    if not first and before is None:
        return None  # earlier hands of the match are not here; the seats' word stands
    _require(origin.leading == match.dealer, "match.dealer", "the dealer")
    _require(origin.scores == tuple(match.scores), "match.scores", "before the hand")
    return match


def _due(before: AnyReplica, last: Last) -> int:
    """Return the number of the ledger after another of its lane: it begins anew after a ruling."""
    hand = last.get(Lane.HAND)
    rulings = 0 if hand is None else hand.origin.ledger.number // EPOCH
    if hand is not None and hand.ruling is not None:
        rulings += 1
    return max(before.origin.ledger.number + 1, rulings * EPOCH)


def _require(holds: bool, check: str, detail: str) -> None:
    if not holds:
        raise MalformedMessage(check, detail)
