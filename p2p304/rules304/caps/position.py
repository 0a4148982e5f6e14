"""Where a search stands: cards of all seats, some of them imagined only by number and suits.

Seats count to the right from the one that is judged, which is 0; its partners are the even ones.
The state changes in place; a search puts it back. Sets of cards and of suits are bits (see `bits`).
What may be played is told by the rules of `play`, written once more for bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from p2p304.rules304.caps.information import EVERY_SUIT, Hypothesis, InformationSet, fits
from p2p304.rules304.pack import (
    BIT,
    SHIFTS,
    SUIT_BITS,
    SUIT_OF,
    WHOLE_SUIT,
    mask,
    runs,
    squeeze,
)

OWN: Final = 0  #: The judged seat, from which the others are counted.
# Plain integers, as in SUIT_OF: they index faster than members of an IntEnum.
SUIT_NUMBERS: Final = (0, 1, 2, 3)


class CapsTrick(NamedTuple):
    """A trick in progress."""

    cards: int  #: How many have been played.
    led: int = 0  #: The suit led; means nothing before the lead.
    best: int = 0  #: The card that wins so far; 0 before the lead.
    winner: int = 0  #: Its seat, counted from the judged one; names nobody before the lead.
    cut: bool = False  #: Whether a trump was played on a plain lead.
    followed: bool = False  #: Whether anybody followed suit.

    def beats(self, card: int, trump: int) -> bool:
        """Tell whether `card` would win the trick so far; True for a lead. `trump` is a suit
        from 0 to 3.
        """
        # Whatever is led wins so far.
        if not self.cards:
            return True
        suit = SUIT_OF[card]
        # In the best card's suit the higher bit wins; of other suits only a trump beats it.
        return card > self.best if suit == SUIT_OF[self.best] else suit == trump

    def after(self, card: int, place: int, trump: int) -> CapsTrick:
        """Return the trick after `place`, a seat counted from the judged one, played `card`;
        `trump` is a suit from 0 to 3.
        """
        suit = SUIT_OF[card]
        if not self.cards:
            return CapsTrick(1, suit, card, place)
        best, winner = (card, place) if self.beats(card, trump) else (self.best, self.winner)
        follows = suit == self.led
        cut = self.cut or (suit == trump and not follows)
        return CapsTrick(self.cards + 1, self.led, best, winner, cut, self.followed or follows)


class Option(NamedTuple):
    """A card that another seat may play, and what playing it says about the rest of its hand."""

    card: int
    excluded: int  #: The suits that the unknown cards of its hand cannot be, from now on.
    source: int  #: Where the card comes from: KNOWN, POOL or TABLE.
    beats: bool  #: Whether it would win the trick so far.


Led = tuple[int, int, int, int]  #: How many tricks were led in each suit.
#: Unknown cards of a hand: how many, and the suits that they may have.
Parts = list[tuple[int, int]]


class Bound(NamedTuple):
    """What a hand must have held: cards of each suit at least, and of a set of suits at most."""

    least: tuple[int, ...]
    suits: int = 0
    most: int = 0


# By name for `fits`, which counts suit by suit without a loop.
_FIRST, _SECOND, _THIRD, _FOURTH = SUIT_BITS
ANY_HAND: Final = Bound((0, 0, 0, 0))  #: The bound that every hand meets.
NOTHING_LED: Final = (0, 0, 0, 0)

# From the cards known to be in the hand, from the unseen ones, from the table.
KNOWN: Final = 0
POOL: Final = 1
TABLE: Final = 2  #: The hidden indicator.


class CapsPosition:
    """The cards of all seats as the judged seat may imagine them under one hypothesis.

    Seats are counted to the right from the judged seat, which is 0; sets of cards and suits are
    bits. A search changes it in place and puts it back.
    """

    def __init__(self, information: InformationSet, hypothesis: Hypothesis) -> None:
        """Set up what the judged seat knows under a hypothesis, with every seat counted from it:
        the known cards of each other seat, the number of its unknown cards, and the suits that
        those cannot have.
        """
        # A plain integer, as in SUIT_OF: it indexes faster.
        self.trump = int(hypothesis.trump)
        self.trumps = SUIT_BITS[self.trump]
        self.seats = seats = information.seats
        self.others = tuple(range(1, seats))
        # Teams alternate round the table, and places count from the judged seat: the others begin
        # with place 1, an opponent.
        self.mates = self.others[1::2]
        self.opponents = self.others[::2]
        self.team = (OWN, *self.mates)
        self.maker = (information.maker - information.seat) % seats
        self.rules = information.rules
        self.own = mask(information.own_cards())
        self.pool = mask(information.unseen)
        self.known = [0] * seats
        self.unknown = [0] * seats
        self.excluded = [0] * seats
        # An opponent's cards are not imagined when it follows: only how often it did is kept.
        #: Tricks to which a seat has played a card that is not imagined: its hand still has it.
        self.led: list[Led] = [NOTHING_LED] * seats
        self.bounds = [ANY_HAND] * seats
        self.bounded = False  #: Whether a hand has a bound.
        for seat, hand in enumerate(information.hands):
            place = (seat - information.seat) % seats
            if place != OWN:
                room = hypothesis.hands[seat]
                self.unknown[place] = len(room.slots)
                if room.slots:
                    # Empty hands exclude nothing, so that equal positions have equal keys.
                    self.excluded[place] = EVERY_SUIT & ~room.allowed
                self.known[place] = mask(
                    information.faces[slot] for slot in hand if slot in information.faces
                )
        self.hidden = information.indicator is not None
        # RULES 11.2: whether the maker has led this suit, supposed to be trump, and nobody
        # followed.
        self.armed = self.rules.exhausted and hypothesis.trump in information.unfollowed
        self.indicator = 0  #: The judged seat's own indicator while it lies on the table.
        # `on_table` implies an indicator; the other test is for type checkers.
        if self.maker == OWN and information.indicator is not None and information.on_table:
            self.indicator = BIT[information.faces[information.indicator]]
        # The judged maker's own indicator is known and has no room; others' has one slot.
        #: 1 while another seat's indicator lies on the table.
        self.loose = len(hypothesis.indicator.slots)
        # Closed cards of earlier tricks: they take up unseen cards, and are never played.
        self._sinks = [(1, room.allowed) for room in hypothesis.hidden]
        self._fitting: dict[tuple[int, ...], bool] = {}

    # ------------------------------------------------------------------ counting

    def fits(self) -> bool:
        """Tell whether the unseen cards can still be laid out among the seats, with every bound
        met. Answers without bounds are remembered.
        """
        if self.bounded:
            return self.fit_as({})
        pool, unknown, excluded = self.pool, self.unknown, self.excluded
        # Suit by suit without a loop: this is asked for every card that is imagined.
        spades = (pool & _FIRST).bit_count()
        hearts = (pool & _SECOND).bit_count()
        diamonds = (pool & _THIRD).bit_count()
        clubs = (pool & _FOURTH).bit_count()
        # Only numbers count for Hall's condition, so positions with equal numbers share one answer.
        key = (spades, hearts, diamonds, clubs, self.loose, *unknown, *excluded)
        known = self._fitting.get(key)
        if known is None:
            rooms = [(unknown[place], EVERY_SUIT & ~excluded[place]) for place in self.others]
            known = self._fitting[key] = self._fit((spades, hearts, diamonds, clubs), rooms)
        return known

    def fit_as(self, needs: Mapping[int, Bound]) -> bool:
        """Tell whether the unseen cards can be laid out among the seats so that the hand of each
        seat in `needs` also meets its bound there.
        """
        pool = self.pool
        counts = [(pool & suit).bit_count() for suit in SUIT_BITS]
        rooms: Parts = []
        for place in self.others:
            parts = self._parts(place, needs.get(place, ANY_HAND))
            if parts is None:
                return False
            rooms += parts
        return self._fit(counts, rooms)

    def _parts(self, place: int, need: Bound) -> Parts | None:
        """Return the unknown cards of the hand of `place`, split so that the hand meets `need` and
        its own bound: each part is a number of cards and the suits that they may have.

        None where no hand can meet both.
        """
        known, unknown = self.known[place], self.unknown[place]
        allowed = EVERY_SUIT & ~self.excluded[place]
        bound = self.bounds[place]
        # By identity: a short cut alone, for an equal bound comes to the same below.
        if need is ANY_HAND and bound is ANY_HAND:
            return [(unknown, allowed)]
        if need.suits and bound.suits:
            return None  # `need` is to cut, `bound` is to be out of trump: no hand does both
        # At most `few` cards of `suits` in all, known ones counted.
        few, suits = (need.most, need.suits) if need.suits else (bound.most, bound.suits)
        parts: Parts = []
        free = unknown
        for suit in SUIT_NUMBERS:
            held = (known & SUIT_BITS[suit]).bit_count()
            wanted = max(need.least[suit], bound.least[suit]) - held
            # 1 if the limit counts cards of this suit, else 0.
            counts = suits >> suit & 1
            few -= held * counts
            if wanted > 0:
                if not allowed >> suit & 1:
                    return None
                parts.append((wanted, 1 << suit))
                free -= wanted
                few -= wanted * counts
        if free < 0 or (suits and few < 0):
            return None
        if not suits:
            return [*parts, (free, allowed)]
        # The rest in two parts: those that may be of the bounded suits, and those that must not.
        few = min(few, free)
        return [*parts, (few, allowed), (free - few, allowed & ~suits)]

    def _fit(self, counts: Sequence[int], rooms: Parts) -> bool:
        """Tell whether the unseen cards, of which `counts` has the number in each suit, can be
        laid into `rooms`, the indicator on the table and the closed cards of earlier tricks.
        """
        table = [(self.loose, 1 << self.trump)]
        return fits(counts, [*rooms, *table, *self._sinks])

    def size(self, place: int) -> int:
        """Return the number of cards in the hand of `place`, not counting an indicator on the
        table.
        """
        return self.unknown[place] + self.known[place].bit_count()

    # ------------------------------------------------------------------ the judged seat

    def own_legal(self, trick: CapsTrick) -> int:
        """Return the judged seat's cards that are legal to play to `trick`, as a set of bits
        (RULES 9 and 11.2); its hidden indicator is among them where it may be played.
        """
        own = self.own
        closed = self.hidden and self.maker == OWN
        hand = own & ~self.indicator if closed else own
        # All that a maker with hidden trump has left is the indicator (RULES 9.4).
        if not hand:
            return own
        trumps = self.trumps
        if not trick.cards:
            if self.maker == OWN and self.armed and hand & trumps:
                return hand & trumps
            # The rules of `play` once more, on bits: first trick, then hidden trump (RULES 8, 9.3).
            if closed and self.first_lead_banned():
                if self.rules.all_trumps_may_lead and not hand & ~trumps:
                    return hand
                # With nothing but trumps none: trump must be opened before a card is led.
                return hand & ~trumps
            return hand
        if hand & SUIT_BITS[trick.led]:
            return hand & SUIT_BITS[trick.led]
        if not closed:
            return hand
        # On a trump lead a maker void of trump in hand throws off any card: all are off trump
        # (RULES 9.3).
        if trick.led == self.trump:
            return hand
        # A card that is no trump is thrown off, or the indicator cuts.
        return hand & ~trumps | self.indicator

    def first_lead_banned(self) -> bool:
        """Tell whether a maker that leads now must not lead a trump: in trick 1 with trump
        hidden, where the rules ban it (RULES 8).
        """
        # Whoever leads to trick 1, the judged seat still has all its cards then.
        return (
            self.hidden and self.rules.first_lead_ban and self.own.bit_count() == self.rules.cards
        )

    def own_choices(self, legal: int, played: int) -> tuple[int, ...]:
        """Return one card, the highest, of each group of `legal` own cards that are worth the same;
        trumps first, a hidden indicator last.

        Cards of a suit are worth the same if no live card of others, nor one in `played`, the trick
        in progress, ranks between them.
        """
        others = self.pool | played
        for cards in self.known:
            others |= cards
        # On the table the indicator is a card of its own kind.
        apart = self.indicator & legal if self.hidden else 0
        legal &= ~apart
        chosen: list[int] = []
        # Trumps first: drawing them is what most sure orders begin with, so a search ends sooner.
        for suit in (self.trump, *(suit for suit in SUIT_NUMBERS if suit != self.trump)):
            shift = SHIFTS[suit]
            held = legal >> shift & WHOLE_SUIT
            if held:
                groups = runs(held, others >> shift & WHOLE_SUIT)
                # The highest of each run, high runs first; the lower cards of a run are worth the
                # same.
                chosen += [group[0] << shift for group in reversed(groups)]
        if apart:
            chosen.append(apart)
        return tuple(chosen)

    # ------------------------------------------------------------------ the other seats

    def options(self, place: int, trick: CapsTrick) -> list[Option]:
        """Return the cards that the seat `place`, not the judged one, may play to `trick`; of cards
        that make no difference only one.

        Whether the unseen cards can be laid out after such a play is not asked.
        """
        excluded = self.excluded[place]
        closed = self.hidden and place == self.maker
        # The maker's last card is the indicator (RULES 9.4).
        if closed and not (self.known[place] or self.unknown[place]):
            return self._from_table(trick)
        trump = self.trump
        if not trick.cards:
            return self._leads(place, closed)
        led = trick.led
        found = self.plays(place, 1 << led, excluded, trick)
        # A known card of the led suit must be followed with: no other play is legal.
        if self.known[place] & SUIT_BITS[led]:
            return found
        excluded |= 1 << led
        suits = EVERY_SUIT & ~(1 << led)
        if closed and led != trump:
            # Hidden trumps of the maker's hand do not cut; its indicator does (RULES 9.3).
            suits &= ~(1 << trump)
            if self.loose:
                found += [each._replace(excluded=excluded) for each in self._from_table(trick)]
        return found + self.plays(place, suits, excluded, trick)

    def _leads(self, place: int, closed: bool) -> list[Option]:
        """Return the cards that the seat `place`, not the judged one, may lead; of cards that lose
        alike only one. Empty if it has none that it may lead.

        `closed` says that this seat is the maker and trump is hidden.
        """
        excluded = self.excluded[place]
        trump = 1 << self.trump
        start = CapsTrick(0)
        if place == self.maker and self.armed:
            # Exhausted trumps bind it: a trump, or another suit only if it has no trump (RULES
            # 11.2).
            found = self.plays(place, trump, excluded, start)
            if not self.known[place] & self.trumps:
                found += self.plays(place, EVERY_SUIT & ~trump, excluded | trump, start)
            return found
        if closed and self.first_lead_banned():
            found = self.plays(place, EVERY_SUIT & ~trump, excluded, start)
            # The waiver S12: then the whole hand is trumps, so every other suit is excluded.
            if self.rules.all_trumps_may_lead and not self.known[place] & ~self.trumps:
                found += self.plays(place, trump, EVERY_SUIT & ~trump, start)
            return found
        return self.plays(place, EVERY_SUIT, excluded, start)

    def plays(self, place: int, suits: int, excluded: int, trick: CapsTrick) -> list[Option]:
        """Return an option for each card of the set `suits` that `place` may have, among its known
        cards and the unseen ones; of cards that lose `trick` alike only one. Empty if it can have
        none.

        The unknown cards of `place` are of no suit in the set `excluded`. Bit 0 of both sets is the
        first suit.
        """
        known = self.known[place]
        # A hand without unknown cards holds no unseen one.
        pool = self.pool if self.unknown[place] else 0
        found: list[Option] = []
        for suit, cards in enumerate(SUIT_BITS):
            if suits >> suit & 1:
                if known & cards:
                    found += self.distinct(known, suit, excluded, KNOWN, trick)
                if pool & cards and not excluded >> suit & 1:
                    found += self.distinct(pool, suit, excluded, POOL, trick)
        return found

    def _from_table(self, trick: CapsTrick) -> list[Option]:
        """Return the options to play the indicator from the table, which may be any unseen
        trump; of trumps that lose `trick` alike only one. Empty if all trumps have been seen.
        """
        # 0, as for a hand without cards; `options` puts in what the hand cannot have.
        return self.distinct(self.pool, self.trump, 0, TABLE, trick)

    def distinct(
        self, cards: int, suit: int, excluded: int, source: int, trick: CapsTrick
    ) -> list[Option]:
        """Return an option for each card of `suit` in the set `cards` that would win the trick, and
        one, the lowest, for each run of cards that would lose it alike.

        `excluded` and `source` go into each option as they are.
        """
        shift = SHIFTS[suit]
        others = self.own | self.pool | trick.best
        for each in self.known:
            others |= each
        found: list[Option] = []
        for group in runs(cards >> shift & WHOLE_SUIT, (others & ~cards) >> shift & WHOLE_SUIT):
            # If the highest of a run wins, all of it does, and which one may matter to later seats;
            # of losers the lowest is enough.
            if trick.beats(group[0] << shift, self.trump):
                found += [Option(bit << shift, excluded, source, True) for bit in group]
            else:
                found.append(Option(group[-1] << shift, excluded, source, False))
        return found

    # ------------------------------------------------------------------ memory

    def key(self, best: int = 0) -> tuple[object, ...]:
        """Return a hashable key of the position: equal keys mean that the same lines of play exist.
        Cards that are out of play are left out, so that only the order of the others counts.

        `best` is the winning card of a trick in progress, which counts as in play; 0 between
        tricks.
        """
        known = self.known
        indicator = self.indicator if self.hidden else 0
        # Ranks of dead cards are squeezed out: only the order among live cards can still matter.
        live = self.own | self.pool | best
        for cards in known:
            live |= cards
        where = (self.own, self.pool, indicator, best, *known)
        packed = [0] * len(where)
        for shift in SHIFTS:
            present = live >> shift & WHOLE_SUIT
            if present:
                for place, cards in enumerate(where):
                    suit = cards >> shift & WHOLE_SUIT
                    if suit:
                        packed[place] |= squeeze(present, suit) << shift
        return (
            *packed,
            *self.unknown,
            *self.excluded,
            # Three flags in one number.
            self.loose | self.hidden << 1 | self.armed << 2,
            *self.led,
            *self.bounds,
        )
