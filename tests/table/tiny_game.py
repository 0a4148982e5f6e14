"""A small trick game that uses every part of the game interface, for tables of 2 to 4 seats.

Each seat gets two cards; the seat after the dealer says "go"; each gets a third. All sort their
hands at once. Three tricks follow: suit must be followed; who cannot may play face down. After a
trick the dealer is handed the face-down cards and says that none of them (its own included) is a
spade, or shows them all; a spade wins the trick. Then all pass, at once. At the end every seat
opens what still lies face down. A seat scores its tricks; a match goes to three tricks or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.errors import NotationError, RulesError
from p2p304.game import Step
from p2p304.seats import Seat, Sides, seat_after
from p2p304.statements import IsCard, NoneOfSuit, Statement
from p2p304.view import View

TRUMPS = Suit.SPADES
HAND = 3


class Go(NamedTuple):
    pass


class Sort(NamedTuple):
    pass


class Play(NamedTuple):
    slot: Slot
    card: Card | None  # None: face down


class Plain(NamedTuple):
    pass


class Show(NamedTuple):
    cards: tuple[tuple[Slot, Card], ...]


class Pass(NamedTuple):
    pass


class Open(NamedTuple):
    cards: tuple[tuple[Slot, Card], ...]


TinyAction = Go | Sort | Play | Plain | Show | Pass | Open


class Laid(NamedTuple):
    seat: Seat
    slot: Slot
    card: Card | None


@dataclass(frozen=True, slots=True)
class TinyState:
    dealer: Seat
    phase: str
    awaiting: tuple[Seat, ...]
    hands: tuple[tuple[Slot, ...], ...]
    trick: tuple[Laid, ...] = ()
    down: tuple[tuple[Seat, Slot], ...] = ()  # face down and never opened, of all tricks
    tricks: tuple[int, ...] = ()
    leader: Seat = Seat(0)


class TinyOutcome(NamedTuple):
    scores: tuple[int, ...]
    summary: str
    played: bool = True


class TinyMatch(NamedTuple):
    dealer: Seat
    scores: tuple[int, ...]
    winner: int | None


class TinyGame:
    def __init__(self, seats: int = 3, target: int = 3) -> None:
        self.seats = seats
        self.target = target

    @property
    def name(self) -> str:
        return "tiny"

    @property
    def pack(self) -> tuple[Card, ...]:
        ranks = (Rank.SEVEN, Rank.EIGHT, Rank.NINE)
        return tuple(Card(suit, rank) for suit in list(Suit)[: self.seats] for rank in ranks)

    @property
    def everybody(self) -> tuple[Seat, ...]:
        return tuple(Seat(seat) for seat in range(self.seats))

    def points_of(self, card: Card) -> int:
        return int(card.rank)

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[TinyState]:
        hands = tuple((Slot(2 * seat), Slot(2 * seat + 1)) for seat in self.everybody)
        first = seat_after(dealer, seats=self.seats)
        state = TinyState(dealer, "go", (first,), hands, tricks=(0,) * self.seats, leader=first)
        dealt = tuple(Dealt(seat, hands[seat]) for seat in self.everybody)
        return Step(state, (), dealt)

    def contributors(self, state: TinyState) -> tuple[Seat, ...]:
        return state.awaiting

    def sides(self, state: TinyState) -> tuple[Sides, ...]:
        """Even seats against odd ones."""
        return (tuple(each for each in (self.everybody[::2], self.everybody[1::2]) if each),)

    def is_over(self, state: TinyState) -> bool:
        return state.phase == "over"

    def settle(self, state: TinyState) -> TinyOutcome:
        if state.phase != "over":
            raise RulesError("end", "the hand is not over")
        return TinyOutcome(state.tricks, f"tricks: {state.tricks}")

    def apply(self, state: TinyState, seat: Seat, action: TinyAction) -> Step[TinyState]:
        phases = {Go: "go", Sort: "sort", Play: "trick", Plain: "inspect", Show: "inspect",
                  Pass: "window", Open: "count"}  # fmt: skip
        if phases[type(action)] != state.phase or seat not in state.awaiting:
            raise RulesError("turn", f"{action} by {seat} in {state.phase}")
        rest = tuple(each for each in state.awaiting if each != seat)
        match action:
            case Go():
                extra = [Slot(2 * self.seats + each) for each in self.everybody]
                hands = tuple((*state.hands[each], extra[each]) for each in self.everybody)
                after = replace(state, phase="sort", awaiting=self.everybody, hands=hands)
                return Step(
                    after, (), tuple(Dealt(each, (extra[each],)) for each in self.everybody)
                )
            case Sort():
                first = len(self.pack) + HAND * seat
                fresh = tuple(Slot(first + place) for place in range(HAND))
                hands = tuple(
                    fresh if each == seat else state.hands[each] for each in self.everybody
                )
                after = replace(state, hands=hands, awaiting=rest)
                if not rest:
                    after = replace(after, phase="trick", awaiting=(state.leader,))
                return Step(after, (), (Remixed(seat, state.hands[seat], fresh),))
            case Play(slot, card):
                return self._play(state, seat, slot, card)
            case Plain():
                slots = tuple(laid.slot for laid in state.trick if laid.card is None)
                return Step(self._taken(state), (NoneOfSuit(slots, TRUMPS),))
            case Show(cards):
                down = tuple(laid.slot for laid in state.trick if laid.card is None)
                if tuple(slot for slot, _ in cards) != down:
                    raise RulesError("show", "all face-down cards are shown")
                shown = dict(cards)
                trick = tuple(
                    Laid(laid.seat, laid.slot, laid.card or shown[laid.slot])
                    for laid in state.trick
                )
                return Step(self._taken(replace(state, trick=trick)), *_opened(cards))
            case Pass():
                after = replace(state, awaiting=rest)
                return Step(after if rest else self._next_trick(after))
            case Open(cards):
                mine = tuple(slot for owner, slot in state.down if owner == seat)
                if tuple(slot for slot, _ in cards) != mine:
                    raise RulesError("count", "a seat opens what it laid face down")
                after = replace(state, awaiting=rest, phase="count" if rest else "over")
                return Step(after, *_opened(cards))

    def _play(self, state: TinyState, seat: Seat, slot: Slot, card: Card | None) -> Step[TinyState]:
        hand = state.hands[seat]
        if slot not in hand:
            raise RulesError("play", "the slot is not in the hand")
        if card is None and not state.trick:
            raise RulesError("play", "the lead is face up")
        statements: tuple[Statement, ...] = ()
        disclosures: tuple[Disclosure, ...] = (LaidDown(seat, slot),)
        if card is not None:
            statements, disclosures = (IsCard(slot, card),), (Opened(slot, card),)
        if state.trick:
            led = state.trick[0].card
            if card is None or card.suit != led.suit:
                unseen = hand if card is None else tuple(each for each in hand if each != slot)
                statements = (*statements, NoneOfSuit(unseen, led.suit))
        hands = tuple(
            tuple(each for each in cards if each != slot) if owner == seat else cards
            for owner, cards in enumerate(state.hands)
        )
        trick = (*state.trick, Laid(seat, slot, card))
        after = replace(state, hands=hands, trick=trick)
        if len(trick) < self.seats:
            turn = seat_after(seat, seats=self.seats)
            return Step(replace(after, awaiting=(turn,)), statements, disclosures)
        down = [laid for laid in trick if laid.card is None]
        if not down:
            return Step(self._taken(after), statements, disclosures)
        given = tuple(
            HandedOver(laid.slot, laid.seat, state.dealer)
            for laid in down
            if laid.seat != state.dealer
        )
        after = replace(after, phase="inspect", awaiting=(state.dealer,))
        return Step(after, statements, (*disclosures, *given))

    def _taken(self, state: TinyState) -> TinyState:
        led = state.trick[0].card
        seen = [(laid.card, laid.seat) for laid in state.trick if laid.card is not None]
        suit = TRUMPS if any(card.suit == TRUMPS for card, _ in seen) else led.suit
        _, winner = max((card.rank, seat) for card, seat in seen if card.suit == suit)
        tricks = tuple(count + (seat == winner) for seat, count in enumerate(state.tricks))
        down = tuple((laid.seat, laid.slot) for laid in state.trick if laid.card is None)
        return replace(
            state,
            phase="window",
            awaiting=self.everybody,
            trick=(),
            down=(*state.down, *down),
            tricks=tricks,
            leader=winner,
        )

    def _next_trick(self, state: TinyState) -> TinyState:
        if any(state.hands):
            return replace(state, phase="trick", awaiting=(state.leader,))
        owners = tuple(sorted({seat for seat, _ in state.down}))
        return replace(state, phase="count" if owners else "over", awaiting=owners)

    def action_frame(self, round_: int) -> int:
        return 4_096

    def legal_actions(self, view: View[TinyState]) -> Sequence[TinyAction]:
        state, seat, faces = view.state, view.seat, view.faces
        if seat is None or seat not in state.awaiting:
            return ()
        match state.phase:
            case "go":
                return (Go(),)
            case "sort":
                return (Sort(),)
            case "window":
                return (Pass(),)
            case "count":
                mine = (slot for owner, slot in state.down if owner == seat)
                return (Open(tuple((slot, faces[slot]) for slot in mine)),)
            case "inspect":
                down = [laid.slot for laid in state.trick if laid.card is None]
                show = Show(tuple((slot, faces[slot]) for slot in down))
                if any(faces[slot].suit == TRUMPS for slot in down):
                    return (show,)
                return (Plain(), show)
            case _:
                hand = state.hands[seat]
                if not state.trick:
                    return tuple(Play(slot, faces[slot]) for slot in hand)
                led = state.trick[0].card
                following = [slot for slot in hand if faces[slot].suit == led.suit]
                if following:
                    return tuple(Play(slot, faces[slot]) for slot in following)
                return tuple(Play(slot, card) for slot in hand for card in (None, faces[slot]))

    def format_action(self, action: TinyAction) -> str:
        match action:
            case Play(slot, card):
                return f"play {slot} {card or 'down'}"
            case Show(cards) | Open(cards):
                return " ".join(
                    (type(action).__name__.lower(), *(f"{slot}={card}" for slot, card in cards))
                )
            case _:
                return type(action).__name__.lower()

    def parse_action(self, text: str) -> TinyAction:
        word, *rest = text.split(" ")
        simple: dict[str, TinyAction] = {
            "go": Go(),
            "sort": Sort(),
            "plain": Plain(),
            "pass": Pass(),
        }
        try:
            if word in simple and not rest:
                return simple[word]
            if word == "play":
                slot, card = rest
                return Play(Slot(int(slot)), None if card == "down" else parse_card(card))
            if word in ("show", "open"):
                pairs = [each.split("=") for each in rest]
                cards = tuple((Slot(int(slot)), parse_card(card)) for slot, card in pairs)
                return Show(cards) if word == "show" else Open(cards)
        except ValueError:
            pass
        raise NotationError(f"{text[:20]!a} is no action")

    def new_match(self, luck: bytes) -> TinyMatch:
        return TinyMatch(Seat(luck[0] % self.seats), (0,) * self.seats, None)

    def after_hand(self, match: TinyMatch, outcome: TinyOutcome) -> TinyMatch:
        scores = tuple(map(sum, zip(match.scores, outcome.scores, strict=True)))
        won = [side for side, score in enumerate(scores) if score >= self.target]
        return TinyMatch(
            seat_after(match.dealer, seats=self.seats), scores, won[0] if won else None
        )

    def after_penalty(self, match: TinyMatch, side: int, *, in_hand: bool) -> TinyMatch:
        if match.winner is not None or not 0 <= side < self.seats:
            raise ValueError("the match is over, or has no such side")
        scores = tuple(score - 3 * (seat == side) for seat, score in enumerate(match.scores))
        dealer = seat_after(match.dealer, seats=self.seats) if in_hand else match.dealer
        return TinyMatch(dealer, scores, None)

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> TinyMatch:
        if len(scores) != self.seats or max(scores) >= self.target:
            raise ValueError("no match goes on so")
        return TinyMatch(dealer, scores, None)


def _opened(
    cards: tuple[tuple[Slot, Card], ...],
) -> tuple[tuple[Statement, ...], tuple[Disclosure, ...]]:
    return (
        tuple(IsCard(slot, card) for slot, card in cards),
        tuple(Opened(slot, card) for slot, card in cards),
    )
