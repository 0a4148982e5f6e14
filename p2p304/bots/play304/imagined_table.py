"""A hand of 304 with all cards open, as somebody imagines them: the rules of play and no more, and
how a seat plays there by what it may know.

Cards are bits (see `p2p304.rules304.pack`): within a suit a higher bit is stronger and never counts
less, so that the highest card of a set is the one that wins most and the one that is worth most.
The rules are those of `p2p304.rules304.play`, without log, statements, windows and claims; a test
plays hands of every profile by both. Cards that a seat has shown or promised to play are like all
others here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

from p2p304.rules304.pack import ABOVE, BIT, CARD, CARD_POINTS, EVERY_RANK, SUIT_BITS, SUIT_OF, bits
from p2p304.seats import Seat

POINTS: Final = {BIT[card]: points for card, points in CARD_POINTS.items()}
SUIT_OF_CARD: Final = {bit: SUIT_BITS[suit] for bit, suit in SUIT_OF.items()}
# A seat number that no seat has: seats are plain integers here, for speed.
NOBODY: Final = -1


class Played(NamedTuple):
    """A card of the trick in progress."""

    seat: int
    card: int
    down: bool


class Duties(NamedTuple):
    """The duties of a maker under a profile and contract (RULES 8, 10.2 and 11.2)."""

    no_trump_first: bool = True  #: Whether hidden trump is not led to the first trick.
    #: Whether a maker with nothing but trumps opens trump then; else it leads one.
    opens_all_trumps: bool = False
    #: Whether a maker that led a trump which nobody followed goes on leading trumps.
    exhausted: bool = False
    #: Whether a cut shows the card that the maker threw into the trick, too.
    shows_discard: bool = False


#: What a playout takes where no profile's duties are given, as in deals imagined for a bid: the ban
#: on a lead of hidden trump to trick 1, which every profile has, and no other.
LENIENT: Final = Duties()


class Imagined(NamedTuple):
    """The position in which a playout begins: all cards, as somebody imagines them, as bits."""

    #: Unplayed cards of each seat, a hidden indicator on the table excluded.
    hands: tuple[int, ...]
    side: tuple[int, ...]  #: For each seat 0 if it plays with the maker, 1 if against it.
    maker: int
    trump: int  #: The trump suit.
    turn: int  #: The seat that plays next.
    #: The maker's card on the table while trump is hidden, 0 once it has been played.
    indicator: int = 0
    hidden: bool = False  #: Whether trump is hidden from all but the maker.
    trick: tuple[Played, ...] = ()
    points: int = 0  #: What the tricks of the maker's team count so far.
    lost: int = 0  #: How many tricks the maker's team has lost so far.
    first: bool = False  #: Whether the trick in progress, or about to begin, is the hand's first.
    opens_after_first: bool = False  #: Whether trump is opened after the first trick (RULES 11.1).
    idle: tuple[Seat, ...] = ()  #: The seats whose cards are laid aside.
    duties: Duties = LENIENT
    unfollowed: bool = False  #: Whether the maker has led a trump that nobody followed.
    #: The side that has undertaken to win every trick, whose first lost trick ends the hand; NOBODY
    #: if neither has.
    sworn: int = NOBODY
    #: For each seat the suits, as cards, that its hand was seen to lack; () if none was.
    voids: tuple[int, ...] = ()
    seen: int = 0  #: The unplayed cards that everybody has seen.
    #: For each seat the cards of earlier tricks that it has seen and not everybody; () if none.
    known: tuple[int, ...] = ()


class PlayedOut(NamedTuple):
    """The result of a playout."""

    points: int  #: What the tricks of the maker's team count.
    lost: int  #: How many tricks the maker's team lost.


class ImaginedTable:
    """A hand in play with all cards open, changed in place by every card."""

    def __init__(self, scene: Imagined) -> None:
        """Set up the table as `scene` has it: seats whose cards are laid aside get none, and the
        cards of the trick in progress are played once more.
        """
        hands = list(scene.hands)
        seats = len(hands)
        self.indicator = indicator = scene.indicator
        #: For each seat the cards out of its hand that it has seen and not everybody.
        self.known = list(scene.known) or [0] * seats
        # Sets of different cards: a sum is their union.
        #: The cards that not everybody has seen, those laid aside included.
        self.unseen = sum(hands) + indicator
        # Cards face down in earlier tricks are in no hand, and not everybody has seen them.
        for cards in self.known:
            self.unseen |= cards
        self.unseen &= ~scene.seen
        # The maker alone has seen what lies there.
        self.known[scene.maker] |= indicator
        for aside in scene.idle:
            # After `unseen`, which counts them: nobody has seen the cards that are laid aside.
            hands[aside] = 0
        self.hands = hands
        self.side = scene.side
        self.maker = scene.maker
        self.trumps = SUIT_BITS[scene.trump]
        self.hidden = scene.hidden
        self.turn = scene.turn
        self.points = scene.points
        self.lost = scene.lost
        self.opening = scene.first
        self.opens_after_first = scene.opens_after_first
        self.duties = scene.duties
        self.unfollowed = scene.unfollowed
        self.sworn = scene.sworn
        # An empty tuple says that nobody has shown a void.
        self.voids = list(scene.voids) or [0] * seats
        self.following, self.foes, self.behind = _around(scene.side, scene.idle)
        self.full = seats - len(scene.idle)
        self.over = self.followed = False
        self.leader = self.winner = self.cutter = NOBODY
        # `worth` counts all points of the trick, `shown` those face up, by which a seat may decide
        # to cut; `cover` is the highest hidden trump, `cutter` its seat, `down` the hidden cards.
        self.led = self.best = self.worth = self.shown = self.count = self.cover = self.down = 0
        # Played once more, one by one, so that best card, voids and points come from one place.
        for seat, card, down in scene.trick:
            # It has left the hand already, or as the hidden indicator the table.
            self.turn = seat
            self.unseen |= card
            # The maker throws no trump off: a trump face down is its indicator (RULES 9.3).
            if down and seat == scene.maker and card & self.trumps:
                self.indicator = card
            else:
                hands[seat] |= card
            self.play(card)

    def legal(self) -> int:
        """Return the cards that the seat on turn may play, as a set of bits; a hidden indicator
        on the table is among them where it may be played (RULES 8, 9 and 11.2).
        """
        seat = self.turn
        hand = self.hands[seat]
        # The maker's last card lies on the table.
        if not hand:
            return self.indicator
        led = self.led
        if led:
            follow = hand & led
            if follow:
                return follow
            if self.hidden and seat == self.maker:
                trumps = self.trumps
                # RULES 9.3: hidden trumps of the hand are not thrown off, and the indicator alone
                # cuts.
                return hand & ~trumps | (self.indicator if led != trumps else 0)
            return hand
        if seat != self.maker:
            return hand
        if self.hidden and self.opening and self.duties.no_trump_first:
            plain = hand & ~self.trumps
            if plain:
                return plain
            # Opening takes the indicator up, so it may be led as well.
            return hand | self.indicator if self.duties.opens_all_trumps else hand
        if self.unfollowed and self.duties.exhausted:
            # RULES 11.2, as in `play`.
            return hand & self.trumps or hand
        return hand

    def play(self, card: int) -> None:
        """Play `card`, which must be legal, from the seat on turn, and pass the turn on; the
        last card of a trick ends the trick.
        """
        seat, led = self.turn, self.led
        if not led:
            if self.hidden and seat == self.maker and card & self.trumps:
                self._lead_hidden_trump(card)
            # Not by `^`: an indicator that is led comes from the table, not from the hand.
            self.hands[seat] &= ~card
            self.unseen &= ~card
            self.led, self.best = SUIT_OF_CARD[card], card
            self.leader = self.winner = seat
            self.worth = self.shown = POINTS[card]
            self.count = 1
            self.turn = self.following[seat]
            return
        if card == self.indicator:
            self.indicator = 0
            # The last trick: it follows a trump lead face up, and trump is open with it (RULES
            # 9.4).
            if card & led:
                self.hidden = False
        else:
            # It follows or is thrown off, so it comes from the hand.
            self.hands[seat] ^= card
        points = POINTS[card]
        self.worth += points
        self.count += 1
        if card & led:
            self.followed = True
            self.unseen &= ~card
            self.shown += points
            # A higher bit of one suit is a stronger card; a cut is not beaten by following.
            if card > self.best and self.best & led:
                self.best, self.winner = card, seat
        else:
            self.voids[seat] |= led
            if self.hidden:
                self.down |= card
                self.known[seat] |= card
                # Face down it wins nothing yet: the strongest hidden trump counts when the trick
                # ends.
                if card & self.trumps and card > self.cover:
                    self.cover, self.cutter = card, seat
            else:
                self.unseen &= ~card
                self.shown += points
                # The first cut beats every plain card, a later one only a lower trump.
                if card & self.trumps and (not self.best & self.trumps or card > self.best):
                    self.best, self.winner = card, seat
        if self.count < self.full:
            self.turn = self.following[seat]
        else:
            self._end_trick()

    def _lead_hidden_trump(self, card: int) -> None:
        """Open trump where the maker leads the indicator, or leads a trump to trick 1 because it
        has nothing else and opens trump for that; any other trump that it leads leaves trump
        hidden.
        """
        if card == self.indicator:
            self.indicator, self.hidden = 0, False
        elif self.opening and self.duties.no_trump_first and self.duties.opens_all_trumps:
            self._open()

    def _open(self) -> None:
        """Open trump: everybody has seen the indicator, and it goes to the maker's hand."""
        indicator, self.indicator = self.indicator, 0
        self.hands[self.maker] |= indicator
        self.unseen &= ~indicator
        self.hidden = False

    def _end_trick(self) -> None:
        """Give the trick to its winner, who leads next; the highest hidden trump in it wins, and
        opens trump. Trump is opened also after the first trick, where the bid demands it.

        Ends the hand where no card is left, or where a side has lost a trick although it undertook
        to win all.
        """
        maker = self.maker
        if self.hidden:
            if self.cover:
                self.winner = self.cutter
                # The maker's own discard stays closed where the profile says so (RULES 10.2): of
                # this trick's closed cards it is the only one that the maker knows yet.
                kept = 0 if self.duties.shows_discard else self.known[maker] & ~self.trumps
                self.unseen &= ~(self.down & ~kept)
                self._open()
            # No cut: the maker has looked at these cards, nobody else (RULES 10.1).
            elif self.down:
                self.known[maker] |= self.down
            if self.opening and self.hidden and self.opens_after_first:
                self._open()
        if not self.followed and self.led == self.trumps and self.leader == maker:
            self.unfollowed = True
        winner = self.winner
        side = self.side[winner]
        # Side 1 plays against the maker.
        if side:
            self.lost += 1
        else:
            self.points += self.worth
        self.turn = winner
        self.cutter = NOBODY
        self.opening = self.followed = False
        # Leader and winner stay: nobody reads them before the next lead sets them.
        self.led = self.best = self.worth = self.shown = self.count = self.cover = self.down = 0
        # A chained comparison: somebody undertook all tricks, and the winner is on the other side.
        # Or no card is left: all who play have equally many, so that the winner's hand tells.
        if side != self.sworn != NOBODY or (
            not self.hands[winner] and not (winner == maker and self.indicator)
        ):
            self.over = True


# Kept, since thousands of playouts have the same sides.
@cache
def _around(
    side: tuple[int, ...], idle: tuple[Seat, ...]
) -> tuple[
    tuple[int, ...],
    tuple[tuple[int, ...], ...],
    tuple[tuple[tuple[int, ...], ...], ...],
]:
    """Return three tables, each by seat: the seat that plays after it; its opponents; and the
    opponents that play after it in a trick, by the number of cards that lie before its own.

    `side` is the side of each seat, `idle` the seats whose cards are laid aside.
    """
    following, foes, behind = [], [], []
    for seat in range(len(side)):
        # In the order of play, from the right of the seat on.
        to_the_right = ((seat + step) % len(side) for step in range(1, len(side)))
        others = [each for each in to_the_right if each not in idle]
        against = tuple(each for each in others if side[each] != side[seat])
        following.append(others[0])
        foes.append(against)
        behind.append(
            tuple(
                # With `count` cards before its own, all but so many of the others still play after
                # it.
                tuple(each for each in others[: len(others) - count] if each in against)
                for count in range(len(others) + 1)
            )
        )
    return tuple(following), tuple(foes), tuple(behind)


# --- how a seat plays by what it may know: its cards, what was seen, who is void ------------------
#
# Cards that nobody has shown may be anywhere. Rules of thumb: draw trumps as the maker, cash what
# nothing beats, give points to a partner who is sure to win, keep jacks and nines for the tricks
# that they win, cut what is worth it, and lose a trick with the card that is missed least.

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
    return lowest(cards, RANKS_DOWN)


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


def lowest(cards: int, ranks: Sequence[int] = RANKS) -> int:
    """Return the weakest card of a set by rank, of equal ones that of the first suit; 0 for an
    empty set. With `RANKS_DOWN` it is the strongest.
    """
    for rank in ranks:
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
