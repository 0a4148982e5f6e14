"""A hand of 304 played to its end in a moment, with cards imagined and everybody playing simply.

Cards are bits (see `p2p304.rules304.bits`): within a suit a higher bit is stronger and never counts
less, so that the highest card of a set is the one that wins most and the one that is worth most.
The players of a playout follow rules of thumb: lead what cannot be beaten, give points to the
partner, cut what is worth it. Where the rules of play are subtle (exhausted trumps, promised cards)
a playout is content with what usually happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from p2p304.rules304.bits import BIT, CARD, SUIT_BITS, SUIT_OF
from p2p304.rules304.pack import CARD_POINTS, EVERY_RANK
from p2p304.seats import Seat

POINTS: Final = {BIT[card]: points for card, points in CARD_POINTS.items()}
SUIT_OF_CARD: Final = {bit: SUIT_BITS[suit] for bit, suit in SUIT_OF.items()}
RANKS_DOWN: Final = tuple(
    sum(bit for bit, card in CARD.items() if card.rank is rank) for rank in EVERY_RANK
)
"""For each strength, strongest first, the four cards that have it."""
RANKS: Final = RANKS_DOWN[::-1]
CUT: Final = 2 * max(CARD)
"""Stands for a trump on a plain lead, which no card of the suit led beats."""
WORTH_A_CUT: Final = 10
"""Points in a trick for which a maker gives up the hidden indicator."""


class Played(NamedTuple):
    """A card of the trick in progress."""

    seat: int
    card: int
    down: bool


class Imagined(NamedTuple):
    """Where a playout begins: all cards, as somebody imagines them."""

    hands: tuple[int, ...]
    """Unplayed cards of each seat, a hidden indicator on the table excluded."""
    side: tuple[int, ...]
    """For each seat 0 if it plays with the maker, 1 if against it."""
    maker: int
    trump: int
    """The trump suit."""
    turn: int
    """The seat that plays next."""
    indicator: int = 0
    """The maker's card on the table while trump is hidden, 0 once it has been played."""
    hidden: bool = False
    """Whether trump is hidden from all but the maker."""
    trick: tuple[Played, ...] = ()
    points: int = 0
    """What the tricks of the maker's team count so far."""
    lost: int = 0
    """How many tricks the maker's team has lost so far."""
    first: bool = False
    """Whether the trick in progress, or about to begin, is the hand's first."""
    opens_after_first: bool = False
    """Whether trump is opened after the first trick (RULES 11.1)."""
    idle: tuple[Seat, ...] = ()
    """The seats whose cards are laid aside."""


class Ending(NamedTuple):
    """How a playout ended."""

    points: int
    """What the tricks of the maker's team count."""
    lost: int
    """How many tricks the maker's team lost."""


def play_out(scene: Imagined, first: int = 0) -> Ending:
    """Return how the hand ends if the seat on turn plays `first`, or any card if that is 0.

    Who is void or holds the highest cards is taken from the imagined cards, as if everybody had
    counted well; the trump suit is known to nobody but the maker while it is hidden.
    """
    hands = list(scene.hands)
    maker, indicator, hidden, side = scene.maker, scene.indicator, scene.hidden, scene.side
    following, foes = _around(side, scene.idle)
    for aside in scene.idle:
        hands[aside] = 0
    held = sum(hands)
    trumps = SUIT_BITS[scene.trump]
    points, lost, opening = scene.points, scene.lost, scene.first
    full = len(side) - len(scene.idle)
    seat = scene.turn
    led = best = worth = count = cover = 0
    winner = cutter = -1
    for player, card, down in scene.trick:
        worth += POINTS[card]
        count += 1
        if down:
            if card & trumps and card > cover:
                cover, cutter = card, player
        elif not led:
            led, best, winner = SUIT_OF_CARD[card], card, player
        elif card > best if card & SUIT_OF_CARD[best] else card & trumps:
            best, winner = card, player
    while True:
        # The card.
        hand = hands[seat]
        if first:
            card, first = first, 0
        else:
            if not hand:
                card = indicator
            elif not led:
                banned = trumps if hidden and opening and seat == maker else 0
                known = 0 if hidden and seat != maker else trumps
                others = held ^ hand | (indicator if seat != maker else 0)
                rivals = [hands[each] for each in foes[seat]]
                card = _lead(hand & ~banned or hand, others, rivals, known, side[seat])
            else:
                others = held ^ hand | (indicator if seat != maker else 0)
                follow = hand & led
                ours = side[winner] == side[seat]
                last = count + 1 == full
                if follow:
                    card = _follow(follow, others & led, best if best & led else CUT, ours, last)
                elif not hidden:
                    card = _void(hand, others, best, ours, last, trumps)
                elif seat != maker:
                    safe = ours and (last or best > others & led)
                    card = _highest(hand) if safe else _lowest(hand)
                else:
                    plain = hand & ~trumps
                    if trumps != led and indicator and not (ours and best > others & led):
                        wanted = worth >= WORTH_A_CUT or not plain or hand.bit_count() < 3
                        card = indicator if wanted else _lowest(plain)
                    elif ours and plain:
                        card = _highest(plain)
                    else:
                        card = _lowest(plain) if plain else indicator or _lowest(hand)
        # What it does.
        if card == indicator:
            indicator = 0
            if not led or card & led:
                hidden = False
        else:
            hands[seat] = hand ^ card
            held ^= card
        worth += POINTS[card]
        count += 1
        if not led:
            led, best, winner = SUIT_OF_CARD[card], card, seat
        elif card & led:
            if best & led and card > best:
                best, winner = card, seat
        elif hidden:
            if card & trumps and card > cover:
                cover, cutter = card, seat
        elif card & trumps and (not best & trumps or card > best):
            best, winner = card, seat
        if count < full:
            seat = following[seat]
            continue
        # The trick.
        if cover and hidden and led != trumps:
            winner, hidden = cutter, False
            hands[maker] |= indicator
            held |= indicator
            indicator = 0
        if side[winner]:
            lost += 1
        else:
            points += worth
        if opening:
            opening = False
            if hidden and scene.opens_after_first:
                hidden = False
                hands[maker] |= indicator
                held |= indicator
                indicator = 0
        seat = winner
        if not hands[seat] and not (seat == maker and indicator):
            return Ending(points, lost)
        led = best = worth = count = cover = 0


def _lowest(cards: int) -> int:
    for rank in RANKS:
        found = cards & rank
        if found:
            return found & -found
    return 0


def _highest(cards: int) -> int:
    for rank in RANKS_DOWN:
        found = cards & rank
        if found:
            return found & -found
    return 0


@cache
def _around(
    side: tuple[int, ...], idle: tuple[Seat, ...]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return who plays after each seat, and whom each seat plays against."""
    seats = range(len(side))
    playing = [seat for seat in seats if seat not in idle]
    following = tuple(min(playing, key=lambda to: (to - seat - 1) % len(side)) for seat in seats)
    foes = tuple(tuple(each for each in playing if side[each] != side[seat]) for seat in seats)
    return following, foes


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
    return chosen or _lowest(hand & ~trumps or hand)


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
        return _highest(plain)
    mine = hand & trumps
    winners = mine & -(cut << 1) if cut else mine
    if winners and not ours:
        return winners & -winners
    return _lowest(plain) if plain else mine & -mine
