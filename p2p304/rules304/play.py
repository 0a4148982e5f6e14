"""Playing cards (RULES 9 and 11): what a play must prove, and which plays a seat has.

The same rules stand in `caps.position` once more, on bits, where a search asks millions of times;
tests compare the two and brute force.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from p2p304.cards import Card, Slot, Suit
from p2p304.disclosures import LaidDown, Opened
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304.actions import Action, OpenTrump, PlayCard, PlayDown
from p2p304.rules304.dealing import indicator_taken_up, may_open
from p2p304.rules304.duties import (
    all_of_suit,
    exhausted,
    face_shown,
    indicator_not_of,
    none_of_suit,
    off_trump,
)
from p2p304.rules304.state import Play, State
from p2p304.rules304.tricks import trick_complete
from p2p304.seats import Seat
from p2p304.statements import Statement


def idle_seats(state: State) -> tuple[Seat, ...]:
    """Return the maker's partners where the contract lays their cards aside (RULES 14.2)."""
    if state.alone and state.maker is not None:
        return state.mates(state.maker)
    return ()


def next_to_play(state: State, seat: Seat) -> Seat:
    """Return the seat that plays after `seat`, idle ones skipped."""
    following, idle = state.right_of(seat), idle_seats(state)
    while following in idle:
        following = state.right_of(following)
    return following


def play_card(state: State, seat: Seat, action: PlayCard) -> Step[State]:
    """Play a card face up: leads, following suit, and everything once trump is open."""
    slot, card = action.slot, action.card
    statements = face_shown(state, slot, card)
    is_indicator = _check_slot(state, seat, slot)
    if state.shown or state.caps is not None:
        _check_promises(state, seat, slot, card)
    if action.all_trumps and not first_lead_banned(state, seat):
        raise RulesError("8", "the all-trumps waiver is for a maker's hidden trump led to trick 1")
    if not state.plays:
        statements += _lead(state, seat, action, is_indicator)
    else:
        led = led_suit(state)
        if card.suit == led:
            if is_indicator and state.hands[seat]:
                raise RulesError("9.3", "the indicator does not follow suit before the last trick")
        else:
            statements += _void_up(state, seat, slot, card, led, is_indicator)
    faces = MappingProxyType(state.faces | {slot: card})
    state = _played(state, seat, slot, Play(seat, slot, False), faces)
    if is_indicator and (len(state.plays) == 1 or card.suit == led_suit(state)):
        state = indicator_taken_up(state)  # the last trick: trump is open with this card
    return _next(state, statements, Opened(slot, card))


def play_down(state: State, seat: Seat, action: PlayDown) -> Step[State]:
    """Play a card face down: void in the led suit while trump is hidden."""
    slot = action.slot
    is_indicator = _check_slot(state, seat, slot)
    if not state.plays:
        raise RulesError("9", "a lead is face up")
    if state.trump is not None:
        raise RulesError("9.1", "trump is open, so every card is played face up")
    if _all_face_up(state):
        raise RulesError("13.4", "after a call of caps was contested every card is face up")
    led = led_suit(state)
    if state.shown or state.caps is not None:
        _check_promises(state, seat, slot, None)
    statements = _void_down(state, seat, slot, led, is_indicator)
    state = _played(state, seat, slot, Play(seat, slot, True), state.faces)
    return _next(state, statements, LaidDown(seat, slot))


def proof_of_turn(state: State, seat: Seat, action: PlayCard) -> tuple[Statement, ...]:
    """Return what proves that `seat`, no maker with hidden trump, can play this card now."""
    if not state.plays:
        return _lead(state, seat, action, False)
    led = led_suit(state)
    if action.card.suit == led:
        return ()
    rest = tuple(each for each in state.hands[seat] if each != action.slot)
    return none_of_suit(state, rest, led, "9", "a seat that holds the led suit must follow it")


def led_suit(state: State) -> Suit:
    """Return the suit of the first card of the trick in progress."""
    return state.faces[state.plays[0].slot].suit


def _all_face_up(state: State) -> bool:
    return state.caps is not None and state.caps.contested is True


def _check_slot(state: State, seat: Seat, slot: Slot) -> bool:
    """Tell whether `slot` is the indicator; raises RulesError unless it is the seat's to play."""
    if slot in state.hands[seat]:
        return False
    if seat == state.maker and slot == state.indicator:
        return True
    raise RulesError("S1", f"slot {slot} is no unplayed card of this seat")


def _lead(state: State, seat: Seat, action: PlayCard, is_indicator: bool) -> tuple[Statement, ...]:
    if seat != state.maker:
        return ()
    hand, suit = state.hands[seat], action.card.suit
    rest = tuple(each for each in hand if each != action.slot)
    if state.trump is not None:
        if exhausted_binds(state) and state.trump in state.unfollowed and suit != state.trump:
            why = "a maker that has led a trump that nobody followed goes on leading trumps"
            return none_of_suit(state, rest, state.trump, "11.2", why)
        return ()
    assert state.indicator is not None
    if is_indicator:
        if hand:
            raise RulesError("9.3", "the indicator is led in the last trick only")
        return ()
    if first_lead_banned(state, seat):
        if action.all_trumps:
            if may_open(state):
                raise RulesError("8", "with nothing but trumps to lead, the maker opens trump")
            why = "the waiver needs a hand of trumps alone"
            return all_of_suit(state, (*rest, state.indicator), suit, "8", why)
        why = "a maker with hidden trump does not lead trump to the first trick"
        return indicator_not_of(state, suit, "8", why)
    if not exhausted_binds(state):
        return ()
    return tuple(
        each
        for other in state.unfollowed
        if other != suit
        for each in exhausted(state, rest, other)
    )


def first_lead_banned(state: State, seat: Seat) -> bool:
    """Tell whether `seat` is to lead to trick 1 and may not lead hidden trump (RULES 8)."""
    return (
        seat == state.maker
        and state.trump is None
        and not state.tricks
        and not state.plays
        and state.profile.first_lead_ban
    )


def exhausted_binds(state: State) -> bool:
    """Tell whether the exhausted-trumps duty is in force (RULES 11.2)."""
    return state.profile.exhausted_trumps and not state.alone


def _void_up(
    state: State, seat: Seat, slot: Slot, card: Card, led: Suit, is_indicator: bool
) -> tuple[Statement, ...]:
    """Play off the led suit, face up: S3, and for a maker with hidden trump its limits."""
    hand = state.hands[seat]
    why = "a seat that holds the led suit must follow it"
    if state.trump is not None:
        rest = tuple(each for each in hand if each != slot)
        return none_of_suit(state, rest, led, "9.1", why)
    if not _all_face_up(state):
        raise RulesError("9.2", "while trump is hidden a seat that cannot follow plays face down")
    void = none_of_suit(state, tuple(each for each in hand if each != slot), led, "9.2", why)
    if seat != state.maker:
        return void
    if is_indicator:
        return void
    limit = "with hidden trump the maker neither cuts with nor throws away a trump from hand"
    return void + indicator_not_of(state, card.suit, "9.3", limit)


def _void_down(
    state: State, seat: Seat, slot: Slot, led: Suit, is_indicator: bool
) -> tuple[Statement, ...]:
    why = "a seat that holds the led suit must follow it"
    void = none_of_suit(state, state.hands[seat], led, "9.2", why)
    if seat != state.maker:
        return void
    if is_indicator:
        cuts = "the indicator is not played to a trump lead"
        return void + indicator_not_of(state, led, "9.3", cuts)
    limit = "with hidden trump the maker neither cuts with nor throws away a trump from hand"
    return void + off_trump(state, (slot,), "9.3", limit)


def _check_promises(state: State, seat: Seat, slot: Slot, card: Card | None) -> None:
    """Check that a stated caps order, or else shown cards, are played as promised."""
    if _plays_in_order(state, seat):
        due = _promised(state, seat)
        if due is not None and slot != due:
            raise RulesError("13.4", "the cards are played in the order that was stated")
        return
    shown = [each for each in state.shown if each in state.hands[seat]]
    if not shown or slot in shown:
        return
    wanted = _suit_required(state, seat)
    fits = wanted is None or any(state.faces[each].suit == wanted for each in shown)
    if fits or card is None or card.suit != wanted:
        raise RulesError("9", "a shown card must be played as soon as it is legal")


def _plays_in_order(state: State, seat: Seat) -> bool:
    """Tell whether `seat` has called caps and must play the cards in the order that it stated."""
    caps = state.caps
    return (
        caps is not None
        and caps.contested is True
        and caps.seat == seat
        and state.profile.caps_order_stated
    )


def _suit_required(state: State, seat: Seat) -> Suit | None:
    """Return the suit that goes before every other card, as far as the table can tell; None at a
    lead.

    It is the led suit, or trump for the lead of a maker that exhausted trumps bind.
    """
    if state.plays:
        return led_suit(state)
    bound = seat == state.maker and exhausted_binds(state) and state.trump in state.unfollowed
    return state.trump if bound else None


def _promised(state: State, seat: Seat) -> Slot | None:
    """Return the next slot of the stated order, if playing it is legal now."""
    assert state.caps is not None
    unplayed = {*state.hands[seat], state.indicator if seat == state.maker else None}
    due = next((slot for slot, _ in state.caps.order if slot in unplayed), None)
    legal = _plays(state, seat, state.faces)
    return due if any(_slot_of(each) == due for each in legal) else None


def _slot_of(action: Action) -> Slot | None:
    match action:
        case PlayCard(slot, _, _) | PlayDown(slot):
            return slot
        case _:
            return None


def _played(
    state: State, seat: Seat, slot: Slot, play: Play, faces: MappingProxyType[Slot, Card]
) -> State:
    """Return the state with the card on the table and the next seat on turn."""
    plays, awaiting = (*state.plays, play), (next_to_play(state, seat),)
    hand = state.hands[seat]
    if slot in hand:
        hands = list(state.hands)
        hands[seat] = tuple(each for each in hand if each != slot)
        return state._replace(
            plays=plays, hands=tuple(hands), faces=faces, awaiting=awaiting, promised=None
        )
    return state._replace(plays=plays, indicator=None, faces=faces, awaiting=awaiting)


def _next(
    state: State, statements: tuple[Statement, ...], disclosure: Opened | LaidDown
) -> Step[State]:
    if len(state.plays) == len(state.teams) - len(idle_seats(state)):
        return trick_complete(state, statements, disclosure)
    return Step(state, statements, (disclosure,))


def legal_plays(state: State, seat: Seat, faces: Mapping[Slot, Card]) -> list[Action]:
    """Return every card that `seat`, on turn, may play, judged with the faces it knows."""
    legal = _plays(state, seat, faces)
    if _plays_in_order(state, seat):
        due = _promised(state, seat)
        return [each for each in legal if due is None or _slot_of(each) == due]
    if state.shown:
        shown = [each for each in legal if _slot_of(each) in state.shown]
        return shown or legal
    return legal


def _plays(state: State, seat: Seat, faces: Mapping[Slot, Card]) -> list[Action]:
    hand = state.hands[seat]
    hidden_maker = seat == state.maker and state.trump is None
    indicator = state.indicator
    if not state.plays:
        if hidden_maker:
            return _closed_leads(state, hand, faces)
        trumps = state.trump if seat == state.maker and exhausted_binds(state) else None
        return _up(_bound(state, hand, faces, trumps), faces)
    led = led_suit(state)
    follow = [slot for slot in hand if faces[slot].suit == led]
    if follow:
        return _up(follow, faces)
    if hidden_maker:
        assert indicator is not None
        trump = faces[indicator].suit
        if trump == led and not hand:
            return _up([indicator], faces)
        options = [slot for slot in hand if faces[slot].suit != trump]
        if trump != led:
            options.append(indicator)
    else:
        options = list(hand)
    if state.trump is not None or _all_face_up(state):
        return _up(options, faces)
    return [PlayDown(slot) for slot in options]


def _closed_leads(state: State, hand: tuple[Slot, ...], faces: Mapping[Slot, Card]) -> list[Action]:
    indicator = state.indicator
    assert indicator is not None
    card = faces[indicator]
    if not hand:
        return [PlayCard(indicator, card)]
    if not state.tricks and state.profile.first_lead_ban:
        leads = _up([slot for slot in hand if faces[slot].suit != card.suit], faces)
        if may_open(state):
            return [*leads, OpenTrump(card)]
        return leads or [PlayCard(slot, faces[slot], True) for slot in hand]
    leads = _up(_bound(state, hand, faces, card.suit if exhausted_binds(state) else None), faces)
    return [*leads, OpenTrump(card)] if may_open(state) else leads


def _bound(
    state: State, hand: tuple[Slot, ...], faces: Mapping[Slot, Card], trump: Suit | None
) -> list[Slot]:
    """Return the slots that may be led, `trump` alone where exhausted trumps bind."""
    if trump is not None and trump in state.unfollowed:
        bound = [slot for slot in hand if faces[slot].suit == trump]
        if bound:
            return bound
    return list(hand)


def _up(slots: list[Slot], faces: Mapping[Slot, Card]) -> list[Action]:
    return [_face_up(slot, faces[slot]) for slot in slots]


@cache
def _face_up(slot: Slot, card: Card) -> PlayCard:
    """Return the action; the same few thousand are listed over and over, so each is made once."""
    return PlayCard(slot, card)
