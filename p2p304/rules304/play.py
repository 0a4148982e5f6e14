"""Playing cards (RULES 9 to 11): what a play must prove, and which plays a seat has; the end of a
trick, and the count of the hand.

What may be played stands in `caps.position` once more, on bits, where a search asks millions of
times; tests compare the two and brute force.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Final

from p2p304.cards import Card, Faces, Slot, Suit
from p2p304.disclosures import Disclosure, HandedOver, LaidDown, Opened
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, Face, OpenTrump, PlayCard, PlayDown, height
from p2p304.rules304.dealing import indicator_shown, may_open, take_up_indicator
from p2p304.rules304.duties import (
    all_of_suit,
    exactly,
    exhausted_statement,
    face_statement,
    face_statements,
    indicator_not_of,
    none_of_suit,
    off_trump,
)
from p2p304.rules304.pack import CARD_POINTS, STRENGTH
from p2p304.rules304.profile import CapsGrace, CapsModel, Profile
from p2p304.rules304.state import End, Phase, Play, State, Trick
from p2p304.rules304.teams import Team
from p2p304.seats import Seat
from p2p304.statements import Statement

# --- the end of a trick (RULES 10): inspection, winner, and what follows --------------------------


def _suspects(state: State) -> tuple[Play, ...]:
    """Return the plays of the trick that may be hidden trumps: cards face down, and after
    contested caps cards face up that do not follow. Never the lead.
    """
    led = state.faces[state.plays[0].slot].suit
    # From the second card on: a lead is open, and of the led suit by definition.
    return tuple(
        play for play in state.plays[1:] if play.down or state.faces[play.slot].suit != led
    )


def announce_none(state: State, seat: Seat, action: act.AnnounceNone) -> Step[State]:
    """Return the step after the maker announced that no card of the trick is a hidden trump: the
    step states just that, and the trick goes to its winner (RULES 10.2, S6).

    Raises RulesError where the indicator is in the trick, or an open card contradicts the
    statement.
    """
    # Neither `seat` nor `action` is read: all handlers of the machine have one signature, and only
    # the maker is awaited here.
    suspects = tuple(play.slot for play in _suspects(state))
    why = "a card of this trick that was not led is a trump"
    # The maker cuts with it; to call that no trump would hide a card that beats the lead.
    if state.trump_slot in suspects:
        raise RulesError("10.2", "the indicator itself lies in this trick, so it is cut")
    return Step(win_trick(state), off_trump(state, suspects, "10.2", why))


def slots_due_on_cut(state: State) -> tuple[Slot, ...]:
    """Return the slots that the maker must show to all when a trick was cut: face-down cards in the
    order of play, then the indicator; without those that everybody has seen.

    The maker's own discard is among them only where the profile says so.
    """
    due = [
        play.slot
        for play in state.plays
        if play.down
        and (play.seat != state.maker or state.profile.show_maker_discard)
        and play.slot != state.trump_slot
    ]
    return tuple(slot for slot in (*due, state.the_trump_slot) if slot not in state.faces)


def announce_cut(state: State, seat: Seat, action: act.AnnounceCut) -> Step[State]:
    """Return the step after the maker announced a cut: it shows the cards that the rules open,
    trump is open from now on, and the trick goes to its winner (RULES 10.2).

    Raises RulesError for other cards than these, for a card that is not in the pack or was seen
    elsewhere, and where none of the cards played face down (after contested caps, of those that do
    not follow) is seen to be a trump: an indicator counts only if it was played.
    """
    exactly(action.cards, slots_due_on_cut(state), "10.2", "the cards to show")
    statements = face_statements(state, action.cards)
    state = state.with_faces(*action.cards)
    trump = state.shown_trump
    suspects = _suspects(state)
    if not any(
        play.slot in state.faces and state.faces[play.slot].suit == trump for play in suspects
    ):
        raise RulesError("10.2", "none of the face-down cards is a trump")
    # The maker's own discard may stay closed; that it is no trump is proved, or it could win the
    # trick.
    discard = tuple(play.slot for play in suspects if play.slot not in state.faces)
    why = "the maker's own discard is off trump"
    statements += none_of_suit(state, discard, trump, "10.2", why)
    opened: tuple[Disclosure, ...] = tuple(Opened(slot, card) for slot, card in action.cards)
    return Step(win_trick(take_up_indicator(state)), statements, opened)


def show_indicator(state: State, seat: Seat, action: act.ShowIndicator) -> Step[State]:
    """Return the step after the maker showed its indicator and took it into its hand, as it must
    after trick 1 of a high bid (RULES 11.1): trump is open, and a window begins.

    Raises RulesError for a card that is not in the pack, or that was seen elsewhere.
    """
    return indicator_shown(state, action.card)


def _best(state: State, suit: Suit) -> Seat | None:
    """Return the seat that played the highest open card of `suit` to the trick; None where
    nobody played an open one.
    """
    cards = [(state.faces.get(play.slot), play.seat) for play in state.plays]
    of_suit = [(STRENGTH[card.rank], seat) for card, seat in cards if card and card.suit == suit]
    # No two cards of a suit are equally strong.
    return max(of_suit)[1] if of_suit else None


def win_trick(state: State) -> State:
    """Return the state after a full trick went to its winner, who leads next; or with the hand
    over (RULES 10.3). What trump is, or that no card of the trick is one, must be settled.
    """
    lead = state.plays[0]
    led = state.faces[lead.slot].suit
    trump = state.trump
    # Trump is open by now if anybody cut. On a trump lead the highest card of the led suit wins
    # anyway.
    cutter = None if trump is None or trump == led else _best(state, trump)
    winner = cutter if cutter is not None else _best(state, led)
    # The lead itself is an open card of the led suit.
    assert winner is not None
    unfollowed = state.unfollowed
    # RULES 11.2: what may arm the duty to go on with trumps, noted of every suit since trump may be
    # hidden.
    if lead.seat == state.maker and led not in unfollowed:
        followed = (not p.down and state.faces[p.slot].suit == led for p in state.plays[1:])
        unfollowed = unfollowed if any(followed) else (*unfollowed, led)
    held = {slot for hand in state.hands for slot in hand}
    state = state._replace(
        tricks=(*state.tricks, Trick(state.plays, winner, cutter is not None)),
        plays=(),
        leader=winner,
        unfollowed=unfollowed,
        # A promise ends when its card is played.
        shown=tuple(slot for slot in state.shown if slot not in state.faces or slot in held),
    )
    return _after_trick(state, winner)


def total_tricks(state: State) -> int:
    """Return the number of tricks of the hand, which is the number of cards dealt to a seat."""
    # All seats are dealt alike; seat 0 stands in before there is a maker.
    return len(state.dealt[state.maker or 0])


def _after_trick(state: State, winner: Seat) -> State:
    """Return the state after `winner` took a trick.

    The hand comes to its count after the last trick, a trick that a maker playing alone lost, or
    one that the caller's team lost after contested caps. Else the maker is to show its indicator,
    after trick 1 of a high bid with hidden trump, or a window opens.
    """
    maker, contract, caps = state.the_maker, state.the_contract, state.caps
    # Alone the maker needs every trick: one lost, and nothing is left to play for (RULES 14.2).
    if state.alone and winner != maker:
        return to_count(state._replace(end=End.CONTRACT_LOST))
    # RULES 13.4: contested caps end with the first lost trick. None, not contested, is left where
    # caps show no cards: such a hand is played to its end (RULES 13.6).
    if caps is not None and caps.contested and state.teams[winner] != state.teams[caps.seat]:
        return to_count(state._replace(end=End.CAPS_LOST))
    if len(state.tricks) == total_tricks(state):
        return to_count(state._replace(end=End.PLAYED))
    # RULES 11.1: a contract stands above every number, so it opens trump whatever the parameter is.
    opens = height(contract) >= state.profile.open_after_trick1_from
    if len(state.tricks) == 1 and state.trump is None and opens:
        return state._replace(phase=Phase.SHOW_INDICATOR, awaiting=(maker,))
    return to_window(state)


def to_window(state: State) -> State:
    """Return the state in which a window is open: every seat may claim something, or is ready
    for the next card (RULES 3, BARRIER).
    """
    return state._replace(phase=Phase.WINDOW, awaiting=state.everybody)


def calls_at_once(profile: Profile) -> bool:
    """Tell whether caps that are certain must be called before the next card, so that a window
    follows every card; False where they may wait for the end of the trick, and where caps are
    not judged by knowledge.
    """
    return profile.caps_grace is CapsGrace.STRICT and profile.caps_model is CapsModel.EPISTEMIC


# --- COUNT (RULES 15 and 17): opening what the verdicts depend on, and adding up ------------------


def due_at_count(state: State, seat: Seat) -> tuple[Slot, ...]:
    """Return the slots that `seat` must open at the count, empty if all are seen: the cards that it
    played face down and not everybody has seen, in order of play.

    After conceded caps, whose verdict depends on them, its closed hand follows, and last a maker's
    closed indicator on the table.
    """
    every = state.earlier_plays + state.plays
    # The order is part of the action's text: order of play, hand, indicator (specs/rules.md 13 no.
    # 2).
    down = [play.slot for play in every if play.seat == seat and play.down]
    if state.end is End.CONCEDED:
        # Whether the conceded order was sure depends on every card that is left (RULES 13.5).
        down += state.hands[seat]
        if seat == state.maker and state.indicator is not None:
            down.append(state.indicator)
    return tuple(slot for slot in down if slot not in state.faces)


def to_count(state: State) -> State:
    """Return the state in which the seats that owe cards to the count are to open them; the hand
    is over where none does.
    """
    awaiting = tuple(seat for seat in state.everybody if due_at_count(state, seat))
    phase = Phase.COUNT if awaiting else Phase.OVER
    return state._replace(phase=phase, awaiting=awaiting)


def open_cards(state: State, seat: Seat, action: act.OpenCards) -> Step[State]:
    """Return the step after `seat` opened its cards for the count; raises RulesError unless they
    are just the cards that it must open, in their order (RULES 15).
    """
    exactly(action.cards, due_at_count(state, seat), "15", "the cards to open")
    return _open(state, action.cards)


def slots_handed_over(state: State) -> tuple[Slot, ...]:
    """Return the slots, ascending, of the face-down cards that seats other than the maker played to
    completed tricks, and that are still closed; the maker has seen them.

    Tricks to which the indicator was played face up are left out: they were not inspected (RULES
    9.4).
    """
    return tuple(
        sorted(
            play.slot
            for trick in state.tricks
            if all(play.down or play.slot != state.trump_slot for play in trick.plays)
            for play in trick.plays
            if play.down and play.seat != state.maker and play.slot not in state.faces
        )
    )


def open_handed_over(state: State, seat: Seat, action: act.OpenHandedOver) -> Step[State]:
    """Return the step after the maker opened face-down cards of other seats, which their owners did
    not open (RULES 15).

    Raises RulesError for another seat, while the maker owes cards of its own, for no cards, for
    cards that the maker was not handed or that all have seen, and for slots out of order.
    """
    if seat != state.maker:
        raise RulesError("15", "only the trump maker was handed other seats' cards")
    # specs/rules.md 13 no. 4: what the maker owes itself cannot hide behind opening others' cards.
    if seat in state.awaiting:
        raise RulesError("15", "the trump maker opens its own cards first")
    if not action.cards:
        raise RulesError("15", "at least one card must be opened")
    if not {slot for slot, _ in action.cards} <= {*slots_handed_over(state)}:
        raise RulesError("15", "only face-down cards that were handed over can be opened so")
    # One text for one set of cards; the set also catches a slot that is named twice.
    if [slot for slot, _ in action.cards] != sorted({slot for slot, _ in action.cards}):
        raise RulesError("15", "the cards are named once each, in the order of their slots")
    return _open(state, action.cards)


def _open(state: State, cards: tuple[Face, ...]) -> Step[State]:
    """Return the step after these cards were opened at the count; the hand is over where no seat
    owes another card.
    """
    statements = face_statements(state, cards)
    return Step(
        to_count(state.with_faces(*cards)),
        statements,
        tuple(Opened(slot, card) for slot, card in cards),
    )


def points_of_teams(state: State) -> tuple[int, int]:
    """Return the points that team 0 and team 1 took in tricks; after conceded caps the whole pack
    counts for the caller's team.

    Raises KeyError while a card of a completed trick is closed.
    """
    if state.end is End.CONCEDED:
        # RULES 13.4: both opponents accepted, so every remaining trick is the caller's, and so all
        # of them.
        return _all_to(state.team_of(state.the_caps.seat), state.profile.deck.points)
    points = [0, 0]
    for trick in state.tricks:
        points[state.team_of(trick.winner)] += sum(
            CARD_POINTS[state.faces[play.slot]] for play in trick.plays
        )
    return points[0], points[1]


def tricks_of_teams(state: State) -> tuple[int, int]:
    """Return the number of tricks that team 0 and team 1 took; after conceded caps all tricks
    count for the caller's team.
    """
    if state.end is End.CONCEDED:
        caller = state.the_caps.seat
        # As many tricks as a seat was dealt cards.
        return _all_to(state.team_of(caller), len(state.dealt[caller]))
    won = [state.team_of(trick.winner) for trick in state.tricks]
    return won.count(Team(0)), won.count(Team(1))


def _all_to(team: Team, amount: int) -> tuple[int, int]:
    """Return `amount` for `team` and 0 for the other, as the pair of team 0 and team 1."""
    return (amount, 0) if team == 0 else (0, amount)


# --- playing a card (RULES 9 and 11): what it must prove, and which plays a seat has --------------

# Why a play is refused for which several rules stand.
_FOLLOW: Final = "a seat that holds the led suit must follow it"
_NO_TRUMP_FROM_HAND: Final = (
    "with hidden trump the maker neither cuts with nor throws away a trump from hand"
)


def idle_seats(state: State) -> tuple[Seat, ...]:
    """Return the maker's partners where the contract lays their cards aside; else no seats (RULES
    14.2).
    """
    if state.alone and state.maker is not None:
        return state.mates(state.maker)
    return ()


def next_to_play(state: State, seat: Seat) -> Seat:
    """Return the seat that plays after `seat`: the next one to the right whose cards are not laid
    aside.
    """
    following, idle = state.right_of(seat), idle_seats(state)
    while following in idle:
        following = state.right_of(following)
    return following


def play_card(state: State, seat: Seat, action: PlayCard) -> Step[State]:
    """Return the step after `seat` played a card face up: a lead, a card of the suit led, or one
    that does not follow suit where trump is open or caps were contested (RULES 9).

    The step states which card it is and what the seat must prove about its closed cards; a full
    trick is inspected or won at once. Raises RulesError for a play that everybody can see to be
    forbidden.
    """
    slot, card = action.slot, action.card
    # S1 first: what follows judges the suit of the card that was claimed.
    statements = face_statement(state, slot, card)
    is_indicator = _check_slot(state, seat, slot)
    # Asked only where somebody can have promised anything: this is the hot path of simulated hands.
    if state.shown or state.caps is not None:
        _check_promises(state, seat, slot, card)
    if action.all_trumps and not first_lead_banned(state, seat):
        raise RulesError("8", "the all-trumps waiver is for a maker's hidden trump led to trick 1")
    if not state.plays:
        statements += _lead(state, seat, action, is_indicator)
    else:
        led = led_suit(state)
        if card.suit == led:
            # A maker that holds it alone "cannot follow" a trump lead before trick 8 (RULES 9.3,
            # ruling 41).
            if is_indicator and state.hands[seat]:
                raise RulesError("9.3", "the indicator does not follow suit before the last trick")
        else:
            statements += _void_up(state, seat, slot, card, led, is_indicator)
    # Not by `with_faces` and `with_hand`: one new state for each card played is the cost of a
    # simulated hand.
    faces = MappingProxyType(state.faces | {slot: card})
    state = _play_card(state, seat, slot, Play(seat, slot, False), faces)
    # Not where it cuts, after contested caps: then the announcement at the end of the trick opens
    # trump.
    if is_indicator and (len(state.plays) == 1 or card.suit == led_suit(state)):
        state = take_up_indicator(state)  # the last trick: trump is open with this card
    return _next(state, statements, Opened(slot, card))


def play_down(state: State, seat: Seat, action: PlayDown) -> Step[State]:
    """Return the step after `seat` played a card face down, as a seat without the led suit does
    while trump is hidden (RULES 9.2, 9.3).

    The step states that the hand has none of the led suit, and for the maker also that its
    indicator cuts, or that a card of its hand is no trump. Raises RulesError at a lead, with open
    trump, after contested caps, and for a play that everybody can see to be forbidden.
    """
    slot = action.slot
    is_indicator = _check_slot(state, seat, slot)
    if not state.plays:
        raise RulesError("9", "a lead is face up")
    if state.trump is not None:
        raise RulesError("9.1", "trump is open, so every card is played face up")
    if _all_face_up(state):
        raise RulesError("13.4", "after a call of caps was contested every card is face up")
    led = led_suit(state)
    # As in `play_card`: a promise needs a shown card or caps.
    if state.shown or state.caps is not None:
        _check_promises(state, seat, slot, None)
    statements = _void_down(state, seat, slot, led, is_indicator)
    state = _play_card(state, seat, slot, Play(seat, slot, True), state.faces)
    return _next(state, statements, LaidDown(seat, slot))


def proof_of_turn(state: State, seat: Seat, action: PlayCard) -> tuple[Statement, ...]:
    """Return the statements that prove the face-up play `action` legal for `seat` now, besides the
    one about its face: that the rest of the hand has none of the led suit, or no trump where
    exhausted trumps bind a maker that leads another suit. () for other leads, and for a card that
    follows suit.

    Must not be asked of a maker with hidden trump. Raises RulesError where open cards contradict a
    statement.
    """
    if not state.plays:
        return _lead(state, seat, action, False)
    led = led_suit(state)
    if action.card.suit == led:
        return ()
    # Without the card itself: its face becomes open with the play, and is off the led suit.
    rest = tuple(each for each in state.hands[seat] if each != action.slot)
    return none_of_suit(state, rest, led, "9", _FOLLOW)


def led_suit(state: State) -> Suit:
    """Return the suit of the first card of the trick in progress; there must be one."""
    return state.faces[state.plays[0].slot].suit


def _all_face_up(state: State) -> bool:
    """Tell whether caps were contested, after which no card is played face down (RULES 13.4)."""
    # Not None, which is no answer yet.
    return state.caps is not None and state.caps.contested is True


def _check_slot(state: State, seat: Seat, slot: Slot) -> bool:
    """Return whether `slot` is the indicator, which `seat` is to play from the table; False for a
    card of its hand.

    Raises RulesError for any other slot.
    """
    if slot in state.hands[seat]:
        return False
    if seat == state.maker and slot == state.indicator:
        return True
    raise RulesError("S1", f"slot {slot} is no unplayed card of this seat")


def _lead(state: State, seat: Seat, action: PlayCard, is_indicator: bool) -> tuple[Statement, ...]:
    """Return the statements that a lead needs besides the one about its face; () for a seat other
    than the maker (RULES 8, 9.3, 11.2).

    A maker states that it has no trump left, if it leads another suit although exhausted trumps
    bind; that the card is no trump, where trumps may not be led to trick 1; or, with the waiver
    `all_trumps`, that it has nothing else. `is_indicator` says that the card is the hidden
    indicator on the table. Raises RulesError for a lead that is seen to be forbidden.
    """
    if seat != state.maker:
        return ()
    hand, suit = state.hands[seat], action.card.suit
    rest = tuple(each for each in hand if each != action.slot)
    if state.trump is not None:
        if exhausted_binds(state) and state.trump in state.unfollowed and suit != state.trump:
            why = "a maker that has led a trump that nobody followed goes on leading trumps"
            # RULES 11.2: having led a trump that nobody followed, it must hold no trump to lead
            # another suit.
            return none_of_suit(state, rest, state.trump, "11.2", why)
        return ()
    # An empty hand: the maker has nothing else to lead (RULES 9.4).
    if is_indicator:
        if hand:
            raise RulesError("9.3", "the indicator is led in the last trick only")
        return ()
    if first_lead_banned(state, seat):
        if action.all_trumps:
            if may_open(state):
                raise RulesError("8", "with nothing but trumps to lead, the maker opens trump")
            why = "the waiver needs a hand of trumps alone"
            return all_of_suit(state, (*rest, state.the_indicator), suit, "8", why)
        why = "a maker with hidden trump does not lead trump to the first trick"
        return indicator_not_of(state, suit, "8", why)
    if not exhausted_binds(state):
        return ()
    return tuple(
        each
        # The table cannot tell which of these suits was trump, so that each needs the disjunction
        # S7.
        for other in state.unfollowed
        if other != suit
        for each in exhausted_statement(state, rest, other)
    )


def first_lead_banned(state: State, seat: Seat) -> bool:
    """Tell whether `seat` is the maker and may not lead a trump now: it leads to trick 1 with
    hidden trump, and the profile has this ban (RULES 8).
    """
    return (
        seat == state.maker
        and state.trump is None
        and not state.tricks
        and not state.plays
        and state.profile.first_lead_ban
    )


def exhausted_binds(state: State) -> bool:
    """Tell whether the rule of exhausted trumps is in force, by which a maker that led a trump that
    nobody followed goes on leading trumps (RULES 11.2): the profile has it, and the maker does not
    play alone.

    Whether such a trump was led is not asked here.
    """
    # RULES 11.2: never where the maker plays alone.
    return state.profile.exhausted_trumps and not state.alone


def _void_up(
    state: State, seat: Seat, slot: Slot, card: Card, led: Suit, is_indicator: bool
) -> tuple[Statement, ...]:
    """Return the statements for a card played face up that does not follow suit: that the rest of
    the hand has none of `led`, the suit led (S3), and for a card from the hand of a maker with
    hidden trump also that it is no trump.

    `is_indicator` says that the card is the hidden indicator on the table. Raises RulesError while
    trump is hidden and no caps were contested, when such a card goes face down, and where open
    cards contradict a statement.
    """
    hand = state.hands[seat]
    rest = tuple(each for each in hand if each != slot)
    if state.trump is not None:
        return none_of_suit(state, rest, led, "9.1", _FOLLOW)
    if not _all_face_up(state):
        raise RulesError("9.2", "while trump is hidden a seat that cannot follow plays face down")
    void = none_of_suit(state, rest, led, "9.2", _FOLLOW)
    # Whether an indicator cuts shows with its face, which is open.
    if seat != state.maker or is_indicator:
        return void
    return void + indicator_not_of(state, card.suit, "9.3", _NO_TRUMP_FROM_HAND)


def _void_down(
    state: State, seat: Seat, slot: Slot, led: Suit, is_indicator: bool
) -> tuple[Statement, ...]:
    """Return the statements for a card played face down: that the hand has none of `led`, the suit
    led (S3), and for the maker also that its indicator cuts (S5), or that its discard is no trump
    (S4).

    `is_indicator` says that the card is the indicator on the table. Raises RulesError where open
    cards contradict a statement.
    """
    # The card itself, too: nobody sees that it is off the led suit.
    void = none_of_suit(state, state.hands[seat], led, "9.2", _FOLLOW)
    if seat != state.maker:
        return void
    if is_indicator:
        cuts = "the indicator is not played to a trump lead"
        return void + indicator_not_of(state, led, "9.3", cuts)
    return void + off_trump(state, (slot,), "9.3", _NO_TRUMP_FROM_HAND)


def _check_promises(state: State, seat: Seat, slot: Slot, card: Card | None) -> None:
    """Raise RulesError for a play of the card in `slot` that breaks a promise of `seat`.

    A caller of contested caps must keep to the order that it stated, and to nothing else; any other
    seat must play a card that it has shown as soon as that is legal. `card` is None for a card
    played face down.
    """
    # The order stated with caps binds before any card that was shown (specs/rules.md 10 no. 7).
    if _plays_in_order(state, seat):
        due = _promised_slot(state, seat)
        if due is not None and slot != due:
            raise RulesError("13.4", "the cards are played in the order that was stated")
        return
    shown = [each for each in state.shown if each in state.hands[seat]]
    if not shown or slot in shown:
        return
    wanted = _required_suit(state, seat)
    # If no shown card is of the suit that goes first, a card of that suit may be played instead.
    fits = wanted is None or any(state.faces[each].suit == wanted for each in shown)
    # A card face down is never of that suit, or its play would be illegal.
    if fits or card is None or card.suit != wanted:
        raise RulesError("9", "a shown card must be played as soon as it is legal")


def _plays_in_order(state: State, seat: Seat) -> bool:
    """Tell whether `seat` called caps, was contested, and must play its cards in the order that it
    stated.
    """
    caps = state.caps
    return (
        caps is not None
        # Not None, which is no answer yet.
        and caps.contested is True
        and caps.seat == seat
        and state.profile.caps_order_stated
    )


def _required_suit(state: State, seat: Seat) -> Suit | None:
    """Return the suit that `seat` must play if its hand has it; None for a lead that is free.

    It is the led suit, or trump for the lead of a maker that exhausted trumps bind.
    """
    if state.plays:
        return led_suit(state)
    bound = seat == state.maker and exhausted_binds(state) and state.trump in state.unfollowed
    return state.trump if bound else None


def _promised_slot(state: State, seat: Seat) -> Slot | None:
    """Return the first unplayed slot of the order that `seat` stated with caps, which must be
    played now; None where playing it would be illegal, so that `seat` may play any legal card.
    """
    # None, where there is no such card, is no slot of the order.
    unplayed = {*state.hands[seat], state.indicator if seat == state.maker else None}
    # By the faces that all know: after the call these are all of the caller's cards.
    due = next((slot for slot, _ in state.the_caps.order if slot in unplayed), None)
    legal = _plays(state, seat, state.faces)
    return due if any(_slot_of(each) == due for each in legal) else None


def _slot_of(action: Action) -> Slot | None:
    """Return the slot of a card played; None for an action that plays none."""
    match action:
        case PlayCard(slot, _, _) | PlayDown(slot):
            return slot
        case _:
            return None


def _play_card(
    state: State, seat: Seat, slot: Slot, play: Play, faces: MappingProxyType[Slot, Card]
) -> State:
    """Return the state after `play`: the card of `slot` leaves the hand, or the indicator the
    table, and lies in the trick; `faces` are all the faces that everybody knows then, and the
    next seat is to play.
    """
    plays, awaiting = (*state.plays, play), (next_to_play(state, seat),)
    hand = state.hands[seat]
    if slot in hand:
        hands = list(state.hands)
        hands[seat] = tuple(each for each in hand if each != slot)
        # A promise is a card of a hand: a maker with an indicator on the table makes none.
        return state._replace(
            plays=plays, hands=tuple(hands), faces=faces, awaiting=awaiting, promised=None
        )
    return state._replace(plays=plays, indicator=None, faces=faces, awaiting=awaiting)


def _next(
    state: State, statements: tuple[Statement, ...], disclosure: Opened | LaidDown
) -> Step[State]:
    """Return the step after a play, with `statements` that it needs and `disclosure` of its card;
    `state` already has the card in the trick.

    Once every seat that plays has played, the trick is won at once; but with hidden trump and a
    card that may be a trump, the maker is to inspect it, and the other seats' face-down cards are
    handed to it (RULES 10.1).
    """
    # `teams` has one entry for each seat; seats whose cards are laid aside do not play.
    if len(state.plays) < len(state.teams) - len(idle_seats(state)):
        return Step(state, statements, (disclosure,))
    if state.trump is not None or not _suspects(state):
        return Step(win_trick(state), statements, (disclosure,))
    maker = state.the_maker
    handed = tuple(
        HandedOver(play.slot, play.seat, maker)
        for play in state.plays
        # Only now, after the last card: earlier the maker would see what others played before its
        # turn (U4).
        if play.down and play.seat != maker and play.slot not in state.faces
    )
    inspecting = state._replace(phase=Phase.INSPECT, awaiting=(maker,))
    return Step(inspecting, statements, (disclosure, *handed))


def legal_plays(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return every play that is legal for `seat`, which is on turn, judged with the faces that it
    knows. Never empty.

    Where the stated order of contested caps, or a shown card, can be kept to, only such plays. The
    opening of trump is among the others where a maker that is to lead may still open it.
    """
    legal = _plays(state, seat, faces)
    if _plays_in_order(state, seat):
        due = _promised_slot(state, seat)
        return [each for each in legal if due is None or _slot_of(each) == due]
    if state.shown:
        shown = [each for each in legal if _slot_of(each) in state.shown]
        # While no shown card is legal, the promise waits.
        return shown or legal
    return legal


def _plays(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return every legal play of `seat`, whose cards `faces` has, as if it had shown no card and
    stated no order; with the opening of trump, where a maker that is to lead may still open it.
    """
    hand = state.hands[seat]
    hidden_maker = seat == state.maker and state.trump is None
    if not state.plays:
        if hidden_maker:
            return _closed_leads(state, hand, faces)
        trumps = state.trump if seat == state.maker and exhausted_binds(state) else None
        # Only the maker is bound by exhausted trumps; for others `trumps` is None (RULES 11.2).
        return _up(_slots_to_lead(state, hand, faces, trumps), faces)
    led = led_suit(state)
    follow = [slot for slot in hand if faces[slot].suit == led]
    if follow:
        return _up(follow, faces)
    if hidden_maker:
        # The maker is on turn with hidden trump: its indicator still lies on the table.
        indicator = state.the_indicator
        trump = faces[indicator].suit
        # In the last trick the indicator follows a trump lead; before it, it never does (RULES
        # 9.4).
        if trump == led and not hand:
            return _up([indicator], faces)
        # Hidden trumps of the hand neither cut nor are thrown away: the indicator alone cuts
        # (ruling 40).
        options = [slot for slot in hand if faces[slot].suit != trump]
        if trump != led:
            options.append(indicator)
    else:
        options = list(hand)
    if state.trump is not None or _all_face_up(state):
        return _up(options, faces)
    return [PlayDown(slot) for slot in options]


def _closed_leads(state: State, hand: tuple[Slot, ...], faces: Faces) -> list[Action]:
    """Return every legal lead of a maker with hidden trump, and the opening of trump where it may
    open: the indicator in the last trick, else cards of its hand, no trumps where the ban on trick
    1 holds. `faces` has the cards of its hand and its indicator.

    With nothing but trumps under that ban and no way to open, every trump, with the waiver
    `all_trumps`.
    """
    # The maker is on turn with hidden trump: its indicator still lies on the table.
    indicator = state.the_indicator
    card = faces[indicator]
    if not hand:
        return [PlayCard(indicator, card)]
    if not state.tricks and state.profile.first_lead_ban:
        leads = _up([slot for slot in hand if faces[slot].suit != card.suit], faces)
        if may_open(state):
            return [*leads, OpenTrump(card)]
        # Nothing but trumps and no way to open: the ban is waived under S12 (ruling 36).
        return leads or [PlayCard(slot, faces[slot], True) for slot in hand]
    leads = _up(
        _slots_to_lead(state, hand, faces, card.suit if exhausted_binds(state) else None), faces
    )
    return [*leads, OpenTrump(card)] if may_open(state) else leads


def _slots_to_lead(
    state: State, hand: tuple[Slot, ...], faces: Faces, trump: Suit | None
) -> list[Slot]:
    """Return the slots of a hand that may be led: only its trumps by `faces`, if a lead of `trump`
    by the maker was not followed by anybody and the hand has one; else all (RULES 11.2).

    `trump` is None for a seat that this rule does not bind.
    """
    if trump is not None and trump in state.unfollowed:
        bound = [slot for slot in hand if faces[slot].suit == trump]
        if bound:
            return bound
    return list(hand)


def _up(slots: list[Slot], faces: Faces) -> list[Action]:
    """Return, for each slot in order, the action that plays its card, as `faces` has it, face
    up.
    """
    return [_face_up(slot, faces[slot]) for slot in slots]


# Made once for each of few slots and cards: plays are listed at every turn of simulated hands.
@cache
def _face_up(slot: Slot, card: Card) -> PlayCard:
    """Return the action that plays `card` from `slot` face up: the same object each time,
    without the waiver `all_trumps`.
    """
    return PlayCard(slot, card)
