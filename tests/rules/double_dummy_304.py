"""What perfect play with open cards takes: how much a card gives away, judged with hindsight.

Alpha-beta search with a memory of positions between tricks (Plaat, Schaeffer, Pijls, de Bruin:
"Best-first fixed-depth minimax algorithms", 1996: searches with a window of no width, each of which
starts where the last one ended). Everybody sees everything, and all bids but contracts are played
for points alone.
"""

from __future__ import annotations

from typing import Final

from p2p304.bots.play304.imagined_table import POINTS, SUIT_OF_CARD, Imagined, ImaginedTable
from p2p304.rules304.bits import SUIT_BITS, bits

_WORTHLESS: Final = sum(card for card, points in POINTS.items() if not points)


class OutOfPositionsError(Exception):
    """A search has looked at more positions than it may."""


class Solver:
    """Solves positions of one hand; what it has found of one serves the next."""

    def __init__(self, scene: Imagined, most: int = 0) -> None:
        """Solve positions of the hand of `scene`, each with `most` positions between tricks at
        most; 0 is without a limit."""
        table = ImaginedTable(scene)
        self._maker, self._side = scene.maker, scene.side
        self._trumps = table.trumps
        self._following, self._full = table.following, table.full
        self._duties = scene.duties
        self._opens_after_first = scene.opens_after_first
        self._bounds: dict[tuple[int, ...], tuple[int, int]] = {}
        self._most, self._looked = most, 0
        self._hands: list[int] = []
        self._indicator = 0
        self._hidden = self._unfollowed = self._opening = False

    def values(self, scene: Imagined) -> dict[int, int]:
        """Return for each legal card how many points the maker's side has at the end of the hand
        if all play perfectly after it. Raises OutOfPositionsError."""
        legal = ImaginedTable(scene).legal()
        found: dict[int, int] = {}
        guess = -1
        for card in bits(legal):
            guess = found[card] = self.value(scene, card, guess)
        return found

    def value(self, scene: Imagined, first: int = 0, guess: int = -1) -> int:
        """Return how many points the maker's side has at the end of the hand if all play perfectly,
        after the card `first` if there is one. Raises OutOfPositionsError."""
        table = ImaginedTable(scene)
        if first:
            table.play(first)
        self._looked = 0
        left = sum(POINTS[card] for hand in table.hands for card in bits(hand))
        left += POINTS.get(table.indicator, 0) + table.worth
        low, high = 0, left
        guess = min(max(guess - table.points, 0), left) if guess >= 0 else left // 2
        while low < high:
            beta = max(guess, low + 1)
            guess = self._begin(table, beta - 1, beta)
            if guess < beta:
                high = guess
            else:
                low = guess
        return table.points + low

    def _begin(self, table: ImaginedTable, alpha: int, beta: int) -> int:
        self._hands = table.hands[:]
        self._indicator = table.indicator
        self._hidden, self._unfollowed = table.hidden, table.unfollowed
        self._opening = table.opening
        if not table.led:
            return self._trick(table.turn, alpha, beta)
        state = (table.leader, table.led, table.best, table.winner, table.worth, table.count)
        return self._card(
            table.turn, *state, table.followed, table.cover, table.cutter, alpha, beta
        )

    def _trick(self, leader: int, alpha: int, beta: int) -> int:
        """Return what the maker's side takes from here on, or a bound of it beyond the window."""
        hands, indicator = self._hands, self._indicator
        if not hands[leader] and not (leader == self._maker and indicator):
            return 0
        flags = self._hidden | self._unfollowed << 1 | self._opening << 2 | leader << 3
        key = (*hands, indicator, flags)
        known = self._bounds.get(key)
        if known is None:
            self._looked += 1
            if self._looked == self._most:
                raise OutOfPositionsError
            left = indicator
            for hand in hands:
                left |= hand
            known = 0, sum([POINTS[card] for card in bits(left)])
        low, high = known
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        value = self._card(leader, leader, 0, 0, leader, 0, 0, False, 0, -1, alpha, beta)
        if value <= alpha:
            self._bounds[key] = low, value
        elif value >= beta:
            self._bounds[key] = value, high
        else:
            self._bounds[key] = value, value
        return value

    def _card(
        self,
        seat: int,
        leader: int,
        led: int,
        best: int,
        winner: int,
        worth: int,
        count: int,
        followed: bool,
        cover: int,
        cutter: int,
        alpha: int,
        beta: int,
    ) -> int:
        hands, trumps = self._hands, self._trumps
        indicator, hidden, opening = self._indicator, self._hidden, self._opening
        hand = hands[seat]
        cards = self._choices(seat, led, best)
        taking = not self._side[seat]
        most = -1 if taking else 9999
        after, full = self._following[seat], self._full
        for card in cards:
            suit = SUIT_OF_CARD[card]
            trick = led or suit
            up = best
            won, follows, covered, by = winner, followed, cover, cutter
            if card == indicator:
                self._indicator = 0
                if suit == trick:
                    self._hidden = False
            else:
                hands[seat] = hand ^ card
                if not led and hidden and opening and suit == trumps and self._must_open(seat):
                    hands[seat] |= indicator
                    self._indicator, self._hidden = 0, False
            if not led:
                up, won = card, seat
            elif suit == led:
                follows = True
                if up & led and card > up:
                    up, won = card, seat
            elif self._hidden:
                if suit == trumps and card > cover:
                    covered, by = card, seat
            elif suit == trumps and (not up & trumps or card > up):
                up, won = card, seat
            gain = worth + POINTS[card]
            if count + 1 < full:
                value = self._card(
                    after, leader, trick, up, won, gain, count + 1, follows, covered, by,
                    alpha, beta,
                )  # fmt: skip
            else:
                value = self._end(leader, trick, won, gain, follows, covered, by, alpha, beta)
            hands[seat] = hand
            self._indicator, self._hidden = indicator, hidden
            if taking:
                if value > most:
                    most = value
                    if value > alpha:
                        alpha = value
            elif value < most:
                most = value
                if value < beta:
                    beta = value
            if alpha >= beta:
                break
        return most

    def _end(
        self,
        leader: int,
        led: int,
        winner: int,
        gain: int,
        followed: bool,
        cover: int,
        cutter: int,
        alpha: int,
        beta: int,
    ) -> int:
        maker, hands = self._maker, self._hands
        held, unfollowed, opening = hands[maker], self._unfollowed, self._opening
        if self._hidden and (cover or (opening and self._opens_after_first)):
            hands[maker] |= self._indicator
            self._indicator, self._hidden = 0, False
            winner = cutter if cover else winner
        if leader == maker and led == self._trumps and not followed:
            self._unfollowed = True
        self._opening = False
        if self._side[winner]:
            gain = 0
        value = gain + self._trick(winner, alpha - gain, beta - gain)
        hands[maker] = held
        self._unfollowed, self._opening = unfollowed, opening
        return value

    def _must_open(self, seat: int) -> bool:
        duties = self._duties
        return seat == self._maker and duties.no_trump_first and duties.opens_all_trumps

    def _choices(self, seat: int, led: int, best: int) -> list[int]:
        """Return what the seat may play, what is likely to decide first."""
        hand, trumps = self._hands[seat], self._trumps
        if not hand:
            return [self._indicator]
        is_maker = seat == self._maker
        legal = hand
        if led:
            legal = hand & led
            if not legal:
                legal = hand
                if is_maker and self._hidden and led != trumps:
                    legal = hand & ~trumps | self._indicator
        elif is_maker:
            if self._hidden and self._opening and self._duties.no_trump_first:
                plain = hand & ~trumps
                legal = plain or hand | (self._indicator if self._duties.opens_all_trumps else 0)
            elif self._unfollowed and self._duties.exhausted:
                legal = hand & trumps or hand
        if not legal & legal - 1:
            return [legal]
        others = 0
        for each in self._hands:
            others |= each
        others ^= hand
        cards = []
        for suit in SUIT_BITS:
            mine = legal & suit
            if not mine:
                continue
            idle = mine & _WORTHLESS
            if idle & idle - 1 and not others & suit & _WORTHLESS and not idle & self._indicator:
                mine &= ~idle | idle & -idle
            found = []
            while mine:
                low = mine & -mine
                found.append(low)
                mine ^= low
            if not led or (best & suit and found[-1] > best):
                found.reverse()
            cards += found
        return cards
