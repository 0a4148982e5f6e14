"""The black lady: each seat gives a card to its right; hearts and the queen of spades cost points.

1. Three seats have four cards each of queens, kings and aces. All at once give one card to the
   seat at their right, then each mixes what it has.
2. Whoever has the queen of clubs leads it; the others say that they do not have it.
3. Suit must be followed; who cannot may play anything. The highest card of the suit led takes the
   trick and leads the next one.
4. A heart costs 1 point, the queen of spades 4.
5. When somebody has 10 points or more, whoever alone has fewest has won.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.disclosures import Dealt, HandedOver, Opened, Remixed
from p2p304.errors import NotationError, RulesError
from p2p304.game import Step
from p2p304.seats import Seat, Sides, seat_after
from p2p304.statements import IsCard, NoneOfSuit, NotCard, Statement
from p2p304.view import View

SEATS = 3
CARDS = 4
LIMIT = 10  #: Points that end a match.
EVERYBODY = tuple(map(Seat, range(SEATS)))
PACK = tuple(Card(suit, rank) for suit in Suit for rank in (Rank.QUEEN, Rank.KING, Rank.ACE))
LADY = parse_card("QS")
FIRST = parse_card("QC")


class Give(NamedTuple):
    """A card for the seat at the right."""

    slot: Slot


class Mix(NamedTuple):
    """All cards of the hand, in an order that nobody else knows."""


class Deny(NamedTuple):
    """Not to have the card that is led first."""


class Play(NamedTuple):
    """A card of the hand, face up."""

    slot: Slot
    card: Card


Action = Give | Mix | Deny | Play


class Laid(NamedTuple):
    """A card of a trick, and whose."""

    seat: Seat
    slot: Slot
    card: Card


class State(NamedTuple):
    """All that is public of a hand; no faces of closed cards."""

    dealer: Seat
    phase: str
    awaited: tuple[Seat, ...]
    hands: tuple[tuple[Slot, ...], ...]
    given: tuple[Slot | None, ...] = (None,) * SEATS
    trick: tuple[Laid, ...] = ()
    last: tuple[Laid, ...] = ()
    tricks: int = 0
    points: tuple[int, ...] = (0,) * SEATS


class Outcome(NamedTuple):
    """The points of each seat."""

    scores: tuple[int, ...]
    summary: str
    played: bool = True


class Match(NamedTuple):
    """A match, until somebody has too many points."""

    dealer: Seat
    scores: tuple[int, ...]
    winner: int | None = None


def cost(card: Card) -> int:
    """Return what a card costs who takes it."""
    return 4 if card == LADY else int(card.suit is Suit.HEARTS)


def right_of(seat: Seat) -> Seat:
    """Return the seat that is given to."""
    return seat_after(seat, seats=SEATS)


class BlackLady:
    """The rules."""

    name = "black lady"
    seats = SEATS
    pack = PACK

    def points_of(self, card: Card) -> int:
        return cost(card)

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[State]:
        slots = tuple(map(Slot, range(len(PACK))))
        hands = tuple(slots[CARDS * seat : CARDS * (seat + 1)] for seat in EVERYBODY)
        dealt = tuple(Dealt(seat, hands[seat]) for seat in EVERYBODY)
        return Step(State(dealer, "giving", EVERYBODY, hands), (), dealt)

    def contributors(self, state: State) -> tuple[Seat, ...]:
        return state.awaited

    def is_over(self, state: State) -> bool:
        return state.phase == "over"

    def apply(self, state: State, seat: Seat, action: Action) -> Step[State]:
        if seat not in state.awaited:
            raise RulesError("1", "another seat is to act")
        waiting = tuple(each for each in state.awaited if each != seat)
        match state.phase, action:
            case "giving", Give(slot):
                return self._give(state._replace(awaited=waiting), seat, slot)
            case "mixing", Mix():
                return self._mix(state._replace(awaited=waiting), seat)
            case "first", Deny():
                none = NotCard(state.hands[seat], FIRST)
                return Step(_led(state._replace(awaited=waiting)), (none,))
            case "first", Play(_, card) if card == FIRST:
                return self._play(state._replace(awaited=waiting), seat, action)
            case "playing", Play():
                return self._play(state, seat, action)
        raise RulesError("1", "this is not what is to be done now")

    def _give(self, state: State, seat: Seat, slot: Slot) -> Step[State]:
        if slot not in state.hands[seat]:
            raise RulesError("1", "one gives a card of one's own")
        given = tuple(slot if each == seat else state.given[each] for each in EVERYBODY)
        state = state._replace(given=given)
        if state.awaited:
            return Step(state)
        moved = tuple(
            HandedOver(gift, owner, right_of(owner), moves=True)
            for owner, gift in zip(EVERYBODY, given, strict=True)
            if gift is not None
        )
        hands = list(state.hands)
        for each in moved:
            hands[each.owner] = tuple(kept for kept in hands[each.owner] if kept != each.slot)
            hands[each.reader] = (*hands[each.reader], each.slot)
        after = state._replace(phase="mixing", awaited=EVERYBODY, hands=tuple(hands))
        return Step(after, (), moved)

    def _mix(self, state: State, seat: Seat) -> Step[State]:
        first = len(PACK) + CARDS * seat
        mixed = tuple(map(Slot, range(first, first + CARDS)))
        hands = tuple(mixed if each == seat else state.hands[each] for each in EVERYBODY)
        after = state._replace(hands=hands)
        if not state.awaited:
            after = after._replace(phase="first", awaited=EVERYBODY)
        return Step(after, (), (Remixed(seat, state.hands[seat], mixed),))

    def _play(self, state: State, seat: Seat, action: Play) -> Step[State]:
        slot, card = action
        if slot not in state.hands[seat]:
            raise RulesError("3", "the card is not in the hand")
        rest = tuple(each for each in state.hands[seat] if each != slot)
        statements: tuple[Statement, ...] = (IsCard(slot, card),)
        if state.trick and card.suit is not state.trick[0].card.suit:
            statements = (*statements, NoneOfSuit(rest, state.trick[0].card.suit))
        hands = tuple(rest if each == seat else state.hands[each] for each in EVERYBODY)
        after = state._replace(hands=hands, trick=(*state.trick, Laid(seat, slot, card)))
        after = _led(after) if state.phase == "first" else _followed(after)
        return Step(after, statements, (Opened(slot, card),))

    def legal_actions(self, view: View[State]) -> Sequence[Action]:
        state, seat, faces = view.state, view.seat, view.faces
        if seat is None or seat not in state.awaited:
            return ()
        hand = state.hands[seat]
        plays = tuple(Play(slot, faces[slot]) for slot in hand)
        match state.phase:
            case "giving":
                return tuple(Give(slot) for slot in hand)
            case "mixing":
                return (Mix(),)
            case "first":
                return tuple(each for each in plays if each.card == FIRST) or (Deny(),)
        led = state.trick[0].card.suit if state.trick else None
        return tuple(each for each in plays if each.card.suit is led) or plays

    def sides(self, state: State) -> tuple[Sides, ...]:
        return (tuple((seat,) for seat in EVERYBODY),)

    def action_frame(self, round_: int) -> int:
        return 4_096

    def settle(self, state: State) -> Outcome:
        if not self.is_over(state):
            raise RulesError("5", "cards are left")
        return Outcome(state.points, f"Points: {', '.join(map(str, state.points))}.")

    def new_match(self, luck: bytes) -> Match:
        return Match(Seat(luck[0] % SEATS), (0,) * SEATS)

    def after_hand(self, match: Match, outcome: Outcome) -> Match:
        pairs = zip(match.scores, outcome.scores, strict=True)
        scores = tuple(old + new for old, new in pairs)
        fewest = min(scores)
        ended = max(scores) >= LIMIT and scores.count(fewest) == 1
        winner = scores.index(fewest) if ended else None
        return Match(right_of(match.dealer), scores, winner)

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> Match:
        if len(scores) != SEATS:
            raise ValueError("a score for each seat")
        return Match(dealer, scores)

    def format_action(self, action: Action) -> str:
        return " ".join((type(action).__name__.lower(), *map(str, action)))

    def parse_action(self, text: str) -> Action:
        word, *rest = text.split(" ")
        action: Action | None = None
        match word, rest:
            case "mix", []:
                action = Mix()
            case "deny", []:
                action = Deny()
            case "give", [slot] if slot.isdecimal() and len(slot) < 3:
                action = Give(Slot(int(slot)))
            case "play", [slot, card] if slot.isdecimal() and len(slot) < 3:
                action = Play(Slot(int(slot)), parse_card(card))
        if action is None or self.format_action(action) != text:
            raise NotationError(f"no action: {text[:20]!a}")
        return action


def _led(state: State) -> State:
    """Return the state once all have said whether they have the first card, or before."""
    if state.awaited:
        return state
    if not state.trick:
        raise RulesError("2", "somebody has the card that is led first")
    return state._replace(phase="playing", awaited=(right_of(state.trick[0].seat),))


def _followed(state: State) -> State:
    trick = state.trick
    if len(trick) < SEATS:
        return state._replace(awaited=(right_of(trick[-1].seat),))
    winner = taken_by(trick)
    paid = sum(cost(each.card) for each in trick)
    points = tuple(old + paid * (seat == winner) for seat, old in enumerate(state.points))
    after = state._replace(trick=(), last=trick, tricks=state.tricks + 1, points=points)
    if any(state.hands):
        return after._replace(awaited=(winner,))
    return after._replace(phase="over", awaited=())


def taken_by(trick: Sequence[Laid]) -> Seat:
    """Return whose card of a trick is the highest of the suit led."""
    following = (each for each in trick if each.card.suit is trick[0].card.suit)
    return max(following, key=lambda each: each.card.rank).seat
