"""Caps, spoilt trumps and double: what a player claims, and how it answers a claim."""

from __future__ import annotations

from typing import Final

from p2p304.bots.advice import Advice
from p2p304.bots.play304.playing import chance_to_sweep, sure_order
from p2p304.bots.play304.position import Position
from p2p304.cards import Slot, Suit
from p2p304.rules304.actions import AcceptCaps, CallCaps, CallDouble, CallSpoilt, ContestCaps
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import judge_order
from p2p304.rules304.caps.search import OutOfNodesError
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.pack import STRENGTH
from p2p304.rules304.state import State
from p2p304.rules304.tricks import total_tricks
from p2p304.statements import NoneOfSuit, SuitsDiffer

_EARLY: Final = 0.9
_LATE: Final = 0.6
"""How likely all tricks must be where caps are judged by outcome: before the bonus is lost, and in
the last window, when not calling costs as much as a wrong call (RULES 13.6)."""


def caps_call(position: Position) -> Advice | None:
    """Advise a call of caps, if one is legal and wise."""
    call = next((each for each in position.legal if isinstance(each, CallCaps)), None)
    pending = (action for _, action in position.view.state.pending)
    if call is None or any(isinstance(each, CallCaps) for each in pending):
        return None
    if position.view.state.profile.caps_model is CapsModel.OUTCOME:
        return _by_outcome(position, call)
    order = sure_order(position, position.view.state)
    if not order:
        return None
    if call.order and position.view.state.profile.caps_order_stated:
        slots = {card: slot for slot, card in call.order}
        call = CallCaps(tuple((slots[card], card) for card in order))
    told = " ".join(map(str, order))
    return Advice(call, f"Played in the order {told}, these cards win every trick for certain.")


def _by_outcome(position: Position, call: CallCaps) -> Advice | None:
    state = position.view.state
    trick = state.trick_number
    deadline = state.profile.caps_bonus_before
    tricks = total_tricks(state)
    if trick < min(tricks // 2, deadline):
        return None
    likely = chance_to_sweep(position)
    if likely < (_LATE if trick == tricks else _EARLY):
        return None
    return Advice(call, f"All tricks are won in {likely:.0%} of the imagined layouts.")


def answer_to_caps(position: Position) -> Advice:
    """Advise to concede what is certain from where the seat sits, and to contest all else: it is
    free."""
    if position.level.nodes and _certain_from_here(position):
        return Advice(AcceptCaps(), "By all that is seen from here, the order wins every trick.")
    return Advice(ContestCaps(), "The order may yet fail, and letting it be played costs nothing.")


def _certain_from_here(position: Position) -> bool:
    """Tell whether the caller's order is sure given the cards that the answering seat sees."""
    state = position.view.state
    caps, contract = state.caps, state.contract
    assert caps is not None
    if isinstance(contract, Contract) or contract is None or not caps.order:
        return False
    information = information_of(state, caps.seat, position.view.faces, imagined=True)
    order = tuple(card for _, card in caps.order)
    try:
        return judge_order(information, order, position.level.nodes, position.more)
    except OutOfNodesError:
        return False


# ---------------------------------------------------------------------------- spoilt trumps


def spoilt_call(position: Position) -> Advice | None:
    """Advise a defender's call of spoilt trumps, if one is legal and known to be true."""
    state, seat = position.view.state, position.seat
    if CallSpoilt() not in position.legal or state.maker is None:
        return None
    if state.team_of(seat) == state.team_of(state.maker) or not knows_spoilt(position):
        return None
    return Advice(CallSpoilt(), "Every trump was dealt to the maker's team, so the hand is void.")


def knows_spoilt(position: Position) -> bool:
    """Tell whether the seat knows that the defenders were dealt no trump, whatever trump may be."""
    state, faces = position.view.state, position.view.faces
    maker, trump = state.maker, state.trump_by(faces)
    if maker is None or trump is None:
        return False
    makers = {slot for mate in (maker, *state.mates(maker)) for slot in state.dealt[mate]}
    held = [slot for slot in makers if slot in faces and faces[slot].suit == trump]
    if len(held) == len(state.profile.deck.ranks):
        return True
    plain = _known_plain(state, trump)
    return all(
        faces[slot].suit != trump if slot in faces else slot in plain
        for defender in state.opponents(maker)
        for slot in state.dealt[defender]
    )


def _known_plain(state: State, trump: Suit) -> set[Slot]:
    """Return the hidden slots that have been proved to hold no trump."""
    plain: set[Slot] = set()
    for fact in state.facts:
        match fact:
            case NoneOfSuit(slots, suit) if suit == trump:
                plain.update(slots)
            case SuitsDiffer(slots, other) if other == state.trump_slot:
                plain.update(slots)
            case _:
                continue
    return plain


def double_call(position: Position) -> Advice | None:
    """Advise to call double, where that is possible and certain to be won: the own cards win all
    that is left, whoever holds what."""
    state, faces = position.view.state, position.view.faces
    if CallDouble() not in position.legal or state.trump is None:
        return None
    own = [faces[slot] for slot in state.hands[position.seat]]
    unseen = state.profile.deck.card_set - {*faces.values()}
    trumps = {card for card in unseen if card.suit is state.trump}
    for card in own:
        above = {
            other
            for other in unseen
            if other.suit is card.suit and STRENGTH[other.rank] > STRENGTH[card.rank]
        }
        if above or (trumps and card.suit is not state.trump):
            return None
    return Advice(CallDouble(), "No card that is left beats any of yours.")
