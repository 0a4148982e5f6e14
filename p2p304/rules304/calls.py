"""Claims between and during tricks: the window, caps, spoilt trumps (RULES 3, 12 and 13.4)."""

from __future__ import annotations

from typing import Final

from p2p304.cards import Card, Faces, Rank, Slot, Suit
from p2p304.disclosures import Opened
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, Contract, Face
from p2p304.rules304.duties import exactly, face_statement, face_statements, none_of_suit
from p2p304.rules304.play import (
    idle_seats,
    next_to_play,
    proof_of_turn,
    to_count,
    to_window,
    total_tricks,
)
from p2p304.rules304.profile import CapsModel, PreShow
from p2p304.rules304.state import Caps, End, Phase, State
from p2p304.seats import Seat
from p2p304.statements import NoneOfSuit, Statement

# PROFILES 3.3: with the fifth trick won, three of eight are left to undertake.
_TRICKS_BEFORE_DOUBLE: Final = 5


def why_no_caps(state: State, seat: Seat) -> tuple[str, str] | None:
    """Return the rule and the reason why `seat` may not call caps now, or None if it may (RULES
    13.4).

    The state must be in play. Whether its cards are certain to win is not asked.
    """
    if state.profile.caps_model is CapsModel.OFF:
        return "13", "caps are not called in this profile"
    if isinstance(state.contract, Contract):
        return "14.2", "caps are not called in Partner Close Caps or half court"
    if state.caps is not None:
        return "13.4", "caps have been called in this hand"
    if not state.has_won_all(state.teams[seat]):
        return "13.4", "a team that has lost a trick cannot call caps"
    # The last trick wins itself: each seat has one card (RULES 13.4).
    if state.plays and len(state.tricks) + 1 == total_tricks(state):
        return "13.4", "the last trick has begun"
    return None


def caps_slots(state: State, seat: Seat) -> tuple[Slot, ...]:
    """Return the slots that a call of caps by `seat` must show: all its unplayed cards, a maker's
    hidden indicator last (RULES 13.4).
    """
    hand = state.hands[seat]
    if seat == state.maker and state.indicator is not None:
        return (*hand, state.indicator)
    return hand


def why_no_spoilt(state: State) -> tuple[str, str] | None:
    """Return the rule and the reason why spoilt trumps cannot be called now, or None if they can
    (RULES 12). Whether the call would be true is not asked.
    """
    if not state.profile.spoilt_trumps:
        return "12", "spoilt trumps are not part of this profile"
    if state.contract is Contract.HALF_COURT:
        return "12", "spoilt trumps need a hand with all cards dealt"
    if state.partner_secret:
        return "3.2", "spoilt trumps are called once the maker's partner is known"
    # Ruling 56: conceded caps have ended the hand. None is no answer yet.
    if state.caps is not None and state.caps.contested is False:
        return "12", "caps have been conceded"
    return None


def _allowed(refusal: tuple[str, str] | None) -> None:
    """Raise RulesError with the rule and the reason of a refusal; do nothing for None."""
    if refusal:
        raise RulesError(*refusal)


def ready(state: State, seat: Seat, action: act.Ready) -> Step[State]:
    """Return the step after `seat` claimed nothing in the open window; the last seat to answer
    closes the window (RULES 3, BARRIER).
    """
    return _contribute(state, seat, action, (), ())


def why_no_showing(state: State, seat: Seat) -> tuple[str, str] | None:
    """Return the rule and the reason why `seat` may show no card between tricks, or None if it may
    (house rule `pre_show`).
    """
    if state.profile.pre_show_card is PreShow.NO:
        return "8", "showing a card before it is played is not agreed here"
    if state.plays:
        return "8", "cards are shown between tricks"
    if seat in idle_seats(state):
        return "8", "a seat whose cards are laid aside shows none"
    if seat == state.maker and state.trump is None:
        why = "a maker with hidden trump shows none, for it might have to say why not to play it"
        return "8", why
    return None


def why_no_double(state: State, seat: Seat) -> tuple[str, str] | None:
    """Return the rule and the reason why `seat` may not call double now, or None if it may: only
    the winner of the fifth trick may, right after it, where its side has won all five (PROFILES
    3.3).

    Whoever calls double undertakes that its side wins all eight tricks.
    """
    if not state.profile.double:
        return "3.3", "double is not called in this profile"
    if state.alone:
        return "3.3", "who plays alone has undertaken all tricks already"
    if len(state.tricks) != _TRICKS_BEFORE_DOUBLE:
        return "3.3", "double is called after the fifth trick"
    if seat != state.tricks[-1].winner:
        return "3.3", "the seat that took the fifth trick calls double"
    if not state.has_won_all(state.teams[seat]):
        return "3.3", "double is for a side that has won all five tricks"
    return None


def window_double(state: State, seat: Seat, action: act.CallDouble) -> Step[State]:
    """Return the step after `seat` called double in the open window: its side must win all eight
    tricks, for one token more.

    Raises RulesError, naming PROFILES 3.3, where the seat may not call double.
    """
    _allowed(why_no_double(state, seat))
    # At once, not when the window closes: one seat alone may call, so no order of arrival matters.
    return _contribute(state._replace(double=seat), seat, action, (), ())


def why_no_marriage(state: State, seat: Seat) -> tuple[str, str] | None:
    """Return the rule and the reason why `seat` may show no king with its queen now, or None if it
    may (PROFILES 3.2). Whether it holds a pair is not asked.
    """
    if not state.profile.marriages:
        return "3.2", "marriages are not agreed at this table"
    if isinstance(state.contract, Contract):
        return "3.2", "marriages count for numbers alone"
    if state.trump is None:
        return "3.2", "marriages are shown with open trump"
    if not state.tricks or state.plays:
        return "3.2", "marriages are shown after a trick"
    winner = state.tricks[-1].winner
    # While the partner is secret only the winner is known to be on the winning side.
    if seat != winner and (state.partner_secret or seat not in state.mates(winner)):
        return "3.2", "marriages are shown by the side that won the trick"
    return None


def marriages_of(faces: Faces, hand: tuple[Slot, ...]) -> tuple[Face, ...]:
    """Return the pairs of king and queen of one suit in a hand, as slots with cards: king, queen,
    king, queen, in the order of suits.

    Empty without a pair. Slots of the hand that are not in `faces` are left out.
    """
    held = {faces[slot]: slot for slot in hand if slot in faces}
    pairs = ((Card(suit, Rank.KING), Card(suit, Rank.QUEEN)) for suit in Suit)
    # Both cards of each pair of which the hand has both.
    return tuple((held[card], card) for pair in pairs for card in pair if {*pair} <= {*held})


def declare_marriages(state: State, seat: Seat, action: act.DeclareMarriages) -> Step[State]:
    """Return the step after `seat` showed king and queen of one or more suits in the open window;
    that changes the points that the maker's side needs (PROFILES 3.2).

    Raises RulesError where marriages may not be shown now, for other cards than pairs from the
    hand, for suits out of order and for a suit that was counted before.
    """
    _allowed(why_no_marriage(state, seat))
    # Every second card is a king: the faces must come as king, queen, king, queen, suits ascending.
    cards = [card for _, card in action.cards]
    suits = [card.suit for card in cards[::2]]
    pairs = [card for suit in suits for card in (Card(suit, Rank.KING), Card(suit, Rank.QUEEN))]
    if not cards or cards != pairs or suits != sorted(set(suits)):
        raise RulesError("3.2", "king and queen of each suit are shown, the suits in their order")
    if any(slot not in state.hands[seat] for slot, _ in action.cards):
        raise RulesError("S1", "only unplayed cards of one's own hand can be shown")
    if {suit for _, suit in state.marriages} & {*suits}:
        raise RulesError("3.2", "the marriage of each suit counts once")
    statements, opened = face_statements(state, action.cards), _disclosures(state, action.cards)
    # By suit, so that the state is the same in whatever order the seats of a round spoke.
    made = sorted((*state.marriages, *((seat, suit) for suit in suits)), key=lambda each: each[1])
    state = state.with_faces(*action.cards)._replace(marriages=tuple(made))
    return _contribute(state, seat, action, statements, opened)


def show_card(state: State, seat: Seat, action: act.ShowCard) -> Step[State]:
    """Return the step after `seat` showed, in the open window, a card that it must play as soon
    as it can (house rule `pre_show`). Raises RulesError where it may show none, or not this one.
    """
    _allowed(why_no_showing(state, seat))
    shown, statements = _show_card(state, seat, action)
    return _contribute(shown, seat, action, statements, (Opened(action.slot, action.card),))


def _show_card(
    state: State, seat: Seat, action: act.ShowCard
) -> tuple[State, tuple[Statement, ...]]:
    """Return the state with the card of `action` seen by all, and the statements that it needs.

    Raises RulesError for a card that is not in the hand, or that everybody has seen.
    """
    slot, card = action.slot, action.card
    if slot not in state.hands[seat]:
        raise RulesError("S1", "only an unplayed card of one's own hand can be shown")
    if slot in state.faces:
        raise RulesError("8", "that card has been seen by all")
    statements = face_statement(state, slot, card)
    # By slot: any order of arrival must lead to one state (see `Game.contributors`).
    shown = tuple(sorted((*state.shown, slot)))
    return state.with_faces((slot, card))._replace(shown=shown), statements


def why_no_showing_in_turn(state: State, seat: Seat) -> tuple[str, str] | None:
    """Return the rule and the reason why `seat`, which is to play, may not first show the card that
    it will play, or None if it may (house rule `pre_show_in_trick`).
    """
    profile = state.profile
    if profile.pre_show_card is not PreShow.IN_TRICK_TOO:
        return "8", "showing a card in the middle of a trick is not agreed here"
    if seat == state.maker and state.trump is None:
        return "8", "a maker with hidden trump shows none, for it might have to say why not another"
    if any(slot in state.shown for slot in state.hands[seat]):
        return "8", "a card that was shown is played before another one is shown"
    # It is shown so that a partner may call caps: not where its team may not.
    return why_no_caps(state, seat)


def show_in_turn(state: State, seat: Seat, action: act.ShowCard) -> Step[State]:
    """Return the step after `seat`, which is to play in the middle of a trick, showed the card that
    it will play.

    A window opens, in which a partner can call caps before the card is played. The step states that
    the card is legal in this turn. Raises RulesError where the seat may show none, or not this one.
    """
    _allowed(why_no_showing_in_turn(state, seat))
    slot, card = action.slot, action.card
    shown, statements = _show_card(state, seat, action)
    statements += proof_of_turn(state, seat, act.PlayCard(slot, card))
    return Step(to_window(shown._replace(promised=slot)), statements, (Opened(slot, card),))


def _disclosures(state: State, faces: tuple[Face, ...]) -> tuple[Opened, ...]:
    """Return an Opened for each of `faces` that not everybody has seen yet, in their order."""
    return tuple(Opened(*face) for face in faces if face[0] not in state.faces)


def call_caps(state: State, seat: Seat, action: act.CallCaps) -> Step[State]:
    """Return the step after `seat` called caps: its cards are shown. In the open window the call
    takes effect when every seat has acted, unless another one comes first (`_close_window`); during
    a trick, in or out of turn, at once.

    The step states that each closed slot of its order holds the card it names. Raises RulesError
    where it may not call, for other cards than it must show, and where they stand in another order
    than the hand's although the table states none (RULES 13.4).
    """
    _allowed(why_no_caps(state, seat))
    slots = caps_slots(state, seat) if state.profile.caps_expose else ()
    if action.order and not slots:
        raise RulesError("13.6", "at this table caps are called without showing cards")
    shown = action.order
    if state.profile.caps_order_stated:
        # Any order may be stated, so the slots are compared as a set; without one the hand's order
        # is the only text.
        shown, slots = tuple(sorted(shown)), tuple(sorted(slots))
    exactly(shown, slots, "13.4", "the cards that a call of caps shows")
    statements, opened = face_statements(state, action.order), _disclosures(state, action.order)
    state = state.with_faces(*action.order)
    if state.phase is Phase.WINDOW:
        return _contribute(state, seat, action, statements, opened)
    # The log does not have the call yet: its length is the number of actions before it.
    return Step(_called_caps(state, seat, action, len(state.log)), statements, opened)


def call_spoilt(state: State, seat: Seat, action: act.CallSpoilt) -> Step[State]:
    """Return the step after `seat` called spoilt trumps: in the open window that takes effect when
    every seat has acted; during a trick, in or out of turn, at once. Raises RulesError where it may
    not call (RULES 12).
    """
    _allowed(why_no_spoilt(state))
    if state.phase is Phase.WINDOW:
        return _contribute(state, seat, action, (), ())
    return Step(_called_spoilt(state, seat))


def _contribute(
    state: State,
    seat: Seat,
    action: Action,
    statements: tuple[Statement, ...],
    opened: tuple[Opened, ...],
) -> Step[State]:
    """Return the step after `seat` did `action` in the open window, which needs `statements` and
    shows the cards `opened`. The window closes once every seat has acted.
    """
    state = (
        # Only claims are kept: a seat that is ready changes nothing when the window closes.
        state.without_awaited(seat)
        if isinstance(action, act.Ready)
        else _keep_action(state, seat, action)
    )
    return Step(state if state.awaiting else _close_window(state), statements, opened)


def _keep_action(state: State, seat: Seat, action: Action) -> State:
    """Return the state in which `seat` is no longer awaited and its action is kept in `pending`
    until all seats of the round have acted.
    """
    # In seat order: any order of arrival must lead to one state (see `Game.contributors`).
    pending = tuple(sorted((*state.pending, (seat, action)), key=lambda entry: entry[0]))
    return state.without_awaited(seat)._replace(pending=pending)


def _close_window(state: State) -> State:
    """Return the state after every seat has acted in a window: the first call of spoilt trumps
    takes effect, else the first call of caps, else play goes on.

    First is, among the callers, the leader, then whoever sits next to the leader's right.
    """
    # Spoilt trumps and caps alone: a double, marriages and shown cards counted when they were said.
    pending = dict(state.pending)
    state = state._replace(pending=())
    # Two loops: any call of spoilt trumps goes before any call of caps, for a true one voids the
    # hand (specs/rules.md 9 no. 3).
    order = [state.right_of(state.leader, step) for step in range(state.seats)]
    for seat in order:
        if isinstance(pending.get(seat), act.CallSpoilt):
            return _called_spoilt(state, seat)
    for seat in order:
        call = pending.get(seat)
        if isinstance(call, act.CallCaps):
            # Judged by what the caller knew when the window opened (specs/rules.md 11.1 no. 5).
            return _called_caps(state, seat, call, state.round_start)
    return _on_with_play(state)


def _on_with_play(state: State) -> State:
    """Return the state with the next seat to play awaited, at the lead or in the middle of a
    trick.
    """
    turn = next_to_play(state, state.plays[-1].seat) if state.plays else state.leader
    return state._replace(phase=Phase.TRICK, awaiting=(turn,))


def _called_caps(state: State, seat: Seat, action: act.CallCaps, log_index: int) -> State:
    """Return the state after a call of caps: the opponents are to accept or contest it, or play
    goes on where caps show no cards.

    The call is judged by the state after the first `log_index` actions of the log: those before the
    call, or before the window opened in which it was made.
    """
    state = state._replace(caps=Caps(seat, action.order, log_index))
    # Without shown cards there is nothing to concede: the hand is played to its end (RULES 13.6).
    if not state.profile.caps_expose:
        return _on_with_play(state)
    return state._replace(phase=Phase.CAPS_RESPONSE, awaiting=state.opponents(seat))


def answer_caps(state: State, seat: Seat, action: act.AcceptCaps | act.ContestCaps) -> Step[State]:
    """Return the step after one opponent accepted or contested a call of caps (RULES 13.4).

    After the last answer: if all accepted, the tricks are conceded and closed cards are opened at
    the count; if anybody contested, play goes on.
    """
    state = _keep_action(state, seat, action)
    if state.awaiting:
        return Step(state)
    # One opponent is enough: nobody has to believe a claim (RULES 13.4).
    contested = any(isinstance(answer, act.ContestCaps) for _, answer in state.pending)
    state = state._replace(pending=(), caps=state.the_caps._replace(contested=contested))
    if contested:
        return Step(_on_with_play(state))
    return Step(to_count(state._replace(end=End.CONCEDED)))


def _called_spoilt(state: State, seat: Seat) -> State:
    """Return the state with spoilt trumps called by `seat`: the maker is to show the indicator, or
    the defenders to answer where it is open.
    """
    state = state._replace(spoilt=seat)
    if state.trump_slot in state.faces:
        return _to_answers(state)
    return state._replace(phase=Phase.SPOILT_INDICATOR, awaiting=(state.the_maker,))


def spoilt_indicator(state: State, seat: Seat, action: act.ShowIndicator) -> Step[State]:
    """Return the step after the maker opened its indicator because spoilt trumps were called; the
    defenders are to answer next (RULES 12), or the call is judged at once where no answer is
    needed.

    Raises RulesError for a card that is not in the pack, or that was seen elsewhere.
    """
    slot = state.the_trump_slot
    statements = face_statement(state, slot, action.card)
    state = state.with_faces((slot, action.card))
    return Step(_to_answers(state), statements, (Opened(slot, action.card),))


def _to_answers(state: State) -> State:
    """Return the state in which the defenders are to answer a call of spoilt trumps; the trump must
    be open.

    Only those are awaited whose dealt cards are not all seen. The call is judged at once where a
    defender's trump is seen (false), or where nobody is left to answer (true).
    """
    trump = state.shown_trump
    awaiting = []
    for seat in state.opponents(state.the_maker):
        dealt = state.dealt[seat]
        # A trump that a defender has shown in play decides at once; nobody need answer.
        if any(slot in state.faces and state.faces[slot].suit == trump for slot in dealt):
            return _judge(state, spoilt=False)
        # A defender all of whose cards were seen has no answer to give.
        if any(slot not in state.faces for slot in dealt):
            awaiting.append(seat)
    if not awaiting:
        return _judge(state, spoilt=True)
    return state._replace(phase=Phase.SPOILT_ANSWER, awaiting=tuple(awaiting))


def _judge(state: State, *, spoilt: bool) -> State:
    """Return the state with the hand over after a call of spoilt trumps: void where `spoilt` is
    true, else a violation by the caller.
    """
    violation = None if spoilt else state.spoilt
    end = End.SPOILT if spoilt else End.VIOLATION
    return state._replace(phase=Phase.OVER, awaiting=(), pending=(), end=end, violation=violation)


def deny_trump(state: State, seat: Seat, action: act.DenyTrump) -> Step[State]:
    """Return the step after the defender `seat` answered a call of spoilt trumps by denying: it
    states that it was dealt no trump (S9). After the last defender's answer the hand is over.

    Raises RulesError where a trump that was dealt to it has been seen.
    """
    # Defenders answer once the indicator is open.
    trump = state.shown_trump
    why = "a trump that was dealt to this seat has been seen"
    statements = none_of_suit(state, state.dealt[seat], trump, "12", why)
    return Step(_keep_answer(state, seat, action), statements)


def show_trump(state: State, seat: Seat, action: act.ShowTrump) -> Step[State]:
    """Return the step after a defender answered a call of spoilt trumps by opening a trump that it
    was dealt. The call is judged, as refuted, after the last defender's answer.

    Raises RulesError for a card that is no trump, was not dealt to this seat, or was seen
    elsewhere.
    """
    if action.slot not in state.dealt[seat]:
        raise RulesError("12", "only a card that was dealt to this seat can answer")
    if action.card.suit != state.shown_trump:
        raise RulesError("12", f"{action.card} is no trump")
    statements = face_statement(state, action.slot, action.card)
    state = state.with_faces((action.slot, action.card))
    return Step(_keep_answer(state, seat, action), statements, (Opened(action.slot, action.card),))


def _keep_answer(state: State, seat: Seat, action: act.DenyTrump | act.ShowTrump) -> State:
    """Return the state with a defender's answer to spoilt trumps kept; after the last answer the
    hand is over, spoilt if every defender denied holding a trump.
    """
    state = _keep_action(state, seat, action)
    # Also after a trump was shown: all defenders answer in one round, in any order.
    if state.awaiting:
        return state
    return _judge(
        state, spoilt=all(isinstance(answer, act.DenyTrump) for _, answer in state.pending)
    )


# --- what everybody can see of a window: whether anybody can have anything to claim or show in it -
#
# Only the public state is asked: whether there is a window, and how long it stays open, by what is
# told here says nothing of anybody's cards.


def claims_possible(state: State) -> bool:
    """Tell whether the public record allows any seat a claim, or to show a card, in a window."""
    if why_no_spoilt(state) is None:
        return True
    return any(_may_claim(state, seat) for seat in state.everybody)


def nothing_to_claim(state: State, seat: Seat) -> bool:
    """Tell whether by the public record `seat` can only go on in the open window, with nothing to
    claim or show.

    A call of spoilt trumps counts as nothing where everybody can see that it would be false.
    """
    if _may_claim(state, seat):
        return False
    # Only the public record is read, so that the length of a window says nothing of anybody's
    # cards.
    return why_no_spoilt(state) is not None or _not_spoilt(state)


def _may_claim(state: State, seat: Seat) -> bool:
    """Tell whether the rules allow `seat` caps, double, a marriage or the showing of a card now."""
    rules = (why_no_caps, why_no_showing, why_no_double, why_no_marriage)
    return any(why_not(state, seat) is None for why_not in rules)


def _not_spoilt(state: State) -> bool:
    """Tell whether everybody can see that a call of spoilt trumps would be false: of each suit
    that may be trump a card dealt to a defender has been seen.
    """
    maker = state.maker
    # Without a maker nobody defends.
    if maker is None:
        return False
    shown = {
        state.faces[slot].suit
        for defender in state.opponents(maker)
        for slot in state.dealt[defender]
        if slot in state.faces
    }
    if state.trump is not None:
        return state.trump in shown
    excluded = {
        fact.suit
        for fact in state.facts
        # Only what was proved of the indicator alone excludes a suit from being trump.
        if isinstance(fact, NoneOfSuit) and fact.slots == (state.trump_slot,)
    }
    # Whichever of the other suits is trump, a defender was seen with one of it.
    return shown >= {*Suit} - excluded
