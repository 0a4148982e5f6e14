"""Between the cards of a record and the slots of a state: telling a hand, and playing it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self, assert_never

from p2p304.cards import Card, Slot
from p2p304.disclosures import Disclosure, Opened, Remixed
from p2p304.errors import NotationError, RulesError
from p2p304.rules304 import actions as act
from p2p304.rules304 import dealing, machine
from p2p304.rules304.actions import Action
from p2p304.rules304.calls import caps_slots
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.dealing import batch_places
from p2p304.rules304.duties import WrongCards
from p2p304.rules304.moves import Move, Verb, format_move
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
    holds,
)
from p2p304.view import View


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A hand in cards: what was agreed, dealt and chosen, and nothing that follows from it.

    `hands` holds all cards for each seat in the order in which they were dealt, whether or not
    the second batch ever was. Without `parted` it is not known which of a seat came first.
    """

    profile: Profile
    dealer: Seat
    cut: int
    hands: tuple[tuple[Card, ...], ...]
    moves: tuple[Move, ...]
    parted: bool = True

    def deck(self) -> tuple[Card, ...]:
        """Return the shuffled deck, before the cut, that deals these hands."""
        deck = list(self.profile.deck.cards)
        done = 0
        for batch, size in enumerate(self.profile.deal_batches.sizes):
            places = batch_places(self.profile, self.dealer, self.cut, batch)
            for seat, hand in enumerate(self.hands):
                for place, card in zip(places[seat], hand[done : done + size], strict=True):
                    deck[place] = card
            done += size
        return tuple(deck)


_FORCED = frozenset(
    {
        Phase.SORTING,
        Phase.INSPECT,
        Phase.SHOW_INDICATOR,
        Phase.SPOILT_INDICATOR,
        Phase.COUNT,
    }
)
_PLAIN: Final[Mapping[Verb, Action]] = {
    Verb.PASS: act.Pass(),
    Verb.CLOSED: act.KeepClosed(),
    Verb.ACCEPT: act.AcceptCaps(),
    Verb.CONTEST: act.ContestCaps(),
    Verb.SPOILT: act.CallSpoilt(),
    Verb.SPOILT_AT_ONCE: act.CallSpoilt(),
    Verb.DOUBLE: act.CallDouble(),
}
_VERBS: Final[Mapping[type[Action], Verb]] = {
    **{type(action): verb for verb, action in _PLAIN.items() if verb is not Verb.SPOILT_AT_ONCE},
    act.PlaceBid: Verb.BID,
    act.AskPartner: Verb.ASK,
    act.DemandRedeal: Verb.REDEAL,
    act.LayIndicator: Verb.INDICATOR,
    act.NameCard: Verb.NAME,
    act.DeclareMarriages: Verb.MARRIAGE,
    act.OpenTrump: Verb.OPEN,
    act.PlayCard: Verb.UP,
    act.PlayDown: Verb.DOWN,
    act.ShowCard: Verb.SHOW,
    act.CallCaps: Verb.CAPS,
    act.ShowTrump: Verb.TRUMP,
}
"""How each action is told. About the others the rules leave no choice."""
_AT_ONCE: Final = {
    Verb.SHOW: Verb.SHOW_IN_TURN,
    Verb.CAPS: Verb.CAPS_AT_ONCE,
    Verb.SPOILT: Verb.SPOILT_AT_ONCE,
}
"""What is said while a card is awaited, of what is said in a window otherwise."""


def moves_of(state: State, face: Callable[[Slot], Card]) -> tuple[Move, ...]:
    """Return the choices of the hand that led to `state`, told in cards; `face` gives true
    faces."""
    tale = dealing.start(state.profile, state.dealer).state
    moves = []
    for seat, action in state.log:
        move = _move_of(tale.phase, seat, action, face)
        if move is not None:
            moves.append(move)
        tale = machine.apply(tale, seat, action).state
    return tuple(moves)


def _move_of(phase: Phase, seat: Seat, action: Action, face: Callable[[Slot], Card]) -> Move | None:
    """Return how `action` is told in cards; None for what the rules leave no choice about."""
    verb = _VERBS.get(type(action))
    if verb is None:
        return None
    if phase is Phase.TRICK:
        verb = _AT_ONCE.get(verb, verb)
    match action:
        case act.PlaceBid(bid):
            return Move(seat, verb, bid)
        case act.AskPartner(mate):
            return Move(seat, verb, mate=mate)
        case act.PlayCard(slot, all_trumps=True):
            return Move(seat, Verb.UP_ALL_TRUMPS, cards=(face(slot),))
        case act.LayIndicator(slot) | act.PlayCard(slot) | act.PlayDown(slot):
            return Move(seat, verb, cards=(face(slot),))
        case act.ShowCard(slot) | act.ShowTrump(slot):
            return Move(seat, verb, cards=(face(slot),))
        case act.NameCard(card):
            return Move(seat, verb, cards=(card,))
        case act.DeclareMarriages(faces) | act.CallCaps(faces):
            return Move(seat, verb, cards=tuple(card for _, card in faces))
        case _:
            return Move(seat, verb)


def _contradiction(statement: Statement, faces: Mapping[Slot, Card]) -> str:
    """Return which cards make a statement false, in a sentence for somebody who sees all of
    them."""
    match statement:
        case NotCard(_, card):
            return f"{card} must not be here, but it is"
        case NoneOfSuit(slots, suit):
            found = next(faces[slot] for slot in slots if faces[slot].suit == suit)
            return f"there must be no {suit.name.lower()} here, but there is {found}"
        case SuitsDiffer(slots, other):
            found = next(faces[slot] for slot in slots if faces[slot].suit == faces[other].suit)
            return f"{found} must not have the suit of {faces[other]}"
        case AllOfSuit(slots, suit):
            found = next(faces[slot] for slot in slots if faces[slot].suit != suit)
            return f"there must be nothing but {suit.name.lower()} here, but there is {found}"
        case IsCard(slot, card):
            return f"the card is {faces[slot]}, not {card}"
        case PointsBelow(_, limit):
            return f"these cards do not count fewer than {limit} points"
        case AnyOf(alternatives):
            return "; and ".join(_contradiction(each, faces) for each in alternatives)
        case _:
            assert_never(statement)


class Retelling:
    """A hand with open cards, each seat's cards left in their order when they are sorted."""

    def __init__(self, profile: Profile, dealer: Seat, deck: Sequence[Card]) -> None:
        self.deck = tuple(deck)
        self.faces = {Slot(place): card for place, card in enumerate(deck)}
        self.state = dealing.start(profile, dealer).state

    @classmethod
    def of_record(cls, record: HandRecord, *, places: Sequence[int] = ()) -> Self:
        """Play a hand again from its record; `places` are where its moves stand in a text.

        Raises NotationError for a record that the rules do not lead through.
        """
        tale = cls(record.profile, record.dealer, record.deck())
        if tale.state.phase is Phase.CUT:
            tale._do(tale.state.awaiting[0], act.Cut(record.cut), 0)
        elif record.cut:
            raise NotationError("this profile does not cut")
        for index, move in enumerate(record.moves):
            place = places[index] if places else index
            tale._forced(place, window=not move.in_window)
            tale._do(move.seat, tale.action_of(move, place), place)
        claimed = bool(record.moves) and record.moves[-1].in_window
        tale._forced(places[-1] if places else 0, window=claimed)
        return tale

    def act(self, seat: Seat, action: Action) -> None:
        """Carry out an action; raises RulesError, also for a false statement."""
        step = machine.apply(self.state, seat, action)
        for statement in step.statements:
            if not holds(statement, self.faces, points=CARD_POINTS):
                raise RulesError("0.1", _contradiction(statement, self.faces))
        for disclosure in step.disclosures:
            self._note(disclosure)
        self.state = step.state

    def _note(self, disclosure: Disclosure) -> None:
        match disclosure:
            case Remixed(_, before, after):
                for old, new in zip(before, after, strict=True):
                    self.faces[new] = self.faces[old]
            case Opened(slot, card) if self.faces.get(slot) != card:
                raise RulesError("S1", f"the card is {self.faces[slot]}, not {card}")
            case _:
                pass

    def _do(self, seat: Seat, action: Action, place: int) -> None:
        try:
            self.act(seat, action)
        except WrongCards as error:
            cards = " ".join(str(self.faces[slot]) for slot in error.slots) or "none"
            said = f"the rules forbid this: {error.what} are {cards} (rule {error.rule})"
            raise NotationError(said, place) from error
        except RulesError as error:
            raise NotationError(f"the rules forbid this: {error}", place) from error

    def _forced(self, place: int, *, window: bool) -> None:
        """Do what leaves no choice: sorting, announcements, counting, and quiet windows."""
        while True:
            phase = self.state.phase
            answers = phase is Phase.SPOILT_ANSWER
            if not (phase in _FORCED or answers or (window and phase is Phase.WINDOW)):
                return
            seat = self.state.awaiting[0]
            action = legal_actions(View(seat, self.state, self.faces))[0]
            if answers and not isinstance(action, act.DenyTrump):
                return
            self._do(seat, action, place)

    def action_of(self, move: Move, place: int) -> Action:
        """Return the action that a move tells, at this point of the hand.

        Raises NotationError, with the place, for a move that tells no action here.
        """
        if move.verb is Verb.NAME:
            return act.NameCard(move.cards[0])
        slots = [self._slot(move.seat, card, place) for card in move.cards]
        faces = tuple(zip(slots, move.cards, strict=True))
        plain = _PLAIN.get(move.verb)
        if plain is not None:
            return plain
        match move.verb:
            case Verb.BID if move.bid is not None:
                return act.PlaceBid(move.bid)
            case Verb.ASK:
                return act.AskPartner(move.mate)
            case Verb.REDEAL:
                hand = self.state.hands[move.seat]
                private = self.state.profile.redeal_private
                return act.DemandRedeal(() if private else tuple((s, self.faces[s]) for s in hand))
            case Verb.OPEN if self.state.trump_slot is not None:
                return act.OpenTrump(self.faces[self.state.trump_slot])
            case Verb.CAPS | Verb.CAPS_AT_ONCE:
                if not self.state.profile.caps_order_stated:
                    # In the order of the hand, which is another one here.
                    due = caps_slots(self.state, move.seat)
                    faces = tuple(sorted(faces, key=lambda face: (*due, face[0]).index(face[0])))
                return act.CallCaps(faces)
            case Verb.INDICATOR:
                return act.LayIndicator(slots[0])
            case Verb.UP | Verb.UP_ALL_TRUMPS:
                return act.PlayCard(*faces[0], move.verb is Verb.UP_ALL_TRUMPS)
            case Verb.DOWN:
                return act.PlayDown(slots[0])
            case Verb.MARRIAGE:
                return act.DeclareMarriages(faces)
            case Verb.SHOW | Verb.SHOW_IN_TURN:
                return act.ShowCard(*faces[0])
            case Verb.TRUMP:
                return act.ShowTrump(*faces[0])
            case _:
                raise NotationError(
                    f"{format_move(move, self.state.seats)} does not fit here", place
                )

    def _slot(self, seat: Seat, card: Card, place: int) -> Slot:
        held = (*self.state.hands[seat], *self.state.dealt[seat])
        for slot in held:
            if self.faces[slot] == card:
                return slot
        raise NotationError(f"{card} is not one of this seat's cards", place)
