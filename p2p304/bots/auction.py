"""The four-card auction as a decision about tokens, at the score of the match.

The first cards of the others are imagined as their calls tell of them; for every call that may be
made the auction is carried on by what players usually call, and the contract that it ends with is
priced by the points that all the cards promise. The call that brings the most tokens is made.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from p2p304.bots import bidding as steady
from p2p304.bots.advice import Advice
from p2p304.bots.promise import FOE, MAKER, MATE, best_trump, made_chance, support, worth
from p2p304.bots.sampling import whole
from p2p304.bots.styles import EVEN, Style
from p2p304.bots.tables import likely304 as learned
from p2p304.bots.thinking import Position
from p2p304.bots.usual_calls import (
    ASK,
    Said,
    asks_usually,
    bids_usually,
    fits,
    heard_in,
    likely,
    situation_of,
)
from p2p304.cards import Suit
from p2p304.randomness import Randomness, SeededRandomness
from p2p304.rules304 import bidding
from p2p304.rules304.actions import Action, AskPartner, DemandRedeal, Pass, PlaceBid
from p2p304.rules304.bids import Contract
from p2p304.rules304.bits import bits, mask
from p2p304.rules304.match import match_at
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import price_of
from p2p304.rules304.state import Auction, Phase, State
from p2p304.view import View

_DEALS: Final = 120
"""Deals that are imagined for one call, at most."""
_GLANCE: Final = 30
"""After so many the calls that bring clearly less are given up."""
_HOPELESS: Final = 0.25
"""Tokens that are clearly less."""
_TRIES: Final = 4
"""How many deals are drawn for each that is kept, once somebody has called."""
_STEPS: Final = 3
"""Numbers from the lowest legal one that are thought about; and the lowest of each bracket."""
_STRONG_BY: Final = 30
_STRENGTH_SPEAKS: Final = 0.1
"""Tokens that a bid is worth beyond what is imagined if the cards promise so many points more: who
defends with such cards must trust that somebody bids."""
_ASKS_FROM: Final = 174
"""Points that the best suit must promise a seat that asks: no fewer than four cards usually do."""
_CLOSE: Final = 20
"""Points by which a bid may exceed what the best suit promises, to be thought about."""

# ---------------------------------------------------------------------------- what is imagined


def _deals(position: Position, wanted: int) -> list[list[int]]:
    """Return the first cards of all seats so often, imagined as likely as the calls make them."""
    state, seat = position.view.state, position.seat
    heard = heard_in(state.profile, state.dealer, state.calls, state.auction)
    told = [each for each in heard if each.seat != seat]
    own = mask(steady.own_cards(position))
    unseen = list(bits(whole(state.profile.deck) & ~own))
    found, shares = [], []
    for _ in range(wanted * _TRIES if told else wanted):
        hands = _imagined(position, own, unseen)
        share = 1.0
        for each in told:
            share *= likely(state.profile, each, hands[each.seat])
        found.append(hands)
        shares.append(share)
    if not told:
        return found
    sums = list(accumulate(shares))
    step = sums[-1] / wanted
    # Evenly over the sum, so that few are taken twice; in no order of its own.
    first = position.chance.randbelow(1 << 20) / (1 << 20)
    kept = [
        found[min(bisect(sums, (place + first) * step), len(found) - 1)] for place in range(wanted)
    ]
    position.chance.shuffle(kept)
    return kept


def _imagined(position: Position, own: int, unseen: list[int]) -> list[int]:
    """Return the first cards of all seats, drawn from what the seat has not seen."""
    state = position.view.state
    hands = [own] * state.seats
    last = len(unseen) - 1
    for each in state.everybody:
        if each == position.seat:
            continue
        hand = 0
        for _ in range(state.profile.deal_batches.sizes[0]):
            place = position.chance.randbelow(last + 1)
            unseen[place], unseen[last] = unseen[last], unseen[place]
            hand |= unseen[last]
            last -= 1
        hands[each] = hand
    return hands


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


class Stakes(NamedTuple):
    """What a bid costs and brings one team: nobody pays more than it has."""

    profile: Profile
    stocks: tuple[int, int]

    def tokens(self, maker: int, bid: int, likely: float) -> float:
        """Return the tokens that the maker's team may expect of a bid that is so likely made."""
        price = price_of(self.profile, bid)
        gain, loss = min(price.made, self.stocks[1 - maker]), min(price.failed, self.stocks[maker])
        return likely * gain - (1 - likely) * loss


def stakes(view: View[State]) -> Stakes:
    """Return what bids cost at the score at which the hand was begun."""
    profile, scores = view.state.profile, view.scores
    if not scores:
        return Stakes(profile, (profile.tokens_start, profile.tokens_start))
    return Stakes(profile, match_at(profile, view.state.dealer, scores).stocks)


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


class Thought(NamedTuple):
    """A call, and what it may be expected to bring."""

    action: Action
    said: Said
    tokens: float
    likely: float
    """How likely the bid is made, by whoever makes it."""
    bids: int
    """In how many imagined deals somebody bid."""


def thoughts(position: Position) -> list[Thought]:
    """Return each call that is worth a thought with what it brings, the best first."""
    tried = [_Tried(action, said) for action, said in _options(position)]
    left = tried
    price = stakes(position.view)
    for deals, hands in enumerate(_deals(position, _DEALS), 1):
        seed = position.chance.word()
        points: dict[int, float] = {}
        for each in left:
            # The same chance for each call, so that luck does not decide.
            _try(position, each, hands, SeededRandomness(seed), price, points)
        if deals == _GLANCE:
            best = max(each.tokens for each in left)
            left = [each for each in left if each.tokens > best - _HOPELESS * deals]
            if len(left) == 1:
                break
    found = [each.thought() for each in left if each.deals]
    return sorted(found, key=lambda each: -each.tokens)


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
        return Thought(self.action, self.said, self.tokens / self.deals, made, self.bids)


def _try(
    position: Position,
    tried: _Tried,
    hands: Sequence[int],
    chance: Randomness,
    price: Stakes,
    points: dict[int, float],
) -> None:
    """Carry the auction on from a call, and add what the contract promises."""
    state, profile = position.view.state, position.view.state.profile
    end = _outcome(state, state.auction, hands, tried.said, chance)
    tried.deals += 1
    maker, bid = end.top_seat, end.top
    if maker is None or bid is None or isinstance(bid, Contract):
        return
    if maker not in points:
        points[maker] = promised(profile, state.dealer, maker, hands)
    likely_made = made_chance(points[maker], bid, learned.SPREAD)
    tokens = price.tokens(profile.teams[maker], bid, likely_made)
    ours = profile.teams[maker] == profile.teams[position.seat]
    tried.tokens += tokens if ours else -tokens
    tried.made += likely_made
    tried.bids += 1


def _options(position: Position) -> list[tuple[Action, Said]]:
    """Return the calls that are worth a thought: a bid that no good cards would make is not, and
    neither is to ask with nothing."""
    profile = position.view.state.profile
    own = mask(steady.own_cards(position))
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
    middle, top = profile.bracket_middle, profile.bracket_top
    firsts = {next((each for each in numbers if each >= least), 0) for least in (middle, top)}
    points = best_trump(own).points
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
    legal, cards = position.legal, steady.own_cards(position)
    four = not fits(position.view.state.profile)
    if four or (PlaceBid(Contract.HALF_COURT) in legal and steady.wins_four(cards)):
        return steady.four_card_call(position)
    value = best_trump(mask(cards))

    def worth_saying(each: Thought) -> float:
        if not isinstance(each.said, int):
            return each.tokens
        strong = value.points >= each.said + _STRONG_BY
        return each.tokens + style.daring + (_STRENGTH_SPEAKS if strong else 0.0)

    best = max(thoughts(position), key=worth_saying)
    redeal = next((each for each in legal if isinstance(each, DemandRedeal)), None)
    suit = Suit(value.trump).name.lower()
    promise = f"{suit} as trumps promise about {value.points:.0f} points"
    if redeal is not None and best.tokens < 0:
        return Advice(redeal, f"New cards bring nothing and cost nothing; of these {promise}.", 0.0)
    if isinstance(best.said, int):
        why = f"With these cards {promise}, and a bid of {best.said} brings most."
    elif best.said is None:
        why = f"Here {promise}; no bid brings more than to pass."
    else:
        why = "Strong cards help whatever trumps the partner has, so it is asked."
    return Advice(best.action, why, best.tokens, best.likely if best.bids else None)


def indicator(position: Position) -> Advice:
    """Advise which card goes face down: of the suit for which the cards were bid (RULES 6)."""
    state = position.view.state
    if state.phase is not Phase.INDICATOR4 or not fits(state.profile):
        return steady.indicator(position)
    own = mask(steady.own_cards(position))
    return steady.lay(position, Suit(best_trump(own).trump))
