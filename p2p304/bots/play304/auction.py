"""The four-card auction as a decision about tokens, at the score of the match.

The first cards of the others are imagined as their calls tell of them; for every call that may be
made the auction is carried on by what players usually call, and the contract that it ends with is
priced by the points that all the cards promise. The call that brings the most tokens is made.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.bots.advice import Advice, Considered
from p2p304.bots.play304 import bidding as steady
from p2p304.bots.play304 import whole_hand
from p2p304.bots.play304.imagined_deals import endings, first_cards, whole_hands
from p2p304.bots.play304.promise import FOE, MAKER, MATE, best_trump, made_chance, support, worth
from p2p304.bots.play304.stakes import Stakes, stakes
from p2p304.bots.play304.thinking import Position
from p2p304.bots.play304.usual_calls import (
    ASK,
    Said,
    asks_usually,
    bids_usually,
    fits,
    situation_of,
)
from p2p304.bots.styles import EVEN, Style
from p2p304.bots.tables import likely304 as learned
from p2p304.cards import Suit
from p2p304.randomness import Randomness, SeededRandomness
from p2p304.rules304 import bidding
from p2p304.rules304.actions import Action, AskPartner, DemandRedeal, Pass, PlaceBid
from p2p304.rules304.bids import Contract, height
from p2p304.rules304.bits import mask
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Auction, State

_DEALS: Final = 120
"""Deals that are imagined for one call, at most."""
_GLANCE: Final = 30
"""After so many the calls that bring clearly less are given up."""
_HOPELESS: Final = 0.25
"""Tokens that are clearly less."""
_STEPS: Final = 4
"""Numbers from the lowest legal one that are thought about; and the lowest of each bracket."""
_STRONG_BY: Final = 30
_STRENGTH_SPEAKS: Final = 0.1
"""Tokens that to bid is worth beyond what is imagined if the cards promise so many points more than
the lowest bid: who defends with such cards must trust that somebody bids."""
_OVERSTATED: Final = 2.0
"""Points by which a promise exceeds what is taken: it was learned from players by rules of thumb,
who defend worse than others; playouts take 4.5 less."""
_FROM_GREAT: Final = 215
_GREAT: Final = 6
"""So many times as many hands are imagined with cards that promise so much: few are as great, and
what their brackets bring differs by little."""
_ENOUGH: Final = 120
"""Imagined hands after which half of what they say beyond the promise is believed."""
_GREATNESS_SPEAKS: Final = 0.06
"""Tokens that a bid of a higher bracket is worth beyond that with great cards: four jacks bring as
much at 160 as at 200, and only 200 tells the partner of them."""
_ASKS_FROM: Final = 174
"""Points that the best suit must promise a seat that asks: no fewer than four cards usually do."""
_CLOSE: Final = 20
"""Points by which a bid may exceed what the best suit promises, to be thought about."""

# ---------------------------------------------------------------------------- what is imagined


def _usual(profile: Profile, auction: Auction, hands: Sequence[int], chance: Randomness) -> Said:
    """Return what the seat that is to speak usually says with its cards."""
    seat = bidding.speaker(auction)
    situation, floor = situation_of(profile, auction, seat)
    cards = hands[seat]
    drawn = chance.randbelow(1 << 20) / (1 << 20)
    if floor and drawn < bids_usually(situation, best_trump(cards).points, floor):
        return floor
    must = bidding.may_pass(profile, auction) is not None
    if (
        profile.ask_partner
        and auction.asked is None
        and bidding.whom_to_ask(profile, auction, seat)
    ):
        drawn = chance.randbelow(1 << 20) / (1 << 20)
        if must or drawn < asks_usually(situation, cards):
            return ASK
    return floor if must and floor else None


def _said(profile: Profile, auction: Auction, said: Said) -> Auction:
    if isinstance(said, str):
        mate = bidding.whom_to_ask(profile, auction, bidding.speaker(auction))[0]
        return bidding.after_ask(profile, auction, mate)[0]
    return bidding.after_call(profile, auction, said)[0]


def promised(profile: Profile, dealer: int, maker: int, hands: Sequence[int]) -> float:
    """Return the points that the first cards of all seats promise this maker's team."""
    trump = best_trump(hands[maker]).trump
    points = learned.BY_PLACE[(dealer + 1 - maker) % profile.seats]
    for seat, cards in enumerate(hands):
        if seat == maker:
            points += worth(MAKER, cards, trump)
        else:
            ours = profile.teams[seat] == profile.teams[maker]
            points += worth(MATE if ours else FOE, cards, trump)
    return points


def _outcome(
    state: State, auction: Auction, hands: Sequence[int], said: Said, chance: Randomness
) -> Auction:
    profile = state.profile
    auction = _said(profile, auction, said)
    while not bidding.four_card_ended(profile, auction):
        auction = _said(profile, auction, _usual(profile, auction, hands, chance))
    return auction


class Fit(NamedTuple):
    """How the points that the seat's own first cards take differ from what all cards promise."""

    left: Sequence[float] = ()
    """By how many points, in hands that were played out, from low to high."""
    beyond: float = 0.0
    """How much more was promised in those hands than in those in which the auction goes on."""

    def likely(self, points: float, bid: int) -> float:
        """Return how likely a bid is made with cards that promise so many points."""
        points += self.beyond
        usual = made_chance(points, bid, learned.SPREAD)
        if not self.left:
            return usual
        share = len(self.left) / (len(self.left) + _ENOUGH)
        made = 1 - bisect_left(self.left, bid - points) / len(self.left)
        return usual + share * (made - usual)


def fitted(position: Position, deals: Sequence[Sequence[int]], of: int) -> Fit:
    """Return how this maker's promise is to be corrected, by whole hands that are played out: a sum
    over cards knows nothing of four jacks in one hand. The auction goes on in the first `of`."""
    state, seat = position.view.state, position.seat
    best = best_trump(deals[0][seat])
    expected = [_expected(position, seat, firsts) for firsts in deals]
    left: list[float] = []
    for firsts, points in zip(deals, expected, strict=True):
        hands = whole_hands(state, firsts, position.chance)
        ends = endings(state, seat, hands, best.trump, state.profile.bid_min)
        left += [each.points - points for each in ends]
        if not position.thinking.goes_on():
            break
    beyond = sum(expected) / len(expected) - sum(expected[:of]) / of
    return Fit(sorted(left), beyond)


def _expected(position: Position, maker: int, firsts: Sequence[int]) -> float:
    state = position.view.state
    return promised(state.profile, state.dealer, maker, firsts) - _OVERSTATED


_AS_PROMISED: Final = Fit()


class Thought(NamedTuple):
    """A call, and what it may be expected to bring."""

    action: Action
    said: Said
    tokens: float
    likely: float
    """How likely the bid is made, by whoever makes it."""
    bids: int
    """In how many imagined deals somebody bid."""
    hands: int
    """How many deals were imagined: of a call that was given up, fewer."""


def thoughts(position: Position) -> list[Thought]:
    """Return each call that is worth a thought with what it brings, the best first."""
    tried = [_Tried(action, said) for action, said in _options(position)]
    left = tried
    great = best_trump(mask(position.own_cards)).points >= _FROM_GREAT
    deals = first_cards(position, _DEALS * (_GREAT if great else 1))
    own = fitted(position, deals, min(_DEALS, len(deals)))
    imagined = _Imagined(position, stakes(position.view), own)
    for number, hands in enumerate(deals[:_DEALS], 1):
        seed = position.chance.word()
        points: dict[int, float] = {}
        for each in left:
            # The same chance for each call, so that luck does not decide.
            imagined.carry_on(each, hands, SeededRandomness(seed), points)
        if number == _GLANCE:
            best = max(each.tokens for each in left)
            left = [each for each in left if each.tokens > best - _HOPELESS * number]
            if len(left) == 1:
                break
        if not position.thinking.goes_on():
            break
    found = [each.thought() for each in tried]
    return sorted(found, key=lambda each: (each.hands < left[0].deals, -each.tokens))


@dataclass(slots=True)
class _Tried:
    """What a call has brought so far, in sums."""

    action: Action
    said: Said
    deals: int = 0
    tokens: float = 0.0
    made: float = 0.0
    bids: int = 0

    def thought(self) -> Thought:
        """Return what it brought on average."""
        made = self.made / max(self.bids, 1)
        return Thought(
            self.action, self.said, self.tokens / self.deals, made, self.bids, self.deals
        )


class _Imagined(NamedTuple):
    """What is the same for all calls that are imagined."""

    position: Position
    stakes: Stakes
    own: Fit

    def carry_on(
        self, tried: _Tried, hands: Sequence[int], chance: Randomness, points: dict[int, float]
    ) -> None:
        """Carry the auction on from a call, and add what the contract promises; `points` are what
        each maker was promised in this deal so far."""
        state, seat = self.position.view.state, self.position.seat
        profile = state.profile
        end = _outcome(state, state.auction, hands, tried.said, chance)
        tried.deals += 1
        maker, bid = end.top_seat, end.top
        if maker is None or bid is None or isinstance(bid, Contract):
            return
        if maker not in points:
            points[maker] = _expected(self.position, maker, hands)
        fit = self.own if maker == seat else _AS_PROMISED
        likely = fit.likely(points[maker], bid)
        tokens = self.stakes.tokens(profile.teams[maker], bid, likely)
        ours = profile.teams[maker] == profile.teams[seat]
        tried.tokens += tokens if ours else -tokens
        tried.made += likely
        tried.bids += 1


def _worth_raising(position: Position, numbers: list[int], points: float) -> list[int]:
    """Return the numbers that are worth a thought: over a partner's bid those of a higher bracket
    that the cards promise. In its own a bid costs as much and asks for more; and what the partner
    holds is known too roughly, so that two great hands would raise each other."""
    state = position.view.state
    stands, by = state.auction.top, state.auction.top_seat
    if stands is None or by is None or state.team_of(by) != state.team_of(position.seat):
        return numbers
    brackets = (state.profile.bracket_middle, state.profile.bracket_top)
    above = next((each for each in brackets if each > height(stands)), None)
    return [
        each for each in numbers if above is not None and each >= above and points > each - _CLOSE
    ]


def _options(position: Position) -> list[tuple[Action, Said]]:
    """Return the calls that are worth a thought: a bid that no good cards would make is not, and
    neither is to ask with nothing."""
    profile = position.view.state.profile
    own = mask(position.own_cards)
    options: list[tuple[Action, Said]] = []
    numbers = []
    for action in position.legal:
        match action:
            case Pass():
                options.append((action, None))
            case PlaceBid(bid) if not isinstance(bid, Contract):
                numbers.append(bid)
            case _:
                continue
    points = best_trump(own).points
    numbers = _worth_raising(position, numbers, points)
    middle, top = profile.bracket_middle, profile.bracket_top
    firsts = {next((each for each in numbers if each >= least), 0) for least in (middle, top)}
    for bid in numbers:
        near = bid in numbers[:_STEPS] or bid in firsts
        if near and (bid == numbers[0] or points > bid - _CLOSE):
            options.append((PlaceBid(bid), bid))
    asks = [each for each in position.legal if isinstance(each, AskPartner)]
    strong = support(own) >= learned.STRONG and points >= _ASKS_FROM
    if asks and (strong or Pass() not in position.legal):
        options.append((asks[0], ASK))
    return options


# ---------------------------------------------------------------------------- the call


def call(position: Position, style: Style = EVEN) -> Advice:
    """Advise a call of the first auction (RULES 5), in a manner."""
    legal, cards = position.legal, position.own_cards
    if PlaceBid(Contract.HALF_COURT) in legal and steady.wins_four(cards):
        return steady.four_card_call(position)
    if not fits(position.view.state.profile):
        return whole_hand.first_call(position, style)
    value = best_trump(mask(cards))
    numbers = [each.bid for each in legal if isinstance(each, PlaceBid)]
    strong = value.points >= height(numbers[0]) + _STRONG_BY if numbers else False
    great = value.points >= _FROM_GREAT

    def worth_saying(each: Thought) -> float:
        if not isinstance(each.said, int):
            return each.tokens
        high = great and each.said >= position.view.state.profile.bracket_middle
        speaks = (_STRENGTH_SPEAKS if strong else 0.0) + (_GREATNESS_SPEAKS if high else 0.0)
        return each.tokens + style.daring + speaks

    found = thoughts(position)
    best = max((each for each in found if each.hands == found[0].hands), key=worth_saying)
    choices = tuple(
        Considered(x.action, x.hands, x.tokens, x.likely if x.bids else None, worth_saying(x))
        for x in sorted(found, key=lambda each: (each is not best, each.hands < best.hands))
    )
    redeal = next((each for each in legal if isinstance(each, DemandRedeal)), None)
    suit = Suit(value.trump).name.lower()
    promise = f"{suit} as trumps promise about {value.points:.0f} points"
    if redeal is not None and best.tokens < 0:
        return Advice(redeal, f"New cards bring nothing and cost nothing; of these {promise}.", 0.0)
    if isinstance(best.said, int):
        why = f"With these cards {promise}, and {best.said} brings most."
    elif best.said is None:
        why = f"Here {promise}; a bid brings less."
    else:
        why = "Strong cards help whatever trumps the partner has, so it is asked."
    return Advice(best.action, why, best.tokens, choices[0].chance, choices)


def indicator(position: Position) -> Advice:
    """Advise which card goes face down: of the suit for which the cards were bid (RULES 6)."""
    state = position.view.state
    if not fits(state.profile):
        return steady.lay(position, whole_hand.first_value(position).trump)
    own = mask(position.own_cards)
    return steady.lay(position, Suit(best_trump(own).trump))
