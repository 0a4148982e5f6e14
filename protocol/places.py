"""The names of the places that messages belong in: ledgers, their lanes and rounds, and seats."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple, NewType

from p2p304.seats import Seat

#: 32 bytes that stand for a whole history: of a ledger up to a closed round, or its root.
Digest = NewType("Digest", bytes)


class Lane(IntEnum):
    """The kinds of ledger. Lanes run side by side; within one, ledgers are numbered from 0."""

    # The numbers are those of the wire (specs 3.4); in their order ledgers are gone through.
    #: The setup of a match: confirmation of the charter, and the luck of the first dealer.
    TABLE = 0

    #: The preparation of one deck: keys and shuffles. May run while an earlier hand is played.
    DECK = 1

    #: One deal of cards, from the first share to the signed result, with the deck of its number.
    HAND = 2


class LedgerName(NamedTuple):
    """The name of a ledger of a table. Every new deal, a redeal too, has a number of its own."""

    lane: Lane
    number: int

    def __str__(self) -> str:
        """Return the name as text: the lane and the number, such as "hand 3"."""
        return f"{self.lane.name.lower()} {self.number}"


# Specs 5.8 pins both, a million in its no. 3 and a thousand in its no. 1: their product is a number
# of 32 bits, as every ledger's is.
#: How many numbers of ledgers there are before a ruling that stops a hand, and from each such
#: ruling to the next: what is played after it has places that nobody can have signed before.
EPOCH: Final = 1_000_000

#: How many rulings can stop a hand of a table: what follows the last one still has numbers.
MOST_EPOCHS: Final = 1_000


class Place(NamedTuple):
    """The place of a ledger message: ledger, round (from 0) and seat. A seat signs at most one
    message for a place.
    """

    ledger: LedgerName
    round: int
    seat: Seat
