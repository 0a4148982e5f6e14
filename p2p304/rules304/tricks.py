"""The end of a trick (RULES 10): inspection, winner, and what follows; the count of the hand."""

from __future__ import annotations

from p2p304.cards import Slot, Suit
from p2p304.disclosures import Disclosure, HandedOver, LaidDown, Opened
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Contract, Face
from p2p304.rules304.dealing import take_up_indicator
from p2p304.rules304.duties import exactly, face_statement, face_statements, none_of_suit, off_trump
from p2p304.rules304.pack import CARD_POINTS, STRENGTH
from p2p304.rules304.profile import CapsGrace, CapsModel, Profile
from p2p304.rules304.state import End, Phase, Play, State, Trick
from p2p304.rules304.teams import Team
from p2p304.seats import Seat
from p2p304.statements import Statement


def _suspects(state: State) -> tuple[Play, ...]:
    """Return the plays of the trick that may be hidden trumps: cards face down, and after
    contested caps cards face up that do not follow. Never the lead.
    """
    led = state.faces[state.plays[0].slot].suit
    # From the second card on: a lead is open, and of the led suit by definition.
    return tuple(
        play for play in state.plays[1:] if play.down or state.faces[play.slot].suit != led
    )


def trick_complete(
    state: State, statements: tuple[Statement, ...], disclosure: Opened | LaidDown
) -> Step[State]:
    """Return the step after the last card of a trick, with the statements and the disclosure of
    that card's play.

    With hidden trump and a card that may be a trump, the maker is to inspect the trick, and the
    other seats' face-down cards are handed to it (RULES 10.1); else the trick is won at once.
    """
    maker = state.maker
    # Tricks are played after an auction, which made a maker.
    assert maker is not None
    if state.trump is None and _suspects(state):
        handed = tuple(
            HandedOver(play.slot, play.seat, maker)
            for play in state.plays
            # Only now, after the last card: earlier the maker would see what others played before
            # its turn (U4).
            if play.down and play.seat != maker and play.slot not in state.faces
        )
        inspecting = state._replace(phase=Phase.INSPECT, awaiting=(maker,))
        return Step(inspecting, statements, (disclosure, *handed))
    return Step(win_trick(state), statements, (disclosure,))


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
    # The indicator was laid before play began.
    assert state.trump_slot is not None
    return tuple(slot for slot in (*due, state.trump_slot) if slot not in state.faces)


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
    slot = state.indicator
    # Trump is hidden still, so the indicator lies on the table.
    assert slot is not None
    statements = face_statement(state, slot, action.card)
    state = take_up_indicator(state.with_faces((slot, action.card)))
    return Step(to_window(state), statements, (Opened(slot, action.card),))


def _best(state: State, suit: Suit) -> Seat | None:
    """Return the seat that played the highest open card of `suit` to the trick; None where
    nobody played an open one.
    """
    best: tuple[int, Seat] | None = None
    for play in state.plays:
        card = state.faces.get(play.slot)
        if card is not None and card.suit == suit:
            strength = STRENGTH[card.rank]
            if best is None or strength > best[0]:
                best = strength, play.seat
    return None if best is None else best[1]


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
    if lead.seat == state.maker and led not in unfollowed and _nobody_followed(state, led):
        unfollowed = (*unfollowed, led)
    state = state._replace(
        tricks=(*state.tricks, Trick(state.plays, winner, cutter is not None)),
        plays=(),
        leader=winner,
        unfollowed=unfollowed,
        # A promise ends when its card is played.
        shown=tuple(slot for slot in state.shown if slot not in state.faces or _held(state, slot)),
    )
    return _after_trick(state, winner)


def _held(state: State, slot: Slot) -> bool:
    """Tell whether a slot is still in some seat's hand."""
    return any(slot in hand for hand in state.hands)


def _nobody_followed(state: State, led: Suit) -> bool:
    """Tell whether no open card of the trick but the lead is of the led suit."""
    return all(play.down or state.faces[play.slot].suit != led for play in state.plays[1:])


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
    maker, caps = state.maker, state.caps
    # Tricks are played after an auction, which made a maker.
    assert maker is not None
    # Alone the maker needs every trick: one lost, and nothing is left to play for (RULES 14.2).
    if state.alone and winner != maker:
        return to_count(state._replace(end=End.CONTRACT_LOST))
    # RULES 13.4: contested caps end with the first lost trick. None, not contested, is left where
    # caps show no cards: such a hand is played to its end (RULES 13.6).
    if caps is not None and caps.contested and state.teams[winner] != state.teams[caps.seat]:
        return to_count(state._replace(end=End.CAPS_LOST))
    if len(state.tricks) == total_tricks(state):
        return to_count(state._replace(end=End.PLAYED))
    if len(state.tricks) == 1 and state.trump is None and _opens_after_first(state):
        return state._replace(phase=Phase.SHOW_INDICATOR, awaiting=(maker,))
    return to_window(state)


def _opens_after_first(state: State) -> bool:
    """Tell whether the bid opens trump after trick 1: a contract, or a number from
    `open_after_trick1_from` upwards (RULES 11.1).
    """
    contract = state.contract
    # A contract stands above every number, so it opens trump whatever the parameter is (RULES
    # 11.1).
    return isinstance(contract, Contract) or (
        contract is not None and contract >= state.profile.open_after_trick1_from
    )


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
        # A hand is conceded only to a call of caps.
        assert state.caps is not None
        # RULES 13.4: both opponents accepted, so every remaining trick is the caller's, and so all
        # of them.
        return _all_to(state.team_of(state.caps.seat), state.profile.deck.points)
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
        # A hand is conceded only to a call of caps.
        assert state.caps is not None
        # As many tricks as a seat was dealt cards.
        return _all_to(state.team_of(state.caps.seat), len(state.dealt[state.caps.seat]))
    won = [state.team_of(trick.winner) for trick in state.tricks]
    return won.count(Team(0)), won.count(Team(1))


def _all_to(team: Team, amount: int) -> tuple[int, int]:
    """Return `amount` for `team` and 0 for the other, as the pair of team 0 and team 1."""
    return (amount, 0) if team == 0 else (0, amount)
