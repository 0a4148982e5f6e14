"""What can still go wrong if the judged seat leads every trick: a bound, and a lead for the search.

A plan is an order of cards. If no other seat can possibly win a trick of it, by counting alone, it
is safe, and the search need not look. Otherwise each chance is a target that the search may try to
keep within reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from p2p304.rules304.bits import ABOVE, SUIT_BITS, SUIT_OF
from p2p304.rules304.hypotheses import EVERY_SUIT
from p2p304.rules304.position import OTHERS, OWN, PARTNER, Position


class Target(NamedTuple):
    """A card that the judged seat will lead, and a seat that might beat it."""

    beater: int
    card: int
    ruff: bool
    """Whether by a trump on a plain suit, not by a higher card of the suit."""


def natural_order(position: Position) -> tuple[int, ...]:
    """The own cards in the order that works most often: trumps, then suit by suit from the top."""
    own = position.own
    apart = position.indicator & own if position.hidden else 0
    order: list[int] = []
    for suit in (position.trump, *(suit for suit in range(4) if suit != position.trump)):
        cards = own & SUIT_BITS[suit] & ~apart
        while cards:
            top = 1 << (cards.bit_length() - 1)
            order.append(top)
            cards ^= top
    if apart:
        order.append(apart)
    return tuple(order)


def is_safe(position: Position, plan: Sequence[int]) -> bool:
    """Whether the seat, on lead, certainly wins every trick with the cards of `plan` in order.

    True is exact; False means that counting alone does not tell.
    """
    if position.maker == OWN:
        if not _leads_are_legal(position, plan):
            return False
    elif position.loose and position.rules.opens_after_first and len(plan) == position.rules.cards:
        return False
    return next(threats(position, plan), None) is None


def is_doomed(position: Position) -> bool:
    """Whether no order at all can be sure when the seat or its partner is to lead. True is exact.

    It looks for a plain suit of the seat's of which one opponent can be void, with more trumps than
    the seat can draw, while the partner holds a card of it. The opponent ruffs the suit as soon as
    it is led; the partner keeps its card, must follow, and if it ever gains the lead, leads it.
    """
    if position.maker == PARTNER and (position.hidden or position.armed):
        return False
    trump = position.trump
    drawn = (position.own & position.trumps).bit_count()
    for suit in range(4):
        cards = SUIT_BITS[suit]
        if suit == trump or not position.own & cards:
            continue
        partners: list[tuple[int, int]] = []
        unknown = position.unknown[PARTNER]
        if not position.known[PARTNER] & cards:
            if not (position.can_hold(PARTNER, suit) and position.pool & cards):
                continue
            partners = [(1, 1 << suit), (unknown - 1, EVERY_SUIT & ~position.excluded[PARTNER])]
        for place in (1, 3):
            if position.known[place] & cards:
                continue
            wanted = drawn + 1 - (position.known[place] & position.trumps).bit_count()
            if place == position.maker:
                wanted -= position.loose
            wanted = max(wanted, 0)
            unknown = position.unknown[place]
            if wanted and not position.can_hold(place, trump):
                continue
            if wanted > unknown or wanted > (position.pool & position.trumps).bit_count():
                continue
            plain = EVERY_SUIT & ~position.excluded[place] & ~(1 << suit)
            parts = {place: [(wanted, 1 << trump), (unknown - wanted, plain)]}
            if partners:
                parts[PARTNER] = partners
            if position.fits_with(parts):
                return True
    return False


def _leads_are_legal(position: Position, plan: Sequence[int]) -> bool:
    """Whether a maker may lead these cards in this order, whatever the others play."""
    indicator = position.indicator if position.hidden else 0
    last = len(plan) - 1
    first_trick = len(plan) == position.rules.cards
    if indicator and plan[last] != indicator:
        return False
    trumps = position.trumps & position.own & ~indicator
    trump_led = position.armed
    if trumps & plan[0] and last and position.first_lead_banned():
        return False
    for card in plan:
        if trumps & card:
            trumps ^= card
            trump_led = True
        elif trump_led and trumps and position.rules.exhausted:
            return False
        if first_trick and position.rules.opens_after_first:
            # Taken into the hand, the indicator is bound like any trump there (RULES 11.1, 11.2).
            trumps |= indicator & ~card
            indicator = 0
    return True


def threats(
    position: Position, plan: Sequence[int], pending: Sequence[int] = (), led: int = 0
) -> Iterator[Target]:
    """Every chance of another seat to win a trick of `plan`, as far as counting tells.

    The partner's chance to win the last trick is none. `pending` seats have yet to play to a
    trick of suit `led` before the plan begins.
    """
    own_leads = [0, 0, 0, 0]
    last = len(plan) - 1
    trump = position.trump
    for at, card in enumerate(plan):
        suit = SUIT_OF[card]
        for place in OTHERS:
            if place == PARTNER and at == last:
                continue
            earlier = own_leads[suit]
            trumps_led = own_leads[trump]
            before = at
            if place in pending:
                earlier += suit == led
                trumps_led += trump == led
                before += 1
            if may_beat(position, place, card, earlier, at == last):
                yield Target(place, card, False)
            elif suit != trump and may_ruff(position, place, suit, before, trumps_led):
                yield Target(place, card, True)
        own_leads[suit] += 1


def may_beat(position: Position, place: int, card: int, earlier: int, last: bool) -> bool:
    """Whether `place` can hold a higher card of the suit after following `earlier` leads of it."""
    suit = SUIT_OF[card]
    above = ABOVE[card]
    if last and position.loose and place == position.maker and suit == position.trump:
        return bool(position.pool & above)
    held = position.known[place] & SUIT_BITS[suit]
    wanted = earlier + 1 - held.bit_count()
    if not held & above:
        if not (position.pool & above and position.can_hold(place, suit)):
            return False
        wanted = max(wanted, 1)
    if wanted <= 0:
        return True
    unknown = position.unknown[place]
    if wanted > unknown or not position.can_hold(place, suit):
        return False
    if wanted > (position.pool & SUIT_BITS[suit]).bit_count():
        return False
    allowed = EVERY_SUIT & ~position.excluded[place]
    return position.fits_with({place: [(wanted, 1 << suit), (unknown - wanted, allowed)]})


def may_ruff(position: Position, place: int, suit: int, earlier: int, trumps_led: int) -> bool:
    """Whether `place` can be out of a plain suit and still hold a trump to play.

    It has played `earlier` cards before, `trumps_led` of them to leads of trump.
    """
    trump = position.trump
    unknown = position.unknown[place]
    spare = earlier - (position.known[place] & SUIT_BITS[suit]).bit_count()
    if position.loose and place == position.maker:
        wanted = 0
        if spare < 0:
            return False
    else:
        # Holding a trump still, it has followed every lead of trump.
        spare -= trumps_led
        if spare < 0:
            return False
        wanted = trumps_led + 1 - (position.known[place] & position.trumps).bit_count()
        if wanted > 0:
            if not position.can_hold(place, trump) or wanted > unknown:
                return False
            if wanted > (position.pool & position.trumps).bit_count():
                return False
        wanted = max(wanted, 0)
    allowed = EVERY_SUIT & ~position.excluded[place]
    spare = min(spare, unknown - wanted)
    parts = [(wanted, 1 << trump), (spare, allowed)]
    parts.append((unknown - wanted - spare, allowed & ~(1 << suit)))
    return position.fits_with({place: parts})
