"""How a seat of a playout plays if it sees all cards: today's rules of thumb for `steady`.

Who is void or holds the highest cards is taken from the imagined cards, as if everybody had
counted well; the trump suit is known to nobody but the maker while it is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.bots.play304.imagined_table import SUIT_OF_CARD, ImaginedTable
from p2p304.rules304.bits import CARD, SUIT_BITS
from p2p304.rules304.pack import EVERY_RANK

RANKS_DOWN: Final = tuple(
    sum(bit for bit, card in CARD.items() if card.rank is rank) for rank in EVERY_RANK
)
"""For each strength, strongest first, the four cards that have it."""
RANKS: Final = RANKS_DOWN[::-1]
CUT: Final = 2 * max(CARD)
"""Stands for a trump on a plain lead, which no card of the suit led beats."""
WORTH_A_CUT: Final = 10
"""Points in a trick for which a maker gives up the hidden indicator."""


def choice_seeing_all(table: ImaginedTable, legal: int) -> int:
    """Lead what cannot be beaten, give points to the partner, cut what is worth it."""
    seat, hands, led, trumps = table.turn, table.hands, table.led, table.trumps
    hand, side, hidden, indicator = hands[seat], table.side, table.hidden, table.indicator
    is_maker = seat == table.maker
    others = sum(hands) ^ hand | (0 if is_maker else indicator)
    if not led:
        known = trumps if is_maker or not hidden else 0
        return _lead(legal, others, [hands[each] for each in table.foes[seat]], known, side[seat])
    best = table.best
    ours = side[table.winner] == side[seat]
    last = table.count + 1 == table.full
    if legal & led:
        return _follow(legal, others & led, best if best & led else CUT, ours, last)
    if not hidden:
        return _void(hand, others, best, ours, last, trumps)
    if not is_maker:
        return highest(hand) if ours and (last or best > others & led) else lowest(hand)
    plain = hand & ~trumps
    if trumps != led and indicator and not (ours and best > others & led):
        wanted = table.worth >= WORTH_A_CUT or not plain or hand.bit_count() < 3
        return indicator if wanted else lowest(plain)
    if ours and plain:
        return highest(plain)
    return lowest(plain) if plain else indicator or lowest(hand)


def lowest(cards: int) -> int:
    """Return the weakest of some cards of any suits, of several that of the first suit."""
    for rank in RANKS:
        found = cards & rank
        if found:
            return found & -found
    return 0


def highest(cards: int) -> int:
    """Return the strongest of some cards of any suits, of several that of the first suit."""
    for rank in RANKS_DOWN:
        found = cards & rank
        if found:
            return found & -found
    return 0


def _lead(hand: int, others: int, rivals: Sequence[int], trumps: int, against: int) -> int:
    """Return a lead: trumps to draw them, else what nobody beats, else something low.

    `rivals` are the hands of the other side; `trumps` are 0 for a seat that does not know them;
    `against` is 1 for a defender.
    """
    chosen, most = 0, -1
    for suit in SUIT_BITS:
        mine = hand & suit
        if not mine:
            continue
        top = 1 << (mine.bit_length() - 1)
        theirs = others & suit
        if theirs > top:
            continue
        if suit == trumps:
            if not against and any(each & suit for each in rivals):
                return top
            continue
        if trumps and any(each & trumps and not each & suit for each in rivals):
            continue
        out = theirs.bit_count()
        if out > most:
            chosen, most = top, out
    return chosen or lowest(hand & ~trumps or hand)


def _follow(follow: int, theirs: int, best: int, ours: bool, last: bool) -> int:
    """Return a card of the suit led; `theirs` are the others' cards of it, `best` is the one to
    beat."""
    high = 1 << (follow.bit_length() - 1)
    if ours and (last or best > theirs):
        return high
    if high > best:
        if last:
            # What is beaten later wins now just as well.
            spare = follow & -(best << 1) & (1 << theirs.bit_length()) - 1
            return 1 << (spare.bit_length() - 1) if spare else high
        if high > theirs:
            return high
    return follow & -follow


def _void(hand: int, others: int, best: int, ours: bool, last: bool, trumps: int) -> int:
    """Return a card of another suit while trump is open."""
    plain = hand & ~trumps
    cut = best & trumps
    if ours and plain and (last or cut or best > others & SUIT_OF_CARD[best]):
        return highest(plain)
    mine = hand & trumps
    winners = mine & -(cut << 1) if cut else mine
    if winners and not ours:
        return winners & -winners
    return lowest(plain) if plain else mine & -mine
