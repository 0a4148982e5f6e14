"""The signed agreement of those present to end a hand that a seat has left for good (specs 5.6).

It takes effect when all seats that it names have signed the same one, for a hand that stands, or
stood, where the agreement says, and that none of them has gone on with since. A clock never ends a
hand: a broker could forge silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from p2p304.seats import Seat
from protocol.charter import Charter
from protocol.contents import Lane, UnfinishedAgreement
from protocol.messages import Agreement

if TYPE_CHECKING:
    from protocol.docket import Docket

FEWEST: Final = 2
"""Seats that can end a hand: nobody does alone."""
MOST_KEPT: Final = 4
"""How many agreements of one seat are kept: it may have named other seats before."""


def agreement_to_end(hand: Docket[Any], present: Iterable[Seat]) -> UnfinishedAgreement:
    """What those present sign to end the hand where it stands now."""
    return UnfinishedAgreement(
        hand=hand.origin.ledger.number,
        closed=len(hand.ledger.rounds),
        digest=hand.ledger.head,
        present=sum(1 << seat for seat in set(present)),
    )


def with_agreement(known: tuple[Agreement, ...], said: Agreement) -> tuple[Agreement, ...]:
    """All that is known after one more: the latest of each seat, and each only once."""
    if any(each[:2] == said[:2] for each in known):
        return known
    others = tuple(each for each in known if each.seat != said.seat)
    same = tuple(each for each in known if each.seat == said.seat)
    return (*others, *same[1 - MOST_KEPT :], said)


def present_in(content: UnfinishedAgreement, charter: Charter) -> tuple[Seat, ...]:
    """The seats of the table that an agreement names."""
    return tuple(Seat(seat) for seat in range(len(charter.seats)) if content.present >> seat & 1)


def agreement_of_all(hand: Docket[Any], agreements: Iterable[Agreement]) -> tuple[Agreement, ...]:
    """The agreements of all who are present to end `hand`, in seat order; none without all."""
    known = tuple(agreements)
    for content in dict.fromkeys(each.content for each in known):
        found = {each.seat: each for each in known if each.content == content}
        present = present_in(content, hand.charter)
        if not (names(hand, content) and len(present) >= FEWEST and set(present) <= set(found)):
            continue
        if not _went_on(hand, content.closed, present):
            return tuple(found[seat] for seat in present)
    return ()


def _went_on(hand: Docket[Any], closed: int, present: Iterable[Seat]) -> bool:
    """Whether one of those present has signed in a later round than the one that was open.

    Who agrees signs nothing more. Two who keep an early agreement back while they play could
    otherwise take back all that came after it, a result that they do not like among it.
    """
    ledger = hand.ledger
    later = [each for round_ in ledger.rounds[closed + 1 :] for each in round_.messages]
    if len(ledger.rounds) > closed:
        later += ledger.accepted
    return not {each.place.seat for each in later}.isdisjoint(present)


def proposes(hand: Docket[Any] | None, said: Agreement, present: tuple[Seat, ...]) -> bool:
    """Whether a seat proposes to end a hand, with others, that is not over here; it may have come
    further than we. A broker can repeat what was said of another hand."""
    over = hand is not None and is_over(hand, said.content)
    return not over and said.seat in present and len(present) >= FEWEST


def is_over(hand: Docket[Any], content: UnfinishedAgreement) -> bool:
    """Whether an agreement is about a hand that has all signatures; `hand` is the newest."""
    return content.hand < hand.origin.ledger.number + hand.settled


def ends_here(docket: Docket[Any], content: UnfinishedAgreement) -> bool:
    """Whether an agreement is about this ledger, a hand, as far as it goes."""
    return names(docket, content) and content.closed == len(docket.ledger.rounds)


def names(hand: Docket[Any], content: UnfinishedAgreement) -> bool:
    """Whether an agreement is about this hand, which has not ended, at a point of its history."""
    ledger = hand.ledger
    return (
        hand.origin.ledger.lane is Lane.HAND
        and content.present < 1 << len(hand.charter.seats)
        and content.hand == hand.origin.ledger.number
        and not hand.settled
        and content.closed <= len(ledger.rounds)
        and content.digest == ledger.digest_after(content.closed)
    )
