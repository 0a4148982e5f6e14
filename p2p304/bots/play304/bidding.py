"""What a hand is worth: the two auctions, the indicator, redeals, open or closed.

Four cards of the pack for four seats are judged by a formula. Its weights are a least-squares fit
of the points that the maker's team takes to what the four cards hold, over 20,000 random deals
played out for every trump suit (`imagined_table`); what it leaves unexplained spreads by about 54
points. The first cards of other packs, and whole hands, are judged by playing imagined deals out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import erf, sqrt
from typing import Final, NamedTuple

from p2p304.bots.advice import Advice
from p2p304.bots.play304.imagined_table import PlayedOut, play_out
from p2p304.bots.play304.playout import Position, any_choice, contract_scene
from p2p304.cards import Card, Rank, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Bid, Contract
from p2p304.rules304.pack import CARD_POINTS, STRENGTH, SUIT_BITS, DealBatches, Pack, bits, mask
from p2p304.rules304.scoring import price_of
from p2p304.rules304.state import Phase, State

# The fitted weights of the module's docstring, in points of 304.
_BASE: Final = 154.0
# By the number of trumps among the four cards.
_LENGTH: Final = (0.0, 0.0, 8.0, 20.0, 34.0)
_IN_TRUMPS: Final = {Rank.JACK: 23.0, Rank.NINE: 13.0, Rank.ACE: 6.0, Rank.TEN: 4.0, Rank.KING: 2.0}
_OTHER_SUITS: Final = {Rank.JACK: 20.0, Rank.NINE: 5.0, Rank.ACE: 1.0}
_PER_OTHER_SUIT: Final = -4.5
_SPREAD: Final = 54.0
#: The same at least, as a share of the pack's points, where few deals were imagined. A choice: else
#: a few that end alike would make a bid look certain.
_LEAST_SPREAD: Final = 0.12
# By rule of thumb, from here on: whatever a bid must promise, more of it makes fewer bids. Finer
# ways to bid showed no gain in long matches (specs/decisions/060-one-search.md).
_NO_BID: Final = -4.0  #: Tokens that are worse than those of any bid.
#: Tokens that a bid must promise; to defend, or to have nobody play, promises no more. With 0.15,
#: which was tried first, bids on fair odds were passed.
_WORTHWHILE: Final = -0.1
_OVER_PARTNER: Final = 1.2  #: Tokens that a bid must promise to go over the partner's.
#: How many times a fair share of the points a whole hand must count before a bid is thought about
#: in the second auction: 100 of 304 points at four seats.
_WORTH_IMAGINING: Final = 100 / 76
#: Tokens that an eight-card bid must promise beyond those of the bid that stands.
_MARGIN_OF_EIGHT: Final = 0.3
_DEFENDING: Final = -0.3  #: Tokens that defenders may expect, roughly.
_PARTNER_MAKES: Final = 0.75  #: How often the partner makes its bid, roughly.
_SUITS: Final = 2  #: The longest suits, which are thought about as trumps of a whole hand.
_TOPS: Final = 3  #: How many of the highest trumps a seat must hold to play alone.
#: Imagined deals that must all be won before a contract to win every trick is undertaken. More take
#: longer, with fewer it is undertaken on cards that lose it at times.
_NEAR_CERTAIN: Final = 40


class Valuation(NamedTuple):
    """The points that the maker's team may expect with a trump suit, and how wrong that may be."""

    points: float
    trump: Suit
    spread: float = _SPREAD  #: By how many points that may be wrong, as a standard deviation.


def four_card_points(cards: tuple[Card, ...], trump: Suit) -> float:
    """Return the points, of 304, that the maker's team may expect with these four cards in one
    hand and `trump` as the trump suit.
    """
    trumps = [card for card in cards if card.suit == trump]
    others = [card for card in cards if card.suit != trump]
    points = _BASE + _LENGTH[len(trumps)]
    points += sum(_IN_TRUMPS.get(card.rank, 0.0) for card in trumps)
    points += sum(_OTHER_SUITS.get(card.rank, 0.0) for card in others)
    return points + _PER_OTHER_SUIT * len({card.suit for card in others})


def valuation(cards: tuple[Card, ...]) -> Valuation:
    """Return the trump suit that promises most points for four cards of the pack of 32, and
    those points, by formula.
    """
    suits = {card.suit for card in cards}
    # Points come first in a Valuation, so that the most points win; of equal ones the later suit.
    return max(Valuation(four_card_points(cards, suit), suit) for suit in suits)


def first_valuation(position: Position) -> Valuation:
    """Return the trump suit that promises most points for the cards of the first batch, and
    those points: by formula for four of the pack of 32, else in imagined deals.
    """
    profile, cards = position.view.state.profile, position.own_cards
    if (profile.deck, profile.deal_batches) == (Pack.SEVEN_UP, DealBatches.FOUR_FOUR):
        return valuation(cards)
    # In a fixed order, so that equal seeds advise the same.
    return imagined_valuation(position, sorted({card.suit for card in cards}))


def imagined_valuation(position: Position, suits: Sequence[Suit]) -> Valuation:
    """Return the one of `suits` that promises most points as trump, and those points, on average
    over imagined deals. Every suit is tried on the same deals.
    """
    # One seed for all suits: they are compared on the same deals.
    profile, seed = position.view.state.profile, position.chance.word()
    found = []
    for suit in suits:
        same = position._replace(chance=SeededRandomness(seed))
        # The lowest bid stands for any: what the points are worth for a bid is judged later.
        endings = imagine_deals(same, suit, profile.bid_min, position.level.deals)
        points = [each.points for each in endings]
        mean = sum(points) / len(points)
        spread = sqrt(sum((each - mean) ** 2 for each in points) / len(points))
        found.append(Valuation(mean, suit, max(spread, _LEAST_SPREAD * profile.deck.points)))
    # Points come first in a Valuation.
    return max(found)


def expected_tokens(state: State, value: Valuation, bid: int) -> float:
    """Return the tokens that `bid` gains on average, negative for a loss, if the points taken
    are normally distributed around `value`.
    """
    price = price_of(state.profile, bid)
    # The half is the continuity correction: points are whole numbers, and the bid itself is enough.
    likely = 0.5 * (1 + erf((value.points - bid + 0.5) / (value.spread * sqrt(2))))
    return likely * price.made - (1 - likely) * price.failed


# ---------------------------------------------------------------------------- four cards


def four_card_call(position: Position) -> Advice:
    """Advise a call of the first auction (RULES 5): a redeal where one may be demanded, Half Court
    with cards that win it for sure, or the number that promises most tokens if that is enough.

    Else it advises to ask the partner, to pass or, where a bid is due, the lowest number.
    """
    state, seat, legal = position.view.state, position.seat, position.legal
    redeal = next((each for each in legal if isinstance(each, act.DemandRedeal)), None)
    if redeal is not None:
        return Advice(redeal, "Cards that count so little are better thrown in.")
    cards = position.own_cards
    value = first_valuation(position)
    bids = [each.bid for each in legal if isinstance(each, act.PlaceBid)]
    tops = ({Card(suit, rank) for rank in _TOP} for suit in Suit)
    if Contract.HALF_COURT in bids and {*cards} in tops:
        why = "The four highest cards of one suit win every trick of half court."
        return Advice(act.PlaceBid(Contract.HALF_COURT), why)
    numbers = [bid for bid in bids if not isinstance(bid, Contract)]
    # Of bids in one price bracket the lowest: it is made most often. 0 where no number is legal.
    best = max(numbers, key=lambda bid: (expected_tokens(state, value, bid), -bid), default=0)
    gain = expected_tokens(state, value, best) if best else _NO_BID
    promise = f"{value.trump.name.lower()} as trumps promise about {value.points:.0f} points"
    over_partner = state.auction.top_seat in state.mates(seat)
    if gain > (_OVER_PARTNER if over_partner else _WORTHWHILE):
        return Advice(act.PlaceBid(best), f"With these cards {promise}, enough to bid {best}.")
    return _without_bid(position, promise, min(numbers, default=0))


def _without_bid(position: Position, promise: str, lowest: int) -> Advice:
    """Advise to ask a partner, where that is legal, if nobody has bid and a partner has not
    spoken yet, or if the seat may not pass; else to pass; where neither can be, the `lowest`
    bid. `promise` says in words what the cards are worth.
    """
    state, seat, legal = position.view.state, position.seat, position.legal
    asks = [each for each in legal if isinstance(each, act.AskPartner)]
    # Only a partner that has not spoken can add anything new.
    silent = [each for each in state.mates(seat) if not state.auction.spoken[each]]
    fresh = state.auction.top is None and bool(silent)
    may_pass = act.Pass() in legal
    if asks and (fresh or not may_pass):
        # The first of all: with one partner `mate` is None; with several it is for a seat that may
        # not pass, once all partners have spoken.
        ask = next((each for each in asks if each.mate in silent), asks[0])
        return Advice(ask, f"Here {promise}, too little; the partner may hold more.")
    if may_pass:
        return Advice(act.Pass(), f"Here {promise}, too little for a bid.")
    return Advice(act.PlaceBid(lowest), f"A bid is due, so it is the lowest; {promise}.")


def indicator(position: Position) -> Advice:
    """Advise which card to lay as the indicator (RULES 6 and 7): the highest card of the best
    trump suit, or the lowest where the highest is the pack's top rank, such as the jack.
    """
    state = position.view.state
    if state.phase is Phase.INDICATOR4:
        trump = first_valuation(position).trump
    else:
        trump = imagined_valuation(position, long_suits(position.own_cards)).trump
    faces = position.view.faces
    # The jack leads and draws trumps best from the hand, so a lower one lies on the table.
    trumps = sorted(
        (slot for slot in state.hands[position.seat] if faces[slot].suit == trump),
        key=lambda slot: STRENGTH[faces[slot].rank],
    )
    slot = trumps[-1]
    if faces[slot].rank is state.profile.deck.ranks[0] and len(trumps) > 1:
        slot = trumps[0]
    why = f"{trump.name.capitalize()} are the best trumps, and {faces[slot]} is spared most easily."
    return Advice(act.LayIndicator(slot), why)


# ---------------------------------------------------------------------------- eight cards


def imagine_deals(position: Position, trump: Suit, bid: Bid, deals: int) -> Iterator[PlayedOut]:
    """Yield how imagined deals end in which the seat, with its own cards, is the maker with `bid`
    and `trump`: the points of its team and the tricks that it lost.

    Cards that it has not been dealt yet are imagined, too. There are at most `deals` endings; fewer
    when the position's time is up, but at least one.
    """
    state, seat, cards = position.view.state, position.seat, mask(position.own_cards)
    trumps = cards & SUIT_BITS[trump]
    # The lowest trump; who plays alone opens trump and lays none.
    laid = 0 if isinstance(bid, Contract) else trumps & -trumps
    size = state.profile.deal_batches.cards
    missing = size - cards.bit_count()
    unseen = list(bits(mask(state.profile.deck.cards) & ~cards))
    for _ in range(deals):
        position.chance.shuffle(unseen)
        # Each card is a bit of its own: the sum of some is their set.
        hands = [0] * state.seats
        # Places count from the seat, which is place 0.
        for place in range(1, state.seats):
            hands[(seat + place) % state.seats] = sum(unseen[size * (place - 1) : size * place])
        # The others take from the front of the shuffled cards, the seat what it lacks from the end:
        # if that is nothing, [-0:] would be all.
        hands[seat] = cards | sum(unseen[-missing:]) if missing else cards
        yield play_out(contract_scene(state, seat, hands, trump, bid, laid))
        if position.more is not None and not position.more():
            return


def long_suits(cards: tuple[Card, ...]) -> list[Suit]:
    """Return at most two suits that may be the best trumps: the longest, of equal ones the
    strongest.
    """
    suits = {card.suit for card in cards}
    held = {each: [CARD_POINTS[card] for card in cards if card.suit is each] for each in suits}
    return sorted(held, key=lambda suit: (len(held[suit]), sum(held[suit])), reverse=True)[:_SUITS]


def eight_card_call(position: Position) -> Advice:
    """Advise a call of the second auction (RULES 7): to play alone with the three highest trumps
    if forty imagined deals are all won, the lowest number if it promises clearly more tokens
    than passing; else, and at once with cards that count too little, a pass.
    """
    state, cards = position.view.state, position.own_cards
    profile = state.profile
    bids = [each.bid for each in position.legal if isinstance(each, act.PlaceBid)]
    # What each seat's cards count on average.
    fair = profile.deck.points / profile.seats
    if sum(CARD_POINTS[card] for card in cards) < fair * _WORTH_IMAGINING:
        least = profile.auction8_min
        return Advice(act.Pass(), f"These cards count too little for a bid of {least} or more.")
    suits, alone = long_suits(cards), Contract.PARTNER_CLOSE_CAPS
    for suit in suits:
        if alone in bids and {Card(suit, rank) for rank in profile.deck.ranks[:_TOPS]} <= {*cards}:
            # No number of points helps here, only certainty: one lost deal in forty rules it out,
            # and so do fewer than forty, where time was up.
            endings = [*imagine_deals(position, suit, alone, _NEAR_CERTAIN)]
            if len(endings) == _NEAR_CERTAIN and not any(each.lost for each in endings):
                trumps = f"with {suit.name.lower()} as trumps"
                why = f"Alone, {trumps}, every imagined deal was won whole."
                return Advice(act.PlaceBid(alone), why)
    lowest = min((bid for bid in bids if not isinstance(bid, Contract)), default=0)
    if not lowest:
        return Advice(act.Pass(), "No number above the standing bid is left.")
    value = imagined_valuation(position, suits)
    told = f"{value.trump.name.lower()} as trumps promise about {value.points:.0f} points"
    if expected_tokens(state, value, lowest) > _without_eight(position) + _MARGIN_OF_EIGHT:
        return Advice(act.PlaceBid(lowest), f"With these cards {told}, enough to bid {lowest}.")
    return Advice(act.Pass(), f"Here {told}, too little for {lowest}.")


def _without_eight(position: Position) -> float:
    """Return the tokens that the seat's team may expect if nobody bids in the second auction, and
    the bid that stands is played.

    Deals are imagined only for the seat's own bid; for a partner's bid, for opponents and for a
    contract to win every trick it is a rough guess.
    """
    state, seat = position.view.state, position.seat
    # The second auction begins with the bid of the first.
    contract = state.the_contract
    if isinstance(contract, Contract) or state.maker not in (seat, *state.mates(seat)):
        return _DEFENDING
    # Its own bid is judged with its own cards; of a partner's only its success rate is known.
    if state.maker == seat and state.indicator is not None:
        trump = position.view.faces[state.indicator].suit
        return expected_tokens(state, imagined_valuation(position, [trump]), contract)
    price = price_of(state.profile, contract)
    return _PARTNER_MAKES * price.made - (1 - _PARTNER_MAKES) * price.failed


# --- 304 with a called partner by rules of thumb: bids, the card to call, trump open or hidden ----

_TOP: Final = (Rank.JACK, Rank.NINE, Rank.ACE, Rank.TEN)
# By rule of thumb, from here on: the fit above is for teams.
#: Points that a hand without any strength may hope for together with a good partner.
_CALL_BASE: Final = 96
_TRUMP_WORTH: Final = {Rank.JACK: 34, Rank.NINE: 24, Rank.ACE: 14, Rank.TEN: 12}
_SIDE_WORTH: Final = {Rank.JACK: 18, Rank.NINE: 8}
_LENGTH_WORTH: Final = 9  #: Of each trump beyond the third.
_OPEN_FROM: Final = 5  #: Trumps in hand from which trump is opened.


def worth(cards: Sequence[Card], trump: Suit) -> int:
    """Return the points to hope for with these cards and `trump`, together with a good partner,
    in a game with a called card; by rule of thumb.
    """
    trumps = [card for card in cards if card.suit is trump]
    sides = [card for card in cards if card.suit is not trump]
    # Fewer than three trumps count against the suit.
    total = _CALL_BASE + _LENGTH_WORTH * (len(trumps) - 3)
    total += sum(_TRUMP_WORTH.get(card.rank, 0) for card in trumps)
    return total + sum(_SIDE_WORTH.get(card.rank, 0) for card in sides)


def best_trump(cards: Sequence[Card]) -> Suit:
    """Return the suit of a hand that has the highest `worth` as trump; of equal ones the first
    in suit order.
    """
    return max({card.suit for card in cards}, key=lambda suit: (worth(cards, suit), -suit))


def _half_court(at: Position) -> Advice:
    """Advise Half Court with jack, nine and ace of one suit among the first cards; else a pass."""
    cards = at.own_cards
    suit = best_trump(cards)
    ranks = [card.rank for card in cards if card.suit is suit]
    if {Rank.JACK, Rank.NINE, Rank.ACE} <= {*ranks}:
        why = f"The three highest {suit.name.lower()} and a partner may win all four tricks."
        return Advice(act.PlaceBid(Contract.HALF_COURT), why)
    return Advice(act.Pass(), "These four cards do not win every trick.")


def _number(at: Position) -> Advice:
    """Advise the lowest legal number if the hand hopes for as many points; else a pass."""
    cards = at.own_cards
    suit = best_trump(cards)
    hoped = worth(cards, suit)
    numbers = [
        each.bid
        for each in at.legal
        if isinstance(each, act.PlaceBid) and isinstance(each.bid, int)
    ]
    # Bids are in increasing order. The lowest number is enough: it outbids all so far, and more
    # would be needed for nothing.
    if numbers and numbers[0] <= hoped:
        why = f"With {suit.name.lower()} as trump this hand hopes for {hoped} points."
        return Advice(act.PlaceBid(numbers[0]), why)
    return Advice(act.Pass(), f"This hand hopes for {hoped} points at best.")


def _indicator(at: Position) -> Advice:
    """Advise to lay the lowest card of the best trump suit."""
    cards = at.own_cards
    suit = best_trump(cards)
    lays = [each for each in at.legal if isinstance(each, act.LayIndicator)]
    mine = [each for each in lays if at.view.faces[each.slot].suit is suit]
    # Never empty: the suit is one of the hand's, and every card of the hand may be laid.
    low = min(mine, key=lambda each: STRENGTH[at.view.faces[each.slot].rank])
    why = f"{suit.name.capitalize()} are the best trump, and a low one is missed least."
    return Advice(low, why)


def _name(at: Position) -> Advice:
    """Advise to call the highest trump of jack, nine, ace and ten that the hand lacks; where it
    has all four, the highest of these ranks that it lacks in its longest other suit.
    """
    cards = at.own_cards
    # A card is named once the indicator lies on the table.
    trump = at.view.faces[at.view.state.the_indicator].suit
    # False sorts before True: trump first, then suits by length.
    sides = sorted(Suit, key=lambda suit: (suit is not trump, -sum(c.suit is suit for c in cards)))
    wanted = (Card(suit, rank) for suit in sides for rank in _TOP)
    # There is one: a hand has at most eight cards, and sixteen are wanted.
    found = next(card for card in wanted if card not in cards)
    return Advice(act.NameCard(found), f"{found} is the card that this hand lacks most.")


def _declare(at: Position) -> Advice:
    """Advise to open trump with five or more trumps, the indicator counted; else to keep trump
    closed.
    """
    cards = at.own_cards
    # Trump is declared while the indicator lies on the table.
    trump = at.view.faces[at.view.state.the_indicator]
    if sum(card.suit is trump.suit for card in cards) >= _OPEN_FROM:
        return Advice(act.OpenTrump(trump), "With so many trumps there is nothing to hide.")
    return Advice(act.KeepClosed(), "Hidden trump leaves the others in doubt.")


def _window(at: Position) -> Advice:
    """Advise to show a marriage where there is one; else to go on."""
    shown = next((each for each in at.legal if isinstance(each, act.DeclareMarriages)), None)
    if shown is not None:
        return Advice(shown, "A marriage helps the side of whoever shows it.")
    return Advice(act.Ready(), "Nothing is certain enough to be claimed.")


#: How each decision but that of a card is made.
DECISIONS: Final[Mapping[Phase, Callable[[Position], Advice]]] = {
    Phase.CUT: any_choice,
    # With four cards only Half Court can be bid there (PROFILES 3.2).
    Phase.AUCTION4: _half_court,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _number,
    Phase.INDICATOR8: _indicator,
    Phase.NAMING: _name,
    Phase.DECLARE: _declare,
    Phase.WINDOW: _window,
}
