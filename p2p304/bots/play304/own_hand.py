"""How a seat of a playout plays by what it may know: its cards, what was seen, who is void.

Cards that nobody has shown may be anywhere. Rules of thumb: draw trumps as the maker, cash what
nothing beats, give points to a partner who is sure to win, keep jacks and nines for the tricks that
they win, cut what is worth it, and lose a trick with the card that is missed least.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from p2p304.bots.play304.imagined_table import (
    Imagined,
    ImaginedTable,
    PlayedOut,
)
from p2p304.rules304.bits import ABOVE, CARD, SUIT_BITS, bits
from p2p304.rules304.pack import EVERY_RANK

#: For each strength, strongest first, the four cards that have it.
RANKS_DOWN: Final = tuple(
    sum(bit for bit, card in CARD.items() if card.rank is rank) for rank in EVERY_RANK
)
# Weakest first.
RANKS: Final = RANKS_DOWN[::-1]
#: Points in a trick for which a maker gives up the hidden indicator, by rule of thumb: a ten or
#: more. With less the maker opens trump for little, with more it lets points go.
WORTH_A_CUT: Final = 10
NEVER: Final = 99  #: More than any card costs.
#: How much is given away with a card that is lost: the weaker, the less.
_COST: Final = {bit: place for place, rank in enumerate(reversed(RANKS_DOWN)) for bit in bits(rank)}


def choice_by_own_hand(table: ImaginedTable, legal: int) -> int:
    """Return the card that the seat on turn plays by rules of thumb, one bit of `legal`.

    The rules look at the seat's own cards, at those that it has seen, and at the suits that others
    have shown to lack; any hidden card may be anywhere.
    """
    seat, led, trumps = table.turn, table.led, table.trumps
    hand, hidden = table.hands[seat], table.hidden
    is_maker = seat == table.maker
    # What others may hold, as far as this seat knows.
    out = table.unseen & ~(hand | table.known[seat])
    if not led:
        # Who does not know trump leads as if there were none.
        return _lead(table, legal, out, trumps if is_maker or not hidden else 0)
    best, voids = table.best, table.voids
    ours = table.side[table.winner] == table.side[seat]
    behind = table.behind[seat][table.count]
    theirs = out & led
    safe = ours
    if ours and behind:
        # Trumps that a seat behind may hold: which they are is known to all once trump is open.
        cutters = (trumps if is_maker or not hidden else ~led) & out
        # -(best << 1) has all bits above the best card: higher trumps, if a trump is best.
        beaters = out & (ABOVE[best] if best & led else trumps & -(best << 1))
        for foe in behind:
            lacks = voids[foe]
            # A foe behind may beat it in suit, or is void and may have a trump; where a cut is
            # best, `beaters` are the higher trumps already.
            if beaters & ~lacks or (lacks & led and cutters & ~lacks and best & led):
                safe = False
                break
    if legal & led:
        # The highest bit is the best card: in a suit a better card has a higher bit.
        high = 1 << (legal.bit_length() - 1)
        if safe:
            return _gift(legal, out)
        # A cut is not beaten by following.
        if best & led and high > best:
            if not behind:
                # Last to play: any card that wins does, so one that others could beat later goes,
                # and the sure one is kept.
                spare = legal & -(best << 1) & (1 << theirs.bit_length()) - 1
                return 1 << (spare.bit_length() - 1) if spare else high
            # A bit above every card of the suit that others may have.
            if high > theirs:
                return high
        # It cannot be sure to win: the lowest card of the suit.
        return legal & -legal
    plain = hand & ~trumps
    if hidden:
        # It does not know trump, so it cannot mean to cut.
        if not is_maker:
            return _gift(hand, out) if safe else lowest(hand)
        # Legal, and not in the hand: the indicator on the table, where it may be played.
        indicator = legal & ~hand
        if not plain:
            # With nothing to throw off the indicator is forced (RULES 9.3); a trump only if no
            # indicator were left.
            return indicator or lowest(hand)
        if safe:
            return _gift(plain, out)
        # Near the end the indicator has little left to cut; from which card on is a choice.
        if indicator and (table.shown >= WORTH_A_CUT or hand.bit_count() < 3):
            return indicator
        return lowest(plain)
    if safe and plain:
        return _gift(plain, out)
    mine = hand & trumps
    # A trick that the own side wins so far is not cut, safe or not: by rule of thumb a trump is
    # worth more on a trick of the others.
    if mine and not ours:
        # A card that cuts already must be beaten by a higher trump; else any trump wins.
        cut = best & trumps
        winners = mine & -(cut << 1) if cut else mine
        if winners:
            # The lowest trump that wins.
            return winners & -winners
    # With nothing but trumps the lowest of them.
    return lowest(plain) if plain else mine & -mine


def _gift(cards: int, out: int) -> int:
    """Return the card of the set `cards` to give to a trick that the seat's side wins: the
    highest that some card in `out` beats, else the highest of all.
    """
    # A card that nothing beats takes a trick of its own later, so it is given last.
    for rank in RANKS_DOWN:
        found = cards & rank
        while found:
            # The lowest bit.
            card = found & -found
            if out & ABOVE[card]:
                return card
            found ^= card
    return highest(cards)


def _lead(table: ImaginedTable, legal: int, out: int, trumps: int) -> int:
    """Return the card to lead by rules of thumb, one bit of `legal`: a trump to draw trumps, a card
    that nothing beats, else a cheap one.

    `out` are the cards that others may hold; `trumps` is the trump suit's cards, or 0 for a seat
    that does not know trump.
    """
    seat, voids = table.turn, table.voids
    foes = table.foes[seat]
    theirs, mine = out & trumps, legal & trumps
    plain = legal & ~trumps
    if mine:
        # The best trump: the highest bit; `mine & -mine` is the lowest.
        top = 1 << (mine.bit_length() - 1)
        draws = seat == table.maker and any(theirs & ~voids[foe] for foe in foes)
        # The maker draws trumps as long as a foe may have one.
        if draws or not plain:
            return top if top > theirs else mine & -mine
    # -1, so that a sure card counts although nobody else has its suit.
    chosen, most = 0, -1
    cheap, least = 0, NEVER
    for suit in SUIT_BITS:
        mine = plain & suit
        if not mine:
            continue
        cutting = 0
        for foe in foes:
            lacks = voids[foe]
            # A foe that lacks the suit may cut, unless it is seen to lack the trumps that are out,
            # too.
            # To a seat that does not know trump any other suit may be trump.
            if lacks & suit and (not trumps or theirs & ~lacks):
                cutting += 1
        top = 1 << (mine.bit_length() - 1)
        rest = out & suit
        if top > rest and not cutting:
            # Of sure cards the one whose suit the others have most of, by rule of thumb: it is cut
            # least likely.
            count = rest.bit_count()
            if count > most:
                chosen, most = top, count
        low = mine & -mine
        # A low card first: one rank weighs as much as two foes who may cut.
        cost = 2 * _COST[low] + cutting
        if cost < least:
            cheap, least = low, cost
    # 0 if no card is sure.
    return chosen or cheap


def lowest(cards: int) -> int:
    """Return the weakest card of a set by rank, of equal ones that of the first suit; 0 for an
    empty set.
    """
    for rank in RANKS:
        found = cards & rank
        if found:
            return found & -found
    return 0


def highest(cards: int) -> int:
    """Return the strongest card of a set by rank, of equal ones that of the first suit; 0 for an
    empty set.
    """
    for rank in RANKS_DOWN:
        found = cards & rank
        if found:
            return found & -found
    return 0


# --- hands with imagined cards, played to their end in a moment -----------------------------------

#: Which of several legal cards the seat on turn plays.
Choice = Callable[[ImaginedTable, int], int]


def play_out(scene: Imagined, choice: Choice = choice_by_own_hand) -> PlayedOut:
    """Return how a hand ends from `scene`, with cards that `choice` chooses: the points of the
    maker's team and the tricks that it lost.
    """
    table = ImaginedTable(scene)
    # Looked up once: a search plays thousands of hands out.
    legal, play = table.legal, table.play
    while not table.over:
        cards = legal()
        # A single bit less its lowest bit is 0: one legal card leaves nothing to choose.
        play(choice(table, cards) if cards & cards - 1 else cards)
    return PlayedOut(table.points, table.lost)
