"""COUNT (RULES 15 and 17): opening what the verdicts depend on, and adding up."""

from __future__ import annotations

from p2p304.cards import Slot
from p2p304.disclosures import Opened
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304.actions import Face, OpenCards, OpenHandedOver
from p2p304.rules304.duties import exactly, face_statements
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import Team
from p2p304.seats import Seat


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


def open_cards(state: State, seat: Seat, action: OpenCards) -> Step[State]:
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


def open_handed_over(state: State, seat: Seat, action: OpenHandedOver) -> Step[State]:
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
