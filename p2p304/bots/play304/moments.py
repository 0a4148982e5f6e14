"""What each card that was played says of the hand it came from: signs, and how usual each is.

A sign tells of a card only what its player knew: whether it is the lowest or the highest that may
be played, whether it leads from below a higher one, whether it cuts. A card is chosen among those
that might have been played as often as the weight of its sign, learned from play, says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from p2p304.bots.play304.imagined_table import POINTS, SUIT_OF_CARD
from p2p304.bots.play304.seeing_all import CUT
from p2p304.cards import Slot
from p2p304.rules304.actions import AnnounceCut, OpenTrump, PlayCard, PlayDown, ShowIndicator
from p2p304.rules304.bits import BIT, SUIT_BITS, bits
from p2p304.rules304.play import idle_seats
from p2p304.rules304.state import State
from p2p304.seats import Seat

_RICH: Final = 10
"""Points from which a card, or a trick, is worth something: ten and above."""
_JACK: Final = 20
FOLLOW: Final = 0
_FOLLOW_SIGNS: Final = 48
OPEN_VOID: Final = FOLLOW + _FOLLOW_SIGNS
_OPEN_SIGNS: Final = 40
CLOSED_VOID: Final = OPEN_VOID + _OPEN_SIGNS
_CLOSED_SIGNS: Final = 32
LEAD: Final = CLOSED_VOID + _CLOSED_SIGNS
_LEAD_SIGNS: Final = 144
SIGNS: Final = LEAD + _LEAD_SIGNS
"""How many signs there are."""


class Moment(NamedTuple):
    """A card played, and what everybody saw before it was."""

    seat: Seat
    slot: Slot
    role: int
    """0 for the maker, 1 for its partner, 2 for an opponent."""
    led: int
    """The suit led, as bits; 0 for a lead."""
    best: int
    """The card to beat, where it is seen."""
    ours: bool
    """Whether the side of the seat is winning the trick, by what is seen."""
    last: bool
    rich: bool
    """Whether the trick counts something already."""
    open: bool
    """Whether trump is open."""
    gone: int
    """The cards that everybody has seen played."""
    first: bool
    """Whether it is the first trick."""


def moments(state: State) -> Iterator[Moment]:
    """Yield every card played so far with what was seen before it, in order."""
    if state.maker is None:
        return
    maker, teams = state.maker, state.teams
    full = state.seats - len(idle_seats(state))
    trumps = 0 if state.trump is None else SUIT_BITS[state.trump]
    is_open, first = False, True
    gone = led = best = worth = count = 0
    winner: Seat | None = None
    for seat, action in state.log:
        match action:
            case OpenTrump() | AnnounceCut() | ShowIndicator():
                is_open = True
            case PlayCard() | PlayDown():
                card = BIT[action.card] if isinstance(action, PlayCard) else 0
                yield Moment(
                    seat,
                    action.slot,
                    0 if seat == maker else 1 if teams[seat] == teams[maker] else 2,
                    led,
                    best,
                    winner is not None and teams[winner] == teams[seat],
                    count + 1 == full,
                    worth >= _RICH,
                    is_open,
                    gone,
                    first,
                )
                count += 1
                gone |= card
                worth += POINTS.get(card, 0)
                if not led:
                    led, best, winner = SUIT_OF_CARD[card], card, seat
                elif card and _beats(card, best, trumps if is_open else 0):
                    best, winner = card, seat
                if count == full:
                    led = best = worth = count = 0
                    winner, first = None, False
            case _:
                continue


def _beats(card: int, best: int, trumps: int) -> bool:
    if card & SUIT_OF_CARD[best]:
        return card > best
    return bool(card & trumps)


def options(moment: Moment, hand: int, trumps: int, indicator: int) -> int:
    """Return the cards that might have been played instead; `hand` holds a maker's hidden
    indicator, too, which is `indicator` while it lies on the table."""
    if moment.led:
        follow = hand & moment.led & ~indicator
        if follow:
            return follow
        if moment.open or moment.role:
            return hand
        return (hand & ~trumps | (0 if trumps == moment.led else indicator)) or hand
    if moment.open or moment.role:
        return hand
    hand &= ~indicator
    return (hand & ~trumps if moment.first else hand) or hand


def sign(moment: Moment, card: int, among: int, hand: int, trumps: int) -> int:
    """Return the sign of playing `card` of `among`, with all of `hand`."""
    context = 4 * moment.ours + 2 * moment.last
    points = POINTS[card]
    value = 0 if points < _RICH else 1 if points < _JACK else 2
    if not moment.led:
        suit = SUIT_OF_CARD[card]
        above = suit & ~(2 * card - 1) & ~moment.gone
        rank = 3 if points > _JACK else value
        place = 0 if not above & ~hand else 1 if above & hand else 2
        known = bool(card & trumps) and (moment.open or not moment.role)
        return LEAD + 24 * (2 * moment.role + moment.open) + 6 * rank + 2 * place + known
    if card & moment.led:
        if among == card:
            return FOLLOW
        top = 1 << (among.bit_length() - 1)
        best = moment.best if moment.best & moment.led else CUT
        place = 2 if card == top else 0 if card == among & -among else 1
        context += 8 * (POINTS[top] >= _RICH) + (top > best)
        return FOLLOW + 3 * context + place
    if moment.open:
        if card & trumps:
            kind = 0 if not moment.best & trumps or card > moment.best else 1
        else:
            kind = 2 + value
        return OPEN_VOID + 5 * (context + moment.rich) + kind
    kind = 3 if not moment.role and card & trumps else value
    return CLOSED_VOID + 4 * (context + moment.rich) + kind


def share(
    weights: tuple[float, ...], moment: Moment, card: int, among: int, hand: int, trumps: int
) -> float:
    """Return how often a seat with this hand plays `card` of `among`."""
    total = own = 0.0
    for each in bits(among):
        weight = weights[sign(moment, each, among, hand, trumps)]
        total += weight
        if each == card:
            own = weight
    return own / total
