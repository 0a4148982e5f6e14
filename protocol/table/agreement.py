"""The signed agreement of those present to end a hand that a seat has left for good (specs 5.6).

It ends the hand when every seat that it names has signed the same one, with a seat of every side
among them, for a point of the hand at which more than signatures was missing. It depends on that
point and those seats alone: nobody else can undo it, and one of them does by going on. A clock
never ends a hand: a broker could forge silence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from p2p304.seats import Seat
from protocol.places import Lane
from protocol.table.machine import Phase
from protocol.table.replica import AnyReplica, HandReplica
from protocol.wire.charter import Charter
from protocol.wire.contents import UnfinishedAgreement
from protocol.wire.messages import Agreement

FEWEST: Final = 2
"""Seats that can end a hand: nobody does alone."""
MOST_KEPT: Final = 4
"""How many agreements of one seat are kept: it may have named other seats before."""


def agreement_to_end(hand: HandReplica, present: Iterable[Seat]) -> UnfinishedAgreement:
    """Return what those present sign to end the hand where it stands now."""
    return UnfinishedAgreement(
        hand=hand.origin.ledger.number,
        closed=len(hand.ledger.rounds),
        digest=hand.ledger.head,
        present=sum(1 << seat for seat in set(present)),
    )


def with_agreement(
    known: tuple[Agreement, ...], said: Agreement, *, lasting: Collection[Agreement] = ()
) -> tuple[Agreement, ...]:
    """Return all that is known after one more: of each seat the MOST_KEPT latest, each once.

    Those that are `lasting` are kept however many come after them: else a seat that has ended a
    hand with others could undo that for some of them, by agreeing to a few more things.

    Args:
        known: in the order in which they came.
        said: one more, with a good signature; it may be about any hand.
        lasting: of those known, what is not to be forgotten.
    """
    if any(each[:2] == said[:2] for each in known):
        return known
    others = tuple(each for each in known if each.seat != said.seat)
    same = tuple(each for each in known if each.seat == said.seat)
    recent = same[1 - MOST_KEPT :]
    kept = tuple(each for each in same if each in recent or each in lasting)
    return (*others, *kept, said)


def present_in(content: UnfinishedAgreement, charter: Charter) -> tuple[Seat, ...]:
    """Return the seats of the table that an agreement names."""
    return tuple(Seat(seat) for seat in range(len(charter.seats)) if content.present >> seat & 1)


def agreement_of_all(hand: HandReplica, agreements: Iterable[Agreement]) -> tuple[Agreement, ...]:
    """Return the agreements that end `hand`, in seat order, of all who are named; none without all.

    Of several, the one that ends it soonest, so that all who know the same write the same file.
    """
    known = tuple(agreements)
    contents = {each.content for each in known}
    for content in sorted(contents, key=lambda each: (each.closed, each.present)):
        found = {each.seat: each for each in known if each.content == content}
        present = present_in(content, hand.charter)
        if set(present) <= set(found) and can_end(hand, content) and not goes_on(hand, content):
            return tuple(found[seat] for seat in present)
    return ()


def can_end(hand: HandReplica, content: UnfinishedAgreement) -> bool:
    """Tell whether an agreement ends this hand at its point, once all whom it names have said it.

    It does if the hand has come to that point with the same history and waits for more than
    signatures there, and if the agreement names two seats at least, one of every side among them.
    """
    if not is_about(hand, content) or lacks_only_signatures(hand, content.closed):
        return False
    present = present_in(content, hand.charter)
    return len(present) >= FEWEST and not sides_missing(hand, present, content.closed)


def lacks_only_signatures(hand: AnyReplica, closed: int) -> bool:
    """Tell whether only signatures of the result were missing after so many closed rounds."""
    return hand.machine.phase is Phase.SIGNING and closed == len(hand.ledger.rounds)


def sides_missing(hand: HandReplica, present: Collection[Seat], closed: int) -> tuple[Seat, ...]:
    """Return the seats of a side of which nobody is present, as the sides were after so many
    rounds.

    No seats if there is none, under any way in which the seats may be on sides. Of a point that is
    not reached yet, as the sides are now.
    """
    known = hand.machine.sides
    for sides in known[min(closed, len(known) - 1)]:
        for side in sides:
            if not set(side) & set(present):
                return tuple(side)
    return ()


def goes_on(hand: HandReplica, content: UnfinishedAgreement) -> bool:
    """Tell whether those whom an agreement names have gone on from its point.

    They have if they closed its round by themselves, or one of them signed in a later one. What
    others sign counts for nothing here, so that a seat that is gone undoes no agreement, and the
    order of arrival does not, either. Two who keep an early agreement back while they play could
    otherwise take back all that came after it.
    """
    ledger, closed = hand.ledger, content.closed
    if len(ledger.rounds) <= closed:
        return False
    present = set(present_in(content, hand.charter))
    closing = {each.place.seat for each in ledger.rounds[closed].messages}
    later = {each.place.seat for round_ in ledger.rounds[closed + 1 :] for each in round_.messages}
    later |= {each.place.seat for each in ledger.accepted}
    return closing <= present or not later.isdisjoint(present)


def proposes(hand: HandReplica | None, said: Agreement, present: tuple[Seat, ...]) -> bool:
    """Tell whether an agreement asks for something: its seat and others would end a hand, and what
    we know of that hand does not make it void.

    The hand may be one that we have not come to, or the agreement an old one that a broker repeats.
    """
    if said.seat not in present or len(present) < FEWEST:
        return False
    if hand is None or said.content.hand != hand.origin.ledger.number:
        return hand is None or not hand_is_over(hand, said.content)
    closed = said.content.closed
    return not (
        hand.settled or lacks_only_signatures(hand, closed) or sides_missing(hand, present, closed)
    )


def hand_is_over(hand: HandReplica, content: UnfinishedAgreement) -> bool:
    """Tell whether an agreement is about a hand that has all signatures; `hand` is the newest."""
    return content.hand < hand.origin.ledger.number + hand.settled


def ends_here(replica: AnyReplica, content: UnfinishedAgreement) -> bool:
    """Tell whether an agreement is about this ledger, a hand, as far as it goes: its closed rounds,
    and no message of the open one."""
    ledger = replica.ledger
    here = is_about(replica, content) and content.closed == len(ledger.rounds)
    return here and not ledger.accepted


def is_about(hand: AnyReplica, content: UnfinishedAgreement) -> bool:
    """Tell whether an agreement is about this hand, which has not ended, at a point of its
    history."""
    ledger = hand.ledger
    return (
        hand.origin.ledger.lane is Lane.HAND
        and content.present < 1 << len(hand.charter.seats)
        and content.hand == hand.origin.ledger.number
        and not hand.settled
        and content.closed <= len(ledger.rounds)
        and content.digest == ledger.digest_after(content.closed)
    )
