"""A player of 304 with a called partner, which plays by rules of thumb from its view alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from p2p304.bots.advice import Advice, DecidingPlayer
from p2p304.bots.play304.imagined_table import Imagined
from p2p304.bots.play304.playout import OWN_HANDS, play_out
from p2p304.bots.play304.thinking import STEADY, Position, any_choice
from p2p304.cards import Card, Rank, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.bids import Contract
from p2p304.rules304.bits import BIT, SUIT_BITS, bits, mask
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.pack import CARD_POINTS, STRENGTH
from p2p304.rules304.scoring import price_of
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.view import View

_TOP: Final = (Rank.JACK, Rank.NINE, Rank.ACE, Rank.TEN)
_BASE: Final = 96
"""Points that a hand without any strength may hope for together with a good partner."""
_TRUMP_WORTH: Final = {Rank.JACK: 34, Rank.NINE: 24, Rank.ACE: 14, Rank.TEN: 12}
_SIDE_WORTH: Final = {Rank.JACK: 18, Rank.NINE: 8}
_LENGTH_WORTH: Final = 9
"""Of each trump beyond the third."""
_HALF: Final = 4
"""Cards of each seat in half court."""
_WORTH_THE_RISK: Final = 0.3
"""Tokens that half court must promise; to play on with all cards brings something, too."""
_OPEN_FROM: Final = 5
"""Trumps in hand from which trump is opened."""


class CalledPartnerPlayer(DecidingPlayer):
    """Bids what its cards are worth, calls the best card that it lacks, and helps its side.

    Keeps nothing between decisions; the seed decides between choices that are equally good.
    """

    __slots__ = ("_seed",)

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def _legal(self, view: View[State]) -> Sequence[act.Action]:
        return legal_actions(view)

    def _decided(self, view: View[State], seat: Seat, legal: Sequence[act.Action]) -> Advice:
        chance = SeededRandomness(self._seed + len(view.state.log))
        decide = _DECISIONS.get(view.state.phase, any_choice)
        return decide(Position(view, seat, tuple(legal), STEADY, chance))


def _hand(view: View[State], seat: Seat) -> list[Card]:
    state = view.state
    lies = state.indicator if seat == state.maker else None
    slots = (*state.hands[seat], *([] if lies is None else [lies]))
    return [view.faces[slot] for slot in slots]


def worth(cards: Sequence[Card], trump: Suit) -> int:
    """Return how many points a hand may hope for with this trump and a good partner."""
    trumps = [card for card in cards if card.suit is trump]
    sides = [card for card in cards if card.suit is not trump]
    total = _BASE + _LENGTH_WORTH * (len(trumps) - 3)
    total += sum(_TRUMP_WORTH.get(card.rank, 0) for card in trumps)
    return total + sum(_SIDE_WORTH.get(card.rank, 0) for card in sides)


def best_trump(cards: Sequence[Card]) -> Suit:
    """Return the suit that makes a hand worth most."""
    return max({card.suit for card in cards}, key=lambda suit: (worth(cards, suit), -suit))


def _half_court(at: Position) -> Advice:
    cards = _hand(at.view, at.seat)
    suit = best_trump(cards)
    ranks = [card.rank for card in cards if card.suit is suit]
    if {Rank.JACK, Rank.NINE, Rank.ACE} <= {*ranks}:
        why = f"The three highest {suit.name.lower()} and a partner may win all four tricks."
        return Advice(act.PlaceBid(Contract.HALF_COURT), why)
    return Advice(act.Pass(), "These four cards do not win every trick.")


def half_court(at: Position) -> Advice:
    """Advise whether to undertake half court, by imagined deals of the four cards of the others.

    The trump suit, the indicator and the card to call are those that would be chosen then.
    """
    profile, cards = at.view.state.profile, _hand(at.view, at.seat)
    suit = best_trump(cards)
    own, called = mask(cards), BIT[_wanted(cards, suit)]
    trumps = own & SUIT_BITS[suit]
    laid, unseen = trumps & -trumps, list(bits(mask(profile.deck.cards) & ~own))
    won = deals = 0
    while deals < at.thinking.layouts and (not deals or at.thinking.goes_on()):
        deals += 1
        at.chance.shuffle(unseen)
        hands = [sum(unseen[_HALF * seat : _HALF * (seat + 1)]) for seat in range(profile.seats)]
        hands[at.seat] = own ^ laid
        side = tuple(int(seat != at.seat and not hand & called) for seat, hand in enumerate(hands))
        scene = Imagined(
            tuple(hands), side, at.seat, int(suit), at.seat, laid, hidden=True, first=True
        )
        ending = play_out(scene._replace(opens_after_first=True), policy=OWN_HANDS)
        won += not ending.lost
    price, likely = price_of(profile, Contract.HALF_COURT), won / deals
    tokens = likely * price.made - (1 - likely) * price.failed
    why = f"Half court with {suit.name.lower()} as trump was won in {won} of {deals} imagined deals"
    if tokens > _WORTH_THE_RISK:
        return Advice(act.PlaceBid(Contract.HALF_COURT), f"{why}.", tokens, likely)
    return Advice(act.Pass(), f"{why}: too few.")


def _number(at: Position) -> Advice:
    cards = _hand(at.view, at.seat)
    suit = best_trump(cards)
    hoped = worth(cards, suit)
    numbers = [
        each.bid
        for each in at.legal
        if isinstance(each, act.PlaceBid) and isinstance(each.bid, int)
    ]
    if numbers and numbers[0] <= hoped:
        why = f"With {suit.name.lower()} as trump this hand hopes for {hoped} points."
        return Advice(act.PlaceBid(numbers[0]), why)
    return Advice(act.Pass(), f"This hand hopes for {hoped} points at best.")


def _indicator(at: Position) -> Advice:
    cards = _hand(at.view, at.seat)
    suit = best_trump(cards)
    lays = [each for each in at.legal if isinstance(each, act.LayIndicator)]
    mine = [each for each in lays if at.view.faces[each.slot].suit is suit]
    low = min(mine, key=lambda each: STRENGTH[at.view.faces[each.slot].rank])
    why = f"{suit.name.capitalize()} are the best trump, and a low one is missed least."
    return Advice(low, why)


def _name(at: Position) -> Advice:
    cards = _hand(at.view, at.seat)
    assert at.view.state.indicator is not None
    found = _wanted(cards, at.view.faces[at.view.state.indicator].suit)
    return Advice(act.NameCard(found), f"{found} is the card that this hand lacks most.")


def _wanted(cards: Sequence[Card], trump: Suit) -> Card:
    """Return the card that a hand with this trump lacks most."""
    sides = sorted(Suit, key=lambda suit: (suit is not trump, -sum(c.suit is suit for c in cards)))
    wanted = [Card(suit, rank) for suit in sides for rank in _TOP]
    return next(card for card in wanted if card not in cards)


def _declare(at: Position) -> Advice:
    cards = _hand(at.view, at.seat)
    slot = at.view.state.indicator
    assert slot is not None
    trump = at.view.faces[slot]
    if sum(card.suit is trump.suit for card in cards) >= _OPEN_FROM:
        return Advice(act.OpenTrump(trump), "With so many trumps there is nothing to hide.")
    return Advice(act.KeepClosed(), "Hidden trump leaves the others in doubt.")


def _window(at: Position) -> Advice:
    shown = next((each for each in at.legal if isinstance(each, act.DeclareMarriages)), None)
    if shown is not None:
        return Advice(shown, "A marriage helps the side of whoever shows it.")
    return Advice(act.Ready(), "Nothing is certain enough to be claimed.")


def friends(view: View[State], seat: Seat) -> frozenset[Seat]:
    """Return the seats that the reader knows to play with it, itself included."""
    state = view.state
    known = {seat, *state.mates(seat)}
    secret = state.called is not None and state.partner_secret
    if secret and any(view.faces.get(slot) == state.called for slot in state.dealt[seat]):
        assert state.maker is not None
        known.add(state.maker)
    return frozenset(known)


def _trick(at: Position) -> Advice:
    plays = [each for each in at.legal if isinstance(each, act.PlayCard | act.PlayDown)]
    if not at.view.state.plays:
        return _lead(at.view, plays)
    return _follow(at.view, at.seat, plays)


def _card(view: View[State], play: Any) -> Card:
    return view.faces[play.slot]


def _lead(view: View[State], plays: Sequence[Any]) -> Advice:
    """Lead what nobody can beat, else something that costs little."""
    unseen = view.state.profile.deck.card_set - {*view.faces.values()}
    trump = view.state.trump

    def sure(card: Card) -> bool:
        cut = trump is not None and card.suit is not trump and any(c.suit is trump for c in unseen)
        return not cut and not any(
            other.suit is card.suit and STRENGTH[other.rank] > STRENGTH[card.rank]
            for other in unseen
        )

    winners = [each for each in plays if sure(_card(view, each))]
    if winners:
        best = max(winners, key=lambda each: CARD_POINTS[_card(view, each)])
        return Advice(best, f"Nobody can beat {_card(view, best)}.")
    low = min(plays, key=lambda each: _cost(view, _card(view, each)))
    return Advice(low, f"{_card(view, low)} costs little.")


def _follow(view: View[State], seat: Seat, plays: Sequence[Any]) -> Advice:
    """Win what is worth it, give points to a friend who wins, and else as little as can be."""
    state, faces = view.state, view.faces
    lying = [(faces[play.slot], play.seat) for play in state.plays if play.slot in state.faces]
    best, winner = max(lying, key=lambda each: _strength(each[0], lying[0][0].suit, state.trump))
    friendly = winner in friends(view, seat) and winner != seat
    last = len(state.plays) == state.seats - 1
    led = lying[0][0].suit

    def beats(play: Any) -> bool:
        card = _card(view, play)
        if isinstance(play, act.PlayDown) and play.slot != state.indicator:
            return False
        suit = card.suit if isinstance(play, act.PlayDown) else state.trump
        return _strength(card, led, suit) > _strength(best, led, state.trump)

    if friendly and (last or CARD_POINTS[best] >= CARD_POINTS[Card(led, Rank.NINE)]):
        rich = max(plays, key=lambda each: (not beats(each), CARD_POINTS[_card(view, each)]))
        return Advice(rich, "The trick is your side's, and the points with it.")
    winning = [each for each in plays if beats(each)]
    if winning and not friendly:
        pick = min if last else max
        chosen = pick(winning, key=lambda each: STRENGTH[_card(view, each).rank])
        return Advice(chosen, f"{_card(view, chosen)} is the highest card so far.")
    low = min(plays, key=lambda each: _cost(view, _card(view, each)))
    return Advice(low, "This trick is lost, or a friend's: the card that is missed least.")


def _strength(card: Card, led: Suit, trump: Suit | None) -> tuple[int, int]:
    rank = STRENGTH[card.rank]
    if card.suit is trump:
        return 2, rank
    return (1, rank) if card.suit is led else (0, rank)


def _cost(view: View[State], card: Card) -> tuple[bool, int, int]:
    """Return how much is lost with a card: trumps most, then points, then strength."""
    return card.suit is view.state.trump_by(view.faces), CARD_POINTS[card], STRENGTH[card.rank]


_DECISIONS: Final[Mapping[Phase, Callable[[Position], Advice]]] = {
    Phase.AUCTION4: _half_court,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _number,
    Phase.INDICATOR8: _indicator,
    Phase.NAMING: _name,
    Phase.DECLARE: _declare,
    Phase.WINDOW: _window,
    Phase.TRICK: _trick,
}
