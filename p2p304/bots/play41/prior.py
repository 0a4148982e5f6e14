"""What is known of playing 41 and 400 well: tricks counted for a bid, and cards that take them; how
a deal is played to its end in a moment, and its worth; what bids and cards tell.

Cards are bits: thirteen for each suit, the higher the stronger. A player decides from its own hand
and the cards that have been played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, log
from typing import Final, NamedTuple

from p2p304.bots.advice import Advice, Level, More
from p2p304.bots.search.interface import Payoff
from p2p304.cards import Card, Faces, Rank, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import (
    ALL_SEATS,
    HAND_SIZE,
    PACK,
    SEATS,
    TRUMPS,
    Action,
    DealPhase,
    DealState,
    Game41,
    Outcome41,
    PlaceBid,
    PlayCard,
    PlayedCard,
    score_deal,
    thrown_in,
    trick_winner,
    winning_team,
)
from p2p304.rules41.rules import HIGHEST_BID, Rules41
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
#: The four cards of each rank, the lowest rank first.
_OF_RANK: Final = tuple(sum(BIT[Card(suit, rank)] for suit in Suit) for rank in Rank)
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
    for rank in _OF_RANK:
        if found := plain & rank:
            # The lowest bit: of the first suit.
            return found & -found
    return cards & -cards


def _highest(cards: int) -> int:
    """Return the most useful card of a set: the highest trump, else the highest rank among the
    others, of equal ones that of the last suit; 0 for an empty set.
    """
    for rank in (_HEARTS, *reversed(_OF_RANK)):
        if found := cards & rank:
            return 1 << found.bit_length() - 1
    return 0


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


def seat_cards(state: DealState, faces: Faces, seat: Seat) -> int:
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


# --- a deal played to its end in a moment, as players who count play it ---------------------------


class Playout41:
    """Plays imagined deals of 41 or 400 to their end by rules of thumb."""

    def __init__(self, game: Game41) -> None:
        """Prepare playouts of deals of `game`."""
        self._game = game

    def __call__(self, view: View[DealState], state: DealState, faces: Faces) -> Payoff | None:
        """Return what each seat gets when the deal is played out from `state`, with the card of
        every slot in `faces`. Bids that are missing are made by an estimate of tricks; if all four
        are worth too little then, it is what a deal thrown in brings.

        None before the bidding, and after the deal is over.
        """
        if state.phase is not DealPhase.PLAYING and state.phase is not DealPhase.BIDDING:
            return None
        bids, rules = state.bids, self._game.rules
        for place in range(len(bids), SEATS):
            # Bids go round from dealer's right (PROFILES 4.3).
            seat = (state.dealer + 1 + place) % SEATS
            bids += (bid_of(self._game, [faces[slot] for slot in state.hands[seat]]),)
        if state.phase is DealPhase.BIDDING and sum(map(rules.value, bids)) < state.floor:
            # In the order of speaking: nobody scores, so no bid is looked up by its seat.
            return ending_of(rules, view, thrown_in(bids))
        # Bids are in the order of speaking, from the dealer's right; from here on in seat order.
        spoken = tuple(bids[(seat - state.dealer - 1) % SEATS] for seat in range(SEATS))
        # After the bids the seat that spoke first leads first.
        turn = state.awaiting[0] if state.phase is DealPhase.PLAYING else (state.dealer + 1) % SEATS
        taken = play_out(state, faces, spoken, turn)
        return ending_of(rules, view, score_deal(rules, spoken, taken))


def play_out(state: DealState, faces: Faces, bids: tuple[int, ...], turn: int) -> tuple[int, ...]:
    """Return the tricks that each seat has at the end of the deal, in seat order, played by rules
    of thumb.

    `faces` has the card of every unplayed slot; `bids` are in seat order; `turn` is the seat that
    plays next.
    """
    hands = [seat_cards(state, faces, seat) for seat in ALL_SEATS]
    # All that is in no hand has been played.
    seen = ALL & ~sum(hands)
    taken = list(state.tricks_taken)
    trick, seat = trick_pile(state.trick), turn
    # As many cards at most; fewer in a deal that has begun, where the first empty hand ends it.
    for _ in range(HAND_SIZE * SEATS):
        hand = hands[seat]
        if not hand:
            break
        card = choose_card(hand, trick, seen, seat, bids, taken)
        hands[seat] = hand ^ card
        seen |= card
        trick = trick.with_card(seat, card)
        if trick.cards < SEATS:
            seat = (seat + 1) % SEATS
        else:
            seat = trick.winner
            taken[seat] += 1
            trick = Pile()
    return tuple(taken)


# --- what the end of a deal is worth at the score of the match ------------------------------------

# Choices: how well others would do was not kept.
#: Points by which a partner must be ahead of the other before its points alone count.
_EVEN: Final = 6.0
#: Points that a partner should have before the other reaches the target, to be safe above 0.
_POSITIVE: Final = 4
#: What each point less than that costs, in points of the partner who is ahead.
_POINT_BELOW: Final = 0.6
_LEAD: Final = 9.0  #: Points of lead that make a team the favourite by e to 1.


def strength(pair: tuple[int, ...], target: int) -> float:
    """Return how near two partners with the scores `pair` are to winning, in points of the partner
    who is ahead: nearly the higher score, less where the other partner is not safely above 0.

    `target` is the score that wins; the nearer it is, the more a partner near 0 counts.
    """
    one, other = pair
    # A smooth maximum: near the higher score, and more if both partners are close.
    reached = _EVEN * log(exp(one / _EVEN) + exp(other / _EVEN))
    # What the other lacks above 0 matters more, the nearer the first is to the target.
    near = max(0.0, min(1.0, max(pair) / target))
    return reached - near * _POINT_BELOW * max(0, _POSITIVE - min(pair))


def chance_to_win(rules: Rules41, scores: tuple[int, ...]) -> float:
    """Return roughly the chance, from 0 to 1, that seats 0 and 2 win a match that stands at
    these four scores; 1 or 0 where it is over.
    """
    won = winning_team(rules, scores)
    if won is not None:
        # The number of the team: 0 for these seats, 1 for the others.
        return 1.0 - won
    # Partners sit opposite each other: seats 0 and 2, seats 1 and 3.
    pairs = scores[0::2], scores[1::2]
    lead = strength(pairs[0], rules.target) - strength(pairs[1], rules.target)
    return 1 / (1 + exp(-lead / _LEAD))


def ending_of(rules: Rules41, view: View[DealState], outcome: Outcome41) -> Payoff:
    """Return the payoff of a deal: for each seat its pair's chance to win the match afterwards and
    its change of score, and whether the view's seat made its bid (None where the deal was thrown
    in, and for a spectator).

    `view` also has the scores before the deal; without any the match stands at 0.
    """
    # A deal outside a match is judged as the first of one.
    before = view.scores or (0,) * SEATS
    after = tuple(old + new for old, new in zip(before, outcome.scores, strict=True))
    won = outcome.match_won
    likely = chance_to_win(rules, after) if won is None else 1.0 - won
    # Seats alternate between the pairs.
    worth = (likely, 1 - likely) * (SEATS // 2)
    seat = view.seat
    made = None
    if seat is not None and not outcome.thrown_in:
        made = outcome.tricks_taken[seat] >= outcome.bids[seat]
    return Payoff(worth, tuple(map(float, outcome.scores)), made)


# --- what bids and cards tell the search ----------------------------------------------------------

# These numbers are choices. The more a share favours rules of thumb, the seldomer the search looks
# at anything else; a wider range of bids spends hands on bids that seldom do best.
_TOLD: Final = 0.5  #: The share of the card that the rules of thumb name; the others have the rest.
_BELOW, _ABOVE = 2, 3  #: How far from the counted tricks a bid is thought about.
# How fast a bid's share falls with its squared distance from the count.
_NEAR: Final = 0.5


class Prior41:
    """The rules of thumb of 41 and 400 for the search: bids and cards are searched."""

    # With a tree below each choice; 304 alone goes without (specs/decisions/060-one-search.md).
    ahead = True

    def __init__(self, game: Game41) -> None:
        """Prepare rules of thumb for `game` under its rules."""
        self._game = game

    def decide(
        self,
        view: View[DealState],
        legal: Sequence[Action],
        level: Level,  # noqa: ARG002 - a cut needs no thought at any level
        chance: SeededRandomness,
        more: More | None,  # noqa: ARG002 - as `level`
    ) -> Advice | None:
        """Return a random cut, drawn from `chance`; None for bids and cards, which are searched.
        `level` and `more` are not used.
        """
        if view.state.phase is not DealPhase.CUTTING:
            return None
        cut = legal[chance.randbelow(len(legal))]
        return Advice(cut, "One choice is as good as another here.")

    def candidates(
        self, view: View[DealState], legal: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the legal actions that are worth a search, each with the share of times that a
        good player would choose it, together 1: bids near the tricks that the hand should take, or
        one card of each run that wins the same tricks.

        Cuts and sorting all have equal shares.
        """
        # The first tells the kind of all: each phase has one kind of action.
        if isinstance(legal[0], PlaceBid):
            return self._bids(view, legal)
        if not isinstance(legal[0], PlayCard) or len(legal) == 1:
            return [(each, 1 / len(legal)) for each in legal]
        # The search asks for a seat that is to act, never for a spectator.
        assert view.seat is not None
        hand = seat_cards(view.state, view.faces, view.seat)
        best = rule_of_thumb(view.state, hand, view.seat)
        unseen = ALL & ~(seen_cards(view.state) | hand)
        plays = {BIT[each.card]: each for each in legal if isinstance(each, PlayCard)}
        # Each card is one bit: the sum of different ones is their union.
        different = [*_different(sum(plays), unseen, best)]
        if len(different) == 1:
            return [(plays[different[0]], 1.0)]
        rest = (1 - _TOLD) / (len(different) - 1)
        return [(plays[each], _TOLD if each == best else rest) for each in different]

    def _bids(
        self, view: View[DealState], legal: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the bids from 2 below to 3 above the tricks that the hand should take, each
        with its share, together 1; the nearer, the larger. The lowest bid alone where none is so
        near.
        """
        # As in `candidates`: never a spectator.
        assert view.seat is not None
        count = tricks_in([view.faces[slot] for slot in view.state.hands[view.seat]])
        near: list[tuple[Action, float]] = [
            (each, exp(-_NEAR * (each.tricks - count) ** 2))
            for each in legal
            if isinstance(each, PlaceBid) and -_BELOW <= each.tricks - count <= _ABOVE
        ] or [(legal[0], 1.0)]
        total = sum(share for _, share in near)
        return [(each, share / total) for each, share in near]

    def act(
        self, view: View[DealState], legal: Sequence[Action], chance: SeededRandomness
    ) -> Action:
        """Return the bid or card that rules of thumb choose; a cut or a sorting is drawn by
        chance.
        """
        # As in `candidates`: never a spectator.
        assert view.seat is not None
        state, seat = view.state, view.seat
        # As in `candidates`: one kind of action in each phase.
        if isinstance(legal[0], PlaceBid):
            # Legal: no bid needs to go over another, so that any number from the lowest to 13 is.
            return PlaceBid(bid_of(self._game, [view.faces[slot] for slot in state.hands[seat]]))
        if not isinstance(legal[0], PlayCard):
            return legal[chance.randbelow(len(legal))]
        hand = seat_cards(state, view.faces, seat)
        card = CARD[rule_of_thumb(state, hand, seat)]
        return next(each for each in legal if isinstance(each, PlayCard) and each.card == card)

    def why(self, view: View[DealState], action: Action) -> str:
        """Return a sentence on a bid, with the tricks that the hand should take, or on what
        speaks for a card; "" for other actions.
        """
        if isinstance(action, PlayCard):
            return reason(view, action)
        if not isinstance(action, PlaceBid) or view.seat is None:
            return ""
        cards = [view.faces[slot] for slot in view.state.hands[view.seat]]
        return f"These cards are worth about {tricks_in(cards):.1f} tricks."

    def judge(
        self,
        view: View[DealState],
        state: DealState,  # noqa: ARG002 - the outcome tells it all
        outcome: Outcome41,
    ) -> Payoff:
        """Return the payoff of a deal that ended with `outcome`: its worth to each seat is its
        pair's chance to win the match from the new scores; with each seat's change of score, and
        whether the view's seat made its bid.
        """
        return ending_of(self._game.rules, view, outcome)


def _different(cards: int, unseen: int, told: int) -> Iterator[int]:
    """Yield one card, as a bit, of each run of `cards` that win the same tricks, with no card of
    `unseen` between them: `told` if it is in the run, else the lowest.
    """
    rest = cards
    while rest:
        low = rest & -rest
        row = low
        rest ^= low
        # rest & -rest is the lowest card left; less `low` it has the bits between the two. The next
        # card up of the suit belongs to the row while nothing is between.
        while rest & LED[low] and not unseen & (rest & -rest) - low:
            row |= rest & -rest
            # Without its lowest bit.
            rest &= rest - 1
        yield told if told & row else low
