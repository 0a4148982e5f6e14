"""How 41 and 400 are played by rules of thumb: tricks counted for a bid, and cards that take them.

Cards are bits: thirteen for each suit, the higher the stronger. A player decides from its own hand
and the cards that have been played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.rules41.actions import PlayCard
from p2p304.rules41.hand import PACK, SEATS, TRUMPS, DealState, Game41, PlayedCard, trick_winner
from p2p304.rules41.rules import HIGHEST_BID
from p2p304.seats import Seat
from p2p304.view import View

# By rule of thumb, here and below: more for a card makes higher bids.
#: What ace, king and queen of another suit than trumps take, as long as the suit is short.
_HIGH: Final = (0.95, 0.65, 0.25)
_LOW: Final = Rank.TEN  #: Cards below it hardly ever win a trick, so that one of them costs little.
_LONG: Final = 5  #: With so many cards of a suit somebody else has none of it, and trumps it early.
# Tricks that ace, king, queen and jack of trumps take.
_TRUMP_HIGH: Final = (1.0, 0.9, 0.7, 0.4)
_TRUMP_LENGTH: Final = 0.7  #: What each trump beyond the third takes, high or not.
_RUFF: Final = 0.45  #: What a trump takes for each card that a short suit has less than three.


RANKS: Final = len(Rank)
_SUIT: Final = (1 << RANKS) - 1
ALL: Final = (1 << RANKS * len(Suit)) - 1  #: All 52 cards.
SUITS: Final = tuple(_SUIT << RANKS * suit for suit in Suit)  #: All cards of each suit.
# Ranks are 2 to 14: the two is bit 0 of its suit.
BIT: Final = {card: 1 << (RANKS * card.suit + card.rank - 2) for card in PACK}
CARD: Final = {bit: card for card, bit in BIT.items()}
_HEARTS: Final = SUITS[TRUMPS]
_PLAIN: Final = tuple(suit for suit in Suit if suit is not TRUMPS)
#: For each card all cards of its suit, with which others follow it.
LED: Final = {bit: SUITS[card.suit] for card, bit in BIT.items()}


class Pile(NamedTuple):
    """A trick in progress: the led card's suit, the best card and its seat, and the number of
    cards.
    """

    led: int = 0
    best: int = 0
    winner: int = -1  #: -1 before the first card: 0 is a seat.
    cards: int = 0

    def with_card(self, seat: int, card: int) -> Pile:
        """Return the trick with `card`, played by `seat`, added."""
        led, best, winner, cards = self
        if not led:
            return Pile(LED[card], card, seat, 1)
        # In the best card's suit the higher bit wins; of other suits only a heart beats it.
        if card > best if card & LED[best] else card & _HEARTS:
            return Pile(led, card, seat, cards + 1)
        return Pile(led, best, winner, cards + 1)


def trick_pile(plays: tuple[PlayedCard, ...]) -> Pile:
    """Return the cards of a trick in progress, as the public state has them, as a Pile; an empty
    one for no plays.
    """
    trick = Pile()
    for play in plays:
        trick = trick.with_card(play.seat, BIT[play.card])
    return trick


def lowest(cards: int) -> int:
    """Return the least useful card of a set that is not empty: the lowest rank among cards that
    are no trumps, of equal ones that of the first suit; where all are trumps the lowest.
    """
    plain = cards & ~_HEARTS
    if not plain:
        # Only trumps: the lowest bit.
        return cards & -cards
    ranks = 0
    for suit in _PLAIN:
        # The plain suits laid over each other: a bit for each rank that one of them has.
        ranks |= plain >> RANKS * suit & _SUIT
    low = ranks & -ranks
    for suit in _PLAIN:
        # The lowest rank of any plain suit, in the first suit that has it.
        card = low << RANKS * suit
        if plain & card:
            return card
    raise AssertionError("one of the suits has its lowest rank")


def _highest(cards: int) -> int:
    """Return the most useful card of a set: the highest trump, else the highest rank among the
    others, of equal ones that of the last suit; 0 for an empty set.
    """
    trumps = cards & _HEARTS
    if trumps:
        # The highest bit.
        return 1 << trumps.bit_length() - 1
    best = most = 0
    for suit in _PLAIN:
        # One more than the place of the highest bit; 0 for no card of the suit.
        rank = (cards >> RANKS * suit & _SUIT).bit_length()
        # `>=`: of equal ranks any does, and the last suit is taken.
        if rank and rank >= most:
            best, most = 1 << RANKS * suit + rank - 1, rank
    return best


def lead(hand: int, unseen: int) -> int:
    """Return the card to lead, one bit of `hand`: of those that nobody can beat in their suit the
    lowest, else the lowest of all; in both, trumps count above all other cards.

    `hand` and `unseen` are sets of cards, a bit for each; `unseen` are those that others may hold.
    """
    sure = 0
    for suit in SUITS:
        mine = hand & suit
        if mine:
            others = unseen & suit
            # All own cards above the highest one that somebody else may have.
            sure |= mine & -(1 << others.bit_length()) if others else mine
    return lowest(sure) if sure else lowest(hand)


def follow(hand: int, trick: Pile, seen: int, mate: int, *, mate_lacks: bool, lacks: bool) -> int:
    """Return the card to play to a trick in progress, one bit of `hand`: one that wins, if nobody
    who follows suit after it can beat it; else the lowest.

    It wins with the cheapest card that does as the last to play, and when it cuts; else with the
    highest. It plays the lowest, too, where nobody who follows suit can beat the partner's card,
    and the partner still needs tricks or the player does not.

    Args:
        seen: the set of cards that have been played.
        mate: the partner's seat.
        mate_lacks: whether the partner still needs tricks for its bid.
        lacks: whether the player itself still needs tricks for its bid.
    """
    led, best, winner, count = trick
    # Follow if possible: an empty intersection leaves the whole hand.
    legal = hand & led or hand
    suit = LED[best]
    # -(best << 1) has all bits above the best card.
    above = legal & suit & -(best << 1)
    # Where a plain card is best, any heart beats it: `legal` has hearts only if the suit cannot be
    # followed.
    winning = above if suit == _HEARTS else above | legal & _HEARTS
    if not winning:
        return lowest(legal)
    unseen = ALL & ~(seen | hand)
    last = count == SEATS - 1
    # No unseen card of the best one's suit has a higher bit; cuts are left out of account.
    safe = last or best > unseen & suit
    # Bids are each seat's own: a trick is left to the partner who needs it, or when the own bid is
    # made.
    if winner == mate and (mate_lacks or not lacks) and safe:
        return lowest(legal)
    cheapest = lowest(winning)
    # Nobody plays after it, or it cuts: what wins now is enough, though a higher cut may follow.
    if last or not cheapest & led:
        return cheapest
    top = _highest(winning)
    # No unseen card of its suit has a higher bit, so that those who follow cannot beat it.
    return top if top > unseen & LED[top] else lowest(legal)


def seat_cards(state: DealState, faces: Mapping[Slot, Card], seat: Seat) -> int:
    """Return the unplayed cards of a seat as a set of bits; `faces` must have them."""
    return sum(BIT[faces[slot]] for slot in state.hands[seat])


def choose_card(
    hand: int, trick: Pile, seen: int, seat: int, bids: Sequence[int], taken: Sequence[int]
) -> int:
    """Return the card that `seat` plays by rules of thumb, one bit of `hand`.

    `seen` is the set of cards that have been played; `bids` and `taken` are the tricks that each
    seat bid and took, in seat order.
    """
    if not trick.led:
        return lead(hand, ALL & ~(seen | hand))
    # Partners sit opposite each other.
    mate = (seat + 2) % SEATS
    lacks, mate_lacks = taken[seat] < bids[seat], taken[mate] < bids[mate]
    return follow(hand, trick, seen, mate, mate_lacks=mate_lacks, lacks=lacks)


def rule_of_thumb(state: DealState, hand: int, seat: Seat) -> int:
    """Return the card, as one bit, that the rules of thumb choose for `seat` in `state` with the
    cards `hand`.
    """
    return choose_card(
        hand, trick_pile(state.trick), seen_cards(state), seat, state.bid_of, state.tricks_taken
    )


def seen_cards(state: DealState) -> int:
    """Return the set of cards that have been played, those of the trick in progress included."""
    tricks = (trick.plays for trick in state.tricks)
    return sum(BIT[play.card] for plays in (*tricks, state.trick) for play in plays)


def bid_of(game: Game41, cards: Sequence[Card]) -> int:
    """Return the bid for a hand: the tricks that it is estimated to take, rounded, but at least
    the game's lowest bid and at most 13.
    """
    # There is no pass: a hand without tricks still bids the lowest number.
    return min(max(round(tricks_in(cards)), game.rules.lowest_bid), HIGHEST_BID)


def tricks_in(cards: Sequence[Card]) -> float:
    """Return how many tricks a hand is estimated to take, by its high cards, long trumps and
    short suits; not a whole number.
    """
    trumps = [card.rank for card in cards if card.suit is TRUMPS]
    tricks = _TRUMP_LENGTH * max(0, len(trumps) - 3)
    for number, worth in enumerate(_TRUMP_HIGH):
        guarded = len(trumps) > number
        # 14 is the ace, 13 the king: an honour with fewer trumps than its rank from the top is
        # often caught.
        tricks += worth * (14 - number in trumps) * (1 if guarded else 0.4)
    # All trumps, also those counted above: by rule of thumb one trump may take a trick by its
    # height or length, or by a ruff.
    spare = len(trumps)
    for suit in _PLAIN:
        ranks = [card.rank for card in cards if card.suit is suit]
        for number, worth in enumerate(_HIGH):
            guarded = number < len(ranks) <= _LONG
            # An honour alone, or in a long suit that others ruff, takes about half as many, by rule
            # of thumb.
            tricks += worth * (14 - number in ranks) * (1 if guarded else 0.5)
        # Each trump ruffs once.
        ruffs = min(max(0, 3 - len(ranks)), spare)
        spare -= ruffs
        tricks += _RUFF * ruffs
    return tricks


def reason(view: View[DealState], play: PlayCard) -> str:
    """Return a sentence on what speaks for `play`, a card that the view's seat may play; ""
    where nothing does, and for a spectator.
    """
    state, seat = view.state, view.seat
    if seat is None:
        return ""
    if not state.trick:
        card = BIT[play.card]
        held = seat_cards(state, view.faces, seat)
        # A bit above all cards of its suit that others may hold.
        if card > ALL & ~(seen_cards(state) | held) & LED[card]:
            return "Nobody has a higher card of that suit."
        return "It is not sure to win, and costs little." if play.card.rank < _LOW else ""
    leader = trick_winner(state.trick)
    if trick_winner((*state.trick, PlayedCard(seat, play.slot, play.card))) == seat:
        last = len(state.trick) == SEATS - 1
        return f"It wins the trick{'' if last else ' as it stands'}."
    if leader == Seat((seat + 2) % SEATS):
        return "Your partner is winning this trick."
    return "It leaves this trick to the others."
