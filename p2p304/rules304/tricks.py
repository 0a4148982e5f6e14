"""The end of a trick (RULES 10): inspection, winner, and what follows."""

from __future__ import annotations

from p2p304.cards import Slot, Suit
from p2p304.disclosures import Disclosure, HandedOver, LaidDown, Opened
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304.actions import AnnounceCut, AnnounceNone, ShowIndicator
from p2p304.rules304.bids import Contract
from p2p304.rules304.choices import CapsGrace, CapsModel
from p2p304.rules304.count import to_count
from p2p304.rules304.dealing import indicator_taken_up
from p2p304.rules304.duties import exactly, face_shown, faces_shown, none_of_suit, off_trump
from p2p304.rules304.pack import STRENGTH
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import End, Phase, Play, State, Trick
from p2p304.seats import Seat
from p2p304.statements import Statement


def _suspects(state: State) -> tuple[Play, ...]:
    """Return the cards of the trick that may be hidden trumps: face down, or up after contested
    caps."""
    led = state.faces[state.plays[0].slot].suit
    return tuple(
        play for play in state.plays[1:] if play.down or state.faces[play.slot].suit != led
    )


def trick_complete(
    state: State, statements: tuple[Statement, ...], disclosure: Opened | LaidDown
) -> Step[State]:
    """Go on after the last card of a trick: the maker inspects, or the winner is plain."""
    maker = state.maker
    assert maker is not None
    if state.trump is None and _suspects(state):
        handed = tuple(
            HandedOver(play.slot, play.seat, maker)
            for play in state.plays
            if play.down and play.seat != maker and play.slot not in state.faces
        )
        inspecting = state._replace(phase=Phase.INSPECT, awaiting=(maker,))
        return Step(inspecting, statements, (disclosure, *handed))
    return Step(trick_won(state), statements, (disclosure,))


def announce_none(state: State, seat: Seat, action: AnnounceNone) -> Step[State]:
    """Announce that none of the face-down cards is a trump (RULES 10.2, S6)."""
    suspects = tuple(play.slot for play in _suspects(state))
    why = "a card of this trick that was not led is a trump"
    if state.trump_slot in suspects:
        raise RulesError("10.2", "the indicator itself lies in this trick, so it is cut")
    return Step(trick_won(state), off_trump(state, suspects, "10.2", why))


def due_on_cut(state: State) -> tuple[Slot, ...]:
    """Return the slots that a cut trick shows to all, in the order in which they are announced."""
    due = [
        play.slot
        for play in state.plays
        if play.down
        and (play.seat != state.maker or state.profile.show_maker_discard)
        and play.slot != state.trump_slot
    ]
    assert state.trump_slot is not None
    return tuple(slot for slot in (*due, state.trump_slot) if slot not in state.faces)


def announce_cut(state: State, seat: Seat, action: AnnounceCut) -> Step[State]:
    """Show what the profile shows on a cut; the trumps among it prove the cut (RULES 10.2)."""
    exactly(action.cards, due_on_cut(state), "10.2", "the cards to show")
    statements = faces_shown(state, action.cards)
    state = state.seeing(*action.cards)
    assert state.trump_slot is not None
    trump = state.faces[state.trump_slot].suit
    suspects = _suspects(state)
    if not any(
        play.slot in state.faces and state.faces[play.slot].suit == trump for play in suspects
    ):
        raise RulesError("10.2", "none of the face-down cards is a trump")
    discard = tuple(play.slot for play in suspects if play.slot not in state.faces)
    why = "the maker's own discard is off trump"
    statements += none_of_suit(state, discard, trump, "10.2", why)
    opened: tuple[Disclosure, ...] = tuple(Opened(slot, card) for slot, card in action.cards)
    return Step(trick_won(indicator_taken_up(state)), statements, opened)


def show_indicator(state: State, seat: Seat, action: ShowIndicator) -> Step[State]:
    """Show the indicator after the first trick of a bid of 250 or more (RULES 11.1)."""
    slot = state.indicator
    assert slot is not None
    statements = face_shown(state, slot, action.card)
    state = indicator_taken_up(state.seeing((slot, action.card)))
    return Step(to_window(state), statements, (Opened(slot, action.card),))


def _best(state: State, suit: Suit) -> Seat | None:
    """Return who played the highest card of `suit` in the trick, of the cards that are seen."""
    best: tuple[int, Seat] | None = None
    for play in state.plays:
        card = state.faces.get(play.slot)
        if card is not None and card.suit == suit:
            strength = STRENGTH[card.rank]
            if best is None or strength > best[0]:
                best = strength, play.seat
    return None if best is None else best[1]


def trick_won(state: State) -> State:
    """Give the trick to who takes it, and do what that ends or begins (RULES 10.3)."""
    lead = state.plays[0]
    led = state.faces[lead.slot].suit
    trump = state.trump
    cutter = None if trump is None or trump == led else _best(state, trump)
    winner = cutter if cutter is not None else _best(state, led)
    assert winner is not None
    unfollowed = state.unfollowed
    if lead.seat == state.maker and led not in unfollowed and _nobody_followed(state, led):
        unfollowed = (*unfollowed, led)
    state = state._replace(
        tricks=(*state.tricks, Trick(state.plays, winner, cutter is not None)),
        plays=(),
        leader=winner,
        unfollowed=unfollowed,
        shown=tuple(slot for slot in state.shown if slot not in state.faces or _held(state, slot)),
    )
    return _after_trick(state, winner)


def _held(state: State, slot: Slot) -> bool:
    return any(slot in hand for hand in state.hands)


def _nobody_followed(state: State, led: Suit) -> bool:
    return all(play.down or state.faces[play.slot].suit != led for play in state.plays[1:])


def total_tricks(state: State) -> int:
    """Return how many tricks the hand has."""
    return len(state.dealt[state.maker or 0])


def _after_trick(state: State, winner: Seat) -> State:
    maker, caps = state.maker, state.caps
    assert maker is not None
    if state.alone and winner != maker:
        return to_count(state._replace(end=End.CONTRACT_LOST))
    if caps is not None and caps.contested and state.teams[winner] != state.teams[caps.seat]:
        return to_count(state._replace(end=End.CAPS_LOST))
    if len(state.tricks) == total_tricks(state):
        return to_count(state._replace(end=End.PLAYED))
    if len(state.tricks) == 1 and state.trump is None and _opens_after_first(state):
        return state._replace(phase=Phase.SHOW_INDICATOR, awaiting=(maker,))
    return to_window(state)


def _opens_after_first(state: State) -> bool:
    contract = state.contract
    return isinstance(contract, Contract) or (
        contract is not None and contract >= state.profile.open_after_trick1_from
    )


def to_window(state: State) -> State:
    """Open a window, in which every seat may claim something before the next card (BARRIER)."""
    return state._replace(phase=Phase.WINDOW, awaiting=state.everybody)


def calls_at_once(profile: Profile) -> bool:
    """Tell whether caps are due as soon as they are sure, so that a window follows every card."""
    return profile.caps_grace is CapsGrace.STRICT and profile.caps_model is CapsModel.EPISTEMIC
