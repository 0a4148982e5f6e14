"""Whether a seat may take a trick, by counting what its hand can hold (specs/rules.md 11.3).

Nothing is played here. Of a hand is known how many tricks it has followed that were led in each
suit. It can have kept a card of a suit if it held more of them than were led, and be rid of a suit
if that suit's cards, with those of some other suits, are no more than the tricks led in all of
these. Whether such a hand exists beside the other hands is Hall's condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from p2p304.rules304.bits import ABOVE, SUIT_BITS, SUIT_OF
from p2p304.rules304.caps.position import ANY_HAND, Bound, Led, Position

_EVERY: Final = (0, 1, 2, 3)
NONE: Final = (0, 0, 0, 0)


def can_take(position: Position, place: int, suit: int, best: int, led: Led) -> bool:
    """Tell whether `place` can beat the card `best` in a trick led in `suit`.

    `led` counts the tricks led in each suit since the hand was what `position` says it is.
    """
    return any(
        position.fits_as(place, need) for need in ways_to_take(position, place, suit, best, led)
    )


def ways_to_take(
    position: Position, place: int, suit: int, best: int, led: Led, keeps: int = -1
) -> Iterator[Bound]:
    """Yield what its hand must have held for `place` to beat `best`, each way once.

    With `keeps`, a suit, it must also hold another card of that suit afterwards.
    """
    if SUIT_OF[best] == suit:
        need = _holding(position, place, suit, best, led)
        if need is not None:
            if keeps == suit:
                need[suit] = max(need[suit], led[suit] + 2)
            elif keeps >= 0:
                need[keeps] = led[keeps] + 1
            yield Bound(tuple(need))
    trump = position.trump
    closed = position.loose and place == position.maker
    if suit == trump:
        last = closed and sum(led) == position.size(place)
        if last and keeps < 0 and position.pool & ABOVE[best]:
            yield ANY_HAND
        return
    if closed:
        # Only the indicator cuts: it is apart from the hand, which need keep nothing.
        if keeps < 0 and (SUIT_OF[best] == suit or position.pool & ABOVE[best]):
            yield from ways_to_be_void(suit, led)
        return
    if keeps == suit:
        return
    need = _holding(position, place, trump, best if SUIT_OF[best] == trump else 0, led)
    if need is None:
        return
    if keeps == trump:
        need[trump] = max(need[trump], led[trump] + 2)
    elif keeps >= 0:
        need[keeps] = led[keeps] + 1
    yield from ways_to_be_void(suit, led, need)


def _holding(position: Position, place: int, suit: int, best: int, led: Led) -> list[int] | None:
    """Return how many cards of each suit a hand needs to hold one of `suit` still, above `best` if
    any."""
    known = position.known[place]
    held = known & SUIT_BITS[suit]
    need = [0, 0, 0, 0]
    need[suit] = led[suit] + 1
    if best and not held & ABOVE[best]:
        if not position.pool & ABOVE[best]:
            return None
        need[suit] = max(need[suit], held.bit_count() + 1)
    return need


def ways_to_be_void(suit: int, led: Led, least: Sequence[int] = NONE) -> Iterator[Bound]:
    """Yield what its hand can have held for `place` to be out of `suit` by now.

    It threw cards of `suit` off where it could not follow: so the cards of `suit` and of those
    other suits were no more than the tricks led in them. Suits of which `least` asks for a card
    are not among them.
    """
    # One that was not led allows no more cards, and so no hand that is not possible without it.
    others = [each for each in _EVERY if each != suit and led[each] and not least[each]]
    for chosen in range(1 << len(others)):
        suits = 1 << suit
        count = led[suit]
        for at, each in enumerate(others):
            if chosen >> at & 1:
                suits |= 1 << each
                count += led[each]
        yield Bound(tuple(least), suits, count)
