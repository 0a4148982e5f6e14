"""A deal of 41 or 400 played to its end in a moment, by the rules of thumb of `counting41`.

Cards are bits: thirteen for each suit, the higher the stronger. Every choice is the one that
`CountingPlayer` makes with the same cards, from its own hand and the cards that have been played.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from p2p304.bots.counting41 import bid_of
from p2p304.bots.search.interface import Ending
from p2p304.bots.worth41 import ending_of
from p2p304.cards import Card, Slot, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import HAND_SIZE, PACK, TRUMPS, Game41, Phase, Play, State
from p2p304.rules41.match import SEATS, score_deal, thrown_in
from p2p304.seats import Seat
from p2p304.view import View

RANKS: Final = 13
_SUIT: Final = (1 << RANKS) - 1
ALL: Final = (1 << RANKS * len(Suit)) - 1
SUITS: Final = tuple(_SUIT << RANKS * suit for suit in Suit)
BIT: Final = {card: 1 << (RANKS * card.suit + card.rank - 2) for card in PACK}
CARD: Final = {bit: card for card, bit in BIT.items()}
_HEARTS: Final = SUITS[TRUMPS]
_PLAIN: Final = tuple(suit for suit in Suit if suit is not TRUMPS)
_LED: Final = {bit: SUITS[card.suit] for card, bit in BIT.items()}


class Lying(NamedTuple):
    """A trick in progress: what leads it, what wins it, and how many cards lie there."""

    led: int = 0
    best: int = 0
    winner: int = -1
    cards: int = 0

    def with_card(self, seat: int, card: int) -> Lying:
        """Return the trick with one more card."""
        led, best, winner, cards = self
        if not led:
            return Lying(_LED[card], card, seat, 1)
        if card > best if card & _LED[best] else card & _HEARTS:
            return Lying(led, card, seat, cards + 1)
        return Lying(led, best, winner, cards + 1)


def lying(plays: tuple[Play, ...]) -> Lying:
    """Return a trick in progress of the public state."""
    trick = Lying()
    for play in plays:
        trick = trick.with_card(play.seat, BIT[play.card])
    return trick


def lowest(cards: int) -> int:
    """Return the card that is missed least: no trump, then low."""
    plain = cards & ~_HEARTS
    if not plain:
        return cards & -cards
    ranks = 0
    for suit in _PLAIN:
        ranks |= plain >> RANKS * suit & _SUIT
    low = ranks & -ranks
    for suit in _PLAIN:
        card = low << RANKS * suit
        if plain & card:
            return card
    raise AssertionError("one of the suits has its lowest rank")


def _highest(cards: int) -> int:
    """Return the most precious card: a trump, then high."""
    trumps = cards & _HEARTS
    if trumps:
        return 1 << trumps.bit_length() - 1
    best = most = 0
    for suit in _PLAIN:
        rank = (cards >> RANKS * suit & _SUIT).bit_length()
        if rank and rank >= most:
            best, most = 1 << RANKS * suit + rank - 1, rank
    return best


def lead(hand: int, unseen: int) -> int:
    """Return what to lead: the least precious card that nobody can beat in its suit, or the lowest
    of all."""
    sure = 0
    for suit in SUITS:
        mine = hand & suit
        if mine:
            others = unseen & suit
            sure |= mine & -(1 << others.bit_length()) if others else mine
    return lowest(sure) if sure else lowest(hand)


def follow(hand: int, trick: Lying, seen: int, mate: int, *, mate_lacks: bool, lacks: bool) -> int:
    """Return what to play to a trick.

    `seen` are the cards that have been played; the last two say whether the partner, and the player
    itself, still lack tricks of their bids.
    """
    led, best, winner, count = trick
    legal = hand & led or hand
    suit = _LED[best]
    above = legal & suit & -(best << 1)
    winning = above if suit == _HEARTS else above | legal & _HEARTS
    if not winning:
        return lowest(legal)
    unseen = ALL & ~(seen | legal)
    last = count == SEATS - 1
    safe = last or best > unseen & suit
    if winner == mate and (mate_lacks or not lacks) and safe:
        return lowest(legal)
    cheapest = lowest(winning)
    if last or not cheapest & led:
        return cheapest
    top = _highest(winning)
    return top if top > unseen & _LED[top] else lowest(legal)


class Playout41:
    """Plays imagined deals of one game of 41 or 400 to their end."""

    def __init__(self, game: Game41) -> None:
        self._game = game

    def __call__(
        self,
        view: View[State],
        state: State,
        faces: Mapping[Slot, Card],
        chance: SeededRandomness,  # noqa: ARG002 - these rules of thumb leave nothing to it
    ) -> Ending | None:
        """Return how the deal ends; None before the bids."""
        if state.phase is not Phase.PLAYING and state.phase is not Phase.BIDDING:
            return None
        bids, rules = state.bids, self._game.rules
        for place in range(len(bids), SEATS):
            seat = (state.dealer + 1 + place) % SEATS
            bids += (bid_of(self._game, [faces[slot] for slot in state.hands[seat]]),)
        if state.phase is Phase.BIDDING and sum(map(rules.value, bids)) < state.floor:
            return ending_of(rules, view, thrown_in(bids))
        spoken = tuple(bids[(seat - state.dealer - 1) % SEATS] for seat in range(SEATS))
        turn = state.awaiting[0] if state.phase is Phase.PLAYING else (state.dealer + 1) % SEATS
        taken = played_out(state, faces, spoken, turn)
        return ending_of(rules, view, score_deal(rules, spoken, taken))


def played_out(
    state: State, faces: Mapping[Slot, Card], bids: tuple[int, ...], turn: int
) -> tuple[int, ...]:
    """Return how many tricks each seat has taken in the end."""
    bit: Any = BIT
    hands = [sum(bit[faces[slot]] for slot in hand) for hand in state.hands]
    seen = ALL & ~sum(hands)
    taken = list(state.taken)
    trick, seat = lying(state.trick), turn
    for _ in range(HAND_SIZE * SEATS):
        hand = hands[seat]
        if not hand:
            break
        if trick.led:
            mate = (seat + 2) % SEATS
            card = follow(
                hand,
                trick,
                seen,
                mate,
                mate_lacks=taken[mate] < bids[mate],
                lacks=taken[seat] < bids[seat],
            )
        else:
            card = lead(hand, ALL & ~(seen | hand))
        hands[seat] = hand ^ card
        seen |= card
        trick = trick.with_card(seat, card)
        if trick.cards < SEATS:
            seat = (seat + 1) % SEATS
        else:
            seat = trick.winner
            taken[seat] += 1
            trick = Lying()
    return tuple(taken)


def seat_cards(state: State, faces: Mapping[Slot, Card], seat: Seat) -> int:
    """Return the cards in the hand of a seat, as bits."""
    return sum(BIT[faces[slot]] for slot in state.hands[seat])
