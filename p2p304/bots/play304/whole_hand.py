"""Bids by whole imagined hands: the eight-card auction of 304, Partner Close Caps, and the first
auction with packs for which nothing was learned of what seats usually call.

Every contract that may follow is played out in the same imagined deals, with the cards of the
others as their calls make them likely, and priced in tokens at the score of the match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from p2p304.bots.advice import Advice, Considered
from p2p304.bots.play304 import bidding
from p2p304.bots.play304.imagined_deals import endings, first_cards, whole_hands
from p2p304.bots.play304.imagined_table import PlayedOut
from p2p304.bots.play304.promise import likely_trump
from p2p304.bots.play304.stakes import Outlook, Stakes, outlook, stakes
from p2p304.bots.play304.thinking import Position
from p2p304.bots.play304.usual_calls import fits
from p2p304.bots.styles import EVEN, Style
from p2p304.cards import Suit
from p2p304.rules304.actions import AskPartner, DemandRedeal, Pass, PlaceBid
from p2p304.rules304.bids import Bid, Contract, bid_name
from p2p304.rules304.bits import SUIT_BITS, SUITS, mask

_GLANCE: Final = 16
"""Imagined deals after which a bid is given up that brings clearly less than to pass."""
_HOPELESS: Final = 1.0
"""Tokens that are clearly less."""
_DEALS: Final = 96
"""Imagined deals for what is not given up."""
_MARGIN: Final = 0.25
"""Tokens that an eight-card bid must promise beyond what stands: playouts tell only roughly how
often every trick, or nearly every one, is won."""
_RIVAL_MAKES: Final = 0.6
"""How often an opponent makes the eight-card bid that stands, roughly."""
_ASKS_FROM: Final = -0.4
"""Tokens of the best bid from which a seat asks that does not bid: an ask says that the hand is
nearly good enough."""
_AFTER_AN_ASK: Final = -0.3
"""Tokens that a bid must promise to whom a partner with a strong hand has asked."""


class _Tried:
    """A contract of the seat's own, and how it went so far."""

    def __init__(self, bid: Bid, trump: int) -> None:
        self.bid, self.trump = bid, trump
        self.ends: list[PlayedOut] = []

    @property
    def outlook(self) -> Outlook:
        return outlook(self.bid, self.ends)


def eight_card_call(position: Position, style: Style = EVEN) -> Advice:
    """Advise a call of the second auction (RULES 7), in a manner."""
    state, seat = position.view.state, position.seat
    tried = _contracts(position)
    if not tried:
        return Advice(Pass(), "No number above the standing bid is left.")
    price, team = stakes(position.view), state.profile.teams[seat]

    def gain(each: _Tried) -> float:
        return price.expected(team, each.bid, each.outlook)

    standing: list[PlayedOut] = []
    left = tried
    for deals, firsts in enumerate(first_cards(position, _DEALS), 1):
        hands = whole_hands(state, firsts, position.chance)
        standing += _as_it_stands(position, hands, firsts)
        for each in left:
            each.ends += endings(state, seat, hands, each.trump, each.bid)
        if deals == _GLANCE:
            least = _passing(position, price, standing) - _HOPELESS
            left = [each for each in left if gain(each) > least]
            if not left:
                break
        if not position.thinking.goes_on():
            break
    passing = _passing(position, price, standing)
    found = {each.bid: each for each in sorted(tried, key=gain)}  # the best suit of each bid
    best = max(left or tried, key=gain)
    bids = gain(best) + style.daring > passing + _MARGIN
    choices = [_considered(each, gain(each)) for each in found.values()]
    choices.append(Considered(Pass(), max(each.visits for each in choices), passing, None, passing))
    action = PlaceBid(best.bid) if bids else Pass()
    choices.sort(key=lambda each: (each.action != action, -each.worth))
    trumps = Suit(best.trump).name.lower()
    made = f"was made in {best.outlook.likely:.0%} of imagined hands"
    if bids:
        why = f"With {trumps} as trumps it {made}, which is worth more than to pass."
        return Advice(action, why, gain(best), best.outlook.likely, tuple(choices))
    return Advice(
        action,
        f"Even with {trumps} as trumps {bid_name(best.bid)} {made}.",
        passing,
        None,
        tuple(choices),
    )


def indicator(position: Position) -> Advice:
    """Advise which of eight cards goes face down: of the suit with which the bid is made most often
    (RULES 7)."""
    state = position.view.state
    assert state.contract is not None
    tried = [_Tried(state.contract, suit) for suit in bidding.long_suits(mask(position.own_cards))]
    for firsts in first_cards(position, _DEALS // 2):
        hands = whole_hands(state, firsts, position.chance)
        for each in tried:
            each.ends += endings(state, position.seat, hands, each.trump, each.bid)
        if not position.thinking.goes_on():
            break
    best = max(tried, key=lambda each: each.outlook.made)
    return bidding.lay(position, Suit(best.trump))


def _considered(tried: _Tried, gain: float) -> Considered:
    found = tried.outlook
    return Considered(PlaceBid(tried.bid), found.hands, gain, found.likely, gain)


def _contracts(position: Position) -> list[_Tried]:
    """Return the contracts that are worth a thought: the lowest number, and to play alone."""
    bids = [each.bid for each in position.legal if isinstance(each, PlaceBid)]
    worth_it: list[Bid] = []
    worth_it += [bid for bid in bids if not isinstance(bid, Contract)][:1]
    worth_it += [bid for bid in bids if bid is Contract.PARTNER_CLOSE_CAPS]
    return [
        _Tried(bid, suit)
        for bid in worth_it
        for suit in bidding.long_suits(mask(position.own_cards))
    ]


def _as_it_stands(
    position: Position, hands: Sequence[int], firsts: Sequence[int]
) -> Iterator[PlayedOut]:
    """Yield how the bid of four cards ends if nobody goes over it."""
    state = position.view.state
    maker, bid = state.maker, state.contract
    if maker is None or bid is None or state.auction.top is not None:
        return
    face = None if state.indicator is None else position.view.faces.get(state.indicator)
    trump = _drawn_trump(position, firsts[maker]) if face is None else int(face.suit)
    yield from endings(state, maker, hands, trump, bid)


def _drawn_trump(position: Position, first: int) -> int:
    """Return a suit that a maker may have chosen who held these cards first."""
    if not fits(position.view.state.profile):
        return int(max(SUITS, key=lambda suit: (first & SUIT_BITS[suit]).bit_count()))
    left = position.chance.randbelow(1 << 20) / (1 << 20)
    for suit in SUITS:
        left -= likely_trump(first, suit)
        if left < 0:
            return int(suit)
    return int(max(SUITS, key=lambda suit: likely_trump(first, suit)))


def _passing(position: Position, price: Stakes, standing: Sequence[PlayedOut]) -> float:
    """Return the tokens to expect if the seat passes."""
    state = position.view.state
    teams, rival = state.profile.teams, state.auction.top_seat
    ours = teams[position.seat]
    if state.auction.top is not None and rival is not None:
        gain = price.tokens(teams[rival], state.auction.top, _RIVAL_MAKES)
        return gain if teams[rival] == ours else -gain
    assert state.maker is not None
    assert state.contract is not None
    gain = price.expected(teams[state.maker], state.contract, outlook(state.contract, standing))
    return gain if teams[state.maker] == ours else -gain


# ---------------------------------------------------------------------------- other packs


def first_call(position: Position, style: Style = EVEN) -> Advice:
    """Advise a call of the first auction by whole imagined hands, in a manner (RULES 5)."""
    state, legal = position.view.state, position.legal
    redeal = next((each for each in legal if isinstance(each, DemandRedeal)), None)
    if redeal is not None:
        return Advice(redeal, "Cards that count so little are better thrown in.")
    value = first_value(position)
    team, price = state.profile.teams[position.seat], stakes(position.view)
    bids = [each.bid for each in legal if isinstance(each, PlaceBid)]
    numbers = [bid for bid in bids if not isinstance(bid, Contract)]

    def gain(bid: int) -> float:
        return price.tokens(team, bid, bidding.chance_to_make(value, bid))

    promise = f"{value.trump.name.lower()} as trumps promise about {value.points:.0f} points"
    best = max(numbers, key=lambda bid: (gain(bid), -bid), default=0)
    expected = gain(best) if best else None
    likely = bidding.chance_to_make(value, best) if best else None
    asked = state.auction.asked is not None
    least = _AFTER_AN_ASK if asked else bidding.least_gain(state, position.seat)
    if expected is not None and expected + style.daring > least:
        why = f"With these cards {promise}, enough to bid {best}."
        return Advice(PlaceBid(best), why, expected, likely)
    asks = [each for each in legal if isinstance(each, AskPartner)]
    near = expected is not None and expected > _ASKS_FROM and state.auction.top is None
    if asks and (near or Pass() not in legal):
        silent = {each for each in state.mates(position.seat) if not state.auction.spoken[each]}
        ask = next((each for each in asks if each.mate in silent), asks[0])
        return Advice(ask, f"Here {promise}, nearly enough; the partner may hold as much.")
    if Pass() in legal:
        if not numbers:
            return Advice(Pass(), f"Here {promise}, and no number is left.")
        lowest = bidding.chance_to_make(value, numbers[0])
        return Advice(Pass(), f"Here {promise}; {numbers[0]} would be made in {lowest:.0%}.")
    return Advice(PlaceBid(numbers[0]), f"A bid is due, so it is the lowest; {promise}.")


def first_value(position: Position) -> bidding.Valuation:
    """Return the best trump suit for the first cards, and what it promises in imagined hands."""
    state, seat = position.view.state, position.seat
    cards = mask(position.own_cards)
    points: dict[Suit, list[int]] = {suit: [] for suit in SUITS if cards & SUIT_BITS[suit]}
    for firsts in first_cards(position, _DEALS // 2):
        hands = whole_hands(state, firsts, position.chance)
        for suit, taken in points.items():
            ends = endings(state, seat, hands, suit, state.profile.bid_min)
            taken += [each.points for each in ends]
        if not position.thinking.goes_on():
            break
    return max(bidding.valued(taken, suit, state.profile.deck) for suit, taken in points.items())
