"""The leads of an order, one after the other, judged by counting alone."""

from __future__ import annotations

from collections.abc import Sequence

from p2p304.rules304.bits import SUIT_BITS, SUIT_OF
from p2p304.rules304.caps.bounds import can_take, ways_to_take
from p2p304.rules304.caps.position import NOTHING_LED, OWN, SUIT_NUMBERS, Led, Position


def leads_fail(position: Position, plan: Sequence[int]) -> tuple[bool | None, bool]:
    """Tell whether the cards of `plan`, led in order, can fail, None if counting cannot tell; and
    whether a partner may come to lead."""
    mate_leads = False
    cards = position.own.bit_count()
    if position.loose and position.rules.opens_after_first and cards == position.rules.cards:
        return None, mate_leads
    led = NOTHING_LED
    for at, card in enumerate(plan):
        suit = SUIT_OF[card]
        takers = [mate for mate in position.mates if can_take(position, mate, suit, card, led)]
        if any(
            can_take(position, place, suit, card, _added(position.led[place], led))
            for place in position.opponents
        ):
            return (None if takers else True), mate_leads
        mate_leads |= bool(takers)
        if takers and at + 1 < len(plan):
            rest = position.own & ~sum(plan[: at + 1])
            only = len(takers) == 1  # of several one may have to take what another would
            misled = only and _misled(position, takers[0], card, plan[at + 1], rest, led)
            return (True if misled else None), mate_leads
        led = one_more(led, suit)
    illegal = position.maker == OWN and not _leads_are_legal(position, plan)
    return (None if illegal else False), mate_leads


def _misled(position: Position, mate: int, card: int, due: int, rest: int, led: Led) -> bool:
    """Tell whether `mate` can take the lead of `card`, and lead a suit that `due` must follow.

    True is exact if no other partner can take it; `due` is the next of the cards `rest`, and of
    another suit than some of them.
    """
    if position.maker == mate and (position.hidden or position.rules.exhausted):
        return False
    if position.hidden:
        rest &= ~position.indicator
    return any(
        position.fits_as(mate, need)
        for suit in SUIT_NUMBERS
        if suit != SUIT_OF[due] and rest & SUIT_BITS[suit]
        for need in ways_to_take(position, mate, SUIT_OF[card], card, led, suit)
    )


def _leads_are_legal(position: Position, plan: Sequence[int]) -> bool:
    """Tell whether a maker may lead these cards in this order, whatever the others play.

    True is exact.
    """
    indicator = position.indicator if position.hidden else 0
    last = position.own.bit_count() - 1
    taken_up = position.rules.opens_after_first and last + 1 == position.rules.cards
    for at, card in enumerate(plan):
        if card == indicator and at != last and not (taken_up and at):
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
        if taken_up:
            # In the hand, the indicator is bound like any trump there.
            trumps |= indicator & ~card
            indicator = 0
    return True


def one_more(led: Led, suit: int) -> Led:
    """Return `led` with one more trick of `suit`."""
    counts = list(led)
    counts[suit] += 1
    return (counts[0], counts[1], counts[2], counts[3])


def _added(led: Led, more: Led) -> Led:
    """Add the tricks of both."""
    return (led[0] + more[0], led[1] + more[1], led[2] + more[2], led[3] + more[3])
